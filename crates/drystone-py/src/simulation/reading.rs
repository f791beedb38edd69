//! What a simulation tells: names, masses, contacts, forces, joints, settings.

use drystone::{BodyId, BodyKind, JointId, Shape};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

use super::Simulation;
use super::live::Quantity;
use crate::arrays;
use crate::error::value_error;

/// Numbers of eight bytes that make one contact: see `CONTACT` in `simulation.py`.
const CONTACT_WORDS: usize = 20;

/// Names by which Python asks for arrays.
fn quantity(name: &str) -> PyResult<Quantity> {
    match name {
        "positions" => Ok(Quantity::Positions),
        "quaternions" => Ok(Quantity::Quaternions),
        "velocities" => Ok(Quantity::Velocities),
        "angular_velocities" => Ok(Quantity::AngularVelocities),
        "centers" => Ok(Quantity::Centers),
        _ => Err(value_error(format!("there is no array {name}"))),
    }
}

/// The word for a kind of bodies.
fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Prescribed => "prescribed",
        BodyKind::Dynamic => "dynamic",
    }
}

#[pymethods]
impl Simulation {
    /// One line that says what the scene is.
    #[getter]
    fn title(&self) -> PyResult<String> {
        Ok(self.lock()?.scene.title().to_owned())
    }

