//! P1-D1 to P1-D4: a ball and boxes that slide, under the exact and the relaxed law (Mazhar 2014,
//! §5.3 to §5.5).
//!
//! The paper runs Mosek and APGD on the primal and dual models and PATH on the equations of motion,
//! each with the relaxation and without it (by a fixed point). Here the interior point takes
//! Mosek's place and newton PATH's; the scene's `settings.law` chooses with or without the
//! relaxation.

mod report;

use drystone::worse;
use drystone_ccp::{Law, Method};
use drystone_run::StopAt;
use drystone_scene::Simulation;
use glam::DVec3;

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::findings::Findings;
use crate::table::short_number;
use drystone_draw::plot::{CurveLook, Mark};

/// Gravity of the scenes, m/s².
const G: f64 = 9.81;

/// The paper's methods, or what takes their place, then ours.
const METHODS: [Method; 4] = [
    Method::Apgd,
    Method::InteriorPoint,
    Method::Newton,
    Method::Auto,
];

/// A test of the paper.
pub struct SlidingCase {
    /// Name of the built-in scene.
    pub scene: &'static str,
    /// Name of the body that slides in it.
    pub body: &'static str,
    /// Angle of the plane, rad.
    pub slope: f64,
    /// The paper's x along the plane: the direction of the velocity that it plots.
    pub along: DVec3,
    /// What is compared with the analytic value.
    pub measure: MotionMeasure,
    /// Its figures in the paper.
    pub figures: &'static str,
}

/// What has an analytic value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionMeasure {
    /// Time from which the ball rolls, s.
    RollsFrom,
    /// Distance until the box rests, m.
    Distance,
    /// Mean acceleration, m/s².
    Acceleration,
}

impl MotionMeasure {
    /// In words, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::RollsFrom => "rolls from (s)",
            Self::Distance => "distance until it rests (m)",
            Self::Acceleration => "acceleration (m/s²)",
        }
    }
}

/// The body after a step.
#[derive(Clone, Copy, Debug)]
pub struct MotionSample {
    /// Time, s.
    pub time: f64,
    /// Distance along the plane, m.
    pub way: f64,
    /// Height above where it began, at right angles to the plane, m.
    pub height: f64,
    /// Velocity along the plane, m/s.
    pub speed: f64,
    /// Velocity away from the plane, m/s.
    pub rise: f64,
    /// Size of the velocity, m/s.
    pub total: f64,
    /// Angular velocity about y, rad/s.
    pub spin: f64,
}

/// A run of a case under a law by a method.
pub struct LawRun {
    pub law: Law,
    pub method: Method,
    pub samples: Vec<MotionSample>,
    /// Steps that did not reach the tolerance.
    pub unconverged: u64,
}

impl LawRun {
    /// How it is drawn: the paper has circles for the fixed point, which is the exact law, and
    /// squares for the relaxed one.
    pub fn look(&self) -> CurveLook {
        let look = CurveLook::method(self.method);
        match self.law {
            Law::Exact => look.solid().with_marks(Mark::OpenCircle),
            Law::Relaxed => look.dashed().with_marks(Mark::OpenSquare),
        }
    }

    /// Largest value over the run, at least zero.
    pub fn largest(&self, of: fn(&MotionSample) -> f64) -> f64 {
        self.samples.iter().map(of).fold(0.0, worse)
    }

    /// Where it ended.
    pub fn last(&self) -> MotionSample {
        // A run has at least one step.
        self.samples[self.samples.len() - 1]
    }

    /// The value that is compared with the analytic one.
    pub fn measure(&self, measure: MotionMeasure) -> f64 {
        let last = self.last();
        match measure {
            MotionMeasure::RollsFrom => {
                // The radius is 1 m. Rolling towards −x the ball turns about −y, so its speed along
                // x is its angular velocity about y.
                let rolls = |s: &&MotionSample| (s.speed - s.spin).abs() < 1e-3 && s.height < 1e-6;
                self.samples.iter().find(rolls).map_or(f64::NAN, |s| s.time)
            }
            MotionMeasure::Distance => last.way.abs(),
            MotionMeasure::Acceleration => last.speed / last.time,
        }
    }
}

/// P1-D1: a ball slides, then rolls.
pub fn ball(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let case = SlidingCase {
        scene: "slide-to-roll",
        body: "ball",
        slope: 0.0,
        along: DVec3::X,
        measure: MotionMeasure::RollsFrom,
        figures: "Figs. 8 to 11",
    };
    let (runs, mut findings) = run_case(bench, &case, 2.0 * 2.0 / (7.0 * 0.2 * G))?;
    let rolling = |run: &LawRun| (run.last().speed / (-2.0 * 5.0 / 7.0) - 1.0).abs();
    let off = runs.iter().map(rolling).fold(0.0, worse);
    findings.claim(
        Claim::new(
            "both laws come to the same steady rolling, at 5/7 of the first speed (largest \
             relative difference)",
            off < 0.01,
        )
        .published("same")
        .ours(off),
    );
    Ok(findings)
}

