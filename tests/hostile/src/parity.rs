//! The same bits on any number of threads and with any instructions: every built-in scene, every
//! method and law on problems.

use std::path::{Path, PathBuf};

use drystone_ccp::{Law, Limits, Method, Monitor};
use drystone_problems::{ProblemFile, read_problem};
use rayon::ThreadPool;

use crate::args::Args;
use crate::bench::{Bench, repository};
use crate::child::{self, PATIENCE};
use crate::dice::Dice;
use crate::jobs;
use crate::run_folder;
use crate::small_scenes::Reference;
use crate::tally::{Failure, Tally};

/// Numbers of threads whose solves are compared with those of one.
const THREADS: [usize; 3] = [2, 3, 8];

/// How a run differs from the reference, which has one thread and the widest instructions.
#[derive(Clone, Copy)]
struct Variant {
    threads: usize,
    /// Only instructions that every machine of the kind has.
    plain: bool,
}

/// All that are tried, and the one of a quick run.
const VARIANTS: [Variant; 4] = [
    Variant {
        threads: 2,
        plain: false,
    },
    Variant {
        threads: 3,
        plain: false,
    },
    Variant {
        threads: 8,
        plain: false,
    },
    Variant {
        threads: 1,
        plain: true,
    },
];
const QUICK: [Variant; 1] = [Variant {
    threads: 3,
    plain: true,
}];

/// Steps of a scene: enough for contacts, grown in the first ones.
const STEPS: u64 = 8;

/// Most rows of a problem. Larger ones take minutes with some methods.
const MOST_ROWS: usize = 1500;

/// A limit of iterations, not of time: the clock is no part of the answer.
const LIMITS: Limits = Limits {
    tolerance: 1e-6,
    max_iterations: 60,
    time_limit: None,
    velocity_tolerance: None,
    max_work: f64::INFINITY,
};

/// Compares scenes, then solves.
pub fn run(args: &Args, bench: &Bench) -> Result<Tally, String> {
    let tally = Tally::new("parity");
    scenes(args, bench, &tally)?;
    solves(args, bench, &tally)?;
    Ok(tally)
}

fn scenes(args: &Args, bench: &Bench, tally: &Tally) -> Result<(), String> {
    let names: Vec<&str> = drystone_scene::builtin_scenes()
        .iter()
        .map(|(n, _)| *n)
        .collect();
    let variants: &[Variant] = if args.quick { &QUICK } else { &VARIANTS };
    let steps = if args.quick { 3 } else { STEPS };
    jobs::each(bench.jobs, names.len(), |k| {
        let name = names[k];
        let reference = Reference::builtin(bench, name, steps)?;
        for &Variant { threads, plain } in variants {
            let folder = bench.folder(&format!("parity-{name}-{threads}-{plain}"))?;
            let run = folder.join("r");
            let mut command = reference.command(bench, &run, &["--threads", &threads.to_string()]);
            if plain {
                command.env("DRYSTONE_SIMD", "off");
            }
            let verdict = child::run(command, &folder, PATIENCE)?
                .expect(&[0])
                .and_then(|()| run_folder::same(&reference.folder, &run));
            tally.tried(1);
            tally.count("of them runs", 1);
            if let Err(what) = verdict {
                let with = if plain { "plain" } else { "the widest" };
                let what = format!("{name}, {threads} threads, {with} instructions: {what}");
                fail(bench, tally, format!("{name}-{threads}-{plain}"), what);
            }
            let _ = std::fs::remove_dir_all(&folder);
        }
        Ok(())
    })
}

fn fail(bench: &Bench, tally: &Tally, name: String, what: String) {
    let failure = Failure {
        name,
        what,
        again: "drystone-hostile parity".to_owned(),
        input: vec![],
    };
    tally.fail(bench, &failure);
}

/// One solve: problem, method, law.
type Solve = (usize, Method, Law);

fn solves(args: &Args, bench: &Bench, tally: &Tally) -> Result<(), String> {
    let problems = problems()?;
    let mut all: Vec<Solve> = Vec::new();
    for problem in 0..problems.len() {
        for method in Method::ALL {
            all.extend([Law::Relaxed, Law::Exact].map(|law| (problem, method, law)));
        }
    }
    let count = args.count(30, all.len() as u64) as usize;
    // In random order, so that a few are of all kinds.
    let mut dice = Dice::new(args.seed, "parity", 0);
    for k in 0..all.len() {
        let other = k + dice.below(all.len() - k);
        all.swap(k, other);
    }
    all.truncate(count);
    let pools = [1].into_iter().chain(THREADS).map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|e| format!("{threads} threads: {e}"))
    });
    let pools: Vec<ThreadPool> = pools.collect::<Result<_, _>>()?;
    for (problem, method, law) in all {
        let file = &problems[problem];
        let bits: Vec<_> = pools
            .iter()
            .map(|pool| pool.install(|| solve(file, method, law)))
            .collect();
        tally.tried(1);
        tally.count("of them solves", 1);
        if bits.iter().any(|b| *b != bits[0]) {
            let (title, method, law) = (&file.title, method.name(), law.name());
            let what = format!("{title} by {method} under the {law} law: threads change the bits");
            fail(bench, tally, format!("{title}-{method}-{law}"), what);
        }
    }
    Ok(())
}

/// All bits of an answer: iterations, residual and impulses; or the refusal.
fn solve(file: &ProblemFile, method: Method, law: Law) -> (String, Vec<u64>) {
    let mut gamma = vec![0.0; file.problem.dim()];
    let mut monitor = Monitor::new(LIMITS, law);
    let words = match file.problem.solve(method, &mut gamma, &mut monitor) {
        Ok(info) => {
            let residual = info.certificate.residual.to_bits();
            format!("{:?} {} {residual:x}", info.termination, info.iterations)
        }
        Err(error) => error.to_string(),
    };
    (words, gamma.iter().map(|g| g.to_bits()).collect())
}

/// The problems that ship, and those beside the repository where they are there.
fn problems() -> Result<Vec<ProblemFile>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in [
        "problems",
        "../shared/problems",
        "../shared/problems/rolling",
    ] {
        files.extend(problem_files(&repository().join(folder)));
    }
    let mut problems = Vec::new();
    for file in files {
        let problem = read_problem(&file).map_err(|e| e.to_string())?;
        if problem.problem.dim() <= MOST_ROWS {
            problems.push(problem);
        }
    }
    Ok(problems)
}

fn problem_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_problem = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default();
        extension == "hdf5" || extension == "ccp"
    };
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(is_problem).collect();
    files.sort();
    files
}
