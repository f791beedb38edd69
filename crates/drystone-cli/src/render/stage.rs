//! The solids made ready for rays: what a ray meets first, and whether it meets anything.
//!
//! Everything is in a frame whose origin is the camera's target, so that grains far from the world's origin keep their
//! digits in the single precision of the tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::bvh::Bvh;
use super::camera::{Bounds, Eye};
use super::edges::{Topology, outline};
use super::shape::{Ray, Span, ball, normal, span, triangle};
use super::{
    Background, ClipPlane, Color, Geometry, MOST_TRIANGLES, Mesh, Picture, Placement, RenderError,
    Solid, Surface, framed, shape,
};

/// Where secondary rays start off a surface, in units of the distances involved: far above the rounding of double
/// precision, far below a grain.
pub const LIFT: f64 = 1e-9;

/// A picture ready to be traced.
pub struct Stage {
    /// The camera.
    pub eye: Eye,
    /// Upwards.
    pub up: DVec3,
    /// Towards the lamp.
    pub lamp: DVec3,
    /// Behind everything.
    pub background: Background,
    /// Middle of what the picture is about.
    pub focus: DVec3,
    /// Its radius, m.
    pub radius: f64,
    /// Ground and walls.
    pub planes: Vec<PlaneThing>,
    /// Solids that could not be drawn.
    pub skipped: Vec<usize>,
    clip: Vec<ClipPlane>,
    opaque: Group,
    glass: Group,
}

/// An endless plane.
pub struct PlaneThing {
    /// A point on it.
    pub point: DVec3,
    /// Unit normal.
    pub normal: DVec3,
    /// Two directions in it, for its pattern.
    pub along: [DVec3; 2],
    /// Its colour.
    pub color: Color,
    /// Whether to look through it.
    pub glass: bool,
    /// Its place among the planes.
    number: usize,
}

/// Things in one tree.
#[derive(Default)]
struct Group {
    bvh: Bvh,
    /// In the order of the tree.
    things: Vec<Thing>,
    rigs: Vec<Rig>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    colors: Vec<Color>,
}

/// Something in the tree. Balls are so many that they stand here themselves.
#[derive(Clone, Copy)]
enum Thing {
    Ball {
        center: DVec3,
        radius: f64,
        solid: u32,
    },
    Rig(u32),
    Face(u32),
    Edge(u32),
}

/// A line of fixed width in the picture.
struct Edge {
    ends: [DVec3; 2],
    solid: u32,
}

/// A convex solid in its place.
struct Rig {
    geometry: Geometry,
    position: DVec3,
    local_from_world: DMat3,
    solid: u32,
}

impl Rig {
    fn local(&self, ray: &Ray) -> Ray {
        Ray {
            origin: self.local_from_world * (ray.origin - self.position),
            direction: self.local_from_world * ray.direction,
        }
    }

    fn normal(&self, point: DVec3) -> DVec3 {
        let local = self.local_from_world * (point - self.position);
        self.local_from_world.transpose() * normal(&self.geometry, local)
    }
}

/// A triangle in its place.
struct Face {
    corners: [DVec3; 3],
    /// Unit normals at the corners.
    normals: [DVec3; 3],
    solid: u32,
    /// Whether it belongs to the surface of something filled.
    closed: bool,
}

impl Face {
    fn flat_normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray.
    pub distance: f64,
    /// Unit normal towards the ray's origin: the true one, for light and shadow.
    pub facing: DVec3,
    /// Unit normal for shading.
    pub normal: DVec3,
    /// Colour of the surface.
    pub color: Color,
    /// What it is.
    pub kind: Kind,
    /// A number of its own for each surface, above 0.
    pub surface: u32,
}

/// What kind of surface a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Of a solid.
    Solid,
    /// The inside of a solid that a clip plane cuts.
    Cut,
    /// A plane, by its number.
    Plane(usize),
}

/// A crossing of something to look through.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Distance along the ray.
    pub distance: f64,
    /// Unit normal towards the ray's origin; zero for an edge.
    pub normal: DVec3,
    /// Its colour.
    pub color: Color,
    /// Whether it is a drawn edge.
    pub edge: bool,
}

/// The part of a ray that is not cut away.
#[derive(Clone, Copy)]
struct Window {
    span: Span,
    /// Normal of the plane where the part begins, if a plane cuts it there.
    cut: Option<DVec3>,
}

