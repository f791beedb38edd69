//! The exact law: by hand, and methods that have nothing in common against each other.

use crate::common::{
    Kinds, LAWS, close, dense, distance, random_problem, run, sparse, velocity, with_cones,
};
use drystone_ccp::{Cone, Law, Method, Operator};

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn expect(problem: &drystone_ccp::Ccp<drystone_ccp::Sparse>, law: Law, by_hand: &[f64]) {
    for method in Method::ALL {
        let name = method.name();
        if !problem.operator().is_symmetric() && !TAKES_ALL.contains(&method) {
            continue;
        }
        let (gamma, info) = run(problem, method, law, 1e-10, 100_000);
        assert!(info.converged(), "{name} under {law:?}: {info:?}");
        let error = distance(&gamma, by_hand);
        assert!(
            error <= close(1e-8),
            "{name} under {law:?}: {gamma:?}, expected {by_hand:?}"
        );
    }
}

/// Methods that do not need a symmetric N.
const TAKES_ALL: [Method; 4] = [
    Method::Auto,
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Newton,
];

#[test]
fn a_sliding_contact_by_hand() {
    // N = I, r = (−1, −2, 0), mu = 0.2. Exact: no separation, so n = 1; the slip u_t = t − 2 is
    // against t > 0, so friction is at its limit t = 0.2 · 1. Relaxed: the projection of −r = (1,
    // 2, 0), n = (1 + 0.2 · 2) / (1 + 0.2²) = 1.4 / 1.04, t = 0.2 n.
    let problem = dense(&IDENTITY, &[-1.0, -2.0, 0.0], &[Cone::friction(0.2)]);
    expect(&problem, Law::Exact, &[1.0, 0.2, 0.0]);
    let n = 1.4 / 1.04;
    expect(&problem, Law::Relaxed, &[n, 0.2 * n, 0.0]);
}

#[test]
fn a_sticking_contact_by_hand() {
    // As above with mu = 3: (1, 2, 0) stops the contact, and lies inside the cone; the laws agree
    // where nothing slides.
    let problem = dense(&IDENTITY, &[-1.0, -2.0, 0.0], &[Cone::friction(3.0)]);
    for law in LAWS {
        expect(&problem, law, &[1.0, 2.0, 0.0]);
    }
}

#[test]
fn a_contact_that_friction_alone_would_lift_by_hand() {
    // r = (1, −3, 0), mu = 0.5: relaxed, the projection of (−1, 3, 0) is n = (−1 + 1.5) / 1.25 =
    // 0.4, t = 0.2: an impulse although the contact opens. Exact: u_n >= 1 > 0, so no impulse.
    let problem = dense(&IDENTITY, &[1.0, -3.0, 0.0], &[Cone::friction(0.5)]);
    expect(&problem, Law::Relaxed, &[0.4, 0.2, 0.0]);
    expect(&problem, Law::Exact, &[0.0, 0.0, 0.0]);
}

#[test]
fn a_matrix_that_is_not_symmetric_by_hand() {
    // N = [[2, 1], [0, 2]], r = (−3, −2), both pressing: 2 b = 2, 2 a + b = 3, so (1, 1).
    let bounds = [Cone::NonNegative; 2];
    let problem = dense(&[2.0, 1.0, 0.0, 2.0], &[-3.0, -2.0], &bounds);
    for law in LAWS {
        expect(&problem, law, &[1.0, 1.0]);
    }
    // r = (1, −2): the second gives b = 1, so u = (2, 0): the first is open.
    let problem = dense(&[2.0, 1.0, 0.0, 2.0], &[1.0, -2.0], &bounds);
    expect(&problem, Law::Relaxed, &[0.0, 1.0]);
}

/// Gauss–Seidel on exact block solutions, Newton, and De Saxcé's fixed point around three convex
/// methods. With a positive definite N the solution is unique for little enough friction; that a
/// fifth of the usual is little enough for these seeds is seen, not proved.
#[test]
fn methods_that_differ_agree_where_the_solution_is_unique() {
    let methods = [
        Method::Newton,
        Method::Apgd,
        Method::InteriorPoint,
        Method::NesterovGs,
        Method::Auto,
    ];
    let little = |cone: Cone| match cone {
        Cone::Friction { friction, cohesion } => Cone::Friction {
            friction: 0.2 * friction,
            cohesion,
        },
        other => other,
    };
    for seed in 0..8 {
        let problem = with_cones(&random_problem(800 + seed, 12, Kinds::Friction), little);
        let (gamma, info) = run(&problem, Method::GaussSeidel, Law::Exact, 1e-11, 100_000);
        assert!(info.converged(), "gauss-seidel on seed {seed}: {info:?}");
        let reference = velocity(&problem, &gamma);
        // A case where the laws differ, else this shows nothing.
        let (relaxed, _) = run(&problem, Method::Apgd, Law::Relaxed, 1e-11, 100_000);
        assert!(distance(&velocity(&problem, &relaxed), &reference) > 1e-3);
        for method in methods {
            let plain = sparse(&problem);
            for (gamma, info) in [
                run(&problem, method, Law::Exact, 1e-10, 400_000),
                run(&plain, method, Law::Exact, 1e-10, 400_000),
            ] {
                let name = method.name();
                assert!(info.converged(), "{name} on seed {seed}: {info:?}");
                let error = distance(&velocity(&problem, &gamma), &reference);
                assert!(error <= close(1e-7), "{name} on seed {seed}: {error:e}");
            }
        }
    }
}

#[test]
fn every_kind_of_block_under_the_exact_law() {
    for seed in 0..6 {
        let problem = random_problem(900 + seed, 16, Kinds::All);
        for method in [Method::GaussSeidel, Method::Newton, Method::Auto] {
            let (_, info) = run(&problem, method, Law::Exact, 1e-8, 200_000);
            assert!(
                info.converged(),
                "{} on seed {seed}: {info:?}",
                method.name()
            );
        }
    }
}
