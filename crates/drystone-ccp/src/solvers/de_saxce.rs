//! Exact Coulomb friction around any method for the relaxed problem: the fixed point of Mazhar
//! 2014, §4.3.
//!
//! With `s_i = Σ mu_k ‖u_k‖` held, `û = N gamma + (r + s n)` is the gradient of a relaxed problem
//! (eq. 27; its minus is a misprint, since `s` must cancel the relaxation term of eq. 2d). Letters:
//! `s` as there, `theta` the damping θ.
//!
//! The paper's steps, in order:
//! 1. Solve the quadratic problem with `s` held; at first `s = 0`, which is the relaxed law itself.
//! 2. Take the new `s` from the velocity of its solution: `s ← s + θ (s_new − s)`.
//! 3. Solve again, until `s` has converged. Here: until the residual of the exact law is small
//!    enough.
//!
//! Where we depart, and why:
//! - Undamped (θ = 1) the sequence often cycles. So θ starts at [`DeSaxceSettings::damping`],
//!   shrinks when the outer residual rose and grows back when it fell.
//! - The residual may rise for dozens of rounds before it falls (OneObject-i100000-316), hence the
//!   long patience.
//! - Inner solves are only as accurate as the outer residual makes worth while. One that its warm
//!   start passes at once teaches nothing; the next is then asked for more.
//!
//! There is no proof of convergence for large friction coefficients: of the hyperstatic reference
//! problems with mu = 0.7 two stop near 9e-5 and 5e-6 (Capsules-i101-404, Capsules-i103-990). A run
//! that no longer gains ends as [`Termination::Stalled`] with the best point seen.

use super::SolverError;
use crate::monitor::{Limits, Monitor};
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::residual::ResidualScale;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeSaxceSettings {
    /// First damping θ, in (0, 1].
    pub damping: f64,
    /// Smallest damping, in (0, `damping`].
    pub min_damping: f64,
    /// The inner problem is solved to this share of the outer residual, in (0, 1), at first.
    pub inner_share: f64,
    /// Outer iterations without a gain of a tenth after which the run is stalled, >= 1.
    pub patience: usize,
    /// Most iterations of one inner solve, >= 1.
    pub inner_iterations: usize,
}

impl Default for DeSaxceSettings {
    fn default() -> Self {
        Self {
            damping: 0.7,
            min_damping: 0.2,
            inner_share: 0.1,
            patience: 100,
            inner_iterations: 20_000,
        }
    }
}

/// What θ is multiplied by after a round whose residual rose, and after one whose residual fell.
/// Down faster than up: three good rounds make up for one bad one.
const SHRINK: f64 = 0.7;
/// See [`SHRINK`].
const GROW: f64 = 1.1;

/// A best residual that fell below this share of the last counts as a gain.
const GAIN: f64 = 0.9;

/// Loosest inner tolerance: a worse answer tells nothing of the slip.
const LOOSEST: f64 = 1e-2;

/// Tightest inner tolerance, as a share of the outer one: more would be lost on the outer residual.
const TIGHTEST_SHARE: f64 = 0.1;

/// What the inner share is multiplied by after an inner solve that took no iteration, and after one
/// that took some.
const ASK_FOR_MORE: f64 = 0.3;
/// See [`ASK_FOR_MORE`].
const ASK_FOR_LESS: f64 = 1.5;

/// Smallest inner share, relative to the first: below, the inner tolerance is at its tightest
/// anyway.
const SMALLEST_SHARE: f64 = 1e-4;

