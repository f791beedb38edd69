//! Bodies and shapes: what does not change in a run.

use std::fmt::Write;

use drystone::shape::SurfaceDetail;
use drystone::{BodyKind, Pose, Shape};
use drystone_draw::picture::{own_color, sizes};
use drystone_run::recording::{Opacity, RunHeader};
use serde_json::{Value, json};

use crate::binary::Columns;

/// `bodies.bin`. Fixed bodies of `moved`, which is sorted, count as prescribed: their frames say
/// where they are.
pub fn bodies(header: &RunHeader, moved: &[usize]) -> Vec<u8> {
    let kind_of = |body: usize| match moved.binary_search(&body) {
        Ok(_) => BodyKind::Prescribed,
        Err(_) => header.bodies[body].kind,
    };
    let bodies = &header.bodies;
    let radii: Vec<f32> = header.shapes.iter().map(reach).collect();
    let mut columns = Columns::new(bodies.len(), 0);
    columns
        .column(bodies.iter().map(|b| b.shape))
        .column(bodies.iter().map(|b| b.group))
        .column(bodies.iter().map(|b| b.number))
        .column(bodies.iter().map(|b| b.material))
        .column((0..bodies.len()).map(|k| kind(kind_of(k))))
        .column(bodies.iter().map(|b| opacity(b.appearance.opacity)))
        .column((0..bodies.len()).map(|k| color(header, k)))
        .column(bodies.iter().map(|b| b.mass as f32))
        .column(sizes(header).into_iter().map(|size| size as f32))
        .column(bodies.iter().map(|b| radii[b.shape as usize]));
    columns.finish()
}

fn kind(kind: BodyKind) -> u8 {
    match kind {
        BodyKind::Dynamic => 0,
        BodyKind::Fixed => 1,
        BodyKind::Prescribed => 2,
    }
}

fn opacity(opacity: Opacity) -> u8 {
    match opacity {
        Opacity::Solid => 0,
        Opacity::Glass => 1,
        Opacity::Hidden => 2,
    }
}

/// The colour that a picture gives the body, and whether the scene chose it.
fn color(header: &RunHeader, body: usize) -> [u8; 4] {
    let [r, g, b] = own_color(header, body).to_srgb8();
    let chosen = header.bodies[body].appearance.color.is_some();
    [r, g, b, if chosen { 255 } else { 0 }]
}

/// Radius of the sphere around the shape's origin, m; infinite where the shape has no end.
fn reach(shape: &Shape) -> f32 {
    match shape {
        Shape::Plane => f32::INFINITY,
        shape => shape.radius_about_origin() as f32,
    }
}

/// The shapes that the page knows: those of the recording, then the parts of compounds.
struct ShapeList<'a> {
    shapes: Vec<&'a Shape>,
    /// Of each compound among the recording's shapes: where its parts begin.
    parts: Vec<usize>,
}

impl<'a> ShapeList<'a> {
    fn of(header: &'a RunHeader) -> Self {
        let mut shapes: Vec<&Shape> = header.shapes.iter().collect();
        let mut parts = Vec::with_capacity(shapes.len());
        for shape in &header.shapes {
            parts.push(shapes.len());
            if let Shape::Compound(compound) = shape {
                shapes.extend(compound.parts().iter().map(|(_, part)| part));
            }
        }
        Self { shapes, parts }
    }
}

