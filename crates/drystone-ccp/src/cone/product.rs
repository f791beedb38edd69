//! The cones of a whole problem, one for each block of rows.

use super::Cone;
use crate::ProblemError;
use crate::operator::for_each_block;
use crate::reduce::in_parallel;

/// Rows `start..end` of the problem that belong to one cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which cone.
    pub index: usize,
    /// First row.
    pub start: usize,
    /// One past the last row.
    pub end: usize,
}

impl Block {
    /// The rows as a range.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there are no rows (never so in a checked problem).
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// A product of cones: the feasible set of a whole problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Cones {
    cones: Vec<Cone>,
    /// `offsets[i]..offsets[i + 1]` are the rows of cone `i`.
    offsets: Vec<usize>,
}

impl Default for Cones {
    /// No block at all.
    fn default() -> Self {
        Self {
            cones: Vec::new(),
            offsets: vec![0],
        }
    }
}

impl Cones {
    /// Checks each cone's numbers and lays the blocks out one after another.
    pub fn new(cones: Vec<Cone>) -> Result<Self, ProblemError> {
        let mut this = Self::default();
        this.refill(cones)?;
        Ok(this)
    }

    /// Takes the list of cones, to be filled for the next problem and given back by
    /// [`Cones::refill`].
    pub fn take(&mut self) -> Vec<Cone> {
        self.offsets.truncate(1);
        std::mem::take(&mut self.cones)
    }

    /// The same as [`Cones::new`] in the memory of this one.
    pub fn refill(&mut self, cones: Vec<Cone>) -> Result<(), ProblemError> {
        self.offsets.clear();
        self.offsets.reserve(cones.len() + 1);
        let mut row = 0;
        self.offsets.push(0);
        for (block, cone) in cones.iter().enumerate() {
            cone.check(block)?;
            row += cone.rows();
            self.offsets.push(row);
        }
        self.cones = cones;
        Ok(())
    }

    /// One Coulomb cone a coefficient, without cohesion.
    pub fn friction(coefficients: &[f64]) -> Result<Self, ProblemError> {
        Self::new(coefficients.iter().map(|&mu| Cone::friction(mu)).collect())
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.cones.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.cones.is_empty()
    }

    /// Number of rows.
    pub fn dim(&self) -> usize {
        self.offsets[self.cones.len()]
    }

    /// How many of the blocks are contacts.
    pub fn contacts(&self) -> usize {
        self.cones.iter().filter(|c| c.is_contact()).count()
    }

    /// Where each block starts, and the number of rows last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The cones in order.
    pub fn as_slice(&self) -> &[Cone] {
        &self.cones
    }

    /// The rows of cone `index`.
    pub fn block(&self, index: usize) -> Block {
        Block {
            index,
            start: self.offsets[index],
            end: self.offsets[index + 1],
        }
    }

    /// The blocks with their cones, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Block, &Cone)> + Clone {
        self.cones
            .iter()
            .enumerate()
            .map(|(index, cone)| (self.block(index), cone))
    }

    /// Euclidean projection onto the product, in place.
    pub fn project(&self, gamma: &mut [f64]) {
        let parallel = in_parallel(4 * self.dim());
        for_each_block(&self.offsets, gamma, parallel, |i, rows| {
            self.cones[i].project(rows)
        });
    }
}
