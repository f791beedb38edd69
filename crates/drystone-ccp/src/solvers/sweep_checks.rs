//! Convergence checks of methods that sweep.

use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::residual::ResidualScale;
use crate::sweep::Sweep;

/// When to look at a swept iterate, and what its last looks found.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepChecks {
    name: &'static str,
    scale: ResidualScale,
    /// Sweeps between two checks.
    every: usize,
    /// Times that a check is due between two refreshes of what follows the iterate by recurrence.
    refresh: usize,
    /// Residual over what the sweep before moved, both squared, at the last check. Not a number
    /// before there is one.
    share: f64,
    /// Whether the sweeps keep the monitor's best point.
    kept: bool,
    /// Whether a residual of the sweeps was found wrong: then only whole checks are trusted.
    doubted: bool,
    /// Whether a solve that is cut short gives the point with the best residual, whatever its
    /// objective.
    by_residual: bool,
    /// Whether every iterate is looked at, however far the goal is.
    thorough: bool,
}

/// A residual within this factor of the goal, by what the last sweep moved, is worth a check: where
/// rounding is all that is left, that is no better a guess, and the best point must not be missed.
const NEAR: f64 = 3.0;

/// Of so many checks one is made in any case: stalls are seen there.
const SELDOM: usize = 8;

/// Where the sweeps are.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepCount {
    pub iteration: usize,
    /// [`crate::sweep::SweepSums::moved`] of the last sweep, over all processes.
    pub moved: f64,
}

/// What comes of a check.
#[derive(Debug)]
pub(super) enum Verdict {
    GoOn,
    /// Go on, but what follows by recurrence was made afresh: drop the momentum.
    Restart,
    Done(SolveInfo),
}

/// Whether a solve ends there that would have gone on.
fn is_limit(stop: Termination) -> bool {
    match stop {
        Termination::IterationLimit
        | Termination::WorkLimit
        | Termination::TimeLimit
        | Termination::Cancelled => true,
        Termination::Converged | Termination::Stalled | Termination::Broke => false,
    }
}

/// Takes the iterate for the best point if its objective is the lower one. What counts for the
/// motion is that; and on the way to a solution the residual may rise above that of zero.
fn prefer_lower<N: Operator>(
    problem: &Ccp<N>,
    sweeps: &mut dyn Sweep<N>,
    (gamma, velocity): (&mut [f64], &mut [f64]),
    monitor: &mut Monitor<'_>,
) {
    if monitor.best_point().len() != gamma.len() {
        return; // no point was good for anything
    }
    gamma.copy_from_slice(monitor.best_point());
    problem.velocity(gamma, velocity);
    let best = problem.objective_with(gamma, velocity, monitor.reduce());
    sweeps.read(problem, gamma, velocity);
    if problem.objective_with(gamma, velocity, monitor.reduce()) < best {
        monitor.take_best_point(gamma);
    }
}

impl SweepChecks {
    pub fn new(name: &'static str, scale: ResidualScale, every: usize, refresh: usize) -> Self {
        Self {
            name,
            scale,
            every: every.max(1),
            refresh,
            share: f64::NAN,
            kept: false,
            doubted: false,
            by_residual: false,
            thorough: false,
        }
    }

    /// Always gives the point with the best residual, as the papers' methods do.
    pub fn by_residual(self) -> Self {
        Self {
            by_residual: true,
            ..self
        }
    }

    /// Leaves out no check that is due: for residuals that jump.
    pub fn thorough(self) -> Self {
        Self {
            thorough: true,
            ..self
        }
    }

    /// What residuals are measured by.
    pub fn scale(&self) -> &ResidualScale {
        &self.scale
    }

    /// Judges the iterate if it is time to. `point` is memory for it and its velocity; where the
    /// solve is done, it holds the answer.
    pub fn check<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        sweeps: &mut dyn Sweep<N>,
        at: SweepCount,
        point: (&mut [f64], &mut Vec<f64>),
        monitor: &mut Monitor<'_>,
    ) -> Verdict {
        let iteration = at.iteration;
        if !monitor.is_due(iteration, self.every) {
            return Verdict::GoOn;
        }
        sweeps.settle();
        if (iteration / self.every) % self.refresh == self.refresh - 1 {
            sweeps.refresh(problem);
            monitor.count_products(2);
        }
        // What the sweep moved says whether the tolerance may be near. Elsewhere one check in eight
        // will do, unless somebody wants to keep them. Who only looks must not change the way.
        let goal = monitor.tolerance() * self.scale.at_zero;
        let far =
            !monitor.has_velocity_tolerance() && self.share * at.moved > NEAR * NEAR * goal * goal;
        let skip = far && !self.thorough && !monitor.is_due(iteration, SELDOM * self.every);
        let unseen = !self.doubted && !monitor.wants_points() && monitor.interrupted().is_none();
        if skip && unseen {
            return Verdict::GoOn;
        }
        let (gamma, velocity) = point;
        let Some(stop) = self.judge(problem, sweeps, at, (gamma, velocity), monitor) else {
            return Verdict::GoOn;
        };
        if self.kept {
            sweeps.read_kept(problem, gamma);
            monitor.take_best_point(gamma);
        }
        if monitor.law() == Law::Relaxed && is_limit(stop) && !self.by_residual {
            prefer_lower(problem, sweeps, (gamma, velocity), monitor);
        }
        match monitor.conclude(problem, self.name, stop, gamma, velocity) {
            Some(info) => Verdict::Done(info),
            None => {
                // The check was wrong: velocities have drifted, or its sum has lost figures.
                self.doubted = true;
                sweeps.refresh(problem);
                monitor.count_products(2);
                Verdict::Restart
            }
        }
    }

    /// Ends a solve that cannot go on, with the best point seen.
    pub fn end<N: Operator>(
        &self,
        problem: &Ccp<N>,
        sweeps: &dyn Sweep<N>,
        stop: Termination,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> SolveInfo {
        if self.kept {
            sweeps.read_kept(problem, gamma);
            monitor.take_best_point(gamma);
        }
        monitor.finish(problem, self.name, stop, gamma)
    }

    /// The monitor's word on the iterate.
    fn judge<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        sweeps: &mut dyn Sweep<N>,
        at: SweepCount,
        (gamma, velocity): (&mut [f64], &mut [f64]),
        monitor: &mut Monitor<'_>,
    ) -> Option<Termination> {
        if self.doubted || monitor.wants_points() {
            self.kept = false;
            sweeps.read(problem, gamma, velocity);
            return monitor.check(problem, at.iteration, gamma, velocity);
        }
        let squares = sweeps.residual_squares(problem, &self.scale);
        let squares = squares.reduced(monitor.reduce());
        self.share = squares.sum / at.moved;
        let residual = self.scale.residual(squares);
        if residual.relative < monitor.best() || monitor.is_reached(residual) {
            sweeps.keep();
            self.kept = true;
        }
        monitor.check_residual(at.iteration, residual)
    }
}
