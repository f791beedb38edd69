//! Sparse Cholesky of a matrix given in small dense blocks, by faer: analysed once, factored every iteration.
//!
//! One thread: the factor must not depend on how many there are.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// The lower triangle of a symmetric matrix of blocks, column-compressed, and its factor.
pub(super) struct BlockCholesky {
    offsets: Vec<usize>,
    columns: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

/// Where a block's entries lie among the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Block row and block column, row not before column.
    pub block: [usize; 2],
    /// Rows of the blocks between the diagonal one and this.
    above: usize,
}

/// What the analysis found before any large allocation.
pub(super) enum Analysis {
    /// Ready to factor.
    Fits(Box<BlockCholesky>, Vec<Place>),
    /// The factor would take more than the bound, or more than can be counted.
    TooLarge,
}

impl BlockCholesky {
    /// Analyses the pattern of `pairs` (block row >= block column, sorted by column, then row; every diagonal block
    /// present) of blocks that start at `offsets`. `bytes` bounds the factor.
    pub fn analyse(offsets: &[usize], pairs: &[[usize; 2]], bytes: usize) -> Analysis {
        let n = offsets[offsets.len() - 1];
        let len = |block: usize| offsets[block + 1] - offsets[block];
        let mut columns = vec![0];
        let mut rows = Vec::new();
        let mut places = Vec::with_capacity(pairs.len());
        for group in pairs.chunk_by(|a, b| a[1] == b[1]) {
            let mut above = 0;
            for &block in group {
                places.push(Place { block, above });
                above += if block[0] == block[1] {
                    0
                } else {
                    len(block[0])
                };
            }
            let j = group[0][1];
            for column in offsets[j]..offsets[j + 1] {
                rows.extend(column..offsets[j + 1]);
                for &[i, _] in &group[1..] {
                    rows.extend(offsets[i]..offsets[i + 1]);
                }
                columns.push(rows.len());
            }
        }
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &columns, None, &rows);
        let Ok(symbolic) = factorize_symbolic_cholesky(
            pattern,
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        ) else {
            return Analysis::TooLarge;
        };
        if symbolic.len_val().saturating_mul(size_of::<f64>()) > bytes {
            return Analysis::TooLarge;
        }
        let work = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let Ok(memory) = MemBuffer::try_new(work) else {
            return Analysis::TooLarge;
        };
        let this = Self {
            offsets: offsets.to_vec(),
            values: vec![0.0; rows.len()],
            factor: vec![0.0; symbolic.len_val()],
            columns,
            rows,
            symbolic,
            memory,
        };
        Analysis::Fits(Box::new(this), places)
    }

    /// Sets the matrix to the identity.
    pub fn set_identity(&mut self) {
        self.values.fill(0.0);
        for column in 0..self.columns.len() - 1 {
            self.values[self.columns[column]] = 1.0;
        }
    }

    /// Adds a dense block, row-major; of a diagonal one the lower triangle.
    pub fn add(&mut self, place: Place, dense: &[f64]) {
        let [i, j] = place.block;
        let (height, width) = (
            self.offsets[i + 1] - self.offsets[i],
            self.offsets[j + 1] - self.offsets[j],
        );
        for c in 0..width {
            let top = self.columns[self.offsets[j] + c];
            if i == j {
                for r in c..height {
                    self.values[top + r - c] += dense[r * width + c];
                }
            } else {
                let top = top + width - c + place.above;
                for r in 0..height {
                    self.values[top + r] += dense[r * width + c];
                }
            }
        }
    }

    /// Factors the present values. False: they are not positive definite to rounding.
    pub fn factor(&mut self) -> bool {
        let n = self.columns.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.columns, None, &self.rows);
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(pattern, &self.values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .is_ok()
    }

    /// Overwrites `b` with the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

impl std::fmt::Debug for BlockCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockCholesky")
            .field("rows", &(self.columns.len() - 1))
            .field("factor", &self.factor.len())
            .finish_non_exhaustive()
    }
}
