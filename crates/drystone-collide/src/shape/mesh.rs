//! Triangle meshes.

use std::cell::Cell;

use glam::{DQuat, DVec3};

use super::ShapeError;
use super::bounds::{farthest, turned_half};
use super::bvh::Bvh;
use super::error::finite_points;
use super::mass::signed_volume;
use super::soup::TriangleSoup;
use crate::aabb::Aabb;
use crate::pose::Pose;

/// A checked triangle mesh: the surface of a solid when closed, a sheet when not.
///
/// Faces are seen counter-clockwise from outside. Each edge belongs to one face, or to two that run
/// through it in opposite directions.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// Across the edges 01, 12, 20 of each face; [`NO_FACE`] at a hole.
    neighbours: Vec<[u32; 3]>,
    closed: bool,
    tree: Bvh,
    /// Greatest distance of a vertex from the frame's origin, m.
    radius: f64,
}

/// Stands for the missing neighbour at the border of a sheet.
pub(crate) const NO_FACE: u32 = u32::MAX;

/// Twice the area of the thinnest face that is accepted, over the square of its longest edge. Its
/// normal still has three or four digits; a thinner one's would be rounding.
const THINNEST: f64 = 1e-12;

impl TriangleMesh {
    /// Checks the vertices (m) and the faces: finite, in range, each with an area, no edge with
    /// more than two faces.
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
            radius: farthest(vertices.iter().copied()),
            vertices,
            faces,
            normals,
            neighbours,
            closed,
            tree: Bvh::new(&boxes),
        })
    }

    /// From triangles that do not share vertices, as in STL files: see
    /// [`TriangleSoup::from_triangles`].
    pub fn from_triangles(triangles: &[[DVec3; 3]]) -> Result<Self, ShapeError> {
        TriangleSoup::from_triangles(triangles).try_into()
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

    /// The faces across the edges of a face: from its first corner to its second, from the second
    /// to the third, from the third to the first. `None` at the border of a sheet.
    pub fn neighbours(&self, face: usize) -> [Option<u32>; 3] {
        self.neighbours[face].map(|n| (n != NO_FACE).then_some(n))
    }

    /// As [`TriangleMesh::neighbours`], with [`NO_FACE`] for none.
    pub(crate) fn raw_neighbours(&self, face: usize) -> [u32; 3] {
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

    /// Greatest distance of a vertex from the frame's origin, m.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// The box around the faces at `pose`.
    ///
    /// It has the same bits as the box around all corners at that pose, but looks at few of them:
    /// this is asked in every step.
    pub(super) fn aabb(&self, pose: &Pose) -> Aabb {
        if pose.rotation == DQuat::IDENTITY {
            return self.bounds().moved(pose.position);
        }
        let found = Cell::new(Aabb::EMPTY);
        let add = |face: u32| {
            let corners = self.triangle(face as usize).map(|p| pose.point(p));
            found.set(found.get().union(&Aabb::of_points(corners)));
        };
        // First the corners that reach farthest along the axes, or nearly: then most of the tree
        // lies inside of what they span.
        for axis in DVec3::AXES {
            for direction in [axis, -axis].map(|d| pose.local_direction(d)) {
                let reach =
                    |b: &Aabb| b.center().dot(direction) + 0.5 * b.extent().dot(direction.abs());
                self.tree.best_leaf(reach).iter().for_each(|&f| add(f));
            }
        }
        // More than the rounding of a corner at the pose, which is a few units in the last place.
        let slack = 64.0 * f64::EPSILON * (pose.position.abs().max_element() + self.radius);
        let sticks_out = |b: &Aabb| {
            let half = turned_half(pose, 0.5 * b.extent()) + slack;
            let around = Aabb::around(pose.point(b.center()), half);
            !(found.get().contains(around.min) && found.get().contains(around.max))
        };
        self.tree.visit(sticks_out, add);
        found.get()
    }

    /// Whether the mesh bounds a solid. The error names an edge at a hole or the signed volume.
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
    (scale > 0.0 && twice_area > THINNEST).then(|| normal / twice_area)
}

/// The neighbours across each face's edges.
fn neighbours(faces: &[[u32; 3]]) -> Result<Vec<[u32; 3]>, ShapeError> {
    // Each edge in the direction of its face, with the face and the edge's number there.
    let mut sides: Vec<([u32; 2], u32, u32)> = Vec::with_capacity(3 * faces.len());
    for (face, corners) in faces.iter().enumerate() {
        for k in 0..3 {
            let edge = [corners[k], corners[(k + 1) % 3]];
            sides.push((edge, face as u32, k as u32));
        }
    }
    sides.sort_unstable();
    // Of all edges that come twice in one direction, the one that a reader of the list meets first.
    let twice = sides.windows(2).filter(|w| w[0].0 == w[1].0);
    if let Some((edge, face, _)) = twice.map(|w| w[1]).min_by_key(|s| (s.1, s.2)) {
        return Err(ShapeError::NonManifoldEdge {
            face: face as usize,
            edge,
        });
    }
    let across = |a: u32, b: u32| {
        let place = sides.binary_search_by_key(&[b, a], |side| side.0);
        place.map_or(NO_FACE, |k| sides[k].1)
    };
    Ok(faces
        .iter()
        .map(|&[a, b, c]| [across(a, b), across(b, c), across(c, a)])
        .collect())
}
