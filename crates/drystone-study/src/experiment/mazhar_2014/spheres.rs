//! P1-S1 and P1-S2: one step of 320 spheres that settled thoroughly or poorly (Mazhar 2014, §5.1).
//!
//! As in the paper, h = 0.5 ms, overlaps are resolved at once (Φ/h, no cap on the speed of
//! recovery) and contacts are rigid (no compliance). The paper gives neither radius, density nor
//! friction: those are the scene's. It settled by APGD with at most 10 000 iterations per step.
//! Here the thorough bed settles by nesterov-gs to a residual of 1e-4, because the result is the
//! same and takes less time. The poor one settles by APGD with 10 iterations per step from zero
//! impulses, which shows in the result. Our interior point takes Mosek's place.

mod claims;
mod figures;

use std::time::Duration;

use drystone::worse;
use drystone_ccp::{Ccp, HistoryRow, Limits, Method, TwoBody};
use drystone_scene::Simulation;

use super::clarabel;
use super::spectrum::Spectrum;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_of};
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use claims::{common_claims, comparing_claims, comparison, verdict};

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
                iterations: [23, 561],
            },
            Self::Poor => PublishedBed {
                condition: 4.67e23,
                kinetic: 1.5637,
                max_iterations: 10,
                contacts: 1050,
                objective: -0.5312,
                iterations: [21, 825],
            },
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
    pub no_clarabel: Option<String>,
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
                    no_clarabel = Some(format!("Clarabel found no solution: {ended}"));
                }
                clarabel::Outcome::NotBuiltIn => {
                    no_clarabel = Some(clarabel::NOT_BUILT_IN.to_owned());
                }
            }
        }
        let target = trials[0].last().objective;
        Ok(Self {
            bed,
            trials,
            target,
            no_clarabel,
        })
    }

    /// Clarabel's run, if there is one.
    pub fn clarabel(&self) -> Option<&Trial> {
        let is = |trial: &&Trial| trial.name == clarabel::NAME;
        self.trials.iter().find(is)
    }

    /// The run of a method, if there is one.
    pub fn of(&self, method: Method) -> Option<&Trial> {
        trial_of(&self.trials, method)
    }

    /// Iterations until a run is at the target, to the published digits, and stays there. The
    /// objectives of infeasible points may pass the target before.
    pub fn iterations(&self, trial: &Trial) -> Option<usize> {
        let there = |row: &HistoryRow| (row.objective / self.target - 1.0).abs() <= SAME;
        let away = trial.history.iter().rposition(|row| !there(row));
        let first = trial.history.get(away.map_or(0, |k| k + 1))?;
        Some(first.iteration)
    }
}

/// P1-S1: thoroughly settled.
pub fn thorough(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let bed = SphereBed::settle(bench, Settling::Thorough)?;
    let runs = BedRuns::run(bench, bed, &methods(bench))?;
    write(bench, &mut findings, &runs, &[&runs])?;
    common_claims(&mut findings, &runs);
    findings.verdict = verdict(&runs);
    Ok(findings)
}

/// P1-S2: poorly settled.
pub fn poor(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let bed = SphereBed::settle(bench, Settling::Poor)?;
    let runs = BedRuns::run(bench, bed, &methods(bench))?;
    // The other bed, to compare with.
    let bed = SphereBed::settle(bench, Settling::Thorough)?;
    let other = BedRuns::run(bench, bed, &[Method::InteriorPoint, Method::Apgd])?;
    write(bench, &mut findings, &runs, &[&other, &runs])?;
    common_claims(&mut findings, &runs);
    comparing_claims(&mut findings, &other, &runs);
    findings.verdict = verdict(&runs) + &comparison(&other, &runs);
    Ok(findings)
}

/// The methods to run; the interior point, which sets the target, is always the first.
fn methods(bench: &Bench<'_>) -> Vec<Method> {
    let mut methods = bench.methods(&METHODS);
    methods.retain(|method| *method != Method::InteriorPoint);
    methods.insert(0, Method::InteriorPoint);
    methods
}

