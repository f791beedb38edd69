//! Patches: the few contacts that hold most of the residual, and what they touch, swept apart.
//!
//! In a pile most contacts are where they belong long before all are. What is left lies in a few
//! places: a grain wedged between others, whose contacts pass their impulses to and fro a thousand
//! times. Sweeps of the whole are wasted there. A patch has all contacts of the bodies at the worst
//! contacts, with everything else as it is: a small problem of the same kind.

use rayon::prelude::*;

use super::arms::Arms;
use super::body::{Body, Shared};
use super::contact::Pack;
use super::fill::Kind;
use super::lanes::{LANES, Lanes};
use super::pick::{Closed, NONE, Picks};
use super::plan::{Group, WORLD};
use super::share::Spans;
use super::task::Judge;
use super::{JUDGED_AT_ONCE, PackSweeps};
use crate::reduce::in_parallel;
use crate::residual::Units;
use crate::sweep::SweepSums;

/// A contact is bad if its share in the squared residual is so many times the mean of all that a
/// patch can have: contacts of spheres and points.
const BAD: f64 = 10.0;

/// The bad contacts must hold this much of the squared residual, and be no larger a share of all.
const HELD: f64 = 0.6;
const MOST_BAD: f64 = 0.03;

/// Contacts of a patch, and its packs, are at most one in so many of all: else sweeps of the whole
/// do as well.
const MOST_SWEPT: usize = 10;

/// A patch and where it came from. Kept for its memory.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub sweeps: PackSweeps,
    /// Shares in the squared residual: of the spheres' packs, then of the points'.
    squares: Vec<Lanes>,
    /// The number of each body in the patch, or [`NONE`].
    numbers: Vec<u32>,
    /// The bodies of the patch.
    bodies: Vec<u32>,
    /// Its contacts: lanes, counted through the packs of the spheres, then of the points.
    contacts: Vec<u32>,
    /// The numbers from 0 to that of the contacts.
    all: Vec<u32>,
    picks: Picks,
    closed: Closed,
}

impl Patch {
    /// Makes room for any patch of these sweeps, so that none is asked for later.
    pub fn reserve(&mut self, whole: &PackSweeps, bodies: usize) {
        let [spheres, points] = [whole.spheres.len(), whole.points.len()];
        let packs = spheres + points;
        let contacts = LANES * packs / MOST_SWEPT + 1;
        let touched = bodies.min(2 * contacts) + 1;
        reserve(&mut self.squares, packs);
        reserve(&mut self.numbers, bodies);
        reserve(&mut self.bodies, bodies);
        reserve(&mut self.contacts, contacts);
        reserve(&mut self.all, contacts);
        reserve(&mut self.picks.spheres, 2 * contacts);
        reserve(&mut self.picks.points, 2 * contacts);
        self.closed.resize(bodies);
        let sweeps = &mut self.sweeps;
        reserve(&mut sweeps.spheres, spheres.min(packs / MOST_SWEPT));
        reserve(&mut sweeps.points, points.min(packs / MOST_SWEPT));
        for list in [&mut sweeps.bodies, &mut sweeps.old] {
            reserve(list, touched);
        }
        if !whole.full.inverse.is_empty() {
            for list in [&mut sweeps.full.inverse, &mut sweeps.full.direct] {
                reserve(list, touched);
            }
        }
        reserve(&mut sweeps.plan.groups, 1);
        reserve(&mut sweeps.plan.phases, 1);
        reserve(&mut sweeps.spans, 1);
        reserve(&mut sweeps.sums, 1);
    }

    /// Lays out the patch of an iterate of so many bodies; false where the residual does not lie in
    /// a few places. `w` is the mean diagonal of N, `rest` the squared residual of what no patch
    /// can have.
    pub fn cut(&mut self, whole: &PackSweeps, bodies: usize, units: Units, rest: f64) -> bool {
        self.numbers.clear();
        self.numbers.resize(bodies, NONE);
        self.bodies.clear();
        self.judge(whole, units);
        if !self.mark_bad(whole, rest) || !self.take_contacts(whole) {
            return false;
        }
        self.take_bodies(whole);
        self.pick(whole);
        if self.picks.spheres.len() + self.picks.points.len() > self.squares.len() / MOST_SWEPT {
            return false;
        }
        self.fill(whole);
        true
    }

    /// How large a share of all packs the patch has.
    pub fn share(&self, whole: &PackSweeps) -> f64 {
        let packs = |sweeps: &PackSweeps| (sweeps.spheres.len() + sweeps.points.len()) as f64;
        packs(&self.sweeps) / packs(whole)
    }

