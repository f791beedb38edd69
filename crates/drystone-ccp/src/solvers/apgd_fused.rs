//! Fused, preconditioned APGD: Mazhar 2015, Alg. 1 ([`super::apgd`]) in another metric and in one
//! walk over the contacts.
//!
//! `min f(x) = ½ xᵀ N x + rᵀ x, x ∈ K`. Letters: `x` the iterate, `y` the extrapolated point, `s =
//! N y + r` the gradient there, `theta` and `beta` Nesterov's sequence, `lipschitz` the `L` of the
//! paper, here relative to the metric `P` and so without a unit. The lines are those of Alg. 1:
//!
//! 1. Line 16: `y = x + beta (x − x_old)`.
//! 2. Lines 7 to 13: `x⁺ = Π^P(y − P⁻¹ s / L)`, with `L` raised until `dᵀ N d ≤ L dᵀ P d`, where
//!    `d = x⁺ − y`. For a quadratic that is the test of line 9.
//! 3. Lines 14 and 15: Nesterov's `theta` and `beta`.
//! 4. Lines 25 to 28: the momentum is dropped if `sᵀ (x⁺ − x) > 0`.
//! 5. Line 29: `L` is cut, so that steps can grow again.
//!
//! Where we depart from the paper, and why:
//! - `P` is the metric of the accelerated sweeps ([`super::nesterov_gs`]): one weight for the
//!   normal and one for each part of friction, at least the block's own part of N; the matrix of
//!   all joints as it stands. So bodies of all sizes and masses have steps of their own size, `L`
//!   is about the number of contacts that pull together, and 1 is a good first guess (line 4).
//! - Gradient, projection and the product `N d` are one walk over the contacts (file
//!   `sweep/pass.rs`): what it changes in the velocities of the bodies is all that `dᵀ N d` needs.
//!   The paper's lines ask for two products.
//! - The end is looked for after every few iterations, as by the sweeps.
//!
//! A problem that is not one of bodies in pairs takes the same steps with products of N.

use super::SolverError;
use super::sweep_checks::{SweepChecks, SweepCount, Verdict};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::sweep::Sweeps;
use crate::sweep::pass::{Holds, Pass, PassStep, PassSums};

/// The method's name.
pub const NAME: &str = "apgd-fused";

/// Checks after which velocities are made afresh, against drift. With a check after every fourth
/// iteration that costs 2.5 %.
const REFRESH: usize = 10;

/// An `increase` below this would hardly end the backtracking.
const SMALLEST_INCREASE: f64 = 1.01;

/// Share by which the model may fail from rounding alone: the two sides are sums of many terms.
const MODEL_ROUNDING: f64 = 1e-12;

/// Settings of [`ApgdFused`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApgdFusedSettings {
    /// What `L` is multiplied by when the quadratic model fails, > 1.
    pub increase: f64,
    /// What `L` is multiplied by after each iteration, in (0, 1].
    pub decrease: f64,
    /// Drop the momentum when it points uphill.
    pub restart: bool,
    /// Iterations between two convergence checks, >= 1. A check costs about half an iteration.
    pub check_every: usize,
}

impl Default for ApgdFusedSettings {
    fn default() -> Self {
        Self {
            increase: 2.0,
            decrease: 0.9,
            restart: true,
            check_every: 4,
        }
    }
}

/// Work memory of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct ApgdFused {
    sweeps: Sweeps,
    velocity: Vec<f64>,
}

