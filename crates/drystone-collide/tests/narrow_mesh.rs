//! Meshes, height fields and compounds: against the shapes that they stand for.

#![allow(clippy::unwrap_used)]

use crate::common::{self, KINDS, convex, deepest, direction, placed, points, rotation};
use drystone_collide::shape::{HeightField, TriangleMesh};
use drystone_collide::{Pose, Shape};
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A floor of `n` x `n` cells of width `width`, its inner points moved about in the plane.
fn floor(n: u32, width: f64) -> Shape {
    let mut rng = Pcg64::seed_from_u64(21);
    let mut vertices = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let inner = i > 0 && j > 0 && i < n && j < n;
            let shake = if inner { 0.3 } else { 0.0 };
            let mut at = |k: u32| {
                (f64::from(k) + shake * rng.random_range(-1.0..1.0) - 0.5 * f64::from(n)) * width
            };
            vertices.push(DVec3::new(at(i), at(j), 0.0));
        }
    }
    let mut faces = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let (a, b) = (j * (n + 1) + i, (j + 1) * (n + 1) + i);
            faces.push([a, a + 1, b + 1]);
            faces.push([a, b + 1, b]);
        }
    }
    Shape::mesh(TriangleMesh::new(vertices, faces).unwrap())
}

fn box_mesh(half: DVec3) -> Shape {
    let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8)
        .map(|k| half * DVec3::new(sign(k & 1), sign(k & 2), sign(k & 4)))
        .collect();
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Shape::mesh(TriangleMesh::new(vertices, faces).unwrap())
}

#[test]
fn a_sphere_on_a_floor_of_triangles_meets_the_plane() {
    let mut rng = Pcg64::seed_from_u64(1);
    let mesh = floor(8, 0.25);
    let (corners, faces) = match &mesh {
        Shape::Mesh(m) => (m.vertices().to_vec(), m.faces().to_vec()),
        other => panic!("{}", other.kind()),
    };
    let ball = Shape::sphere(0.3).unwrap();
    let pose = Pose {
        position: DVec3::new(5.0, -3.0, 2.0),
        rotation: rotation(&mut rng),
    };
    let mut spots = [0; 3];
    for k in 0..2000 {
        // Anywhere, above an edge, above a vertex.
        let face = faces[rng.random_range(0..faces.len())];
        let [a, b, c] = face.map(|i| corners[i as usize]);
        let t: f64 = rng.random_range(0.0..1.0);
        let spot = match k % 3 {
            0 => a + (b - a) * t * 0.5 + (c - a) * 0.4,
            1 => a + (b - a) * t,
            _ => a,
        };
        // Over the border the plane ends.
        if spot.abs().max_element() > 0.9 {
            continue;
        }
        spots[k % 3] += 1;
        let gap = rng.random_range(-0.02..0.02);
        for side in [1.0, -1.0] {
            let center = pose.point(spot + DVec3::Z * side * (0.3 + gap));
            let found = points((&mesh, &pose), (&ball, &Pose::at(center)), 0.02);
            assert_eq!(found.len(), 1, "{spot} {gap} {found:?}");
            let normal = pose.direction(DVec3::Z * side);
            assert!((found[0].normal - normal).length() < 1e-12, "{found:?}");
            assert!((found[0].gap - gap).abs() < 1e-12);
            let middle = pose.point(spot + DVec3::Z * side * 0.5 * gap);
            assert!((found[0].point - middle).length() < 1e-12);
        }
    }
    assert!(spots.iter().all(|&n| n > 300), "{spots:?}");
}

#[test]
fn convex_shapes_on_a_floor_of_triangles_meet_the_plane() {
    let mut rng = Pcg64::seed_from_u64(2);
    let mesh = floor(12, 0.3);
    let plane = Shape::plane();
    for kind in 1..KINDS {
        let shape = convex(kind, 0.8);
        for k in 0..40 {
            // Every other one with a face or side down.
            let upright = [
                DQuat::IDENTITY,
                DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            ];
            let rotation = if k % 2 == 0 {
                rotation(&mut rng)
            } else {
                DQuat::from_rotation_z(0.1 * f64::from(k)) * upright[k as usize / 2 % 2]
            };
            let mut pose = Pose {
                position: DVec3::new(
                    rng.random_range(-0.4..0.4),
                    rng.random_range(-0.4..0.4),
                    0.0,
                ),
                rotation,
            };
            let gap = rng.random_range(-5e-3..5e-3);
            pose.position.z = gap - common::support(&shape, &pose, -DVec3::Z).z;
            let found = points((&mesh, &Pose::IDENTITY), (&shape, &pose), 0.01);
            let expected = points((&plane, &Pose::IDENTITY), (&shape, &pose), 0.01);
            let case = format!("{} {pose:?}\n{found:?}\n{expected:?}", shape.kind());
            for p in &found {
                assert!((p.normal - DVec3::Z).length() < 1e-6, "{case}");
            }
            let least = deepest(&found).unwrap_or_else(|| panic!("{case}"));
            assert!((least.gap - gap).abs() < 2e-6, "{gap} {case}");
            // As wide a base as on the plane, in every direction.
            for _ in 0..10 {
                let d = direction(&mut rng).with_z(0.0);
                let reach = |points: &[drystone_collide::narrow::ContactPoint]| {
                    let at_rest = points.iter().filter(|p| p.gap < gap + 1e-4);
                    at_rest.map(|p| p.point.dot(d)).fold(f64::MIN, f64::max)
                };
                assert!(reach(&found) > reach(&expected) - 0.05, "{d} {case}");
            }
        }
    }
}

