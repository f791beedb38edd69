//! Reads every problem of the shared folder `../shared/problems`.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::*;
use drystone_problems::{Problem, read_problem, write_problem};
use drystone_problems::{read_vector, write_vector};

#[test]
fn every_fclib_problem_reads_and_survives_writing() {
    let Some(root) = shared() else { return };
    let folder = scratch("every_fclib_problem");
    let mut count = 0;
    for part in ["", "rolling", "formats"] {
        for file in files(&root.join(part), "hdf5") {
            let read = read_problem(&file).unwrap_or_else(|e| panic!("{e}"));
            assert!(read.problem.dim() > 0);
            for extension in ["ccp", "hdf5"] {
                let copy = folder.join(format!("copy.{extension}"));
                write_problem(&copy, &read).unwrap_or_else(|e| panic!("{e}"));
                let again = read_problem(&copy).unwrap();
                assert_same_problem(&again.problem, &read.problem);
                assert_eq!(again.title, read.title);
                assert_eq!(
                    (again.guess, again.solution),
                    (read.guess.clone(), read.solution.clone())
                );
            }
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} problems");
}

#[test]
fn storages_of_one_problem_are_the_same_problem() {
    let Some(root) = shared() else { return };
    for name in ["LMGC_GlobalFrictionContactProblem00046", "NESpheres_10_1"] {
        let read = |storage: &str| {
            let file = root.join(format!("formats/{name}.{storage}.hdf5"));
            read_problem(file).unwrap().problem
        };
        let columns = read("csc");
        assert_same_problem(&columns, &read("csr"));
        assert_same_problem(&columns, &read("triplet"));
        let original = read_problem(root.join(format!("{name}.hdf5")))
            .unwrap()
            .problem;
        assert_same_problem(&columns, &original);
    }
}

#[test]
fn stored_solution_and_guess_are_found() {
    let Some(root) = shared() else { return };
    let read = read_problem(root.join("FCLIB_local_problem_test.hdf5")).unwrap();
    assert_eq!(read.title, "Boxes Stack");
    assert_eq!(read.guess.unwrap().len(), 144);
    assert_eq!(read.solution.unwrap().len(), 144);
    let r = read_vector(root.join("FCLIB_local_problem_test.hdf5")).unwrap();
    assert_eq!(r.len(), 144);
}

/// The objective at the stored reference point, computed with SciPy from the same arrays.
#[test]
fn operators_of_other_engines() {
    let Some(root) = shared() else { return };
    let read = read_problem(root.join("large/pressure-4000.npz")).unwrap();
    let Problem::TwoBody(problem) = &read.problem else {
        panic!("not two-body")
    };
    assert_eq!(problem.cones().len(), 17_047);
    assert_eq!(problem.operator().bodies().len(), 4001);
    let gamma = read.solution.as_ref().unwrap();
    let mut velocity = vec![0.0; problem.dim()];
    problem.velocity(gamma, &mut velocity);
    let objective = problem.objective(gamma, &velocity);
    assert!((objective + 8321.4818375).abs() < 1e-6, "{objective}");

    let settled = read_problem(root.join("large/settled-1000.npz")).unwrap();
    let Problem::TwoBody(problem) = &settled.problem else {
        panic!("not two-body")
    };
    assert_eq!(problem.cones().len(), 2814);
    // Sphere of radius 0.1 and density 1500: 1/m = 0.159, as the archive's Minv begins.
    assert!((problem.operator().bodies()[0].inverse_mass - 0.159_154_94).abs() < 1e-8);

    let copy = scratch("operators").join("copy.ccp");
    write_problem(&copy, &read).unwrap();
    assert_same_problem(&read_problem(&copy).unwrap().problem, &read.problem);
}

#[test]
fn reference_reactions_read() {
    let Some(root) = shared() else { return };
    let references = files(&root.join("ref"), "npy");
    assert!(!references.is_empty());
    for file in references {
        let values = read_vector(&file).unwrap_or_else(|e| panic!("{e}"));
        let copy = scratch("reference_reactions").join("copy.npy");
        write_vector(&copy, &values).unwrap();
        assert_same_bits(&read_vector(&copy).unwrap(), &values);
    }
}
