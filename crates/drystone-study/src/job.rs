//! One run of one method on one problem.

use drystone_ccp::{Law, Limits, MethodSettings, Monitor, SolveInfo, SolverError};
use drystone_problems::Problem;
use drystone_run::{Control, Event};

/// What a table says of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProblemFacts {
    /// Contacts.
    pub contacts: usize,
    /// Rows.
    pub rows: usize,
    /// The `w` of the residual, 1/kg.
    pub mean_diagonal: f64,
    /// Whether N is symmetric, so that there is something to minimise.
    pub symmetric: bool,
}

impl ProblemFacts {
    /// Those of a problem.
    pub fn of(problem: &Problem) -> Self {
        Self {
            contacts: problem.contacts(),
            rows: problem.dim(),
            mean_diagonal: problem.mean_diagonal(),
            symmetric: problem.is_symmetric(),
        }
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The method with its options.
    pub method: MethodSettings,
    /// The law.
    pub law: Law,
    /// When to stop.
    pub limits: Limits,
    /// Most history rows to keep; `None` for no history.
    pub history: Option<usize>,
}

impl Job {
    /// Runs it. `gamma` is the start and becomes the best point found.
    pub fn run(
        &self,
        problem: &Problem,
        gamma: &mut [f64],
        control: Control<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let mut observer = |progress: &_| control.tell(Event::Solve(progress));
        let mut monitor = Monitor::new(self.limits, self.law)
            .cancelled_by(control.flag())
            .observed_by(&mut observer);
        if let Some(rows) = self.history {
            monitor = monitor.with_history_limit(rows);
        }
        problem.solve_with(&self.method, gamma, &mut monitor)
    }
}
