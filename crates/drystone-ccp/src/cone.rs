//! The sets that impulses live in: one [`Cone`] for each block of rows, their product [`Cones`].
//!
//! Every friction cone has the form `K = { (n, x_1, …, x_p) : ‖x_k‖ ≤ mu_k (n + cohesion) }` with
//! one part for each kind of friction: sliding (2 rows), rolling (2 rows), spinning (1 row).
//! Projections and their derivatives are written once for that form.

mod face;
mod friction;
mod product;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::face::Face;
use crate::ProblemError;
use crate::norm::length;

pub use friction::{LARGEST_FRICTION, expected_friction};
pub use product::{Block, Cones};

/// The most rows that one block may have: six degrees of freedom between two bodies.
pub const MAX_ROWS: usize = 6;

/// The set that the impulse of one block of rows must lie in. Rows: normal first, then the two
/// sliding tangents, then two rolling rows, then one spinning row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cone {
    /// All of `R^rows`: a joint. The gradient must vanish there. At most [`MAX_ROWS`] rows.
    Free {
        /// Number of rows.
        rows: usize,
    },
    /// `gamma >= 0`: a frictionless contact or a joint limit.
    NonNegative,
    /// `lower <= gamma <= upper`: a motor with a force limit. Either end may be infinite.
    Interval {
        /// Smallest impulse, N s.
        lower: f64,
        /// Largest impulse, N s.
        upper: f64,
    },
    /// Coulomb's cone `‖(u, v)‖ <= friction (n + cohesion)`, 3 rows.
    Friction {
        /// Coefficient of sliding friction, 0 to [`LARGEST_FRICTION`].
        friction: f64,
        /// Largest pulling impulse, N s, >= 0: shifts the cone's tip to `n = -cohesion`.
        cohesion: f64,
    },
    /// Sliding and rolling friction, 5 rows: `‖(u, v)‖ <= friction (n + cohesion)` and
    /// `‖(p, q)‖ <= rolling (n + cohesion)`.
    Rolling {
        /// Coefficient of sliding friction, 0 to [`LARGEST_FRICTION`].
        friction: f64,
        /// Coefficient of rolling friction, m, 0 to [`LARGEST_FRICTION`].
        rolling: f64,
        /// Largest pulling impulse, N s, >= 0.
        cohesion: f64,
    },
    /// Sliding, rolling and spinning friction, 6 rows.
    RollingSpinning {
        /// Coefficient of sliding friction, 0 to [`LARGEST_FRICTION`].
        friction: f64,
        /// Coefficient of rolling friction, m, 0 to [`LARGEST_FRICTION`].
        rolling: f64,
        /// Coefficient of spinning friction, m, 0 to [`LARGEST_FRICTION`].
        spinning: f64,
        /// Largest pulling impulse, N s, >= 0.
        cohesion: f64,
    },
}

/// One kind of friction within a block: rows `start..start + len`, bounded by `mu` times the
/// normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// First row within the block.
    pub start: usize,
    /// Rows: 2 for sliding and rolling, 1 for spinning.
    pub len: usize,
    /// The coefficient.
    pub mu: f64,
}

/// The parts of one block, at most three.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    items: [Part; 3],
    count: usize,
}

impl Parts {
    fn new(parts: &[Part]) -> Self {
        let mut items = [Part {
            start: 0,
            len: 0,
            mu: 0.0,
        }; 3];
        items[..parts.len()].copy_from_slice(parts);
        Self {
            items,
            count: parts.len(),
        }
    }

    /// The parts as a slice.
    pub fn as_slice(&self) -> &[Part] {
        &self.items[..self.count]
    }
}

/// Weights of a metric that keeps a friction cone a friction cone: `normal` for the normal row and
/// one weight for each part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Weight of the normal row (of every row of a block without parts).
    pub normal: f64,
    /// Weight of each part's rows.
    pub parts: [f64; 3],
}

impl Metric {
    /// The Euclidean metric.
    pub const EUCLIDEAN: Self = Self {
        normal: 1.0,
        parts: [1.0; 3],
    };
}

impl Cone {
    /// Coulomb's cone without cohesion.
    pub fn friction(friction: f64) -> Self {
        Self::Friction {
            friction,
            cohesion: 0.0,
        }
    }

    /// How many rows of the problem the block takes.
    pub fn rows(&self) -> usize {
        match self {
            Self::Free { rows } => *rows,
            Self::NonNegative | Self::Interval { .. } => 1,
            Self::Friction { .. } => 3,
            Self::Rolling { .. } => 5,
            Self::RollingSpinning { .. } => 6,
        }
    }

