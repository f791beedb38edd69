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
//! | [`input`] | why a file is not read: pipes, devices, sizes |
//!
//! A scene of one's own, with one of its parameters changed, runs to its end:
//!
//! ```
//! use drystone_scene::{Scene, SceneOptions, Simulation};
//!
//! let text = r#"
//! [parameters]
//! radius = "5 cm"
//!
//! [settings]
//! duration = 0.1
//!
//! [[body]]
//! name = "ground"
//! shape = { type = "plane" }
//!
//! [[body]]
//! name = "ball"
//! shape = { type = "sphere", radius = "radius" }
//! position = [0, 0, "2*radius"]
//! "#;
//! let options = SceneOptions {
//!     set: vec![("radius".into(), "8 cm".into())],
//!     ..SceneOptions::default()
//! };
//! let scene = Scene::parse(text, "ball.toml", None, &options)?;
//! let mut simulation = Simulation::new(&scene)?;
//! while !simulation.is_finished() {
//!     let report = simulation.step()?;
//!     assert!(report.converged());
//! }
//! // The ball fell for a tenth of a second: by 5 cm, from a height of 16 cm.
//! let ball = simulation.world().group("ball")[0];
//! let height = simulation.world().pose(ball).position.z;
//! assert!((height - 0.11).abs() < 0.005);
//!
//! // What is wrong with a scene is said with line, key and suggestion.
//! let wrong = text.replace("position", "positon");
//! let error = Scene::parse(&wrong, "ball.toml", None, &options).err().expect("a fault");
//! assert_eq!(
//!     error.to_string(),
//!     "ball.toml:15:1: body.ball.positon: unknown key `positon` in a body; \
//!      did you mean `position`?"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `Scene::builtin("stack", ...)` takes a scene that ships, and [`Scene::load`] reads a file.

pub mod builtin;
pub mod input;
pub mod mesh_file;
mod named;
pub mod packing;
mod quote;
pub mod regular;
pub mod robot;
pub mod scene;
pub mod shape_sizes;
pub mod simulation;
pub mod track;
pub mod view;
mod xml_tags;

pub use builtin::{builtin_scenes, starter_scene};
pub use quote::harmless;
pub use scene::{Scene, SceneError, SceneOptions};
pub use simulation::{Simulation, SimulationState, StartReport, StartState};
