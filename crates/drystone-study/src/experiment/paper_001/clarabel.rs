//! Clarabel, an outside interior-point solver for conic programs, as a run beside those of our methods.
//!
//! It gets the dual problem as it is, `min ½ γᵀNγ + rᵀγ` over `γ ∈ K`, with N assembled. It tells its objective on the way; residuals are
//! known at its end only, and at the projected point, since its own lies outside the cones by its tolerance.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use drystone_ccp::{Ccp, Cone, HistoryRow, Operator, PaperMeasures, Termination, TwoBody};

use crate::error::StudyError;
use crate::experiment::trial::{Trial, row_at};
use drystone_draw::plot::{Look, Marks};

/// Its name in tables and legends.
pub const NAME: &str = "clarabel";

/// Its tolerance for gap and feasibility: tight enough to be a reference.
const TOLERANCE: f64 = 1e-10;

/// Runs it for at most so long; a word where it found no solution.
pub fn run(
    problem: &Ccp<TwoBody>,
    patience: Duration,
) -> Result<Result<Trial, &'static str>, StudyError> {
    let start = Instant::now();
    let n = problem.dim();
    let upper = problem.operator().to_csr();
    let p = matrix(upper.entries().filter(|e| e.0 <= e.1), n, n);
    let constraints = Constraints::of(problem);
    let a = matrix(constraints.entries.iter().copied(), constraints.b.len(), n);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: TOLERANCE,
        tol_gap_rel: TOLERANCE,
        tol_feas: TOLERANCE,
        time_limit: patience.as_secs_f64(),
        ..DefaultSettings::default()
    };
    let Constraints { b, cones, .. } = &constraints;
    let mut solver = DefaultSolver::new(&p, problem.r(), &a, b, cones, settings)
        .map_err(|e| StudyError::Refused(format!("{NAME} refuses the problem: {e}")))?;
    let rows = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&rows);
    solver.set_termination_callback(move |info: &DefaultInfo<f64>| {
        if let Ok(mut rows) = seen.lock() {
            rows.push(row(info, start.elapsed().as_secs_f64()));
        }
        cancelled()
    });
    solver.solve();
    let seconds = start.elapsed().as_secs_f64();
    let solution = &solver.solution;
    let termination = match solution.status {
        SolverStatus::Solved => "converged",
        // What is left of the reduced tolerance shows in the residual.
        SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => "stalled",
        SolverStatus::CallbackTerminated => return Err(StudyError::Cancelled),
        SolverStatus::MaxTime => return Ok(Err(Termination::TimeLimit.name())),
        _ => return Ok(Err(Termination::Broke.name())),
    };
    let mut gamma = solution.x.clone();
    problem.cones().project(&mut gamma);
    let iterations = solution.iterations as usize;
    let mut history = rows.lock().map(|rows| rows.clone()).unwrap_or_default();
    history.retain(|row: &HistoryRow| row.iteration < iterations);
    history.push(row_at(problem, &gamma, iterations, seconds));
    Ok(Ok(Trial {
        name: NAME.to_owned(),
        look: Look {
            marks: Marks::AtEnd,
            ..Look::nth(2)
        },
        termination,
        iterations,
        seconds,
        history,
        gamma,
    }))
}

/// What it tells on its way.
fn row(info: &DefaultInfo<f64>, seconds: f64) -> HistoryRow {
    HistoryRow {
        iteration: info.iterations as usize,
        products: 0,
        seconds,
        residual: f64::NAN,
        residual_velocity: f64::NAN,
        objective: info.cost_primal,
        measures: PaperMeasures {
            apgd_residual: f64::NAN,
            spectral_residual: f64::NAN,
            projected_gradient: f64::NAN,
            complementarity: f64::NAN,
            active_set: 0,
        },
    }
}

fn matrix(
    entries: impl Iterator<Item = (usize, usize, f64)>,
    rows: usize,
    columns: usize,
) -> CscMatrix {
    let (i, (j, v)): (Vec<_>, (Vec<_>, Vec<_>)) = entries.map(|(i, j, v)| (i, (j, v))).unzip();
    CscMatrix::new_from_triplets(rows, columns, i, j, v)
}

/// `A γ + s = b, s ∈ K`, rows as they come.
#[derive(Default)]
struct Constraints {
    entries: Vec<(usize, usize, f64)>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Constraints {
    fn of(problem: &Ccp<TwoBody>) -> Self {
        let mut c = Self::default();
        for (block, cone) in problem.cones().iter() {
            let n = block.start;
            match *cone {
                Cone::Free { .. } => {}
                Cone::Interval { lower, upper } => {
                    if lower.is_finite() {
                        c.at_least_zero(n, 1.0, -lower);
                    }
                    if upper.is_finite() {
                        c.at_least_zero(n, -1.0, upper);
                    }
                }
                Cone::NonNegative
                | Cone::Friction { .. }
                | Cone::Rolling { .. }
                | Cone::RollingSpinning { .. } => c.contact(n, cone),
            }
        }
        c
    }

    fn contact(&mut self, n: usize, cone: &Cone) {
        self.at_least_zero(n, 1.0, cone.cohesion());
        for part in cone.parts().as_slice() {
            let tangents = n + part.start..n + part.start + part.len;
            // Without friction the second-order cone has no interior: the tangents are simply zero.
            if part.mu == 0.0 {
                tangents.for_each(|row| self.push(row, 1.0, 0.0));
                self.cones.push(ZeroConeT(part.len));
                continue;
            }
            self.push(n, part.mu, part.mu * cone.cohesion());
            tangents.for_each(|row| self.push(row, 1.0, 0.0));
            self.cones.push(SecondOrderConeT(1 + part.len));
        }
    }

    /// `scale · γ[row] + offset` as the next entry of s.
    fn push(&mut self, row: usize, scale: f64, offset: f64) {
        self.entries.push((self.b.len(), row, -scale));
        self.b.push(offset);
    }

    fn at_least_zero(&mut self, row: usize, scale: f64, offset: f64) {
        self.push(row, scale, offset);
        self.cones.push(NonnegativeConeT(1));
    }
}
