//! Several convex shapes that move as one.

use super::{Shape, ShapeError};
use crate::pose::Pose;

/// Several convex shapes that move as one. They may touch or overlap, but overlapping volume counts twice in the mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    parts: Vec<(Pose, Shape)>,
}

impl Compound {
    /// Checks that there is a part, that all are bounded and convex, and their poses.
    pub fn new(parts: Vec<(Pose, Shape)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts { parts: 0 });
        }
        for (part, (pose, shape)) in parts.iter().enumerate() {
            if !shape.is_convex() || *shape == Shape::Plane {
                return Err(ShapeError::PartNotConvex {
                    part,
                    kind: shape.kind(),
                });
            }
            if !pose.is_finite() || (pose.rotation.length() - 1.0).abs() > 1e-6 {
                return Err(ShapeError::PartPose { part });
            }
        }
        Ok(Self { parts })
    }

    /// The parts, each with its pose in the compound's frame.
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.parts
    }
}
