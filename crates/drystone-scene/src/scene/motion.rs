//! Prescribed motions.

use std::sync::Arc;

use drystone::{Path, Pose};
use drystone_collide::number::Numbers;
use glam::{DQuat, DVec3};

use super::error::FaultAt;
use super::expression::{Expression, Measure};
use super::keys::MotionType;
use super::reader::Reader;

/// How a body moves away from its pose: a function of the time since the motion began, and of
/// nothing else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Motion {
    shift: Shift,
    turn: Turn,
    /// Unit axis of the rotation.
    axis: DVec3,
    /// A point on it, world; the body's origin if none.
    point: Option<DVec3>,
}

/// Displacement, m.
#[derive(Clone, Debug, PartialEq)]
enum Shift {
    None,
    /// Velocity, and the time at which it ends.
    Velocity(DVec3, f64),
    /// Acceleration, and the time at which it ends.
    Acceleration(DVec3, f64),
    /// Amplitude, angular frequency, phase.
    Oscillation(DVec3, f64, f64),
    Expression(Box<[Expression; 3]>),
    Table(Arc<[(f64, DVec3)]>),
}

/// Angle, rad.
#[derive(Clone, Debug, PartialEq)]
enum Turn {
    None,
    /// Rate and the time in which it is reached.
    Rate(f64, f64),
    Oscillation(f64, f64, f64),
    Expression(Box<Expression>),
    Table(Arc<[(f64, f64)]>),
}

impl Motion {
    pub fn read(kind: MotionType, reader: &Reader<'_>) -> Result<Self, FaultAt> {
        let mut motion = Self {
            shift: Shift::None,
            turn: Turn::None,
            axis: DVec3::Z,
            point: None,
        };
        if reader.knows("axis") {
            motion.axis = reader.direction("axis")?.unwrap_or(DVec3::Z);
            motion.point = reader.vector("point")?;
        }
        match kind {
            MotionType::Velocity => {
                let velocity = reader.need_vector("velocity")?;
                let end = reader.positive("distance")?.map(|d| d / velocity.length());
                motion.shift = Shift::Velocity(velocity, end.unwrap_or(f64::INFINITY));
            }
            MotionType::Acceleration => {
                let acceleration = reader.need_vector("acceleration")?;
                let end = reader.positive("until")?.unwrap_or(f64::INFINITY);
                motion.shift = Shift::Acceleration(acceleration, end);
            }
            MotionType::Rotation => {
                let ramp = reader.not_negative("ramp")?.unwrap_or(0.0);
                motion.turn = Turn::Rate(reader.need_number("rate")?, ramp);
            }
            MotionType::Oscillation => {
                let frequency = std::f64::consts::TAU * reader.need_number("frequency")?;
                let phase = reader.number("phase")?.unwrap_or(0.0);
                if let Some(amplitude) = reader.vector("amplitude")? {
                    motion.shift = Shift::Oscillation(amplitude, frequency, phase);
                }
                if let Some(angle) = reader.number("angle")? {
                    motion.turn = Turn::Oscillation(angle, frequency, phase);
                }
            }
            MotionType::Expression => read_expressions(reader, &mut motion)?,
            MotionType::Table => read_table(reader, &mut motion)?,
        }
        Ok(motion)
    }

    /// The same, about `point` unless it has a point of its own.
    pub fn about(mut self, point: DVec3) -> Self {
        self.point.get_or_insert(point);
        self
    }

    /// The pose after `time` s of a body that began at `start`.
    pub fn pose(&self, start: &Pose, time: f64) -> Pose {
        let time = time.max(0.0);
        let turn = DQuat::from_axis_angle(self.axis, self.turn.at(time));
        let point = self.point.unwrap_or(start.position);
        Pose {
            position: point + turn * (start.position - point) + self.shift.at(time),
            rotation: (turn * start.rotation).normalize(),
        }
    }

    /// The path of a body that was at `pose` when the motion began at time `start`, s.
    pub fn path(&self, start: f64, pose: Pose) -> Path {
        let motion = self.clone();
        Arc::new(move |time| motion.pose(&pose, time - start))
    }
}

