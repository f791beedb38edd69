//! Accelerated projected gradient descent, paper 000, Algorithm 1.
//!
//! `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`, with the paper's letters: `gamma` the iterate, `y` the extrapolated point,
//! `theta` and `beta` Nesterov's sequence, `lipschitz` its `L_k`, `t = 1/L_k` the step. `g` is always the whole
//! gradient `N y + r`.
//!
//! We depart in three things. `N y` follows by recurrence from products already made, and is made afresh now and then. The
//! fall-back of lines 17 to 20 is the monitor's, by its residual instead of eq. 25. And the backtracking test of line 9 compares `½ dᵀ N d` with `½ L dᵀ d`, `d = gamma⁺ − y`, which
//! is the same inequality for a quadratic without the cancellation of two objectives.

use super::SolverError;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::Ccp;

/// How the step follows the local curvature, §3.1.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepStrategy {
    /// `L` only grows: never a wasted backtracking once it is large enough.
    Shrinking,
    /// `L` is cut by [`ApgdSettings::decrease`] after each iteration, so that steps can grow again.
    #[default]
    Adaptive,
}

/// Settings of [`Apgd`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApgdSettings {
    /// Step strategy.
    pub step: StepStrategy,
    /// What `L` is multiplied by when the quadratic model fails, > 1.
    pub increase: f64,
    /// What `L` is multiplied by after an iteration of [`StepStrategy::Adaptive`], in (0, 1].
    pub decrease: f64,
    /// Reset the momentum when it points uphill, §3.1.2.
    pub restart: bool,
}

impl Default for ApgdSettings {
    fn default() -> Self {
        Self {
            step: StepStrategy::Adaptive,
            increase: 2.0,
            decrease: 0.9,
            restart: true,
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Clone, Debug, Default)]
pub struct Apgd {
    y: Vec<f64>,
    g: Vec<f64>,
    next: Vec<f64>,
    velocity: Vec<f64>,
    step: Vec<f64>,
    n_step: Vec<f64>,
}

impl Apgd {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &ApgdSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem)?;
        let n = problem.dim();
        for work in [
            &mut self.y,
            &mut self.g,
            &mut self.next,
            &mut self.velocity,
            &mut self.step,
            &mut self.n_step,
        ] {
            work.clear();
            work.resize(n, 0.0);
        }
        let reduce = monitor.reduce();
        problem.cones().project(gamma);
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        self.y.copy_from_slice(gamma);
        self.g.copy_from_slice(&self.velocity);
        let mut lipschitz = self.initial_lipschitz(problem, gamma, monitor);
        let mut theta = 1.0_f64;
        let mut iteration = 0;
        let termination = loop {
            if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                break stop;
            }
            iteration += 1;
            // Lines 8 to 13: a projected step from y, halved until the quadratic model holds.
            loop {
                for i in 0..n {
                    self.next[i] = self.y[i] - self.g[i] / lipschitz;
                }
                problem.cones().project(&mut self.next);
                for i in 0..n {
                    self.step[i] = self.next[i] - self.y[i];
                }
                problem.operator().apply(&self.step, &mut self.n_step);
                monitor.count_products(1);
                let curvature = reduce.dot(&self.step, &self.n_step);
                let length = reduce.dot(&self.step, &self.step);
                if curvature <= lipschitz * length * (1.0 + 1e-12) || !curvature.is_finite() {
                    break;
                }
                lipschitz *= settings.increase.max(SMALLEST_INCREASE);
            }
            // Lines 14 to 16: Nesterov's extrapolation. N y⁺ follows from N y and N step: no second product.
            let theta_next = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            let mut beta = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            // Lines 24 to 27: restart when the last move went up the gradient.
            let uphill = (0..n)
                .map(|i| self.g[i] * (self.next[i] - gamma[i]))
                .sum::<f64>();
            if settings.restart && reduce.sum(uphill) > 0.0 {
                beta = 0.0;
                theta = 1.0;
            }
            for i in 0..n {
                let velocity_next = self.g[i] + self.n_step[i];
                self.y[i] = self.next[i] + beta * (self.next[i] - gamma[i]);
                self.g[i] = velocity_next + beta * (velocity_next - self.velocity[i]);
                self.velocity[i] = velocity_next;
                gamma[i] = self.next[i];
            }
            // The recurrence for g drifts by rounding: start it afresh now and then.
            if iteration % REFRESH == 0 {
                problem.velocity(gamma, &mut self.velocity);
                problem.velocity(&self.y, &mut self.g);
                monitor.count_products(2);
            }
            if settings.step == StepStrategy::Adaptive {
                lipschitz *= settings.decrease;
            }
        };
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }

    /// Line 4: the curvature between `gamma` and `gamma − 1`.
    fn initial_lipschitz<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        gamma: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> f64 {
        let reduce = monitor.reduce();
        for i in 0..gamma.len() {
            self.step[i] = gamma[i] - 1.0;
        }
        problem.operator().apply(&self.step, &mut self.n_step);
        monitor.count_products(1);
        let estimate = reduce.norm(&self.n_step) / reduce.norm(&self.step).max(f64::MIN_POSITIVE);
        if estimate > 0.0 && estimate.is_finite() {
            estimate
        } else {
            problem.mean_diagonal()
        }
    }
}

/// An `increase` below this would never end the backtracking.
const SMALLEST_INCREASE: f64 = 1.01;

/// Iterations between fresh products.
const REFRESH: usize = 50;

/// The method's name on the command line and in tables.
pub const NAME: &str = "apgd";
