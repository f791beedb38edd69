//! Files of Drystone: contact problems of other codes and its own.

pub mod atomic;
pub mod problem_file;

pub use problem_file::{FileError, Problem, ProblemFile, read_problem, write_problem};
