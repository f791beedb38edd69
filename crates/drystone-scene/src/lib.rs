//! The scene language and what it names: text becomes a [`Simulation`] that can be stepped.
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
//! | [`view`] | camera, colours and cuts of pictures |
//!
//! A built-in scene makes its first step:
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

pub mod builtin;
pub mod mesh_file;
pub mod packing;
pub mod robot;
pub mod scene;
pub mod simulation;
pub mod track;
pub mod view;

pub use builtin::{builtin_scenes, starter_scene};
pub use scene::{Scene, SceneError, SceneOptions};
pub use simulation::{Simulation, SimulationState};
