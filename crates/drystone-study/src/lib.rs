//! Studies of contact solvers: methods compared on problem files, and the experiments of the
//! published papers made again. Each study leaves a folder with tables, figures and one HTML page
//! that needs nothing else.
//!
//! A comparison of two methods on one problem, written into a folder and then looked at:
//!
//! ```
//! use drystone_ccp::{Law, Limits, Method};
//! use drystone_run::Control;
//! use drystone_study::compare::{ComparisonSettings, compare};
//!
//! let files = ["../../problems/pile.ccp".into()];
//! let folder = tempfile::tempdir()?;
//! let settings = ComparisonSettings {
//!     methods: vec![Method::Apgd, Method::GaussSeidel],
//!     law: Law::Relaxed,
//!     limits: Limits { tolerance: 1e-6, ..Limits::default() },
//! };
//! let comparison = compare(&files, &settings, folder.path(), Control::none())?;
//!
//! for summary in comparison.method_summaries() {
//!     assert_eq!(summary.solved, 1, "{} solves the pile", summary.method.name());
//! }
//! // One problem, one run per method, each with how it ended and how good its answer is.
//! let [apgd, gauss_seidel] = &comparison.problems[0].runs[..] else { unreachable!() };
//! let objective = |info: &drystone_ccp::SolveInfo| info.certificate.objective;
//! let [a, b] = [apgd, gauss_seidel].map(|run| run.converged().map(objective));
//! assert!((a.unwrap() - b.unwrap()).abs() < 1e-6 * a.unwrap().abs());
//! assert!(folder.path().join("report.html").is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`mod@bench`] | how fast iterations, solves and steps are |
//! | [`compare`](mod@compare) | several methods on several problems |
//! | [`experiment`] | the papers' experiments, each with its claims and what came out for them |
//! | [`job`] | one method on one problem |
//! | [`table`] | results as CSV, as JSON and for people |
//! | [`output`] | checks of files that results will be written to |
//!
//! Long work is watched and stopped by the caller's [`Control`](drystone_run::Control). Work runs
//! on the threads of the rayon pool that the caller is in.
//!
//! The feature `clarabel` builds in an outside conic solver, which three experiments run beside
//! our methods. Without it their reports name what could not be checked.

pub mod bench;
pub mod compare;
mod error;
pub mod experiment;
mod history_curves;
pub mod job;
pub mod output;
mod page;
mod setup;
pub mod table;

pub use error::StudyError;
