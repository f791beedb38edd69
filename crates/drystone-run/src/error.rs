//! Why a run cannot begin or go on.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use drystone_scene::SceneError;

use crate::checkpoint::CheckpointError;
use crate::recording::RecordingError;
use crate::run_folder::RunFolderError;

/// Why a run cannot begin or go on. A step that fails is no such error: it ends the run
/// ([`Ended::Broke`](crate::Ended::Broke)), and what came before it is saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene cannot be read or built, or a saved state does not fit it.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Frames or tables could not be read or written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The folder could not be used.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// A file of the run holds less than the checkpoint that counts it.
    #[error("{}: {what}", file.display())]
    Short {
        /// The file.
        file: PathBuf,
        /// What it holds, and what was expected.
        what: String,
    },
    /// A file of the run cannot be understood.
    #[error("{}: {reason}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file could not be written.
    #[error("{}: could not be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

impl RunError {
    pub(crate) fn unreadable(file: &Path, reason: impl Display) -> Self {
        Self::Unreadable {
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
