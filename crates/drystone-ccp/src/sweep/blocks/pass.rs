//! Passes over any operator.

use super::{BlockSweeps, extrapolate};
use crate::cone::MAX_ROWS;
use crate::operator::Operator;
use crate::problem::{Ccp, Law};
use crate::reduce::Local;
use crate::residual::law_velocity;
use crate::sweep::metric::BlockMetric;
use crate::sweep::pass::{Holds, Pass, PassStep, PassSums};
use crate::sweep::{Rule, Sweep};

/// What passes need beside the iterate. The state of `x` is that of the sweeps plus `change`.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockPasses {
    holds: Holds,
    /// The extrapolated point.
    y: Vec<f64>,
    /// Its velocity, by the law, and that of the pass before.
    s: Vec<f64>,
    before: Vec<f64>,
    /// `d`, the state that it changes, and `N d`.
    d: Vec<f64>,
    change: Vec<f64>,
    n_d: Vec<f64>,
}

impl BlockPasses {
    /// There are none: the sweeps' own state is that of the iterate.
    pub fn forget(&mut self) {
        self.change.clear();
    }
}

impl BlockSweeps {
    /// Makes ready for passes over what was laid out.
    pub fn start_passes(&mut self, holds: Holds) {
        let passes = &mut self.passes;
        passes.holds = holds;
        let (rows, state) = (self.x.len(), self.state.len());
        for (list, len) in [
            (&mut passes.y, rows),
            (&mut passes.s, rows),
            (&mut passes.before, rows),
            (&mut passes.d, rows),
            (&mut passes.n_d, rows),
            (&mut passes.change, state),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
    }

    /// `y` and its velocity; the point before goes into `x_old`.
    fn start_pass<N: Operator>(&mut self, problem: &Ccp<N>, beta: f64) {
        self.settle_change();
        let passes = &mut self.passes;
        for (d, (x, old)) in passes.d.iter_mut().zip(self.x.iter().zip(&self.x_old)) {
            *d = x - old;
        }
        extrapolate(beta, &mut self.x, &mut self.x_old);
        extrapolate(beta, &mut self.state, &mut self.state_old);
        passes.y.copy_from_slice(&self.x);
        std::mem::swap(&mut passes.s, &mut passes.before);
        problem.velocity_from_state(&self.x, &self.state, &mut self.velocity);
        for (block, cone) in problem.cones().iter() {
            let rows = block.rows();
            let (u, s) = (&self.velocity[rows.clone()], &mut passes.s[rows]);
            law_velocity(cone, self.law, u, s);
        }
    }

    /// Adds the change to the state.
    pub(super) fn settle_change(&mut self) {
        let states = self.state.iter_mut().zip(&mut self.passes.change);
        for (state, change) in states {
            *state += std::mem::take(change);
        }
    }
}

impl<N: Operator> Pass<N> for BlockSweeps {
    fn pass(&mut self, problem: &Ccp<N>, step: PassStep) -> PassSums {
        let mut sums = PassSums::default();
        if !step.again {
            self.start_pass(problem, step.beta);
        }
        let passes = &mut self.passes;
        for (block, cone) in problem.cones().iter() {
            let d = block.len();
            let metric = match self.rule {
                Rule::Metric | Rule::Accurate { .. } => self.of_block[block.index],
                Rule::Scaled { .. } => BlockMetric::Friction {
                    normal: self.scales[block.index],
                    tangent: self.scales[block.index],
                },
            };
            let (mut y, mut s) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            y[..d].copy_from_slice(&passes.y[block.rows()]);
            for k in 0..d {
                s[k] = step.alpha * passes.s[block.start + k];
            }
            // The law is in `s` already.
            let (next, weights) = self.metrics.step(metric, cone, Law::Relaxed, &y, &s);
            for k in 0..d {
                let row = block.start + k;
                let s = passes.s[row];
                if passes.holds == Holds::Velocity && weights[k] > 0.0 {
                    let e = s - passes.before[row];
                    sums.bend += passes.d[row] * e;
                    sums.turn += e * e / weights[k];
                }
                self.x[row] = if step.lambda == 1.0 {
                    next[k]
                } else {
                    y[k] + step.lambda * (next[k] - y[k])
                };
                let delta = self.x[row] - y[k];
                passes.d[row] = delta;
                sums.slope += s * delta;
                sums.uphill += s * (self.x[row] - self.x_old[row]);
                let moved = match metric {
                    BlockMetric::Joint(_) => -step.lambda * s,
                    BlockMetric::Friction { .. } | BlockMetric::Cone(_) | BlockMetric::Fixed => {
                        weights[k] * delta / step.alpha
                    }
                };
                sums.length += step.alpha * moved * delta;
                sums.moved += moved * moved;
            }
        }
        let operator = problem.operator();
        operator.state(&passes.d, &mut passes.change);
        sums.curvature = operator.quadratic(&passes.d, &passes.change, &Local);
        sums
    }

    fn turn(&mut self, problem: &Ccp<N>) -> f64 {
        let passes = &mut self.passes;
        let operator = problem.operator();
        operator.product_from_state(&passes.d, &passes.change, &mut passes.n_d);
        let mut turn = 0.0;
        for (block, cone) in problem.cones().iter() {
            let weights = match self.rule {
                Rule::Metric | Rule::Accurate { .. } => {
                    self.metrics.weights(self.of_block[block.index], cone)
                }
                Rule::Scaled { .. } => [self.scales[block.index]; MAX_ROWS],
            };
            let rows = passes.n_d[block.rows()].iter().zip(weights);
            turn += rows
                .filter(|(_, weight)| *weight > 0.0)
                .map(|(e, weight)| e * e / weight)
                .sum::<f64>();
        }
        turn
    }

    fn shorten(&mut self, lambda: f64) {
        let passes = &mut self.passes;
        for (x, (old, d)) in self.x.iter_mut().zip(self.x_old.iter().zip(&mut passes.d)) {
            *d *= lambda;
            *x = old + *d;
        }
        passes.change.iter_mut().for_each(|c| *c *= lambda);
    }

    fn as_sweep(&mut self) -> &mut dyn Sweep<N> {
        self
    }
}
