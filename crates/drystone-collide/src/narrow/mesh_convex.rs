//! A convex shape against a surface of triangles: each near triangle is a convex shape of its own.
//!
//! The normal of such a pair may lean over an edge of its triangle only as far as the neighbour's
//! normal does. Where it leans further and the neighbour falls away, the contact is the
//! neighbour's. In flat and hollow places the triangle's own normal is used instead, and only what
//! lies above the triangle counts. So a body that slides over a floor of triangles is not caught by
//! inner edges.

use glam::DVec3;

use super::clip::{ContactAxis, WhenMissed};
use super::convex::Convex;
use super::general;
use super::normal::ConvexPair;
use super::spread::reduce;
use super::surface::{SurfaceTriangle, TriangleSurface, neighbour};
use super::{ContactPoint, Scratch};
use crate::aabb::Aabb;
use crate::pose::Pose;

/// Sine of the angle up to which a normal counts as not leaning over an edge: ten times the error
/// of a normal.
const UPRIGHT: f64 = 1e-6;
/// Angle between two faces from which their edge sticks out, rad: about 6°. Bodies roll over
/// flatter edges as over a smooth surface.
const RIDGE: f64 = 0.1;
/// Angle between a triangle and a face of the shape up to which that face is tried first, rad:
/// about 17°. Only a question of speed: a face that does not fit is refused.
const STEEP: f64 = 0.3;
/// Depth to which a corner of a triangle may have entered a face of the shape without a comparison
/// with other directions, in shares of the shape's size. Deeper, another face may be the nearer way
/// out.
const SHALLOW: f64 = 1e-2;
/// Lengths that do not matter, in shares of the shape's size: as in [`super::clip`].
const SLACK: f64 = 1e-6;
/// How much larger than the least gap that of the lowest point may be, in shares of the shape's
/// size: rounding of the clipped polygon.
const LOWEST: f64 = 1e-9;

/// Contacts of a surface with a convex shape.
pub(super) fn surface_convex(
    (surface, pose): (&TriangleSurface, &Pose),
    (shape, shape_pose): (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let local = pose.inverse().compose(shape_pose);
    let region = bounds(shape, &local).grown(margin);
    let mut faces = std::mem::take(&mut scratch.faces);
    faces.clear();
    let field = matches!(surface, TriangleSurface::Field(_));
    surface.near(&region, |t| {
        let b = surface.triangle(t).bounds();
        // A shape below a height field is pushed up from any depth.
        if b.overlaps(&region) || (field && b.min.z > region.min.z) {
            faces.push(t);
        }
    });
    let first = out.len();
    let meeting = Encounter {
        surface,
        surface_pose: pose,
        margin,
        shape,
        pose: shape_pose,
        center: local.position,
        reach: margin + shape.rounding(),
    };
    // Triangles that are met along their own normals come second: where a neighbour has found a
    // better normal, they give no point.
    let mut second = 0;
    for k in 0..faces.len() {
        let t = faces[k];
        let start = out.len();
        if meeting.lies_on(t, scratch, out) {
            mark(&mut out[start..], t);
            continue;
        }
        match meeting.meet(t, scratch) {
            Meeting::None => {}
            Meeting::Upright => {
                faces[second] = t;
                second += 1;
            }
            Meeting::Free(axis) => {
                meeting.points(t, &axis, scratch, out);
                mark(&mut out[start..], t);
            }
        }
    }
    let slack = SLACK * shape.size();
    let free = out.len();
    for &t in &faces[..second] {
        let start = out.len();
        let axis = meeting.upright(t);
        meeting.points(t, &axis, scratch, out);
        mark(&mut out[start..], t);
        let mut k = start;
        while k < out.len() {
            let p = out[k];
            let is_near = |q: &ContactPoint| q.point.distance(p.point) < slack + p.gap.abs();
            if out[first..free].iter().any(is_near) {
                out.swap_remove(k);
            } else {
                k += 1;
            }
        }
    }
    scratch.faces = faces;
    reduce(out, first, slack);
}

/// Marks points as those of triangle `t`.
fn mark(points: &mut [ContactPoint], t: u32) {
    for p in points {
        p.feature |= u64::from(t) << 32;
    }
}

/// A surface and the convex shape that meets it.
struct Encounter<'a> {
    surface: &'a TriangleSurface<'a>,
    surface_pose: &'a Pose,
    /// Largest gap of interest, m.
    margin: f64,
    shape: &'a Convex<'a>,
    pose: &'a Pose,
    /// Origin of the shape's frame in the surface's.
    center: DVec3,
    /// Largest separation of the cores that counts, m.
    reach: f64,
}

