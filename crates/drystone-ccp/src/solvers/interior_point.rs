//! Primal-dual interior point: the conditions of Melanz, solved by the steps of a cone solver.
//!
//! The problem is Melanz, eq. 1, the dual model of Mazhar 2014, eq. 24:
//! `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`. In scaled unknowns `x` (file `model`) and with
//! second-order cones C, its optimality conditions, relaxed by `mu` as in Melanz, eq. 3, read
//!
//! ```text
//! u − Aᵀ z = 0      u(x): the scaled gradient N gamma + r, carried by the multipliers
//! s = A x + a       the slack of each cone condition
//! s ∈ C, z ∈ C      both inside
//! s ∘ z = mu e      complementary up to mu; the solution is the limit mu → 0
//! ```
//!
//! Melanz solves them by Newton's method for a series of falling `mu`. We take the steps of
//! L. Vandenberghe 2010 (The CVXOPT linear and quadratic cone program solvers, §5, path-following
//! for cone QPs): Mehrotra's predictor and corrector of 1992 in the scaling of Nesterov and Todd.
//! `solve` names these steps:
//!
//! 1. *Residual* of the point, and the tests to stop.
//! 2. *Scaling* `W` of every pair `s, z` (§4.2 there, file `scaling`), and the factor of
//!    `S N S + Aᵀ W⁻² A` (file `linear`).
//! 3. *Predictor*, the affine scaling direction: a Newton step that aims at `mu = 0`.
//! 4. *Centring*: how far the predictor may go, `alpha`, gives `sigma = (1 − alpha)³`.
//! 5. *Corrector*, the combined direction: a Newton step that aims at `sigma mu` and makes up for
//!    the predictor's second-order error `ds ∘ dz`.
//! 6. *Update*: 0.99 of the way to the boundary, at most a whole step, the same for `x` and `z`.
//!
//! Where we depart from Melanz, and why:
//! - Cones instead of scalar inequalities `c_i(gamma) > 0`. The gradient of the usual one of a
//!   contact, `(mu n)² − ‖t‖²`, vanishes at the cone's tip, where open contacts end.
//! - Predictor and corrector instead of `mu` in stages: tens of iterations. Melanz, Table 1, has 28
//!   to 120.
//!
//! Where we depart from Vandenberghe, and why:
//! - `s` is always computed from `x`, so there is no primal residual, and `gamma` is inside K at
//!   every iteration: whatever stops the run, its point is feasible.
//! - `sigma` leaves out the term with `dsᵀ dz`, and `sigma mu` never falls below a floor set by the
//!   tolerance (`FLOOR`): past it a run loses its centring and gains nothing.
//! - A cone of which `s ∘ z` is at rounding rests (`REST`).
//! - The start comes from a typical load or from a good warm start (file `start`).
//! - The linear systems are factored in impulses (the dual model) or in velocities (the primal
//!   model of Mazhar 2014, eq. 23), and the factor only preconditions conjugate gradients.
//!
//! Letters: `s` slack, `z` multiplier, `mu` barrier parameter, `sigma` its wanted reduction,
//! `alpha` the step, `W` the scaling, `lambda = W z = W⁻¹ s`, `S` and `A` the scales and the cones'
//! linear map of file `model`, `∘` the Jordan product, `e` its unit.
//!
//! A factor is made by one process. With [`LinearSolver::MatrixFree`] only products with N, blocks
//! of single contacts and sums through [`Reduce`] are left, so that form can run on several.

mod impulses;
mod linear;
mod local;
mod model;
mod scaling;
mod start;
#[cfg(test)]
mod tests;
mod velocities;
mod watch;

use self::linear::{LinearSystem, ScaledCones};
use self::model::Model;
use self::scaling::{ConePoint, Scaling, dot, jordan, jordan_solve, margin};
use self::velocities::Analysed;
use self::watch::StallWatch;
use super::SolverError;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::Ccp;
use crate::reduce::Reduce;

/// The unknowns that the linear systems are factored in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Velocities where the operator knows its bodies, impulses elsewhere.
    #[default]
    Auto,
    /// One unknown per row: the dual model of Mazhar 2014, eq. 24. Assembles N.
    Impulses,
    /// Six unknowns per body: the primal model of Mazhar 2014, eq. 23. Operators without bodies
    /// fall back to impulses.
    Velocities,
}

/// How the linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearSolver {
    /// By a factor where it fits into [`InteriorPointSettings::factor_bytes`], else matrix-free.
    #[default]
    Auto,
    /// Always by a factor.
    Factor,
    /// By conjugate gradients with a block-Jacobi preconditioner: only products with N.
    MatrixFree,
}

