//! Blocks that act at one point, whichever way their rows are kept.

use super::vector::{cross, dot};
use super::{BodyInertia, DOF, NO_BODY, PointContact, TwoBody};

/// Rows that differ from those of a point by less than this share of them differ by rounding.
const ROUNDING: f64 = 1e-12;

/// Three rows that are the relative velocity at a point, along three axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointBlock {
    /// The two bodies; [`NO_BODY`] for the world.
    pub bodies: [usize; 2],
    /// The axes, the normal first. The rows are velocities of the second body's point.
    pub frame: [[f64; 3]; 3],
    /// The point seen from each body's centre of mass, m. Zero for the world.
    pub arms: [[f64; 3]; 2],
    /// Compliance of the normal and of each tangent.
    pub compliance: [f64; 2],
}

impl TwoBody {
    /// The rows of a block beside the point contacts, and their compliance. Empty for those.
    pub(crate) fn block_rows(&self, block: usize) -> (&[[f64; 2 * DOF]], &[f64]) {
        match block.checked_sub(self.contacts.len()) {
            None => (&[], &[]),
            Some(index) => (self.blocks.rows(index), self.blocks.compliance(index)),
        }
    }

    /// The axes of a block that is a point, as [`PointBlock::frame`].
    pub(crate) fn axes(&self, block: usize) -> [[f64; 3]; 3] {
        if let Some(contact) = self.contacts.get(block) {
            return contact.frame();
        }
        let (rows, _) = self.block_rows(block);
        let (side, sign) = match self.pair(block)[1] {
            NO_BODY => (0, -1.0),
            _ => (DOF, 1.0),
        };
        std::array::from_fn(|k| std::array::from_fn(|i| sign * rows[k][side + i]))
    }

    /// The block as a point, if it is one. Files have no other word for a contact than its rows.
    pub(crate) fn point(&self, block: usize) -> Option<PointBlock> {
        if let Some(contact) = self.contacts.get(block) {
            return Some(PointBlock::from(contact));
        }
        let (rows, compliance) = self.block_rows(block);
        let rows: &[[f64; 2 * DOF]; 3] = rows.try_into().ok()?;
        let &[normal, tangent, other] = <&[f64; 3]>::try_from(compliance).ok()?;
        if tangent != other {
            return None;
        }
        PointBlock::from_rows(self.pair(block), rows, [normal, tangent])
    }

    /// The block as a point that resists turning, if it is one: the relative angular velocity about
    /// both tangents, and about the normal if there are six rows.
    pub(crate) fn rolling_point(&self, block: usize) -> Option<RollingPoint> {
        let (rows, compliance) = self.block_rows(block);
        if !matches!(rows.len(), 5 | 6) {
            return None;
        }
        let pair = self.pair(block);
        let first = rows.first_chunk::<3>()?;
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= ROUNDING * size;
        let [normal, tangent, other, roll, also, ..] = *compliance else {
            return None;
        };
        // Where they are made one by one, they differ by rounding.
        if !near(tangent, other, tangent) || !near(roll, also, roll) {
            return None;
        }
        let point = PointBlock::from_rows(pair, first, [normal, tangent])?;
        let [n, t, u] = point.frame;
        let is_turn = |(row, axis): (&[f64; 2 * DOF], [f64; 3])| {
            (0..2).filter(|&side| pair[side] != NO_BODY).all(|side| {
                let sign = [-1.0, 1.0][side];
                let row = &row[DOF * side..DOF * (side + 1)];
                (0..3).all(|i| row[i] == 0.0 && near(row[3 + i], sign * axis[i], 1.0))
            })
        };
        let turning = [roll, compliance.get(5).copied().unwrap_or(0.0)];
        let all = rows[3..].iter().zip([t, u, n]).all(is_turn);
        all.then_some(RollingPoint { point, turning })
    }
}

/// A point whose block also has rows for turning: about the tangents, and perhaps the normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RollingPoint {
    pub point: PointBlock,
    /// Compliance of rolling and of spinning; the last is zero if there is no such row.
    pub turning: [f64; 2],
}

impl From<&PointContact> for PointBlock {
    fn from(contact: &PointContact) -> Self {
        Self {
            bodies: contact.bodies,
            frame: contact.frame(),
            arms: [0, 1].map(|side| match contact.bodies[side] {
                NO_BODY => [0.0; 3],
                _ => contact.arms[side],
            }),
            compliance: contact.compliance,
        }
    }
}

