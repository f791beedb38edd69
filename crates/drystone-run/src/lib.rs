//! What a run of a scene leaves behind, and how it is driven.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | a run that leaves a folder, from its start or from its last checkpoint |
//! | [`drive`](mod@drive) | the one loop that steps a simulation |
//! | [`control`] | cancellation and progress, handed in by the caller |
//! | [`recording`] | frames and tables that grow with a run |
//! | [`checkpoint`] | all that a run needs to go on |
//! | [`run_folder`] | the folder of a run and its lock |
//! | [`source`] | the scene of a folder |
//! | [`step_table`] | the table of steps, read back |
//! | [`summary`] | what a run came to |
//! | [`settled`] | scenes at the end of a phase, kept |
//! | [`export`] | recordings for other programs |
//! | [`inspect`] | bodies that overlap at the start, and how thick bodies are |
//! | [`memory`] | how much memory a run takes |
//! | [`atomic`] | files written whole or not at all |

pub mod atomic;
pub mod checkpoint;
pub mod control;
pub mod drive;
mod error;
pub mod export;
mod files;
pub mod inspect;
pub mod memory;
pub mod recording;
pub mod run;
pub mod run_folder;
pub mod settled;
pub mod source;
pub mod step_table;
pub mod summary;

pub use control::{Control, Event};
pub use drive::{Ended, Made, StopAt, drive};
pub use error::RunError;
pub use run::Run;
pub use settled::{Settled, SettledStates};
pub use summary::Summary;
