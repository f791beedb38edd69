//! Corners that are not outermost but may touch within the step.
//!
//! Two convex shapes are a convex function apart: the gap along the normal over the plane across
//! it. Flat features give the corners of a linear piece of that function. This module adds the rest
//! that lies within the margin: corners of either shape above the other's surface, whatever that
//! surface is, and the places where an edge that has the deepest point leaves the other shape. So a
//! box's edge on a drum has a point at each end and cannot rock through it, and a corner that comes
//! down fast is there before it arrives.

use glam::DVec3;

use super::ContactPoint;
use super::chord::Chord;
use super::clip::{Clipper, DEEPEST, corner_feature};
use super::convex::Convex;
use super::facet::{FacetCorners, ROUND};
use super::normal::ConvexPair;
use super::segments::nearest_on;
use super::spread::spread;
use crate::pose::Pose;

/// How near to a known point a corner says nothing new, and how far beside the other shape it still
/// counts as above it, in shares of the smaller shape's size. As for clipped corners, more than the
/// motions of bodies at rest.
const BESIDE: f64 = 1e-5;
/// Marks the place where an edge leaves the other shape: the feature of the corner beyond.
const LEAVES: u32 = 1 << 18;
/// Marks the point halfway there, over a round surface.
const HALFWAY: u32 = 1 << 19;
/// How much larger than the least gap that at the end of a line is over a round surface, in shares
/// of the smaller shape's size. A line that rolls from its one end to the other in one step would
/// sink in by a quarter of that.
const CURVED: f64 = 0.01;
/// Halvings that find such a place, to a hundred-thousandth of the edge.
const HALVINGS: usize = 17;

/// Adds the corners of a shape that may come to touch a large ball, whose nearest point is the last
/// of `out`: a small box on a big ball must not rock through it. Their normals are the ball's own.
pub(super) fn add_on_ball(
    (shape, pose): (&Convex, &Pose),
    (radius, center): (f64, DVec3),
    margin: f64,
    facet: &mut FacetCorners,
    out: &mut Vec<ContactPoint>,
) {
    let Some(nearest) = out.last().copied() else {
        return;
    };
    // Corners at a distance `x` from the nearest point are `x²/2r` from a ball of radius `r`. On a
    // smaller ball those on both sides are not within the margin, and the nearest point will do.
    let size = shape.size();
    if 8.0 * radius * margin < size * size {
        return;
    }
    let first = out.len();
    shape.facet(pose.local_direction(nearest.normal), margin, facet);
    let rim = facet.ids.len() > ROUND as usize / 2;
    for (&id, &local) in facet.ids.iter().zip(&facet.points) {
        let p = pose.point(local);
        let apart = center - p;
        let (distance, gap) = (apart.length(), apart.length() - radius);
        let on_nearest = (p + apart * (0.5 * gap / distance)).distance(nearest.point);
        // Of a rim every second point will do.
        let skip = (rim && id % 2 == 1) || on_nearest <= BESIDE * size;
        if gap <= margin && distance > 0.0 && !skip {
            out.push(ContactPoint {
                feature: u64::from(corner_feature(false, id)),
                normal: apart / distance,
                point: p + apart * (0.5 * gap / distance),
                gap,
            });
        }
    }
    let kept = first + spread(&mut out[first..], nearest.normal, BESIDE * size);
    out.truncate(kept);
}

impl Clipper {
    /// Adds the corners within the margin that are not found yet. `gap` is the least gap.
    pub(super) fn add_corners(&mut self, pair: &ConvexPair, n: DVec3, gap: f64, margin: f64) {
        if gap > margin {
            return;
        }
        let surfaces = Surfaces { pair, n };
        let depth = margin - gap;
        let s = pair.supports(n);
        let top_a = s.a.dot(n) + pair.a.rounding();
        let top_b = s.b.dot(n) - pair.b.rounding();
        let middle = 0.5 * (s.a + s.b);
        pair.b.corners(pair.turn.transpose() * -n, |id, local| {
            let p = pair.shift + pair.turn * local;
            if p.dot(n) <= top_b + depth {
                self.try_corner(&surfaces, (true, id, p), middle, margin);
            }
        });
        pair.a.corners(n, |id, p| {
            if p.dot(n) >= top_a - depth {
                self.try_corner(&surfaces, (false, id, p), middle, margin);
            }
        });
        // Where the deepest point is a corner, the corner stands for it.
        let beside = BESIDE * pair.size;
        if let Some(k) = self.found.iter().position(is_deepest)
            && (self.found.iter())
                .any(|f| !is_deepest(f) && f.point.distance(self.found[k].point) <= beside)
        {
            self.found.swap_remove(k);
        }
    }

    /// Adds the places where an edge or side line that has the deepest point leaves the other
    /// shape.
    pub(super) fn add_ends(&mut self, pair: &ConvexPair, n: DVec3, margin: f64) {
        let deepest = self.found.iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
        let Some(middle) = deepest.map(|p| p.point) else {
            return;
        };
        let surfaces = Surfaces { pair, n };
        self.leave(&surfaces, false, middle, margin);
        self.leave(&surfaces, true, middle, margin);
    }

