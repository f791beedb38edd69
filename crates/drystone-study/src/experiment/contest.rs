//! Methods side by side on one problem, each for the same number of products with N; and the bed of
//! smooth spheres on which Heyn 2013 and Tasora 2013 compare them.
//!
//! The papers count iterations. An iteration of Jacobi, SPG and Kučera's method takes one product
//! with N. One of GPMINRES is a MINRES step in the paper, but a whole round of gradient and MINRES
//! steps here. Products mean the same for all.

use drystone::worse;
use drystone_ccp::{Ccp, HistoryRow, Method, Operator, TwoBody};
use drystone_scene::{Scene, Simulation};

use super::bench::Bench;
use super::claim::{Measure, Measured};
use super::curves::{XAxis, legend, panel};
use super::findings::{Findings, NOT_GIVEN};
use super::rows::{next_problem, normal_rows};
use super::runs::Budget;
use super::set_up;
use super::trial::{Trial, reached};
use crate::error::StudyError;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Figure};

/// Relative residual at which rounding hides all differences: runs may end there.
pub const ROUNDING: f64 = 1e-13;

/// Relative residual at which the methods that factorise may end. They solve a problem at once, and
/// more digits would cost time and show nothing.
const SOLVED: f64 = 1e-10;

/// Longest time of one run, s. Few runs need it: it keeps an experiment from taking hours.
pub const PATIENCE: f64 = 60.0;

/// Smooth spheres in a cylinder, as in Heyn 2013, §5.
pub struct SmoothBed {
    /// Spheres at full scale.
    pub spheres: usize,
    /// Radius of the cylinder at full scale, m.
    pub radius: f64,
    /// The paper's, m, where it gives one.
    pub paper_radius: Option<f64>,
    /// Mass of the weight at full scale, kg; none for the bed alone.
    pub load: Option<f64>,
}

/// The bed of Heyn 2013, test problem 1, and of Tasora 2013, benchmark B2: 1000 spheres with 3525
/// contacts. Neither says in what they lie, so the cylinder was chosen by what Jacobi misses of the
/// optimum after 1000 sweeps, 14 % in the paper. Tried with an older version: in 1 m, eleven deep,
/// 23 %; in 1.3 m 2.3 %; in the 2 m of test problem 2, three deep, 0.12 %.
pub const FIRST_BED: SmoothBed = SmoothBed {
    spheres: 1000,
    radius: 1.0,
    paper_radius: None,
    load: None,
};

/// Time that a bed without a weight settles for, s: after it the spheres hardly move.
const SETTLE_TIME: f64 = 1.5;

/// Time that it settles for under a weight, s: smooth spheres give way for long. After it the forces
/// on 16 t are its weight to a twentieth.
const LOAD_TIME: f64 = 2.5;

impl SmoothBed {
    /// The scene. A smaller bed keeps its shape and the weight its share.
    pub fn scene(&self, bench: &Bench<'_>) -> Result<Scene, StudyError> {
        let count = bench.count(self.spheres, 60);
        let share = count as f64 / self.spheres as f64;
        let size = share.cbrt();
        let mut values = vec![
            ("count", count.to_string()),
            ("cylinder", format!("{}", self.radius * size)),
            // In a narrower cylinder, where no weight is laid down, one that would fit.
            (
                "load_radius",
                format!("{}", 1.125_f64.min(0.75 * self.radius) * size),
            ),
        ];
        match self.load {
            Some(load) => values.extend([
                ("load", format!("{}", load * share)),
                ("load_time", LOAD_TIME.to_string()),
            ]),
            // The weight is laid down at the end of the first phase, and the scene ends before it.
            None => values.extend([
                ("settings.duration", SETTLE_TIME.to_string()),
                ("settle_time", (2.0 * SETTLE_TIME).to_string()),
            ]),
        }
        bench.scene("bed", &values)
    }

    /// The settled scene and the normal rows of its next step.
    pub fn settle(
        &self,
        bench: &mut Bench<'_>,
    ) -> Result<(Scene, Simulation, Ccp<TwoBody>), StudyError> {
        let scene = self.scene(bench)?;
        let phases = if self.load.is_some() { 2 } else { 1 };
        let mut simulation = bench.settle(&scene, phases)?;
        let problem = normal_rows(&next_problem(&mut simulation)?)?;
        Ok((scene, simulation, problem))
    }
}

