//! The description of a run as the file holds it.
//!
//! Postcard writes these types field after field, and an enum by the number of its variant. So
//! their order is the format: another order would need a new version of the file.

use std::borrow::Cow;

use drystone::shape::{HeightField, Hull, TriangleSoup};
use drystone::{BodyKind, Pose, Shape, ShapeError};
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::error::RecordingFault;
use super::header::{BodyRecord, GroupRecord, MaterialRecord, Opacity, Precision, RunHeader};

/// A [`RunHeader`] with its shapes as plain data.
#[derive(Serialize, Deserialize)]
struct StoredHeader<'a> {
    title: Cow<'a, str>,
    time_step: f64,
    positions: Precision,
    materials: Cow<'a, [MaterialRecord]>,
    groups: Cow<'a, [GroupRecord]>,
    shapes: Vec<StoredShape>,
    bodies: Cow<'a, [BodyRecord]>,
}

/// Encodes the description of a run.
pub(super) fn encode(header: &RunHeader) -> Result<Vec<u8>, RecordingFault> {
    let stored = StoredHeader {
        title: (&header.title).into(),
        time_step: header.time_step,
        positions: header.positions,
        materials: (&header.materials).into(),
        groups: (&header.groups).into(),
        shapes: header.shapes.iter().map(StoredShape::from).collect(),
        bodies: (&header.bodies).into(),
    };
    postcard::to_allocvec(&stored)
        .map_err(|e| RecordingFault::header(format!("cannot be encoded: {e}")))
}

/// Decodes and checks the description of a run.
pub(super) fn decode(bytes: &[u8]) -> Result<RunHeader, RecordingFault> {
    let (stored, rest) = postcard::take_from_bytes::<StoredHeader<'_>>(bytes)
        .map_err(|e| RecordingFault::header(format!("cannot be decoded: {e}")))?;
    if !rest.is_empty() {
        let what = format!("{} bytes are left over", rest.len());
        return Err(RecordingFault::header(what));
    }
    let mut shapes = Vec::with_capacity(stored.shapes.len());
    for (k, shape) in stored.shapes.into_iter().enumerate() {
        let named = |error| RecordingFault::header(format!("shape {k}: {error}"));
        shapes.push(Shape::try_from(shape).map_err(named)?);
    }
    let header = RunHeader {
        title: stored.title.into_owned(),
        time_step: stored.time_step,
        positions: stored.positions,
        materials: stored.materials.into_owned(),
        groups: stored.groups.into_owned(),
        shapes,
        bodies: stored.bodies.into_owned(),
    };
    header.check()?;
    Ok(header)
}

/// A shape as plain data, without what only finding contacts needs. Parts of compounds are convex,
/// so that no file can nest shapes without end.
#[derive(Serialize, Deserialize)]
pub(crate) enum StoredShape {
    Convex(StoredConvex),
    Plane,
    Mesh(TriangleSoup),
    HeightField(StoredHeightField),
    Compound(Vec<StoredPart>),
}

/// The convex variants of [`Shape`]. A hull is stored as its surface.
#[derive(Serialize, Deserialize)]
pub(crate) enum StoredConvex {
    Sphere { radius: f64 },
    Box { half: DVec3 },
    Ellipsoid { semi_axes: DVec3 },
    Cylinder { radius: f64, half_height: f64 },
    Capsule { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    Hull(TriangleSoup),
}

/// The number of rows follows from that of the heights.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredHeightField {
    columns: u32,
    spacing: [f64; 2],
    heights: Vec<f64>,
}

/// A part of a compound, at its pose in the compound's frame.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredPart {
    pose: Pose,
    shape: StoredConvex,
}

impl From<&Shape> for StoredShape {
    fn from(shape: &Shape) -> Self {
        let convex = match shape {
            &Shape::Sphere { radius } => StoredConvex::Sphere { radius },
            &Shape::Box { half } => StoredConvex::Box { half },
            &Shape::Ellipsoid { semi_axes } => StoredConvex::Ellipsoid { semi_axes },
            &Shape::Cylinder {
                radius,
                half_height,
            } => StoredConvex::Cylinder {
                radius,
                half_height,
            },
            &Shape::Capsule {
                radius,
                half_height,
            } => StoredConvex::Capsule {
                radius,
                half_height,
            },
            &Shape::Cone {
                radius,
                half_height,
            } => StoredConvex::Cone {
                radius,
                half_height,
            },
            Shape::Hull(hull) => StoredConvex::Hull(hull.as_ref().into()),
            Shape::Plane => return Self::Plane,
            Shape::Mesh(mesh) => return Self::Mesh(mesh.as_ref().into()),
            Shape::HeightField(field) => {
                return Self::HeightField(StoredHeightField {
                    columns: field.columns() as u32,
                    spacing: field.spacing(),
                    heights: field.heights().to_vec(),
                });
            }
            Shape::Compound(compound) => {
                return Self::Compound(compound.parts().iter().filter_map(part).collect());
            }
        };
        Self::Convex(convex)
    }
}

