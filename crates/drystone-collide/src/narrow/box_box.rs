//! Two boxes: the 15 axes on which they can be apart, then clipping.
//!
//! When boxes overlap, the shallowest direction is the normal of a face or the cross product of two
//! edges (Gottschalk, Lin and Manocha, "OBBTree", 1996). When they are apart, these axes bound the
//! distance from below. They equal it unless a corner is nearest to a corner or to an edge; that
//! case is left to the general algorithm.

use glam::{DMat3, DVec3};

use super::clip::{ContactAxis, WhenMissed};
use super::convex::Convex;
use super::general;
use super::normal::ConvexPair;
use super::{ContactPoint, Scratch};
use crate::pose::Pose;

/// How much better than the best face two edges must be, in shares of the smaller box's size. It is
/// more than rounding, so that boxes at rest on each other do not change between the two.
const EDGE_ADVANTAGE: f64 = 1e-9;
/// Sine of the angle up to which two edges count as parallel: their cross product has lost half of
/// its digits, and a face's normal says the same.
const PARALLEL: f64 = 1e-6;

/// Contacts of two boxes with the half lengths `half_a` and `half_b`.
pub(super) fn contacts(
    (half_a, a): (DVec3, &Pose),
    (half_b, b): (DVec3, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let (box_a, box_b) = (Convex::Box { half: half_a }, Convex::Box { half: half_b });
    let pair = ConvexPair::new((&box_a, a), (&box_b, b));
    let Some((normal, separation)) = best_axis(&pair, half_a, half_b, margin) else {
        return;
    };
    let axis = ContactAxis {
        normal,
        separation,
        missed: if separation > 0.0 {
            WhenMissed::Refuse
        } else {
            WhenMissed::Add(None)
        },
    };
    if !scratch.clip.manifold(&pair, &axis, margin, a, out) {
        // A corner is nearest to a corner or an edge.
        general::contacts((&box_a, a), (&box_b, b), margin, scratch, out);
    }
}

/// The axis of greatest separation, from A to B in A's frame, and the separation along it. Nothing
/// when the boxes are more than `margin` apart along some axis.
fn best_axis(pair: &ConvexPair, half_a: DVec3, half_b: DVec3, margin: f64) -> Option<(DVec3, f64)> {
    let absolute = DMat3::from_cols(
        pair.turn.x_axis.abs(),
        pair.turn.y_axis.abs(),
        pair.turn.z_axis.abs(),
    );
    let shift = pair.shift;
    // Faces of A, then of B.
    let on_a = shift.abs() - half_a - absolute * half_b;
    let local = pair.turn.transpose() * shift;
    let on_b = local.abs() - half_b - absolute.transpose() * half_a;
    if on_a.max_element().max(on_b.max_element()) > margin {
        return None;
    }
    let (ka, kb) = (on_a.max_position(), on_b.max_position());
    let mut best = if on_a[ka] >= on_b[kb] {
        let mut normal = DVec3::ZERO;
        normal[ka] = 1f64.copysign(shift[ka]);
        (normal, on_a[ka])
    } else {
        (pair.turn.col(kb) * 1f64.copysign(local[kb]), on_b[kb])
    };
    let mut threshold = best.1 + EDGE_ADVANTAGE * pair.size;
    for i in 0..3 {
        let axis_a = DVec3::AXES[i];
        for j in 0..3 {
            let cross = axis_a.cross(pair.turn.col(j));
            let length = cross.length();
            if length < PARALLEL {
                continue;
            }
            let axis = cross / length;
            let along = axis.dot(shift);
            let reach_b = half_b.dot((pair.turn.transpose() * axis).abs());
            let separation = along.abs() - half_a.dot(axis.abs()) - reach_b;
            if separation > margin {
                return None;
            }
            if separation > threshold {
                threshold = separation;
                best = (axis * 1f64.copysign(along), separation);
            }
        }
    }
    Some(best)
}
