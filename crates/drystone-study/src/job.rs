//! One run of one method on one problem.

use std::path::Path;
use std::sync::Mutex;

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
    /// Mean of the diagonal of N, 1/kg: the scale `w` of the residual.
    pub mean_diagonal: f64,
    /// Whether N is symmetric, so that there is something to minimise.
    pub symmetric: bool,
}

impl ProblemFacts {
    /// The facts of a problem.
    pub fn of(problem: &Problem) -> Self {
        Self {
            contacts: problem.contacts(),
            rows: problem.dim(),
            mean_diagonal: problem.mean_diagonal(),
            symmetric: problem.is_symmetric(),
        }
    }
}

/// A method, and how it is run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The method with its options.
    pub method: MethodSettings,
    /// The friction law.
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
        self.run_shelving(problem, gamma, control, None)
    }

    /// The same, with a copy of each best point put on the shelf, for another thread.
    pub fn run_shelving(
        &self,
        problem: &Problem,
        gamma: &mut [f64],
        control: Control<'_>,
        shelf: Option<&Mutex<Vec<f64>>>,
    ) -> Result<SolveInfo, SolverError> {
        let mut observer = |progress: &_| control.tell(Event::Solve(progress));
        let mut monitor = Monitor::new(self.limits, self.law)
            .cancelled_by(control.flag())
            .observed_by(&mut observer);
        if let Some(rows) = self.history {
            monitor = monitor.with_history_limit(rows);
        }
        if let Some(shelf) = shelf {
            monitor = monitor.shelving(shelf);
        }
        problem.solve_with(&self.method, gamma, &mut monitor)
    }
}

/// A problem's name in tables: its file's name without the extension.
pub fn problem_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    stem.to_string_lossy().into_owned()
}
