//! One run of one method on one problem, as both commands need it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use drystone_ccp::{
    Ccp, Law, Limits, Method, Monitor, Operator, Progress, SolveInfo, SolverError, solve,
};
use drystone_scene::Problem;

use crate::failure::Failure;
use crate::output::to_stderr;

/// Set by Ctrl-C; every run watches it.
pub static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Whether the user asked to stop.
pub fn cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Lets the first Ctrl-C (or SIGTERM) cancel, saying `what` happens now, and the second one quit.
pub fn listen_for_cancellation(what: &'static str) {
    static SIGNALS: AtomicUsize = AtomicUsize::new(0);
    // Without a handler Ctrl-C simply quits: no reason to refuse work.
    let _ = ctrlc::set_handler(move || {
        if SIGNALS.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(130);
        }
        CANCELLED.store(true, Ordering::Relaxed);
        to_stderr(&format!("{what}; once more to quit at once"));
    });
}

/// The threads that all work runs on. Results do not depend on their number: factorisations run on one.
pub fn thread_pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Input(format!("--threads: could not start the threads: {e}")))
}

/// What a table says of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Contacts.
    pub contacts: usize,
    /// Rows.
    pub rows: usize,
    /// The `w` of the residual, 1/kg.
    pub mean_diagonal: f64,
    /// Whether N is symmetric, so that there is something to minimise.
    pub symmetric: bool,
}

/// What a table says of a problem.
pub fn facts(problem: &Problem) -> Facts {
    fn of<N: Operator>(problem: &Ccp<N>) -> Facts {
        Facts {
            contacts: problem.cones().contacts(),
            rows: problem.dim(),
            mean_diagonal: problem.mean_diagonal(&drystone_ccp::reduce::Local),
            symmetric: problem.operator().is_symmetric(),
        }
    }
    match problem {
        Problem::Sparse(problem) => of(problem),
        Problem::TwoBody(problem) => of(problem),
    }
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The method.
    pub method: Method,
    /// The law.
    pub law: Law,
    /// When to stop.
    pub limits: Limits,
    /// Most history rows to keep; `None` for no history.
    pub history: Option<usize>,
}

/// Runs a job. `gamma` is the start and becomes the best point found.
pub fn run(
    problem: &Problem,
    job: Job,
    gamma: &mut [f64],
    observer: &mut dyn FnMut(&Progress),
) -> Result<SolveInfo, SolverError> {
    let mut monitor = Monitor::new(job.limits, job.law)
        .cancelled_by(&CANCELLED)
        .observed_by(observer);
    if let Some(rows) = job.history {
        monitor = monitor.with_history_limit(rows);
    }
    match problem {
        Problem::Sparse(problem) => solve(problem, job.method, gamma, &mut monitor),
        Problem::TwoBody(problem) => solve(problem, job.method, gamma, &mut monitor),
    }
}
