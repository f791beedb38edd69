//! One file for each method, and [`solve`], which picks one by name.

pub mod apgd;
pub mod apgd_fused;
pub mod auto;
mod bounds;
pub mod de_saxce;
pub(crate) mod dense;
mod free_factor;
pub mod gauss_seidel;
pub mod gpminres;
pub mod interior_point;
pub mod jacobi;
pub mod kucera;
pub mod local;
mod minres;
pub mod nesterov_gs;
pub mod newton;
pub mod options;
pub(crate) mod scaling;
pub mod spg;
mod sweep_checks;
pub mod tresca;

pub use options::{ExactSweeps, MethodSettings, OptionError, OptionInfo, OptionKind, OptionValue};

use std::str::FromStr;

use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::reduce::Reduce;

/// The methods by name. [`MethodSettings`] holds one with its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Picks a method, watches it, and falls through to a stronger one when it stalls.
    #[default]
    Auto,
    /// Projected Jacobi.
    Jacobi,
    /// Projected Gauss–Seidel.
    GaussSeidel,
    /// Accelerated projected gradient descent.
    Apgd,
    /// The same in the metric of the sweeps, one walk over the contacts an iteration.
    ApgdFused,
    /// P-SPG-FB: preconditioned spectral projected gradient with fall-back.
    Spg,
    /// Gradient projection with MINRES on the free variables.
    Gpminres,
    /// The same with a factorised preconditioner.
    GpminresPreconditioned,
    /// Kučera's active-set conjugate gradients.
    Kucera,
    /// Primal-dual interior point.
    InteriorPoint,
    /// Accelerated block Gauss–Seidel.
    NesterovGs,
    /// Globalised semismooth Newton.
    Newton,
}

impl Method {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::Auto,
        Self::Jacobi,
        Self::GaussSeidel,
        Self::Apgd,
        Self::ApgdFused,
        Self::Spg,
        Self::Gpminres,
        Self::GpminresPreconditioned,
        Self::Kucera,
        Self::InteriorPoint,
        Self::NesterovGs,
        Self::Newton,
    ];

    /// Its name, as scenes and tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => auto::NAME,
            Self::Jacobi => jacobi::NAME,
            Self::GaussSeidel => gauss_seidel::NAME,
            Self::Apgd => apgd::NAME,
            Self::ApgdFused => apgd_fused::NAME,
            Self::Spg => spg::NAME,
            Self::Gpminres => gpminres::NAME,
            Self::GpminresPreconditioned => gpminres::NAME_PRECONDITIONED,
            Self::Kucera => kucera::NAME,
            Self::InteriorPoint => interior_point::NAME,
            Self::NesterovGs => nesterov_gs::NAME,
            Self::Newton => newton::NAME,
        }
    }
}

impl FromStr for Method {
    type Err = SolverError;

