//! Gradient projection with MINRES on the free variables: Heyn 2013, §4, algorithms GPMINRES and
//! GPMINRES-P.
//!
//! `min q = ½ gammaᵀ N gamma + rᵀ gamma` over bounds (Heyn 2013, eq. 11), here over intervals and
//! discs; friction comes in by the fixed point of [`super::tresca`]. Numbers of lines are those of
//! the paper's algorithm, found in the code as
//!
//! - line 1: the warm start; line 2: the loop in `run`,
//! - lines 3 to 8: `gradient_phase`, with eqs. 15 to 18,
//! - lines 9 to 17: `krylov_phase`, with eqs. 19 and 20 in `minres`,
//! - line 18: `projected_search`,
//! - lines 19 to 22: the tests at the top of the loop in `run`.
//!
//! The gradient phase goes back to J. Moré and G. Toraldo (1991, On the solution of large quadratic
//! programming problems with bound constraints), as the paper says.
//!
//! Where we depart, and why:
//! - q along a step `d` falls by `gᵀd + ½ dᵀNd` exactly, so no two objectives are subtracted.
//! - α* is the minimiser along the *projected* gradient. Rows pressed against their bound do not
//!   move, yet in the paper's form their large gradients make the first trial far too short.
//! - A pair of friction rows on its disc's rim is active as a pair; it moves along the rim in the
//!   gradient phase only.
//! - After MINRES comes a step along what it left of the residual: where A_k is singular that part
//!   lies in the kernel, and only a bound ends the way down along it. Without it hyperstatic
//!   problems crawl.
//! - [`Preconditioner::Factor`]: the paper takes a full LU without pivoting with perturbed zero
//!   pivots. N is symmetric positive semidefinite, so we take the Cholesky factor of `A_k + δ I`; δ
//!   plays the part of the perturbed pivots and grows until the factor exists. It is computed anew
//!   where the free set has changed, and allocates then. It is made by one process; without it the
//!   method can run on several.
//!
//! Letters: `g = ∇q`, `y` the iterate of the projected gradient phase (kept in `gamma`), `eta1` and
//! `eta2` the thresholds of sluggish progress of eqs. 18 and 20, `mu` the sufficient decrease of
//! eq. 16, `A_k` the rows and columns of N that are free, `w` the step that MINRES proposes, `d`
//! the step that is taken.

use super::SolverError;
use super::free_factor::FreeFactor;
use super::minres::{Minres, MinresLimits};
use super::tresca::{self, Bounded, BoundedMethod, OuterMonitor, TrescaSettings};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::Ccp;
use crate::sparse::Csr;

/// What MINRES is preconditioned by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioner {
    /// Nothing.
    #[default]
    None,
    /// The factor of the free part of N: GPMINRES-P.
    Factor,
}

/// Settings of [`Gpminres`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpminresSettings {
    /// What MINRES is preconditioned by.
    pub preconditioner: Preconditioner,
    /// η1: a gradient step that gains less than this share of the best before it ends the phase, in
    /// (0, 1).
    pub eta1: f64,
    /// η2: the same for MINRES steps, in (0, 1).
    pub eta2: f64,
    /// Sufficient decrease μ of both line searches, in (0, ½).
    pub decrease: f64,
    /// Most gradient steps of one phase, >= 1.
    pub gradient_steps: usize,
    /// Most MINRES steps of one phase (the paper's M_max), >= 1. Where the active rows are just the
    /// binding ones, ten times as many.
    pub krylov_steps: usize,
    /// First shift δ of the factor, relative to the mean diagonal of N, > 0.
    pub shift: f64,
    /// The fixed point that brings friction in.
    pub tresca: TrescaSettings,
}

impl Default for GpminresSettings {
    fn default() -> Self {
        Self {
            preconditioner: Preconditioner::None,
            // The paper leaves η1 and η2 open. By trial.
            eta1: 0.25,
            eta2: 0.1,
            // The paper leaves μ open. Low: q is a parabola along the step, so a halving is rare.
            decrease: 0.01,
            // The active set is found by the first few; more of them cost as much as MINRES steps.
            gradient_steps: 10,
            // The paper took 10 in its tests; more, by trial.
            krylov_steps: 50,
            // Large enough for a factor of a singular N, small beside its other eigenvalues.
            shift: 1e-4,
            tresca: TrescaSettings::default(),
        }
    }
}

impl GpminresSettings {
    /// GPMINRES-P with defaults otherwise.
    pub fn preconditioned() -> Self {
        Self {
            preconditioner: Preconditioner::Factor,
            ..Self::default()
        }
    }
}

/// Work vectors of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct Gpminres {
    settings: GpminresSettings,
    g: Vec<f64>,
    trial: Vec<f64>,
    d: Vec<f64>,
    n_d: Vec<f64>,
    w: Vec<f64>,
    active: Vec<bool>,
    before: Vec<bool>,
    minres: Minres,
    factor: Option<FreeFactor>,
    matrix: Option<Csr>,
    krylov_steps: usize,
}

