//! `drystone run`.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use drystone_draw::files::write_figure;
use drystone_draw::render::RenderError;
use drystone_draw::{PictureError, PictureSettings, draw, run_figure};
use drystone_run::recording::Frame;
use drystone_run::run_folder::PICTURE;
use drystone_run::{Control, Ended, Event, Run, StopAt};
use drystone_scene::Simulation;

use crate::args::simulation::{PictureSize, RunArgs};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::meter::Meter;
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::place::{self, Place};
use crate::run_summary;
use crate::threads::thread_pool;

/// Stem of the plots in the run's folder.
const PLOTS: &str = "plots";

/// Runs a scene; the exit status says how it ended.
pub fn run(args: &RunArgs, cancel: &AtomicBool) -> Result<u8, Failure> {
    let pool = thread_pool(args.threads)?;
    pool.install(|| {
        let mut run = start(args, place::find(args)?)?;
        let ended = advance(args, &mut run, cancel)?;
        finish(args, run, &ended, cancel)
    })
}

fn start(args: &RunArgs, place: Place) -> Result<Run, Failure> {
    let Place {
        scene,
        folder,
        resume,
        source,
    } = place;
    let contacts = drystone_run::memory::least_contacts(&scene);
    memory::check(scene.least_bodies(), contacts, args.force)?;
    let simulation = Simulation::new(&scene)?;
    let world = simulation.world();
    let contacts = drystone_run::memory::contacts(world);
    memory::check(world.len() as u64, contacts, args.force)?;
    source.write(&folder)?;
    let mut run = match resume {
        true => Run::resume(scene, simulation, folder)?,
        false => Run::begin(scene, simulation, folder)?,
    };
    run.checkpoint_every(args.checkpoint_every);
    if !args.quiet {
        announce(&run);
    }
    if let Some(warning) = run.warning() {
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

fn advance(args: &RunArgs, run: &mut Run, cancel: &AtomicBool) -> Result<Ended, Failure> {
    let meter = Mutex::new(Meter::start(args, run.simulation()));
    let report = |event: Event<'_>| {
        if let Event::Step(simulation, report) = event {
            let mut meter = meter.lock().unwrap_or_else(PoisonError::into_inner);
            meter.update(simulation, report);
        }
    };
    let stop = StopAt {
        steps: args.steps,
        time: args.until,
        ..StopAt::default()
    };
    let ended = run.advance(&stop, Control::new(cancel, &report));
    meter
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish();
    Ok(ended?)
}

/// Makes the results from what was written.
fn finish(args: &RunArgs, mut run: Run, ended: &Ended, cancel: &AtomicBool) -> Result<u8, Failure> {
    let steps = run.steps()?;
    let tolerance = run.simulation().world().settings().tolerance;
    let figure = run_figure(run.scene().title(), &steps, tolerance);
    write_figure(&run.folder().file(PLOTS), &figure)?;
    let summary = run.summary(&steps, ended, rayon::current_num_threads());
    run.write_summary(&summary)?;
    run.free_work_memory();
    let picture = match args.picture {
        PictureSize(Some(size)) if *ended != Ended::Cancelled => picture(&run, size, cancel)?,
        PictureSize(_) => false,
    };
    let folder = run.folder().path();
    to_stdout(&match args.json {
        true => format!("{:#}\n", summary.json(folder)),
        false => run_summary::table(&summary, folder, picture),
    })?;
    run_summary::warn(&summary, folder);
    Ok(match ended.as_asked() {
        true => SUCCESS,
        false => NOT_CONVERGED,
    })
}

/// The last moment as a picture; whether there is one. A scene that cannot be drawn is warned of
/// and fails no run.
fn picture(run: &Run, size: [u32; 2], cancel: &AtomicBool) -> Result<bool, Failure> {
    let settings = PictureSettings {
        size,
        ..PictureSettings::from(run.scene().view())
    };
    let frame = Frame::of_world(run.simulation().world(), true);
    match draw(run.header(), &frame, &settings, cancel) {
        Ok(png) => {
            write_bytes(&run.folder().file(PICTURE), &png)?;
            Ok(true)
        }
        Err(PictureError::Render(RenderError::Cancelled)) => Ok(false),
        Err(error) => {
            to_stderr(&format!("warning: no picture: {error}"));
            Ok(false)
        }
    }
}
