//! Joints, motors and springs.

use std::sync::Arc;

use drystone::{Drive, Joint, JointId, JointKind, Motor, Signal, Spring};
use drystone_collide::number::{Number, Numbers};
use glam::DVec3;

use super::assemble::is_known;
use super::body::set_index;
use super::error::{FaultAt, FaultKind};
use super::expression::Expression;
use super::key::TableType;
use super::keys::{JointType, PushingMotor, TurningMotor};
use super::model::{DriveKind, DriveSpec, End, JointSpec, MotorSignal};
use super::motion::{between, read_times};
use super::reader::{Reader, Value};
use crate::quote::word;

/// Most joints of a scene: each is kept as its text describes it.
pub(crate) const MOST_JOINTS: usize = 1_000_000;

/// The name of the world in a joint's bodies.
const WORLD: &str = "world";

/// What joints refer to, and what they add to.
pub(crate) struct JointScene<'m> {
    /// Names of all bodies and fills.
    pub names: &'m [String],
    pub drives: &'m mut Vec<DriveSpec>,
    /// Names of the joints that there are already.
    pub joints: Vec<String>,
}

pub(crate) fn read(
    joint_type: JointType,
    reader: &Reader<'_>,
    around: &mut JointScene<'_>,
) -> Result<Vec<JointSpec>, FaultAt> {
    let Some(count) = reader.integer("repeat")? else {
        return Ok(vec![read_one(joint_type, reader, around)?]);
    };
    if count > MOST_JOINTS.saturating_sub(around.joints.len()) as u64 {
        let expected = format!("at most {MOST_JOINTS} joints in all");
        return Err(reader.out_of_range("repeat", count, &expected));
    }
    let mut joints = Vec::new();
    for index in 0..count {
        set_index(reader, Some(index));
        let joint = read_one(joint_type, reader, around);
        set_index(reader, None);
        joints.push(joint?);
    }
    Ok(joints)
}

fn read_one(
    joint_type: JointType,
    reader: &Reader<'_>,
    around: &mut JointScene<'_>,
) -> Result<JointSpec, FaultAt> {
    let name = reader.text("name")?.unwrap_or_else(|| "joint".to_owned());
    if joint_type == JointType::Coupling {
        return read_coupling(name, reader, around);
    }
    let ends: [End; 2] = {
        let ends = reader.list_of("bodies", |value| end(value, around.names))?;
        reader.need("bodies", ends)?
    };
    let kind = kind(joint_type, reader)?;
    let mut joint = Joint::new(kind, None, None);
    // Where the joint is: the keys that its type has say how that is given.
    if reader.knows("from") {
        joint = joint.between(reader.need_vector("from")?, reader.need_vector("to")?);
    }
    if reader.knows("at") {
        joint = joint.at(reader.vector("at")?.unwrap_or_default());
    }
    if reader.knows("axis") {
        joint = joint.axis(reader.direction("axis")?.unwrap_or(DVec3::Z));
    }
    if reader.knows("second_axis")
        && let Some(axis) = reader.direction("second_axis")?
    {
        joint = joint.second_axis(axis);
    }
    joint = joint
        .collide(reader.flag("collide")?.unwrap_or(false))
        .compliance(reader.not_negative("compliance")?.unwrap_or(0.0));
    let mut motor = None;
    if kind.has_coordinate() {
        if let Some([lower, upper]) = reader.list_of("limits", |value| value.number())? {
            if lower > upper {
                let found = Numbers(&[lower, upper]).to_string();
                return Err(reader.out_of_range("limits", found, "the smaller one first"));
            }
            joint = joint.limits(lower, upper);
        }
        if let Some(table) = reader.table("spring")? {
            joint = joint.spring(Spring {
                stiffness: table.not_negative("stiffness")?.unwrap_or(0.0),
                damping: table.not_negative("damping")?.unwrap_or(0.0),
                rest: table.number("rest")?,
            });
        }
        if let Some(value) = reader.value("motor") {
            around.drives.push(DriveSpec::read_for(kind, &value)?);
            motor = Some(around.drives.len() - 1);
        }
    }
    Ok(JointSpec {
        name,
        joint,
        ends,
        motor,
        effort: None,
        place: reader.place(),
    })
}

