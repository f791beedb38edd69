//! P1-S1 and P1-S2: one step of 320 spheres that settled thoroughly or poorly (paper 001, §5.1).
//!
//! As in the paper, h = 0.5 ms, overlaps are resolved at once (Φ/h, no cap on the speed of recovery) and contacts are rigid (no
//! compliance). The paper gives neither radius, density nor friction: those are the scene's. It settled by APGD with at most 10 000
//! iterations a step; the thorough bed settles by nesterov-gs here, to a residual of 1e-4, because the result is the same and the way
//! shorter. The poor one settles by APGD with 10 iterations a step, which shows in the result. Our interior point stands in Mosek's place.

use std::time::Duration;

use drystone_ccp::{Ccp, HistoryRow, Limits, Method, TwoBody};
use drystone_scene::Simulation;

use super::bench::{Bench, Halt};
use super::claim::Claim;
use super::findings::Findings;
use super::spectrum::Spectrum;
use super::trial::Trial;
use crate::failure::Failure;
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};

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

/// Spheres from which on ten iterations a step leave much to be undone.
const DEEP: usize = 160;

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
    fn settle(bench: &mut Bench<'_>, care: Care) -> Result<Self, Halt> {
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
            ],
        )?;
        let mut simulation = bench.settle(&scene, 1)?;
        let step = simulation.next_problem();
        let step = step.map_err(|e| Failure::Input(e.to_string()))?;
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
    fn run(bench: &Bench<'_>, bed: Bed, methods: &[Method]) -> Result<Self, Halt> {
        let limits = Limits {
            tolerance: 1e-9,
            max_iterations: 20_000,
            time_limit: Some(Duration::from_secs(60)),
        };
        let mut trials = Vec::new();
        for &method in methods {
            trials.push(bench.run(&bed.problem, bed.care.name(), method, limits)?);
        }
        #[cfg(feature = "clarabel")]
        if bench.methods.is_empty() {
            let outside = super::clarabel::run(&bed.problem, Duration::from_secs(60))?;
            trials.splice(1..1, outside);
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
pub fn thorough(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let bed = Bed::settle(bench, Care::Thorough)?;
    let series = Series::run(bench, bed, &methods(bench))?;
    write(bench, &mut findings, &series, &[&series])?;
    common_claims(&mut findings, &series);
    findings.verdict = verdict(&series);
    Ok(findings)
}

/// P1-S2: poorly settled.
pub fn poor(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let bed = Bed::settle(bench, Care::Poor)?;
    let series = Series::run(bench, bed, &methods(bench))?;
    // The other bed, to compare with.
    let bed = Bed::settle(bench, Care::Thorough)?;
    let other = Series::run(bench, bed, &[Method::InteriorPoint, Method::Apgd])?;
    write(bench, &mut findings, &series, &[&other, &series])?;
    common_claims(&mut findings, &series);
    comparing_claims(&mut findings, &other, &series);
    findings.verdict = verdict(&series);
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
) -> Result<(), Halt> {
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
    super::sphere_figures::write(bench, findings, series)?;
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
    "Every method runs on to a residual of 1e-9 or 20 000 iterations. Times include the writing of the history. Mosek's figures stand \
     beside the interior point's."
        .clone_into(&mut table.note);
    table
}

fn common_claims(findings: &mut Findings, series: &Series) {
    let published = series.bed.care.published();
    let [mosek, theirs] = published.iterations;
    let target = series.target;
    let off = |trial: &Trial| (trial.last().objective / target - 1.0).abs();
    if let Some(outside) = series.named("clarabel") {
        let difference = off(outside);
        findings.claim(
            Claim::new(
                "the interior point's objective is that of an outside conic solver, Clarabel (relative difference)",
                difference <= 1e-6,
            )
            .ours(difference),
        );
    }
    let interior = &series.trials[0];
    findings.claim(
        Claim::new(
            "the interior point takes tens of iterations",
            interior.iterations <= 100,
        )
        .published(mosek)
        .ours(interior.iterations),
    );
    let Some(apgd) = series.of(Method::Apgd) else {
        return; // the user left it out
    };
    let ours = series.iterations(apgd);
    findings.claim(
        Claim::new(
            "APGD reaches the interior point's objective to the published digits (iterations)",
            ours.is_some(),
        )
        .published(theirs)
        .ours(ours.map_or(Cell::Empty, Cell::Count)),
    );
    let Some(ours) = ours else {
        return;
    };
    findings.claim(
        Claim::new(
            "and takes several times the interior point's iterations (APGD's over the interior point's)",
            ours as f64 > 2.0 * interior.iterations as f64,
        )
        .published(theirs as f64 / mosek as f64)
        .ours(ours as f64 / interior.iterations as f64),
    );
    // An iteration of newton factorises: it counts for something else.
    for method in [Method::NesterovGs, Method::Auto] {
        let Some(trial) = series.of(method) else {
            continue;
        };
        let own = series.iterations(trial);
        findings.claim(
            Claim::new(
                format!(
                    "{}, not in the paper, reaches it in fewer iterations than APGD (its iterations)",
                    method.name()
                ),
                own.is_some_and(|own| own < ours),
            )
            .ours(own.map_or(Cell::Empty, Cell::Count)),
        );
    }
}

fn comparing_claims(findings: &mut Findings, thorough: &Series, poor: &Series) {
    let [a, b] = [thorough, poor].map(|series| series.bed.care.published());
    findings.claim(
        Claim::new(
            "poorly settled spheres have more kinetic energy (over the thoroughly settled ones')",
            poor.bed.kinetic > thorough.bed.kinetic,
        )
        .published(b.kinetic / a.kinetic)
        .ours(poor.bed.kinetic / thorough.bed.kinetic),
    );
    findings.claim(
        Claim::new(
            "and deeper overlaps (m)",
            poor.bed.overlap > thorough.bed.overlap,
        )
        .ours(poor.bed.overlap),
    );
    // In a shallow bed ten iterations nearly do: what is left to undo is less than what gravity adds in a step.
    if poor.bed.simulation.group("spheres").len() >= DEEP {
        findings.claim(
            Claim::new(
                "so the step changes more: the objective is larger in size (over the thoroughly settled ones')",
                poor.target.abs() > thorough.target.abs(),
            )
            .published(b.objective / a.objective)
            .ours(poor.target / thorough.target),
        );
    }
    let iterations = [thorough, poor].map(|s| s.iterations(s.of(Method::Apgd)?));
    if let [Some(easy), Some(hard)] = iterations {
        findings.claim(
            Claim::new(
                "and APGD needs more iterations (over those on the thoroughly settled ones)",
                hard > easy,
            )
            .published(b.iterations[1] as f64 / a.iterations[1] as f64)
            .ours(hard as f64 / easy as f64),
        );
    }
}

fn verdict(series: &Series) -> String {
    let published = series.bed.care.published();
    let apgd = series.of(Method::Apgd).and_then(|t| series.iterations(t));
    let world = series.bed.simulation.world();
    let spheres = series.bed.simulation.group("spheres");
    let mass: f64 = spheres.iter().map(|body| world.mass(*body)).sum();
    let kick = world.settings().time_step * world.settings().gravity.length();
    let settled = match series.bed.care {
        Care::Thorough => format!(
            "A bed at perfect rest has an objective of −½ m (g h)², here {} J whatever its packing: the paper's figure would be that of \
             spheres of about 6 kg, and ours have {} kg.",
            short_number(-0.5 * mass * kick * kick),
            short_number(mass / spheres.len() as f64),
        ),
        Care::Poor => "Ten iterations a step leave overlaps and motion, which the step must undo at once. How much, depends on the settling \
                       solver in all its details, which the paper does not give, so kinetic energy and objective are not to be its figures."
            .to_owned(),
    };
    let outside = series.named("clarabel").map_or(String::new(), |trial| {
        let off = (trial.last().objective / series.target - 1.0).abs();
        format!(
            " Clarabel's objective differs by a relative {}.",
            short_number(off)
        )
    });
    format!(
        "{} contacts (published {}), an objective of {} J (published {}); the interior point takes {} iterations (Mosek {}) and APGD {} to \
         the same objective (published {}).{outside} {settled} As the paper says of Mosek, an interior point's objective is no guide on the \
         way: its early points lie far off.",
        series.bed.problem.cones().contacts(),
        published.contacts,
        short_number(series.target),
        published.objective,
        series.trials[0].iterations,
        published.iterations[0],
        apgd.map_or("never gets".to_owned(), |k| k.to_string()),
        published.iterations[1],
    )
}
