//! What ends the program early, and with which exit status.

use std::fmt;
use std::path::{Path, PathBuf};

use drystone_draw::files::FigureError;
use drystone_problems::FileError;
use drystone_run::RunError;
use drystone_run::checkpoint::{CheckpointError, CheckpointFault};
use drystone_run::recording::{RecordingError, RecordingFault};
use drystone_run::run_folder::RunFolderError;
use drystone_run::settled::SettleError;
use drystone_scene::SceneError;
use drystone_study::StudyError;
use drystone_view::ViewError;

/// The result was as asked for.
pub const SUCCESS: u8 = 0;
/// Everything ran to its end, and a published claim of an experiment is not reproduced, where the
/// caller wants to know by the status.
pub const NOT_REPRODUCED: u8 = 1;
/// The input was not usable: flags, files, or a method that does not take the problem.
pub const BAD_INPUT: u8 = 2;
/// The tolerance was not reached, or the run was cancelled or could not go on; what there is was
/// written.
pub const NOT_CONVERGED: u8 = 3;
/// A result could not be written, or memory ran out before there was one.
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

    /// What the operating system says of a file of a run. Where the file is not of the kind that it
    /// must be, that is the input's fault.
    fn of_system(file: &Path, reason: &std::io::Error) -> Self {
        match reason.kind() {
            std::io::ErrorKind::InvalidInput => Self::in_file(file, reason),
            _ => Self::writing(file, reason),
        }
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

/// Of files that are being written; what stands in them wrongly is the input's fault.
impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        match error.fault {
            RecordingFault::Io(reason) => Self::of_system(&error.file, &reason),
            fault => Self::in_file(&error.file, fault),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        match error.fault {
            CheckpointFault::Io(reason) => Self::of_system(&error.file, &reason),
            fault => Self::in_file(&error.file, fault),
        }
    }
}

impl From<RunFolderError> for Failure {
    fn from(error: RunFolderError) -> Self {
        match error {
            RunFolderError::Io { path, source } => Self::of_system(&path, &source),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<FigureError> for Failure {
    fn from(error: FigureError) -> Self {
        Self::writing(&error.file, &error.source)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Input(error.explained())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scene(error) => error.into(),
            RunError::Recording(error) => error.into(),
            RunError::Checkpoint(error) => error.into(),
            RunError::Folder(error) => error.into(),
            RunError::Write { file, reason } => Self::Output { file, reason },
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Scene(error) => error.into(),
            StudyError::Settle(SettleError::Scene(error)) => error.into(),
            StudyError::Settle(SettleError::Checkpoint(error)) => error.into(),
            StudyError::Settle(SettleError::Folder(error)) => error.into(),
            StudyError::Write { file, reason } => Self::Output { file, reason },
            error => Self::Input(error.to_string()),
        }
    }
}

/// Nothing of the viewer writes: whatever stops it is the input's fault.
impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        Self::Input(error.to_string())
    }
}
