//! Shapes, random poses and an independent measure of separation for the narrow phase's tests.

#![allow(clippy::unwrap_used)]
#![allow(dead_code)]

use drystone_collide::narrow::{ContactPoint, Scratch, contacts};
use drystone_collide::{Pose, Shape};
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Number of kinds that [`convex`] knows.
pub const KINDS: usize = 8;

/// A convex shape of each kind, of size about `scale` m.
pub fn convex(kind: usize, scale: f64) -> Shape {
    let s = scale;
    match kind {
        0 => Shape::sphere(0.8 * s),
        1 => Shape::box_of(DVec3::new(0.5, 0.8, 0.3) * s),
        2 => Shape::ellipsoid(DVec3::new(0.9, 0.5, 0.35) * s),
        3 => Shape::cylinder(0.5 * s, 0.7 * s),
        4 => Shape::capsule(0.3 * s, 0.6 * s),
        5 => Shape::cone(0.6 * s, 0.7 * s),
        6 => Shape::hull(&prism(6, 0.7 * s, 0.4 * s)),
        7 => Shape::hull(&cloud(40, 0.8 * s)),
        other => panic!("no kind {other}"),
    }
    .unwrap()
}

/// Corners of a regular prism along z.
pub fn prism(sides: usize, radius: f64, half_height: f64) -> Vec<DVec3> {
    (0..2 * sides)
        .map(|k| {
            let (s, c) = (std::f64::consts::TAU * (k / 2) as f64 / sides as f64).sin_cos();
            let z = if k % 2 == 0 {
                -half_height
            } else {
                half_height
            };
            DVec3::new(radius * c, radius * s, z)
        })
        .collect()
}

/// Points on a sphere.
pub fn cloud(count: usize, radius: f64) -> Vec<DVec3> {
    let mut rng = Pcg64::seed_from_u64(11);
    (0..count).map(|_| radius * direction(&mut rng)).collect()
}

pub fn direction(rng: &mut Pcg64) -> DVec3 {
    loop {
        let v = DVec3::new(
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
        );
        if v.length() > 0.1 && v.length() < 1.0 {
            return v.normalize();
        }
    }
}

pub fn rotation(rng: &mut Pcg64) -> DQuat {
    DQuat::from_axis_angle(direction(rng), rng.random_range(0.0..6.2))
}

/// The point of the shape farthest along `d`, written anew: no code in common with the crate.
pub fn support(shape: &Shape, pose: &Pose, d: DVec3) -> DVec3 {
    let l = pose.rotation.inverse() * d;
    let flat = DVec3::new(l.x, l.y, 0.0).normalize_or_zero();
    let p = match shape {
        Shape::Sphere { radius } => *radius * l.normalize(),
        Shape::Box { half } => *half * DVec3::new(l.x.signum(), l.y.signum(), l.z.signum()),
        Shape::Ellipsoid { semi_axes: a } => *a * *a * l / (*a * l).length(),
        Shape::Cylinder {
            radius,
            half_height,
        } => flat * *radius + DVec3::Z * (half_height * l.z.signum()),
        Shape::Capsule {
            radius,
            half_height,
        } => l.normalize() * *radius + DVec3::Z * (half_height * l.z.signum()),
        Shape::Cone {
            radius,
            half_height,
        } => {
            let (rim, apex) = (
                flat * *radius - DVec3::Z * *half_height,
                DVec3::Z * *half_height,
            );
            if rim.dot(l) > apex.dot(l) { rim } else { apex }
        }
        Shape::Hull(hull) => *hull
            .vertices()
            .iter()
            .max_by(|p, q| p.dot(l).total_cmp(&q.dot(l)))
            .unwrap(),
        other => panic!("no support of a {}", other.kind()),
    };
    pose.position + pose.rotation * p
}

/// Separation of two convex shapes along the unit vector `n`.
pub fn separation(a: (&Shape, &Pose), b: (&Shape, &Pose), n: DVec3) -> f64 {
    n.dot(support(b.0, b.1, -n) - support(a.0, a.1, n))
}

/// The greatest separation that a dense search finds, and where.
pub fn searched(a: (&Shape, &Pose), b: (&Shape, &Pose), rng: &mut Pcg64) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    for _ in 0..3000 {
        let n = direction(rng);
        let s = separation(a, b, n);
        if s > best.0 {
            best = (s, n);
        }
    }
    let mut step = 0.05;
    while step > 1e-9 {
        let mut better = false;
        for _ in 0..30 {
            let n = (best.1 + step * direction(rng)).normalize();
            let s = separation(a, b, n);
            if s > best.0 {
                best = (s, n);
                better = true;
            }
        }
        if !better {
            step *= 0.5;
        }
    }
    best
}

pub fn points(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    out
}

pub fn deepest(points: &[ContactPoint]) -> Option<ContactPoint> {
    points
        .iter()
        .copied()
        .min_by(|p, q| p.gap.total_cmp(&q.gap))
}

/// A pose of `b` whose separation from `a` (at the origin, turned) is about `gap`.
pub fn placed(a: &Shape, b: &Shape, gap: f64, rng: &mut Pcg64) -> (Pose, Pose) {
    let pose_a = Pose {
        position: DVec3::ZERO,
        rotation: rotation(rng),
    };
    let mut pose_b = Pose {
        position: DVec3::ZERO,
        rotation: rotation(rng),
    };
    let d = direction(rng);
    pose_b.position = d * (a.radius_about_origin() + b.radius_about_origin());
    // Moving along the connection changes the separation at most as fast.
    for _ in 0..15 {
        let (s, n) = coarse((a, &pose_a), (b, &pose_b), d);
        pose_b.position -= d * ((s - gap) / n.dot(d).max(0.3));
    }
    // Along the best direction the separation follows at once, unless the best direction changes.
    for _ in 0..8 {
        let (s, n) = searched((a, &pose_a), (b, &pose_b), rng);
        pose_b.position += n * (gap - s);
        if (gap - s).abs() < 1e-3 * gap.abs() {
            break;
        }
    }
    (pose_a, pose_b)
}

/// A quick local search for the separation.
fn coarse(a: (&Shape, &Pose), b: (&Shape, &Pose), start: DVec3) -> (f64, DVec3) {
    let mut rng = Pcg64::seed_from_u64(5);
    let mut best = (separation(a, b, start), start);
    let mut step = 0.5;
    for _ in 0..120 {
        let n = (best.1 + step * direction(&mut rng)).normalize();
        let s = separation(a, b, n);
        if s > best.0 {
            best = (s, n);
        } else {
            step *= 0.95;
        }
    }
    best
}
