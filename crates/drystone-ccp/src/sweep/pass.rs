//! Passes: all blocks take their step at once, each against the same velocities.
//!
//! Where a sweep ([`Sweep`]) lets every block feel what those before it did, a pass does not: from
//! `y = x + beta (x − x_old)` every block takes `x_i ← Π^P(y_i − alpha P_i⁻¹ s_i)`, with `s = N y +
//! r` as it was at the start. So the order of the blocks means nothing, and one walk over them is
//! an iteration of a gradient method. What it changes in the velocities, `N (x − y)`, comes out of
//! the same walk.
//!
//! Letters as in file `sweep.rs`; `alpha` the step length, `d = x − y`.

use super::Sweep;
use crate::operator::Operator;
use crate::problem::Ccp;
use crate::reduce::Reduce;

/// How a pass steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassStep {
    /// Momentum.
    pub beta: f64,
    /// Step length `alpha`, relative to the metric's own. No unit.
    pub alpha: f64,
    /// Share λ of the new point: `x_i ← λ Π^P(…) + (1 − λ) y_i`.
    pub lambda: f64,
    /// Takes the last pass back and steps from its `y` anew. Only where the passes hold that.
    pub again: bool,
}

impl PassStep {
    /// A step from `x` itself.
    pub fn plain(alpha: f64) -> Self {
        Self {
            beta: 0.0,
            alpha,
            lambda: 1.0,
            again: false,
        }
    }
}

/// What a pass adds up over its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PassSums {
    /// `sᵀ d`, J.
    pub slope: f64,
    /// `sᵀ (x − x_old)`, J: positive where the move went uphill.
    pub uphill: f64,
    /// `dᵀ P d`, J.
    pub length: f64,
    /// `dᵀ N d`, J.
    pub curvature: f64,
    /// `‖P d / alpha‖²`, (m/s)²: about the square of the residual at `y`.
    pub moved: f64,
    /// Where velocities are held: `(x − x_old)ᵀ e` of the pass before, J, with `e` the change of
    /// `s` that it made.
    pub bend: f64,
    /// Likewise `eᵀ P⁻¹ e`, J.
    pub turn: f64,
}

impl PassSums {
    pub(super) fn add(&mut self, other: &Self) {
        self.slope += other.slope;
        self.uphill += other.uphill;
        self.length += other.length;
        self.curvature += other.curvature;
        self.moved += other.moved;
        self.bend += other.bend;
        self.turn += other.turn;
    }

    /// Over all processes.
    pub fn reduced(self, reduce: &dyn Reduce) -> Self {
        Self {
            slope: reduce.sum(self.slope),
            uphill: reduce.sum(self.uphill),
            length: reduce.sum(self.length),
            curvature: reduce.sum(self.curvature),
            moved: reduce.sum(self.moved),
            bend: reduce.sum(self.bend),
            turn: reduce.sum(self.turn),
        }
    }
}

/// What passes remember of each block beside `x` and `x_old`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Holds {
    #[default]
    Nothing,
    /// `y`: a pass can be taken back.
    Point,
    /// `s`: the next pass tells how it has changed.
    Velocity,
}

/// An iterate that passes are made on. Its velocities may lag behind by the last pass: call
/// [`Sweep::settle`] before anything but another pass.
pub(crate) trait Pass<N: Operator>: Sweep<N> {
    /// Extrapolates, then steps all blocks at once.
    fn pass(&mut self, problem: &Ccp<N>, step: PassStep) -> PassSums;

    /// `‖N d‖²` in the metric `P⁻¹`, J, of the last pass. It must have been one without momentum.
    fn turn(&mut self, problem: &Ccp<N>) -> f64;

    /// Leaves only the share `lambda` of the last pass, which must have been one without momentum.
    fn shorten(&mut self, lambda: f64);

    /// The sweeps behind the passes.
    fn as_sweep(&mut self) -> &mut dyn Sweep<N>;
}
