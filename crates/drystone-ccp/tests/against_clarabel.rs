//! Every method against an independent conic solver.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use crate::common::{Kinds, close, distance, random_problem, run, sparse};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use drystone_ccp::{Ccp, Cone, Law, Method, Operator, TwoBody};

/// `A gamma + s = b, s ∈ K`, rows as they come.
#[derive(Default)]
struct Constraints {
    entries: Vec<(usize, usize, f64)>,
    b: Vec<f64>,
    cones: Vec<clarabel::solver::SupportedConeT<f64>>,
}

impl Constraints {
    /// `scale · gamma[row] + offset` as the next entry of s.
    fn push(&mut self, row: usize, scale: f64, offset: f64) {
        self.entries.push((self.b.len(), row, -scale));
        self.b.push(offset);
    }

    fn at_least_zero(&mut self, row: usize, scale: f64, offset: f64) {
        self.push(row, scale, offset);
        self.cones.push(NonnegativeConeT(1));
    }
}

fn constraints(problem: &Ccp<TwoBody>) -> Constraints {
    let mut c = Constraints::default();
    for (block, cone) in problem.cones().iter() {
        let n = block.start;
        match *cone {
            Cone::Free { .. } => {}
            Cone::Interval { lower, upper } => {
                if lower.is_finite() {
                    c.at_least_zero(n, 1.0, -lower);
                }
                if upper.is_finite() {
                    c.at_least_zero(n, -1.0, upper);
                }
            }
            Cone::NonNegative
            | Cone::Friction { .. }
            | Cone::Rolling { .. }
            | Cone::RollingSpinning { .. } => {
                c.at_least_zero(n, 1.0, cone.cohesion());
                for part in cone.parts().as_slice() {
                    // Without friction the second-order cone has no interior: the tangents are
                    // simply zero.
                    if part.mu == 0.0 {
                        (part.start..part.start + part.len).for_each(|k| c.push(n + k, 1.0, 0.0));
                        c.cones.push(ZeroConeT(part.len));
                        continue;
                    }
                    c.push(n, part.mu, part.mu * cone.cohesion());
                    for k in part.start..part.start + part.len {
                        c.push(n + k, 1.0, 0.0);
                    }
                    c.cones.push(SecondOrderConeT(1 + part.len));
                }
            }
        }
    }
    c
}

fn clarabel(problem: &Ccp<TwoBody>) -> Vec<f64> {
    let n = problem.dim();
    let split = |entries: Vec<(usize, usize, f64)>, rows: usize| {
        let (i, (j, v)): (Vec<_>, (Vec<_>, Vec<_>)) =
            entries.into_iter().map(|(i, j, v)| (i, (j, v))).unzip();
        CscMatrix::new_from_triplets(rows, n, i, j, v)
    };
    let upper = problem
        .operator()
        .to_csr()
        .entries()
        .filter(|e| e.0 <= e.1)
        .collect();
    let p = split(upper, n);
    let c = constraints(problem);
    let a = split(c.entries, c.b.len());
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, problem.r(), &a, &c.b, &c.cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(
        matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{status:?}"
    );
    solver.solution.x.clone()
}

fn compare(kinds: Kinds, methods: &[Method], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let problem = random_problem(1000 + seed, 24, kinds);
        let reference = clarabel(&problem);
        for &method in methods {
            let forms = [
                run(&problem, method, Law::Relaxed, 1e-9, 300_000),
                run(&sparse(&problem), method, Law::Relaxed, 1e-9, 300_000),
            ];
            for (gamma, info) in forms {
                let name = method.name();
                assert!(info.converged(), "{name} on seed {seed}: {info:?}");
                let error = distance(&gamma, &reference);
                assert!(error <= close(1e-5), "{name} on seed {seed}: {error:e}");
            }
        }
    }
}

const CONVEX: [Method; 9] = [
    Method::Apgd,
    Method::ApgdFused,
    Method::Spg,
    Method::Jacobi,
    Method::GaussSeidel,
    Method::InteriorPoint,
    Method::NesterovGs,
    Method::Newton,
    Method::Auto,
];

#[test]
fn friction_rolling_spinning_cohesion_joints_and_motors() {
    compare(Kinds::All, &CONVEX, 0..6);
}

#[test]
fn bounds() {
    let all = [
        Method::Apgd,
        Method::ApgdFused,
        Method::Spg,
        Method::GaussSeidel,
        Method::Gpminres,
        Method::GpminresPreconditioned,
        Method::Kucera,
    ];
    compare(Kinds::Bounds, &all, 10..16);
}

#[test]
fn coulomb_friction_by_the_tresca_fixed_point() {
    let by_bounds = [
        Method::Gpminres,
        Method::GpminresPreconditioned,
        Method::Kucera,
    ];
    compare(Kinds::Friction, &by_bounds, 20..24);
}
