//! The contact points of two convex shapes whose normal is known.
//!
//! The features that face each other are clipped along the normal: a polygon or a segment against the side planes of a polygon
//! (Sutherland and Hodgman). Over the common part the gap is linear, so its least value is at a corner. A corner's identity is
//! the pair of edges that meet in it, which small motions do not change.

use glam::DVec3;

use super::Point;
use super::facet::Facet;
use super::normal::Pair;
use crate::pose::Pose;

/// Lengths that do not matter, relative to the smaller shape: corners this far outside still count as inside, points this near
/// to each other are one.
const SLACK: f64 = 1e-6;
/// Sine of the angle up to which two segments count as parallel.
const PARALLEL: f64 = 0.05;
/// Points of a pair at most.
const MOST: usize = 8;
/// Edges of the incident feature are numbered from 0, those of the reference from here.
const REFERENCE: u16 = 512;

/// A corner on the way, in the frame of the first shape.
#[derive(Clone, Copy, Debug)]
struct Corner {
    point: DVec3,
    /// The edge that leads to the next corner.
    edge: u16,
}

/// A contact point in the frame of the first shape.
#[derive(Clone, Copy, Debug)]
struct Found {
    code: u32,
    middle: DVec3,
    gap: f64,
}

/// Work memory.
#[derive(Debug, Default)]
pub(super) struct Clipper {
    a: Vec<DVec3>,
    b: Vec<DVec3>,
    polygon: Vec<Corner>,
    next: Vec<Corner>,
    found: Vec<Found>,
}

impl Clipper {
    /// Appends the points with a gap of at most `margin`. `normal` and `witness` (nearest points of the cores, where known) are
    /// in A's frame, `separation` is that of the cores along the normal.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn manifold(
        &mut self,
        pair: &Pair,
        normal: DVec3,
        separation: f64,
        witness: Option<[DVec3; 2]>,
        margin: f64,
        pose: &Pose,
        out: &mut Vec<Point>,
    ) {
        let (rounding_a, rounding_b) = (pair.a.rounding(), pair.b.rounding());
        let gap = separation - rounding_a - rounding_b;
        let slack = SLACK * pair.size();
        let facet_a = pair.a.facet(normal, &mut self.a);
        let facet_b = pair.b.facet(pair.turn.transpose() * -normal, &mut self.b);
        for p in &mut self.b {
            *p = pair.shift + pair.turn * *p;
        }
        let facet_b = Facet {
            normal: pair.turn * facet_b.normal,
            ..facet_b
        };
        self.found.clear();
        let a_refers = self.clip_features(&facet_a, &facet_b, normal, gap, slack);

        // Round rims reach below the polygons that stand for them, and corners may just miss each other.
        let deepest = self
            .found
            .iter()
            .map(|f| f.gap)
            .fold(f64::INFINITY, f64::min);
        if deepest > gap + slack {
            let s = pair.supports(normal);
            let (on_a, on_b) = (s.a + normal * rounding_a, s.b - normal * rounding_b);
            let middle = if inside(&self.b, -normal, on_a, slack) {
                on_a + normal * (0.5 * gap)
            } else if inside(&self.a, normal, on_b, slack) {
                on_b - normal * (0.5 * gap)
            } else {
                let [p, q] = witness.unwrap_or([s.a, s.b]);
                0.5 * (p + q + normal * (rounding_a - rounding_b))
            };
            self.found.push(Found {
                code: 1 << 31,
                middle,
                gap,
            });
        }
        self.found.retain(|f| f.gap <= margin);
        merge(&mut self.found, slack);
        spread(&mut self.found, normal, slack);

        let features = facet_a.id & 31 | (facet_b.id & 31) << 5;
        let world = pose.direction(normal);
        out.extend(self.found.iter().map(|f| Point {
            feature: u64::from(f.code | features << 20 | u32::from(a_refers) << 30),
            normal: world,
            point: pose.point(f.middle),
            gap: f.gap,
        }));
    }

    /// Fills `found`; says whether A's polygon was the reference.
    fn clip_features(
        &mut self,
        facet_a: &Facet,
        facet_b: &Facet,
        normal: DVec3,
        gap: f64,
        slack: f64,
    ) -> bool {
        let (count_a, count_b) = (self.a.len(), self.b.len());
        if count_a < 3 && count_b < 3 {
            self.segments(normal, gap, slack);
            return false;
        }
        let (align_a, align_b) = (facet_a.normal.dot(normal), -facet_b.normal.dot(normal));
        let a_refers = count_b < 3 || (count_a >= 3 && align_a >= align_b - 1e-9);
        let (reference, incident) = if a_refers {
            (&self.a, &self.b)
        } else {
            (&self.b, &self.a)
        };
        let (out, sign) = if a_refers {
            (normal, 1.0)
        } else {
            (-normal, -1.0)
        };
        self.polygon.clear();
        self.polygon
            .extend(incident.iter().enumerate().map(|(k, &point)| Corner {
                point,
                edge: k as u16 % REFERENCE,
            }));
        for k in 0..reference.len() {
            let (p, q) = (reference[k], reference[(k + 1) % reference.len()]);
            let Some(side) = (q - p).cross(out).try_normalize() else {
                continue;
            };
            let edge = REFERENCE + k as u16 % REFERENCE;
            clip(&self.polygon, &mut self.next, side, p, edge, slack);
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
            let down = plane.dot(reference[0] - c.point) / plane.dot(normal);
            self.found.push(Found {
                code: u32::from(before.edge) << 10 | u32::from(c.edge),
                middle: c.point + normal * (0.5 * down),
                gap: -sign * down,
            });
        }
        a_refers
    }

    /// Points and segments against each other.
    fn segments(&mut self, normal: DVec3, gap: f64, slack: f64) {
        let half = normal * (0.5 * gap);
        let found = match (self.a.as_slice(), self.b.as_slice()) {
            (&[p, q], &[r, s]) => {
                if parallel_segments([p, q], [r, s], normal, slack, &mut self.found) {
                    return;
                }
                crossing([p, q], [r, s], normal)
            }
            (&[p], &[q]) => 0.5 * (p + q),
            (&[p], _) => p + half,
            (_, &[q]) => q - half,
            // A feature has at least one point, and here at most two.
            _ => return,
        };
        self.found.push(Found {
            code: 0,
            middle: found,
            gap,
        });
    }
}

