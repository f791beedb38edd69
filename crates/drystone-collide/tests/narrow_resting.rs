//! Shapes at rest on each other: as many points as carry the body, at the right places, with
//! identities that stay.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::common::{self, points, prism};
use drystone_collide::narrow::ContactPoint;
use drystone_collide::{Pose, Shape};
use glam::{DQuat, DVec2, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn plane() -> (Shape, Pose) {
    (Shape::plane(), Pose::IDENTITY)
}

/// Area of the convex hull of points projected to the x-y plane.
fn support_area(points: &[ContactPoint]) -> f64 {
    let mut p: Vec<DVec2> = points.iter().map(|p| p.point.truncate()).collect();
    let center = p.iter().sum::<DVec2>() / p.len() as f64;
    p.sort_by(|a, b| {
        let angle = |v: DVec2| (v - center).to_angle();
        angle(*a).total_cmp(&angle(*b))
    });
    (0..p.len())
        .map(|k| 0.5 * p[k].perp_dot(p[(k + 1) % p.len()]))
        .sum()
}

fn assert_flat(points: &[ContactPoint], count: std::ops::RangeInclusive<usize>, gap: f64) {
    assert!(count.contains(&points.len()), "{points:?}");
    for (k, p) in points.iter().enumerate() {
        assert!((p.normal - DVec3::Z).length() < 1e-9, "{p:?}");
        assert!((p.gap - gap).abs() < 1e-12, "{p:?}");
        for q in &points[k + 1..] {
            assert!(p.feature < q.feature);
            assert!((p.point - q.point).length() > 1e-3, "{p:?} {q:?}");
        }
    }
}

#[test]
fn a_box_on_a_plane_has_four_points() {
    let (ground, g) = plane();
    for scale in [1e-4, 1.0] {
        let brick = Shape::box_of(DVec3::new(0.5, 0.3, 0.2) * scale).unwrap();
        let pose = Pose::at([3.0, 2.0, 0.2 * scale + 1e-3 * scale]);
        let found = points((&ground, &g), (&brick, &pose), 0.01 * scale);
        assert_eq!(found.len(), 4);
        for p in &found {
            assert_eq!(p.normal, DVec3::Z);
            assert!((p.gap - 1e-3 * scale).abs() < 1e-16);
            let corner = (p.point - pose.position).truncate().abs();
            assert!((corner - DVec2::new(0.5, 0.3) * scale).length() < 1e-15);
        }
        assert!(points((&ground, &g), (&brick, &pose), 0.5e-3 * scale).is_empty());
    }
}

#[test]
fn boxes_on_boxes_have_the_corners_of_the_common_area() {
    let base = Shape::box_of([0.5, 0.5, 0.5]).unwrap();
    let at = |x: f64, y: f64, z: f64, angle: f64| Pose {
        position: DVec3::new(x, y, z),
        rotation: DQuat::from_rotation_z(angle),
    };
    for gap in [-1e-4, 0.0, 1e-4] {
        // Equal boxes: four points; shifted: four; turned by 45 degrees: eight.
        let bottom = at(0.0, 0.0, 0.0, 0.0);
        let found = points(
            (&base, &bottom),
            (&base, &at(0.0, 0.0, 1.0 + gap, 0.0)),
            1e-3,
        );
        assert_flat(&found, 4..=4, gap);
        assert!((support_area(&found) - 1.0).abs() < 1e-9);
        let found = points(
            (&base, &bottom),
            (&base, &at(0.3, 0.1, 1.0 + gap, 0.0)),
            1e-3,
        );
        assert_flat(&found, 4..=4, gap);
        assert!((support_area(&found) - 0.7 * 0.9).abs() < 1e-9);
        let found = points(
            (&base, &bottom),
            (&base, &at(0.0, 0.0, 1.0 + gap, PI / 4.0)),
            1e-3,
        );
        assert_flat(&found, 8..=8, gap);
        // A regular octagon of inradius 1/2: 8 r² tan(π/8).
        assert!((support_area(&found) - 2.0 * (PI / 8.0).tan()).abs() < 1e-9);
        for quarter in 1..4 {
            let turned = at(0.0, 0.0, 1.0 + gap, f64::from(quarter) * FRAC_PI_2);
            assert_flat(
                &points((&base, &bottom), (&base, &turned), 1e-3),
                4..=4,
                gap,
            );
        }
    }
}

#[test]
fn thin_plates_and_tiny_boxes_rest_on_their_faces() {
    for scale in [1e-4, 1.0, 10.0] {
        let half = DVec3::new(1.0, 1.0, 0.01) * scale;
        let plate = Shape::box_of(half).unwrap();
        let far = DVec3::new(100.0, -100.0, 100.0);
        for angle in [0.0, 0.3, 1.2] {
            let upper = Pose {
                position: far + DVec3::new(0.2, 0.1, 0.02 - 1e-5) * scale,
                rotation: DQuat::from_rotation_z(angle),
            };
            let found = points((&plate, &Pose::at(far)), (&plate, &upper), 1e-4 * scale);
            assert!((4..=8).contains(&found.len()), "{found:?}");
            for p in &found {
                assert!((p.normal - DVec3::Z).length() < 1e-9);
                // 100 m away the rounding of coordinates is 1e-14 m.
                assert!((p.gap + 1e-5 * scale).abs() < 1e-9 * scale + 5e-14, "{p:?}");
            }
        }
    }
}

#[test]
fn a_cylinder_stands_on_its_rim_and_rolls_on_a_line() {
    let (ground, g) = plane();
    let can = Shape::cylinder(0.5, 0.8).unwrap();
    let slab = Shape::box_of([2.0, 2.0, 0.5]).unwrap();
    let slab_pose = Pose::at([0.0, 0.0, -0.5]);
    let supports = [(&ground, &g), (&slab, &slab_pose)];
    for support in supports {
        for flip in [0.0, PI] {
            let standing = Pose {
                position: DVec3::new(0.1, 0.2, 0.8 - 1e-5),
                rotation: DQuat::from_rotation_x(flip) * DQuat::from_rotation_z(0.2),
            };
            let found = points(support, (&can, &standing), 1e-4);
            assert_flat(&found, 8..=8, -1e-5);
            // A regular octagon in the rim.
            let octagon = 0.5 * 8.0 * (TAU / 8.0).sin() * 0.25;
            assert!((support_area(&found) - octagon).abs() < 1e-9);
        }
        let lying = Pose {
            position: DVec3::new(0.1, 0.2, 0.5 - 1e-5),
            rotation: DQuat::from_rotation_x(FRAC_PI_2) * DQuat::from_rotation_z(0.7),
        };
        let found = points(support, (&can, &lying), 1e-4);
        assert_flat(&found, 2..=2, -1e-5);
        assert!((found[0].point - found[1].point).length() > 1.59);
    }
    // Tilted by 5 degrees the lowest point of the rim is met exactly.
    for support in supports {
        for k in 0..20 {
            let tilt = 5f64.to_radians();
            let lowest = 0.5 * tilt.sin() + 0.8 * tilt.cos();
            let pose = Pose {
                position: DVec3::new(0.0, 0.0, lowest + 1e-4),
                rotation: DQuat::from_rotation_z(0.3 * f64::from(k))
                    * DQuat::from_rotation_y(tilt)
                    * DQuat::from_rotation_z(0.1 * f64::from(k)),
            };
            let found = points(support, (&can, &pose), 1e-3);
            let least = found.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
            assert!((least - 1e-4).abs() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn prisms_cones_and_capsules_rest_on_what_carries_them() {
    let (ground, g) = plane();
    let slab = Shape::box_of([2.0, 2.0, 0.5]).unwrap();
    let slab_pose = Pose::at([0.0, 0.0, -0.5]);
    for support in [(&ground, &g), (&slab, &slab_pose)] {
        let hexagon = Shape::hull(&prism(6, 0.5, 0.3)).unwrap();
        let found = points(support, (&hexagon, &Pose::at([0.1, 0.0, 0.3])), 1e-4);
        assert_flat(&found, 6..=6, 0.0);
        let area = 1.5 * 3f64.sqrt() * 0.25;
        assert!((support_area(&found) - area).abs() < 1e-9);

        let cone = Shape::cone(0.5, 0.4).unwrap();
        let found = points(support, (&cone, &Pose::at([0.0, 0.0, 0.4])), 1e-4);
        assert_flat(&found, 8..=8, 0.0);
        // On its side: the line from the rim to the apex.
        let slope = (0.5f64 / 0.8).atan();
        let side = Pose {
            position: DVec3::new(0.0, 0.0, 0.4 * slope.sin()),
            rotation: DQuat::from_rotation_y(FRAC_PI_2 + slope),
        };
        let side = Pose {
            position: DVec3::new(0.0, 0.0, 0.4 * slope.sin()),
            ..side
        };
        let found = points(support, (&cone, &side), 1e-4);
        assert_flat(&found, 2..=2, 0.0);

        let capsule = Shape::capsule(0.2, 0.4).unwrap();
        let lying = Pose {
            position: DVec3::new(0.0, 0.0, 0.2),
            rotation: DQuat::from_rotation_x(FRAC_PI_2),
        };
        assert_flat(&points(support, (&capsule, &lying), 1e-4), 2..=2, 0.0);
        let standing = Pose::at([0.0, 0.0, 0.6]);
        assert_flat(&points(support, (&capsule, &standing), 1e-4), 1..=1, 0.0);

        let egg = Shape::ellipsoid([0.3, 0.2, 0.1]).unwrap();
        let found = points(support, (&egg, &Pose::at([0.0, 0.0, 0.1])), 1e-4);
        assert_flat(&found, 1..=1, 0.0);
    }
    // Two hexagonal prisms, one turned by 30 degrees: a dodecagon, of which eight corners are kept.
    let hexagon = Shape::hull(&prism(6, 0.5, 0.3)).unwrap();
    let upper = Pose {
        position: DVec3::new(0.0, 0.0, 0.6),
        rotation: DQuat::from_rotation_z(PI / 6.0),
    };
    let found = points((&hexagon, &Pose::IDENTITY), (&hexagon, &upper), 1e-4);
    assert_flat(&found, 8..=8, 0.0);
    let can = Shape::cylinder(0.5, 0.3).unwrap();
    let found = points((&can, &Pose::IDENTITY), (&can, &upper), 1e-4);
    assert_flat(&found, 8..=8, 0.0);
}

/// Jitter of a millionth of the size changes neither the number nor the identities of the contacts
/// at rest.
#[test]
fn identities_survive_small_motions() {
    let mut rng = Pcg64::seed_from_u64(8);
    let slab = Shape::box_of([2.0, 2.0, 0.5]).unwrap();
    let (ground, g) = plane();
    let slab_pose = Pose::at([0.0, 0.0, -0.5]);
    let shapes = [
        (Shape::box_of([0.3, 0.2, 0.4]).unwrap(), 0.4),
        (Shape::cylinder(0.3, 0.4).unwrap(), 0.4),
        (Shape::hull(&prism(6, 0.3, 0.4)).unwrap(), 0.4),
        (Shape::cone(0.3, 0.4).unwrap(), 0.4),
        (Shape::sphere(0.4).unwrap(), 0.4),
    ];
    // The same faces on top of each other are the hardest: their corners coincide.
    let twin = Shape::box_of([0.3, 0.2, 0.4]).unwrap();
    let twin_pose = Pose {
        position: DVec3::new(0.1, 0.2, -0.4),
        rotation: DQuat::from_rotation_z(0.4),
    };
    for support in [(&ground, &g), (&slab, &slab_pose), (&twin, &twin_pose)] {
        for (shape, height) in &shapes {
            let ids = |pose: &Pose| -> Vec<u64> {
                let found = points(support, (shape, pose), 1e-3);
                found.iter().map(|p| p.feature).collect()
            };
            let spin = DQuat::from_rotation_z(0.4);
            let rest = Pose {
                position: DVec3::new(0.1, 0.2, *height),
                rotation: spin,
            };
            let before = ids(&rest);
            assert!(!before.is_empty());
            for _ in 0..50 {
                let axis = common::direction(&mut rng);
                let jitter = Pose {
                    position: rest.position + 1e-6 * axis,
                    rotation: DQuat::from_scaled_axis(axis * rng.random_range(0.0..2e-6)) * spin,
                };
                assert_eq!(ids(&jitter), before, "{}", shape.kind());
            }
        }
    }
}
