//! The cascade of `auto` for the exact law.
//!
//! That problem is not monotone: no method finds a solution always, but methods that differ fail on
//! different problems. So several propose a point, each from its own start, and Newton polishes
//! what they propose. In order:
//!
//! 1. A look at the warm start, which may be the solution: a pile at rest repeats its impulses.
//! 2. Large time steps only: accelerated sweeps of Coulomb's law, from the warm start. Very large
//!    ones end there; of others Newton finishes what the sweeps came near to.
//! 3. The relaxed law. Where nothing slides its solution is the exact one, elsewhere a start.
//! 4. Large problems only: De Saxcé's fixed point around accelerated sweeps, which needs no factor.
//! 5. Problems that Newton's factor fits: Newton from the relaxed answer; then the proposals of
//!    Tresca's and De Saxcé's fixed points from the *first* start, each polished by Newton, since
//!    the relaxed answer may lie in the wrong valley; Newton's continuation between them; its
//!    rescue rounds at the end, which cost most. The fixed point around the interior point starts
//!    far from the last step and may find another solution than the step's own, so it waits until
//!    those that start near have failed; they leave it some iterations.
//! 6. Nonsmooth Gauss–Seidel until it stalls: slow, but it needs neither symmetry nor memory.
//!
//! Where N is not symmetric, what minimises is left out, and proposals come from `(N + Nᵀ) / 2`.

use std::time::Duration;

use super::super::SolverError;
use super::super::de_saxce::{self, DeSaxceSettings};
use super::super::gauss_seidel::{self, GaussSeidel, GaussSeidelSettings};
use super::super::gpminres::{self, Gpminres, GpminresSettings};
use super::super::interior_point::{self, InteriorPoint, InteriorPointSettings};
use super::super::nesterov_gs::{self, NesterovGsSettings};
use super::super::newton::{self, Newton, NewtonSettings};
use super::{Auto, AutoSettings, cascade, many_joints};
use crate::monitor::{Limits, Monitor};
use crate::operator::{Operator, Sparse};
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law, ProblemError};
use crate::reduce::Reduce;
use crate::sparse::Csr;

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ExactStage {
    /// A look at the warm start, which may be the solution.
    Start,
    /// Accelerated sweeps from the warm start, until they stall.
    WarmSweeps,
    /// The relaxed law: where nothing slides its solution is the exact one, elsewhere a start.
    Relaxed,
    /// Newton without its continuation, from where those sweeps ended.
    Finish,
    /// The same from the relaxed answer.
    Polish,
    /// Newton and its continuation.
    Newton,
    /// A method's proposal, polished by Newton.
    Proposal(Proposal),
    /// De Saxcé's fixed point until it stalls: for problems too large for a factor.
    FixedPoint,
    /// Newton's rescue rounds.
    Rescue,
    /// Nonsmooth Gauss–Seidel until it stalls.
    GaussSeidel,
}

/// Who proposes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Proposal {
    /// The Tresca fixed point around GPMINRES.
    Tresca,
    /// The same with the factorised preconditioner.
    TrescaPreconditioned,
    /// De Saxcé's fixed point around accelerated sweeps.
    DeSaxce,
    /// The same around the interior point: few iterations, a factor each.
    DeSaxceInteriorPoint,
}

impl Proposal {
    fn method(self) -> &'static str {
        match self {
            Self::Tresca => gpminres::NAME,
            Self::TrescaPreconditioned => gpminres::NAME_PRECONDITIONED,
            Self::DeSaxce => nesterov_gs::NAME,
            Self::DeSaxceInteriorPoint => interior_point::NAME,
        }
    }

    /// Most iterations, of `left`.
    fn most_iterations(self, left: usize) -> usize {
        match self {
            Self::Tresca | Self::TrescaPreconditioned => left,
            // Its sweeps would take all, and the next proposal needs a few hundred.
            Self::DeSaxce => left / 2,
            // With a factor each. Steps that it solves take 200 to 800; on `Capsules-i103-990` it
            // needs 30 000, eight times as long as what comes after it.
            Self::DeSaxceInteriorPoint => left.min(1000),
        }
    }
}

impl ExactStage {
    /// Why it has its place.
    fn why(self) -> &'static str {
        match self {
            Self::Start => "the start may be the solution",
            Self::WarmSweeps => "a large step: sweeps of Coulomb's law from a near start",
            Self::Relaxed => "where nothing slides both laws agree",
            Self::Finish => "Newton from where the sweeps ended",
            Self::Polish => "Newton from the relaxed answer",
            Self::Newton => "Newton by continuation",
            Self::Proposal(Proposal::Tresca) => "another start: Tresca's fixed point",
            Self::Proposal(Proposal::TrescaPreconditioned) => {
                "another start: Tresca's fixed point with a factor"
            }
            Self::Proposal(Proposal::DeSaxce) => "another start: De Saxcé's fixed point",
            Self::Proposal(Proposal::DeSaxceInteriorPoint) => {
                "another start: De Saxcé's fixed point with a factor"
            }
            Self::FixedPoint => "a large problem: De Saxcé's fixed point needs no factor",
            Self::Rescue => "Newton's rescue rounds, the dearest",
            Self::GaussSeidel => "the last resort: it needs neither symmetry nor memory",
        }
    }
}