/// Two joints that move together.
fn read_coupling(
    name: String,
    reader: &Reader<'_>,
    around: &JointScene<'_>,
) -> Result<JointSpec, FaultAt> {
    let joints: Option<[JointId; 2]> =
        reader.list_of("joints", |value| coupled(value, &around.joints))?;
    let [first, second] = reader.need("joints", joints)?;
    let ratio = reader.need_number("ratio")?;
    let compliance = reader.not_negative("compliance")?.unwrap_or(0.0);
    Ok(JointSpec {
        name,
        joint: Joint::coupling(first, second, ratio).compliance(compliance),
        ends: [End::World, End::World],
        motor: None,
        effort: None,
        place: reader.place(),
    })
}

/// A joint that is there already: `"hinge"` or `"hinge[index + 1]"`.
fn coupled(value: &Value<'_>, joints: &[String]) -> Result<JointId, FaultAt> {
    let text = value.text()?;
    let (name, index) = indexed(value, &text)?;
    let of_name = || (0..joints.len()).filter(|k| joints[*k] == name);
    let found = match (index, of_name().count()) {
        (_, 0) => {
            let mut fault = value.fault(FaultKind::UnknownName {
                what: "joint before the coupling",
                name: word(name),
            });
            fault.suggestion = super::suggest::nearest(name, joints.iter().map(String::as_str));
            return Err(fault);
        }
        (None, 1) => of_name().next(),
        (None, count) => {
            let words =
                format!("there are {count} joints called {name}: write which, as in \"{name}[0]\"");
            return Err(value.fault(FaultKind::Conflict(words)));
        }
        (Some(index), _) => of_name().nth(index),
    };
    found.map(JointId::new).ok_or_else(|| {
        let words = format!("there is no joint {text}: there are {}", of_name().count());
        value.fault(FaultKind::Conflict(words))
    })
}

fn kind(joint_type: JointType, reader: &Reader<'_>) -> Result<JointKind, FaultAt> {
    Ok(match joint_type {
        JointType::Spherical => JointKind::Spherical,
        JointType::Revolute => JointKind::Revolute,
        JointType::Prismatic => JointKind::Prismatic,
        JointType::Cylindrical => JointKind::Cylindrical,
        JointType::Universal => JointKind::Universal,
        JointType::Fixed => JointKind::Fixed,
        JointType::Distance => JointKind::Distance(reader.positive("length")?),
        JointType::Link => JointKind::Link,
        JointType::PointOnLine => JointKind::PointOnLine,
        JointType::PointOnPlane => JointKind::PointOnPlane,
        JointType::Gear => JointKind::Gear {
            ratio: reader.need_number("ratio")?,
        },
        JointType::Rack => JointKind::Rack {
            radius: reader.need_number("radius")?,
        },
        // Is read on its own: it has no bodies.
        JointType::Coupling => return reader.need("bodies", None),
    })
}

/// `"world"`, `"rod"` or `"link[index + 1]"`.
fn end(value: &Value<'_>, names: &[String]) -> Result<End, FaultAt> {
    let text = value.text()?;
    if text == WORLD {
        return Ok(End::World);
    }
    let (name, index) = indexed(value, &text)?;
    if !is_known(names, name) {
        let mut fault = value.fault(FaultKind::UnknownName {
            what: "body",
            name: word(name),
        });
        let known = names.iter().map(String::as_str);
        fault.suggestion = super::suggest::nearest(name, known.chain([WORLD]));
        return Err(fault);
    }
    Ok(End::Body {
        name: name.to_owned(),
        index,
    })
}

/// A name, and the index in brackets behind it if there is one.
fn indexed<'t>(value: &Value<'_>, text: &'t str) -> Result<(&'t str, Option<usize>), FaultAt> {
    let Some((name, index)) = text.strip_suffix(']').and_then(|t| t.split_once('[')) else {
        return Ok((text, None));
    };
    let scope = value.cx.scope.borrow();
    let parsed = Expression::parse(index, &scope).map_err(|error| {
        value.fault(FaultKind::Expression {
            expression: word(index),
            column: 1 + error.at,
            reason: error.reason,
        })
    })?;
    let index = parsed.evaluate(&[]);
    if !(index >= 0.0 && index.fract() == 0.0 && index < 1e9) {
        return Err(value.fault(FaultKind::Range {
            value: Number(index).to_string(),
            expected: "a whole number >= 0".to_owned(),
        }));
    }
    Ok((name, Some(index as usize)))
}

