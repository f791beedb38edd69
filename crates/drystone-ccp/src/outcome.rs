//! What comes of a solve: why it stopped, what it cost, what the answer is worth.

use crate::problem::Law;
use crate::residual::{Certificate, PaperMeasures};

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// The residual reached the tolerance.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// The limit of work was reached first.
    WorkLimit,
    /// The time limit was reached first.
    TimeLimit,
    /// The residual no longer fell.
    Stalled,
    /// The caller cancelled.
    Cancelled,
    /// A number was no longer finite, or a factorisation failed for good or does not fit into its
    /// bound of memory.
    Broke,
}

impl Termination {
    /// A word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::IterationLimit => "iteration-limit",
            Self::WorkLimit => "work-limit",
            Self::TimeLimit => "time-limit",
            Self::Stalled => "stalled",
            Self::Cancelled => "cancelled",
            Self::Broke => "broke",
        }
    }
}

/// One line of the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryRow {
    /// Iteration; 0 is the start.
    pub iteration: usize,
    /// Products with N so far.
    pub products: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// Relative natural-map residual.
    pub residual: f64,
    /// Largest share of one block in it, m/s.
    pub residual_velocity: f64,
    /// Objective, J.
    pub objective: f64,
    /// The papers' measures.
    pub measures: PaperMeasures,
}

/// What an observer is told at each check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The method at work.
    pub method: &'static str,
    /// Iteration; 0 is the start.
    pub iteration: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// Relative natural-map residual now: of the subproblem, if the solve is `nested`.
    pub residual: f64,
    /// The best so far, of the problem itself.
    pub best: f64,
    /// Whether a subproblem is at work, as in a fixed point.
    pub nested: bool,
}

/// What came of a solve, on every path.
#[must_use]
#[derive(Clone, Debug)]
pub struct SolveInfo {
    /// The method that gave the answer.
    pub method: &'static str,
    /// The law it was judged by.
    pub law: Law,
    /// Why it stopped.
    pub termination: Termination,
    /// Iterations, of all stages together.
    pub iterations: usize,
    /// Products with N, of all stages together. A sweep over all blocks counts as one.
    pub products: usize,
    /// Work of all stages together, in sweeps: see [`crate::Limits::max_work`].
    pub work: f64,
    /// Wall-clock time, s.
    pub seconds: f64,
    /// What the returned point is worth.
    pub certificate: Certificate,
    /// One row for each check, where asked for.
    pub history: Vec<HistoryRow>,
    /// What `auto` tried, in order. Empty for all other methods.
    pub attempts: Vec<Attempt>,
}

/// A method that `auto` tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: &'static str,
    /// Why it was chosen at its place.
    pub why: &'static str,
    /// Why it stopped.
    pub termination: Termination,
    /// Its iterations.
    pub iterations: usize,
    /// Best relative residual of the solve after it.
    pub residual: f64,
    /// Its wall-clock time, s.
    pub seconds: f64,
}

impl std::fmt::Display for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            method,
            why,
            termination,
            iterations,
            residual,
            seconds,
        } = self;
        let ended = termination.name();
        write!(
            f,
            "{method} ({why}): {ended} at {residual:.1e} after {iterations} iterations, {seconds:.2} s"
        )
    }
}

impl SolveInfo {
    /// Whether the residual reached the tolerance.
    pub fn converged(&self) -> bool {
        self.termination == Termination::Converged
    }
}
