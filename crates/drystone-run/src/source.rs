//! The scene of a run's folder, and where it came from.

use std::path::{Path, PathBuf};

use drystone_scene::{Scene, SceneError, SceneOptions};
use serde_json::{Value, json};

use crate::atomic::write_atomically;
use crate::error::RunError;
use crate::regular;
use crate::run_folder::{RunFolder, SCENE, SOURCE};

/// Where a scene came from: what its text does not say but needs to be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneSource {
    /// Its file or name.
    origin: String,
    /// Folder that paths in it are relative to; none for built-in scenes.
    folder: Option<PathBuf>,
    allow_outside: bool,
    text: String,
    /// The file in a run's folder that the text was read from, where it was.
    file: Option<PathBuf>,
}

impl SceneSource {
    /// That of a scene. `allow_outside` is what the scene was read with.
    pub fn of(scene: &Scene, allow_outside: bool) -> Self {
        let origin = Path::new(scene.origin());
        let folder = match origin.parent() {
            Some(parent) if origin.is_file() => {
                let parent = if parent == Path::new("") {
                    Path::new(".")
                } else {
                    parent
                };
                parent.canonicalize().ok()
            }
            _ => None,
        };
        Self {
            origin: scene.origin().to_owned(),
            folder,
            allow_outside,
            text: scene.to_toml(),
            file: None,
        }
    }

    /// Writes it and the scene into the run's folder.
    pub fn write(&self, folder: &RunFolder) -> Result<(), RunError> {
        let source = json!({
            "scene": self.origin,
            "folder": self.folder.as_ref().map(|f| f.to_string_lossy()),
            "allow_outside": self.allow_outside,
            "version": env!("CARGO_PKG_VERSION"),
        });
        for (name, text) in [
            (SOURCE, format!("{source:#}\n")),
            (SCENE, self.text.clone()),
        ] {
            let file = folder.file(name);
            write_atomically(&file, text.as_bytes()).map_err(|e| RunError::writing(&file, e))?;
        }
        Ok(())
    }

    /// That of a run's folder.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let read = |name: &str| {
            let file = folder.join(name);
            regular::read_to_string(&file).map_err(|e| RunError::unreadable(&file, e))
        };
        let text = read(SCENE)?;
        let file = folder.join(SOURCE);
        let source: Value =
            serde_json::from_str(&read(SOURCE)?).map_err(|e| RunError::unreadable(&file, e))?;
        Ok(Self {
            origin: source["scene"].as_str().unwrap_or(SCENE).to_owned(),
            folder: source["folder"].as_str().map(PathBuf::from),
            allow_outside: source["allow_outside"].as_bool().unwrap_or(false),
            text,
            file: Some(folder.join(SCENE)),
        })
    }

    /// The scene itself, read again.
    pub fn scene(&self) -> Result<Scene, RunError> {
        let options = SceneOptions {
            allow_outside: self.allow_outside,
            ..SceneOptions::default()
        };
        let folder = self.folder.as_deref();
        let scene = Scene::parse(&self.text, &self.origin, folder, &options);
        Ok(scene.map_err(|error| self.place(error))?)
    }

    /// The same error with the file that the text was read from. The scene's origin is another one,
    /// and may be whole.
    pub fn place(&self, mut error: SceneError) -> SceneError {
        if let (SceneError::Invalid { faults, .. }, Some(file)) = (&mut error, &self.file) {
            for fault in faults {
                fault.origin = file.display().to_string();
            }
        }
        error
    }
}

/// The scene of a run's folder.
pub fn scene_of(folder: &Path) -> Result<Scene, RunError> {
    SceneSource::read(folder)?.scene()
}
