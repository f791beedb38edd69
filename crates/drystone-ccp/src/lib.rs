//! The cone complementarity problem of frictional contact, and every method to solve it.
//!
//! Find the impulses `gamma` of all contacts and joints of one time step:
//!
//! `min ½ gammaᵀ N gamma + rᵀ gamma` over `gamma ∈ K`
//!
//! `N` says how impulses change the relative velocities at the contacts, `r` is what those
//! velocities would be without impulses, and `K` is the product of friction cones, half-lines,
//! intervals and free rows ([`Cone`]). The velocity after the step is `u = N gamma + r`. That is
//! the relaxed law; Coulomb's exact one is a choice of the same call ([`Law`]).
//!
//! This crate knows no bodies, shapes or scenes: only inverse masses and Jacobians.
//!
//! # Example
//!
//! A ball slides over the ground.
//!
//! ```
//! use drystone_ccp::{
//!     BodyInertia, Ccp, Cones, Law, Limits, Method, Monitor, NO_BODY, TwoBody, TwoBodyBlock,
//!     solve,
//! };
//!
//! // 1 kg, radius 0.5 m, 2 m/s along x, friction 0.2; one step of 0.01 s.
//! let ball = BodyInertia::isotropic(1.0, 0.4 * 0.5 * 0.5);
//! // Rows: normal (up), x, y. Columns: the ball's linear and angular velocity, the ground's.
//! let contact = TwoBodyBlock {
//!     bodies: [0, NO_BODY],
//!     rows: vec![
//!         [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//!         [1.0, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//!         [0.0, 1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//!     ],
//!     compliance: vec![],
//! };
//! let operator = TwoBody::new(vec![ball], &[contact])?;
//! let free_velocity = vec![-9.81 * 0.01, 2.0, 0.0];
//! let problem = Ccp::new(operator, free_velocity, Cones::friction(&[0.2])?)?;
//!
//! let mut gamma = vec![0.0; problem.dim()]; // the warm start, and then the answer
//! let mut monitor = Monitor::new(Limits::default(), Law::Exact);
//! let info = solve(&problem, Method::Auto, &mut gamma, &mut monitor)?;
//!
//! assert!(info.converged());
//! // The ground carries the weight, and friction opposes the slip.
//! assert!((gamma[0] - 0.0981).abs() < 1e-8);
//! assert!((gamma[1] + 0.2 * 0.0981).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`problem`] | the problem itself, checked once, and the two laws |
//! | [`cone`] | the sets, their projections and derivatives |
//! | [`operator`] | `N`: matrix-free from two-body Jacobians, or plain |
//! | [`solvers`] | one file for each method; [`Method`] lists them by name |
//! | [`solvers::options`] | the settings of every method, by name and with their documentation |
//! | [`residual`] | the measure that judges every method, and the [`Certificate`] |
//! | [`monitor`] | limits, cancellation, observers, history: the same for every method |
//! | [`outcome`] | why a solve stopped, what it cost, its history |
//! | [`reduce`] | sums that do not depend on the number of threads, or over several processes |
//! | [`sparse`] | compressed rows |

pub mod cone;
mod factor;
pub mod monitor;
mod norm;
pub mod operator;
pub mod outcome;
pub mod problem;
pub mod reduce;
pub mod residual;
pub mod solvers;
pub mod sparse;
mod sweep;
#[cfg(test)]
mod testing;

pub use cone::{Block, Cone, Cones};
pub use monitor::{Limits, Monitor, Watch};
pub use operator::{
    BodyInertia, NO_BODY, Operator, PointContact, RowBlocks, Sparse, TwoBody, TwoBodyBlock,
    TwoBodyParts, turn_to_world,
};
pub use outcome::{Attempt, HistoryRow, Progress, SolveInfo, Termination};
pub use problem::{Ccp, Law, ProblemError};
pub use residual::{Certificate, PaperMeasures, Residual, ResidualScale, Units};
pub use solvers::{
    ExactSweeps, Method, MethodSettings, OptionError, OptionInfo, OptionKind, OptionValue,
    SolverError, solve, solve_with,
};
pub use sparse::Csr;