/// Runs the cascade.
pub(super) fn solve<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    auto: &mut Auto,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let stages = exact_stages(problem, settings, monitor.reduce());
    let start = gamma.to_vec();
    cascade(
        &stages,
        ExactStage::why,
        gamma,
        monitor,
        |stage, gamma, monitor| match stage {
            ExactStage::Start => judge(problem, super::NAME, gamma, monitor),
            ExactStage::WarmSweeps => {
                let most = if stages.last() == Some(&stage) {
                    None
                } else {
                    let most = settings.sweeps(many_joints(problem, monitor.reduce()));
                    // The methods that follow need iterations too.
                    Some(most.min(monitor.iterations_left() / 2))
                };
                let stall = settings.stall.within(most);
                monitor.begin_stage(nesterov_gs::NAME, most, Some(stall));
                let settings = NesterovGsSettings::default();
                auto.sweeps.solve(problem, &settings, gamma, monitor)
            }
            ExactStage::Relaxed => relaxed(problem, settings, auto, gamma, monitor),
            ExactStage::Finish | ExactStage::Polish => {
                newton(problem, &NewtonSettings::polish(), gamma, monitor)
            }
            ExactStage::Newton => {
                newton(problem, &NewtonSettings::without_rescue(), gamma, monitor)
            }
            ExactStage::Rescue => newton(problem, &NewtonSettings::rescue(), gamma, monitor),
            ExactStage::Proposal(by) => {
                gamma.copy_from_slice(&start);
                polished_proposal(problem, by, gamma, monitor)
            }
            ExactStage::FixedPoint => {
                monitor.begin_stage(nesterov_gs::NAME, None, None);
                propose(problem, Proposal::DeSaxce, gamma, monitor)
            }
            ExactStage::GaussSeidel => {
                monitor.begin_stage(gauss_seidel::NAME, None, Some(settings.last_stall));
                let settings = GaussSeidelSettings::default();
                GaussSeidel::default().solve(problem, &settings, gamma, monitor)
            }
        },
    )
}

/// What to try, in order.
fn exact_stages<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    reduce: &dyn Reduce,
) -> Vec<ExactStage> {
    let symmetric = problem.is_symmetric(reduce);
    let rows = problem.total_rows(reduce);
    let mut stages = vec![ExactStage::Start];
    if rows > settings.warm_sweeps_rows {
        stages.push(ExactStage::WarmSweeps);
        if symmetric && rows > settings.sweeps_only_rows {
            return stages;
        }
        if rows <= settings.newton_rows {
            stages.push(ExactStage::Finish);
        }
    }
    stages.push(ExactStage::Relaxed);
    // A smaller one goes straight to Newton, and to the fixed point as one of its proposals.
    if rows > settings.small_rows {
        stages.push(ExactStage::FixedPoint);
    }
    if rows <= settings.newton_rows {
        // Cheap before dear. The factorised preconditioner proposes what MINRES without it could
        // not reach, so it comes after Newton has had its turn.
        stages.extend([
            ExactStage::Polish,
            ExactStage::Proposal(Proposal::Tresca),
            ExactStage::Proposal(Proposal::DeSaxce),
            ExactStage::Proposal(Proposal::DeSaxceInteriorPoint),
            ExactStage::Newton,
            ExactStage::Proposal(Proposal::TrescaPreconditioned),
            ExactStage::Rescue,
        ]);
    }
    stages.push(ExactStage::GaussSeidel);
    stages.retain(|stage| match stage {
        ExactStage::WarmSweeps
        | ExactStage::Finish
        | ExactStage::Relaxed
        | ExactStage::FixedPoint => symmetric,
        // Hundreds of factors, which a large problem has no time for.
        ExactStage::Proposal(Proposal::DeSaxceInteriorPoint) => rows <= settings.small_rows,
        ExactStage::Start
        | ExactStage::Polish
        | ExactStage::Newton
        | ExactStage::Proposal(_)
        | ExactStage::Rescue
        | ExactStage::GaussSeidel => true,
    });
    stages
}

fn newton<N: Operator>(
    problem: &Ccp<N>,
    settings: &NewtonSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    monitor.begin_stage(newton::NAME, None, None);
    Newton::default().solve(problem, settings, gamma, monitor)
}

