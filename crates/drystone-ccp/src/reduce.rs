//! Sums over vectors that do not depend on the number of threads, behind one trait so that a
//! distributed run can supply global ones.

use rayon::prelude::*;

use crate::norm::{is_sound, largest, squares_in};

/// Entries that one partial sum covers. Fixed, so that the order of additions is too.
pub(crate) const CHUNK: usize = 2048;

/// Vectors longer than this are worth more than one thread.
const PARALLEL_FROM: usize = 32 * CHUNK;

/// Dot products, norms and maxima, as the solvers take them.
///
/// In a distributed run each process has some of the rows. All of them must then ask for the same
/// reductions in the same order, and all get the same results, to the last bit: every decision of a
/// solver rests on them.
pub trait Reduce: Sync {
    /// `Σ a_i b_i` over the rows of all processes.
    fn dot(&self, a: &[f64], b: &[f64]) -> f64;
    /// The sum of a figure that each process holds a share of.
    fn sum(&self, share: f64) -> f64;
    /// The largest of a figure over all processes.
    fn max(&self, share: f64) -> f64;
    /// `‖a‖₂` over the rows of all processes.
    fn norm(&self, a: &[f64]) -> f64 {
        let squares = self.dot(a, a);
        if is_sound(squares) {
            return squares.sqrt();
        }
        // Squares that overflow or vanish: in units of the largest. All processes see the same sum.
        let unit = self.max(largest(a));
        if unit > 0.0 && unit.is_finite() {
            unit * self.sum(squares_in(unit, a)).sqrt()
        } else {
            unit // zero, infinite or NaN
        }
    }
}

/// The reductions of a single process: fixed chunks, combined in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Reduce for Local {
    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(
            a.len(),
            b.len(),
            "dot product of vectors of different length"
        );
        ordered_sum(a.len().div_ceil(CHUNK), a.len(), |c| {
            let range = c * CHUNK..a.len().min((c + 1) * CHUNK);
            dot_chunk(&a[range.clone()], &b[range])
        })
    }

    fn sum(&self, share: f64) -> f64 {
        share
    }

    fn max(&self, share: f64) -> f64 {
        share
    }
}

/// Four running sums: the compiler may then use vector registers without reordering anything.
fn dot_chunk(a: &[f64], b: &[f64]) -> f64 {
    let mut s = [0.0; 4];
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    for (x, y) in a4.iter().zip(b4) {
        for k in 0..4 {
            s[k] += x[k] * y[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    (s[0] + s[1]) + (s[2] + s[3]) + rest
}

/// `Σ part(c)` over `chunks` chunks, added in order whatever the number of threads. `work` is the
/// number of entries behind all chunks, which decides whether threads pay.
pub(crate) fn ordered_sum(chunks: usize, work: usize, part: impl Fn(usize) -> f64 + Sync) -> f64 {
    ordered_fold(chunks, work, 0.0, part, |sum, p| sum + p)
}

/// Folds `part(c)` over `chunks` chunks, in order whatever the number of threads.
pub(crate) fn ordered_fold<T: Copy + Send + Sync>(
    chunks: usize,
    work: usize,
    start: T,
    part: impl Fn(usize) -> T + Sync,
    fold: impl Fn(T, T) -> T,
) -> T {
    if !in_parallel(work) {
        return (0..chunks).map(part).fold(start, fold);
    }
    // Batches of a fixed number of chunks keep the partial results on the stack: nothing allocates.
    const BATCH: usize = 64;
    let mut result = start;
    let mut partial = [start; BATCH];
    for first in (0..chunks).step_by(BATCH) {
        let count = BATCH.min(chunks - first);
        partial[..count]
            .par_iter_mut()
            .enumerate()
            .for_each(|(k, p)| *p = part(first + k));
        result = partial[..count].iter().fold(result, |r, &p| fold(r, p));
    }
    result
}

/// Whether a loop over `work` entries is worth more than one thread.
pub(crate) fn in_parallel(work: usize) -> bool {
    work >= PARALLEL_FROM && rayon::current_num_threads() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_has_the_same_bits_on_any_number_of_threads() {
        let n = 40 * CHUNK + 77;
        let a: Vec<f64> = (0..n)
            .map(|i| ((i * 7919) % 1013) as f64 * 1e-3 - 0.4)
            .collect();
        let b: Vec<f64> = (0..n)
            .map(|i| ((i * 104_729) % 997) as f64 * 1e-5 + 3.0)
            .collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| Local.dot(&a, &b))
        };
        let one = on(1);
        assert!((one - a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>()).abs() < 1e-9 * one.abs());
        for threads in [2, 3, 4] {
            assert_eq!(one.to_bits(), on(threads).to_bits());
        }
    }
}
