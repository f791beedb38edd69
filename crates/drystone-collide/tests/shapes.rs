//! Shapes: their checks, bounds and mass properties.

#![allow(clippy::unwrap_used)]

use drystone_collide::shape::{HeightField, Hull, TriangleMesh};
use drystone_collide::{Aabb, MassProperties, Pose, Shape, ShapeError};
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn box_corners(half: DVec3) -> Vec<DVec3> {
    (0..8)
        .map(|k| half * DVec3::new(sign(k & 1), sign(k & 2), sign(k & 4)))
        .collect()
}

fn sign(bit: u32) -> f64 {
    if bit == 0 { -1.0 } else { 1.0 }
}

/// A closed box mesh, outwards.
fn box_mesh(half: DVec3, shift: DVec3) -> TriangleMesh {
    let vertices = box_corners(half).iter().map(|&p| p + shift).collect();
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
    TriangleMesh::new(vertices, faces).unwrap()
}

fn assert_close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    let size = (b.inertia.x_axis.x / b.mass).sqrt();
    assert!((a.mass / b.mass - 1.0).abs() < tolerance, "{a:?} {b:?}");
    assert!(
        (a.center - b.center).length() < tolerance * size,
        "{a:?} {b:?}"
    );
    let scale = b.mass * size * size;
    assert!(
        a.inertia.abs_diff_eq(b.inertia, tolerance * scale),
        "{a:?} {b:?}"
    );
}

#[test]
fn constructors_reject_numbers_that_are_not_lengths() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Shape::sphere(bad).is_err());
        assert!(Shape::box_of([1.0, bad, 1.0]).is_err());
        assert!(Shape::ellipsoid([1.0, 1.0, bad]).is_err());
        assert!(Shape::cylinder(bad, 1.0).is_err());
        assert!(Shape::cylinder(1.0, bad).is_err());
        assert!(Shape::capsule(bad, 1.0).is_err());
        assert!(Shape::capsule(1.0, bad).is_err());
        assert!(Shape::cone(bad, 1.0).is_err());
        assert!(Shape::cone(1.0, bad).is_err());
        assert!(HeightField::new(2, 2, [bad, 1.0], vec![0.0; 4]).is_err());
    }
    let error = Shape::cone(1.0, -2.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cone: half height -2 is not a finite number > 0"
    );
    assert!(
        Shape::sphere(1.0)
            .unwrap()
            .mass_properties(f64::NAN)
            .is_err()
    );
}

#[test]
fn hulls_and_compounds_reject_what_has_no_volume() {
    let flat: Vec<DVec3> = (0..9)
        .map(|k| DVec3::new((k % 3) as f64, (k / 3) as f64, 0.5))
        .collect();
    assert_eq!(
        Hull::new(&flat).unwrap_err(),
        ShapeError::FlatHull { points: 9 }
    );
    assert!(Hull::new(&[DVec3::ZERO; 7]).is_err());
    assert!(Hull::new(&[]).is_err());
    assert!(Hull::new(&[DVec3::NAN; 5]).is_err());
    assert!(Shape::compound(vec![]).is_err());
    let part = (Pose::IDENTITY, Shape::plane());
    assert_eq!(
        Shape::compound(vec![part]).unwrap_err(),
        ShapeError::PartNotConvex {
            part: 0,
            kind: "plane"
        }
    );
    assert!(Shape::plane().mass_properties(1.0).is_err());
    let field = HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4]).unwrap();
    assert!(Shape::height_field(field).volume().is_err());
    assert!(HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 5]).is_err());
    assert!(HeightField::new(2, 1, [1.0, 1.0], vec![0.0; 2]).is_err());
    assert!(HeightField::new(2, 2, [1.0, 1.0], vec![0.0, 0.0, f64::NAN, 0.0]).is_err());
}

