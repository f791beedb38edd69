//! The preconditioner of GPMINRES-P: a factor of the free part of N.

use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

use crate::sparse::Csr;

/// The Cholesky factor of `A_k + δ I` for one free set.
#[derive(Debug)]
pub(crate) struct FreeFactor {
    active: Vec<bool>,
    free: Vec<usize>,
    llt: faer::sparse::linalg::solvers::Llt<usize, f64>,
    work: Vec<f64>,
}

impl FreeFactor {
    /// `None` if nothing is free or no shift helps.
    pub fn new(matrix: &Csr, active: &[bool], mut shift: f64) -> Option<Self> {
        let free: Vec<usize> = (0..active.len()).filter(|&i| !active[i]).collect();
        let mut place = vec![usize::MAX; active.len()];
        free.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        if free.is_empty() {
            return None;
        }
        for _ in 0..8 {
            let mut entries = Vec::new();
            for (k, &i) in free.iter().enumerate() {
                let (columns, values) = matrix.row(i);
                for (&j, &v) in columns.iter().zip(values).filter(|(j, _)| **j <= i) {
                    if place[j] != usize::MAX {
                        entries.push(Triplet::new(k, place[j], v));
                    }
                }
                entries.push(Triplet::new(k, k, shift));
            }
            let lower =
                SparseColMat::try_new_from_triplets(free.len(), free.len(), &entries).ok()?;
            if let Ok(llt) = lower.sp_cholesky(Side::Lower) {
                return Some(Self {
                    active: active.to_vec(),
                    work: vec![0.0; free.len()],
                    free,
                    llt,
                });
            }
            shift *= 10.0;
        }
        None
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
        self.llt
            .solve_in_place(faer::ColMut::from_slice_mut(&mut self.work).as_mat_mut());
        out.fill(0.0);
        for (k, &i) in self.free.iter().enumerate() {
            out[i] = self.work[k];
        }
    }
}