    /// The scene's name in folders and tables.
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.lock()?.scene.name())
    }

    /// Time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.world()?.time())
    }

    /// Steps made so far.
    #[getter]
    fn step_count(&self) -> PyResult<u64> {
        Ok(self.lock()?.world()?.steps())
    }

    /// Steps that did not reach the tolerance.
    #[getter]
    fn unconverged_steps(&self) -> PyResult<u64> {
        Ok(self.lock()?.world()?.unconverged_steps())
    }

    /// Number of bodies.
    #[getter]
    fn body_count(&self) -> PyResult<usize> {
        Ok(self.lock()?.world()?.len())
    }

    /// Whether the scene has come to its end.
    #[getter]
    fn is_finished(&self) -> PyResult<bool> {
        Ok(self.lock()?.simulation()?.is_finished())
    }

    /// Time at which the scene ends, s, as far as it is known.
    #[getter]
    fn end_time(&self) -> PyResult<Option<f64>> {
        Ok(self.lock()?.simulation()?.end_time())
    }

    /// Name of the phase that it is in.
    #[getter]
    fn phase(&self) -> PyResult<String> {
        Ok(self.lock()?.simulation()?.phase().1.to_owned())
    }

    /// Names of all phases.
    #[getter]
    fn phases(&self) -> PyResult<Vec<String>> {
        let inner = self.lock()?;
        let names = inner.simulation()?.phase_names();
        Ok(names.map(str::to_owned).collect())
    }

    /// The array of a quantity, which follows the simulation.
    fn array(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let quantity = quantity(name)?;
        let mut inner = self.lock()?;
        let mut live = std::mem::take(&mut inner.live);
        let view = inner
            .world()
            .and_then(|world| live.view(py, world, quantity));
        inner.live = live;
        view
    }

    /// Masses, kg; zero for bodies that no force moves.
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        Ok(PyArray1::from_iter(py, world.ids().map(|b| world.mass(b))))
    }

    /// Inertias about the centres of mass in the axes of the shapes, kg m².
    fn inertias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        let tensors = world.ids().map(|body| world.inertia(body));
        // Symmetric: columns are rows.
        let flat: Vec<f64> = tensors.flat_map(|t| t.to_cols_array()).collect();
        PyArray1::from_vec(py, flat).reshape([world.len(), 3, 3])
    }

    /// Radii of the balls around the origins of the shapes that hold them, m; infinite for planes.
    fn radii<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        let radius = |body| match world.shape(body) {
            Shape::Plane => f64::INFINITY,
            shape => shape.radius_about_origin(),
        };
        Ok(PyArray1::from_iter(py, world.ids().map(radius)))
    }

    /// Names of all bodies.
    fn names(&self) -> PyResult<Vec<String>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        Ok(world.ids().map(|body| world.name(body)).collect())
    }

    /// Kinds of all bodies.
    fn kinds(&self) -> PyResult<Vec<&'static str>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        Ok(world
            .ids()
            .map(|body| kind_name(world.kind(body)))
            .collect())
    }

    /// Kinds of the shapes of all bodies.
    fn shapes(&self) -> PyResult<Vec<&'static str>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        Ok(world.ids().map(|body| world.shape(body).kind()).collect())
    }

    /// Which bodies take part.
    fn enabled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        Ok(PyArray1::from_iter(
            py,
            world.ids().map(|b| world.is_enabled(b)),
        ))
    }

    /// Names of the groups and the indices of their bodies.
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let (world, groups) = (inner.world()?, PyDict::new(py));
        for name in world.group_names() {
            let members = inner.simulation()?.group(name);
            let members = members.iter().map(|body| body.index() as i64);
            groups.set_item(name, PyArray1::from_iter(py, members))?;
        }
        Ok(groups)
    }

    /// Materials by name: their figures.
    fn materials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let materials = PyDict::new(py);
        for material in inner.world()?.materials() {
            let (surface, figures) = (&material.surface, PyDict::new(py));
            figures.set_item("friction", surface.friction)?;
            figures.set_item("rolling_friction", surface.rolling_friction)?;
            figures.set_item("spinning_friction", surface.spinning_friction)?;
            figures.set_item("cohesion", surface.cohesion)?;
            figures.set_item("cohesion_range", surface.cohesion_range)?;
            figures.set_item("compliance", surface.compliance)?;
            figures.set_item("restitution", surface.restitution)?;
            materials.set_item(&material.name, figures)?;
        }
        Ok(materials)
    }

    /// Kinetic and potential energy, J.
    #[getter]
    fn energy(&self) -> PyResult<[f64; 2]> {
        Ok(self.lock()?.world()?.energy())
    }

    /// Contacts of the last step, packed: two bodies, identity, point, normal, gap, force, normal
    /// force, friction, torque.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let inner = self.lock()?;
        let contacts = inner.world()?.contacts();
        let mut bytes = Vec::with_capacity(8 * CONTACT_WORDS * contacts.len());
        for contact in contacts {
            for body in contact.bodies {
                bytes.extend_from_slice(&(body.index() as i64).to_ne_bytes());
            }
            bytes.extend_from_slice(&contact.id.feature.to_ne_bytes());
            let normal_force = contact.normal_force();
            let vectors = [contact.point, contact.normal].map(|v| v.to_array());
            let numbers = vectors.into_iter().flatten();
            let numbers = numbers.chain([contact.gap]).chain(contact.force.to_array());
            let numbers = numbers
                .chain([normal_force])
                .chain(contact.friction().to_array());
            for number in numbers.chain(contact.torque.to_array()) {
                bytes.extend_from_slice(&number.to_ne_bytes());
            }
        }
        Ok(PyByteArray::new(py, &bytes))
    }

    /// Force of the bodies named `by` on those named `on`, N; of all others where `by` is none.
    #[pyo3(signature = (on, by=None))]
    fn force(&self, on: &str, by: Option<&str>) -> PyResult<[f64; 3]> {
        let inner = self.lock()?;
        let simulation = inner.simulation()?;
        for name in [Some(on), by].into_iter().flatten() {
            if simulation.group(name).is_empty() {
                let known: Vec<_> = simulation.world().group_names().collect();
                return Err(value_error(format!(
                    "no body is called {name:?}; there are {}",
                    known.join(", ")
                )));
            }
        }
        let world = simulation.world();
        let force = match by {
            Some(by) => world.force_between_groups(by, on),
            None => {
                let load = |body: &BodyId| world.contact_load(*body).force;
                simulation.group(on).iter().map(load).sum()
            }
        };
        Ok(force.to_array())
    }

    /// Sum of all contact forces on each body in the last step, N, and of their torques about its
    /// centre of mass, N m: six columns.
    fn contact_loads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        let load = |body| {
            let wrench = world.contact_load(body);
            let [force, torque] = [wrench.force, wrench.torque].map(|v| v.to_array());
            force.into_iter().chain(torque)
        };
        arrays::of_rows(py, world.ids().flat_map(load).collect(), 6)
    }

    /// Joints: names, kinds, the bodies' indices (-1 is the world), and a table of coordinate,
    /// speed, error, point, force, torque and the motor's share: 13 columns.
    #[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
    fn joints<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Vec<String>,
        Vec<&'static str>,
        Vec<[i64; 2]>,
        Vec<bool>,
        Bound<'py, PyArray2<f64>>,
    )> {
        let inner = self.lock()?;
        let world = inner.world()?;
        let row = |joint: JointId| {
            let force = world.joint_force(joint);
            let [coordinate, speed] = world.joint_coordinate(joint).unwrap_or([f64::NAN; 2]);
            let vectors = [force.point, force.force, force.torque].map(|v| v.to_array());
            let mut row = vec![coordinate, speed, world.joint_error(joint)];
            row.extend(vectors.into_iter().flatten());
            row.push(force.motor);
            row
        };
        let index = |body: Option<BodyId>| body.map_or(-1, |b| b.index() as i64);
        let joints = || world.joints();
        Ok((
            joints().map(|j| world.joint_name(j).to_owned()).collect(),
            joints().map(|j| world.joint_kind(j).name()).collect(),
            joints().map(|j| world.joint_bodies(j).map(index)).collect(),
            joints().map(|j| world.is_joint_enabled(j)).collect(),
            arrays::of_rows(py, joints().flat_map(row).collect(), 13)?,
        ))
    }

    /// The settings in effect, by the names of the scene's keys.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let world = inner.world()?;
        let (settings, out) = (world.settings(), PyDict::new(py));
        out.set_item("gravity", settings.gravity.to_array())?;
        out.set_item("time_step", settings.time_step)?;
        out.set_item("tolerance", settings.tolerance)?;
        out.set_item("max_iterations", settings.max_iterations)?;
        out.set_item("method", settings.method.method().name())?;
        out.set_item("law", settings.law.name())?;
        out.set_item("compare_laws", settings.compare_laws)?;
        out.set_item("compliance", settings.compliance)?;
        out.set_item("envelope", world.envelope())?;
        out.set_item("recovery_speed", world.recovery_speed())?;
        out.set_item("rest_depth", world.rest_depth())?;
        out.set_item("joint_error", world.joint_error_limit())?;
        out.set_item("bounce_threshold", world.bounce_threshold())?;
        out.set_item("warm_start", settings.warm_start)?;
        out.set_item("periodic", settings.periodic.axes)?;
        let sleeping = settings.sleeping.map(|s| (s.speed, s.after));
        out.set_item("sleeping", sleeping)?;
        Ok(out)
    }
}
