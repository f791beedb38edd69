//! The engine behind a simulation, with or without a folder that it records to.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use drystone::{StepReport, World};
use drystone_run::start;
use drystone_run::{Control, Ended, Event, Run, RunError, StopAt, drive};
use drystone_scene::{Scene, SimulationState};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::acts::{Acts, Functions};
use super::live::Live;
use crate::calls::Raised;
use crate::error::{run_error, scene_error, step_error, value_error};
use crate::pool::work;

/// All of a simulation.
pub struct Inner {
    pub scene: Scene,
    /// What the scene was read with.
    pub allow_outside: bool,
    engine: Engine,
    pub acts: Acts,
    pub functions: Functions,
    pub raised: Raised,
    pub live: Live,
    /// Answers to the step that is open, if one is.
    pub open: Option<Vec<Vec<f64>>>,
}

/// Who steps.
enum Engine {
    Free(Box<drystone_scene::Simulation>),
    /// Writes down what it does.
    Recorded(Box<Run>),
    /// While it changes hands.
    Away,
}

/// What came of stepping.
pub struct Advanced {
    pub ended: Ended,
    pub last: Option<StepReport>,
}

/// Builds a scene; one that starts from another run finds it.
pub fn build(scene: &Scene) -> Result<drystone_scene::Simulation, RunError> {
    Ok(start::build(scene, None)?.simulation)
}

impl Inner {
    /// Of a scene that was just built.
    pub fn new(scene: Scene, simulation: drystone_scene::Simulation, allow_outside: bool) -> Self {
        Self {
            scene,
            allow_outside,
            engine: Engine::Free(Box::new(simulation)),
            acts: Acts::default(),
            functions: Functions::default(),
            raised: Raised::default(),
            live: Live::default(),
            open: None,
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> PyResult<&drystone_scene::Simulation> {
        match &self.engine {
            Engine::Free(simulation) => Ok(simulation),
            Engine::Recorded(run) => Ok(run.simulation()),
            Engine::Away => Err(gone()),
        }
    }

    /// The simulation, to be changed. A step that is open is given up.
    pub fn simulation_mut(&mut self) -> PyResult<&mut drystone_scene::Simulation> {
        self.open = None;
        match &mut self.engine {
            Engine::Free(simulation) => Ok(simulation),
            Engine::Recorded(run) => Ok(run.simulation_mut()),
            Engine::Away => Err(gone()),
        }
    }

    /// The world.
    pub fn world(&self) -> PyResult<&World> {
        Ok(self.simulation()?.world())
    }

    /// The world, to be changed.
    pub fn world_mut(&mut self) -> PyResult<&mut World> {
        Ok(self.simulation_mut()?.world_mut())
    }

    /// The run that is being recorded.
    pub fn run(&mut self) -> PyResult<&mut Run> {
        match &mut self.engine {
            Engine::Recorded(run) => Ok(run),
            Engine::Free(_) | Engine::Away => Err(PyRuntimeError::new_err("nothing is recorded")),
        }
    }

    /// Steps until `stop`, without the interpreter's lock. `look` is told the time and the step
    /// now and then.
    pub fn advance(
        &mut self,
        py: Python<'_>,
        stop: &StopAt,
        look: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Advanced> {
        self.open = None;
        let look = look.map(|look| look.clone().unbind());
        let (steps, time) = (AtomicU64::new(0), AtomicU64::new(0));
        let last = Mutex::new(None);
        let report = |event: Event<'_>| {
            if let Event::Step(_, report) = event {
                steps.store(report.step, Ordering::Relaxed);
                time.store(report.time.to_bits(), Ordering::Relaxed);
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(*report);
            }
        };
        let mut told = |py: Python<'_>| match &look {
            Some(look) if steps.load(Ordering::Relaxed) > 0 => {
                let time = f64::from_bits(time.load(Ordering::Relaxed));
                look.call1(py, (time, steps.load(Ordering::Relaxed)))?;
                Ok(())
            }
            Some(_) | None => Ok(()),
        };
        let engine = &mut self.engine;
        let ended = work(
            py,
            |cancel| {
                let control = Control::new(cancel, &report);
                match engine {
                    Engine::Free(simulation) => {
                        drive(simulation, stop, control, |_, _| Ok::<(), RunError>(()))
                    }
                    Engine::Recorded(run) => run.go_on(stop, control),
                    Engine::Away => Ok(Ended::Cancelled),
                }
            },
            &mut told,
        );
        // Whatever happened, arrays show what is there now.
        self.refresh(py)?;
        if let Some(raised) = self.raised.take() {
            return Err(raised);
        }
        let ended = ended?.map_err(|error| run_error(py, &error))?;
        if let Ended::Broke(error) = &ended {
            return Err(step_error(py, error));
        }
        let last = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Advanced { ended, last })
    }

    /// Makes the arrays that were handed out show the state as it is.
    pub fn refresh(&mut self, py: Python<'_>) -> PyResult<()> {
        let world = match &self.engine {
            Engine::Free(simulation) => simulation.world(),
            Engine::Recorded(run) => run.simulation().world(),
            Engine::Away => return Ok(()),
        };
        self.live.refresh(py, world)
    }

