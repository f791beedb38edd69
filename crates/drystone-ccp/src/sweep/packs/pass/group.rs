//! What a pass does with one group.

use std::ops::Range;

use super::super::arms::Arms;
use super::super::body::{Body, Shared, Symmetric, form, masses, velocities};
use super::super::contact::Pack;
use super::super::lanes::{Lanes, Register, Vec3};
use super::super::rows::RowContext;
use super::super::share::{Share, Spans};
use super::super::simd::Work;
use super::contact::{LaneStep, LaneSums, Memory};
use crate::cone::MAX_ROWS;
use crate::sweep::pass::{Holds, PassStep, PassSums};

/// What all groups share, each at places of its own.
#[derive(Clone, Copy)]
pub(in super::super) struct Lists<'a> {
    pub step: PassStep,
    pub holds: Holds,
    /// Bodies at the extrapolated point, at the point before the pass, and what changes.
    pub from: Shared<'a, Body>,
    pub old: Shared<'a, Body>,
    pub onto: Shared<'a, Body>,
    pub full: &'a [Symmetric],
    /// What is held of every block, if anything.
    pub spheres: Shared<'a, Vec3>,
    pub points: Shared<'a, Vec3>,
    pub rolls: Shared<'a, Vec3>,
    pub moments: Shared<'a, Vec3>,
    pub rows: Shared<'a, [f64; MAX_ROWS]>,
    /// One for each group.
    pub sums: Shared<'a, PassSums>,
    pub context: RowContext<'a>,
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl<'a> Lists<'a> {
    /// What is held of the pack at this place of a list.
    ///
    /// # Safety
    ///
    /// No other thread uses it.
    #[inline(always)]
    unsafe fn memory(&self, list: &Shared<'a, Vec3>, place: usize) -> Memory<'a> {
        // SAFETY: the caller's promise. Where something is held, there is one for each pack.
        match self.holds {
            Holds::Nothing => Memory::Nothing,
            Holds::Point => Memory::Point(unsafe { list.at(place as u32) }),
            Holds::Velocity => Memory::Velocity(unsafe { list.at(place as u32) }),
        }
    }

    /// Brings a body to the extrapolated point, nothing changed there yet.
    ///
    /// # Safety
    ///
    /// No other thread uses the body, and its place is in the lists.
    #[inline(always)]
    unsafe fn extrapolate<F: Register>(&self, token: F::Token, place: u32) {
        // SAFETY: the caller's promise.
        let (body, old, change) =
            unsafe { (self.from.at(place), self.old.at(place), self.onto.at(place)) };
        let get = |lanes: &Lanes| F::load(token, lanes);
        let velocities = velocities::<F>(token);
        let changed = get(&change.numbers);
        if !self.step.again {
            let beta = F::splat(token, self.step.beta);
            let (now, before) = (get(&body.numbers), get(&old.numbers));
            let x = now + changed;
            let y = x + (x - before) * beta;
            old.numbers = F::choose(velocities, x, before).store();
            body.numbers = F::choose(velocities, y, now).store();
        }
        change.numbers = F::choose(velocities, F::splat(token, 0.0), changed).store();
    }

    /// # Safety
    ///
    /// As [`Pack::pass`]; `held` has one for each pack from `first` on, if anything is held.
    #[inline(always)]
    unsafe fn pass_all<F: Register, A: Arms, const EVEN: bool>(
        &self,
        packs: &mut [Pack<A>],
        (held, first): (&Shared<'a, Vec3>, usize),
        step: &LaneStep<F>,
        sums: &mut LaneSums<F>,
    ) {
        for (k, pack) in packs.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            unsafe {
                let memory = self.memory(held, first + k);
                pack.pass::<F, EVEN>([&self.from, &self.onto], self.full, step, memory, sums);
            }
        }
    }
}

/// A pass over one group.
pub(super) struct GroupPass<'a> {
    pub lists: &'a Lists<'a>,
    /// Whether every contact has the same compliance in all its rows.
    pub even: bool,
    pub group: usize,
    /// Where the group begins in the lists of what is held.
    pub start: Spans,
    /// The part's bodies, if the group is one.
    pub bodies: Range<u32>,
    pub share: Share<'a>,
}

