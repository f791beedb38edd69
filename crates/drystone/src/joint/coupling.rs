//! Couplings: two coordinates of joints that move together, `q_b = ratio q_a + offset`.
//!
//! The error is `e = q_b − ratio q_a − offset`. Its row is that of the second coordinate less
//! `ratio` times that of the first. It reaches over the bodies of both joints, up to four, and a
//! body that both hold has the sum of its two shares.

use super::rows::{Coordinate, JointRow};
use super::{JointKind, StoredJoint};

/// Most bodies of a coupling.
pub(crate) const MOST_SIDES: usize = 4;

/// A body's share of a row: by its linear, then by its angular velocity.
pub(crate) type Share = [f64; 6];

/// The row of a coupling and its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoupledRow {
    sides: [(u32, Share); MOST_SIDES],
    len: usize,
    /// m or rad.
    pub error: f64,
    /// What the impulse does to the second joint's second body.
    pub pushed: Share,
}

impl CoupledRow {
    /// The row of a coupling of two joints, from their coordinates.
    pub fn new(
        (ratio, offset): (f64, f64),
        [a, b]: [&StoredJoint; 2],
        [first, second]: [Coordinate; 2],
    ) -> Self {
        let mut this = Self {
            sides: [(0, [0.0; 6]); MOST_SIDES],
            len: 0,
            error: second.value - ratio * first.value - offset,
            pushed: share(&second.row, 1),
        };
        for (joint, row, factor) in [(a, &first.row, -ratio), (b, &second.row, 1.0)] {
            for (side, body) in joint.bodies.iter().enumerate() {
                if let Some(body) = body {
                    this.add(*body, share(row, side).map(|v| factor * v));
                }
            }
        }
        this
    }

    fn add(&mut self, body: u32, share: Share) {
        let known = self.sides[..self.len].iter_mut().find(|(b, _)| *b == body);
        match known {
            Some((_, sum)) => sum.iter_mut().zip(share).for_each(|(s, v)| *s += v),
            None => {
                self.sides[self.len] = (body, share);
                self.len += 1;
            }
        }
    }

    /// Whether its error is an angle: that of the second coordinate.
    pub fn turns(&self) -> bool {
        self.pushed[..3].iter().all(|share| *share == 0.0)
    }

    /// The bodies with their shares.
    pub fn sides(&self) -> &[(u32, Share)] {
        &self.sides[..self.len]
    }
}

/// The two joints, the ratio and the offset of a coupling; none for other kinds.
pub(crate) fn law_of(kind: JointKind) -> Option<([usize; 2], (f64, f64))> {
    let JointKind::Coupling {
        joints,
        ratio,
        offset,
    } = kind
    else {
        return None;
    };
    Some((joints.map(|j| j.index()), (ratio, offset.unwrap_or(0.0))))
}

/// One body's half of a row.
fn share(row: &JointRow, side: usize) -> Share {
    let mut half = [0.0; 6];
    half.copy_from_slice(&row[6 * side..6 * side + 6]);
    half
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::joint::rows::moved;
    use crate::joint::{Joint, JointEnds, JointId, coordinate, place};
    use crate::motion::Velocity;
    use crate::{Body, Settings, Shape, World};

    /// A screw: a turn and a slide on one body, and both again on two others.
    #[test]
    fn the_row_is_the_derivative_of_the_error() {
        let mut world = World::new(Settings::default()).unwrap();
        let mut brick = |x: f64| {
            let body = Body::dynamic(Shape::box_of([0.1, 0.2, 0.3]).unwrap());
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, x, 0.4 * x, -x);
            world
                .add(body.at([x, 0.3 * x, -0.2]).rotated(turn))
                .unwrap()
        };
        let [a, b, c, d] = [0.1, 0.9, 1.7, 2.2].map(&mut brick);
        let joints = [
            Joint::revolute(a, b)
                .at([0.4, 0.1, 0.2])
                .axis([0.3, 0.5, 0.8]),
            Joint::prismatic(a, c)
                .at([0.2, 0.0, 0.1])
                .axis([0.5, -0.2, 0.7]),
            Joint::prismatic(c, d)
                .at([0.9, 0.1, 0.3])
                .axis([0.0, 0.2, 0.7]),
        ];
        let stored = joints.map(|j| place(&j, String::new(), &world.bodies, 0.0).unwrap());
        let velocities = [1.0, 2.0, 3.0, 4.0].map(|k: f64| Velocity {
            linear: DVec3::new(k.sin(), k.cos(), 0.3 * k),
            angular: DVec3::new(0.2 * k, -k.cos(), k.sin()),
        });
        let at = |time: f64| moved(&world.bodies, &velocities, time);
        // Three bodies, and four.
        for [first, second] in [[0, 1], [0, 2], [2, 1]] {
            let pair = [&stored[first], &stored[second]];
            let row = |time: f64| {
                let q = pair.map(|j| coordinate(j, &JointEnds::of(j, at(time)), 0.0).unwrap());
                CoupledRow::new((-0.7, 0.25), pair, q)
            };
            let h = 1e-6;
            let slope = (row(h).error - row(-h).error) / (2.0 * h);
            let now = row(0.0);
            let speed: f64 = now
                .sides()
                .iter()
                .map(|(body, share)| {
                    let v = velocities[*body as usize];
                    let v = [v.linear.to_array(), v.angular.to_array()];
                    share
                        .iter()
                        .zip(v.as_flattened())
                        .map(|(s, v)| s * v)
                        .sum::<f64>()
                })
                .sum();
            assert!(
                (speed - slope).abs() < 1e-7,
                "{first} {second}: {speed} {slope}"
            );
            // Nothing has moved yet.
            assert!((now.error + 0.25).abs() < 1e-12);
        }
        let kind = JointKind::Coupling {
            joints: [JointId::new(3), JointId::new(5)],
            ratio: 2.0,
            offset: None,
        };
        assert_eq!(law_of(kind), Some(([3, 5], (2.0, 0.0))));
    }
}
