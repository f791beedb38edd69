//! Contact problems in files: read them, solve them, write them and their solutions.
//!
//! For authors of solvers, who want problems without an engine around them.
//!
//! | file | format | read | written |
//! |---|---|---|---|
//! | `.hdf5`, `.h5` | FCLIB, local and global, also rolling ([`FclibFile`]) | yes | yes |
//! | `.dat` | Siconos' text problems | yes | |
//! | `.npz` | operators of other engines: Dᵀ, masses, r, mu | yes | |
//! | `.ccp` | Drystone's own: any problem, exact to the bit ([`write_ccp`]) | yes | yes |
//!
//! [`read_problem`] tells the formats apart by content, whatever the extension. Whatever the file
//! holds, the answer is a problem or an error that names the file and the place in it: never a
//! panic. Declared sizes are checked against the size of the file before anything is allocated for
//! them. Compressed files may unpack to a hundred times their size, and a condensed global problem
//! may have 2²⁵ entries.
//!
//! Read an FCLIB file and solve it:
//!
//! ```
//! use drystone_ccp::{Law, Limits, Method, Monitor};
//! use drystone_problems::{read_problem, read_vector, write_solution};
//!
//! // A cube that slides over the ground on its four lower corners.
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/block.hdf5");
//! let file = read_problem(path)?;
//! let problem = &file.problem;
//! assert_eq!((problem.contacts(), problem.dim()), (4, 12));
//!
//! // From zero impulses to the accuracy of the default limits.
//! let mut gamma = vec![0.0; problem.dim()];
//! let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
//! let info = problem.solve(Method::Auto, &mut gamma, &mut monitor)?;
//! assert!(info.converged(), "{info:?}");
//!
//! // The solution goes to a file that h5py, or anybody else, can read.
//! let folder = tempfile::tempdir()?;
//! let solution = folder.path().join("solution.hdf5");
//! let velocity = problem.velocity(&gamma);
//! write_solution(&solution, &gamma, &velocity, problem.contact_rows())?;
//! assert_eq!(read_vector(&solution)?, gamma);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod error;
mod fclib;
mod global;
mod hdf5;
mod limits;
mod local;
mod matrix;
mod native;
mod npy;
mod npz;
mod regular;
mod siconos;
mod text;
mod vector;

use std::path::Path;

use drystone_ccp::reduce::Local;
use drystone_ccp::{
    Ccp, Cone, Cones, Method, MethodSettings, Monitor, Operator, SolveInfo, SolverError, Sparse,
    TwoBody, solve_with,
};

pub use error::{Fault, FileError};
pub use fclib::{FclibFile, FclibProblem, FclibSolution};
pub use global::GlobalProblem;
pub use local::{LocalBilateral, LocalProblem};
pub use matrix::Storage;
pub use native::{ProblemRef, write_ccp};
pub use vector::{VectorFormat, parse_vector, read_vector, write_solution, write_vector};

/// A cone problem in the form that its file holds.
#[derive(Clone, Debug)]
pub enum Problem {
    /// N as a sparse matrix.
    Sparse(Ccp<Sparse>),
    /// N from two-body Jacobians.
    TwoBody(Ccp<TwoBody>),
}

impl Problem {
    /// Number of rows.
    pub fn dim(&self) -> usize {
        match self {
            Self::Sparse(problem) => problem.dim(),
            Self::TwoBody(problem) => problem.dim(),
        }
    }

    /// Rows before the free blocks at the end: those of the contacts, where bilateral rows follow
    /// them as in files.
    pub fn contact_rows(&self) -> usize {
        let free = |cone: &&Cone| matches!(cone, Cone::Free { .. });
        let last = self.cones().as_slice().iter().rev().take_while(free);
        self.dim() - last.map(Cone::rows).sum::<usize>()
    }

    /// The velocities `N gamma + r`, m/s in the rows of contacts.
    pub fn velocity(&self, gamma: &[f64]) -> Vec<f64> {
        let mut velocity = vec![0.0; self.dim()];
        match self {
            Self::Sparse(problem) => problem.velocity(gamma, &mut velocity),
            Self::TwoBody(problem) => problem.velocity(gamma, &mut velocity),
        }
        velocity
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.cones().contacts()
    }

    /// Mean diagonal entry of N, 1/kg: the scale of the residual.
    pub fn mean_diagonal(&self) -> f64 {
        match self {
            Self::Sparse(problem) => problem.mean_diagonal(&Local),
            Self::TwoBody(problem) => problem.mean_diagonal(&Local),
        }
    }

