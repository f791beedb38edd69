//! Shapes as triangles, for files and pictures.

use std::collections::HashMap;

use drystone::Pose;
use glam::{DVec2, DVec3};

use crate::recording::{ConvexRecord, Frame, HeightRecord, RunHeader, ShapeRecord, Surface};

/// How finely curved shapes are cut, and how much of a plane is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// How often each triangle of an icosahedron is cut into four to make a ball; at most 8.
    pub sphere: u32,
    /// Sides of a round shape about its axis, at least 3.
    pub segments: u32,
    /// Half the edge of the square that stands for a plane, m. `None`: as large as the scene.
    pub plane: Option<f64>,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            sphere: 2,
            segments: 32,
            plane: None,
        }
    }
}

/// Half the edge of a plane's square where the scene does not say, m.
const PLANE: f64 = 1.0;

/// A shape's surface in its own frame, triangles counter-clockwise from outside; closed for solids. A plane becomes a square, a
/// height field its upper side.
pub fn tessellate(shape: &ShapeRecord, detail: &Detail) -> Surface {
    match shape {
        ShapeRecord::Convex(convex) => solid(convex, detail),
        ShapeRecord::Plane => square(detail.plane.unwrap_or(PLANE)),
        ShapeRecord::Mesh(surface) => surface.clone(),
        ShapeRecord::HeightField(field) => height_field(field),
        ShapeRecord::Compound(parts) => {
            let mut all = Surface::default();
            for part in parts {
                let pose = Pose {
                    position: part.position,
                    rotation: part.rotation,
                };
                all.append(&solid(&part.shape, detail), &pose);
            }
            all
        }
    }
}

/// Half the edge of a square about any plane's origin that reaches beyond all bodies of a frame, m.
pub fn plane_size(header: &RunHeader, frame: &Frame) -> f64 {
    let bounded = |b: &usize| *header.shape(*b) != ShapeRecord::Plane;
    let planes = (0..header.bodies.len()).filter(|b| !bounded(b));
    let sizes: Vec<f64> = header.shapes.iter().map(radius).collect();
    let mut size = 0.0_f64;
    for plane in planes {
        let origin = frame.bodies[plane].position;
        for body in (0..header.bodies.len()).filter(bounded) {
            let distance = frame.bodies[body].position.distance(origin);
            size = size.max(distance + sizes[header.bodies[body].shape as usize]);
        }
    }
    if size > 0.0 { 1.1 * size } else { PLANE }
}

/// A bound of the distances of a shape's points from its origin, m.
fn radius(shape: &ShapeRecord) -> f64 {
    let farthest = |points: &[DVec3]| points.iter().map(|p| p.length()).fold(0.0, f64::max);
    if let Some(radius) = shape.sphere_radius() {
        return radius;
    }
    let coarse = Detail {
        sphere: 0,
        segments: 8,
        plane: Some(0.0),
    };
    farthest(&tessellate(shape, &coarse).vertices)
}

fn solid(shape: &ConvexRecord, detail: &Detail) -> Surface {
    match shape {
        ConvexRecord::Sphere { radius } => ball(DVec3::splat(*radius), detail),
        ConvexRecord::Ellipsoid { semi_axes } => ball(*semi_axes, detail),
        ConvexRecord::Box { half } => block(*half),
        &ConvexRecord::Cylinder {
            radius: r,
            half_height: h,
        } => revolve(&[[0.0, -h], [r, -h], [r, h], [0.0, h]], detail),
        &ConvexRecord::Cone {
            radius: r,
            half_height: h,
        } => revolve(&[[0.0, -h], [r, -h], [0.0, h]], detail),
        &ConvexRecord::Capsule {
            radius,
            half_height,
        } => capsule(radius, half_height, detail),
        ConvexRecord::Hull(surface) => surface.clone(),
    }
}

/// A ball from an icosahedron, stretched.
fn ball(semi_axes: DVec3, detail: &Detail) -> Surface {
    let mut surface = icosahedron();
    // Each level has four times the triangles: 8 make 1.3 million.
    for _ in 0..detail.sphere.min(8) {
        surface = subdivided(&surface);
    }
    surface.vertices.iter_mut().for_each(|v| *v *= semi_axes);
    surface
}

