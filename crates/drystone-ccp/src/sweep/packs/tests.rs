//! The packs against the operator that they stand for.

use super::super::{Rule, Start};
use super::*;
use crate::{
    BodyInertia, Cone, Cones, Limits, Monitor, NO_BODY, PointContact, RowBlocks, TwoBodyParts,
};

/// Numbers in [-1, 1) that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> [f64; 3] {
        [self.next(), self.next(), self.next()]
    }
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// A chain of so many bodies in a row, each touching the next three and the ground; every third is
/// no sphere. Contacts of all kinds, and a joint here and there.
pub(super) fn problem(bodies: usize) -> Ccp<crate::TwoBody> {
    let mut dice = Dice(7);
    let mut parts = TwoBodyParts {
        contacts: Vec::new(),
        blocks: RowBlocks::default(),
        bodies: (0..bodies)
            .map(|b| {
                let heavy = 1.0 + 0.5 * dice.next();
                match b % 3 {
                    0 => BodyInertia {
                        inverse_mass: heavy,
                        inverse_inertia: [[3.0, 0.5, 0.0], [0.5, 4.0, -0.25], [0.0, -0.25, 5.0]],
                    },
                    _ => BodyInertia::diagonal(heavy, [4.0 * heavy; 3]),
                }
            })
            .collect(),
    };
    let (mut cones, mut late_cones) = (Vec::new(), Vec::new());
    for a in 0..bodies {
        for b in [a + 1, a + 2, a + 3, NO_BODY] {
            if b != NO_BODY && b >= bodies {
                continue;
            }
            let normal = unit(dice.vector());
            let sphere = a % 3 != 0 && (b == NO_BODY || b % 3 != 0);
            let arms = match sphere {
                true => [normal.map(|n| 0.5 * n), normal.map(|n| -0.4 * n)],
                false => [dice.vector(), dice.vector()],
            };
            let contact = PointContact {
                bodies: [a, b],
                normal,
                arms,
                compliance: [1e-3, 1e-4],
            };
            let friction = 0.5 + 0.4 * dice.next();
            let cohesion = if a % 5 == 0 { 0.1 } else { 0.0 };
            if (a + b % 7) % 11 == 3 {
                let rows = contact.rows();
                parts.blocks.push([a, b], rows.map(|row| (row, 1e-3)));
                late_cones.push(Cone::Free { rows: 3 });
            } else if sphere && a % 4 == 1 {
                let [n, t, u] = contact.frame();
                let turn = |axis: [f64; 3]| {
                    let [x, y, z] = axis;
                    ([0., 0., 0., -x, -y, -z, 0., 0., 0., x, y, z], 2e-4)
                };
                let spins = a % 8 == 1;
                let turns = [t, u, n]
                    .map(turn)
                    .into_iter()
                    .take(if spins { 3 } else { 2 });
                let rows = contact.rows().into_iter().zip([1e-3, 1e-4, 1e-4]);
                parts.blocks.push([a, b], rows.chain(turns));
                let (rolling, spinning) = (0.1, 0.05);
                late_cones.push(match spins {
                    true => Cone::RollingSpinning {
                        friction,
                        rolling,
                        spinning,
                        cohesion,
                    },
                    false => Cone::Rolling {
                        friction,
                        rolling,
                        cohesion,
                    },
                });
            } else {
                parts.contacts.push(contact);
                cones.push(Cone::Friction { friction, cohesion });
            }
        }
    }
    cones.append(&mut late_cones);
    let mut operator = crate::TwoBody::default();
    operator.refill(parts).unwrap();
    let cones = Cones::new(cones).unwrap();
    let r = (0..cones.dim()).map(|_| dice.next()).collect();
    Ccp::new(operator, r, cones).unwrap()
}

pub(super) fn started(problem: &Ccp<crate::TwoBody>, law: Law) -> PackSweeps {
    let mut gamma: Vec<f64> = (0..problem.dim()).map(|k| (k % 7) as f64 * 0.1).collect();
    problem.cones().project(&mut gamma);
    started_from(problem, law, &gamma)
}

pub(super) fn started_from(problem: &Ccp<crate::TwoBody>, law: Law, gamma: &[f64]) -> PackSweeps {
    let mut monitor = Monitor::new(Limits::default(), law);
    let scale = monitor.scale(problem);
    let start = Start {
        law,
        rule: Rule::Metric,
        scale: &scale,
    };
    let mut sweeps = PackSweeps::default();
    assert!(sweeps.start(problem, &start, &[], gamma));
    sweeps
}

