//! P-SPG-FB, the preconditioned spectral projected gradient with fall-back: Heyn 2013, §4, and
//! Tasora 2013.
//!
//! `min f = ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`. Letters: `g = N gamma + r` the whole gradient,
//! `p` the diagonal preconditioner P (one figure for each block: the mean of its diagonal, so that
//! projections stay Euclidean), `alpha` the spectral step length in P's metric, `d` the direction,
//! `lambda` the step along it, `s = lambda d` and `y = N s`. Numbers of lines are those of Heyn
//! 2013, ALGORITHM P-SPG-FB.
//!
//! Where we depart, and why:
//! - f along a line is a parabola, `f(gamma + λd) − f(gamma) = λ gᵀd + ½ λ² dᵀNd`. So one walk over
//!   the blocks (file `sweep/pass.rs`) gives `d` and serves the line search whatever the number of
//!   trials. Only a BB2 step, `dᵀNd / ‖Nd‖²` in the metric P⁻¹, asks for a second one. And
//!   differences of f are never taken between two large numbers: near the solution those cancel and
//!   the paper's test rejects good steps. The window of Grippo, Lampariello and Lucidi (GLL, line
//!   13) keeps `f_i − f_now`.
//! - [`SpectralStep::Adaptive`] is a second rule beside the paper's alternation of lines 19 to 22:
//!   the smallest recent BB2 step when it is much shorter than BB1, else BB1 (ABBmin of
//!   Frassoldati, Zanni and Zanghirati). It took five times fewer iterations on one hyperstatic
//!   problem (FCLIB_local_problem_test) and up to twice as many on others, so the paper's rule
//!   stays the default.
//! - The plain gradient of lines 6 and 7 is not needed: with this P the direction always descends.
//!   What the test met in practice was the rounding of `gᵀd`, which ended runs near 1e-9; we bound
//!   it by `−dᵀPd/alpha` instead.
//! - Fall-back (lines 24 to 26) is the monitor's best point, by the residual that judges every
//!   method.

use super::SolverError;
use super::scaling::{Scale, block_scales};
use super::sweep_checks::{SweepChecks, SweepCount, Verdict};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::reduce::Reduce;
use crate::sweep::Sweeps;
use crate::sweep::pass::{Holds, PassStep};

/// The method's name.
pub const NAME: &str = "spg";

/// Longest window of the nonmonotone line search. The paper takes about 10.
pub const MAX_WINDOW: usize = 64;

/// Iterations between fresh velocities. What fifty additions drift by is far below the tolerances
/// that are asked for.
const REFRESH: usize = 50;

/// How many BB2 steps the adaptive rule remembers. Fewer forget the short steps of a stiff
/// direction before it is damped; more keep steps short for too long.
const ABB_MEMORY: usize = 9;

/// Which spectral step comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpectralStep {
    /// BB1 and BB2 in turn, lines 19 to 22.
    #[default]
    Alternating,
    /// BB1, or the smallest of the last BB2 steps where that is much shorter.
    Adaptive,
    /// BB1 always, eq. 10 of Tasora 2013: the longer of the two. To compare with.
    Bb1,
    /// BB2 always, eq. 11 of Tasora 2013: the shorter of the two. To compare with.
    Bb2,
}

/// Settings of [`Spg`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpgSettings {
    /// Which spectral step comes next.
    pub step: SpectralStep,
    /// Iterates that the nonmonotone line search looks back on, 1 (monotone) to [`MAX_WINDOW`].
    pub window: usize,
    /// Armijo's sufficient decrease ξ, in [0, 1), usually very low.
    pub armijo: f64,
    /// A rejected λ is cut to at least `sigma_min λ`, in (0, `sigma_max`).
    pub sigma_min: f64,
    /// A rejected λ is cut to at most `sigma_max λ`, in (`sigma_min`, 1).
    pub sigma_max: f64,
    /// Shortest spectral step, relative to the preconditioner's, > 0.
    pub alpha_min: f64,
    /// Longest spectral step, relative to the preconditioner's.
    pub alpha_max: f64,
    /// Precondition by the blocks' mean diagonals. Without, the mean of the whole diagonal serves
    /// all.
    pub precondition: bool,
}

