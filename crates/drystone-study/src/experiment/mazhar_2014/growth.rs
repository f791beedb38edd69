//! P1-S3: wall time over the number of contacts (Mazhar 2014, §5.2).
//!
//! 64 to 2560 spheres in steps of 64. The beds settle coarsely (steps of 5 ms, at most 100
//! iterations each): there are 40 of them, and the paper's were not solved to the end either.
//! As in §5.1, the interior point takes Mosek's place and sets the target: a method is there when its
//! objective is the interior point's to the published digits. newton under the exact law takes PATH's
//! place: it solves the complementarity problem without the relaxation. Every solver is tried on every
//! bed, within a time limit that the report states.

mod claims;
mod report;

use std::time::Duration;

use drystone_ccp::{Ccp, HistoryRow, Law, Limits, Method, Termination, TwoBody};

use super::clarabel;
use super::spheres::{SAME, primal};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::curves::exponent;
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::set_up;
use crate::experiment::trial::Trial;
use drystone_draw::plot::{CurveLook, Mark};
use drystone_scene::Simulation;
use report::{figure_5, figure_6, method_table, size_table};

pub use claims::{GrowthRuns, claims};

/// Spheres that each bed has more than the one before, as in the paper.
const STEP: usize = 64;
/// Spheres in the largest bed of the paper.
const LARGEST: usize = 2560;

/// Contacts in the smallest and in the largest bed of the paper.
const PUBLISHED_CONTACTS: [usize; 2] = [77, 9228];

/// The relative residual to which the interior point solves, and what is solved under the exact law.
const TOLERANCE: f64 = 1e-6;

/// Longest time that a solver gets for a problem, s. With forty beds and the few that need it, the
/// experiment stays below half an hour.
const PATIENCE: f64 = 10.0;

/// Longest time of newton under the exact law on the beds that PATH solved, s.
const NEWTON_PATIENCE: f64 = 60.0;

/// Longest time on a bed of what else is solved under the exact law, s: it needs it on most of them.
const EXACT_PATIENCE: f64 = 4.0;

/// The first beds, which PATH solved before it ran out of time.
const PATH_SOLVED: usize = 6;

/// Longest time at a small scale of what only claims on times tell of, s.
const SHORT_PATIENCE: f64 = 2.0;

/// Most iterations where there is no time limit: ten times what APGD takes on the largest bed.
const MOST_ITERATIONS: usize = 200_000;

/// Iterations that are tried first: some methods are at the target by then.
const FIRST_ITERATIONS: usize = 1000;

/// Longest time of a solver on a bed. At a small scale the solvers of the relaxed problem have none,
/// so that what comes out for their counts does not depend on the machine.
fn patience(bench: &Bench<'_>, solver: &BedSolver, spheres: usize) -> Option<Duration> {
    let small = spheres <= PATH_SOLVED * STEP;
    let seconds = match (solver, bench.scale < 1.0) {
        (BedSolver::Ours(_, Law::Exact), true) => SHORT_PATIENCE,
        (BedSolver::Ours(_, Law::Relaxed), true) => return None,
        (BedSolver::Ours(Method::Newton, Law::Exact), false) if small => NEWTON_PATIENCE,
        (BedSolver::Ours(_, Law::Exact), false) => EXACT_PATIENCE,
        _ => PATIENCE,
    };
    Some(Duration::from_secs_f64(seconds))
}

/// The time that a solver gets on a bed, in words.
fn allowed(bench: &Bench<'_>, solver: &BedSolver, spheres: usize) -> String {
    match patience(bench, solver, spheres) {
        Some(time) => format!("{} s", time.as_secs_f64()),
        None => format!("{MOST_ITERATIONS} iterations"),
    }
}

/// The interior point, which sets the target, is the first.
const METHODS: [Method; 4] = [
    Method::InteriorPoint,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
];

/// A solver that is tried on the beds.
#[derive(Clone, Debug, PartialEq)]
pub enum BedSolver {
    /// One of our methods under a law.
    Ours(Method, Law),
    /// The outside conic solver.
    Clarabel,
}

impl BedSolver {
    pub fn name(&self) -> String {
        match self {
            Self::Ours(method, Law::Relaxed) => method.name().to_owned(),
            Self::Ours(method, Law::Exact) => format!("{}, exact law", method.name()),
            Self::Clarabel => clarabel::NAME.to_owned(),
        }
    }

