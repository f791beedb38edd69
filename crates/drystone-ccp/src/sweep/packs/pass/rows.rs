//! Blocks beside the packs in a pass, and all joints as one block.

use super::super::body::{Body, Shared};
use super::super::joints::Joints;
use super::super::rows::{RowBlock, RowContext};
use super::group::Lists;
use crate::cone::MAX_ROWS;
use crate::problem::Law;
use crate::sweep::metric::BlockMetric;
use crate::sweep::pass::{Holds, PassSums};

/// The rows of a block.
type Rows = [f64; MAX_ROWS];

#[expect(unsafe_code, reason = "see `Shared`")]
impl Lists<'_> {
    /// The point before the pass and the extrapolated one of a block whose memory is at `place`.
    ///
    /// # Safety
    ///
    /// No other thread uses that memory.
    unsafe fn start(&self, row: &RowBlock, place: usize) -> [Rows; 2] {
        let again = self.step.again;
        let x = if again { row.old } else { row.x };
        let beta = self.step.beta;
        let y = std::array::from_fn(|k| x[k] + beta * (x[k] - row.old[k]));
        if self.holds != Holds::Point {
            return [x, y];
        }
        // SAFETY: the caller's promise.
        let held = unsafe { self.rows.at(place as u32) };
        if !again {
            *held = y;
        }
        [x, *held]
    }

    /// Remembers the velocity of a block where that is asked for, and adds up how it has changed.
    ///
    /// # Safety
    ///
    /// As [`Lists::start`].
    unsafe fn feel(
        &self,
        row: &RowBlock,
        place: usize,
        (s, weights): (&Rows, &Rows),
        sums: &mut PassSums,
    ) {
        if self.holds != Holds::Velocity {
            return;
        }
        // SAFETY: the caller's promise.
        let before = unsafe { self.rows.at(place as u32) };
        for k in (0..row.block.len()).filter(|&k| weights[k] > 0.0) {
            let e = s[k] - before[k];
            sums.bend += (row.x[k] - row.old[k]) * e;
            sums.turn += e * e / weights[k];
        }
        *before = *s;
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl RowBlock {
    /// Steps from `y`, against the velocities at the start of the pass. What is held of the block
    /// is at `place`.
    ///
    /// # Safety
    ///
    /// No other thread uses the block's bodies or that place, and they are in their lists.
    pub unsafe fn pass(&mut self, lists: &Lists<'_>, place: usize, sums: &mut PassSums) {
        let d = self.block.len();
        let (context, step) = (&lists.context, &lists.step);
        // SAFETY: the caller's promise.
        let ([x, y], s) = unsafe {
            let [x, y] = lists.start(self, place);
            ([x, y], self.velocity(context, &lists.from, &y))
        };
        let cone = &context.problem.cones.as_slice()[self.block.index];
        let shorter = s.map(|s| step.alpha * s);
        let metrics = context.metrics;
        let (mut next, weights) = metrics.step(self.metric, cone, Law::Relaxed, &y, &shorter);
        // SAFETY: the caller's promise.
        unsafe { lists.feel(self, place, (&s, &weights), sums) };
        if step.lambda != 1.0 {
            next = std::array::from_fn(|k| y[k] + step.lambda * (next[k] - y[k]));
        }
        let delta: Rows = std::array::from_fn(|k| next[k] - y[k]);
        let (_, compliance) = context.problem.operator.block_rows(self.block.index);
        for k in 0..d {
            sums.slope += s[k] * delta[k];
            sums.uphill += s[k] * (next[k] - x[k]);
            sums.curvature += compliance[k] * delta[k] * delta[k];
            // P d, without its step length.
            let moved = match self.metric {
                BlockMetric::Joint(_) => -step.lambda * s[k],
                BlockMetric::Friction { .. } | BlockMetric::Cone(_) | BlockMetric::Fixed => {
                    weights[k] * delta[k] / step.alpha
                }
            };
            sums.length += step.alpha * moved * delta[k];
            sums.moved += moved * moved;
        }
        // SAFETY: the caller's promise.
        unsafe { self.push(context, &lists.onto, lists.full, &delta[..d]) };
        (self.old, self.x) = (x, next);
    }

    /// `eᵀ P⁻¹ e` with `e = N d` of the last pass, from the `changes` that it made.
    ///
    /// # Safety
    ///
    /// As [`RowBlock::velocity`].
    pub unsafe fn turn(&self, context: &RowContext<'_>, changes: &Shared<'_, Body>) -> f64 {
        let d = std::array::from_fn(|k| self.x[k] - self.old[k]);
        // SAFETY: the caller's promise.
        let e = unsafe { self.product(context, changes, &d) };
        let cone = &context.problem.cones.as_slice()[self.block.index];
        let weights = context.metrics.weights(self.metric, cone);
        let rows = (0..self.block.len()).filter(|&k| weights[k] > 0.0);
        rows.map(|k| e[k] * e[k] / weights[k]).sum()
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl Joints {
    /// Steps all joints at once from `y`, in the metric of their own matrix S. What is held of them
    /// begins at `place`.
    ///
    /// # Safety
    ///
    /// No other thread uses the joints' bodies or those places, and they are in their lists.
    pub unsafe fn pass(
        &mut self,
        lists: &Lists<'_>,
        rows: &mut [RowBlock],
        place: usize,
    ) -> PassSums {
        let (context, alpha) = (&lists.context, lists.step.alpha);
        // SAFETY: the caller's promise.
        unsafe {
            let start = |joint: usize, row: &RowBlock| lists.start(row, place + joint);
            self.solve(context, rows, &lists.from, start);
        }
        let mut sums = PassSums::default();
        let mut at = 0;
        for row in rows {
            let len = row.block.len();
            let (_, compliance) = context.problem.operator.block_rows(row.block.index);
            let mut d = [0.0; MAX_ROWS];
            for k in 0..len {
                let (s, step) = self.found(at + k);
                d[k] = alpha * step;
                row.x[k] += d[k];
                sums.slope += s * d[k];
                sums.uphill += s * (row.x[k] - row.old[k]);
                // S d = −alpha s, but for rows that follow from others: those do not move.
                sums.length -= alpha * s * d[k];
                sums.curvature += compliance[k] * d[k] * d[k];
                sums.moved += s * s;
            }
            at += len;
            // SAFETY: the caller's promise.
            unsafe { row.push(context, &lists.onto, lists.full, &d[..len]) };
        }
        sums
    }
}
