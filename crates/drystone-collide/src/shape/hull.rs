//! Convex hulls with whole faces.
//!
//! Points are added one by one to a hull of triangles, moved a little beforehand (3e-7 of the size) so that no four lie in one
//! plane: then the order of additions cannot lead to overlapping or empty triangles. The faces are then made anew from the
//! points where they are: all that lie in the plane of a large triangle, to 1e-6 of the size, form one polygon. So a hull is
//! exact when its faces are, and features smaller than a millionth of its size may be lost.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::ShapeError;
use super::error::finite_points;
use crate::aabb::Aabb;

/// A convex polyhedron with polygonal faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    /// Vertices of all faces, each face's counter-clockwise from outside.
    loops: Vec<u32>,
    edges: Vec<Edge>,
    /// Greatest distance of a vertex from the origin, and greatest extent along an axis, m.
    radius: f64,
    extent: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Face {
    normal: DVec3,
    start: u32,
    count: u32,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// The faces on both sides.
    pub faces: [u32; 2],
}

/// How far the points are moved before the hull is made, relative to the size.
const JOGGLE: f64 = 3e-7;
/// What counts as in a plane, relative to the size.
const FLAT: f64 = 1e-6;

impl Hull {
    /// The hull of `points`, m. They must span a volume.
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        finite_points("hull", "point", points)?;
        let flat = ShapeError::FlatHull {
            points: points.len(),
        };
        let low = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
        let size = (high - low).max_element();
        if points.len() < 4 || size.is_nan() || size <= 0.0 {
            return Err(flat);
        }
        let center = 0.5 * (low + high);
        let points = without_copies(points, |p| (p - center) / size);
        let unit: Vec<DVec3> = points.iter().map(|&p| (p - center) / size).collect();
        let Some(triangles) = triangulated(&unit) else {
            return Err(flat);
        };
        let polygons = whole_faces(&unit, &triangles)
            .filter(|f| closed(f))
            // Points at the limit of flatness: the triangles are a hull in any case.
            .unwrap_or_else(|| triangle_faces(&unit, &triangles));
        let hull = Self::from_polygons(&points, polygons).ok_or(ShapeError::HullFailed {
            points: points.len(),
            why: "its faces do not close",
        })?;
        Ok(hull)
    }

    /// Keeps the vertices that the polygons use, in the order of `points`.
    fn from_polygons(points: &[DVec3], polygons: Vec<Polygon>) -> Option<Self> {
        let mut used = vec![u32::MAX; points.len()];
        for p in &polygons {
            for &k in &p.corners {
                used[k] = 0;
            }
        }
        let mut vertices = Vec::new();
        for (k, index) in used.iter_mut().enumerate() {
            if *index == 0 {
                *index = vertices.len() as u32;
                vertices.push(points[k]);
            }
        }
        let (mut faces, mut loops) = (Vec::new(), Vec::new());
        let mut sides = BTreeMap::new();
        for (f, polygon) in polygons.iter().enumerate() {
            faces.push(Face {
                normal: polygon.normal,
                start: loops.len() as u32,
                count: polygon.corners.len() as u32,
            });
            loops.extend(polygon.corners.iter().map(|&k| used[k]));
            for (a, b) in polygon.edges() {
                sides.insert([used[a], used[b]], f as u32);
            }
        }
        let mut edges = Vec::new();
        for (&[a, b], &left) in &sides {
            let right = *sides.get(&[b, a])?;
            if a < b {
                edges.push(Edge {
                    vertices: [a, b],
                    faces: [left, right],
                });
            }
        }
        let bounds = Aabb::of_points(vertices.iter().copied());
        Some(Self {
            radius: super::farthest(vertices.iter().copied()),
            extent: bounds.extent().max_element(),
            vertices,
            faces,
            loops,
            edges,
        })
    }

    /// The corners, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// A face's unit normal, outwards, and its corners as indices into the vertices, counter-clockwise from outside.
    pub fn face(&self, face: usize) -> (DVec3, &[u32]) {
        let f = self.faces[face];
        let start = f.start as usize;
        (f.normal, &self.loops[start..start + f.count as usize])
    }

    /// Greatest distance of a vertex from the frame's origin, m.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Greatest extent along an axis of the frame, m.
    pub(crate) fn extent(&self) -> f64 {
        self.extent
    }

    /// The edges.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The surface as triangles, outwards.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        (0..self.faces.len()).flat_map(move |f| {
            let (_, corners) = self.face(f);
            (1..corners.len() - 1).map(move |k| [corners[0], corners[k], corners[k + 1]])
        })
    }
}

/// The points without those in the same cell of a grid of width [`FLAT`] as an earlier one.
fn without_copies(points: &[DVec3], unit: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    let mut seen = BTreeSet::new();
    let cell = |p: DVec3| (unit(p) / FLAT).to_array().map(|x| x.round() as i64);
    points
        .iter()
        .copied()
        .filter(|&p| seen.insert(cell(p)))
        .collect()
}

/// A face on the way to a hull; corners are indices into the given points.
#[derive(Clone, Debug)]
struct Polygon {
    normal: DVec3,
    corners: Vec<usize>,
}

impl Polygon {
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.corners.len();
        (0..n).map(move |k| (self.corners[k], self.corners[(k + 1) % n]))
    }
}

