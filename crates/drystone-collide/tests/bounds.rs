//! Boxes and balls around shapes.
#![allow(clippy::unwrap_used)]

use crate::common::{self, KINDS, convex, direction, rotation};
use drystone_collide::shape::{HeightField, SurfaceDetail, TriangleMesh};
use drystone_collide::{Aabb, Pose, Shape};
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn meshes() -> Vec<TriangleMesh> {
    let mut rng = Pcg64::seed_from_u64(41);
    let detail = SurfaceDetail {
        sphere: 3,
        ..SurfaceDetail::default()
    };
    let mut all: Vec<TriangleMesh> = (0..KINDS)
        .map(|kind| convex(kind, 1.0).tessellate(&detail).try_into().unwrap())
        .collect();
    // A rough sheet, far from its origin and longer than wide.
    let heights = (0..600).map(|_| rng.random_range(-0.1..0.1)).collect();
    let field = HeightField::new(100, 6, [0.1, 0.1], heights).unwrap();
    let mut sheet = Shape::height_field(field).tessellate(&detail);
    sheet.vertices.iter_mut().for_each(|v| v.x += 50.0);
    all.push(sheet.try_into().unwrap());
    all
}

/// A mesh that is only moved has the box of its own frame, moved: with the bits of a walk over all
/// its vertices.
#[test]
fn the_box_of_a_mesh_is_that_of_all_its_vertices() {
    let mut rng = Pcg64::seed_from_u64(42);
    for mesh in meshes() {
        let vertices = mesh.vertices().to_vec();
        let shape = Shape::mesh(mesh);
        for k in 0..200 {
            let far = if k % 2 == 0 { 1.0 } else { 1e6 };
            let rotation = if k % 4 < 2 {
                DQuat::IDENTITY
            } else {
                rotation(&mut rng)
            };
            let pose = Pose::new(far * direction(&mut rng), rotation);
            let expected = Aabb::of_points(vertices.iter().map(|&p| pose.point(p)));
            assert_eq!(shape.aabb(&pose), expected, "{pose:?}");
        }
    }
}

/// What is kept in a shape is what a walk over its vertices finds.
#[test]
fn the_radius_about_the_origin_is_the_farthest_vertex() {
    let farthest = |points: &[DVec3]| {
        let squares = points.iter().map(|p| p.length_squared());
        squares.fold(0.0, f64::max).sqrt()
    };
    for mesh in meshes() {
        let expected = farthest(mesh.vertices());
        assert_eq!(Shape::mesh(mesh).radius_about_origin(), expected);
    }
    let heights = (0..12).map(|k| f64::from(k).cos()).collect();
    let field = HeightField::new(4, 3, [0.5, 0.7], heights).unwrap();
    let points: Vec<DVec3> = field.points().collect();
    let expected = farthest(&points);
    assert_eq!(Shape::height_field(field).radius_about_origin(), expected);
    let part = |x: f64, kind: usize| (Pose::at([x, 0.0, 0.0]), convex(kind, 1.0));
    let compound = Shape::compound(vec![part(3.0, 0), part(-2.0, 4)]).unwrap();
    // A ball of 0.8 at 3, a capsule of 0.3 + 0.6 at -2.
    assert_eq!(compound.radius_about_origin(), 3.8);
    assert_eq!(Shape::plane().radius_about_origin(), f64::INFINITY);
}

/// Nothing of a shape lies outside its box, and the box is no larger than it must be.
#[test]
fn boxes_touch_their_shapes_on_all_sides() {
    let mut rng = Pcg64::seed_from_u64(43);
    for kind in 0..KINDS {
        let shape = convex(kind, 1.0);
        for _ in 0..50 {
            let pose = Pose::new(direction(&mut rng), rotation(&mut rng));
            let b = shape.aabb(&pose);
            for axis in 0..3 {
                let along = DVec3::AXES[axis];
                let high = common::support(&shape, &pose, along)[axis];
                let low = common::support(&shape, &pose, -along)[axis];
                assert!((b.max[axis] - high).abs() < 1e-14, "{}", shape.kind());
                assert!((b.min[axis] - low).abs() < 1e-14, "{}", shape.kind());
            }
        }
    }
    let heights = vec![0.0, 1.0, 2.0, 0.5];
    let field = Shape::height_field(HeightField::new(2, 2, [2.0, 3.0], heights).unwrap());
    let b = field.aabb(&Pose::at([0.0, 0.0, 10.0]));
    // As deep below its lowest point as it is wide.
    assert_eq!(
        (b.min, b.max),
        (DVec3::new(-1.0, -1.5, 7.0), DVec3::new(1.0, 1.5, 12.0))
    );
    assert_eq!(Shape::plane().aabb(&Pose::IDENTITY), Aabb::EVERYTHING);
}
