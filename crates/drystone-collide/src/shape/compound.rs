//! Several convex shapes that move as one.

use super::{Shape, ShapeError};
use crate::pose::Pose;

/// Several convex shapes that move as one. They may touch or overlap, but the volume in which they
/// overlap counts twice in the mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    parts: Vec<(Pose, Shape)>,
    /// Radius of a ball around the origin that contains all parts, m.
    radius: f64,
}

/// How far the length of a part's quaternion may be from 1: more than rounding, and too little to
/// see.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Most parts. Every part of one compound is held against every part of another: two of these take
/// seconds for one look at their contacts.
const MOST_PARTS: usize = 10_000;

impl Compound {
    /// Checks that there is a part, that all parts are bounded and convex, and their poses.
    pub fn new(parts: Vec<(Pose, Shape)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts { parts: 0 });
        }
        if parts.len() > MOST_PARTS {
            return Err(ShapeError::TooMany {
                shape: "compound",
                what: "parts",
                count: parts.len(),
                most: MOST_PARTS,
            });
        }
        for (part, (pose, shape)) in parts.iter().enumerate() {
            if !shape.is_convex() || *shape == Shape::Plane {
                return Err(ShapeError::PartNotConvex {
                    part,
                    kind: shape.kind(),
                });
            }
            let off_unit = (pose.rotation.length() - 1.0).abs();
            if !pose.is_finite() || off_unit > UNIT_TOLERANCE {
                return Err(ShapeError::PartPose { part, pose: *pose });
            }
        }
        let radius = parts
            .iter()
            .map(|(local, shape)| local.position.length() + shape.radius_about_origin())
            .fold(0.0, f64::max);
        Ok(Self { parts, radius })
    }

    /// The parts, each with its pose in the compound's frame.
    pub fn parts(&self) -> &[(Pose, Shape)] {
        &self.parts
    }

    /// Radius of a ball around the frame's origin that contains all parts, m.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }
}
