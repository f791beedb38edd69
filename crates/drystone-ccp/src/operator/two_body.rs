//! N matrix-free: `N = Dᵀ M⁻¹ D + E` from two-body Jacobian blocks and per-body inverse inertia.

use std::sync::Mutex;

use super::{BlockSparse, Operator, for_each_block};
use crate::ProblemError;
use crate::cone::{Block, MAX_ROWS};
use crate::reduce::{CHUNK, Reduce, in_parallel, ordered_sum};
use crate::sparse::Csr;

/// In place of a body index: the world, or any body that does not move.
pub const NO_BODY: usize = usize::MAX;

/// Degrees of freedom of a body: three linear, three angular.
const DOF: usize = 6;

/// What resists a body's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyInertia {
    /// 1 / mass, 1/kg.
    pub inverse_mass: f64,
    /// Inverse inertia in the frame of the Jacobians' angular columns, row-major, 1/(kg m²). Symmetric.
    pub inverse_inertia: [[f64; 3]; 3],
}

impl BodyInertia {
    /// A body whose inertia is the same about all axes.
    pub fn isotropic(mass: f64, inertia: f64) -> Self {
        Self::diagonal(1.0 / mass, [1.0 / inertia; 3])
    }

    /// From the inverse mass and the inverse principal inertias.
    pub fn diagonal(inverse_mass: f64, [x, y, z]: [f64; 3]) -> Self {
        Self {
            inverse_mass,
            inverse_inertia: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        }
    }

    /// Mass and inertia. `None` for a body that can turn about some axes only: its inertia has no inverse.
    fn inverse(&self) -> Option<Inertia> {
        let mass = if self.inverse_mass > 0.0 {
            1.0 / self.inverse_mass
        } else {
            0.0 // does not move, so has no energy
        };
        let [[a, b, c], [d, e, f], [g, h, i]] = self.inverse_inertia;
        let size = (a + e + i) / 3.0;
        if size == 0.0 {
            let inertia = [[0.0; 3]; 3];
            return Some(Inertia { mass, inertia });
        }
        let minors = [e * i - f * h, c * h - b * i, b * f - c * e];
        let determinant = a * minors[0] + d * minors[1] + g * minors[2];
        if determinant <= 1e-9 * size * size * size {
            return None;
        }
        let rows = [
            minors,
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ];
        let inertia = rows.map(|row| row.map(|x| x / determinant));
        Some(Inertia { mass, inertia })
    }

    /// Says what is wrong with the numbers, if anything.
    fn check(&self, body: usize) -> Result<(), ProblemError> {
        let numbers = std::iter::once(self.inverse_mass)
            .chain(self.inverse_inertia.iter().flatten().copied());
        if let Some(value) = numbers.into_iter().find(|v| !v.is_finite()) {
            let what = "inverse inertia of body";
            return Err(ProblemError::NotFinite {
                what,
                index: body,
                value,
            });
        }
        let n = &self.inverse_inertia;
        let diagonal = [self.inverse_mass, n[0][0], n[1][1], n[2][2]];
        if let Some(&value) = diagonal.iter().find(|v| **v < 0.0) {
            return Err(ProblemError::Inertia { body, value });
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            // Symmetric to rounding, and no entry off the diagonal beyond what a semidefinite matrix can have.
            let bound = (n[i][i] * n[j][j]).sqrt();
            let skew = (n[i][j] - n[j][i]).abs() > 1e-9 * (n[i][i] + n[j][j]);
            if skew || n[i][j].abs() > bound * (1.0 + 1e-9) {
                return Err(ProblemError::InertiaForm {
                    body,
                    row: i,
                    column: j,
                    value: n[i][j],
                });
            }
        }
        Ok(())
    }

    /// `M⁻¹ p` of a linear and an angular part.
    fn times(&self, p: &[f64; DOF]) -> [f64; DOF] {
        let [x, y, z] = self.inverse_inertia;
        let row = |r: [f64; 3]| r[0] * p[3] + r[1] * p[4] + r[2] * p[5];
        let m = self.inverse_mass;
        [m * p[0], m * p[1], m * p[2], row(x), row(y), row(z)]
    }
}

/// The inverse of a [`BodyInertia`].
#[derive(Clone, Copy, Debug)]
struct Inertia {
    mass: f64,
    inertia: [[f64; 3]; 3],
}

impl Inertia {
    /// `vᵀ M v`.
    fn energy(&self, v: &[f64; DOF]) -> f64 {
        let row = |r: [f64; 3]| r[0] * v[3] + r[1] * v[4] + r[2] * v[5];
        let [x, y, z] = self.inertia;
        self.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            + (v[3] * row(x) + v[4] * row(y) + v[5] * row(z))
    }
}

