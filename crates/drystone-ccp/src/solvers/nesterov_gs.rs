//! Accelerated block Gauss–Seidel: Nesterov's momentum around sweeps, kept monotone. It is from
//! none of the five papers; on piles it beat all their first-order methods.
//!
//! `min f(x) = ½ xᵀ N x + rᵀ x, x ∈ K`. Letters: `x` the iterate (in `gamma`), `y` the extrapolated
//! point, `theta` and `beta` Nesterov's sequence as in Mazhar 2015, eqs. 21 and 22, `s` the
//! velocity `N x + r` of the block at hand, `P` the metric below.
//!
//! 1. `y = x + beta (x − x_old)`; the sweep state follows linearly.
//! 2. Sweep: `x_i ← Π^P(y_i − P_i⁻¹ s_i)`, each block's change applied to the state at once.
//! 3. If `beta ≠ 0` and `f` rose: go back to `x`, drop the momentum, sweep again. Without momentum
//!    a sweep cannot raise `f`.
//! 4. Nesterov's next `beta`; dropped if `Σ (y − x⁺)ᵀ P (x⁺ − x) > 0` over the contacts. That is
//!    the restart of Mazhar 2015, §3.1.2, with the sweep's step in place of the gradient.
//!
//! The metric of a friction block is `P_i = lambda_i diag(a_n, a_k)`, with one weight for the
//! normal row and one for each part, so that friction cones stay friction cones, and `lambda_i >=
//! 1` as large as `P_i ⪰ N_ii` needs. Joints are solved exactly: `P_i = N_ii`.
//!
//! # The exact law
//!
//! There are two ways, and [`crate::solve`] takes the first:
//! - De Saxcé's fixed point ([`super::de_saxce`]) with whole relaxed solves by these sweeps inside:
//!   [`ExactSweeps::FixedPoint`](super::ExactSweeps::FixedPoint).
//! - The running shift, [`ExactSweeps::RunningShift`](super::ExactSweeps::RunningShift), which is
//!   what [`NesterovGs::solve`] itself does under [`Law::Exact`]. The sweeps solve `r + s n` in
//!   place of `r`, with De Saxcé's `s_i = Σ mu_k ‖u_k‖` taken anew from the velocity at every
//!   check. They go on with their momentum, since `s` changes little from one check to the next.
//!   `auto` begins large time steps that way: it is faster where it settles, and where it does not
//!   `auto` falls through to other methods.

mod metric;

use self::metric::{BlockMetric, Metrics, row_weights};
use super::SolverError;
use crate::cone::{Block, MAX_ROWS, Metric};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};

/// The method's name.
pub const NAME: &str = "nesterov-gs";

/// Checks after which the state is made afresh, against drift. With a check after every fourth
/// sweep that costs 2.5 %.
const REFRESH: usize = 10;

/// A rise of `f` below this share of it is rounding: the sum has thousands of terms.
const ROUNDING: f64 = 1e-14;

/// Settings of [`NesterovGs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NesterovGsSettings {
    /// Sweeps between two convergence checks, >= 1. A check costs about a third of a sweep.
    pub check_every: usize,
    /// Drop the momentum where it points uphill (step 4).
    pub restart: bool,
    /// Exact law by the running shift: share of the way that `s` goes to its new value at a check,
    /// in (0, 1]. Half and more made piles swing.
    pub damping: f64,
}

