//! Phases and what happens at their start.

use drystone::JointKind;

use super::body;
use super::error::{FaultKind, Slip};
use super::keys::{ADD, PUSHING_FORM, TURNING_FORM};
use super::model::{Action, DriveSpec, Inside, JointSpec, PhaseSpec, Rest, Until};
use super::motion::Motion;
use super::reader::{Reader, Value};
use super::settings::SettingsChange;

/// What phases refer to, and what they add to.
pub(crate) struct Cast<'m> {
    /// Names of all bodies and fills.
    pub names: &'m [String],
    pub insides: &'m [Inside],
    pub motions: &'m mut Vec<Motion>,
    pub joints: &'m [JointSpec],
    pub drives: &'m mut Vec<DriveSpec>,
}

pub(crate) fn read(
    reader: &Reader<'_>,
    index: usize,
    cast: &mut Cast<'_>,
) -> Result<PhaseSpec, Slip> {
    let until = match reader.table("until")? {
        Some(table) => read_until(&table)?,
        None => Until::default(),
    };
    let mut at_start = Vec::new();
    if let Some(value) = reader.value("at_start") {
        for entry in value.entries()? {
            read_actions(&entry.table()?, cast, &mut at_start)?;
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

fn read_until(reader: &Reader<'_>) -> Result<Until, Slip> {
    let rest = match reader.table("rest")? {
        Some(table) => {
            let speed = table.positive("speed")?;
            Some(Rest {
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
        return Err(Slip::new(
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

/// The actions of one table, in a fixed order: usually it holds one.
fn read_actions(
    reader: &Reader<'_>,
    cast: &mut Cast<'_>,
    actions: &mut Vec<Action>,
) -> Result<(), Slip> {
    let before = actions.len();
    if reader.has("remove") {
        actions.push(Action::Remove(body_name(reader, "remove", cast)?));
    }
    if let Some(value) = reader.value("add") {
        actions.push(read_add(reader, &value, cast)?);
    }
    if reader.has("stop") {
        actions.push(Action::Stop(body_name(reader, "stop", cast)?));
    }
    if let Some(table) = reader.table("motion")? {
        let body = body_name(&table, "body", cast)?;
        let motion = table.table("motion")?;
        let mut motion = Motion::read(&table.need("motion", motion)?)?;
        if let Some(inside) = cast.insides.iter().find(|i| i.name == body) {
            motion = motion.about(inside.frame.position);
        }
        cast.motions.push(motion);
        let motion = cast.motions.len() - 1;
        actions.push(Action::Motion { body, motion });
    }
    if let Some(table) = reader.table("load")? {
        actions.push(Action::Load {
            body: body_name(&table, "body", cast)?,
            load: body::load(&table)?,
        });
    }
    if let Some(table) = reader.table("velocity")? {
        actions.push(Action::Velocity {
            body: body_name(&table, "body", cast)?,
            velocity: table.vector("velocity")?.unwrap_or_default(),
            angular_velocity: table.vector("angular_velocity")?.unwrap_or_default(),
        });
    }
    if reader.has("release") {
        let name = reader.need_text("release")?;
        joint_named(reader, "release", &name, cast)?;
        actions.push(Action::Release(name));
    }
    if reader.has("hold") {
        let name = reader.need_text("hold")?;
        joint_named(reader, "hold", &name, cast)?;
        actions.push(Action::Hold(name));
    }
    if let Some(table) = reader.table("motor")? {
        actions.push(read_motor(&table, cast)?);
    }
    if let Some(table) = reader.table("settings")? {
        if table.has("duration") {
            let words = "`duration` is that of the whole run: set it in [settings]";
            return Err(table.conflict("duration", words));
        }
        actions.push(Action::Settings(SettingsChange::read(&table)?));
    }
    if actions.len() == before {
        return Err(Slip::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Conflict("an action without an effect".to_owned()),
        ));
    }
    Ok(())
}

fn read_motor(reader: &Reader<'_>, cast: &mut Cast<'_>) -> Result<Action, Slip> {
    let name = reader.need_text("joint")?;
    let joint = joint_named(reader, "joint", &name, cast)?;
    let (kind, effort) = (joint.joint.kind(), joint.effort);
    let drive = match reader.value("motor") {
        None => None,
        Some(value) => {
            let form = match kind {
                JointKind::Revolute => &TURNING_FORM,
                _ => &PUSHING_FORM,
            };
            let drive = DriveSpec::read(&value.of_form(form).table()?)?;
            cast.drives.push(drive.with_at_most(effort));
            Some(cast.drives.len() - 1)
        }
    };
    if !kind.has_coordinate() {
        let words = format!("a {} joint has no motor", kind.name());
        return Err(reader.conflict("joint", words));
    }
    Ok(Action::Motor { joint: name, drive })
}

/// The first joint of a name: all of them are of one kind.
fn joint_named<'c>(
    reader: &Reader<'_>,
    key: &str,
    name: &str,
    cast: &Cast<'c>,
) -> Result<&'c JointSpec, Slip> {
    let found = cast.joints.iter().find(|joint| joint.name == name);
    match found {
        Some(joint) => Ok(joint),
        None => {
            let known = cast.joints.iter().map(|joint| joint.name.as_str());
            Err(reader.unknown_name(key, "joint", name, known))
        }
    }
}

fn read_add(reader: &Reader<'_>, value: &Value<'_>, cast: &Cast<'_>) -> Result<Action, Slip> {
    if value.item.get_ref().is_str() {
        return Ok(Action::Add {
            body: body_name(reader, "add", cast)?,
            above: None,
            gap: 0.0,
        });
    }
    if !value.item.get_ref().is_table() {
        return Err(value.slip(FaultKind::Type {
            found: value.item.get_ref().type_str().to_owned(),
            expected: value.form.words(),
        }));
    }
    let table = value.table_of(&ADD)?;
    let above = match table.has("above") {
        true => Some(body_name(&table, "above", cast)?),
        false => None,
    };
    Ok(Action::Add {
        body: body_name(&table, "body", cast)?,
        above,
        gap: table.number("gap")?.unwrap_or(0.0),
    })
}

/// The name of bodies that exist.
fn body_name(reader: &Reader<'_>, key: &str, cast: &Cast<'_>) -> Result<String, Slip> {
    let name = reader.need_text(key)?;
    if cast.names.contains(&name) {
        return Ok(name);
    }
    let known = cast.names.iter().map(String::as_str);
    Err(reader.unknown_name(key, "body", &name, known))
}
