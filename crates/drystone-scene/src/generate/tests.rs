//! Walls are closed and have the volume they should.

use std::f64::consts::PI;

use super::*;
use drystone::ShapeError;

const SEGMENTS: usize = 48;

/// Area of the polygon over that of its circle.
fn polygon_share() -> f64 {
    let angle = TAU / SEGMENTS as f64;
    angle.sin() / angle
}

/// The wall is closed, looks outwards and has a volume.
fn assert_solid(mesh: &MeshData, volume: f64) {
    assert!(mesh.solid().unwrap().closed());
    assert!(
        (mesh.volume() / volume - 1.0).abs() < 1e-12,
        "{} {volume}",
        mesh.volume()
    );
}

/// Every face of a sheet looks to a point in the room.
fn assert_looks_at(mesh: &MeshData, room: DVec3) {
    let surface = mesh.surface().unwrap();
    for (face, normal) in surface.normals().iter().enumerate() {
        assert!(normal.dot(room - surface.triangle(face)[0]) > 0.0, "{face}");
    }
}

#[test]
fn cups() {
    let (r, h, t) = (0.3, 0.5, 0.02);
    let thick = cup(r, h, SEGMENTS, Wall::Thick(t)).unwrap();
    let volume = PI * ((r + t).powi(2) * (h + t) - r * r * h);
    assert_solid(&thick, polygon_share() * volume);
    let sheet = cup(r, h, SEGMENTS, Wall::Sheet).unwrap();
    assert!(!sheet.surface().unwrap().closed());
    assert_looks_at(&sheet, DVec3::new(0.0, 0.0, 0.5 * h));
    assert!(matches!(sheet.solid(), Err(ShapeError::OpenMesh { .. })));
}

fn cone(a: f64, b: f64, h: f64) -> f64 {
    PI / 3.0 * h * (a * a + a * b + b * b)
}

#[test]
fn funnels() {
    let (outlet, r, h, rim, t) = (0.05, 0.2, 0.3, 0.1, 0.01);
    let thick = funnel(outlet, r, h, rim, SEGMENTS, Wall::Thick(t)).unwrap();
    // The rim at the outlet is square to the cone: a thin cone of its own. The corner outside is where both outsides meet.
    let slope = f64::hypot(h, r - outlet);
    let (out, down) = (t * h / slope, t * (r - outlet) / slope);
    let corner = {
        // On the cone's outside at radius r + t.
        let share = (r + t - outlet - out) / (r - outlet);
        share * h - down
    };
    let outside =
        cone(outlet + out, r + t, corner + down) + PI * (r + t).powi(2) * (h + rim - corner);
    let below = cone(outlet + out, outlet, down);
    let inside = cone(outlet, r, h) + PI * r * r * rim;
    assert_solid(&thick, polygon_share() * (outside - below - inside));
    let sheet = funnel(outlet, r, h, 0.0, SEGMENTS, Wall::Sheet).unwrap();
    assert_looks_at(&sheet, DVec3::new(0.0, 0.0, h));
    assert!(!sheet.surface().unwrap().closed());
}

#[test]
fn hourglasses() {
    let shape = Hourglass {
        radius: 0.1,
        neck_radius: 0.01,
        neck_height: 0.01,
        cone_height: 0.12,
        bulb_height: 0.05,
    };
    let thick = hourglass(&shape, SEGMENTS, 1e-3).unwrap();
    assert!(thick.solid().unwrap().closed());
    // The room inside: the faces of the inner surface, turned over.
    let inner_vertices = 2 + 6 * SEGMENTS as u32;
    let mut room = thick.clone().flipped();
    room.faces
        .retain(|face| face.iter().all(|&k| k < inner_vertices));
    let half = PI * 1e-4 * 0.005 + cone(0.01, 0.1, 0.12) + PI * 0.01 * 0.05;
    assert!((room.volume() / (2.0 * half * polygon_share()) - 1.0).abs() < 1e-12);
    // Thin walls: area times thickness, nearly.
    let area = 0.5 * thick.area();
    assert!((thick.volume() / (area * 1e-3) - 1.0).abs() < 0.02);
    let without = Hourglass {
        bulb_height: 0.0,
        ..shape
    };
    assert!(hourglass(&without, SEGMENTS, 1e-3).unwrap().solid().is_ok());
}

#[test]
fn drums() {
    let (r, l, t) = (0.5, 0.2, 0.01);
    let mesh = drum(r, l, SEGMENTS, t).unwrap();
    let volume = PI * ((r + t).powi(2) * (l + 2.0 * t) - r * r * l);
    assert_solid(&mesh, polygon_share() * volume);
    assert_eq!(mesh.bounds().center(), DVec3::ZERO);
}

#[test]
fn boxes() {
    let size = DVec3::new(0.3, 0.4, 0.5);
    let mesh = open_box(size, Wall::Thick(0.01)).unwrap();
    assert_solid(&mesh, 0.32 * 0.42 * 0.51 - size.element_product());
    let sheet = open_box(size, Wall::Sheet).unwrap();
    assert_looks_at(&sheet, DVec3::new(0.0, 0.0, 0.25));
    let area = 0.3 * 0.4 + 2.0 * (0.3 + 0.4) * 0.5;
    assert!((sheet.area() - area).abs() < 1e-12);
}

#[test]
fn errors_name_the_figure() {
    let said = |result: Result<MeshData, GenerateError>| result.unwrap_err().to_string();
    assert_eq!(
        said(cup(-1.0, 1.0, 8, Wall::Sheet)),
        "radius of the cup is -1, expected a finite number > 0"
    );
    assert!(said(cup(1.0, 1.0, 2, Wall::Sheet)).contains("segments is 2"));
    assert!(said(drum(1.0, 1.0, 8, f64::NAN)).contains("thickness of the wall is NaN"));
    let turn = |points: &[[f64; 2]]| {
        let profile: Vec<DVec2> = points.iter().map(|&p| p.into()).collect();
        said(revolve(&profile, 8, Wall::Thick(0.1)))
    };
    assert!(
        turn(&[[1.0, 0.0], [1.0, 0.0]])
            .contains("point 1 (radius 1 m, height 0 m): expected another place")
    );
    assert!(turn(&[[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]).contains("point 1"));
    assert!(turn(&[[1.0, 0.0], [2.0, 1.0], [1.0, 0.1]]).contains("blunter turn"));
    assert!(turn(&[[0.0, 0.0], [0.01, 1.0]]).contains("blunter tip"));
    // A groove on the outside that is shorter than the wall is thick.
    assert!(turn(&[[2.0, 0.0], [1.0, 1.0], [1.0, 1.01], [2.0, 2.0]]).contains("crosses itself"));
    assert!(turn(&[[0.0, 0.0]]).contains("points of the profile is 1"));
}