impl Gpminres {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &GpminresSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let n = problem.dim();
        for work in [
            &mut self.g,
            &mut self.trial,
            &mut self.d,
            &mut self.n_d,
            &mut self.w,
        ] {
            work.clear();
            work.resize(n, 0.0);
        }
        for mask in [&mut self.active, &mut self.before] {
            mask.clear();
            mask.resize(n, false);
        }
        self.settings = *settings;
        self.factor = None;
        self.krylov_steps = 0;
        let name = match settings.preconditioner {
            Preconditioner::None => {
                self.matrix = None;
                NAME
            }
            Preconditioner::Factor => {
                self.matrix = Some(problem.operator().to_csr());
                NAME_PRECONDITIONED
            }
        };
        tresca::solve(problem, name, &settings.tresca, self, gamma, monitor)
    }

    /// MINRES steps of the last solve, of all phases together.
    pub fn krylov_steps(&self) -> usize {
        self.krylov_steps
    }

    /// Lines 3 to 8: projected gradient steps until the active set settles (17) or progress
    /// slackens (18). Returns whether anything moved.
    fn gradient_phase<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> bool {
        let reduce = outer.monitor.reduce();
        let mut best_gain = 0.0_f64;
        for step in 0..self.settings.gradient_steps {
            inner.set.active(gamma, &mut self.before);
            inner.set.projected_gradient(gamma, &self.g, &mut self.d);
            let square = reduce.dot(&self.d, &self.d);
            if square == 0.0 {
                return step > 0;
            }
            inner.operator.apply(&self.d, &mut self.n_d);
            outer.monitor.count_products(1);
            let curvature = reduce.dot(&self.d, &self.n_d);
            // α*, the minimiser along the projected gradient; without curvature any length will do,
            // for a bound or the halving ends it.
            let alpha = if curvature > 0.0 {
                square / curvature
            } else {
                1.0 / inner.w
            };
            // Line 5: eq. 15 with α halved as eq. 16 asks.
            for i in 0..gamma.len() {
                self.w[i] = -self.g[i];
            }
            let Some(gain) = self.projected_search(inner, alpha, gamma, outer) else {
                return step > 0;
            };
            // Line 4: eqs. 17 and 18.
            inner.set.active(gamma, &mut self.active);
            let changed = f64::from(self.active != self.before);
            let settled = reduce.max(changed) == 0.0;
            if settled || gain <= self.settings.eta1 * best_gain {
                return true;
            }
            best_gain = best_gain.max(gain);
        }
        true
    }

    /// Lines 9 to 18: MINRES on the free rows, then a projected search along what it proposes.
    /// Returns whether anything moved.
    fn krylov_phase<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> bool {
        let n = gamma.len();
        let reduce = outer.monitor.reduce();
        // Line 9: the active set. Binding rows are active with a gradient that presses them on: the
        // projected gradient vanishes there. Where all are binding the set may be the right one,
        // and the paper stays longer with MINRES.
        inner.set.active(gamma, &mut self.active);
        inner.set.projected_gradient(gamma, &self.g, &mut self.d);
        let free_to_leave = !(0..n).all(|i| !self.active[i] || self.d[i] == 0.0);
        let settled = reduce.max(f64::from(free_to_leave)) == 0.0;
        let (steps, progress) = if settled {
            (
                LONGER * self.settings.krylov_steps,
                SLACKER * self.settings.eta2,
            )
        } else {
            (self.settings.krylov_steps, self.settings.eta2)
        };
        // Lines 10 to 17: MINRES on A_k w = −r_k.
        for i in 0..n {
            self.d[i] = if self.active[i] { 0.0 } else { -self.g[i] };
        }
        let work = self.refresh_factor(inner.w);
        outer.monitor.count_work(work);
        let limits = MinresLimits {
            max_iterations: steps,
            progress,
            tolerance: KRYLOV_TOLERANCE,
        };
        let active = &self.active;
        let apply = |x: &[f64], out: &mut [f64]| {
            inner.operator.apply(x, out);
            clear(active, out);
        };
        let factor = &mut self.factor;
        let precondition = |x: &[f64], out: &mut [f64]| match factor {
            Some(factor) => factor.solve(x, out),
            None => out.copy_from_slice(x),
        };
        let products =
            self.minres
                .solve(reduce, &limits, &self.d, &mut self.w, apply, precondition);
        outer.monitor.count_products(products);
        self.krylov_steps += products;
        // Line 18, and what MINRES left.
        let moved = products > 0 && self.projected_search(inner, 1.0, gamma, outer).is_some();
        self.recession_step(inner, gamma, outer) || moved
    }

    /// Where A_k is singular, part of the gradient lies in its kernel: q falls along it until a
    /// bound stops it, and MINRES, which removes what can be removed of the residual, leaves just
    /// that part behind. Follow it to the first bound. Not in the paper.
    fn recession_step<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> bool {
        let reduce = outer.monitor.reduce();
        self.minres.residual(&mut self.w);
        inner.set.active(gamma, &mut self.active);
        clear(&self.active, &mut self.w);
        let square = reduce.dot(&self.w, &self.w);
        inner.operator.apply(&self.w, &mut self.n_d);
        outer.monitor.count_products(1);
        let curvature = reduce.dot(&self.w, &self.n_d);
        if square == 0.0 || curvature > FLAT * inner.w * square {
            return false;
        }
        for i in 0..gamma.len() {
            self.d[i] = -self.w[i];
        }
        let longest = -reduce.max(-inner.set.longest_step(gamma, &self.d));
        if !longest.is_finite() {
            return false; // nothing stops it: the problem is unbounded, or this is rounding
        }
        let alpha = (reduce.dot(&self.g, &self.d) / curvature.max(f64::MIN_POSITIVE)).min(longest);
        alpha > 0.0
            && alpha.is_finite()
            && self.projected_search(inner, alpha, gamma, outer).is_some()
    }

    /// Line 18 and eq. 16: `gamma ← Π(gamma + α w)` with α halved until q falls enough. Brings `g`
    /// up to date and returns by how much q fell; `None` where it never does.
    fn projected_search<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        mut alpha: f64,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> Option<f64> {
        let n = gamma.len();
        let reduce = outer.monitor.reduce();
        for _ in 0..HALVINGS {
            for i in 0..n {
                self.trial[i] = gamma[i] + alpha * self.w[i];
            }
            inner.set.project(&mut self.trial);
            for i in 0..n {
                self.d[i] = self.trial[i] - gamma[i];
            }
            inner.operator.apply(&self.d, &mut self.n_d);
            outer.monitor.count_products(1);
            let slope = reduce.dot(&self.g, &self.d);
            let change = slope + 0.5 * reduce.dot(&self.d, &self.n_d);
            if slope < 0.0 && change <= self.settings.decrease * slope {
                gamma.copy_from_slice(&self.trial);
                (0..n).for_each(|i| self.g[i] += self.n_d[i]);
                return Some(-change);
            }
            alpha *= 0.5; // eq. 16 and line 18: α* (½)^l
        }
        None
    }

    /// The factor for the present free set, where one is asked for; what it took, in sweeps.
    fn refresh_factor(&mut self, w: f64) -> f64 {
        let Some(matrix) = &self.matrix else {
            return 0.0;
        };
        if self.factor.as_ref().is_some_and(|f| f.is_for(&self.active)) {
            return 0.0;
        }
        self.factor = FreeFactor::new(matrix, &self.active, self.settings.shift * w);
        self.factor.as_ref().map_or(0.0, FreeFactor::work)
    }
}

