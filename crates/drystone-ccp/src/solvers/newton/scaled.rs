//! The problem in equilibrated unknowns, and the natural map with its derivative there.
//!
//! Rows are scaled by `S`, one factor for a block's normal row and one for each of its parts, so that the diagonal
//! of `S N S` is about one: `gamma = S x size`, `mu_k' = mu_k s_n / s_k`. Friction cones stay friction cones and both
//! laws keep their form.

use super::smoothing::{alart_curnier, smoothed_projection};
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};

/// `S N S` by block rows, `S r`, and the scaled cones.
pub(super) struct Scaled {
    /// The scaled cones with their rows.
    pub blocks: Vec<(Block, Cone)>,
    /// Columns of each block row, ascending.
    pub columns: Vec<Vec<usize>>,
    /// Values of each block row: `rows × columns`, row-major.
    values: Vec<Vec<f64>>,
    q: Vec<f64>,
    scale: Vec<f64>,
    /// `gamma = scale · size · x`.
    size: f64,
}

/// Which map: of which law, and how smooth.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapKind {
    /// The projection for the relaxed law, Alart and Curnier's map for the exact one.
    pub law: Law,
    /// Smoothing, in scaled units; 0 for none.
    pub epsilon: f64,
}

impl MapKind {
    /// The map in place, and its derivative.
    fn map(self, cone: &Cone, y: &mut [f64], jacobian: &mut [f64]) {
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
    pub fn resize(&mut self, n: usize) {
        for v in [&mut self.x, &mut self.y, &mut self.f] {
            v.clear();
            v.resize(n, 0.0);
        }
    }
}

impl Scaled {
    pub fn new<N: Operator>(problem: &Ccp<N>) -> Self {
        let n = problem.dim();
        let matrix = problem.operator().to_csr();
        let mut scale = vec![1.0; n];
        for (block, cone) in problem.cones().iter() {
            block_scale(&|i| matrix.get(i, i), block, cone, &mut scale);
        }
        let q: Vec<f64> = (0..n).map(|i| scale[i] * problem.r()[i]).collect();
        let size = q.iter().map(|v| v * v).sum::<f64>().sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        let mut this = Self {
            blocks: Vec::with_capacity(problem.cones().len()),
            columns: Vec::with_capacity(problem.cones().len()),
            values: Vec::with_capacity(problem.cones().len()),
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

    pub fn dim(&self) -> usize {
        self.q.len()
    }

    pub fn to_scaled(&self, gamma: &[f64], x: &mut [f64]) {
        for i in 0..x.len() {
            x[i] = gamma[i] / (self.scale[i] * self.size);
        }
    }

    pub fn to_original(&self, x: &[f64], gamma: &mut [f64]) {
        for i in 0..x.len() {
            gamma[i] = x[i] * self.scale[i] * self.size;
        }
    }

    /// Evaluates the map at `point.x`.
    pub fn evaluate(&self, kind: MapKind, point: &mut MapPoint) {
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
            kind.map(cone, &mut p[..block.len()], &mut unused);
            for (k, row) in block.rows().enumerate() {
                point.f[row] = point.x[row] - p[k];
                squares += point.f[row] * point.f[row];
            }
        }
        point.norm = squares.sqrt();
    }

    /// Block row `i` of the map's derivative `(I − V) + V N`, row-major over `columns[i]`.
    pub fn derivative(&self, i: usize, kind: MapKind, point: &MapPoint, out: &mut [f64]) {
        let (block, cone) = &self.blocks[i];
        let d = block.len();
        let columns = &self.columns[i];
        let width = columns.len();
        let mut p = [0.0; MAX_ROWS];
        let mut v = [0.0; MAX_ROWS * MAX_ROWS];
        p[..d].copy_from_slice(&point.y[block.rows()]);
        kind.map(cone, &mut p[..d], &mut v);
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
