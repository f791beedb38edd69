//! The thread that writes what a run leaves. It packs frames, formats rows and hands them to the
//! operating system while the run makes its next steps.
//!
//! It writes in the order in which it was given things, so files and calls are the same as without
//! it. It ends at its first error and writes nothing after that. The run hears of the error when it
//! hands over the next thing, or when it waits for what a checkpoint counts.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use drystone::StepReport;
use drystone_scene::Simulation;
use glam::DVec3;

use crate::error::RunError;
use crate::recording::{
    ForceLog, Frame, JointLog, JointRecord, Recorder, RecordingError, StepLog, TableMark,
};

/// Tasks that may wait. A few, so that a disk that is slow for a moment holds up no step; no more,
/// so that one that stays slow slows the run down instead of filling the memory.
const WAITING: usize = 4;

/// Frames in memory: one is filled while the other is written. They are by far the largest tasks.
const FRAMES: usize = 2;

/// The files that grow with a run.
pub(super) struct GrowingFiles {
    pub recorder: Recorder,
    pub steps: StepLog,
    /// Where the scene asks for forces.
    pub forces: Option<ForceLog>,
    /// Where the scene asks for joints.
    pub joints: Option<JointLog>,
}

/// How far the tables have got.
pub(super) struct Marks {
    pub steps: TableMark,
    pub forces: Option<TableMark>,
    pub joints: Option<TableMark>,
}

/// What a step adds to the tables.
struct Rows {
    report: StepReport,
    /// One per pair that the scene names, N.
    forces: Vec<DVec3>,
    /// One per joint that the scene names.
    joints: Vec<JointRecord>,
}

enum Task {
    Rows(Box<Rows>),
    Frame(Frame),
    /// Everything is to be put on the disk, and the marks handed back.
    Sync,
    #[cfg(test)]
    Panic,
}

/// The thread, seen from the run.
pub(super) struct Writer {
    folder: PathBuf,
    /// Open as long as the thread is to live.
    tasks: Option<SyncSender<Task>>,
    /// Frames that were written, to be filled again.
    frames: Receiver<Frame>,
    marks: Receiver<Marks>,
    /// None once its end was told.
    thread: Option<JoinHandle<Result<(), RecordingError>>>,
}

impl Writer {
    /// Starts the thread. `folder` is the run's.
    pub fn start(
        folder: &Path,
        files: GrowingFiles,
        simulation: &Simulation,
    ) -> Result<Self, RunError> {
        let (tasks, waiting) = sync_channel(WAITING);
        let (written, frames) = channel();
        let (reached, marks) = channel();
        for _ in 0..FRAMES {
            // Cannot fail: the other end is in this function.
            let _ = written.send(Frame::default());
        }
        let desk = Desk {
            files,
            pairs: pair_names(simulation),
            joints: joint_names(simulation),
            written,
            reached,
        };
        let thread = Builder::new()
            .name("writer".to_owned())
            .spawn(move || desk.work(waiting))
            .map_err(|e| RunError::writing(folder, format!("no thread to write with: {e}")))?;
        Ok(Self {
            folder: folder.to_owned(),
            tasks: Some(tasks),
            frames,
            marks,
            thread: Some(thread),
        })
    }

    /// Hands over the rows of the last step.
    pub fn append_rows(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
    ) -> Result<(), RunError> {
        let world = simulation.world();
        let joints = simulation.recorded_joints();
        self.hand_over(Task::Rows(Box::new(Rows {
            report: *report,
            forces: simulation.forces(),
            joints: joints
                .map(|(_, joint)| JointRecord::of_world(world, joint))
                .collect(),
        })))
    }

    /// Hands over the world as it is. Waits where the frame before the last is not yet written.
    pub fn append_frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let Ok(mut frame) = self.frames.recv() else {
            return Err(self.end());
        };
        frame.set_from(simulation.world(), simulation.recording().contacts);
        self.hand_over(Task::Frame(frame))
    }

    /// Waits until everything that was handed over is on the disk.
    pub fn sync(&mut self) -> Result<Marks, RunError> {
        self.hand_over(Task::Sync)?;
        self.marks.recv().map_err(|_| self.end())
    }

    fn hand_over(&mut self, task: Task) -> Result<(), RunError> {
        let tasks = self.tasks.as_ref();
        match tasks.is_some_and(|tasks| tasks.send(task).is_ok()) {
            true => Ok(()),
            false => Err(self.end()),
        }
    }

    /// Why the thread has ended. Its panic goes on in this thread.
    fn end(&mut self) -> RunError {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => error.into(),
            Some(Err(panic)) => resume_unwind(panic),
            // It was told before.
            Some(Ok(Ok(()))) | None => {
                RunError::writing(&self.folder, "an error before has ended the recording")
            }
        }
    }
}

impl Drop for Writer {
    /// Waits until all that was handed over is written.
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // Whoever drops it without waiting for a checkpoint asks for no errors.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Desk {
    files: GrowingFiles,
    /// Names of the pairs and joints in the tables.
    pairs: Vec<String>,
    joints: Vec<String>,
    written: Sender<Frame>,
    reached: Sender<Marks>,
}

