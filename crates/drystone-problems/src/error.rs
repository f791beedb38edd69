//! What can be wrong with a file.

use std::path::{Path, PathBuf};

use drystone_ccp::ProblemError;
use drystone_ccp::cone::expected_friction;
use drystone_ccp::problem::readable;

/// A file that cannot be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", file.display())]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: Fault,
}

/// What is wrong with a file's content. `place` names the dataset, array or line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The content is of no kind that can be read here.
    #[error("{0}")]
    UnknownFormat(String),
    /// Something required is not there.
    #[error("{place}: missing, expected {expected}")]
    Missing {
        /// Where it should be.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
    /// Something is there, but not as it should be.
    #[error("{place}: {what}")]
    Malformed {
        /// Where it is.
        place: String,
        /// The value and what was expected.
        what: String,
    },
    /// Well-formed, but of a kind that is not handled.
    #[error("{place}: {what}")]
    Unsupported {
        /// Where it is.
        place: String,
        /// The value and what is handled.
        what: String,
    },
    /// The numbers do not make a problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl Fault {
    pub(super) fn malformed(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed {
            place: place.into(),
            what: what.into(),
        }
    }

    pub(super) fn unsupported(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Unsupported {
            place: place.into(),
            what: what.into(),
        }
    }

    pub(super) fn missing(place: impl Into<String>, expected: &'static str) -> Self {
        Self::Missing {
            place: place.into(),
            expected,
        }
    }

    pub(super) fn length(place: impl Into<String>, found: usize, expected: usize) -> Self {
        Self::malformed(place, format!("has {found} entries, expected {expected}"))
    }

    /// The same fault with the name of its file.
    pub(super) fn of(self, file: &Path) -> FileError {
        FileError {
            file: file.to_owned(),
            fault: self,
        }
    }
}

/// Checks that a vector has the expected length.
pub(super) fn expect_length(place: &str, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        Ok(())
    } else {
        Err(Fault::length(place, found, expected))
    }
}

/// Checks that every number of a vector is finite.
pub(super) fn expect_finite(place: &str, values: &[f64]) -> Result<(), Fault> {
    match values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some((index, value)) => Err(Fault::malformed(
            place,
            format!("entry {index} is {value}, expected a finite number"),
        )),
    }
}

/// Checks friction coefficients: not negative, and not beyond what can be told from sticking.
pub(super) fn expect_coefficients(place: &str, values: &[f64]) -> Result<(), Fault> {
    for (index, &value) in values.iter().enumerate() {
        if let Some(expected) = expected_friction(value) {
            let what = format!("entry {index} is {}, expected {expected}", readable(value));
            return Err(Fault::malformed(place, what));
        }
    }
    Ok(())
}
