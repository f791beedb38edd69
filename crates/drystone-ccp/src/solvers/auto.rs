//! Picks a method, watches it, and falls through to a stronger one when it stalls, so that a user gets a certified answer
//! without choosing.
//!
//! No method wins everywhere: accelerated sweeps on piles, a factorisation on stacks, walls and mechanisms, Newton for the
//! exact law and where N is not symmetric. Each stage starts from the best point so far, and the monitor keeps the best of all.

use super::de_saxce::{self, DeSaxceSettings};
use super::gauss_seidel::{GaussSeidel, GaussSeidelSettings};
use super::interior_point::{InteriorPoint, InteriorPointSettings};
use super::nesterov_gs::{NesterovGs, NesterovGsSettings};
use super::newton::{Newton, NewtonSettings};
use super::{SolverError, apgd};
use crate::monitor::{Limits, Monitor, SolveInfo, StallRule, Termination};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};

/// The name on the command line.
pub const NAME: &str = "auto";

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    /// Problems up to this many rows go to a factorisation after [`Self::small_sweeps`]: it takes milliseconds there.
    pub small_rows: usize,
    /// Sweeps that a small problem gets first: enough for an easy or warm-started one.
    pub small_sweeps: usize,
    /// When the sweeps on a large problem count as stalled.
    pub stall: StallRule,
    /// Most rows for which the Newton method's factor is tried.
    pub newton_rows: usize,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self {
            small_rows: 6000,
            small_sweeps: 60,
            stall: StallRule {
                window: 400,
                factor: 0.5,
            },
            newton_rows: 60_000,
        }
    }
}

/// One attempt of the cascade.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// Accelerated sweeps until they stall or the iterations are used up.
    Sweeps(Option<usize>),
    InteriorPoint,
    Newton,
    /// The last resort: plain APGD until the limits.
    Apgd,
    /// The relaxed law first: where nothing slides its solution is the exact one.
    Relaxed,
    /// The exact law as a fixed point around accelerated sweeps.
    FixedPoint,
    /// Nonsmooth Gauss–Seidel.
    GaussSeidel(Option<usize>),
}

/// Solves under the monitor's law. The report names the method of the stage that gave the answer.
pub fn solve<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let mut history = Vec::new();
    let mut answer: Option<SolveInfo> = None;
    for stage in stages(problem, settings, monitor.law()) {
        let before = monitor.best();
        let mut info = run(problem, settings, stage, gamma, monitor)?;
        history.append(&mut info.history);
        let stop = match info.termination {
            Termination::Converged | Termination::TimeLimit | Termination::Cancelled => true,
            Termination::IterationLimit => info.iterations >= monitor.max_iterations(),
            Termination::Stalled | Termination::Broke => false,
        };
        // The method to name is that of the best point.
        let method = match &answer {
            Some(last) if monitor.best() >= before => last.method,
            _ => info.method,
        };
        answer = Some(SolveInfo { method, ..info });
        if stop {
            break;
        }
    }
    let mut answer = answer.expect("every cascade has a stage");
    answer.history = history;
    Ok(answer)
}

/// What to try, in order.
fn stages<N: Operator>(problem: &Ccp<N>, settings: &AutoSettings, law: Law) -> Vec<Stage> {
    let symmetric = problem.operator().is_symmetric();
    let small = problem.dim() <= settings.small_rows;
    let newton = problem.dim() <= settings.newton_rows;
    let mut stages = match (law, symmetric) {
        (Law::Relaxed, true) if small => vec![
            Stage::Sweeps(Some(settings.small_sweeps)),
            Stage::InteriorPoint,
            Stage::Newton,
            Stage::Apgd,
        ],
        (Law::Relaxed, true) => vec![
            Stage::Sweeps(None),
            Stage::InteriorPoint,
            Stage::Newton,
            Stage::Apgd,
        ],
        (Law::Relaxed, false) => vec![Stage::Newton, Stage::GaussSeidel(None)],
        (Law::Exact, true) if small => vec![
            Stage::Relaxed,
            Stage::GaussSeidel(Some(settings.small_sweeps)),
            Stage::Newton,
            Stage::FixedPoint,
            Stage::GaussSeidel(None),
        ],
        (Law::Exact, true) => vec![
            Stage::Relaxed,
            Stage::FixedPoint,
            Stage::Newton,
            Stage::GaussSeidel(None),
        ],
        (Law::Exact, false) => vec![
            Stage::GaussSeidel(Some(settings.small_sweeps)),
            Stage::Newton,
            Stage::GaussSeidel(None),
        ],
    };
    stages.retain(|s| newton || *s != Stage::Newton);
    stages
}

fn run<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    stage: Stage,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let stall = Some(settings.stall);
    match stage {
        Stage::Sweeps(limit) => {
            monitor.begin_stage(super::nesterov_gs::NAME, limit, stall);
            NesterovGs::default().solve(problem, &NesterovGsSettings::default(), gamma, monitor)
        }
        Stage::InteriorPoint => {
            monitor.begin_stage(super::interior_point::NAME, None, None);
            let settings = InteriorPointSettings::default();
            InteriorPoint::default().solve(problem, &settings, gamma, monitor)
        }
        Stage::Newton => {
            monitor.begin_stage(super::newton::NAME, None, None);
            Newton::default().solve(problem, &NewtonSettings::default(), gamma, monitor)
        }
        Stage::Apgd => {
            monitor.begin_stage(apgd::NAME, None, None);
            apgd::Apgd::default().solve(problem, &apgd::ApgdSettings::default(), gamma, monitor)
        }
        Stage::Relaxed => {
            monitor.begin_stage("the relaxed law", None, None);
            solve_relaxed_first(problem, settings, gamma, monitor)
        }
        Stage::FixedPoint => {
            monitor.begin_stage("nesterov-gs in De Saxcé's fixed point", None, None);
            let mut sweeps = NesterovGs::default();
            let settings = DeSaxceSettings::default();
            let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                sweeps.solve(p, &NesterovGsSettings::default(), gamma, monitor)
            };
            de_saxce::solve(
                problem,
                super::nesterov_gs::NAME,
                &settings,
                gamma,
                monitor,
                inner,
            )
        }
        Stage::GaussSeidel(limit) => {
            monitor.begin_stage(
                super::gauss_seidel::NAME,
                limit,
                stall.filter(|_| limit.is_some()),
            );
            GaussSeidel::default().solve(problem, &GaussSeidelSettings::default(), gamma, monitor)
        }
    }
}

/// Solves the relaxed law and judges the answer by the exact one.
fn solve_relaxed_first<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let limits = Limits {
        tolerance: monitor.tolerance(),
        max_iterations: monitor.iterations_left(),
        time_limit: None,
    };
    let mut inner = monitor.nested(limits, Law::Relaxed);
    let info = solve(problem, settings, gamma, &mut inner)?;
    monitor.absorb(&info);
    let mut velocity = vec![0.0; problem.dim()];
    problem.velocity(gamma, &mut velocity);
    monitor.count_products(1);
    let stop = monitor.check(problem, 0, gamma, &velocity);
    Ok(monitor.finish(
        problem,
        info.method,
        stop.unwrap_or(Termination::Stalled),
        gamma,
    ))
}