impl Desk {
    /// Until the run hands over nothing more. Where it no longer listens, nothing need be handed
    /// back.
    fn work(mut self, tasks: Receiver<Task>) -> Result<(), RecordingError> {
        for task in tasks {
            match task {
                Task::Rows(rows) => self.append_rows(&rows)?,
                Task::Frame(frame) => {
                    self.files.recorder.append(&frame)?;
                    let _ = self.written.send(frame);
                }
                Task::Sync => {
                    let _ = self.reached.send(self.files.sync()?);
                }
                #[cfg(test)]
                Task::Panic => panic!("asked to"),
            }
        }
        Ok(())
    }

    fn append_rows(&mut self, rows: &Rows) -> Result<(), RecordingError> {
        let (step, time) = (rows.report.step, rows.report.time);
        self.files.steps.append(&rows.report)?;
        if let Some(log) = &mut self.files.forces {
            let names = self.pairs.iter().map(String::as_str);
            log.append(step, time, names.zip(rows.forces.iter().copied()))?;
        }
        if let Some(log) = &mut self.files.joints {
            let names = self.joints.iter().map(String::as_str);
            log.append(step, time, names.zip(&rows.joints))?;
        }
        Ok(())
    }
}

impl GrowingFiles {
    fn sync(&self) -> Result<Marks, RecordingError> {
        self.recorder.sync()?;
        self.steps.sync()?;
        if let Some(log) = &self.forces {
            log.sync()?;
        }
        if let Some(log) = &self.joints {
            log.sync()?;
        }
        Ok(Marks {
            steps: self.steps.mark(),
            forces: self.forces.as_ref().map(ForceLog::mark),
            joints: self.joints.as_ref().map(JointLog::mark),
        })
    }
}

fn pair_names(simulation: &Simulation) -> Vec<String> {
    let pairs = simulation.recording().forces.iter();
    pairs.map(|pair| pair.name.clone()).collect()
}

fn joint_names(simulation: &Simulation) -> Vec<String> {
    let joints = simulation.recorded_joints();
    joints.map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use drystone_scene::{Scene, SceneOptions};

    use super::*;
    use crate::recording::{Recording, RunHeader};

    fn start(folder: &Path) -> (Simulation, Writer) {
        let scene = Scene::builtin("stack", &SceneOptions::default()).unwrap();
        let simulation = Simulation::new(&scene).unwrap();
        let header = RunHeader::of_simulation(scene.title(), &simulation);
        let files = GrowingFiles {
            recorder: Recorder::create(folder.join("frames.dry"), header).unwrap(),
            steps: StepLog::create(folder.join("log.csv")).unwrap(),
            forces: None,
            joints: None,
        };
        let writer = Writer::start(folder, files, &simulation).unwrap();
        (simulation, writer)
    }

    /// Both where the run waits and where it only lets the writer go.
    #[test]
    fn all_that_was_handed_over_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (mut simulation, mut writer) = start(folder.path());
        let written = || {
            let log = std::fs::read_to_string(folder.path().join("log.csv")).unwrap();
            let frames = Recording::open(folder.path().join("frames.dry")).unwrap();
            (log.len() as u64, log.lines().count() - 1, frames.len())
        };
        let mut steps = |writer: &mut Writer| {
            for _ in 0..3 * WAITING {
                let report = simulation.step().unwrap();
                writer.append_rows(&simulation, &report).unwrap();
                writer.append_frame(&simulation).unwrap();
            }
        };
        steps(&mut writer);
        let marks = writer.sync().unwrap();
        assert_eq!(written(), (marks.steps.bytes, 3 * WAITING, 3 * WAITING));
        steps(&mut writer);
        drop(writer);
        let (_, rows, frames) = written();
        assert_eq!((rows, frames), (6 * WAITING, 6 * WAITING));
    }

    /// Nothing is written after an error, and whatever is asked for next tells of it.
    #[test]
    fn an_error_ends_the_recording() {
        type Next = fn(&mut Writer, &Simulation) -> Result<(), RunError>;
        let frames: Next =
            |writer, simulation| (0..=FRAMES).try_for_each(|_| writer.append_frame(simulation));
        let sync: Next = |writer, _| writer.sync().map(drop);
        for next in [frames, sync] {
            let folder = tempfile::tempdir().unwrap();
            let (simulation, mut writer) = start(folder.path());
            writer.append_frame(&simulation).unwrap();
            // The same moment again is refused.
            writer.append_frame(&simulation).unwrap();
            let error = next(&mut writer, &simulation).unwrap_err().to_string();
            assert!(error.contains("not after the last frame"), "{error}");
            let error = writer.sync().map(drop).unwrap_err().to_string();
            assert!(error.contains("an error before"), "{error}");
            let recording = Recording::open(folder.path().join("frames.dry")).unwrap();
            assert_eq!(recording.len(), 1);
        }
    }

    /// It goes on in the thread that waits, which does not wait for ever.
    #[test]
    fn a_panic_of_the_writer_is_one_of_the_run() {
        for frames in [0, FRAMES + 1] {
            let folder = tempfile::tempdir().unwrap();
            let (mut simulation, mut writer) = start(folder.path());
            writer.hand_over(Task::Panic).unwrap();
            let run = || {
                for _ in 0..frames {
                    let _ = simulation.step().unwrap();
                    writer.append_frame(&simulation)?;
                }
                writer.sync()
            };
            let panic = catch_unwind(AssertUnwindSafe(run)).err().unwrap();
            assert_eq!(panic.downcast_ref(), Some(&"asked to"));
        }
    }
}
