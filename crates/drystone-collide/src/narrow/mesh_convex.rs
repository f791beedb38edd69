//! A convex shape against a surface of triangles: each near triangle is a convex shape of its own.
//!
//! The normal of a pair may lean over an edge of its triangle only as far as the neighbour does; otherwise, as in flat and hollow
//! places, the triangle's own normal is used and only what lies above the triangle counts. So inner edges do not catch.

use glam::DVec3;

use super::clip::{Axis, Missed};
use super::convex::Convex;
use super::general;
use super::normal::Pair;
use super::spread::reduce;
use super::surface::{Surface, Triangle, neighbour};
use super::{Point, Scratch};
use crate::aabb::Aabb;
use crate::pose::Pose;

/// Sine of a lean that is rounding.
const UPRIGHT: f64 = 1e-6;

/// Contacts of a surface with a convex shape.
pub(super) fn surface_convex(
    (surface, pose): (&Surface, &Pose),
    (shape, shape_pose): (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    let local = pose.inverse().compose(shape_pose);
    let region = bounds(shape, &local).grown(margin);
    let mut faces = std::mem::take(&mut scratch.faces);
    faces.clear();
    let field = matches!(surface, Surface::Field(_));
    surface.near(&region, |t| {
        let b = surface.triangle(t).bounds();
        // A shape below a field is pushed up from any depth.
        if b.overlaps(&region) || (field && b.min.z > region.min.z) {
            faces.push(t);
        }
    });
    let first = out.len();
    for &t in &faces {
        let triangle = surface.triangle(t);
        let start = out.len();
        face_contacts(
            (surface, t, &triangle, pose),
            (shape, shape_pose, local.position),
            margin,
            scratch,
            out,
        );
        for p in &mut out[start..] {
            p.feature |= u64::from(t) << 32;
        }
    }
    scratch.faces = faces;
    reduce(out, first, 1e-6 * shape.radius_about_origin());
}

/// Contacts with one triangle.
fn face_contacts(
    (surface, t, triangle, pose): (&Surface, u32, &Triangle, &Pose),
    (shape, shape_pose, center): (&Convex, &Pose, DVec3),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    let flat = Convex::Triangle(triangle.corners);
    let pair = Pair::new((&flat, pose), (shape, shape_pose));
    let reach = margin + shape.rounding();
    let in_front = triangle.height(center) >= 0.0;
    let solid = surface.solid();
    // Of a sheet, the side on which the shape's centre lies is outside.
    let outward = if solid || in_front {
        triangle.normal
    } else {
        -triangle.normal
    };
    let upright = Axis {
        normal: outward,
        separation: pair.separation(outward),
        missed: Missed::AboveOnly,
    };
    if upright.separation > reach {
        return;
    }
    let field = matches!(surface, Surface::Field(_));
    let axis = if pair.separation(-outward) <= reach {
        let solver = &mut scratch.general;
        let Some(free) = general::axis(&pair, (pose, shape_pose), reach, solver) else {
            return;
        };
        let inward = free.normal.dot(outward) < UPRIGHT;
        if inward && solid && !field && (free.separation > 0.0 || !in_front) {
            // Behind a wall, seen from inside the solid.
            return;
        }
        let sign = outward.dot(triangle.normal);
        if !inward && may_lean(surface, t, triangle, free.normal, sign) {
            free
        } else {
            upright
        }
    } else if field {
        // Sunk below the surface: straight up.
        upright
    } else {
        return;
    };
    scratch.clip.manifold(&pair, &axis, margin, pose, out);
}

/// Whether `normal` leans over the triangle's edges no further than the neighbours there. `sign` is -1 on the back of a sheet.
fn may_lean(surface: &Surface, t: u32, triangle: &Triangle, normal: DVec3, sign: f64) -> bool {
    let own = triangle.normal * sign;
    let corners = triangle.corners;
    let top = (0..3)
        .map(|k| corners[k].dot(normal))
        .fold(f64::NEG_INFINITY, f64::max);
    (0..3).all(|k| {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let length = a.distance(b);
        // In the triangle's plane, away from it.
        let aside = (b - a).cross(triangle.normal) / length;
        let lean = normal.dot(aside);
        let touches = a.dot(normal).max(b.dot(normal)) >= top - UPRIGHT * length;
        if lean <= UPRIGHT || !touches {
            return true;
        }
        let Some(other) = neighbour(surface, t, k) else {
            // The border of a sheet may be met from its side.
            return true;
        };
        let other = surface.triangle(other).normal * sign;
        // Angles from this triangle's normal towards the neighbour.
        let most = other.dot(aside).atan2(other.dot(own));
        let angle = lean.atan2(normal.dot(own));
        angle <= most + UPRIGHT
    })
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
