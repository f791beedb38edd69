//! The contact points of two convex shapes whose normal is known.
//!
//! The features that face each other are clipped along the normal: a polygon or a segment against
//! the side planes of a polygon (Sutherland and Hodgman, "Reentrant polygon clipping", 1974). Over
//! the common part the gap is linear, so its least value is at a corner. [`super::corners`] adds
//! what two flat features do not have: the corners that may come to touch a round surface or
//! another face.
//!
//! The identity of a point is the corner of a shape at which it lies, or the pair of edges that
//! meet in it. Small motions change neither.

use glam::DVec3;

use super::ContactPoint;
use super::facet::{Facet, FacetCorners};
use super::normal::ConvexPair;
use super::segments::{crossing, nearest_on, parallel_segments};
use super::spread::{merge, spread};
use crate::pose::Pose;

/// Lengths that do not matter, in shares of the smaller shape's size: points this near to each
/// other are one.
const SLACK: f64 = 1e-6;
/// Corners this far outside still count as inside, in shares of the smaller shape's size. On faces
/// of equal size the identities of the corners would otherwise change with the motions of about a
/// millionth of the size that bodies at rest make; this is ten times as much.
const OVERHANG: f64 = 1e-5;
/// How near two supports must be to meet, in units of the slack. They come from different formulas,
/// and a normal that is right to 1e-7 moves a support by as much as that times the size.
const MEETING: f64 = 10.0;
/// How much of a gap the ends of a connection may be beside each other: the same error of the
/// normal, times its length.
const SLANT: f64 = 1e-6;
/// By how much the second face must be better aligned with the normal to be the reference. Two
/// faces at rest on each other are equally well aligned, and rounding must not change which refers.
const ALIGNMENT: f64 = 1e-9;
/// Edges of the incident feature are numbered from 0, those of the reference from here: each number
/// takes ten bits of a feature.
const REFERENCE: u16 = 512;
/// The feature of a point that no corner stands for: the deepest one. With a number added, that of
/// a corner; such features do not depend on what else faces each other.
pub(super) const DEEPEST: u32 = 1 << 31;
/// In the feature of a corner, whose it is.
const OF_SHAPE: [u32; 2] = [1 << 16, 1 << 17];
/// No corner of its shape.
const NO_CORNER: u16 = u16::MAX;

/// The feature of corner `id` of the first or the second shape.
pub(super) fn corner_feature(second: bool, id: u16) -> u32 {
    DEEPEST | OF_SHAPE[usize::from(second)] | u32::from(id)
}

/// A corner of the polygon that is being clipped, in the frame of the first shape.
#[derive(Clone, Copy, Debug)]
struct ClipCorner {
    point: DVec3,
    /// The edge that leads to the next corner.
    edge: u16,
    /// Its number, where it is a corner of its shape.
    id: u16,
}

/// A direction along which two shapes touch, in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactAxis {
    /// From the first to the second.
    pub normal: DVec3,
    /// Separation of the cores along the normal, m.
    pub separation: f64,
    /// What to do when the clipped features do not contain the point of least gap.
    pub missed: WhenMissed,
}

/// What to do when the features that face each other do not contain the point of least gap.
#[derive(Clone, Copy, Debug)]
pub(super) enum WhenMissed {
    /// Add it: if need be midway between the nearest points of the cores, which are given where
    /// they are known.
    Add(Option<[DVec3; 2]>),
    /// Leave it out, and whatever does not lie above the first shape's face. That shape is a
    /// triangle of a surface, and its neighbours see the rest.
    AboveOnly,
    /// Then this is not the axis of contact: write nothing and say so.
    Refuse,
}

/// Work memory.
#[derive(Debug, Default)]
pub(super) struct Clipper {
    pub(super) a: FacetCorners,
    pub(super) b: FacetCorners,
    polygon: Vec<ClipCorner>,
    next: Vec<ClipCorner>,
    /// Points in the frame of the first shape.
    pub(super) found: Vec<ContactPoint>,
}

