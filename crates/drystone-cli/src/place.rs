//! Which scene is run, and where its results go.

use std::path::{Path, PathBuf};

use drystone_run::regular;
use drystone_run::run_folder::{
    CHECKPOINT, Existing, FRAMES, PICTURE, PLOTS, PREVIOUS_CHECKPOINT, RunFolder, RunFolderError,
    SCENE, START, SUMMARY,
};
use drystone_run::source::SceneSource;
use drystone_scene::Scene;
use serde_json::Value;

use crate::args::simulation::RunArgs;
use crate::failure::Failure;
use crate::output::to_stderr;
use crate::scene_source::load;

/// Where folders of runs are made unless told.
const DEFAULT: &str = "out";

/// A scene and the folder of its run.
pub struct Place {
    /// The scene.
    pub scene: Scene,
    /// Ours to write.
    pub folder: RunFolder,
    /// What to do with a run that is there.
    pub start: Start,
    /// Where the scene came from.
    pub source: SceneSource,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In a folder without a run.
    New,
    /// In place of another, which stays until the new scene is built.
    Replace,
    /// Where it stopped.
    Resume,
}

/// Finds the scene and takes the folder.
pub fn find(args: &RunArgs) -> Result<Place, Failure> {
    let scene = args.scene.as_deref().map(|s| load(s, &args.reading));
    let scene = scene.transpose()?;
    match (args.resume, scene) {
        (true, scene) => resume(args, scene),
        (false, Some(scene)) => begin(args, scene),
        (false, None) => Err(Failure::Input("no scene was given".to_owned())),
    }
}

fn begin(args: &RunArgs, scene: Scene) -> Result<Place, Failure> {
    let (folder, start) = match &args.output {
        Some(path) if args.overwrite => (RunFolder::take(path)?, Start::Replace),
        Some(path) => {
            let folder = RunFolder::create(path, Existing::Keep).map_err(explain)?;
            (folder, Start::New)
        }
        None => (free_folder(&scene.name())?, Start::New),
    };
    let source = SceneSource::of(&scene, args.reading.allow_outside);
    Ok(Place {
        scene,
        folder,
        start,
        source,
    })
}

/// Says which flag helps.
fn explain(error: RunFolderError) -> Failure {
    match error {
        RunFolderError::HoldsARun { path, found } => Failure::in_file(
            &path,
            format_args!(
                "holds a run already ({found}): --resume goes on with it, --overwrite replaces it"
            ),
        ),
        error => error.into(),
    }
}

