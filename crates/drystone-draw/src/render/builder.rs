//! Puts the solids of a picture into groups for the rays.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::bvh::Bvh;
use super::camera::{Bounds, Eye};
use super::edges::{Topology, outline};
use super::stage::PlaneThing;
use super::things::{Edge, Face, Group, Rig, Thing};
use super::{Color, Geometry, MOST_TRIANGLES, Mesh, Placement, RenderError, Solid, Surface, shape};

/// Collects the things of a picture.
pub struct Builder {
    origin: DVec3,
    eye: Eye,
    /// Nothing to see through.
    pub opaque: Pile,
    /// To look through.
    pub glass: Pile,
    /// Ground and walls.
    pub planes: Vec<PlaneThing>,
    /// Solids that cannot be drawn.
    pub skipped: Vec<usize>,
    /// By the address of the shared mesh.
    topologies: BTreeMap<usize, Arc<Topology>>,
    triangles: usize,
}

/// A group whose tree has not grown yet.
#[derive(Default)]
pub struct Pile {
    group: Group,
    boxes: Vec<Bounds>,
}

impl Pile {
    fn push(&mut self, thing: Thing, bounds: Bounds) {
        self.group.things.push(thing);
        self.boxes.push(bounds);
    }

    /// Grows the tree, for rays that start within `reach` of the origin.
    pub fn finish(mut self, reach: f64) -> Group {
        self.group.bvh = Bvh::new(&self.boxes, reach);
        let order = &self.group.bvh.order;
        self.group.things = order
            .iter()
            .map(|k| self.group.things[*k as usize])
            .collect();
        self.group
    }
}

impl Builder {
    /// Nothing yet, in a frame at `origin`.
    pub fn new(origin: DVec3, eye: Eye) -> Self {
        Self {
            origin,
            eye,
            opaque: Pile::default(),
            glass: Pile::default(),
            planes: Vec::new(),
            skipped: Vec::new(),
            topologies: BTreeMap::new(),
            triangles: 0,
        }
    }

    /// Adds a solid, by its number in the picture.
    pub fn add(&mut self, index: usize, solid: &Solid) -> Result<(), RenderError> {
        let glass = match solid.surface {
            Surface::Opaque => false,
            Surface::Glass => true,
            Surface::Hidden => return Ok(()),
        };
        if !solid.is_sound() {
            self.skipped.push(index);
            return Ok(());
        }
        let placement = Placement {
            position: solid.placement.position - self.origin,
            rotation: solid.placement.rotation.normalize(),
        };
        match &solid.geometry {
            Geometry::Plane => self.add_plane(&placement, solid.color, glass),
            Geometry::Triangles(mesh) => self.add_mesh(mesh, &placement, solid.color, glass)?,
            Geometry::Sphere { .. }
            | Geometry::Box { .. }
            | Geometry::Ellipsoid { .. }
            | Geometry::Cylinder { .. }
            | Geometry::Capsule { .. }
            | Geometry::Cone { .. } => {
                self.add_convex(&solid.geometry, &placement, solid.color, glass);
            }
        }
        Ok(())
    }

    fn add_plane(&mut self, placement: &Placement, color: Color, glass: bool) {
        let axis = |v: DVec3| placement.rotation * v;
        self.planes.push(PlaneThing {
            point: placement.position,
            normal: axis(DVec3::Z),
            along: [axis(DVec3::X), axis(DVec3::Y)],
            color,
            glass,
            number: self.planes.len(),
        });
    }

    fn add_convex(
        &mut self,
        geometry: &Geometry,
        placement: &Placement,
        color: Color,
        glass: bool,
    ) {
        let pile = if glass {
            &mut self.glass
        } else {
            &mut self.opaque
        };
        let number = pile.group.colors.len() as u32;
        pile.group.colors.push(color);
        let thing = match geometry {
            Geometry::Sphere { radius } => Thing::Ball {
                center: placement.position,
                radius: *radius,
                solid: number,
            },
            Geometry::Box { .. }
            | Geometry::Ellipsoid { .. }
            | Geometry::Cylinder { .. }
            | Geometry::Capsule { .. }
            | Geometry::Cone { .. }
            | Geometry::Plane
            | Geometry::Triangles(_) => {
                pile.group.rigs.push(Rig {
                    geometry: geometry.clone(),
                    position: placement.position,
                    local_from_world: DMat3::from_quat(placement.rotation.inverse()),
                    solid: number,
                });
                Thing::Rig(pile.group.rigs.len() as u32 - 1)
            }
        };
        pile.push(thing, shape::bounds(geometry, placement));
        if glass {
            self.add_edges(outline(geometry), placement, number);
        }
    }

    fn add_edges(&mut self, edges: Vec<[DVec3; 2]>, placement: &Placement, solid: u32) {
        for local in edges {
            let ends = local.map(|v| placement.position + placement.rotation * v);
            // As wide as the line is at the farther end.
            let far = ends.map(|v| v.distance(self.eye.position));
            let width = self.eye.line_width() * self.eye.pixel_size(far[0].max(far[1]));
            let bounds = Bounds::of(ends);
            let bounds = Bounds {
                min: bounds.min - DVec3::splat(width),
                max: bounds.max + DVec3::splat(width),
            };
            let number = self.glass.group.edges.len() as u32;
            self.glass.group.edges.push(Edge { ends, solid });
            self.glass.push(Thing::Edge(number), bounds);
        }
    }

    fn add_mesh(
        &mut self,
        mesh: &Arc<Mesh>,
        placement: &Placement,
        color: Color,
        glass: bool,
    ) -> Result<(), RenderError> {
        let topology = self
            .topologies
            .entry(Arc::as_ptr(mesh).addr())
            .or_insert_with(|| Arc::new(Topology::new(mesh)));
        let topology = Arc::clone(topology);
        self.triangles += topology.faces.len();
        if self.triangles > MOST_TRIANGLES {
            let count = self.triangles;
            return Err(RenderError::Triangles { count });
        }
        let turn = DMat3::from_quat(placement.rotation);
        let place = |v: DVec3| placement.position + turn * v;
        let pile = if glass {
            &mut self.glass
        } else {
            &mut self.opaque
        };
        let solid = pile.group.colors.len() as u32;
        pile.group.colors.push(color);
        for (face, normals) in topology.faces.iter().zip(&topology.normals) {
            let corners = face.map(|v| place(mesh.vertices[v as usize]));
            pile.group.faces.push(Face {
                corners,
                normals: normals.map(|n| turn * n),
                solid,
                closed: topology.closed,
            });
            let number = pile.group.faces.len() as u32 - 1;
            pile.push(Thing::Face(number), Bounds::of(corners));
        }
        if glass {
            let ends = |e: &[u32; 2]| e.map(|v| mesh.vertices[v as usize]);
            let edges = topology.creases.iter().map(ends).collect();
            self.add_edges(edges, placement, solid);
        }
        Ok(())
    }
}
