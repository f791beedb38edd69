//! Sweeps of any operator, one block at a time.

mod pass;

use pass::BlockPasses;

use super::metric::{BlockMetric, Metrics};
use super::{Rule, Start, Sweep, SweepSums};
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};
use crate::reduce::{Local, Reduce};
use crate::residual::{ResidualScale, Squares, law_velocity};
use crate::solvers::dense::Dense;
use crate::solvers::local::solve_block;

/// The iterate as the problem has it, and the operator's sweep state.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSweeps {
    law: Law,
    rule: Rule,
    metrics: Metrics,
    /// Of each block, by what the rule needs: its metric, its scale, its part of N.
    of_block: Vec<BlockMetric>,
    scales: Vec<f64>,
    accurate: Vec<Dense>,
    x: Vec<f64>,
    x_old: Vec<f64>,
    state: Vec<f64>,
    state_old: Vec<f64>,
    velocity: Vec<f64>,
    kept: Vec<f64>,
    passes: BlockPasses,
}

impl BlockSweeps {
    pub fn start<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        start: &Start<'_>,
        scales: &[f64],
        gamma: &[f64],
    ) {
        (self.law, self.rule) = (start.law, start.rule);
        let operator = problem.operator();
        self.metrics.clear();
        self.of_block.clear();
        self.scales.clear();
        self.scales.extend_from_slice(scales);
        self.accurate.clear();
        for (block, cone) in problem.cones().iter() {
            match self.rule {
                Rule::Metric => self.of_block.push(self.metrics.of(operator, block, cone)),
                Rule::Scaled { .. } => {}
                Rule::Accurate { .. } => {
                    let mut n = [0.0; MAX_ROWS * MAX_ROWS];
                    operator.diagonal_block(block, &mut n);
                    self.accurate.push(n);
                }
            }
        }
        for (list, from) in [
            (&mut self.x, gamma),
            (&mut self.x_old, gamma),
            (&mut self.velocity, gamma),
            (&mut self.kept, gamma),
        ] {
            list.clear();
            list.extend_from_slice(from);
        }
        self.state.clear();
        self.state.resize(operator.state_len(), 0.0);
        operator.state(&self.x, &mut self.state);
        self.state_old.clear();
        self.state_old.extend_from_slice(&self.state);
        self.passes.forget();
    }

    fn sweep<N: Operator>(&mut self, problem: &Ccp<N>) -> SweepSums {
        let operator = problem.operator();
        let mut sums = SweepSums::default();
        for (block, cone) in problem.cones().iter() {
            let d = block.len();
            let (mut y, mut s) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            y[..d].copy_from_slice(&self.x[block.rows()]);
            operator.read_block(block, &self.x, &self.state, &mut s[..d]);
            (0..d).for_each(|k| s[k] += problem.r()[block.start + k]);
            let (next, weights) = self.step(block, cone, &y, &s);
            let mut delta = [0.0; MAX_ROWS];
            for k in 0..d {
                delta[k] = next[k] - y[k];
                sums.uphill -= weights[k] * delta[k] * (next[k] - self.x_old[block.start + k]);
                // A joint has no weights; its velocity will do.
                let moved = if weights[k] > 0.0 {
                    weights[k] * delta[k]
                } else {
                    s[k]
                };
                sums.moved += moved * moved;
            }
            self.x[block.rows()].copy_from_slice(&next[..d]);
            operator.update_state(block, &delta[..d], &mut self.state);
        }
        // Only momentum asks for it.
        if self.rule == Rule::Metric && self.law == Law::Relaxed {
            sums.objective = self.objective(problem);
        }
        sums
    }

    /// `½ xᵀ N x + rᵀ x`.
    fn objective<N: Operator>(&self, problem: &Ccp<N>) -> f64 {
        let quadratic = problem.operator().quadratic(&self.x, &self.state, &Local);
        0.5 * quadratic + Local.dot(problem.r(), &self.x)
    }

    /// The next point of a block from `y` with the velocity `s`, and the weights of its rows.
    fn step(
        &self,
        block: Block,
        cone: &Cone,
        y: &[f64; MAX_ROWS],
        s: &[f64; MAX_ROWS],
    ) -> ([f64; MAX_ROWS], [f64; MAX_ROWS]) {
        let d = block.len();
        let mut next = *y;
        let mixed = |lambda: f64, next: [f64; MAX_ROWS]| -> [f64; MAX_ROWS] {
            std::array::from_fn(|k| y[k] + lambda * (next[k] - y[k]))
        };
        match self.rule {
            Rule::Metric => {
                let metric = self.of_block[block.index];
                self.metrics.step(metric, cone, self.law, y, s)
            }
            Rule::Scaled { omega, lambda } => {
                let weight = self.scales[block.index] / omega;
                let mut u = [0.0; MAX_ROWS];
                law_velocity(cone, self.law, &s[..d], &mut u[..d]);
                (0..d).for_each(|k| next[k] -= u[k] / weight);
                cone.project(&mut next[..d]);
                (mixed(lambda, next), [weight; MAX_ROWS])
            }
            Rule::Accurate { lambda, local } => {
                // `q`: the velocity without the block's own share. Then the block's own problem.
                let n = &self.accurate[block.index];
                let mut q = *s;
                for i in 0..d {
                    q[i] -= (0..d).map(|j| n[i * d + j] * y[j]).sum::<f64>();
                }
                solve_block(cone, self.law, n, &q[..d], &local, &mut next[..d]);
                (mixed(lambda, next), [0.0; MAX_ROWS])
            }
        }
    }
}

impl<N: Operator> Sweep<N> for BlockSweeps {
    fn run(&mut self, problem: &Ccp<N>, beta: f64) -> SweepSums {
        extrapolate(beta, &mut self.x, &mut self.x_old);
        extrapolate(beta, &mut self.state, &mut self.state_old);
        self.sweep(problem)
    }

    fn redo(&mut self, problem: &Ccp<N>) -> SweepSums {
        self.x.copy_from_slice(&self.x_old);
        self.state.copy_from_slice(&self.state_old);
        self.sweep(problem)
    }

    fn refresh(&mut self, problem: &Ccp<N>) {
        problem.operator().state(&self.x, &mut self.state);
        problem.operator().state(&self.x_old, &mut self.state_old);
    }

    fn residual_squares(&mut self, problem: &Ccp<N>, scale: &ResidualScale) -> Squares {
        problem.velocity_from_state(&self.x, &self.state, &mut self.velocity);
        let residual = problem.residual(self.law, &self.x, &self.velocity, *scale, &Local);
        let rho = residual.relative * scale.at_zero;
        Squares {
            sum: rho * rho,
            largest: residual.largest * residual.largest,
        }
    }

    fn settle(&mut self) {
        self.settle_change();
    }

    fn keep(&mut self) {
        self.kept.copy_from_slice(&self.x);
    }

    fn read_kept(&self, _: &Ccp<N>, gamma: &mut [f64]) {
        gamma.copy_from_slice(&self.kept);
    }

    fn read(&mut self, problem: &Ccp<N>, gamma: &mut [f64], velocity: &mut [f64]) {
        gamma.copy_from_slice(&self.x);
        problem.velocity_from_state(&self.x, &self.state, velocity);
    }
}

/// `x ← x + beta (x − old)`, the former `x` into `old`.
fn extrapolate(beta: f64, x: &mut [f64], old: &mut [f64]) {
    if beta == 0.0 {
        old.copy_from_slice(x);
        return;
    }
    for (x, old) in x.iter_mut().zip(old) {
        let before = *x;
        *x += beta * (before - *old);
        *old = before;
    }
}
