//! The numbers of a problem's contacts, put into packs.

use super::arms::{AlongNormal, AnyArms};
use super::contact::Pack;
use super::fill::places;
use super::lanes::{LANES, Vec3};
use super::pick::NONE;
use super::plan::WORLD;
use super::roll::RollPack;
use super::rows::Problem;
use crate::cone::{Cone, MAX_ROWS, Metric};
use crate::operator::vector::dot;
use crate::operator::{PointBlock, RollingPoint};
use crate::solvers::dense::Dense;
use crate::sweep::metric::contact_metric;

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
    /// Where the iterate starts; `None` where it stays as it is.
    pub gamma: Option<&'a [f64]>,
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
        let operator = self.problem.operator;
        filled(blocks).all(|(lane, block)| {
            let Some(point) = operator.point(block) else {
                return false;
            };
            let metric = self.metric(block, |n| {
                n[..9].copy_from_slice(&point.diagonal(self.problem.bodies));
            });
            set_arms(&mut pack.arms, lane, &point);
            self.fill_lane(pack, lane, block, &point, [metric.normal, metric.parts[0]])
        })
    }

    /// The same for contacts that resist rolling.
    pub fn fill_rolling(&self, pack: &mut RollPack, blocks: &[u32; LANES]) -> bool {
        pack.point.bodies = [[self.world; LANES]; 2];
        let operator = self.problem.operator;
        filled(blocks).all(|(lane, block)| {
            let Some(RollingPoint { point, turning }) = operator.rolling_point(block) else {
                return false;
            };
            let cone = &self.problem.cones.as_slice()[block];
            let Metric { normal, parts } = self.metric(block, |n| {
                operator.diagonal_with(self.problem.bodies, self.problem.cones.block(block), n);
            });
            let parts_of_cone = cone.parts();
            let coefficient = |k: usize| parts_of_cone.as_slice().get(k).map_or(0.0, |p| p.mu);
            let spins = matches!(cone, Cone::RollingSpinning { .. });
            let only_if_it_spins = |x: f64| if spins { x } else { 0.0 };
            let rows = self.problem.cones.block(block).rows();
            set(
                &mut pack.r,
                lane,
                turn(&point, &self.problem.r[rows.clone()]),
            );
            if let Some(gamma) = self.gamma {
                let moment = turn(&point, &gamma[rows]);
                set(&mut pack.m, lane, moment);
                set(&mut pack.old, lane, moment);
            }
            for (list, value) in [
                (&mut pack.weight, normal),
                (&mut pack.roll, parts[1]),
                (&mut pack.spin, only_if_it_spins(parts[2])),
                (&mut pack.inverse_roll, 1.0 / parts[1]),
                (&mut pack.inverse_spin, only_if_it_spins(1.0 / parts[2])),
                (&mut pack.rolling, coefficient(1)),
                (&mut pack.spinning, coefficient(2)),
                (&mut pack.compliance, turning[0]),
                (
                    &mut pack.spin_excess,
                    only_if_it_spins(turning[1] - turning[0]),
                ),
            ] {
                list.0[lane] = value;
            }
            sphere_arms(&mut pack.point.arms, lane, &point);
            SOUND.contains(&parts[1])
                && (!spins || SOUND.contains(&parts[2]))
                && coefficient(1).max(coefficient(2)) < SOUND.end
                && self.fill_lane(&mut pack.point, lane, block, &point, [normal, parts[0]])
        })
    }

    /// The metric of a contact. `diagonal` writes its block of N.
    fn metric(&self, block: usize, diagonal: impl Fn(&mut Dense)) -> Metric {
        let cone = &self.problem.cones.as_slice()[block];
        match self.weights {
            Weights::Metric => {
                let mut n = [0.0; MAX_ROWS * MAX_ROWS];
                diagonal(&mut n);
                contact_metric(cone, cone.rows(), &n)
            }
            Weights::Scaled { scales, omega } => Metric {
                normal: scales[block] / omega,
                parts: [scales[block] / omega; 3],
            },
        }
    }

    /// What all contacts have, but their arms.
    fn fill_lane<A>(
        &self,
        pack: &mut Pack<A>,
        lane: usize,
        block: usize,
        point: &PointBlock,
        [normal, tangent]: [f64; 2],
    ) -> bool {
        let cone = &self.problem.cones.as_slice()[block];
        let (Some(sliding), cohesion) = (cone.parts().as_slice().first().copied(), cone.cohesion())
        else {
            return false;
        };
        let friction = sliding.mu;
        for (side, place) in places(point.bodies).into_iter().enumerate() {
            if place != WORLD {
                pack.bodies[side][lane] = place;
            }
        }
        let rows = self.problem.cones.block(block).rows();
        let [w_n, w_t] = [1.0 / normal, 1.0 / tangent];
        set(&mut pack.normal, lane, point.frame[0]);
        set(
            &mut pack.r,
            lane,
            push(point, &self.problem.r[rows.clone()]),
        );
        if let Some(gamma) = self.gamma {
            let x = push(point, &gamma[rows.clone()]);
            set(&mut pack.x, lane, x);
            set(&mut pack.old, lane, x);
        }
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
        SOUND.contains(&normal)
            && SOUND.contains(&tangent)
            && cohesion.max(friction) < SOUND.end
            && self.is_sound(rows)
            && point.arms.iter().flatten().all(|v| v.abs() < SOUND.end)
    }

    /// Whether `r` and the impulse of these rows are.
    fn is_sound(&self, rows: std::ops::Range<usize>) -> bool {
        let sound = |list: &[f64]| list[rows.clone()].iter().all(|v| v.abs() < SOUND.end);
        sound(self.problem.r) && self.gamma.is_none_or(sound)
    }

    /// Fills in `r` alone.
    pub fn fill_r<A>(&self, pack: &mut Pack<A>, blocks: &[u32; LANES]) {
        for (lane, block) in filled(blocks) {
            if let Some(point) = self.problem.operator.point(block) {
                let rows = self.problem.cones.block(block).rows();
                set(&mut pack.r, lane, push(&point, &self.problem.r[rows]));
            }
        }
    }

    /// The same for contacts that resist rolling.
    pub fn fill_rolling_r(&self, pack: &mut RollPack, blocks: &[u32; LANES]) {
        for (lane, block) in filled(blocks) {
            if let Some(RollingPoint { point, .. }) = self.problem.operator.rolling_point(block) {
                let r = &self.problem.r[self.problem.cones.block(block).rows()];
                set(&mut pack.point.r, lane, push(&point, r));
                set(&mut pack.r, lane, turn(&point, r));
            }
        }
    }
}

/// The first three rows of a contact as a vector in the axes of the world.
fn push(point: &PointBlock, v: &[f64]) -> [f64; 3] {
    let [n, t, u] = point.frame;
    std::array::from_fn(|k| v[0] * n[k] + v[1] * t[k] + v[2] * u[k])
}

/// The same of the rows that resist rolling and spinning.
fn turn(point: &PointBlock, v: &[f64]) -> [f64; 3] {
    let [n, t, u] = point.frame;
    let spin = v.get(5).copied().unwrap_or(0.0);
    std::array::from_fn(|k| v[3] * t[k] + v[4] * u[k] + spin * n[k])
}

/// The lanes that have a contact, with its block.
fn filled(blocks: &[u32; LANES]) -> impl Iterator<Item = (usize, usize)> {
    let lanes = blocks.iter().enumerate();
    lanes
        .filter(|(_, block)| **block != NONE)
        .map(|(lane, &block)| (lane, block as usize))
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
