//! The cone complementarity problem of frictional contact, and every method to solve it.

pub mod cone;
mod factor;
pub mod monitor;
pub mod operator;
pub mod primal;
pub mod problem;
pub mod reduce;
pub mod residual;
pub mod solvers;
pub mod sparse;
#[cfg(test)]
mod testing;

pub use cone::{Block, Cone, Cones};
pub use monitor::{Limits, Monitor, Progress, SolveInfo, Termination};
pub use operator::{BlockSparse, BodyInertia, NO_BODY, Operator, Sparse, TwoBody, TwoBodyBlock};
pub use primal::{PrimalProblem, PrimalSolution, solve_primal};
pub use problem::{Ccp, Law, ProblemError};
pub use residual::{Certificate, PaperMeasures, Residual};
pub use solvers::{Method, SolverError, solve};
pub use sparse::Csr;
