//! The numbers of a problem's contacts, put into packs.

use super::contact::{AlongNormal, AnyArms, Pack};
use super::fill::places;
use super::lanes::{LANES, Vec3};
use super::pick::NONE;
use super::plan::WORLD;
use super::rows::Problem;
use crate::cone::{Cone, MAX_ROWS};
use crate::operator::vector::dot;
use crate::operator::{PointBlock, TwoBody};
use crate::sweep::metric::{positive, safe_largest_eigenvalue};

/// Numbers whose squares are far from the ends of the range of a double. A problem with others is
/// swept block by block, where each square is taken with care.
pub(super) const SOUND: std::ops::Range<f64> = 1e-100..1e100;

/// Where the weights of the metric come from.
#[derive(Clone, Copy)]
pub(super) enum Weights<'a> {
    /// From each block's part of N.
    Metric,
    /// From scales of the blocks: `g_i / ω` for all rows.
    Scaled { scales: &'a [f64], omega: f64 },
}

/// What packs are filled from.
pub(super) struct Source<'a> {
    pub problem: &'a Problem<'a>,
    pub weights: Weights<'a>,
    pub gamma: &'a [f64],
    /// The group's place for the world.
    pub world: u32,
}

impl Source<'_> {
    /// Fills one pack; false where a number is not sound.
    pub fn fill<A: Copy>(
        &self,
        pack: &mut Pack<A>,
        blocks: &[u32; LANES],
        set_arms: impl Fn(&mut A, usize, &PointBlock),
    ) -> bool {
        pack.bodies = [[self.world; LANES]; 2];
        let filled = blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| **block != NONE);
        let mut sound = true;
        for (lane, &block) in filled {
            let block = block as usize;
            let operator = self.problem.operator;
            let (Some(point), Cone::Friction { friction, cohesion }) =
                (operator.point(block), self.problem.cones.as_slice()[block])
            else {
                return false;
            };
            for (side, place) in places(point.bodies).into_iter().enumerate() {
                if place != WORLD {
                    pack.bodies[side][lane] = place;
                }
            }
            let rows = self.problem.cones.block(block).rows();
            let world = |v: &[f64]| -> [f64; 3] {
                let [n, t, u] = point.frame;
                std::array::from_fn(|k| v[0] * n[k] + v[1] * t[k] + v[2] * u[k])
            };
            let (r, x) = (&self.problem.r[rows.clone()], &self.gamma[rows]);
            let [normal, tangent] = match self.weights {
                Weights::Metric => weights(operator, &point),
                Weights::Scaled { scales, omega } => [scales[block] / omega; 2],
            };
            let [w_n, w_t] = [1.0 / normal, 1.0 / tangent];
            set(&mut pack.normal, lane, point.frame[0]);
            set(&mut pack.r, lane, world(r));
            set(&mut pack.x, lane, world(x));
            set(&mut pack.old, lane, world(x));
            set_arms(&mut pack.arms, lane, &point);
            for (list, value) in [
                (&mut pack.inverse_normal, w_n),
                (&mut pack.inverse_tangent, w_t),
                (&mut pack.tangent, tangent),
                (
                    &mut pack.inverse_slope,
                    1.0 / (w_t + friction * friction * w_n),
                ),
                (&mut pack.friction, friction),
                (&mut pack.cohesion, cohesion),
                (&mut pack.compliance, point.compliance[1]),
                (
                    &mut pack.normal_excess,
                    point.compliance[0] - point.compliance[1],
                ),
            ] {
                list.0[lane] = value;
            }
            sound &= SOUND.contains(&normal) && SOUND.contains(&tangent);
            sound &= cohesion < SOUND.end && friction < SOUND.end;
            sound &= r.iter().chain(x).all(|v| v.abs() < SOUND.end);
            sound &= point.arms.iter().flatten().all(|v| v.abs() < SOUND.end);
        }
        sound
    }
}

fn set(list: &mut Vec3, lane: usize, value: [f64; 3]) {
    for (list, value) in list.0.iter_mut().zip(value) {
        list.0[lane] = value;
    }
}

pub(super) fn sphere_arms(arms: &mut AlongNormal, lane: usize, point: &PointBlock) {
    for side in 0..2 {
        arms.0[side].0[lane] = dot(point.arms[side], point.frame[0]);
    }
}

pub(super) fn any_arms(arms: &mut AnyArms, lane: usize, point: &PointBlock) {
    for side in 0..2 {
        set(&mut arms.0[side], lane, point.arms[side]);
    }
}

/// The metric of a contact: weights of its normal and its tangents.
fn weights(operator: &TwoBody, point: &PointBlock) -> [f64; 2] {
    let n = point.diagonal(operator.bodies());
    let mean = (n[0] + n[4] + n[8]) / 3.0;
    let (normal, tangent) = (positive(n[0], mean), positive(0.5 * (n[4] + n[8]), mean));
    let of = |k: usize| if k == 0 { normal } else { tangent };
    let mut relative = [0.0; MAX_ROWS * MAX_ROWS];
    for i in 0..3 {
        for j in 0..3 {
            relative[3 * i + j] = n[3 * i + j] / (of(i) * of(j)).sqrt();
        }
    }
    let lambda = safe_largest_eigenvalue(&relative, 3).max(1.0);
    [lambda * normal, lambda * tangent]
}
