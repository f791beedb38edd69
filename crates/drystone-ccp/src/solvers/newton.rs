//! Globalised semismooth Newton on the natural map, for both laws and for matrices that are not
//! symmetric.
//!
//! In equilibrated unknowns `x` it solves
//!
//! ```text
//! F(x) = x − P(x − u) = 0,   u = N x + q.
//! ```
//!
//! For the relaxed law `P` is the projection onto the cones and `F` the natural map of the cone
//! problem. For the exact law `P` is the map of P. Alart and A. Curnier (1991, A mixed formulation
//! for frictional contact problems prone to Newton like solution methods): it has the same
//! solutions as the projection with De Saxcé's `û`, but no kink at sticking contacts. Acary 2018
//! compares Newton methods on both maps, Gauss–Seidel sweeps and others; we combine them. Three
//! stages, each only if the one before it stalls:
//!
//! 1. *Newton* (`descend`). L. Qi and J. Sun (1993, A nonsmooth version of Newton's method): one
//!    element `J` of the generalised derivative of `F` at each iterate, and a step from it. The
//!    step is that of Levenberg and Marquardt in the form of J. Fan (2003, A modified
//!    Levenberg–Marquardt algorithm for singular system of nonlinear equations): `d` minimises
//!    `‖J d + F‖² + lambda ‖d‖²` with `lambda = damping ‖F‖`, and the damping follows the quotient
//!    of actual and predicted decrease of `‖F‖²`. So hyperstatic problems, where `J` is singular at
//!    the solution, converge too.
//! 2. *Continuation* (`follow_path`). `P` is smoothed by a logarithmic barrier of weight
//!    `epsilon²`, the smoothing of Chen, Harker, Kanzow and Smale carried over to cones (file
//!    `smoothing`), and `epsilon` is cut step by step. For the relaxed law the points are those of
//!    an interior point's central path. They are found by the same Newton steps. From each of them
//!    stage 1 is tried.
//! 3. *Rescue* (`rescue`), exact law only, our own. That problem is not monotone, and the path may
//!    end in a fold: two contacts that are nearly the same point, each of which can carry the load,
//!    must trade places. So other paths are taken, with another share of the smoothing for each
//!    block. The blocks that hold the residual are let go or loaded anew at random, from a fixed
//!    seed. Nonsmooth Gauss–Seidel sweeps settle the rest, and stage 1 is tried again.
//!
//! Where we depart, and why: Fan proves his rate of convergence for a differentiable `F`. Ours has
//! kinks, so the rate is no promise here, and a step that brings no decrease is tried again at once
//! with more damping. The linear system has the quasi-definite form of file `step`, because the
//! product `JᵀJ` would square the condition of `J`.
//!
//! Letters: `x` scaled unknowns, `y = x − u`, `F` and `J` as above, `d` the step, `lambda` its
//! damping, `epsilon` the smoothing. The scaled matrix and its factor are held by one process. Sums
//! go through `Reduce` all the same.

mod rescue;
mod scaled;
mod smoothing;
mod step;

use scaled::{ContactMap, MapPoint, ScaledProblem};
use step::StepSystem;

use super::SolverError;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};

/// The method's name, in settings and in tables.
pub const NAME: &str = "newton";

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Damping at the start, as a multiple of `‖F‖`, > 0.
    pub damping: f64,
    /// Share of the predicted decrease that a step must bring, in (0, 1).
    pub acceptance: f64,
    /// Most iterations of the first stage; 0 to go straight to the others.
    pub first_iterations: usize,
    /// Whether to take the second stage.
    pub continuation: bool,
    /// Smoothing at the start of a continuation, relative to the size of the problem, > 0.
    pub epsilon: f64,
    /// What the smoothing is multiplied by, in (0, 1).
    pub epsilon_factor: f64,
    /// Where the continuation ends, > 0.
    pub smallest_epsilon: f64,
    /// Most rescue rounds.
    pub rescues: usize,
    /// Largest factor, bytes; a problem with a larger one is refused as [`Termination::Broke`].
    pub factor_bytes: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            // The scaled matrix has a unit diagonal, so lambda = ‖F‖ is the natural size.
            damping: 1.0,
            // Almost any decrease will do, but not one that is rounding.
            acceptance: 1e-4,
            // More than it takes where it converges; the test for a crawl ends most others earlier.
            first_iterations: 100,
            continuation: true,
            // A tenth of the problem's size smooths every kink; more would only lengthen the path.
            epsilon: 0.1,
            // By trial on the outside problems: small enough to be quick, large enough that the
            // last point is a good start for the next.
            epsilon_factor: 0.3,
            // Its square, the weight of the barrier, is then below the rounding of scaled data.
            smallest_epsilon: 1e-10,
            // By trial on the outside problems.
            rescues: 60,
            // 2 GiB: no problem fills the memory by surprise, and common machines have it.
            factor_bytes: 2 << 30,
        }
    }
}

