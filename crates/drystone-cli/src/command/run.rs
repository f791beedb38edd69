//! `drystone run`.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use drystone_draw::files::write_figure;
use drystone_draw::picture::{image, image_within};
use drystone_draw::render::{Quality, RenderError};
use drystone_draw::{PictureError, PictureSettings, run_figure};
use drystone_run::recording::Frame;
use drystone_run::run_folder::{LOG, PICTURE, SCENE};
use drystone_run::{Control, Ended, Event, Run, StopAt};
use drystone_scene::Simulation;

use crate::args::render::QualityName;
use crate::args::simulation::{PictureSize, RunArgs};
use crate::cancellation::{Interrupt, Stage};
use crate::drawing::Drawing;
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::meter::Meter;
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::place::{self, Place, Start, remove_results};
use crate::run_summary;
use crate::threads::thread_pool;

/// Stem of the plots in the run's folder.
const PLOTS: &str = "plots";

/// Time that the picture may take where the run took less: less would spoil most pictures.
const LEAST_DRAWING: Duration = Duration::from_secs(2);

/// Runs a scene; the exit status says how it ended.
pub fn run(args: &RunArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    interrupt.enter(Stage::Quit("stopped before the first step"));
    let pool = thread_pool(args.threads)?;
    pool.install(|| {
        let begun = Instant::now();
        let mut run = start(args, place::find(args)?)?;
        let ended = advance(args, &mut run, interrupt)?;
        finish(args, run, &ended, begun, interrupt)
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
    begun: Instant,
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
    let render = format!("drystone render {0} -o {0}/{PICTURE}", folder.display());
    let no_picture = format!("stopped before the picture was drawn; make it with: {render}");
    let picture = match args.picture {
        PictureSize(Some(size)) if *ended != Ended::Cancelled => {
            interrupt.enter(Stage::Spare {
                now: "stopping: the run has ended, but its picture is left out",
                late: no_picture.clone(),
            });
            let limit = begun.elapsed().max(LEAST_DRAWING);
            picture(args, &run, size, limit, interrupt.flag())?
        }
        PictureSize(_) => Drawn::NotAsked,
    };
    to_stdout(&match args.json {
        true => format!("{:#}\n", summary.json(folder)),
        false => run_summary::table(&summary, folder, picture.is_there()),
    })?;
    run_summary::warn(&summary, folder);
    match picture {
        Drawn::Cancelled => to_stderr(&no_picture),
        Drawn::Hurried if !args.quiet => to_stderr(&format!(
            "the picture is a sketch, so as not to take longer than the run; for a better one: {render}"
        )),
        Drawn::Whole | Drawn::Hurried | Drawn::NotAsked | Drawn::Impossible => {}
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
    /// Coarser than usual, to be done in time.
    Hurried,
    NotAsked,
    /// The scene cannot be drawn; that was warned of.
    Impossible,
    Cancelled,
}

impl Drawn {
    fn is_there(self) -> bool {
        matches!(self, Self::Whole | Self::Hurried)
    }
}

/// The last moment as a picture, within about `limit` unless the user says how good it must be. A
/// scene that cannot be drawn is warned of and fails no run.
fn picture(
    args: &RunArgs,
    run: &Run,
    size: [u32; 2],
    limit: Duration,
    cancel: &AtomicBool,
) -> Result<Drawn, Failure> {
    let settings = PictureSettings {
        size,
        quality: args.quality.map_or(Quality::Draft, QualityName::quality),
        ..PictureSettings::from(run.scene().view())
    };
    let frame = Frame::of_world(run.simulation().world(), true);
    let drawing = Drawing::start(args.quiet, &format!("drawing {PICTURE}"), 1, cancel);
    let observe = |share: f64| drawing.observe(0, share);
    let drawn = match args.quality {
        Some(_) => {
            image(run.header(), &frame, &settings, &observe).map(|image| (image, Drawn::Whole))
        }
        None => image_within(run.header(), &frame, &settings, limit, &observe)
            .map(|(image, quality)| (image, how(quality))),
    };
    drawing.finish();
    let drawn = drawn.and_then(|(image, how)| Ok((image.to_png()?, how)));
    match drawn {
        Ok((png, how)) => {
            write_bytes(&run.folder().file(PICTURE), &png)?;
            Ok(how)
        }
        Err(PictureError::Render(RenderError::Cancelled)) => Ok(Drawn::Cancelled),
        Err(error) => {
            to_stderr(&format!("warning: no picture: {error}"));
            Ok(Drawn::Impossible)
        }
    }
}

fn how(quality: Quality) -> Drawn {
    match quality {
        Quality::Sketch => Drawn::Hurried,
        Quality::Draft | Quality::Normal | Quality::Fine => Drawn::Whole,
    }
}
