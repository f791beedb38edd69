//! One judge of overlap for all engines: our own search for contacts, on the poses that an engine
//! ended at.

use drystone::{BodyId, Pose};
use drystone_scene::Simulation;
use drystone_study::StudyError;
use drystone_study::bench::steps::deepest_overlap;

/// Puts the bodies of a simulation at these poses and looks: the deepest overlap, as a share of the
/// radius or half thickness.
pub fn overlap(
    simulation: &mut Simulation,
    poses: impl Iterator<Item = (BodyId, Pose)>,
) -> Result<f64, StudyError> {
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
    Ok(deepest_overlap(
        simulation.world(),
        contacts.iter().copied(),
    ))
}
