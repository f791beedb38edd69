//! Where rays enter and leave solids, and which way surfaces face there. All but triangles are convex, so that a ray is
//! inside a solid during one span.

use glam::{DMat3, DVec3};

use super::camera::Bounds;
use super::{Geometry, Placement};

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

    fn new(enter: f64, exit: f64) -> Option<Self> {
        (enter <= exit).then_some(Self { enter, exit })
    }

    /// What two spans share.
    pub fn common(self, other: Self) -> Option<Self> {
        Self::new(self.enter.max(other.enter), self.exit.min(other.exit))
    }

    /// From the first beginning to the last end.
    fn hull(self, other: Self) -> Self {
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
    // From the ray's nearest point: far away balls lose no digits to the square of their distance.
    let nearest = from_center + along * ray.direction;
    let left = radius * radius - nearest.length_squared();
    if left < 0.0 {
        return None;
    }
    let half = left.sqrt();
    Span::new(along - half, along + half)
}

/// During which span a ray, given in the solid's frame, is in a solid; never in triangles, which are treated one by one.
pub fn span(geometry: &Geometry, ray: &Ray) -> Option<Span> {
    match geometry {
        Geometry::Sphere { radius } => ball(ray, DVec3::ZERO, *radius),
        Geometry::Box { half } => {
            let [x, y, z] = [0, 1, 2].map(|axis| slab(ray, axis, -half[axis], half[axis]));
            x?.common(y?)?.common(z?)
        }
        Geometry::Ellipsoid { semi_axes } => ellipsoid(ray, *semi_axes),
        Geometry::Cylinder {
            radius,
            half_height,
        } => pipe(ray, *radius)?.common(slab(ray, 2, -half_height, *half_height)?),
        Geometry::Capsule {
            radius,
            half_height,
        } => capsule(ray, *radius, *half_height),
        Geometry::Cone {
            radius,
            half_height,
        } => cone(ray, *radius, *half_height),
        Geometry::Plane => half_space(ray),
        Geometry::Triangles(_) => None,
    }
}

/// Where one coordinate lies between two values.
fn slab(ray: &Ray, axis: usize, low: f64, high: f64) -> Option<Span> {
    let (from, speed) = (ray.origin[axis], ray.direction[axis]);
    if speed == 0.0 {
        return (low <= from && from <= high).then_some(Span::ALL);
    }
    let [a, b] = [(low - from) / speed, (high - from) / speed];
    Span::new(a.min(b), a.max(b))
}

/// The half-space z <= 0.
fn half_space(ray: &Ray) -> Option<Span> {
    slab(ray, 2, f64::NEG_INFINITY, 0.0)
}

fn ellipsoid(ray: &Ray, semi_axes: DVec3) -> Option<Span> {
    // A ball of radius 1 in stretched space, where the ray has another speed.
    let direction = ray.direction / semi_axes;
    let speed = direction.length();
    let stretched = Ray {
        origin: ray.origin / semi_axes,
        direction: direction / speed,
    };
    let span = ball(&stretched, DVec3::ZERO, 1.0)?;
    Span::new(span.enter / speed, span.exit / speed)
}

/// An endless cylinder along z.
fn pipe(ray: &Ray, radius: f64) -> Option<Span> {
    let (origin, direction) = (ray.origin.truncate(), ray.direction.truncate());
    let speed = direction.length();
    if speed < 1e-12 {
        return (origin.length() <= radius).then_some(Span::ALL);
    }
    let flat = Ray {
        origin: origin.extend(0.0),
        direction: (direction / speed).extend(0.0),
    };
    let span = ball(&flat, DVec3::ZERO, radius)?;
    Span::new(span.enter / speed, span.exit / speed)
}

fn capsule(ray: &Ray, radius: f64, half_height: f64) -> Option<Span> {
    let middle = pipe(ray, radius)
        .zip(slab(ray, 2, -half_height, half_height))
        .and_then(|(pipe, slab)| pipe.common(slab));
    let ends = [-half_height, half_height].map(|z| ball(ray, z * DVec3::Z, radius));
    [middle, ends[0], ends[1]]
        .into_iter()
        .flatten()
        .reduce(Span::hull)
}

