//! The forces of a world's contacts.

use std::sync::OnceLock;

use drystone_collide::Contact;
use glam::DVec3;

use super::World;
use crate::assembly::counted_gap;
use crate::body::BodyId;
use crate::force::{ContactForce, Wrench, Yielding};

/// Which contacts each body has. Made when it is first asked for: most steps are not asked.
#[derive(Debug, Default)]
pub(super) struct ContactsByBody(OnceLock<Lists>);

/// One list after the other, in the order of the bodies.
#[derive(Debug)]
struct Lists {
    /// Where each body's list starts; one entry more than bodies.
    starts: Vec<u32>,
    /// Indices of contacts, ascending for each body.
    contacts: Vec<u32>,
}

impl ContactsByBody {
    /// Forgets the lists, for contacts have changed.
    pub fn clear(&mut self) {
        self.0.take();
    }

    /// Indices of a body's contacts, ascending. A body that came later has none.
    fn of(&self, body: BodyId, bodies: usize, contacts: &[Contact]) -> &[u32] {
        let lists = self.0.get_or_init(|| Lists::new(bodies, contacts));
        match lists.starts.get(body.index()..body.index() + 2) {
            Some(&[start, end]) => &lists.contacts[start as usize..end as usize],
            _ => &[],
        }
    }
}

impl Lists {
    /// Sorts the contacts by body, by counting.
    fn new(bodies: usize, contacts: &[Contact]) -> Self {
        let ends = |contact: &Contact| contact.id.objects.map(|body| body as usize);
        let mut starts = vec![0; bodies + 1];
        for body in contacts.iter().flat_map(ends) {
            starts[body + 1] += 1;
        }
        for body in 0..bodies {
            starts[body + 1] += starts[body];
        }
        let mut free = starts.clone();
        let mut sorted = vec![0; 2 * contacts.len()];
        for (index, contact) in contacts.iter().enumerate() {
            for body in ends(contact) {
                sorted[free[body] as usize] = index as u32;
                free[body] += 1;
            }
        }
        Self {
            starts,
            contacts: sorted,
        }
    }
}

impl World {
    /// Contacts of the last step with their forces.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactForce> {
        (0..self.contacts.len()).map(|index| self.contact_force(index))
    }

    /// The contacts of one body in the last step with their forces, in the order of
    /// [`World::contacts`].
    pub fn contacts_of(&self, body: BodyId) -> impl ExactSizeIterator<Item = ContactForce> {
        let indices = self
            .contacts_by_body
            .of(body, self.len(), &self.contacts)
            .iter();
        indices.map(|&index| self.contact_force(index as usize))
    }

    /// How far the compliance of a contact let its force press it in the last step, and how far
    /// the step pushed it back.
    pub fn yielding(&self, contact: &ContactForce) -> Yielding {
        let bodies = contact.bodies.map(BodyId::index);
        let [a, b] = bodies.map(|body| self.bodies.materials[body]);
        let inverse_mass = |body: usize| match self.bodies.is_free(body) {
            true => 1.0 / self.bodies.inertias[body].mass,
            false => 0.0,
        };
        let own: f64 = bodies.into_iter().map(inverse_mass).sum();
        // As the rows of a contact have it: a compliance of impulses over the step's length.
        let least = self.settings.compliance * own * self.last_time_step.powi(2);
        let surface = self.materials.between(a, b).compliance;
        let depth = (-contact.gap).max(0.0);
        Yielding {
            pressed: surface.max(least) * contact.normal_force().max(0.0),
            // What yields by its material rests as deep as its load presses it; overlap of others
            // is removed no faster than this.
            pushed: match surface > 0.0 {
                true => depth,
                false => (-counted_gap(contact.gap, self.rest_depth()))
                    .clamp(0.0, self.last_time_step * self.recovery_speed()),
            },
        }
    }

    /// Sum of all contact forces on a body in the last step, the torque about its centre of mass.
    pub fn contact_load(&self, body: BodyId) -> Wrench {
        let center = self.bodies.states[body.index()].position;
        let mut sum = Wrench::default();
        for contact in self.contacts_of(body) {
            // The force of a contact is what its second body feels.
            let sign = if contact.bodies[1] == body { 1.0 } else { -1.0 };
            let force = sign * contact.force;
            sum.force += force;
            let arm = self.settings.periodic.shortest(contact.point - center);
            sum.torque += arm.cross(force) + sign * contact.torque;
        }
        sum
    }

    /// Force that `by` exerts on `on` through their contacts in the last step, N.
    pub fn force_between(&self, by: BodyId, on: BodyId) -> DVec3 {
        let contacts = self.contacts_of(on);
        sum_forces(contacts, |b| b == by, |b| b == on)
    }

    /// Force that the bodies named `by` exert on those named `on`, N: "of the grains on the slab".
    pub fn force_between_groups(&self, by: &str, on: &str) -> DVec3 {
        let [Some(by), Some(on)] = [by, on].map(|name| self.groups.find(name)) else {
            return DVec3::ZERO;
        };
        let of = |group: u32| move |b: BodyId| self.bodies.names[b.index()][0] == group;
        sum_forces(self.contacts(), of(by), of(on))
    }

    fn contact_force(&self, index: usize) -> ContactForce {
        let (linear, turn) = (self.impulses.linear[index], self.impulses.turn(index));
        ContactForce::new(
            &self.contacts[index],
            linear,
            turn,
            1.0 / self.last_time_step,
        )
    }

    /// To be called whenever `contacts` has changed.
    pub(crate) fn contacts_changed(&mut self) {
        self.contacts_by_body.clear();
    }
}

/// Force of the bodies `by` on the bodies `on`, N, summed in the order of the contacts.
fn sum_forces(
    contacts: impl Iterator<Item = ContactForce>,
    by: impl Fn(BodyId) -> bool,
    on: impl Fn(BodyId) -> bool,
) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for contact in contacts {
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
