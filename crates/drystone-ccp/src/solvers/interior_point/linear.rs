//! The linear system of an iteration, `(S N S + AᵀW⁻²A + delta I) x = b`, by preconditioned
//! conjugate gradients (Hestenes and Stiefel 1952).
//!
//! It is what is left of Newton's equations for Melanz, eq. 3, once `s` and `z` are eliminated.
//! With a factor as preconditioner the iteration is a refinement that cannot diverge: one or two
//! steps, and what the factor lost to ill-conditioning comes back. Without one (block Jacobi) it is
//! the matrix-free solver. `delta` is a proximal term: it keeps the step along the null space of N
//! short, and what it leaves behind of the gradient, `delta x`, goes to zero with the steps.
//!
//! Letters: `rho = residualᵀ preconditioned`, `beta` its quotient with the last one, `P` the
//! preconditioner. The factors are made by one process; the conjugate gradients take their sums
//! through `Reduce`.

use super::impulses::Impulses;
use super::local::LocalFactor;
use super::model::Model;
use super::scaling::Scaling;
use super::velocities::{Analysed, Velocities};
use super::{Formulation, InteriorPointSettings, LinearSolver};
use crate::cone::MAX_ROWS;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::problem::Ccp;

/// Steps between two looks at the clock: a look costs a system call, a step a product with N.
const LOOK_EVERY: usize = 16;

/// `delta` grows by this when a factorisation fails: two digits, so that few tries reach the end.
const DELTA_GROWTH: f64 = 100.0;

/// The largest `delta`; the diagonal of the scaled N is one. With a larger one the factor would be
/// that of another problem, and the conjugate gradients would have all the work.
const DELTA_LARGEST: f64 = 1e-3;

/// A pivot below this share of its diagonal entry is rounding: nothing moves in that direction.
const ZERO_PIVOT: f64 = 1e-12;

/// The system, its preconditioner and the vectors of the conjugate gradients.
#[derive(Debug)]
pub(super) struct LinearSystem {
    preconditioner: Preconditioner,
    local: LocalFactor,
    delta: f64,
    max_steps: usize,
    residual: Vec<f64>,
    direction: Vec<f64>,
    preconditioned: Vec<f64>,
    product: Vec<f64>,
    work: Vec<f64>,
}

#[derive(Debug)]
enum Preconditioner {
    Impulses(Impulses),
    Velocities(Velocities),
    /// Roots of the diagonal blocks of `S N S`, upper triangular, row-major.
    BlockJacobi(Vec<f64>),
}

/// The cones of one iteration with their scalings: what the matrix is made of besides N.
#[derive(Clone, Copy)]
pub(super) struct ScaledCones<'a> {
    pub model: &'a Model,
    pub scalings: &'a [Scaling],
}

impl LinearSystem {
    /// Chooses the form and analyses it. `last` is what the last solve left of that.
    pub fn new<N: Operator>(
        problem: &Ccp<N>,
        model: &Model,
        settings: &InteriorPointSettings,
        last: Option<Analysed>,
    ) -> Self {
        let preconditioner = choose(problem, model, settings, last);
        let factored = !matches!(preconditioner, Preconditioner::BlockJacobi(_));
        let zeros = || vec![0.0; problem.dim()];
        Self {
            preconditioner,
            local: LocalFactor::new(problem.cones()),
            delta: settings.regularisation,
            max_steps: if factored {
                settings.refinements
            } else {
                settings.inner_iterations
            },
            residual: zeros(),
            direction: zeros(),
            preconditioned: zeros(),
            product: zeros(),
            work: zeros(),
        }
    }

    /// Factors for new scalings, with `delta` as small as will do. False when none does.
    pub fn factor(&mut self, cones: ScaledCones<'_>) -> bool {
        loop {
            let (delta, local) = (self.delta, &mut self.local);
            let done = match &mut self.preconditioner {
                Preconditioner::Impulses(form) => {
                    local.factor(cones.model, cones.scalings, |_| delta, None);
                    form.factor(local)
                }
                Preconditioner::Velocities(form) => {
                    let diagonal = |row: usize| delta + form.compliance[row];
                    local.factor(cones.model, cones.scalings, diagonal, None);
                    form.factor(local)
                }
                Preconditioner::BlockJacobi(own) => {
                    local.factor(cones.model, cones.scalings, |_| delta, Some(own));
                    true
                }
            };
            if done {
                return true;
            }
            self.delta *= DELTA_GROWTH;
            if self.delta > DELTA_LARGEST {
                return false;
            }
        }
    }

    /// What the next solve may use again.
    pub fn into_analysed(self) -> Option<Analysed> {
        match self.preconditioner {
            Preconditioner::Velocities(form) => Some(form.into_analysed()),
            Preconditioner::Impulses(_) | Preconditioner::BlockJacobi(_) => None,
        }
    }

    /// A factorisation in sweeps.
    pub fn factor_work(&self) -> f64 {
        let rows = self.work.len();
        match &self.preconditioner {
            Preconditioner::Impulses(form) => form.factor_work(rows),
            Preconditioner::Velocities(form) => form.factor_work(rows),
            Preconditioner::BlockJacobi(_) => 1.0, // a pass over the blocks
        }
    }

