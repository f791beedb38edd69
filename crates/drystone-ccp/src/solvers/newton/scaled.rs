//! The problem in equilibrated unknowns, and the natural map with its derivative there.
//!
//! Rows are scaled by `S`, one factor for a block's normal row and one for each of its parts, so that the diagonal
//! of `S N S` is about one: `gamma = S x size`, `mu_k' = mu_k s_n / s_k`. Friction cones stay friction cones and both
//! laws keep their form.

use super::smoothing::smoothed_projection;
use crate::cone::{Block, Cone, MAX_ROWS};
use crate::operator::Operator;
use crate::problem::Ccp;

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

/// Which natural map: of which law, and how smooth.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapKind {
    /// Weight of De Saxcé's term: 0 for the relaxed law, 1 for the exact one.
    pub slip: f64,
    /// Smoothing of the projection and of `‖u_k‖`, in scaled units; 0 for none.
    pub epsilon: f64,
}

/// The natural map at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct MapPoint {
    /// The point.
    pub x: Vec<f64>,
    /// `N x + q`.
    pub u: Vec<f64>,
    /// `x − û`: what is projected.
    pub y: Vec<f64>,
    /// `x − Π(x − û)`.
    pub f: Vec<f64>,
    /// `‖f‖₂`.
    pub norm: f64,
}

impl MapPoint {
    pub fn resize(&mut self, n: usize) {
        for v in [&mut self.x, &mut self.u, &mut self.y, &mut self.f] {
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
        let MapKind { slip, epsilon } = kind;
        let mut squares = 0.0;
        for (i, (block, cone)) in self.blocks.iter().enumerate() {
            let rows = block.rows();
            let columns = &self.columns[i];
            for (k, row) in rows.clone().enumerate() {
                let values = &self.values[i][k * columns.len()..(k + 1) * columns.len()];
                let product: f64 = columns
                    .iter()
                    .zip(values)
                    .map(|(&j, v)| v * point.x[j])
                    .sum();
                point.u[row] = product + self.q[row];
            }
            let shift = slip * smoothed_shift(cone, epsilon, &point.u[rows.clone()]);
            let mut p = [0.0; MAX_ROWS];
            for (k, row) in rows.clone().enumerate() {
                point.y[row] = point.x[row] - point.u[row] - if k == 0 { shift } else { 0.0 };
                p[k] = point.y[row];
            }
            if epsilon > 0.0 {
                let mut unused = [0.0; MAX_ROWS * MAX_ROWS];
                smoothed_projection(cone, epsilon, &mut p[..block.len()], &mut unused);
            } else {
                cone.project(&mut p[..block.len()]);
            }
            for (k, row) in rows.enumerate() {
                point.f[row] = point.x[row] - p[k];
                squares += point.f[row] * point.f[row];
            }
        }
        point.norm = squares.sqrt();
    }

    /// Block row `i` of the map's derivative, `(I − V) + V B N`, row-major over `columns[i]`.
    pub fn derivative(&self, i: usize, kind: MapKind, point: &MapPoint, out: &mut [f64]) {
        let MapKind { slip, epsilon } = kind;
        let (block, cone) = &self.blocks[i];
        let d = block.len();
        let columns = &self.columns[i];
        let width = columns.len();
        let mut v = [0.0; MAX_ROWS * MAX_ROWS];
        if epsilon > 0.0 {
            let mut p = [0.0; MAX_ROWS];
            p[..d].copy_from_slice(&point.y[block.rows()]);
            smoothed_projection(cone, epsilon, &mut p[..d], &mut v);
        } else {
            cone.projection_jacobian(&point.y[block.rows()], &mut v);
        }
        // V B: only the normal column of V meets De Saxcé's term.
        let mut vb = v;
        for p in cone.parts().as_slice() {
            let t = &point.u[block.start + p.start..block.start + p.start + p.len];
            let length = (t.iter().map(|x| x * x).sum::<f64>() + epsilon * epsilon).sqrt();
            if slip > 0.0 && length > 0.0 {
                for k in 0..d {
                    for (j, t) in t.iter().enumerate() {
                        vb[k * d + p.start + j] += slip * p.mu * v[k * d] * t / length;
                    }
                }
            }
        }
        out.fill(0.0);
        for k in 0..d {
            let row = &mut out[k * width..(k + 1) * width];
            for l in 0..d {
                let factor = vb[k * d + l];
                if factor != 0.0 {
                    let values = &self.values[i][l * width..(l + 1) * width];
                    row.iter_mut()
                        .zip(values)
                        .for_each(|(o, n)| *o += factor * n);
                }
            }
            let first = columns
                .binary_search(&block.start)
                .expect("a block's own columns are stored");
            for l in 0..d {
                row[first + l] += f64::from(k == l) - v[k * d + l];
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

/// `Σ mu_k √(‖u_k‖² + ε²)`.
fn smoothed_shift(cone: &Cone, epsilon: f64, u: &[f64]) -> f64 {
    let parts = cone.parts();
    let length = |p: &crate::cone::Part| {
        (u[p.start..p.start + p.len]
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
            + epsilon * epsilon)
            .sqrt()
    };
    parts.as_slice().iter().map(|p| p.mu * length(p)).sum()
}
