//! The forces of a world's contacts.

use glam::DVec3;

use super::World;
use crate::body::BodyId;
use crate::force::{ContactForce, Wrench};

impl World {
    /// Contacts of the last step with their forces.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactForce> {
        let per_second = 1.0 / self.last_time_step;
        let contacts = self.contacts.iter().zip(&self.impulses.linear).enumerate();
        contacts.map(move |(index, (contact, impulse))| {
            ContactForce::new(contact, *impulse, self.impulses.turn(index), per_second)
        })
    }

    /// Sum of all contact forces on a body in the last step, the torque about its centre of mass.
    pub fn contact_load(&self, body: BodyId) -> Wrench {
        let center = self.bodies.states[body.index()].position;
        let mut sum = Wrench::default();
        for contact in self.contacts() {
            let sign = match contact.bodies {
                [_, b] if b == body => 1.0,
                [a, _] if a == body => -1.0,
                _ => continue,
            };
            let force = sign * contact.force;
            sum.force += force;
            let arm = self.settings.periodic.shortest(contact.point - center);
            sum.torque += arm.cross(force) + sign * contact.torque;
        }
        sum
    }

    /// Force that `by` exerts on `on` through their contacts in the last step, N.
    pub fn force_between(&self, by: BodyId, on: BodyId) -> DVec3 {
        self.sum_forces(|b| b == by, |b| b == on)
    }

    /// Force that the bodies named `by` exert on those named `on`, N: "of the grains on the slab".
    pub fn force_between_groups(&self, by: &str, on: &str) -> DVec3 {
        self.sum_forces(|b| self.group_name(b) == by, |b| self.group_name(b) == on)
    }

    fn sum_forces(&self, by: impl Fn(BodyId) -> bool, on: impl Fn(BodyId) -> bool) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for contact in self.contacts() {
            let [a, b] = contact.bodies;
            if by(a) && on(b) {
                sum += contact.force;
            }
            if by(b) && on(a) {
                sum -= contact.force;
            }
        }
        sum
    }
}