    /// Puts the result back. The old point of the whole moves along, so that its momentum stays.
    pub fn put_back(&self, whole: &mut PackSweeps) {
        let first_point = LANES * whole.spheres.len();
        let (picks, sweeps) = (&self.picks, &self.sweeps);
        let of = |k: u32| self.contacts[k as usize] as usize;
        put_back(&picks.spheres, &sweeps.spheres, &mut whole.spheres, of);
        put_back(&picks.points, &sweeps.points, &mut whole.points, |k| {
            of(k) - first_point
        });
        for (&body, new) in self.bodies.iter().zip(&sweeps.bodies) {
            let (body, old) = (
                &mut whole.bodies[body as usize],
                &mut whole.old[body as usize],
            );
            let [was, before, is] = [body.velocity(), old.velocity(), new.velocity()];
            old.set_velocity(std::array::from_fn(|k| before[k] + (is[k] - was[k])));
            body.set_velocity(is);
        }
    }

    /// The share of each contact in the squared residual.
    fn judge(&mut self, whole: &PackSweeps, units: Units) {
        let spheres = whole.spheres.len();
        let packs = spheres + whole.points.len();
        self.squares.clear();
        self.squares.resize(packs, Lanes::default());
        let (of_spheres, of_points) = self.squares.split_at_mut(spheres);
        judge(whole, &whole.spheres, units, of_spheres);
        judge(whole, &whole.points, units, of_points);
    }

    /// Marks the bodies at bad contacts; false where there are none, or too many, or they hold too
    /// little.
    fn mark_bad(&mut self, whole: &PackSweeps, rest: f64) -> bool {
        let own: f64 = self.squares.iter().map(|square| square.sum()).sum();
        let total = own + rest;
        let contacts = (LANES * self.squares.len()) as f64;
        let least = BAD * own / contacts;
        let (mut held, mut bad) = (0.0, 0);
        for contact in 0..(LANES * self.squares.len()) as u32 {
            let square = self.squares[contact as usize / LANES].0[contact as usize % LANES];
            if square > least {
                held += square;
                bad += 1;
                self.number_bodies(whole, contact);
            }
        }
        bad > 0 && held >= HELD * total && f64::from(bad) <= MOST_BAD * contacts
    }

    /// Gives the bodies of a contact numbers, if they have none yet.
    fn number_bodies(&mut self, whole: &PackSweeps, contact: u32) {
        for body in whole.places(contact) {
            if let Some(number @ &mut NONE) = self.numbers.get_mut(body as usize) {
                *number = self.bodies.len() as u32;
                self.bodies.push(body);
            }
        }
    }

    /// Takes all contacts of the marked bodies; false where they are too many.
    fn take_contacts(&mut self, whole: &PackSweeps) -> bool {
        let lanes = LANES * self.squares.len();
        let most = lanes / MOST_SWEPT;
        let marked = |body: u32| matches!(self.numbers.get(body as usize), Some(&n) if n != NONE);
        let of_marked = |&contact: &u32| whole.places(contact).into_iter().any(marked);
        self.contacts.clear();
        self.contacts
            .extend((0..lanes as u32).filter(of_marked).take(most + 1));
        self.contacts.len() <= most
    }

    /// Numbers the bodies of all contacts and copies them, the world last.
    fn take_bodies(&mut self, whole: &PackSweeps) {
        for k in 0..self.contacts.len() {
            self.number_bodies(whole, self.contacts[k]);
        }
        let places = self.bodies.iter().map(|&body| body as usize);
        let sweeps = &mut self.sweeps;
        sweeps.bodies.clear();
        sweeps
            .bodies
            .extend(places.clone().map(|b| whole.bodies[b]));
        sweeps.bodies.push(Body::default());
        sweeps.old.clear();
        sweeps.old.extend(places.clone().map(|b| whole.old[b]));
        sweeps.old.push(Body::default());
        for (body, old) in sweeps.bodies.iter().zip(&mut sweeps.old) {
            old.set_velocity(body.velocity());
        }
        for (to, from) in [
            (&mut sweeps.full.inverse, &whole.full.inverse),
            (&mut sweeps.full.direct, &whole.full.direct),
        ] {
            to.clear();
            if !from.is_empty() {
                to.extend(places.clone().map(|b| from[b]));
                to.push(Lanes::default());
            }
        }
    }

    /// Picks packs from the contacts.
    fn pick(&mut self, whole: &PackSweeps) {
        let first_point = (LANES * whole.spheres.len()) as u32;
        let (contacts, numbers) = (&self.contacts, &self.numbers);
        let number = |body: u32| numbers.get(body as usize).copied().unwrap_or(WORLD);
        self.all.clear();
        self.all.extend(0..contacts.len() as u32);
        self.closed.resize(self.bodies.len());
        self.picks.make(&self.all, &self.closed, |k| {
            let contact = contacts[k as usize];
            let kind = match contact < first_point {
                true => Kind::Sphere,
                false => Kind::Point,
            };
            (kind, whole.places(contact).map(number))
        });
    }

