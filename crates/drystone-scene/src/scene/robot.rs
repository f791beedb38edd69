//! Robots from URDF files.

use std::collections::BTreeMap;

use drystone::{Joint, JointId, JointKind, Touch};
use drystone_collide::number::Number;
use toml::Spanned;
use toml::de::{DeString, DeValue};

use super::error::{FaultAt, FaultKind};
use super::key::Form;
use super::model::{BodySpec, DriveSpec, End, JointSpec, Model, Opacity};
use super::reader::{Reader, Value};
use super::suggest::nearest;
use super::units::Quantity;
use super::{files, placement, surface};
use crate::quote::word;
use crate::robot::{Base, BuiltRobot, Placement, Robot, RobotError, read_urdf};

/// Reads a robot into the model; returns the names of its bodies.
pub(crate) fn read(reader: &Reader<'_>, model: &mut Model) -> Result<Vec<String>, FaultAt> {
    let path = files::resolve(reader, "file")?;
    let path = reader.need("file", path)?;
    let refused = |error: RobotError| reader.fault("file", FaultKind::Refused(error.to_string()));
    let within = match reader.cx.allow_outside {
        true => None,
        false => reader.cx.folder.as_deref(),
    };
    let robot = read_urdf(path, within).map_err(refused)?;
    let name = reader.text("name")?;
    let name = name.unwrap_or_else(|| robot.name.clone());
    if model.robots.contains(&name) {
        let what = "robot";
        return Err(reader.fault("name", FaultKind::Duplicate { what, name }));
    }
    let family = Touch::OutsideFamily(model.robots.len() as u32);
    let placement = Placement {
        pose: placement::pose(reader)?,
        base: reader.choice("base")?.unwrap_or(Base::Fixed),
        positions: positions(reader, &robot)?,
        touch: match reader.flag("self_collisions")? {
            Some(true) => Touch::All,
            Some(false) | None => family,
        },
        decompose: reader.flag("decompose")?.unwrap_or(false),
    };
    let built = robot.build(&placement).map_err(refused)?;
    let names = add(reader, model, &name, &built)?;
    let notes = robot.notes.iter().chain(&built.notes);
    let warnings = notes.map(|note| format!("robot {name}: {note}"));
    model.warnings.extend(warnings);
    model.robots.push(name);
    Ok(names)
}

/// Values under names of the robot's file.
fn named<'a>(
    reader: &Reader<'a>,
    key: &str,
    form: &'static Form,
) -> Result<Vec<(&'a str, Value<'a>)>, FaultAt> {
    let Some(value) = reader.value(key) else {
        return Ok(Vec::new());
    };
    let DeValue::Table(table) = value.item.get_ref() else {
        return Err(value.fault(FaultKind::Type {
            found: value.item.get_ref().type_str().to_owned(),
            expected: value.form.words(),
        }));
    };
    let entry = |(name, item): (&'a Spanned<DeString<'_>>, &'a Spanned<DeValue<'_>>)| {
        let name: &str = name.get_ref();
        let path = format!("{}.{name}", value.path);
        let cx = reader.cx;
        (
            name,
            Value {
                cx,
                item,
                form,
                path,
            },
        )
    };
    Ok(table.iter().map(entry).collect())
}

/// A fault of a name that the file, or the scene, does not have.
fn unknown<'n>(
    entry: &Value<'_>,
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> FaultAt {
    let suggestion = nearest(name, known);
    let name = word(name);
    let fault = entry.fault(FaultKind::UnknownName { what, name });
    fault.suggesting(suggestion)
}