    pub fn look(&self) -> CurveLook {
        match self {
            Self::Ours(Method::Auto, Law::Exact) => CurveLook::nth(6).with_marks(Mark::OpenSquare),
            Self::Ours(method, _) => CurveLook::method(*method).with_marks(mark(*method)),
            Self::Clarabel => CurveLook::nth(2).with_marks(Mark::Triangle),
        }
    }
}

fn mark(method: Method) -> Mark {
    match method {
        Method::Apgd => Mark::Circle,
        Method::InteriorPoint => Mark::Square,
        Method::Newton => Mark::Cross,
        Method::NesterovGs => Mark::Diamond,
        _ => Mark::OpenCircle,
    }
}

/// A bed: its size, and the primal objective before and after its step.
pub struct BedSize {
    pub spheres: usize,
    pub contacts: usize,
    /// Contacts that carry nothing at the solution.
    pub idle: usize,
    /// Primal objective of the input and of the solution, J.
    pub primal: [f64; 2],
    /// Steps of its settling, and how many of them fell short of their tolerance.
    pub steps: [u64; 2],
    /// Objective at the target, J.
    pub target: f64,
}

/// How a solver did on one bed.
#[derive(Clone, Copy, Debug)]
pub struct GrowthPoint {
    pub contacts: usize,
    /// Time to the target, s; where it did not get there, all that it took.
    pub seconds: f64,
    /// All that the run took, s.
    pub whole: f64,
    /// Iterations to the target; where it did not get there, all that it made.
    pub iterations: usize,
    /// Objective there, J.
    pub objective: f64,
    /// Our residual there.
    pub residual: f64,
    /// Whether it got to the target; under the exact law and for Clarabel, to its tolerance.
    pub solved: bool,
    /// How it ended, in one word.
    pub ended: &'static str,
}

/// A solver on all beds that it was tried on.
pub struct SolverGrowth {
    pub solver: BedSolver,
    pub points: Vec<GrowthPoint>,
}

impl SolverGrowth {
    pub fn solved(&self) -> impl Iterator<Item = &GrowthPoint> {
        self.points.iter().filter(|point| point.solved)
    }

    /// Exponent of a measure over the contacts, where it was solved.
    pub fn exponent(&self, of: fn(&GrowthPoint) -> f64) -> f64 {
        self.exponent_from(0, of)
    }

    /// The same from so many contacts on.
    pub fn exponent_from(&self, least: usize, of: fn(&GrowthPoint) -> f64) -> f64 {
        let large = self.solved().filter(|p| p.contacts >= least);
        let points: Vec<[f64; 2]> = large.map(|p| [p.contacts as f64, of(p)]).collect();
        exponent(&points)
    }
}

