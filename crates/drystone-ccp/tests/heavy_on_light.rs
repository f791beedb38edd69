//! A heavy slab on layers of light balls: what makes first-order methods slow.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use crate::common::close;
use drystone_ccp::solvers::nesterov_gs::{NesterovGs, NesterovGsSettings};
use drystone_ccp::{
    BodyInertia, Ccp, Cones, Law, Limits, Monitor, NO_BODY, PointContact, RowBlocks, SolveInfo,
    TwoBody, TwoBodyParts,
};

/// Balls of 1 kg and a radius of 1 m in six layers of twenty, each on the four below it in a square
/// lattice that wraps around, and a slab of so many kg on top.
fn slab_on_balls(slab: f64) -> Ccp<TwoBody> {
    let (side, layers) = (20_usize, 6_usize);
    let (per_layer, ball) = (side, |layer: usize, k: usize| layer * side + k % side);
    let mut bodies = vec![BodyInertia::isotropic(1.0, 0.4); layers * per_layer];
    let top = bodies.len();
    bodies.push(BodyInertia::isotropic(slab, slab));
    let contact = |a: usize, b: usize, normal: [f64; 3], arms: [f64; 2]| PointContact {
        bodies: [a, b],
        normal,
        arms: arms.map(|arm| normal.map(|n| arm * n)),
        compliance: [0.0; 2],
    };
    let mut contacts = Vec::new();
    for layer in 0..layers {
        for k in 0..per_layer {
            let upper = ball(layer, k);
            if layer == 0 {
                contacts.push(contact(upper, NO_BODY, [0.0, 0.0, -1.0], [1.0, 0.0]));
                continue;
            }
            // On two balls of the layer below, left and right.
            for (lower, x) in [(k, 0.6), (k + 1, -0.6)] {
                let lower = ball(layer - 1, lower);
                contacts.push(contact(upper, lower, [x, 0.0, -0.8], [1.0, -1.0]));
            }
        }
    }
    for k in 0..per_layer {
        contacts.push(contact(
            ball(layers - 1, k),
            top,
            [0.0, 0.0, 1.0],
            [1.0, -1.0],
        ));
    }
    let count = contacts.len();
    let mut operator = TwoBody::default();
    operator
        .refill(TwoBodyParts {
            bodies,
            contacts,
            blocks: RowBlocks::default(),
        })
        .unwrap();
    // All fall by 0.1 m/s; only what stands on the ground or on another feels it.
    let free: Vec<f64> = (0..=top)
        .flat_map(|_| [0.0, 0.0, -0.1, 0.0, 0.0, 0.0])
        .collect();
    let mut r = vec![0.0; 3 * count];
    operator.row_velocities(&vec![0.0; 3 * count], &free, &mut r);
    Ccp::new(operator, r, Cones::friction(&vec![0.5; count]).unwrap()).unwrap()
}

fn solved(problem: &Ccp<TwoBody>, anchors: bool) -> (Vec<f64>, SolveInfo) {
    let settings = NesterovGsSettings {
        anchors,
        ..NesterovGsSettings::default()
    };
    let limits = Limits {
        tolerance: 1e-6,
        max_iterations: 200_000,
        time_limit: None,
        ..Limits::default()
    };
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let info = NesterovGs::default()
        .solve(problem, &settings, &mut gamma, &mut monitor)
        .unwrap();
    (gamma, info)
}

#[test]
fn anchors_need_fewer_sweeps_and_find_the_same_solution() {
    let problem = slab_on_balls(1e5);
    let (_, plain) = solved(&problem, false);
    let (gamma, anchored) = solved(&problem, true);
    assert!(anchored.converged(), "{anchored:?}");
    assert!(
        anchored.iterations < plain.iterations,
        "{} sweeps with anchors, {} without",
        anchored.iterations,
        plain.iterations
    );
    let (a, b) = (anchored.certificate.objective, plain.certificate.objective);
    assert!((a - b).abs() < close(1e-4) * b.abs(), "{a} and {b}");
    // The ground carries the slab and all balls: 0.1 m/s times their mass.
    let ground: f64 = (0..20).map(|k| gamma[3 * k]).sum();
    let weight = 0.1 * (1e5 + 120.0);
    assert!(
        (ground - weight).abs() < close(1e-3) * weight,
        "{ground} N s of {weight}"
    );
}

#[test]
fn a_limit_returns_what_is_best_for_the_motion() {
    // On the way the residual rises above that of zero; zero impulses would let the slab fall.
    let problem = slab_on_balls(1e5);
    let mut gamma = vec![0.0; problem.dim()];
    let limits = Limits {
        tolerance: 1e-6,
        max_iterations: 40,
        time_limit: None,
        ..Limits::default()
    };
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let info = NesterovGs::default()
        .solve(
            &problem,
            &NesterovGsSettings::default(),
            &mut gamma,
            &mut monitor,
        )
        .unwrap();
    assert!(!info.converged());
    assert!(info.certificate.objective < 0.0, "{:?}", info.certificate);
}
