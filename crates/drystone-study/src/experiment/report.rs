//! The report of a call of experiments: the folder that they write to and the page that they share.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::catalogue::Experiment;
use super::findings::{Findings, Part, Unchecked};
use crate::error::StudyError;
use crate::output::{check_writable, make_folder, write_bytes};
use crate::page::table::Tone;
use crate::page::{Column, Entry, Page, Table};
use crate::setup::{date, machine};
use crate::table::{Cell, quoted, short_number};
use drystone_draw::files::write_figure;

/// An experiment that has ended.
pub struct EndedExperiment {
    /// Which one.
    pub experiment: &'static Experiment,
    /// What it found.
    pub findings: Findings,
    /// Wall time, s.
    pub seconds: f64,
    /// The settled states that it used, as `results.json` has them.
    pub states: Vec<Value>,
}

impl EndedExperiment {
    /// How it went, in one line.
    pub fn line(&self) -> String {
        let claims = &self.findings.claims;
        let held = claims.iter().filter(|claim| claim.holds).count();
        let unchecked = match self.findings.unchecked.len() {
            0 => String::new(),
            n => format!(", {n} not checked"),
        };
        format!(
            "{}: {held} of {} claims hold{unchecked}, {} s",
            self.experiment.id,
            claims.len(),
            short_number(self.seconds)
        )
    }

    fn json(&self) -> Value {
        let claims: Vec<Value> = self.findings.claims.iter().map(|c| c.json()).collect();
        let unchecked = self.findings.unchecked.iter().map(Unchecked::json);
        json!({
            "experiment": self.experiment.id,
            "title": self.experiment.title,
            "source": self.experiment.source,
            "holds": self.findings.hold(),
            "claims": claims,
            "not_checked": unchecked.collect::<Vec<Value>>(),
            "verdict": self.findings.verdict,
            "seconds": self.seconds,
            "settled": self.states,
        })
    }
}

/// What experiments found, and the folder that holds it.
pub struct ExperimentReport {
    root: PathBuf,
    scale: f64,
    threads: usize,
    date: String,
    ended: Vec<EndedExperiment>,
    cancelled: bool,
}

const REPORT: &str = "report.html";
const RESULTS: &str = "results.json";

impl ExperimentReport {
    /// Makes the folder where needed.
    pub(super) fn open(root: &Path, scale: f64) -> Result<Self, StudyError> {
        make_folder(root)?;
        check_writable(&root.join(REPORT))?;
        check_writable(&root.join(RESULTS))?;
        Ok(Self {
            root: root.to_owned(),
            scale,
            threads: rayon::current_num_threads(),
            date: date(),
            ended: Vec::new(),
            cancelled: false,
        })
    }

    /// Writes down what an experiment found. After each the page and the claims so far are whole.
    pub(super) fn add(&mut self, ended: EndedExperiment) -> Result<(), StudyError> {
        let own = self.root.join(ended.experiment.id);
        make_folder(&own)?;
        for part in &ended.findings.parts {
            match part {
                Part::Heading(_) | Part::Text(_) => {}
                Part::Table(name, table) => {
                    write_bytes(&own.join(format!("{name}.csv")), csv(table).as_bytes())?;
                }
                Part::Figure(name, figure, _) => write_figure(&own.join(name), figure)?,
                Part::Picture(name, png, _) => {
                    write_bytes(&own.join(format!("{name}.png")), png)?;
                }
            }
        }
        for (name, text) in &ended.findings.files {
            write_bytes(&own.join(name), text.as_bytes())?;
        }
        self.ended.push(ended);
        self.write()
    }

    /// Writes the page and the claims for the last time.
    pub(super) fn finish(&mut self, cancelled: bool) -> Result<(), StudyError> {
        self.cancelled = cancelled;
        self.write()
    }

    fn write(&self) -> Result<(), StudyError> {
        let json = format!("{:#}\n", self.json());
        write_bytes(&self.root.join(RESULTS), json.as_bytes())?;
        write_bytes(&self.root.join(REPORT), self.page().as_bytes())
    }

    /// Whether every claim that was checked holds, in every experiment that has ended.
    pub fn all_claims_hold(&self) -> bool {
        self.ended.iter().all(|ended| ended.findings.hold())
    }

