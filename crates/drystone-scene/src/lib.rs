//! Files of Drystone: scenes and what they name, what a run leaves behind, and contact problems of other codes.
//!
//! | module | holds |
//! |---|---|
//! | [`scene`] | the scene file: reading, checking, its schema |
//! | [`builtin`] | the scenes that ship |
//! | [`simulation`] | a scene that runs: a world and its phases |
//! | [`track`] | crawler tracks around sprockets and rollers |
//! | [`packing`] | where grains start |
//! | [`mesh_file`] | meshes, points and heights from files |
//! | [`robot`] | robots from URDF files |
//! | [`recording`] | frames and tables that grow with a run |
//! | [`checkpoint`] | all that a run needs to go on |
//! | [`run_folder`] | the folder of a run and its lock |
//! | [`export`] | recordings for other programs |
//! | [`problem_file`] | cone problems: FCLIB's HDF5, Siconos' text, NumPy archives, `.ccp` |
//! | [`atomic`] | files written whole or not at all |
//!
//! A scene runs:
//!
//! ```
//! use drystone_scene::{Scene, SceneOptions, Simulation};
//!
//! let scene = Scene::builtin("stack", &SceneOptions::default())?;
//! let mut simulation = Simulation::new(&scene)?;
//! let report = simulation.step()?;
//! assert!(report.converged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A problem is solved:
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
pub mod mesh_file;
pub mod packing;
pub mod problem_file;
pub mod recording;
pub mod robot;
pub mod run_folder;
pub mod scene;
pub mod settled;
pub mod simulation;
pub mod track;

pub use builtin::{builtin_scenes, starter_scene};
pub use problem_file::{FileError, Problem, ProblemFile, read_problem, write_problem};
pub use scene::{Scene, SceneError, SceneOptions};
pub use settled::{Settled, SettledStates};
pub use simulation::{Simulation, SimulationState};
