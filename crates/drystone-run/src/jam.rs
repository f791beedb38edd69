//! Bodies whose motion is prescribed and that nothing can give way to: a lid driven into grains, a
//! gate that closes on a stone. No impulses solve such a step well, whatever the method.

use drystone::{BodyId, BodyKind, StepReport, World};

/// A prescribed body counts as jammed if it presses with more than this many times what all moving
/// bodies weigh: a drum or a conveyor carries them about once.
const WEIGHTS: f64 = 5.0;

/// A prescribed body that the others cannot give way to.
#[derive(Clone, Debug, PartialEq)]
pub struct Jam {
    /// Its name.
    pub body: String,
    /// What it presses with, N: normal forces of all its contacts, added up.
    pub force: f64,
    /// The step that found it.
    pub step: u64,
}

impl Jam {
    /// The prescribed body that presses most in the last step, if it is jammed.
    pub fn of(world: &World) -> Option<Self> {
        let mut forces = vec![0.0; world.len()];
        for contact in world.contacts() {
            let force = contact.force.dot(contact.normal).abs();
            for body in contact.bodies {
                forces[body.index()] += force;
            }
        }
        let prescribed = world
            .ids()
            .filter(|body| world.kind(*body) == BodyKind::Prescribed);
        let strongest = prescribed
            .map(|body| (body, forces[body.index()]))
            .reduce(|a, b| if b.1 > a.1 { b } else { a });
        let (body, force) = strongest.filter(|(_, force)| *force > WEIGHTS * weight(world))?;
        Some(Self {
            body: world.name(body),
            force,
            step: world.steps(),
        })
    }
}

/// What all moving bodies weigh, N.
fn weight(world: &World) -> f64 {
    let moves = |body: &BodyId| world.kind(*body) == BodyKind::Dynamic;
    let mass: f64 = world.ids().filter(moves).map(|body| world.mass(body)).sum();
    mass * world.settings().gravity.length()
}

/// Looks at the steps that miss their tolerance. A run that is taken up again begins anew.
#[derive(Debug, Default)]
pub(crate) struct JamWatch {
    worst: Option<Jam>,
}

impl JamWatch {
    /// Takes notice of the last step.
    pub fn look(&mut self, world: &World, report: &StepReport) {
        if report.converged() {
            return;
        }
        let jam = Jam::of(world);
        let force = |jam: &Option<Jam>| jam.as_ref().map_or(0.0, |jam| jam.force);
        if force(&jam) > force(&self.worst) {
            self.worst = jam;
        }
    }

    /// The worst so far.
    pub fn worst(&self) -> Option<&Jam> {
        self.worst.as_ref()
    }
}
