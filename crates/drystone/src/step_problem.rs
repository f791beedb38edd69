//! The cone problem of a step, taken out of a world: for solver authors, and to put several methods on the same step.

use drystone_ccp::{Ccp, TwoBody};
use drystone_collide::Contact;

use crate::assembly::Assembler;
use crate::force::ContactForce;
use crate::warm_start::Impulses;

/// The problem of a world's next step.
pub struct StepProblem {
    pub(crate) problem: Ccp<TwoBody>,
    pub(crate) warm_start: Vec<f64>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) assembler: Assembler,
    pub(crate) time_step: f64,
}

impl StepProblem {
    /// The problem: contacts with sliding friction only, then those that resist rolling, then joints.
    pub fn problem(&self) -> &Ccp<TwoBody> {
        &self.problem
    }

    /// The problem alone.
    pub fn into_problem(self) -> Ccp<TwoBody> {
        self.problem
    }

    /// The impulses of the last step along the rows of the problem: where the step would start from.
    pub fn warm_start(&self) -> &[f64] {
        &self.warm_start
    }

    /// The contacts, by identity, with the forces that the impulses `gamma` mean.
    pub fn contact_forces(&self, gamma: &[f64]) -> Vec<ContactForce> {
        let mut impulses = Impulses::default();
        self.assembler
            .impulses(self.problem.operator(), gamma, &mut impulses);
        let per_second = 1.0 / self.time_step;
        let contacts = self.contacts.iter().zip(&impulses.linear).enumerate();
        contacts
            .map(|(index, (contact, impulse))| {
                ContactForce::new(contact, *impulse, impulses.turn(index), per_second)
            })
            .collect()
    }
}
