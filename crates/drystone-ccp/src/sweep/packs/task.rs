//! What is done with the packs of one group: a sweep, a push, a look at the residual.

use std::ops::Range;

use super::arms::{AlongNormal, AnyArms, Arms};
use super::body::{Body, FullInertias, Shared, Symmetric, form, masses, velocities};
use super::contact::{Judged, LaneSums, LaneUnits, Pack};
use super::lanes::{Lanes, Register};
use super::roll::RollPack;
use super::rows::RowContext;
use super::share::Share;
use super::simd::Work;
use crate::problem::Law;
use crate::residual::{Squares, Units};
use crate::sweep::SweepSums;

/// What a sweep does.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub law: Law,
    /// Whether every contact has the same compliance in all its rows.
    pub even: bool,
    pub context: RowContext<'a>,
    pub bodies: Shared<'a, Body>,
    pub old: Shared<'a, Body>,
    pub full: &'a FullInertias,
    pub beta: f64,
    /// From the point before, without momentum.
    pub redo: bool,
}

/// All packs of a group.
type Packs<'a> = (
    &'a mut [Pack<AlongNormal>],
    &'a mut [Pack<AnyArms>],
    &'a mut [RollPack],
);

/// The sweep of one group.
pub(super) struct GroupSweep<'a> {
    pub task: Task<'a>,
    /// The part's bodies, if the group is one.
    pub bodies: Range<u32>,
    pub share: Share<'a>,
}

impl Work for GroupSweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) {
        // SAFETY: groups of one phase share no body, and the plan's places are in the list.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            self.task.run::<F>(token, self.bodies, self.share)
        }
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl Task<'_> {
    /// Sweeps one group.
    ///
    /// # Safety
    ///
    /// No other thread uses its bodies, and all places are in their lists.
    #[inline(always)]
    unsafe fn run<F: Register>(&self, token: F::Token, bodies: Range<u32>, share: Share<'_>) {
        let mut sums = SweepSums::default();
        let mut energy = F::splat(token, 0.0);
        for body in bodies {
            // SAFETY: the caller's promise.
            energy = energy + unsafe { self.extrapolate::<F>(token, body) };
        }
        sums.objective += energy.store().sum();
        let packs = (share.spheres, share.points, share.rolls);
        // SAFETY: the caller's promise.
        let lanes = unsafe {
            match (self.law, self.even) {
                (Law::Relaxed, true) => self.step_packs::<F, false, true>(token, packs),
                (Law::Relaxed, false) => self.step_packs::<F, false, false>(token, packs),
                (Law::Exact, _) => self.step_packs::<F, true, false>(token, packs),
            }
        };
        sums.add(&lanes.sum());
        let full = &self.full.inverse[..];
        let how = (self.law, self.beta, self.redo);
        for row in share.rows {
            // SAFETY: the caller's promise.
            unsafe { row.step(&self.context, &self.bodies, full, how, &mut sums) };
        }
        share.sums[0] = sums;
    }

    /// # Safety
    ///
    /// As [`Task::run`].
    #[inline(always)]
    unsafe fn step_packs<F: Register, const EXACT: bool, const EVEN: bool>(
        &self,
        token: F::Token,
        (spheres, points, rolls): Packs<'_>,
    ) -> LaneSums<F> {
        let beta = F::splat(token, self.beta);
        let mut sums = LaneSums::new(token);
        // SAFETY: the caller's promise.
        unsafe {
            self.step_all::<F, _, EXACT, EVEN>(beta, spheres, &mut sums);
            self.step_all::<F, _, EXACT, EVEN>(beta, points, &mut sums);
        }
        for pack in rolls {
            // SAFETY: the caller's promise.
            unsafe { pack.step::<F, EXACT>(&self.bodies, beta, self.redo, &mut sums) };
        }
        sums
    }

    /// # Safety
    ///
    /// As [`Task::run`].
    #[inline(always)]
    unsafe fn step_all<F: Register, A: Arms, const EXACT: bool, const EVEN: bool>(
        &self,
        beta: F,
        packs: &mut [Pack<A>],
        sums: &mut LaneSums<F>,
    ) {
        let full = &self.full.inverse[..];
        for pack in packs {
            // SAFETY: the caller's promise.
            unsafe { pack.step::<F, EXACT, EVEN>(&self.bodies, full, beta, self.redo, sums) };
        }
    }

    /// Brings a body to the extrapolated point; returns its energy there, in parts.
    ///
    /// # Safety
    ///
    /// As [`Task::run`].
    #[inline(always)]
    unsafe fn extrapolate<F: Register>(&self, token: F::Token, place: u32) -> F {
        // SAFETY: the caller's promise.
        let (body, old) = unsafe { (self.bodies.at(place), self.old.at(place)) };
        let get = |lanes: &Lanes| F::load(token, lanes);
        let weights = masses::<F>(token, old.weights().map(|w| 0.5 * w));
        let (now, before) = (get(&body.numbers), get(&old.numbers));
        // What is no velocity stays.
        let velocities = velocities::<F>(token);
        let y = if self.redo {
            before
        } else {
            old.numbers = F::choose(velocities, now, before).store();
            now + (now - before) * F::splat(token, self.beta)
        };
        body.numbers = F::choose(velocities, y, now).store();
        let energy = y * y * weights;
        match self.full.direct.get(place as usize) {
            None => energy,
            Some(full) => {
                let [.., a, b, c] = body.velocity();
                let mut turning = Lanes::default();
                turning.0[0] = 0.5 * form(full, &[a, b, c]);
                energy + get(&turning)
            }
        }
    }
}

