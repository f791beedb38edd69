//! Which bodies sleep.
//!
//! Bodies that touch each other, directly or through others, form an island. Bodies that no force
//! moves do not join islands: the ground would make all the world one. An island falls asleep when
//! all its bodies have been slow for a while: they stop, leave the cone problem and keep their
//! contact forces. It wakes as a whole, before the step is solved, when a body that moves comes
//! into contact with it. It cannot wake in part: the sleeping rest would carry forces that are no
//! longer there. Bodies that joints hold never sleep, for a motor may start at any time.

use drystone_collide::Contact;
use glam::DVec3;

use crate::bodies::Bodies;
use crate::mechanism::Mechanism;
use crate::motion::Velocity;
use crate::settings::Settings;
use crate::warm_start::ContactImpulses;

/// How long each body has been slow, s, and whether it sleeps. Empty while sleeping is off, and
/// after something from outside has woken all.
#[derive(Debug, Default)]
pub(crate) struct SleepRecords {
    bodies: Vec<(f64, bool)>,
}

impl SleepRecords {
    pub fn to_vec(&self) -> Vec<(f64, bool)> {
        self.bodies.clone()
    }

    pub fn from_slice(saved: &[(f64, bool)]) -> Self {
        Self {
            bodies: saved.to_vec(),
        }
    }

    /// Becomes the same record, in the memory at hand.
    pub fn copy_from(&mut self, other: &Self) {
        self.bodies.clone_from(&other.bodies);
    }

    /// Costs nothing, since setters call it for each body. The next step makes the records anew.
    pub fn wake_all(&mut self) {
        self.bodies.clear();
    }

    /// Fits the records to the number of bodies and to whether sleeping is on.
    pub fn prepare(&mut self, bodies: &Bodies, settings: &Settings) {
        match settings.sleeping {
            Some(_) => self.bodies.resize(bodies.len(), (0.0, false)),
            None => self.bodies.clear(),
        }
    }

    pub fn is_asleep(&self, body: usize) -> bool {
        self.bodies.get(body).is_some_and(|b| b.1)
    }

    /// Whether forces move the body and it is awake.
    pub fn is_unknown(&self, bodies: &Bodies, body: usize) -> bool {
        bodies.is_free(body) && !self.is_asleep(body)
    }

    /// How many sleep.
    pub fn asleep(&self) -> usize {
        self.bodies.iter().filter(|b| b.1).count()
    }

    /// Wakes the islands that something awake or moving touches. Returns whether there were any:
    /// then contacts must be found anew, because those among sleepers were not looked for.
    pub fn disturb(
        &mut self,
        contacts: &[Contact],
        last: &[Contact],
        bodies: &Bodies,
        velocities: &[Velocity],
    ) -> bool {
        if self.asleep() == 0 {
            return false;
        }
        let moving =
            |body: usize| self.is_unknown(bodies, body) || velocities[body] != Velocity::default();
        let disturbed: Vec<usize> = contacts
            .iter()
            .flat_map(|c| {
                let [a, b] = c.id.objects.map(|o| o as usize);
                [(a, b), (b, a)]
            })
            .filter(|&(sleeper, other)| self.is_asleep(sleeper) && moving(other))
            .map(|(sleeper, _)| sleeper)
            .collect();
        if disturbed.is_empty() {
            return false;
        }
        // By the contacts of the last step, which hold those among the sleepers.
        let mut islands = Islands::new(last, bodies);
        let mut wakes = vec![false; bodies.len()];
        for body in disturbed {
            wakes[islands.root(body)] = true;
        }
        for body in 0..bodies.len() {
            if self.is_asleep(body) && wakes[islands.root(body)] {
                self.bodies[body] = (0.0, false);
            }
        }
        true
    }

