//! What is read does not depend on the number of threads. In a file, hence a process, of its own:
//! the test changes faer's global setting.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::*;
use drystone_ccp::Csr;
use drystone_problems::GlobalProblem;

/// Velocities: enough for faer to factorise in dense blocks and to share them among threads.
const VELOCITIES: usize = 702;
const CONTACTS: usize = 60;

/// A full mass matrix, so that the factorisation is dense, and contacts that feel six velocities a
/// row.
fn global_problem() -> GlobalProblem {
    let mut numbers = Numbers(3);
    let n = VELOCITIES;
    let mut mass = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let v = numbers.real();
            mass[i * n + j] = v;
            mass[j * n + i] = v;
        }
        mass[i * n + i] = 60.0 + numbers.real();
    }
    let rows = 3 * CONTACTS;
    let mut h = Vec::new();
    for j in 0..rows {
        h.extend((0..6).map(|k| ((7 * j + 100 * k) % n, j, numbers.real())));
    }
    let mut vector = |n: usize| (0..n).map(|_| numbers.real()).collect::<Vec<f64>>();
    GlobalProblem {
        title: String::new(),
        m: Csr::from_dense(n, n, &mass).unwrap(),
        h: Csr::from_triplets(n, rows, h).unwrap(),
        g: None,
        f: vector(n),
        w: vector(rows),
        b: vec![],
        mu: vec![0.5; CONTACTS],
        mu_r: None,
    }
}

#[test]
fn a_global_problem_condenses_to_the_same_bits_on_any_number_of_threads() {
    let global = global_problem();
    let condensed = [1, 2, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        faer::set_global_parallelism(match threads {
            1 => faer::Par::Seq,
            _ => faer::Par::rayon(threads),
        });
        let pool = pool.build().unwrap();
        pool.install(|| global.condense().unwrap())
    });
    for other in &condensed[1..] {
        let values = |k: &drystone_ccp::Ccp<drystone_ccp::Sparse>| -> Vec<f64> {
            k.operator().matrix().entries().map(|(_, _, x)| x).collect()
        };
        assert_same_bits(&values(other), &values(&condensed[0]));
        assert_same_bits(other.r(), condensed[0].r());
    }
}
