//! Surfaces of shapes cut into triangles, for files and pictures.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

use super::{Shape, TriangleSoup};

/// How finely curved shapes are cut into triangles, and how much of a plane is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceDetail {
    /// How often each triangle of an icosahedron is cut into four to make a ball; at most 8.
    pub sphere: u32,
    /// Sides of a round shape about its axis, at least 3.
    pub segments: u32,
    /// Half the edge of the square that stands for a plane, m.
    pub plane: f64,
}

impl Default for SurfaceDetail {
    /// Balls of 320 triangles, round shapes of 32 sides, planes of 2 m by 2 m.
    fn default() -> Self {
        Self {
            sphere: 2,
            segments: 32,
            plane: 1.0,
        }
    }
}

/// Most subdivisions of a ball. Each has four times the triangles of the one before: 8 make 1.3
/// million.
const MOST_SUBDIVISIONS: u32 = 8;

impl Shape {
    /// The surface as triangles, in the shape's frame, counter-clockwise seen from outside. It is
    /// closed for solids. A plane becomes a square, a height field its upper side, a compound the
    /// surfaces of all its parts.
    ///
    /// ```
    /// use drystone_collide::Shape;
    /// use drystone_collide::shape::SurfaceDetail;
    ///
    /// let ball = Shape::sphere(0.5)?.tessellate(&SurfaceDetail::default());
    /// assert_eq!((ball.vertices.len(), ball.triangles.len()), (162, 320));
    /// // The corners lie on the ball, so what they enclose is a little less than π/6 m³.
    /// assert!(ball.signed_volume() > 0.5 && ball.signed_volume() < 0.5236);
    /// # Ok::<(), drystone_collide::ShapeError>(())
    /// ```
    pub fn tessellate(&self, detail: &SurfaceDetail) -> TriangleSoup {
        match self {
            Self::Sphere { radius } => ball(DVec3::splat(*radius), detail),
            Self::Ellipsoid { semi_axes } => ball(*semi_axes, detail),
            Self::Box { half } => block(*half),
            &Self::Cylinder {
                radius: r,
                half_height: h,
            } => revolve(&[[0.0, -h], [r, -h], [r, h], [0.0, h]], detail),
            &Self::Cone {
                radius: r,
                half_height: h,
            } => revolve(&[[0.0, -h], [r, -h], [0.0, h]], detail),
            &Self::Capsule {
                radius,
                half_height,
            } => capsule(radius, half_height, detail),
            Self::Plane => square(detail.plane),
            Self::Hull(hull) => hull.as_ref().into(),
            Self::Mesh(mesh) => mesh.as_ref().into(),
            Self::HeightField(field) => field.as_ref().into(),
            Self::Compound(compound) => {
                let mut all = TriangleSoup::default();
                for (pose, shape) in compound.parts() {
                    all.append(&shape.tessellate(detail), pose);
                }
                all
            }
        }
    }
}

/// A ball from an icosahedron, stretched.
fn ball(semi_axes: DVec3, detail: &SurfaceDetail) -> TriangleSoup {
    let mut surface = icosahedron();
    for _ in 0..detail.sphere.min(MOST_SUBDIVISIONS) {
        surface = subdivided(&surface);
    }
    surface.vertices.iter_mut().for_each(|v| *v *= semi_axes);
    surface
}

/// Around the origin with corners at distance 1: three golden rectangles, one across each axis.
fn icosahedron() -> TriangleSoup {
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
    TriangleSoup {
        vertices,
        triangles,
    }
}

/// Each triangle cut into four, the new corners moved out to distance 1.
fn subdivided(surface: &TriangleSoup) -> TriangleSoup {
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
    TriangleSoup {
        vertices,
        triangles,
    }
}

fn block(half: DVec3) -> TriangleSoup {
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
    TriangleSoup {
        vertices: (0..8).map(corner).collect(),
        triangles: faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    }
}

fn capsule(radius: f64, half_height: f64, detail: &SurfaceDetail) -> TriangleSoup {
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

/// The surface that a line sweeps around the z axis. The line is given as distances from the axis
/// and heights along it, from below to above; it begins and ends on the axis and touches it
/// nowhere else.
fn revolve(profile: &[[f64; 2]], detail: &SurfaceDetail) -> TriangleSoup {
    let segments = detail.segments.max(3);
    let mut surface = TriangleSoup::default();
    let ring = |surface: &mut TriangleSoup, [r, z]: [f64; 2]| -> Vec<u32> {
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
            // On the axis a ring is one point, and the triangle with two corners there is left out.
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
fn square(half: f64) -> TriangleSoup {
    let corner = |x: f64, y: f64| DVec3::new(x * half, y * half, 0.0);
    TriangleSoup {
        vertices: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}
