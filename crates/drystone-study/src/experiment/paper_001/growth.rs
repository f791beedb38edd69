//! P1-S3: wall time over the number of contacts (paper 001, §5.2).
//!
//! 64 to 2560 spheres by 64. The beds settle coarsely (5 ms a step, at most 100 iterations): 40 of them are to be made, and the paper's
//! were not solved to the end either. newton under the exact law stands in PATH's place: it solves the complementarity problem without
//! the relaxation. A method that ran out of patience at one size is not tried at larger ones, as PATH was not.

mod report;

use std::time::Duration;

use drystone_ccp::{Ccp, Law, Limits, Method, Termination, TwoBody};

use super::spheres::primal;
use crate::compare::profile::median;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::curves::exponent;
use crate::experiment::findings::Findings;
use crate::table::{Cell, short_number};
use drystone_draw::plot::{Look, Mark};
use report::{figure_5, figure_6, method_table, size_table};

/// Spheres between two sizes, and in the largest bed of the paper.
const STEP: usize = 64;
const LARGEST: usize = 2560;

/// Contacts in the smallest and in the largest bed of the paper.
const PUBLISHED_CONTACTS: [usize; 2] = [77, 9228];

/// The residual to reach, ours.
const TOLERANCE: f64 = 1e-6;

/// Longest time that a method gets for a problem: less for smaller ones.
fn patience(bench: &Bench<'_>) -> Duration {
    Duration::from_secs_f64((20.0 * bench.scale).clamp(2.0, 20.0))
}

const METHODS: [Method; 4] = [
    Method::Apgd,
    Method::InteriorPoint,
    Method::NesterovGs,
    Method::Auto,
];

/// One who solves.
#[derive(Clone, Debug, PartialEq)]
pub enum Solver {
    /// One of our methods under a law.
    Ours(Method, Law),
    /// The outside one.
    #[cfg(feature = "clarabel")]
    Clarabel,
}

impl Solver {
    pub fn name(&self) -> String {
        match self {
            Self::Ours(method, Law::Relaxed) => method.name().to_owned(),
            Self::Ours(method, Law::Exact) => format!("{}, exact law", method.name()),
            #[cfg(feature = "clarabel")]
            Self::Clarabel => super::clarabel::NAME.to_owned(),
        }
    }