/// Three sweeps with momentum; the sums of the last.
fn swept(sweeps: &mut PackSweeps, problem: &Ccp<crate::TwoBody>) -> SweepSums {
    sweeps.run(problem, 0.0);
    sweeps.run(problem, 0.3);
    sweeps.run(problem, 0.4)
}

pub(super) fn read(sweeps: &mut PackSweeps, problem: &Ccp<crate::TwoBody>) -> (Vec<f64>, Vec<f64>) {
    let (mut gamma, mut velocity) = (vec![0.0; problem.dim()], vec![0.0; problem.dim()]);
    sweeps.read(problem, &mut gamma, &mut velocity);
    (gamma, velocity)
}

#[test]
fn all_kinds_are_met() {
    let sweeps = started(&problem(1500), Law::Relaxed);
    assert!(!sweeps.spheres.is_empty() && !sweeps.points.is_empty());
    assert!(!sweeps.rolls.is_empty() && !sweeps.rows.is_empty());
    assert!(sweeps.plan.phases.len() > 1, "several parts");
}

#[test]
fn a_pack_shares_no_body_and_a_phase_shares_none_between_groups() {
    let problem = problem(1500);
    let sweeps = started(&problem, Law::Relaxed);
    let mut spheres = sweeps.spheres.iter();
    let mut points = sweeps.points.iter();
    let mut rolls = sweeps.rolls.iter();
    for phase in &sweeps.plan.phases {
        let mut seen = vec![usize::MAX; sweeps.bodies.len()];
        for group in phase.clone() {
            let span = sweeps.spans[group];
            let spheres = spheres.by_ref().take(span.spheres).map(|p| p.bodies);
            let points = points.by_ref().take(span.points).map(|p| p.bodies);
            let rolls = rolls.by_ref().take(span.rolls).map(|p| p.point.bodies);
            for [first, second] in spheres.chain(points).chain(rolls) {
                let mut bodies: Vec<u32> = first.into_iter().chain(second).collect();
                bodies.retain(|&b| (b as usize) < problem.operator().bodies().len());
                for &body in &bodies {
                    let owner = &mut seen[body as usize];
                    assert!(*owner == usize::MAX || *owner == group);
                    *owner = group;
                }
                let count = bodies.len();
                bodies.sort_unstable();
                bodies.dedup();
                assert_eq!(bodies.len(), count, "a body twice in a pack");
            }
        }
    }
}

#[test]
fn sums_and_residuals_are_those_of_the_problem() {
    let problem = problem(1500);
    for law in [Law::Relaxed, Law::Exact] {
        let mut sweeps = started(&problem, law);
        let sums = swept(&mut sweeps, &problem);
        let (gamma, _) = read(&mut sweeps, &problem);
        let mut velocity = vec![0.0; problem.dim()];
        problem.velocity(&gamma, &mut velocity);
        let objective = problem.objective(&gamma, &velocity);
        assert!((sums.objective - objective).abs() < 1e-9 * objective.abs());
        let mut monitor = Monitor::new(Limits::default(), law);
        let scale = monitor.scale(&problem);
        let expected = monitor.residual(&problem, &gamma, &velocity);
        let found = scale.relative(sweeps.residual_squares(&problem, &scale).sum);
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} for {expected}"
        );
    }
}

#[test]
fn going_back_and_refreshing_change_nothing_but_rounding() {
    let problem = problem(1500);
    let mut sweeps = started(&problem, Law::Relaxed);
    swept(&mut sweeps, &problem);
    Sweep::<crate::TwoBody>::keep(&mut sweeps);
    // From the kept point by a sweep without momentum: at once, and after a sweep that is undone.
    let mut other = started(&problem, Law::Relaxed);
    swept(&mut other, &problem);
    let plain = other.run(&problem, 0.0);
    sweeps.run(&problem, 0.9);
    let redone = sweeps.redo(&problem);
    assert_eq!(plain, redone);
    let (gamma, velocity) = read(&mut sweeps, &problem);
    sweeps.refresh(&problem);
    let (same, fresh) = read(&mut sweeps, &problem);
    assert_eq!(gamma, same);
    let off = velocity.iter().zip(&fresh).map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) < 1e-12);
    let mut kept = vec![0.0; problem.dim()];
    sweeps.read_kept(&problem, &mut kept);
    assert_ne!(kept, gamma);
}

