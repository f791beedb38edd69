//! What every experiment works with: its size, its methods, settled scenes and pictures of them.
//! Runs of methods are in `runs.rs`.

use drystone::StepReport;
use drystone_ccp::Method;
use drystone_draw::{PictureSettings, draw};
use drystone_run::recording::{Frame, RunHeader};
use drystone_run::settled::ENGINE;
use drystone_run::{Control, Ended, Event, Settled, SettledStates, StopAt, drive, memory};
use drystone_scene::{Scene, SceneOptions, Simulation};
use serde_json::{Value, json};

use super::ExperimentSettings;
use super::busy::CoreTime;
use super::claim::{Claim, Limit};
use super::findings::Findings;
use crate::error::StudyError;

/// Contacts per grain that a settled bed has at least: our beds have 3 to 5. Too large a scene is
/// refused by it before any work.
const CONTACTS_PER_GRAIN: u64 = 3;

/// Why times are not judged at a small scale.
const SMALL: &str = "small scale: times there say nothing of the paper's sizes";

/// What an experiment works with.
pub struct Bench<'a> {
    /// The experiment.
    pub id: &'static str,
    /// Size relative to the paper's, > 0.
    pub scale: f64,
    /// Methods that the caller asked for; empty for those of the experiment.
    pub methods: &'a [Method],
    /// Threads used.
    pub threads: usize,
    /// Where settled states are kept.
    pub store: &'a SettledStates,
    /// Whether settled states are made again and their bits compared.
    pub rebuild: bool,
    /// Methods that give up at once, to see that a report notices.
    pub failing: &'a [Method],
    /// Claims that are judged by another limit than their own, for the same reason.
    changed_limits: &'a [(String, Limit)],
    /// The caller's means to stop the work and to watch it.
    pub control: Control<'a>,
    /// What the threads had when the experiment began.
    began: CoreTime,
    /// The settled states that were used, for `results.json`.
    states: Vec<Value>,
}

impl<'a> Bench<'a> {
    /// A bench for an experiment.
    pub fn new(
        id: &'static str,
        settings: &'a ExperimentSettings,
        store: &'a SettledStates,
        control: Control<'a>,
    ) -> Self {
        Self {
            id,
            scale: settings.scale,
            methods: &settings.methods,
            threads: rayon::current_num_threads(),
            store,
            rebuild: settings.rebuild,
            failing: &settings.failing,
            changed_limits: &settings.changed_limits,
            control,
            began: CoreTime::now(),
            states: Vec::new(),
        }
    }

    /// A number of bodies or iterations, scaled; `full` at the paper's size, never below `least`.
    pub fn count(&self, full: usize, least: usize) -> usize {
        ((full as f64 * self.scale).round() as usize).max(least)
    }

    /// The methods to run: those of the experiment's `own` that the caller did not leave out, then
    /// what else was asked for.
    pub fn methods(&self, own: &[Method]) -> Vec<Method> {
        if self.methods.is_empty() {
            return own.to_vec();
        }
        let wanted = |m: &Method| self.methods.contains(m);
        let others = self.methods.iter().filter(|m| !own.contains(m));
        own.iter()
            .copied()
            .filter(wanted)
            .chain(others.copied())
            .collect()
    }

    /// Judges all claims by the runs.
    pub fn judge<R>(&self, claims: &[Claim<R>], runs: &R, findings: &mut Findings) {
        let busy = self.busy();
        for claim in claims {
            let changed = self.changed_limits.iter();
            let mut changed = changed.filter(|(key, _)| *key == claim.text.key);
            let mut judged = match changed.next() {
                Some((_, limit)) => claim.judge_by(*limit, runs, busy.as_deref()),
                None => claim.judge(runs, busy.as_deref()),
            };
            if judged.text.timed && self.scale < 1.0 {
                judged.leave_open(SMALL);
            }
            findings.claims.push(judged);
        }
    }

    /// How other programs kept the machine busy, in words; none if they did not.
    pub fn busy(&self) -> Option<String> {
        self.began.busy_since()
    }