impl Default for SpgSettings {
    fn default() -> Self {
        Self {
            step: SpectralStep::Alternating,
            window: 10,
            armijo: 1e-4,
            sigma_min: 0.1,
            sigma_max: 0.9,
            alpha_min: 1e-9,
            alpha_max: 1e9,
            precondition: true,
        }
    }
}

/// Work memory of the method; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub struct Spg {
    sweeps: Sweeps,
    p: Vec<f64>,
    velocity: Vec<f64>,
}

impl Spg {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &SpgSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let reduce = monitor.reduce();
        SolverError::require_symmetry(NAME, problem, reduce)?;
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        self.fill_preconditioner(problem, settings, reduce);
        // Lines 1 and 2.
        problem.cones().project(gamma);
        let scale = monitor.scale(problem);
        let by = (Law::Relaxed, &scale);
        let how = (Holds::Nothing, Some(&self.p[..]));
        let passes = self.sweeps.start_passes(problem, by, how, gamma, monitor);
        // Its residual jumps, and fall-back is to the best of all points.
        let mut checks = SweepChecks::new(NAME, scale, 1, REFRESH)
            .by_residual()
            .thorough();
        let mut alpha: f64 = 1.0;
        let mut window = Window::new(settings.window);
        let mut rule = StepRule::new(settings.step);
        let (mut iteration, mut moved) = (0, f64::NAN);
        loop {
            let at = SweepCount { iteration, moved };
            let point = (&mut *gamma, &mut self.velocity);
            if let Verdict::Done(info) =
                checks.check(problem, passes.as_sweep(), at, point, monitor)
            {
                return Ok(info);
            }
            iteration += 1;
            // Lines 4 and 5: `d = Π(gamma − alpha P⁻¹ g) − gamma`, with `N d`. Line 6, no descent,
            // cannot happen in exact arithmetic.
            let step = PassStep::plain(alpha);
            let sums = passes.pass(problem, step).reduced(reduce);
            monitor.count_products(1);
            moved = sums.moved;
            // P is a multiple of the identity on each block, so Π projects in P's metric too and
            // `gᵀd ≤ −dᵀPd/alpha`. Near a solution the sum `gᵀd` cancels to rounding noise of
            // either sign; the bound does not, and takes its place then.
            let slope = sums.slope.min(-sums.length / alpha);
            if slope == 0.0 {
                let stop = Termination::Stalled; // the step vanished in rounding
                return Ok(checks.end(problem, passes.as_sweep(), stop, gamma, monitor));
            }
            // Lines 17 to 23; s = λd and y = λNd, and λ drops out of both quotients.
            alpha = if sums.curvature > 0.0 {
                let bb1 = sums.length / sums.curvature;
                let bb2 = || sums.curvature / reduce.sum(passes.turn(problem));
                rule.next(bb1, bb2)
            } else {
                f64::MAX // a flat direction: as far as the safeguard lets
            };
            alpha = alpha.clamp(settings.alpha_min, settings.alpha_max);
            // Lines 8 to 16.
            let highest = window.highest();
            let (lambda, change) = line_search(settings, highest, slope, sums.curvature);
            window.push(change);
            if lambda != 1.0 {
                passes.shorten(lambda);
            }
        }
    }

    fn fill_preconditioner<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &SpgSettings,
        reduce: &dyn Reduce,
    ) {
        if settings.precondition {
            block_scales(problem, Scale::Mean, reduce, &mut self.p);
        } else {
            self.p.clear();
            let mean = problem.mean_diagonal(reduce);
            self.p.resize(problem.cones().len(), mean);
        }
    }
}

/// The step along `d` and the change of f, from the parabola.
fn line_search(settings: &SpgSettings, highest: f64, slope: f64, curvature: f64) -> (f64, f64) {
    let change = |lambda: f64| lambda * (slope + 0.5 * lambda * curvature);
    let mut lambda = 1.0;
    while change(lambda) > highest + settings.armijo * lambda * slope {
        // Safeguarded quadratic interpolation; for a quadratic f its minimiser is exact.
        let exact = -slope / curvature;
        lambda = exact.clamp(settings.sigma_min * lambda, settings.sigma_max * lambda);
    }
    (lambda, change(lambda))
}