impl Stage {
    /// Checks a picture and builds its trees.
    pub fn new(picture: &Picture) -> Result<Self, RenderError> {
        picture.camera.check()?;
        let origin = picture.camera.target;
        let up = picture.up.try_normalize().ok_or(RenderError::Up)?;
        let clip = clip_planes(&picture.clip, origin)?;
        let eye = Eye::new(&picture.camera, picture.width, picture.height);
        let about = framed(&picture.solids).moved(-origin);
        let mut builder = Builder::new(origin, eye);
        for (index, solid) in picture.solids.iter().enumerate() {
            builder.add(index, solid)?;
        }
        let reach = eye.position.length() + about.radius();
        let distance = eye.position.length();
        Ok(Self {
            eye,
            up,
            lamp: lamp(&eye, up),
            background: picture.background,
            focus: if about.is_empty() {
                DVec3::ZERO
            } else {
                about.center()
            },
            // Without anything to see, the ground still needs a size.
            radius: if about.is_empty() {
                0.3 * distance
            } else {
                about.radius()
            },
            planes: builder.planes,
            skipped: builder.skipped,
            clip,
            opaque: builder.opaque.finish(reach),
            glass: builder.glass.finish(reach),
        })
    }

    /// The first surface that the ray meets, planes included.
    pub fn first(&self, ray: &Ray) -> Option<Hit> {
        let solid = self.first_solid(ray);
        let limit = solid.map_or(f64::INFINITY, |hit| hit.distance);
        self.first_plane(ray, limit).or(solid)
    }

    /// The first opaque solid that the ray meets.
    pub fn first_solid(&self, ray: &Ray) -> Option<Hit> {
        let window = self.window(ray)?;
        let group = &self.opaque;
        let mut best: Option<(Thing, f64)> = None;
        let near = window.span.enter;
        let inside = |hit: &Span| if hit.enter > near { hit.enter } else { near };
        group.bvh.walk(ray, near, window.span.exit, |index, far| {
            let thing = group.things[index];
            let met = group.meet(&thing, ray, &window).map(|hit| inside(&hit));
            match met {
                Some(distance) if distance < far => {
                    best = Some((thing, distance));
                    distance
                }
                _ => far,
            }
        });
        let (thing, distance) = best?;
        Some(group.describe(&thing, ray, distance, &window))
    }

    /// The first front of an opaque plane before `limit`.
    fn first_plane(&self, ray: &Ray, limit: f64) -> Option<Hit> {
        let (plane, distance) = self.nearest_plane(ray).filter(|(_, d)| *d < limit)?;
        Some(Hit {
            distance,
            facing: plane.normal,
            normal: plane.normal,
            color: plane.color,
            kind: Kind::Plane(plane.number),
            surface: u32::MAX - plane.number as u32,
        })
    }

