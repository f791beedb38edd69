//! Passes over the packs: all contacts step from the same velocities.
//!
//! The velocities of the bodies stay as they are while the contacts walk past. What those change is
//! added up in a list of its own, `changes`; the iterate's velocities are the sum of both. So the
//! change itself is known to full precision, and a pass that is taken back has harmed nothing.
//! Groups and phases are those of the sweeps: no two threads add to one body at a time, and what is
//! added comes in the same order on any number of them.

mod contact;
mod group;
mod rows;
#[cfg(test)]
mod tests;

use group::{BodyNorm, GroupPass, GroupTurn, Lists};

use super::body::{Body, Shared};
use super::lanes::{LANES, Lanes, Vec3};
use super::rows::{Problem, RowContext};
use super::share::{Share, Spans, for_each_group};
use super::{PackSweeps, for_each_body};
use crate::cone::MAX_ROWS;
use crate::operator::Operator;
use crate::problem::Ccp;
use crate::reduce::ordered_sum;
use crate::sweep::Sweep;
use crate::sweep::pass::{Holds, Pass, PassStep, PassSums};

/// Bodies that one task adds up. Fixed, so that the order of additions is too.
const BODIES_A_SUM: usize = 1024;

/// What passes need beside the packs.
#[derive(Debug, Default)]
pub(super) struct Passes {
    /// What the last pass changed in the velocities of the bodies. Weights as in the list of the
    /// bodies. Empty where there are no passes.
    changes: Vec<Body>,
    holds: Holds,
    held: Held,
    /// One for each group.
    sums: Vec<PassSums>,
    /// Where each group begins.
    starts: Vec<Spans>,
}

/// Point or velocity of every block, as [`Holds`] says.
#[derive(Debug, Default)]
struct Held {
    spheres: Vec<Vec3>,
    points: Vec<Vec3>,
    rolls: Vec<Vec3>,
    /// Of the rolls.
    moments: Vec<Vec3>,
    rows: Vec<[f64; MAX_ROWS]>,
}

impl Passes {
    /// There are none: the sweeps' own velocities are those of the iterate.
    pub fn forget(&mut self) {
        self.changes.clear();
    }
}

impl Held {
    /// Nothing yet of so many packs and rows.
    fn make_room(&mut self, all: &Spans) {
        for (list, len) in [
            (&mut self.spheres, all.spheres),
            (&mut self.points, all.points),
            (&mut self.rolls, all.rolls),
            (&mut self.moments, all.rolls),
        ] {
            list.clear();
            list.resize(len, Vec3::default());
        }
        self.rows.clear();
        self.rows.resize(all.rows, [0.0; MAX_ROWS]);
    }
}

impl PackSweeps {
    /// Makes ready for passes over what was laid out.
    pub fn start_passes(&mut self, holds: Holds) {
        let passes = &mut self.passes;
        passes.holds = holds;
        passes.changes.clear();
        let at_rest = self.bodies.iter().map(|body| Body::at_rest(body.weights()));
        passes.changes.extend(at_rest);
        passes.sums.clear();
        passes.sums.resize(self.spans.len(), PassSums::default());
        passes.starts.clear();
        let mut next = Spans::default();
        for spans in &self.spans {
            passes.starts.push(next);
            next.spheres += spans.spheres;
            next.points += spans.points;
            next.rolls += spans.rolls;
            next.rows += spans.rows;
        }
        passes.held.make_room(&match holds {
            Holds::Nothing => Spans::default(),
            Holds::Point | Holds::Velocity => next,
        });
    }

