//! When to stop, what to remember, whom to tell: shared by all solvers, so that `tolerance`,
//! limits, cancellation, history and fall-back mean the same in each.
//!
//! A [`Monitor`] watches one solve. A [`Watch`] says what a caller wants of all the solves of a
//! time step, and makes their monitors.

mod history;
mod judge;
mod snapshot;
mod stall;
#[cfg(test)]
mod tests;
mod watch;

pub use snapshot::Snapshot;
pub use stall::StallRule;
pub use watch::Watch;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::outcome::{Progress, SolveInfo};
use crate::problem::Law;
use crate::reduce::Reduce;
use crate::residual::ResidualScale;
use history::History;
use snapshot::Snapshots;
use stall::StallWatch;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Relative natural-map residual to reach, > 0.
    pub tolerance: f64,
    /// Residual velocity of every block that will do too, m/s: the solve has converged when either
    /// tolerance is reached. `None` for the relative one alone.
    pub velocity_tolerance: Option<f64>,
    /// Most iterations.
    pub max_iterations: usize,
    /// Most work, in sweeps: what all methods are measured by. A sweep over all blocks or a product
    /// with N is one, a factorisation as many as take about as long. Unlike a time it is the same
    /// on every machine.
    pub max_work: f64,
    /// Longest time; `None` for as long as it takes.
    pub time_limit: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            velocity_tolerance: None,
            max_iterations: 1_000_000,
            max_work: f64::INFINITY,
            time_limit: None,
        }
    }
}

/// Watches one solve.
pub struct Monitor<'a> {
    limits: Limits,
    law: Law,
    method: &'static str,
    /// The limits' time is in its deadline.
    watch: Watch<'a>,
    fall_back: bool,
    product_limit: usize,
    snapshots: Snapshots,
    history: History,
    started: Instant,
    /// What an observer of a nested solve must know of the one around it.
    outer: Option<OuterSolve>,
    products: usize,
    work: f64,
    /// Iterations of the stages before this one.
    iterations_before: usize,
    iterations: usize,
    stall: Option<StallWatch>,
    stage_limit: Option<usize>,
    scale: Option<ResidualScale>,
    best: f64,
    best_gamma: Vec<f64>,
    /// Where a copy of it goes.
    shelf: Option<&'a Mutex<Vec<f64>>>,
    /// Whether some number on the way was infinite or NaN.
    overflowed: bool,
}

/// The solve around a nested one.
#[derive(Clone, Copy, Debug)]
struct OuterSolve {
    started: Instant,
    /// Iterations before the nested solve.
    iterations: usize,
    /// Its best residual so far.
    best: f64,
}

impl<'a> Monitor<'a> {
    /// Starts the clock.
    pub fn new(limits: Limits, law: Law) -> Self {
        Self::of(Watch::default(), limits, law)
    }

    fn of(mut watch: Watch<'a>, limits: Limits, law: Law) -> Self {
        if let Some(limit) = limits.time_limit {
            watch.set_time_limit(limit);
        }
        Self {
            limits,
            law,
            method: "",
            fall_back: true,
            product_limit: usize::MAX,
            snapshots: Snapshots::default(),
            history: History::new(watch.history),
            watch,
            started: Instant::now(),
            outer: None,
            products: 0,
            work: 0.0,
            iterations_before: 0,
            iterations: 0,
            stall: None,
            stage_limit: None,
            scale: None,
            best: f64::INFINITY,
            best_gamma: Vec::new(),
            shelf: None,
            overflowed: false,
        }
    }

    /// Stops as soon as the flag is set.
    pub fn cancelled_by(mut self, flag: &'a AtomicBool) -> Self {
        self.watch.cancel = Some(flag);
        self
    }

