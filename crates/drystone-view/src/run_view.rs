//! A run to look at: its recording, which may still grow, its scene, and what state it is in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use drystone_run::recording::{Recording, Tail};
use drystone_run::regular;
use drystone_run::run_folder::{FORCES, FRAMES, JOINTS, LOG, SCENE, SUMMARY, writer_of};
use drystone_run::source::scene_of;
use drystone_scene::Scene;
use glam::DVec3;
use serde_json::Value;

use crate::error::ViewError;
use crate::look::Look;
use crate::mechanism::Mechanism;
use crate::resource::{Resource, TableName};
use crate::table::TableCache;
use crate::{describe, frames, shapes};

/// A run to look at. Many threads may ask for its resources at once.
pub struct RunView {
    /// The folder of the run; none where only a recording was named.
    folder: Option<PathBuf>,
    file: PathBuf,
    current: RwLock<Current>,
    tables: TableCache,
}

/// The recording as it is now.
pub(crate) struct Current {
    pub recording: Recording,
    /// Where it can be read: a recording can be shown without.
    pub scene: Option<Scene>,
    /// Made when first asked for, since it builds the scene.
    mechanism: OnceLock<Arc<Mechanism>>,
    /// How the run looked when it had so many frames.
    look: Mutex<Option<(usize, Arc<Look>)>>,
    /// What positions are sent from, m. It stays: pages keep frames.
    origin: OnceLock<DVec3>,
    identity: FileIdentity,
    generation: u64,
    replaced: u64,
    gone: bool,
}

/// How a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// A process writes it.
    Running,
    /// It came to its end.
    Finished,
    /// It ended before its time; what there is can be seen.
    Cut,
    /// Its recording is not there any more.
    Gone,
}

impl RunState {
    /// The word that the page knows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Cut => "cut",
            Self::Gone => "gone",
        }
    }
}

/// What a look at the disk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whole frames.
    pub frames: usize,
    /// Grows whenever frames that were there are not any more: whatever was kept of them is stale.
    pub generation: u64,
    /// How often another run took the place of this one.
    pub replaced: u64,
    /// How the run is doing.
    pub state: RunState,
}