/// Positions of joints at the start, m or rad.
fn positions(reader: &Reader<'_>, robot: &Robot) -> Result<BTreeMap<String, f64>, FaultAt> {
    let mut positions = BTreeMap::new();
    for (name, mut entry) in named(reader, "joints", &Form::Number(Quantity::Length))? {
        let Some(joint) = robot.joints.iter().find(|joint| joint.name == name) else {
            let known = robot.joints.iter().map(|joint| joint.name.as_str());
            return Err(unknown(&entry, "joint of the robot", name, known));
        };
        if !joint.kind.has_coordinate() {
            let words = format!("a {} joint has no position", joint.kind.name());
            return Err(entry.fault(FaultKind::Conflict(words)));
        }
        let mut unit = "m";
        if joint.kind.turns() {
            unit = "rad";
            entry = entry.of_form(&Form::Number(Quantity::Angle));
        }
        let position = entry.number()?;
        if let Some([lower, upper]) = joint.limits.filter(|[l, u]| !(*l..=*u).contains(&position)) {
            return Err(entry.fault(FaultKind::Range {
                value: format!("{} {unit}", Number(position)),
                expected: format!(
                    "within the file's limits {} and {} {unit}",
                    Number(lower),
                    Number(upper)
                ),
            }));
        }
        positions.insert(name.to_owned(), position);
    }
    Ok(positions)
}

/// Materials of single links, by their names in the file.
fn materials(
    reader: &Reader<'_>,
    model: &Model,
    built: &BuiltRobot,
) -> Result<BTreeMap<String, usize>, FaultAt> {
    let mut materials = BTreeMap::new();
    for (link, entry) in named(reader, "materials", &Form::Text)? {
        let links = || built.bodies.iter().map(|body| body.name.as_str());
        if !links().any(|known| known == link) {
            let what = "link of the robot with a body of its own";
            return Err(unknown(&entry, what, link, links()));
        }
        let name = entry.text()?;
        let known = || {
            model
                .materials
                .iter()
                .map(|material| material.name.as_str())
        };
        let Some(index) = known().position(|known| known == name) else {
            return Err(unknown(&entry, "material", &name, known()));
        };
        materials.insert(link.to_owned(), index);
    }
    Ok(materials)
}

/// Adds bodies and joints; returns the names of the bodies.
fn add(
    reader: &Reader<'_>,
    model: &mut Model,
    robot: &str,
    built: &BuiltRobot,
) -> Result<Vec<String>, FaultAt> {
    let material = surface::material(reader, &model.materials)?;
    let tint = material.map(|m| &model.materials[m]);
    let whole = surface::look(reader, tint, Opacity::Solid)?;
    let is_tinted = reader.value("color").is_some();
    let own = materials(reader, model, built)?;
    let hold = reader.flag("hold")?.unwrap_or(false);
    let mut names = Vec::with_capacity(built.bodies.len());
    for link in &built.bodies {
        let name = format!("{robot}/{}", link.name);
        let mut look = whole;
        let own = own.get(&link.name).copied();
        if let Some(color) = own.and_then(|m| model.materials[m].color)
            && !is_tinted
        {
            look.color = Some(color);
        }
        if !link.is_seen {
            look.opacity = Opacity::Hidden;
        }
        model.bodies.push(BodySpec {
            body: link.body.clone().named(&name),
            material: own.or(material),
            motion: None,
            load: None,
            look,
            place: reader.place(),
        });
        names.push(name);
    }
    let first = model.joints.len();
    let follows = |index: usize| built.couplings.iter().any(|c| c.joints[1] == index);
    for (index, joint) in built.joints.iter().enumerate() {
        // A joint that follows is held by the one that it follows.
        let held = joint.position.filter(|_| hold && !follows(index));
        let drive = held.map(DriveSpec::hold);
        let motor = drive.map(|drive| {
            model.drives.push(drive.with_at_most(joint.effort));
            model.drives.len() - 1
        });
        let end = |body: usize| End::Body {
            name: names[body].clone(),
            index: None,
        };
        model.joints.push(JointSpec {
            name: format!("{robot}/{}", joint.name),
            joint: joint.joint.clone(),
            ends: joint.bodies.map(end),
            motor,
            effort: joint.effort,
            place: reader.place(),
        });
    }
    for coupling in &built.couplings {
        let kind = JointKind::Coupling {
            joints: coupling.joints.map(|joint| JointId::new(first + joint)),
            ratio: coupling.ratio,
            offset: Some(coupling.offset),
        };
        model.joints.push(JointSpec {
            name: format!("{robot}/{}", coupling.name),
            joint: Joint::new(kind, None, None).collide(true),
            ends: [End::World, End::World],
            motor: None,
            effort: None,
            place: reader.place(),
        });
    }
    Ok(names)
}
