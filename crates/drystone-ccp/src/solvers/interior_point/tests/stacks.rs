//! Stacks of plates: bodies, joints and mass ratios.

use super::*;
use crate::operator::{BodyInertia, NO_BODY, TwoBody, TwoBodyBlock};

/// A row of a contact at `point` relative to the body's centre, along `axis`.
fn wrench(point: [f64; 3], axis: [f64; 3]) -> [f64; 6] {
    let ([x, y, z], [a, b, c]) = (point, axis);
    [a, b, c, y * c - z * b, z * a - x * c, x * b - y * a]
}

/// A contact or ball joint between two bodies, or a body and the world: rows along z, x, y.
fn meeting(bodies: [usize; 2], points: [[f64; 3]; 2]) -> TwoBodyBlock {
    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let row = |axis: &[f64; 3]| {
        let mut row = [0.0; 12];
        row[..6].copy_from_slice(&wrench(points[0], *axis).map(|v| -v));
        row[6..].copy_from_slice(&wrench(points[1], *axis));
        row
    };
    TwoBodyBlock {
        bodies,
        rows: axes.iter().map(row).collect(),
        compliance: vec![],
    }
}

/// `count` square plates one on another, masses rising from 1 to `ratio`, four contacts per
/// interface, falling for a step under gravity and pushed sideways; every second pair of neighbours
/// also pinned by a ball joint if asked.
fn stack(count: usize, ratio: f64, joints: bool) -> Ccp<TwoBody> {
    let mut blocks = Vec::new();
    let mut cones = Vec::new();
    let mut bodies = Vec::new();
    let mut v = Vec::new();
    let height = 0.1;
    for k in 0..count {
        let mass = ratio.powf(k as f64 / (count - 1) as f64);
        bodies.push(BodyInertia::isotropic(mass, mass / 6.0));
        v.extend([0.02, 0.01, -0.05, 0.0, 0.0, 0.0]);
        let below = if k == 0 { NO_BODY } else { k - 1 };
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let points = [[x, y, 0.5 * height], [x, y, -0.5 * height]];
            blocks.push(meeting([below, k], points));
            cones.push(Cone::friction(0.3));
        }
        if joints && k % 2 == 1 {
            let points = [[0.0, 0.0, 0.5 * height], [0.0, 0.0, -0.5 * height]];
            blocks.push(meeting([below, k], points));
            cones.push(Cone::Free { rows: 3 });
        }
    }
    let operator = TwoBody::new(bodies, &blocks).unwrap();
    let mut r = vec![0.0; operator.dim()];
    operator.row_velocities(&vec![0.0; operator.dim()], &v, &mut r);
    Ccp::new(operator, r, Cones::new(cones).unwrap()).unwrap()
}

fn velocity_of<N: Operator>(problem: &Ccp<N>, gamma: &[f64]) -> Vec<f64> {
    let mut velocity = vec![0.0; problem.dim()];
    problem.velocity(gamma, &mut velocity);
    velocity
}

#[test]
fn impulses_velocities_and_matrix_free_agree() {
    for joints in [false, true] {
        let problem = stack(6, 10.0, joints);
        let with = |formulation, linear_solver| {
            let settings = InteriorPointSettings {
                formulation,
                linear_solver,
                ..InteriorPointSettings::default()
            };
            let (gamma, info) = solve_with(&problem, &settings, 1e-7);
            assert!(
                info.converged(),
                "{formulation:?} {linear_solver:?} {info:?}"
            );
            // Four contacts a plate leave the impulses open; velocities and objective are unique.
            (velocity_of(&problem, &gamma), info.certificate.objective)
        };
        let (velocity, objective) = with(Formulation::Velocities, LinearSolver::Factor);
        for (formulation, solver) in [
            (Formulation::Impulses, LinearSolver::Factor),
            (Formulation::Auto, LinearSolver::MatrixFree),
        ] {
            let (other, other_objective) = with(formulation, solver);
            assert_close(&velocity, &other, 1e-5);
            assert!((objective - other_objective).abs() <= 1e-6 * objective.abs());
        }
    }
}

