//! Fewer contact points that carry the same.

use glam::DVec3;

use super::ContactPoint;

/// Most points of one normal. Three carry a body; eight span nearly the whole area of any polygon.
const MOST: usize = 8;
/// Cosine of the angle up to which normals count as one, about 0.8°.
const SAME: f64 = 0.9999;
/// By how much the directions in which points are chosen are turned off the axes, in shares of the
/// angle between two of them. A regular polygon along the axes has two outermost corners in a
/// direction, and rounding would choose; now it has one.
const OFF_AXIS: f64 = 0.1;
/// Component from which on the x axis counts as too near to the normal to span a plane with it.
const NEAR_X: f64 = 0.6;

/// Of points of nearly one normal that are closer than `slack`, only the deepest is kept.
pub(super) fn merge(points: &mut Vec<ContactPoint>, slack: f64) {
    merge_from(points, 0, slack);
}

/// As [`merge`], for the points from `first` on.
fn merge_from(points: &mut Vec<ContactPoint>, first: usize, slack: f64) {
    let mut kept = first;
    for k in first..points.len() {
        let p = points[k];
        let same = |q: &ContactPoint| {
            (q.point - p.point).length_squared() <= slack * slack && q.normal.dot(p.normal) > SAME
        };
        match points[first..kept].iter().position(same) {
            Some(i) if points[first + i].gap <= p.gap => {}
            Some(i) => points[first + i] = p,
            None => {
                points[kept] = p;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
}

/// Moves at most [`MOST`] points to the front and counts them: the outermost in directions that
/// depend on the normal alone, so that the choice does not change from step to step; and the
/// deepest, if it is deeper than those by more than `slack`.
pub(super) fn spread(points: &mut [ContactPoint], normal: DVec3, slack: f64) -> usize {
    if points.len() <= MOST {
        return points.len();
    }
    let aside = if normal.x.abs() > NEAR_X {
        DVec3::Y
    } else {
        DVec3::X
    };
    let u = normal.cross(aside).normalize_or(DVec3::Z);
    let v = normal.cross(u);
    let mut kept = 0;
    for k in 0..MOST {
        let (sin, cos) = (std::f64::consts::TAU * (k as f64 + OFF_AXIS) / MOST as f64).sin_cos();
        let direction = u * cos + v * sin;
        kept += usize::from(take(points, kept, |p| p.point.dot(direction)));
    }
    let least = |ps: &[ContactPoint]| ps.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    if least(points) < least(&points[..kept]) - slack {
        kept -= usize::from(kept == MOST);
        kept += usize::from(take(points, kept, |p| -p.gap));
    }
    kept
}

/// Moves the point of greatest `measure` to position `kept`, unless it stands before that already.
/// Says whether it moved one.
fn take(points: &mut [ContactPoint], kept: usize, measure: impl Fn(&ContactPoint) -> f64) -> bool {
    let mut best = 0;
    for k in 1..points.len() {
        if measure(&points[k]) > measure(&points[best]) {
            best = k;
        }
    }
    if best >= kept {
        points.swap(best, kept);
    }
    best >= kept
}

/// For the points of many triangles, from `first` on: merges those that coincide, then thins out
/// each group of one normal.
pub(super) fn reduce(points: &mut Vec<ContactPoint>, first: usize, slack: f64) {
    merge_from(points, first, slack);
    let mut start = first;
    while start < points.len() {
        let normal = points[start].normal;
        let mut end = start + 1;
        for k in start + 1..points.len() {
            if points[k].normal.dot(normal) > SAME {
                points.swap(k, end);
                end += 1;
            }
        }
        let keep = spread(&mut points[start..end], normal, slack);
        points.drain(start + keep..end);
        start += keep;
    }
}
