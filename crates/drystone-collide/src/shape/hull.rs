//! Convex polyhedra with whole faces. How they are made from points stands in `hull/build.rs`.

mod build;

use std::collections::BTreeMap;

use glam::DVec3;

use super::ShapeError;
use super::bounds::farthest;
use super::error::finite_points;
use super::soup::TriangleSoup;
use crate::aabb::Aabb;
use build::{FLAT, Polygon};

/// A convex polyhedron with polygonal faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    faces: Vec<FaceRange>,
    /// Vertices of all faces, each face's counter-clockwise from outside.
    loops: Vec<u32>,
    edges: Vec<HullEdge>,
    /// Greatest distance of a vertex from the frame's origin, m.
    radius: f64,
    /// Greatest extent along an axis of the frame, m.
    extent: f64,
}

/// A face: its normal, and where its corners stand in the list of all loops.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FaceRange {
    normal: DVec3,
    start: u32,
    count: u32,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullEdge {
    /// Its ends, indices into the vertices, the smaller first.
    pub vertices: [u32; 2],
    /// The faces on both sides: first the one that runs from the first end to the second.
    pub faces: [u32; 2],
}

/// How far a vertex may lie outside a face when a hull is read back, in shares of the hull's size,
/// for a face as wide as the hull. The corners of a face lie in its plane to [`FLAT`]; this is four
/// times as much. The plane of a narrower face is known less well, in proportion.
const OUTSIDE: f64 = 4.0 * FLAT;
/// Faces narrower than this share of the hull's size have no reliable plane and are not checked.
const NARROW: f64 = 1e-3;

impl Hull {
    /// The hull of `points`, m. They must span a volume.
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        finite_points("hull", "point", points)?;
        let count = points.len();
        let (center, size) = middle_and_size(points)?;
        let points = build::without_copies(points, |p| (p - center) / size);
        let unit: Vec<DVec3> = points.iter().map(|&p| (p - center) / size).collect();
        let polygons = build::faces(&unit).ok_or(flat(count))?;
        Self::from_polygons(&points, &polygons)
    }

    /// The hull whose surface is `soup`, as `TriangleSoup::from(&hull)` made it: the same vertices
    /// and the same triangles in the same order. For hulls that come back from a file.
    ///
    /// Triangles of one face are put together again; normals may differ in their last digits.
    pub fn from_surface(soup: &TriangleSoup) -> Result<Self, ShapeError> {
        finite_points("hull", "vertex", &soup.vertices)?;
        soup.check_indices()?;
        let (center, size) = middle_and_size(&soup.vertices)?;
        let unit: Vec<DVec3> = soup.vertices.iter().map(|&p| (p - center) / size).collect();
        let faces = build::joined_faces(&unit, &soup.triangles);
        for (face, build::JoinedFace { polygon, width }) in faces.iter().enumerate() {
            if *width < NARROW {
                continue;
            }
            let level = polygon.normal.dot(unit[polygon.corners[0]]);
            let height = |k: usize| polygon.normal.dot(unit[k]) - level;
            if let Some(vertex) = (0..unit.len()).find(|&k| height(k) > OUTSIDE / width) {
                return Err(ShapeError::NotConvex {
                    face,
                    vertex,
                    height: size * height(vertex),
                });
            }
        }
        let polygons: Vec<Polygon> = faces.into_iter().map(|f| f.polygon).collect();
        if !build::closed(&polygons) {
            return Err(open(soup.vertices.len()));
        }
        Self::from_polygons(&soup.vertices, &polygons)
    }

    /// Keeps the vertices that the polygons use, in the order of `points`.
    fn from_polygons(points: &[DVec3], polygons: &[Polygon]) -> Result<Self, ShapeError> {
        let mut used = vec![u32::MAX; points.len()];
        for p in polygons {
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
            faces.push(FaceRange {
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
            let &right = sides.get(&[b, a]).ok_or_else(|| open(points.len()))?;
            if a < b {
                edges.push(HullEdge {
                    vertices: [a, b],
                    faces: [left, right],
                });
            }
        }
        let bounds = Aabb::of_points(vertices.iter().copied());
        Ok(Self {
            radius: farthest(vertices.iter().copied()),
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

    /// A face's unit normal, outwards, and its corners as indices into the vertices,
    /// counter-clockwise from outside.
    pub fn face(&self, face: usize) -> (DVec3, &[u32]) {
        let f = self.faces[face];
        let start = f.start as usize;
        (f.normal, &self.loops[start..start + f.count as usize])
    }

    /// All faces: see [`Hull::face`].
    pub fn faces(&self) -> impl Iterator<Item = (DVec3, &[u32])> {
        (0..self.faces.len()).map(|f| self.face(f))
    }

    /// The edges, in ascending order of their ends.
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The surface as triangles, outwards: each face is cut from its first corner.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.faces().flat_map(|(_, corners)| {
            (1..corners.len() - 1).map(move |k| [corners[0], corners[k], corners[k + 1]])
        })
    }

    /// Greatest distance of a vertex from the frame's origin, m.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Greatest extent along an axis of the frame, m.
    pub(crate) fn extent(&self) -> f64 {
        self.extent
    }
}

fn flat(points: usize) -> ShapeError {
    ShapeError::FlatHull { points }
}

fn open(points: usize) -> ShapeError {
    ShapeError::OpenHull { points }
}

/// The middle of the box around the points and its longest edge, m.
fn middle_and_size(points: &[DVec3]) -> Result<(DVec3, f64), ShapeError> {
    let low = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    let size = (high - low).max_element();
    // Four points at least, and an extent: also not a number is refused.
    if points.len() < 4 || size.is_nan() || size <= 0.0 {
        return Err(flat(points.len()));
    }
    Ok((0.5 * (low + high), size))
}
