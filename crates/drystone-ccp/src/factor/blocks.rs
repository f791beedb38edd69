//! Sparse Cholesky of a matrix given in small dense blocks: analysed once, factored every
//! iteration. One process holds the whole matrix.

use super::SymmetricFactor;

/// The lower triangle of a symmetric matrix of blocks, column-compressed, and its factor.
#[derive(Debug)]
pub(crate) struct BlockCholesky {
    offsets: Vec<usize>,
    values: Vec<f64>,
    factor: SymmetricFactor,
}

/// Where a block's entries lie among the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Block row and block column, row not before column.
    pub block: [usize; 2],
    /// Rows of the blocks between the diagonal one and this.
    above: usize,
}

/// What the analysis found before any large allocation.
pub(crate) enum Analysis {
    /// Ready to factor.
    Fits(Box<BlockCholesky>, Vec<Place>),
    /// The factor would take more than the bound, or more than can be counted.
    TooLarge,
}

impl BlockCholesky {
    /// Analyses the pattern of `pairs` (block row >= block column, sorted by column, then row;
    /// every diagonal block present) of blocks that start at `offsets`. `bytes` bounds the factor.
    pub fn analyse(offsets: &[usize], pairs: &[[usize; 2]], bytes: usize) -> Analysis {
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
        let values = vec![0.0; rows.len()];
        let Ok(factor) = SymmetricFactor::new(columns, rows, bytes) else {
            return Analysis::TooLarge;
        };
        let offsets = offsets.to_vec();
        let this = Self {
            offsets,
            values,
            factor,
        };
        Analysis::Fits(Box::new(this), places)
    }

    /// Sets the matrix to zero.
    pub fn set_zero(&mut self) {
        self.values.fill(0.0);
    }

    /// Sets the matrix to the identity.
    pub fn set_identity(&mut self) {
        self.set_zero();
        for &diagonal in &self.factor.starts()[..self.factor.dim()] {
            self.values[diagonal] = 1.0;
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
            let top = self.factor.starts()[self.offsets[j] + c];
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
        self.factor.factorise_positive(&self.values).is_ok()
    }

    /// Factors the present values, of a unit diagonal; rows that depend on others but for this
    /// share are dropped: their unknowns come out as zero. False: a number is not finite.
    pub fn factor_independent(&mut self, share: f64) -> bool {
        self.factor.factorise_dropping(&self.values, share).is_ok()
    }

    /// A factorisation in sweeps over a problem of so many rows.
    pub fn work(&self, rows: usize) -> f64 {
        self.factor.work(rows)
    }

    /// Offsets of the blocks.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Overwrites `b` with the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factor.solve(b);
    }
}