/// Adds what the impulses of a group give its bodies.
pub(super) struct GroupPush<'a> {
    pub context: &'a RowContext<'a>,
    pub bodies: &'a Shared<'a, Body>,
    pub full: &'a [Symmetric],
    pub which: Which,
    pub share: Share<'a>,
}

impl Work for GroupPush<'_> {
    type Output = ();

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) {
        // SAFETY: groups of one phase share no body, and the plan's places are in the list.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            self.push::<F>(token)
        }
    }
}

impl GroupPush<'_> {
    /// # Safety
    ///
    /// As [`Task::run`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    unsafe fn push<F: Register>(self, token: F::Token) {
        let (bodies, full) = (self.bodies, self.full);
        let now = self.which == Which::Now;
        for pack in self.share.spheres {
            // SAFETY: the caller's promise.
            unsafe { pack.push::<F>(token, bodies, full, if now { &pack.x } else { &pack.old }) };
        }
        for pack in self.share.points {
            // SAFETY: the caller's promise.
            unsafe { pack.push::<F>(token, bodies, full, if now { &pack.x } else { &pack.old }) };
        }
        for pack in self.share.rolls {
            let (x, m) = if now {
                (&pack.point.x, &pack.m)
            } else {
                (&pack.point.old, &pack.old)
            };
            // SAFETY: the caller's promise.
            unsafe { pack.push::<F>(token, bodies, x, m) };
        }
        for row in self.share.rows {
            let x = if now { row.x } else { row.old };
            // SAFETY: the caller's promise.
            unsafe { row.push(self.context, bodies, full, &x[..row.block.len()]) };
        }
    }
}

/// Which of the two points.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Which {
    Now,
    Old,
}

/// The squared shares of packs in the residual, added up.
pub(super) struct Judge<'a, P> {
    pub packs: &'a [P],
    pub bodies: &'a Shared<'a, Body>,
    pub law: Law,
    pub units: Units,
    /// Where the share of each contact goes: as many as packs, or none.
    pub squares: &'a mut [Lanes],
}

impl<P: Judged> Work for Judge<'_, P> {
    type Output = Squares;

    #[inline(always)]
    fn run<F: Register>(self, token: F::Token) -> Squares {
        let units = LaneUnits::<F>::new(token, self.units);
        let (mut sum, mut largest) = (F::splat(token, 0.0), F::splat(token, 0.0));
        let mut squares = self.squares.iter_mut();
        for pack in self.packs {
            // SAFETY: nothing is written now, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            let square = unsafe { pack.residual(self.bodies, self.law, &units) };
            sum = sum + square;
            largest = F::choose(largest.below(square), square, largest);
            if let Some(out) = squares.next() {
                *out = square.store();
            }
        }
        Squares {
            sum: sum.store().sum(),
            largest: largest.store().0.into_iter().fold(0.0, f64::max),
        }
    }
}
