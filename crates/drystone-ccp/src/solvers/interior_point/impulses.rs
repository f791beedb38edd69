//! The impulse form, the dual model of Mazhar 2014, eq. 24: `R⁻ᵀ S N S R⁻¹ + I`, the matrix
//! `S N S + G` seen from the local factors of `G = RᵀR`.
//!
//! In these coordinates the smallest eigenvalue is one however large or small `G` has become, so
//! the factor exists down to a barrier parameter near rounding, also for an N without full rank.
//! Assembles N and factors it as a whole: for one process.

use super::local::LocalFactor;
use super::model::Model;
use crate::cone::{Cones, MAX_ROWS};
use crate::factor::blocks::{Analysis, BlockCholesky, Place};
use crate::sparse::Csr;

/// The blocks of `S N S` on and below the diagonal, and the factor of the matrix above.
#[derive(Debug)]
pub(super) struct Impulses {
    factor: Box<BlockCholesky>,
    places: Vec<Place>,
    /// `S N S`, block after block, row-major.
    blocks: Vec<f64>,
}

impl Impulses {
    /// Scales N and analyses its pattern; `None` if the factor would take more than `bytes`.
    pub fn new(matrix: &Csr, cones: &Cones, model: &Model, bytes: usize) -> Option<Self> {
        let offsets = cones.offsets();
        let mut block_of = vec![0; cones.dim()];
        for (block, _) in cones.iter() {
            block_of[block.rows()].fill(block.index);
        }
        // Block pairs column after column: by symmetry the columns of the lower half are the rows
        // of the upper.
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        let mut row_blocks: Vec<usize> = Vec::new();
        for (block, _) in cones.iter() {
            row_blocks.clear();
            row_blocks.push(block.index);
            for row in block.rows() {
                let (columns, _) = matrix.row(row);
                row_blocks.extend(columns.iter().map(|&c| block_of[c]));
            }
            row_blocks.retain(|&i| i >= block.index);
            row_blocks.sort_unstable();
            row_blocks.dedup();
            pairs.extend(row_blocks.iter().map(|&i| [i, block.index]));
        }
        let Analysis::Fits(factor, places) = BlockCholesky::analyse(offsets, &pairs, bytes) else {
            return None;
        };
        let mut blocks = Vec::new();
        for &[i, j] in &pairs {
            for row in cones.block(i).rows() {
                for column in cones.block(j).rows() {
                    blocks.push(model.scale[row] * matrix.get(column, row) * model.scale[column]);
                }
            }
        }
        Some(Self {
            factor,
            places,
            blocks,
        })
    }

    /// Factors for new local factors. False: not positive definite to rounding.
    pub fn factor(&mut self, local: &LocalFactor) -> bool {
        self.factor.set_identity();
        let offsets = local.offsets();
        let mut at = 0;
        for &place in &self.places {
            let [i, j] = place.block;
            let (height, width) = (offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]);
            let block = &self.blocks[at..at + height * width];
            at += height * width;
            // R_i⁻ᵀ B R_j⁻¹ with both triangles inverted beforehand.
            let (left, right) = (local.inverse(i), local.inverse(j));
            let mut half = [0.0; MAX_ROWS * MAX_ROWS];
            for r in 0..height {
                for c in 0..width {
                    half[r * width + c] = (0..=c)
                        .map(|k| block[r * width + k] * right[k * width + c])
                        .sum();
                }
            }
            let mut whole = [0.0; MAX_ROWS * MAX_ROWS];
            for r in 0..height {
                for c in 0..width {
                    whole[r * width + c] = (0..=r)
                        .map(|k| left[k * height + r] * half[k * width + c])
                        .sum();
                }
            }
            self.factor.add(place, &whole);
        }
        self.factor.factor()
    }

    /// A factorisation in sweeps over so many rows.
    pub fn factor_work(&self, rows: usize) -> f64 {
        self.factor.work(rows)
    }

    /// Overwrites a transformed right-hand side with the transformed solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factor.solve(b);
    }
}
