//! A run of a scene that leaves a folder: frames, tables, checkpoints, a summary.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use drystone_scene::{Scene, Simulation};

use crate::atomic::write_atomically;
use crate::control::{Control, Event};
use crate::drive::{Ended, StopAt, drive_by};
use crate::error::RunError;
use crate::files::{Resumed, RunFiles};
use crate::problems::{self, ProblemWriter};
use crate::recording::RunHeader;
use crate::run_folder::{LOG, RunFolder, SUMMARY};
use crate::step_table::{StepRow, StepTable, read_steps};
use crate::summary::Summary;

/// A run at work.
pub struct Run {
    scene: Scene,
    simulation: Simulation,
    files: RunFiles,
    schedule: CheckpointSchedule,
    started: Instant,
    resumed: Resumed,
}

impl Run {
    /// Begins a run in a folder that holds none.
    pub fn begin(
        scene: Scene,
        simulation: Simulation,
        folder: RunFolder,
    ) -> Result<Self, RunError> {
        let files = RunFiles::begin(folder, &scene, &simulation)?;
        Ok(Self::new(scene, simulation, files, Resumed::default()))
    }

    /// Goes on with the run in a folder where its last checkpoint was made, or begins it where
    /// there is none. `simulation` is the scene's at its start.
    pub fn resume(
        scene: Scene,
        mut simulation: Simulation,
        folder: RunFolder,
    ) -> Result<Self, RunError> {
        let (files, resumed) = RunFiles::resume(folder, &scene, &mut simulation)?;
        Ok(Self::new(scene, simulation, files, resumed))
    }

    fn new(scene: Scene, simulation: Simulation, files: RunFiles, resumed: Resumed) -> Self {
        Self {
            scene,
            simulation,
            files,
            schedule: CheckpointSchedule::new(None),
            started: Instant::now(),
            resumed,
        }
    }

    /// Writes a checkpoint after every so much wall time, instead of every few seconds.
    pub fn checkpoint_every(&mut self, every: Option<Duration>) {
        self.schedule = CheckpointSchedule::new(every);
    }

    /// Has the problems that the scene wants kept written by `writer`. Such a scene does not run
    /// without one.
    pub fn write_problems_by(&mut self, writer: ProblemWriter) {
        self.files.problems().set_writer(writer);
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The simulation as it is now.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to set loads, velocities or motors between steps. Who changes it has a run
    /// that the scene alone does not repeat.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Lets the folder go and hands the simulation back.
    pub fn into_simulation(self) -> Simulation {
        self.simulation
    }

    /// Gives back memory that only steps need.
    pub fn free_work_memory(&mut self) {
        self.simulation.free_work_memory();
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        self.files.folder()
    }

    /// What is known of the run from its start.
    pub fn header(&self) -> &RunHeader {
        self.files.header()
    }

    /// The step that the run was resumed from; none where it began anew.
    pub fn resumed_from(&self) -> Option<u64> {
        self.resumed.step
    }

    /// What was not as it should be when the run was resumed.
    pub fn warnings(&self) -> &[String] {
        &self.resumed.warnings
    }

    /// Wall time of the whole run, s, with that before it was resumed.
    pub fn seconds(&self) -> f64 {
        self.resumed.seconds + self.started.elapsed().as_secs_f64()
    }

    /// Steps until the end of the scene, `stop`, or a cancellation. All that was made is on the
    /// disk when this returns, with a checkpoint to go on from.
    pub fn advance(&mut self, stop: &StopAt, control: Control<'_>) -> Result<Ended, RunError> {
        let ended = self.go_on(stop, control)?;
        self.save(control)?;
        Ok(ended)
    }

    /// The same without the checkpoint at the end: for callers that stop often, to look at the
    /// simulation or to change it. [`Run::save`] comes last.
    pub fn go_on(&mut self, stop: &StopAt, control: Control<'_>) -> Result<Ended, RunError> {
        let before = self.resumed.seconds;
        let Self {
            scene,
            simulation,
            files,
            schedule,
            started,
            ..
        } = self;
        let several = simulation.phase_names().len() > 1;
        let mut phase = (simulation.phases_done(), simulation.is_finished());
        let wanted = simulation.recording().problems;
        let caught = RefCell::new(None);
        let step = |simulation: &mut Simulation| {
            let (report, problem) = problems::step(simulation, control, wanted.as_ref())?;
            *caught.borrow_mut() = problem;
            Ok(report)
        };
        let ended = drive_by(simulation, stop, control, step, |simulation, made| {
            files.record(simulation, made.report, made.began)?;
            if let (Some(wanted), Some(caught)) = (&wanted, caught.take()) {
                let title = scene.title();
                let kept = files
                    .problems()
                    .write(wanted, title, made.report, &caught)?;
                if let Some(words) = kept {
                    control.tell(Event::Warning(&words));
                }
            }
            let now = (simulation.phases_done(), simulation.is_finished());
            if several && now != phase {
                files.keep_phase(simulation, phase.0)?;
            }
            phase = now;
            if made.ended_phase || schedule.is_due() {
                let begun = Instant::now();
                let seconds = before + started.elapsed().as_secs_f64();
                files.checkpoint(simulation, seconds)?;
                schedule.written(begun.elapsed());
            }
            Ok::<(), RunError>(())
        })?;
        Ok(ended)
    }

    /// Puts all that was made on the disk, with a checkpoint to go on from.
    pub fn save(&mut self, control: Control<'_>) -> Result<(), RunError> {
        control.tell(Event::Saving);
        // First what the run can go on from, then what shows where it is.
        let seconds = self.seconds();
        self.files.checkpoint(&self.simulation, seconds)?;
        self.files.record_last(&self.simulation)
    }

    /// All steps of the run, with those before it was resumed.
    pub fn steps(&self) -> Result<StepTable, RunError> {
        read_steps(&self.folder().file(LOG))
    }

    /// What the run has come to. `threads` is the number of threads that it ran on.
    pub fn summary(&self, steps: &[StepRow], ended: &Ended, threads: usize) -> Summary {
        let effort = (self.files.frames(), self.seconds(), threads);
        let overlap = self.files.deepest_overlap();
        Summary::new(&self.scene, &self.simulation, steps, ended)
            .with_effort(effort)
            .with_overlap(overlap, self.simulation.world())
            .with_jam(self.files.worst_jam())
            .with_problems(self.files.problem_count())
    }

    /// Writes `summary.json`. It tells that the run is complete, so it is written last.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), RunError> {
        let file = self.folder().file(SUMMARY);
        let json = format!("{:#}\n", summary.json(self.folder().path()));
        write_atomically(&file, json.as_bytes()).map_err(|e| RunError::writing(&file, e))
    }
}

/// When to write checkpoints.
struct CheckpointSchedule {
    every: Option<Duration>,
    next: Instant,
}

/// Wall time between checkpoints unless the caller says: what a killed run loses at most.
const EVERY: Duration = Duration::from_secs(5);

/// Share of the time that writing checkpoints may take unless the caller says, as its inverse.
/// Large worlds take a second to write; every five seconds would slow the run by a fifth.
const SHARE: u32 = 20;

impl CheckpointSchedule {
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
