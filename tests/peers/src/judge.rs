//! One judge of overlap for all engines: our own search for contacts, on the poses that an engine
//! ended at.

use drystone::{BodyId, Pose};
use drystone_scene::Simulation;
use drystone_study::StudyError;
use drystone_study::bench::steps::deepest_overlap;

/// What overlaps at some poses.
#[derive(Clone, Copy, Debug)]
pub struct Overlaps {
    /// The deepest, as a share of the radius or half thickness.
    pub deepest: f64,
    /// Contacts that overlap.
    pub count: usize,
}

/// Puts the bodies of a simulation at these poses and looks.
pub fn overlaps(
    simulation: &mut Simulation,
    poses: impl Iterator<Item = (BodyId, Pose)>,
) -> Result<Overlaps, StudyError> {
    let mut state = simulation.state();
    for (body, pose) in poses {
        let own = &mut state.world.bodies[body.index()];
        own.position = pose.position;
        own.rotation = pose.rotation;
    }
    state.world.warm_start.clear();
    simulation.restore(&state)?;
    let problem = simulation.next_problem()?;
    let contacts = problem.contact_forces(&vec![0.0; problem.problem().dim()]);
    Ok(Overlaps {
        deepest: deepest_overlap(simulation.world(), contacts.iter().copied()),
        count: contacts.iter().filter(|contact| contact.gap < 0.0).count(),
    })
}
