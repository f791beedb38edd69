//! The problem as the interior point sees it: scaled unknowns `x` and a list of second-order cones.
//!
//! `gamma = base + beta S x` with one scale for a block's normal row and one for each friction
//! part, so that every diagonal entry of `S N S` is about one and a friction cone stays one, with
//! `mu' = mu s_n / s_t`. Rows that cannot move (a part with `mu = 0`, an interval of one point)
//! have scale zero and stay at `base`. `beta` brings the data to size one.
//!
//! Each [`ConeCondition`] says `(c x_n + shift, x_t) ∈ C`; together they are the affine map
//! `s = A x + a` of the head of `interior_point`. A block with several parts has one condition for
//! each: the intersection of their cones. The scaling is ours; its purpose is that one barrier
//! parameter and one regularisation fit problems in any units.

use super::scaling::ConePoint;
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::operator::Operator;
use crate::problem::Ccp;
use crate::reduce::Reduce;

/// One cone condition on the rows of one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConeCondition {
    /// First row of the block.
    pub start: usize,
    /// Row of the cone's axis.
    pub normal: usize,
    /// First row of its tail.
    pub tangent: usize,
    /// Rows of its tail, 0 to 2.
    pub len: usize,
    /// What the axis row is multiplied by.
    pub coefficient: f64,
    /// What is added to it.
    pub shift: f64,
}

impl ConeCondition {
    /// The linear part of the map: `A x`.
    pub fn linear(&self, x: &[f64]) -> ConePoint {
        let mut s = [self.coefficient * x[self.normal], 0.0, 0.0];
        s[1..1 + self.len].copy_from_slice(&x[self.tangent..self.tangent + self.len]);
        s
    }

    /// `s = A x + a`.
    pub fn slack(&self, x: &[f64]) -> ConePoint {
        let mut s = self.linear(x);
        s[0] += self.shift;
        s
    }

    /// `out += Aᵀ z`.
    pub fn add_transposed(&self, z: &ConePoint, out: &mut [f64]) {
        out[self.normal] += self.coefficient * z[0];
        for k in 0..self.len {
            out[self.tangent + k] += z[1 + k];
        }
    }

    /// `fᵀ A` as a row over the block's own unknowns.
    pub fn pull_back(&self, f: &ConePoint, row: &mut [f64]) {
        row.fill(0.0);
        row[self.normal - self.start] = self.coefficient * f[0];
        for k in 0..self.len {
            row[self.tangent - self.start + k] = f[1 + k];
        }
    }
}

/// Scales, cones and the gradient at zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// `s_i`; zero where the row is pinned.
    pub scale: Vec<f64>,
    /// Where pinned rows stay; zero elsewhere.
    base: Vec<f64>,
    /// Size of the unknowns.
    beta: f64,
    /// Ordered by block.
    pub conditions: Vec<ConeCondition>,
    /// `conditions[first[i]..first[i + 1]]` belong to block `i`.
    pub first: Vec<usize>,
    /// Euclidean length of the scaled gradient at `base`, over all processes.
    pub gradient_size: f64,
}