/// `shapes.json`. Written as text at once: a million balls may have a million sizes.
pub fn shapes(header: &RunHeader) -> String {
    let list = ShapeList::of(header);
    let mut text = String::from("[");
    for (k, shape) in list.shapes.iter().enumerate() {
        if k > 0 {
            text.push(',');
        }
        // Writing to a text cannot fail.
        let _ = match shape {
            Shape::Sphere { radius } => {
                write!(text, r#"{{"kind":"sphere","radius":{radius:?}}}"#)
            }
            shape => write!(text, "{}", described(shape, list.parts.get(k).copied())),
        };
    }
    text.push(']');
    text
}

/// A shape; `parts` says where the parts of a compound begin.
fn described(shape: &Shape, parts: Option<usize>) -> Value {
    match shape {
        Shape::Sphere { radius } => json!({ "kind": "sphere", "radius": radius }),
        Shape::Box { half } => json!({ "kind": "box", "half": half.to_array() }),
        Shape::Ellipsoid { semi_axes } => {
            json!({ "kind": "ellipsoid", "radii": semi_axes.to_array() })
        }
        Shape::Cylinder {
            radius,
            half_height,
        } => round("cylinder", *radius, *half_height),
        Shape::Capsule {
            radius,
            half_height,
        } => round("capsule", *radius, *half_height),
        Shape::Cone {
            radius,
            half_height,
        } => round("cone", *radius, *half_height),
        Shape::Plane => json!({ "kind": "plane", "normal": [0, 0, 1], "offset": 0 }),
        Shape::Hull(_) => json!({ "kind": "hull" }),
        Shape::Mesh(_) => json!({ "kind": "mesh" }),
        Shape::HeightField(_) => json!({ "kind": "height_field" }),
        Shape::Compound(compound) => {
            // Compounds are made of simple shapes: only the recording's own shapes can be some.
            let begin = parts.unwrap_or_default();
            let parts = compound.parts().iter().enumerate();
            let parts = parts.map(|(n, (pose, _))| part(begin + n, pose));
            json!({ "kind": "compound", "parts": parts.collect::<Vec<_>>() })
        }
    }
}

fn round(kind: &str, radius: f64, half_height: f64) -> Value {
    json!({ "kind": kind, "radius": radius, "half_length": half_height })
}

fn part(shape: usize, pose: &Pose) -> Value {
    json!({
        "shape": shape,
        "position": pose.position.to_array(),
        "rotation": pose.rotation.to_array(),
    })
}

/// `mesh/K.bin`; none where the shape is not made of triangles.
pub fn mesh(header: &RunHeader, shape: usize) -> Option<Vec<u8>> {
    let list = ShapeList::of(header);
    let shape = list.shapes.get(shape)?;
    if !has_mesh(shape) {
        return None;
    }
    let surface = shape.tessellate(&SurfaceDetail::default());
    let mut columns = Columns::new(surface.vertices.len(), 0);
    columns
        .column(surface.vertices.iter().map(|v| v.as_vec3().to_array()))
        .column([surface.triangles.len() as u32])
        .column(surface.triangles.iter().copied());
    Some(columns.finish())
}

/// Whether a shape is sent as triangles.
fn has_mesh(shape: &Shape) -> bool {
    match shape {
        Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => true,
        Shape::Sphere { .. }
        | Shape::Box { .. }
        | Shape::Ellipsoid { .. }
        | Shape::Cylinder { .. }
        | Shape::Capsule { .. }
        | Shape::Cone { .. }
        | Shape::Plane
        | Shape::Compound(_) => false,
    }
}

/// The numbers of the shapes that are sent as triangles.
pub fn meshes(header: &RunHeader) -> Vec<usize> {
    let list = ShapeList::of(header);
    let shapes = list.shapes.iter().enumerate();
    shapes
        .filter(|(_, s)| has_mesh(s))
        .map(|(k, _)| k)
        .collect()
}

#[cfg(test)]
mod tests {
    use drystone_run::recording::BodyRecord;
    use glam::DVec3;

    use super::*;

    #[test]
    fn parts_of_compounds_stand_behind_the_recordings_own_shapes() {
        let mut header = RunHeader::new("a hammer", 0.01);
        let ball = Shape::sphere(0.1).unwrap();
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let hull = Shape::hull(&corners).unwrap();
        let parts = vec![(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, hull)];
        header.add_shape(Shape::compound(parts).unwrap());
        header.add_shape(ball);
        header.add_body("hammer", BodyRecord::dynamic(0, 1.0));
        let shapes: Value = serde_json::from_str(&shapes(&header)).unwrap();
        let kinds: Vec<_> = shapes
            .as_array()
            .unwrap()
            .iter()
            .map(|s| &s["kind"])
            .collect();
        assert_eq!(kinds, ["compound", "sphere", "sphere", "hull"]);
        assert_eq!(shapes[0]["parts"][1]["shape"], 3);
        assert_eq!(meshes(&header), [3]);
        assert!(mesh(&header, 0).is_none() && mesh(&header, 4).is_none());
        let mesh = mesh(&header, 3).unwrap();
        // A head, four corners of 12 bytes, the count with its padding, four triangles of 12 bytes.
        assert_eq!(mesh.len(), 16 + 48 + 8 + 48);
        assert_eq!(mesh[64..68], [4, 0, 0, 0]);
    }
}