    /// Adds a corner of the first or second shape, if it is new and lies above the other.
    fn try_corner(
        &mut self,
        surfaces: &Surfaces,
        (second, id, p): (bool, u16, DVec3),
        middle: DVec3,
        margin: f64,
    ) {
        let feature = corner_feature(second, id);
        if self.found.iter().any(|f| f.feature == u64::from(feature)) {
            return;
        }
        let beside = BESIDE * surfaces.pair.size;
        let gap = surfaces.gap(second, p).or_else(|| {
            // Faces of equal size have their corners just inside or just outside of each other.
            let inwards = (middle - p).reject_from_normalized(surfaces.n);
            surfaces.gap(second, p + inwards.normalize_or_zero() * beside)
        });
        let Some(gap) = gap.filter(|gap| *gap <= margin) else {
            return;
        };
        let point = surfaces.middle(second, p, gap);
        if self.is_new(point, beside) && surfaces.faces(second, p, beside) {
            self.push(feature, surfaces.n, point, gap);
        }
    }

    /// Where the segment of one shape that has the deepest point ends above nothing, adds the last
    /// points that are above the other shape; over a round surface, those halfway there.
    fn leave(&mut self, surfaces: &Surfaces, second: bool, middle: DVec3, margin: f64) {
        let (facet, other) = match second {
            true => (&self.b, &self.a),
            false => (&self.a, &self.b),
        };
        // Against a polygon the segment was clipped.
        if other.points.len() > 2 {
            return;
        }
        let (&[p, q], &[i, j]) = (facet.points.as_slice(), facet.ids.as_slice()) else {
            return;
        };
        let inner = nearest_on([p, q], middle);
        let Some(least) = surfaces.gap(second, inner) else {
            return;
        };
        for (end, id) in [(p, i), (q, j)] {
            let at = |t: f64| inner + (end - inner) * t;
            let mut reach = 1.0; // where the corner is, found above
            if surfaces.gap(second, end).is_none() {
                reach = surfaces.last_above(second, at);
                self.add_on_line((second, id, LEAVES), surfaces, at(reach), margin);
            }
            // Over a round surface the line may roll on between these two.
            if let Some(gap) = surfaces.gap(second, at(reach))
                && gap > least + CURVED * surfaces.pair.size
            {
                self.add_on_line((second, id, HALFWAY), surfaces, at(0.5 * reach), margin);
            }
        }
    }

    /// Adds the point `p` of an edge, named after the corner at the end of the edge, if it is
    /// within the margin and new.
    fn add_on_line(
        &mut self,
        (second, id, mark): (bool, u16, u32),
        surfaces: &Surfaces,
        p: DVec3,
        margin: f64,
    ) {
        if let Some(gap) = surfaces.gap(second, p).filter(|gap| *gap <= margin) {
            let point = surfaces.middle(second, p, gap);
            if self.is_new(point, BESIDE * surfaces.pair.size) {
                let feature = corner_feature(second, id) | mark;
                self.push(feature, surfaces.n, point, gap);
            }
        }
    }

    /// Whether no point is known there. The deepest one does not count: it moves.
    fn is_new(&self, point: DVec3, beside: f64) -> bool {
        let same = |q: DVec3| (q - point).length_squared() <= beside * beside;
        let mut found = self.found.iter();
        !found.any(|f| !is_deepest(f) && same(f.point))
    }
}

fn is_deepest(p: &ContactPoint) -> bool {
    p.feature == u64::from(DEEPEST)
}

/// The surfaces of a pair, as seen along its normal.
struct Surfaces<'a> {
    pair: &'a ConvexPair<'a>,
    n: DVec3,
}

impl Surfaces<'_> {
    /// How far the point `p` of the first or second shape is from the other's surface, along the
    /// normal; nothing when it is not above that shape.
    fn gap(&self, second: bool, p: DVec3) -> Option<f64> {
        if second {
            self.chord_a(p).map(|[_, leave]| -leave)
        } else {
            self.chord_b(p).map(|[enter, _]| enter)
        }
    }

    /// Whether the point `p` of the first or second shape is on the side that faces the other:
    /// nothing of its own shape lies between.
    fn faces(&self, second: bool, p: DVec3, slack: f64) -> bool {
        // The line through a corner may run along an edge. A little inwards it is clear of it. The
        // mean of a shape's outermost points to four sides lies inside.
        let (u, v) = self.n.any_orthonormal_pair();
        let sides = [u, -u, v, -v].map(|d| {
            let s = self.pair.supports(d);
            if second { s.b } else { s.a }
        });
        let inside = 0.25 * sides.iter().sum::<DVec3>();
        let inwards = (inside - p).reject_from_normalized(self.n);
        let p = p + inwards.normalize_or_zero() * (0.1 * slack);
        if second {
            self.chord_b(p).is_none_or(|[enter, _]| enter > -slack)
        } else {
            self.chord_a(p).is_none_or(|[_, leave]| leave < slack)
        }
    }

    fn chord_a(&self, p: DVec3) -> Option<Chord> {
        self.pair.a.chord(p, self.n)
    }

    fn chord_b(&self, p: DVec3) -> Option<Chord> {
        let back = self.pair.turn.transpose();
        let local = back * (p - self.pair.shift);
        self.pair.b.chord(local, back * self.n)
    }

    /// The largest `t` up to 1 at which `at(t)` is above the other shape, as it is for 0 and is not
    /// for 1.
    fn last_above(&self, second: bool, at: impl Fn(f64) -> DVec3) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let t = 0.5 * (low + high);
            *(if self.gap(second, at(t)).is_some() {
                &mut low
            } else {
                &mut high
            }) = t;
        }
        low
    }

    /// The point midway between `p` and the other shape.
    fn middle(&self, second: bool, p: DVec3, gap: f64) -> DVec3 {
        let half = self.n * (0.5 * gap);
        if second { p - half } else { p + half }
    }
}
