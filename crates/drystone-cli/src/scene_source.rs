//! Scenes by file or by name.

use std::path::Path;

use drystone_scene::builtin_scenes;
use drystone_scene::{Scene, SceneOptions};

use crate::args::simulation::ReadingArgs;
use crate::failure::Failure;

/// Reads the scene that a user means: a file, or a built-in scene by its name.
pub fn load(name: &str, reading: &ReadingArgs) -> Result<Scene, Failure> {
    let options = SceneOptions {
        set: reading.set.clone(),
        allow_outside: reading.allow_outside,
    };
    let path = Path::new(name);
    let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
    let is_built_in = builtin_scenes().iter().any(|(known, _)| *known == name);
    let scene = if looks_like_a_file || (!is_built_in && path.is_file()) {
        Scene::load(path, &options)
    } else {
        Scene::builtin(name, &options)
    };
    Ok(scene?)
}
