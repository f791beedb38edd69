//! Where the iteration starts: in the middle of the cones at a typical load, or near a warm start.
//!
//! CVXOPT's cone QP starts from one solve of the linear system with `W = I`, pushed inside the
//! cones (Vandenberghe 2010, §5). We use the same solve only to learn how large the impulses will
//! be.

use super::linear::{LinearSystem, ScaledCones};
use super::{InteriorPoint, Scaling};
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::problem::Ccp;

impl InteriorPoint {
    /// Fills `x`, `s` and `z`. `gamma` is the warm start that the monitor has judged.
    pub(super) fn start<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        system: &mut LinearSystem,
        gamma: &[f64],
        monitor: &mut Monitor<'_>,
    ) {
        let load = self.typical_load(problem, system, monitor);
        self.start_centred(problem, load);
        if monitor.best() < GOOD_START {
            problem.velocity(gamma, &mut self.velocity);
            monitor.count_products(1);
            self.start_near(gamma, load, monitor.best());
        }
    }

    /// How large the impulses will be: [`ROOM`] times the mean of those that stop all motion,
    /// pulling allowed. Too small a start costs many short steps, too large a one a few iterations.
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
        let cones = ScaledCones {
            model: &self.model,
            scalings: &self.scalings,
        };
        let accuracy = LOAD_ACCURACY * self.model.gradient_size;
        let mut products = 1;
        if system.factor(cones) {
            products += system.solve(problem, cones, &self.rhs, &mut self.dx, accuracy, monitor);
        }
        monitor.count_products(products);
        let reduce = monitor.reduce();
        let squares: f64 = self.dx.iter().map(|x| x * x).sum();
        let rows = reduce.sum(self.dx.len() as f64).max(1.0);
        (ROOM * (reduce.sum(squares) / rows).sqrt()).max(1.0)
    }

    /// The centred point: every cone at the height of a typical impulse, `s ∘ z = load e` exactly.
    fn start_centred<N: Operator>(&mut self, problem: &Ccp<N>, load: f64) {
        self.model.middle(problem, load, &mut self.x);
        for (k, condition) in self.model.conditions.iter().enumerate() {
            self.s[k] = condition.slack(&self.x);
            self.z[k] = [load / self.s[k][0], 0.0, 0.0];
        }
    }

    /// Replaces the centred point by `gamma` (inside K, `velocity` its own), moved inwards by a
    /// share of the load that follows from its residual: closer to the boundary the first steps
    /// would be short.
    fn start_near(&mut self, gamma: &[f64], load: f64, residual: f64) {
        let share = INWARDS * residual.sqrt();
        self.model.gradient(&self.velocity, &mut self.gradient);
        self.model.blend(gamma, share, &mut self.x);
        for (k, condition) in self.model.conditions.iter().enumerate() {
            self.s[k] = condition.slack(&self.x);
            // What the cone can carry of the gradient, and the margin that makes s ∘ z about
            // share · load.
            let mut z = condition.linear(&self.gradient);
            let carried = self.gradient[condition.normal] / condition.coefficient;
            let room = self.s[k][0].max(share * load * condition.coefficient.abs());
            z[0] = carried.max(z[1].hypot(z[2])) + share * load / room;
            self.z[k] = z;
        }
    }
}

/// A start with a smaller relative residual than this is worth keeping. A worse one is as far from
/// the central path as the middle of the cones is, and nearer to the boundary.
const GOOD_START: f64 = 0.1;

/// How far a kept start is moved inwards, as a share of the load for a residual of one. Too little
/// and the first steps are short, too much and the start is lost. By trial.
const INWARDS: f64 = 0.3;

/// What the cones resist with in the estimate of the loads, relative to the diagonal of N: small
/// beside it, and yet enough to make a singular N invertible.
const SOFTNESS: f64 = 1e-2;

/// Share of the gradient that the estimate of the loads may leave. One digit of a load is enough.
const LOAD_ACCURACY: f64 = 0.1;

/// The start's height in units of the root mean square of that estimate. By trial: single contacts
/// carry some times the mean.
const ROOM: f64 = 5.0;
