//! What a paper says, what we find, and whether it holds.

use serde_json::{Value, json};

use crate::table::Cell;

/// One claim of an experiment.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed, in a sentence.
    pub statement: String,
    /// The paper's figure, where it gives one.
    pub published: Cell,
    /// Our figure.
    pub ours: Cell,
    /// Whether it holds here.
    pub holds: bool,
    /// Whether it rests on times, which depend on the machine and its load.
    pub timed: bool,
}

impl Claim {
    /// A claim that holds or not.
    pub fn new(statement: impl Into<String>, holds: bool) -> Self {
        Self {
            statement: statement.into(),
            published: Cell::Empty,
            ours: Cell::Empty,
            holds,
            timed: false,
        }
    }

    /// The same with the paper's figure.
    pub fn published(mut self, figure: impl Into<Cell>) -> Self {
        self.published = figure.into();
        self
    }

    /// The same with our figure.
    pub fn ours(mut self, figure: impl Into<Cell>) -> Self {
        self.ours = figure.into();
        self
    }

    /// The same, but resting on times.
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }

    /// For `results.json`.
    pub fn json(&self) -> Value {
        json!({
            "claim": self.statement,
            "published": self.published.json(),
            "ours": self.ours.json(),
            "holds": self.holds,
            "timed": self.timed,
        })
    }
}
