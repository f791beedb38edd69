//! Scenes by file or by name, and what is wrong with them, shown in their text.

use std::path::Path;

use drystone_scene::builtin_scenes;
use drystone_scene::scene::Fault;
use drystone_scene::{Scene, SceneError, SceneOptions};

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

/// What is wrong with a scene, with the lines of its text.
pub fn explain(error: &SceneError) -> String {
    match error {
        SceneError::Invalid { text, faults } => {
            let shown: Vec<String> = faults.iter().map(|fault| show(fault, text)).collect();
            shown.join("\n")
        }
        other => other.to_string(),
    }
}

/// A fault, its line, and marks below the place.
fn show(fault: &Fault, text: &str) -> String {
    let Some(line) = text.lines().nth(fault.line.saturating_sub(1)) else {
        return fault.to_string();
    };
    let before = fault.column.saturating_sub(1);
    let length = text
        .get(fault.span.clone())
        .and_then(|place| place.lines().next())
        .map_or(1, |place| place.chars().count().max(1));
    // Tabs stay tabs, so that the marks stand below the place however wide these are.
    let indent: String = line
        .chars()
        .take(before)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let number = fault.line.to_string();
    let margin = " ".repeat(number.len());
    format!(
        "{fault}\n  {number} | {line}\n  {margin} | {indent}{}",
        "^".repeat(length)
    )
}
