//! `N = Dᵀ M⁻¹ D + E` multiplied out, for factorisations.

use super::{BodyInertia, NO_BODY, TwoBody, dot6, half};
use crate::cone::MAX_ROWS;

impl TwoBody {
    /// The entries of N in the rows of one block: `Dᵀ M⁻¹ D + E` multiplied out.
    pub(super) fn entries(&self, index: usize) -> Vec<(usize, usize, f64)> {
        let row = self.block(index);
        let mut neighbours = Vec::new();
        self.neighbours(index, &mut neighbours);
        let mut entries = Vec::new();
        let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
        for other in neighbours {
            let column = self.block(other);
            let width = column.len();
            let values = &mut dense[..row.len() * width];
            self.coupling(&self.bodies, [index, other], values);
            let place =
                |(k, &v): (usize, &f64)| (row.start + k / width, column.start + k % width, v);
            entries.extend(values.iter().enumerate().map(place));
        }
        entries
    }

    /// The blocks that share a moving body with `block`, itself included, ascending.
    fn neighbours(&self, block: usize, out: &mut Vec<usize>) {
        out.clear();
        out.push(block);
        for &body in self.pair(block).iter().filter(|&&b| b != NO_BODY) {
            out.extend(self.touching(body).iter().map(|t| t.block()));
        }
        out.sort_unstable();
        out.dedup();
    }

    /// `N_ij = D_iᵀ M⁻¹ D_j (+ E_ii)`, row-major, with these inertias of the bodies.
    pub(super) fn coupling(&self, bodies: &[BodyInertia], [i, j]: [usize; 2], out: &mut [f64]) {
        let (rows, columns) = (self.rows(i), self.rows(j));
        let width = columns.len;
        out.fill(0.0);
        for (side_i, &body) in self.pair(i).iter().enumerate() {
            for (side_j, &other) in self.pair(j).iter().enumerate() {
                if body == NO_BODY || body != other {
                    continue;
                }
                for (l, column) in columns.as_slice().iter().enumerate() {
                    let response = bodies[body].times(half(column, side_j));
                    for (k, row) in rows.as_slice().iter().enumerate() {
                        out[k * width + l] += dot6(half(row, side_i), &response);
                    }
                }
            }
        }
        if i == j {
            (0..width).for_each(|k| out[k * width + k] += self.row_compliance(i, k));
        }
    }
}
