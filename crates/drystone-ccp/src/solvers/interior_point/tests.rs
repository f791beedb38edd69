//! Hand-solved cases, each kind of cone, agreement between the forms and with other solvers.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SupportedConeT,
};

mod stacks;

use super::*;
use crate::cone::{Cone, Cones};
use crate::monitor::Limits;
use crate::operator::Sparse;
use crate::problem::Law;
use crate::solvers::apgd::{Apgd, ApgdSettings};
use crate::sparse::Csr;

/// Uniform figures in (-1, 1) from a fixed seed.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn limits(tolerance: f64) -> Limits {
    Limits {
        tolerance,
        max_iterations: 300_000,
        time_limit: None,
        ..Limits::default()
    }
}

fn solve_with<N: Operator>(
    problem: &Ccp<N>,
    settings: &InteriorPointSettings,
    tolerance: f64,
) -> (Vec<f64>, SolveInfo) {
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(limits(tolerance), Law::Relaxed);
    let info = InteriorPoint::default()
        .solve(problem, settings, &mut gamma, &mut monitor)
        .unwrap();
    (gamma, info)
}

fn solve_to<N: Operator>(problem: &Ccp<N>, tolerance: f64) -> (Vec<f64>, SolveInfo) {
    solve_with(problem, &InteriorPointSettings::default(), tolerance)
}

fn apgd<N: Operator>(problem: &Ccp<N>, tolerance: f64) -> (Vec<f64>, SolveInfo) {
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(limits(tolerance), Law::Relaxed);
    let info = Apgd::default()
        .solve(problem, &ApgdSettings::default(), &mut gamma, &mut monitor)
        .unwrap();
    (gamma, info)
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    let size = a.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * size, "row {i}: {a} and {b}");
    }
}

/// `min ½ ‖gamma − point‖²`: the answer is the projection of the point.
fn projection_problem(cone: Cone, point: &[f64]) -> Ccp<Sparse> {
    let n = point.len();
    let identity = Csr::from_triplets(n, n, (0..n).map(|i| (i, i, 1.0))).unwrap();
    let r = point.iter().map(|p| -p).collect();
    let cones = Cones::new(vec![cone]).unwrap();
    Ccp::new(Sparse::new(identity).unwrap(), r, cones).unwrap()
}

fn every_cone() -> Vec<Cone> {
    let interval = |lower, upper| Cone::Interval { lower, upper };
    let rolling = |friction, rolling, cohesion| Cone::Rolling {
        friction,
        rolling,
        cohesion,
    };
    let spinning = |friction, rolling, spinning, cohesion| Cone::RollingSpinning {
        friction,
        rolling,
        spinning,
        cohesion,
    };
    vec![
        Cone::friction(0.5),
        Cone::friction(0.0),
        Cone::Friction {
            friction: 0.3,
            cohesion: 0.7,
        },
        rolling(0.5, 0.2, 0.0),
        rolling(0.0, 0.4, 0.1),
        spinning(0.6, 0.3, 0.2, 0.0),
        spinning(0.6, 0.0, 0.2, 0.5),
        Cone::NonNegative,
        interval(-0.3, 0.4),
        interval(0.25, 0.25),
        interval(-0.3, f64::INFINITY),
        interval(f64::NEG_INFINITY, 0.4),
        interval(f64::NEG_INFINITY, f64::INFINITY),
        Cone::Free { rows: 4 },
    ]
}

#[test]
fn a_pushed_contact_slides_by_hand() {
    // Projection of (1, 2, 0) with mu = 0.5: n = (1 + 0.5·2) / (1 + 0.25) = 1.6 and t = 0.5·1.6.
    let problem = projection_problem(Cone::friction(0.5), &[1.0, 2.0, 0.0]);
    let (gamma, info) = solve_to(&problem, 1e-10);
    assert!(info.converged());
    assert_close(&[1.6, 0.8, 0.0], &gamma, 1e-9);
}

#[test]
fn every_cone_gives_its_projection() {
    let mut stream = Stream(7);
    for cone in every_cone() {
        for _ in 0..20 {
            let point: Vec<f64> = (0..cone.rows()).map(|_| 2.0 * stream.next()).collect();
            let (gamma, info) = solve_to(&projection_problem(cone, &point), 1e-9);
            let mut expected = point.clone();
            cone.project(&mut expected);
            assert!(info.converged(), "{cone:?} {point:?}");
            assert_close(&expected, &gamma, 1e-8);
        }
    }
}

