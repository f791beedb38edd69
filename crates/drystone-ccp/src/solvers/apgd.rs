//! Accelerated projected gradient descent: Mazhar 2015, Alg. 1.
//!
//! `min f = ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`. The paper's letters: `gamma` the iterate, `y`
//! the extrapolated point, `theta` and `beta` Nesterov's sequence, `lipschitz` its `L_k`, `1/L_k`
//! the step. `g` is always the whole gradient `N y + r`.
//!
//! The lines of the paper, in order:
//! 1. Lines 1 to 5: `y = gamma`, `theta = 1`, and the first `L` from the curvature between two
//!    points.
//! 2. Line 7: `g = N y + r`.
//! 3. Lines 8 to 13: a projected step from `y`, with `L` doubled until the quadratic model holds.
//! 4. Lines 14 to 16: Nesterov's `theta`, `beta` and the next `y`.
//! 5. Lines 17 to 24: the residual, the best point, the end. Here that is the monitor's check, at
//!    the top of the loop.
//! 6. Lines 25 to 28: the momentum is dropped where the last move went uphill.
//! 7. Lines 29 and 30: `L` is cut, so that steps can grow again.
//!
//! Where we depart, and why:
//! - `N y` follows by recurrence from products already made, so that an iteration costs one
//!   product. It is made afresh now and then, against drift.
//! - The monitor keeps the best point by the residual that judges every method, not by eq. 25.
//! - The test of line 9 compares `½ dᵀ N d` with `½ L dᵀ d`, `d = gamma⁺ − y`. For a quadratic that
//!   is the same inequality, without the cancellation of two objectives.

use super::SolverError;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::Ccp;

/// The method's name.
pub const NAME: &str = "apgd";

/// Iterations between fresh products. Two more products in fifty cost 4 %, and what fifty additions
/// drift by is far below the tolerances that are asked for.
const REFRESH: usize = 50;

/// An `increase` below this would hardly end the backtracking.
const SMALLEST_INCREASE: f64 = 1.01;

/// Share by which the model may fail from rounding alone: the two sides are sums of many terms.
const MODEL_ROUNDING: f64 = 1e-12;

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
    /// What `L` is multiplied by when the quadratic model fails, > 1. The paper takes 2 (line 10).
    pub increase: f64,
    /// What `L` is multiplied by after an iteration of [`StepStrategy::Adaptive`], in (0, 1]. The
    /// paper takes 0.9 (line 29).
    pub decrease: f64,
    /// Drop the momentum when it points uphill, §3.1.2.
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
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        self.resize(problem.dim());
        let reduce = monitor.reduce();
        // Lines 1 to 5.
        problem.cones().project(gamma);
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        self.y.copy_from_slice(gamma);
        self.g.copy_from_slice(&self.velocity);
        let mut lipschitz = self.initial_lipschitz(problem, gamma, monitor);
        let mut theta = 1.0_f64;
        let mut iteration = 0;
        loop {
            // Lines 17 to 24.
            if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                let velocity = &mut self.velocity;
                if let Some(info) = monitor.conclude(problem, NAME, stop, gamma, velocity) {
                    return Ok(info);
                }
                // The check was wrong: start the recurrence of g afresh.
                problem.velocity(&self.y, &mut self.g);
                monitor.count_products(1);
            }
            iteration += 1;
            // Lines 8 to 13.
            if !self.projected_step(problem, settings, &mut lipschitz, monitor) {
                return Ok(monitor.finish(problem, NAME, Termination::Broke, gamma));
            }
            // Lines 14 and 15.
            let theta_next = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            let mut beta = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            // Lines 25 to 28. Without momentum line 16 gives y = gamma.
            let uphill = (0..gamma.len())
                .map(|i| self.g[i] * (self.next[i] - gamma[i]))
                .sum::<f64>();
            if settings.restart && reduce.sum(uphill) > 0.0 {
                beta = 0.0;
                theta = 1.0;
            }
            // Lines 16 and 7.
            self.extrapolate(beta, gamma);
            if iteration % REFRESH == 0 {
                problem.velocity(gamma, &mut self.velocity);
                problem.velocity(&self.y, &mut self.g);
                monitor.count_products(2);
            }
            // Lines 29 and 30.
            if settings.step == StepStrategy::Adaptive {
                lipschitz *= settings.decrease;
            }
        }
    }

    fn resize(&mut self, n: usize) {
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
            problem.mean_diagonal(reduce)
        }
    }

    /// Lines 8 to 13: `next = Π(y − g/L)` with `L` raised until the quadratic model holds. False
    /// where it never does: squares of the step overflow or vanish.
    fn projected_step<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &ApgdSettings,
        lipschitz: &mut f64,
        monitor: &mut Monitor<'_>,
    ) -> bool {
        let n = self.y.len();
        let reduce = monitor.reduce();
        loop {
            for i in 0..n {
                self.next[i] = self.y[i] - self.g[i] / *lipschitz;
            }
            problem.cones().project(&mut self.next);
            for i in 0..n {
                self.step[i] = self.next[i] - self.y[i];
            }
            problem.operator().apply(&self.step, &mut self.n_step);
            monitor.count_products(1);
            let curvature = reduce.dot(&self.step, &self.n_step);
            let length = reduce.dot(&self.step, &self.step);
            let holds = curvature <= *lipschitz * length * (1.0 + MODEL_ROUNDING);
            if holds || !curvature.is_finite() {
                return true; // the check after a step that is not finite says so
            }
            *lipschitz *= settings.increase.max(SMALLEST_INCREASE);
            if !lipschitz.is_finite() {
                return false;
            }
        }
    }

    /// Line 16, and line 7 of the next iteration: `N y⁺` follows from `N y` and `N step`, so that
    /// there is no second product. `next` becomes `gamma`.
    fn extrapolate(&mut self, beta: f64, gamma: &mut [f64]) {
        for i in 0..gamma.len() {
            let velocity_next = self.g[i] + self.n_step[i];
            self.y[i] = self.next[i] + beta * (self.next[i] - gamma[i]);
            self.g[i] = velocity_next + beta * (velocity_next - self.velocity[i]);
            self.velocity[i] = velocity_next;
            gamma[i] = self.next[i];
        }
    }
}
