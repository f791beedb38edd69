//! Products with N, whole and block by block, through the velocities of the bodies.

use super::{BodyInertia, DOF, NO_BODY, PointBlock, PointContact, TwoBody, dot6, half};
use crate::cone::{Block, MAX_ROWS};
use crate::monitor::Monitor;
use crate::operator::{Operator, for_each_block};
use crate::outcome::SolveInfo;
use crate::problem::Ccp;
use crate::reduce::{CHUNK, Reduce, in_parallel, ordered_sum};
use crate::solvers::{MethodSettings, SolverError, by_method};
use crate::sparse::Csr;

impl TwoBody {
    /// `out = D gamma`: the generalised impulse on each body, six figures for each.
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

    /// The diagonal block of N if the bodies had these inertias, row-major.
    pub(crate) fn diagonal_with(&self, bodies: &[BodyInertia], block: Block, out: &mut [f64]) {
        if let Some(contact) = self.contacts.get(block.index) {
            out[..9].copy_from_slice(&PointBlock::from(contact).diagonal(bodies));
            return;
        }
        let out = &mut out[..block.len() * block.len()];
        self.coupling(bodies, [block.index; 2], out);
    }

    /// `(D gamma)` at one body, summed in block order.
    fn impulse(&self, body: usize, gamma: &[f64]) -> [f64; DOF] {
        let mut p = [0.0; DOF];
        for touch in self.touching(body) {
            let (block, side) = (touch.block(), touch.side());
            let gamma = &gamma[self.block(block).rows()];
            match block.checked_sub(self.contacts.len()) {
                None => {
                    let share = self.contacts[block].impulse(side, gamma);
                    (0..DOF).for_each(|k| p[k] += share[k]);
                }
                Some(index) => self.blocks.add_impulse(index, side, gamma, &mut p),
            }
        }
        p
    }

    /// `gammaᵀ E gamma` of one block.
    fn elastic(&self, block: usize, gamma: &[f64]) -> f64 {
        let terms = gamma.iter().enumerate();
        terms
            .map(|(k, g)| self.row_compliance(block, k) * g * g)
            .sum()
    }

    /// `gammaᵀ N gamma` without the inertias: a pass over the rows.
    fn quadratic_by_rows(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        let blocks = self.offsets.len() - 1;
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

impl Operator for TwoBody {
    fn dim(&self) -> usize {
        self.contacts.len() * PointContact::ROWS + self.blocks.all_rows().len()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        // Never wait: a rayon worker that waits may be given another product with this very
        // operator.
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
        self.diagonal_with(&self.bodies, block, out);
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
        if let Some(contact) = self.contacts.get(block.index) {
            let u = contact.velocity(state);
            let gamma = &gamma[block.rows()];
            (0..PointContact::ROWS)
                .for_each(|k| out[k] = u[k] + contact.row_compliance(k) * gamma[k]);
            return;
        }
        let index = block.index - self.contacts.len();
        let compliance = self.blocks.compliance(index).iter();
        for (o, (e, g)) in out.iter_mut().zip(compliance.zip(&gamma[block.rows()])) {
            *o = e * g;
        }
        for (side, body) in self.pair(block.index).into_iter().enumerate() {
            if body != NO_BODY {
                let v = body_of(state, body);
                for (o, row) in out.iter_mut().zip(self.blocks.rows(index)) {
                    *o += dot6(half(row, side), v);
                }
            }
        }
    }

    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]) {
        if let Some(contact) = self.contacts.get(block.index) {
            contact.push(&self.bodies, delta, state);
            return;
        }
        for (side, body) in self.pair(block.index).into_iter().enumerate() {
            if body == NO_BODY {
                continue;
            }
            let mut p = [0.0; DOF];
            let index = block.index - self.contacts.len();
            self.blocks.add_impulse(index, side, delta, &mut p);
            let change = self.bodies[body].times(&p);
            let v = &mut state[DOF * body..DOF * (body + 1)];
            (0..DOF).for_each(|k| v[k] += change[k]);
        }
    }

    fn product_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        self.row_velocities(gamma, state, out);
    }

    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        if !self.invertible {
            return self.quadratic_by_rows(gamma, state, reduce);
        }
        // vᵀ M v + gammaᵀ E gamma: a pass over the bodies, which are fewer than the rows.
        let (velocities, _) = state.as_chunks::<DOF>();
        let per_chunk = CHUNK / DOF;
        let bodies = self.bodies.len();
        let kinetic = ordered_sum(bodies.div_ceil(per_chunk), state.len(), |c| {
            (c * per_chunk..bodies.min((c + 1) * per_chunk))
                // Inverted anew each time: memory is dearer than the arithmetic.
                .filter_map(|b| Some(self.bodies[b].inverse()?.energy(&velocities[b])))
                .sum()
        });
        if !self.compliant {
            return reduce.sum(kinetic);
        }
        let blocks = self.offsets.len() - 1;
        let per_chunk = CHUNK / 4;
        let elastic = ordered_sum(blocks.div_ceil(per_chunk), self.dim(), |c| {
            (c * per_chunk..blocks.min((c + 1) * per_chunk))
                .map(|block| self.elastic(block, &gamma[self.block(block).rows()]))
                .sum()
        });
        reduce.sum(kinetic + elastic)
    }

    fn to_csr(&self) -> Csr {
        let entries = (0..self.offsets.len() - 1).flat_map(|block| self.entries(block));
        Csr::assembled(self.dim(), self.dim(), entries.collect())
    }

    fn block_offsets(&self) -> Option<&[usize]> {
        Some(&self.offsets)
    }

    fn as_two_body(&self) -> Option<&TwoBody> {
        Some(self)
    }

    fn solve(
        problem: &Ccp<Self>,
        settings: &MethodSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        by_method(problem, settings, gamma, monitor)
    }
}

fn body_of(state: &[f64], body: usize) -> &[f64; DOF] {
    let (bodies, _) = state.as_chunks::<DOF>();
    &bodies[body]
}