impl Model {
    /// Scales a problem.
    pub fn new<N: Operator>(problem: &Ccp<N>, reduce: &dyn Reduce) -> Self {
        let n = problem.dim();
        let whole = problem.mean_diagonal(reduce);
        let mut this = Self {
            scale: vec![0.0; n],
            base: vec![0.0; n],
            beta: 1.0,
            ..Self::default()
        };
        for (block, cone) in problem.cones().iter() {
            this.scale_block(problem, whole, block, cone);
        }
        let mut gradient = vec![0.0; n];
        problem.velocity(&this.base, &mut gradient);
        (0..n).for_each(|i| gradient[i] *= this.scale[i]);
        let largest = reduce.max(gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs())));
        if largest > 0.0 {
            this.beta = largest;
        }
        let squares: f64 = gradient.iter().map(|g| g * g).sum();
        this.gradient_size = reduce.sum(squares).sqrt() / this.beta;
        this.first.push(0);
        for (block, cone) in problem.cones().iter() {
            this.add_conditions(block, cone);
            this.first.push(this.conditions.len());
        }
        this
    }

    /// Scales one block; `whole` is the mean diagonal of the whole N.
    fn scale_block<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        whole: f64,
        block: Block,
        cone: &Cone,
    ) {
        let d = block.len();
        let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
        problem.operator().diagonal_block(block, &mut dense);
        let mean = |rows: std::ops::Range<usize>| {
            let count = rows.len() as f64;
            let mean = rows.map(|k| dense[k * d + k]).sum::<f64>() / count;
            // A row that nothing can move: any scale will do.
            if mean > 0.0 {
                1.0 / mean.sqrt()
            } else {
                1.0 / whole.sqrt()
            }
        };
        let scale = &mut self.scale[block.rows()];
        match *cone {
            Cone::Free { .. } => (0..d).for_each(|k| scale[k] = mean(k..k + 1)),
            Cone::Interval { lower, upper } if lower == upper => self.base[block.start] = lower,
            Cone::NonNegative | Cone::Interval { .. } => scale[0] = mean(0..1),
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
                scale[0] = mean(0..1);
                for part in cone.parts().as_slice().iter().filter(|p| p.mu > 0.0) {
                    let rows = part.start..part.start + part.len;
                    scale[rows.clone()].fill(mean(rows));
                }
            }
        }
    }

    /// The cone conditions of one block.
    fn add_conditions(&mut self, block: Block, cone: &Cone) {
        let start = block.start;
        let unit = self.beta * self.scale[start];
        let line = |coefficient: f64, shift: f64| ConeCondition {
            start,
            normal: start,
            tangent: start,
            len: 0,
            coefficient,
            shift,
        };
        match *cone {
            Cone::Free { .. } => {}
            Cone::NonNegative => self.conditions.push(line(1.0, 0.0)),
            Cone::Interval { lower, upper } if lower == upper => {}
            Cone::Interval { lower, upper } => {
                if lower.is_finite() {
                    self.conditions.push(line(1.0, -lower / unit));
                }
                if upper.is_finite() {
                    self.conditions.push(line(-1.0, upper / unit));
                }
            }
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
                let tip = cone.cohesion() / unit;
                let before = self.conditions.len();
                for part in cone.parts().as_slice().iter().filter(|p| p.mu > 0.0) {
                    let tangent = start + part.start;
                    let coefficient = part.mu * self.scale[start] / self.scale[tangent];
                    self.conditions.push(ConeCondition {
                        start,
                        normal: start,
                        tangent,
                        len: part.len,
                        coefficient,
                        shift: coefficient * tip,
                    });
                }
                if self.conditions.len() == before {
                    self.conditions.push(line(1.0, tip)); // frictionless
                }
            }
        }
    }

    /// `gamma = base + beta S x`.
    pub fn impulses(&self, x: &[f64], gamma: &mut [f64]) {
        for i in 0..x.len() {
            gamma[i] = self.base[i] + self.beta * self.scale[i] * x[i];
        }
    }

    /// The gradient by `x` from the velocity: `S u / beta`.
    pub fn gradient(&self, velocity: &[f64], out: &mut [f64]) {
        for i in 0..velocity.len() {
            out[i] = self.scale[i] * velocity[i] / self.beta;
        }
    }

    /// Moves `x`, inside the cones, to `share` of itself and `1 − share` of `gamma`'s unknowns.
    pub fn blend(&self, gamma: &[f64], share: f64, x: &mut [f64]) {
        for i in 0..x.len() {
            if self.scale[i] > 0.0 {
                let own = (gamma[i] - self.base[i]) / (self.beta * self.scale[i]);
                x[i] = share * x[i] + (1.0 - share) * own;
            }
        }
    }

    /// A point in the middle of every cone, at height `load` above its tip.
    pub fn middle<N: Operator>(&self, problem: &Ccp<N>, load: f64, x: &mut [f64]) {
        x.fill(0.0);
        for (block, cone) in problem.cones().iter() {
            let unit = self.beta * self.scale[block.start];
            let x = &mut x[block.start];
            match *cone {
                Cone::Free { .. } => {}
                Cone::Interval { lower, upper } if lower == upper => {}
                Cone::Interval { lower, upper } => {
                    // As near to zero as leaves some room on both sides.
                    let (lower, upper) = (lower / unit, upper / unit);
                    let room = (0.5 * (upper - lower)).min(load);
                    *x = 0.0_f64.max(lower + room).min(upper - room);
                }
                Cone::NonNegative => *x = load,
                Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
                    *x = load;
                }
            }
        }
    }
}
