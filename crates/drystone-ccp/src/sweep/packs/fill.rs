//! Lays a problem out in packs.

use rayon::prelude::*;

use super::body::{Body, Symmetric};
use super::contact::Pack;
use super::lanes::{LANES, Lanes};
use super::pick::{NONE, Picks};
use super::plan::WORLD;
use super::roll::RollPack;
use super::rows::{Problem, RowBlock, RowContext};
use super::share::{Share, Spans, for_each_group};
use super::simd::Instructions;
use super::source::{SOUND, Source, Weights, any_arms, sphere_arms};
use super::{NOWHERE, PackSweeps};
use crate::cone::{Cone, MAX_ROWS};
use crate::operator::vector::{cross, dot};
use crate::operator::{BodyInertia, NO_BODY, Operator, PointBlock, TwoBody};
use crate::problem::{Ccp, Law};
use crate::reduce::in_parallel;
use crate::sweep::metric::BlockMetric;
use crate::sweep::{Rule, Start, SweepSums};

/// Arms whose part across the normal is below this share of them lie along it but for rounding.
const ALONG: f64 = 1e-12;

/// Tasks of fewer blocks are not worth a thread.
const BLOCKS_AT_ONCE: usize = 256;

/// How a block is swept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// In packs of spheres.
    Sphere,
    /// In packs of contacts of any shape.
    Point,
    /// In packs of spheres that resist rolling.
    Roll,
    /// By its rows.
    Rows,
    /// Together with all other joints.
    Joint,
    /// Not at all, since nothing can move.
    #[default]
    Immobile,
    /// It cannot be, by packs.
    Unsuited,
}