#[test]
fn a_closed_mesh_of_a_box_is_a_box_to_spheres() {
    let mut rng = Pcg64::seed_from_u64(3);
    let half = DVec3::new(0.5, 0.4, 0.3);
    let (mesh, solid) = (box_mesh(half), Shape::box_of(half).unwrap());
    let ball = Shape::sphere(0.25).unwrap();
    let pose = Pose {
        position: DVec3::new(1.0, 2.0, 3.0),
        rotation: rotation(&mut rng),
    };
    for _ in 0..3000 {
        let spot = DVec3::new(
            rng.random_range(-0.8..0.8),
            rng.random_range(-0.7..0.7),
            rng.random_range(-0.6..0.6),
        );
        let at = Pose::at(pose.point(spot));
        let found = points((&mesh, &pose), (&ball, &at), 0.05);
        let expected = points((&solid, &pose), (&ball, &at), 0.05);
        assert_eq!(found.len(), expected.len(), "{spot} {found:?} {expected:?}");
        for (p, q) in found.iter().zip(&expected) {
            assert!((p.gap - q.gap).abs() < 1e-12, "{spot} {p:?} {q:?}");
            assert!((p.normal - q.normal).length() < 1e-9, "{spot} {p:?} {q:?}");
            assert!((p.point - q.point).length() < 1e-9, "{spot} {p:?} {q:?}");
        }
    }
}

#[test]
fn a_closed_mesh_of_a_box_is_a_box_to_convex_shapes() {
    let mut rng = Pcg64::seed_from_u64(4);
    let half = DVec3::new(0.5, 0.4, 0.3);
    let (mesh, solid) = (box_mesh(half), Shape::box_of(half).unwrap());
    for kind in 1..KINDS {
        let shape = convex(kind, 0.6);
        for gap in [0.02, 1e-4, -1e-4, -1e-3] {
            for _ in 0..10 {
                let (pa, pb) = placed(&solid, &shape, gap, &mut rng);
                let found = points((&mesh, &pa), (&shape, &pb), 0.05);
                let expected = points((&solid, &pa), (&shape, &pb), 0.05);
                let (p, q) = (deepest(&found), deepest(&expected));
                let case = format!(
                    "{} {gap} {pa:?} {pb:?}\n{found:?}\n{expected:?}",
                    shape.kind()
                );
                let (p, q) = (p.unwrap_or_else(|| panic!("{case}")), q.unwrap());
                assert!((p.gap - q.gap).abs() < 1e-6, "{case}");
                assert!((p.normal - q.normal).length() < 1e-4, "{case}");
            }
        }
    }
}

#[test]
fn meshes_rest_on_planes_and_on_each_other() {
    let half = DVec3::new(0.5, 0.4, 0.3);
    let mesh = box_mesh(half);
    let plane = Shape::plane();
    let found = points(
        (&plane, &Pose::IDENTITY),
        (&mesh, &Pose::at([0.0, 0.0, 0.3 - 1e-4])),
        1e-3,
    );
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|p| (p.gap + 1e-4).abs() < 1e-15));

    // Turned by a right angle the common face is 0.8 x 0.8: four vertices would be missing without
    // crossing edges.
    for gap in [-1e-4, 1e-4] {
        let upper = Pose {
            position: DVec3::new(0.0, 0.0, 0.6 + gap),
            rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
        };
        let found = points((&mesh, &Pose::IDENTITY), (&mesh, &upper), 1e-3);
        assert!((4..=8).contains(&found.len()), "{found:?}");
        for p in &found {
            assert!((p.normal - DVec3::Z).length() < 1e-9, "{p:?}");
            assert!((p.gap - gap).abs() < 1e-12, "{p:?}");
        }
        for corner in [[0.4, 0.4], [0.4, -0.4], [-0.4, 0.4], [-0.4, -0.4]] {
            let corner = DVec3::new(corner[0], corner[1], 0.3);
            let near = found.iter().any(|p| (p.point - corner).length() < 1e-3);
            assert!(near, "{corner} {found:?}");
        }
        let back = points((&mesh, &upper), (&mesh, &Pose::IDENTITY), 1e-3);
        assert_eq!(back.len(), found.len());
        assert!(back.iter().all(|p| (p.normal + DVec3::Z).length() < 1e-9));
    }
}

