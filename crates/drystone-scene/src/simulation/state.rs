//! Everything that changes in a running scene, for checkpoints.

use drystone::{BodyId, BodyKind, JointId, State};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::Simulation;
use crate::scene::SceneError;

/// All that [`Simulation::restore`] needs to go on as if nothing had happened; the rest is in the
/// scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationState {
    /// The world's state.
    pub world: State,
    /// Index of the phase; the number of phases after the end.
    pub phase: usize,
    /// Time at which it began, s.
    pub phase_start: f64,
    /// Steps that had been made when it began.
    pub phase_start_step: u64,
    /// For how long all bodies have been at rest in the sense of its `until`, s.
    pub rest: f64,
    /// Motions in effect, by body, ascending.
    pub motions: Vec<(u32, ActiveMotion)>,
    /// Motors in effect, by joint, ascending.
    pub motors: Vec<(u32, ActiveMotor)>,
}

/// A motor in effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveMotor {
    /// Which of the scene's motors: those of joints first, then those of phases, in the order of
    /// the file.
    pub drive: usize,
    /// Time at which it began, s.
    pub start: f64,
}

/// A motion in effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveMotion {
    /// Which of the scene's motions: those of bodies and containers first, then those of phases, in
    /// the order of the file.
    pub motion: usize,
    /// Time at which it began, s.
    pub start: f64,
    /// Where the body was then, m.
    pub position: DVec3,
    /// How the body was turned then.
    pub rotation: DQuat,
}

impl Simulation {
    /// Everything that changes, for a checkpoint.
    pub fn state(&self) -> SimulationState {
        SimulationState {
            world: self.world.state(),
            phase: self.phase,
            phase_start: self.phase_start,
            phase_start_step: self.phase_start_step,
            rest: self.rest,
            motions: self.motions.iter().map(|(b, m)| (*b, *m)).collect(),
            motors: self.motors.iter().map(|(j, m)| (*j, *m)).collect(),
        }
    }

    /// Goes back, or on, to a saved state of the same scene. From there it runs on with the same
    /// bits as the run that was saved.
    pub fn restore(&mut self, state: &SimulationState) -> Result<(), SceneError> {
        let phases = self.model.phases.len();
        if state.phase > phases {
            let words = format!("it is in phase {}, of {phases}", state.phase);
            return Err(SceneError::State(words));
        }
        if state.phase_start_step > state.world.step {
            let words = "its phase begins after its time".to_owned();
            return Err(SceneError::State(words));
        }
        for (body, active) in &state.motions {
            let fits = (*body as usize) < self.world.len()
                && active.motion < self.model.motions.len()
                && self.world.kind(BodyId::new(*body as usize)) != BodyKind::Dynamic;
            if !fits {
                let words = format!("body {body} cannot have motion {}", active.motion);
                return Err(SceneError::State(words));
            }
        }
        for (joint, active) in &state.motors {
            let fits = (*joint as usize) < self.model.joints.len()
                && active.drive < self.model.drives.len();
            if !fits {
                let words = format!("joint {joint} cannot have motor {}", active.drive);
                return Err(SceneError::State(words));
            }
        }
        // Checked first, so that a state that does not fit changes nothing.
        let refused = |e: drystone::WorldError| SceneError::State(e.to_string());
        self.world.restore(&state.world).map_err(refused)?;
        self.phase = state.phase;
        self.phase_start = state.phase_start;
        self.phase_start_step = state.phase_start_step;
        self.rest = state.rest;
        self.set_settings();
        for (body, _) in std::mem::take(&mut self.motions) {
            self.world.set_path(BodyId::new(body as usize), None);
        }
        for (body, active) in &state.motions {
            self.set_motion(BodyId::new(*body as usize), *active);
        }
        for (joint, _) in std::mem::take(&mut self.motors) {
            self.world.set_motor(JointId::new(joint as usize), None);
        }
        for (joint, active) in &state.motors {
            self.set_motor(JointId::new(*joint as usize), Some(*active));
        }
        // Again: new settings and paths touch velocities and sleep.
        self.world.restore(&state.world).map_err(refused)
    }
}
