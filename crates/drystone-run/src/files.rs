//! What a run writes while it goes, and how it takes that up again.
//!
//! Frames and tables are written by a thread of their own ([`writer`]). They are on the disk before
//! the checkpoint that counts them. So no checkpoint runs ahead of them, and going on from a
//! checkpoint cuts them back to it.

mod writer;

use std::path::Path;
use std::sync::Arc;

use drystone::StepReport;
use drystone_scene::{Scene, Simulation, SimulationState};
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoints, Fingerprint};
use crate::error::RunError;
use crate::overlap::{DeepestOverlap, OverlapWatch};
use crate::recording::{
    ForceLog, JointLog, Recorder, Recording, RecordingError, RecordingFault, RunHeader, StepLog,
    TableMark, Tail,
};
use crate::run_folder::{FORCES, FRAMES, JOINTS, LOG, RunFolder};

use writer::{GrowingFiles, Writer};

/// What a checkpoint holds.
#[derive(Serialize, Deserialize)]
struct Saved {
    state: SimulationState,
    /// Step of the last frame on schedule.
    scheduled: u64,
    /// Frames up to it.
    frames: u64,
    /// Wall time of the run, s.
    seconds: f64,
    /// How far the tables had got; those of forces and joints where the scene asks for them.
    steps: TableMark,
    forces: Option<TableMark>,
    joints: Option<TableMark>,
    /// The deepest overlap so far.
    overlap: Option<DeepestOverlap>,
}

/// The files of a run, open for writing.
pub(crate) struct RunFiles {
    writer: Writer,
    header: Arc<RunHeader>,
    overlaps: OverlapWatch,
    checkpoints: Checkpoints,
    /// Step of the newest whole checkpoint.
    saved: Option<u64>,
    /// Step of the last frame on schedule. The end of a run adds one that is not.
    scheduled: u64,
    frames: u64,
    /// With the lock, so it is let go last: the writer may still be at work before.
    folder: RunFolder,
}

/// Where a run goes on.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    /// Step that the run goes on from; none where it begins.
    pub step: Option<u64>,
    /// Wall time so far, s.
    pub seconds: f64,
    /// What was not as it should be.
    pub warnings: Vec<String>,
}

impl RunFiles {
    /// Begins a run.
    pub fn begin(
        folder: RunFolder,
        scene: &Scene,
        simulation: &Simulation,
    ) -> Result<Self, RunError> {
        let forces = match simulation.recording().forces.is_empty() {
            true => None,
            false => Some(ForceLog::create(folder.file(FORCES))?),
        };
        let joints = match simulation.recording().joints.is_empty() {
            true => None,
            false => Some(JointLog::create(folder.file(JOINTS))?),
        };
        let header = RunHeader::of_simulation(scene.title(), simulation);
        let growing = GrowingFiles {
            recorder: Recorder::create(folder.file(FRAMES), header)?,
            steps: StepLog::create(folder.file(LOG))?,
            forces,
            joints,
        };
        let mut files = Self {
            header: growing.recorder.shared_header(),
            writer: Writer::start(folder.path(), growing, simulation)?,
            overlaps: OverlapWatch::new(simulation.world(), None),
            checkpoints: checkpoints(folder.path(), scene),
            saved: None,
            scheduled: 0,
            frames: 0,
            folder,
        };
        files.append_frame(simulation)?;
        files.checkpoint(simulation, 0.0)?;
        Ok(files)
    }

