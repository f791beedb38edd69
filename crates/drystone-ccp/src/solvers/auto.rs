//! Picks a method, watches it, and falls through to a stronger one when it stalls, so that a user
//! gets a certified answer without choosing.
//!
//! No method wins everywhere: accelerated sweeps on piles, a factorisation on stacks, walls and
//! mechanisms, Newton for the exact law and where N is not symmetric. So a solve is a cascade of
//! stages. Each starts from the best point so far, and the monitor keeps the best of all.
//!
//! The relaxed law, in order:
//! 1. Accelerated sweeps ([`super::nesterov_gs`]). They are the cheapest, and most warm-started
//!    time steps need nothing else. A small problem gets fewer, since its factor costs no more; one
//!    with heavy bodies on light ones, or with many joints, a few.
//! 2. The interior point ([`super::interior_point`]): a few dozen factorisations, whatever the
//!    condition.
//! 3. Newton ([`super::newton`]), which also polishes what the interior point left where N is
//!    singular.
//! 4. APGD ([`super::apgd`]), the last resort: it needs products only, and descends where a factor
//!    is too large or breaks down.
//!
//! Where N is not symmetric there is nothing to minimise: Newton, then Gauss–Seidel.
//!
//! The exact law has a cascade of its own, in `auto/exact.rs`.

mod exact;

use super::gauss_seidel::{GaussSeidel, GaussSeidelSettings};
use super::interior_point::{InteriorPoint, InteriorPointSettings};
use super::nesterov_gs::{NesterovGs, NesterovGsSettings, mass_ratio};
use super::newton::{Newton, NewtonSettings};
use super::{SolverError, apgd};
use crate::monitor::{Monitor, StallRule};
use crate::operator::Operator;
use crate::outcome::{Attempt, SolveInfo, Termination};
use crate::problem::{Ccp, Law};
use crate::reduce::Reduce;

/// The method's name.
pub const NAME: &str = "auto";

/// Largest mass over smallest beyond which sweeps are hopeless: their number grows with its root.
const HEAVY_ON_LIGHT: f64 = 1e4;

/// Share of rows that are joints' beyond which a factor is the better way, from a start that is not
/// near: sweeps are slow along chains of joints, and the exact step of all joints makes them dear.
const MANY_JOINTS: f64 = 0.1;

/// Sweeps that a small problem with heavy bodies on light ones gets: a warm start may be near.
const FEW_SWEEPS: usize = 60;

/// Settings of [`Auto`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    /// Problems up to this many rows go to a factorisation after [`Self::small_sweeps`]: it takes
    /// milliseconds there.
    pub small_rows: usize,
    /// Sweeps that a small problem gets first: enough for an easy or warm-started one.
    pub small_sweeps: usize,
    /// The same where joints are many, if that is less.
    pub joint_sweeps: usize,
    /// When the sweeps on a large problem count as stalled.
    pub stall: StallRule,
    /// The same for the last stage, which has nothing to fall through to.
    pub last_stall: StallRule,
    /// Whether to go on with APGD where all else stalled. Relaxed law only.
    pub last_resort: bool,
    /// Exact law: problems beyond this many rows try accelerated sweeps from the warm start before
    /// all else. Good for time steps, whose starts are near.
    pub warm_sweeps_rows: usize,
    /// Exact law: problems beyond this many rows try nothing but those sweeps. Good for time steps:
    /// what one leaves the next one finishes.
    pub sweeps_only_rows: usize,
    /// Most rows for which the Newton method's factor is tried.
    pub newton_rows: usize,
}

