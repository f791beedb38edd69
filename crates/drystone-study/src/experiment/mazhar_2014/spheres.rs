//! P1-S1 and P1-S2: one step of 320 spheres that settled thoroughly or poorly (Mazhar 2014, §5.1).
//!
//! As in the paper, h = 0.5 ms, overlaps are resolved at once (Φ/h, no cap on the speed of
//! recovery) and contacts are rigid (no compliance). The paper gives neither radius, density nor
//! friction: those are the scene's. It settled by APGD with at most 10 000 iterations per step.
//! Here the thorough bed settles by nesterov-gs to a residual of 1e-4, because the result is the
//! same and takes less time. The poor one settles by APGD with 10 iterations per step from zero
//! impulses ("usually taken as γ₀ = 0", Mazhar 2015, §3.2); the paper does not say what else its
//! settling did, and the bed shows it. Our interior point takes Mosek's place.

mod claims;
mod figures;
mod report;

use std::time::Duration;

use drystone::worse;
use drystone_ccp::{Ccp, HistoryRow, Limits, Method, TwoBody};
use drystone_scene::Simulation;

use super::clarabel;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::{Claim, NoFigure};
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_named, trial_of};
use crate::table::short_number;

pub use claims::{poor_claims, thorough_claims};

/// The interior point, which sets the target; the paper's method; and three that are not in the
/// paper.
const METHODS: [Method; 5] = [
    Method::InteriorPoint,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
    Method::Newton,
];

/// Relative difference at which objectives count as the same. The paper's figures agree to the last
/// digit that is published: APGD's −0.023199 with Mosek's −0.0232, −0.53119 with −0.5312.
pub const SAME: f64 = 5e-5;

/// Longest time of one run; only newton may need it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the spheres settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// With as many iterations as it takes.
    Thorough,
    /// With ten iterations per step.
    Poor,
}

/// What the paper says of a data set.
pub struct PublishedBed {
    /// Condition number of N.
    pub condition: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Most iterations per step while it settled.
    pub max_iterations: usize,
    pub contacts: usize,
    /// Objective of the solution, J.
    pub objective: f64,
    /// That of Mosek and of APGD as the paper prints them.
    pub printed: [&'static str; 2],
    /// Iterations of Mosek and of APGD.
    pub iterations: [usize; 2],
}

impl Settling {
    /// How the spheres settled, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thorough => "thoroughly settled",
            Self::Poor => "poorly settled",
        }
    }

    /// Table 1, §5.1.1 and §5.1.2.
    pub fn published(self) -> PublishedBed {
        match self {
            Self::Thorough => PublishedBed {
                condition: 8.33e22,
                kinetic: 0.0215,
                max_iterations: 10_000,
                contacts: 1049,
                objective: -0.0232,
                printed: ["-0.0232", "-0.023199"],
                iterations: [23, 561],
            },
            Self::Poor => PublishedBed {
                condition: 4.67e23,
                kinetic: 1.5637,
                max_iterations: 10,
                contacts: 1050,
                objective: -0.5312,
                printed: ["-0.5312", "-0.53119"],
                iterations: [21, 825],
            },
        }
    }

    /// By which method it settles here, in words.
    pub fn how(self) -> &'static str {
        match self {
            Self::Thorough => "nesterov-gs, warm",
            Self::Poor => "APGD, each step from γ = 0",
        }
    }

    fn method(self) -> Method {
        match self {
            Self::Thorough => Method::NesterovGs,
            Self::Poor => Method::Apgd,
        }
    }
}

/// A settled bed and the problem of its next step.
pub struct SphereBed {
    pub settling: Settling,
    pub simulation: Simulation,
    pub problem: Ccp<TwoBody>,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Deepest overlap, m.
    pub overlap: f64,
}