    fn from_str(name: &str) -> Result<Self, SolverError> {
        Self::ALL
            .into_iter()
            .find(|m| m.name() == name)
            .ok_or_else(|| SolverError::UnknownMethod {
                name: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }
}

/// Solves `problem` by `method`, with its default settings, under the monitor's law and limits.
/// `gamma` is the warm start and becomes the best point found.
pub fn solve<N: Operator>(
    problem: &Ccp<N>,
    method: Method,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    solve_with(problem, &MethodSettings::new(method), gamma, monitor)
}

/// [`solve`] with settings of one's own.
pub fn solve_with<N: Operator>(
    problem: &Ccp<N>,
    settings: &MethodSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    settings.check()?;
    check_start(problem, gamma)?;
    monitor.set_method(settings.method().name());
    N::solve(problem, settings, gamma, monitor)
}

/// The method of `settings` on a checked start.
pub(crate) fn by_method<N: Operator>(
    problem: &Ccp<N>,
    settings: &MethodSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    match settings.method() {
        Method::Auto => auto::Auto::default().solve(problem, &settings.auto, gamma, monitor),
        Method::Jacobi => {
            jacobi::Jacobi::default().solve(problem, &settings.jacobi, gamma, monitor)
        }
        Method::GaussSeidel => gauss_seidel::GaussSeidel::default().solve(
            problem,
            &settings.gauss_seidel,
            gamma,
            monitor,
        ),
        Method::Gpminres | Method::GpminresPreconditioned => {
            gpminres::Gpminres::default().solve(problem, &settings.gpminres, gamma, monitor)
        }
        Method::Kucera => {
            kucera::Kucera::default().solve(problem, &settings.kucera, gamma, monitor)
        }
        Method::Newton => {
            newton::Newton::default().solve(problem, &settings.newton, gamma, monitor)
        }
        Method::Apgd => solve_convex(problem, Convex::Apgd, settings, gamma, monitor),
        Method::ApgdFused => solve_convex(problem, Convex::ApgdFused, settings, gamma, monitor),
        Method::Spg => solve_convex(problem, Convex::Spg, settings, gamma, monitor),
        Method::InteriorPoint => {
            solve_convex(problem, Convex::InteriorPoint, settings, gamma, monitor)
        }
        Method::NesterovGs => match settings.exact_sweeps {
            ExactSweeps::FixedPoint => {
                solve_convex(problem, Convex::NesterovGs, settings, gamma, monitor)
            }
            ExactSweeps::Coulomb => nesterov_gs::NesterovGs::default().solve(
                problem,
                &settings.nesterov_gs,
                gamma,
                monitor,
            ),
        },
    }
}

fn check_start<N: Operator>(problem: &Ccp<N>, gamma: &[f64]) -> Result<(), SolverError> {
    if gamma.len() != problem.dim() {
        return Err(SolverError::StartLength {
            found: gamma.len(),
            expected: problem.dim(),
        });
    }
    match gamma.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((index, &value)) => Err(SolverError::StartNotFinite { index, value }),
        None => Ok(()),
    }
}

/// The methods that minimise, and so solve the relaxed law.
#[derive(Clone, Copy, Debug)]
enum Convex {
    Apgd,
    ApgdFused,
    Spg,
    InteriorPoint,
    NesterovGs,
}

/// The relaxed law by the method itself; the exact one by the fixed point of [`de_saxce`] around
/// it.
fn solve_convex<N: Operator>(
    problem: &Ccp<N>,
    method: Convex,
    settings: &MethodSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    match monitor.law() {
        Law::Relaxed => solve_relaxed(problem, method, settings, gamma, monitor),
        Law::Exact => {
            let name = settings.method().name();
            let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                solve_relaxed(p, method, settings, gamma, monitor)
            };
            de_saxce::solve(problem, name, &settings.fixed_point, gamma, monitor, inner)
        }
    }
}

fn solve_relaxed<N: Operator>(
    problem: &Ccp<N>,
    method: Convex,
    settings: &MethodSettings,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    match method {
        Convex::Apgd => apgd::Apgd::default().solve(problem, &settings.apgd, gamma, monitor),
        Convex::ApgdFused => {
            apgd_fused::ApgdFused::default().solve(problem, &settings.apgd_fused, gamma, monitor)
        }
        Convex::Spg => spg::Spg::default().solve(problem, &settings.spg, gamma, monitor),
        Convex::InteriorPoint => interior_point::InteriorPoint::default().solve(
            problem,
            &settings.interior_point,
            gamma,
            monitor,
        ),
        Convex::NesterovGs => {
            nesterov_gs::NesterovGs::default().solve(problem, &settings.nesterov_gs, gamma, monitor)
        }
    }
}

/// Why a method will not take a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// There is no method of that name.
    #[error("there is no method {name:?}; there are {known}")]
    UnknownMethod {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// An option of the method is wrong.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The method minimises, so N must be symmetric.
    #[error(
        "method {method} needs a symmetric matrix; the relative asymmetry of this one is \
         {asymmetry:.1e} (try newton or gauss-seidel)"
    )]
    NotSymmetric {
        /// The method.
        method: &'static str,
        /// `‖N − Nᵀ‖ / ‖N‖`.
        asymmetry: f64,
    },
    /// The starting point does not fit the problem.
    #[error("the starting point has {found} entries, expected {expected}")]
    StartLength {
        /// Its length.
        found: usize,
        /// The problem's rows.
        expected: usize,
    },
    /// The starting point has an infinite entry or one that is not a number.
    #[error("the starting point's entry {index} is {value}, expected a finite number")]
    StartNotFinite {
        /// Which entry.
        index: usize,
        /// Its value.
        value: f64,
    },
}

impl SolverError {
    /// Refuses a problem that is not symmetric on some process: all of them refuse it then.
    pub(crate) fn require_symmetry<N: Operator>(
        method: &'static str,
        problem: &Ccp<N>,
        reduce: &dyn Reduce,
    ) -> Result<(), Self> {
        if problem.is_symmetric(reduce) {
            Ok(())
        } else {
            Err(Self::NotSymmetric {
                method,
                asymmetry: problem.asymmetry(reduce),
            })
        }
    }
}
