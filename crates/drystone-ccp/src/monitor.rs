//! When to stop, what to remember, whom to tell: shared by all solvers, so that `tolerance`, limits,
//! cancellation, history and fall-back mean the same in each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::operator::Operator;
use crate::outcome::{HistoryRow, Progress, SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::reduce::{Local, Reduce};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Relative natural-map residual to reach, > 0.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Longest time; `None` for as long as it takes.
    pub time_limit: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 1_000_000,
            time_limit: None,
        }
    }
}

/// Watches one solve.
pub struct Monitor<'a> {
    limits: Limits,
    law: Law,
    method: &'static str,
    reduce: &'a dyn Reduce,
    cancel: Option<&'a AtomicBool>,
    observer: Option<&'a mut (dyn FnMut(&Progress) + 'a)>,
    /// Most history rows to keep; 0 for none.
    history_limit: usize,
    /// Every how many checks a row is kept: doubled when the limit is reached.
    history_stride: usize,
    checks: usize,
    fall_back: bool,
    product_limit: usize,
    /// Residuals to take snapshots at, falling; those taken are gone.
    snapshots_at: Vec<f64>,
    snapshots: Vec<Snapshot>,
    history: Vec<HistoryRow>,
    started: Instant,
    /// What an observer of a nested solve must know of the one around it.
    outer: Option<Outer>,
    products: usize,
    /// Iterations of the stages before this one.
    iterations_before: usize,
    iterations: usize,
    stall: Option<StallRule>,
    stage_limit: Option<usize>,
    scale: Option<f64>,
    best: f64,
    best_gamma: Vec<f64>,
    mark_iteration: usize,
    mark_best: f64,
}

/// The solve around a nested one.
#[derive(Clone, Copy, Debug)]
struct Outer {
    started: Instant,
    /// Iterations before the nested solve.
    iterations: usize,
    /// Its best residual so far.
    best: f64,
}

/// A point on the way of a solve.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The relative residual that it was to be below.
    pub below: f64,
    /// Its own.
    pub residual: f64,
    /// Iterations so far, of all stages together.
    pub iteration: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// The point, N s.
    pub gamma: Vec<f64>,
}

/// A solve is stalled when `window` iterations did not cut the best residual by `factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StallRule {
    /// Iterations to wait.
    pub window: usize,
    /// Factor, in (0, 1), that the best residual must fall by within the window.
    pub factor: f64,
}

impl<'a> Monitor<'a> {
    /// Starts the clock.
    pub fn new(limits: Limits, law: Law) -> Self {
        Self {
            limits,
            law,
            method: "",
            reduce: &Local,
            cancel: None,
            observer: None,
            history_limit: 0,
            history_stride: 1,
            checks: 0,
            fall_back: true,
            product_limit: usize::MAX,
            snapshots_at: Vec::new(),
            snapshots: Vec::new(),
            history: Vec::new(),
            started: Instant::now(),
            outer: None,
            products: 0,
            iterations_before: 0,
            iterations: 0,
            stall: None,
            stage_limit: None,
            scale: None,
            best: f64::INFINITY,
            best_gamma: Vec::new(),
            mark_iteration: 0,
            mark_best: f64::INFINITY,
        }
    }

    /// Stops as soon as the flag is set.
    pub fn cancelled_by(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Tells `observer` of every check.
    pub fn observed_by(mut self, observer: &'a mut (dyn FnMut(&Progress) + 'a)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Keeps a history row for every check.
    pub fn with_history(self) -> Self {
        self.with_history_limit(usize::MAX)
    }

    /// Keeps at most so many history rows, >= 2: when full, every second one after the first quarter goes.
    pub fn with_history_limit(mut self, rows: usize) -> Self {
        self.history_limit = rows.max(2);
        self
    }

    /// Returns the last point instead of the best: for a stage whose way leads through worse ones.
    pub fn without_fall_back(mut self) -> Self {
        self.fall_back = false;
        self
    }

    /// Keeps the first point below each of these relative residuals: what solves to those tolerances would return, from one run.
    pub fn with_snapshots(mut self, residuals: &[f64]) -> Self {
        self.snapshots_at = residuals.to_vec();
        self.snapshots_at.sort_by(|a, b| b.total_cmp(a));
        self
    }

    /// The snapshots taken so far, loosest first.
    pub fn take_snapshots(&mut self) -> Vec<Snapshot> {
        std::mem::take(&mut self.snapshots)
    }

    /// Ends at the first check after so many products with N, as at the iteration limit: a fair measure between methods whose
    /// iterations cost differently.
    pub fn with_product_limit(mut self, products: usize) -> Self {
        self.product_limit = products;
        self
    }

    /// Takes sums and maxima over several processes.
    pub fn reduced_by(mut self, reduce: &'a dyn Reduce) -> Self {
        self.reduce = reduce;
        self
    }

    /// The reductions to use.
    pub fn reduce(&self) -> &'a dyn Reduce {
        self.reduce
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

    /// Best residual so far.
    pub fn best(&self) -> f64 {
        self.best
    }

    /// The point with the best residual; empty before the first check.
    pub fn best_point(&self) -> &[f64] {
        &self.best_gamma
    }

    /// Counts products with N.
    pub fn count_products(&mut self, products: usize) {
        self.products += products;
    }

    /// Names the method at work, for observers.
    pub fn set_method(&mut self, method: &'static str) {
        self.method = method;
    }

    /// Opens a stage of a composed method: its own name, iteration and stall limits within the whole.
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
        self.stall = stall;
        self.mark_iteration = 0;
        self.mark_best = f64::INFINITY;
    }

