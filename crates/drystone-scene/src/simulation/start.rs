//! Starting from another run: which of its bodies a scene takes over, and how.
//!
//! Bodies are matched by name: that of their group, and their number in it. The scene says what
//! they are made of, what moves them and what holds them; the run says where they are, how fast,
//! and with which impulses they press.

mod apply;
mod carry;
mod check;
mod fits;

use drystone::state::{JointState, WarmImpulse};
use drystone::{Pose, Shape};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

pub(super) use carry::Carry;

/// Bodies and joints as a run left them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartState {
    /// Names that bodies share.
    pub groups: Vec<String>,
    /// Shapes; bodies name them by index.
    pub shapes: Vec<Shape>,
    /// The bodies. Those of one group stand in the order of their numbers.
    pub bodies: Vec<StartBody>,
    /// Contacts with their impulses, where they are known; bodies by index.
    pub contacts: Vec<WarmImpulse>,
    /// The joints, where their state is known.
    pub joints: Vec<StartJoint>,
    /// Length of the step that the impulses are of, s.
    pub time_step: f64,
}

/// A body as a run left it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartBody {
    /// Index of its group.
    pub group: u32,
    /// Index of its shape.
    pub shape: u32,
    /// World position of its point `center`, m.
    pub position: DVec3,
    /// The point that `position` is of, in the shape's frame, m: the centre of mass in that run, or
    /// the origin.
    pub center: DVec3,
    /// Turns the shape's axes into the world's; a unit quaternion.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Whether it takes part.
    pub enabled: bool,
    /// Where its shape's frame lay when the run began, for bodies that no force moves.
    pub began: Option<Pose>,
}

impl StartBody {
    /// Where its shape's frame lies.
    pub fn pose(&self) -> Pose {
        Pose {
            position: self.position - self.rotation * self.center,
            rotation: self.rotation,
        }
    }
}

/// A joint as a run left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartJoint {
    /// Its name.
    pub name: String,
    /// The name of its kind.
    pub kind: String,
    /// What it remembers.
    pub state: JointState,
}

/// What a scene took from a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Bodies that both have, by name and how many.
    pub matched: Vec<(String, usize)>,
    /// Bodies that only the scene has.
    pub added: Vec<(String, usize)>,
    /// Bodies that only the run has, or that the scene does not want from it.
    pub dropped: Vec<(String, usize)>,
    /// Contacts whose impulses were taken over, and all that the run had.
    pub contacts: [usize; 2],
    /// Joints whose state was taken over, and all that the run had.
    pub joints: [usize; 2],
    /// What may not be as meant.
    pub notes: Vec<String>,
}
