//! `drystone run`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use drystone_draw::files::write_figure;
use drystone_draw::picture::{image, image_within};
use drystone_draw::render::{Quality, RenderError};
use drystone_draw::{PictureError, PictureSettings, run_figure};
use drystone_problems::{Fault, Problem, ProblemFile};
use drystone_run::problems::{ProblemOutput, ProblemRefusal};
use drystone_run::recording::Frame;
use drystone_run::run_folder::{LOG, PICTURE, SCENE, START};
use drystone_run::start::{self, Built};
use drystone_run::{Control, Ended, Event, Run, RunError, StopAt, saved_state};
use drystone_scene::{Scene, Simulation};
use drystone_study::table::short_number;

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
use crate::start_report;
use crate::threads::thread_pool;
use crate::watching::Watching;

/// Stem of the plots in the run's folder.
const PLOTS: &str = "plots";

/// Time that the picture may take where the run took less: less would spoil most pictures.
const LEAST_DRAWING: Duration = Duration::from_secs(2);

/// Runs a scene; the exit status says how it ended.
pub fn run(args: &RunArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    if let Some(flag) = args.serving.given().filter(|_| !args.watch) {
        return Err(Failure::Input(format!("{flag} needs --watch")));
    }
    interrupt.enter(Stage::Quit("stopped before the first step"));
    let pool = thread_pool(args.threads)?;
    pool.install(|| {
        let begun = Instant::now();
        let Some(mut run) = start(args, place::find(args)?)? else {
            return Ok(SUCCESS);
        };
        let watching = watch(args, &run)?;
        let ended = advance(args, &mut run, interrupt)?;
        let status = finish(args, run, &ended, begun, interrupt)?;
        // Whoever stopped the run is done with the page, too.
        if let Some(watching) = watching
            && !interrupt.flag().load(Ordering::Relaxed)
        {
            to_stderr(&format!("the page stays open at {}", watching.link()));
            watching.wait(interrupt);
        }
        Ok(status)
    })
}

/// Shows the run in the browser where that is asked for.
fn watch(args: &RunArgs, run: &Run) -> Result<Option<Watching>, Failure> {
    if !args.watch {
        return Ok(None);
    }
    let watching = Watching::start(run.folder().path(), &args.serving)?;
    match args.json {
        true => to_stderr(watching.link()),
        false => to_stdout(&format!("{}\n", watching.link()))?,
    }
    watching.open();
    Ok(Some(watching))
}

/// Begins the run, or goes on with it; none where nothing is left to do.
fn start(args: &RunArgs, place: Place) -> Result<Option<Run>, Failure> {
    let Place {
        scene,
        folder,
        start,
        source,
    } = place;
    let least_contacts = drystone_run::memory::least_contacts(&scene);
    memory::check(scene.least_bodies(), least_contacts, args.force)?;
    let kept = (start == Start::Resume).then(|| folder.path());
    let built = start::build(&scene, kept).map_err(|error| match error {
        RunError::Scene(error) => source.place(error).into(),
        error => Failure::from(error),
    })?;
    let Built {
        mut simulation,
        start: begun,
    } = built;
    let world = simulation.world();
    let contacts = drystone_run::memory::contacts(world);
    memory::check(world.len() as u64, contacts, args.force)?;
    if start == Start::Resume && is_done(args, &scene, &mut simulation, folder.path())? {
        return Ok(None);
    }
    if start == Start::Replace {
        // Results first: a summary beside the files of another run would be taken for its own.
        remove_results(&folder)?;
        folder.clear()?;
    }
    if let Some((state, _)) = begun.as_ref().filter(|_| !folder.file(START).exists()) {
        state.keep(&folder)?;
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
    run.write_problems_by(Box::new(write_problem));
    if !args.quiet {
        announce(&run);
        if let Some((state, report)) = begun.as_ref().filter(|_| run.resumed_from().is_none()) {
            to_stderr(&start_report::words(&state.words, report));
        }
    }
    for note in begun.iter().flat_map(|(_, report)| &report.notes) {
        to_stderr(&format!("warning: {note}"));
    }
    for warning in run.warnings() {
        to_stderr(&format!("warning: {warning}"));
    }
    Ok(Some(run))
}

/// Whether the run in a folder has come as far as it is asked to, with its results; says so.
fn is_done(
    args: &RunArgs,
    scene: &Scene,
    simulation: &mut Simulation,
    folder: &Path,
) -> Result<bool, Failure> {
    let Some(state) = saved_state(folder, scene)? else {
        return Ok(false);
    };
    simulation.restore(&state)?;
    let world = simulation.world();
    let Some(summary) = place::results(folder, world.steps()) else {
        return Ok(false);
    };
    let PictureSize(picture) = args.picture;
    let is_drawn = picture.is_none() || folder.join(PICTURE).exists();
    if !stop_at(args).is_over(simulation) || !is_drawn {
        return Ok(false);
    }
    to_stderr(&format!(
        "nothing to do: the run in {} has come to t = {} s in {} steps, and its results are there; \
         --until T, with T in s, goes on from here",
        folder.display(),
        short_number(world.time()),
        world.steps()
    ));
    if args.json {
        to_stdout(&summary)?;
    }
    Ok(true)
}

/// Writes a problem of a step in the format that its file's extension says.
fn write_problem(output: ProblemOutput<'_>) -> Result<(), ProblemRefusal> {
    let file = ProblemFile {
        title: output.title.to_owned(),
        problem: Problem::TwoBody(output.problem.clone()),
        guess: Some(output.guess.to_vec()),
        solution: None,
    };
    drystone_problems::write_problem(output.file, &file).map_err(|error| match error.fault {
        Fault::Io(reason) => ProblemRefusal::Write(reason.to_string()),
        fault => ProblemRefusal::NoPlace(fault.to_string()),
    })
}

fn stop_at(args: &RunArgs) -> StopAt {
    StopAt {
        steps: args.steps,
        time: args.until,
        // Whoever says where to stop gets so far: the last phase lasts on.
        beyond_scene: args.steps.is_some() || args.until.is_some(),
        ..StopAt::default()
    }
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
        Event::Solve(progress) => {
            let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
            meter.solving(progress);
        }
        Event::Saving => interrupt.enter(Stage::Save),
        Event::Warning(words) => {
            let meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
            meter.tell(&format!("warning: {words}"));
        }
        _ => {}
    };
    let ended = run.advance(&stop_at(args), Control::new(interrupt.flag(), &report));
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
