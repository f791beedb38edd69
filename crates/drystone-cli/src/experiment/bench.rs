//! What every experiment works with: its size and methods, settled scenes, runs of methods, signs of life.

use drystone_ccp::Method;
use drystone_scene::recording::{Frame, RunHeader};
use drystone_scene::settled::{ENGINE, SettleError};
use drystone_scene::{Scene, SceneOptions, Settled, SettledStates, Simulation};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::memory;
use crate::picture::{Wishes, draw};
use crate::progress::Reporter;
use crate::run::cancelled;
use crate::scene_source::failure;
use crate::table::short_number;

/// Of a settled bed, at least.
const CONTACTS_OF_A_GRAIN: u64 = 3;

/// Why an experiment ended early.
pub enum Halt {
    /// The user stopped it.
    Cancelled,
    /// It could not go on.
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What an experiment works with.
pub struct Bench<'a> {
    /// The experiment.
    pub id: &'static str,
    /// Size against the paper's, > 0.
    pub scale: f64,
    /// Methods that the user asked for; all that belong to the experiment where none.
    pub methods: &'a [Method],
    /// Threads used.
    pub threads: usize,
    /// Where settled states are kept.
    pub store: &'a SettledStates,
    /// Make settled states anew and compare their bits.
    pub rebuild: bool,
    /// Show no progress.
    pub quiet: bool,
    /// What was settled.
    states: Vec<Value>,
}

impl<'a> Bench<'a> {
    /// A bench for an experiment.
    pub fn new(
        id: &'static str,
        scale: f64,
        methods: &'a [Method],
        threads: usize,
        store: &'a SettledStates,
    ) -> Self {
        Self {
            id,
            scale,
            methods,
            threads,
            store,
            rebuild: false,
            quiet: false,
            states: Vec::new(),
        }
    }

    /// A number of things at the paper's size, scaled; at least `least`.
    pub fn count(&self, full: usize, least: usize) -> usize {
        ((full as f64 * self.scale).round() as usize).max(least)
    }

    /// The methods to run: those of the experiment that the user did not leave out, then what else was asked for.
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

    /// A built-in scene with other values.
    pub fn scene(&self, name: &str, values: &[(&str, String)]) -> Result<Scene, Failure> {
        let set = values.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
        let options = SceneOptions {
            set: set.collect(),
            allow_outside: false,
        };
        let scene = Scene::builtin(name, &options).map_err(|e| failure(&e))?;
        let bodies = scene.least_bodies();
        match memory::shortage(bodies, CONTACTS_OF_A_GRAIN * bodies) {
            Some(words) => Err(Failure::Input(format!(
                "{}: {words}; use a smaller --scale",
                self.id
            ))),
            None => Ok(scene),
        }
    }

    /// A scene at the end of its first `phases` phases: kept from before, or made now.
    pub fn settle(&mut self, scene: &Scene, phases: usize) -> Result<Simulation, Halt> {
        let mut settled = self.go(scene, phases)?;
        let key = settled.key.to_string();
        if self.states.iter().any(|state| state["key"] == key) {
            return Ok(settled.simulation); // asked for before
        }
        let mut same_bits = None;
        if self.rebuild {
            self.store.forget(settled.key).map_err(settle_failure)?;
            let again = self.go(scene, phases)?;
            same_bits = Some(again.digest == settled.digest);
            settled = again;
        }
        if same_bits == Some(false) {
            let words = format!(
                "{}: the settled state of scene {} came out with other bits than before",
                self.id,
                scene.origin()
            );
            return Err(Failure::Input(words).into());
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

    fn go(&self, scene: &Scene, phases: usize) -> Result<Settled, Halt> {
        let label = format!("{}: settling {}", self.id, scene.origin());
        let mut reporter = Reporter::start(self.quiet, &label, "");
        let result = self.store.settle(scene, phases, &mut |simulation, report| {
            reporter.show(|| {
                let end = simulation.end_time().map_or(String::new(), |end| {
                    format!(" of at most {}", short_number(end))
                });
                format!(
                    "{} s{end}, {} contacts, residual {:.1e}",
                    short_number(report.time),
                    report.contacts,
                    report.residual
                )
            });
            !cancelled()
        });
        reporter.finish(None);
        match result {
            Ok(settled) => Ok(settled),
            Err(SettleError::Stopped { .. }) => Err(Halt::Cancelled),
            Err(error) => Err(settle_failure(error).into()),
        }
    }

    /// A picture of a scene as it is.
    pub fn picture(&self, scene: &Scene, simulation: &Simulation) -> Option<Vec<u8>> {
        let header = RunHeader::of_simulation(scene.title(), simulation);
        let mut frame = Frame::default();
        frame.set_from(simulation.world(), true); // a scene may be coloured by forces
        let wishes = Wishes {
            // A small run is for a quick look, and drawing would be most of it.
            size: if self.scale < 0.5 {
                [480, 300]
            } else {
                [960, 600]
            },
            ..Wishes::of_scene(simulation.view()).ok()?
        };
        draw(&header, &frame, &wishes).ok()
    }

    /// What was settled, for `results.json`.
    pub fn into_states(self) -> Vec<Value> {
        self.states
    }
}

fn settle_failure(error: SettleError) -> Failure {
    match error {
        SettleError::Scene(error) => failure(&error),
        SettleError::Checkpoint(error) => error.into(),
        SettleError::Folder(error) => error.into(),
        SettleError::Step(_) | SettleError::Stopped { .. } => Failure::Input(error.to_string()),
    }
}
