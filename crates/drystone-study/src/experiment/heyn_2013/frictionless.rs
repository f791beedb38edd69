//! P2-T1: 1000 smooth spheres, GPMINRES against Jacobi (Heyn 2013, §5, test problem 1).
//!
//! The paper does not say where its spheres lie; ours lie in the cylinder of its test problem 2.
//! Its 1000 iterations of GPMINRES are MINRES steps, ten for each of 100 active sets; ours are
//! products with N, those of the gradient steps included.

mod claims;

use drystone::worse;
use drystone_ccp::{Ccp, Method, TwoBody};

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::contest::{
    ABOUT_ROWS, PATIENCE, ROUNDING, SmoothBed, add_picture, contest, objective, optimum, precise,
    without_factorising,
};
use crate::experiment::curves::{XAxis, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::runs::Budget;
use crate::experiment::trial::Trial;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel};

/// A row of Table I.
struct PublishedRow {
    method: Method,
    /// MINRES steps, or sweeps of Jacobi.
    iterations: usize,
    /// Changes of the active set.
    sets: Option<usize>,
    /// Objective at the end, J.
    objective: f64,
    /// Largest impulse at the end; the paper gives no unit.
    largest: f64,
    /// Time, s.
    seconds: f64,
}

/// A row: method, iterations and active sets, then objective, largest impulse and time.
const fn row(
    method: Method,
    (iterations, sets): (usize, Option<usize>),
    [objective, largest, seconds]: [f64; 3],
) -> PublishedRow {
    PublishedRow {
        method,
        iterations,
        sets,
        objective,
        largest,
        seconds,
    }
}

/// Table I.
const TABLE_1: [PublishedRow; 7] = [
    row(Method::Gpminres, (1000, Some(100)), [-2.9035, 7.7487, 6.70]),
    row(
        Method::Gpminres,
        (10_000, Some(1000)),
        [-2.9045, 8.2002, 61.07],
    ),
    row(
        Method::GpminresPreconditioned,
        (100, Some(100)),
        [-2.8854, 6.8551, 1675.0],
    ),
    row(Method::Jacobi, (1000, None), [-2.5077, 4.4961, 3.66]),
    row(Method::Jacobi, (10_000, None), [-2.8983, 7.4953, 24.66]),
    row(Method::Jacobi, (43_000, None), [-2.9035, 7.9254, 95.41]),
    row(Method::Jacobi, (100_000, None), [-2.9043, 8.0619, 231.7]),
];

/// Methods that the paper's table does not hold.
const OTHERS: [Method; 7] = [
    Method::Spg,
    Method::Kucera,
    Method::GaussSeidel,
    Method::Apgd,
    Method::NesterovGs,
    Method::GpminresPreconditioned,
    Method::Auto,
];

/// A row of Table I as run here, or a row of our own.
struct TableRun {
    /// The paper's row; none for our own.
    published: Option<&'static PublishedRow>,
    /// Most products with N that it was given.
    budget: usize,
    trial: Trial,
    objective: f64,
}

