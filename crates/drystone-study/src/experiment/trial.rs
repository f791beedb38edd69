//! One method on one problem, with all that the papers' tables and figures need.

use drystone_ccp::{Ccp, HistoryRow, Method, Operator, SolveInfo};

use crate::table::history_csv;
use drystone_draw::plot::CurveLook;

/// One method on one problem.
#[derive(Clone)]
pub struct Trial {
    /// The method's name in tables and legends.
    pub name: String,
    /// How its curves are drawn.
    pub look: CurveLook,
    /// How it ended, in one word.
    pub termination: &'static str,
    /// Iterations in all.
    pub iterations: usize,
    /// Wall time, s.
    pub seconds: f64,
    /// One row per check of the residual, or one for its end; never empty.
    pub history: Vec<HistoryRow>,
    /// The best point, N s.
    pub gamma: Vec<f64>,
}

impl Trial {
    /// One of our methods.
    pub fn of_method(method: Method, info: SolveInfo, gamma: Vec<f64>) -> Self {
        Self {
            name: method.name().to_owned(),
            look: CurveLook::method(method),
            termination: info.termination.name(),
            iterations: info.iterations,
            seconds: info.seconds,
            history: info.history,
            gamma,
        }
    }

    /// Where it ended.
    pub fn last(&self) -> &HistoryRow {
        // A solve checks at least once.
        &self.history[self.history.len() - 1]
    }

    /// The first check at which something was reached.
    pub fn first(&self, reached: impl Fn(&HistoryRow) -> bool) -> Option<&HistoryRow> {
        self.history.iter().find(|row| reached(row))
    }

    /// The smallest value of a measure over all checks.
    pub fn best(&self, measure: impl Fn(&HistoryRow) -> f64) -> f64 {
        let values = self.history.iter().map(measure);
        values.fold(f64::INFINITY, f64::min)
    }

    /// Its history as a CSV file.
    pub fn csv(&self) -> String {
        history_csv(&self.history)
    }
}

/// The run of a method, if it was run.
pub fn trial_of(trials: &[Trial], method: Method) -> Option<&Trial> {
    trials.iter().find(|trial| trial.name == method.name())
}

/// The row of a history that a point would have: for solvers that keep no history of their own.
pub fn row_at<N: Operator>(
    problem: &Ccp<N>,
    gamma: &[f64],
    iteration: usize,
    seconds: f64,
) -> HistoryRow {
    let (law, reduce) = (drystone_ccp::Law::Relaxed, &drystone_ccp::reduce::Local);
    let mut velocity = vec![0.0; gamma.len()];
    problem.velocity(gamma, &mut velocity);
    let scale = problem.residual_scale(law, reduce);
    let residual = problem.residual(law, gamma, &velocity, scale, reduce);
    HistoryRow {
        iteration,
        products: 0,
        seconds,
        residual: residual.relative,
        residual_velocity: residual.largest,
        objective: problem.objective(gamma, &velocity),
        measures: problem.paper_measures(gamma, &velocity, reduce),
    }
}