/// What every report on a bed says about its rows and measures.
pub const ABOUT_ROWS: &str = "The problem has one row per contact, γ ≥ 0, as in the paper. The \
     engine's own step has three rows per contact also without friction; the two tangents, whose \
     impulses are zero, are left out. ‖ε‖₂ is eq. 24 of the paper, ‖γ − Π(γ − τ∇f)‖/τ with τ = \
     1e-6; our residual is relative, the natural map's of γ over that of zero. Iterations are \
     products with N, so that those of all methods cost about the same: a round of GPMINRES, which \
     is one choice of the active set, takes some tens of them, and Kučera's method spends twenty \
     on ‖N‖ first. auto, which also factorises, is in the tables only.";

/// How the beds of Heyn 2013 were settled, as the paper has it.
pub const NEARLY_SETTLED: &str =
    "\"nearly settled\", then frozen; neither step, time nor tolerance are given";

/// How a bed was set up; `paper` says how many spheres and contacts the paper's has, and how it was
/// settled.
pub fn describe(
    findings: &mut Findings,
    (bed, paper): (&SmoothBed, [&str; 3]),
    simulation: &Simulation,
    (problem, trials): (&Ccp<TwoBody>, &[Trial]),
) {
    let [spheres, contacts, settled] = paper;
    findings.setup(
        "spheres",
        spheres,
        simulation.group("spheres").len().to_string(),
    );
    let gamma = set_up::best_point(trials);
    set_up::contacts(findings, ("contacts", contacts), problem, gamma);
    findings.setup("friction", "none", "none");
    findings.setup(
        "cylinder",
        bed.paper_radius
            .map_or(NOT_GIVEN.to_owned(), |r| format!("radius {r} m")),
        format!(
            "radius {} m at full scale; a smaller bed keeps its shape",
            bed.radius
        ),
    );
    set_up::settled(
        findings,
        simulation,
        settled,
        "the engine's own choice (auto)",
    );
}

/// Runs every method for the same number of products. Methods that factorise run until they have
/// solved the problem: their products say nothing about their cost.
pub fn contest(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    what: &str,
    methods: &[Method],
    products: usize,
) -> Result<Vec<Trial>, StudyError> {
    let run = |&method: &Method| {
        let budget = Budget {
            tolerance: ROUNDING,
            products,
            seconds: PATIENCE,
            history: true,
        };
        let solving = Budget {
            tolerance: SOLVED,
            products: usize::MAX,
            ..budget
        };
        let budget = match method {
            Method::Auto | Method::InteriorPoint | Method::Newton => solving,
            _ => budget,
        };
        bench.run_budget(problem, what, method, &budget)
    };
    methods.iter().map(run).collect()
}

/// Most products of [`run_on`]: ten times those of the contests.
pub const LONGER: usize = 40_000;

/// Relative residual at which [`run_on`] ends: the objective is then far nearer to the optimum than
/// the shares that it is asked for.
pub const NEAR_ENOUGH: f64 = 1e-3;

/// Longest time of [`run_on`], s: its products are to end it, not the clock.
const RUN_ON: f64 = 600.0;

/// Jacobi once more and for longer, if it was not left out: for how many iterations it takes where
/// those of the contest are not enough.
pub fn run_on(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    what: &str,
    methods: &[Method],
) -> Result<Vec<Trial>, StudyError> {
    let budget = Budget {
        tolerance: NEAR_ENOUGH,
        products: LONGER,
        seconds: RUN_ON,
        history: true,
    };
    let jacobi = methods.iter().filter(|method| **method == Method::Jacobi);
    let run = |&method| bench.run_budget(problem, what, method, &budget);
    jacobi.map(run).collect()
}

/// How far [`run_on`] goes, in words.
pub fn longer_words() -> String {
    format!("at most {LONGER}, or to our residual of {NEAR_ENOUGH:e}")
}

/// The lowest objective of a known point, J: the interior point's, or that of a run that came
/// lower.
pub fn optimum(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    what: &str,
    trials: &[Trial],
) -> Result<f64, StudyError> {
    let budget = Budget {
        tolerance: 1e-12,
        products: usize::MAX,
        seconds: PATIENCE,
        history: false,
    };
    let exact = bench.run_budget(problem, what, Method::InteriorPoint, &budget)?;
    let points = trials.iter().chain([&exact]);
    let lowest = points.map(|trial| objective(problem, &trial.gamma));
    Ok(lowest.fold(f64::INFINITY, f64::min))
}

/// The objective of a point, J.
pub fn objective<N: Operator>(problem: &Ccp<N>, gamma: &[f64]) -> f64 {
    let mut velocity = vec![0.0; gamma.len()];
    problem.velocity(gamma, &mut velocity);
    problem.objective(gamma, &velocity)
}

