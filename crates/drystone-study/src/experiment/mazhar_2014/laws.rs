//! P1-D1 to P1-D4: a ball and boxes that slide, under the exact and the relaxed law (Mazhar 2014,
//! §5.3 to §5.5).
//!
//! The paper runs Mosek and APGD on the primal and dual models and PATH on the equations of motion,
//! each with the relaxation and without it (by a fixed point). Here the interior point takes
//! Mosek's place and newton PATH's; the scene's `settings.law` chooses with or without the
//! relaxation.

mod claims;
mod motion;
mod report;

use drystone::worse;
use drystone_ccp::{Law, Method};
use drystone_run::StopAt;
use drystone_scene::Simulation;
use glam::DVec3;

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::table::short_number;
use drystone_draw::plot::{CurveLook, Mark};

pub use claims::claims;

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
#[derive(Debug, PartialEq)]
pub struct SlidingCase {
    /// Name of the built-in scene.
    pub scene: &'static str,
    /// Name of the body that slides in it.
    pub body: &'static str,
    /// Angle of the plane, degrees.
    pub slope: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// First speed, m/s.
    pub speed: f64,
    /// What is compared with the analytic value.
    pub measure: MotionMeasure,
    /// Its figures in the paper.
    pub figures: &'static str,
}

/// P1-D1: a ball slides, then rolls.
pub const BALL: SlidingCase = SlidingCase {
    scene: "slide-to-roll",
    body: "ball",
    slope: 0.0,
    friction: 0.2,
    speed: 2.0,
    measure: MotionMeasure::RollsFrom,
    figures: "Figs. 8 to 11",
};

/// P1-D2: a box slides to rest on a plane.
pub const BOX_ON_PLANE: SlidingCase = SlidingCase {
    scene: "slide-to-rest",
    body: "box",
    slope: 0.0,
    friction: 0.3,
    speed: 2.0,
    measure: MotionMeasure::Distance,
    figures: "Figs. 13 and 14",
};

/// P1-D3: a box slides down an incline from rest.
pub const INCLINE_FROM_REST: SlidingCase = SlidingCase {
    scene: "slope-from-rest",
    body: "box",
    slope: 65.0,
    friction: 0.2,
    speed: 0.0,
    measure: MotionMeasure::Acceleration,
    figures: "Figs. 16 and 17",
};

/// P1-D4: a box slides to rest on an incline.
pub const INCLINE_TO_REST: SlidingCase = SlidingCase {
    scene: "slope-to-rest",
    body: "box",
    slope: 25.0,
    friction: 0.6,
    speed: 2.0,
    measure: MotionMeasure::Distance,
    figures: "Figs. 19 and 20",
};

impl SlidingCase {
    /// The paper's x along the plane, down the incline: the direction of the velocity that it plots.
    fn along(&self) -> DVec3 {
        let slope = self.slope.to_radians();
        DVec3::new(slope.cos(), 0.0, -slope.sin())
    }

    /// At right angles to the plane.
    fn away(&self) -> DVec3 {
        let slope = self.slope.to_radians();
        DVec3::new(slope.sin(), 0.0, slope.cos())
    }

    /// The measure's value by Coulomb's law.
    pub fn expected(&self) -> f64 {
        let slope = self.slope.to_radians();
        // Along the plane, m/s²: negative where friction wins.
        let pull = G * (slope.sin() - self.friction * slope.cos());
        match self.measure {
            MotionMeasure::RollsFrom => 2.0 * self.speed / (7.0 * self.friction * G),
            MotionMeasure::Distance => self.speed * self.speed / (-2.0 * pull),
            MotionMeasure::Acceleration => pull,
        }
    }
}

/// A case, run under both laws by all methods.
pub struct LawRuns {
    pub case: &'static SlidingCase,
    pub runs: Vec<LawRun>,
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

/// P1-D1.
pub fn ball(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    run_case(bench, &BALL)
}

/// P1-D2.
pub fn box_on_plane(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    run_case(bench, &BOX_ON_PLANE)
}

/// P1-D3.
pub fn incline_from_rest(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    run_case(bench, &INCLINE_FROM_REST)
}

/// P1-D4.
pub fn incline_to_rest(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    run_case(bench, &INCLINE_TO_REST)
}

/// Runs a case under both laws by all methods.
fn run_case(bench: &mut Bench<'_>, case: &'static SlidingCase) -> Result<Findings, StudyError> {
    let mut runs = Vec::new();
    for law in [Law::Exact, Law::Relaxed] {
        for method in bench.methods(&METHODS) {
            runs.push(simulate(bench, case, law, method)?);
        }
    }
    let runs = LawRuns { case, runs };
    let mut findings = Findings::default();
    describe(case, &mut findings);
    findings.table("table", report::table(&runs));
    let (figure, caption) = report::figure(&runs);
    findings.figure("figure", figure, caption);
    bench.judge(&claims(case), &runs, &mut findings);
    let [rise, height] = [|s: &MotionSample| s.rise, |s: &MotionSample| s.height]
        .map(|of| runs.largest(Law::Relaxed, of));
    findings.remark(format!(
        "Under the relaxed law the gap over the time step plus the rate of the gap must be μ times the \
         slip of what slides: the body lifts off at up to {} m/s, to {} mm.",
        short_number(rise),
        short_number(1e3 * height)
    ));
    Ok(findings)
}

fn describe(case: &SlidingCase, findings: &mut Findings) {
    let body = match case.body {
        "ball" => "a ball of radius 1 m",
        _ => "a box of side 1 m",
    };
    let paper = format!(
        "{body}, friction {}, plane at {}°, first speed {} m/s",
        case.friction, case.slope, case.speed
    );
    findings.setup("bodies", paper.clone(), paper);
    let step = match case.measure {
        MotionMeasure::RollsFrom => "2.5 ms",
        _ => NOT_GIVEN,
    };
    findings.setup("time step", step, "2.5 ms");
    findings.setup(
        "solved to",
        NOT_GIVEN,
        "a relative residual of 1e-8 per step; the table says how many steps fell short of it",
    );
    if case.measure == MotionMeasure::RollsFrom {
        findings.setup(
            "what the figures show",
            "Figs. 8 to 11; their captions do not say of what",
            "position, velocity along the plane, angular velocity and size of the velocity",
        );
    }
    if case.slope > 0.0 && case.speed > 0.0 {
        findings.setup(
            "first velocity",
            "-2 m/s in the x direction; whether that is up or down the incline is not said",
            "down the incline",
        );
    }
    findings.setup(
        "solvers",
        "APGD and Mosek on primal and dual, PATH on the equations of motion",
        "APGD, an interior point in Mosek's place, newton in PATH's place, and auto",
    );
    findings.setup("sizes", "as above", "the same at every scale");
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
    let (along, away) = (case.along(), case.away());
    let first = simulation.world().body_state(body).position;
    let mut samples = Vec::new();
    bench.advance_with(&mut simulation, &StopAt::default(), |simulation, report| {
        let state = simulation.world().body_state(body);
        let moved = state.position - first;
        samples.push(MotionSample {
            time: report.time,
            way: moved.dot(along),
            height: moved.dot(away),
            speed: state.velocity.dot(along),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytic_values_are_those_of_the_papers_formulas() {
        assert!((BALL.expected() - 0.2912).abs() < 1e-4);
        assert!((BOX_ON_PLANE.expected() - 0.6796).abs() < 1e-4);
        assert!((INCLINE_FROM_REST.expected() - 8.0617).abs() < 1e-3);
        assert!(INCLINE_TO_REST.expected() > 1.0);
    }
}
