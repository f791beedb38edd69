//! Positions and rotations.

use drystone::Pose;
use drystone_collide::number::Number;
use glam::DQuat;

use super::error::{FaultAt, FaultKind};
use super::key::Form;
use super::keys::{AXIS_ANGLE, QUATERNION};
use super::reader::{Reader, Value};
use super::units::Quantity;

/// The pose that `position` and `rotation` give.
pub(crate) fn pose(reader: &Reader<'_>) -> Result<Pose, FaultAt> {
    let rotation = match reader.value("rotation") {
        Some(value) => rotation(&value)?,
        None => DQuat::IDENTITY,
    };
    Ok(Pose {
        position: reader.vector("position")?.unwrap_or_default(),
        rotation,
    })
}

/// Angles about x, y and z in this order, an axis with an angle, or a quaternion.
pub(crate) fn rotation(value: &Value<'_>) -> Result<DQuat, FaultAt> {
    let item = value.item.get_ref();
    if item.is_array() {
        let angles = value.of_form(&Form::Vector(Quantity::Angle)).vector()?;
        let [x, y, z] = angles.to_array();
        let turn = DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y);
        return Ok((turn * DQuat::from_rotation_x(x)).normalize());
    }
    let Some(table) = item.as_table() else {
        return Err(value.fault(FaultKind::Type {
            found: item.type_str().to_owned(),
            expected: value.form.words(),
        }));
    };
    if !table.contains_key("quaternion") {
        let reader = value.table_of(&AXIS_ANGLE)?;
        let axis = reader.direction("axis")?;
        let axis = reader.need("axis", axis)?;
        return Ok(DQuat::from_axis_angle(axis, reader.need_number("angle")?));
    }
    let reader = value.table_of(&QUATERNION)?;
    let parts = reader.list_of("quaternion", |value| value.number())?;
    let [w, x, y, z] = reader.need("quaternion", parts)?;
    let quaternion = DQuat::from_xyzw(x, y, z, w);
    let length = quaternion.length();
    if !(length.is_finite() && length > 0.0) {
        return Err(reader.out_of_range("quaternion", Number(length), "of a length > 0"));
    }
    Ok(quaternion / length)
}
