//! Turns bodies into the axes of the world.
//!
//! Some programs write the angular columns of a body's rows in its own axes, and then nothing says
//! that the rows are those of a point. N does not change when the angular columns of a body and its
//! inertia are turned together. So they are, where one turn makes points of all its contacts.
//!
//! A contact at the arm `a` has the linear rows `d_k`, an orthonormal frame, and the angular rows
//! `Rᵀ (a × d_k)`. Hence `B = Σ d_k (angular row k)ᵀ = −[a]× R`. The arm is the direction that B
//! takes to zero from the left, as long as B's columns; its sign is that of a contact that pushes
//! its body away. Then `[a]× B = (|a|² − a aᵀ) R` has all of R but what lies along the arm.

use super::point_block::arm;
use super::vector::{cross, dot};
use super::{BodyInertia, DOF, NO_BODY, TwoBodyBlock};

type Matrix = [[f64; 3]; 3];

/// Turns every body into the axes of the world whose contacts tell how. All others stay as they
/// are. Every block must have three rows to be a contact.
pub fn turn_to_world(bodies: &mut [BodyInertia], blocks: &mut [TwoBodyBlock]) {
    let mut at_body: Vec<Vec<(usize, usize)>> = vec![Vec::new(); bodies.len()];
    for (index, block) in blocks.iter().enumerate() {
        for (side, &body) in block.bodies.iter().enumerate() {
            if body != NO_BODY && body < bodies.len() {
                at_body[body].push((index, side));
            }
        }
    }
    for (body, touches) in bodies.iter_mut().zip(at_body) {
        let sides: Option<Vec<Side>> = touches
            .iter()
            .map(|&(index, side)| Side::new(&blocks[index], side))
            .collect();
        let Some(sides) = sides else {
            continue; // there is a block that is no contact
        };
        let all_points = |turn: &Matrix| sides.iter().all(|side| side.is_point(turn));
        if all_points(&IDENTITY) {
            continue;
        }
        let Some(turn) = sides.iter().find_map(Side::turn) else {
            continue;
        };
        if !all_points(&turn) {
            continue;
        }
        for (index, side) in touches {
            for row in &mut blocks[index].rows {
                let at = DOF * side + 3;
                let turned = times(&turn, [row[at], row[at + 1], row[at + 2]]);
                row[at..at + 3].copy_from_slice(&turned);
            }
        }
        if body.isotropic_inverse().is_none() {
            body.inverse_inertia = turned_tensor(&turn, &body.inverse_inertia);
        }
    }
}

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The rows of a contact at one of its bodies.
struct Side {
    linear: Matrix,
    angular: Matrix,
}

impl Side {
    /// `None` where the block has not the rows of a contact.
    fn new(block: &TwoBodyBlock, side: usize) -> Option<Self> {
        let rows: &[[f64; 2 * DOF]; 3] = block.rows.as_slice().try_into().ok()?;
        let part = |first: usize| {
            [0, 1, 2].map(|k| std::array::from_fn(|i| rows[k][DOF * side + first + i]))
        };
        Some(Self {
            linear: part(0),
            angular: part(3),
        })
    }

    /// Whether the rows are those of a point once the angular ones are turned.
    fn is_point(&self, turn: &Matrix) -> bool {
        arm(&self.linear, &self.angular.map(|row| times(turn, row))).is_some()
    }

    /// The turn that makes the rows those of a point, if there is one.
    fn turn(&self) -> Option<Matrix> {
        let b: Matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..3).map(|k| self.linear[k][i] * self.angular[k][j]).sum())
        });
        // The columns of B lie in the plane across the arm.
        let column = |j: usize| [b[0][j], b[1][j], b[2][j]];
        let normals = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| cross(column(i), column(j)));
        let longest = |n: &[f64; 3]| dot(*n, *n);
        let normal = normals
            .into_iter()
            .max_by(|a, b| longest(a).total_cmp(&longest(b)))?;
        // Twice the square of the arm is the sum of the squares of all entries.
        let square = 0.5 * b.as_flattened().iter().map(|x| x * x).sum::<f64>();
        let away = dot(normal, self.linear[0]);
        let length = dot(normal, normal).sqrt();
        if !(square > 0.0 && length > 0.0 && away != 0.0) {
            return None;
        }
        let sign = -away.signum();
        let along = normal.map(|x| sign * x / length);
        let lever = along.map(|x| square.sqrt() * x);
        // [a]× B / |a|²: R without what lies along the arm.
        let across: Matrix = [0, 1, 2].map(|j| cross(lever, column(j)).map(|x| x / square));
        let row = |direction: [f64; 3]| [0, 1, 2].map(|j| dot(direction, across[j]));
        let first = perpendicular(along);
        let second = cross(along, first);
        let (r1, r2) = (row(first), row(second));
        let r3 = cross(r1, r2);
        Some(std::array::from_fn(|i| {
            std::array::from_fn(|j| first[i] * r1[j] + second[i] * r2[j] + along[i] * r3[j])
        }))
    }
}