/// `out/NAME`, or with a number where that is taken.
fn free_folder(name: &str) -> Result<RunFolder, Failure> {
    let mut taken: Option<String> = None;
    for number in 1.. {
        let path = numbered(name, number);
        match RunFolder::create(&path, Existing::Keep) {
            Ok(folder) => {
                if let Some(words) = taken {
                    to_stderr(&format!("{words}; this one goes to {}", path.display()));
                }
                return Ok(folder);
            }
            Err(RunFolderError::HoldsARun { .. }) if is_complete(&path) => {
                taken = Some(format!("{} holds a finished run", path.display()));
            }
            Err(RunFolderError::HoldsARun { .. }) => {
                taken = Some(format!(
                    "{0} holds a run that is not finished ('drystone run --resume -o {0}' goes on with it)",
                    path.display()
                ));
            }
            Err(RunFolderError::Locked { .. }) => {
                taken = Some(format!("another run is writing to {}", path.display()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::Input(format!(
        "{DEFAULT}: too many runs of {name}"
    )))
}

fn numbered(name: &str, number: u32) -> PathBuf {
    Path::new(DEFAULT).join(match number {
        1 => name.to_owned(),
        number => format!("{name}-{number}"),
    })
}

/// Whether the run in a folder did what it was asked for.
fn is_complete(folder: &Path) -> bool {
    let text = regular::read_to_string(folder.join(SUMMARY)).unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    matches!(summary["ended"].as_str(), Some("finished" | "limit"))
}

/// The summary of a run that did what it was asked for, if it is of so many steps.
pub fn results(folder: &Path, steps: u64) -> Option<String> {
    let text = regular::read_to_string(folder.join(SUMMARY)).ok()?;
    let summary: Value = serde_json::from_str(&text).ok()?;
    (is_complete(folder) && summary["steps"].as_u64() == Some(steps)).then_some(text)
}

fn resume(args: &RunArgs, scene: Option<Scene>) -> Result<Place, Failure> {
    let path = match (&args.output, &scene) {
        (Some(path), _) => path.clone(),
        (None, Some(scene)) => last_folder(&scene.name())?,
        (None, None) => {
            return Err(Failure::Input(
                "--resume needs the folder of the run: -o DIR".to_owned(),
            ));
        }
    };
    check_holds_run(&path)?;
    let source = match &scene {
        Some(scene) => SceneSource::of(scene, args.reading.allow_outside),
        None if !args.reading.set.is_empty() => {
            return Err(Failure::Input(
                "--set cannot change a run that is resumed".to_owned(),
            ));
        }
        None => source_in(&path)?,
    };
    let scene = match scene {
        Some(scene) => scene,
        None => source
            .scene()
            .map_err(|error| unreadable(&path, error.into()))?,
    };
    let folder = match is_begun(&path) {
        true => RunFolder::resume(&path)?,
        // Killed before it wrote anything but its scene.
        false => RunFolder::take(&path)?,
    };
    Ok(Place {
        scene,
        folder,
        start: Start::Resume,
        source,
    })
}

/// Makes sure that there is something to go on with.
fn check_holds_run(path: &Path) -> Result<(), Failure> {
    if !path.is_dir() {
        let words = "there is no such folder: --resume goes on with a run that is there";
        return Err(Failure::in_file(path, words));
    }
    let is_there = |name| path.join(name).symlink_metadata().is_ok();
    if !is_begun(path) && !is_there(SCENE) && !is_there(START) {
        let path = path.to_owned();
        return Err(RunFolderError::HoldsNoRun { path }.into());
    }
    Ok(())
}

/// The scene that a run's folder holds.
fn source_in(path: &Path) -> Result<SceneSource, Failure> {
    let is_there = path.join(SCENE).symlink_metadata().is_ok();
    if !is_there {
        let missing = Failure::in_file(&path.join(SCENE), "is missing from the run");
        return Err(unreadable(path, missing));
    }
    SceneSource::read(path).map_err(|error| unreadable(path, error.into()))
}

/// Whether a run has written anything that it can go on from.
fn is_begun(path: &Path) -> bool {
    let written = [CHECKPOINT, PREVIOUS_CHECKPOINT, FRAMES];
    let is_there = |file: &&str| path.join(file).symlink_metadata().is_ok();
    written.iter().any(is_there)
}

/// A run whose own scene cannot be read goes on where the user names the scene.
fn unreadable(path: &Path, error: Failure) -> Failure {
    let path = path.display();
    Failure::Input(format!(
        "{error}\nthe run may still go on with its scene named: drystone run SCENE --resume -o {path}"
    ))
}

/// The newest folder of runs of a scene.
fn last_folder(name: &str) -> Result<PathBuf, Failure> {
    let folders = (1..).map(|number| numbered(name, number));
    let existing = folders.take_while(|path| path.is_dir());
    let newest = existing.last();
    newest.ok_or_else(|| Failure::Input(format!("there is no run of {name} in {DEFAULT}")))
}

/// Removes what is made at the end of a run: until it ends again it is not complete.
pub fn remove_results(folder: &RunFolder) -> Result<(), Failure> {
    for name in [SUMMARY, PICTURE].into_iter().chain(PLOTS) {
        let file = folder.file(name);
        match std::fs::remove_file(&file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Failure::writing(&file, e));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
