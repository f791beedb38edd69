//! Contact forces and their sign conventions.
//!
//! A contact lies between two bodies; its normal points from the first to the second. Its force is
//! what the *first exerts on the second*, in world axes. Contacts that press have
//! `force · normal >= 0`. The second body exerts the opposite on the first. Forces are impulses of
//! the last step divided by its length: means over the step.

use drystone_collide::{Contact, ContactId};
use glam::DVec3;

use crate::body::BodyId;

/// One contact point with its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Identity: stays the same while the contact persists.
    pub id: ContactId,
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// World point, m.
    pub point: DVec3,
    /// Unit normal, from the first body to the second.
    pub normal: DVec3,
    /// Distance of the surfaces at the start of the step, m; negative where they overlapped.
    pub gap: f64,
    /// Force of the first body on the second, N.
    pub force: DVec3,
    /// Torque of the first body on the second beside that of the force, N m: what resists rolling
    /// and spinning.
    pub torque: DVec3,
}

impl ContactForce {
    /// From impulse and turn, N s and N m s, over `1 / per_second` seconds.
    pub(crate) fn new(contact: &Contact, impulse: DVec3, turn: DVec3, per_second: f64) -> Self {
        Self {
            id: contact.id,
            bodies: contact.id.objects.map(BodyId),
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            force: impulse * per_second,
            torque: turn * per_second,
        }
    }

    /// Normal part of the force, N, >= 0 where the bodies press.
    pub fn normal_force(&self) -> f64 {
        self.force.dot(self.normal)
    }

    /// Friction: the force without its normal part, N.
    pub fn friction(&self) -> DVec3 {
        self.force - self.normal_force() * self.normal
    }
}

/// What compliance makes of a contact in a step. It has a share in every contact: the surfaces may
/// have one, and the settings give a little to all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Yielding {
    /// How far the force presses the contact in, m.
    pub pressed: f64,
    /// How much of its overlap the step removes where nothing presses, m.
    pub pushed: f64,
}

impl Yielding {
    /// Whether compliance is why an overlap stays or grows: it lets in at least half of what the
    /// step pushes out.
    pub fn explains_overlap(&self) -> bool {
        self.pressed >= 0.5 * self.pushed
    }
}

/// What a joint exerted on its second body in the last step; the first felt the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointForce {
    /// Origin of the joint's frame on the second body, m.
    pub point: DVec3,
    /// Force at that point, N, of everything that the joint holds, limits, drives or springs. A
    /// motor that exerts a given force is not in it.
    pub force: DVec3,
    /// Torque about that point, N m, likewise.
    pub torque: DVec3,
    /// The motor's share along the coordinate, N or N m.
    pub motor: f64,
}

/// A force and its torque.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force, N.
    pub force: DVec3,
    /// Torque about the body's centre of mass, N m.
    pub torque: DVec3,
}
