//! Triangle meshes.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::ShapeError;
use super::bvh::Bvh;
use super::error::finite_points;
use super::mass::signed_volume;
use crate::aabb::Aabb;
use crate::pose::Pose;

/// A checked triangle mesh: the surface of a solid when closed, a sheet when not. Faces are seen counter-clockwise from
/// outside. Each edge belongs to one face, or to two that run through it in opposite directions.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// Across the edges 01, 12, 20 of each face; [`NO_FACE`] at a hole.
    neighbours: Vec<[u32; 3]>,
    closed: bool,
    tree: Bvh,
}

/// Stands for the missing neighbour at the edge of a sheet.
pub(crate) const NO_FACE: u32 = u32::MAX;

impl TriangleMesh {
    /// Checks the vertices (m) and the faces: finite, in range, each with an area, no edge with more than two faces.
    pub fn new(vertices: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        finite_points("mesh", "vertex", &vertices)?;
        if faces.is_empty() {
            return Err(ShapeError::NoFaces { faces: 0 });
        }
        let mut normals = Vec::with_capacity(faces.len());
        for (face, &corners) in faces.iter().enumerate() {
            for vertex in corners {
                if vertex as usize >= vertices.len() {
                    return Err(ShapeError::NoSuchVertex {
                        face,
                        vertex,
                        vertices: vertices.len(),
                    });
                }
            }
            let normal = face_normal(corners.map(|k| vertices[k as usize]));
            normals.push(normal.ok_or(ShapeError::DegenerateFace {
                face,
                vertices: corners,
            })?);
        }
        let neighbours = neighbours(&faces)?;
        let closed = neighbours.iter().flatten().all(|&n| n != NO_FACE);
        let boxes: Vec<Aabb> = faces
            .iter()
            .map(|f| Aabb::of_points(f.map(|k| vertices[k as usize])))
            .collect();
        Ok(Self {
            vertices,
            faces,
            normals,
            neighbours,
            closed,
            tree: Bvh::new(&boxes),
        })
    }

    /// From triangles that do not share vertices, as in STL files: corners with the same bits become one vertex.
    pub fn from_soup(triangles: &[[DVec3; 3]]) -> Result<Self, ShapeError> {
        let mut vertices = Vec::new();
        let mut index = BTreeMap::new();
        let mut vertex = |p: DVec3| {
            // Adding zero makes -0 and 0 the same.
            let key = (p + DVec3::ZERO).to_array().map(f64::to_bits);
            *index.entry(key).or_insert_with(|| {
                vertices.push(p);
                vertices.len() as u32 - 1
            })
        };
        let faces = triangles.iter().map(|t| t.map(&mut vertex)).collect();
        Self::new(vertices, faces)
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Faces, each three indices into the vertices, counter-clockwise from outside.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Unit normals of the faces, outwards.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// Whether every edge belongs to two faces: the surface of a solid.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Whether the faces of a closed mesh look inwards.
    pub fn inside_out(&self) -> bool {
        self.closed && signed_volume(&self.vertices, &self.faces) < 0.0
    }

    /// The corners of a face.
    pub fn triangle(&self, face: usize) -> [DVec3; 3] {
        self.faces[face].map(|k| self.vertices[k as usize])
    }

    /// The faces across the edges 01, 12, 20; [`NO_FACE`] where there is none.
    pub(crate) fn neighbours(&self, face: usize) -> [u32; 3] {
        self.neighbours[face]
    }

    /// Calls `f` with all faces near `region`, and perhaps a few more.
    pub(crate) fn faces_near(&self, region: &Aabb, f: impl FnMut(u32)) {
        self.tree.query(region, f);
    }

    /// The box around the mesh in its own frame.
    pub(crate) fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The box around the mesh at `pose`.
    pub(super) fn aabb(&self, pose: &Pose) -> Aabb {
        if pose.rotation == DQuat::IDENTITY {
            let b = self.bounds();
            return Aabb {
                min: b.min + pose.position,
                max: b.max + pose.position,
            };
        }
        Aabb::of_points(self.vertices.iter().map(|&p| pose.point(p)))
    }

    /// Whether the mesh bounds a solid; names the offending edge or the signed volume if not.
    pub(super) fn check_solid(&self) -> Result<(), ShapeError> {
        for (face, neighbours) in self.neighbours.iter().enumerate() {
            if let Some(k) = neighbours.iter().position(|&n| n == NO_FACE) {
                let corners = self.faces[face];
                return Err(ShapeError::OpenMesh {
                    face,
                    edge: [corners[k], corners[(k + 1) % 3]],
                });
            }
        }
        let volume = signed_volume(&self.vertices, &self.faces);
        if volume > 0.0 {
            Ok(())
        } else {
            Err(ShapeError::InsideOut { volume })
        }
    }
}

/// Unit normal of a triangle, nothing when its corners lie on a line.
fn face_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let longest = ab
        .length_squared()
        .max(ac.length_squared())
        .max(bc.length_squared());
    // Scaled first: the square of a tiny triangle's area would underflow.
    let scale = longest.sqrt();
    let normal = (ab / scale).cross(ac / scale);
    let twice_area = normal.length();
    (scale > 0.0 && twice_area > 1e-12).then(|| normal / twice_area)
}

/// The neighbours across each face's edges.
fn neighbours(faces: &[[u32; 3]]) -> Result<Vec<[u32; 3]>, ShapeError> {
    let mut owner = BTreeMap::new();
    for (face, corners) in faces.iter().enumerate() {
        for k in 0..3 {
            let edge = [corners[k], corners[(k + 1) % 3]];
            if owner.insert(edge, face as u32).is_some() {
                return Err(ShapeError::NonManifoldEdge { face, edge });
            }
        }
    }
    let across = |a: u32, b: u32| owner.get(&[b, a]).copied().unwrap_or(NO_FACE);
    Ok(faces
        .iter()
        .map(|&[a, b, c]| [across(a, b), across(b, c), across(c, a)])
        .collect())
}
