//! Blocks with Jacobian rows of their own: joints, motors, contacts that resist rolling.

use super::{DOF, TwoBodyBlock, half};
use crate::ProblemError;
use crate::cone::MAX_ROWS;

/// Blocks between two bodies each, their rows one after another.
#[derive(Clone, Debug, Default)]
pub struct RowBlocks {
    /// The two bodies of each block.
    pairs: Vec<[usize; 2]>,
    /// Where the rows of each block end.
    ends: Vec<usize>,
    rows: Vec<[f64; 2 * DOF]>,
    /// Diagonal of E, row after row.
    compliance: Vec<f64>,
}

impl RowBlocks {
    /// Takes all blocks out and keeps the memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.ends.clear();
        self.rows.clear();
        self.compliance.clear();
    }

    /// Adds a block. A row is its derivative by the six velocities of the first body, then of the
    /// second; the other figure is its compliance: what E adds to the diagonal of N.
    pub fn push(
        &mut self,
        bodies: [usize; 2],
        rows: impl IntoIterator<Item = ([f64; 2 * DOF], f64)>,
    ) {
        for (row, compliance) in rows {
            self.rows.push(row);
            self.compliance.push(compliance);
        }
        self.pairs.push(bodies);
        self.ends.push(self.rows.len());
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn try_push(
        &mut self,
        block: usize,
        source: &TwoBodyBlock,
    ) -> Result<(), ProblemError> {
        if !source.compliance.is_empty() && source.compliance.len() != source.rows.len() {
            return Err(ProblemError::Length {
                what: "compliance of a block",
                found: source.compliance.len(),
                expected: source.rows.len(),
            });
        }
        if source.rows.is_empty() || source.rows.len() > MAX_ROWS {
            return Err(ProblemError::BlockRows {
                block,
                rows: source.rows.len(),
            });
        }
        let compliance = source.compliance.iter().copied();
        let compliance = compliance.chain(std::iter::repeat(0.0));
        self.push(source.bodies, source.rows.iter().copied().zip(compliance));
        Ok(())
    }

    /// Whether every block has a sound number of rows of finite figures; `first` is the number of
    /// the first one.
    pub(super) fn check(&self, first: usize) -> Result<(), ProblemError> {
        for index in 0..self.len() {
            let block = first + index;
            let range = self.range(index);
            if range.is_empty() || range.len() > MAX_ROWS {
                let rows = range.len();
                return Err(ProblemError::BlockRows { block, rows });
            }
            let mut figures = self.rows[range.clone()].as_flattened().iter();
            if let Some(&value) = figures.find(|v| !v.is_finite()) {
                return Err(ProblemError::NotFinite {
                    what: "Jacobian of block",
                    index: block,
                    value,
                });
            }
            super::check_compliance(block, &self.compliance[range])?;
        }
        Ok(())
    }

    pub(super) fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Rows of all blocks.
    pub(super) fn all_rows(&self) -> &[[f64; 2 * DOF]] {
        &self.rows
    }

    /// Compliance of all rows.
    pub(super) fn all_compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// The rows of a block.
    pub(super) fn rows(&self, index: usize) -> &[[f64; 2 * DOF]] {
        &self.rows[self.range(index)]
    }

    /// The compliance of a block's rows.
    pub(super) fn compliance(&self, index: usize) -> &[f64] {
        &self.compliance[self.range(index)]
    }

    /// Adds the generalised impulse on the body at `side` of a block.
    pub(super) fn add_impulse(&self, index: usize, side: usize, gamma: &[f64], p: &mut [f64; DOF]) {
        for (row, gamma) in self.rows(index).iter().zip(gamma) {
            let j = half(row, side);
            (0..DOF).for_each(|k| p[k] += j[k] * gamma);
        }
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }
}
