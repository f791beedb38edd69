//! Solves every problem of the shared folder, where it is there.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use crate::common::{close, shared};
use drystone_ccp::{
    Ccp, Law, Limits, Method, Monitor, Operator, SolveInfo, SolverError, Sparse, solve,
};
use drystone_problems::{Problem, read_problem};
use serde_json::Value;

/// A problem and what the folder's manifest says of it.
struct Reference {
    name: String,
    problem: Ccp<Sparse>,
    symmetric: bool,
    full_rank: bool,
    /// Lowest objective, J, where there is one: W symmetric and positive semidefinite.
    optimum: Option<f64>,
}

fn references(root: &Path) -> Vec<Reference> {
    let mut all = Vec::new();
    for part in ["", "rolling"] {
        let folder = root.join(part);
        let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        for entry in manifest["problems"].as_array().unwrap() {
            let name = entry["name"].as_str().unwrap().to_owned();
            let read = read_problem(folder.join(format!("{name}.hdf5"))).unwrap();
            let Problem::Sparse(problem) = read.problem else {
                panic!("{name}: not a matrix")
            };
            // The rolling problems' manifest is silent on rank and definiteness; an optimum is
            // given where there is one.
            let psd = entry["psd"].as_bool().unwrap_or(true);
            all.push(Reference {
                symmetric: entry["relative_asymmetry"].as_f64().unwrap() <= 1e-12,
                full_rank: entry["rank"].is_u64() && entry["rank"] == entry["dof"],
                optimum: entry["f_star"].as_f64().filter(|_| psd),
                name,
                problem,
            });
        }
    }
    assert!(all.len() >= 50, "only {} problems", all.len());
    all
}

fn attempt(
    problem: &Ccp<Sparse>,
    method: Method,
    law: Law,
    limits: Limits,
) -> Result<SolveInfo, SolverError> {
    let mut gamma = vec![0.0; problem.dim()];
    solve(problem, method, &mut gamma, &mut Monitor::new(limits, law))
}

/// Solves by `auto` to 1e-8.
fn expect_solved(reference: &Reference, law: Law) -> SolveInfo {
    let info = attempt(&reference.problem, Method::Auto, law, Limits::default()).unwrap();
    let name = &reference.name;
    assert!(info.converged(), "{name} under {law:?}: {info:?}");
    assert!(
        info.certificate.residual <= close(1e-8),
        "{name} under {law:?}: {info:?}"
    );
    info
}

#[test]
fn auto_solves_every_symmetric_problem_under_the_relaxed_law() {
    let Some(root) = shared() else { return };
    for reference in references(&root) {
        // We and the manifest must mean the same by symmetric.
        let symmetric = reference.problem.operator().is_symmetric();
        assert_eq!(symmetric, reference.symmetric, "{}", reference.name);
        if !symmetric {
            continue;
        }
        let info = expect_solved(&reference, Law::Relaxed);
        if let Some(optimum) = reference.optimum {
            let error = (info.certificate.objective - optimum).abs() / optimum.abs();
            assert!(error <= close(1e-6), "{}: {error:e}", reference.name);
        }
    }
}

#[test]
fn auto_solves_every_problem_under_the_exact_law() {
    let Some(root) = shared() else { return };
    for reference in references(&root) {
        let _ = expect_solved(&reference, Law::Exact);
    }
}

#[test]
fn methods_reach_the_optimum_of_full_rank_problems() {
    let Some(root) = shared() else { return };
    let limits = Limits {
        tolerance: 1e-6,
        max_iterations: 300_000,
        time_limit: None,
        ..Limits::default()
    };
    let mut count = 0;
    for reference in references(&root) {
        if !reference.symmetric || !reference.full_rank {
            continue;
        }
        count += 1;
        let name = &reference.name;
        let optimum = reference.optimum.unwrap();
        for method in Method::ALL {
            let info = attempt(&reference.problem, method, Law::Relaxed, limits).unwrap();
            assert!(info.converged(), "{} on {name}: {info:?}", method.name());
            // All agree, because all agree with the optimum.
            let error = (info.certificate.objective - optimum).abs() / optimum.abs();
            assert!(
                error <= close(2e-5),
                "{} on {name}: {error:e}",
                method.name()
            );
        }
    }
    assert!(count >= 15, "only {count} problems");
}

#[test]
fn methods_that_minimise_refuse_matrices_that_are_not_symmetric() {
    let Some(root) = shared() else { return };
    let mut refused = 0;
    for reference in references(&root).into_iter().filter(|r| !r.symmetric) {
        for method in Method::ALL {
            let limits = Limits {
                max_iterations: 1,
                ..Limits::default()
            };
            match attempt(&reference.problem, method, Law::Relaxed, limits) {
                Ok(_) => assert!(TAKES_ALL.contains(&method), "{}", method.name()),
                Err(SolverError::NotSymmetric { method: name, .. }) => {
                    assert_eq!(name, method.name());
                    assert!(!TAKES_ALL.contains(&method), "{name}");
                    refused += 1;
                }
                Err(other) => panic!("{}: {other}", method.name()),
            }
        }
    }
    assert!(refused > 0);
}

/// Methods that do not need a symmetric N.
const TAKES_ALL: [Method; 4] = [
    Method::Auto,
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Newton,
];