    /// Goes on with a run where its last checkpoint was made, or begins it where there is none.
    pub fn resume(
        folder: RunFolder,
        scene: &Scene,
        simulation: &mut Simulation,
    ) -> Result<(Self, Resumed), RunError> {
        let checkpoints = checkpoints(folder.path(), scene);
        let Some(loaded) = checkpoints.read::<Saved>()? else {
            return Ok((Self::begin(folder, scene, simulation)?, Resumed::default()));
        };
        let saved = loaded.payload;
        let step = saved.state.world.step;
        simulation.restore(&saved.state)?;
        let mut warnings = Vec::new();
        if let Some(error) = &loaded.newest {
            warnings.push(format!("{error}; the checkpoint before it is used"));
        }
        let mut taken = Taken {
            folder: &folder,
            step,
            warnings: &mut warnings,
        };
        // Before anything is cut: a run that cannot go on keeps what it has.
        taken.check_frames(saved.scheduled, saved.frames)?;
        let tables = [
            (LOG, Some(saved.steps)),
            (FORCES, saved.forces),
            (JOINTS, saved.joints),
        ];
        for (name, mark) in tables {
            taken.check_length(name, mark)?;
        }
        let recorder = taken.frames(saved.scheduled)?;
        let steps = taken.table(LOG, |file| StepLog::resume_at(file, saved.steps))?;
        let forces = taken.table_of(FORCES, saved.forces, |file, mark| {
            ForceLog::resume_at(file, mark)
        })?;
        let joints = taken.table_of(JOINTS, saved.joints, |file, mark| {
            JointLog::resume_at(file, mark)
        })?;
        let growing = GrowingFiles {
            recorder,
            steps,
            forces,
            joints,
        };
        let files = Self {
            header: growing.recorder.shared_header(),
            writer: Writer::start(folder.path(), growing, simulation)?,
            overlaps: OverlapWatch::new(simulation.world(), saved.overlap),
            checkpoints,
            saved: loaded.newest.is_none().then_some(step),
            scheduled: saved.scheduled,
            frames: saved.frames,
            folder,
        };
        let resumed = Resumed {
            step: Some(step),
            seconds: saved.seconds,
            warnings,
        };
        Ok((files, resumed))
    }

    /// Writes down a step that began at time `before`, s.
    pub fn record(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        before: f64,
    ) -> Result<(), RunError> {
        self.overlaps.look(simulation.world());
        self.writer.append_rows(simulation, report)?;
        let every = simulation.recording().every;
        if frames_due(report.time, every) > frames_due(before, every) {
            self.append_frame(simulation)?;
        }
        Ok(())
    }

    fn append_frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        self.writer.append_frame(simulation)?;
        self.scheduled = simulation.world().steps();
        self.frames += 1;
        Ok(())
    }

    /// Adds the last moment where no frame was due. A run that goes on cuts it away.
    pub fn record_last(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        if self.scheduled < simulation.world().steps() {
            self.append_frame(simulation)?;
        }
        self.writer.sync()?;
        Ok(())
    }

    /// Writes what the run can go on from. `seconds` is the wall time so far.
    ///
    /// Not twice at the same step: the one before, which steps in where the newest is damaged, is
    /// to be an earlier one.
    pub fn checkpoint(&mut self, simulation: &Simulation, seconds: f64) -> Result<(), RunError> {
        let marks = self.writer.sync()?;
        let step = simulation.world().steps();
        if self.saved != Some(step) {
            let saved = Saved {
                state: simulation.state(),
                scheduled: self.scheduled,
                frames: self.frames,
                seconds,
                steps: marks.steps,
                forces: marks.forces,
                joints: marks.joints,
                overlap: self.overlaps.deepest(),
            };
            self.checkpoints.write(&saved)?;
            self.saved = Some(step);
        }
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What is known of the run from its start.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames as usize
    }

    /// The deepest overlap so far.
    pub fn deepest_overlap(&self) -> Option<DeepestOverlap> {
        self.overlaps.deepest()
    }
}

/// Files that are taken up again. What is wrong with them is warned of where the run can go on all
/// the same.
struct Taken<'a> {
    folder: &'a RunFolder,
    /// The step of the checkpoint.
    step: u64,
    warnings: &'a mut Vec<String>,
}

