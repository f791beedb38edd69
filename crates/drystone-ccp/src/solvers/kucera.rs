//! Kučera's active-set conjugate gradients: Heyn 2013, §4, algorithm KUCERA.
//!
//! `min ½ gammaᵀ N gamma + rᵀ gamma` over bounds (Heyn 2013, eq. 11), here over intervals and
//! discs; friction comes in by the fixed point of [`super::tresca`]. The paper takes it from R.
//! Kučera (2008, Convergence rate of an optimization algorithm for minimizing quadratic functions
//! with separable convex constraints). Numbers of lines are those of the paper's algorithm, found
//! in the code as
//!
//! - lines 1 to 3: `restart` at the top of `run`,
//! - line 4: the tests at the top of the loop in `run`; line 5: `proportions`,
//! - lines 6 to 12, conjugate gradient step, and 13 to 17, expansion step:
//!   `conjugate_or_expansion_step`,
//! - lines 18 to 21, proportioning step: `projected_step` on the active rows.
//!
//! Where we depart, and why:
//! - Line 15 takes the free set of the point before, not of the half-way point, so that a row that
//!   has just met its bound may leave it again.
//! - `‖N‖` comes from a power iteration.
//! - `g` after an expansion or proportioning step is a fresh product, as in the paper, but also
//!   every so often within a chain of conjugate gradients, which drift by rounding.
//! - A pair of friction rows on its disc's rim is active as a pair, as in Kučera's form for
//!   separable convex constraints.
//!
//! Letters: `g` the whole gradient, `phi` its free part (28),
//! `g_tilde = (gamma − Π(gamma − α̃ g))/α̃` (25) with its free and boundary parts `phi_tilde` (26)
//! and `beta_tilde` (27), `p` the conjugate direction, `alpha_tilde = 1/‖N‖` the fixed step,
//! `release` the paper's Γ.

use super::SolverError;
use super::scaling::power_iteration;
use super::tresca::{self, Bounded, BoundedMethod, OuterMonitor, TrescaSettings};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::Ccp;

/// Settings of [`Kucera`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KuceraSettings {
    /// Γ: how readily bounds are released, > 0. No unit.
    pub release: f64,
    /// α̃ in units of `1/‖N‖`, in (0, 1].
    pub step: f64,
    /// Products spent on the estimate of `‖N‖`, >= 1.
    pub power_iterations: usize,
    /// The fixed point that brings friction in.
    pub tresca: TrescaSettings,
}

impl Default for KuceraSettings {
    fn default() -> Self {
        Self {
            // The paper's Γ.
            release: 1.0,
            // The paper's α̃ = 1/‖N‖, the longest that it allows.
            step: 1.0,
            // Few beside the hundreds of a solve; what they miss is in `NORM_MARGIN`.
            power_iterations: 20,
            tresca: TrescaSettings::default(),
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Clone, Debug, Default)]
pub struct Kucera {
    g: Vec<f64>,
    p: Vec<f64>,
    n_p: Vec<f64>,
    g_tilde: Vec<f64>,
    active: Vec<bool>,
    alpha_tilde: f64,
    release: f64,
}

impl Kucera {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &KuceraSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let n = problem.dim();
        for work in [&mut self.g, &mut self.p, &mut self.n_p, &mut self.g_tilde] {
            work.clear();
            work.resize(n, 0.0);
        }
        self.active.clear();
        self.active.resize(n, false);
        self.release = settings.release;
        let products = settings.power_iterations.max(1);
        let norm = power_iteration(
            problem,
            products,
            monitor.reduce(),
            &mut self.p,
            &mut self.n_p,
        );
        monitor.count_products(products);
        // A power iteration comes out low; α̃ may not exceed 1/‖N‖ by much.
        let norm = if norm > 0.0 {
            NORM_MARGIN * norm
        } else {
            problem.mean_diagonal(monitor.reduce())
        };
        self.alpha_tilde = settings.step / norm;
        tresca::solve(problem, NAME, &settings.tresca, self, gamma, monitor)
    }