    /// A built-in scene with other values. An error if its bodies cannot fit into the memory.
    pub fn scene(&self, name: &str, values: &[(&str, String)]) -> Result<Scene, StudyError> {
        let set = values.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
        let options = SceneOptions {
            set: set.collect(),
            ..SceneOptions::default()
        };
        let refused = |words: String, remedy: &str| {
            StudyError::Refused(format!("{}: {words}; use {remedy} scale", self.id))
        };
        // The scene ships and is right: what is wrong comes from the scaled values.
        let scene =
            Scene::builtin(name, &options).map_err(|e| refused(e.to_string(), "another"))?;
        let bodies = scene.least_bodies();
        match memory::shortage(bodies, CONTACTS_PER_GRAIN * bodies) {
            Some(words) => Err(refused(words, "a smaller")),
            None => Ok(scene),
        }
    }

    /// A scene at the end of its first `phases` phases: kept from an earlier call, or made now.
    pub fn settle(&mut self, scene: &Scene, phases: usize) -> Result<Simulation, StudyError> {
        let mut settled = self.settle_once(scene, phases)?;
        let key = settled.key.to_string();
        if self.states.iter().any(|state| state["key"] == key) {
            return Ok(settled.simulation); // this experiment has it in its list
        }
        let mut same_bits = None;
        if self.rebuild {
            self.store.forget(settled.key)?;
            let again = self.settle_once(scene, phases)?;
            same_bits = Some(again.digest == settled.digest);
            settled = again;
        }
        if same_bits == Some(false) {
            let words = format!(
                "{}: the settled state of scene {} came out with other bits than before",
                self.id,
                scene.origin()
            );
            return Err(StudyError::Refused(words));
        }
        self.states.push(json!({
            "scene": scene.origin(),
            "phases": phases,
            "engine": ENGINE,
            "key": key,
            "digest": settled.digest.to_string(),
            "kept": settled.kept,
            "rebuilt_with_same_bits": same_bits,
            "seconds": settled.seconds,
        }));
        Ok(settled.simulation)
    }

    fn settle_once(&self, scene: &Scene, phases: usize) -> Result<Settled, StudyError> {
        let label = format!("{}: settling {}", self.id, scene.origin());
        self.control.tell(Event::Begin(&label));
        let settled = self.store.settle(scene, phases, self.control);
        self.control.tell(Event::End(None));
        Ok(settled?)
    }

    /// Steps a simulation to where `stop` says.
    pub fn advance(&self, simulation: &mut Simulation, stop: &StopAt) -> Result<(), StudyError> {
        self.advance_with(simulation, stop, |_, _| {})
    }

    /// As [`Self::advance`], and calls `after` with every step.
    pub fn advance_with(
        &self,
        simulation: &mut Simulation,
        stop: &StopAt,
        mut after: impl FnMut(&Simulation, &StepReport),
    ) -> Result<(), StudyError> {
        let ended = drive(simulation, stop, self.control, |simulation, made| {
            after(simulation, made.report);
            Ok::<(), StudyError>(())
        })?;
        match ended {
            Ended::Finished | Ended::Limit => Ok(()),
            Ended::Cancelled => Err(StudyError::Cancelled),
            Ended::Broke(error) => Err(error.into()),
        }
    }

    /// A picture of a scene in its present state, PNG; none if it cannot be drawn.
    pub fn picture(&self, scene: &Scene, simulation: &Simulation) -> Option<Vec<u8>> {
        let header = RunHeader::of_simulation(scene.title(), simulation);
        let mut frame = Frame::default();
        frame.set_from(simulation.world(), true); // a scene may be coloured by forces
        let settings = PictureSettings {
            // A small scale is for a quick look, and drawing would take most of its time.
            size: if self.scale < 0.5 {
                [480, 300]
            } else {
                [960, 600]
            },
            ..PictureSettings::from(simulation.view())
        };
        draw(&header, &frame, &settings, self.control.flag()).ok()
    }

    /// The settled states that were used, for `results.json`.
    pub fn into_states(self) -> Vec<Value> {
        self.states
    }
}
