//! `drystone run`.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use drystone_draw::files::write_figure;
use drystone_draw::render::RenderError;
use drystone_draw::{PictureError, PictureSettings, draw, run_figure};
use drystone_run::recording::Frame;
use drystone_run::run_folder::{LOG, PICTURE, SCENE};
use drystone_run::{Control, Ended, Event, Run, StopAt};
use drystone_scene::Simulation;

use crate::args::simulation::{PictureSize, RunArgs};
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::meter::Meter;
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::place::{self, Place, Start, remove_results};
use crate::run_summary;
use crate::threads::thread_pool;

/// Stem of the plots in the run's folder.
const PLOTS: &str = "plots";

/// Runs a scene; the exit status says how it ended.
pub fn run(args: &RunArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    interrupt.enter(Stage::Quit("stopped before the first step"));
    let pool = thread_pool(args.threads)?;
    pool.install(|| {
        let mut run = start(args, place::find(args)?)?;
        let ended = advance(args, &mut run, interrupt)?;
        finish(args, run, &ended, interrupt)
    })
}

fn start(args: &RunArgs, place: Place) -> Result<Run, Failure> {
    let Place {
        scene,
        folder,
        start,
        source,
    } = place;
    let least_contacts = drystone_run::memory::least_contacts(&scene);
    memory::check(scene.least_bodies(), least_contacts, args.force)?;
    let simulation = Simulation::new(&scene).map_err(|error| source.place(error))?;
    let world = simulation.world();
    let contacts = drystone_run::memory::contacts(world);
    memory::check(world.len() as u64, contacts, args.force)?;
    if start == Start::Replace {
        // Results first: a summary beside the files of another run would be taken for its own.
        remove_results(&folder)?;
        folder.clear()?;
    }
    if !folder.file(SCENE).exists() {
        source.write(&folder)?;
    }
    let mut run = match start {
        Start::Resume => Run::resume(scene, simulation, folder)?,
        Start::New | Start::Replace => Run::begin(scene, simulation, folder)?,
    };
    // Only now: another scene's run is refused, and keeps its own scene and results.
    source.write(run.folder())?;
    remove_results(run.folder())?;
    run.checkpoint_every(args.checkpoint_every);
    if !args.quiet {
        announce(&run);
    }
    for warning in run.warnings() {
        to_stderr(&format!("warning: {warning}"));
    }
    Ok(run)
}

fn announce(run: &Run) {
    let from = match run.resumed_from() {
        Some(step) => format!(", on from step {step}"),
        None => String::new(),
    };
    to_stderr(&format!(
        "{}: {} bodies, results in {}{from}",
        run.scene().title(),
        run.simulation().world().len(),
        run.folder().path().display()
    ));
}

fn advance(args: &RunArgs, run: &mut Run, interrupt: &Interrupt) -> Result<Ended, Failure> {
    interrupt.enter(Stage::Cancel {
        now: "stopping: the run is saved as of its last whole step",
        late: format!(
            "gave up waiting for the step at hand; go on from the last checkpoint with: \
             drystone run --resume -o {}",
            run.folder().path().display()
        ),
    });
    let meter = Mutex::new(Meter::start(args, run.simulation()));
    let report = |event: Event<'_>| match event {
        Event::Step(simulation, report) => {
            let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
            meter.update(simulation, report);
        }
        Event::Saving => interrupt.enter(Stage::Save),
        _ => {}
    };
    let stop = StopAt {
        steps: args.steps,
        time: args.until,
        ..StopAt::default()
    };
    let ended = run.advance(&stop, Control::new(interrupt.flag(), &report));
    meter
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish();
    Ok(ended?)
}

/// Makes the results from what was written.
fn finish(
    args: &RunArgs,
    mut run: Run,
    ended: &Ended,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    // A run that was stopped is still being saved.
    if *ended != Ended::Cancelled {
        interrupt.enter(Stage::Cancel {
            now: "stopping: the run has ended, but its picture is left out",
            late: format!(
                "gave up: all steps are in {}, but plots, summary and picture may be missing",
                run.folder().path().display()
            ),
        });
    }
    let steps = run.steps()?;
    if let Some(fault) = &steps.first_fault {
        to_stderr(&format!(
            "warning: {}: {} rows cannot be read and are left out of summary and plots; {fault}",
            run.folder().file(LOG).display(),
            steps.unreadable,
        ));
    }
    let steps = steps.rows;
    let tolerance = run.simulation().world().settings().tolerance;
    let figure = run_figure(run.scene().title(), &steps, tolerance);
    write_figure(&run.folder().file(PLOTS), &figure)?;
    let summary = run.summary(&steps, ended, rayon::current_num_threads());
    run.write_summary(&summary)?;
    run.free_work_memory();
    let folder = run.folder().path();
    let no_picture = format!(
        "stopped before the picture was drawn; make it with: drystone render {0} -o {0}/{PICTURE}",
        folder.display()
    );
    let picture = match args.picture {
        PictureSize(Some(size)) if *ended != Ended::Cancelled => {
            interrupt.enter(Stage::Spare {
                now: "stopping: the run has ended, but its picture is left out",
                late: no_picture.clone(),
            });
            picture(&run, size, interrupt.flag())?
        }
        PictureSize(_) => Drawn::NotAsked,
    };
    to_stdout(&match args.json {
        true => format!("{:#}\n", summary.json(folder)),
        false => run_summary::table(&summary, folder, picture == Drawn::Whole),
    })?;
    run_summary::warn(&summary, folder);
    if picture == Drawn::Cancelled {
        to_stderr(&no_picture);
    }
    Ok(match ended.as_asked() && picture != Drawn::Cancelled {
        true => SUCCESS,
        false => NOT_CONVERGED,
    })
}

/// What became of the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drawn {
    Whole,
    NotAsked,
    /// The scene cannot be drawn; that was warned of.
    Impossible,
    Cancelled,
}

/// The last moment as a picture. A scene that cannot be drawn is warned of and fails no run.
fn picture(run: &Run, size: [u32; 2], cancel: &AtomicBool) -> Result<Drawn, Failure> {
    let settings = PictureSettings {
        size,
        ..PictureSettings::from(run.scene().view())
    };
    let frame = Frame::of_world(run.simulation().world(), true);
    match draw(run.header(), &frame, &settings, cancel) {
        Ok(png) => {
            write_bytes(&run.folder().file(PICTURE), &png)?;
            Ok(Drawn::Whole)
        }
        Err(PictureError::Render(RenderError::Cancelled)) => Ok(Drawn::Cancelled),
        Err(error) => {
            to_stderr(&format!("warning: no picture: {error}"));
            Ok(Drawn::Impossible)
        }
    }
}
