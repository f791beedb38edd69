//! Calls of the system that change files, and what can befall them.

use std::path::PathBuf;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens for reading alone.
    OpenToRead,
    /// Opens for writing, perhaps a new file.
    OpenToWrite,
    Write,
    Sync,
    Rename,
    Truncate,
    /// Removes a file or folder.
    Remove,
    /// Makes a folder or a second name.
    Make,
}

/// A call below the folder of the run.
#[derive(Clone, Debug)]
pub struct Call {
    pub action: Action,
    /// Its file; of a rename the old name.
    pub path: PathBuf,
}

/// What befalls a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed before it.
    KillBefore,
    /// The process is killed after it.
    KillAfter,
    /// Half of it is written, then the process is killed.
    Torn,
    /// No space is left.
    NoSpace,
    /// The disk fails.
    IoError,
    /// A signal came in between: to be tried again.
    Interrupted,
    /// Half of it is written, and the call says so.
    Short,
}

impl Fault {
    pub const ALL: [Self; 7] = [
        Self::KillBefore,
        Self::KillAfter,
        Self::Torn,
        Self::NoSpace,
        Self::IoError,
        Self::Interrupted,
        Self::Short,
    ];

    /// Whether such a call can have this fault.
    pub fn befalls(self, action: Action) -> bool {
        match self {
            Self::KillBefore | Self::KillAfter | Self::IoError => true,
            Self::Torn | Self::Short => action == Action::Write,
            Self::NoSpace => match action {
                Action::OpenToRead => false,
                Action::OpenToWrite
                | Action::Write
                | Action::Sync
                | Action::Rename
                | Action::Truncate
                | Action::Remove
                | Action::Make => true,
            },
            // The others do not wait, so nothing can interrupt them.
            Self::Interrupted => match action {
                Action::OpenToRead
                | Action::OpenToWrite
                | Action::Write
                | Action::Sync
                | Action::Truncate => true,
                Action::Rename | Action::Remove | Action::Make => false,
            },
        }
    }

    /// Whether it ends the process.
    pub fn kills(self) -> bool {
        match self {
            Self::KillBefore | Self::KillAfter | Self::Torn => true,
            Self::NoSpace | Self::IoError | Self::Interrupted | Self::Short => false,
        }
    }

    /// The exit statuses that are right where it befalls such a call. With 0 the results must be
    /// there all the same.
    pub fn statuses(self, action: Action) -> &'static [i32] {
        match self {
            Self::Interrupted | Self::Short => &[0],
            Self::KillBefore | Self::KillAfter | Self::Torn => &[],
            Self::NoSpace | Self::IoError if action == Action::OpenToRead => &[0, 2, 4],
            // 0 where the call was not needed, such as the last one on the lock.
            Self::NoSpace | Self::IoError => &[0, 4],
        }
    }
}
