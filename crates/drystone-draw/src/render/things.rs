//! The solids, triangles and drawn edges in a tree, and what a ray makes of each.

use glam::{DMat3, DVec3};

use super::bvh::Bvh;
use super::camera::Eye;
use super::shape::{Ray, Span, ball, normal, span, triangle};
use super::stage::{Crossing, Hit, Kind};
use super::{Color, Geometry};

/// Things in one tree.
#[derive(Default)]
pub struct Group {
    /// The tree.
    pub bvh: Bvh,
    /// In the order of the tree.
    pub things: Vec<Thing>,
    /// Convex solids.
    pub rigs: Vec<Rig>,
    /// Triangles.
    pub faces: Vec<Face>,
    /// Drawn edges.
    pub edges: Vec<Edge>,
    /// Colours of the solids.
    pub colors: Vec<Color>,
}

/// Something in the tree. Balls are so many that they stand here themselves.
#[derive(Clone, Copy)]
pub enum Thing {
    /// A ball.
    Ball {
        /// Its middle.
        center: DVec3,
        /// Its radius.
        radius: f64,
        /// Number of its solid.
        solid: u32,
    },
    /// A convex solid, by its number.
    Rig(u32),
    /// A triangle, by its number.
    Face(u32),
    /// A drawn edge, by its number.
    Edge(u32),
}

/// A line of fixed width in the picture.
pub struct Edge {
    /// From where to where.
    pub ends: [DVec3; 2],
    /// Number of its solid.
    pub solid: u32,
}

/// A convex solid in its place.
pub struct Rig {
    /// Its shape.
    pub geometry: Geometry,
    /// Origin of its frame.
    pub position: DVec3,
    /// Turns directions into its frame.
    pub local_from_world: DMat3,
    /// Number of its solid.
    pub solid: u32,
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
pub struct Face {
    /// Counter-clockwise seen from outside.
    pub corners: [DVec3; 3],
    /// Unit normals at the corners.
    pub normals: [DVec3; 3],
    /// Number of its solid.
    pub solid: u32,
    /// Whether it belongs to the surface of something filled.
    pub closed: bool,
}

impl Face {
    fn flat_normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }
}

/// The part of a ray that is not cut away.
#[derive(Clone, Copy)]
pub struct Window {
    /// From where to where.
    pub span: Span,
    /// Normal of the plane where the part begins, if a plane cuts it there.
    pub cut: Option<DVec3>,
}

impl Group {
    /// The part of a ray inside a solid within the window; of a triangle, the point. Solids that the ray starts in are
    /// not met unless a clip plane opens them.
    #[inline]
    pub fn meet(&self, thing: &Thing, ray: &Ray, window: &Window) -> Option<Span> {
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
    pub fn describe(&self, thing: &Thing, ray: &Ray, distance: f64, window: &Window) -> Hit {
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
    pub fn cross(
        &self,
        thing: &Thing,
        ray: &Ray,
        part: Span,
        eye: &Eye,
        found: &mut Vec<Crossing>,
    ) {
        let mut push = |distance: f64, normal: DVec3, solid: u32, edge: bool| {
            if distance > part.enter && distance < part.exit {
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
                let Some(inside) = span(&rig.geometry, &rig.local(ray)) else {
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