/// Around the origin with corners at distance 1: three golden rectangles, one across each axis.
fn icosahedron() -> Surface {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for (a, b) in [
            (1.0, golden),
            (1.0, -golden),
            (-1.0, golden),
            (-1.0, -golden),
        ] {
            let mut v = [0.0; 3];
            (v[(axis + 1) % 3], v[(axis + 2) % 3]) = (a, b);
            vertices.push(DVec3::from_array(v).normalize());
        }
    }
    // Faces join three corners that are neighbours of each other: at distance 2 before scaling.
    let edge = 2.0 / golden.hypot(1.0);
    let near = |a: usize, b: usize| (vertices[a].distance(vertices[b]) - edge).abs() < 1e-6;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in (a + 1..12).filter(|&b| near(a, b)) {
            for c in (b + 1..12).filter(|&c| near(a, c) && near(b, c)) {
                let volume = vertices[a].dot(vertices[b].cross(vertices[c]));
                let triangle = if volume > 0.0 { [a, b, c] } else { [a, c, b] };
                triangles.push(triangle.map(|k| k as u32));
            }
        }
    }
    Surface {
        vertices,
        triangles,
    }
}

/// Each triangle cut into four, the new corners moved out to distance 1.
fn subdivided(surface: &Surface) -> Surface {
    let mut vertices = surface.vertices.clone();
    let mut middles = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let sum = surface.vertices[a as usize] + surface.vertices[b as usize];
            vertices.push(sum.normalize());
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::with_capacity(4 * surface.triangles.len());
    for &[a, b, c] in &surface.triangles {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Surface {
        vertices,
        triangles,
    }
}

fn block(half: DVec3) -> Surface {
    let corner = |k: u32| {
        let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(1), sign(2), sign(4))
    };
    // Counter-clockwise from outside: -z, +z, -y, +y, -x, +x.
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    Surface {
        vertices: (0..8).map(corner).collect(),
        triangles: faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    }
}

fn capsule(radius: f64, half_height: f64, detail: &Detail) -> Surface {
    let rings = (detail.segments.max(3) / 4).max(2);
    let mut profile = Vec::new();
    for (side, middle) in [(0, -half_height), (1, half_height)] {
        for k in 0..=rings {
            let quarter = f64::from(side) - 1.0 + f64::from(k) / f64::from(rings);
            let (z, r) = (quarter * std::f64::consts::FRAC_PI_2).sin_cos();
            // Cosines of right angles are not exactly zero.
            let pole = (side == 0 && k == 0) || (side == 1 && k == rings);
            let r = if pole { 0.0 } else { r };
            profile.push([radius * r, middle + radius * z]);
        }
    }
    revolve(&profile, detail)
}

/// The surface that a line of distances from and heights along the z axis sweeps around it, given from below to above. It begins
/// and ends on the axis, with no other point there.
fn revolve(profile: &[[f64; 2]], detail: &Detail) -> Surface {
    let segments = detail.segments.max(3);
    let mut surface = Surface::default();
    let ring = |surface: &mut Surface, [r, z]: [f64; 2]| -> Vec<u32> {
        let first = surface.vertices.len() as u32;
        if r == 0.0 {
            surface.vertices.push(DVec3::new(0.0, 0.0, z));
            return vec![first; segments as usize];
        }
        for k in 0..segments {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(segments);
            let across = DVec2::from_angle(turn) * r;
            surface.vertices.push(across.extend(z));
        }
        (first..first + segments).collect()
    };
    let rings: Vec<Vec<u32>> = profile.iter().map(|p| ring(&mut surface, *p)).collect();
    for pair in rings.windows(2) {
        let (below, above) = (&pair[0], &pair[1]);
        for k in 0..segments as usize {
            let next = (k + 1) % segments as usize;
            if below[k] != below[next] {
                surface.triangles.push([below[k], below[next], above[next]]);
            }
            if above[k] != above[next] {
                surface.triangles.push([below[k], above[next], above[k]]);
            }
        }
    }
    surface
}

/// Facing upwards.
fn square(half: f64) -> Surface {
    let corner = |x: f64, y: f64| DVec3::new(x * half, y * half, 0.0);
    Surface {
        vertices: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// Each cell cut along the diagonal from its corner of lowest x and y, as the engine does.
fn height_field(field: &HeightRecord) -> Surface {
    let (columns, rows) = (field.columns as usize, field.rows());
    let half = |count: usize, spacing: f64| 0.5 * (count as f64 - 1.0) * spacing;
    let [dx, dy] = field.spacing;
    let (x, y) = (half(columns, dx), half(rows, dy));
    let point = |(k, h): (usize, &f64)| {
        let (i, j) = (k % columns.max(1), k / columns.max(1));
        DVec3::new(i as f64 * dx - x, j as f64 * dy - y, *h)
    };
    let mut triangles = Vec::new();
    for j in 0..rows.saturating_sub(1) {
        for i in 0..columns.saturating_sub(1) {
            let at = |i: usize, j: usize| (j * columns + i) as u32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Surface {
        vertices: field.heights.iter().enumerate().map(point).collect(),
        triangles,
    }
}
