//! Products of intervals and discs: the sets that the active-set methods of Heyn 2013 work on.
//!
//! Heyn 2013, eq. 11 has bounds `gamma ≥ 0` only. Intervals serve motors and joints; discs serve
//! friction with given slip bounds, as in R. Kučera (2008, Convergence rate of an optimization
//! algorithm for minimizing quadratic functions with separable convex constraints), the source of
//! Heyn's method of that name. A pair of rows on the rim of its disc is active as a pair. All
//! figures are of one process; who uses them reduces.

use crate::cone::{Cone, Cones};
use crate::norm::length;

/// One factor of the product: the set of one to six rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Free {
        rows: usize,
    },
    Interval {
        lower: f64,
        upper: f64,
    },
    /// `‖(x, y)‖ ≤ radius`.
    Disc {
        radius: f64,
    },
}

/// A product of intervals, discs and free rows, in the row order of the cones that it was made
/// from.
#[derive(Clone, Debug)]
pub(crate) struct BoundSet {
    /// First row and factor.
    pieces: Vec<(usize, Piece)>,
    /// Which pieces are friction parts, in order.
    friction: Vec<usize>,
}

impl BoundSet {
    /// Friction parts start with a bound of zero.
    pub fn new(cones: &Cones) -> Self {
        let mut this = Self {
            pieces: Vec::new(),
            friction: Vec::new(),
        };
        for (block, cone) in cones.iter() {
            let first = match *cone {
                Cone::Free { rows } => Piece::Free { rows },
                Cone::Interval { lower, upper } => Piece::Interval { lower, upper },
                Cone::NonNegative
                | Cone::Friction { .. }
                | Cone::Rolling { .. }
                | Cone::RollingSpinning { .. } => Piece::Interval {
                    lower: -cone.cohesion(),
                    upper: f64::INFINITY,
                },
            };
            this.pieces.push((block.start, first));
            for part in cone.parts().as_slice() {
                this.friction.push(this.pieces.len());
                this.pieces
                    .push((block.start + part.start, friction_piece(part.len, 0.0)));
            }
        }
        this
    }

    /// Whether any bound depends on an impulse.
    pub fn has_friction(&self) -> bool {
        !self.friction.is_empty()
    }

    /// Sets the bounds of the friction parts, in order, N s.
    pub fn set_friction_bounds(&mut self, bounds: &[f64]) {
        for (&at, &bound) in self.friction.iter().zip(bounds) {
            let rows = self.pieces[at].1.rows();
            self.pieces[at].1 = friction_piece(rows, bound);
        }
    }

    /// Euclidean projection, in place.
    pub fn project(&self, x: &mut [f64]) {
        for &(start, piece) in &self.pieces {
            piece.project(&mut x[start..start + piece.rows()]);
        }
    }

    /// `w² ‖x − Π(x − g/w)‖²`, (m/s)².
    pub fn natural_residual(&self, x: &[f64], g: &[f64], w: f64) -> f64 {
        let mut sum = 0.0;
        for &(start, piece) in &self.pieces {
            let rows = piece.rows();
            let mut y = [0.0; crate::cone::MAX_ROWS];
            (0..rows).for_each(|k| y[k] = x[start + k] - g[start + k] / w);
            piece.project(&mut y[..rows]);
            sum += (0..rows)
                .map(|k| (w * (x[start + k] - y[k])).powi(2))
                .sum::<f64>();
        }
        sum
    }

    /// Marks the rows that lie on their bound.
    pub fn active(&self, x: &[f64], mask: &mut [bool]) {
        for &(start, piece) in &self.pieces {
            let rows = start..start + piece.rows();
            let on = piece.on_bound(&x[rows.clone()]);
            mask[rows].fill(on);
        }
    }

    /// The projected gradient, Heyn 2013, eq. 14: what of `g` a feasible move can follow downhill.
    pub fn projected_gradient(&self, x: &[f64], g: &[f64], out: &mut [f64]) {
        for &(start, piece) in &self.pieces {
            let rows = start..start + piece.rows();
            piece.projected_gradient(&x[rows.clone()], &g[rows.clone()], &mut out[rows]);
        }
    }

    /// The largest α with `x − α p` in the set, for `x` in it (Heyn 2013, KUCERA, line 7); rows on
    /// their bound must have `p = 0`.
    pub fn longest_step(&self, x: &[f64], p: &[f64]) -> f64 {
        let mut longest = f64::INFINITY;
        for &(start, piece) in &self.pieces {
            let rows = start..start + piece.rows();
            longest = longest.min(piece.longest_step(&x[rows.clone()], &p[rows]));
        }
        longest
    }
}

