//! Small problems in real files, and the program to run on them.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod scenes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use drystone_ccp::{Ccp, Cones, Csr, Sparse};
use drystone_problems::{Problem, ProblemFile, write_problem};
use tempfile::TempDir;

/// A folder of its own for each test.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A problem of `contacts` contacts; `skew` times a skew matrix is added to N.
    pub fn problem(&self, name: &str, contacts: usize, skew: f64) -> PathBuf {
        let path = self.path(name);
        let file = ProblemFile {
            title: String::new(),
            problem: Problem::Sparse(ccp(contacts, skew)),
            guess: None,
            solution: None,
        };
        write_problem(&path, &file).unwrap();
        path
    }

    /// Runs the program in the folder.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
        command.args(args).current_dir(self.folder.path());
        command
    }

    /// Names of all files in a folder, sorted.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// N = BᵀB / n + 0.01 I with B dense: every contact feels every other.
fn ccp(contacts: usize, skew: f64) -> Ccp<Sparse> {
    let n = 3 * contacts;
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let b: Vec<f64> = (0..n * n).map(|_| random()).collect();
    let mut dense = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let dot: f64 = (0..n).map(|k| b[k * n + i] * b[k * n + j]).sum();
            let side = if i < j { skew } else { -skew };
            dense[i * n + j] = dot / n as f64 + if i == j { 0.01 } else { side };
        }
    }
    let r = (0..n)
        .map(|i| if i % 3 == 0 { -1.0 } else { random() })
        .collect();
    let matrix = Csr::from_dense(n, n, &dense).unwrap();
    let cones = Cones::friction(&vec![0.4; contacts]).unwrap();
    Ccp::new(Sparse::new(matrix).unwrap(), r, cones).unwrap()
}

pub fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A CSV file as rows of cells; the files of these tests hold no quoted commas but in the last
/// column.
pub fn csv(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let columns = text.lines().next().unwrap().split(',').count();
    let cells = |line: &str| line.splitn(columns, ',').map(str::to_owned).collect();
    text.lines().map(cells).collect()
}
