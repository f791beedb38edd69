//! P1-S1 and P1-S2: one step of 320 spheres that settled thoroughly or poorly (paper 001, §5.1).
//!
//! As in the paper, h = 0.5 ms, overlaps are resolved at once (Φ/h, no cap on the speed of recovery) and contacts are rigid (no
//! compliance). The paper gives neither radius, density nor friction: those are the scene's. It settled by APGD with at most 10 000
//! iterations a step; the thorough bed settles by nesterov-gs here, to a residual of 1e-4, because the result is the same and the way
//! shorter. The poor one settles by APGD with 10 iterations a step from zero impulses, which shows in the result. Our interior point stands in Mosek's place.

mod claims;
mod figures;

use std::time::Duration;

use drystone_ccp::{Ccp, HistoryRow, Limits, Method, TwoBody};
use drystone_scene::Simulation;

use super::spectrum::Spectrum;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::Findings;
use crate::experiment::trial::Trial;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use claims::{common_claims, comparing_claims, comparison, verdict};

/// The interior point that sets the target, the paper's method, and what is not in the paper.
const METHODS: [Method; 5] = [
    Method::InteriorPoint,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
    Method::Newton,
];

/// The published figures agree to their last digit: −0.023199 is a target of −0.0232, −0.53119 one of −0.5312.
pub const SAME: f64 = 5e-5;

/// Longest time that a method gets; only newton may need it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the spheres settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// With as many iterations as it takes.
    Thorough,
    /// With ten iterations a step.
    Poor,
}

/// What the paper says of a data set.
pub struct Published {
    pub condition: f64,
    pub kinetic: f64,
    pub max_iterations: usize,
    pub contacts: usize,
    pub objective: f64,
    /// Of Mosek and of APGD.
    pub iterations: [usize; 2],
}

