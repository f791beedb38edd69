//! Why a run cannot be shown.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use drystone_run::recording::RecordingError;

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A file of the run cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No other program may use the address.
    #[error("{address}: cannot be listened on: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The operating system gave no thread, socket or random number.
    #[error("the server cannot be started: {0}")]
    Start(String),
    /// The recording has nothing to show.
    #[error("{}: holds no whole frame yet", path.display())]
    NoFrames {
        /// The recording.
        path: PathBuf,
    },
    /// A replay is larger than it may be.
    #[error(
        "the replay takes about {bytes} bytes, expected at most {most}: take one frame in {every} \
         or fewer, or allow more"
    )]
    TooLarge {
        /// What it takes.
        bytes: u64,
        /// What it may take.
        most: u64,
        /// One frame in so many may fit.
        every: usize,
    },
    /// A replay that cannot be made as small as it must be.
    #[error(
        "the replay takes {bytes} bytes even with two frames, expected at most {most}: allow more"
    )]
    NeverFits {
        /// What it takes.
        bytes: u64,
        /// What it may take.
        most: u64,
    },
    /// The caller cancelled.
    #[error("cancelled after {frames} frames")]
    Cancelled {
        /// Frames done.
        frames: usize,
    },
    /// The program was built without the page.
    #[error("the page has no {0}: the program was built without it")]
    NoPage(&'static str),
}

impl ViewError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        Self::Io { path, source }
    }
}
