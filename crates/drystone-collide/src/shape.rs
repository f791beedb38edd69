//! The shapes, their checks, bounds, mass properties and surfaces.
//!
//! A [`Shape`] is checked when it is made, and cheap to clone: large ones are shared. All other
//! crates use these types: there is no second list of shapes for pictures or files, but for the
//! form in which a recording stores them.
//!
//! | question | answer |
//! |---|---|
//! | where it ends | [`Shape::aabb`], [`Shape::radius_about_origin`] |
//! | how heavy it is | [`Shape::mass_properties`], [`Shape::volume`] |
//! | what it looks like | [`Shape::tessellate`], [`Shape::parts`] |
//! | the same, larger | [`Shape::scaled`] |
//! | the same, of convex pieces | [`Shape::decomposed`] |

mod bounds;
mod bvh;
mod compound;
mod decompose;
mod error;
mod height_field;
mod hull;
mod mass;
mod mesh;
mod soup;
mod tessellate;

use std::sync::Arc;

use glam::DVec3;

use crate::pose::Pose;

pub use compound::Compound;
pub use decompose::Decomposition;
pub use error::ShapeError;
pub use height_field::HeightField;
pub use hull::{Hull, HullEdge};
pub use mass::MassProperties;
pub(crate) use mesh::NO_FACE;
pub use mesh::TriangleMesh;
pub use soup::{TriangleSoup, VertexMerge};
pub use tessellate::SurfaceDetail;

use error::length;

