//! What came of the runs of a sweep: a row a run.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::{RESULTS, SweepError, SweepPlan, SweepRun, io_error};
use crate::atomic::write_atomically;
use crate::regular;
use crate::run_folder::{SCENE, SUMMARY};

/// Figures of a run's `summary.json` that go into the table, in this order. Wall time comes last
/// because no run repeats it.
pub const COLUMNS: [&str; 10] = [
    "steps",
    "time",
    "unconverged_steps",
    "worst_residual",
    "most_contacts",
    "deepest_penetration",
    "largest_joint_error",
    "kinetic_energy",
    "potential_energy",
    "step_seconds",
];

/// The table of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepTable {
    /// Headings.
    pub columns: Vec<String>,
    /// A row a run of the plan, whether it was made or not.
    pub rows: Vec<Vec<String>>,
}

impl SweepTable {
    /// Of what is in the folder now.
    pub fn read(plan: &SweepPlan, out: &Path) -> Self {
        let mut columns = vec!["run".to_owned()];
        columns.extend(plan.names().map(str::to_owned));
        columns.extend(["repeat", "seed", "folder", "ended"].map(str::to_owned));
        columns.extend(COLUMNS.map(str::to_owned));
        let rows = plan.runs().iter().map(|run| row(plan, out, run)).collect();
        Self { columns, rows }
    }

    /// As text; cells with commas or quotes stand in quotes.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in [&self.columns].into_iter().chain(&self.rows) {
            let cells: Vec<_> = row.iter().map(|cell| quoted(cell)).collect();
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }

    /// Writes it into the sweep's folder.
    pub fn write(&self, out: &Path) -> Result<(), SweepError> {
        let file = out.join(RESULTS);
        write_atomically(&file, self.csv().as_bytes()).map_err(|e| io_error(&file, e))
    }
}

fn row(plan: &SweepPlan, out: &Path, run: &SweepRun) -> Vec<String> {
    let mut row = vec![(run.index + 1).to_string()];
    row.extend(run.values.iter().cloned());
    row.push((run.repeat + 1).to_string());
    row.push(run.seed.map_or_else(String::new, |seed| seed.to_string()));
    row.push(run.folder.clone());
    let summary = summary(&plan.folder(out, run)).unwrap_or(Value::Null);
    row.push(text(&summary["ended"]));
    row.extend(COLUMNS.iter().map(|key| text(&summary[*key])));
    row
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// The summary of a run's folder, where there is one.
fn summary(folder: &Path) -> Option<Value> {
    let text = regular::read_to_string(folder.join(SUMMARY)).ok()?;
    serde_json::from_str(&text).ok()
}

/// How far the run in a folder has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing is there.
    None,
    /// It has begun.
    Begun,
    /// It has done what was asked for.
    Done,
}

/// How far a run has come; an error where the folder holds another scene's.
pub(super) fn progress(
    plan: &SweepPlan,
    out: &Path,
    run: &SweepRun,
) -> Result<Progress, SweepError> {
    let folder = plan.folder(out, run);
    let text = match regular::read_to_string(folder.join(SCENE)) {
        Ok(text) => text,
        Err(_) => return Ok(Progress::None),
    };
    let read = plan.source().read(&run.set);
    let scene = read.map_err(|source| SweepError::Scene {
        run: run.index + 1,
        values: plan.words(run),
        source: source.into(),
    })?;
    if text != scene.to_toml() {
        let words = format!(
            "{}: holds a run of another scene than run {} of the sweep: remove the folder, or \
             choose another one for the sweep",
            folder.display(),
            run.index + 1
        );
        return Err(SweepError::Plan(words));
    }
    let ended = summary(&folder).map(|summary| text_of(&summary["ended"]));
    Ok(match ended.as_deref() {
        Some("finished" | "limit") => Progress::Done,
        Some(_) | None => Progress::Begun,
    })
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
