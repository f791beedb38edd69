//! N as a plain sparse matrix, symmetric or not: problems from files.

use rayon::prelude::*;

use super::Operator;
use crate::ProblemError;
use crate::cone::Block;
use crate::monitor::Monitor;
use crate::outcome::SolveInfo;
use crate::problem::Ccp;
use crate::reduce::{CHUNK, Reduce, in_parallel};
use crate::solvers::{MethodSettings, SolverError, by_method};
use crate::sparse::Csr;

/// A sparse matrix as operator.
#[derive(Clone, Debug)]
pub struct Sparse {
    matrix: Csr,
    /// Columns, for state updates; absent where the matrix is its own transpose.
    transpose: Option<Csr>,
    asymmetry: f64,
}

impl Sparse {
    /// Takes a square matrix.
    pub fn new(matrix: Csr) -> Result<Self, ProblemError> {
        if matrix.rows() != matrix.columns() {
            return Err(ProblemError::NotSquare {
                rows: matrix.rows(),
                columns: matrix.columns(),
            });
        }
        let asymmetry = matrix.asymmetry();
        let transpose = (!matrix.is_own_transpose()).then(|| matrix.transpose());
        Ok(Self {
            matrix,
            transpose,
            asymmetry,
        })
    }

    /// The matrix.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    fn columns(&self) -> &Csr {
        self.transpose.as_ref().unwrap_or(&self.matrix)
    }
}

impl Operator for Sparse {
    fn dim(&self) -> usize {
        self.matrix.rows()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let row = |(i, o): (usize, &mut f64)| *o = self.matrix.row_times(i, x);
        if in_parallel(self.matrix.nonzeros()) {
            out.par_iter_mut()
                .with_min_len(CHUNK / 8)
                .enumerate()
                .for_each(row);
        } else {
            out.iter_mut().enumerate().for_each(row);
        }
    }

    fn diagonal_block(&self, block: Block, out: &mut [f64]) {
        let d = block.len();
        for (i, row) in block.rows().enumerate() {
            for (j, column) in block.rows().enumerate() {
                out[i * d + j] = self.matrix.get(row, column);
            }
        }
    }

    fn asymmetry(&self) -> f64 {
        self.asymmetry
    }

    fn state_len(&self) -> usize {
        self.dim()
    }

    fn state(&self, gamma: &[f64], state: &mut [f64]) {
        self.apply(gamma, state);
    }

    fn read_block(&self, block: Block, _gamma: &[f64], state: &[f64], out: &mut [f64]) {
        out[..block.len()].copy_from_slice(&state[block.rows()]);
    }

    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]) {
        for (column, &change) in block.rows().zip(delta) {
            if change != 0.0 {
                let (rows, values) = self.columns().row(column);
                for (&i, &v) in rows.iter().zip(values) {
                    state[i] += v * change;
                }
            }
        }
    }

    fn product_from_state(&self, _gamma: &[f64], state: &[f64], out: &mut [f64]) {
        out.copy_from_slice(state);
    }

    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        reduce.dot(gamma, state)
    }

    fn to_csr(&self) -> Csr {
        self.matrix.clone()
    }

    fn solve(
        problem: &Ccp<Self>,
        settings: &MethodSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        by_method(problem, settings, gamma, monitor)
    }
}
