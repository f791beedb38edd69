//! Running a scene: the world it describes, its phases, and what is to be recorded.

mod build;
mod crowd;
mod phases;
mod solids;
mod start;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone::{
    BodyId, Finish, JointId, OpenStep, Settings, SolveSummary, StepError, StepProblem, StepReport,
    Watch, WatchedStep, World,
};
use glam::DVec3;

pub use start::{StartBody, StartJoint, StartReport, StartState};
pub use state::{ActiveMotion, ActiveMotor, SimulationState};

use crate::scene::model::Model;
use crate::scene::{BodyLook, RecordingSettings, Scene, SceneError, read_settings_change};
use crate::view::ViewSettings;

/// A scene in motion.
pub struct Simulation {
    model: Arc<Model>,
    world: World,
    looks: Vec<BodyLook>,
    /// Bodies by name.
    groups: BTreeMap<String, Vec<BodyId>>,
    /// Settings from the start of each phase on.
    settings: Vec<Settings>,
    /// Index of the phase; the number of phases once all have ended.
    phase: usize,
    /// Time at which it began, s.
    phase_start: f64,
    /// Steps that had been made when it began.
    phase_start_step: u64,
    /// For how long all bodies have been at rest in its sense, s.
    rest: f64,
    /// Motions in effect, by body.
    motions: BTreeMap<u32, ActiveMotion>,
    /// Motors in effect, by joint.
    motors: BTreeMap<u32, ActiveMotor>,
}

impl Simulation {
    /// Builds the world of a scene, at the start of its first phase.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        Ok(build::build(scene, None)?.0)
    }

    /// The same for a scene that starts from another run, with that run's state: what was taken
    /// from it is told. Time begins anew.
    pub fn from_start(
        scene: &Scene,
        state: &StartState,
    ) -> Result<(Self, StartReport), SceneError> {
        build::build(scene, Some(state))
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for programs that act on it between steps: loads, velocities, poses, motors.
    /// Bodies and joints must not be added to it.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Changes settings from the next step on, in this phase and in all that follow. `text` is a
    /// table of settings as scenes have it: `tolerance = 1e-6`.
    pub fn set(&mut self, text: &str) -> Result<(), SceneError> {
        let change = read_settings_change(text)?;
        let changed: Vec<_> = self.settings.iter().map(|s| change.applied_to(s)).collect();
        let current = changed[self.phase.min(changed.len() - 1)].clone();
        let refused = |e: drystone::WorldError| SceneError::State(e.to_string());
        changed
            .iter()
            .try_for_each(Settings::check)
            .map_err(refused)?;
        self.world.set_settings(current).map_err(refused)?;
        self.settings = changed;
        Ok(())
    }

    /// Makes one step and goes on to the next phase where one ends. Without effect on the phases
    /// once the run has ended.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let step = self.step_watched(&mut Watch::default())?;
        Ok(step.report)
    }

    /// The same with solves that are watched from outside: see [`World::step_watched`].
    pub fn step_watched(&mut self, watch: &mut Watch<'_>) -> Result<WatchedStep, StepError> {
        let step = self.world.step_watched(watch)?;
        self.advance();
        Ok(step)
    }

    /// The same with an own solver: `answer` gets the open step, as often as the step must be
    /// solved, and returns the impulses along the rows of its problem with a summary of the solve.
    /// [`World::begin`] has the protocol.
    pub fn step_by(
        &mut self,
        mut answer: impl FnMut(&mut OpenStep<'_>) -> Result<(Vec<f64>, SolveSummary), StepError>,
    ) -> Result<StepReport, StepError> {
        let mut open = self.world.begin()?;
        let report = loop {
            let (gamma, summary) = answer(&mut open)?;
            open = match open.finish(&gamma, summary)? {
                Finish::Done(report) => break report,
                Finish::Again(open) => open,
            };
        };
        self.advance();
        Ok(report)
    }

    /// Whether the run has come to its end.
    pub fn is_finished(&self) -> bool {
        self.phase >= self.model.phases.len() || self.is_over_time()
    }

    /// Number, from 0, and name of the phase that it is in; of the last one after the end.
    pub fn phase(&self) -> (usize, &str) {
        let index = self.phase.min(self.model.phases.len() - 1);
        (index, &self.model.phases[index].name)
    }

    /// Phases that have ended.
    pub fn phases_done(&self) -> usize {
        self.phase
    }

    /// The cone problem that the next step would solve first: see [`World::next_problem`].
    pub fn next_problem(&mut self) -> Result<StepProblem, StepError> {
        self.world.next_problem()
    }

    /// Names of all phases; at least one.
    pub fn phase_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.model.phases.iter().map(|phase| phase.name.as_str())
    }

    /// What is to be recorded.
    pub fn recording(&self) -> &RecordingSettings {
        &self.model.recording
    }

    /// How pictures are to be made.
    pub fn view(&self) -> &ViewSettings {
        &self.model.view
    }

    /// How each body is drawn, one a body.
    pub fn looks(&self) -> &[BodyLook] {
        &self.looks
    }

    /// The forces of the last step that the scene wants recorded, N, in the order of
    /// [`RecordingSettings::forces`].
    pub fn forces(&self) -> Vec<DVec3> {
        let recorders = self.model.recording.forces.iter();
        recorders
            .map(|force| self.world.force_between_groups(&force.by, &force.on))
            .collect()
    }

    /// The joints that the scene wants recorded, with their names, in the order of the scene.
    pub fn recorded_joints(&self) -> impl Iterator<Item = (&str, JointId)> {
        let wanted = |name: &str| self.model.recording.joints.iter().any(|w| w == name);
        let joints = self.world.joints();
        joints
            .map(|joint| (self.world.joint_name(joint), joint))
            .filter(move |(name, _)| wanted(name))
    }

    /// Gives the work memory of the steps back, for when the run is over.
    pub fn free_work_memory(&mut self) {
        self.world.free_work_memory();
    }

    /// The bodies of a name; none where there is no such name.
    pub fn group(&self, name: &str) -> &[BodyId] {
        self.groups.get(name).map_or(&[], Vec::as_slice)
    }
}
