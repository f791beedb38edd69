//! A run of Clarabel.
//!
//! It gets the dual problem as it is, `min ½ γᵀNγ + rᵀγ` over `γ ∈ K`, with N assembled. On the way
//! it tells its objective only. Residuals are known at its end, at the projected point, since its
//! own point lies outside the cones by its tolerance.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use drystone_ccp::{Ccp, Cone, HistoryRow, Operator, PaperMeasures, Termination, TwoBody};

use drystone_draw::plot::{CurveLook, Marks};
use drystone_run::Control;

use super::{NAME, Outcome};
use crate::error::StudyError;
use crate::experiment::trial::{Trial, row_at};

/// Its tolerance for gap and feasibility: tight enough to be a reference.
const TOLERANCE: f64 = 1e-10;

/// How often the caller's flag is looked at while it runs: often enough that a person does not
/// wait.
const FLAG_INTERVAL: Duration = Duration::from_millis(20);

/// Runs it for at most the time of `patience`.
pub fn run(
    problem: &Ccp<TwoBody>,
    patience: Duration,
    control: Control<'_>,
) -> Result<Outcome, StudyError> {
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
    let stop = Arc::new(AtomicBool::new(control.is_cancelled()));
    let stopped = Arc::clone(&stop);
    solver.set_termination_callback(move |info: &DefaultInfo<f64>| {
        if let Ok(mut rows) = seen.lock() {
            rows.push(row(info, start.elapsed().as_secs_f64()));
        }
        stopped.load(Ordering::Relaxed)
    });
    solve_watched(&mut solver, &stop, control);
    let seconds = start.elapsed().as_secs_f64();
    let solution = &solver.solution;
    let termination = match solution.status {
        SolverStatus::Solved => "converged",
        // What is left of the reduced tolerance shows in the residual.
        SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => "stalled",
        SolverStatus::CallbackTerminated => return Err(StudyError::Cancelled),
        SolverStatus::MaxTime => return Ok(Outcome::Failed(Termination::TimeLimit.name())),
        _ => return Ok(Outcome::Failed(Termination::Broke.name())),
    };
    let mut gamma = solution.x.clone();
    problem.cones().project(&mut gamma);
    let iterations = solution.iterations as usize;
    let mut history = rows.lock().map(|rows| rows.clone()).unwrap_or_default();
    history.retain(|row: &HistoryRow| row.iteration < iterations);
    history.push(row_at(problem, &gamma, iterations, seconds));
    Ok(Outcome::Solved(Trial {
        name: NAME.to_owned(),
        look: CurveLook {
            marks: Marks::AtEnd,
            ..CurveLook::nth(2)
        },
        termination,
        iterations,
        seconds,
        history,
        gamma,
        failed: None,
    }))
}

/// Solves, and sets `stop` once the caller cancels. Clarabel keeps its callback as a value without
/// borrows, so the callback cannot hold the caller's flag itself; a second thread passes it on.
fn solve_watched(solver: &mut DefaultSolver<f64>, stop: &AtomicBool, control: Control<'_>) {
    std::thread::scope(|scope| {
        let (solving, ended) = channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(FLAG_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if control.is_cancelled() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        solver.solve();
        drop(solving); // ends the other thread; a panic above would do so as well
    });
}

/// The row of a history from what it tells on its way.
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

/// The cones as Clarabel takes them: `A γ + s = b` with `s` in a product of its own cones.
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
            // Without friction the second-order cone has no interior: the tangents are zero.
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

    /// Adds `scale · γ[row] + offset` as the next entry of `s`.
    fn push(&mut self, row: usize, scale: f64, offset: f64) {
        self.entries.push((self.b.len(), row, -scale));
        self.b.push(offset);
    }

    /// Demands `scale · γ[row] + offset ≥ 0`.
    fn at_least_zero(&mut self, row: usize, scale: f64, offset: f64) {
        self.push(row, scale, offset);
        self.cones.push(NonnegativeConeT(1));
    }
}

#[cfg(test)]
mod tests {
    use drystone_ccp::{BodyInertia, Cones, NO_BODY, TwoBodyBlock};

    use super::*;

    /// A body of 2 kg on a plane. N = I/2 on (normal, x, y), so without friction each impulse is
    /// minus twice its free velocity.
    fn problem(r: [f64; 3], friction: f64) -> Ccp<TwoBody> {
        let row = |k: usize| std::array::from_fn(|i| f64::from(u8::from(i == k)));
        let block = TwoBodyBlock {
            bodies: [0, NO_BODY],
            rows: vec![row(2), row(0), row(1)],
            compliance: vec![],
        };
        let operator = TwoBody::new(vec![BodyInertia::isotropic(2.0, 1.0)], &[block]).unwrap();
        let cones = Cones::new(vec![Cone::friction(friction)]).unwrap();
        Ccp::new(operator, r.to_vec(), cones).unwrap()
    }

    fn solution(problem: &Ccp<TwoBody>) -> Vec<f64> {
        match run(problem, Duration::from_secs(60), Control::none()) {
            Ok(Outcome::Solved(trial)) => {
                assert_eq!(trial.termination, "converged");
                assert!(trial.last().residual < 1e-6, "{}", trial.last().residual);
                trial.gamma
            }
            _ => panic!("Clarabel solves a problem of three rows"),
        }
    }

    #[test]
    fn contacts_with_and_without_friction_are_those_by_hand() {
        for (friction, r, expected) in [
            // It sticks: (2, 1, 0) lies inside the cone of friction 1.
            (1.0, [-1.0, -0.5, 0.0], [2.0, 1.0, 0.0]),
            // No friction: the tangents carry nothing.
            (0.0, [-1.0, -0.5, 0.0], [2.0, 0.0, 0.0]),
            // It slides: (2, 4, 0) projected onto the cone of friction 1/2 is (3.2, 1.6, 0).
            (0.5, [-1.0, -2.0, 0.0], [3.2, 1.6, 0.0]),
            // It parts.
            (0.5, [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ] {
            let gamma = solution(&problem(r, friction));
            for (found, expected) in gamma.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{friction}: {gamma:?}");
            }
        }
    }

    #[test]
    fn a_cancelled_control_stops_it() {
        let cancel = AtomicBool::new(true);
        let control = Control::new(&cancel, &|_| {});
        let problem = problem([-1.0, -2.0, 0.0], 0.5);
        let outcome = run(&problem, Duration::from_secs(60), control);
        assert!(matches!(outcome, Err(StudyError::Cancelled)));
    }
}
