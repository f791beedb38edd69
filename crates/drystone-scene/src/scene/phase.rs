//! Phases and what happens at their start.

use std::collections::BTreeMap;

use super::assemble::is_known;
use super::body;
use super::error::{FaultAt, FaultKind};
use super::keys::{ADD, ActionKey};
use super::model::{
    Action, ContainerInside, DriveSpec, JointSpec, PhaseSpec, RestCondition, Until,
};
use super::motion::Motion;
use super::reader::{Reader, Value};
use super::settings::SettingsChange;
use crate::named::Named;

/// What phases refer to, and what they add to.
pub(crate) struct PhaseScene<'m> {
    /// Names of all bodies and fills.
    pub names: &'m [String],
    pub insides: &'m [ContainerInside],
    pub motions: &'m mut Vec<Motion>,
    /// The first joint of each name.
    pub joints: &'m BTreeMap<&'m str, &'m JointSpec>,
    pub drives: &'m mut Vec<DriveSpec>,
}

pub(crate) fn read(
    reader: &Reader<'_>,
    index: usize,
    scene: &mut PhaseScene<'_>,
) -> Result<PhaseSpec, FaultAt> {
    let until = match reader.table("until")? {
        Some(table) => read_until(&table)?,
        None => Until::default(),
    };
    let mut at_start = Vec::new();
    if let Some(value) = reader.value("at_start") {
        for entry in value.entries()? {
            read_actions(&entry.table()?, scene, &mut at_start)?;
        }
    }
    Ok(PhaseSpec {
        name: reader
            .text("name")?
            .unwrap_or_else(|| format!("{}", index + 1)),
        until,
        at_start,
        place: reader.place(),
    })
}

fn read_until(reader: &Reader<'_>) -> Result<Until, FaultAt> {
    let rest = match reader.table("rest")? {
        Some(table) => {
            let speed = table.positive("speed")?;
            Some(RestCondition {
                speed: table.need("speed", speed)?,
                duration: table.not_negative("for")?.unwrap_or(0.0),
            })
        }
        None => None,
    };
    let until = Until {
        time: reader.positive("time")?,
        steps: reader.integer("steps")?,
        rest,
    };
    if until == Until::default() {
        return Err(FaultAt::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Missing {
                key: "time".to_owned(),
                expected: "one of time, steps, rest".to_owned(),
            },
        ));
    }
    Ok(until)
}

/// The actions of one table, in the order of [`ActionKey`]: usually it holds one.
fn read_actions(
    reader: &Reader<'_>,
    scene: &mut PhaseScene<'_>,
    actions: &mut Vec<Action>,
) -> Result<(), FaultAt> {
    let before = actions.len();
    for key in ActionKey::ALL {
        if let Some(value) = reader.value(key.name()) {
            actions.push(read_action(*key, &value, reader, scene)?);
        }
    }
    if actions.len() == before {
        return Err(FaultAt::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Conflict("an action without an effect".to_owned()),
        ));
    }
    Ok(())
}

/// The action of a key that is there.
fn read_action(
    key: ActionKey,
    value: &Value<'_>,
    reader: &Reader<'_>,
    scene: &mut PhaseScene<'_>,
) -> Result<Action, FaultAt> {
    Ok(match key {
        ActionKey::Remove => Action::Remove(body_name(reader, key.name(), scene)?),
        ActionKey::Add => read_add(reader, value, scene)?,
        ActionKey::Stop => Action::Stop(body_name(reader, key.name(), scene)?),
        ActionKey::Motion => read_motion(&value.table()?, scene)?,
        ActionKey::Load => {
            let table = value.table()?;
            Action::Load {
                body: body_name(&table, "body", scene)?,
                load: body::load(&table)?,
            }
        }
        ActionKey::Velocity => {
            let table = value.table()?;
            Action::Velocity {
                body: body_name(&table, "body", scene)?,
                velocity: table.vector("velocity")?.unwrap_or_default(),
                angular_velocity: table.vector("angular_velocity")?.unwrap_or_default(),
            }
        }
        ActionKey::Release => Action::Release(joint_name(reader, key.name(), scene)?),
        ActionKey::Hold => Action::Hold(joint_name(reader, key.name(), scene)?),
        ActionKey::Motor => read_motor(&value.table()?, scene)?,
        ActionKey::Settings => {
            let table = value.table()?;
            if table.has("duration") {
                let words = "`duration` is that of the whole run: set it in [settings]";
                return Err(table.conflict("duration", words));
            }
            Action::Settings(Box::new(SettingsChange::read(&table)?))
        }
    })
}