/// Settings of [`InteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPointSettings {
    /// Unknowns of the linear systems.
    pub formulation: Formulation,
    /// How they are solved.
    pub linear_solver: LinearSolver,
    /// Largest factor that [`LinearSolver::Auto`] accepts, bytes.
    pub factor_bytes: usize,
    /// Share of the way to the boundary that a step may go, in (0, 1).
    pub boundary: f64,
    /// Proximal term of the linear systems, relative to the diagonal of N, > 0. Grows where a
    /// factorisation fails.
    pub regularisation: f64,
    /// Most conjugate-gradient steps with a factor as preconditioner, >= 1.
    pub refinements: usize,
    /// Most conjugate-gradient steps without one.
    pub inner_iterations: usize,
    /// Iterations without a better residual after which the solve counts as stalled, >= 1.
    pub patience: usize,
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self {
            formulation: Formulation::Auto,
            linear_solver: LinearSolver::Auto,
            // 2 GiB: no problem fills the memory by surprise, and common machines have it.
            factor_bytes: 2 << 30,
            // CVXOPT's step. Closer to 1 the next scaling is worse, lower the steps are short.
            boundary: 0.99,
            // Far below any accuracy asked for, far above the rounding of a unit diagonal.
            regularisation: 1e-10,
            // One or two are the rule. A factor that needs more than this is no preconditioner.
            refinements: 12,
            // By trial. A step that is solved roughly only costs more outer iterations.
            inner_iterations: 1000,
            // By trial: the residual may rest for some iterations while mu still falls.
            patience: 12,
        }
    }
}

/// Work vectors of the method, and the analysis of the last graph of bodies; keep one to solve many
/// problems with the same graph.
#[derive(Debug, Default)]
pub struct InteriorPoint {
    analysed: Option<Analysed>,
    model: Model,
    x: Vec<f64>,
    dx: Vec<f64>,
    gradient: Vec<f64>,
    rhs: Vec<f64>,
    velocity: Vec<f64>,
    s: Vec<ConePoint>,
    z: Vec<ConePoint>,
    dz: Vec<ConePoint>,
    /// `W⁻¹` of what the corrector adds to the complementarity.
    push: Vec<ConePoint>,
    scalings: Vec<Scaling>,
}

