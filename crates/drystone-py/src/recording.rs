//! Runs that were recorded, frame by frame.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use drystone_run::export::{ExportOptions, Format, export};
use drystone_run::recording::Frame;
use drystone_run::run_folder::frames_of;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};

use crate::arrays;
use crate::error::{file_error, recording_error, value_error};
use crate::pool::quietly;
use crate::simulation::drawing::{Look, picture};

/// A recording, open for reading.
#[pyclass(frozen, module = "drystone._core")]
pub struct Recording(drystone_run::recording::Recording);

#[pymethods]
impl Recording {
    /// Opens the recording of a run's folder, or a file.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let opened = drystone_run::recording::Recording::open(frames_of(path));
        Ok(Self(opened.map_err(|e| recording_error(&e))?))
    }

    /// What the run is called.
    #[getter]
    fn title(&self) -> String {
        self.0.header().title.clone()
    }

    /// Length of a time step, s.
    #[getter]
    fn time_step(&self) -> f64 {
        self.0.header().time_step
    }

    /// Times of all frames, s.
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let times = (0..self.0.len()).map(|frame| self.0.time(frame));
        PyArray1::from_iter(py, times)
    }

    /// Steps of all frames.
    fn steps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let steps = (0..self.0.len()).map(|frame| self.0.step(frame) as i64);
        PyArray1::from_iter(py, steps)
    }

    /// Names of all bodies.
    fn names(&self) -> Vec<String> {
        let header = self.0.header();
        (0..header.bodies.len())
            .map(|body| header.body_name(body))
            .collect()
    }

    /// Masses of all bodies, kg.
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.header().bodies.iter().map(|body| body.mass))
    }

    /// Radii of the balls around the origins of the shapes that hold them, m.
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let header = self.0.header();
        let radius = |body| match header.shape(body) {
            drystone::Shape::Plane => f64::INFINITY,
            shape => shape.radius_about_origin(),
        };
        PyArray1::from_iter(py, (0..header.bodies.len()).map(radius))
    }

    /// Names of the groups and the indices of their bodies.
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (header, groups) = (self.0.header(), PyDict::new(py));
        for (index, group) in header.groups.iter().enumerate() {
            let bodies = header.bodies.iter().enumerate();
            let members = bodies.filter(|(_, body)| body.group as usize == index);
            let members = members.map(|(body, _)| body as i64);
            let members: Vec<i64> = members.collect();
            groups.set_item(&group.name, PyArray1::from_vec(py, members))?;
        }
        Ok(groups)
    }

    /// A frame: positions, quaternions, velocities, angular velocities, which bodies take part, and
    /// the contacts, packed, where they were recorded.
    #[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        frame: usize,
    ) -> PyResult<(
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray1<bool>>,
        Option<Bound<'py, PyByteArray>>,
    )> {
        let frame = self.read(py, frame)?;
        let bodies = || frame.bodies.iter();
        let turned = bodies().flat_map(|body| {
            let [x, y, z, w] = body.rotation.to_array();
            [w, x, y, z]
        });
        Ok((
            arrays::of_vectors(py, bodies().map(|b| b.position))?,
            arrays::of_rows(py, turned.collect(), 4)?,
            arrays::of_vectors(py, bodies().map(|b| b.velocity))?,
            arrays::of_vectors(py, bodies().map(|b| b.angular_velocity))?,
            PyArray1::from_iter(py, bodies().map(|b| b.enabled)),
            packed_contacts(&frame).map(|bytes| PyByteArray::new(py, &bytes)),
        ))
    }

    /// A picture of a frame as the bytes of a PNG file.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        frame: usize,
        look: Look,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let frame = self.read(py, frame)?;
        picture(py, self.0.header(), &frame, &look.settings(None)?)
    }

    /// Writes the frames for other programs: "vtk", "csv", "npz" or "obj". Returns how many files.
    fn export(&self, py: Python<'_>, format: &str, out: PathBuf, every: usize) -> PyResult<usize> {
        let format = match format {
            "vtk" => Format::Vtk,
            "csv" => Format::Csv,
            "npz" => Format::Npz,
            "obj" => Format::Obj,
            other => {
                return Err(value_error(format!(
                    "format: {other:?} is not vtk, csv, npz or obj"
                )));
            }
        };
        let options = ExportOptions {
            every,
            ..ExportOptions::new(format)
        };
        let never = |cancel: &AtomicBool| export(&self.0, &options, &out, cancel, &mut |_, _| {});
        Ok(quietly(py, never)?.map_err(file_error)?.files)
    }
}

impl Recording {
    fn read(&self, py: Python<'_>, frame: usize) -> PyResult<Frame> {
        if frame >= self.0.len() {
            let words = format!("there is no frame {frame}: there are {}", self.0.len());
            return Err(value_error(words));
        }
        py.detach(|| self.0.frame(frame))
            .map_err(|e| recording_error(&e))
    }
}

/// Contacts as a simulation packs them; their identity is not recorded and stands as 0.
fn packed_contacts(frame: &Frame) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for contact in frame.contacts.as_ref()? {
        for body in contact.bodies {
            bytes.extend_from_slice(&i64::from(body).to_ne_bytes());
        }
        bytes.extend_from_slice(&0_u64.to_ne_bytes());
        let normal_force = contact.force.dot(contact.normal);
        let friction = contact.force - normal_force * contact.normal;
        let vectors = [contact.point, contact.normal].map(|v| v.to_array());
        let numbers = vectors.into_iter().flatten();
        let numbers = numbers.chain([contact.gap]).chain(contact.force.to_array());
        let numbers = numbers.chain([normal_force]).chain(friction.to_array());
        for number in numbers.chain(contact.torque.to_array()) {
            bytes.extend_from_slice(&number.to_ne_bytes());
        }
    }
    Some(bytes)
}
