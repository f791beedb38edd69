//! The state of a run that another scene starts from.
//!
//! A checkpoint holds it to the bit, with the impulses of contacts and the memory of joints; runs
//! with several phases keep one of the end of each. A frame holds places and velocities with the
//! digits of the recording, and no more.
//!
//! A run that started from another keeps that state in its own folder: it goes on even where the
//! other one is gone.

mod stored;

use std::path::{Path, PathBuf};

use drystone::BodyKind;
use drystone_scene::scene::{StartMoment, StartRequest};
use drystone_scene::simulation::{StartBody, StartJoint};
use drystone_scene::{Scene, SceneError, Simulation, SimulationState, StartReport, StartState};
use glam::DVec3;

use crate::checkpoint::{Checkpoints, read_file, write_file};
use crate::error::RunError;
use crate::files::{Labels, PhaseEnd, Saved};
use crate::recording::{Frame, Recording, RecordingError, RunHeader};
use crate::run_folder::{
    CHECKPOINT, FRAMES, PREVIOUS_CHECKPOINT, RunFolder, RunFolderError, START, phase_file,
};

/// A scene that can be stepped, and what it started from.
pub struct Built {
    /// The scene at its start.
    pub simulation: Simulation,
    /// Where it started from another run: that state, and what was taken from it.
    pub start: Option<(Start, StartReport)>,
}

/// A state to start from.
pub struct Start {
    /// The state.
    pub state: StartState,
    /// Where it is from, in words.
    pub words: String,
}

/// Builds a scene. One that starts from another run does so from the state that its own folder
/// keeps, or else from that run.
pub fn build(scene: &Scene, folder: Option<&Path>) -> Result<Built, RunError> {
    let Some(request) = scene.start() else {
        let simulation = Simulation::new(scene)?;
        return Ok(Built {
            simulation,
            start: None,
        });
    };
    let kept = folder.map(kept_in).transpose()?.flatten();
    let start = match kept {
        Some(start) => start,
        None => load(scene, request)?,
    };
    let (simulation, report) = Simulation::from_start(scene, &start.state)?;
    Ok(Built {
        simulation,
        start: Some((start, report)),
    })
}

impl Start {
    /// Keeps the state in the folder of the run that starts from it.
    pub fn keep(&self, folder: &RunFolder) -> Result<(), RunError> {
        let stored = stored::StoredStart::from(self);
        Ok(write_file(&folder.file(START), &stored)?)
    }
}

fn kept_in(folder: &Path) -> Result<Option<Start>, RunError> {
    let file = folder.join(START);
    let Some(stored) = read_file::<stored::StoredStart>(&file)? else {
        return Ok(None);
    };
    let start = Start::try_from(stored).map_err(|e| RunError::unreadable(&file, e))?;
    Ok(Some(start))
}

/// The state that a scene asks for.
pub fn load(scene: &Scene, request: &StartRequest) -> Result<Start, SceneError> {
    let path = scene.start_path(request)?;
    let shown = path_shown(&path, request);
    let source = Source { path, shown };
    let found = match source.path.is_file() {
        true => source.frame_of(&source.path, &request.at),
        false => source.state_of(&request.at),
    };
    found.map_err(|words| scene.start_error(request, words))
}

/// The path as it was written, unless that is the name of a file.
fn path_shown(path: &Path, request: &StartRequest) -> String {
    match request.from.is_absolute() {
        true => path.display().to_string(),
        false => request.from.display().to_string(),
    }
}

/// The run that is started from. What is wrong with it is told in words, with the file.
struct Source {
    path: PathBuf,
    shown: String,
}

impl Source {
    /// From a run's folder.
    fn state_of(&self, at: &StartMoment) -> Result<Start, String> {
        let there = |name: &&str| self.path.join(name).symlink_metadata().is_ok();
        let files = [CHECKPOINT, PREVIOUS_CHECKPOINT, FRAMES];
        if !files.iter().any(there) {
            let path = PathBuf::from(&self.shown);
            return Err(RunFolderError::HoldsNoRun { path }.to_string());
        }
        let saved = Checkpoints::of_any_scene(&self.path).read::<Saved>();
        let saved = saved.map_err(|e| e.to_string())?.map(|l| l.payload);
        let frames = self.path.join(FRAMES);
        match (at, saved) {
            (StartMoment::PhaseEnd(name), Some(saved)) => self.phase_end(name, saved),
            (StartMoment::Last, Some(saved)) => self.exact(&saved.state, &saved.labels),
            (StartMoment::Time(time), Some(saved)) => {
                let half_step = 0.5 * saved.state.world.last_time_step;
                match (saved.state.world.time - time).abs() <= half_step {
                    true => self.exact(&saved.state, &saved.labels),
                    false => self.frame_of(&frames, at),
                }
            }
            (_, None) => self.frame_of(&frames, at),
        }
    }

    fn phase_end(&self, name: &str, saved: Saved) -> Result<Start, String> {
        let phases = &saved.labels.phases;
        let Some(phase) = phases.iter().position(|known| known == name) else {
            let known = phases.join(", ");
            return Err(format!(
                "the run has no phase `{name}`; its phases are: {known}"
            ));
        };
        let file = self.path.join(phase_file(phase));
        let end = read_file::<PhaseEnd>(&file).map_err(|e| e.to_string())?;
        match end {
            Some(end) => {
                let start = self.exact(&end.state, &end.labels)?;
                let words = format!("{}, the end of phase `{name}`", start.words);
                Ok(Start { words, ..start })
            }
            // Of an only phase none is kept: its end is that of the run.
            None if saved.finished && phases.len() == 1 => self.exact(&saved.state, &saved.labels),
            None => Err(format!(
                "phase `{name}` of the run has not ended: the run is at t = {} s, in phase `{}`",
                seconds(saved.state.world.time),
                phases.get(saved.state.phase).map_or("", String::as_str)
            )),
        }
    }