    /// Whether the block is a contact (has a normal row that cannot pull beyond its cohesion).
    pub fn is_contact(&self) -> bool {
        match self {
            Self::Free { .. } | Self::Interval { .. } => false,
            Self::NonNegative
            | Self::Friction { .. }
            | Self::Rolling { .. }
            | Self::RollingSpinning { .. } => true,
        }
    }

    /// The friction parts; empty for blocks without friction.
    pub fn parts(&self) -> Parts {
        let part = |start, len, mu| Part { start, len, mu };
        match *self {
            Self::Free { .. } | Self::NonNegative | Self::Interval { .. } => Parts::new(&[]),
            Self::Friction { friction, .. } => Parts::new(&[part(1, 2, friction)]),
            Self::Rolling {
                friction, rolling, ..
            } => Parts::new(&[part(1, 2, friction), part(3, 2, rolling)]),
            Self::RollingSpinning {
                friction,
                rolling,
                spinning,
                ..
            } => Parts::new(&[
                part(1, 2, friction),
                part(3, 2, rolling),
                part(5, 1, spinning),
            ]),
        }
    }

    /// The rows that are angular velocities: rolling and spinning, the last of the block.
    pub(crate) fn turning_rows(&self) -> Range<usize> {
        match self {
            Self::Free { .. }
            | Self::NonNegative
            | Self::Interval { .. }
            | Self::Friction { .. } => self.rows()..self.rows(),
            Self::Rolling { .. } | Self::RollingSpinning { .. } => 3..self.rows(),
        }
    }

    /// How far the tip lies below zero along the normal, N s.
    pub fn cohesion(&self) -> f64 {
        match *self {
            Self::Free { .. } | Self::NonNegative | Self::Interval { .. } => 0.0,
            Self::Friction { cohesion, .. }
            | Self::Rolling { cohesion, .. }
            | Self::RollingSpinning { cohesion, .. } => cohesion,
        }
    }

    /// The same set with its tip moved to zero.
    pub fn without_cohesion(self) -> Self {
        match self {
            Self::Free { .. } | Self::NonNegative | Self::Interval { .. } => self,
            Self::Friction { friction, .. } => Self::Friction {
                friction,
                cohesion: 0.0,
            },
            Self::Rolling {
                friction, rolling, ..
            } => Self::Rolling {
                friction,
                rolling,
                cohesion: 0.0,
            },
            Self::RollingSpinning {
                friction,
                rolling,
                spinning,
                ..
            } => Self::RollingSpinning {
                friction,
                rolling,
                spinning,
                cohesion: 0.0,
            },
        }
    }

    /// Euclidean projection of `y` onto the set, in place.
    pub fn project(&self, y: &mut [f64]) {
        self.project_in(&Metric::EUCLIDEAN, y);
    }

    /// Projection of `y` in a weighted norm, in place.
    ///
    /// With `a = n + cohesion` it minimises `½ p_n (a − a_y)² + Σ ½ p_k (‖x_k‖ − mu_k a)₊²` over `a
    /// >= 0`: convex and piecewise quadratic, so the parts that bind are added in the order of the
    /// ratio `‖x_k‖ / mu_k` until none is left outside.
    #[inline]
    pub fn project_in(&self, metric: &Metric, y: &mut [f64]) {
        match *self {
            Self::Free { .. } => {}
            // Comparisons, not `max`: that would turn a NaN into a sound impulse.
            Self::NonNegative => {
                if y[0] < 0.0 {
                    y[0] = 0.0;
                }
            }
            Self::Interval { lower, upper } => {
                if y[0] < lower {
                    y[0] = lower;
                } else if y[0] > upper {
                    y[0] = upper;
                }
            }
            Self::Friction { friction, cohesion } => {
                let (p_n, p_t) = (metric.normal, metric.parts[0]);
                let a = y[0] + cohesion;
                let slip = length(&y[1..3]);
                // Without friction a point below the tip has no slip either.
                if slip <= friction * a && a >= 0.0 {
                    return; // sticking: inside
                }
                let a = (p_n * a + p_t * friction * slip) / (p_n + p_t * friction * friction);
                if a <= 0.0 {
                    y[..3].copy_from_slice(&[-cohesion, 0.0, 0.0]); // separating: polar cone
                    return;
                }
                let scale = friction * a / slip; // slip > 0: otherwise the point was inside or polar
                y[0] = a - cohesion;
                y[1] *= scale;
                y[2] *= scale;
            }
            Self::Rolling { cohesion, .. } | Self::RollingSpinning { cohesion, .. } => {
                let parts = self.parts();
                let face = Face::of(&parts, cohesion, metric, y);
                face.apply(&parts, cohesion, y);
            }
        }
    }

