//! Contacts that a step's own collisions open.
//!
//! A ball that is hit flies on into its neighbours within the same step, and the step is solved
//! again with them; that may hit others. The bodies stay where they are meanwhile, only their
//! velocities change. So what lies around a body is looked for once, with room for other
//! velocities, and from then on only asked whether it is about to overlap. It is looked for again
//! where a body's velocity has outgrown its room.

use drystone_collide::{Contact, Object};

use super::Stepper;
use crate::motion::Velocity;
use crate::report::StepTimes;
use crate::search::{Search, closing, object, turning};
use crate::sleep::SleepRecords;
use crate::warm_start;
use crate::world::World;

/// Room of a body that was looked at, in shares of how far its collisions have moved it so far. A
/// guess, on which only time depends: a body that outgrows its room is looked at again.
const ROOM: f64 = 0.5;

/// What is known of the surroundings of the bodies that collisions changed in this step.
#[derive(Default)]
pub(crate) struct Surroundings {
    /// One for each body; none before there was a look.
    seen: Vec<Seen>,
    /// Contacts that the step does not have, and that a body which was looked at may come to have.
    /// By identity.
    contacts: Vec<Contact>,
    found: Vec<Contact>,
}

/// At which velocity a body was looked at.
#[derive(Clone, Copy)]
struct Seen {
    /// It leads the body to some place by the end of the step.
    velocity: Velocity,
    /// How far from there its surface may end, m.
    room: f64,
    looked: bool,
    /// Whether it is to be looked at now.
    due: bool,
}

impl Surroundings {
    /// Of a step that begins nothing is known.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.contacts.clear();
    }

    /// Looks around the bodies that are due for contacts that are not `known`.
    fn look(
        &mut self,
        search: &mut Search,
        world: &World,
        given: (&[Velocity], &SleepRecords),
        known: &[Contact],
        times: &mut StepTimes,
    ) {
        let Self {
            seen,
            contacts,
            found,
        } = self;
        let h = world.settings.time_step;
        let object = |body: usize| {
            let Seen { velocity, room, .. } = &seen[body];
            Object {
                reach: room + h * turning(&world.bodies.shapes[body], velocity),
                shift: h * velocity.linear,
                ..object(world, body)
            }
        };
        let due = |body: u32| seen[body as usize].due;
        let either = |a: u32, b: u32| due(a) || due(b);
        let new = |contact: &Contact| !is_among(known, contact);
        search.find(world, given, object, (either, new), found, times);
        contacts.retain(|c| !either(c.id.objects[0], c.id.objects[1]));
        contacts.append(found);
        contacts.sort_by_key(|c| c.id);
    }
}

/// Whether a list by identity has a contact.
fn is_among(contacts: &[Contact], contact: &Contact) -> bool {
    contacts.binary_search_by_key(&contact.id, |c| c.id).is_ok()
}

impl Stepper {
    /// Adds the contacts that would overlap by more than `depth` m by the end of the step because a
    /// collision changed their bodies' velocities. Returns whether there are any.
    pub(super) fn add_missed_contacts(
        &mut self,
        world: &World,
        depth: f64,
        times: &mut StepTimes,
    ) -> bool {
        let Self {
            search,
            rest,
            velocities,
            free,
            contacts,
            impulses,
            missed,
            around,
            ..
        } = self;
        let h = world.settings.time_step;
        // Both bodies of a pair may change: each may use up half of the envelope.
        let slack = 0.5 * world.envelope();
        let by_collisions = |body: usize| shift(world, body, [&velocities[body], &free[body]]);
        if !(0..free.len()).any(|body| by_collisions(body) > slack) {
            return false; // the envelope covers what changed
        }
        if around.seen.is_empty() {
            around.seen.extend((0..free.len()).map(|body| Seen {
                velocity: velocities[body],
                room: ROOM * by_collisions(body) + slack,
                looked: false,
                due: false,
            }));
        }
        // The first search of the step had all that are within the envelope at the free velocities.
        // What it missed comes closer by more than that, and one of its two bodies changes by half
        // of it or more. A quarter leaves room for points off the surface.
        let mut any_due = false;
        for (body, seen) in around.seen.iter_mut().enumerate() {
            let moved = by_collisions(body);
            let outgrown = || shift(world, body, [&velocities[body], &seen.velocity]) > seen.room;
            // One that was looked at counts as at that velocity, also where its neighbours are
            // looked at: so it is due as well where its velocity falls back.
            let changed = if seen.looked {
                outgrown()
            } else {
                moved > 0.5 * slack
            };
            seen.due = world.bodies.is_free(body) && changed;
            if seen.due {
                seen.velocity = velocities[body];
                seen.room = ROOM * moved + slack;
                seen.looked = true;
                any_due = true;
            }
        }
        if any_due {
            around.look(search, world, (velocities, rest), contacts, times);
        }
        let overlaps = |contact: &&Contact| {
            let gap = contact.gap - h * closing(contact, world, velocities);
            gap < -depth && !is_among(contacts, contact)
        };
        missed.clear();
        missed.extend(around.contacts.iter().filter(overlaps));
        warm_start::merge(contacts, impulses, missed);
        !missed.is_empty()
    }
}

/// How far apart a point of a body may end at two velocities, m.
fn shift(world: &World, body: usize, [v, w]: [&Velocity; 2]) -> f64 {
    let apart = Velocity {
        linear: v.linear - w.linear,
        angular: v.angular - w.angular,
    };
    let speed = apart.linear.length() + turning(&world.bodies.shapes[body], &apart);
    world.settings.time_step * speed
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Body, Settings, Shape};
    use glam::DVec3;

    /// Ball A flies away before B does, and is stopped when B has become faster still.
    #[test]
    fn a_body_that_falls_back_is_looked_at_again() {
        let settings = Settings {
            time_step: 0.01,
            envelope: Some(1e-3),
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        // Faster than at first by 0.01 m in the step, B just reaches an A that stands.
        for x in [0.0, -0.298] {
            let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0);
            world.add(ball.at([x, 0.0, 0.0])).unwrap();
        }
        let along = |speeds: [f64; 2]| {
            speeds.map(|speed| Velocity {
                linear: DVec3::new(speed, 0.0, 0.0),
                ..Velocity::default()
            })
        };
        let mut stepper = Stepper {
            free: along([0.0, 9.0]).to_vec(),
            ..Stepper::default()
        };
        let mut missed = |speeds: [f64; 2]| {
            stepper.velocities = along(speeds).to_vec();
            stepper.add_missed_contacts(&world, 1e-4, &mut StepTimes::default())
        };
        assert!(!missed([10.0, 9.0]));
        assert!(missed([0.0, 10.0]));
    }
}
