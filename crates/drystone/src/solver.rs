//! Which method solves a step, with its work vectors kept from step to step.
//!
//! A step differs from a problem of a file in two ways. It starts near its answer, so that sweeps
//! mostly get there; and the next step will do what this one could not, so that the hardest means
//! do not pay. `auto` therefore gets settings of its own here.

use drystone_ccp::solvers::auto::{Auto, AutoSettings};
use drystone_ccp::solvers::nesterov_gs::NesterovGs;
use drystone_ccp::{
    Ccp, Law, Method, MethodSettings, Monitor, SolveInfo, SolverError, TwoBody, solve_with,
};

/// Sweeps that a small problem gets before it is factored: they take about as long as the factor.
/// Warm-started steps of piles mostly converge within them.
const SMALL_SWEEPS: usize = 2000;

/// Exact law: steps of fewer rows go to the Newton method at once. On a hundred contacts its
/// factors take next to no time.
const WARM_SWEEPS_ROWS: usize = 300;

/// Exact law: steps of more rows are left to the sweeps alone. What comes after them takes hundreds
/// of times as long on a pile, and the next step finishes what this one leaves.
const SWEEPS_ONLY_ROWS: usize = 1500;

/// Most rows of a step that `auto` factors when its sweeps stall. Beyond, a factor of a pile takes
/// half a second and more, and nobody can stop it; the sweeps go on to their limit instead.
const MOST_FACTORED: usize = 30_000;

/// Most rows of a step for Newton's factor, which is larger, for the same reason.
const NEWTON_ROWS: usize = 15_000;

/// The methods that keep their work vectors. All others take theirs anew in each step.
#[derive(Default)]
pub(crate) struct StepSolver {
    auto: Auto,
    sweeps: NesterovGs,
}

impl StepSolver {
    /// Solves by the method of `settings`.
    pub fn solve(
        &mut self,
        problem: &Ccp<TwoBody>,
        settings: &MethodSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        // Of all processes together, so that they take the same way.
        let rows = monitor.reduce().sum(problem.dim() as f64);
        let relaxed = monitor.law() == Law::Relaxed;
        let method = match settings.method() {
            Method::Auto if relaxed && rows > MOST_FACTORED as f64 => Method::NesterovGs,
            method => method,
        };
        match method {
            Method::Auto => {
                let settings = for_steps(settings.auto, monitor.law());
                self.auto.solve(problem, &settings, gamma, monitor)
            }
            Method::NesterovGs if relaxed => {
                self.sweeps
                    .solve(problem, &settings.nesterov_gs, gamma, monitor)
            }
            _ => solve_with(problem, settings, gamma, monitor),
        }
    }
}

/// The settings of `auto` as they suit steps: those that are at their defaults are replaced.
fn for_steps(own: AutoSettings, law: Law) -> AutoSettings {
    fn unless_set<T: PartialEq>(own: T, default: T, step: T) -> T {
        if own == default { step } else { own }
    }
    let default = AutoSettings::default();
    // From a start that is near, sweeps get there before a factor would, with joints too. The exact
    // law's own sweeps do not.
    let joint_sweeps = match law {
        Law::Relaxed => SMALL_SWEEPS,
        Law::Exact => default.joint_sweeps,
    };
    AutoSettings {
        small_sweeps: unless_set(own.small_sweeps, default.small_sweeps, SMALL_SWEEPS),
        joint_sweeps: unless_set(own.joint_sweeps, default.joint_sweeps, joint_sweeps),
        warm_sweeps_rows: unless_set(
            own.warm_sweeps_rows,
            default.warm_sweeps_rows,
            WARM_SWEEPS_ROWS,
        ),
        sweeps_only_rows: unless_set(
            own.sweeps_only_rows,
            default.sweeps_only_rows,
            SWEEPS_ONLY_ROWS,
        ),
        newton_rows: unless_set(own.newton_rows, default.newton_rows, NEWTON_ROWS),
        ..own
    }
}
