//! Kučera's active-set conjugate gradients, paper 002, §4 (algorithm KUCERA).
//!
//! `min ½ gammaᵀ N gamma + rᵀ gamma` over intervals and discs (friction by the fixed point of [`super::tresca`]). Letters: `g` the whole
//! gradient, `phi` its free part (28), `g_tilde = (gamma − Π(gamma − α̃ g))/α̃` (25) with its free and boundary parts `phi_tilde` (26) and
//! `beta_tilde` (27), `p` the conjugate direction, `alpha_tilde = 1/‖N‖` the fixed step, `big_gamma` the paper's Γ.
//!
//! We depart in four things: line 15 takes the free set of the point before, not of the half-way point; `‖N‖` comes from a power iteration; `g` after an expansion or proportioning step is a fresh product, as in the
//! paper, but also every so often within a chain of conjugate gradients, which drift by rounding; and a pair of friction rows on
//! its disc's rim is active as a pair, as in Kučera's form for separable convex constraints.

use super::SolverError;
use super::scaling::power_iteration;
use super::tresca::{self, Bounded, BoundedMethod, TrescaSettings, Watch};
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
            release: 1.0,
            step: 1.0,
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
            1.05 * norm
        } else {
            problem.mean_diagonal(monitor.reduce())
        };
        self.alpha_tilde = settings.step / norm;
        tresca::solve(problem, NAME, &settings.tresca, self, gamma, monitor)
    }

    /// Free and boundary parts of the projected gradient against `g`; needs `active`. Fills `g_tilde`.
    fn proportions<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &[f64],
        watch: &Watch<'_, '_, N>,
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
        let reduce = watch.monitor.reduce();
        (reduce.sum(free), reduce.sum(boundary))
    }

    /// Equation 25.
    fn fill_g_tilde<N: Operator>(&mut self, inner: &Bounded<'_, N>, gamma: &[f64]) {
        for i in 0..gamma.len() {
            self.g_tilde[i] = gamma[i] - self.alpha_tilde * self.g[i];
        }
        inner.set.project(&mut self.g_tilde);
        for i in 0..gamma.len() {
            self.g_tilde[i] = (gamma[i] - self.g_tilde[i]) / self.alpha_tilde;
        }
    }

    /// `gamma −= α̃ g_tilde` on the free or on the active rows, then a fresh gradient and `p = phi`.
    fn projected_step<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        on_active: bool,
        gamma: &mut [f64],
        watch: &mut Watch<'_, '_, N>,
    ) {
        for i in 0..gamma.len() {
            if self.active[i] == on_active {
                gamma[i] -= self.alpha_tilde * self.g_tilde[i];
            }
        }
        inner.set.project(gamma); // rounding only
        self.restart(inner, gamma, watch);
    }

    fn restart<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &[f64],
        watch: &mut Watch<'_, '_, N>,
    ) {
        inner.gradient(gamma, &mut self.g);
        watch.monitor.count_products(1);
        inner.set.active(gamma, &mut self.active);
        for i in 0..gamma.len() {
            self.p[i] = if self.active[i] { 0.0 } else { self.g[i] };
        }
    }

    /// Lines 6 to 17.
    fn conjugate_or_expansion_step<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        watch: &mut Watch<'_, '_, N>,
    ) {
        let n = gamma.len();
        let reduce = watch.monitor.reduce();
        inner.operator.apply(&self.p, &mut self.n_p);
        watch.monitor.count_products(1);
        let curvature = reduce.dot(&self.p, &self.n_p);
        let length = reduce.dot(&self.p, &self.p);
        // p in the kernel of N: the chain is at its end as far as conjugate gradients can tell.
        let flat = curvature <= 1e-14 * length / self.alpha_tilde;
        let alpha_cg = if flat {
            f64::INFINITY
        } else {
            reduce.dot(&self.g, &self.p) / curvature
        };
        let alpha_f = -reduce.max(-inner.set.longest_step(gamma, &self.p));
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
        if alpha_f.is_finite() {
            for i in 0..n {
                gamma[i] -= alpha_f * self.p[i];
                self.g[i] -= alpha_f * self.n_p[i];
            }
        }
        // Line 15: the half-way point keeps the old free set.
        self.fill_g_tilde(inner, gamma);
        self.projected_step(inner, false, gamma, watch);
    }
}

impl BoundedMethod for Kucera {
    fn first_budget(&self) -> usize {
        200
    }

    fn rounds_without_shift(&self) -> usize {
        0
    }

    fn run<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        watch: &mut Watch<'_, '_, N>,
    ) -> Option<Termination> {
        self.restart(inner, gamma, watch);
        for iteration in 1..=inner.budget {
            if let Some(stop) = watch.check(gamma, &self.g) {
                return Some(stop);
            }
            if inner.solved(gamma, &self.g, watch) {
                return None;
            }
            let (free, boundary) = self.proportions(inner, gamma, watch);
            if boundary <= self.release * self.release * free {
                self.conjugate_or_expansion_step(inner, gamma, watch);
            } else {
                self.projected_step(inner, true, gamma, watch);
            }
            if iteration.is_multiple_of(REFRESH) {
                inner.gradient(gamma, &mut self.g);
                watch.monitor.count_products(1);
            }
        }
        None
    }
}

/// Iterations between fresh gradients.
const REFRESH: usize = 100;

/// The method's name on the command line and in tables.
pub const NAME: &str = "kucera";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::problem::Law;
    use crate::testing::{dense_problem, expect, sliding_contact};

    #[test]
    fn bounds_by_hand() {
        // N = tridiag(−1, 2, −1), r = (−1, 4, −3), gamma ≥ 0, ≥ 0, ≤ 1: the second row lifts off, so 2 a = 1, and the third would be 1.5 but stops
        // at 1. Check: u = (0, −0.5 − 1 + 4, 2 − 3) = (0, 2.5, −1).
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