/// A unit vector across a unit vector.
fn perpendicular(v: [f64; 3]) -> [f64; 3] {
    let small = (0..3).min_by(|&i, &j| v[i].abs().total_cmp(&v[j].abs()));
    let mut axis = [0.0; 3];
    axis[small.unwrap_or(0)] = 1.0;
    let p = cross(v, axis);
    let length = dot(p, p).sqrt();
    p.map(|x| x / length)
}

fn times(m: &Matrix, v: [f64; 3]) -> [f64; 3] {
    m.map(|row| dot(row, v))
}

/// `R T Rᵀ`, symmetric to the last bit.
fn turned_tensor(turn: &Matrix, tensor: &Matrix) -> Matrix {
    let half = turn.map(|row| times(tensor, row));
    let entry = |i: usize, j: usize| dot(turn[i], half[j]);
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (entry(i, j) + entry(j, i))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Operator, PointContact, TwoBody};

    /// Two bodies with contacts between them and to the world, the second one's angular columns in
    /// axes of its own.
    fn turned_problem() -> (Vec<BodyInertia>, Vec<TwoBodyBlock>) {
        let own: Matrix = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let bodies = vec![
            BodyInertia::isotropic(2.0, 0.3),
            BodyInertia::diagonal(0.5, [1.0, 2.0, 5.0]),
        ];
        let contact = |bodies, normal: [f64; 3], slant: f64| PointContact {
            bodies,
            normal,
            // Off the normal, as boxes have it.
            arms: [
                [normal[0] + slant, normal[1], normal[2]],
                normal.map(|n| -0.7 * n),
            ],
            compliance: [0.0; 2],
        };
        let contacts = [
            contact([0, 1], [0.6, 0.0, 0.8], 0.0),
            contact([1, NO_BODY], [0.0, -0.6, -0.8], 0.3),
            contact([1, NO_BODY], [0.8, 0.6, 0.0], -0.2),
        ];
        let blocks = contacts.map(|contact| {
            let mut rows = contact.rows();
            for (side, _) in contact.bodies.iter().enumerate().filter(|(_, b)| **b == 1) {
                for row in &mut rows {
                    let at = DOF * side + 3;
                    let v = [row[at], row[at + 1], row[at + 2]];
                    row[at..at + 3].copy_from_slice(&times(&own, v));
                }
            }
            TwoBodyBlock {
                bodies: contact.bodies,
                rows: rows.to_vec(),
                compliance: vec![0.0; 3],
            }
        });
        (bodies, blocks.to_vec())
    }

    #[test]
    fn rows_become_those_of_points_and_n_stays() {
        let (mut bodies, mut blocks) = turned_problem();
        let before = TwoBody::new(bodies.clone(), &blocks).unwrap();
        assert!((0..3).all(|block| before.point(block).is_none()));
        turn_to_world(&mut bodies, &mut blocks);
        let after = TwoBody::new(bodies, &blocks).unwrap();
        assert!((0..3).all(|block| after.point(block).is_some()));
        let (old, new) = (before.to_csr(), after.to_csr());
        for i in 0..9 {
            for j in 0..9 {
                assert!((old.get(i, j) - new.get(i, j)).abs() < 1e-14, "{i} {j}");
            }
        }
    }

    #[test]
    fn what_is_no_contact_stays() {
        let (mut bodies, mut blocks) = turned_problem();
        blocks[2].rows.pop();
        blocks[2].compliance.pop();
        blocks[0].rows[1][9] += 0.1;
        let expected = (bodies.clone(), blocks.clone());
        turn_to_world(&mut bodies, &mut blocks);
        assert_eq!((bodies, blocks), expected);
    }
}
