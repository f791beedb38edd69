//! The shapes, their checks, bounds and mass properties.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::aabb::Aabb;
use crate::pose::Pose;

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

/// Mass, centre of mass and inertia of a solid shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the shape's frame, m.
    pub center: DVec3,
    /// Inertia about the centre of mass, axes of the shape's frame, kg m².
    pub inertia: DMat3,
}

/// What is wrong with a shape.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is not positive and finite.
    #[error("{shape}: {what} {value} is not a finite number > 0")]
    Length {
        /// Kind of shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::Sphere { radius })
    }

    /// The smallest box along the world's axes that contains the shape.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let _ = pose;
        unimplemented!("helper: shapes")
    }

    /// Mass properties of the solid at `density` kg/m³. An error for shapes without volume: planes, height fields, open meshes.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        let _ = density;
        unimplemented!("helper: shapes")
    }

    /// Radius of the smallest sphere around the shape frame's origin that contains the shape, m; infinite for a plane.
    pub fn radius_about_origin(&self) -> f64 {
        unimplemented!("helper: shapes")
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
}

/// The convex hull of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {}

/// A checked triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {}

/// Heights over a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {}

/// Several convex shapes that move as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {}
