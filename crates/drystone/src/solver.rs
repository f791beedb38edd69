//! Which method solves a step, with its work vectors kept from step to step.

use drystone_ccp::monitor::StallRule;
use drystone_ccp::solvers::auto::{Auto, AutoSettings};
use drystone_ccp::solvers::nesterov_gs::{NesterovGs, NesterovGsSettings};
use drystone_ccp::{Ccp, Law, Method, Monitor, SolveInfo, SolverError, TwoBody, solve};

/// Sweeps that a small problem gets before it is factored: as long as the factor would take. Warm-started steps of piles mostly
/// get there.
const SMALL_SWEEPS: usize = 500;

/// The same with joints: chains of them converge slowly by sweeps.
const JOINT_SWEEPS: usize = 60;

/// When the sweeps on a large step count as stalled: a factor takes about as long as so many sweeps.
const STALL: StallRule = StallRule {
    window: 1000,
    factor: 0.5,
};

/// Exact law: steps of fewer rows go to the Newton method at once.
const WARM_SWEEPS_ROWS: usize = 300;

/// Most rows of a step that `auto` factors when its sweeps stall: beyond, the factor of a pile takes gigabytes.
const MOST_FACTORED: usize = 60_000;

#[derive(Default)]
pub(crate) struct StepSolver {
    auto: Auto,
    sweeps: NesterovGs,
}

impl StepSolver {
    pub fn solve(
        &mut self,
        problem: &Ccp<TwoBody>,
        method: Method,
        joints: bool,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let too_large = problem.dim() > MOST_FACTORED && monitor.law() == Law::Relaxed;
        let method = match method {
            Method::Auto if too_large => Method::NesterovGs,
            method => method,
        };
        if method == Method::Auto {
            let settings = AutoSettings {
                small_sweeps: if joints { JOINT_SWEEPS } else { SMALL_SWEEPS },
                stall: STALL,
                warm_sweeps_rows: WARM_SWEEPS_ROWS,
                ..AutoSettings::default()
            };
            return self.auto.solve(problem, &settings, gamma, monitor);
        }
        if method == Method::NesterovGs && monitor.law() == Law::Relaxed {
            let settings = NesterovGsSettings::default();
            return self.sweeps.solve(problem, &settings, gamma, monitor);
        }
        solve(problem, method, gamma, monitor)
    }
}
