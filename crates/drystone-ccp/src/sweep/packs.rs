//! Sweeps of two-body problems: contacts in packs of four, groups of packs on all cores.
//!
//! The iterate lives in the packs, the velocities it gives in the bodies, both in world axes. A
//! sweep makes one pass over them: it extrapolates, steps, and adds up the objective on the way,
//!
//! `f(x) = ½ vᵀ M v + ½ yᵀ E y + rᵀ y + Σ (sᵀ d + ½ dᵀ N_ii d)`
//!
//! with `v` the velocities of `y` and `d` the change of each block.

mod body;
mod contact;
mod fill;
mod joints;
mod lanes;
mod patch;
mod pick;
mod plan;
mod rows;
mod share;
mod simd;
mod source;
mod task;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

use body::{Body, FullInertias, Shared};
use contact::{AlongNormal, AnyArms, Pack};
use joints::Joints;
use lanes::{LANES, Vec3};
use patch::Patch;
use pick::Picks;
use plan::Plan;
use rows::{Problem, RowBlock, RowContext};
use share::{Share, Spans, for_each_group};
use simd::Instructions;
use task::{GroupPush, GroupSweep, Judge, Task, Which};

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
#[derive(Debug, Default)]
pub(super) struct PackSweeps {
    instructions: Instructions,
    law: Law,
    /// Whether every contact has the same compliance in all its rows.
    even: bool,
    plan: Plan,
    picks: Vec<Picks>,
    /// The problem's bodies, then one place for each group that stands for the world.
    bodies: Vec<Body>,
    old: Vec<Body>,
    full: FullInertias,
    spheres: Vec<Pack<AlongNormal>>,
    points: Vec<Pack<AnyArms>>,
    rows: Vec<RowBlock>,
    joints: Joints,
    /// What belongs to each group.
    spans: Vec<Spans>,
    sums: Vec<SweepSums>,
    metrics: Metrics,
    kinds: Vec<fill::Kind>,
    /// Where each block's impulse is: a lane of the spheres, then of the points, then a row block.
    places: Vec<u32>,
    kept: Kept,
    state: Vec<f64>,
    /// Made when one is first asked for.
    patch: Option<Box<Patch>>,
}

/// A point that is remembered.
#[derive(Clone, Debug, Default)]
struct Kept {
    spheres: Vec<Vec3>,
    points: Vec<Vec3>,
    rows: Vec<[f64; MAX_ROWS]>,
}

impl PackSweeps {
    fn sweep(&mut self, problem: Problem<'_>, beta: f64, redo: bool) -> SweepSums {
        let first_joint = self.first_joint();
        let (bodies, old) = (Shared::new(&mut self.bodies), Shared::new(&mut self.old));
        let (full, metrics) = (&self.full, &self.metrics);
        let context = RowContext { problem, metrics };
        let task = Task {
            law: self.law,
            even: self.even,
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
        let together = self.joints.are_ready();
        let phases = self.plan.phases.len() - usize::from(together);
        for_each_group(
            &self.plan.phases[..phases],
            &self.spans,
            share,
            |group, share| {
                let bodies = groups[group].bodies.clone();
                instructions.run(GroupSweep {
                    task,
                    bodies,
                    share,
                });
            },
        );
        if together {
            let mut sums = SweepSums::default();
            let motion = (&bodies, &full.inverse[..]);
            let rows = &mut self.rows[first_joint..];
            // SAFETY: all other work of this sweep is done, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            unsafe {
                self.joints
                    .step(&context, rows, motion, (beta, redo), &mut sums)
            };
            self.sums[groups.len() - 1] = sums;
        }
        let mut total = SweepSums::default();
        self.sums.iter().for_each(|sums| total.add(sums));
        total
    }

    /// Where the joints begin among the row blocks.
    fn first_joint(&self) -> usize {
        let joints = match self.spans.last() {
            Some(last) if self.plan.ends_with_joints => last.rows,
            _ => 0,
        };
        self.rows.len() - joints
    }

    /// The velocities that `x` or `x_old` gives the bodies, afresh.
    fn push_all(&mut self, problem: Problem<'_>, which: Which) {
        self.bodies
            .iter_mut()
            .for_each(|body| body.set_velocity([0.0; 6]));
        let instructions = self.instructions;
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
        let (context, bodies) = (&context, &bodies);
        for_each_group(&self.plan.phases, &self.spans, share, |_, share| {
            instructions.run(GroupPush {
                context,
                bodies,
                full,
                which,
                share,
            });
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
            old.set_velocity(body.velocity());
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

    fn sweep_patch(
        &mut self,
        problem: &Ccp<N>,
        scale: &ResidualScale,
        work: &mut dyn FnMut(&mut dyn Sweep<N>, f64),
    ) {
        let bodies = problem.operator().state_len() / 6;
        let mut patch = self.patch.take().unwrap_or_default();
        if patch.cut(self, bodies, scale.mean_diagonal) {
            let share = patch.share(self);
            work(&mut patch.sweeps, share);
            patch.put_back(self);
        }
        self.patch = Some(patch);
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
        let velocities = self.bodies[..count].iter().flat_map(Body::velocity);
        self.state.extend(velocities);
        problem.velocity_from_state(gamma, &self.state, velocity);
    }
}