    /// The nearest opaque plane whose front the ray meets, and where.
    pub fn nearest_plane(&self, ray: &Ray) -> Option<(&PlaneThing, f64)> {
        self.planes
            .iter()
            .filter(|p| !p.glass)
            .filter_map(|p| Some((p, p.meet(ray)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether an opaque solid, planes aside, is anywhere on the ray.
    pub fn is_blocked(&self, ray: &Ray) -> bool {
        let Some(window) = self.window(ray) else {
            return false;
        };
        let group = &self.opaque;
        let (near, mut blocked) = (window.span.enter, false);
        group.bvh.walk(ray, near, window.span.exit, |index, far| {
            if group.meet(&group.things[index], ray, &window).is_some() {
                blocked = true;
                return f64::NEG_INFINITY;
            }
            far
        });
        blocked
    }

    /// What the ray looks through before `limit`, the nearest first.
    pub fn crossings(&self, ray: &Ray, limit: f64, found: &mut Vec<Crossing>) {
        found.clear();
        for plane in self.planes.iter().filter(|p| p.glass) {
            if let Some(distance) = plane.meet(ray).filter(|d| *d < limit) {
                found.push(Crossing {
                    distance,
                    normal: plane.normal,
                    color: plane.color,
                    edge: false,
                });
            }
        }
        let Some(window) = self.window(ray) else {
            return;
        };
        let group = &self.glass;
        let span = Span {
            enter: window.span.enter,
            exit: window.span.exit.min(limit),
        };
        group.bvh.walk(ray, span.enter, span.exit, |index, far| {
            group.cross(&group.things[index], ray, span, &self.eye, found);
            far
        });
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    }

    /// Which part of a ray is not cut away, if any.
    fn window(&self, ray: &Ray) -> Option<Window> {
        let mut window = Window {
            span: Span {
                enter: 0.0,
                exit: f64::INFINITY,
            },
            cut: None,
        };
        for plane in &self.clip {
            let (height, speed) = (
                (ray.origin - plane.point).dot(plane.normal),
                ray.direction.dot(plane.normal),
            );
            let at = -height / speed;
            if speed < 0.0 && at > window.span.enter {
                window.span.enter = at;
                window.cut = Some(plane.normal);
            } else if speed > 0.0 {
                window.span.exit = window.span.exit.min(at);
            } else if speed == 0.0 && height > 0.0 {
                return None;
            }
        }
        (window.span.enter < window.span.exit).then_some(window)
    }
}

impl PlaneThing {
    /// Where a ray meets its front.
    fn meet(&self, ray: &Ray) -> Option<f64> {
        let speed = ray.direction.dot(self.normal);
        let distance = (self.point - ray.origin).dot(self.normal) / speed;
        (speed < 0.0 && distance > 0.0).then_some(distance)
    }
}

/// Where the light comes from: high on the left behind the camera, wherever the camera stands.
fn lamp(eye: &Eye, up: DVec3) -> DVec3 {
    let level = |v: DVec3| (v - v.dot(up) * up).try_normalize();
    let steep = eye.axes.forward.dot(up).abs() > 0.99;
    let ahead = if steep { eye.axes.up } else { eye.axes.forward };
    let ahead = level(ahead).unwrap_or(eye.axes.forward);
    let right = ahead.cross(up);
    (-0.55 * ahead - 0.6 * right + up).normalize()
}

fn clip_planes(planes: &[ClipPlane], origin: DVec3) -> Result<Vec<ClipPlane>, RenderError> {
    let place = |(index, plane): (usize, &ClipPlane)| {
        let normal = plane.normal.try_normalize();
        match normal.filter(|_| plane.point.is_finite()) {
            Some(normal) => Ok(ClipPlane {
                point: plane.point - origin,
                normal,
            }),
            None => Err(RenderError::Clip { index }),
        }
    };
    planes.iter().enumerate().map(place).collect()
}

impl Group {
    /// The part of a ray inside a solid within the window; of a triangle, the point. Solids that the ray starts in are
    /// not met unless a clip plane opens them.
    #[inline]
    fn meet(&self, thing: &Thing, ray: &Ray, window: &Window) -> Option<Span> {
        let inside = match thing {
            Thing::Ball { center, radius, .. } => ball(ray, *center, *radius)?,
            Thing::Rig(index) => {
                let rig = &self.rigs[*index as usize];
                span(&rig.geometry, &rig.local(ray))?
            }
            Thing::Face(index) => {
                let face = &self.faces[*index as usize];
                let (at, _) = triangle(ray, &face.corners)?;
                let within = at > window.span.enter && at < window.span.exit;
                return within.then_some(Span {
                    enter: at,
                    exit: at,
                });
            }
            Thing::Edge(_) => return None,
        };
        let begins = inside.enter > window.span.enter && inside.enter < window.span.exit;
        let opened = window.cut.is_some()
            && inside.enter <= window.span.enter
            && inside.exit > window.span.enter;
        (begins || opened).then_some(inside)
    }

    /// The surface at the first thing met.
    fn describe(&self, thing: &Thing, ray: &Ray, distance: f64, window: &Window) -> Hit {
        let point = ray.at(distance);
        let hit = |solid: u32, facing: DVec3, normal: DVec3| Hit {
            distance,
            facing,
            normal,
            color: self.colors[solid as usize],
            kind: Kind::Solid,
            surface: solid + 1,
        };
        let solid = match thing {
            Thing::Ball { solid, .. } => *solid,
            Thing::Rig(index) => self.rigs[*index as usize].solid,
            Thing::Face(index) => self.faces[*index as usize].solid,
            Thing::Edge(index) => self.edges[*index as usize].solid,
        };
        let cut = |normal: DVec3| Hit {
            distance: window.span.enter,
            kind: Kind::Cut,
            ..hit(solid, normal, normal)
        };
        let normal = match thing {
            Thing::Face(index) => {
                let face = &self.faces[*index as usize];
                let flat = face.flat_normal();
                let behind = flat.dot(ray.direction) > 0.0;
                if let Some(opening) = window.cut.filter(|_| behind && face.closed) {
                    return cut(opening);
                }
                let side = if behind { -1.0 } else { 1.0 };
                let round = face_normal(face, ray).unwrap_or(flat);
                return hit(solid, side * flat, side * round);
            }
            Thing::Ball { center, radius, .. } => (point - *center) / *radius,
            Thing::Rig(index) => self.rigs[*index as usize].normal(point),
            Thing::Edge(_) => DVec3::ZERO,
        };
        match window.cut.filter(|_| distance <= window.span.enter) {
            Some(opening) => cut(opening),
            None => hit(solid, normal, normal),
        }
    }

    /// Where a ray crosses the surface or an edge of something to look through.
    fn cross(&self, thing: &Thing, ray: &Ray, span: Span, eye: &Eye, found: &mut Vec<Crossing>) {
        let mut push = |distance: f64, normal: DVec3, solid: u32, edge: bool| {
            if distance > span.enter && distance < span.exit {
                let color = self.colors[solid as usize];
                let side = if normal.dot(ray.direction) > 0.0 {
                    -1.0
                } else {
                    1.0
                };
                found.push(Crossing {
                    distance,
                    normal: side * normal,
                    color,
                    edge,
                });
            }
        };
        match thing {
            Thing::Ball {
                center,
                radius,
                solid,
            } => {
                let Some(inside) = ball(ray, *center, *radius) else {
                    return;
                };
                for at in [inside.enter, inside.exit] {
                    push(at, (ray.at(at) - *center) / *radius, *solid, false);
                }
            }
            Thing::Rig(index) => {
                let rig = &self.rigs[*index as usize];
                let Some(inside) = shape::span(&rig.geometry, &rig.local(ray)) else {
                    return;
                };
                for at in [inside.enter, inside.exit] {
                    push(at, rig.normal(ray.at(at)), rig.solid, false);
                }
            }
            Thing::Face(index) => {
                let face = &self.faces[*index as usize];
                if let Some((at, _)) = triangle(ray, &face.corners) {
                    push(
                        at,
                        face_normal(face, ray).unwrap_or_default(),
                        face.solid,
                        false,
                    );
                }
            }
            Thing::Edge(index) => {
                let edge = &self.edges[*index as usize];
                let (at, apart) = nearest(ray, &edge.ends);
                if apart < 0.5 * eye.line_width() * eye.pixel_size(at) {
                    push(at, DVec3::ZERO, edge.solid, true);
                }
            }
        }
    }
}

/// The normal between those of the corners where a ray meets a face.
fn face_normal(face: &Face, ray: &Ray) -> Option<DVec3> {
    let (_, [u, v]) = triangle(ray, &face.corners)?;
    let [a, b, c] = face.normals;
    ((1.0 - u - v) * a + u * b + v * c).try_normalize()
}

/// How far along the ray it is nearest to a segment, and how near.
fn nearest(ray: &Ray, [start, end]: &[DVec3; 2]) -> (f64, f64) {
    let (along, from) = (*end - *start, ray.origin - *start);
    let (square, slant) = (along.length_squared(), along.dot(ray.direction));
    let (ahead, beside) = (from.dot(ray.direction), from.dot(along));
    let across = square - slant * slant;
    let share = if across > 1e-12 * square {
        ((beside - slant * ahead) / across).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let point = *start + share * along;
    let at = (point - ray.origin).dot(ray.direction);
    (at, ray.at(at).distance(point))
}

/// Collects the things of a picture.
struct Builder {
    origin: DVec3,
    eye: Eye,
    opaque: Pile,
    glass: Pile,
    planes: Vec<PlaneThing>,
    skipped: Vec<usize>,
    /// By the address of the shared mesh.
    topologies: BTreeMap<usize, Arc<Topology>>,
    triangles: usize,
}

/// A group whose tree has not grown yet.
#[derive(Default)]
struct Pile {
    group: Group,
    boxes: Vec<Bounds>,
}

impl Pile {
    fn push(&mut self, thing: Thing, bounds: Bounds) {
        self.group.things.push(thing);
        self.boxes.push(bounds);
    }

    fn finish(mut self, reach: f64) -> Group {
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
    fn new(origin: DVec3, eye: Eye) -> Self {
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

    fn add(&mut self, index: usize, solid: &Solid) -> Result<(), RenderError> {
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