impl PackSweeps {
    /// Lays a problem out, starting from `gamma`; false where it is not one for packs.
    pub fn start<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        start: &Start<'_>,
        scales: &[f64],
        gamma: &[f64],
    ) -> bool {
        let Some(problem) = Problem::of(problem) else {
            return false;
        };
        let weights = match (start.rule, start.law) {
            (Rule::Metric, _) => Weights::Metric,
            (Rule::Scaled { omega, lambda: 1.0 }, Law::Relaxed) => {
                Weights::Scaled { scales, omega }
            }
            (Rule::Scaled { .. } | Rule::Accurate { .. }, _) => return false,
        };
        self.law = start.law;
        if let Some(anchor) = &mut self.anchor {
            anchor.forget();
        }
        self.passes.forget();
        self.instructions = Instructions::best();
        let operator = problem.operator;
        if operator.bodies().len() >= WORLD as usize / 2 {
            return false;
        }
        let blocks = problem.cones.len();
        self.kinds.clear();
        self.kinds.resize(blocks, Kind::default());
        self.kinds
            .par_iter_mut()
            .with_min_len(BLOCKS_AT_ONCE)
            .enumerate()
            .for_each(|(block, kind)| *kind = kind_of(&problem, block));
        if self.kinds.contains(&Kind::Unsuited) {
            return false;
        }
        self.plan.make(
            operator.bodies().len(),
            (0..blocks).map(|block| places(operator.pair(block))),
            |block| self.kinds[block] == Kind::Joint,
        );
        self.pick(operator);
        let filled = self.take_bodies(problem.bodies) && self.fill(problem, weights, Some(gamma));
        if filled && matches!((start.rule, start.law), (Rule::Metric, Law::Relaxed)) {
            let mut patch = self.patch.take().unwrap_or_default();
            patch.reserve(self, operator.bodies().len());
            self.patch = Some(patch);
            self.anchor.get_or_insert_default().reserve(&problem);
        }
        filled
    }

    /// Makes the packs of every group.
    fn pick(&mut self, operator: &TwoBody) {
        let (plan, kinds) = (&self.plan, &self.kinds);
        self.picks.resize_with(plan.groups.len(), Picks::default);
        self.closed.resize(operator.bodies().len());
        let closed = &self.closed;
        for phase in &plan.phases {
            let groups = plan.groups[phase.clone()].par_iter();
            let picks = self.picks[phase.clone()].par_iter_mut();
            picks.zip(groups).for_each(|(picks, group)| {
                let contacts = group.contacts.start as usize..group.contacts.end as usize;
                picks.make(&plan.order[contacts], closed, |block| {
                    let bodies = places(operator.pair(block as usize));
                    (kinds[block as usize], bodies)
                });
            });
        }
        if let (true, Some(joints)) = (plan.ends_with_joints, self.picks.last_mut()) {
            // In their own order, which does not change when the bodies are numbered anew.
            joints.rows.sort_unstable();
        }
        self.spans.clear();
        self.spans.extend(self.picks.iter().map(|picks| Spans {
            spheres: picks.spheres.len(),
            points: picks.points.len(),
            rolls: picks.rolls.len(),
            rows: picks.rows.len(),
        }));
    }

    /// Takes over the bodies, at rest; false where one has an inertia without an inverse.
    pub(super) fn take_bodies(&mut self, inertias: &[BodyInertia]) -> bool {
        let places = inertias.len() + self.plan.groups.len();
        self.bodies.clear();
        self.bodies.resize(places, Body::default());
        self.old.clear();
        self.old.resize(places, Body::default());
        let full = self.spans.iter().any(|s| s.points > 0)
            || inertias.iter().any(|b| b.isotropic_inverse().is_none());
        for list in [&mut self.full.inverse, &mut self.full.direct] {
            list.clear();
            list.resize(if full { places } else { 0 }, Symmetric::default());
        }
        let take = |((body, old), inertia): ((&mut Body, &mut Body), &BodyInertia)| {
            take_body(inertia, body, old)
        };
        let sound = if in_parallel(8 * inertias.len()) {
            let pairs = self.bodies.par_iter_mut().zip(&mut self.old).zip(inertias);
            let taken = pairs.with_min_len(BLOCKS_AT_ONCE).map(take);
            taken.all(|sound| sound)
        } else {
            let mut pairs = self.bodies.iter_mut().zip(&mut self.old).zip(inertias);
            pairs.all(take)
        };
        if full {
            for (b, inertia) in inertias.iter().enumerate() {
                self.full.inverse[b] = symmetric(&inertia.inverse_inertia);
                if inertia.isotropic_inverse().is_none()
                    && let Some(direct) = inertia.inverse()
                {
                    self.full.direct[b] = symmetric(&direct.inertia);
                }
            }
        }
        sound
    }

    /// Fills the packs with the problem's numbers and `gamma`, or leaves the iterate as it is
    /// without one; false where a number is not sound.
    pub(super) fn fill(
        &mut self,
        problem: Problem<'_>,
        weights: Weights<'_>,
        gamma: Option<&[f64]>,
    ) -> bool {
        if let Some(gamma) = gamma {
            self.make_room();
            self.take_rows(&problem, gamma);
        }
        self.fill_metrics(&problem, weights);
        let (picks, bodies) = (&self.picks, problem.bodies.len());
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rolls: &mut self.rolls,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        let all = 0..self.spans.len();
        for_each_group(
            std::slice::from_ref(&all),
            &self.spans,
            share,
            |group, share| {
                let world = (bodies + group) as u32;
                let picks = &picks[group];
                let source = Source {
                    problem: &problem,
                    weights,
                    gamma,
                    world,
                };
                let mut sound = true;
                for (pack, blocks) in share.spheres.iter_mut().zip(&picks.spheres) {
                    sound &= source.fill(pack, blocks, sphere_arms);
                }
                for (pack, blocks) in share.points.iter_mut().zip(&picks.points) {
                    sound &= source.fill(pack, blocks, any_arms);
                }
                for (pack, blocks) in share.rolls.iter_mut().zip(&picks.rolls) {
                    sound &= source.fill_rolling(pack, blocks);
                }
                // Until the first sweep the sums are free to carry a verdict.
                share.sums[0].objective = f64::from(u8::from(sound));
            },
        );
        if self.sums.iter().any(|sums| sums.objective == 0.0) {
            return false;
        }
        let even = |excess: &Lanes| *excess == Lanes::default();
        self.even = self.spheres.iter().all(|pack| even(&pack.normal_excess))
            && self.points.iter().all(|pack| even(&pack.normal_excess));
        self.note_places(problem.cones.len());
        self.fill_joints(problem, weights, gamma.is_some());
        self.refresh_from(problem);
        true
    }

    /// Empty packs, as many as were picked.
    fn make_room(&mut self) {
        let total = |of: fn(&Spans) -> usize| self.spans.iter().map(of).sum::<usize>();
        let (spheres, points) = (total(|s| s.spheres), total(|s| s.points));
        self.spheres.clear();
        self.spheres.resize(spheres, Pack::default());
        self.points.clear();
        self.points.resize(points, Pack::default());
        self.rolls.clear();
        self.rolls.resize(total(|s| s.rolls), RollPack::default());
        self.sums.clear();
        self.sums.resize(self.spans.len(), SweepSums::default());
    }

    /// The blocks beside the packs, starting from `gamma`.
    fn take_rows(&mut self, problem: &Problem<'_>, gamma: &[f64]) {
        let bodies = problem.bodies.len();
        self.rows.clear();
        for (group, picks) in self.picks.iter().enumerate() {
            let world = (bodies + group) as u32;
            for &block in &picks.rows {
                let block = problem.cones.block(block as usize);
                let mut x = [0.0; MAX_ROWS];
                x[..block.len()].copy_from_slice(&gamma[block.rows()]);
                self.rows.push(RowBlock {
                    block,
                    bodies: places(problem.operator.pair(block.index))
                        .map(|body| if body == WORLD { world } else { body }),
                    metric: BlockMetric::Fixed,
                    x,
                    old: x,
                });
            }
        }
    }

    /// Their metrics.
    fn fill_metrics(&mut self, problem: &Problem<'_>, weights: Weights<'_>) {
        self.metrics.clear();
        for row in &mut self.rows {
            row.metric = match weights {
                Weights::Metric => {
                    let mut n = [0.0; MAX_ROWS * MAX_ROWS];
                    let cone = &problem.cones.as_slice()[row.block.index];
                    let operator = problem.operator;
                    operator.diagonal_with(problem.bodies, row.block, &mut n);
                    self.metrics.of_block(cone, row.block.len(), &n)
                }
                Weights::Scaled { scales, omega } => {
                    self.metrics.scaled(scales[row.block.index] / omega)
                }
            };
        }
    }

    /// Factors the joints, where they are to be solved as they are.
    fn fill_joints(&mut self, problem: Problem<'_>, weights: Weights<'_>, new: bool) {
        let metrics = &self.metrics;
        let context = RowContext { problem, metrics };
        let first = match weights {
            Weights::Metric => self.first_joint(),
            Weights::Scaled { .. } => self.rows.len(),
        };
        let (rows, bodies, full) = (&self.rows[first..], &self.bodies, &self.full.inverse);
        if new {
            self.joints.take(rows, bodies, full);
        }
        self.joints.fill(&context, rows, bodies, full);
    }

    /// Notes where each block went.
    fn note_places(&mut self, blocks: usize) {
        self.places.clear();
        self.places.resize(blocks, NOWHERE);
        let mut place = 0;
        let lanes = |picks: fn(&Picks) -> &Vec<[u32; LANES]>| {
            self.picks.iter().flat_map(picks).flatten().copied()
        };
        let packed = lanes(|p| &p.spheres).chain(lanes(|p| &p.points));
        for block in packed.chain(lanes(|p| &p.rolls)) {
            if block != NONE {
                self.places[block as usize] = place;
            }
            place += 1;
        }
        for row in &self.rows {
            // What cannot move keeps its impulse.
            if !matches!(row.metric, BlockMetric::Fixed) {
                self.places[row.block.index] = place;
            }
            place += 1;
        }
    }
}

