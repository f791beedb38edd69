//! Projected Gauss–Seidel: Mazhar 2015, Alg. 2. Nonsmooth Gauss–Seidel for the exact law.
//!
//! Block after block `gamma_i ← λ Π(gamma_i − ω B_i (N gamma + r)_i) + (1 − λ) gamma_i` with the
//! newest `gamma`, `B_i = (1/g_i) I`. Letters: `omega`, `lambda`, `g` as there; `u` the velocity of
//! the block at hand.
//!
//! The lines of the paper, in order:
//! 1. Lines 2 to 7: one sweep over all blocks (file `sweep.rs`). Line 4 is the projected step of
//!    one block, or its accurate solution; line 5 the share λ of it. The blocks after it feel the
//!    change.
//! 2. Lines 8 to 10: the monitor's check, after every few sweeps.
//!
//! Where we depart, and why:
//! - A block step lowers the objective of a symmetric N if `ω λmax(N_ii) < 2 g_i`. The paper's `g_i
//!   = tr(N_ii)/3` (eq. 27) fails that where one direction is much softer than the others (`λmax`
//!   up to `3 g_i`). So we raise `g_i` to `0.6 λmax(N_ii)` there: with ω ≤ 1 and λ ≤ 1 the method
//!   then always descends. For N that is not symmetric it takes the same steps, without that
//!   guarantee.
//! - Under [`Law::Exact`] each block is solved accurately for Coulomb's law by
//!   [`solve_block`](super::local::solve_block) with the other blocks held: the usual nonsmooth
//!   Gauss–Seidel (Acary 2018). [`BlockStep`] chooses either step for either law.

use super::SolverError;
use super::local::LocalSettings;
use super::sweep_checks::{SweepChecks, SweepCount, Verdict};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::sweep::{Rule, Start, Sweeps};

/// The method's name.
pub const NAME: &str = "gauss-seidel";

/// Checks between fresh states. Changes added one by one drift by rounding; with a check after
/// every fourth sweep a fresh state costs 1 %.
const REFRESH: usize = 25;

/// How one block is brought up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockStep {
    /// [`Self::Projected`] for the relaxed law, [`Self::Accurate`] for the exact one.
    #[default]
    ByLaw,
    /// One projected step of length `ω/g_i`: line 4 of the paper.
    Projected,
    /// The block's own problem, solved to rounding. Takes no ω.
    Accurate,
}

/// Settings of [`GaussSeidel`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussSeidelSettings {
    /// Step length ω relative to the block's own, in (0, 1.6]; up to 1 a sweep always descends. No
    /// unit.
    pub omega: f64,
    /// Share λ of the new point, in (0, 1].
    pub lambda: f64,
    /// How one block is brought up to date.
    pub step: BlockStep,
    /// Sweeps between two convergence checks, >= 1. A check costs about half a sweep.
    pub check_every: usize,
    /// Settings of the accurate step.
    pub local: LocalSettings,
}

impl Default for GaussSeidelSettings {
    fn default() -> Self {
        Self {
            omega: 1.0,
            lambda: 1.0,
            step: BlockStep::ByLaw,
            check_every: 4,
            local: LocalSettings::default(),
        }
    }
}

impl GaussSeidelSettings {
    /// How blocks are brought up to date under this law.
    fn rule(&self, law: Law) -> Rule {
        let (omega, lambda) = (self.omega, self.lambda);
        let local = self.local;
        match (self.step, law) {
            (BlockStep::ByLaw, Law::Relaxed) | (BlockStep::Projected, _) => {
                Rule::Scaled { omega, lambda }
            }
            (BlockStep::ByLaw, Law::Exact) | (BlockStep::Accurate, _) => {
                Rule::Accurate { lambda, local }
            }
        }
    }
}

/// Work memory of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct GaussSeidel {
    sweeps: Sweeps,
    velocity: Vec<f64>,
}

impl GaussSeidel {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &GaussSeidelSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let law = monitor.law();
        let scale = monitor.scale(problem);
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        problem.cones().project(gamma);
        let start = Start {
            law,
            rule: settings.rule(law),
            scale: &scale,
        };
        let sweeps = self.sweeps.start(problem, start, gamma, monitor);
        let mut checks = SweepChecks::new(NAME, scale, settings.check_every, REFRESH);
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            // Lines 8 to 10.
            let point = (&mut *gamma, &mut self.velocity);
            let at = SweepCount { iteration, moved };
            if let Verdict::Done(info) = checks.check(problem, sweeps, at, point, monitor) {
                return Ok(info);
            }
            // Lines 2 to 7.
            moved = sweeps.run(problem, 0.0).reduced(monitor.reduce()).moved;
            monitor.count_products(1);
            iteration += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::testing::{dense_problem, expect, sliding_contact};

    fn solve(
        problem: &Ccp<crate::operator::Sparse>,
        step: BlockStep,
    ) -> impl FnOnce(&mut [f64], &mut Monitor<'_>) -> Result<SolveInfo, SolverError> {
        let settings = GaussSeidelSettings {
            step,
            ..GaussSeidelSettings::default()
        };
        move |gamma, monitor| GaussSeidel::default().solve(problem, &settings, gamma, monitor)
    }

    #[test]
    fn two_coupled_contacts_by_hand() {
        // N = [[2, 1], [1, 2]]. r = (−3, −3): both press, gamma = (1, 1). r = (−2, 1): the second
        // lifts off, gamma = (1, 0), u = (0, 2).
        let n = [2.0, 1.0, 1.0, 2.0];
        for (r, by_hand) in [([-3.0, -3.0], [1.0, 1.0]), ([-2.0, 1.0], [1.0, 0.0])] {
            let problem = dense_problem(&n, &r, &[Cone::NonNegative; 2]);
            for step in [BlockStep::Projected, BlockStep::Accurate] {
                expect(&problem, Law::Relaxed, &by_hand, solve(&problem, step));
            }
        }
    }

    #[test]
    fn a_sliding_contact_by_hand_with_either_step_under_both_laws() {
        let problem = sliding_contact();
        for (law, by_hand) in [
            (Law::Relaxed, [1.2, 0.6, 0.0]),
            (Law::Exact, [1.0, 0.5, 0.0]),
        ] {
            for step in [BlockStep::ByLaw, BlockStep::Projected, BlockStep::Accurate] {
                expect(&problem, law, &by_hand, solve(&problem, step));
            }
        }
    }

    #[test]
    fn one_soft_direction_does_not_break_the_joint() {
        // tr/3 = 1, λmax = 2.8: steps of the paper's length would diverge. gamma = −N⁻¹ r = (1, 1,
        // 1).
        let n = [2.8, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1];
        let problem = dense_problem(&n, &[-2.8, -0.1, -0.1], &[Cone::Free { rows: 3 }]);
        expect(
            &problem,
            Law::Relaxed,
            &[1.0; 3],
            solve(&problem, BlockStep::Projected),
        );
    }
}