#[test]
fn meshes_name_the_offending_face() {
    let v = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, 2.0 * DVec3::X];
    let mesh = |faces: &[[u32; 3]]| TriangleMesh::new(v.clone(), faces.to_vec());
    assert_eq!(
        mesh(&[[0, 1, 2], [0, 1, 9]]).unwrap_err(),
        ShapeError::NoSuchVertex {
            face: 1,
            vertex: 9,
            vertices: 5
        }
    );
    let collinear = mesh(&[[0, 1, 2], [0, 1, 4]]).unwrap_err();
    assert_eq!(
        collinear,
        ShapeError::DegenerateFace {
            face: 1,
            vertices: [0, 1, 4]
        }
    );
    assert!(matches!(
        mesh(&[[0, 1, 2], [3, 0, 1]]).unwrap_err(),
        ShapeError::NonManifoldEdge {
            face: 1,
            edge: [0, 1]
        }
    ));
    assert!(mesh(&[]).is_err());

    let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let closed = mesh(&tetrahedron).unwrap();
    assert!(closed.closed() && !closed.inside_out());
    assert!((Shape::mesh(closed).volume().unwrap() - 1.0 / 6.0).abs() < 1e-15);

    let open = mesh(&tetrahedron[..3]).unwrap();
    assert!(!open.closed());
    let error = Shape::mesh(open).mass_properties(1.0).unwrap_err();
    assert!(
        matches!(
            error,
            ShapeError::OpenMesh {
                face: 0,
                edge: [0, 2]
            }
        ),
        "{error}"
    );

    let flipped = tetrahedron.map(|[a, b, c]| [a, c, b]);
    let flipped = mesh(&flipped).unwrap();
    assert!(flipped.inside_out());
    assert!(matches!(
        Shape::mesh(flipped).volume().unwrap_err(),
        ShapeError::InsideOut { .. }
    ));
}

#[test]
fn a_soup_of_triangles_becomes_a_closed_mesh() {
    let mesh = box_mesh(DVec3::ONE, DVec3::ZERO);
    let soup: Vec<[DVec3; 3]> = (0..12).map(|f| mesh.triangle(f)).collect();
    let welded = TriangleMesh::from_triangles(&soup).unwrap();
    assert_eq!(welded.vertices().len(), 8);
    assert!(welded.closed());
}

#[test]
fn hulls_have_whole_faces_and_no_idle_points() {
    // A 5 x 5 x 5 grid of points: the hull is a box with six square faces.
    let mut grid = Vec::new();
    for k in 0..125 {
        grid.push(DVec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64) * 1e-4);
    }
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7));
    for rotation in [DQuat::IDENTITY, turn] {
        let points: Vec<DVec3> = grid.iter().map(|&p| rotation * p).collect();
        let hull = Hull::new(&points).unwrap();
        assert_eq!(hull.vertices().len(), 8);
        assert_eq!(hull.face_count(), 6);
        for f in 0..6 {
            let (normal, corners) = hull.face(f);
            assert_eq!(corners.len(), 4);
            let first = hull.vertices()[corners[0] as usize];
            let above = |p: &DVec3| normal.dot(*p - first);
            assert!(points.iter().map(above).fold(f64::MIN, f64::max) < 1e-17);
        }
    }
    // A prism with 12 sides has two faces of 12 corners.
    let prism: Vec<DVec3> = (0..24)
        .map(|k| {
            let (s, c) = (std::f64::consts::TAU * (k / 2) as f64 / 12.0).sin_cos();
            DVec3::new(c, s, (k % 2) as f64)
        })
        .collect();
    let hull = Hull::new(&prism).unwrap();
    assert_eq!(hull.face_count(), 14);
    let sides = (0..14).map(|f| hull.face(f).1.len()).max();
    assert_eq!(sides, Some(12));
}

