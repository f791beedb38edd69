//! Globalised semismooth Newton on the natural map, for both laws and for matrices that are not symmetric.
//!
//! In equilibrated unknowns `x` it solves `F(x) = x − P(x − u) = 0`, `u = N x + q`. For the relaxed law `P` is the
//! projection onto the cones; for the exact law it is Alart and Curnier's map, which has the same solutions as the
//! projection with De Saxcé's `û` but no kink at sticking contacts. Three stages, each only if the one before it stalls:
//!
//! 1. *Newton.* Steps minimise `‖J d + F‖² + lambda ‖d‖²` (Levenberg–Marquardt); the damping follows `‖F‖`, so that
//!    hyperstatic problems, where `J` is singular at the solution, converge too.
//! 2. *Continuation.* `P` smoothed by a logarithmic barrier of weight `epsilon²`, `epsilon` cut step by step: the central
//!    path of an interior point method, followed by the same Newton steps. From each point of the path stage 1 is tried.
//! 3. *Rescue*, exact law only. That problem is not monotone, and the path may end in a fold: two contacts that are
//!    nearly the same point, each of which can carry the load, must trade places. So other paths are taken, with another
//!    share of the smoothing for each block, and the blocks that hold the residual are let go or loaded anew at random (from
//!    a fixed seed); nonsmooth Gauss–Seidel sweeps settle the rest, and stage 1 is tried again.
//!
//! The methods are those that Acary, Brémond and Huber (2018) compare, in another combination: Alart–Curnier and natural-map
//! Newton, smoothing, and Gauss–Seidel as a start.

mod scaled;
mod smoothing;
mod step;

use scaled::{MapKind, MapPoint, Scaled};
use step::StepSystem;

use super::SolverError;
use super::gauss_seidel::{GaussSeidel, GaussSeidelSettings};
use crate::monitor::{Limits, Monitor};
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};

/// The method's name on the command line and in tables.
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
            damping: 1.0,
            acceptance: 1e-4,
            first_iterations: 100,
            continuation: true,
            epsilon: 0.1,
            epsilon_factor: 0.3,
            smallest_epsilon: 1e-10,
            rescues: 60,
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
enum Outcome {
    /// The monitor said stop.
    Stop(Termination),
    /// `‖F‖` reached the target.
    Reached,
    /// No further decrease, or too many iterations.
    Stuck,
}