    /// Copies the contacts, in packs and a group of their own.
    fn fill(&mut self, whole: &PackSweeps) {
        let first_point = LANES * whole.spheres.len();
        let (contacts, numbers) = (&self.contacts, &self.numbers);
        let number = |body: u32| numbers.get(body as usize).copied().unwrap_or(WORLD);
        let (picks, sweeps) = (&self.picks, &mut self.sweeps);
        let world = self.bodies.len() as u32;
        let place = |body: u32| number(body).min(world);
        let of = |k: u32| contacts[k as usize] as usize;
        copy(
            &picks.spheres,
            &whole.spheres,
            &mut sweeps.spheres,
            of,
            place,
        );
        let of_point = |k: u32| of(k) - first_point;
        copy(
            &picks.points,
            &whole.points,
            &mut sweeps.points,
            of_point,
            place,
        );
        sweeps.instructions = whole.instructions;
        (sweeps.law, sweeps.even) = (whole.law, whole.even);
        sweeps.plan.groups.clear();
        sweeps.plan.groups.push(Group {
            bodies: 0..world,
            contacts: 0..contacts.len() as u32,
        });
        sweeps.plan.phases.clear();
        sweeps.plan.phases.push(0..1);
        sweeps.spans.clear();
        sweeps.spans.push(Spans {
            spheres: picks.spheres.len(),
            points: picks.points.len(),
            rolls: 0,
            rows: 0,
        });
        sweeps.sums.clear();
        sweeps.sums.push(SweepSums::default());
    }
}

/// Makes room for so many.
fn reserve<T>(list: &mut Vec<T>, count: usize) {
    list.clear();
    list.reserve(count);
}

impl PackSweeps {
    /// The places of a contact's bodies. Contacts are counted as in [`Patch`].
    fn places(&self, contact: u32) -> [u32; 2] {
        let (pack, lane) = (contact as usize / LANES, contact as usize % LANES);
        let bodies = match pack.checked_sub(self.spheres.len()) {
            None => &self.spheres[pack].bodies,
            Some(pack) => &self.points[pack].bodies,
        };
        [bodies[0][lane], bodies[1][lane]]
    }
}

fn judge<A: Arms>(whole: &PackSweeps, packs: &[Pack<A>], units: Units, squares: &mut [Lanes]) {
    let bodies = Shared::to_read(&whole.bodies);
    let judge = |(packs, squares)| {
        whole.instructions.run(Judge {
            packs,
            bodies: &bodies,
            law: whole.law,
            units,
            squares,
        });
    };
    if in_parallel(64 * packs.len()) {
        let packs = packs.par_chunks(JUDGED_AT_ONCE);
        let squares = squares.par_chunks_mut(JUDGED_AT_ONCE);
        packs.zip(squares).for_each(judge);
    } else {
        judge((packs, squares));
    }
}

/// Fills packs with lanes of others: `of` gives the lane of a picked contact, `place` the new place
/// of a body, the world's where it has none.
fn copy<A: Arms>(
    picks: &[[u32; LANES]],
    from: &[Pack<A>],
    to: &mut Vec<Pack<A>>,
    of: impl Fn(u32) -> usize,
    place: impl Fn(u32) -> u32,
) {
    to.clear();
    to.extend(picks.iter().map(|picked| {
        let mut pack = Pack::default();
        for (lane, &k) in picked.iter().enumerate() {
            let mut bodies = [WORLD; 2];
            if k != NONE {
                let source = of(k);
                let (whole, at) = (&from[source / LANES], source % LANES);
                pack.copy_lane(lane, whole, at);
                bodies = [whole.bodies[0][at], whole.bodies[1][at]];
            }
            (0..2).for_each(|side| pack.bodies[side][lane] = place(bodies[side]));
        }
        pack
    }));
}

/// The way back.
fn put_back<A>(
    picks: &[[u32; LANES]],
    from: &[Pack<A>],
    to: &mut [Pack<A>],
    of: impl Fn(u32) -> usize,
) {
    for (picked, pack) in picks.iter().zip(from) {
        for (lane, &k) in picked.iter().enumerate().filter(|(_, k)| **k != NONE) {
            let (whole, at) = (&mut to[of(k) / LANES], of(k) % LANES);
            for axis in 0..3 {
                let new = pack.x.0[axis].0[lane];
                let was = std::mem::replace(&mut whole.x.0[axis].0[at], new);
                whole.old.0[axis].0[at] += new - was;
            }
        }
    }
}