    /// A monitor for a subproblem: what is left of the time, the same cancellation and observer, no history, since its
    /// residuals are of another problem.
    pub fn nested<'b>(&'b mut self, limits: Limits, law: Law) -> Monitor<'b>
    where
        'a: 'b,
    {
        let left = self.seconds_left().map(Duration::from_secs_f64);
        let time_limit = match (left, limits.time_limit) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let mut inner = Monitor::new(
            Limits {
                time_limit,
                ..limits
            },
            law,
        );
        inner.cancel = self.cancel;
        inner.reduce = self.reduce;
        inner.method = self.method;
        inner.outer = Some(Outer {
            started: self.outer.map_or(self.started, |o| o.started),
            iterations: self.outer.map_or(0, |o| o.iterations)
                + self.iterations_before
                + self.iterations,
            best: self.outer.map_or(self.best, |o| o.best),
        });
        inner.observer = match &mut self.observer {
            Some(observer) => Some(&mut **observer),
            None => None,
        };
        inner
    }

    /// Seconds until the time limit; `None` without one.
    pub fn seconds_left(&self) -> Option<f64> {
        let limit = self.limits.time_limit?;
        Some(limit.saturating_sub(self.started.elapsed()).as_secs_f64())
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

    /// Counts the iterations and products of a nested solve as this one's own.
    pub fn absorb(&mut self, inner: &SolveInfo) {
        self.iterations_before += inner.iterations;
        self.products += inner.products;
    }

    /// Whether a limit, the caller or the clock says stop, without a new residual: for long inner work.
    pub fn interrupted(&self) -> Option<Termination> {
        if self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Termination::Cancelled);
        }
        if self.seconds_left() == Some(0.0) {
            return Some(Termination::TimeLimit);
        }
        None
    }

    /// The relative residual of a point, remembered nowhere.
    pub fn residual<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        gamma: &[f64],
        velocity: &[f64],
    ) -> f64 {
        let law = self.law;
        let scale = *self
            .scale
            .get_or_insert_with(|| problem.residual_scale(law, self.reduce));
        problem
            .residual(law, gamma, velocity, scale, self.reduce)
            .relative
    }

    /// Judges `gamma`, whose `velocity = N gamma + r` the solver has at hand; remembers it if it is the best yet.
    /// `Some` means stop.
    pub fn check<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        iteration: usize,
        gamma: &[f64],
        velocity: &[f64],
    ) -> Option<Termination> {
        let law = self.law;
        let scale = *self
            .scale
            .get_or_insert_with(|| problem.residual_scale(law, self.reduce));
        let residual = problem.residual(law, gamma, velocity, scale, self.reduce);
        self.iterations = iteration;
        if residual.relative < self.best {
            self.best = residual.relative;
            self.best_gamma.clear();
            self.best_gamma.extend_from_slice(gamma);
        }
        let total = self.iterations_before + iteration;
        let seconds = self.started.elapsed().as_secs_f64();
        if let Some(observer) = &mut self.observer {
            let outer = self.outer;
            observer(&Progress {
                method: self.method,
                iteration: outer.map_or(0, |o| o.iterations) + total,
                seconds: outer.map_or(seconds, |o| o.started.elapsed().as_secs_f64()),
                residual: residual.relative,
                best: outer.map_or(self.best, |o| o.best),
                nested: outer.is_some(),
            });
        }
        while let Some(&below) = self.snapshots_at.first()
            && residual.relative <= below
        {
            self.snapshots_at.remove(0);
            self.snapshots.push(Snapshot {
                below,
                residual: residual.relative,
                iteration: total,
                seconds,
                gamma: gamma.to_vec(),
            });
        }
        let stop = self.decide(iteration, total, residual.relative);
        // The row that ends the solve is always kept.
        let due = self.checks.is_multiple_of(self.history_stride) || stop.is_some();
        if self.history_limit > 0 && due {
            if self.history.len() >= self.history_limit {
                // The first quarter stays whole: the early iterations are most of a logarithmic axis.
                let head = self.history_limit / 4;
                let mut row = 0_usize;
                self.history.retain(|_| {
                    row += 1;
                    row <= head || row % 2 == 1
                });
                self.history_stride *= 2;
            }
            self.history.push(HistoryRow {
                iteration: total,
                products: self.products,
                seconds,
                residual: residual.relative,
                residual_velocity: residual.largest,
                objective: problem.objective_with(gamma, velocity, self.reduce),
                measures: problem.paper_measures(gamma, velocity, self.reduce),
            });
        }
        self.checks += 1;
        stop
    }

    fn decide(&mut self, iteration: usize, total: usize, residual: f64) -> Option<Termination> {
        if residual <= self.limits.tolerance {
            return Some(Termination::Converged);
        }
        if !residual.is_finite() {
            return Some(Termination::Broke);
        }
        if let Some(stop) = self.interrupted() {
            return Some(stop);
        }
        if total >= self.limits.max_iterations
            || self.products >= self.product_limit
            || self.stage_limit.is_some_and(|limit| iteration >= limit)
        {
            return Some(Termination::IterationLimit);
        }
        let rule = self.stall?;
        if self.best < rule.factor * self.mark_best {
            self.mark_best = self.best;
            self.mark_iteration = iteration;
        }
        (iteration >= self.mark_iteration + rule.window).then_some(Termination::Stalled)
    }

    /// Puts the best point into `gamma` and certifies it.
    pub fn finish<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        method: &'static str,
        termination: Termination,
        gamma: &mut [f64],
    ) -> SolveInfo {
        self.finish_in(problem, method, termination, gamma, &mut Vec::new())
    }

    /// [`Monitor::finish`] with the memory of a work vector as long as the problem.
    pub(crate) fn finish_in<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        method: &'static str,
        termination: Termination,
        gamma: &mut [f64],
        velocity: &mut Vec<f64>,
    ) -> SolveInfo {
        if self.fall_back && self.best_gamma.len() == gamma.len() {
            gamma.copy_from_slice(&self.best_gamma);
        }
        // Some methods come to the cones from outside; what is returned lies in them.
        problem.cones().project(gamma);
        velocity.resize(gamma.len(), 0.0);
        problem.velocity(gamma, velocity);
        let certificate = problem.certificate(self.law, gamma, velocity, self.reduce);
        // The certificate has the last word.
        let converged = certificate.residual <= self.limits.tolerance;
        let termination = match termination {
            Termination::Converged if !converged => Termination::Stalled,
            other => other,
        };
        SolveInfo {
            method,
            law: self.law,
            termination,
            iterations: self.iterations_before + self.iterations,
            products: self.products,
            seconds: self.started.elapsed().as_secs_f64(),
            certificate,
            history: std::mem::take(&mut self.history),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sliding_contact;

    #[test]
    fn snapshots_are_what_solves_to_their_tolerances_return() {
        use crate::cone::Cone;
        use crate::solvers::{Method, solve};
        // A chain of contacts, each feeling the next.
        let n = 12;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            matrix[i * n + i] = 2.0;
            if i + 3 < n {
                (matrix[i * n + i + 3], matrix[(i + 3) * n + i]) = (-0.98, -0.98);
            }
        }
        let r: Vec<f64> = (0..n)
            .map(|i| if i % 3 == 0 { -1.0 } else { 0.7 })
            .collect();
        let problem = crate::testing::dense_problem(&matrix, &r, &[Cone::friction(0.5); 4]);
        let run = |tolerance: f64, at: &[f64]| {
            let limits = Limits {
                tolerance,
                ..Limits::default()
            };
            let mut monitor = Monitor::new(limits, Law::Relaxed).with_snapshots(at);
            let mut gamma = vec![0.0; problem.dim()];
            let info = solve(&problem, Method::Apgd, &mut gamma, &mut monitor).unwrap();
            (info.iterations, gamma, monitor.take_snapshots())
        };
        let (_, _, snapshots) = run(1e-8, &[1e-4, 1e-1]);
        assert_eq!(snapshots.len(), 2);
        for (snapshot, tolerance) in snapshots.iter().zip([1e-1, 1e-4]) {
            let (iterations, gamma, _) = run(tolerance, &[]);
            assert_eq!(snapshot.below, tolerance);
            assert_eq!(snapshot.iteration, iterations);
            assert_eq!(snapshot.gamma, gamma);
        }
    }

    #[test]
    fn a_bounded_history_keeps_its_start_and_its_end() {
        let problem = sliding_contact();
        let limits = Limits {
            tolerance: 1e-300,
            max_iterations: 1000,
            time_limit: None,
        };
        let mut monitor = Monitor::new(limits, Law::Relaxed).with_history_limit(16);
        let mut gamma = vec![0.0; problem.dim()];
        let velocity = problem.r().to_vec();
        let stop = (0..).find_map(|i| monitor.check(&problem, i, &gamma, &velocity));
        assert_eq!(stop, Some(Termination::IterationLimit));
        let info = monitor.finish(&problem, "", Termination::IterationLimit, &mut gamma);
        let rows: Vec<usize> = info.history.iter().map(|row| row.iteration).collect();
        assert!(rows.len() <= 16, "{rows:?}");
        assert_eq!(rows[..4], [0, 1, 2, 3]);
        assert_eq!(rows[rows.len() - 1], 1000);
        assert!(rows.is_sorted());
    }
}