    /// An element of the generalised Jacobian of the Euclidean projection at `y`, row-major in
    /// `out` (`rows × rows`).
    pub fn projection_jacobian(&self, y: &[f64], out: &mut [f64]) {
        let d = self.rows();
        out[..d * d].fill(0.0);
        match *self {
            Self::Free { .. } => (0..d).for_each(|i| out[i * d + i] = 1.0),
            Self::NonNegative => out[0] = f64::from(y[0] > 0.0),
            Self::Interval { lower, upper } => out[0] = f64::from(lower < y[0] && y[0] < upper),
            Self::Friction { cohesion, .. }
            | Self::Rolling { cohesion, .. }
            | Self::RollingSpinning { cohesion, .. } => {
                let parts = self.parts();
                Face::of(&parts, cohesion, &Metric::EUCLIDEAN, y).jacobian(&parts, y, out);
            }
        }
    }

    /// De Saxcé's term `Σ mu_k ‖u_k‖` that exact Coulomb friction adds to the normal velocity.
    pub fn de_saxce_shift(&self, velocity: &[f64]) -> f64 {
        self.parts()
            .as_slice()
            .iter()
            .map(|p| p.mu * length(&velocity[p.start..p.start + p.len]))
            .sum()
    }

    /// Distance of `gamma` from the set (Euclidean).
    pub fn distance(&self, gamma: &[f64]) -> f64 {
        let d = self.rows();
        let mut y = [0.0; MAX_ROWS];
        y[..d].copy_from_slice(&gamma[..d]);
        self.project(&mut y[..d]);
        (0..d).for_each(|i| y[i] -= gamma[i]);
        length(&y[..d])
    }

    /// What the block adds to the duality gap of the relaxed problem, and by how much its
    /// `velocity` lies outside the dual cone. The gap is taken at the nearest velocity inside.
    pub fn gap(&self, gamma: &[f64], velocity: &[f64]) -> (f64, f64) {
        let d = self.rows();
        let u = &velocity[..d];
        match *self {
            Self::Free { .. } => (0.0, length(u)),
            Self::Interval { lower, upper } => {
                let end = if u[0] >= 0.0 { lower } else { upper };
                if end.is_finite() {
                    (u[0] * (gamma[0] - end), 0.0)
                } else {
                    (0.0, u[0].abs())
                }
            }
            Self::NonNegative
            | Self::Friction { .. }
            | Self::Rolling { .. }
            | Self::RollingSpinning { .. } => {
                // Moreau: the projection onto the dual cone is u + Π(−u), with the tip at zero.
                let mut p = [0.0; MAX_ROWS];
                (0..d).for_each(|i| p[i] = -u[i]);
                self.without_cohesion().project(&mut p[..d]);
                let gap: f64 = (0..d).map(|i| (u[i] + p[i]) * gamma[i]).sum();
                (gap + self.cohesion() * (u[0] + p[0]), length(&p[..d]))
            }
        }
    }

    /// Says what is wrong with the block's numbers, if anything.
    fn check(&self, block: usize) -> Result<(), ProblemError> {
        let bad = |what: &'static str, value: f64, expected: &'static str| {
            Err(ProblemError::Cone {
                block,
                what,
                value,
                expected,
            })
        };
        let not_negative = |what, value: f64| {
            if value.is_finite() && value >= 0.0 {
                Ok(())
            } else {
                bad(what, value, "a finite number >= 0")
            }
        };
        match *self {
            Self::Free { rows } => {
                if rows == 0 || rows > MAX_ROWS {
                    return bad("number of free rows", rows as f64, "1 to 6");
                }
            }
            Self::NonNegative => {}
            Self::Interval { lower, upper } => {
                if lower.is_nan() || lower == f64::INFINITY {
                    return bad("lower bound", lower, "a number below the upper bound");
                }
                if upper.is_nan() || upper < lower || upper == f64::NEG_INFINITY {
                    return bad("upper bound", upper, "a number not below the lower bound");
                }
            }
            Self::Friction { .. } | Self::Rolling { .. } | Self::RollingSpinning { .. } => {
                let names = [
                    "friction coefficient",
                    "rolling friction coefficient",
                    "spinning friction coefficient",
                ];
                for (part, name) in self.parts().as_slice().iter().zip(names) {
                    if let Some(expected) = expected_friction(part.mu) {
                        return bad(name, part.mu, expected);
                    }
                }
                not_negative("cohesion", self.cohesion())?;
            }
        }
        Ok(())
    }
}
