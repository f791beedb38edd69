//! What a bench found, as text, as JSON and as a page.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::StudyError;
use crate::output::{check_writable, make_folder, write_bytes};
use crate::page::{Column, Page, Table};
use crate::setup::{date, machine};
use crate::table::{Cell, Row, csv_heading, csv_line, json_object};
use drystone_draw::files::write_figure;
use drystone_draw::plot::Figure;

const PAGE: &str = "report.html";
const RESULTS: &str = "results.json";

/// What a bench found.
#[derive(Clone, Debug)]
pub struct BenchReport {
    bench: &'static str,
    title: &'static str,
    settings: Row,
    date: String,
    machine: String,
    /// Sentences made from the figures of this run.
    findings: Vec<String>,
    tables: Vec<BenchTable>,
    figures: Vec<BenchFigure>,
    cancelled: bool,
}

/// Rows of one kind, with the same cells each.
#[derive(Clone, Debug)]
struct BenchTable {
    /// Its name in files and in the JSON object.
    name: &'static str,
    heading: &'static str,
    /// What the columns mean.
    note: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct BenchFigure {
    name: &'static str,
    figure: Figure,
    caption: String,
}

impl BenchReport {
    /// A report without results.
    pub fn new(bench: &'static str, title: &'static str, settings: Row) -> Self {
        Self {
            bench,
            title,
            settings,
            date: date(),
            machine: machine(),
            findings: Vec::new(),
            tables: Vec::new(),
            figures: Vec::new(),
            cancelled: false,
        }
    }

    /// Checks, before any work is done, that it can be written into a folder later.
    pub fn check_folder(folder: &Path) -> Result<(), StudyError> {
        make_folder(folder)?;
        check_writable(&folder.join(PAGE))?;
        check_writable(&folder.join(RESULTS))
    }

    /// Adds a table; none without rows.
    pub fn table(
        &mut self,
        name: &'static str,
        heading: &'static str,
        note: impl Into<String>,
        rows: Vec<Row>,
    ) {
        if !rows.is_empty() {
            self.tables.push(BenchTable {
                name,
                heading,
                note: note.into(),
                rows,
            });
        }
    }

    /// Adds a figure; none without a curve that can be drawn.
    pub fn figure(&mut self, name: &'static str, figure: Figure, caption: impl Into<String>) {
        let drawn = |panel: &drystone_draw::plot::Panel| panel.has_data();
        if figure.panels.iter().any(drawn) {
            self.figures.push(BenchFigure {
                name,
                figure,
                caption: caption.into(),
            });
        }
    }

    /// Adds a sentence made from the figures.
    pub fn finding(&mut self, sentence: String) {
        self.findings.push(sentence);
    }

    /// The report of measurements that ended so. Where the caller cancelled, rows are missing, and it
    /// says so.
    pub fn ended_by(mut self, ended: Result<(), StudyError>) -> Result<Self, StudyError> {
        match ended {
            Ok(()) => {}
            Err(StudyError::Cancelled) => self.cancelled = true,
            Err(error) => return Err(error),
        }
        Ok(self)
    }

    /// Whether the caller cancelled, so that rows are missing.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Everything as one JSON object: settings, findings, and each table as a list of objects.
    pub fn json(&self) -> Value {
        let table = |table: &BenchTable| {
            let rows: Vec<Value> = table.rows.iter().map(json_object).collect();
            (table.name.to_owned(), Value::from(rows))
        };
        json!({
            "bench": self.bench,
            "program": env!("CARGO_PKG_VERSION"),
            "date": self.date,
            "machine": self.machine,
            "settings": json_object(&self.settings),
            "cancelled": self.cancelled,
            "findings": self.findings,
            "tables": self.tables.iter().map(table).collect::<Map<String, Value>>(),
        })
    }

    /// The tables and findings as plain text.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}, {}\n", self.title, self.machine, self.date);
        for table in &self.tables {
            text += &format!("\n{}\n{}", table.heading, plain(&table.rows));
        }
        if !self.findings.is_empty() {
            text += "\n";
        }
        for finding in &self.findings {
            text += &format!("{finding}\n");
        }
        if self.cancelled {
            text += "cancelled: only what had ended is here\n";
        }
        text
    }

