//! Solids as convex pieces.
#![allow(clippy::unwrap_used)]

use drystone_collide::narrow::{Scratch, contacts};
use drystone_collide::shape::{Decomposition, TriangleMesh};
use drystone_collide::{Pose, Shape};
use glam::DVec3;

/// A prism over a polygon in the x-y plane, counter-clockwise, of height 1; triangles of the
/// polygon by their corners.
fn prism(outline: &[[f64; 2]], triangles: &[[u32; 3]], scale: f64) -> TriangleMesh {
    let n = outline.len() as u32;
    let at = |z: f64| {
        outline
            .iter()
            .map(move |p| scale * DVec3::new(p[0], p[1], z))
    };
    let vertices: Vec<DVec3> = at(0.0).chain(at(1.0)).collect();
    let mut faces = Vec::new();
    for &[a, b, c] in triangles {
        faces.push([a, c, b]);
        faces.push([a + n, b + n, c + n]);
    }
    for a in 0..n {
        let b = (a + 1) % n;
        faces.push([a, b, b + n]);
        faces.push([a, b + n, a + n]);
    }
    TriangleMesh::new(vertices, faces).unwrap()
}

/// A U of walls one thick around a gap one wide.
fn channel(scale: f64) -> TriangleMesh {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 3.0],
        [2.0, 3.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    let triangles = [
        [0, 1, 4],
        [0, 4, 5],
        [1, 2, 3],
        [1, 3, 4],
        [0, 5, 6],
        [0, 6, 7],
    ];
    prism(&outline, &triangles, scale)
}

fn volume(shape: &Shape) -> f64 {
    shape.parts().map(|(_, part)| part.volume().unwrap()).sum()
}

#[test]
fn a_channel_keeps_its_gap_its_walls_and_its_volume() {
    for scale in [1e-3, 1.0, 1e4] {
        let mesh = channel(scale);
        let shape = Shape::decomposed(&mesh, &Decomposition::default()).unwrap();
        let pieces = shape.parts().count();
        assert!((2..=8).contains(&pieces), "{pieces}");
        let solid = 7.0 * scale.powi(3);
        let share = volume(&shape) / solid;
        assert!((0.95..1.1).contains(&share), "{share}");
        // A ball fits into the gap, not into a wall.
        let ball = Shape::sphere(0.45 * scale).unwrap();
        let touches = |x: f64, y: f64| {
            let place = Pose::at(scale * DVec3::new(x, y, 0.5));
            let mut points = Vec::new();
            let (shape, ball) = ((&shape, &Pose::IDENTITY), (&ball, &place));
            contacts(shape, ball, 0.0, &mut Scratch::default(), &mut points);
            !points.is_empty()
        };
        assert!(!touches(1.5, 2.4));
        assert!(touches(0.5, 2.0) && touches(2.5, 2.0) && touches(1.5, 0.5));
        // The outer sides are those of the mesh.
        let bounds = shape.aabb(&Pose::IDENTITY);
        let off = (bounds.max - scale * DVec3::new(3.0, 3.0, 1.0)).abs();
        assert!(
            bounds.min.abs().max(off).max_element() < 1e-6 * scale,
            "{bounds:?}"
        );
    }
}

#[test]
fn the_same_mesh_gives_the_same_bits() {
    let pieces = || Shape::decomposed(&channel(0.37), &Decomposition::default()).unwrap();
    assert_eq!(pieces(), pieces());
}

#[test]
fn a_convex_solid_is_one_piece() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let cube = prism(&square, &[[0, 1, 2], [0, 2, 3]], 1.0);
    let shape = Shape::decomposed(&cube, &Decomposition::default()).unwrap();
    assert!(matches!(shape, Shape::Hull(_)), "{}", shape.kind());
    assert!((volume(&shape) - 1.0).abs() < 1e-9);
}

#[test]
fn sheets_and_bad_settings_are_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].to_vec();
    let sheet = TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let message = |mesh: &TriangleMesh, settings: Decomposition| {
        Shape::decomposed(mesh, &settings).unwrap_err().to_string()
    };
    let usual = Decomposition::default();
    assert!(message(&sheet, usual).contains("not closed"));
    for settings in [
        Decomposition {
            resolution: 1,
            ..usual
        },
        Decomposition {
            resolution: 5000,
            ..usual
        },
        Decomposition {
            concavity: f64::NAN,
            ..usual
        },
        Decomposition {
            most_pieces: 0,
            ..usual
        },
    ] {
        let words = message(&channel(1.0), settings);
        assert!(words.contains("expected 8 to 256"), "{words}");
    }
}
