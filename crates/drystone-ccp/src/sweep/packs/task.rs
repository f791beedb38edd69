//! What is done with the packs of one group: a sweep, a push, a look at the residual.

use std::ops::Range;

use super::body::{Body, FullInertias, OldBody, Shared, Symmetric, form};
use super::contact::{AlongNormal, AnyArms, Arms, LaneSums, Pack};
use super::lanes::Lanes;
use super::rows::RowContext;
use super::share::Share;
use super::simd::Work;
use crate::problem::Law;
use crate::sweep::SweepSums;

/// What a sweep does.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub law: Law,
    pub context: RowContext<'a>,
    pub bodies: Shared<'a, Body>,
    pub old: Shared<'a, OldBody>,
    pub full: &'a FullInertias,
    pub beta: f64,
    /// From the point before, without momentum.
    pub redo: bool,
}

/// `½ vᵀ M v` of velocities in two registers, in four parts.
#[inline(always)]
fn energy([low, high]: [Lanes; 2], old: &OldBody, full: Option<&Symmetric>) -> Lanes {
    let (mass, inertia) = (0.5 * old.mass, 0.5 * old.inertia);
    let sum = low * low * Lanes([mass, mass, mass, inertia]) + high * high * Lanes::splat(inertia);
    match full {
        None => sum,
        Some(full) => {
            let turn = [low.0[3], high.0[0], high.0[1]];
            sum + Lanes([0.5 * form(full, &turn), 0.0, 0.0, 0.0])
        }
    }
}

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
    fn run(self) {
        // SAFETY: groups of one phase share no body, and the plan's places are in the list.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            self.task.run(self.bodies, self.share)
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
    unsafe fn run(&self, bodies: Range<u32>, share: Share<'_>) {
        let mut sums = SweepSums::default();
        let mut energy = Lanes::default();
        for body in bodies {
            // SAFETY: the caller's promise.
            energy = energy + unsafe { self.extrapolate(body) };
        }
        sums.objective += energy.sum();
        let mut lanes = LaneSums::default();
        // SAFETY: the caller's promise.
        unsafe {
            match self.law {
                Law::Relaxed => self.step_packs::<false>(share.spheres, share.points, &mut lanes),
                Law::Exact => self.step_packs::<true>(share.spheres, share.points, &mut lanes),
            }
        }
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
    unsafe fn step_packs<const EXACT: bool>(
        &self,
        spheres: &mut [Pack<AlongNormal>],
        points: &mut [Pack<AnyArms>],
        sums: &mut LaneSums,
    ) {
        let (beta, full) = (Lanes::splat(self.beta), &self.full.inverse[..]);
        let mut own = *sums;
        for pack in spheres {
            // SAFETY: the caller's promise.
            unsafe { pack.step::<EXACT>(&self.bodies, full, beta, self.redo, &mut own) };
        }
        for pack in points {
            // SAFETY: the caller's promise.
            unsafe { pack.step::<EXACT>(&self.bodies, full, beta, self.redo, &mut own) };
        }
        *sums = own;
    }

    /// Brings a body to the extrapolated point; returns its energy there, in four parts.
    ///
    /// # Safety
    ///
    /// As [`Task::run`].
    #[inline(always)]
    unsafe fn extrapolate(&self, place: u32) -> Lanes {
        // SAFETY: the caller's promise.
        let (body, old) = unsafe { (self.bodies.at(place), self.old.at(place)) };
        let [now, before] = [halves(&body.velocity), halves(&old.velocity)];
        let y = if self.redo {
            before
        } else {
            put(now, &mut old.velocity);
            let beta = Lanes::splat(self.beta);
            [
                now[0] + (now[0] - before[0]) * beta,
                now[1] + (now[1] - before[1]) * beta,
            ]
        };
        put(y, &mut body.velocity);
        energy(y, old, self.full.direct.get(place as usize))
    }
}

/// Six velocities in two registers; the last two lanes are zero.
#[inline(always)]
fn halves(velocity: &[f64; 6]) -> [Lanes; 2] {
    let &[a, b, c, d, e, f] = velocity;
    [Lanes([a, b, c, d]), Lanes([e, f, 0.0, 0.0])]
}

/// The same back.
#[inline(always)]
fn put([low, high]: [Lanes; 2], velocity: &mut [f64; 6]) {
    let (Lanes([a, b, c, d]), Lanes([e, f, ..])) = (low, high);
    *velocity = [a, b, c, d, e, f];
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
    fn run(self) {
        // SAFETY: groups of one phase share no body, and the plan's places are in the list.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            self.push()
        }
    }
}

impl GroupPush<'_> {
    /// # Safety
    ///
    /// As [`Task::run`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    unsafe fn push(self) {
        let (bodies, full) = (self.bodies, self.full);
        let now = self.which == Which::Now;
        for pack in self.share.spheres {
            // SAFETY: the caller's promise.
            unsafe { pack.push(bodies, full, if now { pack.x } else { pack.old }) };
        }
        for pack in self.share.points {
            // SAFETY: the caller's promise.
            unsafe { pack.push(bodies, full, if now { pack.x } else { pack.old }) };
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
pub(super) struct Judge<'a, A> {
    pub packs: &'a [Pack<A>],
    pub bodies: &'a Shared<'a, Body>,
    pub law: Law,
    /// The mean diagonal of N.
    pub w: f64,
}

impl<A: Arms> Work for Judge<'_, A> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let (w, inverse) = (Lanes::splat(self.w), Lanes::splat(1.0 / self.w));
        let mut sum = Lanes::default();
        for pack in self.packs {
            // SAFETY: nothing is written now, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            let square = unsafe { pack.residual(self.bodies, self.law, w, inverse) };
            sum = sum + square;
        }
        sum.sum()
    }
}
