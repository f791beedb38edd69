//! Puts the shapes of a picture into trees for the rays.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone::shape::SurfaceDetail;
use drystone::{Aabb, Pose, Shape};
use glam::{DMat3, DVec3};

use super::bvh::Bvh;
use super::edges::outline;
use super::eye::Eye;
use super::prepared::EndlessPlane;
use super::primitives::{PlacedConvex, PlacedEdge, PlacedTriangle, Primitive, PrimitiveTree};
use super::topology::Topology;
use super::{Color, DrawnShape, MOST_TRIANGLES, Opacity, RenderError};

/// Collects the primitives of a picture.
pub struct Builder {
    origin: DVec3,
    eye: Eye,
    /// Nothing to see through.
    pub opaque: TreeBuilder,
    /// To look through.
    pub glass: TreeBuilder,
    /// Ground and walls.
    pub planes: Vec<EndlessPlane>,
    /// Shapes that cannot be drawn.
    pub skipped: Vec<usize>,
    /// By the address of the shared hull, mesh or height field.
    topologies: BTreeMap<usize, Arc<Topology>>,
    triangles: usize,
}

/// Primitives whose tree has not grown yet.
#[derive(Default)]
pub struct TreeBuilder {
    tree: PrimitiveTree,
    boxes: Vec<Aabb>,
}

impl TreeBuilder {
    fn push(&mut self, primitive: Primitive, bounds: Aabb) {
        self.tree.primitives.push(primitive);
        self.boxes.push(bounds);
    }

    /// A new owner of primitives; the result is its number.
    fn add_owner(&mut self, color: Color) -> u32 {
        self.tree.colors.push(color);
        self.tree.colors.len() as u32 - 1
    }

    /// Grows the tree, for rays that start within `reach` of the origin.
    pub fn finish(mut self, reach: f64) -> PrimitiveTree {
        self.tree.bvh = Bvh::new(&self.boxes, reach);
        let order = &self.tree.bvh.order;
        self.tree.primitives = order
            .iter()
            .map(|k| self.tree.primitives[*k as usize])
            .collect();
        self.tree
    }
}

/// What the parts of one drawn shape have in common.
#[derive(Clone, Copy)]
struct Paint {
    color: Color,
    glass: bool,
}

impl Builder {
    /// Nothing yet, in a frame at `origin`.
    pub fn new(origin: DVec3, eye: Eye) -> Self {
        Self {
            origin,
            eye,
            opaque: TreeBuilder::default(),
            glass: TreeBuilder::default(),
            planes: Vec::new(),
            skipped: Vec::new(),
            topologies: BTreeMap::new(),
            triangles: 0,
        }
    }

    /// Adds a shape, by its number in the picture.
    pub fn add(&mut self, index: usize, drawn: &DrawnShape) -> Result<(), RenderError> {
        let paint = Paint {
            color: drawn.color,
            glass: match drawn.opacity {
                Opacity::Solid => false,
                Opacity::Glass => true,
                Opacity::Hidden => return Ok(()),
            },
        };
        if !drawn.is_sound() {
            self.skipped.push(index);
            return Ok(());
        }
        for (local, part) in drawn.shape.parts() {
            let pose = drawn.pose.compose(&local);
            let pose = Pose {
                position: pose.position - self.origin,
                rotation: pose.rotation.normalize(),
            };
            self.add_part(part, &pose, paint)?;
        }
        Ok(())
    }

