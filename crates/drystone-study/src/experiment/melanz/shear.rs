//! P4-T1: the direct shear test (Melanz, Table 1).
//!
//! Grains settle in a box of two halves, a lid presses them, the lower half moves until they carry
//! shear. Then every method takes the same step from zero impulses. Its first points below tighter
//! and tighter tolerances are taken on the way, and the force along x on the upper half is
//! measured.
//!
//! Between rigid bodies that force need not be unique: grains wedged between walls that are held
//! can carry any self-stress. A little compliance makes it unique, see [`COMPLIANCE`].

mod claims;
mod report;

use std::collections::BTreeSet;
use std::time::Duration;

use drystone::{BodyId, StepProblem};
use drystone_ccp::{Limits, Method};
use drystone_scene::Scene;

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::Findings;
use crate::experiment::trial::Trial;

/// The paper's methods, then ours.
const METHODS: [Method; 4] = [
    Method::Apgd,
    Method::InteriorPoint,
    // Often the same as the next, so it is drawn before it and lies below.
    Method::Auto,
    Method::NesterovGs,
];

/// Numbers of spheres; the paper's million is scale 10.
const SIZES: [usize; 3] = [1000, 10_000, 100_000];

/// Fewer spheres than this are no bed.
const LEAST: usize = 200;

/// The paper's tolerances.
const TOLERANCES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Tighter than the paper's: here the methods must agree if there is one force to find.
const TIGHTEST: f64 = 1e-8;

/// Compliance of contacts as a share of their own inverse mass. At this time step it is a stiffness
/// of 7e8 N/m, a hundred times that of glass grains under this load. The methods agree with 1e-4
/// and with 1e-9 as well.
const COMPLIANCE: f64 = 1e-6;

/// Longest time of one method on one bed.
const PATIENCE: Duration = Duration::from_secs(300);

/// Longest time of the interior point method: it reaches all tolerances in its last iterations, so
/// a short time would show nothing of it.
const LONG_PATIENCE: Duration = Duration::from_secs(900);

/// Relative error below which a force counts as right: a limit of our own.
const RIGHT: f64 = 0.01;

/// One bed and the answers of all methods to its step.
struct ShearBed {
    spheres: usize,
    contacts: usize,
    /// One entry per method.
    methods: Vec<MethodAnswers>,
}

/// One method's answers, one per tolerance, until the first that it did not reach.
struct MethodAnswers {
    method: Method,
    answers: Vec<ForceAnswer>,
}

/// One method's answer at one tolerance.
struct ForceAnswer {
    tolerance: f64,
    trial: Trial,
    /// Force of the upper half on the grains along x, N: against the motion, negative as in the
    /// paper.
    force: f64,
}

impl ForceAnswer {
    /// Whether it is as good as asked for. A residual up to 5 % above is accepted: methods that
    /// update their velocities as they go find at the end that rounding has added to it.
    fn is_reached(&self) -> bool {
        self.trial.last().residual <= 1.05 * self.tolerance
    }
}

impl MethodAnswers {
    /// The answer at a tolerance, if the method reached it.
    fn at(&self, tolerance: f64) -> Option<&ForceAnswer> {
        let found = self.answers.iter().find(|a| a.tolerance == tolerance);
        found.filter(|a| a.is_reached())
    }
}

impl ShearBed {
    /// The answers of a method, if it was run.
    fn of(&self, method: Method) -> Option<&MethodAnswers> {
        self.methods.iter().find(|m| m.method == method)
    }

    /// The answer with the smallest residual of all.
    fn best(&self) -> Option<(Method, &ForceAnswer)> {
        let answers = self
            .methods
            .iter()
            .flat_map(|m| m.answers.iter().map(|a| (m.method, a)));
        answers.min_by(|a, b| {
            let residual = |x: &ForceAnswer| x.trial.last().residual;
            residual(a.1).total_cmp(&residual(b.1))
        })
    }

    /// The force that all should find, N.
    fn force(&self) -> f64 {
        self.best().map_or(f64::NAN, |(_, answer)| answer.force)
    }

    /// By how much a force is off, relative to the best answer.
    fn error(&self, answer: &ForceAnswer) -> f64 {
        (answer.force / self.force() - 1.0).abs()
    }

