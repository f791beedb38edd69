//! What a state does not say of itself, and another scene that starts from it must know.

use drystone_scene::Simulation;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Names of what a state has by number, and where centres of mass lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Labels {
    /// Names of the phases.
    pub phases: Vec<String>,
    /// Names and kinds of the joints.
    pub joints: Vec<(String, String)>,
    /// Centres of mass that are not the origins of their shapes, m, by body, ascending.
    pub centers: Vec<(u32, DVec3)>,
}

impl Labels {
    pub fn of(simulation: &Simulation) -> Self {
        let world = simulation.world();
        let joint = |id| {
            let name = world.joint_name(id).to_owned();
            (name, world.joint_kind(id).name().to_owned())
        };
        let centers = world.ids().map(|id| (id, world.center_of_mass(id)));
        let away = centers.filter(|(_, center)| *center != DVec3::ZERO);
        Self {
            phases: simulation.phase_names().map(str::to_owned).collect(),
            joints: world.joints().map(joint).collect(),
            centers: away.map(|(id, c)| (id.index() as u32, c)).collect(),
        }
    }
}
