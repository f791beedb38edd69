//! The matrix N of the cone problem, as an operator: matrix-free from two-body Jacobians
//! ([`TwoBody`]) or plain from a file ([`Sparse`]).
//!
//! Sweeping methods need `(N gamma)` of one block at a time while gamma changes. Each operator
//! keeps a *state* for that, linear in gamma: the body velocities `M⁻¹ D gamma` for [`TwoBody`], `N
//! gamma` itself for the plain one.

mod borrowed;
mod plain;
mod two_body;

pub use plain::Sparse;
pub use two_body::{
    BodyInertia, NO_BODY, PointContact, RowBlocks, TwoBody, TwoBodyBlock, TwoBodyParts,
    turn_to_world,
};
pub(crate) use two_body::{PointBlock, RollingPoint, vector};

use crate::cone::Block;
use crate::monitor::Monitor;
use crate::outcome::SolveInfo;
use crate::problem::Ccp;
use crate::reduce::Reduce;
use crate::solvers::{MethodSettings, SolverError, by_method};
use crate::sparse::Csr;

/// A matrix with more relative asymmetry than this is not symmetric; below it is rounding.
pub const SYMMETRY_TOLERANCE: f64 = 1e-10;

/// N as the solvers see it.
pub trait Operator: Sync {
    /// Number of rows.
    fn dim(&self) -> usize;

    /// `out = N x`; overwrites `out`, allocates nothing after the first call.
    fn apply(&self, x: &[f64], out: &mut [f64]);

    /// The diagonal block of N at `block`, row-major into `out`.
    fn diagonal_block(&self, block: Block, out: &mut [f64]);

    /// `‖N − Nᵀ‖ / ‖N‖`: zero for operators that are symmetric by construction.
    fn asymmetry(&self) -> f64;

    /// Length of the sweep state.
    fn state_len(&self) -> usize;

    /// The sweep state of `gamma`, overwritten.
    fn state(&self, gamma: &[f64], state: &mut [f64]);

    /// `(N gamma)` on one block, from `gamma` and its state.
    fn read_block(&self, block: Block, gamma: &[f64], state: &[f64], out: &mut [f64]);

    /// Brings the state up to date after `gamma[block] += delta`.
    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]);

    /// `out = N gamma` from the state.
    fn product_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]);

    /// `gammaᵀ N gamma` from the state.
    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64;

    /// N as a plain sparse matrix, for factorisation. Where products of finite parts overflow, its
    /// entries are not finite: methods then end as broken down.
    fn to_csr(&self) -> Csr;

    /// Where the operator's own blocks start, if it has any: they must be the cones' blocks.
    fn block_offsets(&self) -> Option<&[usize]> {
        None
    }

    /// The two-body form, where there is one: it factorises far better in velocity space.
    fn as_two_body(&self) -> Option<&TwoBody> {
        None
    }

    /// Solves a problem with this N by any method: what [`crate::solve_with`] does after its
    /// checks.
    ///
    /// The methods are generic, so that every crate that calls them compiles all of them anew, for
    /// tens of seconds. The operators of this crate override this with the same call: it is
    /// compiled here, once for all.
    fn solve(
        problem: &Ccp<Self>,
        settings: &MethodSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError>
    where
        Self: Sized,
    {
        by_method(problem, settings, gamma, monitor)
    }

    /// Whether N may be taken as symmetric.
    fn is_symmetric(&self) -> bool {
        self.asymmetry() <= SYMMETRY_TOLERANCE
    }
}

/// Calls `f(i, rows of block i)` for each block of `out`, on several threads if asked. Each block
/// is written by one call only, so the result does not depend on the number of threads.
pub(crate) fn for_each_block(
    offsets: &[usize],
    out: &mut [f64],
    parallel: bool,
    f: impl Fn(usize, &mut [f64]) + Sync,
) {
    fn split(
        offsets: &[usize],
        first: usize,
        out: &mut [f64],
        f: &(impl Fn(usize, &mut [f64]) + Sync),
    ) {
        let blocks = offsets.len() - 1;
        if blocks > 512 {
            let middle = blocks / 2;
            let (left, right) = out.split_at_mut(offsets[middle] - offsets[0]);
            rayon::join(
                || split(&offsets[..=middle], first, left, f),
                || split(&offsets[middle..], first + middle, right, f),
            );
        } else {
            serial(offsets, first, out, f);
        }
    }
    fn serial(
        offsets: &[usize],
        first: usize,
        out: &mut [f64],
        f: &(impl Fn(usize, &mut [f64]) + Sync),
    ) {
        for (k, rows) in offsets.windows(2).enumerate() {
            f(
                first + k,
                &mut out[rows[0] - offsets[0]..rows[1] - offsets[0]],
            );
        }
    }
    if parallel {
        split(offsets, 0, out, &f)
    } else {
        serial(offsets, 0, out, &f)
    }
}