impl Care {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thorough => "thoroughly settled",
            Self::Poor => "poorly settled",
        }
    }

    /// Table 1, §5.1.1 and §5.1.2.
    pub fn published(self) -> Published {
        match self {
            Self::Thorough => Published {
                condition: 8.33e22,
                kinetic: 0.0215,
                max_iterations: 10_000,
                contacts: 1049,
                objective: -0.0232,
                iterations: [23, 561],
            },
            Self::Poor => Published {
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
pub struct Bed {
    pub care: Care,
    pub simulation: Simulation,
    pub problem: Ccp<TwoBody>,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Deepest overlap, m.
    pub overlap: f64,
}

impl Bed {
    fn settle(bench: &mut Bench<'_>, care: Care) -> Result<Self, StudyError> {
        let count = bench.count(320, 32);
        let iterations = care.published().max_iterations;
        let scene = bench.scene(
            "spheres",
            &[
                ("count", count.to_string()),
                ("settle_time", "4".to_owned()),
                ("settings.time_step", "5e-4".to_owned()),
                ("settings.recovery_speed", "1e3".to_owned()),
                ("settings.compliance", "0".to_owned()),
                ("settings.method", format!("{:?}", care.method().name())),
                ("settings.max_iterations", iterations.to_string()),
                ("settings.warm_start", (care == Care::Thorough).to_string()),
            ],
        )?;
        let mut simulation = bench.settle(&scene, 1)?;
        let step = simulation.next_problem();
        let step = step?;
        let contacts = step.contact_forces(&vec![0.0; step.problem().dim()]);
        let [kinetic, _] = simulation.world().energy();
        Ok(Self {
            care,
            overlap: contacts.iter().map(|c| -c.gap).fold(0.0, f64::max),
            simulation,
            problem: step.into_problem(),
            kinetic,
        })
    }
}

/// The primal objective, `½ vᵀMv − kᵀv` (eq. 23), of the velocities that a bed comes with and of those that impulses give it, J.
///
/// With the free velocities `v_f = M⁻¹k` it is `½ (v − v_f)ᵀ M (v − v_f) − ½ v_fᵀ M v_f`; gravity is the only load.
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

/// All methods on one bed.
pub struct Series {
    pub bed: Bed,
    /// The interior point first.
    pub trials: Vec<Trial>,
    /// The interior point's objective, J.
    pub target: f64,
}

impl Series {
    fn run(bench: &Bench<'_>, bed: Bed, methods: &[Method]) -> Result<Self, StudyError> {
        let limits = Limits {
            tolerance: 1e-9,
            max_iterations: 20_000,
            time_limit: Some(PATIENCE),
        };
        let mut trials = Vec::new();
        for &method in methods {
            trials.push(bench.run(&bed.problem, bed.care.name(), method, limits)?);
        }
        #[cfg(feature = "clarabel")]
        if bench.methods.is_empty() {
            let outside = super::clarabel::run(&bed.problem, PATIENCE)?;
            trials.splice(1..1, outside.ok());
        }
        let target = trials[0].last().objective;
        Ok(Self {
            bed,
            trials,
            target,
        })
    }

    /// The run of a name.
    pub fn named(&self, name: &str) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.name == name)
    }

    /// The run of a method.
    pub fn of(&self, method: Method) -> Option<&Trial> {
        self.named(method.name())
    }

    /// Iterations until a run is at the target, to the published digits, and stays there: objectives of infeasible points pass it.
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
    let bed = Bed::settle(bench, Care::Thorough)?;
    let series = Series::run(bench, bed, &methods(bench))?;
    write(bench, &mut findings, &series, &[&series])?;
    common_claims(&mut findings, &series);
    findings.verdict = verdict(&series);
    Ok(findings)
}

/// P1-S2: poorly settled.
pub fn poor(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let bed = Bed::settle(bench, Care::Poor)?;
    let series = Series::run(bench, bed, &methods(bench))?;
    // The other bed, to compare with.
    let bed = Bed::settle(bench, Care::Thorough)?;
    let other = Series::run(bench, bed, &[Method::InteriorPoint, Method::Apgd])?;
    write(bench, &mut findings, &series, &[&other, &series])?;
    common_claims(&mut findings, &series);
    comparing_claims(&mut findings, &other, &series);
    findings.verdict = verdict(&series) + &comparison(&other, &series);
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
    series: &Series,
    beds: &[&Series],
) -> Result<(), StudyError> {
    let Bed {
        care, simulation, ..
    } = &series.bed;
    findings.text(format!(
        "{} spheres settled for 4 s in steps of 0.5 ms by {} with at most {} iterations a step; then one step from γ = 0. The interior \
         point, in Mosek's place, sets the target; a method is there when its objective is and stays the target's to a relative {SAME:e}, \
         the published digits. The paper's residual r is eq. 25 of paper 000 with g_d = 1e-6; ours is relative, the natural map's of γ over \
         that of zero.",
        simulation.group("spheres").len(),
        care.method().name(),
        care.published().max_iterations,
    ));
    findings.table("table-1", table_1(beds));
    findings.table("methods", method_table(series));
    figures::write(bench, findings, series)?;
    for trial in &series.trials {
        findings.file(format!("history-{}.csv", trial.name), trial.csv());
    }
    Ok(())
}

fn table_1(beds: &[&Series]) -> Table {
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
    for series in beds {
        let bed = &series.bed;
        let published = bed.care.published();
        let spectrum = Spectrum::of(bed.problem.operator());
        let [input, solution] = primal(&bed.simulation, &bed.problem, &series.trials[0].gamma);
        table.rows.push(vec![
            bed.care.name().into(),
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
    "Table 1 of the paper with ours beside it. N has at most six times as many nonzero eigenvalues as there are spheres, fewer than rows: \
     it is singular, and the published condition numbers, far above 1e16, are those of rounding errors. So the ratio is over the nonzero ones."
        .clone_into(&mut table.note);
    table
}

fn method_table(series: &Series) -> Table {
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
    let published = series.bed.care.published();
    for trial in &series.trials {
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
            series
                .iterations(trial)
                .map_or(Cell::Empty, Cell::Count)
                .into(),
            trial.iterations.into(),
            trial.best(|row| row.measures.apgd_residual).into(),
            trial.best(|row| row.residual).into(),
            trial.seconds.into(),
        ]);
    }
    "Every method runs on to a residual of 1e-9, for 20 000 iterations or 30 s. Times include the writing of the history. Mosek's figures stand \
     beside the interior point's."
        .clone_into(&mut table.note);
    table
}
