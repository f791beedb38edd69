//! What a run leaves behind: its frames in one compact file, its tables of numbers.
//!
//! A [`Recorder`] appends [`Frame`]s to a file. A [`Recording`] reads them in any order, also while
//! the file grows, and after it was cut anywhere. A [`CsvLog`] is the same for tables: [`StepLog`]
//! has one row per step, [`ForceLog`] the forces between named pairs, [`JointLog`] the joints. All
//! of them can go on where a checkpoint was made. They then hold the very bytes that a run without
//! interruption would have written.
//!
//! The format is described in `docs/recordings.md`.
//!
//! ```
//! use drystone::Shape;
//! use drystone_run::recording::{BodyFrame, BodyRecord, Frame, Recorder, Recording, RunHeader};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("frames.dry");
//! let mut header = RunHeader::new("one ball", 0.01);
//! let shape = header.add_shape(Shape::sphere(0.5)?);
//! header.add_body("ball", BodyRecord::dynamic(shape, 2.0));
//! let mut recorder = Recorder::create(&path, header)?;
//! let mut ball = BodyFrame::default();
//! for step in 0..3 {
//!     ball.position.z = -0.1 * step as f64;
//!     let time = 0.01 * step as f64;
//!     recorder.append(&Frame { step, time, bodies: vec![ball], contacts: None })?;
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
mod stored;
mod writer;

pub(crate) use csv_log::push_cell;
pub use csv_log::{Cell, CsvLog, TableCut, TableMark};
pub use error::{RecordingError, RecordingFault};
pub use frame::{BodyFrame, ContactRecord, Frame};
pub use header::{
    Appearance, BodyRecord, GroupRecord, MaterialRecord, Opacity, Precision, RunHeader,
};
pub use logs::{ForceLog, JointLog, JointRecord, StepLog};
pub use reader::{Recording, Tail};
pub(crate) use stored::StoredShape;
pub use writer::{Recorder, Resumed};
