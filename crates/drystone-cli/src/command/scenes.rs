//! `drystone scenes`, `drystone new` and `drystone schema`: help with writing scenes.

use std::io::ErrorKind;

use drystone_run::atomic::write_new;
use drystone_scene::scene::schema as scene_schema;
use drystone_scene::{Scene, SceneOptions, builtin_scenes, starter_scene};

use crate::args::simulation::{NewArgs, ScenesArgs};
use crate::failure::{Failure, SUCCESS};
use crate::output::{to_stderr, to_stdout};

/// Lists the built-in scenes, or prints the text of one.
pub fn scenes(args: &ScenesArgs) -> Result<u8, Failure> {
    let options = SceneOptions::default();
    if let Some(name) = &args.show {
        let scene = Scene::builtin(name, &options)?;
        to_stdout(&scene.to_toml())?;
        return Ok(SUCCESS);
    }
    let names = builtin_scenes().iter().map(|(name, _)| *name);
    let widest = names.clone().map(str::len).max().unwrap_or(0);
    let mut list = String::new();
    for name in names {
        let scene = Scene::builtin(name, &options)?;
        list.push_str(&format!("{name:<widest$}  {}\n", scene.title()));
    }
    to_stdout(&list)?;
    to_stderr("run one with 'drystone run NAME', see its text with 'drystone scenes --show NAME'");
    Ok(SUCCESS)
}

/// Writes a small commented scene to start from.
pub fn new(args: &NewArgs) -> Result<u8, Failure> {
    let file = if args.name.extension().is_some_and(|e| e == "toml") {
        args.name.clone()
    } else {
        let mut name = args.name.clone().into_os_string();
        name.push(".toml");
        name.into()
    };
    match write_new(&file, starter_scene().as_bytes()) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::in_file(
                &file,
                "is there already, expected a new name",
            ));
        }
        Err(e) => return Err(Failure::writing(&file, e)),
    }
    to_stdout(&format!(
        "{0}: written; run it with 'drystone run {0}'\n",
        file.display()
    ))?;
    to_stderr("'drystone schema > scene.schema.json' beside it lets editors complete and check it");
    Ok(SUCCESS)
}

/// Prints the JSON schema of scene files.
pub fn schema() -> Result<u8, Failure> {
    to_stdout(&format!("{:#}\n", scene_schema()))?;
    Ok(SUCCESS)
}