impl ApgdFused {
    /// Solves, starting from `gamma` and overwriting it with the best point. Knows the relaxed law
    /// only.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &ApgdFusedSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        problem.cones().project(gamma);
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        let scale = monitor.scale(problem);
        let by = (Law::Relaxed, &scale);
        let how = (Holds::Point, None);
        let passes = self.sweeps.start_passes(problem, by, how, gamma, monitor);
        let mut checks = SweepChecks::new(NAME, scale, settings.check_every, REFRESH);
        let mut lipschitz = 1.0;
        let (mut theta, mut beta) = (1.0_f64, 0.0);
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            // Lines 17 to 24.
            let at = SweepCount { iteration, moved };
            let point = (&mut *gamma, &mut self.velocity);
            match checks.check(problem, passes.as_sweep(), at, point, monitor) {
                Verdict::GoOn => {}
                Verdict::Restart => (beta, theta) = (0.0, 1.0),
                Verdict::Done(info) => return Ok(info),
            }
            iteration += 1;
            // Lines 16 and 7 to 13.
            let Some(sums) = stepped(problem, passes, settings, (beta, &mut lipschitz), monitor)
            else {
                let stop = Termination::Broke;
                return Ok(checks.end(problem, passes.as_sweep(), stop, gamma, monitor));
            };
            moved = sums.moved;
            // Lines 14 and 15.
            let theta_next = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            beta = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            // Lines 25 to 28.
            if settings.restart && sums.uphill > 0.0 {
                (beta, theta) = (0.0, 1.0);
            }
            // Line 29.
            lipschitz *= settings.decrease;
        }
    }
}

/// A step from `y`, with `L` raised until the quadratic model holds. `None` where it never does:
/// squares of the step overflow or vanish.
fn stepped<N: Operator>(
    problem: &Ccp<N>,
    passes: &mut dyn Pass<N>,
    settings: &ApgdFusedSettings,
    (beta, lipschitz): (f64, &mut f64),
    monitor: &mut Monitor<'_>,
) -> Option<PassSums> {
    let mut again = false;
    loop {
        let step = PassStep {
            beta,
            alpha: 1.0 / *lipschitz,
            lambda: 1.0,
            again,
        };
        let sums = passes.pass(problem, step).reduced(monitor.reduce());
        monitor.count_products(1);
        let most = *lipschitz * sums.length * (1.0 + MODEL_ROUNDING);
        if sums.curvature <= most || !sums.curvature.is_finite() {
            return Some(sums); // the check after a step that is not finite says so
        }
        *lipschitz *= settings.increase.max(SMALLEST_INCREASE);
        if !lipschitz.is_finite() {
            return None;
        }
        again = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::testing::{dense_problem, expect, sliding_contact};

    fn solve<N: Operator>(
        problem: &Ccp<N>,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let settings = ApgdFusedSettings::default();
        ApgdFused::default().solve(problem, &settings, gamma, monitor)
    }

    #[test]
    fn a_sliding_contact_by_hand() {
        let problem = sliding_contact();
        expect(
            &problem,
            Law::Relaxed,
            &[1.2, 0.6, 0.0],
            |gamma, monitor| solve(&problem, gamma, monitor),
        );
    }

    #[test]
    fn a_joint_is_solved_by_the_first_step() {
        // N = [4 1; 1 3], r = (1, 2), free: gamma = −N⁻¹ r = −(1/11, 7/11). Its metric is N itself.
        let problem = dense_problem(&[4., 1., 1., 3.], &[1.0, 2.0], &[Cone::Free { rows: 2 }]);
        let mut gamma = [0.0; 2];
        let limits = crate::Limits {
            max_iterations: 1,
            ..crate::Limits::default()
        };
        let mut monitor = Monitor::new(limits, Law::Relaxed);
        let info = solve(&problem, &mut gamma, &mut monitor).unwrap();
        assert!(info.converged(), "{info:?}");
        assert!((gamma[0] + 1.0 / 11.0).abs() < 1e-9 && (gamma[1] + 7.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn rows_of_any_unit_take_steps_of_their_own_size() {
        // N = diag(1e6, 1, 1e-4), r = −N (1, 2, 3): one step, however badly N is conditioned.
        let n = [1e6, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1e-4];
        let cones = [Cone::NonNegative; 3];
        let problem = dense_problem(&n, &[-1e6, -2.0, -3e-4], &cones);
        let mut gamma = [0.0; 3];
        let mut monitor = Monitor::new(crate::Limits::default(), Law::Relaxed);
        let info = solve(&problem, &mut gamma, &mut monitor).unwrap();
        assert!(info.converged() && info.iterations <= 4, "{info:?}");
        for (found, by_hand) in gamma.into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - by_hand).abs() < 1e-9, "{gamma:?}");
        }
    }
}