fn cone(ray: &Ray, radius: f64, half_height: f64) -> Option<Span> {
    let slab = slab(ray, 2, -half_height, half_height)?;
    // Inside, x² + y² <= slope² (apex - z)²; within the slab this holds in the lower of the two cones only.
    let slope = radius / (2.0 * half_height);
    let (origin, direction) = (ray.origin.truncate(), ray.direction.truncate());
    let (depth, sinking) = (
        slope * (half_height - ray.origin.z),
        -slope * ray.direction.z,
    );
    let a = direction.length_squared() - sinking * sinking;
    let b = origin.dot(direction) - depth * sinking;
    let c = origin.length_squared() - depth * depth;
    if a.abs() < 1e-14 {
        // Along the flank: 2 b t + c <= 0.
        let at = -c / (2.0 * b);
        let side = if b > 0.0 {
            Span::new(f64::NEG_INFINITY, at)
        } else if b < 0.0 {
            Span::new(at, f64::INFINITY)
        } else {
            (c <= 0.0).then_some(Span::ALL)
        };
        return side?.common(slab);
    }
    let left = b * b - a * c;
    if left < 0.0 {
        return (a < 0.0).then_some(slab);
    }
    // Without the difference of nearly equal numbers.
    let q = -(b + left.sqrt().copysign(b));
    let [s, t] = [q / a, if q == 0.0 { 0.0 } else { c / q }];
    let (first, second) = (s.min(t), s.max(t));
    if a > 0.0 {
        return Span::new(first, second)?.common(slab);
    }
    // Steeper than the flank: inside before the first or after the second crossing, in the lower cone once.
    let before = Span::new(f64::NEG_INFINITY, first)?.common(slab);
    let after = Span::new(second, f64::INFINITY)?.common(slab);
    let length = |s: &Span| s.exit - s.enter;
    [before, after]
        .into_iter()
        .flatten()
        .max_by(|x, y| length(x).total_cmp(&length(y)))
}

/// Outward unit normal of a solid's surface at a point on it, in the solid's frame; zero for triangles.
pub fn normal(geometry: &Geometry, point: DVec3) -> DVec3 {
    match geometry {
        Geometry::Sphere { .. } => point.normalize_or_zero(),
        Geometry::Box { half } => {
            let beyond = point.abs() - *half;
            let axis = beyond.max_position();
            let mut normal = DVec3::ZERO;
            normal[axis] = 1f64.copysign(point[axis]);
            normal
        }
        Geometry::Ellipsoid { semi_axes } => {
            (point / (*semi_axes * *semi_axes)).normalize_or_zero()
        }
        Geometry::Cylinder {
            radius,
            half_height,
        } => {
            let across = point.truncate().length();
            if across - radius > point.z.abs() - half_height {
                (point.truncate() / across).extend(0.0)
            } else {
                DVec3::Z * point.z.signum()
            }
        }
        Geometry::Capsule { half_height, .. } => {
            let z = point.z.clamp(-half_height, *half_height);
            (point - z * DVec3::Z).normalize_or_zero()
        }
        Geometry::Cone {
            radius,
            half_height,
        } => {
            let across = point.truncate().length();
            let flank = DVec3::new(2.0 * half_height, 0.0, *radius).normalize();
            let beyond_flank = flank.x * across + flank.z * (point.z - half_height);
            if -half_height - point.z > beyond_flank || across == 0.0 {
                return DVec3::Z * point.z.signum();
            }
            let outward = point.truncate() / across;
            (flank.x * outward).extend(flank.z)
        }
        Geometry::Plane => DVec3::Z,
        Geometry::Triangles(_) => DVec3::ZERO,
    }
}

/// Where a ray crosses a triangle: distance and the weights of the second and third corner (after Möller and Trumbore,
/// 1997).
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

