//! Accelerated block Gauss–Seidel: Nesterov's momentum around sweeps. It is from none of the five
//! papers; on piles it beat all their first-order methods.
//!
//! `min f(x) = ½ xᵀ N x + rᵀ x, x ∈ K`. Letters: `x` the iterate, `y` the extrapolated point,
//! `theta` and `beta` Nesterov's sequence as in Mazhar 2015, eqs. 21 and 22, `P` the metric. How a
//! sweep runs is the business of file `sweep.rs`.
//!
//! 1. `y = x + beta (x − x_old)`.
//! 2. Sweep: `x_i ← Π^P(y_i − P_i⁻¹ s_i)`, each block's change felt by the next.
//! 3. If `beta ≠ 0` and `f` rose: go back to `x`, drop the momentum, sweep again. Without momentum
//!    a sweep cannot raise `f`.
//! 4. Nesterov's next `beta`; dropped if `Σ (y − x⁺)ᵀ P (x⁺ − x) > 0` over the contacts. That is
//!    the restart of Mazhar 2015, §3.1.2, with the sweep's step in place of the gradient.
//!
//! Late in a solve most of the residual often lies at a few contacts. They and what they touch are
//! then swept apart by the same steps, as a problem of its own (a patch), after every 32 sweeps.
//! Such sweeps lower `f` as any other; they are not counted as iterations.
//!
//! Bodies that carry far more than their own weight, as under a slab or deep in a pile, make all of
//! this slow. So once it is clear that a solve is no easy one, a nearer problem is swept in place
//! of it (file `nesterov_gs/anchored.rs`).
//!
//! The metric of a friction block is `P_i = lambda_i diag(a_n, a_k)`, with one weight for the
//! normal row and one for each part, so that friction cones stay friction cones, and `lambda_i >=
//! 1` as large as `P_i ⪰ N_ii` needs. Joints are solved exactly: `P_i = N_ii`, where a two-body
//! problem's joints all make one block.
//!
//! # The exact law
//!
//! There are two ways:
//! - De Saxcé's fixed point ([`super::de_saxce`]) with whole relaxed solves by these sweeps inside:
//!   [`ExactSweeps::FixedPoint`](super::ExactSweeps::FixedPoint).
//! - Sweeps of Coulomb's law itself, [`ExactSweeps::Coulomb`](super::ExactSweeps::Coulomb), which
//!   is what [`NesterovGs::solve`] does under [`Law::Exact`]. There is no `f` to go by, so that
//!   steps 3 and 4 fall away: the momentum starts anew after every `cycle` of sweeps. With much
//!   longer cycles it diverges on piles.

mod anchored;

pub(super) use anchored::mass_ratio;

use super::SolverError;
use super::sweep_checks::{SweepChecks, SweepCount, Verdict};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::reduce::{Local, Reduce};
use crate::sweep::{Rule, Start, Sweep, SweepSums, Sweeps};

/// The method's name.
pub const NAME: &str = "nesterov-gs";

/// Checks after which velocities are made afresh, against drift. With a check after every fourth
/// sweep that costs 2.5 %.
const REFRESH: usize = 10;

/// Sweeps after which a patch is looked for. That costs about one sweep.
const PATCH_EVERY: usize = 32;

/// A patch is swept until its sweeps move so much less than the first, and at most as often as so
/// many sweeps of the whole take.
const PATCH_GAIN: f64 = 0.03;
const PATCH_WORK: f64 = 16.0;

/// A rise of `f` below this share of it is rounding: the sum has thousands of terms.
const ROUNDING: f64 = 1e-14;

/// Exact law: what a cycle is multiplied by after one that lowered the residual, and after one that
/// raised it; and its bounds. Momentum over long cycles is faster where it settles, and diverges
/// where it does not.
const LONGER: f64 = 1.1;
const SHORTER: f64 = 0.6;
const SHORTEST: f64 = 8.0;
const LONGEST: f64 = 200.0;

/// Settings of [`NesterovGs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NesterovGsSettings {
    /// Sweeps between two convergence checks, >= 1. A check costs about half a sweep.
    pub check_every: usize,
    /// Drop the momentum where it points uphill (step 4).
    pub restart: bool,
    /// Sweep the few places that hold most of the residual apart from the rest, where it is so.
    pub patches: bool,
    /// Weigh bodies by what they carry, and anchor them, where a solve takes long.
    pub anchors: bool,
    /// Exact law: sweeps after which the momentum starts anew, >= 1.
    pub cycle: usize,
}

impl Default for NesterovGsSettings {
    fn default() -> Self {
        Self {
            check_every: 4,
            restart: true,
            patches: true,
            anchors: true,
            cycle: 40,
        }
    }
}

/// Work memory of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct NesterovGs {
    sweeps: Sweeps,
    velocity: Vec<f64>,
}

impl NesterovGs {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &NesterovGsSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        problem.cones().project(gamma);
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        let scale = monitor.scale(problem);
        let law = monitor.law();
        let start = Start {
            law,
            rule: Rule::Metric,
            scale: &scale,
        };
        let sweeps = self.sweeps.start(problem, start, gamma, monitor);
        let checks = SweepChecks::new(NAME, scale, settings.check_every, REFRESH);
        let mut solve = Solve {
            problem,
            sweeps,
            checks,
            velocity: &mut self.velocity,
        };
        Ok(match law {
            Law::Relaxed => solve.relaxed(settings, gamma, monitor),
            Law::Exact => solve.exact(settings, gamma, monitor),
        })
    }
}

