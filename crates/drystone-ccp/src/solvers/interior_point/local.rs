//! Triangular factors of the block-diagonal part, block by block.
//!
//! With `F` the roots of the scaling pulled back to a block's unknowns and `D` a positive diagonal,
//! `G = FᵀF + D = RᵀR`. Near the solution `F` has rows of size `1/√mu` beside rows of size `√mu`;
//! multiplied out, the small ones would drown in the rounding of the large. So R comes from
//! Householder reflections of the stacked rows, largest first: with rows of such different size
//! their order decides the accuracy (Powell and Reid 1969; Cox and Higham 1998, who also exchange
//! columns, which we leave out).

use super::model::Model;
use super::scaling::Scaling;
use crate::cone::{Cones, MAX_ROWS};

/// Most rows that a block can stack: three cones of three, its diagonal and a root of its own
/// matrix.
const MAX_STACK: usize = 9 + 2 * MAX_ROWS;

/// R of each block, row-major, and its inverse.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalFactor {
    /// Where each block's square starts.
    at: Vec<usize>,
    /// First row of each block, the number of rows last.
    offsets: Vec<usize>,
    inverse: Vec<f64>,
}

/// Rows to be reduced to a triangle.
struct RowStack {
    rows: [[f64; MAX_ROWS]; MAX_STACK],
    count: usize,
}

impl LocalFactor {
    /// Room for the blocks of `cones`.
    pub fn new(cones: &Cones) -> Self {
        let mut at = vec![0];
        for (block, _) in cones.iter() {
            at.push(at[block.index] + block.len() * block.len());
        }
        Self {
            inverse: vec![0.0; at[cones.len()]],
            at,
            offsets: cones.offsets().to_vec(),
        }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.at.len() - 1
    }

    /// First row of each block, the number of rows last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// `R⁻¹` of one block, upper triangular, row-major.
    pub fn inverse(&self, block: usize) -> &[f64] {
        &self.inverse[self.at[block]..self.at[block + 1]]
    }

    /// Factors `FᵀF + diag(diagonal) + OᵀO`. `own` holds the rows of `O`, a root of one more matrix
    /// of each block: upper triangular, row-major.
    pub fn factor(
        &mut self,
        model: &Model,
        scalings: &[Scaling],
        diagonal: impl Fn(usize) -> f64,
        own: Option<&[f64]>,
    ) {
        for block in 0..self.blocks() {
            let (start, d) = (
                self.offsets[block],
                self.offsets[block + 1] - self.offsets[block],
            );
            let mut stack = RowStack {
                rows: [[0.0; MAX_ROWS]; MAX_STACK],
                count: 0,
            };
            for k in model.first[block]..model.first[block + 1] {
                for f in &scalings[k].root {
                    let mut row = [0.0; MAX_ROWS];
                    model.conditions[k].pull_back(f, &mut row[..d]);
                    stack.push(row);
                }
            }
            for k in 0..d {
                let mut row = [0.0; MAX_ROWS];
                row[k] = diagonal(start + k).sqrt();
                stack.push(row);
                if let Some(own) = own {
                    let mut row = [0.0; MAX_ROWS];
                    row[..d].copy_from_slice(&own[self.at[block] + k * d..][..d]);
                    stack.push(row);
                }
            }
            stack.triangularise(d);
            let out = &mut self.inverse[self.at[block]..self.at[block + 1]];
            stack.invert_triangle(d, out);
        }
    }

    /// `out = R⁻ᵀ b`, block by block.
    pub fn lower_solve(&self, b: &[f64], out: &mut [f64]) {
        for block in 0..self.blocks() {
            let (start, end) = (self.offsets[block], self.offsets[block + 1]);
            let (d, inverse) = (end - start, self.inverse(block));
            for j in 0..d {
                out[start + j] = (0..=j).map(|i| inverse[i * d + j] * b[start + i]).sum();
            }
        }
    }

    /// `out = R⁻¹ b`, block by block.
    pub fn upper_solve(&self, b: &[f64], out: &mut [f64]) {
        for block in 0..self.blocks() {
            let (start, end) = (self.offsets[block], self.offsets[block + 1]);
            let (d, inverse) = (end - start, self.inverse(block));
            for i in 0..d {
                out[start + i] = (i..d).map(|j| inverse[i * d + j] * b[start + j]).sum();
            }
        }
    }
}

impl RowStack {
    fn push(&mut self, row: [f64; MAX_ROWS]) {
        if row.iter().any(|v| *v != 0.0) {
            self.rows[self.count] = row;
            self.count += 1;
        }
    }

    /// Householder reflections, column after column, on rows sorted by size.
    fn triangularise(&mut self, d: usize) {
        let rows = &mut self.rows[..self.count];
        let size = |row: &[f64; MAX_ROWS]| row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
        for k in 0..d {
            let length = rows[k..].iter().map(|r| r[k] * r[k]).sum::<f64>().sqrt();
            if length == 0.0 {
                continue;
            }
            let pivot = if rows[k][k] > 0.0 { -length } else { length };
            let head = rows[k][k] - pivot;
            // The reflection is I − v vᵀ / (−pivot · head) with v = column − pivot e.
            let weight = -pivot * head;
            for j in k + 1..d {
                let mut along = head * rows[k][j];
                for row in rows[k + 1..].iter() {
                    along += row[k] * row[j];
                }
                let along = along / weight;
                rows[k][j] -= along * head;
                for row in rows[k + 1..].iter_mut() {
                    row[j] -= along * row[k];
                }
            }
            rows[k][k] = pivot;
            rows[k + 1..].iter_mut().for_each(|row| row[k] = 0.0);
        }
    }

    /// The inverse of the leading triangle, row-major into `out`.
    fn invert_triangle(&self, d: usize, out: &mut [f64]) {
        out.fill(0.0);
        for j in 0..d {
            out[j * d + j] = 1.0 / self.rows[j][j];
            for i in (0..j).rev() {
                let sum: f64 = (i + 1..=j).map(|k| self.rows[i][k] * out[k * d + j]).sum();
                out[i * d + j] = -sum / self.rows[i][i];
            }
        }
    }
}
