//! The Levenberg–Marquardt step: `d` that minimises `‖J d + F‖² + lambda ‖d‖²`.
//!
//! Its normal equations `(JᵀJ + lambda I) d = −JᵀF` would square the condition of `J`. The same `d`
//! solves `[ a I  J ; Jᵀ  −a I ] [ e ; d ] = [ −F ; 0 ]` with `a² = lambda`: quasi-definite (R.
//! Vanderbei 1995, Symmetric quasidefinite matrices), so a factor `L D Lᵀ` exists in any order of
//! the rows. The factor is made by one process.

use super::scaled::{ContactMap, MapPoint, ScaledProblem};
use crate::factor::{FactorError, SymmetricFactor};
use crate::reduce::Reduce;

/// The quasi-definite system with the pattern of `J` analysed once. `J d + F = −a e` is what the
/// linear model leaves.
pub(super) struct StepSystem {
    n: usize,
    factor: SymmetricFactor,
    values: Vec<f64>,
    signs: Vec<i8>,
    /// Where the entries of each block row of `J` stand in `values`.
    places: Vec<Vec<usize>>,
    /// Where the diagonal stands.
    diagonal: Vec<usize>,
    /// One block row of `J`.
    block: Vec<f64>,
    /// `e`, then `d`.
    solution: Vec<f64>,
    lambda: f64,
}

impl StepSystem {
    /// Analyses the pattern; refuses a factor of more than `most_bytes`.
    pub fn new(scaled: &ScaledProblem, most_bytes: usize) -> Result<Self, FactorError> {
        let n = scaled.dim();
        // Lower triangle by columns: column j < n holds a and, below, row j of J; the others hold
        // −a.
        let (mut starts, mut rows) = (vec![0], Vec::new());
        let (mut places, mut diagonal) = (Vec::with_capacity(scaled.blocks.len()), Vec::new());
        for ((block, _), columns) in scaled.blocks.iter().zip(&scaled.columns) {
            let mut place = Vec::with_capacity(block.len() * columns.len());
            for row in block.rows() {
                diagonal.push(rows.len());
                rows.push(row);
                place.extend(rows.len()..rows.len() + columns.len());
                rows.extend(columns.iter().map(|c| n + c));
                starts.push(rows.len());
            }
            places.push(place);
        }
        for row in n..2 * n {
            diagonal.push(rows.len());
            rows.push(row);
            starts.push(rows.len());
        }
        Ok(Self {
            n,
            values: vec![0.0; rows.len()],
            factor: SymmetricFactor::new(starts, rows, most_bytes)?,
            signs: (0..2 * n).map(|i| if i < n { 1 } else { -1 }).collect(),
            places,
            diagonal,
            block: Vec::new(),
            solution: vec![0.0; 2 * n],
            lambda: 0.0,
        })
    }

    /// Puts the map's derivative at `point` in.
    pub fn set_derivative(&mut self, scaled: &ScaledProblem, map: ContactMap, point: &MapPoint) {
        for (i, places) in self.places.iter().enumerate() {
            self.block.resize(places.len(), 0.0);
            scaled.derivative(i, map, point, &mut self.block);
            for (&place, &value) in places.iter().zip(&self.block) {
                self.values[place] = value;
            }
        }
    }

    /// Computes the step for a damping `lambda > 0`.
    pub fn solve(&mut self, lambda: f64, f: &[f64]) -> Result<(), FactorError> {
        self.lambda = lambda;
        let a = lambda.sqrt();
        for (k, &place) in self.diagonal.iter().enumerate() {
            self.values[place] = if k < self.n { a } else { -a };
        }
        self.factor
            .factorise_signed(&self.values, &self.signs, SMALLEST_PIVOT * a)?;
        for (s, f) in self.solution.iter_mut().zip(f) {
            *s = -f;
        }
        self.solution[self.n..].fill(0.0);
        self.factor.solve(&mut self.solution);
        Ok(())
    }

    /// [`Self::solve`] in sweeps.
    pub fn work(&self) -> f64 {
        self.factor.work(self.n)
    }

    /// The step `d`.
    pub fn step(&self) -> &[f64] {
        &self.solution[self.n..]
    }

    /// `‖J d + F‖²`: what the linear model leaves.
    pub fn model_squared(&self, reduce: &dyn Reduce) -> f64 {
        self.lambda * reduce.sum(self.solution[..self.n].iter().map(|e| e * e).sum::<f64>())
    }
}

/// Pivots smaller than this share of `a` are replaced by it. In exact arithmetic none is smaller
/// than `a`; one that is has been lost to rounding.
const SMALLEST_PIVOT: f64 = 1e-3;
