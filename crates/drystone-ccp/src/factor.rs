//! Sparse `L D Lᵀ` of a symmetric quasi-definite matrix, by `faer`: the pattern analysed once, the numbers
//! factorised as often as they change.
//!
//! Always on one thread: the factor must have the same bits whatever the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

/// A factorisation that keeps its pattern and memory.
pub(crate) struct SymmetricFactor {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

/// The matrix could not be factorised: a pivot vanished or memory ran out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("sparse factorisation failed: {reason}")]
pub(crate) struct FactorError {
    reason: String,
}

impl SymmetricFactor {
    /// Analyses the lower triangle, given by columns: `rows[starts[j]..starts[j + 1]]` ascending.
    /// Refuses if the factor would have more than `most_entries`.
    pub fn new(
        starts: Vec<usize>,
        rows: Vec<usize>,
        most_entries: usize,
    ) -> Result<Self, FactorError> {
        let n = starts.len() - 1;
        let failed = |e: &dyn std::fmt::Debug| FactorError {
            reason: format!("{e:?}"),
        };
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|e| failed(&e))?;
        if symbolic.len_val() > most_entries {
            return Err(FactorError {
                reason: format!(
                    "the factor has {} entries, at most {most_entries} are allowed",
                    symbolic.len_val()
                ),
            });
        }
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(scratch).map_err(|e| failed(&e))?;
        let factor = vec![0.0; symbolic.len_val()];
        Ok(Self {
            pattern,
            symbolic,
            factor,
            memory,
        })
    }

    /// Factorises the matrix with these values, in the order of the pattern. `signs` says which pivots must be
    /// positive and which negative; one that is not, or smaller than `smallest`, is replaced by it.
    pub fn factorise(
        &mut self,
        values: &[f64],
        signs: &[i8],
        smallest: f64,
    ) -> Result<(), FactorError> {
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), values);
        let regularization = LdltRegularization {
            dynamic_regularization_signs: Some(signs),
            dynamic_regularization_delta: smallest,
            dynamic_regularization_epsilon: smallest,
        };
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factor,
                matrix,
                Side::Lower,
                regularization,
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|e| FactorError {
                reason: format!("{e:?}"),
            })
    }

    /// Solves with the last factor, in place.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        let n = rhs.len();
        let factor = LdltRef::<'_, usize, f64>::new(&self.symbolic, &self.factor);
        let rhs = MatMut::from_column_major_slice_mut(rhs, n, 1);
        factor.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(&mut self.memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_quasi_definite_system() {
        // [ 2 1 ; 1 -3 ] x = (4, -5): x = (1, 2)
        let mut factor = SymmetricFactor::new(vec![0, 2, 3], vec![0, 1, 1], 100).unwrap();
        factor
            .factorise(&[2.0, 1.0, -3.0], &[1, -1], 1e-14)
            .unwrap();
        let mut x = [4.0, -5.0];
        factor.solve(&mut x);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
            "{x:?}"
        );
    }
}
