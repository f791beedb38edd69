//! The metric `P` of the accelerated sweeps, block by block.

use crate::cone::{Block, Cone, MAX_ROWS, Metric};
use crate::norm::length;
use crate::operator::Operator;
use crate::problem::Law;
use crate::solvers::dense::{Dense, largest_eigenvalue, solve_dense};

/// Share of its trace that is added to the diagonal of a joint's block: keeps a joint that is
/// redundant in itself regular, and is far below any tolerance.
const JOINT_REGULARISATION: f64 = 1e-12;

/// Weight of a row that cannot move, as a share of the block's mean diagonal. Its impulse changes
/// nothing, so any positive weight of the block's own size will do.
const IMMOBILE_WEIGHT: f64 = 1e-3;

/// The metrics that are too large for a [`BlockMetric`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics {
    cones: Vec<Metric>,
    joints: Vec<Dense>,
}

/// `P` of one block. There are as many as contacts: the larger ones are kept elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockMetric {
    /// Weights of a contact with sliding friction only.
    Friction {
        /// Of the normal row.
        normal: f64,
        /// Of the two tangents.
        tangent: f64,
    },
    /// Weights that keep another cone a cone: which of the kept ones.
    Cone(usize),
    /// A joint: which of the kept inverses to step with.
    Joint(usize),
    /// Nothing here can move: the impulse stays.
    Fixed,
}

impl Metrics {
    /// Forgets all and keeps the memory.
    pub fn clear(&mut self) {
        self.joints.clear();
        self.cones.clear();
    }

    /// The metric of a block, from its diagonal block of N.
    pub fn of<N: Operator>(&mut self, operator: &N, block: Block, cone: &Cone) -> BlockMetric {
        let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
        operator.diagonal_block(block, &mut dense);
        self.of_block(cone, block.len(), &dense)
    }

    /// The Euclidean metric, scaled: steps of `1 / scale`.
    pub fn scaled(&mut self, scale: f64) -> BlockMetric {
        self.keep(Metric {
            normal: scale,
            parts: [scale; 3],
        })
    }

    /// A block's step from `y` with the velocity `s`, and the weights of its rows. A joint has
    /// none: its step is exact.
    #[inline]
    pub fn step(
        &self,
        metric: BlockMetric,
        cone: &Cone,
        law: Law,
        y: &[f64; MAX_ROWS],
        s: &[f64; MAX_ROWS],
    ) -> ([f64; MAX_ROWS], [f64; MAX_ROWS]) {
        let d = cone.rows();
        let stepped = |metric: &Metric| {
            let weights = row_weights(metric, cone);
            let mut next = *y;
            (0..d).for_each(|k| next[k] -= s[k] / weights[k]);
            match law {
                Law::Relaxed => cone.project_in(metric, &mut next[..d]),
                Law::Exact => cut(cone, &mut next[..d]),
            }
            (next, weights)
        };
        match metric {
            BlockMetric::Friction { normal, tangent } => stepped(&Metric {
                normal,
                parts: [tangent; 3],
            }),
            BlockMetric::Cone(index) => stepped(&self.cones[index]),
            BlockMetric::Joint(index) => {
                let inverse = &self.joints[index];
                let mut next = *y;
                for k in 0..d {
                    next[k] -= (0..d).map(|l| inverse[k * d + l] * s[l]).sum::<f64>();
                }
                (next, [0.0; MAX_ROWS])
            }
            BlockMetric::Fixed => (*y, [0.0; MAX_ROWS]),
        }
    }

    /// The weights of a block's rows; zero where it has none.
    pub fn weights(&self, metric: BlockMetric, cone: &Cone) -> [f64; MAX_ROWS] {
        match metric {
            BlockMetric::Friction { normal, tangent } => row_weights(
                &Metric {
                    normal,
                    parts: [tangent; 3],
                },
                cone,
            ),
            BlockMetric::Cone(index) => row_weights(&self.cones[index], cone),
            BlockMetric::Joint(_) | BlockMetric::Fixed => [0.0; MAX_ROWS],
        }
    }

    /// The metric of one block from its diagonal block of N.
    pub fn of_block(&mut self, cone: &Cone, d: usize, n: &Dense) -> BlockMetric {
        let diagonal = |k: usize| n[k * d + k];
        let trace: f64 = (0..d).map(diagonal).sum();
        if trace <= 0.0 {
            return BlockMetric::Fixed;
        }
        let parts = cone.parts();
        if parts.as_slice().is_empty() {
            if d == 1 {
                return self.keep(Metric {
                    normal: n[0],
                    parts: [1.0; 3],
                });
            }
            let mut matrix = *n;
            (0..d).for_each(|k| matrix[k * d + k] += JOINT_REGULARISATION * trace);
            let Some(inverse) = inverse(&matrix, d) else {
                return BlockMetric::Fixed;
            };
            self.joints.push(inverse);
            return BlockMetric::Joint(self.joints.len() - 1);
        }
        let metric = contact_metric(cone, d, n);
        match cone {
            Cone::Friction { .. } => BlockMetric::Friction {
                normal: metric.normal,
                tangent: metric.parts[0],
            },
            _ => self.keep(metric),
        }
    }