impl Work for GroupPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) {
        // SAFETY: groups of one phase share no body, the plan's places are in the lists, and each
        // group has places of its own in the lists of what is held.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            match self.even {
                true => self.pass::<F, true>(token),
                false => self.pass::<F, false>(token),
            }
        }
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl GroupPass<'_> {
    /// # Safety
    ///
    /// No other thread uses the group's bodies, and all places are in their lists.
    #[inline(always)]
    unsafe fn pass<F: Register, const EVEN: bool>(self, token: F::Token) {
        let (lists, start) = (self.lists, self.start);
        for body in self.bodies {
            // SAFETY: the caller's promise.
            unsafe { lists.extrapolate::<F>(token, body) };
        }
        let step = LaneStep::new(token, &lists.step);
        let mut lanes = LaneSums::new(token);
        let Share {
            spheres,
            points,
            rolls,
            rows,
            ..
        } = self.share;
        // SAFETY: the caller's promise.
        unsafe {
            let held = (&lists.spheres, start.spheres);
            lists.pass_all::<F, _, EVEN>(spheres, held, &step, &mut lanes);
            let held = (&lists.points, start.points);
            lists.pass_all::<F, _, EVEN>(points, held, &step, &mut lanes);
        }
        for (k, pack) in rolls.iter_mut().enumerate() {
            let place = start.rolls + k;
            // SAFETY: the caller's promise.
            unsafe {
                let memory = lists.memory(&lists.rolls, place);
                let memory_m = lists.memory(&lists.moments, place);
                let bodies = [&lists.from, &lists.onto];
                pack.pass::<F>(bodies, &step, [memory, memory_m], &mut lanes);
            }
        }
        let mut sums = lanes.sum();
        sums.moved /= lists.step.alpha * lists.step.alpha;
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { row.pass(lists, start.rows + k, &mut sums) };
        }
        // SAFETY: the caller's promise.
        unsafe { *lists.sums.at(self.group as u32) = sums };
    }
}

/// `‖N d‖²` in the metric `P⁻¹` over one group, after a pass without momentum.
pub(super) struct GroupTurn<'a> {
    pub context: &'a RowContext<'a>,
    pub changes: &'a Shared<'a, Body>,
    pub share: Share<'a>,
}

impl Work for GroupTurn<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) -> f64 {
        let mut sum = F::splat(token, 0.0);
        let changes = self.changes;
        // SAFETY: nothing is written to the bodies now, and the plan's places are in the list.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            for pack in self.share.spheres.iter() {
                sum = sum + pack.turn::<F>(token, changes);
            }
            for pack in self.share.points.iter() {
                sum = sum + pack.turn::<F>(token, changes);
            }
            for pack in self.share.rolls.iter() {
                sum = sum + pack.turn::<F>(token, changes);
            }
            let mut total = sum.store().sum();
            for row in self.share.rows.iter() {
                total += row.turn(self.context, changes);
            }
            total
        }
    }
}

/// The squares of changes of velocities in the metric of the masses, J.
pub(super) struct BodyNorm<'a> {
    pub bodies: Range<usize>,
    pub changes: &'a [Body],
    /// Their weights are masses and inertias.
    pub old: &'a [Body],
    /// Inertias that are not the same about all axes.
    pub direct: &'a [Symmetric],
}

impl Work for BodyNorm<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) -> f64 {
        let get = |lanes: &Lanes| F::load(token, lanes);
        let mut sum = F::splat(token, 0.0);
        for b in self.bodies {
            let change = &self.changes[b];
            let v = get(&change.numbers);
            sum = sum + v * v * masses::<F>(token, self.old[b].weights());
            if let Some(full) = self.direct.get(b) {
                let [.., x, y, z] = change.velocity();
                let mut turning = Lanes::default();
                turning.0[0] = form(full, &[x, y, z]);
                sum = sum + get(&turning);
            }
        }
        sum.store().sum()
    }
}
