//! `drystone run`.
//!
//! A run is a [`Session`] that writes and a [`Simulation`] that steps. `folder.rs` finds the folder and the scene, `session.rs`
//! writes frames, tables and checkpoints and takes them up again, `meter.rs` shows how it gets on, and at the end `log.rs`, `summary.rs`
//! and `plots.rs` make the results from what was written.

pub mod folder;
mod log;
mod meter;
mod plots;
mod session;
mod summary;

use std::time::{Duration, Instant};

use drystone_scene::recording::Frame;
use drystone_scene::run_folder::RunFolder;
use drystone_scene::{Scene, Simulation};

use crate::args::simulation::{PictureSize, RunArgs};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::picture::{Drawing, Wishes, draw};
use crate::plot::{Colours, to_png, to_svg};
use crate::render::RenderError;
use crate::run::{cancelled, thread_pool};
use crate::scene_source::failure;
use folder::{PICTURE, PLOTS, Place, SUMMARY};
use meter::Meter;
use session::{Session, Took};
use summary::Summary;

/// Runs a scene; the exit status says how it ended.
pub fn simulate(args: &RunArgs) -> Result<u8, Failure> {
    let pool = thread_pool(args.threads)?;
    pool.install(|| {
        let place = folder::find(args)?;
        Run::start(args, place)?.finish(args)
    })
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The scene was over.
    Finished,
    /// At `--steps` or `--until`.
    Limit,
    /// By the user.
    Interrupted,
    /// A step could not be made.
    Broke(String),
}

impl Ended {
    /// In a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Limit => "limit",
            Self::Interrupted => "interrupted",
            Self::Broke(_) => "broke",
        }
    }

    /// Whether the run did what was asked for.
    pub fn as_asked(&self) -> bool {
        match self {
            Self::Finished | Self::Limit => true,
            Self::Interrupted | Self::Broke(_) => false,
        }
    }
}

/// A run at work.
struct Run {
    scene: Scene,
    simulation: Simulation,
    session: Session,
    /// When to checkpoint.
    rhythm: Rhythm,
    started: Instant,
    /// Wall time of the run before it was resumed, s.
    before: f64,
}

impl Run {
    fn start(args: &RunArgs, place: Place) -> Result<Self, Failure> {
        let Place {
            scene,
            folder,
            resume,
            source,
        } = place;
        let started = Instant::now();
        memory::check(scene.least_bodies(), 0, args.force)?;
        let mut simulation = Simulation::new(&scene).map_err(|e| failure(&e))?;
        let world = simulation.world();
        memory::check(world.len() as u64, memory::contacts(world), args.force)?;
        source.write(&folder)?;
        let (session, took) = match resume {
            true => Session::resume(folder, &scene, &mut simulation)?,
            false => (
                Session::begin(folder, &scene, &simulation)?,
                Took::default(),
            ),
        };
        if !args.quiet {
            announce(&scene, &simulation, session.folder(), &took);
        }
        if let Some(warning) = &took.warning {
            to_stderr(&format!("warning: {warning}"));
        }
        Ok(Self {
            scene,
            simulation,
            session,
            rhythm: Rhythm::new(args.checkpoint_every),
            started,
            before: took.seconds,
        })
    }

    /// Wall time of the whole run, s.
    fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// Steps until the end.
    fn advance(&mut self, args: &RunArgs) -> Result<Ended, Failure> {
        let mut meter = Meter::start(args, &self.simulation);
        let ended = loop {
            if let Some(ended) = self.end(args) {
                break ended;
            }
            let (before, phase) = (self.simulation.world().time(), self.simulation.phase().0);
            let report = match self.simulation.step() {
                Ok(report) => report,
                Err(error) => break Ended::Broke(error.to_string()),
            };
            self.session.record(&self.simulation, &report, before)?;
            meter.update(&self.simulation, &report);
            if self.simulation.phase().0 != phase || self.rhythm.is_due() {
                self.checkpoint()?;
            }
        };
        meter.finish();
        Ok(ended)
    }

