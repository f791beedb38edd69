//! The folder of a run: which files it holds, and that only one run writes them at a time.
//!
//! | file | holds |
//! |---|---|
//! | `scene.toml` | the scene as it is run |
//! | `frames.dry` | the recording |
//! | `log.csv` | one row per step |
//! | `forces.csv` | forces between named pairs |
//! | `joints.csv` | coordinates and forces of joints |
//! | `checkpoint.dry`, `checkpoint.prev.dry` | the newest checkpoint and the one before |
//! | `phase-1.dry`, `phase-2.dry`, … | the state at the end of each phase, where there are several |
//! | `problems` | cone problems of steps, a file each |
//! | `start.dry` | the state of another run that this one started from |
//! | `run.lock` | who writes here: the process's number, while it runs |

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::atomic::remove_stale;
use crate::problems::remove_after as remove_problems;
use crate::process::is_running;
use crate::regular;

/// The scene as it is run.
pub const SCENE: &str = "scene.toml";
/// The recording.
pub const FRAMES: &str = "frames.dry";
/// A row a step.
pub const LOG: &str = "log.csv";
/// Forces between named pairs.
pub const FORCES: &str = "forces.csv";
/// Coordinates and forces of joints.
pub const JOINTS: &str = "joints.csv";
/// The newest checkpoint.
pub const CHECKPOINT: &str = "checkpoint.dry";
/// The checkpoint before.
pub const PREVIOUS_CHECKPOINT: &str = "checkpoint.prev.dry";
/// The state of another run that this one started from.
pub const START: &str = "start.dry";
/// What the run came to.
pub const SUMMARY: &str = "summary.json";
/// Where the scene came from.
pub const SOURCE: &str = "source.json";
/// Curves over time, as SVG and as PNG.
pub const PLOTS: [&str; 2] = ["plots.svg", "plots.png"];
/// The last moment.
pub const PICTURE: &str = "picture.png";
/// Folder of the cone problems that the run keeps.
pub const PROBLEMS: &str = "problems";
/// Who writes here.
pub const LOCK: &str = "run.lock";

/// Bytes of the lock that are read, at most: more than the number of any process takes.
const OWNER_LENGTH: u64 = 64;

/// What a run leaves behind, without the lock.
const CONTENT: [&str; 8] = [
    START,
    SCENE,
    FRAMES,
    LOG,
    FORCES,
    JOINTS,
    CHECKPOINT,
    PREVIOUS_CHECKPOINT,
];

/// Why a folder cannot be used for a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is a run already.
    #[error(
        "{}: holds a run already ({found}); resume it, choose another folder, or say that it may be overwritten",
        path.display()
    )]
    HoldsARun {
        /// The folder.
        path: PathBuf,
        /// A file of that run.
        found: &'static str,
    },
    /// There is nothing to go on with.
    #[error("{}: holds no run: neither {CHECKPOINT} nor {FRAMES} is there", path.display())]
    HoldsNoRun {
        /// The folder.
        path: PathBuf,
    },
    /// Another process writes here.
    #[error("{}: another run writes here: {owner}", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Who.
        owner: String,
    },
}

/// What to do with a run that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it, and fail.
    Keep,
    /// Remove its files; others in the folder stay.
    Replace,
}

/// The folder of a run, ours alone to write until dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Held, not used: the operating system frees the lock with it, even when the process is
    /// killed.
    lock: File,
}

impl RunFolder {
    /// Makes the folder for a new run, with those above it.
    pub fn create(path: impl AsRef<Path>, existing: Existing) -> Result<Self, RunFolderError> {
        let folder = Self::take(path)?;
        match (existing, first_of(&folder.path, &CONTENT)) {
            (_, None) => {}
            (Existing::Keep, Some(found)) => {
                let path = folder.path.clone();
                return Err(RunFolderError::HoldsARun { path, found });
            }
            (Existing::Replace, Some(_)) => folder.clear()?,
        }
        Ok(folder)
    }

    /// Takes the folder whatever it holds, and makes it where it is not there. A run in it stays
    /// until [`Self::clear`]: whoever replaces it makes sure first that there is another.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, RunFolderError> {
        let path = path.as_ref();
        std::fs::create_dir_all(path).map_err(|e| io_error(path, e))?;
        Self::lock(path)
    }

    /// Removes the files of a run that is there; others in the folder stay.
    pub fn clear(&self) -> Result<(), RunFolderError> {
        for name in CONTENT {
            remove(&self.file(name))?;
        }
        // Written in turn, without gaps.
        for phase in 0.. {
            let file = self.file(&phase_file(phase));
            if file.symlink_metadata().is_err() {
                break;
            }
            remove(&file)?;
        }
        remove_problems(&self.file(PROBLEMS), None)
    }

    /// Takes the folder of a run that is to go on.
    pub fn resume(path: impl AsRef<Path>) -> Result<Self, RunFolderError> {
        let path = path.as_ref();
        if first_of(path, &[CHECKPOINT, PREVIOUS_CHECKPOINT, FRAMES]).is_none() {
            let path = path.to_owned();
            return Err(RunFolderError::HoldsNoRun { path });
        }
        Self::lock(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it, by one of the names of this module.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn lock(path: &Path) -> Result<Self, RunFolderError> {
        let file_path = path.join(LOCK);
        let failed = |e| io_error(&file_path, e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut lock = regular::open_own(&file_path, &mut options).map_err(failed)?;
        let mut owner = String::new();
        // Whatever cannot be read as text names no process.
        let _ = (&mut lock).take(OWNER_LENGTH).read_to_string(&mut owner);
        let owner = owner.trim();
        let held = match lock.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            // No locks on this file system: go by the process.
            Err(TryLockError::Error(_)) => is_running(owner),
        };
        if held {
            let owner = match owner {
                "" => "a process that has not said its number yet".to_owned(),
                owner => format!("process {owner}"),
            };
            let path = path.to_owned();
            return Err(RunFolderError::Locked { path, owner });
        }
        let note = |lock: &mut File| {
            lock.set_len(0)?;
            lock.rewind()?;
            lock.write_all(format!("{}\n", std::process::id()).as_bytes())
        };
        note(&mut lock).map_err(failed)?;
        // What a killed run was writing: nobody else writes here now.
        remove_stale(path);
        Ok(Self {
            path: path.to_owned(),
            lock,
        })
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // The file stays, empty: removing it could take a lock away from under the next run. An
        // error changes nothing.
        let _ = self.lock.set_len(0);
    }
}

/// The file with the state at the end of a phase, by the phase's number from 0.
pub fn phase_file(phase: usize) -> String {
    format!("phase-{}.dry", phase + 1)
}

/// The recording that a path means: its own, or that of a run's folder.
pub fn frames_of(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    if path.is_dir() {
        path.join(FRAMES)
    } else {
        path.to_owned()
    }
}

/// Which process writes to a run's folder, as far as one can tell; nobody without a lock or where
/// its process is gone.
pub fn writer_of(path: impl AsRef<Path>) -> Option<u32> {
    let owner = regular::read_to_string(path.as_ref().join(LOCK)).ok()?;
    let owner = owner.trim();
    is_running(owner).then(|| owner.parse().ok()).flatten()
}

fn first_of(folder: &Path, names: &[&'static str]) -> Option<&'static str> {
    names
        .iter()
        .copied()
        .find(|name| folder.join(name).symlink_metadata().is_ok())
}

fn remove(path: &Path) -> Result<(), RunFolderError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io_error(path, error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn io_error(path: &Path, source: io::Error) -> RunFolderError {
    RunFolderError::Io {
        path: path.to_owned(),
        source,
    }
}
