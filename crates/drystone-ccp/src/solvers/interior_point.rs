//! Primal-dual interior point, papers 004 and 001.
//!
//! `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`, written with scaled unknowns `x` and second-order cones C as
//! `u − Aᵀ z = 0, s = A x + a, s ∈ C, z ∈ C, s ∘ z = mu e`, where `u(x)` is the scaled gradient. An iteration linearises
//! these and takes a step that stays inside. Letters: `s` slack, `z` multiplier, `mu` barrier parameter, `sigma` its wanted
//! reduction, `alpha` the step, `lambda = W z = W⁻¹ s` with the Nesterov–Todd scaling `W`.
//!
//! We depart from 004: cones instead of one smooth inequality a contact, whose gradient vanishes at the tip;
//! Nesterov–Todd scaling and Mehrotra's predictor and corrector instead of a barrier that falls in stages: tens of
//! iterations where the paper needs a hundred. `s` is always computed from `x`, so `gamma` is inside K at every iteration.
//! The linear systems are factored in impulses or, as in 001's primal model, in velocities.

mod factor;
mod impulses;
mod linear;
mod local;
mod model;
mod scaling;
#[cfg(test)]
mod tests;
mod velocities;
mod watch;

use self::linear::LinearSystem;
use self::model::Model;
use self::scaling::{Point, Scaling, dot, jordan, jordan_solve, margin};
use self::watch::Watch;
use super::SolverError;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::Ccp;

/// The unknowns that the linear systems are factored in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Velocities where the operator knows its bodies, impulses elsewhere.
    #[default]
    Auto,
    /// One unknown a row: the dual model of paper 001. Assembles N.
    Impulses,
    /// Six unknowns a body: the primal model of paper 001. Operators without bodies fall back to impulses.
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
    /// Proximal term of the linear systems, relative to the diagonal of N, > 0. Grows where a factorisation fails.
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
            factor_bytes: 2 << 30,
            boundary: 0.99,
            regularisation: 1e-10,
            refinements: 12,
            inner_iterations: 1000,
            patience: 12,
        }
    }
}

/// Work vectors of the method.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    model: Model,
    x: Vec<f64>,
    dx: Vec<f64>,
    gradient: Vec<f64>,
    rhs: Vec<f64>,
    velocity: Vec<f64>,
    s: Vec<Point>,
    z: Vec<Point>,
    dz: Vec<Point>,
    /// `W⁻¹` of what the corrector adds to the complementarity.
    push: Vec<Point>,
    scalings: Vec<Scaling>,
}