impl PointBlock {
    /// The diagonal block of N along the axes, row-major: `dᵀ N e = d·e / m + (arm × d)·I⁻¹ (arm ×
    /// e)` of both bodies, and the compliance.
    pub fn diagonal(&self, bodies: &[BodyInertia]) -> [f64; 9] {
        let mut n = [0.0; 9];
        for (&body, arm) in self.bodies.iter().zip(self.arms) {
            let Some(inertia) = bodies.get(body) else {
                continue; // the world
            };
            let levers = self.frame.map(|d| cross(arm, d));
            let turns = levers.map(|lever| inertia.inverse_inertia.map(|row| dot(row, lever)));
            for i in 0..3 {
                n[3 * i + i] += inertia.inverse_mass;
                for j in 0..3 {
                    n[3 * i + j] += dot(levers[i], turns[j]);
                }
            }
        }
        (0..3).for_each(|k| n[3 * k + k] += self.compliance[k.min(1)]);
        n
    }

    /// Reads axes and arms out of the rows. `None` where they are not those of a point.
    fn from_rows(
        bodies: [usize; 2],
        rows: &[[f64; 2 * DOF]; 3],
        compliance: [f64; 2],
    ) -> Option<Self> {
        let linear = |side: usize, k: usize| -> [f64; 3] {
            std::array::from_fn(|i| rows[k][DOF * side + i] * [-1.0, 1.0][side])
        };
        let angular = |side: usize, k: usize| -> [f64; 3] {
            std::array::from_fn(|i| rows[k][DOF * side + 3 + i] * [-1.0, 1.0][side])
        };
        let sides = [0, 1].map(|side| bodies[side] != NO_BODY);
        let lead = if sides[1] { 1 } else { 0 };
        let frame = [0, 1, 2].map(|k| linear(lead, k));
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING;
        for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
            let expected = if i == j { 1.0 } else { 0.0 };
            if !near(dot(frame[i], frame[j]), expected) {
                return None;
            }
        }
        let mut arms = [[0.0; 3]; 2];
        for side in (0..2).filter(|&side| sides[side]) {
            let same = |k: usize, i: usize| near(linear(side, k)[i], frame[k][i]);
            if !(0..3).all(|k| (0..3).all(|i| same(k, i))) {
                return None;
            }
            arms[side] = arm(&frame, &[0, 1, 2].map(|k| angular(side, k)))?;
        }
        Some(Self {
            bodies,
            frame,
            arms,
            compliance,
        })
    }
}

/// The arm at which a point with the velocity rows `frame`, orthonormal, has the angular rows
/// `arm × frame`. `None` where no arm has these.
pub(super) fn arm(frame: &[[f64; 3]; 3], angular: &[[f64; 3]; 3]) -> Option<[f64; 3]> {
    // Σ d × (arm × d) over an orthonormal frame is twice the arm.
    let mut arm = [0.0; 3];
    for (d, turn) in frame.iter().zip(angular) {
        let share = cross(*d, *turn);
        (0..3).for_each(|i| arm[i] += 0.5 * share[i]);
    }
    let size = 1.0 + dot(arm, arm).sqrt();
    let fits = frame.iter().zip(angular).all(|(d, turn)| {
        let expected = cross(arm, *d);
        (0..3).all(|i| (turn[i] - expected[i]).abs() <= ROUNDING * size)
    });
    fits.then_some(arm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TwoBodyBlock;

    #[test]
    fn the_rows_of_a_point_give_the_point_back() {
        let contact = PointContact {
            bodies: [0, 1],
            normal: [0.6, 0.0, -0.8],
            arms: [[0.3, -0.2, 0.9], [-0.4, 0.1, -0.7]],
            compliance: [1e-6, 2e-6],
        };
        let body = BodyInertia::isotropic(1.0, 0.4);
        let block = |bodies, rows: [[f64; 12]; 3]| TwoBodyBlock {
            bodies,
            rows: rows.to_vec(),
            compliance: vec![1e-6, 2e-6, 2e-6],
        };
        let mut off = contact.rows();
        off[1][7] += 1e-9;
        let blocks = [
            block([0, 1], contact.rows()),
            block([0, NO_BODY], contact.rows()),
            block([0, 1], off),
        ];
        let operator = TwoBody::with_contacts(vec![body; 2], vec![contact], &blocks).unwrap();
        let expected = operator.point(0).unwrap();
        for index in 0..2 {
            let found = operator.point(1 + index).unwrap();
            assert_eq!(found.compliance, expected.compliance);
            for k in 0..3 {
                for i in 0..3 {
                    assert!((found.frame[k][i] - expected.frame[k][i]).abs() < 1e-15);
                }
                assert!((found.arms[0][k] - expected.arms[0][k]).abs() < 1e-14);
            }
        }
        assert!(operator.point(3).is_none(), "not at right angles");
    }
}
