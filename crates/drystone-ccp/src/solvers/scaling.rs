//! Per-block scales `g_i`: for the diagonal matrices `B_i = (1/g_i) I` of Mazhar 2015, eq. 27, and
//! for the preconditioner P of Heyn 2013, §4, P-SPG-FB.

use super::dense::largest_eigenvalue;
use crate::cone::MAX_ROWS;
use crate::operator::Operator;
use crate::problem::Ccp;
use crate::reduce::Reduce;

/// What a block's scale is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// `tr(N_ii) / rows`, as the papers have it.
    Mean,
    /// The same, but at least `0.6 λmax(N_ii)`: a step of `1/g_i` on this block alone then always
    /// descends. Steps below `2/λmax` do; 0.6 instead of ½ leaves room for an estimate that is low.
    Safe,
}

/// One scale for each block, > 0. A block that nothing can move gets the mean diagonal of the
/// whole.
pub(crate) fn block_scales<N: Operator>(
    problem: &Ccp<N>,
    scale: Scale,
    reduce: &dyn Reduce,
    out: &mut Vec<f64>,
) {
    out.clear();
    let whole = problem.mean_diagonal(reduce);
    let mut n = [0.0; MAX_ROWS * MAX_ROWS];
    for (block, _) in problem.cones().iter() {
        let d = block.len();
        problem.operator().diagonal_block(block, &mut n);
        let mean = (0..d).map(|k| n[k * d + k]).sum::<f64>() / d as f64;
        let g = match scale {
            Scale::Mean => mean,
            Scale::Safe => mean.max(0.6 * largest_eigenvalue(&n, d)),
        };
        out.push(if g > 0.0 { g } else { whole });
    }
}

/// Largest eigenvalue of N by power iteration from a fixed start: low by a few per cent at worst.
/// Takes `iterations` products. `x` and `nx` are work vectors.
pub(crate) fn power_iteration<N: Operator>(
    problem: &Ccp<N>,
    iterations: usize,
    reduce: &dyn crate::reduce::Reduce,
    x: &mut [f64],
    nx: &mut [f64],
) -> f64 {
    // All entries positive and of one size, none like its neighbours: no symmetry of the problem
    // makes such a start orthogonal to the eigenvector. 7919 is a prime that spreads over 101
    // values.
    for (i, v) in x.iter_mut().enumerate() {
        *v = 1.0 + 0.3 * ((i * 7919) % 101) as f64 / 101.0;
    }
    let mut value = 0.0;
    for _ in 0..iterations {
        let size = reduce.norm(x);
        if size == 0.0 || !size.is_finite() {
            break;
        }
        x.iter_mut().for_each(|v| *v /= size);
        problem.operator().apply(x, nx);
        value = reduce.norm(nx);
        x.copy_from_slice(nx);
    }
    value
}
