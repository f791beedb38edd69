//! N assembled in dense blocks, one for each pair of contacts that share a body.

use super::{Operator, TwoBody};
use crate::cone::Block;
use crate::reduce::{Reduce, in_parallel};
use crate::sparse::Csr;

/// Symmetric block-sparse N: `Dᵀ M⁻¹ D + E` multiplied out.
#[derive(Clone, Debug)]
pub struct BlockSparse {
    /// Row offsets of the blocks, the dimension last.
    offsets: Vec<usize>,
    /// `pointers[i]..pointers[i + 1]` are the stored blocks of block row `i`.
    pointers: Vec<usize>,
    /// Block column of each stored block, ascending within a row.
    columns: Vec<usize>,
    /// Where each stored block's values start; row-major.
    starts: Vec<usize>,
    values: Vec<f64>,
}

impl BlockSparse {
    /// Multiplies the matrix-free form out.
    pub fn assemble(operator: &TwoBody) -> Self {
        let offsets = operator.offsets().to_vec();
        let blocks = offsets.len() - 1;
        let mut this = Self {
            offsets,
            pointers: vec![0],
            columns: Vec::new(),
            starts: Vec::new(),
            values: Vec::new(),
        };
        let mut neighbours = Vec::new();
        for i in 0..blocks {
            operator.neighbours(i, &mut neighbours);
            for &j in &neighbours {
                let size = operator.block(i).len() * operator.block(j).len();
                this.columns.push(j);
                this.starts.push(this.values.len());
                this.values.resize(this.values.len() + size, 0.0);
                let start = this.values.len() - size;
                operator.coupling(i, j, &mut this.values[start..]);
            }
            this.pointers.push(this.columns.len());
        }
        this
    }

    fn block(&self, index: usize) -> Block {
        Block {
            index,
            start: self.offsets[index],
            end: self.offsets[index + 1],
        }
    }

    /// `out = Σ_j N_ij x_j` for one block row.
    fn row_times(&self, i: usize, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for k in self.pointers[i]..self.pointers[i + 1] {
            let column = self.block(self.columns[k]);
            let width = column.len();
            let values = &self.values[self.starts[k]..self.starts[k] + out.len() * width];
            for (o, row) in out.iter_mut().zip(values.chunks_exact(width)) {
                *o += row
                    .iter()
                    .zip(&x[column.rows()])
                    .map(|(v, x)| v * x)
                    .sum::<f64>();
            }
        }
    }
}

impl Operator for BlockSparse {
    fn dim(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        crate::operator::for_each_block(
            &self.offsets,
            out,
            in_parallel(self.values.len()),
            |i, out| {
                self.row_times(i, x, out);
            },
        );
    }

    fn diagonal_block(&self, block: Block, out: &mut [f64]) {
        let i = block.index;
        let stored = self.pointers[i]..self.pointers[i + 1];
        let k = self.columns[stored.clone()]
            .binary_search(&i)
            .expect("every block is its own neighbour");
        let start = self.starts[stored.start + k];
        let size = block.len() * block.len();
        out[..size].copy_from_slice(&self.values[start..start + size]);
    }

    fn asymmetry(&self) -> f64 {
        0.0
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
        // Symmetric: the blocks of this row, transposed, are the blocks of this column.
        for k in self.pointers[block.index]..self.pointers[block.index + 1] {
            let row = self.block(self.columns[k]);
            let width = row.len();
            let values = &self.values[self.starts[k]..self.starts[k] + block.len() * width];
            for (&change, values) in delta.iter().zip(values.chunks_exact(width)) {
                for (s, v) in state[row.rows()].iter_mut().zip(values) {
                    *s += v * change;
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

    fn block_offsets(&self) -> Option<&[usize]> {
        Some(&self.offsets)
    }

    fn to_csr(&self) -> Csr {
        let entries = (0..self.offsets.len() - 1).flat_map(|i| {
            (self.pointers[i]..self.pointers[i + 1]).flat_map(move |k| {
                let (row, column) = (self.block(i), self.block(self.columns[k]));
                let values =
                    &self.values[self.starts[k]..self.starts[k] + row.len() * column.len()];
                values.iter().enumerate().map(move |(e, &v)| {
                    (
                        row.start + e / column.len(),
                        column.start + e % column.len(),
                        v,
                    )
                })
            })
        });
        Csr::from_triplets(self.dim(), self.dim(), entries)
            .expect("assembled entries are inside and finite")
    }
}