    /// Whether N is symmetric, so that there is something to minimise.
    pub fn is_symmetric(&self) -> bool {
        match self {
            Self::Sparse(problem) => problem.operator().is_symmetric(),
            Self::TwoBody(problem) => problem.operator().is_symmetric(),
        }
    }

    /// Solves the problem by `method` under the monitor's law and limits. `gamma` is the warm start
    /// and becomes the best point found.
    pub fn solve(
        &self,
        method: Method,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        self.solve_with(&MethodSettings::new(method), gamma, monitor)
    }

    /// The same by a method with options of its own.
    pub fn solve_with(
        &self,
        settings: &MethodSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        match self {
            Self::Sparse(problem) => solve_with(problem, settings, gamma, monitor),
            Self::TwoBody(problem) => solve_with(problem, settings, gamma, monitor),
        }
    }

    /// The sets of the impulses, one per contact or joint.
    pub fn cones(&self) -> &Cones {
        match self {
            Self::Sparse(problem) => problem.cones(),
            Self::TwoBody(problem) => problem.cones(),
        }
    }
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
    let mut file = regular::read(path)
        .and_then(parse_problem)
        .map_err(|fault| fault.of(path))?;
    if file.title.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        file.title = stem.to_string_lossy().into_owned();
    }
    Ok(file)
}

/// Writes a problem, replacing a file that is there: `.ccp` always can, `.hdf5` and `.h5` where
/// FCLIB has a place for it (as a local problem, in compressed rows).
pub fn write_problem(path: impl AsRef<Path>, file: &ProblemFile) -> Result<(), FileError> {
    let path = path.as_ref();
    let (guess, solution) = (file.guess.as_deref(), file.solution.as_deref());
    match extension_of(path).as_str() {
        "ccp" => write_ccp(path, &file.title, &file.problem, guess, solution),
        "hdf5" | "h5" => to_fclib(file)
            .map_err(|fault| fault.of(path))?
            .write(path, Storage::Rows),
        _ => {
            let what = "problems are written as .ccp, .hdf5 or .h5".to_owned();
            Err(Fault::UnknownFormat(what).of(path))
        }
    }
}

/// A file's extension in lower case; empty without one. The only place where formats are told by
/// extension.
fn extension_of(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// The problem in the bytes of a file of any of the formats; the title may be empty.
pub fn parse_problem(bytes: Vec<u8>) -> Result<ProblemFile, Fault> {
    if bytes.starts_with(native::MAGIC) {
        native::parse(&bytes)
    } else if bytes.starts_with(npz::MAGIC) {
        let (problem, solution) = npz::parse(&bytes)?;
        Ok(ProblemFile {
            title: String::new(),
            problem: Problem::TwoBody(problem),
            guess: None,
            solution,
        })
    } else if hdf5::is_hdf5(&bytes) {
        from_fclib(&FclibFile::parse(bytes)?)
    } else if bytes
        .trim_ascii_start()
        .first()
        .is_some_and(u8::is_ascii_digit)
    {
        from_fclib(&FclibFile {
            problem: siconos::parse(&bytes)?,
            solution: None,
            guesses: Vec::new(),
        })
    } else {
        let kinds = "FCLIB (HDF5), Siconos (text), NumPy archive or .ccp";
        Err(Fault::UnknownFormat(format!(
            "of no known kind: expected {kinds}"
        )))
    }
}

fn from_fclib(file: &FclibFile) -> Result<ProblemFile, Fault> {
    let problem = file.problem.to_ccp()?;
    let dim = problem.dim();
    Ok(ProblemFile {
        title: file.problem.title().to_owned(),
        problem: Problem::Sparse(problem),
        guess: fclib::impulses_of(file.guesses.first(), "/guesses/1", dim)?,
        solution: fclib::impulses_of(file.solution.as_ref(), "/solution", dim)?,
    })
}

fn to_fclib(file: &ProblemFile) -> Result<FclibFile, Fault> {
    let local = match &file.problem {
        Problem::Sparse(problem) => LocalProblem::from_ccp(&file.title, problem)?,
        Problem::TwoBody(problem) => LocalProblem::from_ccp(&file.title, problem)?,
    };
    let rows = local.contact_rows();
    let split = |gamma: &Vec<f64>| FclibSolution::from_impulses(gamma, rows);
    Ok(FclibFile {
        solution: file.solution.as_ref().map(split),
        guesses: file.guess.iter().map(split).collect(),
        problem: FclibProblem::Local(local),
    })
}
