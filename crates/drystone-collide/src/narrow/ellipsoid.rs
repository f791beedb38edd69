//! Ellipsoids against each other and against spheres: Newton's method for the normal (see
//! [`super::normal`]), and one point.

use glam::DVec3;

use super::ContactPoint;
use super::convex::Convex;
use super::normal::ConvexPair;
use crate::pose::Pose;

/// Contacts of two shapes that are ellipsoids or balls.
pub(super) fn contacts(
    a: (&Convex, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let pair = ConvexPair::new(a, b);
    let far = a.0.radius_about_origin() + b.0.radius_about_origin() + margin;
    if pair.shift.length_squared() > far * far {
        return;
    }
    let (rounding_a, rounding_b) = (a.0.rounding(), b.0.rounding());
    let (normal, separation) = best(&pair);
    let gap = separation - rounding_a - rounding_b;
    if gap > margin {
        return;
    }
    let s = pair.supports(normal);
    let middle = 0.5 * (s.a + s.b + normal * (rounding_a - rounding_b));
    out.push(ContactPoint {
        feature: 0,
        normal: a.1.direction(normal),
        point: a.1.point(middle),
        gap,
    });
}

/// The direction of greatest separation of the cores, and that separation.
fn best(pair: &ConvexPair) -> (DVec3, f64) {
    let start = pair.shift.try_normalize().unwrap_or(DVec3::Z);
    let mut best = pair.climb(start);
    // Apart, this is the only maximum. If the overlap is less deep than the smallest radii of
    // curvature, it is the best one, since a ball of that radius rolls inside the sum of the two.
    // Deeper there may be others, near the short axes.
    if best.1 < -(sharpest(pair.a) + sharpest(pair.b)) {
        for k in 0..6 {
            let axis = if k < 3 {
                DVec3::AXES[k]
            } else {
                pair.turn.col(k - 3)
            };
            let tried = pair.climb(axis * 1f64.copysign(axis.dot(pair.shift)));
            if tried.1 > best.1 {
                best = tried;
            }
        }
    }
    best
}

/// The smallest radius of curvature of an ellipsoid; zero for the core of a ball.
fn sharpest(shape: &Convex) -> f64 {
    match shape {
        Convex::Ellipsoid { semi_axes } => {
            semi_axes.min_element().powi(2) / semi_axes.max_element()
        }
        Convex::Ball { .. }
        | Convex::Box { .. }
        | Convex::Cylinder { .. }
        | Convex::Capsule { .. }
        | Convex::Cone { .. }
        | Convex::Hull(_)
        | Convex::Triangle(_) => 0.0,
    }
}