/// Solves `problem` for the exact law with `inner` for the relaxed ones. `gamma` is the warm start
/// and becomes the best point.
///
/// Allocates at most once for each outer iteration (inside `inner`'s report).
pub fn solve<N: Operator>(
    problem: &Ccp<N>,
    method: &'static str,
    settings: &DeSaxceSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
    mut inner: impl FnMut(&Ccp<&N>, &mut [f64], &mut Monitor<'_>) -> Result<SolveInfo, SolverError>,
) -> Result<SolveInfo, SolverError> {
    let n = problem.dim();
    let mut shifted = Ccp::new(
        problem.operator(),
        problem.r().to_vec(),
        problem.cones().clone(),
    )
    .expect("a checked problem with the same parts is sound");
    let mut r = problem.r().to_vec();
    let mut s = vec![0.0; problem.cones().len()];
    let mut velocity = vec![0.0; n];
    let mut theta = settings.damping;
    let mut share = settings.inner_share;
    let mut progress = OuterProgress::new(settings.patience);
    problem.cones().project(gamma);
    let mut iteration = 0;
    loop {
        problem.velocity(gamma, &mut velocity);
        monitor.count_products(1);
        if let Some(stop) = monitor.check(problem, iteration, gamma, &velocity)
            && let Some(info) = monitor.conclude(problem, method, stop, gamma, &mut velocity)
        {
            return Ok(info);
        }
        let residual = problem
            .residual(
                Law::Exact,
                gamma,
                &velocity,
                progress.scale(problem, monitor),
                monitor.reduce(),
            )
            .relative;
        if iteration > 0 {
            theta = if residual > progress.last {
                (SHRINK * theta).max(settings.min_damping)
            } else {
                (GROW * theta).min(1.0)
            };
        }
        if progress.stalled(residual) {
            return Ok(monitor.finish(problem, method, Termination::Stalled, gamma));
        }
        iteration += 1;
        // Step 2. The first pass is the relaxed problem itself: its velocity is a better guess than
        // that of the start.
        if iteration > 1 {
            update_shift(problem, &velocity, theta, &mut s, &mut r);
            shifted.set_r(&r);
        }
        // Steps 1 and 3. Both residuals in m/s: the inner problem is scaled by its own.
        let scale = progress.scale(problem, monitor).at_zero;
        let inner_scale = shifted
            .residual_scale(Law::Relaxed, monitor.reduce())
            .at_zero;
        let tightest = TIGHTEST_SHARE * monitor.tolerance();
        let wanted = (share * residual).min(LOOSEST).max(tightest);
        // This round itself counts as one.
        let left = monitor.iterations_left().saturating_sub(1);
        let limits = Limits {
            tolerance: (wanted * scale / inner_scale.max(f64::MIN_POSITIVE)).min(LOOSEST),
            max_iterations: settings.inner_iterations.min(left),
            time_limit: None,
            ..Limits::default()
        };
        let mut nested = monitor.nested(limits, Law::Relaxed);
        let info = inner(&shifted, gamma, &mut nested)?;
        let overflowed = nested.overflowed();
        monitor.absorb(&info);
        monitor.note_overflow(overflowed);
        if overflowed {
            return Ok(monitor.finish(problem, method, Termination::Broke, gamma));
        }
        // A warm start that passes at once has learnt nothing of the new s: ask for more.
        share = if info.iterations == 0 {
            (ASK_FOR_MORE * share).max(SMALLEST_SHARE * settings.inner_share)
        } else {
            (ASK_FOR_LESS * share).min(settings.inner_share)
        };
        if info.termination == Termination::Cancelled {
            return Ok(monitor.finish(problem, method, info.termination, gamma));
        }
    }
}

/// `s ← s + θ (Σ mu_k ‖u_k‖ − s)`, and `r` with it.
fn update_shift<N: Operator>(
    problem: &Ccp<N>,
    velocity: &[f64],
    theta: f64,
    s: &mut [f64],
    r: &mut [f64],
) {
    for (block, cone) in problem.cones().iter() {
        let new = cone.de_saxce_shift(&velocity[block.rows()]);
        s[block.index] += theta * (new - s[block.index]);
        r[block.start] = problem.r()[block.start] + s[block.index];
    }
}

/// Watches whether the outer residual still falls.
struct OuterProgress {
    last: f64,
    best: f64,
    idle: usize,
    patience: usize,
    scale: Option<ResidualScale>,
}

impl OuterProgress {
    fn new(patience: usize) -> Self {
        Self {
            last: f64::INFINITY,
            best: f64::INFINITY,
            idle: 0,
            patience,
            scale: None,
        }
    }

    fn scale<N: Operator>(&mut self, problem: &Ccp<N>, monitor: &Monitor<'_>) -> ResidualScale {
        *self
            .scale
            .get_or_insert_with(|| problem.residual_scale(Law::Exact, monitor.reduce()))
    }

    fn stalled(&mut self, residual: f64) -> bool {
        self.last = residual;
        if residual < GAIN * self.best {
            self.best = residual;
            self.idle = 0;
        } else {
            self.idle += 1;
        }
        self.idle > self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::super::apgd::{Apgd, ApgdSettings};
    use super::*;
    use crate::testing::{expect, sliding_contact};

    #[test]
    fn a_sliding_contact_by_hand() {
        let problem = sliding_contact();
        expect(&problem, Law::Exact, &[1.0, 0.5, 0.0], |gamma, monitor| {
            solve(
                &problem,
                "apgd",
                &DeSaxceSettings::default(),
                gamma,
                monitor,
                |p, gamma, monitor| {
                    Apgd::default().solve(p, &ApgdSettings::default(), gamma, monitor)
                },
            )
        });
    }
}
