//! The primitives of a picture in a tree: balls, other convex shapes, triangles and drawn edges.
//! And what a ray makes of each.

use drystone::Shape;
use glam::{DMat3, DVec3};

use super::Color;
use super::bvh::Bvh;
use super::convex::{normal, span};
use super::eye::Eye;
use super::prepared::{Crossing, Hit, HitKind};
use super::ray::{Ray, Span, ball, triangle};

/// Primitives in one tree.
///
/// Each belongs to an owner: a drawn shape, or a part of one where that is a compound. Owners are
/// numbered in the order in which they were added.
#[derive(Default)]
pub struct PrimitiveTree {
    /// The tree.
    pub bvh: Bvh,
    /// In the order of the tree.
    pub primitives: Vec<Primitive>,
    /// Convex shapes other than balls.
    pub convex: Vec<PlacedConvex>,
    /// Triangles.
    pub triangles: Vec<PlacedTriangle>,
    /// Drawn edges.
    pub edges: Vec<PlacedEdge>,
    /// Colours of the owners.
    pub colors: Vec<Color>,
}

/// Something in the tree. Balls are so many that they stand here themselves.
#[derive(Clone, Copy)]
pub enum Primitive {
    /// A ball.
    Ball {
        /// Its middle.
        center: DVec3,
        /// Its radius.
        radius: f64,
        /// Number of its owner.
        owner: u32,
    },
    /// Another convex shape, by its number.
    Convex(u32),
    /// A triangle, by its number.
    Triangle(u32),
    /// A drawn edge, by its number.
    Edge(u32),
}

/// A line of fixed width in the picture.
pub struct PlacedEdge {
    /// From where to where.
    pub ends: [DVec3; 2],
    /// Number of its owner.
    pub owner: u32,
}

/// A convex shape in its place.
pub struct PlacedConvex {
    /// The shape in its own frame.
    pub shape: Shape,
    /// Origin of that frame.
    pub position: DVec3,
    /// Turns directions into that frame.
    pub local_from_world: DMat3,
    /// Number of its owner.
    pub owner: u32,
}

impl PlacedConvex {
    fn local(&self, ray: &Ray) -> Ray {
        Ray {
            origin: self.local_from_world * (ray.origin - self.position),
            direction: self.local_from_world * ray.direction,
        }
    }

    fn normal(&self, point: DVec3) -> DVec3 {
        let local = self.local_from_world * (point - self.position);
        self.local_from_world.transpose() * normal(&self.shape, local)
    }
}

/// A triangle in its place.
pub struct PlacedTriangle {
    /// Counter-clockwise seen from outside.
    pub corners: [DVec3; 3],
    /// Unit normals at the corners.
    pub normals: [DVec3; 3],
    /// Number of its owner.
    pub owner: u32,
    /// Whether it belongs to a closed surface, so that there is an inside to cut open.
    pub closed: bool,
}

impl PlacedTriangle {
    fn flat_normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }
}

/// The part of a ray that is not cut away.
#[derive(Clone, Copy)]
pub struct VisiblePart {
    /// From where to where.
    pub span: Span,
    /// Normal of the plane where the part begins, if a plane cuts it there.
    pub cut: Option<DVec3>,
}

impl PrimitiveTree {
    /// The part of a ray inside a primitive; of a triangle, the point. Shapes that the ray starts
    /// in are not met unless a clip plane opens them.
    #[inline]
    pub fn meet(&self, primitive: &Primitive, ray: &Ray, visible: &VisiblePart) -> Option<Span> {
        let inside = match primitive {
            Primitive::Ball { center, radius, .. } => ball(ray, *center, *radius)?,
            Primitive::Convex(index) => {
                let convex = &self.convex[*index as usize];
                span(&convex.shape, &convex.local(ray))?
            }
            Primitive::Triangle(index) => {
                let face = &self.triangles[*index as usize];
                let (at, _) = triangle(ray, &face.corners)?;
                let within = at > visible.span.enter && at < visible.span.exit;
                return within.then_some(Span {
                    enter: at,
                    exit: at,
                });
            }
            Primitive::Edge(_) => return None,
        };
        let begins = inside.enter > visible.span.enter && inside.enter < visible.span.exit;
        let opened = visible.cut.is_some()
            && inside.enter <= visible.span.enter
            && inside.exit > visible.span.enter;
        (begins || opened).then_some(inside)
    }