    /// From a checkpoint.
    fn exact(&self, state: &SimulationState, labels: &Labels) -> Result<Start, String> {
        let recording = self.recording(&self.path.join(FRAMES))?;
        let header = recording.header();
        let world = &state.world;
        let misfit = |what: &str, found: usize, expected: usize| {
            format!(
                "{}: the checkpoint has {found} {what}, the recording {expected}",
                self.shown
            )
        };
        let bodies = header.bodies.len();
        if world.bodies.len() != bodies {
            return Err(misfit("bodies", world.bodies.len(), bodies));
        }
        let named = world.warm_start.iter().flat_map(|w| w.bodies);
        let named = named.chain(labels.centers.iter().map(|(body, _)| *body));
        if let Some(body) = named.max().filter(|b| *b as usize >= bodies) {
            return Err(misfit("as a body's number", body as usize, bodies));
        }
        let mut start = self.bodies_at(&recording, |index| {
            let body = &world.bodies[index];
            StartBody {
                position: body.position,
                rotation: body.rotation,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                ..NOWHERE
            }
        })?;
        for (body, center) in &labels.centers {
            start.bodies[*body as usize].center = *center;
        }
        for body in &world.disabled {
            if let Some(body) = start.bodies.get_mut(*body as usize) {
                body.enabled = false;
            }
        }
        start.contacts.clone_from(&world.warm_start);
        start.time_step = world.last_time_step;
        let joints = labels.joints.iter().zip(&world.joints);
        let joint = |((name, kind), state): (&(String, String), &drystone::JointState)| {
            let (name, kind) = (name.clone(), kind.clone());
            StartJoint {
                name,
                kind,
                state: *state,
            }
        };
        start.joints = joints.map(joint).collect();
        let words = format!(
            "{}, t = {} s (checkpoint of step {})",
            self.shown,
            seconds(world.time),
            world.step
        );
        Ok(Start {
            state: start,
            words,
        })
    }

    /// From a recording.
    fn frame_of(&self, file: &Path, at: &StartMoment) -> Result<Start, String> {
        let recording = self.recording(file)?;
        if recording.is_empty() {
            return Err(format!("{}: the recording has no whole frame", self.shown));
        }
        let last = recording.len() - 1;
        let index = match at {
            StartMoment::Last => last,
            StartMoment::PhaseEnd(name) => {
                return Err(format!(
                    "{}: where phase `{name}` ends is known from the checkpoints of a run, and \
                     there are none",
                    self.shown
                ));
            }
            StartMoment::Time(time) => {
                let half_step = 0.5 * recording.header().time_step;
                let [begin, end] = [recording.time(0), recording.time(last)];
                if *time < begin - half_step || *time > end + half_step {
                    return Err(format!(
                        "{}: there is no state at t = {} s: its frames go from {} to {} s",
                        self.shown,
                        seconds(*time),
                        seconds(begin),
                        seconds(end)
                    ));
                }
                recording.nearest(*time).unwrap_or(last)
            }
        };
        let frame = recording.frame(index).map_err(|e| e.to_string())?;
        let state = self.bodies_at(&recording, |body| {
            let body = &frame.bodies[body];
            StartBody {
                position: body.position,
                rotation: body.rotation.normalize(),
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                enabled: body.enabled,
                ..NOWHERE
            }
        })?;
        let words = format!(
            "{}, t = {} s (frame {index} of {}, step {})",
            self.shown,
            seconds(frame.time),
            last + 1,
            frame.step
        );
        Ok(Start { state, words })
    }

    fn recording(&self, file: &Path) -> Result<Recording, String> {
        let named = |e: RecordingError| format!("{}: {}", self.shown, e.fault);
        Recording::open(file).map_err(named)
    }

    /// The bodies of a recording's description, with the motion that `motion` gives them.
    fn bodies_at(
        &self,
        recording: &Recording,
        motion: impl Fn(usize) -> StartBody,
    ) -> Result<StartState, String> {
        let header: &RunHeader = recording.header();
        let first: Option<Frame> = match recording.is_empty() {
            true => None,
            false => Some(recording.frame(0).map_err(|e| e.to_string())?),
        };
        let began = |index: usize| first.as_ref().map(|frame| frame.bodies[index].pose());
        let bodies = header.bodies.iter().enumerate().map(|(index, record)| {
            let held = record.kind != BodyKind::Dynamic;
            StartBody {
                group: record.group,
                shape: record.shape,
                began: held.then(|| began(index)).flatten(),
                ..motion(index)
            }
        });
        Ok(StartState {
            groups: header.groups.iter().map(|g| g.name.clone()).collect(),
            shapes: header.shapes.clone(),
            bodies: bodies.collect(),
            contacts: Vec::new(),
            joints: Vec::new(),
            time_step: 0.0,
        })
    }
}

/// What is filled in.
const NOWHERE: StartBody = StartBody {
    group: 0,
    shape: 0,
    position: DVec3::ZERO,
    center: DVec3::ZERO,
    rotation: glam::DQuat::IDENTITY,
    velocity: DVec3::ZERO,
    angular_velocity: DVec3::ZERO,
    enabled: true,
    began: None,
};

/// A time without the rounding of a sum of steps.
fn seconds(time: f64) -> f64 {
    (time * 1e9).round() / 1e9
}