impl SphereBed {
    fn settle(bench: &mut Bench<'_>, settling: Settling) -> Result<Self, StudyError> {
        let count = bench.count(320, 32);
        let iterations = settling.published().max_iterations;
        let scene = bench.scene(
            "spheres",
            &[
                ("count", count.to_string()),
                ("settle_time", "4".to_owned()),
                ("settings.time_step", "5e-4".to_owned()),
                ("settings.recovery_speed", "1e3".to_owned()),
                ("settings.compliance", "0".to_owned()),
                ("settings.method", format!("{:?}", settling.method().name())),
                ("settings.max_iterations", iterations.to_string()),
                (
                    "settings.warm_start",
                    (settling == Settling::Thorough).to_string(),
                ),
            ],
        )?;
        let mut simulation = bench.settle(&scene, 1)?;
        let step = simulation.next_problem()?;
        let contacts = step.contact_forces(&vec![0.0; step.problem().dim()]);
        let [kinetic, _] = simulation.world().energy();
        Ok(Self {
            settling,
            overlap: contacts.iter().map(|c| -c.gap).fold(0.0, worse),
            simulation,
            problem: step.into_problem(),
            kinetic,
        })
    }
}

/// The primal objective, `½ vᵀMv − kᵀv` (Mazhar 2014, eq. 23, with `k = −f`), J: of the velocities
/// that a bed has before the step, and of those that the impulses give it.
///
/// With the free velocities `v_f = M⁻¹k` it is `½ (v − v_f)ᵀ M (v − v_f) − ½ v_fᵀ M v_f`. Gravity
/// is the only load.
pub fn primal(simulation: &Simulation, problem: &Ccp<TwoBody>, gamma: &[f64]) -> [f64; 2] {
    let world = simulation.world();
    let settings = world.settings();
    let kick = settings.time_step * settings.gravity;
    let [mut of_kick, mut along] = [0.0; 2];
    for body in simulation.group("spheres") {
        let mass = world.mass(*body);
        of_kick += 0.5 * mass * kick.length_squared();
        along += mass * kick.dot(world.body_state(*body).velocity);
    }
    let free = world.energy()[0] + along + of_kick;
    let mut velocity = vec![0.0; gamma.len()];
    problem.velocity(gamma, &mut velocity);
    let rows = gamma.iter().zip(&velocity).zip(problem.r());
    let quadratic: f64 = rows.map(|((g, u), r)| g * (u - r)).sum();
    [of_kick - free, 0.5 * quadratic - free]
}

/// The runs of all methods on one bed.
pub struct BedRuns {
    pub bed: SphereBed,
    /// The interior point first.
    pub trials: Vec<Trial>,
    /// The interior point's objective, J.
    pub target: f64,
    /// Why Clarabel is not among the trials, if it should be.
    pub no_clarabel: Option<NoFigure>,
    /// Distances of APGD's velocities from the interior point's, relative, after the iterations of
    /// Figs. 2 and 4; empty where APGD does not reach the target.
    pub distances: Vec<f64>,
}

impl BedRuns {
    fn run(bench: &Bench<'_>, bed: SphereBed, methods: &[Method]) -> Result<Self, StudyError> {
        let limits = Limits {
            tolerance: 1e-9,
            max_iterations: 20_000,
            time_limit: Some(PATIENCE),
            ..Limits::default()
        };
        let mut trials = Vec::new();
        for &method in methods {
            trials.push(bench.run(&bed.problem, bed.settling.name(), method, limits)?);
        }
        let mut no_clarabel = None;
        if bench.methods.is_empty() {
            match clarabel::run(&bed.problem, PATIENCE, bench.control)? {
                clarabel::Outcome::Solved(trial) => trials.insert(1, trial),
                clarabel::Outcome::Failed(ended) => {
                    let why = format!("Clarabel found no solution: {ended}");
                    no_clarabel = Some(NoFigure::Failed(why));
                }
                clarabel::Outcome::NotBuiltIn => {
                    no_clarabel = Some(NoFigure::NotJudged(clarabel::NOT_BUILT_IN.to_owned()));
                }
            }
        }
        let target = trials[0].last().objective;
        Ok(Self {
            bed,
            trials,
            target,
            no_clarabel,
            distances: Vec::new(),
        })
    }

