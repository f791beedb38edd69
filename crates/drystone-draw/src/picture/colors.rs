//! What the colours of bodies stand for.

use std::f64::consts::PI;

use drystone::BodyKind;
use drystone_run::recording::{ConvexRecord, Frame, RunHeader, ShapeRecord, Surface};
use drystone_scene::view::ColorBy;

use super::PictureError;
use crate::render::color::{category, ground, stone};
use crate::render::legend::scale_of;
use crate::render::{Color, Legend};

/// Walls and tools whose colour means nothing.
const FITTINGS: [u8; 3] = [0x9f, 0xb0, 0xbc];

/// What the colours mean, and a colour a body.
pub fn colors(
    header: &RunHeader,
    frame: &Frame,
    by: Option<ColorBy>,
) -> Result<(Option<Legend>, Vec<Color>), PictureError> {
    let mut colors: Vec<Color> = (0..header.bodies.len()).map(|k| own(header, k)).collect();
    let Some(by) = by else {
        return Ok((None, colors));
    };
    let dynamic: Vec<usize> = (0..header.bodies.len())
        .filter(|&k| header.bodies[k].kind == BodyKind::Dynamic)
        .collect();
    let values = match by {
        ColorBy::Material => return Ok((by_material(header, &dynamic, &mut colors), colors)),
        ColorBy::Speed => frame.bodies.iter().map(|b| b.velocity.length()).collect(),
        ColorBy::Size => sizes(header),
        ColorBy::Force => forces(header, frame)?,
    };
    let of_dynamic: Vec<f64> = dynamic.iter().map(|&body| values[body]).collect();
    let scale = scale_of(by, &of_dynamic);
    for (&body, value) in dynamic.iter().zip(of_dynamic) {
        if let Some(scale) = &scale {
            colors[body] = scale.color(value);
        }
    }
    Ok((scale.map(Legend::Scale), colors))
}

/// The colour that the scene gave a body, or one that means nothing.
fn own(header: &RunHeader, body: usize) -> Color {
    let record = &header.bodies[body];
    if let Some([r, g, b]) = record.appearance.color {
        return Color::rgb8(r, g, b);
    }
    let flat = matches!(
        header.shape(body),
        ShapeRecord::Plane | ShapeRecord::HeightField(_)
    );
    match record.kind {
        BodyKind::Dynamic => stone(body as u64),
        BodyKind::Fixed if flat => ground(),
        BodyKind::Fixed | BodyKind::Prescribed => {
            let [r, g, b] = FITTINGS;
            Color::rgb8(r, g, b)
        }
    }
}

fn by_material(header: &RunHeader, dynamic: &[usize], colors: &mut [Color]) -> Option<Legend> {
    let mut used = vec![false; header.materials.len()];
    for &body in dynamic {
        let material = header.bodies[body].material as usize;
        used[material] = true;
        colors[body] = category(material);
    }
    let entries = header
        .materials
        .iter()
        .enumerate()
        .filter(|(k, _)| used[*k])
        .map(|(k, material)| (material.name.clone(), category(k)))
        .collect();
    Some(Legend::Names {
        heading: "material".to_owned(),
        entries,
    })
}

/// Sum of the contact forces' sizes on each body, N.
fn forces(header: &RunHeader, frame: &Frame) -> Result<Vec<f64>, PictureError> {
    let contacts = frame.contacts.as_ref().ok_or(PictureError::NoContacts)?;
    let mut forces = vec![0.0; header.bodies.len()];
    for contact in contacts {
        for body in contact.bodies {
            forces[body as usize] += contact.force.length();
        }
    }
    Ok(forces)
}

/// Diameter of the ball of the same volume for each body, m.
fn sizes(header: &RunHeader) -> Vec<f64> {
    let of_shape = |shape: &ShapeRecord| (6.0 / PI * volume(shape)).cbrt();
    let sizes: Vec<f64> = header.shapes.iter().map(of_shape).collect();
    let of_body = header.bodies.iter();
    of_body.map(|body| sizes[body.shape as usize]).collect()
}

/// Volume of a shape, m³; of parts that overlap both count.
fn volume(shape: &ShapeRecord) -> f64 {
    match shape {
        ShapeRecord::Convex(convex) => convex_volume(convex),
        ShapeRecord::Mesh(surface) => enclosed(surface),
        ShapeRecord::Compound(parts) => parts.iter().map(|p| convex_volume(&p.shape)).sum(),
        ShapeRecord::Plane | ShapeRecord::HeightField(_) => 0.0,
    }
}

fn convex_volume(shape: &ConvexRecord) -> f64 {
    match shape {
        ConvexRecord::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        ConvexRecord::Box { half } => 8.0 * half.element_product(),
        ConvexRecord::Ellipsoid { semi_axes } => 4.0 / 3.0 * PI * semi_axes.element_product(),
        ConvexRecord::Cylinder {
            radius,
            half_height,
        } => PI * radius * radius * 2.0 * half_height,
        ConvexRecord::Capsule {
            radius,
            half_height,
        } => PI * radius * radius * (2.0 * half_height + 4.0 / 3.0 * radius),
        ConvexRecord::Cone {
            radius,
            half_height,
        } => PI / 3.0 * radius * radius * 2.0 * half_height,
        ConvexRecord::Hull(surface) => enclosed(surface),
    }
}

/// Volume within triangles that face outwards, m³: tetrahedra from the origin.
fn enclosed(surface: &Surface) -> f64 {
    let tetrahedron = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|k| surface.vertices[k as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    let volume: f64 = surface.triangles.iter().map(tetrahedron).sum();
    volume.abs()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn volumes_are_those_of_the_formulas_and_of_their_triangles() {
        let brick = ConvexRecord::Box {
            half: DVec3::new(1.0, 3.0, 2.0),
        };
        assert_eq!(convex_volume(&brick), 48.0);
        // The corner of a cube of side 1.
        let corner = Surface {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        let hull = ShapeRecord::Convex(ConvexRecord::Hull(corner));
        assert!((volume(&hull) - 1.0 / 6.0).abs() < 1e-15);
        let [radius, half_height] = [0.5, 0.0];
        let ball = convex_volume(&ConvexRecord::Sphere { radius });
        let short = convex_volume(&ConvexRecord::Capsule {
            radius,
            half_height,
        });
        assert!((ball - short).abs() < 1e-15);
    }
}
