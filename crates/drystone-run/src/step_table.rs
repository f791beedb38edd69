//! The table of steps, read back at the end of a run: it also holds what came before a resume.

use std::io::{BufRead, BufReader};
use std::path::Path;

use drystone::Termination;

use crate::error::RunError;
use crate::recording::StepLog;
use crate::regular;

/// What the results of a run need of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepRow {
    /// At its end, s.
    pub time: f64,
    /// Contact points.
    pub contacts: f64,
    /// Iterations of all its solves.
    pub iterations: f64,
    /// Relative.
    pub residual: f64,
    /// Deepest overlap, m.
    pub penetration: f64,
    /// Largest error of a joint, m or rad.
    pub joint_error: f64,
    /// What the relaxed law parts, m/s.
    pub lift_off: f64,
    /// By how much the relaxed law is off, m/s.
    pub relaxed_difference: f64,
    /// Wall time of the relaxed answer under the exact law, s.
    pub relaxed_seconds: f64,
    /// Energy of motion, J.
    pub kinetic: f64,
    /// Energy in gravity, J.
    pub potential: f64,
    /// Wall time, s.
    pub seconds: f64,
    /// Whether it reached the tolerance.
    pub converged: bool,
    /// Whether it ended at its limit of work.
    pub out_of_work: bool,
}

/// The steps of a run, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTable {
    /// The rows that can be read.
    pub rows: Vec<StepRow>,
    /// How many cannot.
    pub unreadable: usize,
    /// What is wrong with the first of those.
    pub first_fault: Option<String>,
}

/// Reads all steps of a run. A damaged row is counted and left out: the others are still worth
/// reading.
pub fn read_steps(file: &Path) -> Result<StepTable, RunError> {
    let opened = regular::open(file).map_err(|e| RunError::unreadable(file, e))?;
    let mut table = StepTable::default();
    for (number, line) in BufReader::new(opened).split(b'\n').enumerate().skip(1) {
        let line = line.map_err(|e| RunError::unreadable(file, e))?;
        match step(&String::from_utf8_lossy(&line)) {
            Ok(row) => table.rows.push(row),
            Err(column) => {
                table.unreadable += 1;
                table.first_fault.get_or_insert_with(|| {
                    format!("line {}: column {column} cannot be read", number + 1)
                });
            }
        }
    }
    Ok(table)
}

/// One row; an error names the column.
fn step(line: &str) -> Result<StepRow, &'static str> {
    let cells: Vec<&str> = line.split(',').collect();
    let cell = |name: &'static str| {
        let column = StepLog::COLUMNS.iter().position(|c| *c == name);
        column.and_then(|c| cells.get(c)).ok_or(name)
    };
    let number = |name| cell(name)?.parse::<f64>().map_err(|_| name);
    Ok(StepRow {
        time: number("time")?,
        contacts: number("contacts")?,
        iterations: number("iterations")?,
        residual: number("residual")?,
        penetration: number("penetration")?,
        joint_error: number("joint_error")?,
        lift_off: number("lift_off")?,
        relaxed_difference: number("relaxed_difference")?,
        relaxed_seconds: number("seconds_relaxed")?,
        kinetic: number("kinetic_energy")?,
        potential: number("potential_energy")?,
        seconds: number("seconds_total")?,
        converged: *cell("termination")? == Termination::Converged.name(),
        out_of_work: *cell("termination")? == Termination::WorkLimit.name(),
    })
}
