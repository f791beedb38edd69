//! From text, file or name to a simulation.

use std::path::{Path, PathBuf};

use drystone::{Body, Shape};
use drystone_run::checkpoint::{Fingerprint, from_bytes, to_bytes};
use drystone_scene::scene::SceneParts;
use drystone_scene::{Scene, SceneOptions, SimulationState};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::Simulation;
use super::acts::Acts;
use super::engine::{Inner, build};
use crate::arrays;
use crate::error::{run_error, scene_error, shape_error, value_error};
use crate::pool::quietly;
use crate::shape;

/// Names, titles and texts of the scenes that ship.
#[pyfunction]
pub fn builtin_scenes() -> Vec<(&'static str, &'static str)> {
    drystone_scene::builtin_scenes().to_vec()
}

/// What Python adds to a scene's text.
struct Additions {
    shapes: Vec<(String, Shape)>,
    many: Vec<Many>,
}

/// Bodies from arrays, all but the first, which is in the text.
struct Many {
    name: String,
    positions: Vec<glam::DVec3>,
    radii: Option<Vec<f64>>,
    masses: Option<Vec<f64>>,
    rotations: Option<Vec<glam::DQuat>>,
    velocities: Option<Vec<glam::DVec3>>,
    angular_velocities: Option<Vec<glam::DVec3>>,
}

impl Many {
    fn read(name: String, arrays: &Bound<'_, PyDict>) -> PyResult<Self> {
        let of = |key: &str| arrays.get_item(key);
        let positions = of("positions")?.ok_or_else(|| value_error("positions: missing"))?;
        let positions = arrays::rows_of("positions", &positions, 3)?;
        let positions: Vec<_> = positions
            .chunks_exact(3)
            .map(glam::DVec3::from_slice)
            .collect();
        let rows = positions.len();
        let vectors = |key: &str| {
            let given = of(key)?;
            given.map(|g| arrays::vectors(key, &g, rows)).transpose()
        };
        let numbers = |key: &str| {
            let given = of(key)?;
            given.map(|g| arrays::numbers(key, &g, rows)).transpose()
        };
        let rotations = of("quaternions")?;
        let rotations = rotations.map(|g| arrays::quaternions("quaternions", &g, rows));
        Ok(Self {
            name,
            radii: numbers("radii")?,
            masses: numbers("masses")?,
            rotations: rotations.transpose()?,
            velocities: vectors("velocities")?,
            angular_velocities: vectors("angular_velocities")?,
            positions,
        })
    }

    /// The bodies, like the first one.
    fn bodies(&self, first: &Body) -> Result<Vec<Body>, drystone::ShapeError> {
        let one = |row: usize| {
            let mut body = first.clone().at(self.positions[row]);
            if let Some(radii) = &self.radii {
                body = body.shaped(Shape::sphere(radii[row])?);
            }
            if let Some(masses) = &self.masses {
                body = body.mass(masses[row]);
            }
            if let Some(rotations) = &self.rotations {
                body = body.rotated(rotations[row]);
            }
            if let Some(velocities) = &self.velocities {
                body = body.velocity(velocities[row]);
            }
            if let Some(velocities) = &self.angular_velocities {
                body = body.angular_velocity(velocities[row]);
            }
            Ok(body)
        };
        (0..self.positions.len()).map(one).collect()
    }
}

impl Additions {
    fn added_to(self, py: Python<'_>, scene: Scene) -> PyResult<Scene> {
        let mut bodies = Vec::new();
        for many in self.many {
            let first = scene.body(&many.name);
            let first = first.ok_or_else(|| value_error(format!("no body {}", many.name)))?;
            let made = many.bodies(first).map_err(|e| shape_error(py, &e))?;
            bodies.push((many.name, made));
        }
        let parts = SceneParts {
            shapes: self.shapes,
            bodies,
        };
        scene.with_parts(parts).map_err(|e| scene_error(py, &e))
    }
}

#[pymethods]
impl Simulation {
    /// A simulation of a scene: `kind` is "name", "file" or "text", and says what `what` is.
    #[new]
    #[pyo3(signature = (
        kind, what, set, allow_outside=false, start=None,
        shapes=Vec::new(), many=Vec::new(), origin="text"
    ))]
    #[expect(clippy::too_many_arguments, reason = "called from one place, by name")]
    fn new(
        py: Python<'_>,
        kind: &str,
        what: &str,
        set: Vec<(String, String)>,
        allow_outside: bool,
        start: Option<PathBuf>,
        shapes: Vec<(String, Py<shape::Shape>)>,
        many: Vec<(String, Bound<'_, PyDict>)>,
        origin: &str,
    ) -> PyResult<Self> {
        let from = start.map(std::path::absolute).transpose()?;
        let options = SceneOptions {
            set,
            allow_outside,
            from,
        };
        let read = py.detach(|| match kind {
            "name" => Scene::builtin(what, &options),
            "file" => Scene::load(what, &options),
            // Paths in a text are relative to where the program runs.
            _ => Scene::parse(what, origin, Some(Path::new(".")), &options),
        });
        let shapes = shapes
            .into_iter()
            .map(|(name, s)| (name, s.get().0.clone()));
        let many = many.into_iter().map(|(name, a)| Many::read(name, &a));
        let additions = Additions {
            shapes: shapes.collect(),
            many: many.collect::<PyResult<_>>()?,
        };
        let scene = additions.added_to(py, read.map_err(|e| scene_error(py, &e))?)?;
        let built = quietly(py, |_| build(&scene))?;
        let simulation = built.map_err(|error| run_error(py, &error))?;
        Ok(Self::of(Inner::new(scene, simulation, allow_outside)))
    }

    /// What the scene's files hold that is ignored, a line each.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.scene.warnings().to_vec())
    }

    /// The scene's text, with the parameters as they were set.
    fn to_toml(&self) -> PyResult<String> {
        Ok(self.lock()?.scene.to_toml())
    }

    /// Everything that changes, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let saved = (&inner.acts, inner.simulation()?.state());
        let bytes = to_bytes(&saved, fingerprint(&inner)).map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes back, or on, to what was saved.
    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        let saved: (Acts, SimulationState) = from_bytes(bytes, fingerprint(&inner))
            .map_err(|fault| value_error(format!("the saved state: {fault}")))?;
        inner.restore(py, saved.0, &saved.1)
    }

    /// A second simulation in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::of(self.lock()?.copied(py)?))
    }
}

fn fingerprint(inner: &Inner) -> Fingerprint {
    Fingerprint::of(inner.scene.to_toml().as_bytes())
}