    /// All claims, as in `results.json`.
    pub fn json(&self) -> Value {
        let experiments: Vec<Value> = self.ended.iter().map(EndedExperiment::json).collect();
        json!({
            "settings": {
                "scale": self.scale,
                "threads": self.threads,
                "version": env!("CARGO_PKG_VERSION"),
            },
            "machine": machine(),
            "date": self.date,
            "cancelled": self.cancelled,
            "holds": self.all_claims_hold(),
            "experiments": experiments,
        })
    }

    /// Whether the caller cancelled, so that experiments are missing.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// All claims as plain text, one line per claim, and where the report is.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for ended in &self.ended {
            text += &format!("{} {}\n", ended.experiment.id, ended.experiment.title);
            for claim in &ended.findings.claims {
                let mark = if claim.holds { "holds " } else { "FAILS " };
                text += &format!("  {mark} {}", claim.statement);
                if claim.ours != Cell::Empty {
                    text += &format!(": {}", claim.ours.short());
                }
                if claim.published != Cell::Empty {
                    text += &format!(" (published {})", claim.published.short());
                }
                text += "\n";
            }
            for Unchecked { statement, reason } in &ended.findings.unchecked {
                text += &format!("  not checked: {statement}; {reason}\n");
            }
        }
        if self.cancelled {
            text += "cancelled: only the experiments that had ended are in the report\n";
        }
        text + &format!("report  {}\n", self.root.join(REPORT).display())
    }

    fn page(&self) -> String {
        let names: Vec<&str> = self.ended.iter().map(|e| e.experiment.id).collect();
        let mut page = Page::new(&format!("Experiments of the papers: {}", names.join(", ")));
        page.lead(
            "What the papers measured, measured again. Absolute times are of different machines: \
             compare ratios and shapes.",
        );
        if self.cancelled {
            page.banner("Cancelled: only the experiments that had ended are here.");
        }
        page.facts(&[
            ("Date", self.date.clone()),
            ("Program", format!("drystone {}", env!("CARGO_PKG_VERSION"))),
            ("Machine", machine()),
            ("Threads", self.threads.to_string()),
            (
                "AxisScale",
                format!("{} of the paper's sizes", short_number(self.scale)),
            ),
        ]);
        for ended in &self.ended {
            write_experiment(&mut page, ended);
        }
        page.finish()
    }
}

fn write_experiment(page: &mut Page, ended: &EndedExperiment) {
    let EndedExperiment {
        experiment,
        findings,
        seconds,
        ..
    } = ended;
    page.heading(&format!("{}: {}", experiment.id, experiment.title));
    page.note(&format!(
        "{}. Took {} s here.",
        experiment.source,
        short_number(*seconds)
    ));
    page.paragraph(&findings.verdict);
    page.table(&claims(findings));
    for part in &findings.parts {
        match part {
            Part::Heading(text) => page.subheading(text),
            Part::Text(text) => page.paragraph(text),
            Part::Table(_, table) => page.table(table),
            Part::Figure(_, figure, caption) => page.figure(figure, caption),
            Part::Picture(_, png, caption) => page.picture(png, caption, caption),
        };
    }
}

fn claims(findings: &Findings) -> Table {
    let mut table = Table::new(vec![
        Column::word("claim"),
        Column::number("published"),
        Column::number("ours"),
        Column::word("holds"),
    ]);
    for claim in &findings.claims {
        let holds = match claim.holds {
            true => Entry::from("yes").good(),
            false => Entry::from("no").bad(),
        };
        table.rows.push(vec![
            claim.statement.as_str().into(),
            claim.published.clone().into(),
            claim.ours.clone().into(),
            holds,
        ]);
    }
    for Unchecked { statement, reason } in &findings.unchecked {
        let words = Entry::from(format!("not checked: {reason}").as_str());
        table
            .rows
            .push(vec![statement.as_str().into(), words.tone(Tone::Reason)]);
    }
    table
}

/// A table as a CSV file.
fn csv(table: &Table) -> String {
    let heading: Vec<String> = table.columns.iter().map(|c| quoted(&c.heading)).collect();
    let mut text = heading.join(",") + "\n";
    for row in &table.rows {
        let mut cells: Vec<String> = row.iter().map(|entry| entry.cell.csv()).collect();
        // A sentence across the rest of a row leaves its other columns empty.
        if row.last().is_some_and(|entry| entry.tone == Tone::Reason) {
            cells.resize(table.columns.len(), String::new());
        }
        text += &(cells.join(",") + "\n");
    }
    text
}
