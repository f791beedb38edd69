//! One file a method.

pub mod apgd;
pub mod auto;
mod bounds;
pub mod de_saxce;
mod dense;
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
mod scaling;
pub mod spg;
pub mod tresca;

use std::str::FromStr;

use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};

/// The methods by name, each with its default settings. For other settings use the method's own struct.
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
    pub const ALL: [Self; 11] = [
        Self::Auto,
        Self::Jacobi,
        Self::GaussSeidel,
        Self::Apgd,
        Self::Spg,
        Self::Gpminres,
        Self::GpminresPreconditioned,
        Self::Kucera,
        Self::InteriorPoint,
        Self::NesterovGs,
        Self::Newton,
    ];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => auto::NAME,
            Self::Jacobi => jacobi::NAME,
            Self::GaussSeidel => gauss_seidel::NAME,
            Self::Apgd => apgd::NAME,
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

/// Solves `problem` by `method` under the monitor's law and limits. `gamma` is the warm start and becomes the best
/// point found.
pub fn solve<N: Operator>(
    problem: &Ccp<N>,
    method: Method,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    if gamma.len() != problem.dim() {
        return Err(SolverError::StartLength {
            found: gamma.len(),
            expected: problem.dim(),
        });
    }
    if let Some((index, &value)) = gamma.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(SolverError::StartNotFinite { index, value });
    }
    monitor.set_method(method.name());
    match method {
        Method::Auto => {
            auto::Auto::default().solve(problem, &auto::AutoSettings::default(), gamma, monitor)
        }
        Method::Jacobi => {
            let settings = jacobi::JacobiSettings::default();
            jacobi::Jacobi::default().solve(problem, &settings, gamma, monitor)
        }
        Method::GaussSeidel => {
            let settings = gauss_seidel::GaussSeidelSettings::default();
            gauss_seidel::GaussSeidel::default().solve(problem, &settings, gamma, monitor)
        }
        Method::Gpminres => {
            let settings = gpminres::GpminresSettings::default();
            gpminres::Gpminres::default().solve(problem, &settings, gamma, monitor)
        }
        Method::GpminresPreconditioned => {
            let settings = gpminres::GpminresSettings::preconditioned();
            gpminres::Gpminres::default().solve(problem, &settings, gamma, monitor)
        }
        Method::Kucera => {
            let settings = kucera::KuceraSettings::default();
            kucera::Kucera::default().solve(problem, &settings, gamma, monitor)
        }
        Method::Newton => {
            let settings = newton::NewtonSettings::default();
            newton::Newton::default().solve(problem, &settings, gamma, monitor)
        }
        Method::Apgd => solve_convex(problem, Convex::Apgd, gamma, monitor),
        Method::Spg => solve_convex(problem, Convex::Spg, gamma, monitor),
        Method::InteriorPoint => solve_convex(problem, Convex::InteriorPoint, gamma, monitor),
        Method::NesterovGs => solve_convex(problem, Convex::NesterovGs, gamma, monitor),
    }
}

/// The methods that know the relaxed law only.
#[derive(Clone, Copy, Debug)]
enum Convex {
    Apgd,
    Spg,
    InteriorPoint,
    NesterovGs,
}

/// The relaxed law by the method itself; the exact one by the fixed point of [`de_saxce`] around it.
fn solve_convex<N: Operator>(
    problem: &Ccp<N>,
    method: Convex,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    let name = match method {
        Convex::Apgd => apgd::NAME,
        Convex::Spg => spg::NAME,
        Convex::InteriorPoint => interior_point::NAME,
        Convex::NesterovGs => nesterov_gs::NAME,
    };
    match monitor.law() {
        Law::Relaxed => solve_relaxed(problem, method, gamma, monitor),
        Law::Exact => {
            let settings = de_saxce::DeSaxceSettings::default();
            let inner = |p: &Ccp<&N>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                solve_relaxed(p, method, gamma, monitor)
            };
            de_saxce::solve(problem, name, &settings, gamma, monitor, inner)
        }
    }
}

fn solve_relaxed<N: Operator>(
    problem: &Ccp<N>,
    method: Convex,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    match method {
        Convex::Apgd => {
            apgd::Apgd::default().solve(problem, &apgd::ApgdSettings::default(), gamma, monitor)
        }
        Convex::Spg => {
            spg::Spg::default().solve(problem, &spg::SpgSettings::default(), gamma, monitor)
        }
        Convex::InteriorPoint => {
            let settings = interior_point::InteriorPointSettings::default();
            interior_point::InteriorPoint::default().solve(problem, &settings, gamma, monitor)
        }
        Convex::NesterovGs => {
            let settings = nesterov_gs::NesterovGsSettings::default();
            nesterov_gs::NesterovGs::default().solve(problem, &settings, gamma, monitor)
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
    /// The method minimises, so N must be symmetric.
    #[error(
        "method {method} needs a symmetric matrix; this one's relative asymmetry is {asymmetry:.1e} (try newton or gauss-seidel)"
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
    /// Refuses a problem that is not symmetric.
    pub(crate) fn require_symmetry<N: Operator>(
        method: &'static str,
        problem: &Ccp<N>,
    ) -> Result<(), Self> {
        if problem.operator().is_symmetric() {
            Ok(())
        } else {
            Err(Self::NotSymmetric {
                method,
                asymmetry: problem.operator().asymmetry(),
            })
        }
    }
}
