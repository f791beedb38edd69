//! From the description of a joint to a joint of the world, with everything that can be wrong.

use drystone_collide::Pose;
use glam::{DMat3, DQuat, DVec3};

use super::{Drive, Joint, JointEnds, JointFrames, JointKind, StoredJoint, rows};
use crate::bodies::Bodies;
use crate::error::WorldError;

/// Checks a joint and places its frames on the bodies as they are now.
pub(crate) fn place(
    joint: &Joint,
    name: String,
    bodies: &Bodies,
    time: f64,
) -> Result<StoredJoint, WorldError> {
    let wrong = |what: String| WorldError::Joint {
        joint: name.clone(),
        what,
    };
    for body in joint.bodies.into_iter().flatten() {
        if body.index() >= bodies.len() {
            let count = bodies.len();
            return Err(wrong(format!(
                "there is no body {}, only {count}",
                body.index()
            )));
        }
    }
    if joint.bodies[0] == joint.bodies[1] {
        return Err(wrong("its two ends are on the same body".to_owned()));
    }
    let ends = joint.bodies.map(|b| b.map(|b| b.0));
    let poses = ends.map(|b| b.map_or(Pose::IDENTITY, |b| bodies.pose(b as usize)));
    let world = match joint.frames {
        JointFrames::Bodies(frames) => [0, 1].map(|k| poses[k].compose(&frames[k])),
        JointFrames::World {
            points,
            axis,
            second_axis,
        } => {
            let rotations = rotations(joint.kind, axis, second_axis).map_err(wrong)?;
            [0, 1].map(|k| Pose {
                position: points[k],
                rotation: rotations[k],
            })
        }
    };
    if !joint.turned.is_finite() {
        return Err(wrong(format!("its angle {} is not finite", joint.turned)));
    }
    if !world.iter().all(Pose::is_finite) {
        return Err(wrong("its place is not finite".to_owned()));
    }
    let mut stored = StoredJoint {
        name: name.clone(),
        kind: joint.kind,
        bodies: ends,
        frames: [0, 1].map(|k| poses[k].inverse().compose(&world[k])),
        length: world[0].position.distance(world[1].position),
        start: world,
        limits: joint.limits,
        motor: joint.motor.clone(),
        spring: joint.spring,
        collide: joint.collide,
        compliance: joint.compliance,
    };
    check_kind(&mut stored).map_err(wrong)?;
    check_drives(&mut stored, joint.turned, bodies, time).map_err(wrong)?;
    Ok(stored)
}

/// Rotations of the two frames: z along the axis, x along the second one. Gears have an axis each.
fn rotations(
    kind: JointKind,
    axis: DVec3,
    second_axis: Option<DVec3>,
) -> Result<[DQuat; 2], String> {
    let unit = |v: DVec3, what: &str| {
        v.try_normalize()
            .ok_or_else(|| format!("{what} {v} has no direction"))
    };
    let z = unit(axis, "its axis")?;
    let other = second_axis
        .map(|v| unit(v, "its second axis"))
        .transpose()?;
    if let JointKind::Gear { .. } = kind {
        let [a, b] = [z, other.unwrap_or(z)].map(|z| basis(z, z.any_orthonormal_vector()));
        return Ok([a, b]);
    }
    let needs_second = matches!(kind, JointKind::Universal | JointKind::Rack { .. });
    let x = match other {
        None if needs_second => {
            return Err(format!("a {} joint needs a second axis", kind.name()));
        }
        None => z.any_orthonormal_vector(),
        Some(x) => {
            let across = x - x.dot(z) * z;
            // Up to 2.5 degrees off are rounding of hand-written directions, and made exact.
            if needs_second && across.length() < 0.999 {
                return Err("its two axes are not perpendicular".to_owned());
            }
            let across = across.try_normalize();
            across.ok_or_else(|| "its two axes are parallel".to_owned())?
        }
    };
    Ok([basis(z, x); 2])
}

/// The rotation whose z and x axes are given, perpendicular and of unit length.
fn basis(z: DVec3, x: DVec3) -> DQuat {
    DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize()
}

/// Checks what its kind asks for.
fn check_kind(joint: &mut StoredJoint) -> Result<(), String> {
    match joint.kind {
        JointKind::Distance(length) => {
            let length = length.unwrap_or(joint.length);
            if !(length.is_finite() && length > 0.0) {
                return Err(format!("its length {length} m is not a finite number > 0"));
            }
            if joint.length <= 0.0 {
                return Err("its two points are in one place, so it has no direction".to_owned());
            }
            joint.length = length;
        }
        JointKind::Link if joint.length <= 0.0 => {
            return Err("its two points are in one place, so it has no direction".to_owned());
        }
        JointKind::Gear { ratio: value } | JointKind::Rack { radius: value }
            if !(value.is_finite() && value != 0.0) =>
        {
            return Err(format!(
                "its ratio {value} is not finite and different from 0"
            ));
        }
        JointKind::Spherical
        | JointKind::Revolute
        | JointKind::Prismatic
        | JointKind::Cylindrical
        | JointKind::Universal
        | JointKind::Fixed
        | JointKind::Link
        | JointKind::PointOnLine
        | JointKind::PointOnPlane
        | JointKind::Gear { .. }
        | JointKind::Rack { .. }
        | JointKind::Coupling { .. } => {}
    }
    if !(joint.compliance.is_finite() && joint.compliance >= 0.0) {
        let value = joint.compliance;
        return Err(format!(
            "its compliance {value} is not a finite number >= 0"
        ));
    }
    let acts = joint.limits.is_some() || joint.motor.is_some() || joint.spring.is_some();
    if acts && !joint.kind.has_coordinate() {
        return Err(format!(
            "a {} joint has no coordinate: limits, motors and springs are for revolute, \
             prismatic, cylindrical joints and links",
            joint.kind.name()
        ));
    }
    Ok(())
}

/// Checks limits, spring and motor; fills in the rest of the spring.
fn check_drives(
    joint: &mut StoredJoint,
    turned: f64,
    bodies: &Bodies,
    time: f64,
) -> Result<(), String> {
    let ends = JointEnds::now(joint, bodies);
    let coordinate = rows::coordinate(joint, &ends, turned).map_or(0.0, |c| c.value);
    if let Some([lower, upper]) = joint.limits {
        if lower.is_nan() || upper.is_nan() || lower > upper {
            return Err(format!("its limits {lower} and {upper} are not in order"));
        }
        // A coordinate at its limit may be off by rounding.
        let margin = 1e-9 * (1.0 + coordinate.abs());
        if coordinate < lower - margin || coordinate > upper + margin {
            return Err(format!(
                "its coordinate {coordinate} is outside its limits {lower} and {upper}"
            ));
        }
    }
    if let Some(spring) = &mut joint.spring {
        for (what, value) in [("stiffness", spring.stiffness), ("damping", spring.damping)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("its {what} {value} is not a finite number >= 0"));
            }
        }
        let rest = *spring.rest.get_or_insert(coordinate);
        if !rest.is_finite() {
            return Err(format!("its spring's rest {rest} is not finite"));
        }
    }
    if let Some(motor) = &joint.motor {
        if let Some(force) = motor.max_force.filter(|f| f.is_nan() || *f <= 0.0) {
            return Err(format!(
                "its motor's largest force {force} is not a number > 0"
            ));
        }
        let (Drive::Speed(signal) | Drive::Position(signal) | Drive::Force(signal)) = &motor.drive;
        let value = signal(time);
        if !value.is_finite() {
            return Err(format!(
                "its motor's value {value} at {time} s is not finite"
            ));
        }
    }
    Ok(())
}
