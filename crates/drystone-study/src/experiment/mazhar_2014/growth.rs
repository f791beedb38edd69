//! P1-S3: wall time over the number of contacts (Mazhar 2014, §5.2).
//!
//! 64 to 2560 spheres in steps of 64. The beds settle coarsely (steps of 5 ms, at most 100
//! iterations each): there are 40 of them, and the paper's were not solved to the end either.
//! newton under the exact law takes PATH's place: it solves the complementarity problem without the
//! relaxation. A method that ran out of time at one size is not tried at larger ones, as PATH was
//! not.

mod claims;
mod report;

use std::time::Duration;

use drystone_ccp::{Ccp, Law, Limits, Method, Termination, TwoBody};

use super::clarabel;
use super::spheres::primal;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::curves::exponent;
use crate::experiment::findings::Findings;
use crate::experiment::rows::next_problem;
use claims::{claims, verdict};
use drystone_draw::plot::{CurveLook, Mark};
use report::{figure_5, figure_6, method_table, size_table};

/// Spheres that each bed has more than the one before, as in the paper.
const STEP: usize = 64;
/// Spheres in the largest bed of the paper.
const LARGEST: usize = 2560;

/// Contacts in the smallest and in the largest bed of the paper.
const PUBLISHED_CONTACTS: [usize; 2] = [77, 9228];

/// The relative residual to reach.
const TOLERANCE: f64 = 1e-6;

/// Longest time that a method gets for a problem. At scale 1 it keeps the experiment below twenty
/// minutes; a smaller scale gets less, but at least 2 s.
fn patience(bench: &Bench<'_>) -> Duration {
    Duration::from_secs_f64((20.0 * bench.scale).clamp(2.0, 20.0))
}

const METHODS: [Method; 4] = [
    Method::Apgd,
    Method::InteriorPoint,
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
    /// Primal objective of the input and of the solution, J.
    pub primal: [f64; 2],
}

/// How a solver did on one bed.
#[derive(Clone, Copy, Debug)]
pub struct GrowthPoint {
    pub contacts: usize,
    pub seconds: f64,
    pub iterations: usize,
    /// Objective at its end, J.
    pub objective: f64,
    /// Our residual at its end.
    pub residual: f64,
    /// Whether it reached its tolerance.
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
        let points: Vec<[f64; 2]> = self.solved().map(|p| [p.contacts as f64, of(p)]).collect();
        exponent(&points)
    }

    /// Whether its time ran out on the last bed, so that it is not tried on larger ones.
    fn gave_up(&self) -> bool {
        self.points
            .last()
            .is_some_and(|p| p.ended == Termination::TimeLimit.name())
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
    let mut sizes = Vec::new();
    for spheres in numbers(bench) {
        let (size, problem) = settle(bench, spheres)?;
        for growth in growths.iter_mut().filter(|growth| !growth.gave_up()) {
            let point = solve(bench, &growth.solver, &problem, spheres)?;
            growth.points.push(point);
        }
        sizes.push(size);
    }
    let mut findings = Findings::default();
    findings.text(format!(
        "{} beds of {STEP} to {} spheres; one step of 5 ms from γ = 0 to a relative residual of \
         {TOLERANCE:e} (Clarabel to its own gap and feasibility of 1e-10), in double precision on \
         {} threads, without a history. Every solver gets at most {} s per problem, and is not \
         tried on larger ones once that was not enough.",
        sizes.len(),
        sizes.last().map_or(0, |size| size.spheres),
        bench.threads,
        patience(bench).as_secs(),
    ));
    if bench.methods.is_empty() && !growths.iter().any(|g| g.solver == BedSolver::Clarabel) {
        let why = clarabel::NOT_BUILT_IN;
        findings.text(format!("{why}."));
        findings.not_checked(
            "an outside conic solver, Clarabel, finds the objectives that the methods of the \
             relaxed problem agree on",
            why,
        );
    }
    findings.table("methods", method_table(&growths));
    findings.table("sizes", size_table(&sizes, &growths));
    findings.figure(
        "figure-5",
        figure_5(&growths),
        "Fig. 5 of the paper, left: wall time over contacts. Right: iterations, which do not \
         depend on the speed of the machine.",
    );
    findings.figure(
        "figure-6",
        figure_6(&sizes),
        "Fig. 6 of the paper: the primal objective ½ vᵀMv − kᵀv of the velocities that the bed has \
         before the step, and of the converged solution.",
    );
    claims(&sizes, &growths, &mut findings);
    findings.verdict = verdict(&sizes, &growths);
    Ok(findings)
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

fn settle(bench: &mut Bench<'_>, spheres: usize) -> Result<(BedSize, Ccp<TwoBody>), StudyError> {
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
    let problem = next_problem(&mut simulation)?;
    let limits = Limits {
        tolerance: TOLERANCE,
        ..Limits::default()
    };
    let what = format!("{spheres} spheres");
    let reference = bench.run(&problem, &what, Method::Auto, limits)?;
    let size = BedSize {
        spheres,
        contacts: problem.cones().contacts(),
        primal: primal(&simulation, &problem, &reference.gamma),
    };
    Ok((size, problem))
}

fn solve(
    bench: &Bench<'_>,
    solver: &BedSolver,
    problem: &Ccp<TwoBody>,
    spheres: usize,
) -> Result<GrowthPoint, StudyError> {
    let contacts = problem.cones().contacts();
    let what = format!("{spheres} spheres");
    match solver {
        BedSolver::Ours(method, law) => {
            let limits = Limits {
                tolerance: TOLERANCE,
                time_limit: Some(patience(bench)),
                ..Limits::default()
            };
            let (info, _) = bench.run_under(*law, problem, &what, *method, limits)?;
            Ok(GrowthPoint {
                contacts,
                seconds: info.seconds,
                iterations: info.iterations,
                objective: info.certificate.objective,
                residual: info.certificate.residual,
                solved: info.converged(),
                ended: info.termination.name(),
            })
        }
        BedSolver::Clarabel => {
            let start = std::time::Instant::now();
            let failed = |ended: &'static str| GrowthPoint {
                contacts,
                seconds: start.elapsed().as_secs_f64(),
                iterations: 0,
                objective: f64::NAN,
                residual: f64::NAN,
                solved: false,
                ended,
            };
            let outcome = clarabel::run(problem, patience(bench), bench.control)?;
            Ok(match outcome {
                clarabel::Outcome::Solved(trial) => GrowthPoint {
                    contacts,
                    seconds: trial.seconds,
                    iterations: trial.iterations,
                    objective: trial.last().objective,
                    residual: trial.last().residual,
                    solved: true,
                    ended: trial.termination,
                },
                clarabel::Outcome::Failed(ended) => failed(ended),
                clarabel::Outcome::NotBuiltIn => failed("not built in"),
            })
        }
    }
}
