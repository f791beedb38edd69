//! What Python sets: loads, velocities, poses, motions, settings, materials. Everything is
//! checked before anything is changed.

use drystone::{BodyId, BodyKind, MaterialId, Pose, Surface, World};
use glam::{DQuat, DVec3};
use pyo3::prelude::*;

use super::Simulation;
use super::acts::{MotionAct, StoredSurface};
use super::engine::Inner;
use crate::arrays;
use crate::calls::Function;
use crate::error::{scene_error, value_error};

/// Bodies by their indices; all where none are given.
fn bodies(world: &World, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<BodyId>> {
    let Some(given) = given else {
        return Ok(world.ids().collect());
    };
    let indices = arrays::list("bodies", given)?;
    let body = |index: f64| {
        let fits = index >= 0.0 && index < world.len() as f64 && index.fract() == 0.0;
        fits.then(|| BodyId::new(index as usize)).ok_or_else(|| {
            value_error(format!(
                "bodies: {index} is not the index of a body: there are {}",
                world.len()
            ))
        })
    };
    indices.into_iter().map(body).collect()
}

/// Refuses bodies that are not of the kind that a setter is for.
fn only(world: &World, ids: &[BodyId], dynamic: bool, what: &str) -> PyResult<()> {
    let wrong = |id: &&BodyId| (world.kind(**id) == BodyKind::Dynamic) != dynamic;
    match ids.iter().find(wrong) {
        None => Ok(()),
        Some(id) => Err(value_error(format!("body {}: {what}", world.name(*id)))),
    }
}

#[pymethods]
impl Simulation {
    /// Sets constant forces at the centres of mass, N, and torques, N m.
    #[pyo3(signature = (forces, torques=None, bodies=None))]
    fn set_loads(
        &self,
        forces: &Bound<'_, PyAny>,
        torques: Option<&Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let ids = self::bodies(inner.world()?, bodies)?;
        let forces = arrays::vectors("forces", forces, ids.len())?;
        let torques = match torques {
            Some(torques) => arrays::vectors("torques", torques, ids.len())?,
            None => vec![DVec3::ZERO; ids.len()],
        };
        let loads = ids.into_iter().zip(forces).zip(torques);
        let loads = loads.map(|((id, force), torque)| (id, force, torque));
        inner.world_mut()?.set_loads(loads);
        Ok(())
    }

    /// Sets velocities of the centres of mass, m/s, and angular velocities, rad/s. What is not
    /// given stays.
    #[pyo3(signature = (velocities=None, angular_velocities=None, bodies=None))]
    fn set_velocities(
        &self,
        py: Python<'_>,
        velocities: Option<&Bound<'_, PyAny>>,
        angular_velocities: Option<&Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let all = bodies.is_none();
        let mut ids = self::bodies(inner.world()?, bodies)?;
        let read = |what: &str, given: Option<&Bound<'_, PyAny>>| {
            given
                .map(|g| arrays::vectors(what, g, ids.len()))
                .transpose()
        };
        let linear = read("velocities", velocities)?;
        let angular = read("angular_velocities", angular_velocities)?;
        let world = inner.world()?;
        let words = "no force moves it, so it has no velocity to set; use set_motion";
        if !all {
            only(world, &ids, true, words)?;
        }
        let world = inner.world_mut()?;
        for (row, id) in ids.drain(..).enumerate() {
            let now = *world.body_state(id);
            let v = linear.as_ref().map_or(now.velocity, |v| v[row]);
            let w = angular.as_ref().map_or(now.angular_velocity, |w| w[row]);
            world.set_velocity(id, v, w);
        }
        inner.refresh(py)
    }

    /// Moves the frames of shapes, m. What is not given stays.
    #[pyo3(signature = (positions=None, quaternions=None, bodies=None))]
    fn set_poses(
        &self,
        py: Python<'_>,
        positions: Option<&Bound<'_, PyAny>>,
        quaternions: Option<&Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let ids = self::bodies(inner.world()?, bodies)?;
        let places = positions.map(|g| arrays::vectors("positions", g, ids.len()));
        let places = places.transpose()?;
        let turns = quaternions.map(|g| arrays::quaternions("quaternions", g, ids.len()));
        let turns = turns.transpose()?;
        let world = inner.world_mut()?;
        for (row, id) in ids.into_iter().enumerate() {
            let now = world.pose(id);
            world.set_pose(
                id,
                Pose {
                    position: places.as_ref().map_or(now.position, |p| p[row]),
                    rotation: turns.as_ref().map_or(now.rotation, |q| q[row]),
                },
            );
        }
        inner.refresh(py)
    }

    /// Takes bodies out of the world, or back in.
    #[pyo3(signature = (enabled, bodies=None))]
    fn set_enabled(&self, enabled: bool, bodies: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let ids = self::bodies(inner.world()?, bodies)?;
        let world = inner.world_mut()?;
        ids.into_iter()
            .for_each(|id| world.set_enabled(id, enabled));
        Ok(())
    }

    /// Has fixed or prescribed bodies follow a function of the time, or stand still with none. The
    /// function returns a position, or a position and a quaternion.
    #[pyo3(signature = (function=None, bodies=None))]
    fn set_motion(
        &self,
        function: Option<Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let ids = self::bodies(inner.world()?, bodies)?;
        only(
            inner.world()?,
            &ids,
            false,
            "forces move it, so it cannot follow a motion",
        )?;
        for id in ids {
            let key = id.index() as u32;
            let act = match &function {
                Some(function) => {
                    let function = Function::new(function.clone().unbind());
                    inner.functions.motions.insert(key, function);
                    let rotation = inner.world()?.pose(id).rotation;
                    MotionAct::Function { rotation }
                }
                None => MotionAct::Still,
            };
            inner.acts.motions.insert(key, act);
            apply(&mut inner, |acts, world, with| {
                acts.apply_motion(key, world, with)
            })?;
        }
        Ok(())
    }

    /// Has fixed or prescribed bodies move steadily from where they are. Where no bodies are named,
    /// there is a row for every body, and those that forces move are left out.
    #[pyo3(signature = (velocities, angular_velocities=None, bodies=None))]
    fn set_steady_motion(
        &self,
        velocities: &Bound<'_, PyAny>,
        angular_velocities: Option<&Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let ids = self::bodies(inner.world()?, bodies)?;
        if bodies.is_some() {
            let words = "forces move it, so it cannot follow a motion";
            only(inner.world()?, &ids, false, words)?;
        }
        let linear = arrays::vectors("velocities", velocities, ids.len())?;
        let angular = match angular_velocities {
            Some(given) => arrays::vectors("angular_velocities", given, ids.len())?,
            None => vec![DVec3::ZERO; ids.len()],
        };
        for (row, id) in ids.into_iter().enumerate() {
            set_steady(&mut inner, id, linear[row], angular[row])?;
        }
        Ok(())
    }

    /// Changes settings by a table of them, as scenes have it.
    fn set(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let mut inner = self.lock()?;
        let changed = inner.simulation_mut()?.set(text);
        changed.map_err(|error| scene_error(py, &error))?;
        inner.acts.note_settings(text);
        Ok(())
    }

    /// Changes figures of a material.
    fn set_material(&self, name: &str, figures: Vec<(String, Option<f64>)>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let materials = inner.world()?.materials();
        let Some(index) = materials.iter().position(|m| m.name == name) else {
            let known: Vec<_> = materials.iter().map(|m| m.name.as_str()).collect();
            return Err(value_error(format!(
                "no material is called {name:?}; there are {}",
                known.join(", ")
            )));
        };
        let mut surface = materials[index].surface;
        for (key, value) in figures {
            set_figure(&mut surface, name, &key, value)?;
        }
        let world = inner.world_mut()?;
        let set = world.set_surface(MaterialId::new(index), surface);
        set.map_err(value_error)?;
        let stored = StoredSurface::from(&surface);
        inner.acts.surfaces.insert(index as u16, stored);
        Ok(())
    }

    /// The pose of a body: position and quaternion `[w, x, y, z]`.
    fn pose(&self, body: usize) -> PyResult<([f64; 3], [f64; 4])> {
        let inner = self.lock()?;
        let world = inner.world()?;
        if body >= world.len() {
            let words = format!("there is no body {body}: there are {}", world.len());
            return Err(value_error(words));
        }
        let Pose { position, rotation } = world.pose(BodyId::new(body));
        let DQuat { x, y, z, w } = rotation;
        Ok((position.to_array(), [w, x, y, z]))
    }
}

