//! Spheres against spheres, boxes and bodies of revolution: in closed form, one point each.

use glam::{DVec2, DVec3};

use super::ContactPoint;
use crate::pose::Pose;

/// Adds the contact of a surface with a sphere. `normal` points out of the surface; `gap` is the
/// distance of the two surfaces.
fn push(
    center: DVec3,
    radius: f64,
    normal: DVec3,
    gap: f64,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    if gap <= margin {
        out.push(ContactPoint {
            feature: 0,
            normal,
            point: center - normal * (radius + 0.5 * gap),
            gap,
        });
    }
}

/// Distance from a box's surface below which a centre counts as on it, in shares of the box: a few
/// roundings.
const ON_SURFACE: f64 = 1e-14;

/// Two spheres. Coincident centres part along z.
pub(super) fn sphere_sphere(
    (radius_a, a): (f64, DVec3),
    (radius_b, b): (f64, DVec3),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let apart = b - a;
    let reach = radius_a + radius_b + margin;
    let square = apart.length_squared();
    if square > reach * reach {
        return;
    }
    let distance = square.sqrt();
    let normal = if distance > 0.0 {
        apart / distance
    } else {
        DVec3::Z
    };
    push(
        b,
        radius_b,
        normal,
        distance - radius_a - radius_b,
        margin,
        out,
    );
}

/// A box and a sphere.
pub(super) fn box_sphere(
    (half, pose): (DVec3, &Pose),
    (radius, center): (f64, DVec3),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let c = pose.local_point(center);
    let outside = c - c.clamp(-half, half);
    let distance = outside.length();
    if distance - radius > margin {
        return;
    }
    // With its centre on the box's surface, the difference is rounding and has no direction.
    let (normal, distance) = if distance > ON_SURFACE * half.max_element() {
        (outside / distance, distance)
    } else {
        let depth = half - c.abs();
        let axis = depth.min_position();
        let mut normal = DVec3::ZERO;
        normal[axis] = 1f64.copysign(c[axis]);
        (normal, -depth[axis])
    };
    push(
        center,
        radius,
        pose.direction(normal),
        distance - radius,
        margin,
        out,
    );
}

/// A capsule (segment of half length `half_height` along its z) and a sphere.
pub(super) fn capsule_sphere(
    (capsule_radius, half_height, pose): (f64, f64, &Pose),
    sphere: (f64, DVec3),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let axis = pose.direction(DVec3::Z);
    let along = axis
        .dot(sphere.1 - pose.position)
        .clamp(-half_height, half_height);
    let first = out.len();
    let nearest = pose.position + axis * along;
    sphere_sphere((capsule_radius, nearest), sphere, margin, out);
    // A centre on the axis is pushed across it, not along.
    if let Some(p) = out.get_mut(first)
        && nearest == sphere.1
    {
        p.normal = pose.direction(DVec3::X);
    }
}

/// A body of revolution about its z axis and a sphere. `profile` is its convex outline in the half
/// plane of (distance from the axis, z), from the upper end of the axis to the lower.
pub(super) fn revolved_sphere(
    (profile, pose): (&[DVec2], &Pose),
    (radius, center): (f64, DVec3),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let c = pose.local_point(center);
    let around = DVec2::new(c.x, c.y);
    let away = around.length();
    let radial = if away > 0.0 { around / away } else { DVec2::X };
    let (normal, distance) = outline_distance(profile, DVec2::new(away, c.z));
    let normal = (radial * normal.x).extend(normal.y);
    push(
        center,
        radius,
        pose.direction(normal),
        distance - radius,
        margin,
        out,
    );
}

/// The unit direction from a convex outline to `p`, and the signed distance along it, negative
/// inside.
fn outline_distance(outline: &[DVec2], p: DVec2) -> (DVec2, f64) {
    let mut inside = (DVec2::X, f64::NEG_INFINITY);
    let mut outside = (DVec2::X, f64::INFINITY);
    for side in outline.windows(2) {
        let (start, along) = (side[0], side[1] - side[0]);
        let length = along.length();
        // The outline runs from above to below with the body on its right: outwards is to the left.
        let normal = DVec2::new(-along.y, along.x) / length;
        let height = normal.dot(p - start);
        if height > inside.1 {
            inside = (normal, height);
        }
        let t = ((p - start).dot(along) / (length * length)).clamp(0.0, 1.0);
        let difference = p - (start + along * t);
        let distance = difference.length();
        if height > 0.0 && distance < outside.1 {
            let direction = if t > 0.0 && t < 1.0 {
                normal
            } else {
                difference / distance
            };
            outside = (direction, distance);
        }
    }
    if inside.1 <= 0.0 { inside } else { outside }
}

/// The outline of a cylinder, for [`revolved_sphere`].
pub(super) fn cylinder_profile(radius: f64, half_height: f64) -> [DVec2; 4] {
    [
        DVec2::new(0.0, half_height),
        DVec2::new(radius, half_height),
        DVec2::new(radius, -half_height),
        DVec2::new(0.0, -half_height),
    ]
}

/// The outline of a cone, for [`revolved_sphere`].
pub(super) fn cone_profile(radius: f64, half_height: f64) -> [DVec2; 3] {
    [
        DVec2::new(0.0, half_height),
        DVec2::new(radius, -half_height),
        DVec2::new(0.0, -half_height),
    ]
}