impl TableRun {
    fn new(
        problem: &Ccp<TwoBody>,
        (published, budget): (Option<&'static PublishedRow>, usize),
        trial: Trial,
    ) -> Self {
        Self {
            published,
            budget,
            objective: objective(problem, &trial.gamma),
            trial,
        }
    }

    /// Largest impulse, N s.
    fn largest(&self) -> f64 {
        self.trial.gamma.iter().copied().fold(0.0, worse)
    }

    /// Smallest impulse, N s.
    fn smallest(&self) -> f64 {
        let gamma = self.trial.gamma.iter().copied();
        gamma.fold(f64::INFINITY, f64::min)
    }

    /// Whether it is the paper's row of this method with so many iterations.
    fn is(&self, method: Method, iterations: usize) -> bool {
        self.published
            .is_some_and(|p| p.method == method && p.iterations == iterations)
    }

    fn label(&self) -> String {
        format!("{} {}", self.trial.name, self.budget)
    }
}

/// P2-T1.
pub fn convergence(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let bed = SmoothBed {
        spheres: 1000,
        radius: 2.0,
        load: None,
    };
    let (scene, simulation, problem) = bed.settle(bench)?;
    add_picture(
        bench,
        &mut findings,
        "figure-3",
        (&scene, &simulation),
        "The spheres, as in Fig. 3 of the paper.",
    );
    let wanted = bench.methods(&[
        Method::Gpminres,
        Method::GpminresPreconditioned,
        Method::Jacobi,
        Method::Spg,
        Method::Kucera,
        Method::GaussSeidel,
        Method::Apgd,
        Method::NesterovGs,
        Method::Auto,
    ]);
    let runs = table_runs(bench, &problem, &wanted)?;
    let recorded = recorded_trials(bench, &problem, &wanted)?;
    let optimum = optimum(bench, &problem, "the bed", &recorded)?;
    findings.text(format!(
        "{} spheres, {} contacts (paper: 1000 and 3525), one step from γ = 0; the optimum is f = \
         {optimum:.6} J. {ABOUT_ROWS}",
        simulation.group("spheres").len(),
        problem.dim()
    ));
    for trial in &recorded {
        findings.file(format!("history-{}.csv", trial.name), trial.csv());
    }
    findings.table("table-1", table_1(&problem, &runs, &recorded));
    findings.figure(
        "figure-4",
        figure_4(&recorded, optimum),
        "Fig. 4 of the paper, left; on the right the same above the optimum. Every point of a \
         curve is an iteration or a round.",
    );
    findings.figure(
        "figure-5",
        figure_5(&runs),
        "Fig. 5 of the paper: the impulses in order of size. What has converged further is \
         sharper: it reaches higher on the left.",
    );
    claims::claims(&runs, &recorded, (optimum, bench.scale), &mut findings);
    Ok(findings)
}

/// Iterations at a scale: a smaller bed converges sooner.
fn scaled(bench: &Bench<'_>, iterations: usize) -> usize {
    bench.count(iterations, iterations / 20).min(iterations)
}

fn budget(products: usize, history: bool) -> Budget {
    Budget {
        tolerance: ROUNDING,
        products,
        seconds: PATIENCE,
        history,
    }
}

/// The rows of Table I, without a history.
fn table_runs(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    wanted: &[Method],
) -> Result<Vec<TableRun>, StudyError> {
    let mut runs = Vec::new();
    for published in TABLE_1.iter().filter(|p| wanted.contains(&p.method)) {
        let budget = budget(scaled(bench, published.iterations), false);
        let trial = bench.run_budget(problem, "the bed", published.method, &budget)?;
        let row = (Some(published), budget.products);
        runs.push(TableRun::new(problem, row, trial));
    }
    Ok(runs)
}

/// Runs with a history: for the figures, and of the methods that are not in the table.
fn recorded_trials(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    wanted: &[Method],
) -> Result<Vec<Trial>, StudyError> {
    let mut recorded = Vec::new();
    for (method, products) in [(Method::Gpminres, 10_000), (Method::Jacobi, 100_000)] {
        if wanted.contains(&method) {
            let budget = budget(scaled(bench, products), true);
            recorded.push(bench.run_budget(problem, "the bed", method, &budget)?);
        }
    }
    let others: Vec<Method> = OTHERS.into_iter().filter(|m| wanted.contains(m)).collect();
    let products = scaled(bench, 1000);
    recorded.append(&mut contest(bench, problem, "the bed", &others, products)?);
    Ok(recorded)
}

fn table_1(problem: &Ccp<TwoBody>, runs: &[TableRun], recorded: &[Trial]) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("iterations published"),
        Column::number("products ours"),
        Column::number("active sets published"),
        Column::number("rounds ours"),
        Column::number("f published (J)"),
        Column::number("f ours (J)"),
        Column::number("γ min ours"),
        Column::number("γ max published"),
        Column::number("γ max ours (N s)"),
        Column::number("time published (s)"),
        Column::number("time ours (s)"),
    ]);
    let count = |count: Option<usize>| Entry::from(count.map_or(Cell::Empty, Cell::Count));
    let mut line = |run: &TableRun| {
        let p = run.published;
        let rounds = matches!(run.trial.name.as_str(), "gpminres" | "gpminres-p");
        table.rows.push(vec![
            Entry::from(run.trial.name.as_str()).swatch(run.trial.look),
            count(p.map(|p| p.iterations)),
            Cell::Count(run.trial.last().products).into(),
            count(p.and_then(|p| p.sets)),
            count(rounds.then_some(run.trial.iterations)),
            p.map(|p| p.objective).into(),
            precise(run.objective),
            run.smallest().into(),
            p.map(|p| p.largest).into(),
            run.largest().into(),
            p.map(|p| p.seconds).into(),
            run.trial.seconds.into(),
        ]);
    };
    runs.iter().for_each(&mut line);
    let tabled = |name: &str| runs.iter().any(|run| run.trial.name == name);
    for trial in recorded.iter().filter(|trial| !tabled(&trial.name)) {
        let products = trial.last().products;
        line(&TableRun::new(problem, (None, products), trial.clone()));
    }
    table.note = "Table I of the paper with ours beside it; γ min is 0.0 throughout the paper's. \
                  Below it methods that it does not hold, whose times include the writing of a \
                  history. A run ends with the round in which its products are spent, or at \
                  rounding."
        .to_owned();
    table
}

fn figure_4(recorded: &[Trial], optimum: f64) -> Figure {
    let trials = &without_factorising(recorded)[..];
    let over = |label: &str, y: AxisScale, above: f64| {
        panel(trials, XAxis::Products, label, [AxisScale::Log, y], |row| {
            row.objective - above
        })
    };
    Figure {
        title: "Objective of various methods".to_owned(),
        columns: 2,
        panels: vec![
            over("objective f (J)", AxisScale::Linear, 0.0),
            over("f − f* (J)", AxisScale::Log, optimum),
        ],
        legend: legend(trials),
    }
}

fn figure_5(runs: &[TableRun]) -> Figure {
    let mut panel = Panel::new(
        "impulses, the largest first",
        "γ (N s)",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let mut legend = Vec::new();
    for (k, run) in runs.iter().enumerate() {
        let look = CurveLook::nth(k);
        panel.curves.push(Curve {
            look,
            points: sorted(&run.trial.gamma),
        });
        legend.push(LegendEntry::new(&run.label(), look));
    }
    let head = Panel {
        title: "the largest tenth".to_owned(),
        x_limits: runs
            .first()
            .map(|r| [0.0, 0.1 * r.trial.gamma.len() as f64]),
        ..panel.clone()
    };
    Figure {
        title: "Impulses in order of size".to_owned(),
        columns: 2,
        panels: vec![panel, head],
        legend,
    }
}

/// The values in falling order, over their rank.
fn sorted(values: &[f64]) -> Vec<[f64; 2]> {
    let mut values = values.to_vec();
    values.sort_by(|a, b| b.total_cmp(a));
    let ranked = values.iter().enumerate().map(|(k, v)| [(k + 1) as f64, *v]);
    ranked.collect()
}
