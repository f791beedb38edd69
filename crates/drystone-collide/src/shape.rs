//! The shapes, their checks, bounds and mass properties.

mod bvh;
mod compound;
mod error;
mod height_field;
mod hull;
mod mass;
mod mesh;

use std::sync::Arc;

use glam::DVec3;

use crate::aabb::Aabb;
use crate::pose::Pose;

pub use compound::Compound;
pub use error::ShapeError;
pub use height_field::HeightField;
pub use hull::Hull;
pub use mass::MassProperties;
pub(crate) use mesh::NO_FACE;
pub use mesh::TriangleMesh;

use error::length;

/// What a body looks like to others, in its own frame. The constructors check the numbers.
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

    /// The smallest box along the world's axes that contains the shape; everything for a plane. A height field's reaches
    /// [`HeightField::depth`] below its lowest point, so that what has sunk in is still found.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere { radius } => Aabb::around(pose.position, DVec3::splat(*radius)),
            Self::Box { half } => Aabb::around(pose.position, extent(pose, *half)),
            Self::Ellipsoid { semi_axes } => {
                let [x, y, z] = axes(pose, *semi_axes);
                let half = (x * x + y * y + z * z).map(f64::sqrt);
                Aabb::around(pose.position, half)
            }
            Self::Cylinder {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                let half = axis.abs() * *half_height + disc(axis, *radius);
                Aabb::around(pose.position, half)
            }
            Self::Capsule {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                Aabb::around(pose.position, axis.abs() * *half_height + *radius)
            }
            Self::Cone {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                let base = Aabb::around(pose.position - axis * *half_height, disc(axis, *radius));
                let apex = pose.position + axis * *half_height;
                base.union(&Aabb::around(apex, DVec3::ZERO))
            }
            Self::Plane => Aabb::EVERYTHING,
            Self::Hull(hull) => Aabb::of_points(hull.vertices().iter().map(|&p| pose.point(p))),
            Self::Mesh(mesh) => mesh.aabb(pose),
            Self::HeightField(field) => {
                let b = field.bounds();
                let half = extent(pose, 0.5 * b.extent());
                Aabb::around(pose.point(b.center()), half)
            }
            Self::Compound(compound) => compound
                .parts()
                .iter()
                .map(|(local, shape)| shape.aabb(&pose.compose(local)))
                .fold(Aabb::EMPTY, |all, b| all.union(&b)),
        }
    }

    /// Radius of the smallest sphere around the shape frame's origin that contains the shape, m; infinite for a plane. For a
    /// compound a bound: the greatest over the parts of distance plus radius. For a height field that of its surface.
    pub fn radius_about_origin(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { half } => half.length(),
            Self::Ellipsoid { semi_axes } => semi_axes.max_element(),
            Self::Cylinder {
                radius,
                half_height,
            }
            | Self::Cone {
                radius,
                half_height,
            } => radius.hypot(*half_height),
            Self::Capsule {
                radius,
                half_height,
            } => radius + half_height,
            Self::Plane => f64::INFINITY,
            Self::Hull(hull) => hull.radius(),
            Self::Mesh(mesh) => farthest(mesh.vertices().iter().copied()),
            Self::HeightField(field) => farthest(field.points()),
            Self::Compound(compound) => compound
                .parts()
                .iter()
                .map(|(local, shape)| local.position.length() + shape.radius_about_origin())
                .fold(0.0, f64::max),
        }
    }

    /// Kind, in a word.
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

/// The local axes in the world, each times its length.
fn axes(pose: &Pose, lengths: DVec3) -> [DVec3; 3] {
    [
        pose.direction(DVec3::X * lengths.x),
        pose.direction(DVec3::Y * lengths.y),
        pose.direction(DVec3::Z * lengths.z),
    ]
}

/// Half the world extents of a box with half lengths `half`.
fn extent(pose: &Pose, half: DVec3) -> DVec3 {
    let [x, y, z] = axes(pose, half);
    x.abs() + y.abs() + z.abs()
}

/// Half the world extents of a disc of `radius` perpendicular to the unit vector `axis`.
fn disc(axis: DVec3, radius: f64) -> DVec3 {
    (DVec3::ONE - axis * axis).map(|s| radius * s.max(0.0).sqrt())
}

/// The greatest distance from the origin.
fn farthest(points: impl Iterator<Item = DVec3>) -> f64 {
    points
        .map(|p| p.length_squared())
        .fold(0.0, f64::max)
        .sqrt()
}