impl InteriorPoint {
    /// Solves, overwriting `gamma` with the best point. A start that already converged is returned
    /// as it is. A good one is moved inside the cones and saves some iterations. Otherwise the
    /// method starts from the middle of the cones.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &InteriorPointSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        let reduce = monitor.reduce();
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        // A warm start may be the solution: look before anything is analysed.
        problem.cones().project(gamma);
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        if let Some(stop) = monitor.check(problem, 0, gamma, &self.velocity) {
            return Ok(monitor.finish(problem, NAME, stop, gamma));
        }
        self.resize(problem, reduce);
        let mut system = LinearSystem::new(problem, &self.model, settings, self.analysed.take());
        self.start(problem, &mut system, gamma, monitor);
        let mut floor = FLOOR * monitor.tolerance();
        let mut iteration = 0;
        let mut watch = StallWatch::new();
        let mut last = f64::INFINITY;
        let termination = loop {
            // Step 1: residual and tests to stop. The start itself has been judged above.
            self.model.impulses(&self.x, gamma);
            problem.velocity(gamma, &mut self.velocity);
            self.model.gradient(&self.velocity, &mut self.gradient);
            monitor.count_products(1);
            if iteration > 0 {
                problem.cones().project(gamma); // rounding only
                if let Some(stop) = monitor.check(problem, iteration, gamma, &self.velocity) {
                    break stop;
                }
            }
            let mu = self.mu(reduce);
            if watch.stalled(monitor.best(), mu, iteration, settings.patience) {
                break Termination::Stalled;
            }
            // Settled at the floor and still not there: degenerate contacts need a smaller mu.
            if mu <= AT_FLOOR * floor && monitor.best() > STILL_FALLING * last {
                floor *= FLOOR_CUT;
            }
            last = monitor.best();
            iteration += 1;
            // Step 2: scaling and factor.
            for k in 0..self.s.len() {
                self.scalings[k] = Scaling::new(&self.s[k], &self.z[k]);
            }
            monitor.count_work(system.factor_work());
            if !system.factor(self.cones()) {
                break Termination::Broke;
            }
            // Step 3: the predictor, which needs no more than a rough solution.
            let size = self.model.gradient_size.max(f64::MIN_POSITIVE);
            let accuracy = FORCING * size * monitor.best().min(1.0).max(monitor.tolerance());
            self.dx.fill(0.0);
            self.dz.fill([0.0; 3]);
            self.push_towards(0.0);
            let loose = accuracy / FORCING.sqrt();
            self.find_step(problem, &mut system, loose, monitor);
            // Step 4: centring.
            let alpha = self.longest_step(reduce).min(1.0);
            let sigma = (1.0 - alpha).powi(CENTRING_POWER);
            let target = (sigma * mu).max(floor.min(mu));
            // Step 5: the corrector.
            self.push_towards(target);
            self.find_step(problem, &mut system, accuracy, monitor);
            // Step 6: update.
            let alpha = (settings.boundary * self.longest_step(reduce)).min(1.0);
            if !self.advance(alpha, reduce) {
                break self.why_stuck(reduce);
            }
        };
        self.analysed = system.into_analysed();
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }

    /// Scales the problem and makes room.
    fn resize<N: Operator>(&mut self, problem: &Ccp<N>, reduce: &dyn Reduce) {
        let n = problem.dim();
        self.model = Model::new(problem, reduce);
        for work in [&mut self.x, &mut self.dx, &mut self.gradient, &mut self.rhs] {
            work.clear();
            work.resize(n, 0.0);
        }
        let count = self.model.conditions.len();
        for work in [&mut self.s, &mut self.z, &mut self.dz, &mut self.push] {
            work.clear();
            work.resize(count, [0.0; 3]);
        }
        self.scalings.clear();
        self.scalings.resize(count, Scaling::default());
    }

    /// The cones as the linear system sees them.
    fn cones(&self) -> ScaledCones<'_> {
        ScaledCones {
            model: &self.model,
            scalings: &self.scalings,
        }
    }

    /// `mu`: the mean over all cones of what is left of `sᵀ z` above its [`REST`].
    fn mu(&self, reduce: &dyn Reduce) -> f64 {
        let above = |(s, z): (&ConePoint, &ConePoint)| (dot(s, z) - REST * s[0] * z[0]).max(0.0);
        let sum: f64 = self.s.iter().zip(&self.z).map(above).sum();
        reduce.sum(sum) / reduce.sum(self.s.len() as f64).max(1.0)
    }

    /// `push = W⁻¹ (lambda \ ((target + rest) e − (W⁻¹ ds) ∘ (W dz)))` and the right-hand side
    /// `−u + Aᵀ push` that goes with it.
    ///
    /// `ds ∘ dz` of the last direction is the error that linearising `s ∘ z` makes: Mehrotra's
    /// correction. Before the predictor both are zero, and so is it.
    fn push_towards(&mut self, target: f64) {
        for (b, u) in self.rhs.iter_mut().zip(&self.gradient) {
            *b = -u;
        }
        for (k, condition) in self.model.conditions.iter().enumerate() {
            let scaling = &self.scalings[k];
            let ds = scaling.inverse(&condition.linear(&self.dx));
            let dz = scaling.times(&self.dz[k]);
            let second = jordan(&ds, &dz);
            let target = target + REST * self.s[k][0] * self.z[k][0];
            let wanted = [target - second[0], -second[1], -second[2]];
            self.push[k] = scaling.inverse(&jordan_solve(&scaling.lambda, &wanted));
            condition.add_transposed(&self.push[k], &mut self.rhs);
        }
    }

    /// Solves `(S N S + Aᵀ W⁻² A) dx = −u + Aᵀ push` and takes `dz` from it.
    fn find_step<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        system: &mut LinearSystem,
        accuracy: f64,
        monitor: &mut Monitor<'_>,
    ) {
        let cones = ScaledCones {
            model: &self.model,
            scalings: &self.scalings,
        };
        let products = system.solve(problem, cones, &self.rhs, &mut self.dx, accuracy, monitor);
        monitor.count_products(products);
        self.multiplier_step();
    }

    /// `dz = push − z − W⁻² A dx`.
    fn multiplier_step(&mut self) {
        for (k, condition) in self.model.conditions.iter().enumerate() {
            let change = self.scalings[k].inverse_square(&condition.linear(&self.dx));
            for i in 0..3 {
                self.dz[k][i] = self.push[k][i] - self.z[k][i] - change[i];
            }
        }
    }

    /// The longest step of `dx` and `dz` that stays in all cones, at most [`LONGEST`].
    fn longest_step(&self, reduce: &dyn Reduce) -> f64 {
        let mut alpha = LONGEST;
        for (k, condition) in self.model.conditions.iter().enumerate() {
            let scaling = &self.scalings[k];
            let ds = scaling.inverse(&condition.linear(&self.dx));
            alpha = scaling.step_to_boundary(&ds, alpha);
            alpha = scaling.step_to_boundary(&scaling.times(&self.dz[k]), alpha);
        }
        -reduce.max(-alpha)
    }

    /// Takes the step, shortened where rounding would leave a cone. False when no step is left.
    fn advance(&mut self, mut alpha: f64, reduce: &dyn Reduce) -> bool {
        while alpha > SHORTEST {
            let outside = f64::from(!self.stays_inside(alpha));
            if reduce.max(outside) == 0.0 {
                for (x, dx) in self.x.iter_mut().zip(&self.dx) {
                    *x += alpha * dx;
                }
                for (k, condition) in self.model.conditions.iter().enumerate() {
                    self.s[k] = condition.slack(&self.x);
                    (0..3).for_each(|i| self.z[k][i] += alpha * self.dz[k][i]);
                }
                let inside = self.s.iter().chain(&self.z).all(|v| margin(v) > 0.0);
                return reduce.max(f64::from(!inside)) == 0.0;
            }
            alpha *= SHORTENED;
        }
        false
    }

    /// Why there is no step: rounding, or numbers that are no longer finite.
    fn why_stuck(&self, reduce: &dyn Reduce) -> Termination {
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        let cones = [&self.s, &self.z, &self.dz];
        let sound = finite(&self.x)
            && finite(&self.dx)
            && cones.iter().all(|points| finite(points.as_flattened()));
        match reduce.max(f64::from(!sound)) > 0.0 {
            true => Termination::Broke,
            false => Termination::Stalled,
        }
    }

    /// Whether a step of `alpha` ends inside all cones by more than rounding.
    fn stays_inside(&self, alpha: f64) -> bool {
        let mut inside = true;
        for (k, condition) in self.model.conditions.iter().enumerate() {
            let (mut s, mut z) = (condition.slack(&self.x), self.z[k]);
            let ds = condition.linear(&self.dx);
            for i in 0..3 {
                s[i] += alpha * ds[i];
                z[i] += alpha * self.dz[k][i];
            }
            inside &= margin(&s) > ROUNDING * s[0] && margin(&z) > ROUNDING * z[0];
        }
        inside
    }
}

