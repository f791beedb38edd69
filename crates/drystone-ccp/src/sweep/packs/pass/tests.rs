//! Passes over packs against the operator that they stand for.

use super::super::simd::Instructions;
use super::super::tests::{problem, read, started};
use super::*;
use crate::problem::Law;
use crate::sweep::blocks::BlockSweeps;
use crate::sweep::{Rule, Start};
use crate::{Limits, Monitor, TwoBody};

type Found = (Vec<f64>, Vec<f64>);

fn started_passes(problem: &Ccp<TwoBody>, holds: Holds) -> PackSweeps {
    let mut sweeps = started(problem, Law::Relaxed);
    sweeps.start_passes(holds);
    sweeps
}

/// By scales in place of the metric, in packs and block by block.
fn started_scaled(problem: &Ccp<TwoBody>, holds: Holds) -> (PackSweeps, BlockSweeps) {
    let mut gamma: Vec<f64> = (0..problem.dim()).map(|k| (k % 7) as f64 * 0.1).collect();
    problem.cones().project(&mut gamma);
    let scales: Vec<f64> = (0..problem.cones().len())
        .map(|k| 8.0 + (k % 3) as f64)
        .collect();
    let mut monitor = Monitor::new(Limits::default(), Law::Relaxed);
    let scale = monitor.scale(problem);
    let start = Start {
        law: Law::Relaxed,
        rule: Rule::Scaled {
            omega: 1.0,
            lambda: 1.0,
        },
        scale: &scale,
    };
    let (mut packs, mut blocks) = (PackSweeps::default(), BlockSweeps::default());
    assert!(packs.start(problem, &start, &scales, &gamma));
    packs.start_passes(holds);
    blocks.start(problem, &start, &scales, &gamma);
    blocks.start_passes(holds);
    (packs, blocks)
}

fn settled(sweeps: &mut PackSweeps, problem: &Ccp<TwoBody>) -> Found {
    Sweep::<TwoBody>::settle(sweeps);
    read(sweeps, problem)
}

