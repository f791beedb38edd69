//! What a run writes while it goes, and how it takes that up again.
//!
//! Frames and tables are on the disk before the checkpoint that counts them. So no checkpoint runs
//! ahead of them, and going on from a checkpoint cuts them back to it.

use drystone::StepReport;
use drystone_scene::{Scene, Simulation, SimulationState};

use crate::checkpoint::{Checkpoints, Fingerprint};
use crate::error::RunError;
use crate::recording::{ForceLog, Frame, JointLog, Recorder, RunHeader, StepLog};
use crate::run_folder::{FORCES, FRAMES, JOINTS, LOG, RunFolder};

/// What a checkpoint holds: the state, the step of the last frame on schedule, the number of
/// frames up to it, and the wall time of the run in s.
type Saved = (SimulationState, u64, u64, f64);

/// The files of a run, open for writing.
pub(crate) struct RunFiles {
    folder: RunFolder,
    recorder: Recorder,
    steps: StepLog,
    /// Where the scene asks for forces.
    forces: Option<ForceLog>,
    /// Where the scene asks for joints.
    joints: Option<JointLog>,
    checkpoints: Checkpoints,
    /// Step of the newest whole checkpoint.
    saved: Option<u64>,
    frame: Frame,
    /// Step of the last frame on schedule. The end of a run adds one that is not.
    scheduled: u64,
    frames: u64,
}

/// Where a run goes on.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    /// Step that the run goes on from; none where it begins.
    pub step: Option<u64>,
    /// Wall time so far, s.
    pub seconds: f64,
    /// What was not as it should be.
    pub warning: Option<String>,
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
        let mut files = Self {
            recorder: Recorder::create(folder.file(FRAMES), header)?,
            steps: StepLog::create(folder.file(LOG))?,
            forces,
            joints,
            checkpoints: checkpoints(&folder, scene),
            saved: None,
            frame: Frame::default(),
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
        let checkpoints = checkpoints(&folder, scene);
        let Some(loaded) = checkpoints.read::<Saved>()? else {
            return Ok((Self::begin(folder, scene, simulation)?, Resumed::default()));
        };
        let (state, scheduled, frames, seconds) = loaded.payload;
        simulation.restore(&state)?;
        let step = state.world.step;
        let short = |file: &str, words: String| {
            let words = format!("{words}; the run cannot go on from its checkpoint at step {step}");
            Err(RunError::Short {
                file: folder.file(file),
                what: words,
            })
        };
        let (recorder, found) = Recorder::resume(folder.file(FRAMES), scheduled)?;
        if found.frames as u64 != frames {
            let words = format!("holds {} whole frames of {frames}", found.frames);
            return short(FRAMES, words);
        }
        let (steps, cut) = StepLog::resume(folder.file(LOG), step)?;
        if cut.rows != step {
            return short(LOG, format!("holds {} rows of {step}", cut.rows));
        }
        let forces = match simulation.recording().forces.is_empty() {
            true => None,
            false => Some(ForceLog::resume(folder.file(FORCES), step)?.0),
        };
        let joints = match simulation.recording().joints.is_empty() {
            true => None,
            false => Some(JointLog::resume(folder.file(JOINTS), step)?.0),
        };
        let files = Self {
            folder,
            recorder,
            steps,
            forces,
            joints,
            checkpoints,
            saved: loaded.newest.is_none().then_some(step),
            frame: Frame::default(),
            scheduled,
            frames,
        };
        let resumed = Resumed {
            step: Some(step),
            seconds,
            warning: loaded
                .newest
                .map(|error| format!("{error}; the checkpoint before it is used")),
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
        self.steps.append(report)?;
        if let Some(log) = &mut self.forces {
            let recorders = simulation.recording().forces.iter();
            let names = recorders.map(|force| force.name.as_str());
            let forces = names.zip(simulation.forces());
            log.append(report.step, report.time, forces)?;
        }
        if let Some(log) = &mut self.joints {
            log.append(simulation.world(), simulation.recorded_joints())?;
        }
        let every = simulation.recording().every;
        if frames_due(report.time, every) > frames_due(before, every) {
            self.append_frame(simulation)?;
        }
        Ok(())
    }

    fn append_frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let (world, contacts) = (simulation.world(), simulation.recording().contacts);
        self.frame.set_from(world, contacts);
        self.recorder.append(&self.frame)?;
        self.scheduled = world.steps();
        self.frames += 1;
        Ok(())
    }

    /// Adds the last moment where no frame was due. A run that goes on cuts it away.
    pub fn record_last(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        if self.scheduled < simulation.world().steps() {
            self.append_frame(simulation)?;
        }
        self.sync()
    }

    /// Writes what the run can go on from. `seconds` is the wall time so far.
    ///
    /// Not twice at the same step: the one before, which steps in where the newest is damaged, is
    /// to be an earlier one.
    pub fn checkpoint(&mut self, simulation: &Simulation, seconds: f64) -> Result<(), RunError> {
        self.sync()?;
        let step = simulation.world().steps();
        if self.saved != Some(step) {
            let saved: Saved = (simulation.state(), self.scheduled, self.frames, seconds);
            self.checkpoints.write(&saved)?;
            self.saved = Some(step);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), RunError> {
        self.recorder.sync()?;
        self.steps.sync()?;
        if let Some(log) = &self.forces {
            log.sync()?;
        }
        if let Some(log) = &self.joints {
            log.sync()?;
        }
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What is known of the run from its start.
    pub fn header(&self) -> &RunHeader {
        self.recorder.header()
    }

    /// Frames written.
    pub fn frames(&self) -> usize {
        self.recorder.frames()
    }
}

fn checkpoints(folder: &RunFolder, scene: &Scene) -> Checkpoints {
    let fingerprint = Fingerprint::of(scene.to_toml().as_bytes());
    Checkpoints::new(folder.path(), fingerprint)
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
