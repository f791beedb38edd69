//! One scene with many values of its parameters: which runs there are, with which seeds and in
//! which folders, what has been done of them, and a table of what came of it.
//!
//! The plan depends on its arguments alone. A run's seed follows from its place in the plan, not
//! from who runs it or when. So any number of workers gives the same runs, and a sweep that was
//! stopped goes on where it was. The runs themselves are processes: one that crashes or takes all
//! memory ends alone.
//!
//! In the sweep's folder: `sweep.json` (the plan), `results.csv` (a row a run) and one run folder a
//! run, `run-0001` and so on.

mod plan;
mod table;
mod work;

pub use plan::{SweepPlan, SweepRun, SweepSource, split_values};
pub use table::{COLUMNS, SweepTable};
pub use work::{SweepEvent, SweepOutcome, SweepTask, run_sweep};

use std::path::PathBuf;

use drystone_scene::SceneError;

/// The plan in the sweep's folder.
pub const PLAN: &str = "sweep.json";
/// The table in the sweep's folder.
pub const RESULTS: &str = "results.csv";

/// Why a sweep cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The scene does not take the values of a run.
    #[error("run {run} ({values}): {source}")]
    Scene {
        /// Number of the run, from 1.
        run: usize,
        /// Its parameters.
        values: String,
        /// Why.
        source: Box<SceneError>,
    },
    /// The plan cannot be.
    #[error("{0}")]
    Plan(String),
    /// The folder holds another sweep.
    #[error(
        "{}: holds another sweep, with {what} {found} and not {expected}; choose another folder",
        path.display()
    )]
    Another {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// There.
        found: String,
        /// Asked for.
        expected: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What the operating system says of a file.
fn io_error(path: impl Into<PathBuf>, source: std::io::Error) -> SweepError {
    SweepError::Io {
        path: path.into(),
        source,
    }
}
