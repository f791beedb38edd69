//! The problem in equilibrated unknowns, and the natural map with its derivative there.
//!
//! Rows are scaled by `S`, one factor for a block's normal row and one for each of its parts, so
//! that the diagonal of `S N S` is about one: `gamma = S x size`, `mu_k' = mu_k s_n / s_k`.
//! Friction cones stay friction cones and both laws keep their form. With that scaling the step
//! length of the maps (`rho` in the papers' `P(gamma − rho u)`) is one.
//!
//! The whole matrix is assembled: for one process.

use super::smoothing::{alart_curnier, smoothed_projection};
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};
use crate::reduce::Reduce;

/// `S N S` by block rows, `S r`, and the scaled cones.
pub(super) struct ScaledProblem {
    /// The scaled cones with their rows.
    pub blocks: Vec<(Block, Cone)>,
    /// Columns of each block row, ascending.
    pub columns: Vec<Vec<usize>>,
    /// Values of each block row: `rows × columns`, row-major.
    values: Vec<Vec<f64>>,
    /// Share of each block in the smoothing: 1, or what [`Self::set_weights`] made of it.
    weights: Vec<f64>,
    q: Vec<f64>,
    scale: Vec<f64>,
    /// `gamma = scale · size · x`.
    size: f64,
}

/// The map `P` of the head of `newton`: of which law, and how smooth.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactMap {
    /// The projection for the relaxed law, Alart and Curnier's map for the exact one.
    pub law: Law,
    /// Smoothing, in scaled units; 0 for none.
    pub epsilon: f64,
}

impl ContactMap {
    /// `P(y)` in place, and its derivative. `weight` is the block's share of the smoothing.
    fn apply(mut self, weight: f64, cone: &Cone, y: &mut [f64], jacobian: &mut [f64]) {
        self.epsilon *= weight;
        match self.law {
            Law::Relaxed if self.epsilon > 0.0 => {
                smoothed_projection(cone, self.epsilon, y, jacobian);
            }
            Law::Relaxed => {
                cone.projection_jacobian(y, jacobian);
                cone.project(y);
            }
            Law::Exact => alart_curnier(cone, self.epsilon, y, jacobian),
        }
    }
}

/// The natural map at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct MapPoint {
    /// The point.
    pub x: Vec<f64>,
    /// `x − (N x + q)`: what is mapped.
    pub y: Vec<f64>,
    /// `x − P(y)`.
    pub f: Vec<f64>,
    /// `‖f‖₂`.
    pub norm: f64,
}

impl MapPoint {
    /// Zeros of length `n`.
    pub fn resize(&mut self, n: usize) {
        for v in [&mut self.x, &mut self.y, &mut self.f] {
            v.clear();
            v.resize(n, 0.0);
        }
    }
}

impl ScaledProblem {
    /// Assembles and scales.
    pub fn new<N: Operator>(problem: &Ccp<N>, reduce: &dyn Reduce) -> Self {
        let n = problem.dim();
        let matrix = problem.operator().to_csr();
        let mut scale = vec![1.0; n];
        for (block, cone) in problem.cones().iter() {
            block_scale(&|i| matrix.get(i, i), block, cone, &mut scale);
        }
        let q: Vec<f64> = (0..n).map(|i| scale[i] * problem.r()[i]).collect();
        let size = pressing(problem, &scale, &q, reduce);
        let mut this = Self {
            blocks: Vec::with_capacity(problem.cones().len()),
            columns: Vec::with_capacity(problem.cones().len()),
            values: Vec::with_capacity(problem.cones().len()),
            weights: vec![1.0; problem.cones().len()],
            q: q.iter().map(|v| v / size).collect(),
            scale,
            size,
        };
        for (block, cone) in problem.cones().iter() {
            let mut columns: Vec<usize> = block
                .rows()
                .flat_map(|i| matrix.row(i).0.iter().copied())
                .chain(block.rows())
                .collect();
            columns.sort_unstable();
            columns.dedup();
            let mut values = Vec::with_capacity(block.len() * columns.len());
            for i in block.rows() {
                values.extend(
                    columns
                        .iter()
                        .map(|&j| this.scale[i] * matrix.get(i, j) * this.scale[j]),
                );
            }
            let cone = scaled_cone(cone, &this.scale[block.rows()], size);
            this.blocks.push((block, cone));
            this.columns.push(columns);
            this.values.push(values);
        }
        this
    }

    /// Gives each block its own share of the smoothing, so that the path of the continuation is
    /// another one.
    pub fn set_weights(&mut self, mut weight: impl FnMut() -> f64) {
        self.weights.iter_mut().for_each(|w| *w = weight());
    }

    /// Number of rows.
    pub fn dim(&self) -> usize {
        self.q.len()
    }

    /// `x` of `gamma`.
    pub fn to_scaled(&self, gamma: &[f64], x: &mut [f64]) {
        for i in 0..x.len() {
            x[i] = gamma[i] / (self.scale[i] * self.size);
        }
    }

    /// `gamma` of `x`.
    pub fn to_original(&self, x: &[f64], gamma: &mut [f64]) {
        for i in 0..x.len() {
            gamma[i] = x[i] * self.scale[i] * self.size;
        }
    }

