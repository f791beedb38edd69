//! A check that rounding has made wrong does not end a solve: a looser tolerance must not give up
//! where a tighter one goes on and gets there.

use crate::common::{LAWS, pile, sparse};
use drystone_ccp::reduce::Reduce;
use drystone_ccp::{
    Block, Ccp, Csr, Law, Limits, Method, Monitor, Operator, SolveInfo, Sparse, solve,
};

/// A plain matrix whose sweep state loses digits with every change, as on a very large pile: checks
/// that rest on the state come out wrong by about as much. Products are as they should be.
#[derive(Clone)]
struct Drifting(Sparse);

/// What is left of a figure: 14 of its 52 binary digits.
fn rounded(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (u64::MAX << 38))
}

impl Operator for Drifting {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.0.apply(x, out);
    }

    fn diagonal_block(&self, block: Block, out: &mut [f64]) {
        self.0.diagonal_block(block, out);
    }

    fn asymmetry(&self) -> f64 {
        self.0.asymmetry()
    }

    fn state_len(&self) -> usize {
        self.0.state_len()
    }

    fn state(&self, gamma: &[f64], state: &mut [f64]) {
        self.0.state(gamma, state);
    }

    fn read_block(&self, block: Block, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        self.0.read_block(block, gamma, state, out);
    }

    fn update_state(&self, block: Block, delta: &[f64], state: &mut [f64]) {
        self.0.update_state(block, delta, state);
        state[block.rows()]
            .iter_mut()
            .for_each(|s| *s = rounded(*s));
    }

    fn product_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        self.0.product_from_state(gamma, state, out);
    }

    fn quadratic(&self, gamma: &[f64], state: &[f64], reduce: &dyn Reduce) -> f64 {
        self.0.quadratic(gamma, state, reduce)
    }

    fn to_csr(&self) -> Csr {
        self.0.to_csr()
    }
}

fn run(problem: &Ccp<Drifting>, method: Method, law: Law, tolerance: f64) -> SolveInfo {
    let limits = Limits {
        tolerance,
        max_iterations: 4000,
        time_limit: None,
        ..Limits::default()
    };
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = Monitor::new(limits, law).with_history();
    solve(problem, method, &mut gamma, &mut monitor).unwrap()
}

#[test]
fn a_looser_tolerance_is_reached_where_a_tighter_one_gets_there() {
    let problem = sparse(&pile(4, 0.3, 1e-3));
    let operator = Drifting(problem.operator().clone());
    let problem = Ccp::new(operator, problem.r().to_vec(), problem.cones().clone()).unwrap();
    let mut wrong_checks = 0;
    for method in [Method::NesterovGs, Method::GaussSeidel] {
        for law in LAWS {
            let reached = run(&problem, method, law, 1e-9).certificate.residual;
            for tolerance in [3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6] {
                let info = run(&problem, method, law, tolerance);
                let case = format!("{} under {law:?} to {tolerance:e}", method.name());
                assert!(
                    info.converged() || reached > tolerance,
                    "{case}: {reached:e} {info:?}"
                );
                let (_, before) = info.history.split_last().unwrap();
                wrong_checks += before
                    .iter()
                    .filter(|row| row.residual <= tolerance)
                    .count();
            }
        }
    }
    // Without any the test would show nothing.
    assert!(wrong_checks > 0);
}