/// The rows of one contact or joint: their Jacobian with respect to two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoBodyBlock {
    /// The two bodies; [`NO_BODY`] for the world.
    pub bodies: [usize; 2],
    /// A row each: the row's derivative by the six velocities of the first body, then of the second.
    pub rows: Vec<[f64; 12]>,
    /// Compliance of each row: what E adds to the diagonal of N. Empty for none.
    pub compliance: Vec<f64>,
}

/// One block a contact or joint, each between at most two bodies.
#[derive(Debug)]
pub struct TwoBody {
    bodies: Vec<BodyInertia>,
    /// Inverses of `bodies`, if all have one.
    inertias: Option<Vec<Inertia>>,
    offsets: Vec<usize>,
    pairs: Vec<[usize; 2]>,
    /// Row after row.
    jacobian: Vec<[f64; 12]>,
    /// Diagonal of E, row after row.
    compliance: Vec<f64>,
    /// Whether any entry of E is not zero.
    compliant: bool,
    /// `touches[starts[b]..starts[b + 1]]`: the blocks at body `b` with the body's side, in block order.
    starts: Vec<usize>,
    touches: Vec<(usize, usize)>,
    /// Body velocities for `apply`; behind a lock because `apply` borrows the operator shared.
    scratch: Mutex<Vec<f64>>,
}

impl TwoBody {
    /// Checks indices, lengths and numbers.
    pub fn new(bodies: Vec<BodyInertia>, blocks: &[TwoBodyBlock]) -> Result<Self, ProblemError> {
        for (index, body) in bodies.iter().enumerate() {
            body.check(index)?;
        }
        let rows = blocks.iter().map(|b| b.rows.len()).sum();
        let mut this = Self {
            offsets: Vec::with_capacity(blocks.len() + 1),
            pairs: Vec::with_capacity(blocks.len()),
            jacobian: Vec::with_capacity(rows),
            compliance: Vec::with_capacity(rows),
            starts: vec![0; bodies.len() + 1],
            touches: Vec::new(),
            scratch: Mutex::new(vec![0.0; DOF * bodies.len()]),
            inertias: bodies.iter().map(BodyInertia::inverse).collect(),
            compliant: blocks.iter().flat_map(|b| &b.compliance).any(|&e| e != 0.0),
            bodies,
        };
        this.offsets.push(0);
        for (index, block) in blocks.iter().enumerate() {
            this.push(index, block)?;
        }
        this.index_bodies();
        Ok(this)
    }

    fn push(&mut self, index: usize, block: &TwoBodyBlock) -> Result<(), ProblemError> {
        if block.rows.is_empty() || block.rows.len() > MAX_ROWS {
            return Err(ProblemError::BlockRows {
                block: index,
                rows: block.rows.len(),
            });
        }
        if !block.compliance.is_empty() && block.compliance.len() != block.rows.len() {
            return Err(ProblemError::Length {
                what: "compliance of a block",
                found: block.compliance.len(),
                expected: block.rows.len(),
            });
        }
        if let Some(&body) = block
            .bodies
            .iter()
            .find(|&&b| b != NO_BODY && b >= self.bodies.len())
        {
            return Err(ProblemError::NoSuchBody {
                block: index,
                body,
                bodies: self.bodies.len(),
            });
        }
        if block.bodies[0] == block.bodies[1] && block.bodies[0] != NO_BODY {
            return Err(ProblemError::SameBody {
                block: index,
                body: block.bodies[0],
            });
        }
        for row in &block.rows {
            if let Some(&value) = row.iter().find(|v| !v.is_finite()) {
                return Err(ProblemError::NotFinite {
                    what: "Jacobian of block",
                    index,
                    value,
                });
            }
        }
        if let Some(&value) = block
            .compliance
            .iter()
            .find(|e| !(e.is_finite() && **e >= 0.0))
        {
            return Err(ProblemError::Cone {
                block: index,
                what: "compliance",
                value,
                expected: "a finite number >= 0",
            });
        }
        self.pairs.push(block.bodies);
        self.jacobian.extend_from_slice(&block.rows);
        self.compliance.extend_from_slice(&block.compliance);
        self.compliance.resize(self.jacobian.len(), 0.0);
        self.offsets.push(self.jacobian.len());
        Ok(())
    }