/// Bodies as the plan numbers them.
pub(super) fn places(bodies: [usize; 2]) -> [u32; 2] {
    bodies.map(|body| match body {
        NO_BODY => WORLD,
        body => body as u32,
    })
}

fn kind_of(problem: &Problem<'_>, block: usize) -> Kind {
    let operator = problem.operator;
    let by_rows = || match operator.block_rows(block).0 {
        [] => Kind::Unsuited,
        _ => Kind::Rows,
    };
    match problem.cones.as_slice()[block] {
        Cone::Free { .. } if by_rows() == Kind::Rows => Kind::Joint,
        Cone::Friction { .. } => match operator.point(block) {
            None => Kind::Rows,
            Some(point) => kind_of_point(operator, &point),
        },
        Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
            let rolling = operator.rolling_point(block);
            match rolling.map(|r| kind_of_point(operator, &r.point)) {
                Some(Kind::Sphere) => Kind::Roll,
                _ => by_rows(),
            }
        }
        Cone::Free { .. } | Cone::NonNegative | Cone::Interval { .. } => by_rows(),
    }
}

/// How a contact is swept that does not resist rolling.
fn kind_of_point(operator: &TwoBody, point: &PointBlock) -> Kind {
    let inertias = inertias(operator, point);
    let moves = |b: &BodyInertia| b.inverse_mass > 0.0 || b.inverse_inertia != [[0.0; 3]; 3];
    if !inertias.iter().any(moves) && point.compliance == [0.0; 2] {
        return Kind::Immobile;
    }
    let along = point.arms.iter().all(|arm| {
        let [across, whole] = [cross(*arm, point.frame[0]), *arm].map(|v| dot(v, v));
        across <= ALONG * ALONG * whole
    });
    let isotropic = inertias.iter().all(|b| b.isotropic_inverse().is_some());
    if along && isotropic {
        Kind::Sphere
    } else {
        Kind::Point
    }
}

/// What resists the two bodies; nothing moves the world.
fn inertias(operator: &TwoBody, point: &PointBlock) -> [BodyInertia; 2] {
    point.bodies.map(|body| match body {
        NO_BODY => BodyInertia::diagonal(0.0, [0.0; 3]),
        body => operator.bodies()[body],
    })
}

fn take_body(inertia: &BodyInertia, body: &mut Body, old: &mut Body) -> bool {
    let Some(direct) = inertia.inverse() else {
        return false;
    };
    let [inverse, own] = match inertia.isotropic_inverse() {
        Some(inverse) => [inverse, direct.inertia[0][0]],
        None => [0.0; 2],
    };
    *body = Body::at_rest([inertia.inverse_mass, inverse]);
    *old = Body::at_rest([direct.mass, own]);
    let sound = |x: f64| x == 0.0 || SOUND.contains(&x);
    sound(direct.mass) && (0..3).all(|k| sound(direct.inertia[k][k]))
}

fn symmetric(m: &[[f64; 3]; 3]) -> Symmetric {
    Lanes([
        m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2], 0.0, 0.0,
    ])
}
