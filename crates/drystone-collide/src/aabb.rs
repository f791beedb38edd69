//! Axis-aligned boxes.

use glam::DVec3;

/// A box along the axes; infinite where a shape is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates, m.
    pub min: DVec3,
    /// Largest coordinates, m.
    pub max: DVec3,
}

impl Aabb {
    /// Contains nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// Contains everything.
    pub const EVERYTHING: Self = Self {
        min: DVec3::NEG_INFINITY,
        max: DVec3::INFINITY,
    };

    /// From the centre and half the extents.
    pub fn around(center: DVec3, half: DVec3) -> Self {
        Self {
            min: center - half,
            max: center + half,
        }
    }

    /// The smallest box that contains the points.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// The smallest box that contains both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Grown by `margin`, m, on every side.
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min - margin,
            max: self.max + margin,
        }
    }

    /// Whether the two share a point, borders included. Meant for boxes that are not empty.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // No short cuts: six comparisons are cheaper than a branch that cannot be foreseen.
        (self.min.x <= other.max.x)
            & (self.min.y <= other.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.x <= self.max.x)
            & (other.min.y <= self.max.y)
            & (other.min.z <= self.max.z)
    }

    /// Whether it contains nothing; also when a coordinate is not a number.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether `point` lies inside or on the border.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Edge lengths, m.
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// Centre, m.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}