impl AutoSettings {
    /// Sweeps that a small problem gets.
    fn sweeps(&self, many_joints: bool) -> usize {
        if many_joints {
            self.joint_sweeps.min(self.small_sweeps)
        } else {
            self.small_sweeps
        }
    }
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self {
            // 2000 contacts with friction.
            small_rows: 6000,
            // About as long as the factors of a few hundred contacts.
            small_sweeps: 500,
            // From zero, a factor gets there sooner: half the time on steps of `tracked-vehicle`.
            joint_sweeps: 60,
            // Less than half the time of an interior point. A slab on 4000 balls: 0.6 s for 1500
            // sweeps, 9 s for the factors.
            stall: StallRule {
                window: 4000,
                factor: 0.5,
            },
            // Nothing comes after it, so only a run that hardly gains for long is given up.
            last_stall: StallRule {
                window: 5000,
                factor: 0.9,
            },
            last_resort: true,
            // Never: a problem from a file comes with the start zero, which is not near.
            warm_sweeps_rows: usize::MAX,
            sweeps_only_rows: usize::MAX,
            // Beyond, the factor of a pile takes gigabytes and minutes.
            newton_rows: 60_000,
        }
    }
}

/// Work vectors of the sweeps, which most solves begin with, and the last analysis of the interior
/// point; keep one to solve many problems alike.
#[derive(Debug, Default)]
pub struct Auto {
    sweeps: NesterovGs,
    interior_point: InteriorPoint,
}

impl Auto {
    /// Solves under the monitor's law. The report names the method of the stage that gave the
    /// answer.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &AutoSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        match monitor.law() {
            Law::Relaxed => {
                let stages = relaxed_stages(problem, settings, monitor.reduce());
                let symmetric = problem.is_symmetric(monitor.reduce());
                let why = |stage: RelaxedStage| stage.why(symmetric);
                cascade(&stages, why, gamma, monitor, |stage, gamma, monitor| {
                    self.run_stage(problem, settings, stage, gamma, monitor)
                })
            }
            Law::Exact => exact::solve(problem, settings, self, gamma, monitor),
        }
    }

    fn run_stage<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &AutoSettings,
        stage: RelaxedStage,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        match stage {
            RelaxedStage::Sweeps { most, .. } => {
                let stall = settings.stall.within(most);
                monitor.begin_stage(super::nesterov_gs::NAME, most, Some(stall));
                self.sweeps
                    .solve(problem, &NesterovGsSettings::default(), gamma, monitor)
            }
            RelaxedStage::InteriorPoint => {
                monitor.begin_stage(super::interior_point::NAME, None, None);
                let settings = InteriorPointSettings::default();
                self.interior_point
                    .solve(problem, &settings, gamma, monitor)
            }
            RelaxedStage::Newton => {
                monitor.begin_stage(super::newton::NAME, None, None);
                Newton::default().solve(problem, &NewtonSettings::default(), gamma, monitor)
            }
            RelaxedStage::Apgd => {
                monitor.begin_stage(apgd::NAME, None, Some(settings.last_stall));
                apgd::Apgd::default().solve(problem, &apgd::ApgdSettings::default(), gamma, monitor)
            }
            RelaxedStage::GaussSeidel => {
                monitor.begin_stage(super::gauss_seidel::NAME, None, Some(settings.last_stall));
                GaussSeidel::default().solve(
                    problem,
                    &GaussSeidelSettings::default(),
                    gamma,
                    monitor,
                )
            }
        }
    }
}

