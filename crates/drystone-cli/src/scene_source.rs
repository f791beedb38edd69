//! Scenes by file or by name.

use std::path::{Path, PathBuf};

use drystone_scene::builtin_scenes;
use drystone_scene::{Scene, SceneError, SceneOptions};

use crate::args::simulation::ReadingArgs;
use crate::failure::Failure;

/// A path relative to where the program runs: a scene's own are relative to its file.
fn from_here(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|e| Failure::in_file(path, e))
}

/// Reads the scene that a user means: a file, or a built-in scene by its name.
pub fn load(name: &str, reading: &ReadingArgs) -> Result<Scene, Failure> {
    Ok(read(name, reading)??)
}

/// The same; what is wrong with the scene is handed on.
pub fn read(name: &str, reading: &ReadingArgs) -> Result<Result<Scene, SceneError>, Failure> {
    let options = SceneOptions {
        set: reading.set.clone(),
        allow_outside: reading.allow_outside,
        from: reading.from.as_deref().map(from_here).transpose()?,
    };
    let path = Path::new(name);
    let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
    let is_built_in = builtin_scenes().iter().any(|(known, _)| *known == name);
    let scene = if looks_like_a_file || (!is_built_in && path.is_file()) {
        Scene::load(path, &options)
    } else {
        Scene::builtin(name, &options)
    };
    Ok(scene)
}
