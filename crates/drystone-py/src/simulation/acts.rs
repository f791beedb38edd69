//! What was set from Python beside the state: settings, materials, motors, motions. Saved with the
//! state, so that a restored simulation goes on with the same bits.

use std::collections::BTreeMap;

use drystone::{BodyId, Drive, JointId, MaterialId, Motor, Path, Pose, Surface, World};
use glam::{DQuat, DVec3};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::calls::{self, Function, Raised};

/// Everything that was set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Acts {
    /// Settings by their keys, each as a line of a scene.
    pub settings: BTreeMap<String, String>,
    /// Figures of materials, by their index.
    pub surfaces: BTreeMap<u16, StoredSurface>,
    /// Motors, by joint.
    pub motors: BTreeMap<u32, MotorAct>,
    /// Motions of bodies that no force moves, by body.
    pub motions: BTreeMap<u32, MotionAct>,
}

/// Python's functions, which cannot be saved.
#[derive(Default)]
pub struct Functions {
    /// Signals of motors, by joint.
    pub motors: BTreeMap<u32, Function>,
    /// Paths, by body.
    pub motions: BTreeMap<u32, Function>,
}

impl Functions {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Function> {
        self.motors.values().chain(self.motions.values())
    }

    /// The same functions once more.
    pub fn shared(&self, py: Python<'_>) -> Self {
        let all =
            |map: &BTreeMap<u32, Function>| map.iter().map(|(k, f)| (*k, f.shared(py))).collect();
        Self {
            motors: all(&self.motors),
            motions: all(&self.motions),
        }
    }
}

/// The figures of a material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredSurface {
    figures: [f64; 6],
    cohesion_range: Option<f64>,
}

impl From<&Surface> for StoredSurface {
    fn from(surface: &Surface) -> Self {
        Self {
            figures: [
                surface.friction,
                surface.rolling_friction,
                surface.spinning_friction,
                surface.cohesion,
                surface.compliance,
                surface.restitution,
            ],
            cohesion_range: surface.cohesion_range,
        }
    }
}

impl From<StoredSurface> for Surface {
    fn from(stored: StoredSurface) -> Self {
        let [
            friction,
            rolling_friction,
            spinning_friction,
            cohesion,
            compliance,
            restitution,
        ] = stored.figures;
        Self {
            friction,
            rolling_friction,
            spinning_friction,
            cohesion,
            cohesion_range: stored.cohesion_range,
            compliance,
            restitution,
        }
    }
}

/// What a motor keeps or exerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DriveKind {
    Speed,
    Position,
    Force,
}

/// A motor that was set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MotorAct {
    /// It was taken away.
    Off,
    /// A constant.
    Constant {
        kind: DriveKind,
        value: f64,
        max_force: Option<f64>,
    },
    /// A function of Python's.
    Function {
        kind: DriveKind,
        max_force: Option<f64>,
    },
}

/// A motion that was set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MotionAct {
    /// It stands still.
    Still,
    /// It moves steadily from where it was.
    Steady {
        start: f64,
        position: DVec3,
        rotation: DQuat,
        velocity: DVec3,
        angular_velocity: DVec3,
    },
    /// A function of Python's.
    Function { rotation: DQuat },
}

impl MotorAct {
    /// The motor; none where it is off, or where its function is not there.
    fn motor(&self, function: Option<Function>, raised: &Raised) -> Option<Motor> {
        let (kind, signal, max_force): (_, drystone::Signal, _) = match *self {
            Self::Off => return None,
            Self::Constant {
                kind,
                value,
                max_force,
            } => (kind, std::sync::Arc::new(move |_| value), max_force),
            Self::Function { kind, max_force } => {
                (kind, calls::signal(function?, raised), max_force)
            }
        };
        let motor = Motor::new(match kind {
            DriveKind::Speed => Drive::Speed(signal),
            DriveKind::Position => Drive::Position(signal),
            DriveKind::Force => Drive::Force(signal),
        });
        Some(match max_force {
            Some(force) => motor.max_force(force),
            None => motor,
        })
    }
}

impl MotionAct {
    fn path(&self, function: Option<Function>, raised: &Raised) -> Option<Path> {
        match *self {
            Self::Still => None,
            Self::Function { rotation } => Some(calls::path(function?, rotation, raised)),
            Self::Steady {
                start,
                position,
                rotation,
                velocity,
                angular_velocity,
            } => Some(std::sync::Arc::new(move |time| {
                let passed = time - start;
                Pose {
                    position: position + passed * velocity,
                    rotation: (DQuat::from_scaled_axis(passed * angular_velocity) * rotation)
                        .normalize(),
                }
            })),
        }
    }
}

impl Acts {
    /// Notes lines of settings; later ones take the place of earlier ones of the same key.
    pub fn note_settings(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let key = line.split('=').next().unwrap_or_default().trim();
            self.settings.insert(key.to_owned(), line.to_owned());
        }
    }

    /// All settings that were noted, as a table of a scene.
    pub fn settings_text(&self) -> String {
        let lines: Vec<&str> = self.settings.values().map(String::as_str).collect();
        lines.join("\n")
    }

    /// Puts a motor into effect.
    pub fn apply_motor(&self, joint: u32, world: &mut World, with: (&Functions, &Raised)) {
        let Some(act) = self.motors.get(&joint) else {
            return;
        };
        let function = with.0.motors.get(&joint).cloned();
        let motor = act.motor(function, with.1);
        world.set_motor(JointId::new(joint as usize), motor);
    }

    /// Puts a motion into effect.
    pub fn apply_motion(&self, body: u32, world: &mut World, with: (&Functions, &Raised)) {
        let Some(act) = self.motions.get(&body) else {
            return;
        };
        let function = with.0.motions.get(&body).cloned();
        let path = act.path(function, with.1);
        world.set_path(BodyId::new(body as usize), path);
    }

    /// What does not fit a world, or cannot be had again, if anything.
    pub fn misfit(&self, world: &World, functions: &Functions) -> Option<String> {
        let joints = world.joints().len();
        for (joint, act) in &self.motors {
            if *joint as usize >= joints {
                return Some(format!("it drives joint {joint}, of {joints}"));
            }
            let is_function = matches!(act, MotorAct::Function { .. });
            if is_function && !functions.motors.contains_key(joint) {
                let name = world.joint_name(JointId::new(*joint as usize));
                return Some(format!(
                    "joint {name} is driven by a Python function, which is not saved: set it first"
                ));
            }
        }
        for (body, act) in &self.motions {
            if *body as usize >= world.len() {
                return Some(format!("it moves body {body}, of {}", world.len()));
            }
            let is_function = matches!(act, MotionAct::Function { .. });
            if is_function && !functions.motions.contains_key(body) {
                let name = world.name(BodyId::new(*body as usize));
                return Some(format!(
                    "body {name} follows a Python function, which is not saved: set it first"
                ));
            }
        }
        let materials = world.materials().len();
        let last = self
            .surfaces
            .keys()
            .last()
            .filter(|m| **m as usize >= materials);
        last.map(|m| format!("it changes material {m}, of {materials}"))
    }

    /// Puts the figures of materials into effect.
    pub fn apply_surfaces(&self, world: &mut World) -> Result<(), drystone::WorldError> {
        for (material, surface) in &self.surfaces {
            world.set_surface(MaterialId::new(*material as usize), (*surface).into())?;
        }
        Ok(())
    }
}
