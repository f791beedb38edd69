//! The pitch line: the band around circles, as a curve on which pins are set.

use std::f64::consts::TAU;

use glam::DVec2;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Circle {
    pub center: DVec2,
    pub radius: f64,
}

/// A piece of the line.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// Counter-clockwise along a circle, from an angle.
    Arc { circle: Circle, from: f64 },
    /// From a point along a unit direction.
    Straight { start: DVec2, along: DVec2 },
}

/// A closed line around circles, counter-clockwise. It begins in the middle of its arc on the first
/// circle.
#[derive(Clone, Debug)]
pub(super) struct PitchLine {
    /// Each with its length.
    pieces: Vec<(Piece, f64)>,
    length: f64,
}

/// Directions in which the outermost circle is looked for.
const DIRECTIONS: usize = 3600;

impl PitchLine {
    /// `None` if the line does not touch the first circle.
    pub fn around(circles: &[Circle]) -> Option<Self> {
        let outer = outermost(circles);
        let first = outer.iter().position(|&c| c == 0)?;
        let order: Vec<usize> = (0..outer.len())
            .map(|k| outer[(first + k) % outer.len()])
            .collect();
        // The angle of the outward normal of each straight piece.
        let normals: Vec<f64> = (0..order.len())
            .map(|k| {
                let next = order[(k + 1) % order.len()];
                tangent(&circles[order[k]], &circles[next])
            })
            .collect();
        let mut pieces = Vec::new();
        for (k, &index) in order.iter().enumerate() {
            let circle = circles[index];
            let before = normals[(k + order.len() - 1) % order.len()];
            let turn = (normals[k] - before).rem_euclid(TAU);
            pieces.push((
                Piece::Arc {
                    circle,
                    from: before,
                },
                circle.radius * turn,
            ));
            if order.len() > 1 {
                let next = &circles[order[(k + 1) % order.len()]];
                let normal = DVec2::from_angle(normals[k]);
                let start = circle.center + circle.radius * normal;
                let way = next.center + next.radius * normal - start;
                let along = normal.perp();
                pieces.push((Piece::Straight { start, along }, way.length()));
            }
        }
        // Begin in the middle of the first arc.
        let (Piece::Arc { circle, from }, length) = pieces[0] else {
            return None;
        };
        let half = 0.5 * length;
        let middle = from + half / circle.radius;
        pieces[0] = (
            Piece::Arc {
                circle,
                from: middle,
            },
            half,
        );
        pieces.push((Piece::Arc { circle, from }, half));
        let length = pieces.iter().map(|(_, length)| length).sum();
        Some(Self { pieces, length })
    }

    /// The point at a way along the line from its beginning.
    fn at(&self, way: f64) -> DVec2 {
        let mut left = way.rem_euclid(self.length);
        for (piece, length) in &self.pieces {
            if left <= *length {
                return piece.at(left);
            }
            left -= length;
        }
        self.pieces[0].0.at(0.0)
    }

    /// The way at which the next pin is `pitch` away in a straight line.
    fn next(&self, way: f64, pitch: f64) -> f64 {
        let here = self.at(way);
        // A chord is shorter than its way, but not by much: the line is convex and the pitch small
        // against its bends.
        let (mut low, mut high) = (way, way + 2.0 * pitch);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if middle == low {
                break; // nothing lies between: further rounds would change nothing
            }
            if self.at(middle).distance(here) < pitch {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The way of so many pins of a pitch, or one beyond the whole length.
    fn walk(&self, pitch: f64, count: usize) -> f64 {
        let mut way = 0.0;
        for _ in 0..count {
            way = self.next(way, pitch);
            // Ways only grow: the rest would not change the answer of who asks.
            if way >= self.length {
                break;
            }
        }
        way
    }

    /// The pitch at which so many pins close.
    pub fn pitch_for(&self, count: usize) -> f64 {
        let even = self.length / count as f64;
        let (mut low, mut high) = (0.7 * even, even);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.walk(middle, count) < self.length {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The pins, the first at the beginning.
    pub fn pins(&self, pitch: f64, count: usize) -> Vec<DVec2> {
        let ways = std::iter::successors(Some(0.0), |way| Some(self.next(*way, pitch)));
        ways.take(count).map(|way| self.at(way)).collect()
    }
}

impl Piece {
    fn at(&self, way: f64) -> DVec2 {
        match self {
            Self::Arc { circle, from } => {
                circle.center + circle.radius * DVec2::from_angle(from + way / circle.radius)
            }
            Self::Straight { start, along } => *start + way * *along,
        }
    }
}

/// Circles that are outermost in some direction, counter-clockwise.
fn outermost(circles: &[Circle]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for k in 0..DIRECTIONS {
        // Off the axes, where circles in a row would tie.
        let direction = DVec2::from_angle(TAU * (k as f64 + 0.3719) / DIRECTIONS as f64);
        let reach = |c: &Circle| c.center.dot(direction) + c.radius;
        let best = (0..circles.len()).max_by(|&a, &b| {
            let [a, b] = [a, b].map(|c| reach(&circles[c]));
            a.total_cmp(&b)
        });
        if let Some(best) = best.filter(|best| order.last() != Some(best)) {
            order.push(best);
        }
    }
    if order.len() > 1 && order.first() == order.last() {
        order.pop();
    }
    order
}

/// Angle of the outward normal of the outer tangent from one circle to the next, counter-clockwise.
fn tangent(a: &Circle, b: &Circle) -> f64 {
    let way = b.center - a.center;
    // normal · way = radius a − radius b, and the normal is to the right of the way.
    let share = ((a.radius - b.radius) / way.length()).clamp(-1.0, 1.0);
    way.to_angle() - share.acos()
}
