//! One moment of a run.

use drystone::{Pose, World};
use glam::{DQuat, DVec3};

/// Where all bodies are at one moment, and what they press with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Steps made before.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// One per body.
    pub bodies: Vec<BodyFrame>,
    /// Contacts of the last step, where they are recorded.
    pub contacts: Option<Vec<ContactRecord>>,
}

/// Motion of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// Origin of the shape's frame, m.
    pub position: DVec3,
    /// Unit quaternion that turns the shape's axes into the world's.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Whether the body takes part.
    pub enabled: bool,
}

/// One contact point with its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRecord {
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
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

impl Default for BodyFrame {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            enabled: true,
        }
    }
}

impl BodyFrame {
    /// Where the shape's frame lies.
    pub fn pose(&self) -> Pose {
        Pose {
            position: self.position,
            rotation: self.rotation,
        }
    }
}

impl Frame {
    /// A world as it is, with or without its contacts.
    pub fn of_world(world: &World, contacts: bool) -> Self {
        let mut frame = Self::default();
        frame.set_from(world, contacts);
        frame
    }

    /// Becomes a world as it is; keeps its memory.
    pub fn set_from(&mut self, world: &World, contacts: bool) {
        self.step = world.steps();
        self.time = world.time();
        self.bodies.clear();
        self.bodies.extend(world.ids().map(|id| {
            let (pose, state) = (world.pose_in_domain(id), world.body_state(id));
            BodyFrame {
                position: pose.position,
                rotation: pose.rotation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                enabled: world.is_enabled(id),
            }
        }));
        if !contacts {
            self.contacts = None;
            return;
        }
        let list = self.contacts.get_or_insert_default();
        list.clear();
        list.extend(world.contacts().map(|c| ContactRecord {
            bodies: c.bodies.map(|b| b.index() as u32),
            point: c.point,
            normal: c.normal,
            gap: c.gap,
            force: c.force,
            torque: c.torque,
        }));
    }

    /// Says which number cannot be recorded, if any: one that is not finite, or that single
    /// precision would make infinite.
    pub(super) fn check(&self) -> Result<(), String> {
        for (k, body) in self.bodies.iter().enumerate() {
            let vectors = [
                ("position", body.position),
                ("velocity", body.velocity),
                ("angular velocity", body.angular_velocity),
            ];
            for (what, vector) in vectors {
                if let Some(fault) = unfit(vector) {
                    let vector = vector.to_array();
                    return Err(format!("{what} {vector:?} of body {k} is {fault}"));
                }
            }
            let length = body.rotation.length();
            if !(length.is_finite() && length > 0.0) {
                return Err(format!("rotation {} of body {k} is none", body.rotation));
            }
        }
        let count = self.bodies.len();
        for (k, contact) in self.contacts.iter().flatten().enumerate() {
            let gap = DVec3::splat(contact.gap);
            let vectors = [
                contact.point,
                contact.normal,
                gap,
                contact.force,
                contact.torque,
            ];
            if let Some(fault) = vectors.into_iter().find_map(unfit) {
                return Err(format!("a figure of contact {k} is {fault}"));
            }
            if contact.bodies.iter().any(|&b| b as usize >= count) {
                let bodies = contact.bodies;
                return Err(format!("contact {k} names bodies {bodies:?} of {count}"));
            }
        }
        Ok(())
    }
}

/// What keeps a vector out of a recording, if anything does.
fn unfit(vector: DVec3) -> Option<&'static str> {
    if !vector.is_finite() {
        Some("not finite")
    } else if vector.abs().max_element() > f64::from(f32::MAX) {
        Some("beyond 3.4e38, the largest figure of a recording")
    } else {
        None
    }
}
