//! What can be wrong with a shape.

use super::Decomposition;
use crate::number::{Number, Numbers};
use crate::pose::Pose;

/// What is wrong with a shape.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is not positive and finite.
    #[error("{shape}: {what} {} is not a finite number > 0", Number(*value))]
    Length {
        /// Kind of shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number is not finite.
    #[error("{shape}: {what} {index}: {} is not a finite number", Number(*value))]
    NotFinite {
        /// Kind of shape.
        shape: &'static str,
        /// Which list the number is in.
        what: &'static str,
        /// Position in that list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A density is not positive and finite.
    #[error("{shape}: density {} kg/m³ is not a finite number > 0", Number(*value))]
    Density {
        /// Kind of shape.
        shape: &'static str,
        /// The density.
        value: f64,
    },
    /// Points that span no volume.
    #[error(
        "hull: {points} points span no volume; it needs at least 4 that do not lie in one plane"
    )]
    FlatHull {
        /// How many points.
        points: usize,
    },
    /// The faces of a hull do not close.
    #[error(
        "hull: the faces around its {points} points do not close, expected a solid; remove points \
         that nearly coincide or nearly lie in one plane"
    )]
    OpenHull {
        /// How many points.
        points: usize,
    },
    /// The faces given for a hull are not those of a convex solid.
    #[error(
        "hull: vertex {vertex} lies {} m outside face {face}, expected a convex solid whose \
         faces look outwards", Number(*height)
    )]
    NotConvex {
        /// The face.
        face: usize,
        /// The vertex outside.
        vertex: usize,
        /// How far outside, m.
        height: f64,
    },
    /// A mesh without faces.
    #[error("mesh: {faces} faces, expected at least 1")]
    NoFaces {
        /// How many faces.
        faces: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("mesh: face {face} names vertex {vertex}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// The face.
        face: usize,
        /// The vertex.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A face without area.
    #[error("mesh: face {face} has no area: its vertices {vertices:?} lie on one line")]
    DegenerateFace {
        /// The face.
        face: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// A mesh with a hole has no inside.
    #[error(
        "mesh: not closed: the edge {edge:?} of face {face} belongs to no other face in the \
         opposite direction; a solid needs a closed surface"
    )]
    OpenMesh {
        /// A face at the hole.
        face: usize,
        /// The edge's vertices, in the face's order.
        edge: [u32; 2],
    },
    /// More than two faces, or two of the same orientation, share an edge.
    #[error(
        "mesh: not a surface: face {face} is the second with the edge {edge:?} in this direction, \
         expected one"
    )]
    NonManifoldEdge {
        /// The later face.
        face: usize,
        /// The edge's vertices, in the face's order.
        edge: [u32; 2],
    },
    /// The faces of a closed mesh look inwards.
    #[error(
        "mesh: inside out: its signed volume is {} m³, expected > 0; face 0 and all others \
         need the opposite order of vertices", Number(*volume)
    )]
    InsideOut {
        /// The signed volume.
        volume: f64,
    },
    /// The grid of a height field has no cell, or not as many heights as points.
    #[error(
        "height field: {columns} x {rows} points with {heights} heights, expected at least 2 x 2 \
         points and one height for each"
    )]
    Grid {
        /// Points along x.
        columns: usize,
        /// Points along y.
        rows: usize,
        /// Number of heights given.
        heights: usize,
    },
    /// A decomposition that cannot be asked for.
    #[error(
        "decomposition: resolution {}, concavity {} and {} pieces, expected 8 to 256, 0 to 1 and \
         1 to 1024", .0.resolution, Number(.0.concavity), .0.most_pieces
    )]
    Decomposition(Decomposition),
    /// A compound without parts.
    #[error("compound: {parts} parts, expected at least 1")]
    NoParts {
        /// How many parts.
        parts: usize,
    },
    /// More parts, points or faces than a shape can have.
    #[error("{shape}: {count} {what}, expected at most {most}")]
    TooMany {
        /// Kind of shape.
        shape: &'static str,
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// A compound's part that is not convex.
    #[error("compound: part {part} is a {kind}, expected a convex shape")]
    PartNotConvex {
        /// The part.
        part: usize,
        /// Its kind.
        kind: &'static str,
    },
    /// A compound's part has a pose that is not finite or whose rotation is not a unit quaternion.
    #[error(
        "compound: part {part} has the position {} and the rotation {}, expected a finite position \
         and a unit quaternion",
        Numbers(&pose.position.to_array()),
        Numbers(&pose.rotation.to_array())
    )]
    PartPose {
        /// The part.
        part: usize,
        /// Its pose.
        pose: Pose,
    },
    /// Shapes without volume have no mass.
    #[error(
        "{shape}: has no volume and so no mass properties; use it for fixed bodies only, or give \
         the mass and inertia"
    )]
    NoVolume {
        /// Kind of shape.
        shape: &'static str,
    },
}

/// `value` when it is finite and positive.
pub(super) fn length(
    shape: &'static str,
    what: &'static str,
    value: f64,
) -> Result<f64, ShapeError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ShapeError::Length { shape, what, value })
    }
}

/// Checks that all coordinates are finite.
pub(super) fn finite_points(
    shape: &'static str,
    what: &'static str,
    points: &[glam::DVec3],
) -> Result<(), ShapeError> {
    for (index, p) in points.iter().enumerate() {
        for value in p.to_array() {
            if !value.is_finite() {
                return Err(ShapeError::NotFinite {
                    shape,
                    what,
                    index,
                    value,
                });
            }
        }
    }
    Ok(())
}