    fn index_bodies(&mut self) {
        for &body in self.pairs.iter().flatten().filter(|&&b| b != NO_BODY) {
            self.starts[body + 1] += 1;
        }
        for body in 0..self.bodies.len() {
            self.starts[body + 1] += self.starts[body];
        }
        let mut next = self.starts.clone();
        self.touches = vec![(0, 0); self.starts[self.bodies.len()]];
        for (block, pair) in self.pairs.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
                self.touches[next[body]] = (block, side);
                next[body] += 1;
            }
        }
    }

    /// The bodies.
    pub fn bodies(&self) -> &[BodyInertia] {
        &self.bodies
    }

    /// Where each block starts, the number of rows last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The rows of block `index`.
    pub fn block(&self, index: usize) -> Block {
        Block {
            index,
            start: self.offsets[index],
            end: self.offsets[index + 1],
        }
    }

    /// The two bodies of a block; [`NO_BODY`] for the world.
    pub fn pair(&self, block: usize) -> [usize; 2] {
        self.pairs[block]
    }

    /// Jacobian rows, one a row of the problem.
    pub fn jacobian(&self) -> &[[f64; 12]] {
        &self.jacobian
    }

    /// Diagonal of E, row after row.
    pub fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// N multiplied out.
    pub fn assemble(&self) -> BlockSparse {
        BlockSparse::assemble(self)
    }

    /// `out = D gamma`: the generalised impulse on each body, six figures a body.
    pub fn body_impulses(&self, gamma: &[f64], out: &mut [f64]) {
        self.for_each_body(out, |body, out| *out = self.impulse(body, gamma));
    }

    /// `out = Dᵀ v + E gamma`, from body velocities.
    pub fn row_velocities(&self, gamma: &[f64], v: &[f64], out: &mut [f64]) {
        for_each_block(
            &self.offsets,
            out,
            in_parallel(12 * self.dim()),
            |i, out| {
                self.read_block(self.block(i), gamma, v, out);
            },
        );
    }

    /// The blocks that share a moving body with `block`, itself included, ascending.
    pub(super) fn neighbours(&self, block: usize, out: &mut Vec<usize>) {
        out.clear();
        out.push(block);
        for &body in self.pairs[block].iter().filter(|&&b| b != NO_BODY) {
            out.extend(self.touching(body).iter().map(|t| t.0));
        }
        out.sort_unstable();
        out.dedup();
    }

    /// `N_ij = D_iᵀ M⁻¹ D_j (+ E_ii)`, row-major.
    pub(super) fn coupling(&self, i: usize, j: usize, out: &mut [f64]) {
        let (rows, columns) = (self.block(i), self.block(j));
        out.fill(0.0);
        for (side_i, &body) in self.pairs[i]
            .iter()
            .enumerate()
            .filter(|(_, b)| **b != NO_BODY)
        {
            for (side_j, _) in self.pairs[j]
                .iter()
                .enumerate()
                .filter(|(_, b)| **b == body)
            {
                for (l, column) in columns.rows().enumerate() {
                    let response = self.bodies[body].times(half(&self.jacobian[column], side_j));
                    for (k, row) in rows.rows().enumerate() {
                        out[k * columns.len() + l] +=
                            dot6(half(&self.jacobian[row], side_i), &response);
                    }
                }
            }
        }
        if i == j {
            for (k, row) in rows.rows().enumerate() {
                out[k * rows.len() + k] += self.compliance[row];
            }
        }
    }

    fn touching(&self, body: usize) -> &[(usize, usize)] {
        &self.touches[self.starts[body]..self.starts[body + 1]]
    }

    /// `(D gamma)` at one body, summed in block order.
    fn impulse(&self, body: usize, gamma: &[f64]) -> [f64; DOF] {
        let mut p = [0.0; DOF];
        for &(block, side) in self.touching(body) {
            for row in self.block(block).rows() {
                let j = half(&self.jacobian[row], side);
                (0..DOF).for_each(|k| p[k] += j[k] * gamma[row]);
            }
        }
        p
    }

    /// `gammaᵀ N gamma` without the inertias: a pass over the rows.
    fn quadratic_by_rows(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        let blocks = self.pairs.len();
        let per_chunk = CHUNK / 8;
        let share = ordered_sum(blocks.div_ceil(per_chunk), 12 * self.dim(), |c| {
            let mut u = [0.0; MAX_ROWS];
            (c * per_chunk..blocks.min((c + 1) * per_chunk))
                .map(|i| {
                    let block = self.block(i);
                    self.read_block(block, gamma, state, &mut u[..block.len()]);
                    block
                        .rows()
                        .zip(&u)
                        .map(|(row, u)| gamma[row] * u)
                        .sum::<f64>()
                })
                .sum()
        });
        reduce.sum(share)
    }

    fn for_each_body(&self, out: &mut [f64], f: impl Fn(usize, &mut [f64; DOF]) + Sync) {
        use rayon::prelude::*;
        let (out, _) = out.as_chunks_mut::<DOF>();
        if in_parallel(12 * self.dim()) {
            out.par_iter_mut()
                .with_min_len(64)
                .enumerate()
                .for_each(|(b, o)| f(b, o));
        } else {
            out.iter_mut().enumerate().for_each(|(b, o)| f(b, o));
        }
    }
}