impl NewtonSettings {
    /// The first two stages.
    pub fn without_rescue() -> Self {
        Self {
            rescues: 0,
            ..Self::default()
        }
    }

    /// Only the first stage: for a point that is nearly a solution.
    pub fn polish() -> Self {
        Self {
            continuation: false,
            rescues: 0,
            ..Self::default()
        }
    }

    /// Only the third stage: where the first two have been tried.
    pub fn rescue() -> Self {
        Self {
            first_iterations: 0,
            continuation: false,
            ..Self::default()
        }
    }
}

/// Work vectors of the method.
#[derive(Default)]
pub struct Newton {
    here: MapPoint,
    trial: MapPoint,
    gamma: Vec<f64>,
    velocity: Vec<f64>,
}

/// How a descent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescentEnd {
    /// The monitor said stop.
    Stop(Termination),
    /// `‖F‖` reached the target.
    Reached,
    /// No further decrease, or too many iterations.
    Stuck,
}

/// What a descent works with besides the points.
struct NewtonRun<'r, 'm, N> {
    problem: &'r Ccp<N>,
    scaled: &'r mut ScaledProblem,
    system: StepSystem,
    settings: &'r NewtonSettings,
    monitor: &'r mut Monitor<'m>,
    iteration: usize,
}

impl Newton {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &NewtonSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let n = problem.dim();
        self.velocity.clear();
        self.velocity.resize(n, 0.0);
        // A warm start may be the solution: look before assembling anything.
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        if let Some(stop) = monitor.check(problem, 0, gamma, &self.velocity) {
            return Ok(monitor.finish(problem, NAME, stop, gamma));
        }
        let mut scaled = ScaledProblem::new(problem, monitor.reduce());
        self.here.resize(n);
        self.trial.resize(n);
        self.gamma.clear();
        self.gamma.extend_from_slice(gamma);
        let termination = match StepSystem::new(&scaled, settings.factor_bytes) {
            Ok(system) => {
                let iteration = 0;
                let mut run = NewtonRun {
                    problem,
                    scaled: &mut scaled,
                    system,
                    settings,
                    monitor,
                    iteration,
                };
                run.scaled.to_scaled(gamma, &mut self.here.x);
                self.stages(&mut run)?
            }
            Err(_) => Termination::Broke, // the factor does not fit
        };
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }

    /// The three stages of the head of this file.
    fn stages<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
    ) -> Result<Termination, SolverError> {
        let law = run.monitor.law();
        let sharp = ContactMap { law, epsilon: 0.0 };
        let start = self.here.x.clone();
        // Stage 1.
        if let DescentEnd::Stop(stop) = self.descend(run, sharp, 0.0, run.settings.first_iterations)
        {
            return Ok(stop);
        }
        // Stage 2, from the start again: stage 1 may have led into a corner.
        if run.settings.continuation {
            self.here.x.copy_from_slice(&start);
            if let Some(stop) = self.follow_path(run, law) {
                return Ok(stop);
            }
        }
        // Stage 3.
        match law {
            Law::Relaxed => Ok(Termination::Stalled),
            Law::Exact => self.rescue(run, law),
        }
    }

    /// Stage 2: from strong smoothing to none.
    fn follow_path<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
        law: Law,
    ) -> Option<Termination> {
        let sharp = ContactMap { law, epsilon: 0.0 };
        let mut epsilon = run.settings.epsilon;
        let mut path = self.here.x.clone();
        let mut stuck = 0;
        while epsilon > run.settings.smallest_epsilon && stuck < STUCK_PATH {
            // The next point of the path, from the last one.
            let smoothed = ContactMap { law, epsilon };
            match self.descend(run, smoothed, PATH_ACCURACY * epsilon, PATH_ITERATIONS) {
                DescentEnd::Stop(stop) => return Some(stop),
                DescentEnd::Reached => stuck = 0,
                DescentEnd::Stuck => stuck += 1, // a fold, or the limit of rounding
            }
            path.copy_from_slice(&self.here.x);
            // From there the unsmoothed problem; without success back to the path.
            if epsilon < TRY_BELOW
                && let DescentEnd::Stop(stop) = self.descend(run, sharp, 0.0, TRY_ITERATIONS)
            {
                return Some(stop);
            }
            self.here.x.copy_from_slice(&path);
            epsilon *= run.settings.epsilon_factor;
        }
        match self.descend(run, sharp, 0.0, LAST_ITERATIONS) {
            DescentEnd::Stop(stop) => Some(stop),
            DescentEnd::Reached | DescentEnd::Stuck => None,
        }
    }

    /// Stage 1: Newton steps on one map from `here.x` until `‖F‖ <= target`.
    fn descend<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
        map: ContactMap,
        target: f64,
        most_iterations: usize,
    ) -> DescentEnd {
        let reduce = run.monitor.reduce();
        run.scaled.evaluate(map, reduce, &mut self.here);
        let mut damping = run.settings.damping;
        let mut mark = (0, f64::INFINITY);
        for iteration in 0.. {
            // The iterate, put into the cones, is judged by the problem that was posed.
            run.scaled.to_original(&self.here.x, &mut self.gamma);
            run.problem.cones().project(&mut self.gamma);
            run.problem.velocity(&self.gamma, &mut self.velocity);
            run.monitor.count_products(1);
            if let Some(stop) =
                run.monitor
                    .check(run.problem, run.iteration, &self.gamma, &self.velocity)
            {
                return DescentEnd::Stop(stop);
            }
            if self.here.norm <= target {
                return DescentEnd::Reached;
            }
            if !self.here.norm.is_finite() {
                // No step can be judged from here. Another stage may start elsewhere.
                run.monitor.note_overflow(true);
                return DescentEnd::Stuck;
            }
            if self.here.norm < CRAWL_GAIN * mark.1 {
                mark = (iteration, self.here.norm);
            }
            if iteration == most_iterations || iteration >= mark.0 + CRAWL {
                return DescentEnd::Stuck;
            }
            run.iteration += 1;
            // Qi and Sun: an element of the generalised derivative, and the step from it.
            run.system.set_derivative(run.scaled, map, &self.here);
            if !self.take_step(run, map, &mut damping) {
                return DescentEnd::Stuck;
            }
        }
        DescentEnd::Stuck
    }

    /// One accepted step of Fan's algorithm, or `false` if no damping gives a decrease.
    fn take_step<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
        map: ContactMap,
        damping: &mut f64,
    ) -> bool {
        let before = self.here.norm * self.here.norm;
        for _ in 0..DAMPING_TRIES {
            if run.monitor.interrupted().is_some() {
                return false; // the next check says so too
            }
            // The trial step for lambda = damping ‖F‖.
            let lambda = *damping * self.here.norm;
            run.monitor.count_work(run.system.work());
            if run.system.solve(lambda, &self.here.f).is_err() {
                *damping *= RAISE_AFTER_FAILURE;
                continue;
            }
            for ((t, x), d) in self
                .trial
                .x
                .iter_mut()
                .zip(&self.here.x)
                .zip(run.system.step())
            {
                *t = x + d;
            }
            run.scaled
                .evaluate(map, run.monitor.reduce(), &mut self.trial);
            run.monitor.count_products(1);
            // Actual against predicted decrease of ‖F‖²: accept the step or not, and choose the
            // next damping.
            let predicted = before - run.system.model_squared(run.monitor.reduce());
            let actual = before - self.trial.norm * self.trial.norm;
            // A step that is not finite fails both comparisons.
            if actual > run.settings.acceptance * predicted && actual > 0.0 {
                if actual > GOOD_QUOTIENT * predicted {
                    *damping = (*damping / LOWER).max(SMALLEST_DAMPING);
                } else if actual < POOR_QUOTIENT * predicted {
                    *damping *= RAISE;
                }
                std::mem::swap(&mut self.here, &mut self.trial);
                return true;
            }
            *damping *= RAISE;
        }
        false
    }
}

