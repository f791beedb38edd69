//! The report of a call of experiments: the folder that they write to, a page for each of them and
//! one over all.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ExperimentSettings;
use super::ended::{EndedExperiment, RESULT, figure, published, rows_of_beds};
use super::findings::{Findings, Part};
use crate::error::StudyError;
use crate::output::{check_writable, make_folder, write_bytes};
use crate::page::table::Tone;
use crate::page::{Entry, Page, Table, escape};
use crate::setup::date;
use crate::table::{quoted, short_number};
use drystone_draw::files::write_figure_for_papers;

/// What experiments found, and the folder that holds it.
pub struct ExperimentReport {
    root: PathBuf,
    settings: ExperimentSettings,
    threads: usize,
    date: String,
    ended: Vec<EndedExperiment>,
    cancelled: bool,
}

const REPORT: &str = "report.html";
const RESULTS: &str = "results.json";

impl ExperimentReport {
    /// Makes the folder where needed.
    pub(super) fn open(root: &Path, settings: &ExperimentSettings) -> Result<Self, StudyError> {
        make_folder(root)?;
        check_writable(&root.join(REPORT))?;
        check_writable(&root.join(RESULTS))?;
        Ok(Self {
            root: root.to_owned(),
            settings: settings.clone(),
            threads: rayon::current_num_threads(),
            date: date(),
            ended: Vec::new(),
            cancelled: false,
        })
    }

    /// Writes down what an experiment found: its files, its page, and last its `result.json`, by
    /// which a later call knows that it is whole.
    pub(super) fn add(
        &mut self,
        ended: EndedExperiment,
        findings: &Findings,
    ) -> Result<(), StudyError> {
        let own = self.root.join(ended.experiment.id);
        make_folder(&own)?;
        for part in &findings.parts {
            match part {
                Part::Heading(_) | Part::Text(_) => {}
                Part::Table(name, table) => {
                    write_bytes(&own.join(format!("{name}.csv")), csv(table).as_bytes())?;
                }
                Part::Figure(name, figure, _) => {
                    write_figure_for_papers(&own.join(name), figure)?;
                }
                Part::Picture(name, png, _) => {
                    write_bytes(&own.join(format!("{name}.png")), png)?;
                }
            }
        }
        for (name, text) in &findings.files {
            write_bytes(&own.join(name), text.as_bytes())?;
        }
        let page = experiment_page(&ended, findings);
        write_bytes(&own.join(REPORT), page.as_bytes())?;
        let json = format!("{:#}\n", ended.result);
        write_bytes(&own.join(RESULT), json.as_bytes())?;
        self.keep(ended)
    }

