//! Blocks beside the packs, one at a time: joints, motors, limits, contacts that resist rolling.

use super::body::{Body, Shared, Symmetric, product};
use crate::cone::{Block, MAX_ROWS};
use crate::operator::{BodyInertia, Operator, TwoBody};
use crate::problem::{Ccp, Law};
use crate::residual::{Units, block_residual};
use crate::sweep::SweepSums;
use crate::sweep::metric::{BlockMetric, Metrics};

/// A block with rows of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowBlock {
    pub block: Block,
    /// Places of its two bodies.
    pub bodies: [u32; 2],
    pub metric: BlockMetric,
    /// The iterate and the one before.
    pub x: [f64; MAX_ROWS],
    pub old: [f64; MAX_ROWS],
}

/// What all row blocks of a problem share.
#[derive(Clone, Copy)]
pub(super) struct RowContext<'a> {
    pub problem: Problem<'a>,
    pub metrics: &'a Metrics,
}

/// A problem whose operator is seen as a two-body one.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub operator: &'a TwoBody,
    /// Those of the operator, or what they are weighed as (file `anchor.rs`).
    pub bodies: &'a [BodyInertia],
    pub r: &'a [f64],
    pub cones: &'a crate::cone::Cones,
}

impl<'a> Problem<'a> {
    /// `None` where the operator is not a two-body one.
    pub fn of<N: Operator>(problem: &'a Ccp<N>) -> Option<Self> {
        let operator = problem.operator().as_two_body()?;
        Some(Self {
            operator,
            bodies: operator.bodies(),
            r: problem.r(),
            cones: problem.cones(),
        })
    }
}

/// `M⁻¹ p` of a linear and an angular impulse.
#[inline(always)]
pub(super) fn response(body: &Body, full: Option<&Symmetric>, p: &[f64; 6]) -> [f64; 6] {
    let [m, i] = body.weights();
    let [x, y, z] = match full {
        Some(full) => product(full, &p[3..]),
        None => [3, 4, 5].map(|k| i * p[k]),
    };
    [m * p[0], m * p[1], m * p[2], x, y, z]
}

/// `aᵀ b`, in four sums side by side.
#[inline(always)]
fn dot(a: &[f64; 12], b: &[f64; 12]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
        (0..4).for_each(|q| sums[q] += a[q] * b[q]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl RowBlock {
    /// `N x + r` of the block at the point `x`.
    ///
    /// # Safety
    ///
    /// No other thread writes to the block's bodies, and their places are in the list.
    #[inline(always)]
    pub unsafe fn velocity(
        &self,
        context: &RowContext<'_>,
        bodies: &Shared<'_, Body>,
        x: &[f64; MAX_ROWS],
    ) -> [f64; MAX_ROWS] {
        // SAFETY: the caller's promise.
        let mut s = unsafe { self.product(context, bodies, x) };
        let r = &context.problem.r[self.block.rows()];
        s.iter_mut().zip(r).for_each(|(s, r)| *s += r);
        s
    }

    /// `N x` of the block at the point `x`.
    ///
    /// # Safety
    ///
    /// As [`RowBlock::velocity`].
    #[inline(always)]
    pub unsafe fn product(
        &self,
        context: &RowContext<'_>,
        bodies: &Shared<'_, Body>,
        x: &[f64; MAX_ROWS],
    ) -> [f64; MAX_ROWS] {
        let (rows, compliance) = context.problem.operator.block_rows(self.block.index);
        // SAFETY: the caller's promise.
        let [a, b] = self
            .bodies
            .map(|body| unsafe { bodies.look(body) }.velocity());
        let mut both = [0.0; 12];
        both[..6].copy_from_slice(&a);
        both[6..].copy_from_slice(&b);
        let mut s = [0.0; MAX_ROWS];
        for (k, row) in rows.iter().enumerate() {
            s[k] = dot(row, &both) + compliance[k] * x[k];
        }
        s
    }

    /// Adds to the bodies what an impulse gives them; returns `dᵀ Dᵀ M⁻¹ D d`.
    ///
    /// # Safety
    ///
    /// No other thread uses the block's bodies, and their places are in the list.
    #[inline(always)]
    pub unsafe fn push(
        &self,
        context: &RowContext<'_>,
        bodies: &Shared<'_, Body>,
        full: &[Symmetric],
        d: &[f64],
    ) -> f64 {
        let (rows, _) = context.problem.operator.block_rows(self.block.index);
        let mut both = [0.0; 12];
        for (row, d) in rows.iter().zip(d) {
            (0..12).for_each(|k| both[k] += row[k] * d);
        }
        let mut stretch = 0.0;
        for (place, p) in self.bodies.into_iter().zip(both.as_chunks::<6>().0) {
            // SAFETY: the caller's promise.
            let body = unsafe { bodies.at(place) };
            let change = response(body, full.get(place as usize), p);
            let mut velocity = body.velocity();
            for k in 0..6 {
                velocity[k] += change[k];
                stretch += p[k] * change[k];
            }
            body.set_velocity(velocity);
        }
        stretch
    }

    /// Steps from `y = x + beta (x − old)`, or from `old` if that is what `redo` says.
    ///
    /// # Safety
    ///
    /// As [`RowBlock::push`].
    pub unsafe fn step(
        &mut self,
        context: &RowContext<'_>,
        bodies: &Shared<'_, Body>,
        full: &[Symmetric],
        (law, beta, redo): (Law, f64, bool),
        sums: &mut SweepSums,
    ) {
        let d = self.block.len();
        let x = if redo { self.old } else { self.x };
        let y: [f64; MAX_ROWS] = std::array::from_fn(|k| x[k] + beta * (x[k] - self.old[k]));
        // SAFETY: the caller's promise.
        let s = unsafe { self.velocity(context, bodies, &y) };
        let cone = &context.problem.cones.as_slice()[self.block.index];
        let (next, weights) = context.metrics.step(self.metric, cone, law, &y, &s);
        let delta: [f64; MAX_ROWS] = std::array::from_fn(|k| next[k] - y[k]);
        // SAFETY: the caller's promise.
        let mut stretch = unsafe { self.push(context, bodies, full, &delta[..d]) };
        let (_, compliance) = context.problem.operator.block_rows(self.block.index);
        let r = &context.problem.r[self.block.rows()];
        for k in 0..d {
            stretch += compliance[k] * delta[k] * delta[k];
            sums.objective += s[k] * delta[k] + (r[k] + 0.5 * compliance[k] * y[k]) * y[k];
            sums.uphill -= weights[k] * delta[k] * (next[k] - x[k]);
            let moved = match self.metric {
                BlockMetric::Joint(_) => s[k],
                BlockMetric::Friction { .. } | BlockMetric::Cone(_) | BlockMetric::Fixed => {
                    weights[k] * delta[k]
                }
            };
            sums.moved += moved * moved;
        }
        sums.objective += 0.5 * stretch;
        self.old = x;
        self.x = next;
    }

    /// Squared share in the residual.
    ///
    /// # Safety
    ///
    /// As [`RowBlock::velocity`].
    pub unsafe fn residual(
        &self,
        context: &RowContext<'_>,
        bodies: &Shared<'_, Body>,
        law: Law,
        units: Units,
    ) -> f64 {
        let d = self.block.len();
        // SAFETY: the caller's promise.
        let s = unsafe { self.velocity(context, bodies, &self.x) };
        let cone = &context.problem.cones.as_slice()[self.block.index];
        block_residual(cone, law, units, &self.x[..d], &s[..d])
    }
}
