//! No contacts, no pressure, no masses, odd units: every method under both laws.

use crate::common::{Kinds, LAWS, close, dense, distance, random_problem, run, sparse};
use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Method, Operator, SolveInfo, Sparse, Termination,
    TwoBody, TwoBodyBlock,
};

/// Runs every method under both laws.
fn for_all<N: Operator>(
    problem: &Ccp<N>,
    max_iterations: usize,
    judge: impl Fn(&str, &[f64], &SolveInfo),
) {
    for law in LAWS {
        for method in Method::ALL {
            let (gamma, info) = run(problem, method, law, 1e-8, max_iterations);
            judge(&format!("{} under {law:?}", method.name()), &gamma, &info);
        }
    }
}

#[test]
fn a_problem_without_contacts_is_solved_at_once() {
    let none = Cones::new(vec![]).unwrap();
    let matrix = Csr::from_triplets(0, 0, []).unwrap();
    let plain = Ccp::new(Sparse::new(matrix).unwrap(), vec![], none.clone()).unwrap();
    let bodies = vec![BodyInertia::isotropic(1.0, 1.0); 2];
    let two_body = Ccp::new(TwoBody::new(bodies, &[]).unwrap(), vec![], none).unwrap();
    let solved = |name: &str, gamma: &[f64], info: &SolveInfo| {
        assert!(gamma.is_empty());
        assert!(info.converged(), "{name}: {info:?}");
        assert_eq!(info.iterations, 0, "{name}");
        assert_eq!(info.certificate.objective, 0.0, "{name}");
    };
    for_all(&plain, 100, solved);
    for_all(&two_body, 100, solved);
}

/// `r` inside the dual cone of every block: all contacts part, joints and motors are at rest.
fn parting(problem: &Ccp<TwoBody>) -> Ccp<TwoBody> {
    let mut r = vec![0.0; problem.dim()];
    for (block, cone) in problem.cones().iter() {
        if cone.is_contact() && cone.cohesion() == 0.0 {
            // Σ mu_k ‖u_k‖ < 1 for these tangents, whatever the coefficients of the random
            // problems.
            r[block.rows()].fill(0.1);
            r[block.start] = 1.0;
        }
    }
    Ccp::new(problem.operator().clone(), r, problem.cones().clone()).unwrap()
}

#[test]
fn where_all_contacts_part_nothing_is_to_do() {
    for seed in 0..3 {
        let problem = parting(&random_problem(seed, 20, Kinds::All));
        let solved = |name: &str, gamma: &[f64], info: &SolveInfo| {
            assert!(info.converged(), "{name}: {info:?}");
            assert_eq!(info.iterations, 0, "{name}");
            assert!(gamma.iter().all(|g| *g == 0.0), "{name}: {gamma:?}");
        };
        for_all(&problem, 1000, solved);
        for_all(&sparse(&problem), 1000, solved);
    }
}

#[test]
fn a_warm_start_at_the_solution_is_found_to_be_one() {
    let problem = random_problem(31, 20, Kinds::All);
    for law in LAWS {
        let (solution, info) = run(&problem, Method::Newton, law, 1e-11, 1000);
        assert!(info.converged(), "{law:?}: {info:?}");
        for method in Method::ALL {
            let name = method.name();
            let mut gamma = solution.clone();
            let limits = drystone_ccp::Limits::default();
            let mut monitor = drystone_ccp::Monitor::new(limits, law);
            let info = drystone_ccp::solve(&problem, method, &mut gamma, &mut monitor).unwrap();
            assert!(info.converged(), "{name} under {law:?}: {info:?}");
            assert_eq!(info.iterations, 0, "{name} under {law:?}");
            assert!(distance(&gamma, &solution) <= close(1e-10));
        }
    }
}