/// A spinning part has one row: its disc is an interval.
fn friction_piece(rows: usize, bound: f64) -> Piece {
    match rows {
        2 => Piece::Disc { radius: bound },
        _ => Piece::Interval {
            lower: -bound,
            upper: bound,
        },
    }
}

impl Piece {
    fn rows(&self) -> usize {
        match *self {
            Self::Free { rows } => rows,
            Self::Interval { .. } => 1,
            Self::Disc { .. } => 2,
        }
    }

    fn project(&self, x: &mut [f64]) {
        match *self {
            Self::Free { .. } => {}
            Self::Interval { lower, upper } => x[0] = x[0].max(lower).min(upper),
            Self::Disc { radius } => {
                let length = length(x);
                if length > radius {
                    x.iter_mut().for_each(|v| *v *= radius / length);
                }
            }
        }
    }

    fn on_bound(&self, x: &[f64]) -> bool {
        match *self {
            Self::Free { .. } => false,
            Self::Interval { lower, upper } => x[0] <= lower || x[0] >= upper,
            Self::Disc { radius } => length(x) >= radius * (1.0 - ON_CIRCLE),
        }
    }

    fn projected_gradient(&self, x: &[f64], g: &[f64], out: &mut [f64]) {
        out.copy_from_slice(g);
        match *self {
            Self::Free { .. } => {}
            Self::Interval { lower, upper } => {
                if x[0] <= lower {
                    out[0] = out[0].min(0.0);
                }
                if x[0] >= upper {
                    out[0] = out[0].max(0.0);
                }
            }
            Self::Disc { radius } => {
                if radius == 0.0 {
                    out.fill(0.0);
                } else if self.on_bound(x) {
                    // Only the outward part of −g is held back.
                    let square = x[0] * x[0] + x[1] * x[1];
                    let outward = (g[0] * x[0] + g[1] * x[1]).min(0.0) / square;
                    out[0] -= outward * x[0];
                    out[1] -= outward * x[1];
                }
            }
        }
    }

    fn longest_step(&self, x: &[f64], p: &[f64]) -> f64 {
        match *self {
            Self::Free { .. } => f64::INFINITY,
            Self::Interval { lower, upper } => {
                if p[0] > 0.0 {
                    ((x[0] - lower) / p[0]).max(0.0)
                } else if p[0] < 0.0 {
                    ((x[0] - upper) / p[0]).max(0.0)
                } else {
                    f64::INFINITY
                }
            }
            Self::Disc { radius } => {
                // ‖x − αp‖² = radius²: the larger root.
                let (a, b) = (p[0] * p[0] + p[1] * p[1], x[0] * p[0] + x[1] * p[1]);
                if a == 0.0 {
                    return f64::INFINITY;
                }
                let c = (x[0] * x[0] + x[1] * x[1] - radius * radius).min(0.0);
                ((b + (b * b - a * c).sqrt()) / a).max(0.0)
            }
        }
    }
}

/// Relative distance from the circle below which a point lies on it. A projected point misses it by
/// a few roundings; a wider rim would hold points that should be free.
const ON_CIRCLE: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_by_hand() {
        let mut set = BoundSet::new(&Cones::friction(&[0.5]).unwrap());
        set.set_friction_bounds(&[5.0]);
        // (6, 8) has length 10: halved it lies on the rim, and so is the pair, not the normal.
        let mut x = [2.0, 6.0, 8.0];
        set.project(&mut x);
        assert_eq!(x, [2.0, 3.0, 4.0]);
        let mut active = [false; 3];
        set.active(&x, &mut active);
        assert_eq!(active, [false, true, true]);
        // −g = (3, 4) points straight outward: nothing to follow. g = (3, 4) points inward: all of
        // it.
        let mut out = [0.0; 3];
        set.projected_gradient(&x, &[1.0, -3.0, -4.0], &mut out);
        assert!((out[0] - 1.0).abs() + out[1].abs() + out[2].abs() < 1e-15);
        set.projected_gradient(&x, &[1.0, 3.0, 4.0], &mut out);
        assert_eq!(out, [1.0, 3.0, 4.0]);
        // From (0, 0) along −(3, 4) the rim is one step away, the normal's bound two.
        assert_eq!(set.longest_step(&[2.0, 0.0, 0.0], &[1.0, 3.0, 4.0]), 1.0);
        assert_eq!(set.longest_step(&[2.0, 0.0, 0.0], &[1.0, 0.0, 0.0]), 2.0);
    }
}