/// P1-S3.
pub fn scaling(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut growths: Vec<SolverGrowth> = solvers(bench)
        .into_iter()
        .map(|solver| SolverGrowth {
            solver,
            points: Vec::new(),
        })
        .collect();
    let mut findings = Findings::default();
    let mut sizes = Vec::new();
    let numbers = numbers(bench);
    for &spheres in &numbers {
        let (mut size, problem, simulation) = settle(bench, spheres)?;
        for growth in &mut growths {
            let point = solve(bench, &growth.solver, &problem, &mut size)?;
            growth.points.push(point);
        }
        if Some(&spheres) == numbers.last() {
            describe(bench, (&size, &simulation), &numbers, &mut findings);
        }
        sizes.push(size);
    }
    let allowed = |method, law, spheres| allowed(bench, &BedSolver::Ours(method, law), spheres);
    findings.text(format!(
        "One step of 5 ms from γ = 0, in double precision on {} threads. The interior point solves to \
         a relative residual of {TOLERANCE:e} and sets the target: under the relaxed law a method is \
         there when its objective is the interior point's to a relative {SAME:e}, the published \
         digits of §5.1, for the interior point itself when it also stays there. Times to the target \
         are of runs without a history, but for the interior point, whose iterations cost far more \
         than a row of it. What is solved under the exact law goes to a residual of {TOLERANCE:e}, \
         Clarabel to its own gap and feasibility of 1e-10. Every solver is tried on every bed and \
         gets at most {} under the relaxed law. Under the exact law newton gets {} on the first \
         {PATH_SOLVED} beds; else it is {}. Clarabel looks at the time between its iterations, so \
         that its last one may end after it. What was not solved by then is in the table.",
        bench.threads,
        allowed(Method::Apgd, Law::Relaxed, STEP),
        allowed(Method::Newton, Law::Exact, STEP),
        allowed(Method::Newton, Law::Exact, LARGEST),
    ));
    let runs = GrowthRuns { sizes, growths };
    let GrowthRuns { sizes, growths } = &runs;
    findings.table("methods", method_table(growths));
    findings.table("sizes", size_table(sizes, growths));
    findings.figure(
        "figure-5",
        figure_5(growths),
        "Fig. 5 of the paper, left: wall time over contacts. Right: iterations, which do not \
         depend on the speed of the machine.",
    );
    findings.figure(
        "figure-6",
        figure_6(sizes),
        "Fig. 6 of the paper: the primal objective ½ vᵀMv − kᵀv of the velocities that the bed has \
         before the step, and of the converged solution.",
    );
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

fn describe(
    bench: &Bench<'_>,
    (size, simulation): (&BedSize, &Simulation),
    numbers: &[usize],
    findings: &mut Findings,
) {
    let [first, last] = [numbers.first(), numbers.last()].map(|n| n.copied().unwrap_or(0));
    findings.setup(
        "spheres",
        "64 to 2560 in steps of 64",
        format!(
            "{first} to {last} in steps of {STEP}, {} beds",
            numbers.len()
        ),
    );
    findings.setup(
        "contacts of the largest",
        "9228, of 2560 spheres",
        format!(
            "{}, of {} spheres; {} carry nothing at the solution",
            size.contacts, size.spheres, size.idle
        ),
    );
    findings.setup(
        "radius, density, friction, box",
        NOT_GIVEN,
        "0.1 m, 1000 kg/m³, 0.3; the box grows with the bed and keeps its shape",
    );
    findings.setup("threads", "4", bench.threads.to_string());
    findings.setup("NCP solver", "PATH, 3600 s", "newton under the exact law");
    let paper = "with an upper bound of 10000 iterations per step";
    set_up::settled(findings, simulation, paper, "nesterov-gs");
}

/// Numbers of spheres: fewer and smaller beds at a smaller scale.
fn numbers(bench: &Bench<'_>) -> Vec<usize> {
    let beds = bench.count(LARGEST / STEP, 3);
    (1..=beds).map(|k| k * STEP).collect()
}

fn solvers(bench: &Bench<'_>) -> Vec<BedSolver> {
    let ours = bench.methods(&METHODS);
    let mut solvers: Vec<BedSolver> = ours
        .into_iter()
        .map(|method| BedSolver::Ours(method, Law::Relaxed))
        .collect();
    if bench.methods.is_empty() {
        if cfg!(feature = "clarabel") {
            solvers.push(BedSolver::Clarabel);
        }
        solvers.push(BedSolver::Ours(Method::Newton, Law::Exact));
        solvers.push(BedSolver::Ours(Method::Auto, Law::Exact));
    }
    solvers
}

fn settle(
    bench: &mut Bench<'_>,
    spheres: usize,
) -> Result<(BedSize, Ccp<TwoBody>, Simulation), StudyError> {
    let scene = bench.scene(
        "spheres",
        &[
            ("count", spheres.to_string()),
            ("settle_time", "2".to_owned()),
            (
                "settings.method",
                format!("{:?}", Method::NesterovGs.name()),
            ),
            ("settings.tolerance", "1e-2".to_owned()),
            ("settings.max_iterations", "100".to_owned()),
        ],
    )?;
    let mut simulation = bench.settle(&scene, 1)?;
    let problem = simulation.next_problem()?.into_problem();
    let limits = Limits {
        tolerance: TOLERANCE,
        ..Limits::default()
    };
    let what = format!("{spheres} spheres");
    let reference = bench.run(&problem, &what, Method::Auto, limits)?;
    let size = BedSize {
        spheres,
        contacts: problem.cones().contacts(),
        idle: set_up::idle(&problem, &reference.gamma),
        primal: primal(&simulation, &problem, &reference.gamma),
        steps: [
            simulation.world().steps(),
            simulation.world().unconverged_steps(),
        ],
        // Until the interior point has set it.
        target: reference.last().objective,
    };
    Ok((size, problem, simulation))
}

/// The first row at which the objective is the target, to the published digits; with `stays`, from
/// which on it is. The objectives of infeasible points may pass the target before.
fn at_target(history: &[HistoryRow], target: f64, stays: bool) -> Option<&HistoryRow> {
    let there = |row: &HistoryRow| (row.objective / target - 1.0).abs() <= SAME;
    match stays {
        false => history.iter().find(|row| there(row)),
        true => {
            let away = history.iter().rposition(|row| !there(row));
            history.get(away.map_or(0, |k| k + 1))
        }
    }
}

/// How a run ended that did not get to the target, or did at a row of its history.
fn point(contacts: usize, trial: &Trial, there: Option<&HistoryRow>) -> GrowthPoint {
    let row = there.unwrap_or(trial.last());
    GrowthPoint {
        contacts,
        seconds: there.map_or(trial.seconds, |row| row.seconds),
        whole: trial.seconds,
        iterations: there.map_or(trial.iterations, |row| row.iteration),
        objective: row.objective,
        residual: row.residual,
        solved: there.is_some() && trial.failed.is_none(),
        ended: trial.termination,
    }
}

fn solve(
    bench: &Bench<'_>,
    solver: &BedSolver,
    problem: &Ccp<TwoBody>,
    size: &mut BedSize,
) -> Result<GrowthPoint, StudyError> {
    let what = format!("{} spheres", size.spheres);
    let limits = Limits {
        tolerance: TOLERANCE,
        time_limit: patience(bench, solver, size.spheres),
        max_iterations: MOST_ITERATIONS,
        ..Limits::default()
    };
    match solver {
        BedSolver::Ours(Method::InteriorPoint, Law::Relaxed) => {
            let trial = bench.run(problem, &what, Method::InteriorPoint, limits)?;
            if trial.termination != Termination::Converged.name() {
                return Ok(point(size.contacts, &trial, None));
            }
            size.target = trial.last().objective;
            let there = at_target(&trial.history, size.target, true);
            Ok(point(size.contacts, &trial, there))
        }
        BedSolver::Ours(method, Law::Relaxed) => {
            to_target(bench, problem, (&what, size), (*method, limits))
        }
        BedSolver::Ours(method, Law::Exact) => {
            let ended = bench.run_under(Law::Exact, problem, &what, *method, limits)?;
            Ok(match ended {
                Ok((info, _)) => GrowthPoint {
                    contacts: size.contacts,
                    seconds: info.seconds,
                    whole: info.seconds,
                    iterations: info.iterations,
                    objective: info.certificate.objective,
                    residual: info.certificate.residual,
                    solved: info.converged(),
                    ended: info.termination.name(),
                },
                Err(_) => unsolved(size.contacts, 0.0, "failed"),
            })
        }
        BedSolver::Clarabel => {
            let start = std::time::Instant::now();
            let time = limits.time_limit.unwrap_or(Duration::MAX);
            let outcome = clarabel::run(problem, time, bench.control)?;
            let seconds = start.elapsed().as_secs_f64();
            Ok(match outcome {
                clarabel::Outcome::Solved(trial) => GrowthPoint {
                    seconds: trial.seconds,
                    iterations: trial.iterations,
                    ..point(size.contacts, &trial, Some(trial.last()))
                },
                clarabel::Outcome::Failed(ended) => unsolved(size.contacts, seconds, ended),
                clarabel::Outcome::NotBuiltIn => unsolved(size.contacts, 0.0, "not built in"),
            })
        }
    }
}

/// What a solver leaves that gives no point.
fn unsolved(contacts: usize, seconds: f64, ended: &'static str) -> GrowthPoint {
    GrowthPoint {
        contacts,
        seconds,
        whole: seconds,
        iterations: 0,
        objective: f64::NAN,
        residual: f64::NAN,
        solved: false,
        ended,
    }
}

/// Runs a method to the target: with a history for its iterations, then as many without, for their
/// time.
fn to_target(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    (what, size): (&str, &BedSize),
    (method, limits): (Method, Limits),
) -> Result<GrowthPoint, StudyError> {
    let run = |iterations: usize| {
        let fewer = Limits {
            max_iterations: iterations.min(limits.max_iterations),
            ..limits
        };
        bench.run(problem, what, method, fewer)
    };
    // A run that has got there need not go on: each has four times as many iterations as the last.
    let mut iterations = FIRST_ITERATIONS;
    let mut trial = run(iterations)?;
    let mut there = at_target(&trial.history, size.target, false).copied();
    while there.is_none()
        && trial.termination == Termination::IterationLimit.name()
        && iterations < limits.max_iterations
    {
        iterations *= 4;
        trial = run(iterations)?;
        there = at_target(&trial.history, size.target, false).copied();
    }
    let mut point = point(size.contacts, &trial, there.as_ref());
    if let Some(row) = there {
        let as_many = Limits {
            max_iterations: row.iteration,
            ..limits
        };
        point.seconds = bench.run_timed(problem, what, method, as_many)?.seconds;
    }
    Ok(point)
}
