//! How the triangles of a surface hang together: what is round, what is an edge, what is closed.

use drystone::shape::{TriangleSoup, VertexMerge};
use glam::DVec3;

/// Cosine of the angle from which on two triangles meet in an edge: 35°. Finely meshed curved parts
/// have less between their triangles, stones and machines more between their sides.
const CREASE: f64 = 0.819;

/// How the triangles of a surface hang together.
#[derive(Debug, Default)]
pub struct Topology {
    /// Corners, those on the same spot taken as one, m.
    pub vertices: Vec<DVec3>,
    /// Three corners each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether the triangles enclose a solid: each edge belongs to two of them, once in each
    /// direction.
    pub closed: bool,
    /// Edges at the border or between triangles that meet at an angle.
    pub creases: Vec<[u32; 2]>,
    /// Unit normals at the corners of each triangle; the triangles' own where not smooth.
    pub normals: Vec<[DVec3; 3]>,
}

impl Topology {
    /// Of a surface. `smooth` says whether triangles that meet at less than 35° are shaded as one
    /// round surface: right for finely meshed curved parts, wrong for stones with flat faces.
    pub fn new(soup: &TriangleSoup, smooth: bool) -> Self {
        // Files often repeat corners triangle by triangle.
        let mut merge = VertexMerge::default();
        let merged: Vec<u32> = soup.vertices.iter().map(|&v| merge.index(v)).collect();
        let vertices = merge.into_vertices();
        let triangles = soup.triangles.iter();
        let triangles: Vec<[u32; 3]> = triangles.map(|t| t.map(|v| merged[v as usize])).collect();
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let flat: Vec<DVec3> = triangles.iter().map(flat).collect();
        let (creases, closed) = creases(&triangles, &flat);
        let normals = if smooth {
            smooth_normals(&vertices, &triangles, &flat)
        } else {
            flat.iter().map(|n| [*n; 3]).collect()
        };
        Self {
            vertices,
            triangles,
            closed,
            creases,
            normals,
        }
    }
}

/// Edges at the border or at an angle, and whether there is no border.
fn creases(triangles: &[[u32; 3]], normals: &[DVec3]) -> (Vec<[u32; 2]>, bool) {
    // Lower corner, upper corner, triangle, and whether it runs from the lower to the upper.
    let mut sides: Vec<(u32, u32, usize, bool)> = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            sides.push((a.min(b), a.max(b), index, a < b));
        }
    }
    sides.sort_unstable();
    let (mut creases, mut closed) = (Vec::new(), !triangles.is_empty());
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

/// At each corner of each triangle the mean normal of the triangles there that lie almost in its
/// plane, weighted by their angles at the corner.
fn smooth_normals(vertices: &[DVec3], triangles: &[[u32; 3]], flat: &[DVec3]) -> Vec<[DVec3; 3]> {
    // Vertex, triangle and angle of all corners, sorted by the first two.
    let mut around: Vec<(u32, usize, f64)> = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let corner = |j: usize| vertices[triangle[j % 3] as usize];
            let [at, next, last] = [k, k + 1, k + 2].map(corner);
            let angle = (next - at).angle_between(last - at);
            let weight = if angle.is_finite() { angle } else { 0.0 };
            around.push((triangle[k], index, weight));
        }
    }
    around.sort_unstable_by_key(|(vertex, triangle, _)| (*vertex, *triangle));
    // Where each vertex begins in that list.
    let mut starts = vec![0; vertices.len() + 1];
    for (vertex, _, _) in &around {
        starts[*vertex as usize + 1] += 1;
    }
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let normal = |triangle: usize, vertex: u32| {
        let near = &around[starts[vertex as usize]..starts[vertex as usize + 1]];
        let alike = near
            .iter()
            .filter(|(_, other, _)| flat[*other].dot(flat[triangle]) > CREASE);
        let sum: DVec3 = alike.map(|(_, other, weight)| *weight * flat[*other]).sum();
        sum.try_normalize().unwrap_or(flat[triangle])
    };
    let whole = |(index, triangle): (usize, &[u32; 3])| triangle.map(|v| normal(index, v));
    triangles.iter().enumerate().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn tetrahedron() -> TriangleSoup {
        TriangleSoup {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn a_tetrahedron_is_closed_and_has_six_edges() {
        let whole = Topology::new(&tetrahedron(), true);
        assert!(whole.closed);
        assert_eq!(whole.creases.len(), 6);
        // All its edges are sharp: no normal is mixed.
        let slanted = DVec3::ONE.normalize();
        assert!(whole.normals[3].iter().all(|n| n.distance(slanted) < 1e-12));
        let mut open = tetrahedron();
        open.triangles.pop();
        assert!(!Topology::new(&open, false).closed);
        assert!(!Topology::new(&TriangleSoup::default(), false).closed);
    }

    #[test]
    fn repeated_corners_are_joined() {
        let whole = tetrahedron();
        let mut loose = TriangleSoup::default();
        for triangle in 0..4 {
            let first = loose.vertices.len() as u32;
            loose.vertices.extend(whole.corners(triangle));
            loose.triangles.push([first, first + 1, first + 2]);
        }
        let joined = Topology::new(&loose, false);
        assert!(joined.closed);
        assert_eq!((joined.vertices.len(), joined.triangles.len()), (4, 4));
    }

    #[test]
    fn a_round_pipe_is_shaded_round() {
        let mut soup = TriangleSoup::default();
        let count = 24;
        for k in 0..count {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
            let corner = |z: f64| DVec3::new(cos, sin, z);
            soup.vertices.extend([corner(0.0), corner(1.0)]);
            let [a, b] = [2 * k, 2 * ((k + 1) % count)];
            soup.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        let pipe = Topology::new(&soup, true);
        for (triangle, normals) in pipe.triangles.iter().zip(&pipe.normals) {
            for (vertex, normal) in triangle.iter().zip(normals) {
                let outward = pipe.vertices[*vertex as usize].truncate().extend(0.0);
                assert!(normal.distance(outward) < 1e-9);
            }
        }
        // Only the two rims are edges.
        assert_eq!(pipe.creases.len(), 48);
        assert!(!pipe.closed);
    }
}
