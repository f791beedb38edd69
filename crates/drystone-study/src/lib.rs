//! Comparisons of methods on problems, the papers' experiments, and the reports on both.
//!
//! | module | holds |
//! |---|---|
//! | [`compare`](mod@compare) | several methods on several problems: tables, figures, a page |
//! | [`experiment`] | the papers' experiments, each with its claims |
//! | [`job`] | one method on one problem |
//! | [`page`] | a report as one HTML page |
//! | [`table`] | numbers for people and for files |
//! | [`output`] | results on the disk |

pub mod compare;
mod error;
pub mod experiment;
pub mod job;
pub mod output;
pub mod page;
mod setup;
pub mod table;

pub use error::StudyError;