#[test]
fn without_masses_nothing_panics() {
    // N = 0. Pressed contacts have no solution; parting ones have gamma = 0.
    let zero = [0.0; 16];
    let cones = [Cone::friction(0.3), Cone::NonNegative];
    let pressed = dense(&zero, &[-1.0, 0.5, 0.0, -1.0], &cones);
    let parting = dense(&zero, &[1.0, 0.1, 0.0, 1.0], &cones);
    let unsolved = |name: &str, gamma: &[f64], info: &SolveInfo| {
        assert!(!info.converged(), "{name}: {info:?}");
        assert!(gamma.iter().all(|g| g.is_finite()), "{name}: {gamma:?}");
    };
    let at_zero = |name: &str, gamma: &[f64], info: &SolveInfo| {
        assert!(info.converged(), "{name}: {info:?}");
        assert_eq!(gamma, [0.0; 4], "{name}");
    };
    for_all(&pressed, 200, unsolved);
    for_all(&parting, 200, at_zero);
    // The same between fixed bodies.
    let fixed = BodyInertia {
        inverse_mass: 0.0,
        inverse_inertia: [[0.0; 3]; 3],
    };
    let block = |rows: usize| TwoBodyBlock {
        bodies: [0, 1],
        rows: (0..rows)
            .map(|k| std::array::from_fn(|j| f64::from(u8::from(j == k))))
            .collect(),
        compliance: vec![],
    };
    let operator = TwoBody::new(vec![fixed; 2], &[block(3), block(1)]).unwrap();
    let cones = Cones::new(cones.to_vec()).unwrap();
    let pressed = Ccp::new(operator.clone(), pressed.r().to_vec(), cones.clone()).unwrap();
    let parting = Ccp::new(operator, parting.r().to_vec(), cones).unwrap();
    for_all(&pressed, 200, unsolved);
    for_all(&parting, 200, at_zero);
}

/// The same problem in other units: velocities times `of_r`, N times `of_n`, so impulses times
/// `of_r / of_n`.
fn rescaled(problem: &Ccp<TwoBody>, of_r: f64, of_n: f64) -> Ccp<TwoBody> {
    let operator = problem.operator();
    let bodies = operator.bodies().iter().map(|b| BodyInertia {
        inverse_mass: of_n * b.inverse_mass,
        inverse_inertia: b.inverse_inertia.map(|row| row.map(|v| of_n * v)),
    });
    let blocks: Vec<TwoBodyBlock> = (0..problem.cones().len())
        .map(|k| {
            let rows = operator.offsets()[k]..operator.offsets()[k + 1];
            TwoBodyBlock {
                bodies: operator.pair(k),
                rows: operator.jacobian()[rows.clone()].to_vec(),
                compliance: operator.compliance()[rows]
                    .iter()
                    .map(|c| of_n * c)
                    .collect(),
            }
        })
        .collect();
    let impulse = of_r / of_n;
    let cones = problem.cones().as_slice().iter().map(|cone| match *cone {
        Cone::Interval { lower, upper } => Cone::Interval {
            lower: impulse * lower,
            upper: impulse * upper,
        },
        Cone::Friction { friction, cohesion } => Cone::Friction {
            friction,
            cohesion: impulse * cohesion,
        },
        Cone::Rolling {
            friction,
            rolling,
            cohesion,
        } => Cone::Rolling {
            friction,
            rolling,
            cohesion: impulse * cohesion,
        },
        Cone::RollingSpinning {
            friction,
            rolling,
            spinning,
            cohesion,
        } => Cone::RollingSpinning {
            friction,
            rolling,
            spinning,
            cohesion: impulse * cohesion,
        },
        Cone::Free { .. } | Cone::NonNegative => *cone,
    });
    let cones = Cones::new(cones.collect()).unwrap();
    let r = problem.r().iter().map(|v| of_r * v).collect();
    Ccp::new(TwoBody::new(bodies.collect(), &blocks).unwrap(), r, cones).unwrap()
}

#[test]
fn units_do_not_matter() {
    let base = random_problem(77, 16, Kinds::All);
    for law in LAWS {
        for method in Method::ALL {
            let (expected, plain) = run(&base, method, law, 1e-8, 100_000);
            assert!(plain.converged(), "{}: {plain:?}", method.name());
            for (of_r, of_n) in [
                (1e12, 1.0),
                (1e-12, 1.0),
                (1.0, 1e12),
                (1.0, 1e-12),
                (1e12, 1e-12),
                (1e-12, 1e12),
            ] {
                let problem = rescaled(&base, of_r, of_n);
                let case = format!(
                    "{} under {law:?}, r × {of_r:e}, N × {of_n:e}",
                    method.name()
                );
                for (gamma, info) in [
                    run(&problem, method, law, 1e-8, 100_000),
                    run(&sparse(&problem), method, law, 1e-8, 100_000),
                ] {
                    assert_eq!(info.termination, Termination::Converged, "{case}: {info:?}");
                    let few = 4 + plain.iterations / 5;
                    assert!(
                        info.iterations.abs_diff(plain.iterations) <= few,
                        "{case}: {} iterations, {} in plain units",
                        info.iterations,
                        plain.iterations
                    );
                    let back: Vec<f64> = gamma.iter().map(|g| g * of_n / of_r).collect();
                    // The exact law may have several solutions.
                    if law == Law::Relaxed {
                        let error = distance(&back, &expected);
                        assert!(error <= close(1e-6), "{case}: {error:e}");
                    }
                }
            }
        }
    }
}