impl Taken<'_> {
    /// The recording must hold so many frames up to step `scheduled`.
    fn check_frames(&self, scheduled: u64, frames: u64) -> Result<(), RunError> {
        let file = self.folder.file(FRAMES);
        let recording = Recording::open(&file).map_err(|error| self.unusable(error))?;
        let steps = (0..recording.len()).map(|frame| recording.step(frame));
        let found = steps.take_while(|step| *step <= scheduled).count();
        if found as u64 == frames {
            return Ok(());
        }
        let why = match recording.tail() {
            Tail::Damaged { what, .. } => format!(": {what}"),
            Tail::Whole | Tail::Cut { .. } => String::new(),
        };
        let words = format!("holds {found} whole frames of {frames}{why}");
        Err(self.short(&file, &words))
    }

    /// A table must be as long as it was.
    fn check_length(&self, name: &str, mark: Option<TableMark>) -> Result<(), RunError> {
        let Some(expected) = mark.map(|mark| mark.bytes) else {
            return Ok(());
        };
        let file = self.folder.file(name);
        let length = || std::fs::metadata(&file).map(|found| found.len());
        let fault = match length() {
            Ok(found) if found >= expected => return Ok(()),
            Ok(found) => RecordingFault::Cut { found, expected },
            Err(error) => RecordingFault::Io(error),
        };
        Err(self.unusable(RecordingError { file, fault }))
    }

    /// The recording.
    fn frames(&mut self, scheduled: u64) -> Result<Recorder, RunError> {
        let file = self.folder.file(FRAMES);
        let (recorder, found) = Recorder::resume(&file, scheduled)?;
        if let Some(first) = found.first_damage {
            let (file, damaged, frames) = (file.display(), found.damaged, found.frames);
            self.warnings.push(format!(
                "{file}: {damaged} of {frames} frames are damaged and stay so; the first is {first}"
            ));
        }
        Ok(recorder)
    }

    /// A table that the scene asks for where the checkpoint has a mark of it.
    fn table_of<T>(
        &mut self,
        name: &str,
        mark: Option<TableMark>,
        open: impl FnOnce(&Path, TableMark) -> Result<(T, Option<String>), RecordingError>,
    ) -> Result<Option<T>, RunError> {
        let Some(mark) = mark else { return Ok(None) };
        self.table(name, |file| open(file, mark)).map(Some)
    }

    fn table<T>(
        &mut self,
        name: &str,
        open: impl FnOnce(&Path) -> Result<(T, Option<String>), RecordingError>,
    ) -> Result<T, RunError> {
        let file = self.folder.file(name);
        let (table, damage) = open(&file)?;
        if let Some(damage) = damage {
            let file = file.display();
            self.warnings.push(format!(
                "{file}: rows up to step {} were changed and stay so: {damage}",
                self.step
            ));
        }
        Ok(table)
    }

    /// The same error; a file that has lost what the checkpoint counts is no fault of the disk.
    fn unusable(&self, error: RecordingError) -> RunError {
        match &error.fault {
            RecordingFault::Cut { .. } => self.short(&error.file, &error.fault.to_string()),
            RecordingFault::Io(reason) if reason.kind() == std::io::ErrorKind::NotFound => {
                self.short(&error.file, "is missing")
            }
            _ => error.into(),
        }
    }

    fn short(&self, file: &Path, what: &str) -> RunError {
        let step = self.step;
        RunError::Short {
            file: file.to_owned(),
            what: format!("{what}; the run cannot go on from its checkpoint at step {step}"),
        }
    }
}

/// The state in which a run of a scene was last saved; none where there is no checkpoint. Nothing
/// in the folder changes.
pub fn saved_state(folder: &Path, scene: &Scene) -> Result<Option<SimulationState>, RunError> {
    let loaded = checkpoints(folder, scene).read::<Saved>()?;
    Ok(loaded.map(|loaded| loaded.payload.state))
}

fn checkpoints(folder: &Path, scene: &Scene) -> Checkpoints {
    let fingerprint = Fingerprint::of(scene.to_toml().as_bytes());
    Checkpoints::new(folder, fingerprint)
}

/// How many frames are due after the first at a time. Depends on the time alone, so that it needs
/// no memory across a resume.
fn frames_due(time: f64, every: f64) -> u64 {
    // Sums of steps are a rounding error off.
    (time / every + 1e-6) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_due_at_multiples_however_the_steps_round() {
        // Ten steps of 0.1 sum to a little less than 1.
        let sum: f64 = (0..10).map(|_| 0.1).sum();
        assert!(sum < 1.0);
        assert_eq!(frames_due(sum, 0.5), 2);
        assert_eq!(frames_due(0.0, 0.5), 0);
        assert_eq!(frames_due(0.499, 0.5), 0);
    }
}
