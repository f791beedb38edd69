//! The two forms of N agree, sweep states are consistent, and threads change nothing.

use crate::common::{self, Kinds, Random, close, distance, pile, random_problem};
use drystone_ccp::reduce::Local;
use drystone_ccp::{
    BodyInertia, Method, NO_BODY, Operator, PointContact, Sparse, TwoBody, TwoBodyBlock,
};

fn vector(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.between(-1.0, 1.0)).collect()
}

fn apply(operator: &impl Operator, x: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; x.len()];
    operator.apply(x, &mut out);
    out
}

#[test]
fn the_two_body_and_the_plain_form_are_one_matrix() {
    for seed in 0..10 {
        let problem = random_problem(seed, 30, Kinds::All);
        let matrix_free = problem.operator();
        let plain = Sparse::new(matrix_free.to_csr()).unwrap();
        assert!(plain.asymmetry() <= close(1e-15));
        let x = vector(&mut Random::new(seed), problem.dim());
        let reference = apply(matrix_free, &x);
        assert!(distance(&apply(&plain, &x), &reference) <= close(1e-14));
        for (block, _) in problem.cones().iter() {
            let size = block.len() * block.len();
            let (mut a, mut b) = ([0.0; 36], [0.0; 36]);
            matrix_free.diagonal_block(block, &mut a);
            plain.diagonal_block(block, &mut b);
            assert!(distance(&a[..size], &b[..size]) <= close(1e-14));
        }
    }
}

fn state_follows_updates(operator: &impl Operator, cones: &drystone_ccp::Cones, seed: u64) {
    let mut random = Random::new(seed);
    let n = operator.dim();
    let mut gamma = vector(&mut random, n);
    let mut state = vec![0.0; operator.state_len()];
    operator.state(&gamma, &mut state);
    for (block, _) in cones.iter() {
        let delta = vector(&mut random, block.len());
        for (g, d) in gamma[block.rows()].iter_mut().zip(&delta) {
            *g += d;
        }
        operator.update_state(block, &delta, &mut state);
    }
    let product = apply(operator, &gamma);
    let mut out = vec![0.0; n];
    operator.product_from_state(&gamma, &state, &mut out);
    assert!(distance(&out, &product) <= close(1e-13));
    for (block, _) in cones.iter() {
        let mut u = vec![0.0; block.len()];
        operator.read_block(block, &gamma, &state, &mut u);
        assert!(distance(&u, &product[block.rows()]) <= close(1e-12));
    }
    let quadratic: f64 = gamma.iter().zip(&product).map(|(a, b)| a * b).sum();
    let from_state = operator.quadratic(&gamma, &state, &drystone_ccp::reduce::Local);
    assert!((from_state - quadratic).abs() <= close(1e-11) * (1.0 + quadratic.abs()));
}

#[test]
fn sweep_states_follow_updates() {
    for seed in 0..5 {
        let problem = random_problem(50 + seed, 30, Kinds::All);
        let plain = Sparse::new(problem.operator().to_csr()).unwrap();
        state_follows_updates(problem.operator(), problem.cones(), seed);
        state_follows_updates(&plain, problem.cones(), seed);
    }
}

#[test]
fn products_and_solves_have_the_same_bits_on_any_number_of_threads() {
    // Large enough that products and sums are split.
    let problem = pile(20, 0.3, 1e-4);
    assert!(problem.dim() > 20_000);
    let plain = Sparse::new(problem.operator().to_csr()).unwrap();
    let x = vector(&mut Random::new(1), problem.dim());
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let law = drystone_ccp::Law::Relaxed;
            let mut results = vec![apply(problem.operator(), &x), apply(&plain, &x)];
            for method in [Method::Apgd, Method::Spg, Method::Jacobi, Method::Kucera] {
                results.push(common::run(&problem, method, law, 1e-12, 10).0);
            }
            results
                .concat()
                .into_iter()
                .map(f64::to_bits)
                .collect::<Vec<_>>()
        })
    };
    let one = on(1);
    assert!(one == on(2) && one == on(3));
}

#[test]
fn point_contacts_equal_their_rows_written_out() {
    let bodies = vec![
        BodyInertia {
            inverse_mass: 0.5,
            inverse_inertia: [[1.5, 0.2, 0.0], [0.2, 1.1, -0.1], [0.0, -0.1, 0.9]],
        },
        BodyInertia::isotropic(3.0, 0.7),
        BodyInertia::diagonal(2.0, [0.3, 0.8, 5.0]),
    ];
    let unit = |v: [f64; 3]| v.map(|x| x / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt());
    let contact = |bodies, normal, arms| PointContact {
        bodies,
        normal: unit(normal),
        arms,
        compliance: [0.01, 0.02],
    };
    let contacts = vec![
        contact(
            [0, 1],
            [0.3, -0.8, -0.1],
            [[0.3, -0.2, 0.9], [-0.4, 0.1, -0.7]],
        ),
        contact([1, 2], [0.0, 0.0, 1.0], [[0.0, 0.2, 0.5], [0.6, 0.1, -0.3]]),
        contact([2, NO_BODY], [0.1, 0.9, 0.0], [[0.1, 0.4, 0.0], [0.0; 3]]),
        contact([NO_BODY, 0], [-0.5, 0.2, -1.0], [[0.0; 3], [0.2, 0.2, 0.8]]),
    ];
    let compact = TwoBody::with_contacts(bodies.clone(), contacts, &[]).unwrap();
    let rows = compact.jacobian();
    let blocks: Vec<TwoBodyBlock> = (0..4)
        .map(|k| TwoBodyBlock {
            bodies: compact.pair(k),
            rows: rows[3 * k..3 * k + 3].to_vec(),
            compliance: vec![0.01, 0.02, 0.02],
        })
        .collect();
    let written = TwoBody::new(bodies, &blocks).unwrap();
    let gamma: Vec<f64> = (0..12).map(|i| 1.0 - 0.3 * i as f64).collect();
    let expected = apply(&written, &gamma);
    for operator in [&compact, &written] {
        assert!(distance(&apply(operator, &gamma), &expected) < 1e-13);
        let csr = Sparse::new(operator.to_csr()).unwrap();
        assert!(distance(&apply(&csr, &gamma), &expected) < 1e-13);
        // One block's change at a time leads to the same state as all at once.
        let mut state = vec![0.0; operator.state_len()];
        for block in 0..4 {
            let block = operator.block(block);
            operator.update_state(block, &gamma[block.rows()], &mut state);
        }
        let mut whole = vec![0.0; operator.state_len()];
        operator.state(&gamma, &mut whole);
        assert!(distance(&state, &whole) < 1e-13);
        let quadratic = operator.quadratic(&gamma, &state, &Local);
        let product: f64 = gamma.iter().zip(&expected).map(|(g, e)| g * e).sum();
        assert!((quadratic - product).abs() < 1e-12 * product);
    }
}