/// Has a body move steadily from where it is, unless forces move it.
fn set_steady(inner: &mut Inner, id: BodyId, velocity: DVec3, turn: DVec3) -> PyResult<()> {
    let (world, key) = (inner.world()?, id.index() as u32);
    let stands = velocity == DVec3::ZERO && turn == DVec3::ZERO;
    match world.kind(id) {
        BodyKind::Dynamic => return Ok(()),
        // Nothing changes.
        BodyKind::Fixed if stands => return Ok(()),
        BodyKind::Fixed | BodyKind::Prescribed => {}
    }
    let pose = world.pose(id);
    let act = MotionAct::Steady {
        start: world.time(),
        position: pose.position,
        rotation: pose.rotation,
        velocity,
        angular_velocity: turn,
    };
    inner.acts.motions.insert(key, act);
    apply(inner, |acts, world, with| {
        acts.apply_motion(key, world, with)
    })
}

/// Puts something that was set into effect.
pub(super) fn apply(
    inner: &mut Inner,
    act: impl FnOnce(&super::acts::Acts, &mut World, (&super::acts::Functions, &crate::calls::Raised)),
) -> PyResult<()> {
    let acts = std::mem::take(&mut inner.acts);
    let functions = std::mem::take(&mut inner.functions);
    let raised = inner.raised.clone();
    let world = inner.world_mut();
    let done = world.map(|world| act(&acts, world, (&functions, &raised)));
    (inner.acts, inner.functions) = (acts, functions);
    done
}

fn set_figure(surface: &mut Surface, name: &str, key: &str, value: Option<f64>) -> PyResult<()> {
    let place = match key {
        "friction" => &mut surface.friction,
        "rolling_friction" => &mut surface.rolling_friction,
        "spinning_friction" => &mut surface.spinning_friction,
        "cohesion" => &mut surface.cohesion,
        "compliance" => &mut surface.compliance,
        "restitution" => &mut surface.restitution,
        "cohesion_range" => {
            surface.cohesion_range = value;
            return Ok(());
        }
        _ => {
            return Err(value_error(format!(
                "material {name}: there is no figure {key:?}"
            )));
        }
    };
    *place = value.ok_or_else(|| value_error(format!("material {name}: {key} is missing")))?;
    Ok(())
}
