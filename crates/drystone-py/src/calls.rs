//! Python functions that the engine calls: paths of bodies, signals of motors.
//!
//! The engine wants a number, whatever happens. A function that raises gives not-a-number, which
//! ends the step with an error; the exception is kept and raised in that error's place.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use drystone::{Path, Pose, Signal};
use glam::{DQuat, DVec3};
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::arrays;

/// A function that the engine calls. Owned here alone, so that Python's collector can be told of it
/// and can take it away: functions often know the simulation that calls them.
#[derive(Clone)]
pub struct Function(Arc<Mutex<Option<Py<PyAny>>>>);

impl Function {
    /// Keeps a function.
    pub fn new(function: Py<PyAny>) -> Self {
        Self(Arc::new(Mutex::new(Some(function))))
    }

    fn slot(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same function for another simulation: each owns its own.
    pub fn shared(&self, py: Python<'_>) -> Self {
        Self(Arc::new(Mutex::new(
            self.slot().as_ref().map(|f| f.clone_ref(py)),
        )))
    }

    /// Shows it to Python's collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(slot) => slot
                .as_ref()
                .map_or(Ok(()), |function| visit.call(function)),
            // At work, so not garbage.
            Err(_) => Ok(()),
        }
    }

    /// Takes it away.
    pub fn clear(&self) {
        let function = self.slot().take();
        drop(function);
    }

    fn call(&self, time: f64) -> PyResult<Py<PyAny>> {
        Python::attach(|py| {
            // Not held during the call, which may run Python's collector.
            let function = self.slot().as_ref().map(|f| f.clone_ref(py));
            let gone = || PyRuntimeError::new_err("the function was let go");
            function.ok_or_else(gone)?.call1(py, (time,))
        })
    }
}

/// The first exception that a function raised since the last look.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(error);
    }

    /// Takes it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A function of the time in s that returns a number.
pub fn signal(function: Function, raised: &Raised) -> Signal {
    let raised = raised.clone();
    Arc::new(move |time| {
        let called = Python::attach(|py| function.call(time)?.extract::<f64>(py));
        called.unwrap_or_else(|error| {
            raised.keep(error);
            f64::NAN
        })
    })
}

/// A function of the time in s that returns a position, or a position and a quaternion
/// `[w, x, y, z]`.
pub fn path(function: Function, rotation: DQuat, raised: &Raised) -> Path {
    let raised = raised.clone();
    Arc::new(move |time| {
        let called = Python::attach(|py| pose(function.call(time)?.into_bound(py), rotation));
        called.unwrap_or_else(|error| {
            raised.keep(error);
            Pose {
                position: DVec3::NAN,
                rotation,
            }
        })
    })
}

/// What a path's function returned. Without a quaternion the body does not turn.
fn pose(returned: Bound<'_, PyAny>, rotation: DQuat) -> PyResult<Pose> {
    if let Ok((position, turned)) = returned.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return Ok(Pose {
            position: arrays::vector("the position that a motion returned", &position)?,
            rotation: arrays::quaternions("the quaternion that a motion returned", &turned, 1)?[0],
        });
    }
    let position = arrays::vector("the position that a motion returned", &returned)?;
    Ok(Pose { position, rotation })
}
