//! Sweeps of two-body problems: contacts in packs of eight, groups of packs on all cores.
//!
//! The iterate lives in the packs, the velocities it gives in the bodies, both in world axes. A
//! sweep makes one pass over them: it extrapolates, steps, and adds up the objective on the way,
//!
//! `f(x) = ½ vᵀ M v + ½ yᵀ E y + rᵀ y + Σ (sᵀ d + ½ dᵀ N_ii d)`
//!
//! with `v` the velocities of `y` and `d` the change of each block. A few contacts can be swept
//! apart from the rest (file `patch`).

mod anchor;
mod arms;
mod body;
mod contact;
mod fill;
mod joints;
mod lanes;
mod pass;
mod patch;
mod pick;
mod plan;
mod roll;
mod rows;
mod share;
mod simd;
mod source;
mod task;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod widest;

use rayon::prelude::*;

use anchor::Anchor;
use arms::{AlongNormal, AnyArms};
use body::{Body, FullInertias, Shared};
use contact::{Judged, Pack};
use joints::Joints;
use lanes::{LANES, Vec3};
use pass::Passes;
use patch::Patch;
use pick::{Closed, Picks};
use plan::Plan;
use roll::RollPack;
use rows::{Problem, RowBlock, RowContext};
use share::{Share, Spans, for_each_group};
use simd::Instructions;
use task::{GroupPush, GroupSweep, Judge, Task, Which};

use super::metric::Metrics;
use super::{Sweep, SweepSums};
use crate::cone::MAX_ROWS;
use crate::operator::{Operator, for_each_block};
use crate::problem::{Ccp, Law};
use crate::reduce::{in_parallel, ordered_fold};
use crate::residual::{ResidualScale, Squares, Units};

/// In place of a place: the block is in no pack, since nothing can move it.
const NOWHERE: u32 = u32::MAX;

/// Packs that one task judges. Fixed, so that the order of additions is too.
const JUDGED_AT_ONCE: usize = 512;

/// Tasks of fewer bodies are not worth a thread.
const BODIES_AT_ONCE: usize = 8192;

/// A problem in packs.
#[derive(Debug, Default)]
pub(super) struct PackSweeps {
    instructions: Instructions,
    law: Law,
    /// Whether every contact has the same compliance in all its rows.
    even: bool,
    plan: Plan,
    picks: Vec<Picks>,
    closed: Closed,
    /// The problem's bodies, then one place for each group that stands for the world.
    bodies: Vec<Body>,
    old: Vec<Body>,
    full: FullInertias,
    spheres: Vec<Pack<AlongNormal>>,
    points: Vec<Pack<AnyArms>>,
    rolls: Vec<RollPack>,
    rows: Vec<RowBlock>,
    joints: Joints,
    /// What belongs to each group.
    spans: Vec<Spans>,
    sums: Vec<SweepSums>,
    metrics: Metrics,
    kinds: Vec<fill::Kind>,
    /// Where each block's impulse is: a lane of the spheres, of the points, of the rolls, then a row
    /// block.
    places: Vec<u32>,
    kept: Kept,
    state: Vec<f64>,
    /// The last patch, for its memory.
    patch: Option<Box<Patch>>,
    /// Made where the sweeps may be anchored.
    anchor: Option<Box<Anchor>>,
    /// What passes keep, where there are any.
    passes: Passes,
}