/// What a descent works with besides the points.
struct Run<'r, 'm, N> {
    problem: &'r Ccp<N>,
    scaled: &'r mut Scaled,
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
        let mut scaled = Scaled::new(problem);
        self.here.resize(n);
        self.trial.resize(n);
        self.gamma.clear();
        self.gamma.extend_from_slice(gamma);
        let termination = match StepSystem::new(&scaled, settings.factor_bytes) {
            Ok(system) => {
                let iteration = 0;
                let mut run = Run {
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

    fn stages<N: Operator>(
        &mut self,
        run: &mut Run<'_, '_, N>,
    ) -> Result<Termination, SolverError> {
        let law = run.monitor.law();
        let sharp = MapKind { law, epsilon: 0.0 };
        let start = self.here.x.clone();
        if let Outcome::Stop(stop) = self.descend(run, sharp, 0.0, run.settings.first_iterations) {
            return Ok(stop);
        }
        if run.settings.continuation {
            self.here.x.copy_from_slice(&start);
            if let Some(stop) = self.follow_path(run, law) {
                return Ok(stop);
            }
        }
        match law {
            Law::Relaxed => Ok(Termination::Stalled),
            Law::Exact => self.rescue(run, law),
        }
    }

    /// Stage 2: from strong smoothing to none.
    fn follow_path<N: Operator>(
        &mut self,
        run: &mut Run<'_, '_, N>,
        law: Law,
    ) -> Option<Termination> {
        let sharp = MapKind { law, epsilon: 0.0 };
        let mut epsilon = run.settings.epsilon;
        let mut path = self.here.x.clone();
        let mut stuck = 0;
        while epsilon > run.settings.smallest_epsilon && stuck < STUCK_PATH {
            match self.descend(
                run,
                MapKind { law, epsilon },
                PATH_ACCURACY * epsilon,
                PATH_ITERATIONS,
            ) {
                Outcome::Stop(stop) => return Some(stop),
                Outcome::Reached => stuck = 0,
                Outcome::Stuck => stuck += 1, // a fold, or the limit of rounding
            }
            path.copy_from_slice(&self.here.x);
            if epsilon < TRY_BELOW
                && let Outcome::Stop(stop) = self.descend(run, sharp, 0.0, TRY_ITERATIONS)
            {
                return Some(stop);
            }
            self.here.x.copy_from_slice(&path);
            epsilon *= run.settings.epsilon_factor;
        }
        match self.descend(run, sharp, 0.0, LAST_ITERATIONS) {
            Outcome::Stop(stop) => Some(stop),
            Outcome::Reached | Outcome::Stuck => None,
        }
    }

    /// Stage 3: lets go of what holds the residual and tries again, from the best point so far.
    fn rescue<N: Operator>(
        &mut self,
        run: &mut Run<'_, '_, N>,
        law: Law,
    ) -> Result<Termination, SolverError> {
        let sharp = MapKind { law, epsilon: 0.0 };
        let mut sweeps = GaussSeidel::default();
        let mut random = SplitMix(0x2545_f491_4f6c_dd1d);
        for round in 0..run.settings.rescues {
            if round % OTHER_PATH_EVERY == 0 {
                run.scaled
                    .set_weights(|| PATH_SPREAD.powf(2.0 * random.unit() - 1.0));
                self.here.x.fill(0.0);
                if let Some(stop) = self.follow_path(run, law) {
                    return Ok(stop);
                }
            }
            self.gamma.copy_from_slice(run.monitor.best_point());
            self.let_go(run, law, &mut random);
            let limits = Limits {
                max_iterations: RESCUE_SWEEPS[round % RESCUE_SWEEPS.len()]
                    .min(run.monitor.iterations_left()),
                tolerance: run.monitor.tolerance(),
                time_limit: None,
            };
            let mut inner = run.monitor.nested(limits, law).without_fall_back();
            let info = sweeps.solve(
                run.problem,
                &GaussSeidelSettings::default(),
                &mut self.gamma,
                &mut inner,
            )?;
            run.monitor.absorb(&info);
            run.scaled.to_scaled(&self.gamma, &mut self.here.x);
            if let Outcome::Stop(stop) = self.descend(run, sharp, 0.0, RESCUE_ITERATIONS) {
                return Ok(stop);
            }
        }
        Ok(Termination::Stalled)
    }

    /// Sets a random half of the blocks with most of the residual to zero.
    fn let_go<N: Operator>(&mut self, run: &mut Run<'_, '_, N>, law: Law, random: &mut SplitMix) {
        run.problem.velocity(&self.gamma, &mut self.velocity);
        run.monitor.count_products(1);
        let w = run.problem.mean_diagonal(run.monitor.reduce());
        let share = |i| {
            run.problem
                .block_residual(law, w, i, &self.gamma, &self.velocity)
        };
        let blocks = run.problem.cones().len();
        let largest = (0..blocks).map(share).fold(0.0, f64::max);
        let held: Vec<usize> = (0..blocks)
            .filter(|&i| share(i) >= HOLDS_RESIDUAL * largest)
            .collect();
        let typical = norm(&self.gamma) / (self.gamma.len() as f64).sqrt();
        for block in held.into_iter().map(|i| run.problem.cones().block(i)) {
            let gamma = &mut self.gamma[block.rows()];
            match random.next() % 3 {
                0 => {}
                1 => gamma.fill(0.0),
                _ => {
                    gamma
                        .iter_mut()
                        .for_each(|g| *g = typical * (2.0 * random.unit() - 1.0));
                    gamma[0] = 3.0 * typical * random.unit();
                    run.problem.cones().as_slice()[block.index].project(gamma);
                }
            }
        }
    }

    /// Newton steps on one map from `here.x` until `‖F‖ <= target`.
    fn descend<N: Operator>(
        &mut self,
        run: &mut Run<'_, '_, N>,
        kind: MapKind,
        target: f64,
        most_iterations: usize,
    ) -> Outcome {
        run.scaled.evaluate(kind, &mut self.here);
        let mut damping = run.settings.damping;
        let mut mark = (0, f64::INFINITY);
        for iteration in 0.. {
            run.scaled.to_original(&self.here.x, &mut self.gamma);
            run.problem.cones().project(&mut self.gamma);
            run.problem.velocity(&self.gamma, &mut self.velocity);
            run.monitor.count_products(1);
            if let Some(stop) =
                run.monitor
                    .check(run.problem, run.iteration, &self.gamma, &self.velocity)
            {
                return Outcome::Stop(stop);
            }
            if self.here.norm <= target {
                return Outcome::Reached;
            }
            if self.here.norm < 0.9 * mark.1 {
                mark = (iteration, self.here.norm);
            }
            if iteration == most_iterations || iteration >= mark.0 + CRAWL {
                return Outcome::Stuck;
            }
            run.iteration += 1;
            run.system.set_derivative(run.scaled, kind, &self.here);
            if !self.take_step(run, kind, &mut damping) {
                return Outcome::Stuck;
            }
        }
        Outcome::Stuck
    }

    /// One accepted step, or `false` if no damping gives a decrease.
    fn take_step<N: Operator>(
        &mut self,
        run: &mut Run<'_, '_, N>,
        kind: MapKind,
        damping: &mut f64,
    ) -> bool {
        let before = self.here.norm * self.here.norm;
        for _ in 0..DAMPING_TRIES {
            if run.monitor.interrupted().is_some() {
                return false; // the next check says so too
            }
            if run
                .system
                .solve(*damping * self.here.norm, &self.here.f)
                .is_err()
            {
                *damping *= 16.0;
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
            run.scaled.evaluate(kind, &mut self.trial);
            run.monitor.count_products(1);
            let predicted = before - run.system.model_squared();
            let actual = before - self.trial.norm * self.trial.norm;
            // A step that is not finite fails both comparisons.
            if actual > run.settings.acceptance * predicted && actual > 0.0 {
                if actual > 0.75 * predicted {
                    *damping = (*damping / 8.0).max(SMALLEST_DAMPING);
                } else if actual < 0.25 * predicted {
                    *damping *= 4.0;
                }
                std::mem::swap(&mut self.here, &mut self.trial);
                return true;
            }
            *damping *= 4.0;
        }
        false
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Smallest multiple of `‖F‖` that steps are damped by.
const SMALLEST_DAMPING: f64 = 1e-13;
/// Dampings tried for one step: up to 4²⁰ times the first.
const DAMPING_TRIES: usize = 20;
/// A descent whose `‖F‖` falls by less than a tenth in so many iterations is stuck.
const CRAWL: usize = 30;
/// Points of the path are found to this multiple of `epsilon`.
const PATH_ACCURACY: f64 = 0.1;
/// Most iterations for one point of the path.
const PATH_ITERATIONS: usize = 40;
/// Points of the path in a row that may be missed.
const STUCK_PATH: usize = 2;
/// From which smoothing on the unsmoothed problem is tried, and for how many iterations.
const TRY_BELOW: f64 = 1e-3;
const TRY_ITERATIONS: usize = 15;
/// Iterations on the unsmoothed problem at the end of the path.
const LAST_ITERATIONS: usize = 100;
/// Gauss–Seidel sweeps of a rescue, and iterations after them.
const RESCUE_SWEEPS: [usize; 4] = [100, 0, 30, 300];
/// Rescue rounds for each other path, and the factor either way by which its weights differ.
const OTHER_PATH_EVERY: usize = 3;
const PATH_SPREAD: f64 = 20.0;
const RESCUE_ITERATIONS: usize = 60;
/// Blocks with this share of the largest block residual are held responsible.
const HOLDS_RESIDUAL: f64 = 1e-3;

/// Steele, Lea and Flood's generator: a few bits for [`Newton::let_go`], the same in every run.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