/// The barrier parameter first stops at this share of the tolerance, relative to unit gradients.
/// On the central path the residual is of the order of mu, so a tenth is safely enough. Racing past
/// it, the iterates would keep an angle of `√mu` between `s` and `z`, and the residual with it.
const FLOOR: f64 = 0.1;

/// Within this factor of the floor `mu` counts as settled there: it never falls below the floor
/// itself, and its last approach is slow.
const AT_FLOOR: f64 = 1.5;

/// A best residual that fell below this share of the last one is still falling: the floor can stay.
const STILL_FALLING: f64 = 0.3;

/// What a floor that was reached without success is multiplied by. Where contacts are degenerate
/// the residual is of the order of `√mu`, so a hundredth of mu brings one more digit.
const FLOOR_CUT: f64 = 0.01;

/// The power in `sigma = (1 − alpha)³`: Mehrotra's, and CVXOPT's.
const CENTRING_POWER: i32 = 3;

/// A cone rests when `sᵀ z` is this share of `s_0 z_0`. Where a contact slides, both are far from
/// the tip and gain nothing from coming closer to the surface, only rounding. Where both go to zero
/// (a contact that just touches) this share does too, and `mu` can fall on.
const REST: f64 = 1e-12;

/// Share of the present residual that the linear systems may leave: three digits, so that an
/// inexact step never decides the next residual. The predictor only finds `sigma`; its share is the
/// root of this.
const FORCING: f64 = 1e-3;

/// How far the way to the boundary is followed: any value above `1 / boundary` lets a whole Newton
/// step be taken short of it.
const LONGEST: f64 = 2.0;

/// What a step that rounding carries outside is multiplied by: one or two cuts are enough.
const SHORTENED: f64 = 0.7;

/// Steps shorter than this lead nowhere: such a step changes less than the accuracy asked for.
const SHORTEST: f64 = 1e-10;

/// A point closer to the boundary than this share of its size has lost all digits of its distance:
/// two norms, rounded once each, and their difference.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The method's name, in settings and in tables.
pub const NAME: &str = "interior-point";