/// Above this quotient of actual and predicted decrease the damping falls, below the other it
/// rises: the usual quarters of trust-region methods.
const GOOD_QUOTIENT: f64 = 0.75;
const POOR_QUOTIENT: f64 = 0.25;

/// What the damping is multiplied by after a poor step, and divided by after a good one. It falls
/// faster than it rises, since near a solution every step is good and the damping only slows it.
const RAISE: f64 = 4.0;
const LOWER: f64 = 8.0;

/// What the damping is multiplied by where the system could not be factorised: it is then far too
/// small for the rounding, so two raises at once.
const RAISE_AFTER_FAILURE: f64 = 16.0;

/// Smallest multiple of `‖F‖` that steps are damped by. Without any damping the system of a
/// hyperstatic problem is singular.
const SMALLEST_DAMPING: f64 = 1e-13;

/// Dampings tried for one step: up to 4²⁰ ≈ 10¹² times the first, where a step has no length left.
const DAMPING_TRIES: usize = 20;

/// A descent whose `‖F‖` does not fall below [`CRAWL_GAIN`] of its mark in so many iterations is
/// stuck. By trial: too small a number gives up on runs that rest for a while before they converge.
const CRAWL: usize = 30;
const CRAWL_GAIN: f64 = 0.9;

/// Points of the path are found to this multiple of `epsilon`: closer than the next point is.
const PATH_ACCURACY: f64 = 0.1;

/// Most iterations for one point of the path. From the last point a few are enough.
const PATH_ITERATIONS: usize = 40;

/// Points of the path in a row that may be missed. One may be bad luck, two are a fold.
const STUCK_PATH: usize = 2;

/// From which smoothing on the unsmoothed problem is tried: with more, its start would be too far.
const TRY_BELOW: f64 = 1e-3;

/// Iterations of such a try. Near a solution Newton needs fewer; elsewhere the path goes on sooner.
const TRY_ITERATIONS: usize = 15;

/// Iterations on the unsmoothed problem at the end of the path, where there is no other way left.
const LAST_ITERATIONS: usize = 100;
