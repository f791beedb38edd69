//! The preconditioner of GPMINRES-P (Heyn 2013, §4): a factor of the free part of N.
//!
//! Heyn 2013 takes a full LU of `A_k` without pivoting and perturbs zero pivots. N is symmetric and
//! positive semidefinite, so we take the Cholesky factor of `A_k + δ I`. Made by one process.

use crate::factor::SymmetricFactor;
use crate::sparse::Csr;

/// Largest factor, bytes: 2 GiB, as the other methods with a factor have it. Beyond it GPMINRES-P
/// runs without its preconditioner.
const MOST_BYTES: usize = 2 << 30;

/// Shifts tried: from the first, 1e-4 of the diagonal by default, to a thousand times the diagonal,
/// where any matrix has a factor and none preconditions.
const SHIFTS: usize = 8;

/// What a shift that was too small is multiplied by: a digit, since too large a shift costs MINRES
/// steps.
const SHIFT_GROWTH: f64 = 10.0;

/// The Cholesky factor of `A_k + δ I` for one free set.
#[derive(Debug)]
pub(crate) struct FreeFactor {
    active: Vec<bool>,
    free: Vec<usize>,
    factor: SymmetricFactor,
    work: Vec<f64>,
}

impl FreeFactor {
    /// `None` if nothing is free, no shift helps, or the factor would be too large.
    pub fn new(matrix: &Csr, active: &[bool], mut shift: f64) -> Option<Self> {
        let free: Vec<usize> = (0..active.len()).filter(|&i| !active[i]).collect();
        let mut place = vec![usize::MAX; active.len()];
        free.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        if free.is_empty() {
            return None;
        }
        // N is symmetric, so its row i right of the diagonal is column i below it.
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for (k, &i) in free.iter().enumerate() {
            rows.push(k);
            values.push(matrix.get(i, i));
            let (columns, entries) = matrix.row(i);
            for (&j, &v) in columns.iter().zip(entries).filter(|(j, _)| **j > i) {
                if place[j] != usize::MAX {
                    rows.push(place[j]);
                    values.push(v);
                }
            }
            starts.push(rows.len());
        }
        let mut factor = SymmetricFactor::new(starts, rows, MOST_BYTES).ok()?;
        let mut shifted = 0.0;
        for _ in 0..SHIFTS {
            for k in 0..free.len() {
                values[factor.starts()[k]] += shift - shifted;
            }
            shifted = shift;
            if factor.factorise_positive(&values).is_ok() {
                let (active, work) = (active.to_vec(), vec![0.0; free.len()]);
                return Some(Self {
                    active,
                    free,
                    factor,
                    work,
                });
            }
            shift *= SHIFT_GROWTH;
        }
        None
    }

    /// The factorisation in sweeps.
    pub fn work(&self) -> f64 {
        self.factor.work(self.active.len())
    }

    /// Whether the free set is still the one that was factorised.
    pub fn is_for(&self, active: &[bool]) -> bool {
        self.active == active
    }

    /// `out = (A_k + δ I)⁻¹ x` on the free rows, zero elsewhere.
    pub fn solve(&mut self, x: &[f64], out: &mut [f64]) {
        for (k, &i) in self.free.iter().enumerate() {
            self.work[k] = x[i];
        }
        self.factor.solve(&mut self.work);
        out.fill(0.0);
        for (k, &i) in self.free.iter().enumerate() {
            out[i] = self.work[k];
        }
    }
}
