//! What can be wrong with a recording.

use std::path::{Path, PathBuf};

/// A recording or table that cannot be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", file.display())]
pub struct RecordingError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: RecordingFault,
}

/// What is wrong with a recording or table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingFault {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file does not begin as a recording.
    #[error("not a recording: its first bytes are not those of a frames.dry")]
    NotARecording,
    /// Written by another version of the program.
    #[error("format version {found}, expected {expected}")]
    Version {
        /// In the file.
        found: u32,
        /// What this program reads.
        expected: u32,
    },
    /// The description of the run cannot be read.
    #[error("description of the run: {what}")]
    Header {
        /// The value and what was expected.
        what: String,
    },
    /// A frame is damaged.
    #[error("frame {frame} at byte {offset}: {what}")]
    Damaged {
        /// Its index.
        frame: usize,
        /// Where it begins in the file.
        offset: u64,
        /// What does not fit.
        what: String,
    },
    /// There is no such frame.
    #[error("frame {frame}: there are only {frames}")]
    NoSuchFrame {
        /// The index that was asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// A frame that does not fit the run.
    #[error("step {step}: {what}")]
    Misfit {
        /// The frame's step.
        step: u64,
        /// The value and what was expected.
        what: String,
    },
    /// A table is shorter than it was.
    #[error("ends after {found} bytes, expected at least {expected}")]
    Cut {
        /// Its length, bytes.
        found: u64,
        /// What it had when it was counted, bytes.
        expected: u64,
    },
    /// A row of a table cannot be read.
    #[error("line {line}: {what}")]
    Row {
        /// Counted from 1.
        line: u64,
        /// The value and what was expected.
        what: String,
    },
}

impl RecordingFault {
    pub(super) fn header(what: impl Into<String>) -> Self {
        Self::Header { what: what.into() }
    }

    /// The same fault with the name of its file.
    pub(super) fn of(self, file: &Path) -> RecordingError {
        RecordingError {
            file: file.to_owned(),
            fault: self,
        }
    }
}
