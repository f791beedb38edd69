//! The lines that outline glass, and what follows from how triangles hang together.

use std::f64::consts::TAU;

use glam::DVec3;

use super::{Geometry, Mesh};

/// Cosine of the angle above which two faces meet in an edge: 35°.
const CREASE: f64 = 0.819;
/// Pieces of a circle.
const PIECES: usize = 72;

/// The edges of a solid in its own frame, each from one point to another. Round solids have none, triangles theirs
/// in [`Topology`].
pub fn outline(geometry: &Geometry) -> Vec<[DVec3; 2]> {
    match geometry {
        Geometry::Box { half } => box_edges(*half),
        Geometry::Cylinder {
            radius,
            half_height,
        } => {
            let mut edges = circle(*radius, -half_height);
            edges.extend(circle(*radius, *half_height));
            edges
        }
        Geometry::Cone {
            radius,
            half_height,
        } => circle(*radius, -half_height),
        Geometry::Sphere { .. }
        | Geometry::Ellipsoid { .. }
        | Geometry::Capsule { .. }
        | Geometry::Plane
        | Geometry::Triangles(_) => Vec::new(),
    }
}

fn box_edges(half: DVec3) -> Vec<[DVec3; 2]> {
    let mut edges = Vec::with_capacity(12);
    for axis in 0..3 {
        for signs in 0..4 {
            let sign = |bit: usize| if signs >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let mut end = half;
            end[(axis + 1) % 3] *= sign(0);
            end[(axis + 2) % 3] *= sign(1);
            let mut start = end;
            start[axis] = -start[axis];
            edges.push([start, end]);
        }
    }
    edges
}

fn circle(radius: f64, z: f64) -> Vec<[DVec3; 2]> {
    let point = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / PIECES as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    };
    (0..PIECES).map(|k| [point(k), point(k + 1)]).collect()
}

/// How the faces of a mesh hang together.
#[derive(Debug, Default)]
pub struct Topology {
    /// Faces whose corners all exist, corners on the same spot taken as one.
    pub faces: Vec<[u32; 3]>,
    /// Whether the faces enclose a solid: each edge belongs to two faces, once in each direction.
    pub closed: bool,
    /// Edges at the border or between faces that meet at an angle.
    pub creases: Vec<[u32; 2]>,
    /// Unit normals at the corners of each face; the faces' own where not smooth.
    pub normals: Vec<[DVec3; 3]>,
}

impl Topology {
    /// Of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let joined = join_corners(&mesh.vertices);
        let count = mesh.vertices.len();
        let exists = |f: &&[u32; 3]| f.iter().all(|v| (*v as usize) < count);
        let faces: Vec<[u32; 3]> = mesh
            .faces
            .iter()
            .filter(exists)
            .map(|f| f.map(|v| joined[v as usize]))
            .collect();
        let flat: Vec<DVec3> = faces.iter().map(|f| face_normal(mesh, f)).collect();
        let (creases, closed) = creases(&faces, &flat);
        let normals = if mesh.smooth {
            smooth_normals(mesh, &faces, &flat)
        } else {
            flat.iter().map(|n| [*n; 3]).collect()
        };
        Self {
            faces,
            closed,
            creases,
            normals,
        }
    }
}

