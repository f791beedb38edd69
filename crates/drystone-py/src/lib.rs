//! The native half of the Python package `drystone`.
//!
//! The package itself is written in Python (`python/drystone`) on top of this module, `_core`:
//! what users see is there, with its types and its documentation. Here is what needs the engine.
//!
//! | module | holds |
//! |---|---|
//! | `simulation` | a scene in motion: steps, state as arrays, setters, runs, pictures |
//! | `problem` | cone problems and their solutions |
//! | `recording` | runs that were recorded, frame by frame |
//! | `shape` | shapes that a scene's text cannot hold |
//! | `sweep` | one scene with many values of its parameters |
//! | `view` | replays |
//! | `arrays` | numpy arrays in and out, checked |
//! | `calls` | Python functions that the engine calls |
//! | `error` | exceptions |
//! | `pool` | threads, the interpreter's lock, Ctrl-C |

mod arrays;
mod calls;
mod error;
mod pool;
mod problem;
mod recording;
mod shape;
mod simulation;
mod sweep;
mod view;

/// The native half of the package `drystone`; not to be used directly.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::error::{DrystoneError, MeshError, SceneError, StepError};
    #[pymodule_export]
    use super::pool::{set_threads, threads};
    #[pymodule_export]
    use super::problem::{Problem, methods, read_problem};
    #[pymodule_export]
    use super::recording::Recording;
    #[pymodule_export]
    use super::shape::Shape;
    #[pymodule_export]
    use super::simulation::{Simulation, builtin_scenes};
    #[pymodule_export]
    use super::sweep::{run_sweep, sweep_plan};
    #[pymodule_export]
    use super::view::replay;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