    /// Whether and how the run is over.
    fn end(&self, args: &RunArgs) -> Option<Ended> {
        let world = self.simulation.world();
        let half_step = 0.5 * world.settings().time_step;
        let at_limit = args.steps.is_some_and(|steps| world.steps() >= steps)
            || args
                .until
                .is_some_and(|end| world.time() >= end - half_step);
        if self.simulation.is_finished() {
            Some(Ended::Finished)
        } else if at_limit {
            Some(Ended::Limit)
        } else if cancelled() {
            Some(Ended::Interrupted)
        } else {
            None
        }
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let seconds = self.seconds();
        let begun = Instant::now();
        self.session.checkpoint(&self.simulation, seconds)?;
        self.rhythm.written(begun.elapsed());
        Ok(())
    }

    /// Runs to the end, and makes the results.
    fn finish(mut self, args: &RunArgs) -> Result<u8, Failure> {
        let ended = self.advance(args)?;
        // First what the run can go on from, then what shows where it is.
        self.checkpoint()?;
        self.session.record_last(&self.simulation)?;
        let folder = self.session.folder();
        let log = log::read(&folder.file(drystone_scene::run_folder::LOG))?;
        let world = self.simulation.world();
        let figure = plots::figure(self.scene.title(), &log, world.settings().tolerance);
        let scene = figure.scene();
        let [svg, png] = PLOTS.map(|name| folder.file(name));
        write_bytes(&svg, to_svg(&scene, Colours::Fixed).as_bytes())?;
        let bytes = to_png(&scene).ok_or_else(|| Failure::writing(&png, "too large to draw"))?;
        write_bytes(&png, &bytes)?;
        let summary = Summary::new(&self.scene, &self.simulation, &log, &ended).with_effort(
            self.session.frames(),
            self.seconds(),
            rayon::current_num_threads(),
        );
        // Last of the numbers, since it tells that the run is complete.
        let json = format!("{:#}\n", summary.json(folder.path()));
        write_bytes(&folder.file(SUMMARY), json.as_bytes())?;
        let picture = match args.picture {
            PictureSize(Some(size)) if ended != Ended::Interrupted => self.picture(size)?,
            PictureSize(_) => false,
        };
        to_stdout(&match args.json {
            true => json,
            false => summary.table(self.session.folder().path(), picture),
        })?;
        summary.warn(self.session.folder().path());
        Ok(match ended.as_asked() {
            true => SUCCESS,
            false => NOT_CONVERGED,
        })
    }

    /// The last moment as a picture; whether there is one. A scene that cannot be drawn is warned of and fails no run.
    fn picture(&self, size: [u32; 2]) -> Result<bool, Failure> {
        let warn = |words: String| {
            to_stderr(&format!("warning: no picture: {words}"));
            Ok(false)
        };
        let wishes = match Wishes::of_scene(self.scene.view()) {
            Ok(wishes) => Wishes { size, ..wishes },
            Err(words) => return warn(words),
        };
        let frame = Frame::of_world(self.simulation.world(), true);
        match draw(self.session.header(), &frame, &wishes) {
            Ok(png) => {
                write_bytes(&self.session.folder().file(PICTURE), &png)?;
                Ok(true)
            }
            Err(Drawing::Render(RenderError::Cancelled)) => Ok(false),
            Err(error) => warn(error.to_string()),
        }
    }
}

fn announce(scene: &Scene, simulation: &Simulation, folder: &RunFolder, took: &Took) {
    let world = simulation.world();
    let from = match took.step {
        Some(step) => format!(", on from step {step}"),
        None => String::new(),
    };
    to_stderr(&format!(
        "{}: {} bodies, results in {}{from}",
        scene.title(),
        world.len(),
        folder.path().display()
    ));
}

/// When to write checkpoints.
struct Rhythm {
    every: Option<Duration>,
    next: Instant,
}

/// Wall time between checkpoints unless told: what a killed run loses at most.
const EVERY: Duration = Duration::from_secs(5);
/// Share of the time that writing checkpoints may take unless told, as its inverse.
const SHARE: u32 = 20;

impl Rhythm {
    fn new(every: Option<Duration>) -> Self {
        Self {
            every,
            next: Instant::now() + every.unwrap_or(EVERY),
        }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    fn written(&mut self, took: Duration) {
        let pause = self.every.unwrap_or(EVERY.max(SHARE * took));
        self.next = Instant::now() + pause;
    }
}
