//! Ellipsoids: constructed contacts whose normal is known, to nine digits.

#![allow(clippy::unwrap_used)]

use crate::common::{self, direction, points, rotation, support};
use drystone_collide::{Pose, Shape};
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Puts `b` where its lowest point along `n` meets the highest of `a` at distance `gap`: `n` is
/// then the normal.
fn facing(a: &Shape, b: &Shape, n: DVec3, gap: f64, rng: &mut Pcg64) -> (Pose, Pose) {
    let pa = Pose {
        position: DVec3::new(1.0, 2.0, 3.0),
        rotation: rotation(rng),
    };
    let mut pb = Pose {
        position: DVec3::ZERO,
        rotation: rotation(rng),
    };
    pb.position = support(a, &pa, n) + n * gap - support(b, &pb, -n);
    (pa, pb)
}

#[test]
fn normals_are_right_to_nine_digits() {
    let mut rng = Pcg64::seed_from_u64(1);
    for _ in 0..300 {
        let mut axis = || rng.random_range(0.2..1.0);
        let egg = Shape::ellipsoid([axis(), axis(), axis()]).unwrap();
        let others = [
            Shape::ellipsoid([axis(), axis(), axis()]).unwrap(),
            Shape::sphere(axis()).unwrap(),
        ];
        for other in others {
            // Shallow against the smallest radius of curvature, 0.2²/1 = 0.04: the normal stays the
            // best.
            for gap in [0.3, 1e-3, 0.0, -1e-3, -0.02] {
                let n = direction(&mut rng);
                let (pa, pb) = facing(&egg, &other, n, gap, &mut rng);
                for (first, second, sign) in [
                    ((&egg, &pa), (&other, &pb), 1.0),
                    ((&other, &pb), (&egg, &pa), -1.0),
                ] {
                    let found = points(first, second, 0.5);
                    assert_eq!(found.len(), 1);
                    let p = found[0];
                    assert!((p.normal * sign - n).length() < 1e-9, "{gap} {n} {p:?}");
                    assert!((p.gap - gap).abs() < 1e-12, "{gap} {p:?}");
                    let middle = support(&egg, &pa, n) + n * (0.5 * gap);
                    assert!((p.point - middle).length() < 1e-8, "{gap} {p:?}");
                }
            }
        }
    }
}

/// Against corners, edges, rims, side lines and faces of the others the normal is known as well:
/// along `n` the two supports face each other.
#[test]
fn other_shapes_meet_ellipsoids_exactly() {
    let mut rng = Pcg64::seed_from_u64(2);
    for kind in [1, 3, 4, 5, 6, 7] {
        let other = common::convex(kind, 1.0);
        let egg = Shape::ellipsoid([0.5, 0.35, 0.3]).unwrap();
        for _ in 0..100 {
            for gap in [0.1, 1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
                let n = direction(&mut rng);
                let (pa, pb) = facing(&egg, &other, n, gap, &mut rng);
                let found = points((&egg, &pa), (&other, &pb), 0.5);
                let p = common::deepest(&found).unwrap();
                let case = format!("{} {gap} {n} {p:?}", other.kind());
                assert!((p.normal - n).length() < 1e-9, "{case}");
                assert!((p.gap - gap).abs() < 1e-11, "{case}");
            }
        }
    }
}

/// Against a face, an edge and a side line the normal is theirs, or perpendicular to them.
#[test]
fn faces_and_edges_meet_ellipsoids_exactly() {
    let mut rng = Pcg64::seed_from_u64(3);
    let egg = Shape::ellipsoid([0.5, 0.35, 0.3]).unwrap();
    let brick = Shape::box_of([1.0, 1.0, 1.0]).unwrap();
    let can = Shape::cylinder(1.0, 1.0).unwrap();
    for _ in 0..100 {
        let around: f64 = rng.random_range(0.1..1.4);
        let slanted = DVec3::new(around.cos(), around.sin(), 0.0);
        // A face of the box, one of its edges, an end of the cylinder, its side.
        for (other, n, on) in [
            (&brick, DVec3::X, DVec3::X),
            (&brick, slanted, DVec3::new(1.0, 1.0, 0.0)),
            (&can, DVec3::Z, DVec3::Z),
            (&can, slanted, slanted),
        ] {
            for gap in [0.1, 1e-6, 0.0, -1e-6, -1e-3] {
                let mut pose = Pose {
                    position: DVec3::ZERO,
                    rotation: rotation(&mut rng),
                };
                let free = DVec3::ONE - on.abs().map(f64::ceil);
                let place = on + 0.3 * rng.random_range(-1.0..1.0) * free;
                pose.position = place + n * gap - support(&egg, &pose, -n);
                let found = points((other, &Pose::IDENTITY), (&egg, &pose), 0.2);
                let case = format!("{} {n} {gap} {found:?}", other.kind());
                // An edge may have further points where it leaves the egg; none is nearer.
                let nearest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
                let nearest = nearest.expect(&case);
                assert!((nearest.normal - n).length() < 1e-9, "{case}");
                assert!((nearest.gap - gap).abs() < 1e-12, "{case}");
                let middle = place + n * (0.5 * gap);
                assert!((nearest.point - middle).length() < 1e-8, "{case}");
            }
        }
    }
}
