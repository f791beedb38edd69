//! What can be wrong with a file of geometry.

use std::path::{Path, PathBuf};

use drystone::ShapeError;
use drystone_collide::number::Number;

use super::LARGEST_COORDINATE;
use crate::input::InputError;
use crate::quote;

/// A file of geometry that cannot be read, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", quote::path(file), quote::harmless(&fault.to_string()))]
pub struct MeshFileError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: MeshFault,
}

/// What is wrong with a file of geometry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// It cannot be read, or is no ordinary file, or too large.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Not of a kind that can be read here.
    #[error("extension {extension:?}, expected {expected}")]
    UnknownFormat {
        /// The file's extension.
        extension: String,
        /// Which ones can be read.
        expected: &'static str,
    },
    /// Something is not as it should be.
    #[error("{place}: {what}")]
    Malformed {
        /// The line, face or byte.
        place: String,
        /// The value and what was expected.
        what: String,
    },
    /// The file ends too early.
    #[error("ends {place}: {what}")]
    Truncated {
        /// After which line, face or byte.
        place: String,
        /// What was expected there.
        what: String,
    },
    /// Nothing is there.
    #[error("holds no {what}, expected at least {least}")]
    Empty {
        /// What is missing.
        what: &'static str,
        /// How many are needed.
        least: usize,
    },
    /// The object that is wanted is not there.
    #[error("no object or group {name:?}; there are {known}")]
    NoObject {
        /// The name.
        name: String,
        /// The names in the file.
        known: String,
    },
    /// A factor of lengths that is none.
    #[error("scale {} is not a finite number > 0", Number(*.0))]
    Scale(f64),
    /// The geometry makes no shape. Faces are counted from 0 as in the shape; with their line,
    /// where the file has lines.
    #[error("{}{fault}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Shape {
        /// The line of the face at fault, where known.
        line: Option<u32>,
        /// What is wrong.
        #[source]
        fault: ShapeError,
    },
    /// A grid of heights from a file that does not say how far its points are apart.
    #[error("a file of rows does not say how far its points are apart: give the spacing")]
    NoSpacing,
}

impl MeshFault {
    pub(super) fn malformed(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed {
            place: place.into(),
            what: what.into(),
        }
    }

    /// A word that is not what it should be.
    pub(super) fn unexpected(line: u32, word: &str, expected: &str) -> Self {
        let word = quote::quoted(word);
        Self::malformed(
            format!("line {line}"),
            format!("{word}, expected {expected}"),
        )
    }

    /// The same fault with the name of its file.
    pub(super) fn of(self, file: &Path) -> MeshFileError {
        MeshFileError {
            file: file.to_owned(),
            fault: self,
        }
    }

    /// A fault of the shape, with the line of the face that it names.
    pub(super) fn of_shape(fault: ShapeError, lines: &[u32]) -> Self {
        let face = match &fault {
            ShapeError::NoSuchVertex { face, .. }
            | ShapeError::DegenerateFace { face, .. }
            | ShapeError::OpenMesh { face, .. }
            | ShapeError::NonManifoldEdge { face, .. } => Some(*face),
            _ => None,
        };
        let line = face.and_then(|face| lines.get(face).copied());
        Self::Shape { line, fault }
    }
}

/// A coordinate, if it is one.
pub(super) fn coordinate(value: f64) -> Result<f64, String> {
    if value.abs() <= LARGEST_COORDINATE {
        Ok(value)
    } else {
        Err(format!(
            "coordinate {}, expected a finite number within ±{LARGEST_COORDINATE:e}",
            Number(value)
        ))
    }
}