impl Clipper {
    /// Appends the points with a gap of at most `margin`; `pose` is that of the first shape. False
    /// when the axis was refused: see [`WhenMissed::Refuse`].
    pub(super) fn manifold(
        &mut self,
        pair: &ConvexPair,
        axis: &ContactAxis,
        margin: f64,
        pose: &Pose,
        out: &mut Vec<ContactPoint>,
    ) -> bool {
        let normal = axis.normal;
        let gap = axis.separation - pair.a.rounding() - pair.b.rounding();
        let slack = SLACK * pair.size;
        // A point farther than this below the outermost one of its shape has a larger gap.
        let depth = (margin - gap).max(0.0);
        let facet_a = pair.a.facet(normal, depth, &mut self.a);
        let back = pair.turn.transpose() * -normal;
        let facet_b = pair.b.facet(back, depth, &mut self.b);
        for p in &mut self.b.points {
            *p = pair.shift + pair.turn * *p;
        }
        let facet_b = Facet {
            normal: pair.turn * facet_b.normal,
            ..facet_b
        };
        self.found.clear();
        let a_refers = self.clip_features(&facet_a, &facet_b, normal, gap, slack);
        if matches!(axis.missed, WhenMissed::AboveOnly) {
            let above = &self.a.points;
            self.found.retain(|f| inside(above, normal, f.point, slack));
        }
        self.add_corners(pair, normal, gap, margin);
        // Round rims reach below the polygons that stand for them, and corners may just miss each
        // other.
        let deepest = self
            .found
            .iter()
            .map(|f| f.gap)
            .fold(f64::INFINITY, f64::min);
        if deepest > gap + slack {
            match self.deepest_middle(pair, axis, gap, slack) {
                Some(middle) => self.push(DEEPEST, normal, middle, gap),
                None if matches!(axis.missed, WhenMissed::Refuse) => return false,
                None => {}
            }
        }
        if matches!(axis.missed, WhenMissed::Add(_)) {
            self.add_ends(pair, normal, margin);
        }
        self.found.retain(|f| f.gap <= margin);
        merge(&mut self.found, slack);
        let kept = spread(&mut self.found, normal, slack);
        self.found.truncate(kept);
        if matches!(axis.missed, WhenMissed::Add(_)) {
            self.sharpen(gap, slack);
        }

        // Where edges cross, bits 20 to 29 of a feature say which two faces or edges were clipped,
        // five bits for each; bit 30 which of them was the reference.
        let features = facet_a.id & 31 | (facet_b.id & 31) << 5;
        let common = features << 20 | u32::from(a_refers) << 30;
        let of = |f: u64| match f & u64::from(DEEPEST) {
            0 => f | u64::from(common),
            _ => f,
        };
        let world = pose.direction(normal);
        out.extend(self.found.iter().map(|f| ContactPoint {
            feature: of(f.feature),
            normal: world,
            point: pose.point(f.point),
            gap: f.gap,
        }));
        true
    }

    /// Makes the least gap exact. Along the normal nothing is nearer than the separation, but a
    /// corner that overhangs a sloping edge was measured against the edge drawn out. And a corner
    /// that is nearly the deepest point stands for it: one or two of them, but not those of a
    /// face, which would no longer lie in a plane.
    fn sharpen(&mut self, gap: f64, slack: f64) {
        for f in &mut self.found {
            f.gap = f.gap.max(gap);
        }
        if self.found.len() > 2 {
            return;
        }
        let deepest = self.found.iter_mut().min_by(|p, q| p.gap.total_cmp(&q.gap));
        // Left out may be one that is deeper by the slack, and that one may be short by as much.
        if let Some(f) = deepest.filter(|f| f.gap <= gap + 2.0 * slack) {
            f.gap = gap;
        }
    }