/// Runs one stage after another until one ends the solve, each from the best point so far. `why`
/// says why a stage has its place.
///
/// What ends a stage but not the solve: it stalled, it broke down, or it used up its own
/// iterations.
fn cascade<'m, S: Copy>(
    stages: &[S],
    why: impl Fn(S) -> &'static str,
    gamma: &mut [f64],
    monitor: &mut Monitor<'m>,
    mut run: impl FnMut(S, &mut [f64], &mut Monitor<'m>) -> Result<SolveInfo, SolverError>,
) -> Result<SolveInfo, SolverError> {
    let mut history = Vec::new();
    let mut answer: Option<SolveInfo> = None;
    let mut tried = Vec::new();
    for &stage in stages {
        let before = monitor.best();
        let mut info = run(stage, gamma, monitor)?;
        history.append(&mut info.history);
        let (iterations, seconds) = match &answer {
            Some(last) => (last.iterations, last.seconds),
            None => (0, 0.0),
        };
        tried.push(Attempt {
            method: info.method,
            why: why(stage),
            termination: info.termination,
            iterations: info.iterations - iterations,
            residual: monitor.best(),
            seconds: info.seconds - seconds,
        });
        let stop = match info.termination {
            Termination::Converged
            | Termination::WorkLimit
            | Termination::TimeLimit
            | Termination::Cancelled => true,
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
    answer.attempts = tried;
    Ok(answer)
}

/// One attempt at the relaxed law.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RelaxedStage {
    /// Accelerated sweeps until they stall.
    Sweeps {
        /// How many at most, of a small problem.
        most: Option<usize>,
        why: &'static str,
    },
    /// Interior point.
    InteriorPoint,
    /// Newton, which also polishes what the interior point left.
    Newton,
    /// APGD until it stalls.
    Apgd,
    /// Gauss–Seidel until it stalls.
    GaussSeidel,
}

impl RelaxedStage {
    /// Why it has its place.
    fn why(self, symmetric: bool) -> &'static str {
        match self {
            Self::Sweeps { why, .. } => why,
            Self::InteriorPoint => "factors, which a bad condition does not stop",
            Self::Newton if symmetric => "polishes what the interior point left",
            Self::Newton => "N is not symmetric: nothing to minimise",
            Self::Apgd => "the last resort: it needs products only",
            Self::GaussSeidel => "N is not symmetric: the last resort",
        }
    }
}

/// What to try for the relaxed law, in order.
fn relaxed_stages<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    reduce: &dyn Reduce,
) -> Vec<RelaxedStage> {
    let rows = problem.total_rows(reduce);
    let mut stages = if problem.is_symmetric(reduce) {
        vec![
            first_sweeps(problem, settings, reduce),
            RelaxedStage::InteriorPoint,
            RelaxedStage::Newton,
            RelaxedStage::Apgd,
        ]
    } else {
        vec![RelaxedStage::Newton, RelaxedStage::GaussSeidel]
    };
    // Newton's factor is larger than the interior point's, which checks its own size.
    stages.retain(|s| match s {
        RelaxedStage::Newton => rows <= settings.newton_rows,
        RelaxedStage::Apgd => settings.last_resort,
        RelaxedStage::Sweeps { .. } | RelaxedStage::InteriorPoint | RelaxedStage::GaussSeidel => {
            true
        }
    });
    stages
}

/// The sweeps that come first, by what the problem is.
fn first_sweeps<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    reduce: &dyn Reduce,
) -> RelaxedStage {
    let (most, why) = if problem.total_rows(reduce) > settings.small_rows {
        (None, "a large problem: the cheapest first")
    } else if mass_ratio(problem, reduce) > HEAVY_ON_LIGHT {
        let why = "heavy on light, a small problem: a few sweeps before a factor";
        (Some(FEW_SWEEPS.min(settings.small_sweeps)), why)
    } else if many_joints(problem, reduce) {
        let why = "many joints, a small problem: some sweeps before a factor";
        (Some(settings.sweeps(true)), why)
    } else {
        let why = "a small problem: some sweeps before a factor";
        (Some(settings.sweeps(false)), why)
    };
    RelaxedStage::Sweeps { most, why }
}

/// Whether joints and motors are a large part of the problem. Limits look like contacts.
fn many_joints<N: Operator>(problem: &Ccp<N>, reduce: &dyn Reduce) -> bool {
    let joints = problem.cones().as_slice().iter();
    let joints = joints.filter(|cone| !cone.is_contact());
    let rows = reduce.sum(joints.map(|cone| cone.rows() as f64).sum());
    rows > MANY_JOINTS * problem.total_rows(reduce) as f64
}