/// A point that is remembered.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Of all packs: spheres, points, rolls.
    impulses: Vec<Vec3>,
    /// Of the rolls.
    moments: Vec<Vec3>,
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
            rolls: &mut self.rolls,
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
        for_each_body(&mut self.bodies, |_, body| body.set_velocity([0.0; 6]));
        let instructions = self.instructions;
        let bodies = Shared::new(&mut self.bodies);
        let full = &self.full.inverse[..];
        let metrics = &self.metrics;
        let context = RowContext { problem, metrics };
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rolls: &mut self.rolls,
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

    /// The squares of the shares of packs in the residual.
    fn judged<P: Judged>(&self, packs: &[P], units: Units) -> Squares {
        let bodies = Shared::to_read(&self.bodies);
        sum_of_chunks(packs, |packs| {
            self.instructions.run(Judge {
                packs,
                bodies: &bodies,
                law: self.law,
                units,
                squares: &mut [],
            })
        })
    }

    /// The same of all that no patch has: contacts that roll, and rows.
    fn rest_squares(&self, problem: Problem<'_>, units: Units) -> Squares {
        let metrics = &self.metrics;
        let context = RowContext { problem, metrics };
        let bodies = Shared::to_read(&self.bodies);
        let rows = sum_of_chunks(&self.rows, |rows| {
            // SAFETY: nothing is written now, and the plan's places are in the list.
            #[expect(unsafe_code, reason = "see `Shared`")]
            let square =
                |row: &RowBlock| unsafe { row.residual(&context, &bodies, self.law, units) };
            rows.iter()
                .map(square)
                .fold(Squares::default(), |all, square| {
                    all.join(Squares {
                        sum: square,
                        largest: square,
                    })
                })
        });
        self.judged(&self.rolls, units).join(rows)
    }

    /// The velocities of both points afresh.
    fn refresh_from(&mut self, problem: Problem<'_>) {
        self.push_all(problem, Which::Old);
        self.note_old();
        self.push_all(problem, Which::Now);
    }

    /// Takes the velocities of the bodies for those of the point before.
    fn note_old(&mut self) {
        let bodies = &self.bodies;
        for_each_body(&mut self.old, |b, old| {
            old.set_velocity(bodies[b].velocity())
        });
    }

    /// Puts the impulses of a point into `gamma`, block by block.
    fn read_point<'v>(&self, problem: Problem<'_>, point: &impl Point<'v>, gamma: &mut [f64]) {
        let packs = self.spheres.len() + self.points.len();
        let lanes = LANES * (packs + self.rolls.len());
        let offsets = problem.cones.offsets();
        let along = |axis: [f64; 3], vectors: &Vec3, lane: usize| {
            let [x, y, z] = vectors.0.map(|lanes| lanes.0[lane]);
            axis[0] * x + axis[1] * y + axis[2] * z
        };
        for_each_block(
            offsets,
            gamma,
            in_parallel(4 * gamma.len()),
            |block, out| {
                let place = self.places[block] as usize;
                let (pack, lane) = (place / LANES, place % LANES);
                if place < lanes {
                    let [n, t, u] = problem.operator.axes(block);
                    for (out, axis) in out.iter_mut().zip([n, t, u]) {
                        *out = along(axis, point.impulses(pack), lane);
                    }
                    for (out, axis) in out.iter_mut().skip(3).zip([t, u, n]) {
                        *out = along(axis, point.moments(pack - packs), lane);
                    }
                } else if place != NOWHERE as usize {
                    out.copy_from_slice(&point.row(place - lanes)[..out.len()]);
                }
            },
        );
    }
}

/// Calls `f` for every body with its place, on all cores if they are many.
fn for_each_body(bodies: &mut [Body], f: impl Fn(usize, &mut Body) + Sync) {
    if in_parallel(8 * bodies.len()) {
        let bodies = bodies.par_iter_mut().with_min_len(BODIES_AT_ONCE);
        bodies.enumerate().for_each(|(b, body)| f(b, body));
    } else {
        bodies
            .iter_mut()
            .enumerate()
            .for_each(|(b, body)| f(b, body));
    }
}

/// Sums of fixed chunks, combined in order.
fn sum_of_chunks<T: Sync>(list: &[T], sum: impl Fn(&[T]) -> Squares + Sync) -> Squares {
    let chunks = list.len().div_ceil(JUDGED_AT_ONCE);
    let chunk = |c: usize| {
        let end = list.len().min((c + 1) * JUDGED_AT_ONCE);
        sum(&list[c * JUDGED_AT_ONCE..end])
    };
    let work = 64 * list.len();
    ordered_fold(chunks, work, Squares::default(), chunk, Squares::join)
}

/// A point of the impulses, wherever it is kept.
trait Point<'v>: Sync {
    /// Of a pack, counted through spheres, points and rolls.
    fn impulses(&self, pack: usize) -> &'v Vec3;
    /// Of a pack of the rolls.
    fn moments(&self, roll: usize) -> &'v Vec3;
    fn row(&self, row: usize) -> &'v [f64; MAX_ROWS];
}

