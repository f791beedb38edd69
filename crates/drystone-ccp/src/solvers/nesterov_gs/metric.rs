//! The metric `P` of the accelerated sweeps, block by block.

use super::super::dense::{Dense, largest_eigenvalue, solve_dense};
use crate::cone::{Cone, MAX_ROWS, Metric};
use crate::operator::Operator;
use crate::problem::Ccp;

/// Share of its trace that is added to the diagonal of a joint's block: keeps a joint that is
/// redundant in itself regular, and is far below any tolerance.
const JOINT_REGULARISATION: f64 = 1e-12;

/// Weight of a row that cannot move, as a share of the block's mean diagonal. Its impulse changes
/// nothing, so any positive weight of the block's own size will do.
const IMMOBILE_WEIGHT: f64 = 1e-3;

/// The metrics of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Metrics {
    pub blocks: Vec<BlockMetric>,
    pub cones: Vec<Metric>,
    pub joints: Vec<Dense>,
}

/// `P` of one block. There are as many as contacts: the larger ones are kept elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockMetric {
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
    /// Takes them from the diagonal blocks of N.
    pub fn prepare<N: Operator>(&mut self, problem: &Ccp<N>) {
        self.blocks.clear();
        self.joints.clear();
        self.cones.clear();
        let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
        for (block, cone) in problem.cones().iter() {
            problem.operator().diagonal_block(block, &mut dense);
            let metric = self.of_block(cone, block.len(), &dense);
            self.blocks.push(metric);
        }
    }

    /// The metric of one block from its diagonal block of N.
    fn of_block(&mut self, cone: &Cone, d: usize, n: &Dense) -> BlockMetric {
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
        let positive = |a: f64| {
            if a > 0.0 {
                a
            } else {
                IMMOBILE_WEIGHT * trace / d as f64
            }
        };
        let mut metric = Metric {
            normal: positive(diagonal(0)),
            parts: [1.0; 3],
        };
        for (p, w) in parts.as_slice().iter().zip(&mut metric.parts) {
            *w = positive((p.start..p.start + p.len).map(diagonal).sum::<f64>() / p.len as f64);
        }
        let weights = row_weights(&metric, cone);
        let mut relative = [0.0; MAX_ROWS * MAX_ROWS];
        for i in 0..d {
            for j in 0..d {
                relative[i * d + j] = n[i * d + j] / (weights[i] * weights[j]).sqrt();
            }
        }
        let lambda = safe_largest_eigenvalue(&relative, d).max(1.0);
        metric.normal *= lambda;
        metric.parts.iter_mut().for_each(|w| *w *= lambda);
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

/// The weight of each row.
pub(super) fn row_weights(metric: &Metric, cone: &Cone) -> [f64; MAX_ROWS] {
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

/// At least the largest eigenvalue.
fn safe_largest_eigenvalue(matrix: &Dense, d: usize) -> f64 {
    let mut off_diagonal = (0..d * d).filter(|k| k / d != k % d);
    if off_diagonal.all(|k| matrix[k].abs() < 1e-12) {
        // Spheres: the rows of a contact do not couple but for rounding, which the last factor
        // covers.
        return (0..d).map(|k| matrix[k * d + k]).fold(0.0, f64::max) * (1.0 + 1e-11);
    }
    // The power iteration comes out a little low.
    1.02 * largest_eigenvalue(matrix, d)
}
