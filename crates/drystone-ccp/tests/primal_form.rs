//! The primal model of Mazhar 2014, §4.1: velocities as unknowns. The interior point solves it as
//! its form `velocities`; the impulses that it returns are the multipliers of the primal
//! constraints.
//!
//! `min ½ (v − v_free)ᵀ M (v − v_free)` subject to `Dᵀ v + b ∈ K*` (eq. 23 with 22), whose dual is
//! `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`, `N = Dᵀ M⁻¹ D`, `r = b + Dᵀ v_free`. The paper's
//! objective `½ vᵀ M v − kᵀ v` with `k = M v_free` (its `f` is `−k`) is ours less a constant; ours
//! is the kinetic energy of the change that contacts and joints make. At the solution it is minus
//! the dual's optimum. (In eq. 23 the sign of `K°` is a misprint: eq. 22 has the minus.)
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use crate::common::{close, point_row, run};
use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Law, Limits, Method, MethodSettings, Monitor, NO_BODY, Operator,
    SolveInfo, TwoBody, TwoBodyBlock, solve_with,
};

/// Bodies with their free velocities, and the problem of their impulses.
struct Primal {
    v_free: Vec<f64>,
    b: Vec<f64>,
    dual: Ccp<TwoBody>,
}

impl Primal {
    fn new(operator: TwoBody, v_free: Vec<f64>, b: Vec<f64>, cones: Cones) -> Self {
        let r = row_velocities(&operator, &b, &v_free);
        let dual = Ccp::new(operator, r, cones).unwrap();
        Self { v_free, b, dual }
    }

    /// `v = v_free + M⁻¹ D gamma`.
    fn velocities(&self, gamma: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; self.v_free.len()];
        self.dual.operator().state(gamma, &mut v);
        v.iter_mut().zip(&self.v_free).for_each(|(v, f)| *v += f);
        v
    }

    /// Largest distance of a block's `Dᵀ v + b` from the dual cone, m/s.
    fn violation(&self, v: &[f64]) -> f64 {
        let u = row_velocities(self.dual.operator(), &self.b, v);
        let blocks = self.dual.cones().iter();
        let outside =
            blocks.map(|(block, cone)| cone.gap(&vec![0.0; block.len()], &u[block.rows()]).1);
        outside.fold(0.0, f64::max)
    }

    /// Solves with velocities as unknowns; returns them, the impulses and the report.
    fn solve(&self, law: Law, tolerance: f64) -> (Vec<f64>, Vec<f64>, SolveInfo) {
        let mut settings = MethodSettings::new(Method::InteriorPoint);
        settings.set("form", "velocities").unwrap();
        let limits = Limits {
            tolerance,
            ..Limits::default()
        };
        let mut gamma = vec![0.0; self.dual.dim()];
        let mut monitor = Monitor::new(limits, law);
        let info = solve_with(&self.dual, &settings, &mut gamma, &mut monitor).unwrap();
        (self.velocities(&gamma), gamma, info)
    }
}

/// `Dᵀ v + b`.
fn row_velocities(operator: &TwoBody, b: &[f64], v: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; operator.dim()];
    operator.row_velocities(&vec![0.0; operator.dim()], v, &mut u);
    u.iter_mut().zip(b).for_each(|(u, b)| *u += b);
    u
}

/// Rows along z, x, y of the first body at the given lever arm.
fn rows(arm: [f64; 3]) -> Vec<[f64; 12]> {
    let axes = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    axes.map(|axis| point_row(axis, arm, [0.0; 3])).to_vec()
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= close(tolerance), "entry {i}: {a} and {b}");
    }
}

/// A block of 2 kg that cannot turn, on a plane with mu = 0.5, moving at (2, 0, −1) m/s.
fn sliding_block() -> Primal {
    let block = TwoBodyBlock {
        bodies: [0, NO_BODY],
        rows: rows([0.0; 3]),
        compliance: vec![],
    };
    let body = BodyInertia::diagonal(0.5, [0.0; 3]);
    Primal::new(
        TwoBody::new(vec![body], &[block]).unwrap(),
        vec![2.0, 0.0, -1.0, 0.0, 0.0, 0.0],
        vec![0.0; 3],
        Cones::friction(&[0.5]).unwrap(),
    )
}

#[test]
fn the_relaxed_law_lifts_a_sliding_block_by_hand() {
    // Sliding along x: u_n = −1 + g/m, u_t = 2 − mu g/m and u_n = mu u_t, so g/m = (1 + 0.5·2) /
    // 1.25 = 1.6.
    let (v, gamma, info) = sliding_block().solve(Law::Relaxed, 1e-10);
    assert!(info.converged(), "{info:?}");
    assert_close(&[3.2, -1.6, 0.0], &gamma, 1e-8);
    assert_close(&[1.2, 0.0, 0.6], &v[..3], 1e-8);
}

#[test]
fn the_exact_law_keeps_it_down_by_hand() {
    // The fixed point of eq. 26. u_n = 0: g/m = 1 and u_t = 2 − 0.5.
    let (v, gamma, info) = sliding_block().solve(Law::Exact, 1e-9);
    assert!(info.converged(), "{info:?}");
    assert_close(&[2.0, -1.0, 0.0], &gamma, 1e-7);
    assert_close(&[1.5, 0.0, 0.0], &v[..3], 1e-7);
}

/// A tumbling box of 4 kg on four contacts, hung on a ball joint at its top.
fn hung_box() -> Primal {
    let contact = |x, y| TwoBodyBlock {
        bodies: [0, NO_BODY],
        rows: rows([x, y, -0.4]),
        compliance: vec![],
    };
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let mut blocks: Vec<TwoBodyBlock> = corners.map(|(x, y)| contact(x, y)).to_vec();
    blocks.push(TwoBodyBlock {
        rows: rows([0.5, 0.5, 0.4])[1..].to_vec(),
        ..contact(0.0, 0.0)
    });
    let mut cones = vec![Cone::friction(0.3); 4];
    cones.push(Cone::Free { rows: 2 });
    let body = BodyInertia::diagonal(0.25, [1.5, 1.1, 0.9]);
    Primal::new(
        TwoBody::new(vec![body], &blocks).unwrap(),
        vec![0.8, -0.3, -1.0, 0.2, 0.5, -0.4],
        (0..14).map(|i| 0.01 * (i % 5) as f64).collect(),
        Cones::new(cones).unwrap(),
    )
}

#[test]
fn primal_and_dual_optima_are_opposite() {
    let problem = hung_box();
    let (v, _, info) = problem.solve(Law::Relaxed, 1e-10);
    assert!(info.converged(), "{info:?}");
    // ½ (v − v_free)ᵀ M (v − v_free), with the inverse masses of the box by hand.
    let inverse = [0.25, 0.25, 0.25, 1.5, 1.1, 0.9];
    let primal: f64 = (0..6)
        .map(|k| 0.5 * (v[k] - problem.v_free[k]).powi(2) / inverse[k])
        .sum();
    let dual = info.certificate.objective;
    assert!(primal > 0.1 && (primal + dual).abs() < close(1e-8) * primal);
    assert!(problem.violation(&v) < close(1e-8));
    assert!(problem.violation(&problem.v_free) > 0.1);
    // A method that only knows the dual model leads to the same velocities.
    let (gamma, info) = run(&problem.dual, Method::Apgd, Law::Relaxed, 1e-9, 1_000_000);
    assert!(info.converged(), "{info:?}");
    assert_close(&v, &problem.velocities(&gamma), 1e-6);
}