/// A part of a compound. All are convex: compounds are checked for that when they are made.
fn part((pose, shape): &(Pose, Shape)) -> Option<StoredPart> {
    match StoredShape::from(shape) {
        StoredShape::Convex(shape) => Some(StoredPart { pose: *pose, shape }),
        StoredShape::Plane
        | StoredShape::Mesh(_)
        | StoredShape::HeightField(_)
        | StoredShape::Compound(_) => None,
    }
}

impl TryFrom<StoredShape> for Shape {
    type Error = ShapeError;

    fn try_from(stored: StoredShape) -> Result<Self, ShapeError> {
        match stored {
            StoredShape::Convex(convex) => convex.try_into(),
            StoredShape::Plane => Ok(Self::plane()),
            StoredShape::Mesh(soup) => Ok(Self::mesh(soup.try_into()?)),
            StoredShape::HeightField(stored) => {
                let columns = stored.columns as usize;
                let rows = stored.heights.len() / columns.max(1);
                let field = HeightField::new(columns, rows, stored.spacing, stored.heights)?;
                Ok(Self::height_field(field))
            }
            StoredShape::Compound(parts) => {
                let part = |part: StoredPart| Ok((part.pose, part.shape.try_into()?));
                let parts: Result<_, ShapeError> = parts.into_iter().map(part).collect();
                Self::compound(parts?)
            }
        }
    }
}

impl TryFrom<StoredConvex> for Shape {
    type Error = ShapeError;

    fn try_from(stored: StoredConvex) -> Result<Self, ShapeError> {
        match stored {
            StoredConvex::Sphere { radius } => Self::sphere(radius),
            StoredConvex::Box { half } => Self::box_of(half),
            StoredConvex::Ellipsoid { semi_axes } => Self::ellipsoid(semi_axes),
            StoredConvex::Cylinder {
                radius,
                half_height,
            } => Self::cylinder(radius, half_height),
            StoredConvex::Capsule {
                radius,
                half_height,
            } => Self::capsule(radius, half_height),
            StoredConvex::Cone {
                radius,
                half_height,
            } => Self::cone(radius, half_height),
            StoredConvex::Hull(soup) => Ok(Self::Hull(Hull::from_surface(&soup)?.into())),
        }
    }
}

/// Tells serde how to store the engine's enum.
#[derive(Serialize, Deserialize)]
#[serde(remote = "BodyKind")]
pub(super) enum StoredBodyKind {
    Fixed,
    Prescribed,
    Dynamic,
}

/// Tells serde how to store the scene's enum.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Opacity")]
pub(super) enum StoredOpacity {
    Solid,
    Glass,
    Hidden,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_shape(shape: StoredShape) -> Vec<u8> {
        let stored = StoredHeader {
            title: "a run".into(),
            time_step: 0.01,
            positions: Precision::Single,
            materials: Vec::new().into(),
            groups: Vec::new().into(),
            shapes: vec![StoredShape::Plane, shape],
            bodies: Vec::new().into(),
        };
        postcard::to_allocvec(&stored).unwrap()
    }

    #[test]
    fn a_file_with_an_impossible_shape_is_refused_by_the_shapes_number() {
        let message = |shape| decode(&with_shape(shape)).unwrap_err().to_string();
        let triangle = TriangleSoup {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 3]],
        };
        let text = message(StoredShape::Mesh(triangle));
        assert!(
            text.contains("shape 1: mesh: face 0 names vertex 3"),
            "{text}"
        );
        let text = message(StoredShape::HeightField(StoredHeightField {
            columns: 3,
            spacing: [1.0; 2],
            heights: vec![0.0; 7],
        }));
        assert!(
            text.contains("shape 1: height field: 3 x 2 points"),
            "{text}"
        );
        let text = message(StoredShape::Convex(StoredConvex::Sphere { radius: -1.0 }));
        assert!(text.contains("shape 1: sphere: radius -1"), "{text}");
        assert!(message(StoredShape::Compound(Vec::new())).contains("0 parts"));
    }

    #[test]
    fn what_follows_the_description_is_refused() {
        let mut bytes = with_shape(StoredShape::Plane);
        assert_eq!(decode(&bytes).unwrap().shapes, [Shape::Plane, Shape::Plane]);
        bytes.push(0);
        let text = decode(&bytes).unwrap_err().to_string();
        assert!(text.contains("1 bytes are left over"), "{text}");
    }

    #[test]
    fn variants_have_the_numbers_that_files_hold() {
        let first = |shape| postcard::to_allocvec(&shape).unwrap()[0];
        let convex = |shape| postcard::to_allocvec(&shape).unwrap()[0];
        let soup = TriangleSoup::default;
        assert_eq!(first(StoredShape::Plane), 1);
        assert_eq!(first(StoredShape::Mesh(soup())), 2);
        assert_eq!(first(StoredShape::Compound(Vec::new())), 4);
        assert_eq!(convex(StoredConvex::Sphere { radius: 1.0 }), 0);
        assert_eq!(convex(StoredConvex::Hull(soup())), 6);
    }
}
