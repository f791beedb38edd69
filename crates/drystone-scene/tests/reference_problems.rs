//! Reads every problem of the shared folder, where it is there.

use std::path::PathBuf;

use drystone_scene::{Problem, read_problem};

fn shared() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: the folder of reference problems is not there");
    None
}

fn files(folder: PathBuf, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

#[test]
fn every_fclib_problem_reads() {
    let Some(root) = shared() else { return };
    let mut count = 0;
    for folder in ["", "rolling", "formats"] {
        for file in files(root.join(folder), "hdf5") {
            let read = read_problem(&file).unwrap_or_else(|e| panic!("{e}"));
            let Problem::Sparse(problem) = read.problem else {
                panic!("{}: not sparse", file.display())
            };
            assert!(problem.dim() > 0);
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} problems");
}