/// Keeps what lies behind the plane through `origin` with the outward normal `side`.
fn clip(
    polygon: &[Corner],
    result: &mut Vec<Corner>,
    side: DVec3,
    origin: DVec3,
    edge: u16,
    slack: f64,
) {
    result.clear();
    let count = polygon.len();
    if count == 1 {
        result.extend_from_slice(polygon);
        return;
    }
    let height = |c: &Corner| side.dot(c.point - origin);
    for k in 0..count {
        let (here, there) = (polygon[k], polygon[(k + 1) % count]);
        let (h, t) = (height(&here), height(&there));
        let cut = |edge: u16| Corner {
            point: here.point + (there.point - here.point) * (h / (h - t)),
            edge,
        };
        if h <= slack {
            if t > slack && h < -slack {
                // Leaves: from here the clipping edge leads on.
                result.extend([here, cut(edge)]);
            } else if t > slack {
                // Starts on the plane: this corner is where it leaves.
                result.push(Corner { edge, ..here });
            } else {
                result.push(here);
            }
        } else if t < -slack {
            result.push(cut(here.edge));
        }
    }
    // A segment's way back is the segment again: its cuts come twice.
    if count == 2 && result.len() > 2 {
        result.truncate(2);
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

/// Two points where parallel segments run beside each other; false when they cross or do not.
fn parallel_segments(
    [p, q]: [DVec3; 2],
    [r, s]: [DVec3; 2],
    normal: DVec3,
    slack: f64,
    found: &mut Vec<Found>,
) -> bool {
    let (length_a, length_b) = ((q - p).length(), (s - r).length());
    if length_a <= slack || length_b <= slack {
        return false;
    }
    let u = (q - p) / length_a;
    if u.cross((s - r) / length_b).length_squared() > PARALLEL * PARALLEL {
        return false;
    }
    let (x, y) = (u.dot(r - p), u.dot(s - p));
    // Parameters of the ends on B's segment that lie beside A's.
    let at = |along: f64| (along - x) / (y - x);
    let (low, high) = (x.min(y).max(0.0), x.max(y).min(length_a));
    if high - low <= slack {
        return false;
    }
    for (code, along) in [(1, low), (2, high)] {
        let on_a = p + u * along;
        let on_b = r + (s - r) * at(along);
        found.push(Found {
            code,
            middle: 0.5 * (on_a + on_b),
            gap: normal.dot(on_b - on_a),
        });
    }
    true
}

/// Midway between the nearest points of two segments seen along the normal.
fn crossing([p, q]: [DVec3; 2], [r, s]: [DVec3; 2], normal: DVec3) -> DVec3 {
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
    0.5 * (on_a + on_b)
}

/// Points closer than `slack` become one, the deeper.
fn merge(found: &mut Vec<Found>, slack: f64) {
    let mut kept = 0;
    for k in 0..found.len() {
        let f = found[k];
        let near = |g: &&mut Found| (g.middle - f.middle).length_squared() <= slack * slack;
        match found[..kept].iter_mut().find(near) {
            Some(g) => g.gap = g.gap.min(f.gap),
            None => {
                found[kept] = f;
                kept += 1;
            }
        }
    }
    found.truncate(kept);
}

/// At most [`MOST`] points: the outermost in directions fixed to the first shape, so that the choice does not change from step to
/// step, and the deepest if it is deeper than those by more than `slack`.
fn spread(found: &mut Vec<Found>, normal: DVec3, slack: f64) {
    if found.len() <= MOST {
        return;
    }
    let aside = if normal.x.abs() > 0.6 {
        DVec3::Y
    } else {
        DVec3::X
    };
    let u = normal.cross(aside).normalize_or(DVec3::Z);
    let v = normal.cross(u);
    let mut kept = 0;
    for k in 0..MOST {
        // Turned off the axes: a regular polygon has a single outermost corner then.
        let (sin, cos) = (std::f64::consts::TAU * (k as f64 + 0.1) / MOST as f64).sin_cos();
        let direction = u * cos + v * sin;
        kept += usize::from(take(found, kept, |f| f.middle.dot(direction)));
    }
    let least = |fs: &[Found]| fs.iter().map(|f| f.gap).fold(f64::INFINITY, f64::min);
    if least(found) < least(&found[..kept]) - slack {
        kept -= usize::from(kept == MOST);
        kept += usize::from(take(found, kept, |f| -f.gap));
    }
    found.truncate(kept);
}

/// Moves the item of greatest `measure` to position `kept` unless it is among the first already.
fn take(found: &mut [Found], kept: usize, measure: impl Fn(&Found) -> f64) -> bool {
    let mut best = 0;
    for k in 1..found.len() {
        if measure(&found[k]) > measure(&found[best]) {
            best = k;
        }
    }
    if best >= kept {
        found.swap(best, kept);
    }
    best >= kept
}
