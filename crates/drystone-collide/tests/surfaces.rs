//! Surfaces of shapes as triangles: closed, of the right size, and back again.
#![allow(clippy::unwrap_used)]

use crate::common::{self, KINDS, convex, direction, prism};
use drystone_collide::shape::{
    HeightField, Hull, SurfaceDetail, TriangleMesh, TriangleSoup, VertexMerge,
};
use drystone_collide::{Pose, Shape, ShapeError};
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Tessellated solids are closed and look outwards. No corner lies outside the solid, they enclose
/// a little less than it does, and the finer the triangles the less is missing.
#[test]
fn tessellated_solids_are_closed_and_nearly_full() {
    let coarse = SurfaceDetail::default();
    let fine = SurfaceDetail {
        sphere: 4,
        segments: 128,
        ..coarse
    };
    let mut rng = Pcg64::seed_from_u64(30);
    for kind in 0..KINDS {
        let shape = convex(kind, 1.0);
        let exact = shape.volume().unwrap();
        let missing = [coarse, fine].map(|detail| {
            let surface = shape.tessellate(&detail);
            surface.check_indices().unwrap();
            let mesh = TriangleMesh::try_from(surface.clone()).unwrap();
            assert!(mesh.closed() && !mesh.inside_out(), "{}", shape.kind());
            for d in (0..200).map(|_| direction(&mut rng)) {
                let farthest = common::support(&shape, &Pose::IDENTITY, d).dot(d);
                let outermost = surface.vertices.iter().map(|p| p.dot(d));
                let outermost = outermost.fold(f64::NEG_INFINITY, f64::max);
                assert!(outermost < farthest + 1e-12, "{} {d}", shape.kind());
            }
            1.0 - surface.signed_volume() / exact
        });
        match shape {
            Shape::Box { .. } | Shape::Hull(_) => {
                assert!(missing[0].abs() < 1e-12 && missing[1].abs() < 1e-12);
            }
            _ => {
                assert!(missing[0] > 0.0 && missing[0] < 0.05, "{missing:?}");
                // Errors of chords are quadratic: four times finer, sixteen times nearer.
                let ratio = missing[0] / missing[1];
                assert!((12.0..20.0).contains(&ratio), "{} {ratio}", shape.kind());
            }
        }
    }
}

#[test]
fn planes_fields_and_compounds_have_surfaces_too() {
    let detail = SurfaceDetail {
        plane: 3.0,
        ..SurfaceDetail::default()
    };
    let square = Shape::plane().tessellate(&detail);
    assert_eq!(square.area(), 36.0);
    let up = |t: usize, soup: &TriangleSoup| {
        let [a, b, c] = soup.corners(t);
        (b - a).cross(c - a).z > 0.0
    };
    assert!((0..2).all(|t| up(t, &square)));

    let heights = (0..12).map(|k| 0.1 * f64::from(k).sin()).collect();
    let field = HeightField::new(4, 3, [0.5, 0.7], heights).unwrap();
    let soup = TriangleSoup::from(&field);
    assert_eq!((soup.vertices.len(), soup.triangles.len()), (12, 12));
    for t in 0..field.triangle_count() {
        assert_eq!(soup.corners(t), field.triangle(t));
        assert!(up(t, &soup));
    }
    assert_eq!(Shape::height_field(field).tessellate(&detail), soup);

    let brick = Shape::box_of([0.1, 0.2, 0.3]).unwrap();
    let quarter = Pose::new(
        [1.0, 0.0, 0.0],
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
    );
    let parts = vec![
        (Pose::at([0.0, 0.0, 5.0]), brick.clone()),
        (quarter, brick.clone()),
    ];
    let pair = Shape::compound(parts.clone()).unwrap();
    let surface = pair.tessellate(&detail);
    assert_eq!((surface.vertices.len(), surface.triangles.len()), (16, 24));
    assert!((surface.signed_volume() - 2.0 * brick.volume().unwrap()).abs() < 1e-14);
    assert!((surface.bounds().max - DVec3::new(1.2, 0.2, 5.3)).length() < 1e-14);
    assert!(
        pair.parts()
            .map(|(pose, shape)| (pose, shape.clone()))
            .eq(parts)
    );
    assert!(brick.parts().eq([(Pose::IDENTITY, &brick)]));
}

#[test]
fn soups_can_be_scaled_flipped_merged_and_checked() {
    let soup = convex(1, 1.0).tessellate(&SurfaceDetail::default());
    let volume = soup.signed_volume();
    assert!((volume - 8.0 * 0.5 * 0.8 * 0.3).abs() < 1e-15);
    assert!((soup.area() - 8.0 * (0.5 * 0.8 + 0.8 * 0.3 + 0.3 * 0.5)).abs() < 1e-14);
    assert!((soup.clone().scaled(10.0).signed_volume() / volume - 1e3).abs() < 1e-9);
    assert_eq!(soup.clone().flipped().signed_volume(), -volume);
    assert_eq!(soup.clone().flipped().flipped(), soup);
    assert_eq!(TriangleSoup::default().signed_volume(), 0.0);

    let loose: Vec<[DVec3; 3]> = (0..12).map(|t| soup.corners(t)).collect();
    let joined = TriangleSoup::from_triangles(&loose);
    assert_eq!(joined.vertices.len(), 8);
    assert!((0..12).all(|t| joined.corners(t) == soup.corners(t)));
    let mut merge = VertexMerge::default();
    let indices = [DVec3::X, DVec3::ZERO, -DVec3::ZERO, DVec3::X].map(|p| merge.index(p));
    assert_eq!(indices, [0, 1, 1, 0]);
    assert_eq!(merge.vertices(), [DVec3::X, DVec3::ZERO]);

    let mut broken = soup;
    broken.triangles[7][1] = 8;
    assert_eq!(
        broken.check_indices(),
        Err(ShapeError::NoSuchVertex {
            face: 7,
            vertex: 8,
            vertices: 8
        })
    );
}

