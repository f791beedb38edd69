//! What a run of a scene leaves behind, and how it is driven.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | a run that leaves a folder, from its start or from its last checkpoint |
//! | [`drive`](mod@drive) | the one loop that steps a simulation |
//! | [`control`] | cancellation and progress, handed in by the caller |
//! | [`recording`] | frames and tables that grow with a run |
//! | [`checkpoint`] | all that a run needs to go on |
//! | [`problems`] | cone problems of steps, kept as files |
//! | [`run_folder`] | the folder of a run and its lock |
//! | [`source`] | the scene of a folder |
//! | [`start`] | the state of a run that another scene starts from |
//! | [`step_table`] | the table of steps, read back |
//! | [`summary`] | what a run came to |
//! | [`settled`] | scenes at the end of a phase, kept |
//! | [`sweep`] | one scene with many values of its parameters |
//! | [`export`] | recordings for other programs |
//! | [`inspect`] | bodies that overlap at the start, and how thick bodies are |
//! | [`overlap`] | the deepest overlap of a run |
//! | [`jam`] | prescribed bodies that nothing can give way to |
//! | [`memory`] | how much memory a run takes |
//! | [`atomic`] | files written whole or not at all |
//! | [`regular`] | files that must not be pipes, devices or links |
//!
//! # Example
//!
//! A built-in scene runs for ten steps, solved not by the engine but by a projected gradient method
//! of our own. The loop, the phases of the scene and the recording are the usual ones.
//!
//! ```
//! use drystone::{OpenStep, SolveSummary};
//! use drystone_run::recording::{Frame, Recorder, Recording, RunHeader};
//! use drystone_run::{Control, StopAt, drive_by};
//! use drystone_scene::{Scene, SceneOptions, Simulation};
//!
//! // gamma ← Π(gamma − t (N gamma + r)), with t from the mean diagonal of N.
//! fn own_solver(step: &mut OpenStep<'_>) -> (Vec<f64>, SolveSummary) {
//!     let problem = step.problem();
//!     let mut gamma = step.warm_start().to_vec();
//!     let mut velocity = vec![0.0; problem.dim()];
//!     let t = 0.2 / problem.mean_diagonal(&drystone_ccp::reduce::Local);
//!     for _ in 0..300 {
//!         problem.velocity(&gamma, &mut velocity);
//!         gamma.iter_mut().zip(&velocity).for_each(|(g, u)| *g -= t * u);
//!         problem.cones().project(&mut gamma);
//!     }
//!     let summary = step.judge("own", 300, &gamma);
//!     (gamma, summary)
//! }
//!
//! let scene = Scene::builtin("stack", &SceneOptions::default())?;
//! let mut simulation = Simulation::new(&scene)?;
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("frames.dry");
//! let header = RunHeader::of_simulation(scene.title(), &simulation);
//! let mut recorder = Recorder::create(&file, header)?;
//! let stop = StopAt { steps: Some(10), ..StopAt::default() };
//! let step = |simulation: &mut Simulation| simulation.step_by(|open| Ok(own_solver(open)));
//! let ended = drive_by(&mut simulation, &stop, Control::none(), step, |simulation, made| {
//!     assert_eq!(made.report.method, "own");
//!     recorder.append(&Frame::of_world(simulation.world(), false))
//! })?;
//! assert!(ended.as_asked());
//! assert_eq!(Recording::open(&file)?.len(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atomic;
pub mod checkpoint;
pub mod control;
pub mod drive;
mod error;
pub mod export;
mod files;
pub mod inspect;
pub mod jam;
pub mod memory;
pub mod overlap;
pub mod problems;
mod process;
pub mod recording;
pub mod run;
pub mod run_folder;
pub mod settled;
pub mod source;
pub mod start;
pub mod step_table;
pub mod summary;
pub mod sweep;

pub use control::{Control, Event};
pub use drive::{Ended, Made, StopAt, drive, drive_by};
pub use drystone_scene::regular;
pub use error::RunError;
pub use files::{phase_ends, saved_state};
pub use run::Run;
pub use settled::{Settled, SettledStates};
pub use summary::Summary;
