//! P2-T1: 1000 smooth spheres, GPMINRES against Jacobi (Heyn 2013, §5, test problem 1).
//!
//! The paper does not say where its spheres lie; see `FIRST_BED`.
//! Its 1000 iterations of GPMINRES are MINRES steps, ten for each of 100 active sets; ours are
//! products with N, those of the gradient steps included.

mod claims;
mod report;

pub use claims::claims;

use drystone::worse;
use drystone_ccp::{Ccp, Method, TwoBody};

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::{Measured, NoFigure};
use crate::experiment::contest::{
    ABOUT_ROWS, FIRST_BED, NEARLY_SETTLED, ROUNDING, add_picture, contest, describe, objective,
    optimum, products_near,
};
use crate::experiment::findings::Findings;
use crate::experiment::runs::Budget;
use crate::experiment::trial::{Trial, trial_of};

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
const OTHERS: [Method; 6] = [
    Method::Spg,
    Method::Kucera,
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

/// All runs on the bed.
pub struct FrictionlessRuns {
    spheres: usize,
    contacts: usize,
    /// Table I, without a history.
    table: Vec<TableRun>,
    /// Runs with a history.
    recorded: Vec<Trial>,
    /// Lowest objective of a known point, J.
    optimum: f64,
    /// Times of GPMINRES and of Jacobi to the accuracy of the paper's GPMINRES after 1000 iterations,
    /// s, without a history.
    same_seconds: [Result<f64, NoFigure>; 2],
}

/// P2-T1.
pub fn convergence(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let (scene, simulation, problem) = FIRST_BED.settle(bench)?;
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
    let table = table_runs(bench, &problem, &wanted)?;
    let recorded = recorded_trials(bench, &problem, &wanted)?;
    let optimum = optimum(bench, &problem, "the bed", &recorded)?;
    let paper = ["1000", "3525", NEARLY_SETTLED];
    describe(
        &mut findings,
        (&FIRST_BED, paper),
        &simulation,
        (&problem, &recorded),
    );
    findings.setup(
        "iterations",
        "MINRES steps, ten for each of 100 active sets; sweeps of Jacobi",
        "products with N, those of the gradient steps included",
    );
    findings.text(format!(
        "One step from γ = 0; the optimum is f = {optimum:.6} J. {ABOUT_ROWS}"
    ));
    for trial in &recorded {
        findings.file(format!("history-{}.csv", trial.name), trial.csv());
    }
    findings.table("table-1", report::table_1(&problem, &table, &recorded));
    findings.figure(
        "figure-4",
        report::figure_4(&recorded, optimum),
        "Fig. 4 of the paper, left; on the right the same above the optimum. Every point of a \
         curve is an iteration or a round.",
    );
    findings.figure(
        "figure-5",
        report::figure_5(&table),
        "Fig. 5 of the paper: the impulses in order of size. What has converged further is \
         sharper: it reaches higher on the left.",
    );
    let seconds = |m| same_seconds(bench, &problem, m, (&recorded, optimum));
    let same_seconds = [seconds(Method::Gpminres)?, seconds(Method::Jacobi)?];
    let runs = FrictionlessRuns {
        spheres: simulation.group("spheres").len(),
        contacts: problem.dim(),
        table,
        recorded,
        optimum,
        same_seconds,
    };
    for sentence in claims::remarks(&runs) {
        findings.remark(sentence);
    }
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

/// A method's time to the accuracy of the paper's GPMINRES after 1000 iterations, s: its recorded run
/// says after how many products, and one without a history how long these take.
fn same_seconds(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    method: Method,
    (recorded, optimum): (&[Trial], f64),
) -> Result<Result<f64, NoFigure>, StudyError> {
    let trial = match trial_of(recorded, method) {
        Ok(trial) => trial,
        Err(why) => return Ok(Err(why)),
    };
    let there = products_near(trial, optimum, claims::paper_accuracy());
    let Measured::Exactly(products) = there else {
        let words = format!("{} does not get there", method.name());
        return Ok(Err(NoFigure::Failed(words)));
    };
    let budget = budget(products as usize, false);
    let again = bench.run_budget(problem, "the bed", method, &budget)?;
    Ok(Ok(again.seconds))
}

/// Longest time of a run, s: the paper's numbers of iterations are to end it, not the clock. Jacobi's
/// 100 000 take two minutes with a history.
const HANGS: f64 = 1800.0;

/// Iterations at a scale: a smaller bed converges sooner.
fn scaled(bench: &Bench<'_>, iterations: usize) -> usize {
    bench.count(iterations, iterations / 20).min(iterations)
}

fn budget(products: usize, history: bool) -> Budget {
    Budget {
        tolerance: ROUNDING,
        products,
        seconds: HANGS,
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
    let long = [
        (Method::Gpminres, 10_000),
        (Method::Jacobi, 100_000),
        (Method::GaussSeidel, 100_000), // it is compared with Jacobi
    ];
    for (method, products) in long {
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
