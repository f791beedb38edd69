//! What can be wrong with a robot's file.

use std::path::{Path, PathBuf};

use crate::quote;

/// Longest message, in characters: some rows of a terminal.
const LONGEST: usize = 1000;

/// A robot that cannot be read or built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}{}: {}",
    quote::path(file),
    line.map(|line| format!(":{line}")).unwrap_or_default(),
    quote::harmless(&quote::cut(what, LONGEST))
)]
pub struct RobotError {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1, where it is about one.
    pub line: Option<usize>,
    /// The link or joint, the value and what was expected.
    pub what: String,
}

impl RobotError {
    /// About the file as a whole.
    pub(super) fn whole(file: &Path, what: impl ToString) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            what: what.to_string(),
        }
    }
}

/// What is wrong, before its line is counted.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// Byte of the text.
    pub at: usize,
    pub what: String,
}

impl Fault {
    pub fn new(at: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { at, what }
    }

    pub fn of(self, file: &Path, text: &str) -> RobotError {
        let before = text.as_bytes().iter().take(self.at);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        RobotError {
            file: file.to_owned(),
            line: Some(line),
            what: self.what,
        }
    }
}
