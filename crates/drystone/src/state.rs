//! Everything that changes from step to step: what a checkpoint holds.

use drystone_collide::{Contact, ContactId};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::error::WorldError;

/// Motion of one body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// Centre of mass, m.
    pub position: DVec3,
    /// Turns the shape's axes into the world's.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: DVec3,
}

/// A contact of the last step: where the next one starts from, and what forces are read from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmImpulse {
    /// The two bodies, the smaller index first.
    pub bodies: [u32; 2],
    /// Which contact point of the pair.
    pub feature: u64,
    /// World point, m.
    pub point: DVec3,
    /// Unit normal, from the first body to the second.
    pub normal: DVec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Impulse on the second body in world axes, N s.
    pub impulse: DVec3,
    /// Angular impulse on the second body beside it, N m s.
    pub turn: DVec3,
}

/// What a joint remembers from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointState {
    /// Whether it holds.
    pub enabled: bool,
    /// Angles with their whole turns, rad: of a revolute joint, or of the two wheels of a gear or
    /// rack.
    pub turns: [f64; 2],
    /// Impulses of the last step, N s or N m s: six rows that hold, the lower and the upper limit,
    /// the motor, the spring.
    pub impulses: [f64; 10],
    /// Impulse on the second body, N s.
    pub force: DVec3,
    /// Angular impulse on the second body about its centre of mass, N m s.
    pub torque: DVec3,
    /// Impulse of the motor along the coordinate, N s or N m s.
    pub motor: f64,
}

impl Default for JointState {
    fn default() -> Self {
        Self {
            enabled: true,
            turns: [0.0; 2],
            impulses: [0.0; 10],
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            motor: 0.0,
        }
    }
}

impl WarmImpulse {
    pub(crate) fn contact(&self) -> Contact {
        Contact {
            id: ContactId {
                objects: self.bodies,
                feature: self.feature,
            },
            normal: self.normal,
            point: self.point,
            gap: self.gap,
        }
    }
}

/// A constant load on one body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Force at the centre of mass, N.
    pub force: DVec3,
    /// Torque, N m.
    pub torque: DVec3,
}

/// All that [`crate::World::restore`] needs to go on as if nothing had happened. The rest of a
/// world is what it was built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Length of the last step, s: what its impulses are divided by to be forces.
    pub last_time_step: f64,
    /// Steps made.
    pub step: u64,
    /// Steps that did not reach the tolerance.
    pub unconverged: u64,
    /// One for each body.
    pub bodies: Vec<BodyState>,
    /// Bodies that take no part, ascending.
    pub disabled: Vec<u32>,
    /// Loads by body, ascending.
    pub loads: Vec<(u32, Load)>,
    /// Impulses of the last step, sorted by identity.
    pub warm_start: Vec<WarmImpulse>,
    /// One for each joint.
    pub joints: Vec<JointState>,
    /// How long each body has been slow, s, and whether it sleeps; empty where sleeping is off, and
    /// after a change from outside, which wakes all.
    pub rest: Vec<(f64, bool)>,
}

impl State {
    /// Says what does not fit a world of so many bodies and joints, if anything.
    pub(crate) fn check(&self, bodies: usize, joints: usize) -> Result<(), WorldError> {
        if self.joints.len() != joints {
            return Err(WorldError::State {
                what: "joints",
                found: self.joints.len(),
                expected: joints,
            });
        }
        let mismatch = |what, found| WorldError::State {
            what,
            found,
            expected: bodies,
        };
        if self.bodies.len() != bodies {
            return Err(mismatch("bodies", self.bodies.len()));
        }
        if !(self.rest.is_empty() || self.rest.len() == bodies) {
            return Err(mismatch("records of rest", self.rest.len()));
        }
        let named = self
            .disabled
            .iter()
            .chain(self.loads.iter().map(|(b, _)| b))
            .chain(self.warm_start.iter().flat_map(|w| &w.bodies));
        match named.max() {
            Some(&body) if body as usize >= bodies => {
                Err(mismatch("as a body's index", body as usize))
            }
            _ => Ok(()),
        }
    }
}
