//! Two straight features beside each other.

use glam::DVec3;

/// Sine of the angle up to which two segments count as parallel, about 0.3°. Then they touch at
/// both ends of the common part, as an axle in a groove does, instead of at one point that would
/// jump.
const PARALLEL: f64 = 0.005;

/// An end of the common part of two parallel segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonEnd {
    /// Midway between the segments.
    pub point: DVec3,
    /// Their distance there along the normal, m.
    pub gap: f64,
    /// Whose end it is: the second segment's.
    pub of_second: bool,
    /// Which of the two ends of that segment.
    pub which: usize,
}

/// The two ends of the part in which parallel segments run beside each other. Nothing when they are
/// not parallel, or nowhere beside each other.
pub(super) fn parallel_segments(
    [p, q]: [DVec3; 2],
    [r, s]: [DVec3; 2],
    normal: DVec3,
    slack: f64,
) -> Option<[CommonEnd; 2]> {
    let (length_a, length_b) = ((q - p).length(), (s - r).length());
    if length_a <= slack || length_b <= slack {
        return None;
    }
    let u = (q - p) / length_a;
    if u.cross((s - r) / length_b).length_squared() > PARALLEL * PARALLEL {
        return None;
    }
    let (x, y) = (u.dot(r - p), u.dot(s - p));
    // Where on B's segment, from 0 to 1, the point lies that is beside A's at `along`.
    let at = |along: f64| (along - x) / (y - x);
    let (low, high) = (x.min(y).max(0.0), x.max(y).min(length_a));
    if high - low <= slack {
        return None;
    }
    let end = |along: f64, of_second: bool, which: usize| {
        let on_a = p + u * along;
        let on_b = r + (s - r) * at(along);
        CommonEnd {
            point: 0.5 * (on_a + on_b),
            gap: normal.dot(on_b - on_a),
            of_second,
            which,
        }
    };
    // Ends that lie beside each other count as the first segment's.
    let (inner_low, inner_high) = (x.min(y) > slack, x.max(y) < length_a - slack);
    let turned = usize::from(x > y);
    Some([
        end(low, inner_low, if inner_low { turned } else { 0 }),
        end(high, inner_high, if inner_high { 1 - turned } else { 1 }),
    ])
}

/// The point of a segment nearest to `p`.
pub(super) fn nearest_on([a, b]: [DVec3; 2], p: DVec3) -> DVec3 {
    let along = b - a;
    let t = along.dot(p - a) / along.length_squared().max(f64::MIN_POSITIVE);
    a + along * t.clamp(0.0, 1.0)
}

/// The points of two segments that are nearest to each other seen along the normal.
pub(super) fn crossing([p, q]: [DVec3; 2], [r, s]: [DVec3; 2], normal: DVec3) -> [DVec3; 2] {
    let (u, v) = (q - p, s - r);
    let determinant = u.cross(v).dot(normal);
    let (t, w) = if determinant == 0.0 {
        (0.5, 0.5)
    } else {
        (
            (r - p).cross(v).dot(normal) / determinant,
            (r - p).cross(u).dot(normal) / determinant,
        )
    };
    let on_a = p + u * t.clamp(0.0, 1.0);
    let on_b = r + v * w.clamp(0.0, 1.0);
    [on_a, on_b]
}
