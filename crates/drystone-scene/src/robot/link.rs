//! Links: mass and geometry.

use drystone::{MassProperties, Pose};
use drystone_collide::number::Number;
use glam::DMat3;

use super::Link;
use super::error::Fault;
use super::geometry::{self, Files, Geometry};
use super::notes::Notes;
use super::xml::Element;

pub(super) fn read(
    element: &Element<'_>,
    files: &Files<'_>,
    notes: &mut Notes,
) -> Result<Link, Fault> {
    let name = element.need_name("name")?.to_owned();
    let element = element.owned(format!("link {name}"));
    let (mut solid, mut seen) = (Vec::new(), Vec::new());
    for child in element.children() {
        match child.tag() {
            "inertial" => {}
            "collision" => solid.push(child),
            "visual" => seen.push(child),
            other => {
                element.refuse_xacro(&child)?;
                notes.unknown(other, &format!("link {name}"));
            }
        }
    }
    Ok(Link {
        inertial: inertial(&element)?,
        geometry: match solid.is_empty() {
            false => solid
                .iter()
                .map(|collision| placed(collision, files))
                .collect::<Result<_, _>>()?,
            true => stand_in(&seen, &name, files, notes)?,
        },
        at: element.at(),
        name,
    })
}

/// Mass, centre and inertia in the link's frame; none where there is no mass.
fn inertial(link: &Element<'_>) -> Result<Option<MassProperties>, Fault> {
    let Some(element) = link.child("inertial")? else {
        return Ok(None);
    };
    let mass = element.need_child("mass", "a mass in kg")?;
    mass.need_number("value")?;
    let mass = mass.not_negative("value")?.unwrap_or_default();
    if mass == 0.0 {
        return Ok(None);
    }
    let inertia = element.need_child("inertia", "ixx, ixy, ixz, iyy, iyz and izz in kg m²")?;
    let mut m = [0.0; 6];
    for (value, key) in m.iter_mut().zip(["ixx", "iyy", "izz"]) {
        *value = inertia.need_number(key)?;
    }
    for (value, key) in m[3..].iter_mut().zip(["ixy", "ixz", "iyz"]) {
        *value = inertia.number(key)?.unwrap_or(0.0);
    }
    let [xx, yy, zz, xy, xz, yz] = m;
    let tensor = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    // Sylvester: the leading minors.
    let definite = xx > 0.0 && xx * yy - xy * xy > 0.0 && tensor.determinant() > 0.0;
    if !(definite && tensor.determinant().is_finite()) {
        let [xx, yy, zz, xy, xz, yz] = m.map(Number);
        let found = format!("ixx={xx} iyy={yy} izz={zz} ixy={xy} ixz={xz} iyz={yz}");
        let words = format!("inertia {found} is not positive definite");
        return Err(inertia.fault(words));
    }
    let origin = element.origin()?;
    let turn = DMat3::from_quat(origin.rotation);
    let turned = turn * tensor * turn.transpose();
    let properties = MassProperties {
        mass,
        center: origin.position,
        // Rounding must not leave it skew.
        inertia: 0.5 * (turned + turned.transpose()),
    };
    if !properties.is_of_a_solid() {
        let [a, b, c] = properties.principal_moments().map(Number);
        let words = format!(
            "the principal moments of inertia {a}, {b} and {c} kg m² are not those of a solid: \
             expected none greater than the sum of the other two"
        );
        return Err(inertia.fault(words));
    }
    Ok(Some(properties))
}

fn placed(element: &Element<'_>, files: &Files<'_>) -> Result<(Pose, Geometry), Fault> {
    Ok((element.origin()?, geometry::read(element, files)?))
}

/// What is seen, for a link that says nothing of what is touched.
fn stand_in(
    seen: &[Element<'_>],
    name: &str,
    files: &Files<'_>,
    notes: &mut Notes,
) -> Result<Vec<(Pose, Geometry)>, Fault> {
    let mut parts = Vec::new();
    for visual in seen {
        // Pictures may have any format; what is touched may not.
        if geometry::is_unreadable_mesh(visual)? {
            let what = "<visual> is a mesh of a format that is not read, ignored";
            notes.add(what, name);
            continue;
        }
        match placed(visual, files) {
            Ok(part) => parts.push(part),
            Err(_) if geometry::is_picture(visual)? => {
                let what = "<visual> is a Collada or glTF mesh that cannot be read, ignored";
                notes.add(what, name);
            }
            Err(fault) => return Err(fault),
        }
    }
    if !parts.is_empty() {
        notes.add("<visual> is taken for the missing <collision>", name);
    }
    Ok(parts)
}