/// How a triangle meets the shape.
enum Meeting {
    /// Not at all, or its neighbours do.
    None,
    /// Along this axis.
    Free(ContactAxis),
    /// Along the triangle's own normal.
    Upright,
}

impl Encounter<'_> {
    /// The triangle's normal on the side that counts: outwards for a solid; for a sheet, the side
    /// on which the shape's centre lies.
    fn outward(&self, triangle: &SurfaceTriangle) -> DVec3 {
        if self.surface.solid() || triangle.height(self.center) >= 0.0 {
            triangle.normal
        } else {
            -triangle.normal
        }
    }

    /// The axis along the triangle's normal.
    fn upright(&self, t: u32) -> ContactAxis {
        let triangle = self.surface.triangle(t);
        let flat = Convex::Triangle(triangle.corners);
        let pair = ConvexPair::new((&flat, self.surface_pose), (self.shape, self.pose));
        let normal = self.outward(&triangle);
        ContactAxis {
            normal,
            separation: pair.separation(normal),
            missed: WhenMissed::AboveOnly,
        }
    }

    /// The usual case, which needs no search. The shape's lowest point is above the triangle, or
    /// less deep below it than away from its edges: then no direction is better than the triangle's
    /// normal. Appends the points; false when it is another case.
    fn lies_on(&self, t: u32, scratch: &mut Scratch, out: &mut Vec<ContactPoint>) -> bool {
        let upright = self.upright(t);
        if upright.separation > self.reach {
            // Too far away: no points, and nothing to search for.
            return true;
        }
        let first = out.len();
        let axis = ContactAxis {
            missed: WhenMissed::Refuse,
            ..upright
        };
        if !self.points(t, &axis, scratch, out) {
            return false;
        }
        let [a, b, c] = self
            .surface
            .triangle(t)
            .corners
            .map(|p| self.surface_pose.point(p));
        let gap = upright.separation - self.shape.rounding();
        let clear = out[first..].iter().any(|p| {
            let away = |q: DVec3, r: DVec3| {
                let side = (r - q).cross(p.normal).normalize_or_zero();
                side.dot(p.point - q).abs()
            };
            let edge = away(a, b).min(away(b, c)).min(away(c, a));
            p.gap <= gap + LOWEST * self.shape.size() && edge >= -gap
        });
        if !clear {
            out.truncate(first);
        }
        clear
    }

    /// Any other case: finds the axis of the triangle and the shape, and judges it by the
    /// triangle's neighbours.
    fn meet(&self, t: u32, scratch: &mut Scratch) -> Meeting {
        let triangle = self.surface.triangle(t);
        let flat = Convex::Triangle(triangle.corners);
        let pair = ConvexPair::new((&flat, self.surface_pose), (self.shape, self.pose));
        let outward = self.outward(&triangle);
        if pair.separation(outward) > self.reach {
            return Meeting::None;
        }
        let field = matches!(self.surface, TriangleSurface::Field(_));
        if pair.separation(-outward) > self.reach {
            // It has sunk below a height field: straight up.
            return if field {
                Meeting::Upright
            } else {
                Meeting::None
            };
        }
        let axis = self.face_axis(&pair, outward, scratch).or_else(|| {
            let solver = &mut scratch.general;
            general::axis(&pair, (self.surface_pose, self.pose), self.reach, solver)
        });
        let Some(axis) = axis else {
            return Meeting::None;
        };
        let sign = outward.dot(triangle.normal);
        match lean(self.surface, t, &triangle, axis.normal, sign) {
            Lean::Beyond => Meeting::None,
            Lean::Inner => Meeting::Upright,
            Lean::Allowed if axis.normal.dot(outward) > UPRIGHT => Meeting::Free(axis),
            // The axis leaves the triangle at its back. In a closed mesh another wall is nearer
            // then, unless the shape came in from the front.
            Lean::Allowed => {
                let behind = axis.separation > 0.0 || triangle.height(self.center) < 0.0;
                if self.surface.solid() && !field && behind {
                    Meeting::None
                } else {
                    Meeting::Upright
                }
            }
        }
    }

    /// The normal of one of the shape's faces, where a corner of the triangle has entered that face
    /// a little or is about to: no search needed.
    fn face_axis(
        &self,
        pair: &ConvexPair,
        outward: DVec3,
        scratch: &mut Scratch,
    ) -> Option<ContactAxis> {
        let mut best = (DVec3::ZERO, f64::NEG_INFINITY);
        let down = pair.turn.transpose() * -outward;
        self.shape.face_normals(down, STEEP, |n| {
            let normal = -(pair.turn * n);
            let separation = pair.separation(normal);
            if separation > best.1 {
                best = (normal, separation);
            }
        });
        let (normal, separation) = best;
        if separation < -SHALLOW * self.shape.size() || separation > self.reach {
            return None;
        }
        let axis = ContactAxis {
            normal,
            separation,
            missed: WhenMissed::Refuse,
        };
        scratch.found.clear();
        let clip = &mut scratch.clip;
        clip.manifold(
            pair,
            &axis,
            self.margin,
            self.surface_pose,
            &mut scratch.found,
        )
        .then_some(axis)
    }

    /// Appends the points of triangle `t` along an axis; false when the axis was refused.
    fn points(
        &self,
        t: u32,
        axis: &ContactAxis,
        scratch: &mut Scratch,
        out: &mut Vec<ContactPoint>,
    ) -> bool {
        let flat = Convex::Triangle(self.surface.triangle(t).corners);
        let pair = ConvexPair::new((&flat, self.surface_pose), (self.shape, self.pose));
        scratch
            .clip
            .manifold(&pair, axis, self.margin, self.surface_pose, out)
    }
}