#[test]
fn a_small_memory_bound_falls_back_to_matrix_free() {
    let settings = InteriorPointSettings {
        factor_bytes: 100,
        ..InteriorPointSettings::default()
    };
    let problem = stack(4, 10.0, true);
    let (_, bounded) = solve_with(&problem, &settings, 1e-6);
    let (_, free) = solve_to(&problem, 1e-6);
    assert!(bounded.converged() && free.converged());
    assert!(bounded.products > free.products);
}

#[test]
fn joined_stack_satisfies_joints_and_cones() {
    let problem = stack(8, 100.0, true);
    let (_, info) = solve_to(&problem, 1e-8);
    assert!(info.converged(), "{info:?}");
    assert!(info.certificate.cone_violation < 1e-12);
    assert!(info.certificate.dual_violation < 1e-7);
}

#[test]
fn tens_of_iterations_where_apgd_needs_hundreds() {
    // Melanz, Table 1, in small: twenty plates, the top one a thousand times the bottom one.
    let problem = stack(20, 1000.0, false);
    let (_, point) = solve_to(&problem, 1e-6);
    assert!(point.converged() && point.iterations <= 40, "{point:?}");
    let (_, gradient) = apgd(&problem, 1e-6);
    assert!(
        gradient.iterations > 10 * point.iterations,
        "{} and {}",
        gradient.iterations,
        point.iterations
    );
}

#[test]
fn a_good_start_saves_iterations() {
    // The next step's loads differ by a per cent or so.
    let mut problem = stack(10, 100.0, false);
    let (mut gamma, _) = solve_to(&problem, 1e-6);
    let r: Vec<f64> = (0..problem.dim())
        .map(|i| problem.r()[i] * (1.0 + 0.01 * (i % 3) as f64))
        .collect();
    problem.set_r(&r);
    let (cold_gamma, cold) = solve_to(&problem, 1e-7);
    let mut monitor = Monitor::new(limits(1e-7), Law::Relaxed);
    let warm = InteriorPoint::default()
        .solve(
            &problem,
            &InteriorPointSettings::default(),
            &mut gamma,
            &mut monitor,
        )
        .unwrap();
    assert!(cold.converged() && warm.converged());
    assert!(
        warm.iterations < cold.iterations,
        "{} and {}",
        warm.iterations,
        cold.iterations
    );
    let (a, b) = (
        velocity_of(&problem, &cold_gamma),
        velocity_of(&problem, &gamma),
    );
    assert_close(&a, &b, 1e-6);
}

#[test]
fn any_start_gives_the_same_answer() {
    let problem = stack(5, 10.0, true);
    let (expected, _) = solve_to(&problem, 1e-8);
    let mut stream = Stream(3);
    let mut gamma: Vec<f64> = (0..problem.dim()).map(|_| 10.0 * stream.next()).collect();
    let mut monitor = Monitor::new(limits(1e-8), Law::Relaxed);
    let info = InteriorPoint::default()
        .solve(
            &problem,
            &InteriorPointSettings::default(),
            &mut gamma,
            &mut monitor,
        )
        .unwrap();
    assert!(info.converged());
    let (a, b) = (
        velocity_of(&problem, &expected),
        velocity_of(&problem, &gamma),
    );
    assert_close(&a, &b, 1e-6);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let problem = stack(10, 100.0, true);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| solve_to(&problem, 1e-8).0)
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_kept_analysis_changes_no_bit_and_is_used_for_its_own_graph_only() {
    let mut kept = InteriorPoint::default();
    // The same graph with other numbers, one with other bodies, and the first again.
    for (count, ratio) in [(6, 10.0), (6, 30.0), (9, 10.0), (6, 10.0)] {
        let problem = stack(count, ratio, true);
        let (fresh, _) = solve_to(&problem, 1e-9);
        let mut gamma = vec![0.0; problem.dim()];
        let mut monitor = Monitor::new(limits(1e-9), Law::Relaxed);
        let info = kept.solve(&problem, &Default::default(), &mut gamma, &mut monitor);
        assert!(info.unwrap().converged());
        assert_eq!(gamma, fresh, "{count} plates, masses up to {ratio}");
    }
}