#[test]
fn the_same_bits_with_any_instructions_and_any_number_of_threads() {
    let problem = problem(3000);
    for law in [Law::Relaxed, Law::Exact] {
        let on = |threads: usize, instructions: Instructions| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let mut sweeps = started(&problem, law);
                sweeps.instructions = instructions;
                let sums = swept(&mut sweeps, &problem);
                let scale = Monitor::new(Limits::default(), law).scale(&problem);
                let residual = sweeps.residual_squares(&problem, &scale).sum;
                (sums, residual.to_bits(), read(&mut sweeps, &problem))
            })
        };
        let expected = on(1, Instructions::Plain);
        for instructions in Instructions::here() {
            for threads in [1, 2, 3, 8] {
                assert!(
                    on(threads, instructions) == expected,
                    "{threads} threads, {instructions:?}"
                );
            }
        }
    }
}

/// So many links on a line, each pinned to the next by three rows, the first to the world and the
/// last to a body a thousand times as heavy; `closed` pins that to the world as well, twice.
fn chain(links: usize, closed: bool) -> Ccp<crate::TwoBody> {
    let inertia = |mass: f64| BodyInertia::diagonal(1.0 / mass, [10.0 / mass; 3]);
    let mut parts = TwoBodyParts {
        contacts: Vec::new(),
        blocks: RowBlocks::default(),
        bodies: (0..links).map(|_| inertia(1.0)).collect(),
    };
    parts.bodies.push(inertia(1000.0));
    let mut pin = |bodies: [usize; 2]| {
        let point = PointContact {
            bodies,
            normal: [0.0, 0.0, 1.0],
            arms: [[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]],
            compliance: [0.0; 2],
        };
        parts
            .blocks
            .push(bodies, point.rows().map(|row| (row, 0.0)));
    };
    pin([NO_BODY, 0]);
    (0..links).for_each(|link| pin([link, link + 1]));
    let mut rows = 3 * (links + 1);
    if closed {
        (0..2).for_each(|_| pin([links, NO_BODY]));
        rows += 6;
    }
    let mut operator = crate::TwoBody::default();
    operator.refill(parts).unwrap();
    let cones = Cones::new(vec![Cone::Free { rows: 3 }; rows / 3]).unwrap();
    // Everything falls: what the rows of each pin see is the same.
    let r = (0..rows)
        .map(|k| if k % 3 == 0 { -0.1 } else { 0.0 })
        .collect();
    Ccp::new(operator, r, cones).unwrap()
}

#[test]
fn joints_are_solved_at_once_however_long_and_heavy_the_chain() {
    for closed in [false, true] {
        let problem = chain(60, closed);
        let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
        let mut gamma = vec![0.0; problem.dim()];
        let info = crate::solve(
            &problem,
            crate::Method::NesterovGs,
            &mut gamma,
            &mut monitor,
        );
        let info = info.unwrap();
        assert!(info.converged() && info.iterations <= 8, "{info:?}");
    }
}

#[test]
fn a_row_that_follows_from_others_stays_as_it_starts() {
    // The last pin is there twice: one of the two carries all, the other stays at zero.
    let problem = chain(3, true);
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
    let info = crate::solve(
        &problem,
        crate::Method::NesterovGs,
        &mut gamma,
        &mut monitor,
    );
    assert!(info.unwrap().converged());
    let last: Vec<f64> = gamma[gamma.len() - 6..].iter().map(|g| g.abs()).collect();
    for k in 0..3 {
        let (small, large) = (last[k].min(last[3 + k]), last[k].max(last[3 + k]));
        assert!(small <= 1e-9 * large.max(1e-9), "{last:?}");
    }
}

