//! Replays: a run as one HTML file, for notebooks and to be mailed.

use std::path::PathBuf;

use drystone_run::recording::{Frame, Recorder, RunHeader};
use drystone_view::{ReplaySettings, RunView, ViewError};
use pyo3::prelude::*;

use crate::error::{file_error, recording_error, value_error};
use crate::pool::quietly;
use crate::simulation::Simulation;

/// A run's folder or recording as one HTML file, and how many frames it shows. One frame in `every`
/// where that is given, else as many as `largest` bytes take.
#[pyfunction]
pub fn replay(
    py: Python<'_>,
    path: PathBuf,
    every: Option<usize>,
    largest: u64,
) -> PyResult<(String, usize)> {
    let settings = ReplaySettings { every, largest };
    let made = quietly(py, |cancel| {
        let view = RunView::open(&path)?;
        drystone_view::replay(&view, &settings, cancel, &mut |_, _| {})
    })?;
    let made = made.map_err(|error| match &error {
        ViewError::Recording(error) => recording_error(error),
        ViewError::Io { .. } => file_error(error),
        _ => value_error(error),
    })?;
    Ok((made.html, made.frames))
}

#[pymethods]
impl Simulation {
    /// Writes the simulation as it is as a recording of one frame.
    fn write_moment(&self, path: PathBuf) -> PyResult<()> {
        let inner = self.lock()?;
        let simulation = inner.simulation()?;
        let header = RunHeader::of_simulation(inner.scene.title(), simulation);
        let frame = Frame::of_world(simulation.world(), true);
        let write = || Recorder::create(&path, header)?.append(&frame);
        write().map_err(|error| recording_error(&error))
    }
}
