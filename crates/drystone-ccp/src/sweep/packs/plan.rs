//! Which contacts are swept together, and in which order.
//!
//! The bodies are cut into parts, ranges of their numbers. Whoever makes the problem numbers them
//! along a curve through space, so that parts are lumps with few contacts between them. A group is
//! what one thread sweeps at a time: the contacts within one part, or those between two parts. A
//! phase is groups that share no body, swept at once: first all parts, then the pairs of parts,
//! colour after colour. Contacts of hubs (a slab on a thousand grains, a blade) come after them,
//! alone, and joints last.
//!
//! All of that follows from the problem alone, never from the number of threads.

use std::ops::Range;

/// Fewest bodies of a part.
const PART_BODIES: usize = 256;

/// Most parts: pairs of them are counted in a square table.
const MOST_PARTS: usize = 64;

/// A body with more contacts than this is a hub: its contacts lie in many parts.
const HUB_CONTACTS: u32 = 128;

/// In place of a body's number: what does not move.
pub(super) const WORLD: u32 = u32::MAX;

/// Contacts that one thread sweeps at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// The bodies of the part, if it is one: brought up to date before its contacts.
    pub bodies: Range<u32>,
    /// Its contacts: which of [`Plan::order`].
    pub contacts: Range<u32>,
}

/// The groups, phase after phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub groups: Vec<Group>,
    /// The groups of each phase.
    pub phases: Vec<Range<usize>>,
    /// Whether the last phase is that of the joints.
    pub ends_with_joints: bool,
    /// Contacts, group after group; within each by their bodies, so that what is close in memory
    /// comes together.
    pub order: Vec<u32>,
    /// Work memory: contacts of each body, key of each contact, contacts by their first bodies,
    /// contacts of each key, coloured keys.
    degrees: Vec<u32>,
    keys: Vec<u32>,
    by_body: Vec<u32>,
    counts: Vec<u32>,
    colours: Vec<(u32, usize)>,
}

impl Plan {
    /// Plans for contacts and joints between `pairs` of so many bodies.
    pub fn make(
        &mut self,
        bodies: usize,
        pairs: impl Iterator<Item = [u32; 2]> + Clone,
        is_joint: impl Fn(usize) -> bool,
    ) {
        // A power of two: they go evenly on to two, four and more threads.
        let parts = 1 << (bodies / PART_BODIES).clamp(1, MOST_PARTS).ilog2();
        let size = bodies.div_ceil(parts).max(1);
        self.degrees.clear();
        self.degrees.resize(bodies, 0);
        for body in pairs.clone().flatten().filter(|&b| b != WORLD) {
            self.degrees[body as usize] += 1;
        }
        // The key of a contact: its pair of parts, or the hubs after all of them, or the joints.
        let hubs = parts * parts;
        let (degrees, keys) = (&self.degrees, &mut self.keys);
        let is_hub =
            |body: u32| parts > 1 && body != WORLD && degrees[body as usize] > HUB_CONTACTS;
        keys.clear();
        keys.extend(pairs.clone().enumerate().map(|(block, [a, b])| {
            if is_joint(block) {
                return hubs as u32 + 1;
            }
            if is_hub(a) || is_hub(b) {
                return hubs as u32;
            }
            let [a, b] = if a == WORLD {
                [b, b]
            } else if b == WORLD {
                [a, a]
            } else {
                [a, b]
            };
            if a == WORLD {
                return 0; // nothing moves: any part will do
            }
            let (p, q) = (a as usize / size, b as usize / size);
            (p.min(q) * parts + p.max(q)) as u32
        }));
        self.counts.clear();
        self.counts.resize(hubs + 2, 0);
        self.keys
            .iter()
            .for_each(|&key| self.counts[key as usize] += 1);
        self.lay_out(bodies, parts, size);
        self.sort(bodies, pairs);
    }

    /// Groups and phases. Afterwards `counts` says where the contacts of each key begin.
    fn lay_out(&mut self, bodies: usize, parts: usize, size: usize) {
        self.groups.clear();
        self.phases.clear();
        for part in 0..parts {
            let [first, last] = [part, part + 1].map(|p| (p * size).min(bodies) as u32);
            self.open(part * parts + part, first..last);
        }
        self.close_phase();
        // Greedy colours: the first that neither part has yet.
        let mut used = [0_u128; MOST_PARTS];
        self.colours.clear();
        for (p, q) in (0..parts).flat_map(|p| (p + 1..parts).map(move |q| (p, q))) {
            let key = p * parts + q;
            if self.counts[key] > 0 {
                let colour = (used[p] | used[q]).trailing_ones();
                used[p] |= 1 << colour;
                used[q] |= 1 << colour;
                self.colours.push((colour, key));
            }
        }
        self.colours.sort_unstable();
        for i in 0..self.colours.len() {
            let (colour, key) = self.colours[i];
            self.open(key, 0..0);
            if self.colours.get(i + 1).is_none_or(|next| next.0 != colour) {
                self.close_phase();
            }
        }
        let [hubs, joints] = [parts * parts, parts * parts + 1];
        self.ends_with_joints = self.counts[joints] > 0;
        for key in [hubs, joints] {
            if self.counts[key] > 0 {
                self.open(key, 0..0);
                self.close_phase();
            }
        }
    }

    /// A group of all contacts with this key, after those so far.
    fn open(&mut self, key: usize, bodies: Range<u32>) {
        let first = self.groups.last().map_or(0, |group| group.contacts.end);
        let count = std::mem::replace(&mut self.counts[key], first);
        self.groups.push(Group {
            bodies,
            contacts: first..first + count,
        });
    }

    /// A phase of all groups that are in none yet.
    fn close_phase(&mut self) {
        let first = self.phases.last().map_or(0, |phase| phase.end);
        self.phases.push(first..self.groups.len());
    }

    /// Puts the contacts into the order of their groups, and within those of their first bodies.
    fn sort(&mut self, bodies: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) {
        // `degrees` becomes where the contacts of each first body begin: their number, summed up.
        let first = |[a, b]: [u32; 2]| (a.min(b) as usize).min(bodies);
        let starts = &mut self.degrees;
        starts.clear();
        starts.resize(bodies + 1, 0);
        pairs.clone().for_each(|pair| starts[first(pair)] += 1);
        let mut next = 0;
        for start in starts.iter_mut() {
            next += std::mem::replace(start, next);
        }
        self.by_body.clear();
        self.by_body.resize(self.keys.len(), 0);
        for (contact, pair) in pairs.enumerate() {
            let place = &mut starts[first(pair)];
            self.by_body[*place as usize] = contact as u32;
            *place += 1;
        }
        self.order.clear();
        self.order.resize(self.keys.len(), 0);
        for &contact in &self.by_body {
            let place = &mut self.counts[self.keys[contact as usize] as usize];
            self.order[*place as usize] = contact;
            *place += 1;
        }
    }
}
