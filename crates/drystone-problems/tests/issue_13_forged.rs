//! Files with forged numbers and missing bytes: what is read can be solved by every method without
//! a panic, and what cannot be is refused in plain words.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::common::*;
use drystone_ccp::{Cone, Csr, Law, Limits, Method, Monitor, SolverError, Termination};
use drystone_problems::{GlobalProblem, Problem, ProblemFile, parse_problem, write_problem};

/// Numbers whose sums, products or squares leave the range of a double.
const EXTREMES: [f64; 16] = [
    0.0, -0.0, 5e-324, -1e-310, 1e-300, -1e-170, 1e-150, 1e-30, -1e30, 1e100, -1e150, 1e154, 1e170,
    -1e300, 1e300, 1.7e308,
];

/// A `.ccp` file with unpacked content, so that its numbers lie open.
fn unpacked(problem: Problem) -> Vec<u8> {
    let path = scratch("issue_13_unpacked").join("problem.ccp");
    write_problem(&path, &with_extras("title", problem)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut out = bytes[..28].to_vec();
    out[12..16].fill(0);
    out.extend(zstd::decode_all(&bytes[28..]).unwrap());
    sealed(out)
}

/// The checksum put right.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&bytes[28..]);
    bytes[24..28].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Where eight bytes look like an ordinary number.
fn places(bytes: &[u8]) -> Vec<usize> {
    let is_number = |at: &usize| {
        let bits = bytes[*at..at + 8].try_into().unwrap();
        (1e-7..1e3).contains(&f64::from_le_bytes(bits).abs())
    };
    (28..bytes.len() - 8).filter(is_number).collect()
}

/// Solves with one method under one law. The point must be finite, the end honest.
fn solve(file: &ProblemFile, method: Method, law: Law) -> Option<Termination> {
    let limits = Limits {
        max_iterations: 60,
        ..Limits::default()
    };
    let problem = &file.problem;
    let zero = || vec![0.0; problem.dim()];
    let mut gamma = file.guess.clone().unwrap_or_else(zero);
    let info = match problem.solve(method, &mut gamma, &mut Monitor::new(limits, law)) {
        Err(SolverError::NotSymmetric { .. }) => return None,
        other => other.unwrap(),
    };
    assert!(gamma.iter().all(|g| g.is_finite()), "{gamma:?}");
    let residual = info.certificate.residual;
    assert!(!info.converged() || residual <= 1e-8, "{residual}");
    assert!(residual.is_finite() || info.termination == Termination::Broke);
    Some(info.termination)
}

#[test]
fn every_method_takes_what_the_reader_lets_through() {
    let small = vec![
        Cone::friction(0.3),
        Cone::NonNegative,
        Cone::Free { rows: 2 },
    ];
    let sources = [
        unpacked(Problem::TwoBody(two_body_problem(every_cone(), 2))),
        unpacked(Problem::Sparse(sparse_problem(every_cone(), 1))),
        unpacked(Problem::TwoBody(two_body_problem(small.clone(), 4))),
        unpacked(Problem::Sparse(sparse_problem(small, 3))),
    ];
    let rounds = std::env::var("DRYSTONE_FORGED").ok();
    let rounds = rounds.and_then(|v| v.parse().ok()).unwrap_or(1000);
    let mut numbers = Numbers(13);
    let (mut read, mut refused, mut broke) = (0, 0, 0);
    for (k, source) in sources.iter().enumerate() {
        let places = places(source);
        for round in 0..rounds {
            let mut forged = source.clone();
            for _ in 0..=numbers.below(6) {
                let at = places[numbers.below(places.len())];
                let value = EXTREMES[numbers.below(EXTREMES.len())];
                forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
            let forged = sealed(forged);
            let Ok(file) = parse_problem(forged.clone()) else {
                refused += 1;
                continue;
            };
            read += 1;
            // One method in turn on all files, all methods on the small ones now and then.
            let all = Method::ALL
                .into_iter()
                .flat_map(|m| [(m, Law::Relaxed), (m, Law::Exact)]);
            let chosen = all.enumerate().filter(|(i, _)| {
                *i == round % (2 * Method::ALL.len()) || (k >= 2 && round % 10 == 0)
            });
            for (_, (method, law)) in chosen {
                let solved = || solve(&file, method, law);
                match catch_unwind(AssertUnwindSafe(solved)) {
                    Ok(end) => broke += usize::from(end == Some(Termination::Broke)),
                    Err(_) => {
                        let kept = scratch("issue_13_failed").join(format!("{k}-{round}.ccp"));
                        std::fs::write(&kept, &forged).unwrap();
                        let (method, law) = (method.name(), law.name());
                        panic!("{method} under the {law} law: kept as {}", kept.display());
                    }
                }
            }
        }
    }
    println!(
        "{read} of {} forged files read, {refused} refused, {broke} broke",
        4 * rounds
    );
    assert!(read > 0 && refused > 0 && broke > 0);
}

fn block() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/block.hdf5");
    std::fs::read(path).unwrap()
}

#[test]
fn an_hdf5_file_that_lost_a_byte_is_refused() {
    let whole = block();
    for at in 0..whole.len() {
        let mut cut = whole.clone();
        cut.remove(at);
        let fault = match parse_problem(cut) {
            Ok(_) => panic!("read without byte {at}"),
            Err(fault) => fault.to_string(),
        };
        // The superblock itself has a checksum; behind it the length tells.
        if at >= 48 {
            let expected = format!("it has {} bytes: it is cut short", whole.len() - 1);
            assert!(fault.contains(&expected), "byte {at}: {fault}");
        }
    }
    for length in (0..whole.len()).step_by(7) {
        assert!(
            parse_problem(whole[..length].to_vec()).is_err(),
            "{length} bytes"
        );
    }
}

#[test]
fn an_hdf5_file_may_be_padded_but_not_have_bytes_put_in() {
    let whole = block();
    let mut padded = whole.clone();
    padded.resize(whole.len() + 1000, 0);
    let (plain, padded) = (
        parse_problem(whole.clone()).unwrap(),
        parse_problem(padded).unwrap(),
    );
    assert_same_problem(&plain.problem, &padded.problem);
    let mut grown = whole.clone();
    grown.insert(2400, 1);
    grown.push(7);
    let fault = parse_problem(grown).unwrap_err().to_string();
    assert!(fault.contains("bytes have come in"), "{fault}");
    // A block of the user's own before it, which the addresses do not know of.
    let mut moved = vec![0; 512];
    moved.extend(&whole);
    let fault = parse_problem(moved).unwrap_err().to_string();
    assert!(fault.contains("expected 512, where it stands"), "{fault}");
}

#[test]
fn a_shifted_number_is_solved_to_some_end_by_every_method() {
    // The bytes of one array shifted by one, as in a file that lost a byte, at its old length.
    let whole = block();
    let mut forged = whole.clone();
    forged.remove(2400);
    forged.push(0);
    let Ok(file) = parse_problem(forged) else {
        return; // another array's metadata moved with it
    };
    for (method, law) in Method::ALL
        .into_iter()
        .flat_map(|m| [(m, Law::Relaxed), (m, Law::Exact)])
    {
        solve(&file, method, law);
    }
}

#[test]
fn friction_that_hides_the_normal_velocity_is_refused_by_place() {
    let file = with_extras(
        "title",
        Problem::Sparse(sparse_problem(vec![Cone::friction(0.3)], 1)),
    );
    let path = scratch("issue_13_friction").join("problem.hdf5");
    write_problem(&path, &file).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let old = 0.3_f64.to_le_bytes();
    let at = bytes.windows(8).position(|w| w == old).unwrap();
    bytes[at..at + 8].copy_from_slice(&1e15_f64.to_le_bytes());
    let fault = parse_problem(bytes).unwrap_err().to_string();
    assert!(
        fault.contains("/fclib_local/vectors/mu: entry 0 is 1e15, expected"),
        "{fault}"
    );
    assert!(
        fault.contains("expected a number from 0 to 1e6 (with more, rounding"),
        "{fault}"
    );
}

#[test]
fn a_global_problem_that_overflows_where_it_is_condensed_is_refused() {
    let diagonal = |values: &[f64]| {
        let n = values.len();
        Csr::from_triplets(n, n, values.iter().enumerate().map(|(i, v)| (i, i, *v))).unwrap()
    };
    let global = |mass: f64, arm: f64, force: f64| GlobalProblem {
        title: String::new(),
        m: diagonal(&[mass; 3]),
        h: diagonal(&[arm; 3]),
        g: None,
        f: vec![force; 3],
        w: vec![-1.0; 3],
        b: vec![],
        mu: vec![0.5],
        mu_r: None,
    };
    assert!(global(1.0, 1.0, 1.0).condense().is_ok());
    // Jᵀ M⁻¹ J, Jᵀ M⁻¹ f, M⁻¹ f and the sum of the diagonal, in turn.
    for problem in [
        global(1e-200, 1e100, 0.0),
        global(1e-200, 1.0, 1e200),
        global(1e-100, 1e150, 1e100),
        global(1.0, 1.2e154, 0.0),
    ] {
        let fault = problem.condense().unwrap_err().to_string();
        let names = ["the condensed problem: ", "M: "];
        assert!(names.iter().any(|name| fault.starts_with(name)), "{fault}");
    }
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_read() {
    let folder = scratch("issue_13_regular");
    let pipe = folder.join("pipe");
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for (path, kind) in [
        (pipe.as_path(), "a pipe or a device"),
        (Path::new("/dev/zero"), "a pipe or a device"),
        (folder.as_path(), "a folder"),
    ] {
        let words = format!("{}: is {kind}, expected a regular file", path.display());
        let refused = [
            drystone_problems::read_problem(path).map(|_| ()),
            drystone_problems::read_vector(path).map(|_| ()),
            drystone_problems::FclibFile::read(path).map(|_| ()),
        ];
        for error in refused.map(Result::unwrap_err) {
            assert_eq!(error.to_string(), words);
        }
    }
}

#[test]
fn large_numbers_are_told_by_their_power_of_ten() {
    let text = "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n0 0 : 1\n1 1 : 1\n\
                2 2 : 1\n-1 0 0.5\nMU\n";
    for number in ["1e15", "2.5e7", "1e300", "-1e300"] {
        let error = parse_problem(text.replace("MU", number).into()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(&format!(" {number}, expected")),
            "{message}"
        );
    }
}
