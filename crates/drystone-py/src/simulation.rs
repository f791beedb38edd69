//! A scene in motion.
//!
//! | module | holds |
//! |---|---|
//! | [`load`] | from text, file or name to a simulation; copies |
//! | [`engine`] | the engine behind it, with or without a folder that it records to |
//! | [`stepping`] | steps, runs, and steps that Python solves |
//! | [`reading`] | names, masses, contacts, joints |
//! | [`live`] | positions and velocities as arrays that follow the simulation |
//! | [`control`] | loads, velocities, poses, motions, settings, materials |
//! | [`motors`] | motors of joints |
//! | [`acts`] | what was set from Python, so that it can be saved |
//! | [`drawing`] | pictures |

mod acts;
mod control;
pub mod drawing;
mod engine;
mod live;
mod load;
mod motors;
mod reading;
mod stepping;

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::calls::Function;

use engine::Inner;
pub use load::builtin_scenes;

/// A scene in motion.
#[pyclass(frozen, module = "drystone._core")]
pub struct Simulation {
    inner: Mutex<Inner>,
}

#[pymethods]
impl Simulation {
    /// Shows Python's collector the functions that drive motors and motions: they may know the
    /// simulation, and would keep it for ever.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.inner.try_lock() {
            Ok(inner) => inner.functions.iter().try_for_each(|f| f.visit(&visit)),
            // At work, so not garbage.
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        if let Ok(inner) = self.inner.try_lock() {
            inner.functions.iter().for_each(Function::clear);
        }
    }
}

impl Simulation {
    fn of(inner: Inner) -> Self {
        Self {
            inner: Mutex::new(inner),
        }
    }

    /// What is inside, unless it is at work. Waiting could last as long as a run, so it is refused.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            // What a panic left is as it was before the step: steps change the world at their end.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the simulation is at work: another thread steps it, or it was called from a \
                 motion or motor of its own; wait for the step to end, or use a copy",
            )),
        }
    }
}
