//! Sparse factors of symmetric matrices: the pattern analysed once, the numbers factorised as often
//! as they change. In one process: a direct factorisation needs the whole matrix in one place.
//!
//! Here `L Lᵀ` and `L D Lᵀ` by `faer`, always on one thread: the bits must not depend on how many
//! there are. Matrices of small dense blocks have a factor of our own, on all cores and with the same
//! bits too (file `factor/blocks.rs`).

pub(crate) mod blocks;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, LltRef, SymbolicCholesky, SymbolicCholeskyRaw,
    SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

/// Multiplications of a factorisation that take as long as a row of a sweep. By measurement, on
/// one core: a row takes 7 ns. In one of them there are two multiplications column by column, and
/// sixteen in dense blocks.
const PER_ROW: f64 = 14.0;
const PER_ROW_IN_BLOCKS: f64 = 110.0;

/// A factorisation that keeps its pattern and memory.
pub(crate) struct SymmetricFactor {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: SymbolicCholesky<usize>,
    /// Rows of a sweep that take as long as a factorisation and a solve.
    rows_of_work: f64,
    factor: Vec<f64>,
    memory: MemBuffer,
    form: FactorForm,
}

/// Which factor is in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactorForm {
    /// `L Lᵀ`.
    Positive,
    /// `L D Lᵀ`.
    Signed,
}

/// The matrix could not be factorised: a pivot vanished, or the factor does not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("sparse factorisation failed: {reason}")]
pub(crate) struct FactorError {
    reason: String,
}

fn failed(error: impl std::fmt::Debug) -> FactorError {
    FactorError {
        reason: format!("{error:?}"),
    }
}

/// Rows of a sweep that take as long as a factorisation, whose multiplications are the squares of
/// the lengths of the factor's columns, and a solve.
fn rows_of_work(symbolic: &SymbolicCholesky<usize>) -> f64 {
    let solve = 2.0 * symbolic.len_val() as f64 / PER_ROW;
    let square = |length: usize| (length * length) as f64;
    match symbolic.raw() {
        SymbolicCholeskyRaw::Simplicial(factor) => {
            let columns = factor.col_ptr().windows(2);
            let factor: f64 = columns.map(|c| square(c[1] - c[0])).sum();
            factor / PER_ROW + solve
        }
        SymbolicCholeskyRaw::Supernodal(factor) => {
            let starts = factor.supernode_begin().iter();
            let ends = factor.supernode_end();
            let below = factor.col_ptr_for_row_idx().windows(2);
            let supernodes = starts.zip(ends).zip(below);
            let columns = supernodes.flat_map(|((start, end), rows)| {
                let below = rows[1] - rows[0];
                (1..=end - start).map(move |column| square(column + below))
            });
            columns.sum::<f64>() / PER_ROW_IN_BLOCKS + solve
        }
    }
}

/// The library behind promises nothing for numbers that are not finite.
fn expect_finite(values: &[f64]) -> Result<(), FactorError> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(value) => Err(FactorError {
            reason: format!("an entry is {value}"),
        }),
    }
}

impl SymmetricFactor {
    /// Analyses the lower triangle, given by columns: `rows[starts[j]..starts[j + 1]]` ascending,
    /// the diagonal first. Refuses, before any large allocation, if the factor would take more than
    /// `most_bytes`.
    pub fn new(
        starts: Vec<usize>,
        rows: Vec<usize>,
        most_bytes: usize,
    ) -> Result<Self, FactorError> {
        let n = starts.len() - 1;
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(failed)?;
        let bytes = symbolic.len_val().saturating_mul(size_of::<f64>());
        if bytes > most_bytes {
            let reason =
                format!("the factor takes {bytes} bytes, at most {most_bytes} are allowed");
            return Err(FactorError { reason });
        }
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()))
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(scratch).map_err(failed)?;
        let factor = vec![0.0; symbolic.len_val()];
        let form = FactorForm::Positive;
        Ok(Self {
            pattern,
            rows_of_work: rows_of_work(&symbolic),
            symbolic,
            factor,
            memory,
            form,
        })
    }

    /// Number of unknowns.
    pub fn dim(&self) -> usize {
        self.pattern.ncols()
    }

    /// Where each column of the pattern starts: its diagonal entry.
    pub fn starts(&self) -> &[usize] {
        self.pattern.col_ptr()
    }

    /// A factorisation and a solve, in sweeps over a problem of so many rows.
    pub fn work(&self, rows: usize) -> f64 {
        self.rows_of_work / rows as f64
    }

    /// Entries of the factor.
    pub fn factor_len(&self) -> usize {
        self.factor.len()
    }

    /// Factorises a matrix that must be positive definite to rounding. Values in the order of the
    /// pattern.
    pub fn factorise_positive(&mut self, values: &[f64]) -> Result<(), FactorError> {
        expect_finite(values)?;
        self.form = FactorForm::Positive;
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(self.pattern.as_ref(), values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map(|_| ())
            .map_err(failed)
    }

    /// Factorises a quasi-definite matrix. `signs` says which pivots must be positive and which
    /// negative; one that is not, or smaller than `smallest`, is replaced by it.
    pub fn factorise_signed(
        &mut self,
        values: &[f64],
        signs: &[i8],
        smallest: f64,
    ) -> Result<(), FactorError> {
        let regularization = LdltRegularization {
            dynamic_regularization_signs: Some(signs),
            dynamic_regularization_delta: smallest,
            dynamic_regularization_epsilon: smallest,
        };
        expect_finite(values)?;
        self.form = FactorForm::Signed;
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factor,
                SparseColMatRef::new(self.pattern.as_ref(), values),
                Side::Lower,
                regularization,
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map(|_| ())
            .map_err(failed)
    }

    /// Solves with the last factor, in place.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        let n = rhs.len();
        let rhs = MatMut::from_column_major_slice_mut(rhs, n, 1);
        let stack = MemStack::new(&mut self.memory);
        match self.form {
            FactorForm::Positive => LltRef::<'_, usize, f64>::new(&self.symbolic, &self.factor)
                .solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack),
            FactorForm::Signed => LdltRef::<'_, usize, f64>::new(&self.symbolic, &self.factor)
                .solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack),
        }
    }
}

impl std::fmt::Debug for SymmetricFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SymmetricFactor")
            .field("rows", &self.dim())
            .field("factor", &self.factor_len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_quasi_definite_system() {
        // [ 2 1 ; 1 -3 ] x = (4, -5): x = (1, 2)
        let mut factor = SymmetricFactor::new(vec![0, 2, 3], vec![0, 1, 1], 1000).unwrap();
        factor
            .factorise_signed(&[2.0, 1.0, -3.0], &[1, -1], 1e-14)
            .unwrap();
        let mut x = [4.0, -5.0];
        factor.solve(&mut x);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
            "{x:?}"
        );
        assert!(factor.factorise_positive(&[2.0, 1.0, -3.0]).is_err());
    }

    #[test]
    fn solves_a_positive_definite_system_and_refuses_what_does_not_fit() {
        // [ 2 1 ; 1 3 ] x = (4, 7): x = (1, 2)
        let mut factor = SymmetricFactor::new(vec![0, 2, 3], vec![0, 1, 1], 1000).unwrap();
        factor.factorise_positive(&[2.0, 1.0, 3.0]).unwrap();
        let mut x = [4.0, 7.0];
        factor.solve(&mut x);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
            "{x:?}"
        );
        assert!(SymmetricFactor::new(vec![0, 2, 3], vec![0, 1, 1], 8).is_err());
    }
}