    /// Solves to an absolute residual of `tolerance`, or as far as rounding or the monitor allow.
    /// Returns the products with N.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        cones: ScaledCones<'_>,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        monitor: &Monitor<'_>,
    ) -> usize {
        let reduce = monitor.reduce();
        x.fill(0.0);
        self.residual.copy_from_slice(b);
        let mut rho_before = 1.0;
        let mut products = 0;
        while products < self.max_steps && reduce.norm(&self.residual) > tolerance {
            if products % LOOK_EVERY == LOOK_EVERY - 1 && monitor.interrupted().is_some() {
                break; // the next check says so too
            }
            self.precondition();
            let rho = reduce.dot(&self.residual, &self.preconditioned);
            let beta = if products == 0 { 0.0 } else { rho / rho_before };
            for (d, p) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = p + beta * *d;
            }
            self.apply(problem, cones);
            products += 1;
            let curvature = reduce.dot(&self.direction, &self.product);
            if !(rho > 0.0 && curvature > 0.0 && curvature.is_finite()) {
                break; // rounding won, or N is not positive semidefinite
            }
            let step = rho / curvature;
            for i in 0..x.len() {
                x[i] += step * self.direction[i];
                self.residual[i] -= step * self.product[i];
            }
            rho_before = rho;
        }
        products
    }

    /// `product = (S N S + AᵀW⁻²A + delta I) direction`.
    fn apply<N: Operator>(&mut self, problem: &Ccp<N>, cones: ScaledCones<'_>) {
        let scale = &cones.model.scale;
        for i in 0..scale.len() {
            self.work[i] = scale[i] * self.direction[i];
        }
        problem.operator().apply(&self.work, &mut self.product);
        for i in 0..scale.len() {
            self.product[i] = scale[i] * self.product[i] + self.delta * self.direction[i];
        }
        for (condition, scaling) in cones.model.conditions.iter().zip(cones.scalings) {
            let image = scaling.inverse_square(&condition.linear(&self.direction));
            condition.add_transposed(&image, &mut self.product);
        }
    }

    /// `preconditioned = P residual`.
    fn precondition(&mut self) {
        self.local.lower_solve(&self.residual, &mut self.work);
        match &mut self.preconditioner {
            Preconditioner::Impulses(form) => form.solve(&mut self.work),
            Preconditioner::Velocities(form) => form.solve(self.local.offsets(), &mut self.work),
            Preconditioner::BlockJacobi(_) => {}
        }
        self.local.upper_solve(&self.work, &mut self.preconditioned);
    }
}

/// The factored form that the settings ask for, or block Jacobi where it does not fit.
fn choose<N: Operator>(
    problem: &Ccp<N>,
    model: &Model,
    settings: &InteriorPointSettings,
    last: Option<Analysed>,
) -> Preconditioner {
    let bytes = match settings.linear_solver {
        LinearSolver::Auto => settings.factor_bytes,
        LinearSolver::Factor => usize::MAX,
        LinearSolver::MatrixFree => 0,
    };
    let two_body = match settings.formulation {
        Formulation::Auto | Formulation::Velocities => problem.operator().as_two_body(),
        Formulation::Impulses => None,
    };
    if settings.linear_solver != LinearSolver::MatrixFree {
        let form = if let Some(operator) = two_body {
            Velocities::new(operator, model, bytes, last).map(Preconditioner::Velocities)
        } else {
            let matrix = problem.operator().to_csr();
            Impulses::new(&matrix, problem.cones(), model, bytes).map(Preconditioner::Impulses)
        };
        if let Some(form) = form {
            return form;
        }
    }
    Preconditioner::BlockJacobi(diagonal_roots(problem, model))
}

/// Cholesky factors of the diagonal blocks of `S N S`; a direction that nothing moves gets a zero
/// row.
fn diagonal_roots<N: Operator>(problem: &Ccp<N>, model: &Model) -> Vec<f64> {
    let mut roots = Vec::new();
    let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
    for (block, _) in problem.cones().iter() {
        let d = block.len();
        problem.operator().diagonal_block(block, &mut dense);
        for i in 0..d {
            for j in 0..d {
                dense[i * d + j] *= model.scale[block.start + i] * model.scale[block.start + j];
            }
        }
        let first = roots.len();
        roots.resize(first + d * d, 0.0);
        let root = &mut roots[first..];
        for i in 0..d {
            let taken = |a: usize, b: usize, root: &[f64]| {
                (0..i)
                    .map(|k| root[k * d + a] * root[k * d + b])
                    .sum::<f64>()
            };
            let pivot = dense[i * d + i] - taken(i, i, root);
            if pivot <= ZERO_PIVOT * dense[i * d + i] {
                continue;
            }
            let pivot = pivot.sqrt();
            for j in i..d {
                root[i * d + j] = (dense[i * d + j] - taken(i, j, root)) / pivot;
            }
        }
    }
    roots
}
