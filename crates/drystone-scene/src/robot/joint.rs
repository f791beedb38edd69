//! Joints.

use drystone_collide::number::Number;
use glam::DVec3;

use super::error::Fault;
use super::mimic;
use super::notes::Notes;
use super::xml::Element;
use super::{Link, RobotJoint, RobotJointKind};
use crate::quote::quoted;

pub(super) fn read_all(
    elements: &[Element<'_>],
    links: &[Link],
    notes: &mut Notes,
) -> Result<Vec<RobotJoint>, Fault> {
    let mut joints: Vec<RobotJoint> = Vec::new();
    for element in elements {
        let joint = read(element, links, notes)?;
        if joints.iter().any(|other| other.name == joint.name) {
            return Err(element.fault(format!("joint {} is there twice", joint.name)));
        }
        joints.push(joint);
    }
    mimic::check(&joints)?;
    Ok(joints)
}

fn read(element: &Element<'_>, links: &[Link], notes: &mut Notes) -> Result<RobotJoint, Fault> {
    let name = element.need_name("name")?.to_owned();
    let element = element.owned(format!("joint {name}"));
    let kind = kind(&element)?;
    let [parent, child] = [
        end(&element, "parent", links)?,
        end(&element, "child", links)?,
    ];
    let (limits, effort) = limits(&element, kind, &name, notes)?;
    for part in element.children() {
        match part.tag() {
            "origin" | "axis" | "parent" | "child" | "limit" | "dynamics" | "mimic" => {}
            "safety_controller" | "calibration" => {
                notes.add(format!("<{}> is ignored", part.tag()), &name);
            }
            other => {
                element.refuse_xacro(&part)?;
                notes.unknown(other, &format!("joint {name}"));
            }
        }
    }
    Ok(RobotJoint {
        kind,
        parent,
        child,
        origin: element.origin()?,
        axis: axis(&element)?,
        limits,
        effort,
        damping: damping(&element, kind, &name, notes)?,
        mimic: mimic::read(&element)?,
        at: element.at(),
        name,
    })
}

fn kind(element: &Element<'_>) -> Result<RobotJointKind, Fault> {
    let word = element.need_text("type")?;
    let found = RobotJointKind::ALL.into_iter().find(|k| k.name() == word);
    found.ok_or_else(|| {
        let known = RobotJointKind::ALL.map(RobotJointKind::name).join(", ");
        element.fault(format!("type {}, expected one of {known}", quoted(word)))
    })
}

/// Index of the link that the joint is on.
fn end(element: &Element<'_>, tag: &str, links: &[Link]) -> Result<usize, Fault> {
    let end = element.need_child(tag, "the name of a link")?;
    let name = end.need_text("link")?;
    let found = links.iter().position(|link| link.name == name);
    found.ok_or_else(|| {
        let name = quoted(name);
        end.fault(format!("<{tag}> link={name}, but there is no such link"))
    })
}

fn axis(element: &Element<'_>) -> Result<DVec3, Fault> {
    let Some(axis) = element.child("axis")? else {
        return Ok(DVec3::X);
    };
    let vector = axis.vector("xyz")?.unwrap_or(DVec3::X);
    vector.try_normalize().ok_or_else(|| {
        let words = format!("<axis> xyz={:?} has no direction", vector.to_array());
        axis.fault(words)
    })
}

/// Smallest and largest coordinate, and largest effort.
fn limits(
    element: &Element<'_>,
    kind: RobotJointKind,
    name: &str,
    notes: &mut Notes,
) -> Result<(Option<[f64; 2]>, Option<f64>), Fault> {
    let limited = matches!(kind, RobotJointKind::Revolute | RobotJointKind::Prismatic);
    let Some(limit) = element.child("limit")? else {
        if limited {
            let kind = kind.name();
            let words = format!("a {kind} joint needs <limit> with `lower` and `upper`");
            return Err(element.fault(words));
        }
        return Ok((None, None));
    };
    if !kind.has_coordinate() {
        notes.add(
            format!("<limit> of a {} joint is ignored", kind.name()),
            name,
        );
        return Ok((None, None));
    }
    if limit.number("velocity")?.is_some() {
        notes.add("<limit velocity> is ignored", name);
    }
    let effort = limit.not_negative("effort")?;
    if effort == Some(0.0) {
        notes.add("<limit effort> of 0 is taken for none", name);
    }
    let [lower, upper] = [limit.number("lower")?, limit.number("upper")?];
    let range = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    if limited && range[0] > range[1] {
        let [lower, upper] = range;
        let (lower, upper) = (Number(lower), Number(upper));
        let words = format!("<limit> lower={lower} is greater than upper={upper}");
        return Err(limit.fault(words));
    }
    Ok((limited.then_some(range), effort.filter(|e| *e > 0.0)))
}

fn damping(
    element: &Element<'_>,
    kind: RobotJointKind,
    name: &str,
    notes: &mut Notes,
) -> Result<f64, Fault> {
    let Some(dynamics) = element.child("dynamics")? else {
        return Ok(0.0);
    };
    let damping = dynamics.not_negative("damping")?.unwrap_or(0.0);
    let friction = dynamics.not_negative("friction")?.unwrap_or(0.0);
    if friction > 0.0 {
        notes.add("<dynamics friction> is ignored", name);
    }
    if damping > 0.0 && !kind.has_coordinate() {
        let what = format!("<dynamics damping> of a {} joint is ignored", kind.name());
        notes.add(what, name);
    }
    Ok(damping)
}
