//! Python functions that the engine calls: paths of bodies, signals of motors.
//!
//! The engine wants a number, whatever happens. A function that raises gives not-a-number, which
//! ends the step with an error; the exception is kept and raised in that error's place.

use std::sync::{Arc, Mutex, PoisonError};

use drystone::{Path, Pose, Signal};
use glam::{DQuat, DVec3};
use pyo3::prelude::*;

use crate::arrays;

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
pub fn signal(function: Py<PyAny>, raised: &Raised) -> Signal {
    let raised = raised.clone();
    Arc::new(move |time| {
        let called = Python::attach(|py| function.bind(py).call1((time,))?.extract::<f64>());
        called.unwrap_or_else(|error| {
            raised.keep(error);
            f64::NAN
        })
    })
}

/// A function of the time in s that returns a position, or a position and a quaternion
/// `[w, x, y, z]`.
pub fn path(function: Py<PyAny>, rotation: DQuat, raised: &Raised) -> Path {
    let raised = raised.clone();
    Arc::new(move |time| {
        let called = Python::attach(|py| pose(function.bind(py).call1((time,))?, rotation));
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
