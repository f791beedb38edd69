//! Runs of methods: with a history, for their time alone, for equal work, or for their answers at
//! several tolerances. All start from zero impulses, report their progress and can be cancelled.

use std::time::Duration;

use drystone_ccp::{
    Ccp, HistoryRow, Law, Limits, Method, Monitor, Progress, SolveInfo, SolverError, Termination,
    TwoBody, solve,
};

use super::bench::Bench;
use super::trial::{Trial, row_at};
use crate::error::StudyError;
use drystone_draw::plot::CurveLook;
use drystone_run::Event;

/// Most rows of a history: enough for a smooth curve over a million iterations.
const HISTORY_ROWS: usize = 20_000;

/// How far a run goes, and whether it keeps a history.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Relative residual at which the run ends.
    pub tolerance: f64,
    /// Most products with N: one per iteration for most methods, some tens per iteration for
    /// GPMINRES.
    pub products: usize,
    /// Most wall time, s.
    pub seconds: f64,
    /// Whether to keep a history.
    pub history: bool,
}

impl Bench<'_> {
    /// Runs a method and keeps its history. A solver that fails leaves a trial that says so, here
    /// and in all runs below.
    pub fn run(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<Trial, StudyError> {
        let mut gamma = vec![0.0; problem.dim()];
        let limits = (Law::Relaxed, limits);
        let ended = self.watch(what, method.name(), limits, |monitor| {
            let mut monitor = monitor.with_history_limit(HISTORY_ROWS);
            solve(problem, method, &mut gamma, &mut monitor)
        })?;
        Ok(match ended {
            Ok(info) => Trial::of_method(method, info, gamma),
            Err(why) => failed(problem, method, why),
        })
    }

    /// Runs a method without a history, but for a row at its end: its time is that of the method
    /// alone.
    pub fn run_timed(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<Trial, StudyError> {
        let ended = self.run_under(Law::Relaxed, problem, what, method, limits)?;
        Ok(match ended {
            Ok((mut info, gamma)) => {
                let end = row_at(problem, &gamma, info.iterations, info.seconds);
                info.history.push(end);
                Trial::of_method(method, info, gamma)
            }
            Err(why) => failed(problem, method, why),
        })
    }

    /// Runs a method under a law without a history; returns its information and its best point, or
    /// why it failed.
    pub fn run_under(
        &self,
        law: Law,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<Result<(SolveInfo, Vec<f64>), String>, StudyError> {
        let mut gamma = vec![0.0; problem.dim()];
        let ended = self.watch(what, method.name(), (law, limits), |mut monitor| {
            solve(problem, method, &mut gamma, &mut monitor)
        })?;
        Ok(ended.map(|info| (info, gamma)))
    }

    /// Runs a method once, and takes the first point below each of the residuals: what runs to
    /// those tolerances would end with. Last comes the point that it ended at.
    pub fn run_snapshots(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        (method, limits): (Method, Limits),
        residuals: &[f64],
    ) -> Result<Vec<Trial>, StudyError> {
        let mut gamma = vec![0.0; problem.dim()];
        let mut taken = Vec::new();
        let ended = self.watch(what, method.name(), (Law::Relaxed, limits), |monitor| {
            let mut monitor = monitor.with_snapshots(residuals);
            let info = solve(problem, method, &mut gamma, &mut monitor);
            taken = monitor.take_snapshots();
            info
        })?;
        let info = match ended {
            Ok(info) => info,
            Err(why) => return Ok(vec![failed(problem, method, why)]),
        };
        let trial = |termination, iterations, seconds, gamma: Vec<f64>| Trial {
            name: method.name().to_owned(),
            look: CurveLook::method(method),
            termination,
            iterations,
            seconds,
            history: vec![row_at(problem, &gamma, iterations, seconds)],
            gamma,
            failed: None,
        };
        let mut trials: Vec<Trial> = taken
            .into_iter()
            .map(|s| {
                let mut gamma = s.gamma;
                problem.cones().project(&mut gamma);
                trial(Termination::Converged.name(), s.iteration, s.seconds, gamma)
            })
            .collect();
        let end = info.termination.name();
        trials.push(trial(end, info.iterations, info.seconds, gamma));
        Ok(trials)
    }

    /// Runs a method until it reaches the tolerance or has used up its budget of products or of
    /// time. Without a history, which costs time, the trial has one row, for its end.
    pub fn run_budget(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        budget: &Budget,
    ) -> Result<Trial, StudyError> {
        let run =
            |gamma: &mut [f64], monitor: &mut Monitor<'_>| solve(problem, method, gamma, monitor);
        self.run_solver_budget(
            problem,
            what,
            (method.name(), CurveLook::method(method)),
            budget,
            run,
        )
    }

    /// As [`Self::run_budget`], with any solver, for instance one with other settings.
    pub fn run_solver_budget(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        (name, look): (&'static str, CurveLook),
        budget: &Budget,
        run: impl FnOnce(&mut [f64], &mut Monitor<'_>) -> Result<SolveInfo, SolverError>,
    ) -> Result<Trial, StudyError> {
        let limits = Limits {
            tolerance: budget.tolerance,
            max_iterations: budget.products,
            time_limit: Some(Duration::from_secs_f64(budget.seconds)),
            ..Limits::default()
        };
        let mut gamma = vec![0.0; problem.dim()];
        let ended = self.watch(what, name, (Law::Relaxed, limits), |monitor| {
            let mut monitor = monitor.with_product_limit(budget.products);
            if budget.history {
                monitor = monitor.with_history_limit(HISTORY_ROWS);
            }
            run(&mut gamma, &mut monitor)
        })?;
        let info = match ended {
            Ok(info) => info,
            Err(why) => return Ok(Trial::failed(problem, (name, look), why)),
        };
        let products = info.products;
        let mut trial = Trial {
            name: name.to_owned(),
            look,
            ..Trial::of_method(Method::Auto, info, gamma)
        };
        if trial.history.is_empty() {
            let end = row_at(problem, &trial.gamma, trial.iterations, trial.seconds);
            trial.history.push(HistoryRow { products, ..end });
        }
        Ok(trial)
    }

    /// Reports the progress of a solve to the caller and lets the caller cancel it. Returns why the
    /// solver failed, if it did: a claim must not drop out for it.
    fn watch(
        &self,
        what: &str,
        name: &'static str,
        (law, limits): (Law, Limits),
        run: impl FnOnce(Monitor<'_>) -> Result<SolveInfo, SolverError>,
    ) -> Result<Result<SolveInfo, String>, StudyError> {
        if self.failing.iter().any(|method| method.name() == name) {
            return Ok(Err("it was told to fail".to_owned()));
        }
        let label = format!("{}: {what}", self.id);
        self.control.tell(Event::Begin(&format!("{label}, {name}")));
        let mut observer = |p: &Progress| self.control.tell(Event::Solve(p));
        let monitor = Monitor::new(limits, law)
            .cancelled_by(self.control.flag())
            .observed_by(&mut observer);
        let outcome = run(monitor);
        self.control.tell(Event::End(None));
        if self.control.is_cancelled() {
            return Err(StudyError::Cancelled);
        }
        Ok(outcome.map_err(|error| error.to_string()))
    }
}

/// The trial of a method that failed.
fn failed(problem: &Ccp<TwoBody>, method: Method, why: String) -> Trial {
    Trial::failed(problem, (method.name(), CurveLook::method(method)), why)
}