/// Clouds whose number modulo four is below this have faces at clear angles to each other.
const CLEAR_EDGES: usize = 2;

/// In turn: points on a coarse lattice, on a ball, on a thin blade, and in planes but for what just
/// counts as flat.
fn clouds() -> Vec<Vec<DVec3>> {
    let mut rng = Pcg64::seed_from_u64(31);
    let mut all = Vec::new();
    for k in 0..200 {
        let count = rng.random_range(4..80);
        let cloud = (0..count).map(|_| match k % 4 {
            0 => DVec3::from_array(std::array::from_fn(|_| f64::from(rng.random_range(0..4)))),
            1 => direction(&mut rng),
            2 => direction(&mut rng) * DVec3::new(1.0, 0.1, 0.01),
            _ => {
                let shake = 1e-6 * direction(&mut rng);
                shake
                    + DVec3::from_array(std::array::from_fn(|_| f64::from(rng.random_range(0..2))))
            }
        });
        all.push(cloud.collect());
    }
    all.extend([prism(6, 0.5, 0.3), prism(100, 0.5, 1e-2)]);
    all
}

#[test]
fn a_hull_comes_back_from_its_surface() {
    let mut hulls = 0;
    for (k, points) in clouds().into_iter().enumerate() {
        let Ok(hull) = Hull::new(&points) else {
            continue;
        };
        let surface = TriangleSoup::from(&hull);
        let back = Hull::from_surface(&surface).unwrap();
        assert_eq!(TriangleSoup::from(&back), surface);
        hulls += 1;
        let same_corners = back.faces().map(|f| f.1).eq(hull.faces().map(|f| f.1));
        // Neighbouring faces that lie nearly in one plane may be joined on the way back.
        if k % 4 < CLEAR_EDGES {
            assert!(same_corners && back.edges() == hull.edges(), "{points:?}");
            for (a, b) in back.faces().zip(hull.faces()) {
                assert!(a.0.dot(b.0) > 0.999_999, "{} {}", a.0, b.0);
            }
        }
    }
    assert!(hulls > 180, "{hulls}");
}

#[test]
fn surfaces_that_are_no_hulls_are_refused() {
    let hull = Hull::new(&prism(5, 0.5, 0.3)).unwrap();
    let surface = TriangleSoup::from(&hull);
    let refused = |change: &dyn Fn(&mut TriangleSoup)| {
        let mut changed = surface.clone();
        change(&mut changed);
        Hull::from_surface(&changed).unwrap_err()
    };
    let open = refused(&|s| s.triangles.truncate(s.triangles.len() - 1));
    assert_eq!(open, ShapeError::OpenHull { points: 10 });
    let twice = refused(&|s| s.triangles.push(s.triangles[0]));
    assert_eq!(twice, ShapeError::OpenHull { points: 10 });
    let inside_out = refused(&|s| s.triangles.iter_mut().for_each(|t| t.swap(1, 2)));
    assert!(
        matches!(inside_out, ShapeError::NotConvex { .. }),
        "{inside_out}"
    );
    // A corner pushed in: its neighbours lie outside the faces around it.
    let dented = refused(&|s| s.vertices[3] *= 0.5);
    assert!(matches!(dented, ShapeError::NotConvex { .. }), "{dented}");
    let missing = refused(&|s| s.triangles[2][0] = 10);
    assert!(matches!(
        missing,
        ShapeError::NoSuchVertex {
            face: 2,
            vertex: 10,
            ..
        }
    ));
    let lost = refused(&|s| s.vertices[0].x = f64::NAN);
    assert!(matches!(lost, ShapeError::NotFinite { index: 0, .. }));
}

#[test]
fn scaled_shapes_have_scaled_volumes_and_bounds() {
    let mesh = TriangleMesh::try_from(convex(2, 1.0).tessellate(&SurfaceDetail::default()));
    let field = HeightField::new(2, 3, [1.0, 2.0], (0..6).map(f64::from).collect());
    let mut shapes: Vec<Shape> = (0..KINDS).map(|kind| convex(kind, 1.0)).collect();
    let part = |kind: usize| (Pose::at([0.0, 3.0, 0.0]), convex(kind, 1.0));
    shapes.push(Shape::compound(vec![part(0), part(6)]).unwrap());
    shapes.push(Shape::mesh(mesh.unwrap()));
    shapes.push(Shape::height_field(field.unwrap()));
    for shape in &shapes {
        let large = shape.scaled(10.0).unwrap();
        assert_eq!(large.kind(), shape.kind());
        let ratio = large.radius_about_origin() / shape.radius_about_origin();
        assert!((ratio - 10.0).abs() < 1e-12, "{} {ratio}", shape.kind());
        match (large.volume(), shape.volume()) {
            (Ok(a), Ok(b)) => assert!((a / b - 1e3).abs() < 1e-9, "{}", shape.kind()),
            (a, b) => assert_eq!((a, shape.kind()), (b, "height field")),
        }
        assert_eq!(shape.scaled(1.0).unwrap(), *shape);
        assert!(shape.scaled(0.0).is_err() && shape.scaled(f64::NAN).is_err());
    }
    assert_eq!(Shape::plane().scaled(3.0).unwrap(), Shape::plane());
}