fn read_expressions(reader: &Reader<'_>, motion: &mut Motion) -> Result<(), FaultAt> {
    let zero = || Expression::constant(0.0, Measure::Plain);
    let [x, y, z] = [
        reader.function("x")?,
        reader.function("y")?,
        reader.function("z")?,
    ];
    let part = |e: Option<Expression>| e.unwrap_or_else(zero);
    motion.shift = Shift::Expression(Box::new([part(x), part(y), part(z)]));
    if let Some(angle) = reader.function("angle")? {
        motion.turn = Turn::Expression(Box::new(angle));
    }
    let start = motion.pose(&Pose::IDENTITY, 0.0);
    if !start.is_finite() {
        let key = ["x", "y", "z", "angle"].into_iter().find(|k| reader.has(k));
        let found = start.position.to_array();
        let key = key.unwrap_or("x");
        return Err(reader.out_of_range(key, Numbers(&found), "finite at t = 0"));
    }
    Ok(())
}

fn read_table(reader: &Reader<'_>, motion: &mut Motion) -> Result<(), FaultAt> {
    let times = read_times(reader)?;
    if let Some(positions) = reader.list("positions", |value| value.vector())? {
        check_length(reader, "positions", positions.len(), times.len())?;
        motion.shift = Shift::Table(times.iter().copied().zip(positions).collect());
    }
    if let Some(angles) = reader.list("angles", |value| value.number())? {
        check_length(reader, "angles", angles.len(), times.len())?;
        motion.turn = Turn::Table(times.into_iter().zip(angles).collect());
    }
    Ok(())
}

/// The times of a table.
pub(crate) fn read_times(reader: &Reader<'_>) -> Result<Vec<f64>, FaultAt> {
    let times = reader.list("times", |value| value.number())?;
    let times = reader.need("times", times)?;
    let ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
    let starts = times.first().is_some_and(|first| *first >= 0.0);
    if !(ascending && starts) {
        let expected = "a list of ascending times, the first at least 0";
        return Err(reader.out_of_range("times", Numbers(&times), expected));
    }
    Ok(times)
}

pub(crate) fn check_length(
    reader: &Reader<'_>,
    key: &str,
    found: usize,
    times: usize,
) -> Result<(), FaultAt> {
    if found == times {
        return Ok(());
    }
    let found = format!("a list of {found}");
    Err(reader.out_of_range(key, found, &format!("one for each of the {times} times")))
}

impl Shift {
    fn at(&self, time: f64) -> DVec3 {
        match self {
            Self::None => DVec3::ZERO,
            Self::Velocity(velocity, end) => *velocity * time.min(*end),
            Self::Acceleration(acceleration, end) => {
                let fast = time.min(*end);
                *acceleration * fast * (time - 0.5 * fast)
            }
            Self::Oscillation(amplitude, frequency, phase) => {
                *amplitude * (frequency * time + phase).sin()
            }
            Self::Expression(parts) => {
                let [x, y, z] = parts.as_ref();
                DVec3::new(
                    x.evaluate(&[time]),
                    y.evaluate(&[time]),
                    z.evaluate(&[time]),
                )
            }
            Self::Table(rows) => between(rows, time, |a, b, share| a.lerp(b, share)),
        }
    }
}

impl Turn {
    fn at(&self, time: f64) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Rate(rate, ramp) if time < *ramp => rate * time * time / (2.0 * ramp),
            Self::Rate(rate, ramp) => rate * (time - 0.5 * ramp),
            Self::Oscillation(angle, frequency, phase) => angle * (frequency * time + phase).sin(),
            Self::Expression(angle) => angle.evaluate(&[time]),
            Self::Table(rows) => between(rows, time, |a, b, share| a + share * (b - a)),
        }
    }
}

/// The row of a time, straight between rows, the outermost beyond them.
pub(crate) fn between<T: Copy>(rows: &[(f64, T)], time: f64, mix: impl Fn(T, T, f64) -> T) -> T {
    let next = rows.partition_point(|(t, _)| *t <= time);
    match (next.checked_sub(1).map(|i| rows[i]), rows.get(next)) {
        (Some((t0, a)), Some((t1, b))) => mix(a, *b, (time - t0) / (t1 - t0)),
        (Some((_, last)), None) => last,
        (None, _) => rows[0].1,
    }
}
