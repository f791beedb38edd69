//! Contacts of bodies that turn far within a step.
//!
//! A contact is a point and a normal, taken at the start of the step. A body that turns by an angle
//! `a` meanwhile rolls on, over what has the radius of curvature `r`, and sinks in by `r a²/2`: no
//! point of the start can know that. So, once the motion is solved for, such bodies are looked at
//! where they would end. Where they overlap there by more than their contacts foresaw, these sag by
//! the difference, and the step is solved again.

use drystone_collide::{Contact, ContactId, Object, Pose, Shape};
use glam::DVec3;
use rayon::prelude::*;

use super::{CHUNK, Stepper};
use crate::bodies::Bodies;
use crate::motion::{Velocity, advance};
use crate::periodic;
use crate::report::StepTimes;
use crate::search::closing;
use crate::state::BodyState;
use crate::warm_start;
use crate::world::World;

/// Turns of a step beyond this are looked at, rad: with a radius of five times the thinnest body,
/// what they sink in by then is half a hundredth of it.
const FAR: f64 = 0.04;

/// An overlap is unforeseen if it is deeper by this share of what counts as one.
const UNFORESEEN: f64 = 0.5;

impl Stepper {
    /// Lets contacts of turning bodies sag that would end deeper than `depth` m and deeper than
    /// foreseen, and adds such contacts where there are none. Returns whether there are any.
    pub(super) fn sag_contacts(
        &mut self,
        world: &World,
        depth: f64,
        times: &mut StepTimes,
    ) -> bool {
        let Self {
            search,
            rest,
            velocities,
            contacts,
            impulses,
            missed,
            sags,
            ..
        } = self;
        let (bodies, h) = (&world.bodies, world.settings.time_step);
        let turns = |body: usize| turns(bodies, body, &velocities[body], h);
        if !(0..bodies.len()).any(turns) {
            return false;
        }
        let ends: Vec<BodyState> = (0..bodies.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|body| end(world, body, &velocities[body]))
            .collect();
        let object = |body: usize| {
            let shape = &bodies.shapes[body];
            let pose = bodies.pose_in(body, &ends[body]);
            Object {
                shape,
                pose: periodic::home(&world.settings.periodic, shape, pose),
                reach: 0.0,
                shift: DVec3::ZERO,
                active: bodies.enabled[body],
            }
        };
        let either = |a: u32, b: u32| turns(a as usize) || turns(b as usize);
        let deep = |contact: &Contact| contact.gap < -depth;
        let mut found = std::mem::take(missed);
        let given = (velocities.as_slice(), &*rest);
        search.find(world, given, object, (either, deep), &mut found, times);
        let mut any = false;
        found.retain_mut(|contact| {
            let foreseen = |c: &Contact| c.gap + sags.of(c.id) - h * closing(c, world, velocities);
            let pair = contact.id.objects;
            let first = contacts.partition_point(|c| c.id.objects < pair);
            let known = contacts[first..].iter();
            let known = known.take_while(|c| c.id.objects == pair);
            let unforeseen = UNFORESEEN * depth;
            if let Some(same) = known.clone().find(|c| c.id == contact.id) {
                let sag = contact.gap - foreseen(same);
                if sag < -unforeseen {
                    sags.add(same.id, sag);
                    any = true;
                }
                return false;
            }
            if known
                .clone()
                .any(|c| foreseen(c) < contact.gap + unforeseen)
            {
                return false; // another point of the pair says as much
            }
            let [a, b] = pair.map(|body| body as usize);
            let at = |body: usize| {
                let arm = contact.point - ends[body].position;
                velocities[body].at(world.settings.periodic.shortest(arm))
            };
            contact.gap -= h * contact.normal.dot(at(b) - at(a));
            let turning = if turns(b) { b } else { a };
            contact.point -= h * velocities[turning].linear;
            // They do not overlap yet.
            sags.add(contact.id, contact.gap.min(0.0));
            contact.gap = contact.gap.max(0.0);
            any = true;
            true
        });
        warm_start::merge(contacts, impulses, &found);
        *missed = found;
        any
    }
}

/// By how much more than its own motion a contact closes within the step, because a body turns
/// under it: m, negative. Few contacts have any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sags(Vec<(ContactId, f64)>);

impl Sags {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// That of a contact.
    pub fn of(&self, id: ContactId) -> f64 {
        let place = self.0.binary_search_by_key(&id, |sag| sag.0);
        place.map_or(0.0, |place| self.0[place].1)
    }

    fn add(&mut self, id: ContactId, sag: f64) {
        match self.0.binary_search_by_key(&id, |sag| sag.0) {
            Ok(place) => self.0[place].1 += sag,
            Err(place) => self.0.insert(place, (id, sag)),
        }
    }
}

/// Whether a body turns far within the step; turning does not move the surface of a sphere.
fn turns(bodies: &Bodies, body: usize, velocity: &Velocity, h: f64) -> bool {
    let round = matches!(bodies.shapes[body], Shape::Sphere { .. });
    bodies.is_free(body) && !round && h * velocity.angular.length() > FAR
}

/// Where a body is at the end of the step.
fn end(world: &World, body: usize, velocity: &Velocity) -> BodyState {
    let (bodies, h) = (&world.bodies, world.settings.time_step);
    let state = bodies.states[body];
    if bodies.is_free(body) {
        return advance(&state, &bodies.inertias[body], velocity, h);
    }
    match world.paths.get(&(body as u32)) {
        Some(path) => {
            let Pose { position, rotation } = path(world.time + h);
            BodyState {
                position,
                rotation: rotation.normalize(),
                ..state
            }
        }
        None => state,
    }
}
