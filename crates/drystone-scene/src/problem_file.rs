//! Contact problems in files: FCLIB (`.hdf5`, `.h5`).
//!
//! [`read_problem`] looks at the content and falls back on the extension. Whatever the file holds, the
//! answer is a problem or an error that names the file and the place in it.

mod error;
mod fclib;
mod hdf5;
mod matrix;

use std::path::Path;

use drystone_ccp::{Ccp, Sparse, TwoBody};

pub use error::{Fault, FileError};
pub use fclib::{LocalBilateral, LocalProblem};
pub use matrix::Storage;

/// A cone problem in the form that its file holds.
#[derive(Clone, Debug)]
pub enum Problem {
    /// N as a sparse matrix.
    Sparse(Ccp<Sparse>),
    /// N from two-body Jacobians.
    TwoBody(Ccp<TwoBody>),
}

/// What a problem file holds.
#[derive(Clone, Debug)]
pub struct ProblemFile {
    /// Title from inside the file, else the file's name without extension.
    pub title: String,
    /// The problem.
    pub problem: Problem,
    /// Impulses to start from.
    pub guess: Option<Vec<f64>>,
    /// Impulses that somebody found to solve it.
    pub solution: Option<Vec<f64>>,
}

/// Reads a problem.
pub fn read_problem(path: impl AsRef<Path>) -> Result<ProblemFile, FileError> {
    let path = path.as_ref();
    read(path).map_err(|fault| fault.of(path))
}

fn read(path: &Path) -> Result<ProblemFile, Fault> {
    let bytes = std::fs::read(path)?;
    let tree = hdf5::Tree::open(bytes)?;
    let root = "/fclib_local";
    let local = LocalProblem::read(&tree, root)?;
    let problem = Problem::Sparse(local.to_ccp()?);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let title = if local.title.is_empty() {
        stem.into_owned()
    } else {
        local.title
    };
    Ok(ProblemFile {
        title,
        problem,
        guess: tree.optional_reals("/guesses/1/r")?,
        solution: tree.optional_reals("/solution/r")?,
    })
}