/// The last values of f, each less the present one.
struct Window {
    values: [f64; MAX_WINDOW],
    length: usize,
    next: usize,
    filled: usize,
}

impl Window {
    fn new(length: usize) -> Self {
        Self {
            values: [0.0; MAX_WINDOW],
            length: length.clamp(1, MAX_WINDOW),
            next: 1,
            filled: 1,
        }
    }

    /// f has changed by `change`.
    fn push(&mut self, change: f64) {
        for value in &mut self.values[..self.length] {
            *value -= change;
        }
        let at = self.next % self.length;
        self.values[at] = 0.0;
        self.next = at + 1;
        self.filled = (self.filled + 1).min(self.length);
    }

    fn highest(&self) -> f64 {
        self.values[..self.filled]
            .iter()
            .copied()
            .fold(0.0, f64::max)
    }
}

/// Chooses between the two quotients of Barzilai and Borwein.
struct StepRule {
    kind: SpectralStep,
    odd: bool,
    /// BB2 below this share of BB1 counts as much shorter. It falls after each short step and rises
    /// after each long one, so that neither kind lasts.
    threshold: f64,
    recent: [f64; ABB_MEMORY],
    next: usize,
}

impl StepRule {
    fn new(kind: SpectralStep) -> Self {
        Self {
            kind,
            odd: false,
            threshold: 0.5,
            recent: [f64::INFINITY; ABB_MEMORY],
            next: 0,
        }
    }

    /// `bb2` is only asked for where it is needed: it costs another walk over the blocks.
    fn next(&mut self, bb1: f64, bb2: impl FnOnce() -> f64) -> f64 {
        match self.kind {
            SpectralStep::Alternating => {
                self.odd = !self.odd;
                if self.odd { bb2() } else { bb1 }
            }
            SpectralStep::Bb1 => bb1,
            SpectralStep::Bb2 => bb2(),
            SpectralStep::Adaptive => {
                let bb2 = bb2();
                self.recent[self.next % ABB_MEMORY] = bb2;
                self.next += 1;
                if bb2 < self.threshold * bb1 {
                    self.threshold *= 0.9;
                    self.recent.iter().copied().fold(f64::INFINITY, f64::min)
                } else {
                    self.threshold = (self.threshold * 1.1).min(0.9);
                    bb1
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
    fn a_sliding_contact_by_hand() {
        let problem = sliding_contact();
        for step in [
            SpectralStep::Alternating,
            SpectralStep::Adaptive,
            SpectralStep::Bb1,
            SpectralStep::Bb2,
        ] {
            let settings = SpgSettings {
                step,
                ..SpgSettings::default()
            };
            expect(
                &problem,
                Law::Relaxed,
                &[1.2, 0.6, 0.0],
                |gamma, monitor| Spg::default().solve(&problem, &settings, gamma, monitor),
            );
        }
    }

    #[test]
    fn a_badly_conditioned_joint_by_hand() {
        // N = diag(1e6, 1, 1e-1), r = −N (1, 2, 3): gamma = (1, 2, 3), condition 1e7.
        let n = [1e6, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1];
        let problem = dense_problem(&n, &[-1e6, -2.0, -0.3], &[Cone::Free { rows: 3 }]);
        let mut gamma = [0.0; 3];
        let limits = crate::Limits {
            tolerance: 1e-13,
            ..crate::Limits::default()
        };
        let info = Spg::default()
            .solve(
                &problem,
                &SpgSettings::default(),
                &mut gamma,
                &mut Monitor::new(limits, Law::Relaxed),
            )
            .unwrap();
        assert!(info.converged() && info.iterations < 500, "{info:?}");
        assert!(
            (gamma[2] - 3.0).abs() < crate::testing::close(1e-5),
            "{gamma:?}"
        );
    }

    #[test]
    fn the_window_holds_differences_to_the_present() {
        // f: 0, −1, −0.5, −2; seen from −2 the last three are 1, 1.5 and 0.
        let mut window = Window::new(3);
        for change in [-1.0, 0.5, -1.5] {
            window.push(change);
        }
        assert_eq!(window.highest(), 1.5);
    }
}