impl Default for NesterovGsSettings {
    fn default() -> Self {
        Self {
            check_every: 4,
            restart: true,
            damping: 0.25,
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Clone, Debug, Default)]
pub struct NesterovGs {
    metrics: Metrics,
    /// The last iterate, and its state.
    x_old: Vec<f64>,
    state_old: Vec<f64>,
    state: Vec<f64>,
    velocity: Vec<f64>,
}

impl NesterovGs {
    /// Solves, starting from `gamma` and overwriting it with the best point. The exact law by the
    /// running shift.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &NesterovGsSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        let operator = problem.operator();
        let reduce = monitor.reduce();
        self.prepare(problem, gamma);
        monitor.count_products(1);
        let mut shift = match monitor.law() {
            Law::Relaxed => None,
            Law::Exact => Some(Shift::new(problem)),
        };
        let (mut beta, mut theta) = (0.0_f64, 1.0_f64);
        let mut objective = self.objective(problem, problem.r(), gamma, monitor);
        let check_every = settings.check_every.max(1);
        let mut iteration = 0;
        loop {
            if monitor.is_due(iteration, check_every) {
                if (iteration / check_every) % REFRESH == REFRESH - 1 {
                    // Both: a difference of a fresh and an old state holds all the drift, and the
                    // extrapolation would carry it on.
                    operator.state(gamma, &mut self.state);
                    operator.state(&self.x_old, &mut self.state_old);
                    monitor.count_products(2);
                }
                problem.velocity_from_state(gamma, &self.state, &mut self.velocity);
                if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                    let velocity = &mut self.velocity;
                    if let Some(info) = monitor.conclude(problem, NAME, stop, gamma, velocity) {
                        return Ok(info);
                    }
                    // The check was wrong, so the state has drifted. Its extrapolation would carry
                    // the drift on: drop the momentum with it.
                    operator.state(gamma, &mut self.state);
                    monitor.count_products(1);
                    (beta, theta) = (0.0, 1.0);
                    objective = self.objective(problem, problem.r(), gamma, monitor);
                }
                if let Some(shift) = &mut shift {
                    let share = if iteration == 0 {
                        1.0
                    } else {
                        settings.damping
                    };
                    shift.update(problem, &self.velocity, share);
                    objective = self.objective(problem, &shift.r, gamma, monitor);
                }
            }
            let r = shift.as_ref().map_or(problem.r(), |shift| &shift.r);
            iteration += 1;
            // Step 1.
            extrapolate(beta, gamma, &mut self.x_old);
            extrapolate(beta, &mut self.state, &mut self.state_old);
            // Step 2.
            let mut uphill = self.sweep(problem, r, gamma);
            monitor.count_products(1);
            let mut reached = self.objective(problem, r, gamma, monitor);
            // Step 3.
            if beta != 0.0 && reached > objective + ROUNDING * objective.abs() {
                gamma.copy_from_slice(&self.x_old);
                self.state.copy_from_slice(&self.state_old);
                theta = 1.0;
                uphill = self.sweep(problem, r, gamma);
                monitor.count_products(1);
                reached = self.objective(problem, r, gamma, monitor);
            }
            objective = reached;
            // Step 4.
            let theta_next = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            beta = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            if settings.restart && reduce.sum(uphill) > 0.0 {
                (beta, theta) = (0.0, 1.0);
            }
        }
    }

    fn prepare<N: Operator>(&mut self, problem: &Ccp<N>, gamma: &mut [f64]) {
        let (n, states) = (problem.dim(), problem.operator().state_len());
        for (work, len) in [
            (&mut self.x_old, n),
            (&mut self.velocity, n),
            (&mut self.state, states),
            (&mut self.state_old, states),
        ] {
            work.clear();
            work.resize(len, 0.0);
        }
        self.metrics.prepare(problem);
        problem.cones().project(gamma);
        problem.operator().state(gamma, &mut self.state);
        self.x_old.copy_from_slice(gamma);
        self.state_old.copy_from_slice(&self.state);
    }

    fn objective<N: Operator>(
        &self,
        problem: &Ccp<N>,
        r: &[f64],
        x: &[f64],
        monitor: &Monitor<'_>,
    ) -> f64 {
        let reduce = monitor.reduce();
        0.5 * problem.operator().quadratic(x, &self.state, reduce) + reduce.dot(r, x)
    }

    /// Step 2 over all blocks; returns `Σ (y − x⁺)ᵀ P (x⁺ − x)` over the contacts, `x` from before
    /// the extrapolation.
    fn sweep<N: Operator>(&mut self, problem: &Ccp<N>, r: &[f64], gamma: &mut [f64]) -> f64 {
        let mut uphill = 0.0;
        for (block, cone) in problem.cones().iter() {
            uphill += match self.metrics.blocks[block.index] {
                BlockMetric::Friction { normal, tangent } => {
                    let metric = Metric {
                        normal,
                        parts: [tangent; 3],
                    };
                    let weights = [normal, tangent, tangent];
                    self.sweep_block(problem, r, block, gamma, |y: &[f64; 3], s| {
                        let mut next: [f64; 3] = std::array::from_fn(|k| y[k] - s[k] / weights[k]);
                        cone.project_in(&metric, &mut next);
                        (next, weights)
                    })
                }
                BlockMetric::Cone(index) => {
                    let metric = self.metrics.cones[index];
                    let weights = row_weights(&metric, cone);
                    let d = block.len();
                    self.sweep_block(problem, r, block, gamma, |y: &[f64; MAX_ROWS], s| {
                        let mut next = std::array::from_fn(|k| y[k] - s[k] / weights[k]);
                        cone.project_in(&metric, &mut next[..d]);
                        (next, weights)
                    })
                }
                BlockMetric::Joint(index) => {
                    let inverse = self.metrics.joints[index];
                    let d = block.len();
                    let product = |k: usize, s: &[f64; MAX_ROWS]| {
                        (0..d).map(|l| inverse[k * d + l] * s[l]).sum::<f64>()
                    };
                    self.sweep_block(problem, r, block, gamma, |y: &[f64; MAX_ROWS], s| {
                        let next =
                            std::array::from_fn(|k| if k < d { y[k] - product(k, s) } else { 0.0 });
                        (next, [0.0; MAX_ROWS])
                    })
                }
                BlockMetric::Fixed => 0.0,
            };
        }
        uphill
    }

    /// Step 2 of one block. `step` makes its next point and weights from the extrapolated one and
    /// its velocity.
    #[inline(always)]
    fn sweep_block<N: Operator, const D: usize>(
        &mut self,
        problem: &Ccp<N>,
        r: &[f64],
        block: Block,
        gamma: &mut [f64],
        step: impl FnOnce(&[f64; D], &[f64; D]) -> ([f64; D], [f64; D]),
    ) -> f64 {
        let rows = block.rows();
        let d = rows.len().min(D);
        let (mut y, mut s) = ([0.0; D], [0.0; D]);
        problem
            .operator()
            .read_block(block, gamma, &self.state, &mut s[..d]);
        let (now, r, x) = (
            &mut gamma[rows.clone()],
            &r[rows.clone()],
            &self.x_old[rows],
        );
        for k in 0..d {
            s[k] += r[k];
        }
        y[..d].copy_from_slice(&now[..d]);
        let (next, weights) = step(&y, &s);
        let mut delta = [0.0; D];
        let mut uphill = 0.0;
        for k in 0..d {
            delta[k] = next[k] - y[k];
            uphill -= weights[k] * delta[k] * (next[k] - x[k]);
            now[k] = next[k];
        }
        problem
            .operator()
            .update_state(block, &delta[..d], &mut self.state);
        uphill
    }
}

