//! Time to residuals from 1e-2 to 1e-8, by every method, on problems from files and on steps of
//! scenes; performance profiles over all of them; and how far `auto` is behind the best.
//!
//! A run goes on to the tightest residual, and the clock is read when a check of the residual first
//! shows each of the others. All runs begin at zero. Short runs are made several times, and the
//! median of each time counts.

mod tables;

use std::path::{Path, PathBuf};
use std::time::Duration;

use drystone_ccp::{Law, Limits, Method, MethodSettings, Monitor, Progress, SolveInfo};
use drystone_problems::{Problem, read_problem};
use drystone_run::{Control, Event};

use super::cases::{Motion, SceneKind, Stage, cases};
use super::{BenchContext, BenchReport, pools};
use crate::compare::profile::median;
use crate::error::StudyError;
use crate::job::{ProblemFacts, problem_name};
use crate::table::{Row, plural, short_number};

/// The residuals that are timed, and what their columns are called.
const RESIDUALS: [(f64, &str); 7] = [
    (1e-2, "s_to_1e-2"),
    (1e-3, "s_to_1e-3"),
    (1e-4, "s_to_1e-4"),
    (1e-5, "s_to_1e-5"),
    (1e-6, "s_to_1e-6"),
    (1e-7, "s_to_1e-7"),
    (1e-8, "s_to_1e-8"),
];

/// A run shorter than this is made again, s: its time is mostly noise.
const SHORT: f64 = 0.3;

/// Times that a short run is made.
const REPEATS: usize = 3;

/// Rows from which on methods that factorise a matrix of the whole problem are not run: a factor of
/// a pile that large takes gigabytes, and cannot be stopped on the way.
const MOST_FACTORED: usize = 60_000;

/// Methods that factorise however large the problem is.
const FACTORISING: [Method; 3] = [
    Method::InteriorPoint,
    Method::Newton,
    Method::GpminresPreconditioned,
];

/// What to measure.
#[derive(Clone, Debug)]
pub struct SolverBenchSettings {
    /// Problems from files.
    pub files: Vec<PathBuf>,
    /// Scenes whose next step is a problem.
    pub scenes: Vec<SceneKind>,
    /// Numbers of spheres of the piles.
    pub sizes: Vec<usize>,
    /// Size of the other scenes. > 0.
    pub scale: f64,
    /// Methods.
    pub methods: Vec<Method>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Longest time of a run, s.
    pub seconds: f64,
}

/// One method on one problem.
struct Measurement {
    problem: String,
    facts: ProblemFacts,
    method: Method,
    threads: usize,
    /// The method that gave the answer: `auto` hands on.
    answered_by: &'static str,
    ended: &'static str,
    iterations: usize,
    residual: f64,
    /// Of the whole run, s.
    seconds: f64,
    /// To each of [`RESIDUALS`], s; none where it was not reached.
    times: [Option<f64>; RESIDUALS.len()],
}

/// Problem files: those named, and those in the folders named, in the order of their names.
pub fn problem_files(places: &[PathBuf]) -> Result<Vec<PathBuf>, StudyError> {
    let mut files = Vec::new();
    for place in places {
        if place.is_dir() {
            let listed = std::fs::read_dir(place).and_then(Iterator::collect);
            let entries: Vec<std::fs::DirEntry> =
                listed.map_err(|e| StudyError::place(place, e))?;
            let mut own: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
            own.retain(|file| is_problem(file));
            own.sort();
            files.extend(own);
        } else if place.is_file() {
            files.push(place.clone());
        } else {
            return Err(StudyError::place(place, "there is no such file or folder"));
        }
    }
    Ok(files)
}

fn is_problem(file: &Path) -> bool {
    let known = ["hdf5", "npz", "ccp"];
    let extension = file.extension().and_then(|e| e.to_str());
    file.is_file() && extension.is_some_and(|e| known.contains(&e))
}

/// Measures solves. Once the caller cancels, the report holds the runs that had ended.
pub fn solvers(
    settings: &SolverBenchSettings,
    context: BenchContext<'_>,
) -> Result<BenchReport, StudyError> {
    let mut found = Found::default();
    let ended = measure_all(settings, context, &mut found);
    found.report(settings).ended_by(ended)
}

/// What was found so far.
#[derive(Default)]
struct Found {
    done: Vec<Measurement>,
    skipped: Vec<Row>,
}

impl Found {
    fn report(&self, settings: &SolverBenchSettings) -> BenchReport {
        let described = vec![
            ("files", settings.files.len().into()),
            ("scale", settings.scale.into()),
            ("time_limit_s", settings.seconds.into()),
        ];
        let title = "Time to a residual";
        let mut report = BenchReport::new("solvers", title, described);
        let skipped = self.skipped.clone();
        tables::add(&mut report, &self.done, skipped, &settings.methods);
        report
    }
}