impl BoundedMethod for Gpminres {
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
        for _ in 0..inner.budget {
            // Line 19, by the residual that judges every method and by the inner one.
            // A fresh gradient each round: the updates within drift by rounding.
            inner.gradient(gamma, &mut self.g);
            outer.monitor.count_products(1);
            if let Some(stop) = outer.check(gamma, &self.g) {
                return Some(stop);
            }
            if inner.solved(gamma, &self.g, outer) {
                return None;
            }
            // Lines 3 to 8, then 9 to 18.
            let moved = self.gradient_phase(inner, gamma, outer);
            let moved = self.krylov_phase(inner, gamma, outer) || moved;
            if !moved {
                return None; // at rounding
            }
        }
        None
    }
}

/// Sets the active rows to zero.
fn clear(active: &[bool], x: &mut [f64]) {
    for (v, _) in x.iter_mut().zip(active).filter(|(_, a)| **a) {
        *v = 0.0;
    }
}

/// MINRES stays this many times longer where the active set may be the right one, and ends at this
/// share of `eta2`. The paper only says that η2 is reduced then; the figures are by trial.
const LONGER: usize = 10;
const SLACKER: f64 = 0.1;

/// Share of `‖b‖` at which MINRES has no digits left to gain.
const KRYLOV_TOLERANCE: f64 = 1e-13;

/// Iterations on the first bounds of a Tresca round: those are not worth more.
const FIRST_BUDGET: usize = 8;

/// Rounds before the relaxed law's shift. By trial on the outside problems.
const ROUNDS_WITHOUT_SHIFT: usize = 5;

/// Curvature, relative to the mean diagonal of N, below which a direction counts as in the kernel.
/// Loose: the step is searched along anyway, and what MINRES leaves is never exactly in the kernel.
const FLAT: f64 = 1e-2;

/// Halvings after which a line search gives up: a step of 1/4000 of the first gains next to
/// nothing.
const HALVINGS: usize = 12;

/// The method's name, in settings and in tables.
pub const NAME: &str = "gpminres";

/// The name of the form with [`Preconditioner::Factor`].
pub const NAME_PRECONDITIONED: &str = "gpminres-p";

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
        for settings in [
            GpminresSettings::default(),
            GpminresSettings::preconditioned(),
        ] {
            expect(problem, law, by_hand, |gamma, monitor| {
                Gpminres::default().solve(problem, &settings, gamma, monitor)
            });
        }
    }
}