impl RunView {
    /// Opens a run by its folder, or by its recording.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ViewError> {
        let path = path.as_ref();
        let file = match path.is_dir() {
            true => path.join(FRAMES),
            false => path.to_owned(),
        };
        let folder = file.parent().filter(|f| f.join(SCENE).is_file());
        let folder = folder.map(Path::to_owned);
        let current = Current::open(&file, folder.as_deref())?;
        Ok(Self {
            folder,
            file,
            current: RwLock::new(current),
            tables: TableCache::default(),
        })
    }

    /// The recording's file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The folder of the run; none where only a recording was named.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Looks for frames that came since, or were cut away.
    pub fn refresh(&self) -> Progress {
        let known = FileIdentity::of(&self.file);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.follow(&self.file, self.folder(), known);
        let (frames, generation) = (current.recording.len(), current.generation);
        let replaced = current.replaced;
        drop(current);
        Progress {
            frames,
            generation,
            replaced,
            state: self.state().0,
        }
    }

    /// How the run is doing, and a sentence on it where there is something to say.
    pub fn state(&self) -> (RunState, String) {
        let current = self.current();
        if current.gone {
            let words = "the recording was removed while it was looked at";
            return (RunState::Gone, words.to_owned());
        }
        let tail = current.recording.tail().clone();
        drop(current);
        let summary = self.folder().map(summary_of);
        if let Some(None) = summary
            && self.folder().and_then(writer_of).is_some()
        {
            return (RunState::Running, String::new());
        }
        match (tail, summary) {
            (Tail::Damaged { frame, what, .. }, _) => {
                let words = format!("the recording is damaged from frame {frame} on: {what}");
                (RunState::Cut, words)
            }
            (Tail::Cut { .. }, _) => {
                let words = "the recording ends within a frame: the run was killed there";
                (RunState::Cut, words.to_owned())
            }
            (Tail::Whole, Some(None)) => {
                let words = "the run did not come to its end: it was killed, or its machine was";
                (RunState::Cut, words.to_owned())
            }
            (Tail::Whole, Some(Some(ended))) => (RunState::Finished, ended_words(&ended)),
            (Tail::Whole, None) => (RunState::Finished, String::new()),
        }
    }

    /// Makes a resource; none where there is no such thing.
    pub fn resource(&self, resource: Resource) -> Result<Option<Vec<u8>>, ViewError> {
        let current = self.current();
        let recording = &current.recording;
        let header = recording.header();
        Ok(match resource {
            Resource::Run => {
                drop(current);
                Some(text(&describe::run(self)))
            }
            Resource::Bodies => Some(shapes::bodies(header, &[])),
            Resource::Shapes => Some(shapes::shapes(header).into_bytes()),
            Resource::Mesh(shape) => shapes::mesh(header, shape),
            Resource::Index => Some(frames::index(recording)),
            Resource::Frame(frame) if frame < recording.len() => {
                let frame = recording.frame(frame)?;
                Some(frames::frame(&frame, current.origin()))
            }
            Resource::Contacts(frame) if frame < recording.len() => {
                let frame = recording.frame(frame)?;
                frames::contacts(&frame, current.origin())
            }
            Resource::Frame(_) | Resource::Contacts(_) => None,
            Resource::Table(name) => {
                drop(current);
                self.table(name)?.map(|table| text(&table))
            }
        })
    }

    /// A table as columns; none where there is none.
    pub(crate) fn table(&self, name: TableName) -> Result<Option<Arc<Value>>, ViewError> {
        match self.table_file(name) {
            Some(file) => self.tables.table(name, &file),
            None => Ok(None),
        }
    }

    /// The file of a table that is there.
    pub(crate) fn table_file(&self, name: TableName) -> Option<PathBuf> {
        let file = match name {
            TableName::Steps => LOG,
            TableName::Forces => FORCES,
            TableName::Joints => JOINTS,
        };
        let file = self.folder()?.join(file);
        file.is_file().then_some(file)
    }

    pub(crate) fn tables(&self) -> &TableCache {
        &self.tables
    }

    pub(crate) fn current(&self) -> RwLockReadGuard<'_, Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Current {
    fn open(file: &Path, folder: Option<&Path>) -> Result<Self, ViewError> {
        let identity = FileIdentity::of(file);
        Ok(Self {
            recording: Recording::open(file)?,
            scene: folder.and_then(|folder| scene_of(folder).ok()),
            mechanism: OnceLock::new(),
            look: Mutex::new(None),
            origin: OnceLock::new(),
            identity: identity.unwrap_or_default(),
            generation: 0,
            replaced: 0,
            gone: false,
        })
    }

    /// How the run looks by the frames that there are.
    pub fn look(&self) -> Arc<Look> {
        let frames = self.recording.len();
        // Held while it is made: whoever else asks waits for it.
        let mut known = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((count, look)) = &*known
            && *count == frames
        {
            return look.clone();
        }
        let look = Arc::new(Look::of(
            &self.recording,
            self.scene.as_ref().map(Scene::view),
        ));
        *known = Some((frames, look.clone()));
        look
    }

    /// What positions are sent from, m: decided when there is a frame.
    pub fn origin(&self) -> DVec3 {
        match self.recording.is_empty() {
            true => DVec3::ZERO,
            false => *self.origin.get_or_init(|| self.look().origin()),
        }
    }

    /// The joints of the scene.
    pub fn mechanism(&self, folder: Option<&Path>) -> Arc<Mechanism> {
        let bodies = self.recording.header().bodies.len();
        let make = || Arc::new(Mechanism::of(self.scene.as_ref(), folder, bodies));
        self.mechanism.get_or_init(make).clone()
    }

    fn follow(&mut self, file: &Path, folder: Option<&Path>, found: Option<FileIdentity>) {
        self.gone = found.is_none();
        let Some(found) = found else {
            return;
        };
        if found != self.identity {
            // Another run took its place. Until its first bytes are there, this one is shown.
            match Self::open(file, folder) {
                Ok(other) => {
                    *self = Self {
                        generation: self.generation + 1,
                        replaced: self.replaced + 1,
                        ..other
                    };
                }
                Err(_) => self.gone = true,
            }
            return;
        }
        let before = self.recording.len();
        // What cannot be read now may be readable at the next look.
        let count = self.recording.refresh().unwrap_or(before);
        if count < before {
            self.generation += 1;
        }
    }
}

/// Tells whether a file is still the one that was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileIdentity([u64; 2]);

impl FileIdentity {
    /// None where there is no file.
    fn of(file: &Path) -> Option<Self> {
        let found = std::fs::metadata(file).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self([found.dev(), found.ino()]))
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            Some(Self::default())
        }
    }
}

/// How the run in a folder ended, by its summary; none where there is no summary.
fn summary_of(folder: &Path) -> Option<String> {
    let text = regular::read_to_string(folder.join(SUMMARY)).ok()?;
    let summary: Value = serde_json::from_str(&text).ok()?;
    summary["ended"].as_str().map(str::to_owned)
}

fn ended_words(ended: &str) -> String {
    match ended {
        "interrupted" => "the run was stopped before its end".to_owned(),
        "broke" => "the run ended early: a step could not be made".to_owned(),
        _ => String::new(),
    }
}

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