    pub fn look(&self) -> Look {
        match self {
            Self::Ours(Method::Auto, Law::Exact) => Look::nth(6).with_marks(Mark::OpenSquare),
            Self::Ours(method, _) => Look::method(*method).with_marks(mark(*method)),
            #[cfg(feature = "clarabel")]
            Self::Clarabel => Look::nth(2).with_marks(Mark::Triangle),
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

/// A bed.
pub struct Size {
    pub spheres: usize,
    pub contacts: usize,
    /// Primal objective of the input and of the solution, J.
    pub primal: [f64; 2],
}

/// What came of a solver on a bed.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub contacts: usize,
    pub seconds: f64,
    pub iterations: usize,
    /// J.
    pub objective: f64,
    /// Our residual at its end.
    pub residual: f64,
    /// Whether it got there.
    pub solved: bool,
    /// How it ended, in a word.
    pub ended: &'static str,
}

/// A solver on all beds that it was tried on.
pub struct Growth {
    pub solver: Solver,
    pub points: Vec<Point>,
}

impl Growth {
    pub fn solved(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.solved)
    }

    /// Exponent of a measure over the contacts, where it was solved.
    pub fn exponent(&self, of: fn(&Point) -> f64) -> f64 {
        let points: Vec<[f64; 2]> = self.solved().map(|p| [p.contacts as f64, of(p)]).collect();
        exponent(&points)
    }

    /// Whether its time ran out on the last bed.
    fn gave_up(&self) -> bool {
        self.points
            .last()
            .is_some_and(|p| p.ended == Termination::TimeLimit.name())
    }
}

/// P1-S3.
pub fn scaling(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut growths: Vec<Growth> = solvers(bench)
        .into_iter()
        .map(|solver| Growth {
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
        "{} beds of {STEP} to {} spheres; one step of 5 ms from γ = 0 to a relative residual of {TOLERANCE:e} (Clarabel to its own gap and \
         feasibility of 1e-10), in double precision on {} threads, without a history. Every solver gets at most {} s a problem, and is not \
         tried on larger ones once that was not enough.",
        sizes.len(),
        sizes.last().map_or(0, |size| size.spheres),
        bench.threads,
        patience(bench).as_secs(),
    ));
    findings.table("methods", method_table(&growths));
    findings.table("sizes", size_table(&sizes, &growths));
    findings.figure(
        "figure-5",
        figure_5(&growths),
        "Fig. 5 of the paper, left: wall time over contacts. Right: iterations, which no machine's speed enters.",
    );
    findings.figure(
        "figure-6",
        figure_6(&sizes),
        "Fig. 6 of the paper: the primal objective ½ vᵀMv − kᵀv of the velocities that the bed comes with, and of the converged solution.",
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

fn solvers(bench: &Bench<'_>) -> Vec<Solver> {
    let ours = bench.methods(&METHODS);
    let mut solvers: Vec<Solver> = ours
        .into_iter()
        .map(|method| Solver::Ours(method, Law::Relaxed))
        .collect();
    if bench.methods.is_empty() {
        #[cfg(feature = "clarabel")]
        solvers.push(Solver::Clarabel);
        solvers.push(Solver::Ours(Method::Newton, Law::Exact));
        solvers.push(Solver::Ours(Method::Auto, Law::Exact));
    }
    solvers
}

fn settle(bench: &mut Bench<'_>, spheres: usize) -> Result<(Size, Ccp<TwoBody>), StudyError> {
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
    let step = simulation.next_problem();
    let problem = step?.into_problem();
    let limits = Limits {
        tolerance: TOLERANCE,
        ..Limits::default()
    };
    let what = format!("{spheres} spheres");
    let reference = bench.run(&problem, &what, Method::Auto, limits)?;
    let size = Size {
        spheres,
        contacts: problem.cones().contacts(),
        primal: primal(&simulation, &problem, &reference.gamma),
    };
    Ok((size, problem))
}

fn solve(
    bench: &Bench<'_>,
    solver: &Solver,
    problem: &Ccp<TwoBody>,
    spheres: usize,
) -> Result<Point, StudyError> {
    let contacts = problem.cones().contacts();
    let what = format!("{spheres} spheres");
    match solver {
        Solver::Ours(method, law) => {
            let limits = Limits {
                tolerance: TOLERANCE,
                time_limit: Some(patience(bench)),
                ..Limits::default()
            };
            let (info, _) = bench.run_under(*law, problem, &what, *method, limits)?;
            Ok(Point {
                contacts,
                seconds: info.seconds,
                iterations: info.iterations,
                objective: info.certificate.objective,
                residual: info.certificate.residual,
                solved: info.converged(),
                ended: info.termination.name(),
            })
        }
        #[cfg(feature = "clarabel")]
        Solver::Clarabel => {
            let start = std::time::Instant::now();
            Ok(match super::clarabel::run(problem, patience(bench))? {
                Ok(trial) => Point {
                    contacts,
                    seconds: trial.seconds,
                    iterations: trial.iterations,
                    objective: trial.last().objective,
                    residual: trial.last().residual,
                    solved: true,
                    ended: trial.termination,
                },
                Err(ended) => Point {
                    contacts,
                    seconds: start.elapsed().as_secs_f64(),
                    iterations: 0,
                    objective: f64::NAN,
                    residual: f64::NAN,
                    solved: false,
                    ended,
                },
            })
        }
    }
}

fn of(growths: &[Growth], method: Method, law: Law) -> Option<&Growth> {
    let wanted = Solver::Ours(method, law);
    growths.iter().find(|growth| growth.solver == wanted)
}

/// Median of the ratios of two solvers' times on the problems that both solved.
fn median_ratio(a: &Growth, b: &Growth) -> f64 {
    let pairs = a.points.iter().zip(&b.points);
    let ratios = pairs
        .filter(|(a, b)| a.solved && b.solved)
        .map(|(a, b)| a.seconds / b.seconds);
    median(ratios).unwrap_or(f64::NAN)
}

/// Largest relative difference between the objectives of the solvers of the relaxed problem.
fn disagreement(growths: &[Growth]) -> f64 {
    let relaxed: Vec<&Growth> = growths
        .iter()
        .filter(|g| !matches!(g.solver, Solver::Ours(_, Law::Exact)))
        .collect();
    let longest = relaxed.iter().map(|g| g.points.len()).max().unwrap_or(0);
    let spread = |k: usize| {
        let points = relaxed.iter().filter_map(|g| g.points.get(k));
        let values = points.filter(|p| p.solved).map(|p| p.objective);
        let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        (high - low) / low.abs()
    };
    (0..longest).map(spread).fold(0.0, f64::max)
}

fn claims(sizes: &[Size], growths: &[Growth], findings: &mut Findings) {
    let spread = disagreement(growths);
    findings.claim(
        Claim::new(
            "all methods of the relaxed problem agree on the objective (largest relative difference)",
            spread < 1e-3,
        )
        .ours(spread),
    );
    if let Some(last) = sizes.last() {
        let ours = last.contacts as f64 / last.spheres as f64;
        let theirs = PUBLISHED_CONTACTS[1] as f64 / LARGEST as f64;
        findings.claim(
            Claim::new(
                format!(
                    "the beds are as dense as the paper's: contacts a sphere among {} (published: among {LARGEST}), within a third",
                    last.spheres
                ),
                (ours / theirs - 1.0).abs() < 1.0 / 3.0,
            )
            .published(theirs)
            .ours(ours),
        );
    }
    timed_claims(growths, findings);
}

fn timed_claims(growths: &[Growth], findings: &mut Findings) {
    let [apgd, interior] =
        [Method::Apgd, Method::InteriorPoint].map(|m| of(growths, m, Law::Relaxed));
    let (Some(apgd), Some(interior)) = (apgd, interior) else {
        return; // the user left one out
    };
    let ratio = median_ratio(apgd, interior);
    findings.claim(
        Claim::new(
            "APGD and the interior point are comparable, within a factor of ten (median of APGD's time over the interior point's)",
            (0.1..10.0).contains(&ratio),
        )
        .published("comparable")
        .ours(ratio)
        .timed(),
    );
    if let Some(exact) = of(growths, Method::Newton, Law::Exact) {
        let ratio = median_ratio(exact, interior);
        findings.claim(
            Claim::new(
                "the complementarity problem without the relaxation costs newton more, if it gets there at all (median of its time under the exact law over the interior point's)",
                ratio.is_nan() || ratio > 1.0,
            )
            .published("orders of magnitude (PATH)")
            .ours(if ratio.is_nan() { "never there".into() } else { Cell::Number(ratio) })
            .timed(),
        );
        let solved = exact.solved().count();
        findings.claim(
            Claim::new(
                "and it solves fewer of the problems than the interior point (problems solved; PATH: six, in 3600 s each)",
                solved <= interior.solved().count(),
            )
            .published(6)
            .ours(solved)
            .timed(),
        );
    }
    let exponents = [apgd, interior].map(|growth| growth.exponent(|p| p.seconds));
    findings.claim(
        Claim::new(
            "their times grow alike with the contacts (APGD's exponent less the interior point's, within one)",
            (exponents[0] - exponents[1]).abs() < 1.0,
        )
        .published("similar")
        .ours(exponents[0] - exponents[1])
        .timed(),
    );
    for method in [Method::NesterovGs, Method::Auto] {
        let Some(own) = of(growths, method, Law::Relaxed) else {
            continue;
        };
        let ratio = median_ratio(apgd, own);
        findings.claim(
            Claim::new(
                format!(
                    "{}, not in the paper, is ahead of APGD (median of APGD's time over its)",
                    method.name()
                ),
                ratio > 1.0,
            )
            .ours(ratio)
            .timed(),
        );
    }
}

fn verdict(sizes: &[Size], growths: &[Growth]) -> String {
    let contacts = |size: Option<&Size>| size.map_or(0, |size| size.contacts);
    let exponents: Vec<String> = growths
        .iter()
        .map(|g| {
            format!(
                "{} {}",
                g.solver.name(),
                short_number(g.exponent(|p| p.seconds))
            )
        })
        .collect();
    let first = contacts(sizes.first());
    let softer = sizes.iter().filter(|s| s.primal[1] > s.primal[0]).count();
    let find = |method, law| of(growths, method, law);
    let mut compared = String::new();
    if let (Some(apgd), Some(interior)) = (
        find(Method::Apgd, Law::Relaxed),
        find(Method::InteriorPoint, Law::Relaxed),
    ) {
        compared += &format!(
            " APGD takes {} times the interior point's time in the median (published: comparable).",
            short_number(median_ratio(apgd, interior))
        );
    }
    if let Some(exact) = find(Method::Newton, Law::Exact) {
        compared += &format!(
            " newton under the exact law solved {} of {} beds in time; PATH solved six of 40.",
            exact.solved().count(),
            sizes.len()
        );
    }
    format!(
        "{first} to {} contacts (published {} to {} at 64 to 2560 spheres): with 77 contacts most of the paper's 64 spheres lie on the floor, so \
         its box seems not to have grown with their number; ours does, and small beds have more contacts.{compared} Exponents of the time \
         over contacts: {}. In {softer} of {} beds the solution's primal objective lies above the input's, by which the paper tells a bed that \
         settled with too few iterations (Fig. 6).",
        contacts(sizes.last()),
        PUBLISHED_CONTACTS[0],
        PUBLISHED_CONTACTS[1],
        exponents.join(", "),
        sizes.len(),
    )
}