    fn keep(&mut self, metric: Metric) -> BlockMetric {
        self.cones.push(metric);
        BlockMetric::Cone(self.cones.len() - 1)
    }
}

/// The metric of a contact from its diagonal block of N, which is not zero.
pub(super) fn contact_metric(cone: &Cone, d: usize, n: &Dense) -> Metric {
    let diagonal = |k: usize| n[k * d + k];
    let mean = (0..d).map(diagonal).sum::<f64>() / d as f64;
    let mut metric = Metric {
        normal: positive(diagonal(0), mean),
        parts: [1.0; 3],
    };
    for (p, w) in cone.parts().as_slice().iter().zip(&mut metric.parts) {
        let own = (p.start..p.start + p.len).map(diagonal).sum::<f64>() / p.len as f64;
        *w = positive(own, mean);
    }
    let mut roots = row_weights(&metric, cone);
    roots[..d].iter_mut().for_each(|w| *w = 1.0 / w.sqrt());
    let mut relative = [0.0; MAX_ROWS * MAX_ROWS];
    for i in 0..d {
        for j in 0..d {
            relative[i * d + j] = n[i * d + j] * roots[i] * roots[j];
        }
    }
    let lambda = safe_largest_eigenvalue(&relative, d).max(1.0);
    metric.normal *= lambda;
    metric.parts.iter_mut().for_each(|w| *w *= lambda);
    metric
}

/// Puts a point into a cone, the normal first: then every part of friction is cut to its disc.
fn cut(cone: &Cone, x: &mut [f64]) {
    let parts = cone.parts();
    if parts.as_slice().is_empty() {
        return cone.project(x);
    }
    let cohesion = cone.cohesion();
    if x[0] < -cohesion {
        x[0] = -cohesion;
    }
    let height = x[0] + cohesion;
    for part in parts.as_slice() {
        let rows = &mut x[part.start..part.start + part.len];
        let (slip, most) = (length(rows), part.mu * height);
        if slip > most {
            rows.iter_mut().for_each(|v| *v *= most / slip);
        }
    }
}

/// A weight, or a small one where the row cannot move; `mean` is the block's mean diagonal.
fn positive(weight: f64, mean: f64) -> f64 {
    if weight > 0.0 {
        weight
    } else {
        IMMOBILE_WEIGHT * mean
    }
}

/// The weight of each row.
fn row_weights(metric: &Metric, cone: &Cone) -> [f64; MAX_ROWS] {
    let mut weights = [metric.normal; MAX_ROWS];
    for (p, w) in cone.parts().as_slice().iter().zip(metric.parts) {
        weights[p.start..p.start + p.len].fill(w);
    }
    weights
}

/// `matrix⁻¹`, or `None` if it has none.
fn inverse(matrix: &Dense, d: usize) -> Option<Dense> {
    let mut inverse = [0.0; MAX_ROWS * MAX_ROWS];
    for column in 0..d {
        let (mut a, mut unit) = (*matrix, [0.0; MAX_ROWS]);
        unit[column] = 1.0;
        if !solve_dense(&mut a, d, &mut unit[..d]) {
            return None;
        }
        (0..d).for_each(|k| inverse[k * d + column] = unit[k]);
    }
    Some(inverse)
}

/// Steps of Newton's method in [`largest_of_three`]: enough for ten digits unless two eigenvalues
/// nearly agree, and then it is still not below them.
const NEWTON_STEPS: usize = 8;

/// The largest eigenvalue of a symmetric matrix of three rows, from above: Newton's method on the
/// characteristic polynomial, which is convex beyond its largest root.
fn largest_of_three(m: &Dense) -> f64 {
    let (a, b, c) = (m[0], m[4], m[8]);
    let (d, e, f) = (m[1], m[2], m[5]);
    let trace = a + b + c;
    let minors = (a * b - d * d) + (a * c - e * e) + (b * c - f * f);
    let determinant = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e);
    let rows = [
        a.abs() + d.abs() + e.abs(),
        d.abs() + b.abs() + f.abs(),
        e.abs() + f.abs() + c.abs(),
    ];
    let mut x = rows.into_iter().fold(0.0, f64::max);
    for _ in 0..NEWTON_STEPS {
        let value = ((x - trace) * x + minors) * x - determinant;
        let slope = (3.0 * x - 2.0 * trace) * x + minors;
        // At a root, or so near that rounding decides.
        if !(value > 0.0 && slope > 0.0) {
            break;
        }
        x -= value / slope;
    }
    // Rounding may end a little below.
    x * (1.0 + 1e-10)
}

/// At least the largest eigenvalue.
fn safe_largest_eigenvalue(matrix: &Dense, d: usize) -> f64 {
    let mut off_diagonal = (0..d * d).filter(|k| k / d != k % d);
    if off_diagonal.all(|k| matrix[k].abs() < 1e-12) {
        // Spheres: the rows of a contact do not couple but for rounding, which the last factor
        // covers.
        return (0..d).map(|k| matrix[k * d + k]).fold(0.0, f64::max) * (1.0 + 1e-11);
    }
    if d == 3 {
        return largest_of_three(matrix);
    }
    // The power iteration comes out a little low.
    1.02 * largest_eigenvalue(matrix, d)
}
