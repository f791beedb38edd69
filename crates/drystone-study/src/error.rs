//! Why a comparison or an experiment ended early.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use drystone::StepError;
use drystone_draw::files::FigureError;
use drystone_run::settled::SettleError;
use drystone_scene::SceneError;

/// Why a comparison or an experiment ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The caller cancelled. What had ended by then is in the report.
    #[error("cancelled")]
    Cancelled,
    /// A scene of an experiment cannot be read or built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A scene of an experiment could not be brought to its settled state.
    #[error(transparent)]
    Settle(SettleError),
    /// A step of an experiment failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// An experiment cannot be made as asked for: no such name, too large for the memory, or a
    /// scene that came out different from what the experiment needs.
    #[error("{0}")]
    Refused(String),
    /// A file or folder cannot be used for results.
    #[error("{}: {reason}", file.display())]
    Place {
        /// Which one.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A result could not be written.
    #[error("{}: could not be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

impl StudyError {
    pub(crate) fn place(file: &Path, reason: impl Display) -> Self {
        Self::Place {
            file: file.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn writing(file: &Path, reason: impl Display) -> Self {
        Self::Write {
            file: file.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl From<SettleError> for StudyError {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Stopped { .. } => Self::Cancelled,
            error => Self::Settle(error),
        }
    }
}

impl From<FigureError> for StudyError {
    fn from(error: FigureError) -> Self {
        Self::writing(&error.file, &error.source)
    }
}
