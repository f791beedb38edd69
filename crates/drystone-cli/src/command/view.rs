//! `drystone view`: a run in the browser, or as one file.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use drystone_run::run_folder::FRAMES;
use drystone_scene::builtin_scenes;
use drystone_study::output::check_writable;
use drystone_study::table::{plural, short_number};
use drystone_view::{Replay, ReplaySettings, RunView, ViewError, replay};
use indicatif::ProgressBar;

use crate::args::simulation::{PictureSize, RunArgs};
use crate::args::view::ViewArgs;
use crate::cancellation::{Interrupt, Stage};
use crate::command::run;
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::watching::Watching;

/// Shows a run, or writes it as one file.
pub fn view(args: &ViewArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    match (run_of(args), &args.export) {
        (Some(run), Some(file)) => export(args, &run, file, interrupt),
        (Some(run), None) => show(args, &run, interrupt),
        (None, None) => run::run(&as_run(args), interrupt),
        (None, Some(_)) => Err(Failure::Input(format!(
            "--export needs the folder of a run, and '{}' is none: run the scene first",
            args.what
        ))),
    }
}

/// The run that is meant: a folder with a recording, or a recording. None for a scene.
fn run_of(args: &ViewArgs) -> Option<PathBuf> {
    let path = Path::new(&args.what);
    let is_recording = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("dry"));
    let is_built_in = builtin_scenes().iter().any(|(name, _)| *name == args.what);
    // Where a folder has the name of a built-in scene, the flags of scenes tell which is meant.
    let is_scene = is_built_in && (scene_flag(args).is_some() || !path.join(FRAMES).exists());
    (is_recording || (path.is_dir() && !is_scene)).then(|| path.to_owned())
}

/// The first flag that was given of those for scenes.
fn scene_flag(args: &ViewArgs) -> Option<&'static str> {
    let flags = [
        ("--output", args.output.is_some()),
        ("--set", !args.reading.set.is_empty()),
        ("--from", args.reading.from.is_some()),
    ];
    flags.into_iter().find(|(_, is)| *is).map(|(name, _)| name)
}

/// The scene run as `run --watch` does.
fn as_run(args: &ViewArgs) -> RunArgs {
    RunArgs {
        scene: Some(args.what.clone()),
        output: args.output.clone(),
        reading: args.reading.clone(),
        steps: None,
        until: None,
        resume: false,
        overwrite: false,
        checkpoint_every: None,
        picture: PictureSize(None),
        quality: None,
        threads: args.threads,
        force: false,
        quiet: args.quiet,
        json: false,
        watch: true,
        serving: args.serving.clone(),
    }
}

fn show(args: &ViewArgs, run: &Path, interrupt: &Interrupt) -> Result<u8, Failure> {
    if let Some(flag) = scene_flag(args) {
        let words = format!("is a run that is there already: {flag} is for scenes");
        return Err(Failure::in_file(run, words));
    }
    let watching = Watching::start(run, &args.serving)?;
    to_stdout(&format!("{}\n", watching.link()))?;
    if !args.quiet && std::io::stderr().is_terminal() {
        to_stderr("Ctrl-C ends the server");
    }
    watching.open();
    watching.wait(interrupt);
    Ok(SUCCESS)
}

fn export(args: &ViewArgs, run: &Path, file: &Path, interrupt: &Interrupt) -> Result<u8, Failure> {
    check_writable(file)?;
    let view = RunView::open(run)?;
    let settings = ReplaySettings {
        every: args.every.map(|every| every as usize),
        largest: args.max_size,
    };
    interrupt.enter(Stage::Cancel {
        now: "cancelling",
        late: "gave up: no replay was written".to_owned(),
    });
    let bar = match args.quiet || !std::io::stderr().is_terminal() {
        true => ProgressBar::hidden(),
        false => ProgressBar::new(0),
    };
    let mut progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let made = replay(&view, &settings, interrupt.flag(), &mut progress);
    bar.finish_and_clear();
    let made = match made {
        Ok(made) => made,
        Err(ViewError::Cancelled { .. }) => {
            to_stderr("cancelled: no replay was written");
            return Ok(NOT_CONVERGED);
        }
        Err(error) => return Err(error.into()),
    };
    interrupt.enter(Stage::Save);
    write_bytes(file, made.html.as_bytes())?;
    to_stdout(&words(file, &made))?;
    Ok(SUCCESS)
}

/// What was written, and how far off it is.
fn words(file: &Path, made: &Replay) -> String {
    let which = match made.every {
        1 => String::new(),
        every => format!(" (one in {every})"),
    };
    format!(
        "{}: {}{which}, {:.2} MB\n\
         largest errors: positions {} m, rotations {}°, velocities {} m/s\n",
        file.display(),
        plural(made.frames, "frame"),
        made.html.len() as f64 / 1e6,
        short_number(made.position_error),
        // The angle between two rotations is twice that between their quaternions.
        short_number((4.0 * (0.5 * made.rotation_error).asin()).to_degrees()),
        short_number(made.velocity_error),
    )
}