/// The iterate.
impl<'v> Point<'v> for &'v PackSweeps {
    fn impulses(&self, pack: usize) -> &'v Vec3 {
        let (spheres, points) = (self.spheres.len(), self.points.len());
        if pack < spheres {
            &self.spheres[pack].x
        } else if pack < spheres + points {
            &self.points[pack - spheres].x
        } else {
            &self.rolls[pack - spheres - points].point.x
        }
    }

    fn moments(&self, roll: usize) -> &'v Vec3 {
        &self.rolls[roll].m
    }

    fn row(&self, row: usize) -> &'v [f64; MAX_ROWS] {
        &self.rows[row].x
    }
}

impl<'v> Point<'v> for &'v Kept {
    fn impulses(&self, pack: usize) -> &'v Vec3 {
        &self.impulses[pack]
    }

    fn moments(&self, roll: usize) -> &'v Vec3 {
        &self.moments[roll]
    }

    fn row(&self, row: usize) -> &'v [f64; MAX_ROWS] {
        &self.rows[row]
    }
}

/// The problem as the packs see it: they are only made for a two-body one.
fn two_body<N: Operator>(problem: &Ccp<N>) -> Problem<'_> {
    Problem::of(problem).expect("packs are laid out for two-body problems only")
}

impl<N: Operator> Sweep<N> for PackSweeps {
    fn run(&mut self, problem: &Ccp<N>, beta: f64) -> SweepSums {
        self.as_swept(problem, |this, problem| this.sweep(problem, beta, false))
    }

    fn redo(&mut self, problem: &Ccp<N>) -> SweepSums {
        self.as_swept(problem, |this, problem| this.sweep(problem, 0.0, true))
    }

    fn refresh(&mut self, problem: &Ccp<N>) {
        self.as_swept(problem, Self::refresh_from);
    }

    fn residual_squares(&mut self, problem: &Ccp<N>, scale: &ResidualScale) -> Squares {
        let units = scale.units;
        let rest = self.as_swept(problem, |this, problem| this.rest_squares(problem, units));
        let spheres = self.judged(&self.spheres, units);
        spheres.join(self.judged(&self.points, units)).join(rest)
    }

    fn sweep_patch(
        &mut self,
        problem: &Ccp<N>,
        scale: &ResidualScale,
        work: &mut dyn FnMut(&mut dyn Sweep<N>, f64),
    ) {
        let (bodies, units) = (problem.operator().state_len() / 6, scale.units);
        let rest = self.rest_squares(two_body(problem), units).sum;
        let mut patch = self.patch.take().unwrap_or_default();
        if patch.cut(self, bodies, units, rest) {
            let share = patch.share(self);
            work(&mut patch.sweeps, share);
            patch.put_back(self);
        }
        self.patch = Some(patch);
    }

    fn anchor(&mut self, problem: &Ccp<N>, scale: &ResidualScale, heavier: Option<f64>) -> bool {
        self.move_anchors(two_body(problem), scale, heavier)
    }

    fn release(&mut self, problem: &Ccp<N>) {
        self.release_anchors(two_body(problem));
    }

    fn settle(&mut self) {
        self.settle_changes();
    }

    fn keep(&mut self) {
        let Kept {
            impulses,
            moments,
            rows,
        } = &mut self.kept;
        impulses.clear();
        impulses.extend(self.spheres.iter().map(|pack| pack.x));
        impulses.extend(self.points.iter().map(|pack| pack.x));
        impulses.extend(self.rolls.iter().map(|pack| pack.point.x));
        moments.clear();
        moments.extend(self.rolls.iter().map(|pack| pack.m));
        rows.clear();
        rows.extend(self.rows.iter().map(|row| row.x));
    }

    fn read_kept(&self, problem: &Ccp<N>, gamma: &mut [f64]) {
        self.read_point(two_body(problem), &&self.kept, gamma);
    }

    fn read(&mut self, problem: &Ccp<N>, gamma: &mut [f64], velocity: &mut [f64]) {
        self.read_point(two_body(problem), &&*self, gamma);
        let count = problem.operator().state_len() / 6;
        self.state.clear();
        let velocities = self.bodies[..count].iter().flat_map(Body::velocity);
        self.state.extend(velocities);
        problem.velocity_from_state(gamma, &self.state, velocity);
    }
}
