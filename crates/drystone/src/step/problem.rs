//! The cone problem of a step, taken out of a world: for authors of solvers, and to put several
//! methods on the same step.

use drystone_ccp::{Ccp, TwoBody};
use drystone_collide::Contact;

use crate::assembly::Assembler;
use crate::force::ContactForce;
use crate::warm_start::ContactImpulses;

/// The problem of a world's next step, which has let go of the world.
pub struct StepProblem {
    pub(super) problem: Ccp<TwoBody>,
    pub(super) warm_start: Vec<f64>,
    pub(super) contacts: Vec<Contact>,
    pub(super) assembler: Assembler,
    pub(super) time_step: f64,
}

impl StepProblem {
    /// The problem: contacts with sliding friction only, then those that resist rolling, then
    /// joints.
    pub fn problem(&self) -> &Ccp<TwoBody> {
        &self.problem
    }

    /// The problem alone.
    pub fn into_problem(self) -> Ccp<TwoBody> {
        self.problem
    }

    /// The impulses of the last step along the rows of the problem, N s or N m s: where the step
    /// would start from.
    pub fn warm_start(&self) -> &[f64] {
        &self.warm_start
    }

    /// The contacts, by identity, with the forces that the impulses `gamma` mean.
    pub fn contact_forces(&self, gamma: &[f64]) -> Vec<ContactForce> {
        let operator = self.problem.operator();
        contact_forces(
            &self.assembler,
            operator,
            &self.contacts,
            gamma,
            self.time_step,
        )
    }
}

/// The forces of `contacts` from impulses along the rows of the problem that was made of them.
pub(super) fn contact_forces(
    assembler: &Assembler,
    operator: &TwoBody,
    contacts: &[Contact],
    gamma: &[f64],
    time_step: f64,
) -> Vec<ContactForce> {
    let mut impulses = ContactImpulses::default();
    assembler.impulses(operator, gamma, &mut impulses);
    let per_second = 1.0 / time_step;
    let contacts = contacts.iter().zip(&impulses.linear).enumerate();
    contacts
        .map(|(index, (contact, impulse))| {
            ContactForce::new(contact, *impulse, impulses.turn(index), per_second)
        })
        .collect()
}