fn read_motion(reader: &Reader<'_>, scene: &mut PhaseScene<'_>) -> Result<Action, FaultAt> {
    let body = body_name(reader, "body", scene)?;
    let (kind, table) = reader.need_typed("motion")?;
    let mut motion = Motion::read(kind, &table)?;
    if let Some(inside) = scene.insides.iter().find(|i| i.name == body) {
        motion = motion.about(inside.frame.position);
    }
    scene.motions.push(motion);
    let motion = scene.motions.len() - 1;
    Ok(Action::Motion { body, motion })
}

fn read_motor(reader: &Reader<'_>, scene: &mut PhaseScene<'_>) -> Result<Action, FaultAt> {
    let name = reader.need_text("joint")?;
    let joint = joint_named(reader, "joint", &name, scene)?;
    let (kind, effort) = (joint.joint.kind(), joint.effort);
    if !kind.has_coordinate() {
        let words = format!("a {} joint has no motor", kind.name());
        return Err(reader.conflict("joint", words));
    }
    let drive = match reader.value("motor") {
        None => None,
        Some(value) => {
            let drive = DriveSpec::read_for(kind, &value)?;
            scene.drives.push(drive.with_at_most(effort));
            Some(scene.drives.len() - 1)
        }
    };
    Ok(Action::Motor { joint: name, drive })
}

/// The name of joints that exist.
fn joint_name(reader: &Reader<'_>, key: &str, scene: &PhaseScene<'_>) -> Result<String, FaultAt> {
    let name = reader.need_text(key)?;
    joint_named(reader, key, &name, scene)?;
    Ok(name)
}

/// The first joint of a name: all of them are of one kind.
fn joint_named<'c>(
    reader: &Reader<'_>,
    key: &str,
    name: &str,
    scene: &PhaseScene<'c>,
) -> Result<&'c JointSpec, FaultAt> {
    match scene.joints.get(name) {
        Some(joint) => Ok(joint),
        None => {
            let known = scene.joints.keys().copied();
            Err(reader.unknown_name(key, "joint", name, known))
        }
    }
}

fn read_add(
    reader: &Reader<'_>,
    value: &Value<'_>,
    scene: &PhaseScene<'_>,
) -> Result<Action, FaultAt> {
    if value.item.get_ref().is_str() {
        return Ok(Action::Add {
            body: body_name(reader, "add", scene)?,
            above: None,
            gap: 0.0,
        });
    }
    if !value.item.get_ref().is_table() {
        return Err(value.fault(FaultKind::Type {
            found: value.item.get_ref().type_str().to_owned(),
            expected: value.form.words(),
        }));
    }
    let table = value.table_of(&ADD)?;
    let above = match table.has("above") {
        true => Some(body_name(&table, "above", scene)?),
        false => None,
    };
    Ok(Action::Add {
        body: body_name(&table, "body", scene)?,
        above,
        gap: table.number("gap")?.unwrap_or(0.0),
    })
}

/// The name of bodies that exist.
fn body_name(reader: &Reader<'_>, key: &str, scene: &PhaseScene<'_>) -> Result<String, FaultAt> {
    let name = reader.need_text(key)?;
    if is_known(scene.names, &name) {
        return Ok(name);
    }
    let known = scene.names.iter().map(String::as_str);
    Err(reader.unknown_name(key, "body", &name, known))
}