fn step(beta: f64, alpha: f64) -> PassStep {
    PassStep {
        beta,
        ..PassStep::plain(alpha)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}

#[test]
fn sums_are_those_of_the_problem_and_a_step_descends_as_far_as_its_metric_says() {
    let problem = problem(1500);
    let mut sweeps = started_passes(&problem, Holds::Point);
    sweeps.pass(&problem, step(0.0, 0.5));
    sweeps.pass(&problem, step(0.0, 0.25));
    let (x, _) = settled(&mut sweeps, &problem);
    let mut other = started_passes(&problem, Holds::Point);
    other.pass(&problem, step(0.0, 0.5));
    let (x_old, _) = settled(&mut other, &problem);
    let (beta, alpha) = (0.4, 0.3);
    let sums = sweeps.pass(&problem, step(beta, alpha));
    let (next, velocity) = settled(&mut sweeps, &problem);
    let y: Vec<f64> = (0..x.len())
        .map(|k| x[k] + beta * (x[k] - x_old[k]))
        .collect();
    let (mut s, mut fresh) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    problem.velocity(&y, &mut s);
    problem.velocity(&next, &mut fresh);
    let d = minus(&next, &y);
    let mut n_d = vec![0.0; x.len()];
    problem.operator().apply(&d, &mut n_d);
    assert!(near(sums.slope, dot(&s, &d)), "{sums:?}");
    assert!(near(sums.uphill, dot(&s, &minus(&next, &x))), "{sums:?}");
    assert!(near(sums.curvature, dot(&d, &n_d)), "{sums:?}");
    // P is at least each block's own part of N.
    assert!(sums.curvature < 12.0 * sums.length, "{sums:?}");
    let off = minus(&velocity, &fresh)
        .iter()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    assert!(off < 1e-12, "{off:e}");
    // What makes it a step of a projected gradient, from a point in the cones:
    // sᵀ d ≤ −dᵀ P d / alpha.
    let sums = sweeps.pass(&problem, step(0.0, alpha));
    assert!(sums.length > 0.0 && sums.slope <= -sums.length / alpha * (1.0 - 1e-9));
}

#[test]
fn packs_do_what_blocks_do() {
    let problem = problem(400);
    let rows = problem.dim();
    for holds in [Holds::Nothing, Holds::Point, Holds::Velocity] {
        let (mut packs, mut blocks) = started_scaled(&problem, holds);
        let by_share = PassStep {
            lambda: 0.8,
            ..PassStep::plain(0.3)
        };
        for (k, step) in [step(0.0, 0.3), step(0.0, 0.2), by_share, step(0.5, 0.3)]
            .into_iter()
            .enumerate()
        {
            let [a, b] = [packs.pass(&problem, step), blocks.pass(&problem, step)];
            for (found, expected) in [
                (a.slope, b.slope),
                (a.uphill, b.uphill),
                (a.length, b.length),
                (a.curvature, b.curvature),
                (a.moved, b.moved),
            ] {
                assert!(near(found, expected), "pass {k}, {holds:?}: {a:?} {b:?}");
            }
            if holds == Holds::Velocity && k > 0 {
                assert!(near(a.bend, b.bend) && near(a.turn, b.turn), "{a:?} {b:?}");
            }
        }
        let step = step(0.0, 0.2);
        packs.pass(&problem, step);
        blocks.pass(&problem, step);
        let turns = [
            Pass::<TwoBody>::turn(&mut packs, &problem),
            Pass::<TwoBody>::turn(&mut blocks, &problem),
        ];
        assert!(near(turns[0], turns[1]), "{turns:?}");
        Pass::<TwoBody>::shorten(&mut packs, 0.6);
        Pass::<TwoBody>::shorten(&mut blocks, 0.6);
        let (gamma, velocity) = settled(&mut packs, &problem);
        let (mut expected, mut fresh) = (vec![0.0; rows], vec![0.0; rows]);
        Sweep::<TwoBody>::settle(&mut blocks);
        blocks.read(&problem, &mut expected, &mut fresh);
        let off = |a: &[f64], b: &[f64]| {
            let off = minus(a, b)
                .into_iter()
                .fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(off < 1e-10, "{holds:?}: {off:e}");
        };
        off(&gamma, &expected);
        off(&velocity, &fresh);
    }
}

#[test]
fn a_pass_that_is_taken_back_leaves_nothing() {
    let problem = problem(1500);
    let first = step(0.0, 0.5);
    let mut plain = started_passes(&problem, Holds::Point);
    plain.pass(&problem, first);
    let expected = plain.pass(&problem, step(0.4, 0.2));
    let mut again = started_passes(&problem, Holds::Point);
    again.pass(&problem, first);
    again.pass(&problem, step(0.4, 3.0));
    let found = again.pass(
        &problem,
        PassStep {
            again: true,
            ..step(0.4, 0.2)
        },
    );
    assert_eq!(found, expected);
    assert!(settled(&mut again, &problem) == settled(&mut plain, &problem));
}

#[test]
fn passes_have_the_same_bits_with_any_instructions_and_any_number_of_threads() {
    let problem = problem(3000);
    for holds in [Holds::Nothing, Holds::Point, Holds::Velocity] {
        let on = |threads: usize, instructions: Instructions| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let mut sweeps = started_passes(&problem, holds);
                sweeps.instructions = instructions;
                sweeps.pass(&problem, step(0.0, 0.5));
                sweeps.pass(&problem, step(0.3, 0.25));
                let sums = sweeps.pass(&problem, step(0.0, 0.25));
                let turn = Pass::<TwoBody>::turn(&mut sweeps, &problem);
                (sums, turn.to_bits(), settled(&mut sweeps, &problem))
            })
        };
        let expected = on(1, Instructions::Plain);
        for threads in [1, 2, 3, 8] {
            let found = on(threads, Instructions::best());
            assert!(found == expected, "{threads} threads, {holds:?}");
        }
    }
}
