//! Joints, motors and springs.

use std::sync::Arc;

use drystone::{Drive, Joint, JointKind, Motor, Signal, Spring};
use glam::DVec3;

use super::body::set_index;
use super::error::{FaultKind, Slip};
use super::expression::Expression;
use super::model::{DriveSpec, End, JointSpec, Told};
use super::motion::{between, read_times};
use super::reader::{Reader, Value};

/// Most joints of one entry.
const MOST_JOINTS: u64 = 1_000_000;

/// The name of the world in a joint's bodies.
const WORLD: &str = "world";

/// What joints refer to, and what they add to.
pub(crate) struct Around<'m> {
    /// Names of all bodies and fills.
    pub names: &'m [String],
    pub drives: &'m mut Vec<DriveSpec>,
}

pub(crate) fn read(reader: &Reader<'_>, around: &mut Around<'_>) -> Result<Vec<JointSpec>, Slip> {
    let Some(count) = reader.integer("repeat")? else {
        return Ok(vec![read_one(reader, around)?]);
    };
    if count > MOST_JOINTS {
        let expected = format!("at most {MOST_JOINTS}");
        return Err(reader.out_of_range("repeat", count, &expected));
    }
    let mut joints = Vec::new();
    for index in 0..count {
        set_index(reader, Some(index));
        let joint = read_one(reader, around);
        set_index(reader, None);
        joints.push(joint?);
    }
    Ok(joints)
}

fn read_one(reader: &Reader<'_>, around: &mut Around<'_>) -> Result<JointSpec, Slip> {
    let name = reader.text("name")?.unwrap_or_else(|| "joint".to_owned());
    let ends: [End; 2] = {
        let ends = reader.list_of("bodies", |value| end(value, around.names))?;
        reader.need("bodies", ends)?
    };
    let kind = kind(reader)?;
    let mut joint = Joint::new(kind, None, None);
    joint = match kind {
        JointKind::Distance(_) | JointKind::Link => {
            joint.between(reader.need_vector("from")?, reader.need_vector("to")?)
        }
        JointKind::Gear { .. } => joint,
        _ => joint.at(reader.vector("at")?.unwrap_or_default()),
    };
    joint = match kind {
        JointKind::Spherical | JointKind::Fixed | JointKind::Distance(_) | JointKind::Link => joint,
        _ => joint.axis(reader.direction("axis")?.unwrap_or(DVec3::Z)),
    };
    if let JointKind::Universal | JointKind::Gear { .. } | JointKind::Rack { .. } = kind
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
                let found = format!("[{lower}, {upper}]");
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
        if let Some(table) = reader.table("motor")? {
            around.drives.push(DriveSpec::read(&table)?);
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

fn kind(reader: &Reader<'_>) -> Result<JointKind, Slip> {
    Ok(match reader.kind() {
        "spherical" => JointKind::Spherical,
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "universal" => JointKind::Universal,
        "fixed" => JointKind::Fixed,
        "distance" => JointKind::Distance(reader.positive("length")?),
        "link" => JointKind::Link,
        "point-on-line" => JointKind::PointOnLine,
        "point-on-plane" => JointKind::PointOnPlane,
        "gear" => JointKind::Gear {
            ratio: reader.need_number("ratio")?,
        },
        _ => JointKind::Rack {
            radius: reader.need_number("radius")?,
        },
    })
}

/// `"world"`, `"rod"` or `"link[index + 1]"`.
fn end(value: &Value<'_>, names: &[String]) -> Result<End, Slip> {
    let text = value.text()?;
    if text == WORLD {
        return Ok(End::World);
    }
    let (name, index) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
        None => (text.as_str(), None),
        Some((name, index)) => (name, Some(index)),
    };
    if !names.iter().any(|known| known == name) {
        let mut slip = value.slip(FaultKind::UnknownName {
            what: "body",
            name: name.to_owned(),
        });
        let known = names.iter().map(String::as_str);
        slip.suggestion = super::suggest::nearest(name, known.chain([WORLD]));
        return Err(slip);
    }
    let index = match index {
        None => None,
        Some(text) => {
            let scope = value.cx.scope.borrow();
            let index = Expression::parse(text, &scope).map_err(|error| {
                value.slip(FaultKind::Expression {
                    expression: text.to_owned(),
                    column: 1 + error.at,
                    reason: error.reason,
                })
            })?;
            let index = index.evaluate(&[]);
            if !(index >= 0.0 && index.fract() == 0.0 && index < 1e9) {
                return Err(value.slip(FaultKind::Range {
                    value: index.to_string(),
                    expected: "a whole number >= 0".to_owned(),
                }));
            }
            Some(index as usize)
        }
    };
    Ok(End::Body {
        name: name.to_owned(),
        index,
    })
}

impl DriveSpec {
    pub fn read(reader: &Reader<'_>) -> Result<Self, Slip> {
        let signal = match (reader.function("value")?, reader.has("times")) {
            (Some(_), true) => {
                let words = "both `value` and `times`: leave one out";
                return Err(reader.conflict("times", words));
            }
            (Some(value), false) => Told::Expression(value),
            (None, _) => {
                if !reader.has("times") {
                    return reader.need("value", None);
                }
                let times = read_times(reader)?;
                let values = reader.list("values", |value| value.number())?;
                let values = reader.need("values", values)?;
                super::motion::check_length(reader, "values", values.len(), times.len())?;
                Told::Table(times.into_iter().zip(values).collect())
            }
        };
        let start = signal.at(0.0);
        if !start.is_finite() {
            return Err(reader.out_of_range("value", start, "finite at t = 0"));
        }
        let kind = reader.kind();
        let max_force = match kind {
            "speed" | "position" => reader.positive("max_force")?,
            _ => None,
        };
        Ok(Self {
            kind,
            told: signal,
            max_force,
        })
    }

    /// Keeps a position, m or rad.
    pub fn hold(position: f64) -> Self {
        Self {
            kind: "position",
            told: Told::Table(Arc::from([(0.0, position)])),
            max_force: None,
        }
    }

    /// With this largest force, N or N m, where none is given and one has a meaning.
    pub fn with_at_most(mut self, force: Option<f64>) -> Self {
        if matches!(self.kind, "speed" | "position") {
            self.max_force = self.max_force.or(force);
        }
        self
    }

    /// The motor that begins at a time, s.
    pub fn motor(&self, start: f64) -> Motor {
        let told = self.told.clone();
        let signal: Signal = Arc::new(move |time| told.at(time - start));
        let motor = Motor::new(match self.kind {
            "speed" => Drive::Speed(signal),
            "position" => Drive::Position(signal),
            _ => Drive::Force(signal),
        });
        match self.max_force {
            Some(force) => motor.max_force(force),
            None => motor,
        }
    }
}

impl Told {
    fn at(&self, time: f64) -> f64 {
        let time = time.max(0.0);
        match self {
            Self::Expression(value) => value.evaluate(&[time]),
            Self::Table(rows) => between(rows, time, |a, b, share| a + share * (b - a)),
        }
    }
}
