//! Solving the cone problem of a step under either law of friction, and what the relaxed one makes of it.

use std::time::Instant;

use drystone_ccp::cone::MAX_ROWS;
use drystone_ccp::{
    Ccp, Law, Limits, Monitor, Operator, SolveInfo, SolverError, Termination, TwoBody,
};

use crate::report::RelaxedLaw;
use crate::settings::Settings;
use crate::solver::StepSolver;

/// How the cone problem was solved.
pub(crate) struct Solved {
    pub method: &'static str,
    pub termination: Termination,
    pub solves: usize,
    pub iterations: usize,
    pub residual: f64,
    pub residual_velocity: f64,
    pub relaxed: RelaxedLaw,
    /// What the impulses change the velocities of the unknown bodies by, six figures a body: `M⁻¹ D gamma`.
    pub change: Vec<f64>,
}

/// Solves problems under the law of the settings. `gamma` is the start and becomes the answer.
pub(crate) struct LawSolver<'s> {
    pub solver: &'s mut StepSolver,
    pub settings: &'s Settings,
    /// Whether joints are a large part of the problem.
    pub joints: bool,
}

impl LawSolver<'_> {
    pub fn solve(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut Vec<f64>,
    ) -> Result<Solved, SolverError> {
        match self.settings.law {
            Law::Relaxed => self.relaxed(problem, gamma),
            Law::Exact => self.exact(problem, gamma),
        }
    }

    fn relaxed(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut [f64],
    ) -> Result<Solved, SolverError> {
        let info = self.run(problem, gamma, Law::Relaxed)?;
        let mut solved = Solved::from(&info);
        solved.change = state(problem, gamma);
        solved.relaxed.lift_off = lift_off(problem, gamma, &solved.change);
        Ok(solved)
    }

    /// The relaxed answer first, for comparison and as a start, then the exact one.
    fn exact(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut Vec<f64>,
    ) -> Result<Solved, SolverError> {
        let warm = gamma.clone();
        let began = Instant::now();
        let info = self.run(problem, gamma, Law::Relaxed)?;
        let mut relaxed = RelaxedLaw {
            iterations: info.iterations,
            seconds: began.elapsed().as_secs_f64(),
            ..RelaxedLaw::default()
        };
        let by_relaxed = state(problem, gamma);
        relaxed.lift_off = lift_off(problem, gamma, &by_relaxed);
        // Where something slides on, the last step's exact answer is often the better start.
        if exact_residual(problem, &warm) < exact_residual(problem, gamma) {
            *gamma = warm;
        }
        let info = self.run(problem, gamma, Law::Exact)?;
        let by_exact = state(problem, gamma);
        let bodies = by_exact.as_chunks::<6>().0.iter();
        let bodies = bodies.zip(by_relaxed.as_chunks::<6>().0);
        relaxed.difference = bodies.fold(0.0, |largest: f64, (exact, relaxed)| {
            let off: f64 = (0..3).map(|k| (exact[k] - relaxed[k]).powi(2)).sum();
            largest.max(off.sqrt())
        });
        let mut solved = Solved::from(&info);
        solved.iterations += relaxed.iterations;
        solved.relaxed = relaxed;
        solved.change = by_exact;
        Ok(solved)
    }

    fn run(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut [f64],
        law: Law,
    ) -> Result<SolveInfo, SolverError> {
        let limits = Limits {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
            time_limit: None, // results must not depend on the clock
        };
        let mut monitor = Monitor::new(limits, law);
        let method = self.settings.method;
        self.solver
            .solve(problem, method, self.joints, gamma, &mut monitor)
    }
}

/// What impulses change the velocities of the unknown bodies by.
fn state(problem: &Ccp<TwoBody>, gamma: &[f64]) -> Vec<f64> {
    let mut state = vec![0.0; problem.operator().state_len()];
    problem.operator().state(gamma, &mut state);
    state
}

/// Largest speed at which the relaxed law parts surfaces that press, m/s.
fn lift_off(problem: &Ccp<TwoBody>, gamma: &[f64], state: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    let mut velocity = [0.0; MAX_ROWS];
    for (block, cone) in problem.cones().iter() {
        let presses = cone.is_contact() && gamma[block.start] + cone.cohesion() > 0.0;
        if !presses || cone.rows() == 1 {
            continue;
        }
        let velocity = &mut velocity[..block.len()];
        problem.operator().read_block(block, gamma, state, velocity);
        let r = &problem.r()[block.rows()];
        velocity.iter_mut().zip(r).for_each(|(u, r)| *u += r);
        largest = largest.max(cone.de_saxce_shift(velocity));
    }
    largest
}

/// Relative residual of impulses by the exact law.
fn exact_residual(problem: &Ccp<TwoBody>, gamma: &[f64]) -> f64 {
    let mut monitor = Monitor::new(Limits::default(), Law::Exact);
    let mut velocity = vec![0.0; gamma.len()];
    problem.velocity(gamma, &mut velocity);
    monitor.residual(problem, gamma, &velocity)
}

impl Solved {
    /// Where there was nothing to solve.
    pub fn nothing() -> Self {
        Self {
            method: "none",
            termination: Termination::Converged,
            solves: 0,
            iterations: 0,
            residual: 0.0,
            residual_velocity: 0.0,
            relaxed: RelaxedLaw::default(),
            change: Vec::new(),
        }
    }

    /// With the work of an earlier solve of the same step.
    pub fn after(mut self, earlier: &Self) -> Self {
        self.solves += earlier.solves;
        self.iterations += earlier.iterations;
        self.relaxed.iterations += earlier.relaxed.iterations;
        self.relaxed.seconds += earlier.relaxed.seconds;
        self
    }
}

impl From<&SolveInfo> for Solved {
    fn from(info: &SolveInfo) -> Self {
        Self {
            method: info.method,
            termination: info.termination,
            solves: 1,
            iterations: info.iterations,
            residual: info.certificate.residual,
            residual_velocity: info.certificate.residual_velocity,
            relaxed: RelaxedLaw::default(),
            change: Vec::new(),
        }
    }
}
