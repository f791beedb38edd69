//! What an experiment found, in the order of its report.

use drystone_draw::plot::Figure;
use serde_json::{Value, json};

use crate::page::Table;

use super::claim::Claim;

/// What an experiment found.
#[derive(Default)]
pub struct Findings {
    /// What the report shows.
    pub parts: Vec<Part>,
    /// Files that stand beside the report: name and text of each.
    pub files: Vec<(String, String)>,
    /// The claims and whether they hold.
    pub claims: Vec<Claim>,
    /// Claims that could not be checked: none may silently be missing.
    pub unchecked: Vec<Unchecked>,
    /// What agrees with the paper and what does not, in one paragraph.
    pub verdict: String,
}

/// A claim that could not be checked.
pub struct Unchecked {
    /// What is claimed, in a sentence.
    pub statement: String,
    /// Why it was not checked.
    pub reason: String,
}

impl Unchecked {
    /// For `results.json`.
    pub fn json(&self) -> Value {
        json!({ "claim": self.statement, "reason": self.reason })
    }
}

/// A piece of the report. Its first text is the name of its file, without extension; headings and
/// paragraphs have none.
pub enum Part {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A table, also a CSV file.
    Table(String, Table),
    /// A figure with its caption, also SVG and PNG.
    Figure(String, Figure, String),
    /// A picture, PNG, with its caption.
    Picture(String, Vec<u8>, String),
}

impl Findings {
    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, name: impl Into<String>, table: Table) {
        self.parts.push(Part::Table(name.into(), table));
    }

    /// Adds a figure.
    pub fn figure(&mut self, name: impl Into<String>, figure: Figure, caption: impl Into<String>) {
        let part = Part::Figure(name.into(), figure, caption.into());
        self.parts.push(part);
    }

    /// Adds a picture.
    pub fn picture(&mut self, name: impl Into<String>, png: Vec<u8>, caption: impl Into<String>) {
        let part = Part::Picture(name.into(), png, caption.into());
        self.parts.push(part);
    }

    /// Adds a file that stands beside the report.
    pub fn file(&mut self, name: impl Into<String>, text: String) {
        self.files.push((name.into(), text));
    }

    /// Adds a claim.
    pub fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Names a claim that could not be checked, and why.
    pub fn not_checked(&mut self, statement: impl Into<String>, reason: impl Into<String>) {
        self.unchecked.push(Unchecked {
            statement: statement.into(),
            reason: reason.into(),
        });
    }

    /// Whether every claim that was checked holds.
    pub fn hold(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }
}
