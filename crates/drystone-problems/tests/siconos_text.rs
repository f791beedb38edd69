//! Text problems in every storage of Siconos, all of one small problem.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::*;
use drystone_ccp::{Law, Limits, Monitor};
use drystone_problems::Problem;
use drystone_problems::parse_problem;

/// Two contacts that share a body, not symmetric so that a transposed reading shows.
const W: [[f64; 6]; 6] = [
    [2.0, 0.5, 0.0, -1.0, 0.0, 0.0],
    [0.25, 3.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 4.0, 0.0, 0.0, 0.125],
    [-1.5, 0.0, 0.0, 2.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 3.0, 0.75],
    [0.0, 0.0, 0.625, 0.0, 0.0, 4.0],
];
const TAIL: &str = "-1.0e+00 0 1e-1 -2 0 3 \n 0.3 0.7 \n";

fn dense(rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> String {
    let columns = columns.flat_map(|j| rows.clone().map(move |i| format!("{:32.24e}", W[i][j])));
    columns.collect::<Vec<_>>().join("\n")
}

fn entries() -> impl Iterator<Item = (usize, usize, f64)> {
    let all = (0..6).flat_map(|j| (0..6).map(move |i| (i, j, W[i][j])));
    all.filter(|e| e.2 != 0.0)
}

fn parse(matrix: &str) -> Problem {
    let text = format!("3\n2\n{matrix}\n{TAIL}");
    parse_problem(text.into_bytes()).unwrap().problem
}

fn check(problem: &Problem) {
    let flat = W.as_flattened();
    assert_eq!(
        matrix_of(problem),
        drystone_ccp::Csr::from_dense(6, 6, flat).unwrap()
    );
    let Problem::Sparse(problem) = problem else {
        panic!("not sparse")
    };
    assert_same_bits(problem.r(), &[-1.0, 0.0, 0.1, -2.0, 0.0, 3.0]);
    assert_eq!(
        problem.cones(),
        &drystone_ccp::Cones::friction(&[0.3, 0.7]).unwrap()
    );
}

#[test]
fn dense_storage_goes_column_by_column() {
    check(&parse(&format!("0\n6\n6\n6\t6\n{}", dense(0..6, 0..6))));
}

#[test]
fn block_storage() {
    let blocks: Vec<String> = [(0, 0), (0, 3), (3, 0), (3, 3)]
        .iter()
        .enumerate()
        .map(|(k, &(i, j))| format!("{k}\n{}\n", dense(i..i + 3, j..j + 3)))
        .collect();
    let head = "1\n6\n6\n4\n2 2\n3 6\n3 6\n3 4\n0 2 4\n0 1 0 1\n";
    check(&parse(&format!("{head}{}", blocks.concat())));
}

#[test]
fn sparse_storages() {
    let head = "2\n6\n6\n";
    let version = "CSparse Version 4.0.1, some day.  Somebody\n";
    let triplets: String = entries()
        .map(|(i, j, x)| format!("    {i} {j} : {x}\n"))
        .collect();
    let count = entries().count();
    let size = format!("6-by-6, nzmax: 40 nnz: {count}");
    check(&parse(&format!(
        "{head}1\n{version}triplet: {size}\n{triplets}"
    )));
    for (origin, by_rows) in [(2, false), (3, true)] {
        let mut printed = String::new();
        let mut location = 0;
        for outer in 0..6 {
            let one = |&(i, j, _): &(usize, usize, f64)| outer == if by_rows { i } else { j };
            let inside: Vec<_> = entries().filter(one).collect();
            let last = location + inside.len() as i64 - 1;
            printed += &format!("    col {outer} : locations {location} to {last}\n");
            location = last + 1;
            for (i, j, x) in inside {
                printed += &format!("      {} : {x}\n", if by_rows { j } else { i });
            }
        }
        check(&parse(&format!(
            "{head}{origin}\n{version}{size}, 1-norm: 5.5\n{printed}"
        )));
    }
}

#[test]
fn rolling_and_global_problems() {
    // One contact with rolling friction, W = 2 I.
    let identity = |n: usize, scale: f64| -> String {
        let numbers = (0..n * n).map(|k| if k / n == k % n { scale } else { 0.0 });
        let numbers: Vec<String> = numbers.map(|v| v.to_string()).collect();
        format!("0 {n} {n} {n} {n} {}", numbers.join(" "))
    };
    let text = format!("5 1 {} -1 0 0 0 0 0.5 0.1", identity(5, 2.0));
    let Problem::Sparse(rolling) = parse_problem(text.into_bytes()).unwrap().problem else {
        panic!("not sparse")
    };
    assert_eq!(rolling.cones().as_slice()[0].parts().as_slice()[1].mu, 0.1);

    // By hand: M = 4 I of size 4, H (4 × 3, column after column) has one entry a column: N = ¼ HᵀH,
    // r = ¼ Hᵀ f + w.
    let h = "0 4 3 4 3  1 0 0 0  0 2 0 0  0 0 0 2";
    let text = format!("3 1 {} {h} 4 8 0 -8 0.5 0 0 0.3\n0\n", identity(4, 4.0));
    let Problem::Sparse(global) = parse_problem(text.into_bytes()).unwrap().problem else {
        panic!("not sparse")
    };
    assert_eq!(global.r(), &[1.5, 4.0, -4.0]);
    let n = global.operator().matrix();
    assert_eq!(
        (n.get(0, 0), n.get(1, 1), n.get(2, 2), n.nonzeros()),
        (0.25, 1.0, 1.0, 3)
    );
}

#[test]
fn faults_name_the_line() {
    let cases = [
        (
            "2\n1\n",
            "line 1: 2 rows a contact, a plane problem: only 3 (and 5, with rolling friction) are supported",
        ),
        ("4\n1\n", "line 1: 4 rows a contact, expected 3 or 5"),
        (
            "3\n999999999\n",
            "line 2: the number of contacts is 999999999, more than a file of 12 bytes can hold",
        ),
        (
            "3\n1\n0\n3\n3\n3 3\n1 0 0 0 nan 0 0 0 1\n",
            "line 7: \"nan\", expected an entry of a matrix",
        ),
        (
            "3\n1\n0\n3\n3\n3 3\n1 0 0 0 1\n",
            "line 8: missing, expected an entry of a matrix",
        ),
        (
            "3\n1\n7\n3\n3\n",
            "line 3: storage 7, expected 0 (dense), 1 (blocks) or 2 (sparse)",
        ),
        (
            "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 0 0 -0.3",
            "mu: entry 0 is -0.3, expected a finite number >= 0",
        ),
        (
            "3 1\n0 1 2 1 2 1 1\n",
            "the first matrix: is 1 × 2, expected a square matrix",
        ),
    ];
    for (text, expected) in cases {
        let fault = parse_problem(text.as_bytes().to_vec()).unwrap_err();
        assert_eq!(fault.to_string(), expected);
    }
}

/// A solver's author writes a file by hand and knows the answer: a plank of 10 kg, 2 m long between
/// its two feet, slides at 0.5 m/s. Friction pulls 0.1 m below its middle, so that the foot in
/// front carries more by mu*m*g*h*0.1/2.
#[test]
fn a_plank_written_by_hand_has_the_answer_by_hand() {
    let text = "3 2\n0 6 6 6 6
        0.35 -0.025 0 -0.15 -0.025 0
        -0.025 0.1025 0 0.025 0.1025 0
        0 0 0.36 0 0 -0.14
        -0.15 0.025 0 0.35 0.025 0
        -0.025 0.1025 0 0.025 0.1025 0
        0 0 -0.14 0 0 0.36
        -0.0981 0.5 0 -0.0981 0.5 0
        0.3 0.3\n";
    let Problem::Sparse(problem) = parse_problem(text.into()).unwrap().problem else {
        panic!("not sparse")
    };
    let (weight, more) = (0.981, 0.3 * 0.981 * 0.1);
    let [back, front] = [0.5 * (weight - more), 0.5 * (weight + more)];
    for method in drystone_ccp::Method::ALL {
        let mut gamma = vec![0.0; 6];
        let mut monitor = Monitor::new(Limits::default(), Law::Exact);
        let info = drystone_ccp::solve(&problem, method, &mut gamma, &mut monitor).unwrap();
        assert!(info.converged(), "{}: {info:?}", method.name());
        let expected = [back, -0.3 * back, 0.0, front, -0.3 * front, 0.0];
        for (found, expected) in gamma.iter().zip(expected) {
            let off = (found - expected).abs();
            assert!(off < 1e-6, "{}: {gamma:?}", method.name());
        }
    }
}