/// P1-D2: a box slides to rest on a plane.
pub fn box_on_plane(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let case = SlidingCase {
        scene: "slide-to-rest",
        body: "box",
        slope: 0.0,
        along: DVec3::X,
        measure: MotionMeasure::Distance,
        figures: "Figs. 13 and 14",
    };
    let (runs, mut findings) = run_case(bench, &case, 2.0 * 2.0 / (2.0 * 0.3 * G))?;
    claim_rest(&runs, &mut findings);
    Ok(findings)
}

/// P1-D3: a box slides down an incline from rest.
pub fn incline_from_rest(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let slope = 65.0_f64.to_radians();
    let case = SlidingCase {
        scene: "slope-from-rest",
        body: "box",
        slope,
        along: down(slope),
        measure: MotionMeasure::Acceleration,
        figures: "Figs. 16 and 17",
    };
    let expected = G * (slope.sin() - 0.2 * slope.cos());
    let (_, findings) = run_case(bench, &case, expected)?;
    Ok(findings)
}

/// P1-D4: a box slides to rest on an incline.
pub fn incline_to_rest(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let slope = 25.0_f64.to_radians();
    let case = SlidingCase {
        scene: "slope-to-rest",
        body: "box",
        slope,
        along: down(slope),
        measure: MotionMeasure::Distance,
        figures: "Figs. 19 and 20",
    };
    let expected = 2.0 * 2.0 / (2.0 * G * (0.6 * slope.cos() - slope.sin()));
    let (runs, mut findings) = run_case(bench, &case, expected)?;
    claim_rest(&runs, &mut findings);
    Ok(findings)
}

/// The direction down an incline.
fn down(slope: f64) -> DVec3 {
    DVec3::new(slope.cos(), 0.0, -slope.sin())
}

/// Runs a case under both laws by all methods; `expected` is the analytic value of its measure.
fn run_case(
    bench: &mut Bench<'_>,
    case: &SlidingCase,
    expected: f64,
) -> Result<(Vec<LawRun>, Findings), StudyError> {
    let mut runs = Vec::new();
    for law in [Law::Exact, Law::Relaxed] {
        for method in bench.methods(&METHODS) {
            runs.push(simulate(bench, case, law, method)?);
        }
    }
    let mut findings = Findings::default();
    findings.text(format!(
        "Scene {} in steps of 2.5 ms, every step solved to a residual of 1e-8. The sizes of the \
         paper's test; the scale does not change them.",
        case.scene
    ));
    findings.table("table", report::table(case, &runs, expected));
    let (figure, caption) = report::figure(case, &runs);
    findings.figure("figure", figure, caption);
    claims(case, &runs, expected, &mut findings);
    findings.verdict = verdict(case, &runs, expected);
    Ok((runs, findings))
}

fn simulate(
    bench: &Bench<'_>,
    case: &SlidingCase,
    law: Law,
    method: Method,
) -> Result<LawRun, StudyError> {
    let values = [
        ("settings.law", format!("{:?}", law.name())),
        ("settings.method", format!("{:?}", method.name())),
    ];
    let scene = bench.scene(case.scene, &values)?;
    let mut simulation = Simulation::new(&scene)?;
    let body = simulation.group(case.body)[0];
    let away = DVec3::new(case.slope.sin(), 0.0, case.slope.cos());
    let first = simulation.world().body_state(body).position;
    let mut samples = Vec::new();
    bench.advance_with(&mut simulation, &StopAt::default(), |simulation, report| {
        let state = simulation.world().body_state(body);
        let moved = state.position - first;
        samples.push(MotionSample {
            time: report.time,
            way: moved.dot(case.along),
            height: moved.dot(away),
            speed: state.velocity.dot(case.along),
            rise: state.velocity.dot(away),
            total: state.velocity.length(),
            spin: state.angular_velocity.y,
        });
    })?;
    Ok(LawRun {
        law,
        method,
        samples,
        unconverged: simulation.world().unconverged_steps(),
    })
}

fn of_law(runs: &[LawRun], law: Law) -> impl Iterator<Item = &LawRun> + Clone {
    runs.iter().filter(move |run| run.law == law)
}

/// The value furthest from what is expected, among the runs under a law.
fn furthest(case: &SlidingCase, runs: &[LawRun], law: Law, expected: f64) -> f64 {
    let values = of_law(runs, law).map(|run| run.measure(case.measure));
    let further = |a: f64, b: f64| match (b - expected).abs() <= (a - expected).abs() {
        true => a,
        false => b, // also where there is none
    };
    values.fold(expected, further)
}