/// The hull of the moved points as triangles; nothing when they span no volume.
fn triangulated(unit: &[DVec3]) -> Option<Vec<[usize; 3]>> {
    let start = first_tetrahedron(unit)?;
    let p: Vec<DVec3> = unit
        .iter()
        .enumerate()
        .map(|(k, &p)| p + JOGGLE * pseudo_random(k as u64))
        .collect();
    let [a, b, c, d] = start;
    let mut faces = vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    let height = |f: &[usize; 3], q: DVec3| {
        (p[f[1]] - p[f[0]])
            .cross(p[f[2]] - p[f[0]])
            .dot(q - p[f[0]])
    };
    let mut rim = Vec::new();
    for k in (0..p.len()).filter(|k| !start.contains(k)) {
        rim.clear();
        faces.retain(|f| {
            let seen = height(f, p[k]) > 0.0;
            if seen {
                rim.extend([[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
            }
            !seen
        });
        // The horizon: edges of seen faces whose other side is not seen.
        rim.sort_unstable();
        for &[i, j] in &rim {
            if rim.binary_search(&[j, i]).is_err() {
                faces.push([i, j, k]);
            }
        }
    }
    Some(faces)
}

/// Four points that span a volume, so ordered that the first three are counter-clockwise seen from outside.
fn first_tetrahedron(unit: &[DVec3]) -> Option<[usize; 4]> {
    let best = |measure: &dyn Fn(DVec3) -> f64| {
        (0..unit.len()).max_by(|&i, &j| measure(unit[i]).total_cmp(&measure(unit[j])))
    };
    let a = best(&|p| p.x + 0.1 * p.y + 0.01 * p.z)?;
    let pa = unit[a];
    let b = best(&|p| (p - pa).length_squared())?;
    let ab = (unit[b] - pa).normalize_or_zero();
    let c = best(&|p| (p - pa).cross(ab).length_squared())?;
    let normal = ab.cross(unit[c] - pa).normalize_or_zero();
    let d = best(&|p| (p - pa).dot(normal).abs())?;
    let height = (unit[d] - pa).dot(normal);
    if height.abs() < FLAT {
        return None;
    }
    // The last lies behind the first three.
    Some(if height < 0.0 {
        [a, b, c, d]
    } else {
        [a, c, b, d]
    })
}

/// A fixed vector in the unit cube for each index.
fn pseudo_random(index: u64) -> DVec3 {
    let coordinate = |salt: u64| {
        let mut x = (3 * index + salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 27;
        (x >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}

/// Twice the area vector of a triangle.
fn area(unit: &[DVec3], [a, b, c]: [usize; 3]) -> DVec3 {
    (unit[b] - unit[a]).cross(unit[c] - unit[a])
}

/// Every triangle its own face; one without area has the normal zero, which no query picks.
fn triangle_faces(unit: &[DVec3], triangles: &[[usize; 3]]) -> Vec<Polygon> {
    triangles
        .iter()
        .map(|&t| Polygon {
            normal: area(unit, t).normalize_or_zero(),
            corners: t.to_vec(),
        })
        .collect()
}

/// One polygon a plane, from the largest triangle down; nothing when a polygon degenerates.
fn whole_faces(unit: &[DVec3], triangles: &[[usize; 3]]) -> Option<Vec<Polygon>> {
    let mut order: Vec<(f64, [usize; 3])> = triangles
        .iter()
        .map(|&t| (area(unit, t).length_squared(), t))
        .collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let mut planes: Vec<(DVec3, f64)> = Vec::new();
    let mut polygons = Vec::new();
    for (_, t) in order {
        let in_plane =
            |&(n, d): &(DVec3, f64)| t.iter().all(|&k| (n.dot(unit[k]) - d).abs() < FLAT);
        if planes.iter().any(in_plane) {
            continue;
        }
        let normal = area(unit, t).normalize_or_zero();
        let plane = (normal, normal.dot(unit[t[0]]));
        planes.push(plane);
        let corners: Vec<usize> = (0..unit.len())
            .filter(|&k| (normal.dot(unit[k]) - plane.1).abs() < FLAT)
            .collect();
        let corners = outline(unit, normal, corners);
        if corners.len() < 3 {
            return None;
        }
        polygons.push(Polygon { normal, corners });
    }
    Some(polygons)
}

/// The corners of the convex polygon around points of one plane, counter-clockwise about `normal`; points on its sides, to
/// within [`FLAT`], are left out.
fn outline(unit: &[DVec3], normal: DVec3, mut points: Vec<usize>) -> Vec<usize> {
    let (u, v) = normal.any_orthonormal_pair();
    let flat = |k: usize| (unit[k].dot(u), unit[k].dot(v));
    points.sort_by(|&i, &j| {
        let (a, b) = (flat(i), flat(j));
        a.0.total_cmp(&b.0)
            .then(a.1.total_cmp(&b.1))
            .then(i.cmp(&j))
    });
    // How far `k` lies to the left of the line from `i` to `j`.
    let left = |i: usize, j: usize, k: usize| {
        let (a, b, c) = (flat(i), flat(j), flat(k));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        (x * (c.1 - a.1) - y * (c.0 - a.0)) / x.hypot(y).max(f64::MIN_POSITIVE)
    };
    let chain = |points: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for k in points {
            // Measured from the line of the outer two points: how far the middle one sticks out.
            while let [.., i, j] = chain[..]
                && left(i, k, j) > -FLAT
            {
                chain.pop();
            }
            if chain
                .last()
                .is_none_or(|&j| (unit[j] - unit[k]).length() > FLAT)
            {
                chain.push(k);
            }
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

/// Whether each edge runs once in each direction.
fn closed(polygons: &[Polygon]) -> bool {
    let mut edges: Vec<(usize, usize)> = polygons.iter().flat_map(Polygon::edges).collect();
    edges.sort_unstable();
    edges.windows(2).all(|w| w[0] != w[1])
        && edges
            .iter()
            .all(|&(a, b)| edges.binary_search(&(b, a)).is_ok())
}
