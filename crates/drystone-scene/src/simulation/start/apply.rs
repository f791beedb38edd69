//! The state of a run given to the world of a scene.

use std::collections::BTreeMap;

use drystone::state::{JointState, State, WarmImpulse};
use drystone::{BodyId, BodyKind, World, WorldError};

use super::carry::Carry;
use super::{StartJoint, StartReport};
use crate::scene::SceneError;

impl<'s> Carry<'s> {
    /// Gives the world the state of the run, at time 0.
    pub fn apply(&self, world: &mut World) -> Result<StartReport, SceneError> {
        for (id, source) in self.matched(world) {
            world.set_pose(id, self.body(source).pose());
        }
        let mut state = world.state();
        for (id, source) in self.matched(world) {
            let body = self.body(source);
            let own = &mut state.bodies[id.index()];
            if world.center_of_mass(id) == body.center {
                // To the bit, not by way of the origin.
                (own.position, own.rotation) = (body.position, body.rotation);
            }
            if world.kind(id) == BodyKind::Dynamic {
                own.velocity = body.velocity;
                own.angular_velocity = body.angular_velocity;
            }
        }
        let is_in = |id: &BodyId| match self.sources[id.index()] {
            Some(source) => self.body(source).enabled,
            None => world.is_enabled(*id),
        };
        let out = world.ids().filter(|id| !is_in(id));
        state.disabled = out.map(|id| id.index() as u32).collect();
        let mut report = self.report(world);
        // A force lasts for a step: longer steps have greater impulses.
        let time_step = world.settings().time_step;
        let ratio = match self.state.time_step {
            old if old > 0.0 && old != time_step => time_step / old,
            _ => 1.0,
        };
        report.contacts = self.carry_contacts(world, ratio, &mut state);
        report.joints = self.carry_joints(world, ratio, &mut state);
        if report.contacts[0] + report.joints[0] > 0 {
            state.last_time_step = time_step;
        }
        let refused = |e: WorldError| self.scene.start_error(self.request, e);
        world.restore(&state).map_err(refused)?;
        Ok(report)
    }

    fn matched<'a>(&'a self, world: &World) -> impl Iterator<Item = (BodyId, u32)> + use<'a, 's> {
        let ids = world.ids().zip(&self.sources);
        ids.filter_map(|(id, source)| source.map(|source| (id, source)))
    }

    /// Impulses of contacts whose two bodies are both there, in the same order: a contact's number
    /// depends on which body comes first. How many, and of how many.
    fn carry_contacts(&self, world: &World, ratio: f64, state: &mut State) -> [usize; 2] {
        let mut ids: Vec<Option<u32>> = vec![None; self.state.bodies.len()];
        for (id, source) in self.matched(world) {
            ids[source as usize] = Some(id.index() as u32);
        }
        let carried = |contact: &WarmImpulse| {
            let [a, b] = contact.bodies.map(|body| ids[body as usize]);
            let bodies = [a?, b?];
            (bodies[0] < bodies[1]).then(|| WarmImpulse {
                bodies,
                impulse: contact.impulse * ratio,
                turn: contact.turn * ratio,
                ..*contact
            })
        };
        let contacts = self.state.contacts.iter();
        state.warm_start = contacts.filter_map(carried).collect();
        state.warm_start.sort_by_key(|w| (w.bodies, w.feature));
        [state.warm_start.len(), self.state.contacts.len()]
    }

    /// States of joints of the same name, number and kind. How many, and of how many.
    fn carry_joints(&self, world: &World, ratio: f64, state: &mut State) -> [usize; 2] {
        let mut named: BTreeMap<&str, Vec<&StartJoint>> = BTreeMap::new();
        // The last of a name first, so that they are taken from the end in their order.
        for joint in self.state.joints.iter().rev() {
            named.entry(&joint.name).or_default().push(joint);
        }
        let mut carried = 0;
        for (id, own) in world.joints().zip(&mut state.joints) {
            let next = named.get_mut(world.joint_name(id)).and_then(Vec::pop);
            let kind = world.joint_kind(id).name();
            let Some(old) = next.filter(|old| old.kind == kind).map(|old| old.state) else {
                continue;
            };
            *own = JointState {
                impulses: old.impulses.map(|impulse| impulse * ratio),
                force: old.force * ratio,
                torque: old.torque * ratio,
                motor: old.motor * ratio,
                ..old
            };
            carried += 1;
        }
        [carried, self.state.joints.len()]
    }

    fn report(&self, world: &World) -> StartReport {
        let mut report = StartReport {
            notes: self.notes.clone(),
            ..StartReport::default()
        };
        for (id, source) in world.ids().zip(&self.sources) {
            let list = match source {
                Some(_) => &mut report.matched,
                None => &mut report.added,
            };
            let name = world.group_name(id);
            // Bodies of a name mostly follow each other.
            match list.iter_mut().rev().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => list.push((name.to_owned(), 1)),
            }
        }
        let mut all: BTreeMap<&str, usize> = BTreeMap::new();
        for body in &self.state.bodies {
            let name = &self.state.groups[body.group as usize];
            *all.entry(name).or_default() += 1;
        }
        for (name, members) in all {
            let left = members - self.taken.get(name).copied().unwrap_or(0);
            if left > 0 {
                report.dropped.push((name.to_owned(), left));
            }
        }
        report
    }
}