/// `N = B Bᵀ + shift`, dense, under the given cones.
fn random_problem(cones: Vec<Cone>, seed: u64) -> Ccp<Sparse> {
    let cones = Cones::new(cones).unwrap();
    let n = cones.dim();
    let mut stream = Stream(seed);
    let b: Vec<f64> = (0..n * n).map(|_| stream.next()).collect();
    let entry = |i: usize, j: usize| {
        (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>() + if i == j { 0.1 } else { 0.0 }
    };
    let dense: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    let r = (0..n).map(|_| 3.0 * stream.next()).collect();
    let matrix = Csr::from_dense(n, n, &dense).unwrap();
    Ccp::new(Sparse::new(matrix).unwrap(), r, cones).unwrap()
}

#[test]
fn agrees_with_apgd_on_mixed_cones() {
    for seed in 0..5 {
        let problem = random_problem(every_cone(), seed);
        let (gamma, info) = solve_to(&problem, 1e-9);
        let (other, _) = apgd(&problem, 1e-9);
        assert!(info.converged());
        assert_close(&other, &gamma, 1e-6);
    }
}

/// The same problem by Clarabel, in unscaled rows.
fn clarabel(problem: &Ccp<Sparse>) -> Vec<f64> {
    let n = problem.dim();
    let matrix = problem.operator().matrix();
    let upper = matrix.entries().filter(|(i, j, _)| i <= j);
    let (mut i, mut j, mut v) = (vec![], vec![], vec![]);
    upper.for_each(|(row, column, value)| {
        i.push(row);
        j.push(column);
        v.push(value);
    });
    let p = CscMatrix::new_from_triplets(n, n, i, j, v);
    let (mut i, mut j, mut v, mut b) = (vec![], vec![], vec![], vec![]);
    let mut cones: Vec<SupportedConeT<f64>> = vec![];
    for (block, cone) in problem.cones().iter() {
        // −A x + s = a with s = (mu (n + cohesion), t).
        let mut add = |row: usize, column: usize, value: f64| {
            i.push(row);
            j.push(column);
            v.push(-value);
        };
        if let Cone::Interval { lower, upper } = *cone {
            add(b.len(), block.start, 1.0);
            add(b.len() + 1, block.start, -1.0);
            b.extend([-lower, upper]);
            cones.push(NonnegativeConeT(2));
        }
        for part in cone.parts().as_slice() {
            add(b.len(), block.start, part.mu);
            (0..part.len).for_each(|k| add(b.len() + 1 + k, block.start + part.start + k, 1.0));
            b.push(part.mu * cone.cohesion());
            b.resize(b.len() + part.len, 0.0);
            cones.push(SecondOrderConeT(1 + part.len));
        }
    }
    let a = CscMatrix::new_from_triplets(b.len(), n, i, j, v);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, problem.r(), &a, &b, &cones, settings).unwrap();
    solver.solve();
    solver.solution.x.clone()
}

#[test]
fn agrees_with_clarabel_on_random_problems() {
    for seed in 10..16 {
        let cones = vec![
            Cone::friction(0.4),
            Cone::Rolling {
                friction: 0.3,
                rolling: 0.1,
                cohesion: 0.2,
            },
            Cone::Free { rows: 2 },
            Cone::RollingSpinning {
                friction: 0.8,
                rolling: 0.2,
                spinning: 0.05,
                cohesion: 0.0,
            },
            Cone::Interval {
                lower: -0.1,
                upper: 0.2,
            },
            Cone::friction(1.2),
        ];
        let problem = random_problem(cones, seed);
        let (gamma, info) = solve_to(&problem, 1e-9);
        assert!(info.converged());
        assert_close(&clarabel(&problem), &gamma, 1e-6);
    }
}

#[test]
fn a_solved_start_is_kept() {
    let problem = random_problem(every_cone(), 3);
    let (mut gamma, _) = solve_to(&problem, 1e-9);
    let before = gamma.clone();
    let mut monitor = Monitor::new(limits(1e-8), Law::Relaxed);
    let info = InteriorPoint::default()
        .solve(
            &problem,
            &InteriorPointSettings::default(),
            &mut gamma,
            &mut monitor,
        )
        .unwrap();
    assert_eq!(info.iterations, 0);
    assert_eq!(before, gamma);
}

#[test]
fn refuses_an_asymmetric_matrix() {
    let matrix = Csr::from_dense(1 + 1, 2, &[1.0, 0.5, 0.0, 1.0]).unwrap();
    let cones = Cones::new(vec![Cone::NonNegative; 2]).unwrap();
    let problem = Ccp::new(Sparse::new(matrix).unwrap(), vec![-1.0; 2], cones).unwrap();
    let mut monitor = Monitor::new(limits(1e-8), Law::Relaxed);
    let refused = InteriorPoint::default().solve(
        &problem,
        &InteriorPointSettings::default(),
        &mut [0.0; 2],
        &mut monitor,
    );
    assert!(matches!(refused, Err(SolverError::NotSymmetric { .. })));
}