#[test]
fn a_flat_height_field_is_a_plane_and_pushes_up_what_sank() {
    let mut rng = Pcg64::seed_from_u64(5);
    let field = Shape::height_field(HeightField::new(9, 7, [0.2, 0.3], vec![0.5; 63]).unwrap());
    let pose = Pose {
        position: DVec3::new(1.0, 0.0, -2.0),
        rotation: rotation(&mut rng),
    };
    let ball = Shape::sphere(0.1).unwrap();
    let brick = Shape::box_of([0.1, 0.15, 0.05]).unwrap();
    for _ in 0..300 {
        let (x, y) = (rng.random_range(-0.6..0.6), rng.random_range(-0.6..0.6));
        for gap in [0.01, -0.01, -0.15, -0.4] {
            let at = |z: f64| Pose {
                position: pose.point(DVec3::new(x, y, 0.5 + z + gap)),
                rotation: pose.rotation,
            };
            let found = points((&field, &pose), (&ball, &at(0.1)), 0.02);
            assert_eq!(found.len(), 1, "{x} {y} {gap} {found:?}");
            assert!((found[0].gap - gap).abs() < 1e-12, "{x} {y} {found:?}");
            assert!((found[0].normal - pose.direction(DVec3::Z)).length() < 1e-12);
            let found = points((&field, &pose), (&brick, &at(0.05)), 0.02);
            assert!(found.len() >= 4, "{x} {y} {gap} {found:?}");
            for p in found {
                assert!((p.gap - gap).abs() < 1e-9, "{x} {y} {gap} {p:?}");
                assert!(
                    (p.normal - pose.direction(DVec3::Z)).length() < 1e-9,
                    "{p:?}"
                );
            }
        }
    }
}

#[test]
fn spheres_meet_ridges_and_valleys_of_a_height_field() {
    // A valley and a ridge along y: heights |x| and -|x|.
    for sign in [1.0, -1.0] {
        let heights = (0..15)
            .map(|k| sign * f64::from((k % 5 - 2i32).abs()))
            .collect();
        let field = Shape::height_field(HeightField::new(5, 3, [1.0, 1.0], heights).unwrap());
        let ball = Shape::sphere(0.5).unwrap();
        // In the valley the ball touches both slopes; on the ridge it balances on the edge.
        let height = if sign > 0.0 { 0.5 * 2f64.sqrt() } else { 0.5 };
        let at = Pose::at([0.0, 0.3, height]);
        let found = points((&field, &Pose::IDENTITY), (&ball, &at), 1e-3);
        assert_eq!(found.len(), if sign > 0.0 { 2 } else { 1 }, "{found:?}");
        assert!(found.iter().all(|p| p.gap.abs() < 1e-12), "{found:?}");
        let sum: DVec3 = found.iter().map(|p| p.normal).sum();
        assert!((sum.normalize() - DVec3::Z).length() < 1e-12);
    }
}

#[test]
fn compounds_are_their_parts() {
    let ball = Shape::sphere(0.2).unwrap();
    let part = |x: f64| (Pose::at([x, 0.0, 0.0]), ball.clone());
    let dumbbell = Shape::compound(vec![part(-0.5), part(0.5)]).unwrap();
    let plane = Shape::plane();
    let at = Pose::at([3.0, 0.0, 0.2]);
    let found = points((&plane, &Pose::IDENTITY), (&dumbbell, &at), 1e-3);
    assert_eq!(found.len(), 2);
    assert!(found[0].feature < found[1].feature);
    assert!(
        found
            .iter()
            .all(|p| p.normal == DVec3::Z && p.gap.abs() < 1e-15)
    );
    // Two dumbbells on top of each other: two contacts, and with a mesh below as well.
    let above = Pose::at([3.0, 0.0, 0.6]);
    let found = points((&dumbbell, &at), (&dumbbell, &above), 1e-3);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|p| (p.normal - DVec3::Z).length() < 1e-12));
    let found = points(
        (&floor(8, 0.5), &Pose::IDENTITY),
        (&dumbbell, &Pose::at([0.0, 0.1, 0.2])),
        1e-3,
    );
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].feature, found[1].feature);
}