    /// The surface at the first primitive met, at `distance`.
    pub fn describe(
        &self,
        primitive: &Primitive,
        ray: &Ray,
        distance: f64,
        visible: &VisiblePart,
    ) -> Hit {
        let point = ray.at(distance);
        let hit = |owner: u32, facing: DVec3, normal: DVec3| Hit {
            distance,
            facing,
            normal,
            color: self.colors[owner as usize],
            kind: HitKind::Outside,
            surface_id: owner + 1,
        };
        let owner = match primitive {
            Primitive::Ball { owner, .. } => *owner,
            Primitive::Convex(index) => self.convex[*index as usize].owner,
            Primitive::Triangle(index) => self.triangles[*index as usize].owner,
            Primitive::Edge(index) => self.edges[*index as usize].owner,
        };
        let cut = |normal: DVec3| Hit {
            distance: visible.span.enter,
            kind: HitKind::Cut,
            ..hit(owner, normal, normal)
        };
        let normal = match primitive {
            Primitive::Triangle(index) => {
                let face = &self.triangles[*index as usize];
                let flat = face.flat_normal();
                let behind = flat.dot(ray.direction) > 0.0;
                if let Some(opening) = visible.cut.filter(|_| behind && face.closed) {
                    return cut(opening);
                }
                let side = if behind { -1.0 } else { 1.0 };
                let round = face_normal(face, ray).unwrap_or(flat);
                return hit(owner, side * flat, side * round);
            }
            Primitive::Ball { center, radius, .. } => (point - *center) / *radius,
            Primitive::Convex(index) => self.convex[*index as usize].normal(point),
            Primitive::Edge(_) => DVec3::ZERO,
        };
        match visible.cut.filter(|_| distance <= visible.span.enter) {
            Some(opening) => cut(opening),
            None => hit(owner, normal, normal),
        }
    }

    /// Where a ray crosses the surface or an edge of something to look through.
    pub fn cross(
        &self,
        primitive: &Primitive,
        ray: &Ray,
        part: Span,
        eye: &Eye,
        found: &mut Vec<Crossing>,
    ) {
        let mut push = |distance: f64, normal: DVec3, owner: u32, edge: bool| {
            if distance > part.enter && distance < part.exit {
                let color = self.colors[owner as usize];
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
        match primitive {
            Primitive::Ball {
                center,
                radius,
                owner,
            } => {
                let Some(inside) = ball(ray, *center, *radius) else {
                    return;
                };
                for at in [inside.enter, inside.exit] {
                    push(at, (ray.at(at) - *center) / *radius, *owner, false);
                }
            }
            Primitive::Convex(index) => {
                let convex = &self.convex[*index as usize];
                let Some(inside) = span(&convex.shape, &convex.local(ray)) else {
                    return;
                };
                for at in [inside.enter, inside.exit] {
                    push(at, convex.normal(ray.at(at)), convex.owner, false);
                }
            }
            Primitive::Triangle(index) => {
                let face = &self.triangles[*index as usize];
                if let Some((at, _)) = triangle(ray, &face.corners) {
                    push(
                        at,
                        face_normal(face, ray).unwrap_or_default(),
                        face.owner,
                        false,
                    );
                }
            }
            Primitive::Edge(index) => {
                let edge = &self.edges[*index as usize];
                let (at, apart) = nearest(ray, &edge.ends);
                if apart < 0.5 * eye.line_width() * eye.pixel_size(at) {
                    push(at, DVec3::ZERO, edge.owner, true);
                }
            }
        }
    }
}

/// The normal between those of the corners where a ray meets a face.
fn face_normal(face: &PlacedTriangle, ray: &Ray) -> Option<DVec3> {
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
    // On a segment along the ray, but for rounding, no point is nearer than another.
    let share = if across > 1e-12 * square {
        ((beside - slant * ahead) / across).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let point = *start + share * along;
    let at = (point - ray.origin).dot(ray.direction);
    (at, ray.at(at).distance(point))
}