    /// Puts the contacts among sleeping bodies, which were not looked for, back into the list of
    /// the step, with the impulses they had: forces stay readable and the next step starts from
    /// them.
    pub fn keep_sleeping(
        &self,
        last: (&[Contact], &ContactImpulses),
        contacts: &mut Vec<Contact>,
        impulses: &mut ContactImpulses,
        bodies: &Bodies,
    ) {
        if self.asleep() == 0 {
            return;
        }
        let sleeping = |contact: &Contact| {
            let [a, b] = contact.id.objects.map(|o| o as usize);
            let here = bodies.enabled[a] && bodies.enabled[b];
            let asleep = self.is_asleep(a) || self.is_asleep(b);
            let still = [a, b].iter().all(|&x| !self.is_unknown(bodies, x));
            here && asleep && still
        };
        let rolling = !(last.1.turns.is_empty() && impulses.turns.is_empty());
        let entry = |(index, contact): (usize, &Contact), impulses: &ContactImpulses| {
            (*contact, impulses.linear[index], impulses.turn(index))
        };
        let kept = last.0.iter().enumerate().filter(|(_, c)| sleeping(c));
        let new = contacts.iter().enumerate().map(|c| entry(c, impulses));
        let mut all: Vec<_> = new.chain(kept.map(|c| entry(c, last.1))).collect();
        all.sort_by_key(|(contact, ..)| contact.id);
        all.dedup_by_key(|(contact, ..)| contact.id);
        contacts.clear();
        impulses.clear();
        for (contact, linear, turn) in all {
            contacts.push(contact);
            impulses.linear.push(linear);
            if rolling {
                impulses.turns.push(turn);
            }
        }
    }

    /// Counts how long each body has been slow, and puts islands to sleep.
    pub fn update(
        &mut self,
        bodies: &mut Bodies,
        contacts: &[Contact],
        mechanism: &Mechanism,
        settings: &Settings,
    ) {
        let Some(rule) = settings.sleeping else {
            return;
        };
        for (body, (slow_for, _)) in self.bodies.iter_mut().enumerate() {
            let state = &bodies.states[body];
            let radius = bodies.shapes[body].radius_about_origin();
            let speed = state.velocity.length() + radius * state.angular_velocity.length();
            *slow_for = if speed <= rule.speed {
                *slow_for + settings.time_step
            } else {
                0.0
            };
        }
        let mut islands = Islands::new(contacts, bodies);
        let mut restless = vec![false; bodies.len()];
        for body in mechanism.bodies() {
            restless[islands.root(body)] = true;
        }
        for body in (0..bodies.len()).filter(|&b| bodies.is_free(b)) {
            if self.bodies[body].0 < rule.after {
                restless[islands.root(body)] = true;
            }
        }
        for body in 0..bodies.len() {
            let sleeps = bodies.is_free(body) && !restless[islands.root(body)];
            // What is left of the speed would be there again at waking, without its cause.
            if sleeps && !self.bodies[body].1 {
                let state = &mut bodies.states[body];
                (state.velocity, state.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            }
            self.bodies[body].1 = sleeps;
        }
    }
}

/// Sets of bodies that touch each other: a forest in which each body points towards the first body
/// of its island.
struct Islands {
    parents: Vec<u32>,
}

impl Islands {
    fn new(contacts: &[Contact], bodies: &Bodies) -> Self {
        let mut this = Self {
            parents: (0..bodies.len() as u32).collect(),
        };
        for contact in contacts {
            let [a, b] = contact.id.objects.map(|o| o as usize);
            if bodies.is_free(a) && bodies.is_free(b) {
                let (a, b) = (this.root(a), this.root(b));
                // The smaller index is the root, whatever the order of contacts.
                this.parents[a.max(b)] = a.min(b) as u32;
            }
        }
        this
    }

    /// The first body of a body's island. Halves the way for the next search.
    fn root(&mut self, body: usize) -> usize {
        let mut root = body;
        while self.parents[root] as usize != root {
            let grandparent = self.parents[self.parents[root] as usize];
            self.parents[root] = grandparent;
            root = grandparent as usize;
        }
        root
    }
}