    /// Clarabel's run.
    pub fn clarabel(&self) -> Result<&Trial, NoFigure> {
        match &self.no_clarabel {
            Some(why) => Err(why.clone()),
            None => trial_named(&self.trials, clarabel::NAME),
        }
    }

    /// The run of a method.
    pub fn of(&self, method: Method) -> Result<&Trial, NoFigure> {
        trial_of(&self.trials, method)
    }

    /// Iterations until a method is at the target, to the published digits, and stays there. The
    /// objectives of infeasible points may pass the target before.
    pub fn iterations(&self, method: Method) -> Result<usize, NoFigure> {
        self.to_target(self.of(method)?).ok_or_else(|| {
            NoFigure::Failed(format!("{} does not reach the objective", method.name()))
        })
    }

    fn to_target(&self, trial: &Trial) -> Option<usize> {
        let there = |row: &HistoryRow| (row.objective / self.target - 1.0).abs() <= SAME;
        let away = trial.history.iter().rposition(|row| !there(row));
        let first = trial.history.get(away.map_or(0, |k| k + 1))?;
        Some(first.iteration)
    }

    /// Primal objective of the input and of the solution, J.
    pub fn primal(&self) -> [f64; 2] {
        let SphereBed {
            simulation,
            problem,
            ..
        } = &self.bed;
        primal(simulation, problem, &self.trials[0].gamma)
    }
}

/// The bed that an experiment is about, and the other to compare with.
pub struct SphereRuns {
    pub own: BedRuns,
    /// The thoroughly settled bed, in P1-S2.
    pub thorough: Option<BedRuns>,
}

/// P1-S1: thoroughly settled.
pub fn thorough(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let bed = SphereBed::settle(bench, Settling::Thorough)?;
    let own = BedRuns::run(bench, bed, &methods(bench))?;
    let thorough = None;
    made_report(bench, SphereRuns { own, thorough }, &thorough_claims())
}

/// P1-S2: poorly settled.
pub fn poor(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let bed = SphereBed::settle(bench, Settling::Poor)?;
    let own = BedRuns::run(bench, bed, &methods(bench))?;
    // The other bed, to compare with.
    let bed = SphereBed::settle(bench, Settling::Thorough)?;
    let other = BedRuns::run(bench, bed, &[Method::InteriorPoint, Method::Apgd])?;
    let thorough = Some(other);
    made_report(bench, SphereRuns { own, thorough }, &poor_claims())
}

fn made_report(
    bench: &Bench<'_>,
    mut runs: SphereRuns,
    claims: &[Claim<SphereRuns>],
) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    report::describe(&runs.own, &mut findings);
    if let Some(thorough) = &runs.thorough {
        let method = thorough.bed.settling.how();
        findings.setup(
            "settled, the bed to compare with",
            "the same, with up to 10 000 iterations per step",
            format!("by {method}, so not by the method of the other"),
        );
    }
    report::write(bench, &mut findings, &mut runs)?;
    bench.judge(claims, &runs, &mut findings);
    let bed = &runs.own.bed;
    let world = bed.simulation.world();
    let spheres = bed.simulation.group("spheres");
    let mass: f64 = spheres.iter().map(|body| world.mass(*body)).sum();
    let kick = world.settings().time_step * world.settings().gravity.length();
    findings.remark(format!(
        "A bed at perfect rest has an objective of −½ m (g h)², here {} J whatever its packing; this \
         one has {} J.",
        short_number(-0.5 * mass * kick * kick),
        short_number(runs.own.target),
    ));
    Ok(findings)
}

/// The methods to run; the interior point, which sets the target, is always the first.
fn methods(bench: &Bench<'_>) -> Vec<Method> {
    let mut methods = bench.methods(&METHODS);
    methods.retain(|method| *method != Method::InteriorPoint);
    methods.insert(0, Method::InteriorPoint);
    methods
}
