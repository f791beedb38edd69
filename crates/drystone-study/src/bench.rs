//! How fast the program is: one iteration of a method, whole solves, whole steps. Every figure is
//! made by the run that reports it, times stand beside the residual that was reached, and nothing
//! here judges a time: the reader does, on a machine that does nothing else.
//!
//! | bench | measures |
//! |---|---|
//! | [`kernels`](mod@kernels) | one iteration of the first-order methods, by kind of row |
//! | [`solvers`](mod@solvers) | time to several residuals on stored and generated problems |
//! | [`steps`](mod@steps) | whole steps of scenes, by stage, size and threads |
//!
//! Another package, `tests/peers`, puts other engines beside ours. It uses the same scenes
//! ([`cases`]), the same judge of overlap ([`steps::deepest_overlap`]) and [`conic`].
//!
//! Each returns a [`BenchReport`], which can be printed, written as one JSON object, and put into a
//! folder as a page with figures.

pub mod cases;
pub mod conic;
pub mod kernels;
mod process;
mod report;
pub mod solvers;
pub mod steps;

use drystone_run::{Control, SettledStates};
use rayon::ThreadPool;

use crate::error::StudyError;

pub use cases::{Motion, SceneKind};
pub use kernels::{KernelSettings, kernels};
pub use report::BenchReport;
pub use solvers::{SolverBenchSettings, problem_files, solvers};
pub use steps::{StepBenchSettings, steps};

/// What every bench is handed by its caller.
#[derive(Clone, Copy)]
pub struct BenchContext<'a> {
    /// Where settled scenes are kept.
    pub store: &'a SettledStates,
    /// The caller's means to stop the work and to watch it.
    pub control: Control<'a>,
    /// Gets the report so far after every case: a step or a factorisation that takes too long may
    /// end the program, and must not take the rest with it.
    pub keep: &'a dyn Fn(&BenchReport) -> Result<(), StudyError>,
}

/// Pools of so many threads, one for each count.
fn pools(threads: &[usize]) -> Result<Vec<(usize, ThreadPool)>, StudyError> {
    let pool = |&count: &usize| {
        let built = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let refused = |e| StudyError::Refused(format!("{count} threads could not be started: {e}"));
        Ok((count, built.map_err(refused)?))
    };
    threads.iter().map(pool).collect()
}