/// `r + s n`: the right side of the relaxed problem whose solution is the exact one where `s`
/// repeats itself.
struct Shift {
    r: Vec<f64>,
}

impl Shift {
    fn new<N: Operator>(problem: &Ccp<N>) -> Self {
        Self {
            r: problem.r().to_vec(),
        }
    }

    fn update<N: Operator>(&mut self, problem: &Ccp<N>, velocity: &[f64], share: f64) {
        for (block, cone) in problem.cones().iter() {
            let normal = block.start;
            let new = problem.r()[normal] + cone.de_saxce_shift(&velocity[block.rows()]);
            self.r[normal] += share * (new - self.r[normal]);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cone, Cones, Csr, Law, Limits, Sparse, Termination};

    #[test]
    fn one_sliding_contact_by_hand() {
        // N = I, r = (-1, -2, 0), mu = 1: the projection of (1, 2, 0) onto ‖t‖ <= n is (1.5, 1.5,
        // 0).
        let matrix = Csr::from_dense(3, 3, &[1., 0., 0., 0., 1., 0., 0., 0., 1.]).unwrap();
        let cones = Cones::friction(&[1.0]).unwrap();
        let problem = Ccp::new(Sparse::new(matrix).unwrap(), vec![-1.0, -2.0, 0.0], cones).unwrap();
        let mut gamma = vec![0.0; 3];
        let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
        let info = NesterovGs::default()
            .solve(&problem, &Default::default(), &mut gamma, &mut monitor)
            .unwrap();
        assert_eq!(info.termination, Termination::Converged);
        for (g, expected) in gamma.iter().zip([1.5, 1.5, 0.0]) {
            assert!((g - expected).abs() < 1e-7, "{gamma:?}");
        }
    }

    #[test]
    fn a_joint_block_is_solved_in_one_sweep() {
        // N = [4 1; 1 3], r = (1, 2), free: gamma = −N⁻¹ r = −(1/11, 7/11).
        let matrix = Csr::from_dense(2, 2, &[4., 1., 1., 3.]).unwrap();
        let cones = Cones::new(vec![Cone::Free { rows: 2 }]).unwrap();
        let problem = Ccp::new(Sparse::new(matrix).unwrap(), vec![1.0, 2.0], cones).unwrap();
        let mut gamma = vec![0.0; 2];
        let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
        let info = NesterovGs::default()
            .solve(&problem, &Default::default(), &mut gamma, &mut monitor)
            .unwrap();
        assert!(info.converged() && info.iterations <= 4, "{info:?}");
        assert!((gamma[0] + 1.0 / 11.0).abs() < 1e-9 && (gamma[1] + 7.0 / 11.0).abs() < 1e-9);
    }
}
