//! Projected Jacobi: Mazhar 2015, Alg. 2 without its line 6, which is Heyn 2013, eq. 12.
//!
//! `gamma_i ← λ Π(gamma_i − ω B_i (N gamma + r)_i) + (1 − λ) gamma_i` for all blocks at once, with
//! `B_i = (1/g_i) I` and `g_i = tr(N_ii)/rows` (Mazhar 2015, eq. 27). Letters: `omega`, `lambda`,
//! `g` as there; `u` the velocity `N gamma + r`, `d` the step, `du = u(gamma + d) − u(gamma)`. All
//! of an iteration is one walk over the blocks (file `sweep/pass.rs`).
//!
//! The lines of Mazhar 2015, Alg. 2, in order:
//! 1. Line 2: the velocity of the last point, here `u`.
//! 2. Line 4: `Π(gamma_i − ω B_i u_i)` of every block, all from the same velocity.
//! 3. Line 5: the share λ of it.
//! 4. Line 6, the newest impulses for the next block, is what Jacobi leaves out.
//! 5. Lines 8 to 10: the monitor's check, at the top of the loop.
//!
//! It converges for symmetric N if `ω λmax(B N) < 2`. `λmax` grows with the number of contacts of a
//! body, hence Heyn's ω ≈ 0.3 for large problems.
//!
//! Where we depart, and why:
//! - With [`JacobiSettings::safeguard`] ω is lowered, never raised, to `1.9 dᵀdu / ‖du‖²_{1/g}`
//!   whenever a step `d` shows more curvature than ω allows. `du` is seen when the next step is
//!   made, so a too long ω is mended one step after the first that shows it. The same rule keeps
//!   the step a contraction where N is monotone but not symmetric.
//! - Under [`Law::Exact`](crate::Law::Exact) the step takes De Saxcé's `û` in place of `u`. That is
//!   the fixed point of Mazhar 2014, §4.3, with one Jacobi step inside: cheap, and without a
//!   guarantee.

use super::SolverError;
use super::scaling::{Scale, block_scales};
use super::sweep_checks::{SweepChecks, SweepCount, Verdict};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::Ccp;
use crate::sweep::Sweeps;
use crate::sweep::pass::{Holds, PassStep};

/// The method's name.
pub const NAME: &str = "jacobi";

/// The safeguard's ω over the longest that contracts along the step seen, which would be 2: a
/// little below, since the next step may show a little more curvature.
const SAFE_OMEGA: f64 = 1.9;

/// Iterations between fresh velocities. What fifty additions drift by is far below the tolerances
/// that are asked for.
const REFRESH: usize = 50;

/// Below this a shorter step is noise (or the exact law's lack of monotonicity), not curvature.
const MIN_OMEGA: f64 = 1e-4;

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

/// Work memory of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct Jacobi {
    sweeps: Sweeps,
    g: Vec<f64>,
    velocity: Vec<f64>,
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
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        let scale = monitor.scale(problem);
        block_scales(problem, Scale::Mean, monitor.reduce(), &mut self.g);
        problem.cones().project(gamma);
        let by = (monitor.law(), &scale);
        let holds = match settings.safeguard {
            true => Holds::Velocity,
            false => Holds::Nothing,
        };
        let how = (holds, Some(&self.g[..]));
        let passes = self.sweeps.start_passes(problem, by, how, gamma, monitor);
        let mut checks = SweepChecks::new(NAME, scale, 1, REFRESH).by_residual();
        let mut omega = settings.omega;
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            // Lines 8 to 10.
            let at = SweepCount { iteration, moved };
            let point = (&mut *gamma, &mut self.velocity);
            if let Verdict::Done(info) =
                checks.check(problem, passes.as_sweep(), at, point, monitor)
            {
                return Ok(info);
            }
            iteration += 1;
            // Lines 2, 4 and 5.
            let step = PassStep {
                lambda: settings.lambda,
                ..PassStep::plain(omega)
            };
            let sums = passes.pass(problem, step).reduced(monitor.reduce());
            monitor.count_products(1);
            moved = sums.moved;
            if settings.safeguard {
                let longest = SAFE_OMEGA * sums.bend / sums.turn;
                if longest > MIN_OMEGA && longest < omega {
                    omega = longest;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::problem::Law;
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
        // N = all ones + I on four rows: λmax(N)/g = 5/2, so ω = 0.9 is too long by 2.5 · 0.9 > 2.
        // By symmetry gamma = 1.
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