/// Largest distance between the first method's path and another's under a law, m.
fn apart(runs: &[LawRun], law: Law) -> f64 {
    let runs: Vec<&LawRun> = of_law(runs, law).collect();
    let Some((first, others)) = runs.split_first() else {
        return 0.0;
    };
    let ways = others
        .iter()
        .flat_map(|run| run.samples.iter().zip(&first.samples));
    ways.map(|(a, b)| (a.way - b.way).abs()).fold(0.0, worse)
}

fn claims(case: &SlidingCase, runs: &[LawRun], expected: f64, findings: &mut Findings) {
    let found = furthest(case, runs, Law::Exact, expected);
    let allowed = match case.measure {
        MotionMeasure::RollsFrom => 0.0025, // one step
        MotionMeasure::Distance | MotionMeasure::Acceleration => 5e-3 * expected,
    };
    findings.claim(
        Claim::new(
            format!(
                "exact law: {} as the analysis has it (published: the analytic value; ours: the \
                 method furthest from it)",
                case.measure.name()
            ),
            (found - expected).abs() <= allowed,
        )
        .published(expected)
        .ours(found),
    );
    let most = |law: Law, of: fn(&MotionSample) -> f64| {
        of_law(runs, law)
            .map(|run| run.largest(of))
            .fold(0.0, worse)
    };
    let least = |law: Law, of: fn(&MotionSample) -> f64| {
        let values = of_law(runs, law).map(|run| run.largest(of));
        values.fold(f64::INFINITY, f64::min)
    };
    let height = most(Law::Exact, |s| s.height);
    let rise = most(Law::Exact, |s| s.rise);
    findings.claim(
        Claim::new(
            "exact law: it does not lift off (largest velocity away from the plane, m/s)",
            height < 1e-7 && rise < 1e-5,
        )
        .published(0.0)
        .ours(rise),
    );
    let height = least(Law::Relaxed, |s| s.height);
    findings.claim(
        Claim::new(
            "relaxed law: it lifts off, whatever the method (least height over the methods, m)",
            height > 5e-4,
        )
        .published("lifts off")
        .ours(height),
    );
    for law in [Law::Exact, Law::Relaxed] {
        let apart = apart(runs, law);
        findings.claim(
            Claim::new(
                format!(
                    "{} law: all methods go the same way (largest difference, m)",
                    law.name()
                ),
                apart < 1e-3,
            )
            .ours(apart),
        );
    }
}

/// Claims that the box has come to rest.
fn claim_rest(runs: &[LawRun], findings: &mut Findings) {
    let fastest = runs.iter().map(|run| run.last().total).fold(0.0, worse);
    findings.claim(
        Claim::new(
            "under both laws the box comes to rest (speed at the end, m/s)",
            fastest < 1e-6,
        )
        .published("rests")
        .ours(fastest),
    );
}

fn verdict(case: &SlidingCase, runs: &[LawRun], expected: f64) -> String {
    let [exact, relaxed] =
        [Law::Exact, Law::Relaxed].map(|law| furthest(case, runs, law, expected));
    let lift = of_law(runs, Law::Relaxed)
        .map(|run| run.largest(|s| s.height))
        .fold(0.0, worse);
    let rise = of_law(runs, Law::Relaxed)
        .map(|run| run.largest(|s| s.rise))
        .fold(0.0, worse);
    let apart = apart(runs, Law::Relaxed).max(apart(runs, Law::Exact));
    let then = match case.measure {
        MotionMeasure::RollsFrom => {
            "After it has come down it slides on a little above the plane, by h·μ·slip, and ends \
             in the same steady rolling."
        }
        MotionMeasure::Distance => {
            "After it has come down it slides on a little above the plane, by h·μ·speed. In the \
             paper PATH leaves the others under the relaxed law, which no method does here; why \
             PATH did, the paper does not say."
        }
        MotionMeasure::Acceleration => {
            "It gets faster all the time and so does not come down: it floats h·μ·speed above the \
             plane. In the paper all solvers come to slightly different motions; tolerances may be \
             why, which the paper does not give."
        }
    };
    format!(
        "Exact law: {} is {} against the analysis' {}. Relaxed law: {}; what slides must part at μ \
         times its slip, so the body lifts off at up to {} m/s, to {} mm. {then} The methods' \
         paths differ by {} m at most. The paper's figures come without numbers, so that only \
         their shapes can be compared.",
        case.measure.name(),
        short_number(exact),
        short_number(expected),
        short_number(relaxed),
        short_number(rise),
        short_number(1e3 * lift),
        short_number(apart),
    )
}
