//! The two tables of a run: its steps, and forces between named pairs.

use std::path::Path;

use drystone::StepReport;
use glam::DVec3;

use super::csv_log::{CsvLog, Cut, Value};
use super::error::RecordingError;

/// A row a step: all that its report says. Wall times come last because no run repeats them.
#[derive(Debug)]
pub struct StepLog(CsvLog);

impl StepLog {
    /// The columns, SI units.
    pub const COLUMNS: [&'static str; 19] = [
        "step",
        "time",
        "pairs",
        "contacts",
        "asleep",
        "method",
        "termination",
        "iterations",
        "residual",
        "residual_velocity",
        "penetration",
        "kinetic_energy",
        "potential_energy",
        "fastest",
        "seconds_broad",
        "seconds_narrow",
        "seconds_assembly",
        "seconds_solve",
        "seconds_total",
    ];

    /// Begins a log, replacing one that is there.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Ok(Self(CsvLog::create(path, &Self::COLUMNS)?))
    }

    /// Goes on after the last row whose step is at most `after_step`.
    pub fn resume(path: impl AsRef<Path>, after_step: u64) -> Result<(Self, Cut), RecordingError> {
        let (log, cut) = CsvLog::resume(path, &Self::COLUMNS, after_step)?;
        Ok((Self(log), cut))
    }

    /// Appends a step.
    pub fn append(&mut self, report: &StepReport) -> Result<(), RecordingError> {
        let count = |n: usize| Value::Integer(n as u64);
        let times = &report.times;
        let values = [
            Value::Real(report.time),
            count(report.pairs),
            count(report.contacts),
            count(report.asleep),
            Value::Text(report.method),
            Value::Text(report.termination.name()),
            count(report.iterations),
            Value::Real(report.residual),
            Value::Real(report.residual_velocity),
            Value::Real(report.penetration),
            Value::Real(report.kinetic_energy),
            Value::Real(report.potential_energy),
            Value::Real(report.fastest),
            Value::Real(times.broad),
            Value::Real(times.narrow),
            Value::Real(times.assembly),
            Value::Real(times.solve),
            Value::Real(times.total),
        ];
        self.0.append(report.step, &values)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}

/// Forces between named pairs, a row a step and pair.
#[derive(Debug)]
pub struct ForceLog(CsvLog);

impl ForceLog {
    /// The columns: time in s, forces in N.
    pub const COLUMNS: [&'static str; 6] = ["step", "time", "pair", "fx", "fy", "fz"];

    /// Begins a log, replacing one that is there.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Ok(Self(CsvLog::create(path, &Self::COLUMNS)?))
    }

    /// Goes on after the last row whose step is at most `after_step`.
    pub fn resume(path: impl AsRef<Path>, after_step: u64) -> Result<(Self, Cut), RecordingError> {
        let (log, cut) = CsvLog::resume(path, &Self::COLUMNS, after_step)?;
        Ok((Self(log), cut))
    }

    /// Appends the forces of one step, N, each with the name of its pair.
    pub fn append<'a>(
        &mut self,
        step: u64,
        time: f64,
        forces: impl IntoIterator<Item = (&'a str, DVec3)>,
    ) -> Result<(), RecordingError> {
        let row = |(pair, force): (&'a str, DVec3)| {
            [
                Value::Real(time),
                Value::Text(pair),
                Value::Real(force.x),
                Value::Real(force.y),
                Value::Real(force.z),
            ]
        };
        let rows: Vec<[Value<'a>; 5]> = forces.into_iter().map(row).collect();
        self.0.append_rows(step, rows.iter().map(|r| &r[..]))
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}