impl InteriorPoint {
    /// Solves, overwriting `gamma` with the best point. A start that already converged is returned as it is, a good one is
    /// moved inside the cones and saves some iterations; otherwise the method starts from the middle of the cones.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &InteriorPointSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        SolverError::require_symmetry(NAME, problem, monitor.reduce())?;
        self.velocity.clear();
        self.velocity.resize(problem.dim(), 0.0);
        problem.cones().project(gamma);
        problem.velocity(gamma, &mut self.velocity);
        monitor.count_products(1);
        if let Some(stop) = monitor.check(problem, 0, gamma, &self.velocity) {
            return Ok(monitor.finish(problem, NAME, stop, gamma));
        }
        self.resize(problem);
        let mut system = LinearSystem::new(problem, &self.model, settings);
        let load = self.typical_load(problem, &mut system, monitor);
        self.start(problem, load);
        if monitor.best() < GOOD_START {
            problem.velocity(gamma, &mut self.velocity);
            monitor.count_products(1);
            self.start_near(gamma, load, monitor.best());
        }
        let mut floor = FLOOR * monitor.tolerance();
        let mut iteration = 0;
        let mut watch = Watch::new();
        let mut last = f64::INFINITY;
        let termination = loop {
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
            let mu = self.mu();
            if watch.stalled(monitor.best(), mu, iteration, settings.patience) {
                break Termination::Stalled;
            }
            // Settled at the floor and still not there: degenerate contacts need a smaller mu.
            if mu <= 1.5 * floor && monitor.best() > 0.3 * last {
                floor *= 0.01;
            }
            last = monitor.best();
            iteration += 1;
            for k in 0..self.s.len() {
                self.scalings[k] = Scaling::new(&self.s[k], &self.z[k]);
            }
            let at = linear::Point {
                model: &self.model,
                scalings: &self.scalings,
            };
            if !system.factor(at) {
                break Termination::Broke;
            }
            // Predictor: aim at complementarity itself.
            let size = self.model.gradient_size.max(f64::MIN_POSITIVE);
            let accuracy = FORCING * size * monitor.best().min(1.0).max(monitor.tolerance());
            self.dx.fill(0.0);
            self.dz.fill([0.0; 3]);
            self.push_towards(0.0);
            let loose = accuracy / FORCING.sqrt();
            self.find_step(problem, &mut system, loose, monitor);
            // Corrector: aim at sigma mu, and make up for the predictor's second-order error.
            let alpha = self.longest_step().min(1.0);
            let target = ((1.0 - alpha).powi(3) * mu).max(floor.min(mu));
            self.push_towards(target);
            self.find_step(problem, &mut system, accuracy, monitor);
            let alpha = (settings.boundary * self.longest_step()).min(1.0);
            if !self.advance(alpha) {
                break Termination::Stalled;
            }
        };
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }

    /// Scales the problem and makes room.
    fn resize<N: Operator>(&mut self, problem: &Ccp<N>) {
        let n = problem.dim();
        self.model = Model::new(problem);
        for work in [&mut self.x, &mut self.dx, &mut self.gradient, &mut self.rhs] {
            work.clear();
            work.resize(n, 0.0);
        }
        let links = self.model.links.len();
        for work in [&mut self.s, &mut self.z, &mut self.dz, &mut self.push] {
            work.clear();
            work.resize(links, [0.0; 3]);
        }
        self.scalings.clear();
        self.scalings.resize(links, Scaling::default());
    }

    /// The centred point: every cone at the height of a typical impulse, `s ∘ z = mu e` exactly.
    fn start<N: Operator>(&mut self, problem: &Ccp<N>, load: f64) {
        self.model.middle(problem, load, &mut self.x);
        for (k, link) in self.model.links.iter().enumerate() {
            self.s[k] = link.slack(&self.x);
            self.z[k] = [load / self.s[k][0], 0.0, 0.0];
        }
    }

    /// Replaces the centred point by `gamma` (inside K, `velocity` its own), moved inwards by a share of the load that
    /// follows from its residual: closer to the boundary the first steps would be short.
    fn start_near(&mut self, gamma: &[f64], load: f64, residual: f64) {
        let share = INWARDS * residual.sqrt();
        self.model.gradient(&self.velocity, &mut self.gradient);
        self.model.blend(gamma, share, &mut self.x);
        for (k, link) in self.model.links.iter().enumerate() {
            self.s[k] = link.slack(&self.x);
            // What the cone can carry of the gradient, and the margin that makes s ∘ z about share · load.
            let mut z = link.linear(&self.gradient);
            let carried = self.gradient[link.normal] / link.coefficient;
            let room = self.s[k][0].max(share * load * link.coefficient.abs());
            z[0] = carried.max(z[1].hypot(z[2])) + share * load / room;
            self.z[k] = z;
        }
    }

    /// How large the impulses will be: some times the mean of those that stop all motion, pulling allowed. Too small a
    /// start costs many short steps, too large a one a few iterations.
    fn typical_load<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        system: &mut LinearSystem,
        monitor: &mut Monitor<'_>,
    ) -> f64 {
        self.scalings
            .fill(Scaling::new(&[1.0, 0.0, 0.0], &[SOFTNESS, 0.0, 0.0]));
        self.model.impulses(&self.x, &mut self.dx); // x = 0: the pinned rows alone
        problem.velocity(&self.dx, &mut self.velocity);
        self.model.gradient(&self.velocity, &mut self.rhs);
        let at = linear::Point {
            model: &self.model,
            scalings: &self.scalings,
        };
        let accuracy = 0.1 * self.model.gradient_size;
        let mut products = 1;
        if system.factor(at) {
            products += system.solve(problem, at, &self.rhs, &mut self.dx, accuracy, monitor);
        }
        monitor.count_products(products);
        let squares: f64 = self.dx.iter().map(|x| x * x).sum();
        (ROOM * (squares / self.dx.len().max(1) as f64).sqrt()).max(1.0)
    }

    /// `mu`: what is left of `sᵀ z` a cone above its [`REST`].
    fn mu(&self) -> f64 {
        let above = |(s, z): (&Point, &Point)| (dot(s, z) - REST * s[0] * z[0]).max(0.0);
        let sum: f64 = self.s.iter().zip(&self.z).map(above).sum();
        sum / self.s.len().max(1) as f64
    }

    /// Solves for `dx` and takes `dz` from it.
    fn find_step<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        system: &mut LinearSystem,
        accuracy: f64,
        monitor: &mut Monitor<'_>,
    ) {
        let at = linear::Point {
            model: &self.model,
            scalings: &self.scalings,
        };
        let products = system.solve(problem, at, &self.rhs, &mut self.dx, accuracy, monitor);
        monitor.count_products(products);
        self.multiplier_step();
    }

    /// `dz = push − z − W⁻² A dx`.
    fn multiplier_step(&mut self) {
        for (k, link) in self.model.links.iter().enumerate() {
            let change = self.scalings[k].inverse_square(&link.linear(&self.dx));
            for i in 0..3 {
                self.dz[k][i] = self.push[k][i] - self.z[k][i] - change[i];
            }
        }
    }

    /// The longest step of `dx` and `dz` that stays in all cones, at most [`LONGEST`].
    fn longest_step(&self) -> f64 {
        let mut alpha = LONGEST;
        for (k, link) in self.model.links.iter().enumerate() {
            let scaling = &self.scalings[k];
            alpha = scaling.step_to_boundary(&scaling.inverse(&link.linear(&self.dx)), alpha);
            alpha = scaling.step_to_boundary(&scaling.times(&self.dz[k]), alpha);
        }
        alpha
    }

    /// `push = W⁻¹ (lambda \ ((target + rest) e − (W⁻¹ ds) ∘ (W dz)))`, where the last direction's `ds ∘ dz` is the error
    /// that linearising makes, and the right-hand side `−u + Aᵀ push` that goes with it.
    fn push_towards(&mut self, target: f64) {
        for (b, u) in self.rhs.iter_mut().zip(&self.gradient) {
            *b = -u;
        }
        for (k, link) in self.model.links.iter().enumerate() {
            let scaling = &self.scalings[k];
            let ds = scaling.inverse(&link.linear(&self.dx));
            let dz = scaling.times(&self.dz[k]);
            let second = jordan(&ds, &dz);
            let target = target + REST * self.s[k][0] * self.z[k][0];
            let wanted = [target - second[0], -second[1], -second[2]];
            self.push[k] = scaling.inverse(&jordan_solve(&scaling.lambda, &wanted));
            link.add_transposed(&self.push[k], &mut self.rhs);
        }
    }

    /// Takes the step, shortened where rounding would leave a cone. False when no step is left.
    fn advance(&mut self, mut alpha: f64) -> bool {
        while alpha > SHORTEST {
            let mut inside = true;
            for (k, link) in self.model.links.iter().enumerate() {
                let (mut s, mut z) = (link.slack(&self.x), self.z[k]);
                let ds = link.linear(&self.dx);
                for i in 0..3 {
                    s[i] += alpha * ds[i];
                    z[i] += alpha * self.dz[k][i];
                }
                inside &= margin(&s) > ROUNDING * s[0] && margin(&z) > ROUNDING * z[0];
            }
            if inside {
                for (x, dx) in self.x.iter_mut().zip(&self.dx) {
                    *x += alpha * dx;
                }
                for (k, link) in self.model.links.iter().enumerate() {
                    self.s[k] = link.slack(&self.x);
                    (0..3).for_each(|i| self.z[k][i] += alpha * self.dz[k][i]);
                }
                return self.s.iter().chain(&self.z).all(|v| margin(v) > 0.0);
            }
            alpha *= 0.7;
        }
        false
    }
}

