//! Triangles with neighbours: meshes and height fields behind one interface.

use glam::DVec3;

use crate::aabb::Aabb;
use crate::shape::{HeightField, NO_FACE, TriangleMesh};

/// A surface of triangles in its own frame.
#[derive(Clone, Copy)]
pub(super) enum TriangleSurface<'a> {
    Mesh(&'a TriangleMesh),
    Field(&'a HeightField),
}

/// One triangle of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceTriangle {
    /// Indices of the vertices.
    pub indices: [u32; 3],
    /// The corners.
    pub corners: [DVec3; 3],
    /// Unit normal, outwards.
    pub normal: DVec3,
}

/// On which part of a triangle a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TriangleFeature {
    /// On this vertex.
    Vertex(u32),
    /// On the edge between these vertices, the smaller first.
    Edge([u32; 2]),
    /// Inside.
    Face,
}

impl TriangleSurface<'_> {
    /// Whether there is an inside: below a field, within a closed mesh.
    pub(super) fn solid(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.closed(),
            Self::Field(_) => true,
        }
    }

    /// Triangle `t`.
    pub(super) fn triangle(&self, t: u32) -> SurfaceTriangle {
        match self {
            Self::Mesh(mesh) => SurfaceTriangle {
                indices: mesh.faces()[t as usize],
                corners: mesh.triangle(t as usize),
                normal: mesh.normals()[t as usize],
            },
            Self::Field(field) => {
                let corners = field.triangle(t as usize);
                let [a, b, c] = corners;
                SurfaceTriangle {
                    indices: field.triangle_indices(t as usize),
                    corners,
                    // Its upward component is the cell's area: never zero.
                    normal: (b - a).cross(c - a).normalize_or(DVec3::Z),
                }
            }
        }
    }

    /// The triangles across the edges 01, 12, 20; [`NO_FACE`] for none.
    pub(super) fn neighbours(&self, t: u32) -> [u32; 3] {
        match self {
            Self::Mesh(mesh) => mesh.raw_neighbours(t as usize),
            Self::Field(field) => field.neighbours(t),
        }
    }

    /// Calls `f` with the triangles near `region`, and perhaps some more. Of a height field, with
    /// all above and below the region too.
    pub(super) fn near(&self, region: &Aabb, mut f: impl FnMut(u32)) {
        match self {
            Self::Mesh(mesh) => mesh.faces_near(region, f),
            Self::Field(field) => field.triangles_over(region, |t| f(t as u32)),
        }
    }

    /// The box around the surface.
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => mesh.bounds(),
            Self::Field(field) => field.bounds(),
        }
    }
}

impl SurfaceTriangle {
    /// The point of the triangle nearest to `p`, and on which feature it lies.
    pub(super) fn nearest(&self, p: DVec3) -> (DVec3, TriangleFeature) {
        let mut best: Option<(f64, DVec3, TriangleFeature)> = None;
        for k in 0..3 {
            let (i, j) = (k, (k + 1) % 3);
            let (a, b) = (self.corners[i], self.corners[j]);
            let along = b - a;
            if self.normal.cross(along).dot(p - a) > 0.0 {
                continue;
            }
            let t = along.dot(p - a) / along.length_squared();
            let (q, feature) = if t <= 0.0 {
                (a, TriangleFeature::Vertex(self.indices[i]))
            } else if t >= 1.0 {
                (b, TriangleFeature::Vertex(self.indices[j]))
            } else {
                let ends = [self.indices[i], self.indices[j]];
                let sorted = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                (a + along * t, TriangleFeature::Edge(sorted))
            };
            let square = (p - q).length_squared();
            if best.is_none_or(|(d, ..)| square < d) {
                best = Some((square, q, feature));
            }
        }
        match best {
            Some((_, q, feature)) => (q, feature),
            None => {
                let height = self.height(p);
                (p - self.normal * height, TriangleFeature::Face)
            }
        }
    }

    /// Height of `p` above the triangle's plane.
    pub(super) fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.corners[0])
    }

    /// Whether the feature belongs to the triangle.
    pub(super) fn has(&self, feature: TriangleFeature) -> bool {
        match feature {
            TriangleFeature::Vertex(v) => self.indices.contains(&v),
            TriangleFeature::Edge(ends) => ends.iter().all(|v| self.indices.contains(v)),
            TriangleFeature::Face => false,
        }
    }

    /// The angle at vertex `v`, rad; zero when it is not one of this triangle.
    pub(super) fn angle_at(&self, v: u32) -> f64 {
        let Some(k) = self.indices.iter().position(|&i| i == v) else {
            return 0.0;
        };
        let (a, b, c) = (
            self.corners[k],
            self.corners[(k + 1) % 3],
            self.corners[(k + 2) % 3],
        );
        (b - a).angle_between(c - a)
    }

    /// The box around the triangle.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.corners)
    }
}

/// The number of a feature within its triangle, for the identity of a contact: 0 the face, 1 to 3
/// the vertices, 4 to 6 the edges.
pub(super) fn local_code(triangle: &SurfaceTriangle, feature: TriangleFeature) -> u64 {
    let place = |v: u32| triangle.indices.iter().position(|&i| i == v).unwrap_or(0) as u64;
    match feature {
        TriangleFeature::Vertex(v) => 1 + place(v),
        TriangleFeature::Edge([a, b]) => 3 + place(a) + place(b),
        TriangleFeature::Face => 0,
    }
}

/// The neighbour across edge `k`, if there is one.
pub(super) fn neighbour(surface: &TriangleSurface, t: u32, k: usize) -> Option<u32> {
    let n = surface.neighbours(t)[k];
    (n != NO_FACE).then_some(n)
}
