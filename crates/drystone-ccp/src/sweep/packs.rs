//! Sweeps of two-body problems: contacts in packs of four, groups of packs on all cores.
//!
//! The iterate lives in the packs, the velocities it gives in the bodies, both in world axes. A sweep
//! makes one pass over them: it extrapolates, steps, and adds up the objective on the way,
//!
//! `f(x) = ½ vᵀ M v + ½ yᵀ E y + rᵀ y + Σ (sᵀ d + ½ dᵀ N_ii d)`
//!
//! with `v` the velocities of `y` and `d` the change of each block.

mod body;
mod contact;
mod fill;
mod lanes;
mod pick;
mod plan;
mod rows;
mod share;
mod simd;
#[cfg(test)]
mod tests;

use body::{Body, FullInertias, OldBody, Shared, Symmetric, form};
use contact::{AlongNormal, AnyArms, LaneSums, Pack};
use lanes::{LANES, Lanes, Vec3};
use pick::Picks;
use plan::Plan;
use rows::{Problem, RowBlock, RowContext};
use share::{Share, Spans, for_each_group};
use simd::{Instructions, Work};

use super::metric::Metrics;
use super::{Sweep, SweepSums};
use crate::cone::MAX_ROWS;
use crate::operator::{Operator, for_each_block};
use crate::problem::{Ccp, Law};
use crate::reduce::{in_parallel, ordered_sum};
use crate::residual::ResidualScale;

/// In place of a place: the block is in no pack, since nothing can move it.
const NOWHERE: u32 = u32::MAX;

/// Packs that one task judges. Fixed, so that the order of additions is too.
const JUDGED_AT_ONCE: usize = 512;

/// A problem in packs.
#[derive(Clone, Debug, Default)]
pub(super) struct PackSweeps {
    instructions: Instructions,
    law: Law,
    plan: Plan,
    picks: Vec<Picks>,
    /// The problem's bodies, then one place for each group that stands for the world.
    bodies: Vec<Body>,
    old: Vec<OldBody>,
    full: FullInertias,
    spheres: Vec<Pack<AlongNormal>>,
    points: Vec<Pack<AnyArms>>,
    rows: Vec<RowBlock>,
    /// What belongs to each group.
    spans: Vec<Spans>,
    sums: Vec<SweepSums>,
    metrics: Metrics,
    kinds: Vec<fill::Kind>,
    /// Where each block's impulse is: a lane of the spheres, then of the points, then a row block.
    places: Vec<u32>,
    kept: Kept,
    state: Vec<f64>,
}

/// A point that is remembered.
#[derive(Clone, Debug, Default)]
struct Kept {
    spheres: Vec<Vec3>,
    points: Vec<Vec3>,
    rows: Vec<[f64; MAX_ROWS]>,
}

/// What a sweep does.
#[derive(Clone, Copy)]
struct Task<'a> {
    law: Law,
    context: RowContext<'a>,
    bodies: Shared<'a, Body>,
    old: Shared<'a, OldBody>,
    full: &'a FullInertias,
    beta: f64,
    redo: bool,
}

/// Which of the two points.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Now,
    Old,
}

impl PackSweeps {
    fn sweep(&mut self, problem: Problem<'_>, beta: f64, redo: bool) -> SweepSums {
        let (bodies, old) = (Shared::new(&mut self.bodies), Shared::new(&mut self.old));
        let (full, metrics) = (&self.full, &self.metrics);
        let context = RowContext { problem, metrics };
        let task = Task {
            law: self.law,
            context,
            bodies,
            old,
            full,
            beta,
            redo,
        };
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        let (groups, instructions) = (&self.plan.groups, self.instructions);
        for_each_group(&self.plan.phases, &self.spans, share, |group, share| {
            let bodies = groups[group].bodies.clone();
            instructions.run(GroupSweep {
                task,
                bodies,
                share,
            });
        });
        let mut total = SweepSums::default();
        self.sums.iter().for_each(|sums| total.add(sums));
        total
    }