/// Whether all lengths are finite and positive.
pub fn is_sound(geometry: &Geometry) -> bool {
    let length = |v: f64| v.is_finite() && v > 0.0;
    match geometry {
        Geometry::Sphere { radius } => length(*radius),
        Geometry::Box { half: v } | Geometry::Ellipsoid { semi_axes: v } => {
            v.to_array().into_iter().all(length)
        }
        Geometry::Cylinder {
            radius,
            half_height,
        }
        | Geometry::Cone {
            radius,
            half_height,
        } => length(*radius) && length(*half_height),
        Geometry::Capsule {
            radius,
            half_height,
        } => length(*radius) && half_height.is_finite() && *half_height >= 0.0,
        Geometry::Plane => true,
        Geometry::Triangles(mesh) => mesh.vertices.iter().all(|v| v.is_finite()),
    }
}

/// The smallest box around a placed solid, or one a little larger for turned cones; empty for a plane.
pub fn bounds(geometry: &Geometry, placement: &Placement) -> Bounds {
    let turn = DMat3::from_quat(placement.rotation.normalize());
    // Row i of the absolute rotation: how much each local axis reaches along world axis i.
    let reach = |half: DVec3| {
        turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z
    };
    let axis = turn.z_axis;
    // Half the width of a disc across the local z axis.
    let disc = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
    let half = match geometry {
        Geometry::Sphere { radius } => DVec3::splat(*radius),
        Geometry::Box { half } => reach(*half),
        Geometry::Ellipsoid { semi_axes: s } => {
            let square = |v: DVec3| v * v;
            (square(turn.x_axis * s.x) + square(turn.y_axis * s.y) + square(turn.z_axis * s.z))
                .map(f64::sqrt)
        }
        Geometry::Cylinder {
            radius,
            half_height,
        }
        | Geometry::Cone {
            radius,
            half_height,
        } => axis.abs() * *half_height + disc * *radius,
        Geometry::Capsule {
            radius,
            half_height,
        } => axis.abs() * *half_height + DVec3::splat(*radius),
        Geometry::Plane => return Bounds::EMPTY,
        Geometry::Triangles(mesh) => {
            let place = |v: &DVec3| placement.position + turn * *v;
            return Bounds::of(mesh.vertices.iter().map(place));
        }
    };
    Bounds {
        min: placement.position - half,
        max: placement.position + half,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance of a point from the surface, negative inside; exact or at least of the right sign.
    fn distance(geometry: &Geometry, p: DVec3) -> f64 {
        let across = p.truncate().length();
        match *geometry {
            Geometry::Sphere { radius } => p.length() - radius,
            Geometry::Box { half } => (p.abs() - half).max_element(),
            Geometry::Ellipsoid { semi_axes } => (p / semi_axes).length() - 1.0,
            Geometry::Cylinder {
                radius,
                half_height,
            } => (across - radius).max(p.z.abs() - half_height),
            Geometry::Capsule {
                radius,
                half_height,
            } => (p - p.z.clamp(-half_height, half_height) * DVec3::Z).length() - radius,
            Geometry::Cone {
                radius,
                half_height,
            } => {
                let width = radius * (half_height - p.z) / (2.0 * half_height);
                (across - width).max(p.z.abs() - half_height)
            }
            Geometry::Plane => p.z,
            Geometry::Triangles(_) => f64::INFINITY,
        }
    }

    fn shapes() -> Vec<Geometry> {
        vec![
            Geometry::Sphere { radius: 0.7 },
            Geometry::Box {
                half: DVec3::new(0.3, 0.8, 0.5),
            },
            Geometry::Ellipsoid {
                semi_axes: DVec3::new(0.9, 0.2, 0.5),
            },
            Geometry::Cylinder {
                radius: 0.4,
                half_height: 0.7,
            },
            Geometry::Capsule {
                radius: 0.3,
                half_height: 0.6,
            },
            Geometry::Cone {
                radius: 0.6,
                half_height: 0.5,
            },
        ]
    }

    /// Fixed scattered points in the cube from -1 to 1.
    fn scatter(k: u32) -> DVec3 {
        let part = |step: f64| 2.0 * (f64::from(k) * step).fract() - 1.0;
        DVec3::new(part(0.819_172_5), part(0.671_043_6), part(0.549_700_5))
    }

    #[test]
    fn spans_agree_with_walking_along_the_ray() {
        for geometry in shapes() {
            let mut met = 0;
            for k in 0..400 {
                let origin = 2.0 * scatter(2 * k);
                let direction = (scatter(2 * k + 1) - origin).normalize();
                let ray = Ray { origin, direction };
                let span = span(&geometry, &ray);
                met += usize::from(span.is_some());
                for step in -400..=400 {
                    let t = f64::from(step) * 0.01;
                    let inside = distance(&geometry, ray.at(t));
                    let within = span.is_some_and(|s| s.enter <= t && t <= s.exit);
                    assert!(
                        inside.abs() < 1e-9 || within == (inside < 0.0),
                        "{geometry:?} {ray:?} t={t}: {span:?}"
                    );
                }
            }
            assert!(met > 20, "{geometry:?}: {met}");
        }
    }

    #[test]
    fn rays_along_the_axes_meet_where_they_should() {
        let expected = [0.7, 0.5, 0.5, 0.7, 0.9, 0.5];
        for (geometry, top) in shapes().iter().zip(expected) {
            let down = Ray {
                origin: 3.0 * DVec3::Z,
                direction: -DVec3::Z,
            };
            let span = span(geometry, &down).unwrap();
            assert!((span.enter - (3.0 - top)).abs() < 1e-12, "{geometry:?}");
            assert!((normal(geometry, down.at(span.enter)) - DVec3::Z).length() < 1e-9);
        }
    }

    #[test]
    fn normals_are_the_gradient_of_the_distance() {
        for geometry in shapes() {
            for k in 0..200 {
                let origin = 2.0 * scatter(2 * k);
                let direction = (0.2 * scatter(2 * k + 1) - origin).normalize();
                let ray = Ray { origin, direction };
                let Some(span) = span(&geometry, &ray) else {
                    continue;
                };
                let p = ray.at(span.enter);
                let h = 1e-6;
                let slope =
                    |e: DVec3| distance(&geometry, p + h * e) - distance(&geometry, p - h * e);
                let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
                let off = (gradient.normalize() - normal(&geometry, p)).length();
                assert!(off < 1e-4, "{geometry:?} at {p}: {off}");
            }
        }
    }

    #[test]
    fn bounds_contain_and_touch() {
        let rotation = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -0.9, 1.3);
        let placement = Placement::new([5.0, -2.0, 1.0], rotation);
        for geometry in shapes() {
            let bounds = bounds(&geometry, &placement);
            let mut found = Bounds::EMPTY;
            for k in 0..20_000 {
                let direction = scatter(k).normalize();
                let ray = Ray {
                    origin: DVec3::ZERO,
                    direction,
                };
                let exit = span(&geometry, &ray).unwrap().exit;
                found = found.union(&Bounds::of([placement.position + rotation * ray.at(exit)]));
            }
            let [low, high] = [found.min - bounds.min, bounds.max - found.max];
            assert!(low.min(high).min_element() > -1e-9, "{geometry:?}");
            let slack = low.max(high).max_element();
            let exact = !matches!(geometry, Geometry::Cone { .. });
            assert!(!exact || slack < 0.05, "{geometry:?}: {slack}");
        }
    }

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

    #[test]
    fn a_plane_is_solid_below() {
        let down = Ray {
            origin: DVec3::new(1.0, 2.0, 5.0),
            direction: -DVec3::Z,
        };
        assert_eq!(span(&Geometry::Plane, &down).unwrap().enter, 5.0);
        assert_eq!(span(&Geometry::Plane, &down).unwrap().exit, f64::INFINITY);
    }
}