#[test]
fn a_patch_mends_what_is_wrong_in_one_place() {
    let problem = problem(400);
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
    let solved = crate::solvers::nesterov_gs::NesterovGs::default()
        .solve(&problem, &Default::default(), &mut gamma, &mut monitor)
        .unwrap();
    assert!(solved.converged(), "{solved:?}");
    let by_size = |&a: &usize, &b: &usize| gamma[3 * a].total_cmp(&gamma[3 * b]);
    let largest = (0..problem.operator().contacts().len()).max_by(by_size);
    let rows = problem.cones().block(largest.unwrap()).rows();
    gamma[rows].iter_mut().for_each(|g| *g *= 1.5);

    let mut sweeps = started_from(&problem, Law::Relaxed, &gamma);
    let scale = monitor.scale(&problem);
    let before = sweeps.residual_squares(&problem, &scale).sum;
    let mut count = 0;
    let mut work = |patch: &mut dyn Sweep<crate::TwoBody>, share: f64| {
        assert!(share < 0.1, "{share}");
        for _ in 0..200 {
            patch.run(&problem, 0.0);
            count += 1;
        }
    };
    sweeps.sweep_patch(&problem, &scale, &mut work);
    assert_eq!(count, 200);
    let after = sweeps.residual_squares(&problem, &scale).sum;
    assert!(after < 1e-2 * before, "{before} {after}");

    // The whole goes on from there, with velocities and a momentum that belong to it.
    for beta in [0.0, 0.7] {
        let sums = sweeps.run(&problem, beta);
        let (gamma, velocity) = read(&mut sweeps, &problem);
        let mut expected = vec![0.0; problem.dim()];
        problem.velocity(&gamma, &mut expected);
        let off = velocity.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-9);
        let objective = problem.objective(&gamma, &expected);
        assert!((sums.objective - objective).abs() < 1e-9 * objective.abs());
    }
}

#[test]
fn no_patch_where_all_is_equally_wrong() {
    let problem = problem(400);
    let mut sweeps = started(&problem, Law::Relaxed);
    swept(&mut sweeps, &problem);
    let scale = Monitor::new(Limits::default(), Law::Relaxed).scale(&problem);
    let mut work = |_: &mut dyn Sweep<crate::TwoBody>, _| panic!("nothing to patch");
    sweeps.sweep_patch(&problem, &scale, &mut work);
}

#[test]
fn anchors_leave_the_iterate_and_a_release_brings_the_problem_back() {
    let problem = problem(1500);
    let scale = Monitor::new(Limits::default(), Law::Relaxed).scale(&problem);
    let mut sweeps = started(&problem, Law::Relaxed);
    swept(&mut sweeps, &problem);
    let (gamma, _) = read(&mut sweeps, &problem);
    let residual = sweeps.residual_squares(&problem, &scale).sum;
    for heavier in [Some(1.0), None, Some(3.0)] {
        assert!(sweeps.anchor(&problem, &scale, heavier));
        let (same, _) = read(&mut sweeps, &problem);
        assert_eq!(gamma, same, "{heavier:?}");
        // Where the anchors are, the nearer problem has the velocities of the problem itself.
        let near = sweeps.residual_squares(&problem, &scale).sum;
        assert!((near - residual).abs() < 1e-12 * residual, "{heavier:?}");
    }
    sweeps.run(&problem, 0.0);
    let near = sweeps.residual_squares(&problem, &scale).sum;
    sweeps.release(&problem);
    let (gamma, velocity) = read(&mut sweeps, &problem);
    let mut fresh = vec![0.0; problem.dim()];
    problem.velocity(&gamma, &mut fresh);
    let off = velocity.iter().zip(&fresh).map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) < 1e-12);
    assert_ne!(sweeps.residual_squares(&problem, &scale).sum, near);
}

#[test]
fn at_a_solution_anchors_change_nothing() {
    let problem = problem(300);
    let mut gamma = vec![0.0; problem.dim()];
    let limits = Limits {
        tolerance: 1e-11,
        ..Limits::default()
    };
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let info = crate::solve(&problem, crate::Method::Auto, &mut gamma, &mut monitor).unwrap();
    assert!(info.converged());
    let scale = monitor.scale(&problem);
    let mut sweeps = started_from(&problem, Law::Relaxed, &gamma);
    for heavier in [Some(1.0), None, Some(30.0)] {
        assert!(sweeps.anchor(&problem, &scale, heavier));
        // Heavier bodies are held by what they have; the nearer problem has the same solution.
        let near = scale.relative(sweeps.residual_squares(&problem, &scale).sum);
        assert!(near < 1e-9, "{near:e} with {heavier:?}");
    }
}