/// One check of `gamma` as it is, put into the cones.
fn judge<N: Operator>(
    problem: &Ccp<N>,
    method: &'static str,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    monitor.begin_stage(method, None, None);
    let mut velocity = vec![0.0; problem.dim()];
    problem.cones().project(gamma);
    problem.velocity(gamma, &mut velocity);
    monitor.count_products(1);
    let stop = monitor.check(problem, 0, gamma, &velocity);
    let termination = stop.unwrap_or(Termination::Stalled);
    Ok(monitor.finish(problem, method, termination, gamma))
}

/// Solves the relaxed law and judges the answer by the exact one.
fn relaxed<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    auto: &mut Auto,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    // It is only a start: no last resort, and at most a third of the time that is left.
    let settings = AutoSettings {
        last_resort: false,
        ..*settings
    };
    let limits = Limits {
        time_limit: monitor
            .seconds_left()
            .map(|s| Duration::from_secs_f64(s / 3.0)),
        ..limits_left(monitor)
    };
    let mut inner = monitor.nested(limits, Law::Relaxed);
    let info = auto.solve(problem, &settings, gamma, &mut inner)?;
    let overflowed = inner.overflowed();
    monitor.absorb(&info);
    monitor.note_overflow(overflowed);
    judge(problem, info.method, gamma, monitor)
}

impl Auto {
    /// De Saxcé's fixed point around accelerated sweeps.
    fn fixed_point<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &DeSaxceSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
            self.sweeps
                .solve(p, &NesterovGsSettings::default(), gamma, monitor)
        };
        de_saxce::solve(problem, nesterov_gs::NAME, settings, gamma, monitor, inner)
    }
}

/// A proposal from a symmetric problem, polished on the true one.
fn polished_proposal<N: Operator>(
    problem: &Ccp<N>,
    by: Proposal,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let symmetric = problem.is_symmetric(monitor.reduce());
    monitor.begin_stage(by.method(), None, None);
    let limits = limits_left(monitor);
    let limits = Limits {
        max_iterations: by.most_iterations(limits.max_iterations),
        ..limits
    };
    let mut inner = monitor.nested(limits, Law::Exact);
    let info = if symmetric {
        propose(problem, by, gamma, &mut inner)?
    } else if let Ok(symmetrised) = symmetrised(problem) {
        propose(&symmetrised, by, gamma, &mut inner)?
    } else {
        inner.finish(problem, by.method(), Termination::Broke, gamma)
    };
    let overflowed = inner.overflowed();
    monitor.absorb(&info);
    monitor.note_overflow(overflowed);
    let polished = newton(problem, &NewtonSettings::polish(), gamma, monitor)?;
    // What needed no polish is the proposer's own answer.
    let method = if symmetric && info.converged() {
        info.method
    } else {
        polished.method
    };
    Ok(SolveInfo { method, ..polished })
}

/// The same tolerance with what is left of the iterations; the time is the monitor's own business.
fn limits_left(monitor: &Monitor<'_>) -> Limits {
    Limits {
        tolerance: monitor.tolerance(),
        max_iterations: monitor.iterations_left(),
        time_limit: None,
        ..Limits::default()
    }
}

fn propose<N: Operator>(
    problem: &Ccp<N>,
    by: Proposal,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    match by {
        Proposal::Tresca => {
            Gpminres::default().solve(problem, &GpminresSettings::default(), gamma, monitor)
        }
        Proposal::TrescaPreconditioned => {
            let settings = GpminresSettings::preconditioned();
            Gpminres::default().solve(problem, &settings, gamma, monitor)
        }
        Proposal::DeSaxce => {
            let settings = DeSaxceSettings::default();
            Auto::default().fixed_point(problem, &settings, gamma, monitor)
        }
        Proposal::DeSaxceInteriorPoint => {
            let settings = DeSaxceSettings::default();
            let mut method = InteriorPoint::default();
            let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                method.solve(p, &InteriorPointSettings::default(), gamma, monitor)
            };
            de_saxce::solve(problem, by.method(), &settings, gamma, monitor, inner)
        }
    }
}

/// The problem with `(N + Nᵀ) / 2`: near enough for a proposal, since real contact problems are
/// symmetric but for the rounding of their files. An error where N, multiplied out, overflows.
fn symmetrised<N: Operator>(problem: &Ccp<N>) -> Result<Ccp<Sparse>, ProblemError> {
    let matrix = problem.operator().to_csr();
    let n = matrix.rows();
    let halves = matrix
        .entries()
        .flat_map(|(i, j, v)| [(i, j, 0.5 * v), (j, i, 0.5 * v)]);
    let matrix = Csr::from_triplets(n, n, halves)?;
    let (r, cones) = (problem.r().to_vec(), problem.cones().clone());
    Ccp::new(Sparse::new(matrix)?, r, cones)
}