    /// The coarsest tolerance from which on a method's force stays right.
    fn right_from(&self, series: &MethodAnswers) -> Option<f64> {
        let reached = series.answers.iter().filter(|a| a.is_reached());
        let right = reached.rev().take_while(|a| self.error(a) <= RIGHT);
        right.last().map(|a| a.tolerance)
    }
}

/// P4-T1: the force that each method finds at each tolerance.
pub fn force_over_tolerance(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let mut sizes: Vec<usize> = SIZES.iter().map(|&n| bench.count(n, 1)).collect();
    sizes.retain(|&n| n >= LEAST);
    if sizes.is_empty() {
        sizes.push(LEAST);
    }
    // The largest first: what cannot fit is refused before any work.
    let _ = scene(bench, sizes[sizes.len() - 1])?;
    let mut beds = Vec::new();
    for spheres in sizes {
        let (step, upper) = step(bench, spheres, &mut findings)?;
        let mut all = Vec::new();
        for &method in &methods {
            all.push(answers(bench, &step, &upper, (spheres, method))?);
        }
        beds.push(ShearBed {
            spheres,
            contacts: step.problem().cones().contacts(),
            methods: all,
        });
    }
    report::write(&beds, &mut findings);
    Ok(findings)
}

/// The box with so many spheres.
fn scene(bench: &Bench<'_>, spheres: usize) -> Result<Scene, StudyError> {
    let values = [
        ("count", spheres.to_string()),
        ("settle_step", "0.002".to_owned()),
        // Coarse on the way: the step that is measured starts from nothing anyway.
        ("settings.tolerance", "0.1".to_owned()),
        ("settings.max_iterations", "20".to_owned()),
        ("settings.compliance", format!("{COMPLIANCE:e}")),
        (
            "settings.method",
            format!("{:?}", Method::NesterovGs.name()),
        ),
        // The grains carry shear after a few millimetres; a lower speed would take more steps.
        ("speed", "0.2".to_owned()),
        ("shear_time", "0.02".to_owned()),
        ("tolerance", "1e-2".to_owned()),
    ];
    bench.scene("shear-box", &values)
}

/// The step at the end of the shear, and the bodies of the upper half.
fn step(
    bench: &mut Bench<'_>,
    spheres: usize,
    findings: &mut Findings,
) -> Result<(StepProblem, BTreeSet<BodyId>), StudyError> {
    let scene = scene(bench, spheres)?;
    let mut simulation = bench.settle(&scene, 3)?;
    if findings.parts.is_empty()
        && let Some(png) = bench.picture(&scene, &simulation)
    {
        let caption = format!(
            "The shear box with {spheres} spheres, cut open, at the step that is measured."
        );
        findings.picture("figure-1", png, caption);
    }
    let upper = simulation.group("upper").iter().copied().collect();
    let problem = simulation.next_problem()?;
    Ok((problem, upper))
}

/// A method's answers, one per tolerance.
fn answers(
    bench: &Bench<'_>,
    step: &StepProblem,
    upper: &BTreeSet<BodyId>,
    (spheres, method): (usize, Method),
) -> Result<MethodAnswers, StudyError> {
    let limits = Limits {
        tolerance: TIGHTEST,
        max_iterations: usize::MAX,
        time_limit: Some(match method {
            Method::InteriorPoint => LONG_PATIENCE,
            _ => PATIENCE,
        }),
        ..Limits::default()
    };
    let what = format!("{spheres} spheres");
    let trials = bench.run_snapshots(step.problem(), &what, (method, limits), &TOLERANCES)?;
    // If the run ended above some tolerances, its last point is the answer to the first of these.
    let tolerances = TOLERANCES.into_iter().chain([TIGHTEST]);
    let answer = |(tolerance, trial): (f64, Trial)| ForceAnswer {
        tolerance,
        force: force_on_grains(step, upper, &trial.gamma),
        trial,
    };
    let answers = tolerances.zip(trials).map(answer).collect();
    Ok(MethodAnswers { method, answers })
}

/// The force along x that the upper half exerts on the grains, N.
fn force_on_grains(step: &StepProblem, upper: &BTreeSet<BodyId>, gamma: &[f64]) -> f64 {
    let forces = step.contact_forces(gamma);
    let along =
        forces.iter().map(
            |contact| match contact.bodies.map(|body| upper.contains(&body)) {
                [true, false] => contact.force.x,
                [false, true] => -contact.force.x,
                [true, true] | [false, false] => 0.0,
            },
        );
    along.sum()
}