    /// The velocities that `x` or `x_old` gives the bodies, afresh.
    fn push_all(&mut self, problem: Problem<'_>, which: Which) {
        self.bodies
            .iter_mut()
            .for_each(|body| body.velocity = [0.0; 6]);
        let bodies = Shared::new(&mut self.bodies);
        let full = &self.full.inverse[..];
        let metrics = &self.metrics;
        let context = RowContext { problem, metrics };
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        for_each_group(&self.plan.phases, &self.spans, share, |_, share| {
            // SAFETY: groups of one phase share no body, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            unsafe {
                push_group(&context, &bodies, full, which, share)
            }
        });
    }

    /// Puts the impulses of a point into `gamma`, block by block. `at` gives the vector of a lane
    /// among the spheres' and points', `row` the impulse of a row block.
    fn read_point<'v>(
        &self,
        problem: Problem<'_>,
        gamma: &mut [f64],
        at: impl Fn(usize) -> [f64; 3] + Sync,
        row: impl Fn(usize) -> &'v [f64; MAX_ROWS] + Sync,
    ) {
        let lanes = LANES * (self.spheres.len() + self.points.len());
        let offsets = problem.cones.offsets();
        for_each_block(
            offsets,
            gamma,
            in_parallel(4 * gamma.len()),
            |block, out| {
                let place = self.places[block] as usize;
                if place < lanes {
                    let x = at(place);
                    let frame = problem.operator.axes(block);
                    (0..3).for_each(|k| {
                        out[k] = frame[k][0] * x[0] + frame[k][1] * x[1] + frame[k][2] * x[2]
                    });
                } else if place != NOWHERE as usize {
                    out.copy_from_slice(&row(place - lanes)[..out.len()]);
                }
            },
        );
    }

    fn lane(&self, place: usize) -> [f64; 3] {
        let (pack, lane) = (place / LANES, place % LANES);
        let x = match self.spheres.get(pack) {
            Some(pack) => &pack.x,
            None => &self.points[pack - self.spheres.len()].x,
        };
        x.0.map(|lanes| lanes.0[lane])
    }
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
struct GroupSweep<'a> {
    task: Task<'a>,
    bodies: std::ops::Range<u32>,
    share: Share<'a>,
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
    unsafe fn run(&self, bodies: std::ops::Range<u32>, share: Share<'_>) {
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
///
/// # Safety
///
/// As [`Task::run`].
#[expect(unsafe_code, reason = "see `Shared`")]
unsafe fn push_group(
    context: &RowContext<'_>,
    bodies: &Shared<'_, Body>,
    full: &[Symmetric],
    which: Which,
    share: Share<'_>,
) {
    let now = which == Which::Now;
    for pack in share.spheres {
        // SAFETY: the caller's promise.
        unsafe { pack.push(bodies, full, if now { pack.x } else { pack.old }) };
    }
    for pack in share.points {
        // SAFETY: the caller's promise.
        unsafe { pack.push(bodies, full, if now { pack.x } else { pack.old }) };
    }
    for row in share.rows {
        let x = if now { row.x } else { row.old };
        // SAFETY: the caller's promise.
        unsafe { row.push(context, bodies, full, &x[..row.block.len()]) };
    }
}

/// The problem as the packs see it: they are only made for a two-body one.
fn two_body<N: Operator>(problem: &Ccp<N>) -> Problem<'_> {
    Problem::of(problem).expect("packs are laid out for two-body problems only")
}

impl<N: Operator> Sweep<N> for PackSweeps {
    fn run(&mut self, problem: &Ccp<N>, beta: f64) -> SweepSums {
        self.sweep(two_body(problem), beta, false)
    }

    fn redo(&mut self, problem: &Ccp<N>) -> SweepSums {
        self.sweep(two_body(problem), 0.0, true)
    }

    fn refresh(&mut self, problem: &Ccp<N>) {
        self.push_all(two_body(problem), Which::Old);
        for (old, body) in self.old.iter_mut().zip(&self.bodies) {
            old.velocity = body.velocity;
        }
        self.push_all(two_body(problem), Which::Now);
    }

    fn residual_square(&mut self, problem: &Ccp<N>, scale: &ResidualScale) -> f64 {
        let (law, instructions) = (self.law, self.instructions);
        let (problem, metrics) = (two_body(problem), &self.metrics);
        let context = RowContext { problem, metrics };
        let bodies = Shared::new(&mut self.bodies);
        let w = scale.mean_diagonal;
        let sum = |len: usize, of: &(dyn Fn(std::ops::Range<usize>) -> f64 + Sync)| {
            let chunks = len.div_ceil(JUDGED_AT_ONCE);
            ordered_sum(chunks, 64 * len, |c| {
                of(c * JUDGED_AT_ONCE..len.min((c + 1) * JUDGED_AT_ONCE))
            })
        };
        let (spheres, points, rows) = (&self.spheres, &self.points, &self.rows);
        sum(spheres.len(), &|range| {
            instructions.run(Judge {
                packs: &spheres[range],
                bodies: &bodies,
                law,
                w,
            })
        }) + sum(points.len(), &|range| {
            instructions.run(Judge {
                packs: &points[range],
                bodies: &bodies,
                law,
                w,
            })
        }) + sum(rows.len(), &|range| {
            // SAFETY: nothing is written now, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            let square = |row: &RowBlock| unsafe { row.residual(&context, &bodies, law, w) };
            rows[range].iter().map(square).sum()
        })
    }

    fn keep(&mut self) {
        let Kept {
            spheres,
            points,
            rows,
        } = &mut self.kept;
        spheres.clear();
        spheres.extend(self.spheres.iter().map(|pack| pack.x));
        points.clear();
        points.extend(self.points.iter().map(|pack| pack.x));
        rows.clear();
        rows.extend(self.rows.iter().map(|row| row.x));
    }

    fn read_kept(&self, problem: &Ccp<N>, gamma: &mut [f64]) {
        let spheres = self.spheres.len();
        let at = |place: usize| {
            let (pack, lane) = (place / LANES, place % LANES);
            let x = match pack.checked_sub(spheres) {
                None => &self.kept.spheres[pack],
                Some(pack) => &self.kept.points[pack],
            };
            x.0.map(|lanes| lanes.0[lane])
        };
        self.read_point(two_body(problem), gamma, at, |row| &self.kept.rows[row]);
    }

    fn read(&mut self, problem: &Ccp<N>, gamma: &mut [f64], velocity: &mut [f64]) {
        let at = |place: usize| self.lane(place);
        self.read_point(two_body(problem), gamma, at, |row| &self.rows[row].x);
        let count = problem.operator().state_len() / 6;
        self.state.clear();
        let velocities = self.bodies[..count].iter().flat_map(|body| body.velocity);
        self.state.extend(velocities);
        problem.velocity_from_state(gamma, &self.state, velocity);
    }
}

/// The squared shares of packs in the residual, added up.
struct Judge<'a, A> {
    packs: &'a [Pack<A>],
    bodies: &'a Shared<'a, Body>,
    law: Law,
    w: f64,
}

impl<A: contact::Arms> Work for Judge<'_, A> {
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
