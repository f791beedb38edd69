//! One method on one problem, with all that the papers' tables and figures need.

use drystone_ccp::{Ccp, HistoryRow, Method, Operator, SolveInfo};

use super::claim::{Measured, NoFigure};
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
    /// Why it has no result, where the solver refused the problem or failed on it. Its history is
    /// then its start alone.
    pub failed: Option<String>,
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
            failed: None,
        }
    }

    /// One that a solver gave no result of: it stands where it began.
    pub fn failed<N: Operator>(
        problem: &Ccp<N>,
        (name, look): (&str, CurveLook),
        why: String,
    ) -> Self {
        let gamma = vec![0.0; problem.dim()];
        Self {
            name: name.to_owned(),
            look,
            termination: "failed",
            iterations: 0,
            seconds: f64::NAN,
            history: vec![row_at(problem, &gamma, 0, 0.0)],
            gamma,
            failed: Some(why),
        }
    }

    /// Itself, if it has a result.
    pub fn result(&self) -> Result<&Self, NoFigure> {
        match &self.failed {
            None => Ok(self),
            Some(why) => Err(NoFigure::Failed(format!("{} failed: {why}", self.name))),
        }
    }

    /// Iterations until a check satisfies `reached`; if none does, more than it made.
    pub fn iterations_until(&self, reached: impl Fn(&HistoryRow) -> bool) -> Measured {
        match self.first(reached) {
            Some(row) => Measured::Exactly(row.iteration as f64),
            None => Measured::AtLeast(self.last().iteration as f64),
        }
    }

    /// Products with N until a check satisfies `reached`; if none does, more than it took.
    pub fn products_until(&self, reached: impl Fn(&HistoryRow) -> bool) -> Measured {
        match self.first(reached) {
            Some(row) => Measured::Exactly(row.products as f64),
            None => Measured::AtLeast(self.last().products as f64),
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

/// The run of a method with its result. Where the caller left the method out, a claim about it is
/// not judged; where it failed, that counts against the claim.
pub fn trial_of(trials: &[Trial], method: Method) -> Result<&Trial, NoFigure> {
    trial_named(trials, method.name())
}

/// As [`trial_of`], for any solver.
pub fn trial_named<'t>(trials: &'t [Trial], name: &str) -> Result<&'t Trial, NoFigure> {
    match trials.iter().find(|trial| trial.name == name) {
        Some(trial) => trial.result(),
        None => Err(NoFigure::NotJudged(format!("{name} was left out"))),
    }
}

/// A number that a run must have reached to tell a ratio: where it did not, that counts against the
/// claim.
pub fn reached(what: &str, measured: Measured) -> Result<f64, NoFigure> {
    match measured {
        Measured::Exactly(value) => Ok(value),
        Measured::AtLeast(value) => Err(NoFigure::Failed(format!(
            "{what} did not get there in {value}"
        ))),
    }
}

/// What a method would return if it were stopped at each check: the iterate of which a measure was
/// the smallest so far. Until a row has the measure, it is the row itself: Clarabel tells its
/// residual at its end only.
pub fn kept_by_fall_back(trial: &Trial, measure: fn(&HistoryRow) -> f64) -> Vec<HistoryRow> {
    let mut best = trial.history[0];
    let keep = |row: &HistoryRow| {
        if measure(row) < measure(&best) || measure(&best).is_nan() {
            best = *row;
        }
        best
    };
    trial.history.iter().map(keep).collect()
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