    /// Tells `observer` of every check.
    pub fn observed_by(mut self, observer: &'a mut (dyn FnMut(&Progress) + 'a)) -> Self {
        self.watch.observer = Some(observer);
        self
    }

    /// Keeps a history row for every check.
    pub fn with_history(self) -> Self {
        self.with_history_limit(usize::MAX)
    }

    /// Keeps at most so many history rows, >= 2. When they are too many, every second one after the
    /// first quarter is dropped.
    pub fn with_history_limit(mut self, rows: usize) -> Self {
        self.history = History::new(rows.max(2));
        self
    }

    /// Puts a copy of each best point there, for another thread that cannot wait until the method
    /// looks up: a factorisation may take minutes.
    pub fn shelving(mut self, shelf: &'a Mutex<Vec<f64>>) -> Self {
        self.shelf = Some(shelf);
        self
    }

    /// Returns the last point instead of the best: for a stage whose way leads through worse ones.
    pub fn without_fall_back(mut self) -> Self {
        self.fall_back = false;
        self
    }

    /// Keeps the first point below each of these relative residuals: what solves to those
    /// tolerances would return, from one run.
    pub fn with_snapshots(mut self, residuals: &[f64]) -> Self {
        self.snapshots = Snapshots::new(residuals);
        self
    }

    /// The snapshots taken so far, loosest first.
    pub fn take_snapshots(&mut self) -> Vec<Snapshot> {
        self.snapshots.take()
    }

    /// Ends at the first check after so many products with N, as at the iteration limit: a fair
    /// measure between methods whose iterations cost differently.
    pub fn with_product_limit(mut self, products: usize) -> Self {
        self.product_limit = products;
        self
    }

    /// Takes sums and maxima over several processes.
    pub fn reduced_by(mut self, reduce: &'a dyn Reduce) -> Self {
        self.watch.reduce = reduce;
        self
    }

    /// The reductions to use.
    pub fn reduce(&self) -> &'a dyn Reduce {
        self.watch.reduce
    }

    /// The law to judge by.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Most iterations, of all stages together.
    pub fn max_iterations(&self) -> usize {
        self.limits.max_iterations
    }

    /// The residual to reach.
    pub fn tolerance(&self) -> f64 {
        self.limits.tolerance
    }

    /// Whether a residual velocity may end the solve.
    pub(crate) fn has_velocity_tolerance(&self) -> bool {
        self.limits.velocity_tolerance.is_some()
    }

    /// Best residual so far.
    pub fn best(&self) -> f64 {
        self.best
    }

    /// The point with the best residual; empty before the first check.
    pub fn best_point(&self) -> &[f64] {
        &self.best_gamma
    }

    /// Counts products with N, or sweeps.
    pub fn count_products(&mut self, products: usize) {
        self.products += products;
        self.work += products as f64;
    }

    /// Counts work that is no product, in sweeps.
    pub(crate) fn count_work(&mut self, sweeps: f64) {
        self.work += sweeps;
    }

    /// Names the method at work, for observers.
    pub fn set_method(&mut self, method: &'static str) {
        self.method = method;
    }

    /// Opens a stage of a composed method: its own name, iteration and stall limits within the
    /// whole.
    pub fn begin_stage(
        &mut self,
        method: &'static str,
        max_iterations: Option<usize>,
        stall: Option<StallRule>,
    ) {
        self.iterations_before += self.iterations;
        self.iterations = 0;
        self.method = method;
        self.stage_limit = max_iterations;
        self.stall = stall.map(StallWatch::new);
    }

    /// A monitor for a subproblem: what is left of the time, the same cancellation, observer and
    /// reductions. No history, since its residuals are of another problem.
    pub fn nested<'b>(&'b mut self, limits: Limits, law: Law) -> Monitor<'b>
    where
        'a: 'b,
    {
        let outer = OuterSolve {
            started: self.outer.map_or(self.started, |o| o.started),
            iterations: self.outer.map_or(0, |o| o.iterations)
                + self.iterations_before
                + self.iterations,
            best: self.outer.map_or(self.best, |o| o.best),
        };
        let watch = Watch {
            history: 0,
            ..self.watch.reborrow()
        };
        let limits = Limits {
            max_work: limits.max_work.min(self.limits.max_work - self.work),
            ..limits
        };
        let mut inner = Monitor::of(watch, limits, law);
        inner.method = self.method;
        inner.outer = Some(outer);
        inner
    }

    /// Seconds until the time limit; `None` without one.
    pub fn seconds_left(&self) -> Option<f64> {
        let deadline = self.watch.deadline?;
        let left = deadline.saturating_duration_since(Instant::now());
        Some(left.as_secs_f64())
    }

    /// Iterations until the limit, of the whole or of the stage: what a nested solve may take.
    pub fn iterations_left(&self) -> usize {
        let whole = self
            .limits
            .max_iterations
            .saturating_sub(self.iterations_before + self.iterations);
        let stage = self
            .stage_limit
            .map(|limit| limit.saturating_sub(self.iterations));
        stage.map_or(whole, |stage| stage.min(whole))
    }

    /// Whether `iteration` is one to check at: every so many, and the last that a limit allows.
    pub fn is_due(&self, iteration: usize, every: usize) -> bool {
        let last = self
            .limits
            .max_iterations
            .saturating_sub(self.iterations_before);
        let last = self.stage_limit.map_or(last, |limit| limit.min(last));
        iteration.is_multiple_of(every) || iteration >= last
    }

    /// Whether some number on the way was infinite or NaN.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Notes whether a number is infinite or NaN, here or in a nested solve. A solve that stalls
    /// after that has broken down.
    pub(crate) fn note_overflow(&mut self, overflowed: bool) {
        self.overflowed |= overflowed;
    }

    /// Counts the iterations and products of a nested solve as this one's own.
    pub fn absorb(&mut self, inner: &SolveInfo) {
        self.iterations_before += inner.iterations;
        self.products += inner.products;
        self.work += inner.work;
    }
}
