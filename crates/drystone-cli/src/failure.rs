//! What ends the program early, and with which exit status.

use std::fmt;
use std::path::{Path, PathBuf};

use drystone_scene::FileError;

/// The result was as asked for.
pub const SUCCESS: u8 = 0;
/// The input was not usable: flags, files, or a method that does not take the problem.
pub const BAD_INPUT: u8 = 2;
/// The tolerance was not reached, or the run was cancelled; what there is was written.
pub const NOT_CONVERGED: u8 = 3;
/// A result could not be written.
pub const NOT_WRITTEN: u8 = 4;

/// Why the program cannot go on.
#[derive(Debug)]
pub enum Failure {
    /// The input is not usable.
    Input(String),
    /// A file could not be written.
    Output {
        /// Which one.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Failure {
    /// Bad input in a file.
    pub fn in_file(file: &Path, what: impl fmt::Display) -> Self {
        Self::Input(format!("{}: {what}", file.display()))
    }

    /// A file that could not be written.
    pub fn writing(file: &Path, reason: impl fmt::Display) -> Self {
        Self::Output {
            file: file.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// The exit status that says so.
    pub fn status(&self) -> u8 {
        match self {
            Self::Input(_) => BAD_INPUT,
            Self::Output { .. } => NOT_WRITTEN,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) => f.write_str(what),
            Self::Output { file, reason } => {
                write!(f, "{}: could not be written: {reason}", file.display())
            }
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Input(error.to_string())
    }
}