    fn pass_over(&mut self, problem: Problem<'_>, step: PassStep) -> PassSums {
        let first_joint = self.first_joint();
        let together = self.joints.are_ready();
        let passes = &mut self.passes;
        let held = &mut passes.held;
        let lists = Lists {
            step,
            holds: passes.holds,
            from: Shared::new(&mut self.bodies),
            old: Shared::new(&mut self.old),
            onto: Shared::new(&mut passes.changes),
            full: &self.full.inverse,
            spheres: Shared::new(&mut held.spheres),
            points: Shared::new(&mut held.points),
            rolls: Shared::new(&mut held.rolls),
            moments: Shared::new(&mut held.moments),
            rows: Shared::new(&mut held.rows),
            sums: Shared::new(&mut passes.sums),
            context: RowContext {
                problem,
                metrics: &self.metrics,
            },
        };
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rolls: &mut self.rolls,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        let (groups, starts) = (&self.plan.groups, &passes.starts);
        let (instructions, even) = (self.instructions, self.even);
        let phases = self.plan.phases.len() - usize::from(together);
        for_each_group(
            &self.plan.phases[..phases],
            &self.spans,
            share,
            |group, share| {
                instructions.run(GroupPass {
                    lists: &lists,
                    even,
                    group,
                    start: starts[group],
                    bodies: groups[group].bodies.clone(),
                    share,
                });
            },
        );
        if together {
            let rows = &mut self.rows[first_joint..];
            // SAFETY: all other work of this pass is done, and the plan's places are in the lists.
            #[expect(unsafe_code, reason = "see `Shared`")]
            let sums = unsafe { self.joints.pass(&lists, rows, first_joint) };
            passes.sums[groups.len() - 1] = sums;
        }
        let mut total = PassSums::default();
        self.passes.sums.iter().for_each(|sums| total.add(sums));
        total.curvature += self.square_of_changes(problem.bodies.len());
        total
    }

    /// `‖changes‖²` in the metric of the masses, J, of so many bodies.
    fn square_of_changes(&self, bodies: usize) -> f64 {
        let chunks = bodies.div_ceil(BODIES_A_SUM);
        ordered_sum(chunks, 8 * bodies, |chunk| {
            let end = bodies.min((chunk + 1) * BODIES_A_SUM);
            self.instructions.run(BodyNorm {
                bodies: chunk * BODIES_A_SUM..end,
                changes: &self.passes.changes,
                old: &self.old,
                direct: &self.full.direct,
            })
        })
    }

    fn turn_of(&mut self, problem: Problem<'_>) -> f64 {
        let changes = Shared::to_read(&self.passes.changes);
        let context = RowContext {
            problem,
            metrics: &self.metrics,
        };
        let sums = Shared::new(&mut self.passes.sums);
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rolls: &mut self.rolls,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        let (instructions, all) = (self.instructions, 0..self.spans.len());
        for_each_group(
            std::slice::from_ref(&all),
            &self.spans,
            share,
            |group, share| {
                let turn = instructions.run(GroupTurn {
                    context: &context,
                    changes: &changes,
                    share,
                });
                // SAFETY: each group has a place of its own in the list.
                #[expect(unsafe_code, reason = "see `Shared`")]
                unsafe {
                    sums.at(group as u32).turn = turn;
                }
            },
        );
        self.passes.sums.iter().map(|sums| sums.turn).sum()
    }

    /// Adds the changes to the velocities.
    pub(super) fn settle_changes(&mut self) {
        let changes = &mut self.passes.changes;
        if changes.is_empty() {
            return;
        }
        for_each_body(&mut self.bodies, |b, body| {
            let (velocity, change) = (body.velocity(), changes[b].velocity());
            body.set_velocity(std::array::from_fn(|k| velocity[k] + change[k]));
        });
        for_each_body(changes, |_, change| change.set_velocity([0.0; 6]));
    }
}

impl<N: Operator> Pass<N> for PackSweeps {
    fn pass(&mut self, problem: &Ccp<N>, step: PassStep) -> PassSums {
        self.as_swept(problem, |this, problem| this.pass_over(problem, step))
    }

    fn turn(&mut self, problem: &Ccp<N>) -> f64 {
        self.as_swept(problem, Self::turn_of)
    }

    fn shorten(&mut self, lambda: f64) {
        let shorter = |x: &mut Vec3, old: &Vec3| {
            for (x, old) in x.0.iter_mut().zip(&old.0) {
                *x = Lanes(std::array::from_fn::<_, LANES, _>(|lane| {
                    old.0[lane] + lambda * (x.0[lane] - old.0[lane])
                }));
            }
        };
        for pack in &mut self.spheres {
            shorter(&mut pack.x, &pack.old);
        }
        for pack in &mut self.points {
            shorter(&mut pack.x, &pack.old);
        }
        for pack in &mut self.rolls {
            shorter(&mut pack.point.x, &pack.point.old);
            shorter(&mut pack.m, &pack.old);
        }
        for row in &mut self.rows {
            row.x = std::array::from_fn(|k| row.old[k] + lambda * (row.x[k] - row.old[k]));
        }
        for_each_body(&mut self.passes.changes, |_, change| {
            change.set_velocity(change.velocity().map(|v| lambda * v));
        });
    }

    fn as_sweep(&mut self) -> &mut dyn Sweep<N> {
        self
    }
}