/// For each corner the first one on the same spot: files often repeat corners face by face.
fn join_corners(vertices: &[DVec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    // Adding 0 makes -0 and 0 the same.
    let key = |v: &u32| {
        (vertices[*v as usize] + DVec3::ZERO)
            .to_array()
            .map(f64::to_bits)
    };
    order.sort_unstable_by_key(|v| (key(v), *v));
    let mut joined = vec![0; vertices.len()];
    let mut first = 0;
    for k in 0..order.len() {
        if k == 0 || key(&order[k]) != key(&order[k - 1]) {
            first = order[k];
        }
        joined[order[k] as usize] = first;
    }
    joined
}

fn face_normal(mesh: &Mesh, face: &[u32; 3]) -> DVec3 {
    let [a, b, c] = face.map(|v| mesh.vertices[v as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

/// Edges at the border or at an angle, and whether there is no border.
fn creases(faces: &[[u32; 3]], normals: &[DVec3]) -> (Vec<[u32; 2]>, bool) {
    // Lower corner, upper corner, face, and whether the face runs from the lower to the upper.
    let mut sides: Vec<(u32, u32, usize, bool)> = Vec::with_capacity(3 * faces.len());
    for (index, face) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            sides.push((a.min(b), a.max(b), index, a < b));
        }
    }
    sides.sort_unstable();
    let (mut creases, mut closed) = (Vec::new(), !faces.is_empty());
    for group in sides.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        let smooth = match group {
            [p, q] => {
                closed &= p.3 != q.3;
                normals[p.2].dot(normals[q.2]) > CREASE
            }
            _ => {
                closed = false;
                false
            }
        };
        if !smooth {
            creases.push([group[0].0, group[0].1]);
        }
    }
    (creases, closed)
}

/// At each corner of each face the mean, weighted by angle, over the faces there that lie almost in its plane.
fn smooth_normals(mesh: &Mesh, faces: &[[u32; 3]], flat: &[DVec3]) -> Vec<[DVec3; 3]> {
    let mut around: Vec<(u32, usize, f64)> = Vec::with_capacity(3 * faces.len());
    for (index, face) in faces.iter().enumerate() {
        for k in 0..3 {
            let [at, next, last] = [k, k + 1, k + 2].map(|j| mesh.vertices[face[j % 3] as usize]);
            let angle = (next - at).angle_between(last - at);
            let weight = if angle.is_finite() { angle } else { 0.0 };
            around.push((face[k], index, weight));
        }
    }
    around.sort_unstable_by_key(|(vertex, face, _)| (*vertex, *face));
    let mut starts = vec![0; mesh.vertices.len() + 1];
    for (vertex, _, _) in &around {
        starts[*vertex as usize + 1] += 1;
    }
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let corner = |face: usize, vertex: u32| {
        let near = &around[starts[vertex as usize]..starts[vertex as usize + 1]];
        let alike = near
            .iter()
            .filter(|(_, other, _)| flat[*other].dot(flat[face]) > CREASE);
        let sum: DVec3 = alike.map(|(_, other, weight)| *weight * flat[*other]).sum();
        sum.try_normalize().unwrap_or(flat[face])
    };
    let whole = |(index, face): (usize, &[u32; 3])| face.map(|v| corner(index, v));
    faces.iter().enumerate().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(smooth: bool) -> Mesh {
        Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            smooth,
        }
    }

    #[test]
    fn a_tetrahedron_is_closed_and_has_six_edges() {
        let whole = Topology::new(&tetrahedron(true));
        assert!(whole.closed);
        assert_eq!(whole.creases.len(), 6);
        // All its edges are sharp: no normal is mixed.
        let slanted = DVec3::ONE.normalize();
        assert!(whole.normals[3].iter().all(|n| n.distance(slanted) < 1e-12));
        let mut open = tetrahedron(false);
        open.faces.pop();
        assert!(!Topology::new(&open).closed);
        assert!(!Topology::new(&Mesh::default()).closed);
    }

    #[test]
    fn repeated_corners_are_joined_and_missing_ones_left_out() {
        let solid = tetrahedron(false);
        let mut soup = Mesh::default();
        for face in &solid.faces {
            let first = soup.vertices.len() as u32;
            soup.vertices
                .extend(face.map(|v| solid.vertices[v as usize]));
            soup.faces.push([first, first + 1, first + 2]);
        }
        soup.faces.push([0, 1, 99]);
        let joined = Topology::new(&soup);
        assert!(joined.closed);
        assert_eq!(joined.faces.len(), 4);
    }

    #[test]
    fn a_round_pipe_is_shaded_round() {
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        let count = 24;
        for k in 0..count {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
            vertices.extend([DVec3::new(cos, sin, 0.0), DVec3::new(cos, sin, 1.0)]);
            let [a, b] = [2 * k, 2 * ((k + 1) % count)];
            faces.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        let mesh = Mesh {
            vertices,
            faces,
            smooth: true,
        };
        let pipe = Topology::new(&mesh);
        for (face, normals) in pipe.faces.iter().zip(&pipe.normals) {
            for (vertex, normal) in face.iter().zip(normals) {
                let outward = mesh.vertices[*vertex as usize].truncate().extend(0.0);
                assert!(normal.distance(outward) < 1e-9);
            }
        }
        // Only the two rims are edges.
        assert_eq!(pipe.creases.len(), 48);
        assert!(!pipe.closed);
    }

    #[test]
    fn a_box_has_twelve_edges_of_the_right_lengths() {
        let half = DVec3::new(1.0, 2.0, 3.0);
        let edges = outline(&Geometry::Box { half });
        assert_eq!(edges.len(), 12);
        let total: f64 = edges.iter().map(|[a, b]| a.distance(*b)).sum();
        assert!((total - 4.0 * (2.0 + 4.0 + 6.0)).abs() < 1e-12);
    }
}
