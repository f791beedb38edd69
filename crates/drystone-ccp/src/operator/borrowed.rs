//! An operator that is only borrowed: a fixed point makes problems of its own around the N of
//! another.

use super::{Operator, TwoBody};
use crate::cone::Block;
use crate::reduce::Reduce;
use crate::sparse::Csr;

impl<N: Operator> Operator for &N {
    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        (**self).apply(x, out);
    }

    fn diagonal_block(&self, block: Block, out: &mut [f64]) {
        (**self).diagonal_block(block, out);
    }

    fn asymmetry(&self) -> f64 {
        (**self).asymmetry()
    }

    fn state_len(&self) -> usize {
        (**self).state_len()
    }

    fn state(&self, gamma: &[f64], state: &mut [f64]) {
        (**self).state(gamma, state);
    }

    fn read_block(&self, block: Block, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        (**self).read_block(block, gamma, state, out);
    }

    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]) {
        (**self).update_state(block, delta, state);
    }

    fn product_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        (**self).product_from_state(gamma, state, out);
    }

    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        (**self).quadratic(gamma, state, reduce)
    }

    fn to_csr(&self) -> Csr {
        (**self).to_csr()
    }

    fn block_offsets(&self) -> Option<&[usize]> {
        (**self).block_offsets()
    }

    fn as_two_body(&self) -> Option<&TwoBody> {
        (**self).as_two_body()
    }
}
