//! The same bits on one, two and three threads: every method, both laws, both forms of N.

use crate::common::{LAWS, pile, run, sparse};
use drystone_ccp::{Ccp, Law, Method, Operator};

fn bits<N: Operator>(
    problem: &Ccp<N>,
    method: Method,
    law: Law,
    iterations: usize,
    threads: usize,
) -> (Vec<u64>, usize) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let (gamma, info) = pool.install(|| run(problem, method, law, 1e-12, iterations));
    let figures = [info.certificate.residual, info.certificate.objective];
    let all = gamma.into_iter().chain(figures).map(f64::to_bits);
    (all.collect(), info.iterations)
}

fn same_bits<N: Operator>(problem: &Ccp<N>, methods: &[Method], iterations: usize) {
    for law in LAWS {
        for &method in methods {
            let one = bits(problem, method, law, iterations, 1);
            assert!(one.1 > 0, "{} did nothing", method.name());
            for threads in [2, 3] {
                let other = bits(problem, method, law, iterations, threads);
                let name = method.name();
                assert!(one == other, "{name} under {law:?} on {threads} threads");
            }
        }
    }
}

/// Methods whose iterations cost a factorisation: a problem of their own, still large enough for
/// split products.
const FACTORISING: [Method; 4] = [
    Method::Newton,
    Method::InteriorPoint,
    Method::GpminresPreconditioned,
    Method::Auto,
];

#[test]
fn methods_of_products_and_sweeps() {
    let problem = pile(23, 0.3, 1e-4);
    // Dot products are split from here on.
    assert!(problem.dim() >= 65_536, "{}", problem.dim());
    let methods: Vec<Method> = Method::ALL
        .into_iter()
        .filter(|m| *m == Method::Auto || !FACTORISING.contains(m))
        .collect();
    same_bits(&problem, &methods, 3);
    same_bits(&sparse(&problem), &methods, 3);
}

#[test]
fn methods_that_factorise() {
    let problem = pile(7, 0.3, 1e-4);
    let plain = sparse(&problem);
    assert!(plain.operator().matrix().nonzeros() >= 65_536);
    same_bits(&problem, &FACTORISING[..3], 8);
    same_bits(&plain, &FACTORISING[..3], 8);
    // Enough to get past the sweeps.
    same_bits(&plain, &[Method::Auto], 66);
}