/// The barrier parameter first stops at this share of the tolerance, relative to unit gradients. There the iterates settle
/// on the central path, where the residual is of the order of mu; racing past it they would keep an angle of `√mu`
/// between `s` and `z`.
const FLOOR: f64 = 0.1;

/// A cone rests when `sᵀ z` is this share of `s_0 z_0`. Where a contact slides both are far from the tip and gain nothing
/// from coming closer to the surface, only rounding; where both go to zero (a contact that just touches) this
/// share does too, and `mu` can fall on.
const REST: f64 = 1e-12;

/// A start with a smaller residual than this is worth keeping.
const GOOD_START: f64 = 0.1;

/// How far it is moved inwards, as a share of the load for a residual of one.
const INWARDS: f64 = 0.3;

/// What the cones resist with in the estimate of the loads, relative to the diagonal of N.
const SOFTNESS: f64 = 1e-2;

/// The start's height in units of the mean square of that estimate.
const ROOM: f64 = 5.0;

/// Share of the present residual that the linear systems may leave.
const FORCING: f64 = 1e-3;

/// How far the way to the boundary is followed: enough that a whole Newton step can be taken short of it.
const LONGEST: f64 = 2.0;

/// Steps shorter than this lead nowhere.
const SHORTEST: f64 = 1e-10;

/// A point closer to the boundary than this share of its size has lost all digits of its distance.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The method's name on the command line and in tables.
pub const NAME: &str = "interior-point";
