//! Files of Drystone: contact problems of other codes and its own.
//!
//! Today these are problem files only ([`problem_file`]): FCLIB's HDF5, Siconos' text, NumPy archives and Drystone's own
//! `.ccp`. Scenes, meshes, recordings and exports are to come.
//!
//! ```
//! use drystone_ccp::{Law, Limits, Method, Monitor, solve};
//! use drystone_scene::{Problem, read_problem};
//!
//! let file = read_problem("../../problems/pile.ccp")?; // one that ships with the repository
//! let mut gamma = vec![0.0; file.problem.dim()];
//! let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
//! let info = match &file.problem {
//!     Problem::Sparse(problem) => solve(problem, Method::Auto, &mut gamma, &mut monitor)?,
//!     Problem::TwoBody(problem) => solve(problem, Method::Auto, &mut gamma, &mut monitor)?,
//! };
//! assert!(info.converged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atomic;
pub mod builtin;
pub mod checkpoint;
pub mod export;
pub mod generate;
pub mod mesh_file;
pub mod packing;
pub mod problem_file;
pub mod recording;
pub mod run_folder;
pub mod scene;
pub mod simulation;

pub use builtin::{builtin_scenes, starter_scene};
pub use problem_file::{FileError, Problem, ProblemFile, read_problem, write_problem};
pub use scene::{Scene, SceneError, SceneOptions};
pub use simulation::{Simulation, SimulationState};
