//! The recording of a run that a user names by its folder or by its file.

use std::path::{Path, PathBuf};

use drystone_run::recording::{Recording, RecordingError};
use drystone_run::run_folder::FRAMES;

use crate::failure::Failure;

/// Opens the recording.
pub fn open(run: &Path) -> Result<Recording, Failure> {
    let file = match run.is_dir() {
        true => run.join(FRAMES),
        false => run.to_owned(),
    };
    Recording::open(file).map_err(unreadable)
}

/// The folder of the run.
pub fn folder_of(run: &Path) -> PathBuf {
    match run.is_dir() {
        true => run.to_owned(),
        false => run.parent().map(Path::to_owned).unwrap_or_default(),
    }
}

/// A recording that cannot be read is bad input, whatever the reason.
pub fn unreadable(error: RecordingError) -> Failure {
    Failure::in_file(&error.file, &error.fault)
}
