//! Pictures and plots of runs, drawn without a graphics card.
//!
//! [`draw()`] makes a picture of one frame of a run: a PNG file, ray traced on all threads, with
//! the same bytes on any number of them. [`plot`] makes figures with axes and curves, as SVG and
//! PNG. [`render`] is the ray tracer itself, for shapes that come from elsewhere.
//!
//! # Example
//!
//! Ten steps of a built-in scene; then a picture of where the plates are, coloured by their speed,
//! and a plot of how their energy changed.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, Panel, to_png};
//! use drystone_draw::render::Quality;
//! use drystone_draw::{PictureSettings, draw};
//! use drystone_run::recording::{Frame, RunHeader};
//! use drystone_scene::view::ColorBy;
//! use drystone_scene::{Scene, SceneOptions, Simulation};
//!
//! let scene = Scene::builtin("stack", &SceneOptions::default())?;
//! let mut simulation = Simulation::new(&scene)?;
//! let mut energy = Vec::new();
//! for _ in 0..10 {
//!     let report = simulation.step()?;
//!     energy.push([report.time, report.kinetic_energy]);
//! }
//!
//! let header = RunHeader::of_simulation(scene.title(), &simulation);
//! let frame = Frame::of_world(simulation.world(), false);
//! let settings = PictureSettings {
//!     size: [160, 100],
//!     color_by: Some(ColorBy::Speed),
//!     quality: Quality::Draft,
//!     ..PictureSettings::from(scene.view())
//! };
//! let picture = draw(&header, &frame, &settings, &AtomicBool::new(false))?;
//!
//! let mut panel = Panel::new("time (s)", "kinetic energy (J)", [AxisScale::Linear; 2]);
//! panel.curves.push(Curve { look: CurveLook::lone(), points: energy });
//! let plot = to_png(&Figure::of_panel(panel).drawing())?;
//!
//! for file in [picture, plot] {
//!     assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`picture`] | a frame of a recording as a PNG file: what is drawn, framed and coloured |
//! | [`film`](mod@film) | many frames as a film, or as numbered pictures |
//! | [`render`] | the ray tracer below it: shapes, a camera, light, a legend |
//! | [`plot`] | figures with axes and curves, as SVG and PNG |
//! | [`run_figure`](mod@run_figure) | the curves of a run over time |
//! | [`files`] | figures written to the disk |

pub mod files;
pub mod film;
pub mod picture;
pub mod plot;
pub mod render;
pub mod run_figure;

pub use files::{FigureError, write_figure};
pub use picture::{PictureError, PictureSettings, draw};
pub use run_figure::run_figure;