    /// Line 5: `phi_tildeᵀ g` and `beta_tildeᵀ g` (26, 27); needs `active`. Fills `g_tilde`.
    fn proportions<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &[f64],
        outer: &OuterMonitor<'_, '_, N>,
    ) -> (f64, f64) {
        self.fill_g_tilde(inner, gamma);
        let (mut free, mut boundary) = (0.0, 0.0);
        for i in 0..gamma.len() {
            if self.active[i] {
                boundary += self.g_tilde[i] * self.g[i];
            } else {
                free += self.g_tilde[i] * self.g[i];
            }
        }
        let reduce = outer.monitor.reduce();
        (reduce.sum(free), reduce.sum(boundary))
    }

    /// Eq. 25.
    fn fill_g_tilde<N: Operator>(&mut self, inner: &Bounded<'_, N>, gamma: &[f64]) {
        for i in 0..gamma.len() {
            self.g_tilde[i] = gamma[i] - self.alpha_tilde * self.g[i];
        }
        inner.set.project(&mut self.g_tilde);
        for i in 0..gamma.len() {
            self.g_tilde[i] = (gamma[i] - self.g_tilde[i]) / self.alpha_tilde;
        }
    }

    /// `gamma −= α̃ g_tilde` on the free rows (lines 15 to 17) or on the active ones (lines 19 to
    /// 21), then a fresh gradient and `p = phi`.
    fn projected_step<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        on_active: bool,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) {
        for i in 0..gamma.len() {
            if self.active[i] == on_active {
                gamma[i] -= self.alpha_tilde * self.g_tilde[i];
            }
        }
        inner.set.project(gamma); // rounding only
        self.restart(inner, gamma, outer);
    }

    /// `g = N gamma + r` and `p = phi` (28): lines 2 and 3, 16 and 17, 20 and 21.
    fn restart<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &[f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) {
        inner.gradient(gamma, &mut self.g);
        outer.monitor.count_products(1);
        inner.set.active(gamma, &mut self.active);
        for i in 0..gamma.len() {
            self.p[i] = if self.active[i] { 0.0 } else { self.g[i] };
        }
    }

    /// Lines 6 to 17: along `p` to the minimiser, or to the first bound and on by a projected step.
    fn conjugate_or_expansion_step<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) {
        let n = gamma.len();
        let reduce = outer.monitor.reduce();
        inner.operator.apply(&self.p, &mut self.n_p);
        outer.monitor.count_products(1);
        let curvature = reduce.dot(&self.p, &self.n_p);
        let length = reduce.dot(&self.p, &self.p);
        // Line 6. Where p is in the kernel of N the chain is at its end as far as conjugate
        // gradients can tell.
        let flat = curvature <= FLAT * length / self.alpha_tilde;
        let alpha_cg = if flat {
            f64::INFINITY
        } else {
            reduce.dot(&self.g, &self.p) / curvature
        };
        // Line 7.
        let alpha_f = -reduce.max(-inner.set.longest_step(gamma, &self.p));
        // Lines 8 to 12: the conjugate gradient step, and the next direction by eq. 29.
        if alpha_cg < alpha_f {
            for i in 0..n {
                gamma[i] -= alpha_cg * self.p[i];
                self.g[i] -= alpha_cg * self.n_p[i];
            }
            let along: f64 = (0..n)
                .filter(|&i| !self.active[i])
                .map(|i| self.g[i] * self.n_p[i])
                .sum();
            let rho = reduce.sum(along) / curvature;
            for i in 0..n {
                let phi = if self.active[i] { 0.0 } else { self.g[i] };
                self.p[i] = phi - rho * self.p[i];
            }
            return;
        }
        // Lines 13 to 17: the expansion step.
        if alpha_f.is_finite() {
            for i in 0..n {
                gamma[i] -= alpha_f * self.p[i];
                self.g[i] -= alpha_f * self.n_p[i];
            }
        }
        // Line 15: the half-way point keeps the old free set.
        self.fill_g_tilde(inner, gamma);
        self.projected_step(inner, false, gamma, outer);
    }
}

impl BoundedMethod for Kucera {
    fn first_budget(&self) -> usize {
        FIRST_BUDGET
    }

    fn rounds_without_shift(&self) -> usize {
        ROUNDS_WITHOUT_SHIFT
    }

    fn run<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> Option<Termination> {
        // Lines 1 to 3.
        self.restart(inner, gamma, outer);
        for iteration in 1..=inner.budget {
            // Line 4, by the residual that judges every method and by the inner one.
            if let Some(stop) = outer.check(gamma, &self.g) {
                return Some(stop);
            }
            if inner.solved(gamma, &self.g, outer) {
                return None;
            }
            // Line 5: is the point strictly proportional?
            let (free, boundary) = self.proportions(inner, gamma, outer);
            if boundary <= self.release * self.release * free {
                self.conjugate_or_expansion_step(inner, gamma, outer);
            } else {
                self.projected_step(inner, true, gamma, outer);
            }
            if iteration.is_multiple_of(REFRESH) {
                inner.gradient(gamma, &mut self.g);
                outer.monitor.count_products(1);
            }
        }
        None
    }
}

/// `‖N‖` is taken this much larger than the power iteration says: it comes out low, and α̃ may not
/// exceed `1/‖N‖` by much.
const NORM_MARGIN: f64 = 1.05;

/// A direction with less curvature than this share of `‖N‖` is in the kernel to rounding.
const FLAT: f64 = 1e-14;

/// Iterations on the first bounds of a Tresca round. They are cheap here, one product each, so more
/// than GPMINRES spends.
const FIRST_BUDGET: usize = 200;

/// Rounds before the relaxed law's shift: none. By trial on the outside problems.
const ROUNDS_WITHOUT_SHIFT: usize = 0;

/// Iterations between fresh gradients: one product in a hundred, before the drift shows.
const REFRESH: usize = 100;

/// The method's name, in settings and in tables.
pub const NAME: &str = "kucera";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::problem::Law;
    use crate::testing::{dense_problem, expect, sliding_contact};

    #[test]
    fn bounds_by_hand() {
        // N = tridiag(−1, 2, −1), r = (−1, 4, −3), gamma ≥ 0, ≥ 0, ≤ 1: the second row lifts off,
        // so 2 a = 1, and the third would be 1.5 but stops at 1. Check: u = (0, −0.5 − 1 + 4, 2 −
        // 3) = (0, 2.5, −1).
        let n = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
        let limit = Cone::Interval {
            lower: f64::NEG_INFINITY,
            upper: 1.0,
        };
        let problem = dense_problem(
            &n,
            &[-1.0, 4.0, -3.0],
            &[Cone::NonNegative, Cone::NonNegative, limit],
        );
        check(&problem, Law::Relaxed, &[0.5, 0.0, 1.0]);
    }

    #[test]
    fn a_sliding_contact_by_hand_under_both_laws() {
        let problem = sliding_contact();
        check(&problem, Law::Relaxed, &[1.2, 0.6, 0.0]);
        check(&problem, Law::Exact, &[1.0, 0.5, 0.0]);
    }

    fn check(problem: &Ccp<crate::operator::Sparse>, law: Law, by_hand: &[f64]) {
        expect(problem, law, by_hand, |gamma, monitor| {
            Kucera::default().solve(problem, &KuceraSettings::default(), gamma, monitor)
        });
    }
}