    /// The middle of the contact at which the shapes' outermost points along the normal meet;
    /// nothing when they do not and [`ContactAxis::missed`] does not ask for a point all the same.
    fn deepest_middle(
        &self,
        pair: &ConvexPair,
        axis: &ContactAxis,
        gap: f64,
        slack: f64,
    ) -> Option<DVec3> {
        let n = axis.normal;
        let s = pair.supports(n);
        let (rounding_a, rounding_b) = (pair.a.rounding(), pair.b.rounding());
        let (on_a, on_b) = (s.a + n * rounding_a, s.b - n * rounding_b);
        if holds(&self.a.points, n, on_b - n * gap, slack) {
            return Some(on_b - n * (0.5 * gap));
        }
        match axis.missed {
            // Two round rims.
            WhenMissed::Add(_) if (on_b - on_a - n * gap).length() <= MEETING * slack => {
                Some(0.5 * (on_a + on_b))
            }
            WhenMissed::Add(_) if holds(&self.b.points, -n, on_a + n * gap, slack) => {
                Some(on_a + n * (0.5 * gap))
            }
            WhenMissed::Add(witness) => {
                let [p, q] = witness.unwrap_or([s.a, s.b]);
                Some(0.5 * (p + q + n * (rounding_a - rounding_b)))
            }
            WhenMissed::AboveOnly | WhenMissed::Refuse => None,
        }
    }

    /// Adds a point.
    pub(super) fn push(&mut self, code: u32, normal: DVec3, point: DVec3, gap: f64) {
        self.found.push(ContactPoint {
            feature: u64::from(code),
            normal,
            point,
            gap,
        });
    }

    /// Clips the feature of one shape against that of the other and fills `found`. Says whether A's
    /// polygon was the reference: the one whose sides clip.
    fn clip_features(
        &mut self,
        facet_a: &Facet,
        facet_b: &Facet,
        normal: DVec3,
        gap: f64,
        slack: f64,
    ) -> bool {
        let (count_a, count_b) = (self.a.points.len(), self.b.points.len());
        if count_a < 3 && count_b < 3 {
            self.segments(normal, gap, slack);
            return false;
        }
        let (align_a, align_b) = (facet_a.normal.dot(normal), -facet_b.normal.dot(normal));
        let a_refers = count_b < 3 || (count_a >= 3 && align_a >= align_b - ALIGNMENT);
        let (reference, incident) = if a_refers {
            (&self.a, &self.b)
        } else {
            (&self.b, &self.a)
        };
        let sides = &reference.points;
        let overhang = slack * (OVERHANG / SLACK);
        let (out, sign) = if a_refers {
            (normal, 1.0)
        } else {
            (-normal, -1.0)
        };
        self.polygon.clear();
        let corners = incident.points.iter().zip(&incident.ids).enumerate();
        self.polygon
            .extend(corners.map(|(k, (&point, &id))| ClipCorner {
                point,
                edge: k as u16 % REFERENCE,
                id,
            }));
        for k in 0..sides.len() {
            let (p, q) = (sides[k], sides[(k + 1) % sides.len()]);
            let Some(side) = (q - p).cross(out).try_normalize() else {
                continue;
            };
            let edge = REFERENCE + k as u16 % REFERENCE;
            clip(&self.polygon, &mut self.next, side, p, edge, overhang);
            std::mem::swap(&mut self.polygon, &mut self.next);
        }
        let plane = if a_refers {
            facet_a.normal
        } else {
            facet_b.normal
        };
        let count = self.polygon.len();
        for k in 0..count {
            let (c, before) = (self.polygon[k], self.polygon[(k + count - 1) % count]);
            // Along the normal down to the reference plane.
            let down = plane.dot(sides[0] - c.point) / plane.dot(normal);
            let code = if c.id != NO_CORNER {
                corner_feature(a_refers, c.id)
            } else if before.edge >= REFERENCE && c.edge >= REFERENCE {
                // Two sides of the reference meet in its corner, at the start of the later one.
                let k = usize::from(c.edge - REFERENCE) % sides.len();
                corner_feature(!a_refers, reference.ids[k])
            } else {
                u32::from(before.edge) << 10 | u32::from(c.edge)
            };
            self.found.push(ContactPoint {
                feature: u64::from(code),
                normal,
                point: c.point + normal * (0.5 * down),
                gap: -sign * down,
            });
        }
        a_refers
    }

