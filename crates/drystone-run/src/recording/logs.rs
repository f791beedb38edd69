//! The tables of a run: its steps, forces between named pairs, and joints.

use std::path::Path;

use drystone::{JointForce, JointId, StepReport, World};
use glam::DVec3;

use super::csv_log::{Cell, CsvLog, TableCut, TableMark};
use super::error::RecordingError;

/// One row per step: all that its report says. Wall times come last because no run repeats them.
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
    pub fn resume(
        path: impl AsRef<Path>,
        after_step: u64,
    ) -> Result<(Self, TableCut), RecordingError> {
        let (log, cut) = CsvLog::resume(path, &Self::COLUMNS, after_step)?;
        Ok((Self(log), cut))
    }

    /// Appends a step.
    pub fn append(&mut self, report: &StepReport) -> Result<(), RecordingError> {
        let count = |n: usize| Cell::Integer(n as u64);
        let times = &report.times;
        let values = [
            Cell::Real(report.time),
            count(report.pairs),
            count(report.contacts),
            count(report.joint_rows),
            count(report.asleep),
            Cell::Text(report.method),
            Cell::Text(report.termination.name()),
            count(report.solves),
            count(report.iterations),
            Cell::Real(report.residual),
            Cell::Real(report.residual_velocity),
            Cell::Real(report.penetration),
            Cell::Real(report.joint_error),
            Cell::Real(report.relaxed.lift_off),
            Cell::Real(report.relaxed.difference),
            count(report.relaxed.iterations),
            Cell::Real(report.kinetic_energy),
            Cell::Real(report.potential_energy),
            Cell::Real(report.fastest),
            Cell::Real(times.broad),
            Cell::Real(times.narrow),
            Cell::Real(times.assembly),
            Cell::Real(times.solve),
            Cell::Real(report.relaxed.seconds),
            Cell::Real(times.total),
        ];
        self.0.append(report.step, &values)
    }

    /// Goes on where the log was when `mark` was made. The second result says what is wrong with
    /// the rows before, if anything.
    pub fn resume_at(
        path: impl AsRef<Path>,
        mark: TableMark,
    ) -> Result<(Self, Option<String>), RecordingError> {
        let (log, damage) = CsvLog::resume_at(path, &Self::COLUMNS, mark)?;
        Ok((Self(log), damage))
    }

    /// How far the log has got.
    pub fn mark(&self) -> TableMark {
        self.0.mark()
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}

/// Forces between named pairs, one row per step and pair.
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
    pub fn resume(
        path: impl AsRef<Path>,
        after_step: u64,
    ) -> Result<(Self, TableCut), RecordingError> {
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
                Cell::Real(time),
                Cell::Text(pair),
                Cell::Real(force.x),
                Cell::Real(force.y),
                Cell::Real(force.z),
            ]
        };
        let rows: Vec<[Cell<'a>; 5]> = forces.into_iter().map(row).collect();
        self.0.append_rows(step, rows.iter().map(|r| &r[..]))
    }

    /// Goes on where the log was when `mark` was made. The second result says what is wrong with
    /// the rows before, if anything.
    pub fn resume_at(
        path: impl AsRef<Path>,
        mark: TableMark,
    ) -> Result<(Self, Option<String>), RecordingError> {
        let (log, damage) = CsvLog::resume_at(path, &Self::COLUMNS, mark)?;
        Ok((Self(log), damage))
    }

    /// How far the log has got.
    pub fn mark(&self) -> TableMark {
        self.0.mark()
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}

/// One joint after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRecord {
    /// Its coordinate, m or rad, and its speed; none for joints without one.
    pub coordinate: Option<[f64; 2]>,
    /// How far it is off, m or rad.
    pub error: f64,
    /// What it exerted in the step.
    pub force: JointForce,
}

impl JointRecord {
    /// A joint as it is.
    pub fn of_world(world: &World, joint: JointId) -> Self {
        Self {
            coordinate: world.joint_coordinate(joint),
            error: world.joint_error(joint),
            force: world.joint_force(joint),
        }
    }
}

/// Coordinates and forces of joints, one row per step and joint.
#[derive(Debug)]
pub struct JointLog(CsvLog);

impl JointLog {
    /// The columns: time in s; coordinate in m or rad and its speed, empty for joints without one;
    /// the error in m or rad; force and torque on the second body, N and N m; the motor's share,
    /// N or N m.
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
    pub fn resume(
        path: impl AsRef<Path>,
        after_step: u64,
    ) -> Result<(Self, TableCut), RecordingError> {
        let (log, cut) = CsvLog::resume(path, &Self::COLUMNS, after_step)?;
        Ok((Self(log), cut))
    }

    /// Appends the joints of one step, each with its name.
    pub fn append<'a>(
        &mut self,
        step: u64,
        time: f64,
        joints: impl IntoIterator<Item = (&'a str, &'a JointRecord)>,
    ) -> Result<(), RecordingError> {
        let row = |(name, joint): (&'a str, &JointRecord)| {
            let [coordinate, speed] = match joint.coordinate {
                Some(figures) => figures.map(Cell::Real),
                None => [Cell::Text(""); 2],
            };
            let [fx, fy, fz] = joint.force.force.to_array().map(Cell::Real);
            let [tx, ty, tz] = joint.force.torque.to_array().map(Cell::Real);
            [
                Cell::Real(time),
                Cell::Text(name),
                coordinate,
                speed,
                Cell::Real(joint.error),
                fx,
                fy,
                fz,
                tx,
                ty,
                tz,
                Cell::Real(joint.force.motor),
            ]
        };
        let rows: Vec<[Cell<'a>; 12]> = joints.into_iter().map(row).collect();
        self.0.append_rows(step, rows.iter().map(|r| &r[..]))
    }

    /// Goes on where the log was when `mark` was made. The second result says what is wrong with
    /// the rows before, if anything.
    pub fn resume_at(
        path: impl AsRef<Path>,
        mark: TableMark,
    ) -> Result<(Self, Option<String>), RecordingError> {
        let (log, damage) = CsvLog::resume_at(path, &Self::COLUMNS, mark)?;
        Ok((Self(log), damage))
    }

    /// How far the log has got.
    pub fn mark(&self) -> TableMark {
        self.0.mark()
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.0.sync()
    }
}