    fn add_part(&mut self, shape: &Shape, pose: &Pose, paint: Paint) -> Result<(), RenderError> {
        // Meshes and terrain stand for curved surfaces, hulls for stones with flat faces.
        let (address, smooth) = match shape {
            Shape::Sphere { .. }
            | Shape::Box { .. }
            | Shape::Ellipsoid { .. }
            | Shape::Cylinder { .. }
            | Shape::Capsule { .. }
            | Shape::Cone { .. } => {
                self.add_convex(shape, pose, paint);
                return Ok(());
            }
            Shape::Plane => {
                self.add_plane(pose, paint);
                return Ok(());
            }
            Shape::Hull(hull) => (Arc::as_ptr(hull).addr(), false),
            Shape::Mesh(mesh) => (Arc::as_ptr(mesh).addr(), true),
            Shape::HeightField(field) => (Arc::as_ptr(field).addr(), true),
            // The parts of a compound are convex, so that none is a compound.
            Shape::Compound(_) => return Ok(()),
        };
        // Shapes of flat faces have the same triangles at any detail.
        let topology = || Topology::new(&shape.tessellate(&SurfaceDetail::default()), smooth);
        let known = self.topologies.entry(address);
        let topology = known.or_insert_with(|| Arc::new(topology())).clone();
        self.add_triangles(&topology, pose, paint)
    }

    fn add_plane(&mut self, pose: &Pose, paint: Paint) {
        self.planes.push(EndlessPlane {
            point: pose.position,
            normal: pose.direction(DVec3::Z),
            along: [pose.direction(DVec3::X), pose.direction(DVec3::Y)],
            color: paint.color,
            glass: paint.glass,
            number: self.planes.len(),
        });
    }

    /// The tree of what is glass or of what is not.
    fn tree(&mut self, glass: bool) -> &mut TreeBuilder {
        if glass {
            &mut self.glass
        } else {
            &mut self.opaque
        }
    }

    fn add_convex(&mut self, shape: &Shape, pose: &Pose, paint: Paint) {
        let builder = self.tree(paint.glass);
        let owner = builder.add_owner(paint.color);
        let primitive = if let Shape::Sphere { radius } = shape {
            Primitive::Ball {
                center: pose.position,
                radius: *radius,
                owner,
            }
        } else {
            builder.tree.convex.push(PlacedConvex {
                shape: shape.clone(),
                position: pose.position,
                local_from_world: DMat3::from_quat(pose.rotation.inverse()),
                owner,
            });
            Primitive::Convex(builder.tree.convex.len() as u32 - 1)
        };
        builder.push(primitive, shape.aabb(pose));
        if paint.glass {
            self.add_edges(outline(shape), pose, owner);
        }
    }

    /// Adds drawn edges of glass, given in the frame at `pose`.
    fn add_edges(&mut self, edges: impl IntoIterator<Item = [DVec3; 2]>, pose: &Pose, owner: u32) {
        for local in edges {
            let ends = local.map(|v| pose.point(v));
            // As wide as the line is at the farther end.
            let far = ends.map(|v| v.distance(self.eye.position));
            let width = self.eye.line_width() * self.eye.pixel_size(far[0].max(far[1]));
            let number = self.glass.tree.edges.len() as u32;
            self.glass.tree.edges.push(PlacedEdge { ends, owner });
            let bounds = Aabb::of_points(ends).grown(width);
            self.glass.push(Primitive::Edge(number), bounds);
        }
    }

    fn add_triangles(
        &mut self,
        topology: &Topology,
        pose: &Pose,
        paint: Paint,
    ) -> Result<(), RenderError> {
        self.triangles += topology.triangles.len();
        if self.triangles > MOST_TRIANGLES {
            let count = self.triangles;
            return Err(RenderError::Triangles { count });
        }
        let turn = DMat3::from_quat(pose.rotation);
        let place = |v: DVec3| pose.position + turn * v;
        let builder = self.tree(paint.glass);
        let owner = builder.add_owner(paint.color);
        for (triangle, normals) in topology.triangles.iter().zip(&topology.normals) {
            let corners = triangle.map(|v| place(topology.vertices[v as usize]));
            let number = builder.tree.triangles.len() as u32;
            builder.tree.triangles.push(PlacedTriangle {
                corners,
                normals: normals.map(|n| turn * n),
                owner,
                closed: topology.closed,
            });
            builder.push(Primitive::Triangle(number), Aabb::of_points(corners));
        }
        if paint.glass {
            let ends = |crease: &[u32; 2]| crease.map(|v| topology.vertices[v as usize]);
            self.add_edges(topology.creases.iter().map(ends), pose, owner);
        }
        Ok(())
    }
}
