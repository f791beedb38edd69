//! The cascade for the exact law.
//!
//! That problem is not monotone: no method finds a solution always, but methods that differ fail on different
//! problems. So several propose a point, each from its own start, and Newton polishes what they propose.

use super::super::SolverError;
use super::super::de_saxce::{self, DeSaxceSettings};
use super::super::gauss_seidel::{self, GaussSeidel, GaussSeidelSettings};
use super::super::gpminres::{self, Gpminres, GpminresSettings};
use super::super::nesterov_gs::{self, NesterovGs, NesterovGsSettings};
use super::super::newton::{self, Newton, NewtonSettings};
use super::{AutoSettings, cascade};
use crate::monitor::{Limits, Monitor, SolveInfo, Termination};
use crate::operator::{Operator, Sparse};
use crate::problem::{Ccp, Law};
use crate::sparse::Csr;

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The relaxed law: where nothing slides its solution is the exact one, elsewhere a start.
    Relaxed,
    /// Newton and its continuation.
    Newton,
    /// A method's proposal, polished by Newton.
    Proposal(Proposal),
    /// De Saxcé's fixed point until it stalls: for problems too large for a factor.
    FixedPoint,
    /// Newton with its rescue rounds.
    Rescue,
    /// Nonsmooth Gauss–Seidel until the limits.
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
}

impl Proposal {
    fn method(self) -> &'static str {
        match self {
            Self::Tresca => gpminres::NAME,
            Self::TrescaPreconditioned => gpminres::NAME_PRECONDITIONED,
            Self::DeSaxce => nesterov_gs::NAME,
        }
    }
}

pub(super) fn solve<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let symmetric = problem.operator().is_symmetric();
    let mut stages = vec![Stage::Relaxed];
    if problem.dim() > settings.small_rows {
        stages.push(Stage::FixedPoint);
    }
    if problem.dim() <= settings.newton_rows {
        stages.extend([
            Stage::Newton,
            Stage::Proposal(Proposal::Tresca),
            Stage::Proposal(Proposal::DeSaxce),
            Stage::Proposal(Proposal::TrescaPreconditioned),
            Stage::Rescue,
        ]);
    }
    stages.push(Stage::GaussSeidel);
    stages.retain(|s| symmetric || !matches!(s, Stage::Relaxed | Stage::FixedPoint));
    let start = gamma.to_vec();
    cascade(
        &stages,
        gamma,
        monitor,
        |stage, gamma, monitor| match stage {
            Stage::Relaxed => relaxed(problem, settings, gamma, monitor),
            Stage::Newton => {
                monitor.begin_stage(newton::NAME, None, None);
                let settings = NewtonSettings {
                    rescues: 0,
                    ..NewtonSettings::default()
                };
                Newton::default().solve(problem, &settings, gamma, monitor)
            }
            Stage::Proposal(by) => {
                gamma.copy_from_slice(&start);
                monitor.begin_stage(by.method(), None, None);
                let limits = Limits {
                    tolerance: monitor.tolerance(),
                    max_iterations: monitor.iterations_left(),
                    time_limit: None,
                };
                let mut inner = monitor.nested(limits, Law::Exact);
                let info = if symmetric {
                    propose(problem, by, gamma, &mut inner)?
                } else {
                    propose(&symmetrised(problem), by, gamma, &mut inner)?
                };
                monitor.absorb(&info);
                monitor.begin_stage(newton::NAME, None, None);
                Newton::default().solve(problem, &NewtonSettings::polish(), gamma, monitor)
            }
            Stage::FixedPoint => {
                monitor.begin_stage(nesterov_gs::NAME, None, None);
                propose(problem, Proposal::DeSaxce, gamma, monitor)
            }
            Stage::Rescue => {
                monitor.begin_stage(newton::NAME, None, None);
                Newton::default().solve(problem, &NewtonSettings::default(), gamma, monitor)
            }
            Stage::GaussSeidel => {
                monitor.begin_stage(gauss_seidel::NAME, None, None);
                GaussSeidel::default().solve(
                    problem,
                    &GaussSeidelSettings::default(),
                    gamma,
                    monitor,
                )
            }
        },
    )
}

/// Solves the relaxed law and judges the answer by the exact one.
fn relaxed<N: Operator>(
    problem: &Ccp<N>,
    settings: &AutoSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    monitor.begin_stage(super::NAME, None, None);
    let mut velocity = vec![0.0; problem.dim()];
    // A good start is worth more than the relaxed solution: it may be the answer, and stays if nothing better comes.
    problem.cones().project(gamma);
    problem.velocity(gamma, &mut velocity);
    monitor.count_products(1);
    if let Some(stop) = monitor.check(problem, 0, gamma, &velocity) {
        return Ok(monitor.finish(problem, super::NAME, stop, gamma));
    }
    let limits = Limits {
        tolerance: monitor.tolerance(),
        max_iterations: monitor.iterations_left(),
        time_limit: None,
    };
    let mut inner = monitor.nested(limits, Law::Relaxed);
    let info = super::solve(problem, settings, gamma, &mut inner)?;
    monitor.absorb(&info);
    problem.velocity(gamma, &mut velocity);
    monitor.count_products(1);
    let stop = monitor.check(problem, 0, gamma, &velocity);
    let termination = stop.unwrap_or(Termination::Stalled);
    Ok(monitor.finish(problem, info.method, termination, gamma))
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
            let mut sweeps = NesterovGs::default();
            let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                sweeps.solve(p, &NesterovGsSettings::default(), gamma, monitor)
            };
            let settings = DeSaxceSettings::default();
            de_saxce::solve(problem, nesterov_gs::NAME, &settings, gamma, monitor, inner)
        }
    }
}

/// The problem with `(N + Nᵀ) / 2`: near enough for a proposal, since real contact problems are symmetric but for
/// the rounding of their files.
fn symmetrised<N: Operator>(problem: &Ccp<N>) -> Ccp<Sparse> {
    let matrix = problem.operator().to_csr();
    let n = matrix.rows();
    let halves = matrix
        .entries()
        .flat_map(|(i, j, v)| [(i, j, 0.5 * v), (j, i, 0.5 * v)]);
    let sound = "the parts of a checked problem are sound";
    let matrix = Csr::from_triplets(n, n, halves).expect(sound);
    Ccp::new(
        Sparse::new(matrix).expect(sound),
        problem.r().to_vec(),
        problem.cones().clone(),
    )
    .expect(sound)
}
