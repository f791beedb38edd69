//! Projected Jacobi, paper 000, Algorithm 2 without its line 6 (paper 002, eq. 12).
//!
//! `gamma_i ← λ Π(gamma_i − ω B_i (N gamma + r)_i) + (1 − λ) gamma_i` for all blocks at once, `B_i = (1/g_i) I`, `g_i = tr(N_ii)/rows`.
//! Letters: `omega`, `lambda`, `g` as there, `u` the velocity, `du = u(gamma⁺) − u(gamma)`.
//!
//! It converges for symmetric N if `ω λmax(B N) < 2`; `λmax` grows with the contacts a body has, hence the paper's ω ≈ 0.3
//! for piles. We depart in two things. With [`JacobiSettings::safeguard`] ω is lowered (never raised) to
//! `1.9 dᵀdu / ‖du‖²_{1/g}` whenever a step `d` shows more curvature than ω allows, so that a too long ω is mended after the first step that shows it.
//! The same rule keeps the step a contraction where N is not symmetric but monotone. And under [`Law::Exact`] the step takes De
//! Saxcé's `û` in place of u, which is the fixed point of paper 001, §4.3, with one Jacobi step inside: cheap, and without a guarantee.

use super::SolverError;
use super::scaling::{Scale, block_scales, spread};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};

/// Settings of [`Jacobi`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JacobiSettings {
    /// Step length ω relative to the block's own, in (0, 2). No unit.
    pub omega: f64,
    /// Share λ of the new point, in (0, 1].
    pub lambda: f64,
    /// Lower ω where a step shows that it is too long.
    pub safeguard: bool,
}

impl Default for JacobiSettings {
    fn default() -> Self {
        Self {
            omega: 0.3,
            lambda: 1.0,
            safeguard: true,
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Clone, Debug, Default)]
pub struct Jacobi {
    scales: Vec<f64>,
    g: Vec<f64>,
    velocity: Vec<f64>,
    u: Vec<f64>,
    du: Vec<f64>,
    d: Vec<f64>,
}

impl Jacobi {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &JacobiSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let n = problem.dim();
        for work in [
            &mut self.g,
            &mut self.velocity,
            &mut self.u,
            &mut self.du,
            &mut self.d,
        ] {
            work.clear();
            work.resize(n, 0.0);
        }
        let law = monitor.law();
        let reduce = monitor.reduce();
        block_scales(problem, Scale::Mean, &mut self.scales);
        spread(problem, &self.scales, &mut self.g);
        let mut omega = settings.omega;
        problem.cones().project(gamma);
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        self.u.copy_from_slice(&self.velocity);
        shift(problem, law, &mut self.u);
        let mut iteration = 0;
        let termination = loop {
            if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                break stop;
            }
            iteration += 1;
            // Lines 4 and 5, all blocks from the same velocity.
            for i in 0..n {
                self.d[i] = gamma[i] - omega / self.g[i] * self.u[i];
            }
            problem.cones().project(&mut self.d);
            for i in 0..n {
                self.d[i] = settings.lambda * (self.d[i] - gamma[i]);
                gamma[i] += self.d[i];
            }
            problem.velocity(gamma, &mut self.velocity);
            monitor.count_products(1);
            for i in 0..n {
                self.du[i] = -self.u[i];
            }
            self.u.copy_from_slice(&self.velocity);
            shift(problem, law, &mut self.u);
            for i in 0..n {
                self.du[i] += self.u[i];
            }
            if settings.safeguard {
                let curvature = reduce.dot(&self.d, &self.du);
                let square: f64 = (0..n).map(|i| self.du[i] * self.du[i] / self.g[i]).sum();
                let longest = 1.9 * curvature / reduce.sum(square);
                if longest > MIN_OMEGA && longest < omega {
                    omega = longest;
                }
            }
        };
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }
}

/// Turns `u` into De Saxcé's `û` where the law asks for it.
fn shift<N: Operator>(problem: &Ccp<N>, law: Law, u: &mut [f64]) {
    if law == Law::Exact {
        for (block, cone) in problem.cones().iter() {
            u[block.start] += cone.de_saxce_shift(&u[block.rows()]);
        }
    }
}

/// Below this a shorter step is noise (or the exact law's lack of monotonicity), not curvature.
const MIN_OMEGA: f64 = 1e-4;

/// The method's name on the command line and in tables.
pub const NAME: &str = "jacobi";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::testing::{dense_problem, expect, sliding_contact};

    #[test]
    fn a_frictionless_contact_by_hand() {
        // N = 2I, r = (−4, 1, 1), mu = 0: no tangential impulse, and 2n − 4 = 0.
        let n = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
        let problem = dense_problem(&n, &[-4.0, 1.0, 1.0], &[Cone::friction(0.0)]);
        expect(
            &problem,
            Law::Relaxed,
            &[2.0, 0.0, 0.0],
            |gamma, monitor| {
                Jacobi::default().solve(&problem, &JacobiSettings::default(), gamma, monitor)
            },
        );
    }

    #[test]
    fn a_sliding_contact_by_hand_under_both_laws() {
        let problem = sliding_contact();
        for (law, by_hand) in [
            (Law::Relaxed, [1.2, 0.6, 0.0]),
            (Law::Exact, [1.0, 0.5, 0.0]),
        ] {
            expect(&problem, law, &by_hand, |gamma, monitor| {
                Jacobi::default().solve(&problem, &JacobiSettings::default(), gamma, monitor)
            });
        }
    }

    #[test]
    fn the_safeguard_tames_a_step_that_is_too_long() {
        // N = all ones + I on four rows: λmax(N)/g = 5/2, so ω = 0.9 is too long by 2.5 · 0.9 > 2. By symmetry gamma = 1.
        let mut n = [1.0; 16];
        (0..4).for_each(|i| n[5 * i] = 2.0);
        let problem = dense_problem(&n, &[-5.0; 4], &[Cone::NonNegative; 4]);
        let settings = JacobiSettings {
            omega: 0.9,
            ..JacobiSettings::default()
        };
        expect(&problem, Law::Relaxed, &[1.0; 4], |gamma, monitor| {
            Jacobi::default().solve(&problem, &settings, gamma, monitor)
        });
    }
}
