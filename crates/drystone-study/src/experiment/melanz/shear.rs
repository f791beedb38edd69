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
use crate::experiment::claim::{Measured, NoFigure};
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::set_up;
use crate::experiment::trial::Trial;
use drystone_scene::Simulation;

pub use claims::claims;

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
const PATIENCE: Duration = Duration::from_secs(240);

/// Longest time of the interior point method: an iteration of it takes fifteen seconds on the largest
/// bed, and it reaches all tolerances in its last ones, so a shorter time would show nothing of it.
/// As long for APGD would make the experiment half as long again.
const LONG_PATIENCE: Duration = Duration::from_secs(900);

/// Most iterations of APGD: as many as it had in the paper.
const MOST_ITERATIONS: usize = 3_000_000;

/// Relative error below which a force counts as right: a limit of our own.
const RIGHT: f64 = 0.01;

/// One bed and the answers of all methods to its step.
struct ShearBed {
    spheres: usize,
    contacts: usize,
    /// Contacts that carry nothing at the best answer.
    idle: usize,
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
    /// The answers of a method.
    fn of(&self, method: Method) -> Result<&MethodAnswers, NoFigure> {
        let found = self.methods.iter().find(|m| m.method == method);
        let left_out = || NoFigure::NotJudged(format!("{} was left out", method.name()));
        let series = found.ok_or_else(left_out)?;
        if let Some(first) = series.answers.first() {
            first.trial.result()?;
        }
        Ok(series)
    }

    /// The answer of a method at a tolerance, which it must have reached.
    fn at(&self, method: Method, tolerance: f64) -> Result<&ForceAnswer, NoFigure> {
        let series = self.of(method)?;
        series.at(tolerance).ok_or_else(|| {
            let last = series.answers.last();
            let ended = last.map_or("nothing", |a| a.trial.termination);
            NoFigure::Failed(format!(
                "{} did not reach {tolerance:e}: {ended}",
                method.name()
            ))
        })
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

    /// Iterations of a method to a tolerance: if it did not reach it, more than it made.
    fn iterations(&self, method: Method, tolerance: f64) -> Result<Measured, NoFigure> {
        let series = self.of(method)?;
        Ok(match series.at(tolerance) {
            Some(answer) => Measured::Exactly(answer.trial.iterations as f64),
            None => {
                let last = series.answers.last();
                Measured::AtLeast(last.map_or(0.0, |a| a.trial.iterations as f64))
            }
        })
    }

    /// APGD's iterations to a tolerance over the interior point's, which must have reached it.
    fn lead(&self, tolerance: f64) -> Result<Measured, NoFigure> {
        let interior = self.at(Method::InteriorPoint, tolerance)?.trial.iterations;
        Ok(self
            .iterations(Method::Apgd, tolerance)?
            .over(interior as f64))
    }

    /// The force that all should find, N.
    fn force(&self) -> f64 {
        self.best().map_or(f64::NAN, |(_, answer)| answer.force)
    }

    /// By how much a force is off, relative to the best answer.
    fn error(&self, answer: &ForceAnswer) -> f64 {
        (answer.force / self.force() - 1.0).abs()
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
        let mut bed = ShearBed {
            spheres,
            contacts: step.problem().cones().contacts(),
            idle: 0,
            methods: all,
        };
        if let Some((_, best)) = bed.best() {
            bed.idle = set_up::idle(step.problem(), &best.trial.gamma);
        }
        // The forces are known, and the points would fill the memory.
        for answer in bed.methods.iter_mut().flat_map(|m| &mut m.answers) {
            answer.trial.gamma = Vec::new();
        }
        beds.push(bed);
    }
    let beds = ShearBeds(beds);
    report::write(&beds.0, &mut findings);
    bench.judge(&claims(), &beds, &mut findings);
    Ok(findings)
}

/// All beds, the smallest first.
pub struct ShearBeds(Vec<ShearBed>);

/// How the beds were set up.
fn describe(scale: f64, simulation: &Simulation, findings: &mut Findings) {
    let smaller = match scale == 1.0 {
        true => String::new(),
        false => format!(", times {scale}: the claims name the beds by their sizes at scale 1"),
    };
    findings.setup(
        "spheres",
        "a million (Fig. 1)",
        format!("1000, 10 000, 100 000{smaller}"),
    );
    findings.setup(
        "box, grains, friction, pressure, speed, step",
        NOT_GIVEN,
        "grains of 5 mm, 2500 kg/m³, friction 0.5, 20 kPa, sheared by 4 mm at 0.2 m/s; steps of 1 ms",
    );
    findings.setup(
        "compliance of contacts",
        NOT_GIVEN,
        format!("{COMPLIANCE:e} of their own inverse mass, so that there is one force to find"),
    );
    findings.setup(
        "residual",
        "not said which one",
        "the natural map's, relative to that of γ = 0; r of Mazhar 2015 beside it",
    );
    findings.setup(
        "limits",
        "3 000 000 iterations of APGD",
        format!(
            "{MOST_ITERATIONS} iterations or {} s for each method and bed; the interior point {} s, \
             for it reaches all tolerances in its last iterations",
            PATIENCE.as_secs(),
            LONG_PATIENCE.as_secs()
        ),
    );
    set_up::settled(findings, simulation, NOT_GIVEN, "nesterov-gs");
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
    if findings.setup.is_empty() {
        describe(bench.scale, &simulation, findings);
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
        max_iterations: MOST_ITERATIONS,
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
