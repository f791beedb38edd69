//! How a monitor judges points: the checks on the way, and the certificate at the end.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::{Monitor, OuterSolve};
use crate::operator::Operator;
use crate::outcome::{HistoryRow, Progress, SolveInfo, Termination};
use crate::problem::Ccp;
use crate::residual::{Certificate, Residual, ResidualScale};

impl Monitor<'_> {
    /// Whether the caller or the clock says stop, without a new residual: for long inner work.
    /// Several processes agree: they all stop as soon as one of them must.
    pub fn interrupted(&self) -> Option<Termination> {
        let cancel = self.watch.cancel;
        let own = if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            2.0
        } else if self.seconds_left() == Some(0.0) {
            1.0
        } else {
            0.0
        };
        match self.reduce().max(own) {
            0.0 => None,
            1.0 => Some(Termination::TimeLimit),
            _ => Some(Termination::Cancelled),
        }
    }

    /// The relative residual of a point, remembered nowhere.
    pub fn residual<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        gamma: &[f64],
        velocity: &[f64],
    ) -> f64 {
        let scale = self.scale(problem);
        problem
            .residual(self.law, gamma, velocity, scale, self.reduce())
            .relative
    }

    /// What residuals are measured by, taken once.
    pub(crate) fn scale<N: Operator>(&mut self, problem: &Ccp<N>) -> ResidualScale {
        let (law, reduce) = (self.law, self.reduce());
        *self
            .scale
            .get_or_insert_with(|| problem.residual_scale(law, reduce))
    }

    /// Judges `gamma`, whose `velocity = N gamma + r` the solver has at hand; remembers it if it is
    /// the best yet. `Some` means stop.
    pub fn check<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        iteration: usize,
        gamma: &[f64],
        velocity: &[f64],
    ) -> Option<Termination> {
        let (scale, reduce) = (self.scale(problem), self.reduce());
        let residual = problem.residual(self.law, gamma, velocity, scale, reduce);
        self.iterations = iteration;
        if residual.relative < self.best || self.is_reached(residual) {
            self.keep(residual.relative, gamma);
        }
        let total = self.iterations_before + iteration;
        let seconds = self.started.elapsed().as_secs_f64();
        self.tell(total, seconds, residual.relative);
        self.snapshots
            .offer(residual.relative, total, seconds, gamma);
        let stop = self.decide(iteration, total, residual);
        if self.history.is_due(stop.is_some()) {
            self.history.push(HistoryRow {
                iteration: total,
                products: self.products,
                seconds,
                residual: residual.relative,
                residual_velocity: residual.largest,
                objective: problem.objective_with(gamma, velocity, reduce),
                measures: problem.paper_measures(gamma, velocity, reduce),
            });
        }
        stop
    }

    /// Whether checks must come with the point itself: somebody wants a history or snapshots.
    pub(crate) fn wants_points(&self) -> bool {
        self.history.is_wanted() || self.snapshots.are_wanted()
    }

    /// Whether one of the tolerances is reached.
    pub(crate) fn is_reached(&self, residual: Residual) -> bool {
        let slow = |limit: f64| residual.largest <= limit;
        residual.relative <= self.limits.tolerance
            || self.limits.velocity_tolerance.is_some_and(slow)
    }

    /// The same as [`Monitor::check`] by a residual that the solver has at hand. The solver keeps
    /// the point if it is better than [`Monitor::best`] or [`Monitor::is_reached`], and hands the
    /// one that it kept to [`Monitor::take_best_point`] before the end.
    pub(crate) fn check_residual(
        &mut self,
        iteration: usize,
        residual: Residual,
    ) -> Option<Termination> {
        self.iterations = iteration;
        if residual.relative < self.best {
            self.best = residual.relative;
        }
        let total = self.iterations_before + iteration;
        let seconds = self.started.elapsed().as_secs_f64();
        self.tell(total, seconds, residual.relative);
        self.decide(iteration, total, residual)
    }

    /// Tells the observer of a residual that is another problem's than the one that is judged.
    pub(crate) fn tell_nested(&mut self, iteration: usize, residual: f64) {
        let total = self.iterations_before + iteration;
        let outer = self.outer;
        self.outer = outer.or(Some(OuterSolve {
            started: self.started,
            iterations: 0,
            best: self.best,
        }));
        self.tell(total, self.started.elapsed().as_secs_f64(), residual);
        self.outer = outer;
    }

    /// Takes the point whose residual is [`Monitor::best`].
    pub(crate) fn take_best_point(&mut self, gamma: &[f64]) {
        self.best_gamma.clear();
        self.best_gamma.extend_from_slice(gamma);
    }

    /// Tells the observer of a check; of a nested solve as part of the one around it.
    fn tell(&mut self, iteration: usize, seconds: f64, residual: f64) {
        let (outer, best, method) = (self.outer, self.best, self.method);
        if let Some(observer) = &mut self.watch.observer {
            observer(&Progress {
                method,
                iteration: outer.map_or(0, |o| o.iterations) + iteration,
                seconds: outer.map_or(seconds, |o| o.started.elapsed().as_secs_f64()),
                residual,
                best: outer.map_or(best, |o| o.best),
                nested: outer.is_some(),
            });
        }
    }

    fn decide(
        &mut self,
        iteration: usize,
        total: usize,
        residual: Residual,
    ) -> Option<Termination> {
        if self.is_reached(residual) {
            return Some(Termination::Converged);
        }
        if !residual.relative.is_finite() {
            self.note_overflow(true);
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
        if self.work >= self.limits.max_work {
            return Some(Termination::WorkLimit);
        }
        let stalled = self.stall.as_mut()?.is_stalled(iteration, self.best);
        stalled.then_some(Termination::Stalled)
    }

    /// Ends the solve at `stop` with the best point in `gamma`, or says that it must go on: `None`.
    ///
    /// It must go on where a check found the tolerance reached and the certificate does not. A
    /// velocity that follows `gamma` by recurrence drifts by rounding, so a check may be wrong; the
    /// certificate is from a fresh product. To end there as stalled would give up on a solve that
    /// reaches the same tolerance a little later. `gamma` is then the point that was claimed and
    /// `velocity` its own: the solver must start its recurrence afresh from them.
    pub(crate) fn conclude<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        method: &'static str,
        stop: Termination,
        gamma: &mut [f64],
        velocity: &mut Vec<f64>,
    ) -> Option<SolveInfo> {
        let certificate = self.certify(problem, gamma, velocity);
        let termination = if self.is_false_claim(stop, &certificate) {
            self.keep(certificate.residual, gamma);
            let total = self.iterations_before + self.iterations;
            self.decide(self.iterations, total, certificate.reached())?
        } else {
            stop
        };
        Some(self.info(method, termination, certificate))
    }

    /// Puts the best point into `gamma` and certifies it. The certificate has the last word: what
    /// only claimed to have converged is stalled.
    pub fn finish<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        method: &'static str,
        termination: Termination,
        gamma: &mut [f64],
    ) -> SolveInfo {
        let certificate = self.certify(problem, gamma, &mut Vec::new());
        let termination = if self.is_false_claim(termination, &certificate) {
            Termination::Stalled
        } else {
            termination
        };
        self.info(method, termination, certificate)
    }

    /// Remembers the best point yet.
    fn keep(&mut self, residual: f64, gamma: &[f64]) {
        self.best = residual;
        self.best_gamma.clear();
        self.best_gamma.extend_from_slice(gamma);
        if let Some(shelf) = self.shelf {
            let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.clone_from(&self.best_gamma);
        }
    }

    /// Puts the best point into `gamma`, its velocity into `velocity`, and says what it is worth.
    /// What is returned is finite, however the method ended.
    fn certify<N: Operator>(
        &self,
        problem: &Ccp<N>,
        gamma: &mut [f64],
        velocity: &mut Vec<f64>,
    ) -> Certificate {
        if self.fall_back && self.best_gamma.len() == gamma.len() {
            gamma.copy_from_slice(&self.best_gamma);
        }
        // Some methods come to the cones from outside; what is returned lies in them.
        problem.cones().project(gamma);
        if self.not_finite(gamma) {
            // A method that broke down before its first check, or one that returns its last point.
            match self.best_gamma.len() == gamma.len() {
                true => gamma.copy_from_slice(&self.best_gamma),
                false => gamma.fill(0.0),
            }
            problem.cones().project(gamma);
        }
        if self.not_finite(gamma) {
            gamma.fill(0.0); // the projection of the best point overflows
            problem.cones().project(gamma);
        }
        velocity.resize(gamma.len(), 0.0);
        problem.velocity(gamma, velocity);
        problem.certificate(self.law, gamma, velocity, self.reduce())
    }

    /// Whether a number is infinite or NaN on any process.
    fn not_finite(&self, gamma: &[f64]) -> bool {
        let here = gamma.iter().any(|g| !g.is_finite());
        self.reduce().max(f64::from(here)) > 0.0
    }

    fn is_false_claim(&self, stop: Termination, certificate: &Certificate) -> bool {
        stop == Termination::Converged && !self.is_reached(certificate.reached())
    }

    /// The word for how a solve ended. One that no longer gains because its numbers overflow has
    /// broken down, and so has one that found no point whose residual is a number.
    fn plain_word(&self, stop: Termination, certificate: &Certificate) -> Termination {
        let judged = certificate.residual.is_finite();
        match stop {
            Termination::Stalled if self.overflowed() || !judged => Termination::Broke,
            Termination::IterationLimit | Termination::WorkLimit if !judged => Termination::Broke,
            Termination::Converged
            | Termination::IterationLimit
            | Termination::WorkLimit
            | Termination::TimeLimit
            | Termination::Stalled
            | Termination::Cancelled
            | Termination::Broke => stop,
        }
    }

    fn info(
        &mut self,
        method: &'static str,
        stop: Termination,
        certificate: Certificate,
    ) -> SolveInfo {
        SolveInfo {
            method,
            law: self.law,
            termination: self.plain_word(stop, &certificate),
            iterations: self.iterations_before + self.iterations,
            products: self.products,
            work: self.work,
            seconds: self.started.elapsed().as_secs_f64(),
            certificate,
            history: self.history.take(),
            attempts: Vec::new(),
        }
    }
}
