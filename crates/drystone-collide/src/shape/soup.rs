//! Triangles that share vertices, unchecked.

use std::collections::HashMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::mass::signed_volume;
use super::{HeightField, Hull, ShapeError, TriangleMesh};
use crate::aabb::Aabb;
use crate::pose::Pose;

/// Triangles that share vertices. Nothing is checked: a triangle may name a vertex that is not
/// there, have no area or stand alone.
///
/// It is what mesh files are read into, what shapes are cut into for files and pictures
/// ([`super::Shape::tessellate`]), and what recordings store. [`TriangleMesh`] is the checked form
/// that contacts need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleSoup {
    /// Points, m.
    pub vertices: Vec<DVec3>,
    /// Three indices into the vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleSoup {
    /// From triangles that do not share vertices, as in STL files. Corners with the same
    /// coordinates become one vertex.
    pub fn from_triangles(triangles: &[[DVec3; 3]]) -> Self {
        let mut merge = VertexMerge::default();
        let triangles = triangles.iter().map(|t| t.map(|p| merge.index(p)));
        Self {
            triangles: triangles.collect(),
            vertices: merge.into_vertices(),
        }
    }

    /// The corners of triangle `triangle`, m.
    ///
    /// # Panics
    ///
    /// When the triangle, or a vertex that it names, does not exist: see
    /// [`TriangleSoup::check_indices`].
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|k| self.vertices[k as usize])
    }

    /// Checks that every vertex that a triangle names exists. All other methods take that for
    /// granted.
    pub fn check_indices(&self) -> Result<(), ShapeError> {
        let vertices = self.vertices.len();
        for (face, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&k| k as usize >= vertices) {
                return Err(ShapeError::NoSuchVertex {
                    face,
                    vertex,
                    vertices,
                });
            }
        }
        Ok(())
    }

    /// Adds the triangles of `other`, whose frame lies at `pose` in the frame of this one.
    pub fn append(&mut self, other: &Self, pose: &Pose) {
        let first = self.vertices.len() as u32;
        self.vertices
            .extend(other.vertices.iter().map(|&v| pose.point(v)));
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|k| first + k)));
    }

    /// With all lengths multiplied by `factor`, such as 0.001 for a file in millimetres.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for vertex in &mut self.vertices {
            *vertex *= factor;
        }
        self
    }

    /// With all triangles turned over, so that outside becomes inside.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
        self
    }

    /// The smallest box that contains the vertices, m.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().copied())
    }

    /// Area of all triangles, m².
    pub fn area(&self) -> f64 {
        let twice = |k: usize| {
            let [a, b, c] = self.corners(k);
            (b - a).cross(c - a).length()
        };
        (0..self.triangles.len()).map(twice).sum::<f64>() / 2.0
    }

    /// Volume inside a closed surface, m³: negative when its triangles face inwards. Zero without
    /// triangles, and without meaning when the surface is open.
    pub fn signed_volume(&self) -> f64 {
        signed_volume(&self.vertices, &self.triangles)
    }
}

impl From<&TriangleMesh> for TriangleSoup {
    fn from(mesh: &TriangleMesh) -> Self {
        Self {
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.faces().to_vec(),
        }
    }
}

impl From<&Hull> for TriangleSoup {
    /// Each face is cut into triangles that share its first corner.
    fn from(hull: &Hull) -> Self {
        Self {
            vertices: hull.vertices().to_vec(),
            triangles: hull.triangles().collect(),
        }
    }
}

impl From<&HeightField> for TriangleSoup {
    /// The upper side: two triangles for each cell.
    fn from(field: &HeightField) -> Self {
        Self {
            vertices: field.points().collect(),
            triangles: field.triangles().collect(),
        }
    }
}

impl TryFrom<TriangleSoup> for TriangleMesh {
    type Error = ShapeError;

    /// As [`TriangleMesh::new`].
    fn try_from(soup: TriangleSoup) -> Result<Self, ShapeError> {
        Self::new(soup.vertices, soup.triangles)
    }
}

/// Makes one vertex of all points with the same coordinates. Without it no mesh read from a file
/// that repeats corners face by face would be closed.
#[derive(Clone, Debug, Default)]
pub struct VertexMerge {
    vertices: Vec<DVec3>,
    known: HashMap<[u64; 3], u32>,
}

impl VertexMerge {
    /// The index of the vertex at `point`, which is added when it is new. Vertices are numbered in
    /// the order in which they first come.
    pub fn index(&mut self, point: DVec3) -> u32 {
        // Adding zero makes -0 and 0 the same.
        let key = (point + DVec3::ZERO).to_array().map(f64::to_bits);
        *self.known.entry(key).or_insert_with(|| {
            self.vertices.push(point);
            self.vertices.len() as u32 - 1
        })
    }

    /// The vertices so far, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The vertices, m.
    pub fn into_vertices(self) -> Vec<DVec3> {
        self.vertices
    }
}