    /// Points and segments against each other: fills `found`.
    fn segments(&mut self, normal: DVec3, gap: f64, slack: f64) {
        let half = normal * (0.5 * gap);
        let meet = |p: DVec3, q: DVec3| {
            // The connection must run along the normal.
            ((q - p) - normal * gap).length() <= MEETING * slack + SLANT * gap.abs()
        };
        let (a, b) = (&self.a, &self.b);
        let found = match (a.points.as_slice(), b.points.as_slice()) {
            (&[p, q], &[r, s]) => {
                if let Some(ends) = parallel_segments([p, q], [r, s], normal, slack) {
                    self.found.extend(ends.map(|end| ContactPoint {
                        feature: u64::from(corner_feature(
                            end.of_second,
                            if end.of_second { &b.ids } else { &a.ids }[end.which],
                        )),
                        normal,
                        point: end.point,
                        gap: end.gap,
                    }));
                    return;
                }
                let [on_a, on_b] = crossing([p, q], [r, s], normal);
                meet(on_a, on_b).then(|| 0.5 * (on_a + on_b))
            }
            (&[p], &[q]) => meet(p, q).then(|| 0.5 * (p + q)),
            (&[p], &[r, s]) => meet(p, nearest_on([r, s], p + 2.0 * half)).then_some(p + half),
            (&[r, s], &[q]) => meet(nearest_on([r, s], q - 2.0 * half), q).then_some(q - half),
            // A feature has at least one point, and here at most two.
            _ => None,
        };
        let code = match (a.ids.as_slice(), b.ids.as_slice()) {
            (&[id], _) => corner_feature(false, id),
            (_, &[id]) => corner_feature(true, id),
            _ => DEEPEST,
        };
        if let Some(middle) = found {
            self.push(code, normal, middle, gap);
        }
    }
}

/// Keeps the part of a polygon that lies behind the plane through `origin` with the outward normal
/// `side`. What sticks out by less than `slack` is not cut.
fn clip(
    polygon: &[ClipCorner],
    result: &mut Vec<ClipCorner>,
    side: DVec3,
    origin: DVec3,
    edge: u16,
    slack: f64,
) {
    result.clear();
    let count = polygon.len();
    let height = |c: &ClipCorner| side.dot(c.point - origin);
    for k in 0..count {
        let (here, there) = (polygon[k], polygon[(k + 1) % count]);
        let (h, t) = (height(&here), height(&there));
        let cut = |edge: u16| ClipCorner {
            point: here.point + (there.point - here.point) * (h / (h - t)),
            edge,
            id: NO_CORNER,
        };
        if h <= slack {
            if t > slack && h < -slack {
                // Leaves: from here the clipping edge leads on.
                result.extend([here, cut(edge)]);
            } else if t > slack {
                // Starts on the plane: this corner is where it leaves.
                result.push(ClipCorner { edge, ..here });
            } else {
                result.push(here);
            }
        } else if t < -slack {
            result.push(cut(here.edge));
        }
    }
    // A segment counts as a polygon of two sides, there and back: its cuts come twice.
    if count == 2 && result.len() > 2 {
        result.truncate(2);
    }
}

/// Whether a feature contains `p`. For a polygon, `out` is about its normal.
fn holds(feature: &[DVec3], out: DVec3, p: DVec3, slack: f64) -> bool {
    match *feature {
        [a, b] => (nearest_on([a, b], p) - p).length() <= MEETING * slack,
        [a, b, c, ..] => {
            let height = (b - a).cross(c - a).normalize_or_zero().dot(p - a);
            height.abs() <= MEETING * slack && inside(feature, out, p, slack)
        }
        [a] => a.distance(p) <= MEETING * slack,
        [] => false,
    }
}

/// Whether `p`, moved along `out`, lies within the polygon.
fn inside(polygon: &[DVec3], out: DVec3, p: DVec3, slack: f64) -> bool {
    let count = polygon.len();
    count >= 3
        && (0..count).all(|k| {
            let (q, r) = (polygon[k], polygon[(k + 1) % count]);
            (r - q).cross(out).normalize_or_zero().dot(p - q) <= slack
        })
}