proptest! {
    #[test]
    fn hulls_contain_their_points(seed in 0u64..1_000_000, count in 4usize..80) {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
        // Coarse coordinates: many coincident, collinear and coplanar points.
        let points: Vec<DVec3> = (0..count)
            .map(|_| DVec3::new(
                rng.random_range(0..4) as f64,
                rng.random_range(0..4) as f64,
                rng.random_range(0..4) as f64,
            ) * 0.3)
            .collect();
        let Ok(hull) = Hull::new(&points) else {
            // Only when they lie in a plane.
            let p0 = points[0];
            for a in &points { for b in &points { for c in &points {
                prop_assert!((*a - p0).cross(*b - p0).dot(*c - p0).abs() < 1e-9);
            }}}
            return Ok(());
        };
        let mut volume = 0.0;
        for t in hull.triangles() {
            let [a, b, c] = t.map(|k| hull.vertices()[k as usize] - points[0]);
            volume += a.dot(b.cross(c)) / 6.0;
        }
        prop_assert!(volume > 0.0);
        for f in 0..hull.face_count() {
            let (normal, corners) = hull.face(f);
            prop_assert!((normal.length() - 1.0).abs() < 1e-12);
            let first = hull.vertices()[corners[0] as usize];
            for p in &points {
                prop_assert!(normal.dot(*p - first) < 1e-12);
            }
        }
        // Euler: V + F = E + 2, with each edge twice among the faces' corners.
        let corners: usize = (0..hull.face_count()).map(|f| hull.face(f).1.len()).sum();
        prop_assert_eq!(hull.vertices().len() + hull.face_count(), corners / 2 + 2);
    }
}

#[test]
fn polyhedra_and_formulas_agree() {
    let half = DVec3::new(0.1, 0.25, 0.4);
    let exact = Shape::box_of(half).unwrap().mass_properties(7.0).unwrap();
    assert!((exact.mass - 7.0 * 0.08).abs() < 1e-15);
    let hull = Shape::hull(&box_corners(half)).unwrap();
    assert_close(&hull.mass_properties(7.0).unwrap(), &exact, 1e-13);
    // 100 m away the centre moves and nothing else changes.
    let shift = DVec3::new(100.0, -100.0, 50.0);
    let mesh = Shape::mesh(box_mesh(half, shift));
    let moved = MassProperties {
        center: shift,
        ..exact
    };
    assert_close(&mesh.mass_properties(7.0).unwrap(), &moved, 1e-11);
    // Two half boxes as a compound, one turned by a quarter about x.
    let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let part = |z: f64, rotation, half| {
        let position = DVec3::new(0.0, 0.0, z);
        (Pose { position, rotation }, Shape::box_of(half).unwrap())
    };
    let compound = Shape::compound(vec![
        part(0.2, DQuat::IDENTITY, DVec3::new(0.1, 0.25, 0.2)),
        part(-0.2, quarter, DVec3::new(0.1, 0.2, 0.25)),
    ]);
    assert_close(
        &compound.unwrap().mass_properties(7.0).unwrap(),
        &exact,
        1e-13,
    );
}

/// Mass properties by a fine grid of points.
fn sampled(inside: impl Fn(DVec3) -> bool, half: DVec3, density: f64) -> MassProperties {
    let n = 120;
    let (mut count, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let at = |k: i32| (2 * k + 1) as f64 / n as f64 - 1.0;
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let p = half * DVec3::new(at(i), at(j), at(k));
                if inside(p) {
                    count += 1.0;
                    first += p;
                    second += DMat3::from_cols(p * p.x, p * p.y, p * p.z);
                }
            }
        }
    }
    let cell = 8.0 * half.x * half.y * half.z / (n as f64).powi(3) * density;
    let center = first / count;
    let outer = DMat3::from_cols(center * center.x, center * center.y, center * center.z);
    let second = (second - outer * count) * cell;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties {
        mass: cell * count,
        center,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second,
    }
}

