//! Projected Gauss–Seidel: Mazhar 2015, Alg. 2. Nonsmooth Gauss–Seidel for the exact law.
//!
//! Block after block `gamma_i ← λ Π(gamma_i − ω B_i (N gamma + r)_i) + (1 − λ) gamma_i` with the
//! newest `gamma`, `B_i = (1/g_i) I`. Letters: `omega`, `lambda`, `g` as there; `u` the velocity of
//! the block at hand.
//!
//! The lines of the paper, in order:
//! 1. Lines 2 and 3: one sweep over all blocks. The operator's state stands for `N gamma`.
//! 2. Line 4: the projected step of one block, or its accurate solution.
//! 3. Line 5: the share λ of it.
//! 4. Line 6: the new impulse goes into the state at once.
//! 5. Lines 8 to 10: the monitor's check, after every few sweeps.
//!
//! Where we depart, and why:
//! - A block step lowers the objective of a symmetric N if `ω λmax(N_ii) < 2 g_i`. The paper's `g_i
//!   = tr(N_ii)/3` (eq. 27) fails that where one direction is much softer than the others (`λmax`
//!   up to `3 g_i`). So we raise `g_i` to `0.6 λmax(N_ii)` there: with ω ≤ 1 and λ ≤ 1 the method
//!   then always descends. For N that is not symmetric it takes the same steps, without that
//!   guarantee.
//! - Under [`Law::Exact`] each block is solved accurately for Coulomb's law by [`solve_block`],
//!   with the other blocks held: the usual nonsmooth Gauss–Seidel (Acary 2018). [`BlockStep`]
//!   chooses either step for either law.

use super::SolverError;
use super::dense::Dense;
use super::local::{LocalSettings, solve_block};
use super::scaling::{Scale, block_scales};
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::residual::law_velocity;

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
    /// Whether blocks are solved accurately under this law.
    fn is_accurate(&self, law: Law) -> bool {
        match self.step {
            BlockStep::ByLaw => law == Law::Exact,
            BlockStep::Projected => false,
            BlockStep::Accurate => true,
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Clone, Debug, Default)]
pub struct GaussSeidel {
    g: Vec<f64>,
    /// Diagonal blocks of N, for the accurate step only.
    blocks: Vec<Dense>,
    state: Vec<f64>,
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
        let operator = problem.operator();
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        self.state.clear();
        self.state.resize(operator.state_len(), 0.0);
        block_scales(problem, Scale::Safe, monitor.reduce(), &mut self.g);
        self.blocks.clear();
        if settings.is_accurate(law) {
            for (block, _) in problem.cones().iter() {
                let mut n = [0.0; MAX_ROWS * MAX_ROWS];
                operator.diagonal_block(block, &mut n);
                self.blocks.push(n);
            }
        }
        problem.cones().project(gamma);
        operator.state(gamma, &mut self.state);
        monitor.count_products(1);
        let check_every = settings.check_every.max(1);
        let mut iteration = 0_usize;
        loop {
            if monitor.is_due(iteration, check_every) {
                if iteration > 0 && (iteration / check_every).is_multiple_of(REFRESH) {
                    operator.state(gamma, &mut self.state);
                    monitor.count_products(1);
                }
                problem.velocity_from_state(gamma, &self.state, &mut self.velocity);
                // Lines 8 to 10.
                if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                    let velocity = &mut self.velocity;
                    if let Some(info) = monitor.conclude(problem, NAME, stop, gamma, velocity) {
                        return Ok(info);
                    }
                    // The check was wrong, so the state has drifted.
                    operator.state(gamma, &mut self.state);
                    monitor.count_products(1);
                }
            }
            iteration += 1;
            // Lines 2 to 7.
            for (block, cone) in problem.cones().iter() {
                self.update_block(problem, settings, law, block, cone, gamma);
            }
            monitor.count_products(1);
        }
    }

    /// Lines 4 to 6 for one block.
    fn update_block<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &GaussSeidelSettings,
        law: Law,
        block: Block,
        cone: &Cone,
        gamma: &mut [f64],
    ) {
        let operator = problem.operator();
        let d = block.len();
        let mut u = [0.0; MAX_ROWS];
        let u = &mut u[..d];
        operator.read_block(block, gamma, &self.state, u);
        for (u, r) in u.iter_mut().zip(&problem.r()[block.rows()]) {
            *u += r;
        }
        let old = &mut gamma[block.rows()];
        let mut new = [0.0; MAX_ROWS];
        let new = &mut new[..d];
        new.copy_from_slice(old);
        if settings.is_accurate(law) {
            // In place of line 4: q = u without the block's own share, then the block's own
            // problem.
            let n = &self.blocks[block.index];
            for i in 0..d {
                u[i] -= (0..d).map(|j| n[i * d + j] * old[j]).sum::<f64>();
            }
            solve_block(cone, law, n, u, &settings.local, new);
        } else {
            // Line 4.
            let mut u_hat = [0.0; MAX_ROWS];
            law_velocity(cone, law, u, &mut u_hat[..d]);
            let length = settings.omega / self.g[block.index];
            for i in 0..d {
                new[i] -= length * u_hat[i];
            }
            cone.project(new);
        }
        // Line 5.
        let mut delta = [0.0; MAX_ROWS];
        for i in 0..d {
            delta[i] = settings.lambda * (new[i] - old[i]);
            old[i] += delta[i];
        }
        // Line 6.
        operator.update_state(block, &delta[..d], &mut self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
