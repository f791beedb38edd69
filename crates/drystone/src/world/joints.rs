//! The joints of a world.

use drystone_collide::Pose;

use super::World;
use crate::body::BodyId;
use crate::error::WorldError;
use crate::force::JointForce;
use crate::joint::{Joint, JointId, JointKind, Motor, Spring};

impl World {
    /// Adds a joint between bodies as they are now.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, WorldError> {
        let name = joint.name.clone().unwrap_or_else(|| {
            let number = self.mechanism.len();
            format!("{}[{number}]", joint.kind.name())
        });
        self.rest.wake_all();
        self.mechanism.add(&joint, name, &self.bodies, self.time)
    }

    /// All joints.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointId> + use<> {
        (0..self.mechanism.len() as u32).map(JointId)
    }

    /// A joint's name.
    pub fn joint_name(&self, joint: JointId) -> &str {
        &self.mechanism.joint(joint).name
    }

    /// A joint's kind.
    pub fn joint_kind(&self, joint: JointId) -> JointKind {
        self.mechanism.joint(joint).kind
    }

    /// The bodies that a joint holds; `None` is the world.
    pub fn joint_bodies(&self, joint: JointId) -> [Option<BodyId>; 2] {
        self.mechanism.joint(joint).bodies.map(|b| b.map(BodyId))
    }

    /// Where a joint's frames lie: in the frame of each body's shape, and for the world's end in
    /// the world. Their z axis is the joint's.
    pub fn joint_frames(&self, joint: JointId) -> [Pose; 2] {
        self.mechanism.joint(joint).frames
    }

    /// The spring on a joint's coordinate, if it has one.
    pub fn joint_spring(&self, joint: JointId) -> Option<Spring> {
        self.mechanism.joint(joint).spring
    }

    /// What a joint exerted on its second body in the last step.
    pub fn joint_force(&self, joint: JointId) -> JointForce {
        self.mechanism
            .force(joint, &self.bodies, self.last_time_step)
    }

    /// A joint's coordinate, m or rad, and its speed; `None` for a kind without one.
    pub fn joint_coordinate(&self, joint: JointId) -> Option<[f64; 2]> {
        self.mechanism.coordinate(joint, &self.bodies)
    }

    /// Largest error of a joint where its bodies are, m or rad.
    pub fn joint_error(&self, joint: JointId) -> f64 {
        self.mechanism.violation(joint, &self.bodies)
    }

    /// Whether a joint holds.
    pub fn is_joint_enabled(&self, joint: JointId) -> bool {
        self.mechanism.states()[joint.index()].enabled
    }

    /// Lets a joint go, or lets it hold again.
    pub fn set_joint_enabled(&mut self, joint: JointId, enabled: bool) {
        self.mechanism.set_enabled(joint, enabled);
        self.rest.wake_all();
    }

    /// Gives a joint another motor from the next step on, or none. Without effect on kinds without
    /// a coordinate.
    pub fn set_motor(&mut self, joint: JointId, motor: Option<Motor>) {
        if self.joint_kind(joint).has_coordinate() {
            self.mechanism.set_motor(joint, motor);
        }
    }
}
