//! Boxes along the axes: the bounds of shapes, of nodes of trees and of pictures.

use glam::DVec3;

/// A box along the axes. Infinite where a shape is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates, m.
    pub min: DVec3,
    /// Largest coordinates, m.
    pub max: DVec3,
}

impl Aabb {
    /// Contains nothing. The union with it changes nothing.
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

    /// Moved by `by`, m.
    pub fn moved(&self, by: DVec3) -> Self {
        Self {
            min: self.min + by,
            max: self.max + by,
        }
    }

    /// Whether the two boxes share a point, borders included. Both must not be empty.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // `&`, not `&&`: six comparisons cost less than a branch that the processor cannot predict.
        (self.min.x <= other.max.x)
            & (self.min.y <= other.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.x <= self.max.x)
            & (other.min.y <= self.max.y)
            & (other.min.z <= self.max.z)
    }

    /// Whether it contains nothing. True as well when a coordinate is not a number.
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

    /// Radius of the smallest ball around the box, m: half its diagonal. Zero when it is empty.
    pub fn radius(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        0.5 * (self.max - self.min).length()
    }

    /// Area of the box's surface, m². Meant for boxes that are not empty.
    pub fn surface_area(&self) -> f64 {
        let size = self.max - self.min;
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    /// The eight corners. Bits 0, 1, 2 of a corner's index say whether x, y, z are the larger ones.
    pub fn corners(&self) -> [DVec3; 8] {
        let ends = [self.min, self.max];
        [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|k: usize| DVec3::new(ends[k & 1].x, ends[(k >> 1) & 1].y, ends[k >> 2].z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_a_box_worked_out_by_hand() {
        let b = Aabb::around(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.5, 1.0, 1.5));
        assert_eq!(b.extent(), DVec3::new(1.0, 2.0, 3.0));
        // 1 x 2, 2 x 3 and 3 x 1, each twice.
        assert_eq!(b.surface_area(), 22.0);
        assert_eq!(b.radius(), 0.5 * 14f64.sqrt());
        assert_eq!(Aabb::EMPTY.radius(), 0.0);
        let corners = b.corners();
        assert_eq!(corners[0], b.min);
        assert_eq!(corners[7], b.max);
        assert_eq!(corners[2], DVec3::new(0.5, 3.0, 1.5));
        assert_eq!(Aabb::of_points(corners), b);
        let moved = b.moved(DVec3::X);
        assert_eq!(
            (moved.center(), moved.extent()),
            (b.center() + DVec3::X, b.extent())
        );
    }
}
