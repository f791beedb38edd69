//! What a run writes while it goes, and how it takes that up again.
//!
//! Frames and tables are written by a thread of their own ([`writer`]). They are on the disk before
//! the checkpoint that counts them. So no checkpoint runs ahead of them, and going on from a
//! checkpoint cuts them back to it.

mod labels;
mod taken;
mod writer;

use std::path::Path;
use std::sync::Arc;

use drystone::StepReport;
use drystone_scene::{Scene, Simulation, SimulationState};
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoints, Fingerprint, read_file, write_file};
use crate::error::RunError;
use crate::jam::{Jam, JamWatch};
use crate::overlap::{DeepestOverlap, OverlapWatch};
use crate::problems::{ProblemCount, ProblemFiles};
use crate::recording::{ForceLog, JointLog, Recorder, RunHeader, StepLog, TableMark};
use crate::run_folder::{FORCES, FRAMES, JOINTS, LOG, RunFolder, phase_file};

pub(crate) use labels::Labels;
use taken::Taken;
use writer::{GrowingFiles, Writer};

/// What a checkpoint holds.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    pub state: SimulationState,
    pub labels: Labels,
    /// Whether the scene is over.
    pub finished: bool,
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
    /// Problems kept so far.
    problems: ProblemCount,
}

/// What the end of a phase leaves.
#[derive(Serialize, Deserialize)]
pub(crate) struct PhaseEnd {
    pub state: SimulationState,
    pub labels: Labels,
}

/// The files of a run, open for writing.
pub(crate) struct RunFiles {
    writer: Writer,
    header: Arc<RunHeader>,
    overlaps: OverlapWatch,
    jams: JamWatch,
    checkpoints: Checkpoints,
    labels: Labels,
    problems: ProblemFiles,
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
            jams: JamWatch::default(),
            checkpoints: checkpoints(folder.path(), scene),
            labels: Labels::of(simulation),
            problems: ProblemFiles::new(folder.path(), ProblemCount::default()),
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
        let problems = ProblemFiles::new(folder.path(), saved.problems);
        problems.cut(step)?;
        let files = Self {
            header: growing.recorder.shared_header(),
            writer: Writer::start(folder.path(), growing, simulation)?,
            overlaps: OverlapWatch::new(simulation.world(), saved.overlap),
            jams: JamWatch::default(),
            checkpoints,
            labels: Labels::of(simulation),
            problems,
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
        self.jams.look(simulation.world(), report);
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
                labels: self.labels.clone(),
                finished: simulation.is_finished(),
                scheduled: self.scheduled,
                frames: self.frames,
                seconds,
                steps: marks.steps,
                forces: marks.forces,
                joints: marks.joints,
                overlap: self.overlaps.deepest(),
                problems: self.problems.count,
            };
            self.checkpoints.write(&saved)?;
            self.saved = Some(step);
        }
        Ok(())
    }

    /// The files of problems.
    pub fn problems(&mut self) -> &mut ProblemFiles {
        &mut self.problems
    }

    /// Problems kept so far.
    pub fn problem_count(&self) -> ProblemCount {
        self.problems.count
    }

    /// Keeps the state at the end of a phase, by its number from 0, for scenes that start from
    /// there.
    pub fn keep_phase(&self, simulation: &Simulation, phase: usize) -> Result<(), RunError> {
        let end = PhaseEnd {
            state: simulation.state(),
            labels: self.labels.clone(),
        };
        Ok(write_file(&self.folder.file(&phase_file(phase)), &end)?)
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

    /// The worst jam since the run began or was taken up again.
    pub fn worst_jam(&self) -> Option<&Jam> {
        self.jams.worst()
    }

    /// The deepest overlap so far.
    pub fn deepest_overlap(&self) -> Option<DeepestOverlap> {
        self.overlaps.deepest()
    }
}

/// The state in which a run of a scene was last saved; none where there is no checkpoint. Nothing
/// in the folder changes.
pub fn saved_state(folder: &Path, scene: &Scene) -> Result<Option<SimulationState>, RunError> {
    let loaded = checkpoints(folder, scene).read::<Saved>()?;
    Ok(loaded.map(|loaded| loaded.payload.state))
}

/// When the phases of a run ended, s, as far as its folder tells. Files longer than `most` bytes
/// are not read: they hold the state of all bodies, and take long.
pub fn phase_ends(folder: &Path, most: u64) -> Vec<f64> {
    let end = |phase: usize| {
        let file = folder.join(phase_file(phase));
        let length = std::fs::metadata(&file).ok()?.len();
        let read = (length <= most).then(|| read_file::<PhaseEnd>(&file))?;
        Some(read.ok()??.state.world.time)
    };
    (0..).map_while(end).collect()
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