    /// Evaluates `F` at `point.x`.
    pub fn evaluate(&self, map: ContactMap, reduce: &dyn Reduce, point: &mut MapPoint) {
        let mut squares = 0.0;
        let mut unused = [0.0; MAX_ROWS * MAX_ROWS];
        for (i, (block, cone)) in self.blocks.iter().enumerate() {
            let columns = &self.columns[i];
            let mut p = [0.0; MAX_ROWS];
            for (k, row) in block.rows().enumerate() {
                let values = &self.values[i][k * columns.len()..(k + 1) * columns.len()];
                let product: f64 = columns
                    .iter()
                    .zip(values)
                    .map(|(&j, v)| v * point.x[j])
                    .sum();
                point.y[row] = point.x[row] - (product + self.q[row]);
                p[k] = point.y[row];
            }
            map.apply(self.weights[i], cone, &mut p[..block.len()], &mut unused);
            for (k, row) in block.rows().enumerate() {
                point.f[row] = point.x[row] - p[k];
                squares += point.f[row] * point.f[row];
            }
        }
        point.norm = reduce.sum(squares).sqrt();
    }

    /// Block row `i` of `J = (I − V) + V N`, row-major over `columns[i]`, where `V` is the
    /// derivative of `P` at `y`: an element of the generalised derivative of `F`.
    pub fn derivative(&self, i: usize, map: ContactMap, point: &MapPoint, out: &mut [f64]) {
        let (block, cone) = &self.blocks[i];
        let d = block.len();
        let columns = &self.columns[i];
        let width = columns.len();
        let mut p = [0.0; MAX_ROWS];
        let mut v = [0.0; MAX_ROWS * MAX_ROWS];
        p[..d].copy_from_slice(&point.y[block.rows()]);
        map.apply(self.weights[i], cone, &mut p[..d], &mut v);
        out.fill(0.0);
        let first = columns
            .binary_search(&block.start)
            .expect("a block's own columns are stored");
        for k in 0..d {
            let row = &mut out[k * width..(k + 1) * width];
            for l in 0..d {
                let factor = v[k * d + l];
                if factor != 0.0 {
                    let values = &self.values[i][l * width..(l + 1) * width];
                    row.iter_mut()
                        .zip(values)
                        .for_each(|(o, n)| *o += factor * n);
                }
                row[first + l] += f64::from(k == l) - factor;
            }
        }
    }
}

/// How hard the problem presses: `‖Π(−S r)‖`, so that open contacts far from closing do not count.
fn pressing<N: Operator>(problem: &Ccp<N>, scale: &[f64], q: &[f64], reduce: &dyn Reduce) -> f64 {
    let mut squares = 0.0;
    for (block, cone) in problem.cones().iter() {
        let mut p = [0.0; MAX_ROWS];
        for (p, q) in p.iter_mut().zip(&q[block.rows()]) {
            *p = -q;
        }
        let p = &mut p[..block.len()];
        scaled_cone(&cone.without_cohesion(), &scale[block.rows()], 1.0).project(p);
        squares += p.iter().map(|x| x * x).sum::<f64>();
    }
    let squares = reduce.sum(squares);
    if squares > 0.0 { squares.sqrt() } else { 1.0 }
}

/// One factor for the normal row (for every row of a block without parts), one for each part.
fn block_scale(diagonal: &dyn Fn(usize) -> f64, block: Block, cone: &Cone, scale: &mut [f64]) {
    let inverse_root = |mean: f64| if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 };
    let parts = cone.parts();
    let normals = if parts.as_slice().is_empty() {
        block.rows()
    } else {
        block.start..block.start + 1
    };
    for i in normals {
        scale[i] = inverse_root(diagonal(i));
    }
    for p in parts.as_slice() {
        let rows = block.start + p.start..block.start + p.start + p.len;
        let mean = rows.clone().map(diagonal).sum::<f64>() / p.len as f64;
        scale[rows].fill(inverse_root(mean));
    }
}

/// The cone of `x = gamma / (scale · size)`.
fn scaled_cone(cone: &Cone, scale: &[f64], size: f64) -> Cone {
    let mu = |mu: f64, part: usize| mu * scale[0] / scale[part];
    let length = |value: f64| value / (scale[0] * size);
    match *cone {
        Cone::Free { rows } => Cone::Free { rows },
        Cone::NonNegative => Cone::NonNegative,
        Cone::Interval { lower, upper } => Cone::Interval {
            lower: length(lower),
            upper: length(upper),
        },
        Cone::Friction { friction, cohesion } => Cone::Friction {
            friction: mu(friction, 1),
            cohesion: length(cohesion),
        },
        Cone::Rolling {
            friction,
            rolling,
            cohesion,
        } => Cone::Rolling {
            friction: mu(friction, 1),
            rolling: mu(rolling, 3),
            cohesion: length(cohesion),
        },
        Cone::RollingSpinning {
            friction,
            rolling,
            spinning,
            cohesion,
        } => Cone::RollingSpinning {
            friction: mu(friction, 1),
            rolling: mu(rolling, 3),
            spinning: mu(spinning, 5),
            cohesion: length(cohesion),
        },
    }
}
