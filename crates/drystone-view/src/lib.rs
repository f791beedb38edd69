//! The viewer in the browser: replays of runs, runs that are going on, one file to mail.
//!
//! The page asks for *resources* by name; `docs/view-protocol.md` says what they hold. [`RunView`]
//! makes them from the folder of a run. The [`server`] answers over HTTP, and [`replay()`] puts
//! them all into one HTML file with the page itself.
//!
//! | module | holds |
//! |---|---|
//! | [`run_view`] | a run to look at: its recording, scene and state |
//! | [`resource`] | the resources by name |
//! | [`page`] | the files of the page |
//! | [`replay`](mod@replay) | a run as one HTML file |
//! | [`server`] | the server, with the feature of that name |
//! | [`browser`] | opens the browser |
//!
//! # Example
//!
//! ```
//! use drystone_run::recording::{BodyFrame, BodyRecord, Frame, Recorder, RunHeader};
//! use drystone_view::{Resource, RunView};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("frames.dry");
//! let mut header = RunHeader::new("one ball", 0.01);
//! let shape = header.add_shape(drystone::Shape::sphere(0.5)?);
//! header.add_body("ball", BodyRecord::dynamic(shape, 2.0));
//! let bodies = vec![BodyFrame::default()];
//! Recorder::create(&file, header)?.append(&Frame { bodies, ..Frame::default() })?;
//!
//! let view = RunView::open(&file)?;
//! let run = view.resource(Resource::Run)?.expect("every run has one");
//! let run: serde_json::Value = serde_json::from_slice(&run)?;
//! assert_eq!((&run["title"], &run["frames"]), (&"one ball".into(), &1.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binary;
pub mod browser;
mod describe;
mod error;
mod frames;
mod look;
mod mechanism;
mod packed;
pub mod page;
pub mod replay;
pub mod resource;
pub mod run_view;
#[cfg(feature = "server")]
pub mod server;
mod shapes;
mod table;

pub use error::ViewError;
pub use replay::{Replay, ReplaySettings, replay};
pub use resource::Resource;
pub use run_view::{RunState, RunView};
#[cfg(feature = "server")]
pub use server::{Server, ServerLoad, ServerSettings};