fn write(
    bench: &Bench<'_>,
    findings: &mut Findings,
    runs: &BedRuns,
    beds: &[&BedRuns],
) -> Result<(), StudyError> {
    let SphereBed {
        settling,
        simulation,
        ..
    } = &runs.bed;
    findings.text(format!(
        "{} spheres settled for 4 s in steps of 0.5 ms by {} with at most {} iterations per step; \
         then one step from γ = 0. The interior point, in Mosek's place, sets the target; a method \
         is there when its objective is and stays the target's to a relative {SAME:e}, the \
         published digits. The paper's residual r is Mazhar 2015, eq. 25, with g_d = 1e-6; ours is \
         relative, the natural map's of γ over that of zero.",
        simulation.group("spheres").len(),
        settling.method().name(),
        settling.published().max_iterations,
    ));
    findings.table("table-1", table_1(beds));
    findings.table("methods", method_table(runs));
    if let Some(why) = &runs.no_clarabel {
        findings.text(format!("{why}."));
    }
    figures::write(bench, findings, runs)?;
    for trial in &runs.trials {
        findings.file(format!("history-{}.csv", trial.name), trial.csv());
    }
    Ok(())
}

fn table_1(beds: &[&BedRuns]) -> Table {
    let mut table = Table::new(vec![
        Column::word("data"),
        Column::number("contacts published"),
        Column::number("contacts ours"),
        Column::number("rows of N"),
        Column::number("rank of N"),
        Column::number("cond(N) published"),
        Column::number("largest over smallest nonzero eigenvalue"),
        Column::number("kinetic energy published (J)"),
        Column::number("kinetic energy ours (J)"),
        Column::number("max iterations"),
        Column::number("deepest overlap (m)"),
        Column::number("primal objective of the input (J)"),
        Column::number("of the solution (J)"),
    ]);
    for runs in beds {
        let bed = &runs.bed;
        let published = bed.settling.published();
        let spectrum = Spectrum::of(bed.problem.operator());
        let [input, solution] = primal(&bed.simulation, &bed.problem, &runs.trials[0].gamma);
        table.rows.push(vec![
            bed.settling.name().into(),
            published.contacts.into(),
            bed.problem.cones().contacts().into(),
            bed.problem.dim().into(),
            spectrum.rank.into(),
            published.condition.into(),
            spectrum.ratio().into(),
            published.kinetic.into(),
            bed.kinetic.into(),
            published.max_iterations.into(),
            bed.overlap.into(),
            input.into(),
            solution.into(),
        ]);
    }
    table.note = "Table 1 of the paper with ours beside it. N has at most six times as many \
                  nonzero eigenvalues as there are spheres, fewer than rows: it is singular, and \
                  the published condition numbers, far above 1e16, are those of rounding errors. \
                  So the ratio is over the nonzero ones."
        .to_owned();
    table
}

fn method_table(runs: &BedRuns) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("objective published (J)"),
        Column::number("objective ours (J)"),
        Column::number("iterations published"),
        Column::number("iterations to the target"),
        Column::number("iterations in all"),
        Column::number("best r (eq. 25)"),
        Column::number("our best residual"),
        Column::number("time in all (s)"),
    ]);
    let published = runs.bed.settling.published();
    for trial in &runs.trials {
        let place = [Method::InteriorPoint, Method::Apgd]
            .iter()
            .position(|m| m.name() == trial.name);
        let iterations = place.map_or(Cell::Empty, |k| Cell::Count(published.iterations[k]));
        let objective = place.map(|_| published.objective);
        let objective_ours = Cell::from(trial.last().objective);
        let digits = objective_ours.precise();
        table.rows.push(vec![
            Entry::from(trial.name.as_str()).swatch(trial.look),
            objective.into(),
            Entry::from(objective_ours).shown_as(digits),
            iterations.into(),
            runs.iterations(trial)
                .map_or(Cell::Empty, Cell::Count)
                .into(),
            trial.iterations.into(),
            trial.best(|row| row.measures.apgd_residual).into(),
            trial.best(|row| row.residual).into(),
            trial.seconds.into(),
        ]);
    }
    table.note =
        "Every method runs on to a residual of 1e-9, for 20 000 iterations or 30 s. Times \
                  include the writing of the history. Mosek's figures stand beside the interior \
                  point's."
            .to_owned();
    table
}
