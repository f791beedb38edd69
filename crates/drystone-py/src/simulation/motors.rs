//! What Python sets of joints: motors, and whether they hold.

use drystone::{JointId, World};
use pyo3::prelude::*;

use super::Simulation;
use super::acts::{DriveKind, MotorAct};
use super::control::apply;
use super::engine::Inner;
use crate::arrays;
use crate::calls::Function;
use crate::error::value_error;

#[pymethods]
impl Simulation {
    /// Lets a joint go, or lets it hold again.
    fn set_joint_enabled(&self, name: &str, enabled: bool) -> PyResult<()> {
        let mut inner = self.lock()?;
        let id = joint(inner.world()?, name)?;
        inner.world_mut()?.set_joint_enabled(id, enabled);
        Ok(())
    }

    /// Gives a joint a motor: `kind` is "speed", "position", "force" or "off"; `value` a number or
    /// a function of the time.
    #[pyo3(signature = (name, kind, value=None, max_force=None))]
    fn set_motor(
        &self,
        name: &str,
        kind: &str,
        value: Option<Bound<'_, PyAny>>,
        max_force: Option<f64>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let id = joint(inner.world()?, name)?;
        can_be_driven(inner.world()?, id, max_force)?;
        let key = id.index() as u32;
        let act = match (drive_kind(kind), value) {
            (Some(kind), Some(value)) if value.is_callable() => {
                let function = Function::new(value.unbind());
                inner.functions.motors.insert(key, function);
                MotorAct::Function { kind, max_force }
            }
            (Some(kind), Some(value)) => {
                let value = arrays::numbers("value", &value, 1)?[0];
                MotorAct::Constant {
                    kind,
                    value,
                    max_force,
                }
            }
            (None, _) | (_, None) => MotorAct::Off,
        };
        set_motor(&mut inner, key, act)
    }

    /// The same for many joints at once, with a number for each; where none are named, for all that
    /// can have a motor.
    #[pyo3(signature = (kind, values, max_forces=None, names=None))]
    fn set_motors(
        &self,
        kind: &str,
        values: &Bound<'_, PyAny>,
        max_forces: Option<&Bound<'_, PyAny>>,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let world = inner.world()?;
        let Some(kind) = drive_kind(kind) else {
            return Err(value_error(format!("a motor keeps no {kind:?}")));
        };
        let ids: Vec<JointId> = match names {
            Some(names) => names
                .iter()
                .map(|name| joint(world, name))
                .collect::<PyResult<_>>()?,
            None => world
                .joints()
                .filter(|j| world.joint_kind(*j).has_coordinate())
                .collect(),
        };
        let values = arrays::numbers("the motors' values", values, ids.len())?;
        let forces = max_forces.map(|given| arrays::numbers("max_force", given, ids.len()));
        let forces = forces.transpose()?;
        let force = |row: usize| forces.as_ref().map(|f| f[row]);
        for (row, id) in ids.iter().enumerate() {
            can_be_driven(world, *id, force(row))?;
        }
        for (row, id) in ids.into_iter().enumerate() {
            let act = MotorAct::Constant {
                kind,
                value: values[row],
                max_force: force(row),
            };
            set_motor(&mut inner, id.index() as u32, act)?;
        }
        Ok(())
    }
}

/// The joint of a name.
fn joint(world: &World, name: &str) -> PyResult<JointId> {
    let found = world.joints().find(|j| world.joint_name(*j) == name);
    found.ok_or_else(|| {
        let known: Vec<_> = world.joints().map(|j| world.joint_name(j)).collect();
        value_error(format!(
            "no joint is called {name:?}; there are {}",
            match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            }
        ))
    })
}

/// What a motor keeps or exerts, by the words of scenes.
fn drive_kind(word: &str) -> Option<DriveKind> {
    match word {
        "speed" => Some(DriveKind::Speed),
        "position" => Some(DriveKind::Position),
        "force" | "torque" => Some(DriveKind::Force),
        _ => None,
    }
}

/// Refuses motors of joints that have nothing to drive, and limits that are none.
fn can_be_driven(world: &World, id: JointId, max_force: Option<f64>) -> PyResult<()> {
    let (name, kind) = (world.joint_name(id), world.joint_kind(id));
    if !kind.has_coordinate() {
        let kind = kind.name();
        return Err(value_error(format!(
            "joint {name}: a {kind} joint has no coordinate that a motor could drive"
        )));
    }
    match max_force.filter(|f| !(f.is_finite() && *f >= 0.0)) {
        None => Ok(()),
        Some(force) => Err(value_error(format!(
            "joint {name}: max_force {force} is not a finite number >= 0"
        ))),
    }
}

/// Notes a motor and puts it into effect.
fn set_motor(inner: &mut Inner, joint: u32, act: MotorAct) -> PyResult<()> {
    inner.acts.motors.insert(joint, act);
    apply(inner, |acts, world, with| {
        acts.apply_motor(joint, world, with)
    })
}