/// The smallest value of a measure within the first so many products.
pub fn best_within(trial: &Trial, products: usize, measure: impl Fn(&HistoryRow) -> f64) -> f64 {
    let early = trial.history.iter().filter(|row| row.products <= products);
    early.map(measure).fold(f64::INFINITY, f64::min)
}

/// Products until ‖ε‖₂ has fallen to a share of its first value.
pub fn products_to(trial: &Trial, share: f64) -> Measured {
    let start = trial.history[0].measures.spectral_residual;
    trial.products_until(|row| row.measures.spectral_residual <= share * start)
}

/// Time until ‖ε‖₂ has fallen to a share of its first value, s.
pub fn seconds_to(trial: &Trial, share: f64) -> Measured {
    let start = trial.history[0].measures.spectral_residual;
    match trial.first(|row| row.measures.spectral_residual <= share * start) {
        Some(row) => Measured::Exactly(row.seconds),
        None => Measured::AtLeast(trial.seconds),
    }
}

/// Products until the objective is within a share of the optimum.
pub fn products_near(trial: &Trial, optimum: f64, share: f64) -> Measured {
    trial.products_until(|row| row.objective - optimum <= share * optimum.abs())
}

/// The products of one run over those of another, which must have got there.
pub fn lead(others: Measured, (name, own): (&str, Measured)) -> Measure {
    Ok(others.over(reached(name, own)?))
}

/// The runs whose products tell their cost: not those of methods that also factorise.
pub fn without_factorising(trials: &[Trial]) -> Vec<Trial> {
    trials.iter().filter(|t| !factorises(t)).cloned().collect()
}

fn factorises(trial: &Trial) -> bool {
    let methods = [Method::Auto, Method::InteriorPoint, Method::Newton];
    methods.iter().any(|method| method.name() == trial.name)
}

/// A figure of the paper's residual over products, and of ours over time.
pub fn residual_figure(title: &str, trials: &[Trial], along: AxisScale) -> Figure {
    let spectral = |row: &HistoryRow| row.measures.spectral_residual;
    let mut times = panel(
        trials,
        XAxis::Seconds,
        "our residual",
        [AxisScale::Log, AxisScale::Log],
        |row| row.residual,
    );
    // The first rows come after almost no time, and a logarithmic axis would be full of them.
    let longest = trials.iter().map(|t| t.seconds).fold(0.0, worse);
    times.x_limits = Some([1e-4 * longest, longest]);
    let iterations = panel(
        &without_factorising(trials),
        XAxis::Products,
        "‖ε‖₂",
        [along, AxisScale::Log],
        spectral,
    );
    let mut entries = legend(trials);
    for (entry, trial) in entries.iter_mut().zip(trials) {
        if factorises(trial) {
            entry.label += " (over time only)";
        }
    }
    Figure {
        title: title.to_owned(),
        columns: 2,
        panels: vec![iterations, times],
        legend: entries,
    }
}

/// A table of how runs ended: both residuals, objective and time.
pub fn end_table(problem: &Ccp<TwoBody>, trials: &[Trial]) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("iterations"),
        Column::number("products with N"),
        Column::number("‖ε‖₂"),
        Column::number("our residual"),
        Column::number("f (J)"),
        Column::number("time (s)"),
        Column::word("ended"),
    ]);
    for trial in trials {
        table.rows.push(vec![
            Entry::from(trial.name.as_str()).swatch(trial.look),
            Cell::Count(trial.iterations).into(),
            Cell::Count(trial.last().products).into(),
            trial.best(|row| row.measures.spectral_residual).into(),
            trial.best(|row| row.residual).into(),
            precise(objective(problem, &trial.gamma)),
            trial.seconds.into(),
            trial.termination.into(),
        ]);
    }
    table.note =
        "Residuals are the best of a run, f is that of the point it returns, times include \
                  the writing of the history."
            .to_owned();
    table
}

/// A number with six digits after the point: what tells methods apart is in the later ones.
pub fn precise(number: f64) -> Entry {
    let cell = Cell::Number(number);
    let digits = match number.abs() {
        size if (1e-3..1e6).contains(&size) => format!("{number:.6}"),
        _ => format!("{number:.6e}"),
    };
    Entry::from(cell).shown_as(digits)
}

/// Adds a picture of a scene, if it can be drawn.
pub fn add_picture(
    bench: &Bench<'_>,
    findings: &mut Findings,
    name: &str,
    (scene, simulation): (&Scene, &Simulation),
    caption: &str,
) {
    if let Some(png) = bench.picture(scene, simulation) {
        findings.picture(name, png, caption);
    }
}
