//! Rays, and which part of a ray lies in a ball or meets a triangle.

use glam::DVec3;

/// Points `origin + t · direction` with `t >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, m.
    pub origin: DVec3,
    /// Where to: a unit vector.
    pub direction: DVec3,
}

impl Ray {
    /// The point at a distance.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

/// From where to where along a ray, m; either may be negative or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub enter: f64,
    /// Where it ends, not before.
    pub exit: f64,
}

impl Span {
    /// The whole line.
    pub const ALL: Self = Self {
        enter: f64::NEG_INFINITY,
        exit: f64::INFINITY,
    };

    /// Nothing where it would end before it begins.
    pub fn new(enter: f64, exit: f64) -> Option<Self> {
        (enter <= exit).then_some(Self { enter, exit })
    }

    /// What two spans share.
    pub fn common(self, other: Self) -> Option<Self> {
        Self::new(self.enter.max(other.enter), self.exit.min(other.exit))
    }

    /// From the first beginning to the last end.
    pub fn hull(self, other: Self) -> Self {
        Self {
            enter: self.enter.min(other.enter),
            exit: self.exit.max(other.exit),
        }
    }
}

/// During which span a ray is in a ball.
pub fn ball(ray: &Ray, center: DVec3, radius: f64) -> Option<Span> {
    let from_center = ray.origin - center;
    let along = -from_center.dot(ray.direction);
    // From the ray's nearest point: balls far away lose no digits to the square of their distance.
    let nearest = from_center + along * ray.direction;
    let left = radius * radius - nearest.length_squared();
    if left < 0.0 {
        return None;
    }
    let half = left.sqrt();
    Span::new(along - half, along + half)
}

/// Where a ray crosses a triangle: the distance, and the weights of the second and third corner
/// there (Möller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997).
pub fn triangle(ray: &Ray, corners: &[DVec3; 3]) -> Option<(f64, [f64; 2])> {
    let [a, b] = [corners[1] - corners[0], corners[2] - corners[0]];
    let across = ray.direction.cross(b);
    let volume = a.dot(across);
    if volume == 0.0 {
        return None;
    }
    let from = ray.origin - corners[0];
    let u = from.dot(across) / volume;
    let turned = from.cross(a);
    let v = ray.direction.dot(turned) / volume;
    if !(u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
        return None;
    }
    Some((b.dot(turned) / volume, [u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_met_inside_only() {
        let corners = [DVec3::ZERO, 2.0 * DVec3::X, 2.0 * DVec3::Y];
        let down = |x: f64, y: f64| Ray {
            origin: DVec3::new(x, y, 3.0),
            direction: -DVec3::Z,
        };
        let (t, [u, v]) = triangle(&down(0.5, 1.0), &corners).unwrap();
        assert!((t - 3.0).abs() < 1e-12 && (u - 0.25).abs() < 1e-12 && (v - 0.5).abs() < 1e-12);
        assert_eq!(triangle(&down(1.5, 1.0), &corners), None);
        assert_eq!(triangle(&down(-0.1, 1.0), &corners), None);
    }
}