fn measure_all(
    settings: &SolverBenchSettings,
    context: BenchContext<'_>,
    found: &mut Found,
) -> Result<(), StudyError> {
    for file in &settings.files {
        match read_problem(file) {
            Ok(read) => {
                let name = problem_name(file);
                measure(&name, &read.problem, settings, context.control, found)?;
            }
            Err(error) => {
                context.control.tell(Event::Warning(&error.to_string()));
                let reason = error.fault.to_string();
                found.skipped.push(skip(&problem_name(file), "", &reason));
            }
        }
        (context.keep)(&found.report(settings))?;
    }
    let mut stage = Stage::new("solvers", context);
    let motions = [Motion::Settled, Motion::Moving];
    for case in cases(&settings.scenes, &motions, &settings.sizes, settings.scale) {
        // Piles that fall are solved in a few iterations by anything.
        if (case.kind, case.motion) == (SceneKind::Pile, Motion::Moving) {
            continue;
        }
        let problem = Problem::TwoBody(stage.problem(&case, &[])?);
        measure(&case.label(), &problem, settings, context.control, found)?;
        (context.keep)(&found.report(settings))?;
    }
    Ok(())
}

fn skip(problem: &str, method: &str, reason: &str) -> Row {
    vec![
        ("problem", problem.into()),
        ("method", method.into()),
        ("reason", reason.into()),
    ]
}

/// Every method on one problem, on every number of threads.
fn measure(
    name: &str,
    problem: &Problem,
    settings: &SolverBenchSettings,
    control: Control<'_>,
    found: &mut Found,
) -> Result<(), StudyError> {
    let facts = ProblemFacts::of(problem);
    for (threads, pool) in pools(&settings.threads)? {
        for &method in &settings.methods {
            if facts.rows > MOST_FACTORED && FACTORISING.contains(&method) {
                let reason = format!("{} rows are too many to factorise", facts.rows);
                found.skipped.push(skip(name, method.name(), &reason));
                continue;
            }
            let label = format!("{name}, {}, {}", method.name(), plural(threads, "thread"));
            control.tell(Event::Begin(&label));
            let outcome = pool.install(|| runs(problem, method, settings.seconds, control));
            if control.is_cancelled() {
                return Err(StudyError::Cancelled);
            }
            let words = match outcome {
                Ok((info, times)) => {
                    let words = format!(
                        "{label}: {} to {:.1e} in {} s",
                        info.termination.name(),
                        info.certificate.residual,
                        short_number(info.seconds)
                    );
                    found.done.push(Measurement {
                        problem: name.to_owned(),
                        facts,
                        method,
                        threads,
                        answered_by: info.method,
                        ended: info.termination.name(),
                        iterations: info.iterations,
                        residual: info.certificate.residual,
                        seconds: info.seconds,
                        times,
                    });
                    words
                }
                Err(reason) => {
                    found.skipped.push(skip(name, method.name(), &reason));
                    format!("{label}: refused")
                }
            };
            control.tell(Event::End(Some(&words)));
        }
    }
    Ok(())
}

type Times = [Option<f64>; RESIDUALS.len()];

/// Runs a method, several times where it is quick; the last run, and the median of each time.
fn runs(
    problem: &Problem,
    method: Method,
    seconds: f64,
    control: Control<'_>,
) -> Result<(SolveInfo, Times), String> {
    let (mut info, times) = run(problem, method, seconds, control)?;
    let mut all = vec![times];
    while info.seconds < SHORT && all.len() < REPEATS && !control.is_cancelled() {
        let (again, times) = run(problem, method, seconds, control)?;
        info = again;
        all.push(times);
    }
    // The points are the same in every run, so a residual is reached in all of them or in none.
    let middle = std::array::from_fn(|k| median(all.iter().filter_map(|times| times[k])));
    Ok((info, middle))
}

fn run(
    problem: &Problem,
    method: Method,
    seconds: f64,
    control: Control<'_>,
) -> Result<(SolveInfo, Times), String> {
    let limits = Limits {
        tolerance: RESIDUALS[RESIDUALS.len() - 1].0,
        time_limit: Some(Duration::from_secs_f64(seconds)),
        ..Limits::default()
    };
    let mut gamma = vec![0.0; problem.dim()];
    let mut observer = |progress: &Progress| control.tell(Event::Solve(progress));
    let mut monitor = Monitor::new(limits, Law::Relaxed)
        .cancelled_by(control.flag())
        .observed_by(&mut observer)
        .with_snapshots(&RESIDUALS.map(|(residual, _)| residual));
    let settings = MethodSettings::new(method);
    let solved = problem.solve_with(&settings, &mut gamma, &mut monitor);
    let info = solved.map_err(|e| e.to_string())?;
    let taken = monitor.take_snapshots();
    let times = RESIDUALS.map(|(residual, _)| {
        let first = taken.iter().find(|s| s.below == residual);
        // A method that judges its last point only, as a factorisation does, is there at its end.
        let at_end = (info.certificate.residual <= residual).then_some(info.seconds);
        first.map(|s| s.seconds).or(at_end)
    });
    Ok((info, times))
}
