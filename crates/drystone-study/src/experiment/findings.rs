//! What an experiment found, in the order of its report.

use drystone_draw::plot::Figure;
use serde_json::{Value, json};

use crate::page::{Column, Table};

use super::claim::Judged;
use super::verdict::{Counts, verdict};

/// What an experiment found.
#[derive(Default)]
pub struct Findings {
    /// How it was set up, beside the paper's set-up.
    pub setup: Vec<SetupRow>,
    /// What the report shows.
    pub parts: Vec<Part>,
    /// Files that stand beside the report: name and text of each.
    pub files: Vec<(String, String)>,
    /// The claims and what came out for each.
    pub claims: Vec<Judged>,
    /// Sentences about the figures of this run that no claim says.
    pub remarks: Vec<String>,
}

/// One line of how an experiment was set up.
pub struct SetupRow {
    /// What is told.
    pub what: String,
    /// The paper's; "not given" where it is silent.
    pub paper: String,
    /// Ours.
    pub ours: String,
}

/// Where the paper is silent.
pub const NOT_GIVEN: &str = "not given";

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
    /// Adds a line of how the experiment was set up: what, the paper's, ours.
    pub fn setup(
        &mut self,
        what: impl Into<String>,
        paper: impl Into<String>,
        ours: impl Into<String>,
    ) {
        self.setup.push(SetupRow {
            what: what.into(),
            paper: paper.into(),
            ours: ours.into(),
        });
    }

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

    /// Adds a sentence about the figures of this run.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }

    /// What agrees with the paper and what does not, from the outcomes and figures of this run.
    pub fn verdict(&self) -> String {
        let mut words = verdict(&self.claims);
        for remark in &self.remarks {
            words += &format!(" {remark}");
        }
        words
    }

    /// How many of the published claims came out how.
    pub fn published(&self) -> Counts {
        Counts::published(&self.claims)
    }

    /// How it was set up, as a table.
    pub fn setup_table(&self) -> Table {
        let headings = ["set-up", "the paper", "here"];
        let mut table = Table::new(headings.map(Column::word).to_vec());
        for SetupRow { what, paper, ours } in &self.setup {
            let cells = [what, paper, ours].map(|text| text.as_str().into());
            table.rows.push(cells.into());
        }
        table
    }

    /// How it was set up, for `results.json`.
    pub fn setup_json(&self) -> Vec<Value> {
        let rows = self.setup.iter();
        rows.map(|row| json!({"what": row.what, "paper": row.paper, "here": row.ours}))
            .collect()
    }
}