impl Clone for TwoBody {
    fn clone(&self) -> Self {
        Self {
            bodies: self.bodies.clone(),
            inertias: self.inertias.clone(),
            compliant: self.compliant,
            offsets: self.offsets.clone(),
            pairs: self.pairs.clone(),
            jacobian: self.jacobian.clone(),
            compliance: self.compliance.clone(),
            starts: self.starts.clone(),
            touches: self.touches.clone(),
            scratch: Mutex::new(vec![0.0; DOF * self.bodies.len()]),
        }
    }
}

impl Operator for TwoBody {
    fn dim(&self) -> usize {
        self.jacobian.len()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        // Never wait: a rayon worker that waits may be given another product with this very operator.
        let mut own = Vec::new();
        let mut lock = self.scratch.try_lock();
        let v = match &mut lock {
            Ok(v) => &mut **v,
            Err(_) => {
                own.resize(self.state_len(), 0.0);
                &mut own
            }
        };
        self.state(x, v);
        self.row_velocities(x, v, out);
    }

    fn diagonal_block(&self, block: Block, out: &mut [f64]) {
        self.coupling(
            block.index,
            block.index,
            &mut out[..block.len() * block.len()],
        );
    }

    fn asymmetry(&self) -> f64 {
        0.0
    }

    fn state_len(&self) -> usize {
        DOF * self.bodies.len()
    }

    fn state(&self, gamma: &[f64], state: &mut [f64]) {
        self.for_each_body(state, |body, out| {
            *out = self.bodies[body].times(&self.impulse(body, gamma))
        });
    }

    fn read_block(&self, block: Block, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        let pair = self.pairs[block.index];
        for (o, row) in out.iter_mut().zip(block.rows()) {
            *o = self.compliance[row] * gamma[row];
        }
        for (side, &body) in pair.iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
            let v = body_of(state, body);
            for (o, row) in out.iter_mut().zip(block.rows()) {
                *o += dot6(half(&self.jacobian[row], side), v);
            }
        }
    }

    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]) {
        for (side, &body) in self.pairs[block.index]
            .iter()
            .enumerate()
            .filter(|(_, b)| **b != NO_BODY)
        {
            let mut p = [0.0; DOF];
            for (&change, row) in delta.iter().zip(block.rows()) {
                let j = half(&self.jacobian[row], side);
                (0..DOF).for_each(|k| p[k] += j[k] * change);
            }
            let change = self.bodies[body].times(&p);
            let v = &mut state[DOF * body..DOF * (body + 1)];
            (0..DOF).for_each(|k| v[k] += change[k]);
        }
    }

    fn product_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        self.row_velocities(gamma, state, out);
    }

    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        let Some(inertias) = &self.inertias else {
            return self.quadratic_by_rows(gamma, state, reduce);
        };
        // vᵀ M v + gammaᵀ E gamma: a pass over the bodies, which are fewer than the rows.
        let (velocities, _) = state.as_chunks::<DOF>();
        let per_chunk = CHUNK / DOF;
        let bodies = inertias.len();
        let kinetic = ordered_sum(bodies.div_ceil(per_chunk), state.len(), |c| {
            (c * per_chunk..bodies.min((c + 1) * per_chunk))
                .map(|b| inertias[b].energy(&velocities[b]))
                .sum()
        });
        if !self.compliant {
            return reduce.sum(kinetic);
        }
        let dim = self.dim();
        let elastic = ordered_sum(dim.div_ceil(CHUNK), dim, |c| {
            (c * CHUNK..dim.min((c + 1) * CHUNK))
                .map(|i| self.compliance[i] * gamma[i] * gamma[i])
                .sum()
        });
        reduce.sum(kinetic + elastic)
    }

    fn to_csr(&self) -> Csr {
        self.assemble().to_csr()
    }

    fn block_offsets(&self) -> Option<&[usize]> {
        Some(&self.offsets)
    }

    fn as_two_body(&self) -> Option<&TwoBody> {
        Some(self)
    }
}

fn half(row: &[f64; 12], side: usize) -> &[f64; DOF] {
    let (halves, _) = row.as_chunks::<DOF>();
    &halves[side]
}

fn body_of(state: &[f64], body: usize) -> &[f64; DOF] {
    let (bodies, _) = state.as_chunks::<DOF>();
    &bodies[body]
}

fn dot6(a: &[f64; DOF], b: &[f64; DOF]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}
