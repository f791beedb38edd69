//! Files written here, read by h5py. Needs a Python with h5py and SciPy: `DRYSTONE_PYTHON`, or the
//! workspace's `.venv`. Without one the test is skipped, and says so; with
//! `DRYSTONE_REQUIRE_PYTHON=1` it fails.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::*;
use drystone_ccp::Cone;
use drystone_problems::{
    FclibFile, FclibProblem, FclibSolution, LocalProblem, Storage, write_vector,
};

/// Prints the sum over all entries of `(i + 1)(j + 2) W_ij`, then q, the reactions and a vector.
const SCRIPT: &str = "
import sys, h5py, numpy as np, scipy.sparse as sp
for name in sys.argv[2:]:
    with h5py.File(name) as h:
        w = h['fclib_local/W']
        m, n, nz = (int(w[k][0]) for k in ('m', 'n', 'nz'))
        p, i, x = (w[k][()] for k in 'pix')
        if nz >= 0: a = sp.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=(m, n))
        elif nz == -1: a = sp.csc_matrix((x, i, p), shape=(m, n))
        else: a = sp.csr_matrix((x, i, p), shape=(m, n))
        print(np.arange(1, m + 1) @ a.toarray() @ np.arange(2, n + 2))
        print(h['fclib_local/vectors/q'][()].sum(), h['solution/r'][()].sum())
        print(h['fclib_local/info/title'][()].decode(), int(h['guesses/number_of_guesses'][0]))
print(np.load(sys.argv[1]).sum())
";

fn python() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("DRYSTONE_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| workspace.join(".venv/bin/python"));
    let probe = Command::new(&python)
        .args(["-c", "import h5py, scipy"])
        .output();
    if probe.is_ok_and(|o| o.status.success()) {
        return Some(python);
    }
    skip("DRYSTONE_REQUIRE_PYTHON", "no Python with h5py and SciPy");
    None
}

#[test]
fn h5py_reads_the_same_numbers() {
    let Some(python) = python() else { return };
    let folder = scratch("h5py_reads_the_same_numbers");
    let problem = sparse_problem(vec![Cone::friction(0.3); 3], 4);
    let gamma: Vec<f64> = (0..problem.dim()).map(|k| k as f64).collect();
    let solution = FclibSolution::from_impulses(&gamma, gamma.len());
    let vector = folder.join("vector.npy");
    write_vector(&vector, &gamma).unwrap();
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).arg(&vector);
    let mut expected = Vec::new();
    let sum = |i: usize, j: usize, x: f64| (i + 1) as f64 * (j + 2) as f64 * x;
    let weighted: f64 = problem
        .operator()
        .matrix()
        .entries()
        .map(|(i, j, x)| sum(i, j, x))
        .sum();
    for storage in [Storage::Columns, Storage::Rows, Storage::Triplets] {
        let file = FclibFile {
            problem: FclibProblem::Local(LocalProblem::from_ccp("a title", &problem).unwrap()),
            solution: Some(solution.clone()),
            guesses: vec![solution.clone(); 2],
        };
        let path = folder.join(format!("{storage:?}.hdf5"));
        file.write(&path, storage).unwrap();
        command.arg(&path);
        expected.extend([weighted, problem.r().iter().sum(), 36.0]);
    }
    expected.push(36.0);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().filter(|l| *l == "a title 2").count(), 3);
    let numbers = text.lines().filter(|l| !l.starts_with('a'));
    let numbers: Vec<f64> = numbers
        .flat_map(|l| l.split(' '))
        .map(|w| w.parse().unwrap())
        .collect();
    assert_eq!(numbers.len(), expected.len());
    for (a, b) in numbers.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} and {b}");
    }
}
