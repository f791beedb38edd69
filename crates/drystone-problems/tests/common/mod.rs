//! Folders, small problems and comparisons for the tests of files.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, NO_BODY, Operator, Sparse, TwoBody, TwoBodyBlock,
};
use drystone_problems::{Problem, ProblemFile};

/// The shared reference problems. Without them the test is skipped, and says so; with
/// `DRYSTONE_REQUIRE_SHARED=1` it fails.
pub fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    if root.is_dir() {
        return Some(root);
    }
    skip("DRYSTONE_REQUIRE_SHARED", "no folder ../shared/problems");
    None
}

/// Says that a test, or a part of it, is skipped; fails where the environment insists on it.
pub fn skip(insist: &str, reason: &str) {
    let insists = std::env::var_os(insist).is_some_and(|value| value == "1");
    assert!(!insists, "{reason}, and {insist} is set");
    println!("skipped: {reason}");
}

/// Files of a folder by extension, in order.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// A folder of its own for a test, empty at the start.
pub fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Reproducible numbers in [-1, 1): a linear congruential generator is enough for test data.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    pub fn real(&mut self) -> f64 {
        self.bits() as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }
}

/// A symmetric positive definite matrix with some zeros.
pub fn random_matrix(dim: usize, seed: u64) -> Csr {
    let mut numbers = Numbers(seed);
    let mut dense = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in 0..i {
            if numbers.below(3) == 0 {
                let v = numbers.real();
                dense[i * dim + j] = v;
                dense[j * dim + i] = v;
            }
        }
        dense[i * dim + i] = dim as f64 + numbers.real();
    }
    Csr::from_dense(dim, dim, &dense).unwrap()
}

/// One block of every kind of cone.
pub fn every_cone() -> Vec<Cone> {
    vec![
        Cone::friction(0.3),
        Cone::Free { rows: 5 },
        Cone::NonNegative,
        Cone::Interval {
            lower: f64::NEG_INFINITY,
            upper: 0.25,
        },
        Cone::Friction {
            friction: 0.1 + 0.2,
            cohesion: 1e-3,
        },
        Cone::Rolling {
            friction: 0.5,
            rolling: 0.01,
            cohesion: 0.0,
        },
        Cone::RollingSpinning {
            friction: 0.5,
            rolling: 0.01,
            spinning: 0.02,
            cohesion: 0.125,
        },
    ]
}

/// A sparse problem over the given cones.
pub fn sparse_problem(cones: Vec<Cone>, seed: u64) -> Ccp<Sparse> {
    let cones = Cones::new(cones).unwrap();
    let mut numbers = Numbers(seed ^ 0xabcd);
    let r = (0..cones.dim()).map(|_| numbers.real()).collect();
    let matrix = random_matrix(cones.dim(), seed);
    Ccp::new(Sparse::new(matrix).unwrap(), r, cones).unwrap()
}

/// A two-body problem over the given cones, three bodies and the world.
pub fn two_body_problem(cones: Vec<Cone>, seed: u64) -> Ccp<TwoBody> {
    let mut numbers = Numbers(seed);
    let body = |k: usize| BodyInertia {
        inverse_mass: 1.0 / (1.0 + k as f64),
        inverse_inertia: [[3.0, 0.1, 0.2], [0.1, 4.0, -0.3], [0.2, -0.3, 5.0]],
    };
    let bodies = (0..3).map(body).collect();
    let blocks: Vec<TwoBodyBlock> = cones
        .iter()
        .enumerate()
        .map(|(k, cone)| TwoBodyBlock {
            bodies: [k % 3, if k % 2 == 0 { (k + 1) % 3 } else { NO_BODY }],
            rows: (0..cone.rows())
                .map(|_| std::array::from_fn(|_| numbers.real()))
                .collect(),
            compliance: if k % 2 == 0 {
                vec![]
            } else {
                vec![1e-6; cone.rows()]
            },
        })
        .collect();
    let cones = Cones::new(cones).unwrap();
    let r = (0..cones.dim()).map(|_| numbers.real()).collect();
    Ccp::new(TwoBody::new(bodies, &blocks).unwrap(), r, cones).unwrap()
}

/// Every bit the same.
pub fn assert_same_bits(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.to_bits(), b.to_bits(), "entry {k}: {a} and {b}");
    }
}

/// The same problem in the same form, bit by bit.
pub fn assert_same_problem(a: &Problem, b: &Problem) {
    match (a, b) {
        (Problem::Sparse(a), Problem::Sparse(b)) => {
            assert_eq!(a.operator().matrix(), b.operator().matrix());
            assert_same_bits(a.r(), b.r());
            assert_eq!(a.cones(), b.cones());
        }
        (Problem::TwoBody(a), Problem::TwoBody(b)) => {
            let (p, q) = (a.operator(), b.operator());
            assert_eq!(p.bodies(), q.bodies());
            assert_eq!(p.offsets(), q.offsets());
            (0..p.offsets().len() - 1).for_each(|k| assert_eq!(p.pair(k), q.pair(k)));
            assert_same_bits(p.jacobian().as_flattened(), q.jacobian().as_flattened());
            assert_same_bits(&p.compliance(), &q.compliance());
            assert_same_bits(a.r(), b.r());
            assert_eq!(a.cones(), b.cones());
        }
        _ => panic!("one is sparse, the other two-body"),
    }
}

/// N as a matrix, whatever the form.
pub fn matrix_of(problem: &Problem) -> Csr {
    match problem {
        Problem::Sparse(p) => p.operator().to_csr(),
        Problem::TwoBody(p) => p.operator().to_csr(),
    }
}

/// A problem with title, guess and solution.
pub fn with_extras(title: &str, problem: Problem) -> ProblemFile {
    let dim = problem.dim();
    let mut numbers = Numbers(99);
    ProblemFile {
        title: title.to_owned(),
        problem,
        guess: Some((0..dim).map(|_| numbers.real()).collect()),
        solution: Some((0..dim).map(|k| -0.0 * k as f64).collect()),
    }
}

/// `tolerance` times `DRYSTONE_TEST_TOLERANCE_SCALE` (1 if unset).
pub fn close(tolerance: f64) -> f64 {
    let scale = std::env::var("DRYSTONE_TEST_TOLERANCE_SCALE")
        .ok()
        .and_then(|s| s.parse::<f64>().ok())
        .unwrap_or(1.0);
    tolerance * scale
}