    /// Hands the simulation to whoever makes a run of it.
    pub fn record(
        &mut self,
        py: Python<'_>,
        begin: impl FnOnce(Scene, drystone_scene::Simulation) -> Result<Run, RunError> + Send,
    ) -> PyResult<()> {
        let engine = std::mem::replace(&mut self.engine, Engine::Away);
        let simulation = match engine {
            Engine::Free(simulation) => simulation,
            other => {
                self.engine = other;
                return Err(PyRuntimeError::new_err(
                    "the simulation is recorded already",
                ));
            }
        };
        let (state, scene) = (simulation.state(), self.scene.clone());
        match py.detach(|| begin(scene, *simulation)) {
            Ok(run) => {
                self.engine = Engine::Recorded(Box::new(run));
                self.refresh(py)
            }
            Err(error) => {
                // The run took it along: it is made anew as it was.
                let acts = self.acts.clone();
                self.rebuild(py, acts, &state)?;
                Err(run_error(py, &error))
            }
        }
    }

    /// Takes the simulation back from its run.
    pub fn release(&mut self) {
        self.engine = match std::mem::replace(&mut self.engine, Engine::Away) {
            Engine::Recorded(run) => Engine::Free(Box::new(run.into_simulation())),
            other => other,
        };
    }

    /// Becomes what was saved: a state and what was set beside it.
    pub fn restore(&mut self, py: Python<'_>, acts: Acts, state: &SimulationState) -> PyResult<()> {
        if let Some(words) = acts.misfit(self.world()?, &self.functions) {
            return Err(value_error(format!(
                "the state does not fit the simulation: {words}"
            )));
        }
        let same = acts.settings == self.acts.settings && acts.surfaces == self.acts.surfaces;
        if !same || matches!(self.engine, Engine::Away) {
            return self.rebuild(py, acts, state);
        }
        self.simulation_mut()?
            .restore(state)
            .map_err(|error| scene_error(py, &error))?;
        self.take_on(py, acts, state)
    }

    /// The same on a simulation that is built anew from the scene.
    fn rebuild(&mut self, py: Python<'_>, acts: Acts, state: &SimulationState) -> PyResult<()> {
        let scene = &self.scene;
        let built = py.detach(|| build(scene));
        let mut simulation = built.map_err(|error| run_error(py, &error))?;
        let settings = simulation.set(&acts.settings_text());
        settings.map_err(|e| scene_error(py, &e))?;
        let world = simulation.world_mut();
        acts.apply_surfaces(world).map_err(value_error)?;
        simulation.restore(state).map_err(|e| scene_error(py, &e))?;
        self.engine = Engine::Free(Box::new(simulation));
        self.open = None;
        self.take_on(py, acts, state)
    }

    /// Puts motors and motions into effect on a simulation that is in the state already.
    fn take_on(&mut self, py: Python<'_>, acts: Acts, state: &SimulationState) -> PyResult<()> {
        let before = std::mem::replace(&mut self.acts, acts);
        let (functions, raised) = (std::mem::take(&mut self.functions), self.raised.clone());
        let acts = self.acts.clone();
        let world = self.world_mut()?;
        // What was set since, and not before the state was saved, is taken back.
        let is_scenes = |joint: &u32| state.motors.iter().any(|(j, _)| j == joint);
        let gone = before
            .motors
            .keys()
            .filter(|j| !acts.motors.contains_key(j));
        for joint in gone.filter(|joint| !is_scenes(joint)) {
            world.set_motor(drystone::JointId::new(*joint as usize), None);
        }
        let is_scenes = |body: &u32| state.motions.iter().any(|(b, _)| b == body);
        let gone = before
            .motions
            .keys()
            .filter(|b| !acts.motions.contains_key(b));
        for body in gone.filter(|body| !is_scenes(body)) {
            world.set_path(drystone::BodyId::new(*body as usize), None);
        }
        for joint in acts.motors.keys() {
            acts.apply_motor(*joint, world, (&functions, &raised));
        }
        for body in acts.motions.keys() {
            acts.apply_motion(*body, world, (&functions, &raised));
        }
        // Again: paths touch velocities and sleep.
        world.restore(&state.world).map_err(value_error)?;
        self.functions = functions;
        self.refresh(py)
    }

    /// A second simulation in the same state.
    pub fn copied(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.simulation()?.state();
        let scene = &self.scene;
        let simulation = py.detach(|| build(scene));
        let simulation = simulation.map_err(|error| run_error(py, &error))?;
        let mut copy = Self::new(self.scene.clone(), simulation, self.allow_outside);
        copy.functions = self.functions.shared(py);
        copy.rebuild(py, self.acts.clone(), &state)?;
        Ok(copy)
    }
}

fn gone() -> PyErr {
    PyRuntimeError::new_err("the simulation is gone: its run could not begin")
}