    /// Takes an experiment in whose folder is whole already. After each the page over all is whole.
    pub(super) fn keep(&mut self, ended: EndedExperiment) -> Result<(), StudyError> {
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

    /// Whether every published claim that was judged is reproduced, in every experiment that has
    /// ended.
    pub fn reproduces(&self) -> bool {
        self.ended.iter().all(EndedExperiment::reproduces)
    }

    /// All claims, as in `results.json`.
    pub fn json(&self) -> Value {
        let experiments: Vec<&Value> = self.ended.iter().map(|ended| &ended.result).collect();
        let mut settings = self.settings.json();
        settings["threads"] = self.threads.into();
        json!({
            "settings": settings,
            "date": self.date,
            "cancelled": self.cancelled,
            "reproduces": self.reproduces(),
            "experiments": experiments,
        })
    }

    /// Whether the caller cancelled, so that experiments are missing.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// All claims as plain text, one line per claim, and where the report is.
    pub fn summary(&self) -> String {
        let mut text: String = self.ended.iter().map(EndedExperiment::summary).collect();
        if self.cancelled {
            text += "cancelled: only the experiments that had ended are in the report; --resume \
                     goes on from there\n";
        }
        text + &format!("report  {}\n", self.root.join(REPORT).display())
    }

    fn page(&self) -> String {
        let names: Vec<&str> = self.ended.iter().map(|e| e.experiment.id).collect();
        let mut page = Page::new(&format!("Experiments of the papers: {}", names.join(", ")));
        page.lead(
            "What the papers measured, measured again: which of their claims are reproduced here, \
             and which are not.",
        );
        if self.cancelled {
            page.banner("Cancelled: only the experiments that had ended are here.");
        }
        page.facts(&[
            ("Date", self.date.clone()),
            ("Program", format!("drystone {}", self.settings.program)),
            ("Threads", self.threads.to_string()),
            ("Scale", short_number(self.settings.scale)),
        ]);
        for ended in &self.ended {
            let id = ended.experiment.id;
            page.heading(&format!("{id}: {}", ended.experiment.title));
            page.html(&format!(
                "<p><strong>{}</strong> (<a href=\"{id}/{REPORT}\">report</a>)</p>",
                escape(&ended.counts())
            ));
            page.html(&claims_table(
                ended
                    .claims()
                    .iter()
                    .filter(|c| c["outcome"] != "reproduced"),
            ));
        }
        page.finish()
    }
}

/// The page of one experiment.
fn experiment_page(ended: &EndedExperiment, findings: &Findings) -> String {
    let EndedExperiment { experiment, result } = ended;
    let mut page = Page::new(&format!("{}: {}", experiment.id, experiment.title));
    page.lead(&format!(
        "{}, measured again. Absolute times are of different machines: compare ratios and shapes.",
        experiment.source
    ));
    if let Some(busy) = result["busy"].as_str() {
        page.banner(&format!(
            "Other programs were at work on this machine: {busy}. Claims on times are not judged."
        ));
    }
    page.facts(&[
        ("Date", figure(&result["date"])),
        ("Program", figure(&result["settings"]["program"])),
        ("Machine", figure(&result["machine"])),
        ("Threads", rayon::current_num_threads().to_string()),
        ("Scale", figure(&result["settings"]["scale"])),
        ("Took", format!("{} s", figure(&result["seconds"]))),
    ]);
    page.heading("Verdict");
    page.paragraph(&findings.verdict());
    page.heading("Claims");
    page.html(&claims_table(ended.claims().iter()));
    page.heading("Set-up");
    page.html(&format!(
        "<div class=\"wrapped\">{}</div>",
        findings.setup_table().html()
    ));
    page.heading("Figures and tables");
    for part in &findings.parts {
        match part {
            Part::Heading(text) => page.subheading(text),
            Part::Text(text) => page.paragraph(text),
            Part::Table(_, table) => page.table(table),
            Part::Figure(_, figure, caption) => page.figure(figure, caption),
            Part::Picture(_, png, caption) => page.picture(png, caption, caption),
        };
    }
    page.finish()
}

/// Claims: the paper's words, what is measured, both figures, the limit and its reason, the outcome.
/// What is claimed of several beds is one row with a line for each of them.
fn claims_table<'a>(claims: impl Iterator<Item = &'a Value>) -> String {
    let mut rows = String::new();
    for beds in rows_of_beds(claims) {
        let word = |key: &str| escape(beds[0][key].as_str().unwrap_or_default());
        let paper = match beds[0]["source"] == "own" {
            true => "<em>our own</em>".to_owned(),
            false => format!("{} <small>{}</small>", word("words"), word("place")),
        };
        let timed = match beds[0]["timed"] == true {
            true => " <small>rests on times</small>",
            false => "",
        };
        let bed = |claim: &Value| match claim["bed"].as_str() {
            None | Some("") => String::new(),
            Some(bed) => format!("<small>{}</small> ", escape(bed)),
        };
        let lines = |of: &dyn Fn(&Value) -> String| {
            let lines: Vec<String> = beds.iter().map(|c| bed(c) + &of(c)).collect();
            lines.join("<br>")
        };
        rows += &format!(
            "<tr><td class=\"w\">{paper}</td><td class=\"w\">{}{timed}</td><td>{}</td>\
             <td>{}</td><td class=\"w\">{} <small>{}</small></td>\
             <td class=\"w\">{} <small>{}</small></td></tr>\n",
            word("measure"),
            escape(&published(&beds[0]["published"])),
            lines(&|claim| escape(&figure(&claim["ours"]))),
            word("limit"),
            word("reason"),
            lines(&outcome),
            cause(&beds),
        );
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"scroll wrapped\"><table class=\"claims\"><thead><tr>\
         <th class=\"w\">the paper</th><th class=\"w\">measured here</th><th>published</th>\
         <th>ours</th><th class=\"w\">limit</th><th class=\"w\">outcome</th></tr></thead>\
         <tbody>\n{rows}</tbody></table></div>"
    )
}

/// What came out for a claim, and why it has no figure or could not be judged.
fn outcome(claim: &Value) -> String {
    let word = |key: &str| escape(claim[key].as_str().unwrap_or_default());
    let tone = match claim["outcome"].as_str() {
        Some("reproduced") => "good",
        Some("not-reproduced") => "bad",
        _ => "",
    };
    let why = match claim["why"].is_string() {
        true => format!(" <small>{}</small>", word("why")),
        false => String::new(),
    };
    format!("<span class=\"{tone}\">{}</span>{why}", word("outcome"))
}

/// What is known of why claims that share a row are not reproduced.
fn cause(beds: &[&Value]) -> String {
    let known = beds.iter().find_map(|claim| claim["cause"].as_str());
    escape(known.unwrap_or_default())
}

/// A table as a CSV file.
fn csv(table: &Table) -> String {
    let heading: Vec<String> = table.columns.iter().map(|c| quoted(&c.heading)).collect();
    let mut text = heading.join(",") + "\n";
    for row in &table.rows {
        let mut cells: Vec<String> = row.iter().map(|entry: &Entry| entry.cell.csv()).collect();
        // A sentence across the rest of a row leaves its other columns empty.
        if row.last().is_some_and(|entry| entry.tone == Tone::Reason) {
            cells.resize(table.columns.len(), String::new());
        }
        text += &(cells.join(",") + "\n");
    }
    text
}