#[test]
fn round_solids_have_the_mass_properties_of_their_points() {
    let (r, h) = (0.3, 0.5);
    let all = DVec3::new(r, r, h);
    type Case = (Shape, Box<dyn Fn(DVec3) -> bool>, DVec3);
    let cases: Vec<Case> = vec![
        (
            Shape::sphere(r).unwrap(),
            Box::new(move |p| p.length() < r),
            DVec3::splat(r),
        ),
        (
            Shape::ellipsoid([0.3, 0.2, 0.5]).unwrap(),
            Box::new(|p| (p / DVec3::new(0.3, 0.2, 0.5)).length() < 1.0),
            DVec3::new(0.3, 0.2, 0.5),
        ),
        (
            Shape::cylinder(r, h).unwrap(),
            Box::new(move |p| p.truncate().length() < r),
            all,
        ),
        (
            Shape::cone(r, h).unwrap(),
            Box::new(move |p| p.truncate().length() < r * (h - p.z) / (2.0 * h)),
            all,
        ),
        (
            Shape::capsule(r, h).unwrap(),
            Box::new(move |p| (p - DVec3::Z * p.z.clamp(-h, h)).length() < r),
            DVec3::new(r, r, h + r),
        ),
    ];
    for (shape, inside, half) in cases {
        let exact = shape.mass_properties(3.0).unwrap();
        assert_close(&sampled(inside, half, 3.0), &exact, 5e-3);
    }
}

/// Points all over the surface of a shape.
fn surface_points(shape: &Shape) -> Vec<DVec3> {
    let mut points = Vec::new();
    let steps = 60;
    for i in 0..=steps {
        for j in 0..2 * steps {
            let (polar, azimuth) = (
                std::f64::consts::PI * i as f64 / steps as f64,
                std::f64::consts::PI * j as f64 / steps as f64,
            );
            let d = DVec3::new(
                polar.sin() * azimuth.cos(),
                polar.sin() * azimuth.sin(),
                polar.cos(),
            );
            let disc = |r: f64, z: f64| DVec3::new(r * azimuth.cos(), r * azimuth.sin(), z);
            match shape {
                Shape::Sphere { radius } => points.push(*radius * d),
                Shape::Ellipsoid { semi_axes } => points.push(*semi_axes * d),
                Shape::Cylinder {
                    radius,
                    half_height,
                } => points.extend([disc(*radius, *half_height), disc(*radius, -half_height)]),
                Shape::Cone {
                    radius,
                    half_height,
                } => points.extend([disc(*radius, -half_height), DVec3::Z * *half_height]),
                Shape::Capsule {
                    radius,
                    half_height,
                } => points.push(*radius * d + DVec3::Z * half_height.copysign(d.z)),
                other => panic!("no samples of a {}", other.kind()),
            }
        }
    }
    points
}

#[test]
fn boxes_around_round_shapes_are_tight() {
    let pose = Pose {
        position: DVec3::new(1.0, 2.0, 3.0),
        rotation: DQuat::from_scaled_axis(DVec3::new(0.4, 1.0, -0.8)),
    };
    for shape in [
        Shape::sphere(0.3).unwrap(),
        Shape::ellipsoid([0.1, 0.2, 0.4]).unwrap(),
        Shape::cylinder(0.2, 0.3).unwrap(),
        Shape::cone(0.2, 0.3).unwrap(),
        Shape::capsule(0.2, 0.3).unwrap(),
    ] {
        let points = surface_points(&shape);
        let sampled = Aabb::of_points(points.iter().map(|&p| pose.point(p)));
        let exact = shape.aabb(&pose);
        assert!(exact.min.cmple(sampled.min + 1e-12).all(), "{shape:?}");
        assert!(exact.max.cmpge(sampled.max - 1e-12).all(), "{shape:?}");
        assert!((exact.min - sampled.min).abs().max_element() < 1e-3);
        assert!((exact.max - sampled.max).abs().max_element() < 1e-3);
        let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        assert!((shape.radius_about_origin() - radius).abs() < 1e-12);
    }
    let half = DVec3::new(0.1, 0.2, 0.3);
    let hull = Shape::hull(&box_corners(half)).unwrap();
    let solid = Shape::box_of(half).unwrap();
    let mesh = Shape::mesh(box_mesh(half, DVec3::ZERO));
    for pose in [pose, Pose::at([3.0, 0.0, -1.0])] {
        let expected = solid.aabb(&pose);
        for same in [&hull, &mesh] {
            let b = same.aabb(&pose);
            assert!((b.min - expected.min).length() < 1e-14);
            assert!((b.max - expected.max).length() < 1e-14);
        }
    }
}