/// The geometry of a body in its own frame.
///
/// The constructors check the numbers: prefer [`Shape::sphere`] to `Shape::Sphere`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball around the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half the edge lengths, m.
        half: DVec3,
    },
    /// An ellipsoid around the origin.
    Ellipsoid {
        /// Semi-axes, m.
        semi_axes: DVec3,
    },
    /// A cylinder along z around the origin.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// All points within `radius` of a segment along z around the origin.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the segment's length, m.
        half_height: f64,
    },
    /// A cone along z, its base at `-half_height`, its apex at `+half_height`.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// The half-space `z <= 0`: its surface faces `+z`. Fixed or prescribed bodies only.
    Plane,
    /// The convex hull of points.
    Hull(Arc<Hull>),
    /// Triangles: the surface of a solid when closed, a sheet when not.
    Mesh(Arc<TriangleMesh>),
    /// Heights over a grid in the x-y plane, solid below. Fixed or prescribed bodies only.
    HeightField(Arc<HeightField>),
    /// Several convex shapes that move as one.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A ball of `radius` m.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        let radius = length("sphere", "radius", radius)?;
        Ok(Self::Sphere { radius })
    }

    /// A box with half the edge lengths `half`, m.
    pub fn box_of(half: impl Into<DVec3>) -> Result<Self, ShapeError> {
        let half = half.into();
        length("box", "half length along x", half.x)?;
        length("box", "half length along y", half.y)?;
        length("box", "half length along z", half.z)?;
        Ok(Self::Box { half })
    }

    /// An ellipsoid with `semi_axes`, m.
    pub fn ellipsoid(semi_axes: impl Into<DVec3>) -> Result<Self, ShapeError> {
        let semi_axes = semi_axes.into();
        length("ellipsoid", "semi-axis along x", semi_axes.x)?;
        length("ellipsoid", "semi-axis along y", semi_axes.y)?;
        length("ellipsoid", "semi-axis along z", semi_axes.z)?;
        Ok(Self::Ellipsoid { semi_axes })
    }

    /// A cylinder along z of `radius` and `half_height`, m.
    pub fn cylinder(radius: f64, half_height: f64) -> Result<Self, ShapeError> {
        Ok(Self::Cylinder {
            radius: length("cylinder", "radius", radius)?,
            half_height: length("cylinder", "half height", half_height)?,
        })
    }

    /// A capsule along z of `radius`, its segment of half length `half_height`, m.
    pub fn capsule(radius: f64, half_height: f64) -> Result<Self, ShapeError> {
        Ok(Self::Capsule {
            radius: length("capsule", "radius", radius)?,
            half_height: length("capsule", "half height", half_height)?,
        })
    }

    /// A cone along z, apex up, of base `radius` and `half_height`, m.
    pub fn cone(radius: f64, half_height: f64) -> Result<Self, ShapeError> {
        Ok(Self::Cone {
            radius: length("cone", "radius", radius)?,
            half_height: length("cone", "half height", half_height)?,
        })
    }

    /// The half-space below the local x-y plane.
    pub fn plane() -> Self {
        Self::Plane
    }

    /// The convex hull of `points`, m.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// A triangle mesh.
    pub fn mesh(mesh: TriangleMesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }

    /// A height field.
    pub fn height_field(field: HeightField) -> Self {
        Self::HeightField(Arc::new(field))
    }

    /// Convex shapes that move as one, each at its pose in the compound's frame.
    pub fn compound(parts: Vec<(Pose, Self)>) -> Result<Self, ShapeError> {
        Ok(Self::Compound(Arc::new(Compound::new(parts)?)))
    }

    /// The convex parts of a compound, each with its pose in the compound's frame. Any other shape
    /// is its own only part.
    pub fn parts(&self) -> impl Iterator<Item = (Pose, &Self)> {
        let (whole, parts) = if let Self::Compound(compound) = self {
            (None, compound.parts())
        } else {
            (Some((Pose::IDENTITY, self)), [].as_slice())
        };
        let parts = parts.iter().map(|(pose, shape)| (*pose, shape));
        whole.into_iter().chain(parts)
    }

    /// The shape with all its lengths multiplied by `factor`. A plane stays itself.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        let all = |points: &[DVec3]| points.iter().map(|&p| p * factor).collect::<Vec<_>>();
        match self {
            Self::Sphere { radius } => Self::sphere(radius * factor),
            Self::Box { half } => Self::box_of(*half * factor),
            Self::Ellipsoid { semi_axes } => Self::ellipsoid(*semi_axes * factor),
            Self::Cylinder {
                radius,
                half_height,
            } => Self::cylinder(radius * factor, half_height * factor),
            Self::Capsule {
                radius,
                half_height,
            } => Self::capsule(radius * factor, half_height * factor),
            Self::Cone {
                radius,
                half_height,
            } => Self::cone(radius * factor, half_height * factor),
            Self::Plane => Ok(Self::plane()),
            // The same bits for the same shape: a hull of scaled points need not have the same
            // faces.
            Self::Hull(_) | Self::Mesh(_) | Self::HeightField(_) | Self::Compound(_)
                if factor == 1.0 =>
            {
                Ok(self.clone())
            }
            Self::Hull(hull) => Self::hull(&all(hull.vertices())),
            Self::Mesh(mesh) => {
                let mesh = TriangleMesh::new(all(mesh.vertices()), mesh.faces().to_vec())?;
                Ok(Self::mesh(mesh))
            }
            Self::HeightField(field) => {
                let heights = field.heights().iter().map(|h| h * factor).collect();
                let spacing = field.spacing().map(|s| s * factor);
                let field = HeightField::new(field.columns(), field.rows(), spacing, heights)?;
                Ok(Self::height_field(field))
            }
            Self::Compound(compound) => {
                let part = |(pose, shape): &(Pose, Self)| {
                    let pose = Pose::new(pose.position * factor, pose.rotation);
                    Ok((pose, shape.scaled(factor)?))
                };
                let parts: Result<_, ShapeError> = compound.parts().iter().map(part).collect();
                Self::compound(parts?)
            }
        }
    }

    /// The kind of shape in a word or two, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::Cone { .. } => "cone",
            Self::Plane => "plane",
            Self::Hull(_) => "hull",
            Self::Mesh(_) => "mesh",
            Self::HeightField(_) => "height field",
            Self::Compound(_) => "compound",
        }
    }

    /// Whether any two points of the shape are joined by a segment inside it.
    pub fn is_convex(&self) -> bool {
        match self {
            Self::Sphere { .. }
            | Self::Box { .. }
            | Self::Ellipsoid { .. }
            | Self::Cylinder { .. }
            | Self::Capsule { .. }
            | Self::Cone { .. }
            | Self::Plane
            | Self::Hull(_) => true,
            Self::Mesh(_) | Self::HeightField(_) | Self::Compound(_) => false,
        }
    }
}