/// How a normal leans over the edges of its triangle.
#[derive(Clone, Copy, PartialEq)]
enum Lean {
    /// No further than the neighbours' normals.
    Allowed,
    /// Over an edge in a flat or hollow place.
    Inner,
    /// Over an edge that sticks out, further than the neighbour's normal.
    Beyond,
}

/// Judges how `normal` leans over the edges of triangle `t`. `sign` is -1 on the back of a sheet.
fn lean(
    surface: &TriangleSurface,
    t: u32,
    triangle: &SurfaceTriangle,
    normal: DVec3,
    sign: f64,
) -> Lean {
    let own = triangle.normal * sign;
    let corners = triangle.corners;
    let top = (0..3)
        .map(|k| corners[k].dot(normal))
        .fold(f64::NEG_INFINITY, f64::max);
    let mut verdict = Lean::Allowed;
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let length = a.distance(b);
        // In the triangle's plane, away from it.
        let aside = (b - a).cross(triangle.normal) / length;
        let over = normal.dot(aside);
        let touches = a.dot(normal).max(b.dot(normal)) >= top - UPRIGHT * length;
        // At the border of a sheet nothing limits the lean.
        let Some(other) = neighbour(surface, t, k) else {
            continue;
        };
        if over <= UPRIGHT || !touches {
            continue;
        }
        let other = surface.triangle(other).normal * sign;
        // Angles from this triangle's normal towards the neighbour: of its normal, and of `normal`.
        let most = other.dot(aside).atan2(other.dot(own));
        let angle = over.atan2(normal.dot(own));
        if angle > most + UPRIGHT {
            if most > RIDGE {
                return Lean::Beyond;
            }
            verdict = Lean::Inner;
        }
    }
    verdict
}

/// The box around a convex shape at `pose`.
fn bounds(shape: &Convex, pose: &Pose) -> Aabb {
    let reach = |axis: DVec3| {
        let support = |d: DVec3| pose.point(shape.support(pose.local_direction(d)));
        let rounding = shape.rounding();
        (
            support(-axis).dot(axis) - rounding,
            support(axis).dot(axis) + rounding,
        )
    };
    let (x, y, z) = (reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
    Aabb {
        min: DVec3::new(x.0, y.0, z.0),
        max: DVec3::new(x.1, y.1, z.1),
    }
}
