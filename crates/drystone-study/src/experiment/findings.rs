//! What an experiment found, in the order of its report.

use crate::page::Table;
use drystone_draw::plot::Figure;

use super::claim::Claim;

/// All that an experiment leaves.
#[derive(Default)]
pub struct Findings {
    /// What the report shows.
    pub parts: Vec<Part>,
    /// Files that stand beside the report: names and texts.
    pub files: Vec<(String, String)>,
    /// What was claimed and whether it holds.
    pub claims: Vec<Claim>,
    /// What agrees with the paper and what does not, in a paragraph.
    pub verdict: String,
}

/// A piece of the report. Names are those of files, without extension.
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

    /// Whether every claim holds.
    pub fn hold(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }
}
