//! The tables of a run: its steps, forces between named pairs, and joints.

use std::path::Path;

use drystone::{JointId, StepReport, World};
use glam::DVec3;

use super::csv_log::{CsvLog, Cut, Value};
use super::error::RecordingError;

/// A row a step: all that its report says. Wall times come last because no run repeats them.
#[derive(Debug)]
pub struct StepLog(CsvLog);

impl StepLog {
    /// The columns, SI units.
    pub const COLUMNS: [&'static str; 26] = [
        "step",
        "time",
        "pairs",
        "contacts",
        "joint_rows",
        "asleep",
        "method",
        "termination",
        "solves",
        "iterations",
        "residual",
        "residual_velocity",
        "penetration",
        "joint_error",
        "lift_off",
        "relaxed_difference",
        "relaxed_iterations",
        "kinetic_energy",
        "potential_energy",
        "fastest",
        "seconds_broad",
        "seconds_narrow",
        "seconds_assembly",
        "seconds_solve",
        "seconds_relaxed",
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
            count(report.joint_rows),
            count(report.asleep),
            Value::Text(report.method),
            Value::Text(report.termination.name()),
            count(report.solves),
            count(report.iterations),
            Value::Real(report.residual),
            Value::Real(report.residual_velocity),
            Value::Real(report.penetration),
            Value::Real(report.joint_error),
            Value::Real(report.relaxed.lift_off),
            Value::Real(report.relaxed.difference),
            count(report.relaxed.iterations),
            Value::Real(report.kinetic_energy),
            Value::Real(report.potential_energy),
            Value::Real(report.fastest),
            Value::Real(times.broad),
            Value::Real(times.narrow),
            Value::Real(times.assembly),
            Value::Real(times.solve),
            Value::Real(report.relaxed.seconds),
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

/// Coordinates and forces of joints, a row a step and joint.
#[derive(Debug)]
pub struct JointLog(CsvLog);

impl JointLog {
    /// The columns: time in s; coordinate in m or rad, empty for joints without one, and its speed; the error in m or rad; force and
    /// torque on the second body, N and N m; the motor's share, N or N m.
    pub const COLUMNS: [&'static str; 13] = [
        "step",
        "time",
        "joint",
        "coordinate",
        "speed",
        "error",
        "fx",
        "fy",
        "fz",
        "tx",
        "ty",
        "tz",
        "motor",
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

    /// Appends the joints as they are after the last step.
    pub fn append<'a>(
        &mut self,
        world: &World,
        joints: impl IntoIterator<Item = (&'a str, JointId)>,
    ) -> Result<(), RecordingError> {
        let row = |(name, joint): (&'a str, JointId)| {
            let [coordinate, speed] = match world.joint_coordinate(joint) {
                Some(figures) => figures.map(Value::Real),
                None => [Value::Text(""); 2],
            };
            let force = world.joint_force(joint);
            let mut row = vec![
                Value::Real(world.time()),
                Value::Text(name),
                coordinate,
                speed,
            ];
            row.push(Value::Real(world.joint_error(joint)));
            row.extend(force.force.to_array().map(Value::Real));
            row.extend(force.torque.to_array().map(Value::Real));
            row.push(Value::Real(force.motor));
            row
        };
        let rows: Vec<Vec<Value<'a>>> = joints.into_iter().map(row).collect();
        self.0
            .append_rows(world.steps(), rows.iter().map(|r| &r[..]))
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}