    /// Writes the page, the JSON object, the tables as CSV and the figures into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), StudyError> {
        make_folder(folder)?;
        for table in &self.tables {
            let mut csv = table.rows.first().map(csv_heading).unwrap_or_default();
            csv.extend(table.rows.iter().map(csv_line));
            let file = folder.join(format!("{}.csv", table.name));
            write_bytes(&file, csv.as_bytes())?;
        }
        for figure in &self.figures {
            write_figure(&folder.join(figure.name), &figure.figure)?;
        }
        let json = format!("{:#}\n", self.json());
        write_bytes(&folder.join(RESULTS), json.as_bytes())?;
        write_bytes(&folder.join(PAGE), self.page().as_bytes())
    }

    fn page(&self) -> String {
        let mut page = Page::new(self.title);
        page.lead("Times of one run on one machine: compare ratios, and read times beside the residual that was reached.");
        if self.cancelled {
            page.banner("Cancelled: only what had ended is here.");
        }
        let mut facts = vec![
            ("date", self.date.clone()),
            ("program", format!("drystone {}", env!("CARGO_PKG_VERSION"))),
            ("machine", self.machine.clone()),
        ];
        facts.extend(self.settings.iter().map(|(k, cell)| (*k, cell.short())));
        page.facts(&facts);
        for finding in &self.findings {
            page.paragraph(finding);
        }
        for BenchFigure {
            figure, caption, ..
        } in &self.figures
        {
            page.heading(&figure.title).figure(figure, caption);
        }
        for table in &self.tables {
            page.heading(table.heading).table(&html_table(table));
        }
        page.finish()
    }
}

fn html_table(table: &BenchTable) -> Table {
    let columns = table.rows.first().into_iter().flatten();
    let column = |(name, cell): &(&'static str, Cell)| match cell {
        Cell::Text(_) => Column::word(&spoken(name)),
        Cell::Count(_) | Cell::Number(_) | Cell::Empty => Column::number(&spoken(name)),
    };
    let row = |row: &Row| row.iter().map(|(_, cell)| cell.clone().into()).collect();
    Table {
        rows: table.rows.iter().map(row).collect(),
        note: table.note.clone(),
        ..Table::new(columns.map(column).collect())
    }
}

/// A column's name for people.
fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// Rows as lines of text, words to the left and numbers to the right.
fn plain(rows: &[Row]) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let mut lines: Vec<Vec<String>> = vec![first.iter().map(|(name, _)| spoken(name)).collect()];
    let short = |row: &Row| row.iter().map(|(_, cell)| cell.short()).collect();
    lines.extend(rows.iter().map(short));
    let letters = |text: &str| text.chars().count();
    let width = |k: usize| lines.iter().map(|line| letters(&line[k])).max();
    let widths: Vec<usize> = (0..first.len()).filter_map(width).collect();
    let mut text = String::new();
    for line in &lines {
        for (k, word) in line.iter().enumerate() {
            let room = " ".repeat(widths[k] - letters(word));
            let is_word = matches!(first[k].1, Cell::Text(_));
            text += &match is_word {
                true => format!("{word}{room}  "),
                false => format!("{room}{word}  "),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> BenchReport {
        let mut report = BenchReport::new("b", "A bench", vec![("threads", "1, 2".into())]);
        let row =
            |name: &str, time: f64| -> Row { vec![("case", name.into()), ("ms", time.into())] };
        report.table(
            "t",
            "Times",
            "note",
            vec![row("a", 1.5), row("long", f64::NAN)],
        );
        report.table("empty", "Nothing", "", Vec::new());
        report.finding("It is so.".to_owned());
        report
    }

    #[test]
    fn columns_are_aligned() {
        let text = report().text();
        assert!(
            text.contains("case     ms\na     1.500\nlong      –\n"),
            "{text}"
        );
        assert!(!text.contains("Nothing"));
    }

    #[test]
    fn the_json_object_holds_every_row() {
        let json = report().json();
        assert_eq!(json["tables"]["t"][0]["ms"], 1.5);
        assert!(json["tables"]["t"][1]["ms"].is_null());
        assert_eq!(json["settings"]["threads"], "1, 2");
    }

    #[test]
    fn the_folder_holds_page_tables_and_results() {
        let folder = tempfile::tempdir().unwrap();
        report().write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("t.csv"), "case,ms\na,1.5e0\nlong,\n");
        assert!(read("report.html").contains("It is so."));
        assert!(read("results.json").contains("\"bench\": \"b\""));
    }
}