/// The type of a motor in the text.
trait MotorType: TableType {
    fn kind(self) -> DriveKind;
}

impl MotorType for TurningMotor {
    fn kind(self) -> DriveKind {
        match self {
            Self::Speed => DriveKind::Speed,
            Self::Position => DriveKind::Position,
            Self::Torque => DriveKind::Force,
        }
    }
}

impl MotorType for PushingMotor {
    fn kind(self) -> DriveKind {
        match self {
            Self::Speed => DriveKind::Speed,
            Self::Position => DriveKind::Position,
            Self::Force => DriveKind::Force,
        }
    }
}

impl DriveSpec {
    /// The motor of a joint: one that turns where the joint's coordinate is an angle.
    pub fn read_for(joint: JointKind, value: &Value<'_>) -> Result<Self, FaultAt> {
        match joint {
            JointKind::Revolute => Self::read::<TurningMotor>(value),
            JointKind::Prismatic
            | JointKind::Cylindrical
            | JointKind::Link
            | JointKind::Spherical
            | JointKind::Universal
            | JointKind::Fixed
            | JointKind::Distance(_)
            | JointKind::PointOnLine
            | JointKind::PointOnPlane
            | JointKind::Gear { .. }
            | JointKind::Rack { .. }
            | JointKind::Coupling { .. } => Self::read::<PushingMotor>(value),
        }
    }

    fn read<T: MotorType>(value: &Value<'_>) -> Result<Self, FaultAt> {
        let (motor, reader) = value.typed::<T>()?;
        let reader = &reader;
        let signal = match (reader.function("value")?, reader.has("times")) {
            (Some(_), true) => {
                let words = "both `value` and `times`: leave one out";
                return Err(reader.conflict("times", words));
            }
            (Some(value), false) => MotorSignal::Expression(value),
            (None, _) => {
                if !reader.has("times") {
                    return reader.need("value", None);
                }
                let times = read_times(reader)?;
                let values = reader.list("values", |value| value.number())?;
                let values = reader.need("values", values)?;
                super::motion::check_length(reader, "values", values.len(), times.len())?;
                MotorSignal::Table(times.into_iter().zip(values).collect())
            }
        };
        let start = signal.at(0.0);
        if !start.is_finite() {
            return Err(reader.out_of_range("value", Number(start), "finite at t = 0"));
        }
        let kind = motor.kind();
        let max_force = match kind.has_largest_force() {
            true => reader.positive("max_force")?,
            false => None,
        };
        Ok(Self {
            kind,
            signal,
            max_force,
        })
    }

    /// Keeps a position, m or rad.
    pub fn hold(position: f64) -> Self {
        Self {
            kind: DriveKind::Position,
            signal: MotorSignal::Table(Arc::from([(0.0, position)])),
            max_force: None,
        }
    }

    /// With this largest force, N or N m, where none is given and one has a meaning.
    pub fn with_at_most(mut self, force: Option<f64>) -> Self {
        if self.kind.has_largest_force() {
            self.max_force = self.max_force.or(force);
        }
        self
    }

    /// The motor that begins at a time, s.
    pub fn motor(&self, start: f64) -> Motor {
        let asked = self.signal.clone();
        let signal: Signal = Arc::new(move |time| asked.at(time - start));
        let motor = Motor::new(match self.kind {
            DriveKind::Speed => Drive::Speed(signal),
            DriveKind::Position => Drive::Position(signal),
            DriveKind::Force => Drive::Force(signal),
        });
        match self.max_force {
            Some(force) => motor.max_force(force),
            None => motor,
        }
    }
}

impl MotorSignal {
    fn at(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        match self {
            Self::Expression(value) => value.evaluate(&[time]),
            Self::Table(rows) => between(rows, time, |a, b, share| a + share * (b - a)),
        }
    }
}