/// Steps 1 to 4.
struct Momentum {
    beta: f64,
    theta: f64,
    /// Of the last sweep. No need to know it where there is no momentum.
    objective: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self {
            beta: 0.0,
            theta: 1.0,
            objective: f64::INFINITY,
        }
    }
}

impl Momentum {
    fn drop(&mut self) {
        (self.beta, self.theta) = (0.0, 1.0);
    }

    /// One sweep, or two if the first went uphill; says how many.
    fn sweep<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        sweeps: &mut dyn Sweep<N>,
        settings: &NesterovGsSettings,
        reduce: &dyn Reduce,
    ) -> (SweepSums, usize) {
        let mut sums = sweeps.run(problem, self.beta).reduced(reduce);
        let rounding = ROUNDING * self.objective.abs();
        let rose = self.beta != 0.0 && sums.objective > self.objective + rounding;
        if rose {
            sums = sweeps.redo(problem).reduced(reduce);
            self.theta = 1.0;
        }
        self.objective = sums.objective;
        let theta = self.theta;
        let next = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
        self.beta = theta * (1.0 - theta) / (theta * theta + next);
        self.theta = next;
        if settings.restart && sums.uphill > 0.0 {
            self.drop();
        }
        (sums, if rose { 2 } else { 1 })
    }
}

/// One solve.
struct Solve<'a, N: Operator> {
    problem: &'a Ccp<N>,
    sweeps: &'a mut dyn Sweep<N>,
    checks: SweepChecks,
    velocity: &'a mut Vec<f64>,
}

impl<N: Operator> Solve<'_, N> {
    /// Steps 1 to 4.
    fn relaxed(
        &mut self,
        settings: &NesterovGsSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> SolveInfo {
        let (problem, reduce) = (self.problem, monitor.reduce());
        let mut momentum = Momentum::default();
        let mut anchors_at = anchored::after(problem, reduce);
        let mut polished = 0.0;
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            match self.check(SweepCount { iteration, moved }, gamma, monitor) {
                Verdict::GoOn => {}
                Verdict::Restart => momentum.drop(),
                Verdict::Done(info) => return info,
            }
            if settings.anchors && iteration >= anchors_at {
                if moved < anchored::POLISH_GAIN * polished {
                    polished = moved;
                } else {
                    iteration = self.anchored(iteration, &mut momentum, settings, monitor);
                    polished = f64::INFINITY;
                }
                anchors_at = iteration + anchored::POLISH;
            }
            if settings.patches && iteration % PATCH_EVERY == PATCH_EVERY - 1 {
                let patched = self.patch(settings);
                if reduce.max(f64::from(u8::from(patched))) > 0.0 {
                    // It has fallen.
                    momentum.objective = f64::INFINITY;
                }
            }
            iteration += 1;
            let (sums, swept) = momentum.sweep(problem, self.sweeps, settings, reduce);
            monitor.count_products(swept);
            moved = sums.moved;
        }
    }

    /// Sweeps the few places that hold most of the residual; false where there are none such.
    fn patch(&mut self, settings: &NesterovGsSettings) -> bool {
        let (problem, scale) = (self.problem, *self.checks.scale());
        let mut patched = false;
        let mut work = |patch: &mut dyn Sweep<N>, share: f64| {
            patched = true;
            let most = (PATCH_WORK / share) as usize;
            let mut momentum = Momentum::default();
            let mut goal = 0.0;
            for sweep in 0..most {
                let (sums, _) = momentum.sweep(problem, patch, settings, &Local);
                if sweep == 0 {
                    goal = PATCH_GAIN * PATCH_GAIN * sums.moved;
                }
                if sums.moved <= goal {
                    return;
                }
            }
        };
        self.sweeps.sweep_patch(problem, &scale, &mut work);
        patched
    }

    fn check(&mut self, at: SweepCount, gamma: &mut [f64], monitor: &mut Monitor<'_>) -> Verdict {
        let point = (&mut *gamma, &mut *self.velocity);
        self.checks
            .check(self.problem, self.sweeps, at, point, monitor)
    }

    /// Steps 1 and 2 of the exact law, in cycles.
    fn exact(
        &mut self,
        settings: &NesterovGsSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> SolveInfo {
        let problem = self.problem;
        let mut cycle = settings.cycle.max(1) as f64;
        let mut before = f64::INFINITY;
        let mut theta = 1.0_f64;
        let mut since_restart = 0.0;
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            match self.check(SweepCount { iteration, moved }, gamma, monitor) {
                Verdict::GoOn => {}
                Verdict::Restart => since_restart = cycle,
                Verdict::Done(info) => return info,
            }
            if since_restart >= cycle {
                self.sweeps.refresh(problem);
                monitor.count_products(2);
                let squares = self.sweeps.residual_squares(problem, self.checks.scale());
                let now = monitor.reduce().sum(squares.sum);
                cycle = if now > before {
                    (SHORTER * cycle).max(SHORTEST)
                } else {
                    (LONGER * cycle).min(LONGEST)
                };
                before = now;
                (theta, since_restart) = (1.0, 0.0);
            }
            let theta_next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
            let beta = (theta - 1.0) / theta_next;
            theta = theta_next;
            let sums = self.sweeps.run(problem, beta).reduced(monitor.reduce());
            moved = sums.moved;
            monitor.count_products(1);
            (iteration, since_restart) = (iteration + 1, since_restart + 1.0);
        }
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
