//! Sizes of shapes, for tables and messages.

use drystone::{Pose, Shape};
use glam::DVec3;

/// What a table tells of a shape; not a number where a figure has no meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeSizes {
    /// Lengths of its box along its own axes, m: the edges of a box, the diameters of an ellipsoid.
    /// Planes have none.
    pub size: DVec3,
    /// Radius of a sphere, a cylinder, a capsule, or a cone's base, m.
    pub radius: f64,
    /// Height of a cylinder or cone, m; of a capsule without its ends.
    pub height: f64,
    /// Volume of a solid, m³.
    pub volume: f64,
}

impl ShapeSizes {
    /// Of one shape.
    pub fn of(shape: &Shape) -> Self {
        let (radius, height) = match shape {
            Shape::Sphere { radius } => (*radius, f64::NAN),
            Shape::Cylinder {
                radius,
                half_height,
            }
            | Shape::Capsule {
                radius,
                half_height,
            }
            | Shape::Cone {
                radius,
                half_height,
            } => (*radius, 2.0 * half_height),
            Shape::Box { .. }
            | Shape::Ellipsoid { .. }
            | Shape::Plane
            | Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_) => (f64::NAN, f64::NAN),
        };
        let extent = shape.aabb(&Pose::IDENTITY).extent();
        // The box of half a space has no size.
        let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let [x, y, z] = match shape {
            Shape::Plane => [f64::NAN; 3],
            _ => extent.to_array().map(finite),
        };
        Self {
            size: DVec3::new(x, y, z),
            radius,
            height,
            volume: shape.volume().unwrap_or(f64::NAN),
        }
    }

    /// Of every shape of a run.
    pub fn of_all(shapes: &[Shape]) -> Vec<Self> {
        shapes.iter().map(Self::of).collect()
    }
}
