//! The certificate is not to be fooled, and bad data is refused.

#![allow(clippy::unwrap_used)]

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Limits, Method, Monitor, NO_BODY, ProblemError,
    Sparse, Termination, TwoBody, TwoBodyBlock, solve,
};

fn one_contact(diagonal: f64, r: [f64; 3], mu: f64) -> Ccp<Sparse> {
    let entries = (0..3).filter(|_| diagonal != 0.0).map(|i| (i, i, diagonal));
    let matrix = Csr::from_triplets(3, 3, entries).unwrap();
    let cones = Cones::friction(&[mu]).unwrap();
    Ccp::new(Sparse::new(matrix).unwrap(), r.to_vec(), cones).unwrap()
}

#[test]
fn a_contact_that_nothing_can_stop_is_not_called_solved() {
    // N = 0 and a pressing contact: there is no solution, however large the impulse.
    let problem = one_contact(0.0, [-1.0, 0.0, 0.1], 0.3);
    for law in [Law::Relaxed, Law::Exact] {
        for method in Method::ALL {
            let limits = Limits {
                max_iterations: 500,
                ..Limits::default()
            };
            let mut gamma = vec![0.0; 3];
            let info = solve(&problem, method, &mut gamma, &mut Monitor::new(limits, law)).unwrap();
            let name = method.name();
            assert_ne!(
                info.termination,
                Termination::Converged,
                "{name} {law:?}: {info:?}"
            );
            assert!(info.certificate.residual > 0.5, "{name} {law:?}: {info:?}");
        }
    }
}

#[test]
fn a_huge_impulse_does_not_hide_the_velocity() {
    // gamma = (1e17, 0, 0) sticks, but the contact moves by N gamma + r = 1e17.
    let problem = one_contact(1.0, [-1.0, 0.0, 0.0], 0.5);
    let gamma = [1e17, 0.0, 0.0];
    let mut velocity = vec![0.0; 3];
    problem.velocity(&gamma, &mut velocity);
    let certificate = problem.certificate(
        Law::Relaxed,
        &gamma,
        &velocity,
        &drystone_ccp::reduce::Local,
    );
    assert!(certificate.residual > 1e16, "{certificate:?}");
}

#[test]
fn a_loose_tolerance_is_taken_under_the_exact_law() {
    let problem = one_contact(1.0, [-1.0, -2.0, 0.0], 0.3);
    for method in Method::ALL {
        let limits = Limits {
            tolerance: 0.5,
            ..Limits::default()
        };
        let mut gamma = vec![0.0; 3];
        let mut monitor = Monitor::new(limits, Law::Exact);
        let info = solve(&problem, method, &mut gamma, &mut monitor).unwrap();
        assert!(info.converged(), "{}: {info:?}", method.name());
    }
}

#[test]
fn projections_let_nan_through() {
    for cone in [
        Cone::NonNegative,
        Cone::Interval {
            lower: -1.0,
            upper: 1.0,
        },
        Cone::friction(0.5),
        Cone::Rolling {
            friction: 0.5,
            rolling: 0.1,
            cohesion: 0.0,
        },
    ] {
        let mut y = vec![f64::NAN; cone.rows()];
        cone.project(&mut y);
        assert!(y[0].is_nan(), "{cone:?}: {y:?}");
    }
}

#[test]
fn inertia_must_be_symmetric_and_not_negative() {
    let contact = TwoBodyBlock {
        bodies: [0, NO_BODY],
        rows: vec![[0.0; 12]],
        compliance: vec![],
    };
    let with = |inverse_inertia| {
        let body = BodyInertia {
            inverse_mass: 1.0,
            inverse_inertia,
        };
        TwoBody::new(vec![body], std::slice::from_ref(&contact)).map(|_| ())
    };
    let good = [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]];
    assert_eq!(with(good), Ok(()));
    let mut skew = good;
    skew[0][1] = -0.5;
    assert!(matches!(
        with(skew),
        Err(ProblemError::InertiaForm {
            body: 0,
            row: 0,
            column: 1,
            ..
        })
    ));
    let mut indefinite = good;
    (indefinite[0][1], indefinite[1][0]) = (5.0, 5.0);
    assert!(matches!(
        with(indefinite),
        Err(ProblemError::InertiaForm { .. })
    ));
    let mut negative = good;
    negative[2][2] = -3.0;
    assert_eq!(
        with(negative),
        Err(ProblemError::Inertia {
            body: 0,
            value: -3.0
        })
    );
}

#[test]
fn the_residual_of_rolling_contacts_does_not_depend_on_the_unit_of_length() {
    // A ball of 1 kg and 0.1 m on a wall, in units of 1/b m: speeds and impulses become b times as
    // large, moments b² times, rolling radii b times.
    let (r, b) = (0.1, 1000.0);
    let turn = 2.5 / (r * r);
    let residual = |b: f64| {
        let mut entries = vec![(0, 0, 1.0), (1, 1, 3.5), (2, 2, 3.5)];
        entries.extend((3..6).map(|k| (k, k, turn / (b * b))));
        for (k, l, sign) in [(1, 4, -1.0), (2, 3, 1.0)] {
            let coupled = sign * turn * r / b;
            entries.extend([(k, l, coupled), (l, k, coupled)]);
        }
        let matrix = Sparse::new(Csr::from_triplets(6, 6, entries).unwrap()).unwrap();
        let cone = Cone::RollingSpinning {
            friction: 0.5,
            rolling: 0.002 * b,
            spinning: 0.001 * b,
            cohesion: 0.01 * b,
        };
        let [linear, angular] = [[-0.3, 0.2, 0.1], [4.0, -3.0, 2.0]];
        let v = [linear.map(|v: f64| v * b), angular].concat();
        let problem = Ccp::new(matrix, v, Cones::new(vec![cone]).unwrap()).unwrap();
        let [push, moment] = [[0.2, -0.05, 0.08], [3e-4, 2e-4, -1e-4]];
        let gamma = [push.map(|g: f64| g * b), moment.map(|m: f64| m * b * b)].concat();
        let mut u = vec![0.0; 6];
        problem.velocity(&gamma, &mut u);
        [Law::Relaxed, Law::Exact].map(|law| {
            let local = &drystone_ccp::reduce::Local;
            problem.certificate(law, &gamma, &u, local).residual
        })
    };
    let (in_metres, in_millimetres) = (residual(1.0), residual(b));
    for (a, b) in in_metres.iter().zip(in_millimetres) {
        assert!(*a > 0.1 && (a - b).abs() < 1e-9 * a, "{a} {b}");
    }
}
