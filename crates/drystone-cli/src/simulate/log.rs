//! The table of steps, read back at the end of a run: it also holds what came before a resume.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use drystone::Termination;
use drystone_scene::recording::StepLog;

use crate::failure::Failure;

/// What the results need of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// s.
    pub time: f64,
    pub contacts: f64,
    pub iterations: f64,
    /// Relative.
    pub residual: f64,
    /// m.
    pub penetration: f64,
    /// m or rad.
    pub joint_error: f64,
    /// m/s.
    pub lift_off: f64,
    /// m/s.
    pub relaxed_difference: f64,
    /// Wall time of the relaxed answer under the exact law, s.
    pub relaxed_seconds: f64,
    /// J.
    pub kinetic: f64,
    /// J.
    pub potential: f64,
    /// Wall time, s.
    pub seconds: f64,
    pub converged: bool,
}

/// Reads all steps of a run.
pub fn read(file: &Path) -> Result<Vec<Step>, Failure> {
    let opened = File::open(file).map_err(|e| Failure::in_file(file, e))?;
    let mut steps = Vec::new();
    for (number, line) in BufReader::new(opened).lines().enumerate().skip(1) {
        let line = line.map_err(|e| Failure::in_file(file, e))?;
        let step = step(&line).map_err(|column| {
            let words = format!("line {}: column {column} cannot be read", number + 1);
            Failure::in_file(file, words)
        })?;
        steps.push(step);
    }
    Ok(steps)
}

/// One row; an error names the column.
fn step(line: &str) -> Result<Step, &'static str> {
    let cells: Vec<&str> = line.split(',').collect();
    let cell = |name: &'static str| {
        let column = StepLog::COLUMNS.iter().position(|c| *c == name);
        column.and_then(|c| cells.get(c)).ok_or(name)
    };
    let number = |name| cell(name)?.parse::<f64>().map_err(|_| name);
    Ok(Step {
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
    })
}
