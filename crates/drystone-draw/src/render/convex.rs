//! Where rays enter and leave convex shapes, and which way their surfaces face there.
//!
//! A ray is inside a convex shape during one span. Hulls are drawn as triangles, like meshes.

use drystone::Shape;
use glam::DVec3;

use super::ray::{Ray, Span, ball};

/// During which span a ray is in a shape, both in the shape's frame. Never for planes, which
/// `prepared.rs` treats, nor for shapes that are drawn as triangles or part by part.
pub fn span(shape: &Shape, ray: &Ray) -> Option<Span> {
    match shape {
        Shape::Sphere { radius } => ball(ray, DVec3::ZERO, *radius),
        Shape::Box { half } => {
            let [x, y, z] = [0, 1, 2].map(|axis| slab(ray, axis, -half[axis], half[axis]));
            x?.common(y?)?.common(z?)
        }
        Shape::Ellipsoid { semi_axes } => ellipsoid(ray, *semi_axes),
        Shape::Cylinder {
            radius,
            half_height,
        } => pipe(ray, *radius)?.common(slab(ray, 2, -half_height, *half_height)?),
        Shape::Capsule {
            radius,
            half_height,
        } => capsule(ray, *radius, *half_height),
        Shape::Cone {
            radius,
            half_height,
        } => cone(ray, *radius, *half_height),
        Shape::Plane
        | Shape::Hull(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => None,
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
    // Along the axis, but for rounding: dividing by this speed would magnify that.
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
    // Inside, x² + y² <= slope² (apex - z)². Within the slab this holds in the lower of the two
    // cones that meet at the apex only. On the ray it reads a t² + 2 b t + c <= 0.
    let slope = radius / (2.0 * half_height);
    let (origin, direction) = (ray.origin.truncate(), ray.direction.truncate());
    let (depth, sinking) = (
        slope * (half_height - ray.origin.z),
        -slope * ray.direction.z,
    );
    let a = direction.length_squared() - sinking * sinking;
    let b = origin.dot(direction) - depth * sinking;
    let c = origin.length_squared() - depth * depth;
    // Along the flank, but for rounding of the unit direction's square: 2 b t + c <= 0.
    if a.abs() < 1e-14 {
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
    // Steeper than the flank: inside before the first or after the second crossing. One of the two
    // is in the lower cone.
    let before = Span::new(f64::NEG_INFINITY, first)?.common(slab);
    let after = Span::new(second, f64::INFINITY)?.common(slab);
    let length = |s: &Span| s.exit - s.enter;
    [before, after]
        .into_iter()
        .flatten()
        .max_by(|x, y| length(x).total_cmp(&length(y)))
}

/// Outward unit normal of a shape's surface at a point on it, in the shape's frame. Zero for the
/// shapes that [`span`] does not treat.
pub fn normal(shape: &Shape, point: DVec3) -> DVec3 {
    match shape {
        Shape::Sphere { .. } => point.normalize_or_zero(),
        Shape::Box { half } => {
            let beyond = point.abs() - *half;
            let axis = beyond.max_position();
            let mut normal = DVec3::ZERO;
            normal[axis] = 1f64.copysign(point[axis]);
            normal
        }
        Shape::Ellipsoid { semi_axes } => (point / (*semi_axes * *semi_axes)).normalize_or_zero(),
        Shape::Cylinder {
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
        Shape::Capsule { half_height, .. } => {
            let z = point.z.clamp(-half_height, *half_height);
            (point - z * DVec3::Z).normalize_or_zero()
        }
        Shape::Cone {
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
        Shape::Plane
        | Shape::Hull(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance of a point from the surface, negative inside; exact or at least of the right sign.
    fn distance(shape: &Shape, p: DVec3) -> f64 {
        let across = p.truncate().length();
        match *shape {
            Shape::Sphere { radius } => p.length() - radius,
            Shape::Box { half } => (p.abs() - half).max_element(),
            Shape::Ellipsoid { semi_axes } => (p / semi_axes).length() - 1.0,
            Shape::Cylinder {
                radius,
                half_height,
            } => (across - radius).max(p.z.abs() - half_height),
            Shape::Capsule {
                radius,
                half_height,
            } => (p - p.z.clamp(-half_height, half_height) * DVec3::Z).length() - radius,
            Shape::Cone {
                radius,
                half_height,
            } => {
                let width = radius * (half_height - p.z) / (2.0 * half_height);
                (across - width).max(p.z.abs() - half_height)
            }
            Shape::Plane
            | Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_) => panic!("no convex shape with a formula"),
        }
    }

    fn shapes() -> Vec<Shape> {
        let shapes = [
            Shape::sphere(0.7),
            Shape::box_of([0.3, 0.8, 0.5]),
            Shape::ellipsoid([0.9, 0.2, 0.5]),
            Shape::cylinder(0.4, 0.7),
            Shape::capsule(0.3, 0.6),
            Shape::cone(0.6, 0.5),
        ];
        shapes.map(Result::unwrap).to_vec()
    }

    /// Fixed scattered points in the cube from -1 to 1.
    fn scatter(k: u32) -> DVec3 {
        let part = |step: f64| 2.0 * (f64::from(k) * step).fract() - 1.0;
        DVec3::new(part(0.819_172_5), part(0.671_043_6), part(0.549_700_5))
    }

    #[test]
    fn spans_agree_with_walking_along_the_ray() {
        for shape in shapes() {
            let mut met = 0;
            for k in 0..400 {
                let origin = 2.0 * scatter(2 * k);
                let direction = (scatter(2 * k + 1) - origin).normalize();
                let ray = Ray { origin, direction };
                let span = span(&shape, &ray);
                met += usize::from(span.is_some());
                for step in -400..=400 {
                    let t = f64::from(step) * 0.01;
                    let inside = distance(&shape, ray.at(t));
                    let within = span.is_some_and(|s| s.enter <= t && t <= s.exit);
                    assert!(
                        inside.abs() < 1e-9 || within == (inside < 0.0),
                        "{shape:?} {ray:?} t={t}: {span:?}"
                    );
                }
            }
            assert!(met > 20, "{shape:?}: {met}");
        }
    }

    #[test]
    fn rays_along_the_axes_meet_where_they_should() {
        let expected = [0.7, 0.5, 0.5, 0.7, 0.9, 0.5];
        for (shape, top) in shapes().iter().zip(expected) {
            let down = Ray {
                origin: 3.0 * DVec3::Z,
                direction: -DVec3::Z,
            };
            let span = span(shape, &down).unwrap();
            assert!((span.enter - (3.0 - top)).abs() < 1e-12, "{shape:?}");
            assert!((normal(shape, down.at(span.enter)) - DVec3::Z).length() < 1e-9);
        }
    }

    #[test]
    fn normals_are_the_gradient_of_the_distance() {
        for shape in shapes() {
            for k in 0..200 {
                let origin = 2.0 * scatter(2 * k);
                let direction = (0.2 * scatter(2 * k + 1) - origin).normalize();
                let ray = Ray { origin, direction };
                let Some(span) = span(&shape, &ray) else {
                    continue;
                };
                let p = ray.at(span.enter);
                let h = 1e-6;
                let slope = |e: DVec3| distance(&shape, p + h * e) - distance(&shape, p - h * e);
                let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
                let off = (gradient.normalize() - normal(&shape, p)).length();
                assert!(off < 1e-4, "{shape:?} at {p}: {off}");
            }
        }
    }
}
