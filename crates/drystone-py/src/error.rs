//! Exceptions: few kinds, each with the engine's own message.

use std::fmt::Display;

use drystone::ShapeError;
use drystone_problems::{Fault, FileError};
use drystone_run::RunError;
use drystone_run::recording::{RecordingError, RecordingFault};
use drystone_scene::scene::FaultKind;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    drystone,
    DrystoneError,
    PyException,
    "What all exceptions of this package are."
);
create_exception!(
    drystone,
    SceneError,
    DrystoneError,
    "A scene that cannot be read, understood or built.\n\nAttributes\n----------\nfile : str or None\n    \
     The file or the name of the scene.\nline : int or None\n    Line in it, from 1.\nkey : str or \
     None\n    The key, as a path: ``body.slab.mass``."
);
create_exception!(
    drystone,
    MeshError,
    DrystoneError,
    "A shape or a mesh that cannot be.\n\nAttributes\n----------\nfile : str or None\n    The file, \
     where it came from one."
);
create_exception!(
    drystone,
    StepError,
    DrystoneError,
    "A step that could not be made. The simulation is as it was before it.\n\nAttributes\n\
     ----------\nstep : int\n    Number of the step.\nbody : str or None\n    The body or joint that \
     it is about."
);

/// A wrong argument.
pub fn value_error(words: impl Display) -> PyErr {
    PyValueError::new_err(words.to_string())
}

/// A file that cannot be read or written.
pub fn file_error(words: impl Display) -> PyErr {
    PyOSError::new_err(words.to_string())
}

/// The same error with more attributes.
fn with<'py, V: IntoPyObject<'py>>(py: Python<'py>, error: PyErr, name: &str, value: V) -> PyErr {
    match error.value(py).setattr(name, value) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// What is wrong with a scene, with the lines that it is about.
pub fn scene_error(py: Python<'_>, error: &drystone_scene::SceneError) -> PyErr {
    let fault = error.faults().first();
    let is_mesh = fault.is_some_and(|f| matches!(&f.kind, FaultKind::File { .. }))
        && fault.is_some_and(|f| f.key.contains("shape"));
    let words = error.explained();
    let (file, line, key) = match (fault, error) {
        (Some(fault), _) => (
            Some(fault.origin.clone()),
            Some(fault.line),
            Some(fault.key.clone()).filter(|key| !key.is_empty()),
        ),
        (None, drystone_scene::SceneError::Read { path, .. }) => {
            (Some(path.display().to_string()), None, None)
        }
        (None, drystone_scene::SceneError::Override { name, .. }) => {
            (None, None, Some(name.clone()))
        }
        (None, _) => (None, None, None),
    };
    if is_mesh {
        return with(py, MeshError::new_err(words), "file", file);
    }
    let raised = with(py, SceneError::new_err(words), "file", file);
    let raised = with(py, raised, "line", line);
    with(py, raised, "key", key)
}

/// What is wrong with a shape that came from no file.
pub fn shape_error(py: Python<'_>, error: &ShapeError) -> PyErr {
    with(
        py,
        MeshError::new_err(error.to_string()),
        "file",
        None::<String>,
    )
}

/// A step that could not be made.
pub fn step_error(py: Python<'_>, error: &drystone::StepError) -> PyErr {
    use drystone::StepError as Error;
    let (step, about) = match error {
        Error::NotFinite { step, body, .. } => (Some(*step), Some(body.clone())),
        Error::Joint { step, joint, .. } => (Some(*step), Some(joint.clone())),
        Error::Problem { step, .. }
        | Error::Answer { step, .. }
        | Error::Residual { step, .. }
        | Error::Cancelled { step }
        | Error::Solver { step, .. } => (Some(*step), None),
        _ => (None, None),
    };
    let raised = with(py, StepError::new_err(error.to_string()), "step", step);
    with(py, raised, "body", about)
}

/// A run that cannot begin or go on.
pub fn run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::Scene(error) => scene_error(py, error),
        error => file_error(error),
    }
}

/// A recording that cannot be read.
pub fn recording_error(error: &RecordingError) -> PyErr {
    match &error.fault {
        RecordingFault::Io(_) => file_error(error),
        _ => value_error(error),
    }
}

/// A problem file that cannot be read or written.
pub fn problem_file_error(error: &FileError) -> PyErr {
    match &error.fault {
        Fault::Io(_) => file_error(error),
        _ => value_error(error),
    }
}
