//! What a run leaves behind: its frames in one compact file, its tables of numbers.
//!
//! [`Recorder`] appends [`Frame`]s to a file that [`Recording`] can read while it grows, after it was cut anywhere, and frame by
//! frame in any order. [`CsvLog`] is the same for tables: [`StepLog`] a row a step, [`ForceLog`] forces between named pairs. All of
//! them can go on where a checkpoint was made, and then hold the very bytes that a run without interruption would have written.
//!
//! The format is described in `docs/recordings.md`.
//!
//! ```
//! use drystone_run::recording::{BodyFrame, BodyRecord, ConvexRecord, Frame, Recorder, Recording, RunHeader, ShapeRecord};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("frames.dry");
//! let mut header = RunHeader::new("one ball", 0.01);
//! let shape = header.add_shape(ShapeRecord::Convex(ConvexRecord::Sphere { radius: 0.5 }));
//! header.add_body("ball", BodyRecord::dynamic(shape, 2.0));
//! let mut recorder = Recorder::create(&path, header)?;
//! let mut ball = BodyFrame::default();
//! for step in 0..3 {
//!     ball.position.z = -0.1 * step as f64;
//!     recorder.append(&Frame { step, time: 0.01 * step as f64, bodies: vec![ball], contacts: None })?;
//! }
//!
//! let recording = Recording::open(&path)?;
//! assert_eq!(recording.header().body_name(0), "ball");
//! assert!((recording.frame(2)?.bodies[0].position.z + 0.2).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunk;
mod columns;
mod csv_log;
mod error;
mod frame;
mod header;
mod logs;
mod reader;
mod shape;
mod writer;

pub(crate) use csv_log::push_value;
pub use csv_log::{CsvLog, Cut, Value};
pub use error::{RecordingError, RecordingFault};
pub use frame::{BodyFrame, ContactRecord, Frame};
pub use header::{Appearance, BodyRecord, GroupRecord, Look, MaterialRecord, Precision, RunHeader};
pub use logs::{ForceLog, JointLog, StepLog};
pub use reader::{Recording, Tail};
pub use shape::{ConvexRecord, HeightRecord, PartRecord, ShapeRecord, Surface};
pub use writer::{Recorder, Resumed};
