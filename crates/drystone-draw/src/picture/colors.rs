//! What the colours of bodies stand for.

use std::f64::consts::PI;

use drystone::{BodyKind, Shape};
use drystone_run::recording::{Frame, RunHeader};
use drystone_scene::view::ColorBy;

use super::{PictureError, PictureSettings};
use crate::render::color::{category, ground, stone};
use crate::render::legend::scale_of;
use crate::render::{Color, Legend};

/// Walls and tools whose colour means nothing: a cool grey, apart from the warm ones of stone.
const FITTINGS: [u8; 3] = [0x9f, 0xb0, 0xbc];

/// What the colours mean, and the colour of each body.
pub fn colors(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
) -> Result<(Option<Legend>, Vec<Color>), PictureError> {
    let mut colors: Vec<Color> = (0..header.bodies.len()).map(|k| own(header, k)).collect();
    let Some(by) = settings.color_by else {
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
    let scale = scale_of(by, &of_dynamic, settings.color_range, settings.color_log);
    for (&body, value) in dynamic.iter().zip(of_dynamic) {
        if let Some(scale) = &scale {
            colors[body] = scale.color(value);
        }
    }
    Ok((scale.map(Legend::Scale), colors))
}

/// The colour that the scene gave a body, or one that means nothing.
pub fn own(header: &RunHeader, body: usize) -> Color {
    let record = &header.bodies[body];
    if let Some([r, g, b]) = record.appearance.color {
        return Color::rgb8(r, g, b);
    }
    let flat = matches!(header.shape(body), Shape::Plane | Shape::HeightField(_));
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

/// Diameter of the ball of the same volume for each body, m. Not a number, and so grey, where a
/// shape has no volume.
pub fn sizes(header: &RunHeader) -> Vec<f64> {
    let of_shape = |shape: &Shape| match shape.volume() {
        Ok(volume) => (6.0 / PI * volume).cbrt(),
        Err(_) => f64::NAN,
    };
    let sizes: Vec<f64> = header.shapes.iter().map(of_shape).collect();
    let of_body = header.bodies.iter();
    of_body.map(|body| sizes[body.shape as usize]).collect()
}

#[cfg(test)]
mod tests {
    use drystone_run::recording::BodyRecord;

    use super::*;

    #[test]
    fn the_size_of_a_ball_is_its_diameter_and_a_plane_has_none() {
        let mut header = RunHeader::new("sizes", 0.01);
        for shape in [
            Shape::sphere(0.3).unwrap(),
            Shape::box_of([0.5; 3]).unwrap(),
            Shape::plane(),
        ] {
            let shape = header.add_shape(shape);
            header.add_body("bodies", BodyRecord::dynamic(shape, 1.0));
        }
        let sizes = sizes(&header);
        assert!((sizes[0] - 0.6).abs() < 1e-15);
        // A cube of one cubic metre: 4/3 π r³ = 1.
        assert!((PI / 6.0 * sizes[1].powi(3) - 1.0).abs() < 1e-14);
        assert!(sizes[2].is_nan());
    }
}
