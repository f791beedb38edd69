//! P2-T1: 1000 smooth spheres, GPMINRES against Jacobi (paper 002, §5, test problem 1).
//!
//! The paper does not say where its spheres lie; ours lie in the cylinder of its test problem 2. Its 1000 iterations of GPMINRES are MINRES steps, ten for each of 100
//! active sets; ours are products with N, the gradient steps' among them.

use drystone_ccp::{Ccp, Method, TwoBody};

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::contest::{
    ABOUT_ROWS, Bed, LARGE, PATIENCE, ROUNDING, contest, counted, objective, of, optimum, precise,
    show, within,
};
use crate::experiment::curves::{Along, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::runs::Budget;
use crate::experiment::trial::Trial;
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};
use drystone_draw::plot::{Curve, Figure, LegendEntry, Look, Panel, Scale};

/// A row of Table I.
struct Published {
    method: Method,
    /// MINRES steps, or sweeps of Jacobi.
    iterations: usize,
    /// Changes of the active set.
    sets: Option<usize>,
    objective: f64,
    largest: f64,
    seconds: f64,
}

const fn row(
    method: Method,
    (iterations, sets): (usize, Option<usize>),
    [objective, largest, seconds]: [f64; 3],
) -> Published {
    Published {
        method,
        iterations,
        sets,
        objective,
        largest,
        seconds,
    }
}

const TABLE_1: [Published; 7] = [
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

/// A row of Table I, run here.
struct Run {
    /// The paper's row; none for our own.
    published: Option<&'static Published>,
    /// Products that it was given.
    budget: usize,
    trial: Trial,
    objective: f64,
}

impl Run {
    fn new(
        problem: &Ccp<TwoBody>,
        (published, budget): (Option<&'static Published>, usize),
        trial: Trial,
    ) -> Self {
        Self {
            published,
            budget,
            objective: objective(problem, &trial.gamma),
            trial,
        }
    }

    fn largest(&self) -> f64 {
        self.trial.gamma.iter().copied().fold(0.0, f64::max)
    }

    fn smallest(&self) -> f64 {
        let gamma = self.trial.gamma.iter().copied();
        gamma.fold(f64::INFINITY, f64::min)
    }

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
    let bed = Bed {
        spheres: 1000,
        radius: 2.0,
        load: None,
    };
    let (scene, simulation, problem) = bed.settle(bench)?;
    show(
        bench,
        &mut findings,
        "figure-3",
        (&scene, &simulation),
        "The spheres, as in Fig. 3 of the paper.",
    );
    // A smaller bed converges sooner.
    let scaled = |iterations: usize| bench.count(iterations, iterations / 20).min(iterations);
    let budget = |products: usize, history: bool| Budget {
        tolerance: ROUNDING,
        products,
        seconds: PATIENCE,
        history,
    };
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
    let mut runs = Vec::new();
    for published in TABLE_1.iter().filter(|p| wanted.contains(&p.method)) {
        let budget = budget(scaled(published.iterations), false);
        let trial = bench.spend(&problem, "the bed", published.method, &budget)?;
        runs.push(Run::new(
            &problem,
            (Some(published), budget.products),
            trial,
        ));
    }
    // The ways there, for the figures and for our own methods.
    let mut ways = Vec::new();
    for (method, products) in [(Method::Gpminres, 10_000), (Method::Jacobi, 100_000)] {
        if wanted.contains(&method) {
            ways.push(bench.spend(&problem, "the bed", method, &budget(scaled(products), true))?);
        }
    }
    let others: Vec<Method> = OTHERS.into_iter().filter(|m| wanted.contains(m)).collect();
    ways.append(&mut contest(
        bench,
        &problem,
        "the bed",
        &others,
        scaled(1000),
    )?);
    let optimum = optimum(bench, &problem, "the bed", &ways)?;
    findings.text(format!(
        "{} spheres, {} contacts (paper: 1000 and 3525), one step from γ = 0; the optimum is f = {optimum:.6} J. {ABOUT_ROWS}",
        simulation.group("spheres").len(),
        problem.dim()
    ));
    for way in &ways {
        findings.file(format!("history-{}.csv", way.name), way.csv());
    }
    findings.table("table-1", table_1(&problem, &runs, &ways));
    findings.figure("figure-4", figure_4(&ways, optimum), "Fig. 4 of the paper, left; on the right the same above the optimum. Every point of a curve is an iteration or a round.");
    findings.figure("figure-5", figure_5(&runs), "Fig. 5 of the paper: the impulses in order of size. What has converged further is sharper: it reaches higher on the left.");
    claims(&runs, &ways, (optimum, bench.scale), &mut findings);
    Ok(findings)
}

fn table_1(problem: &Ccp<TwoBody>, runs: &[Run], ways: &[Trial]) -> Table {
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
    let mut line = |run: &Run| {
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
    for way in ways.iter().filter(|way| !tabled(&way.name)) {
        line(&Run::new(problem, (None, way.last().products), way.clone()));
    }
    "Table I of the paper with ours beside it; γ min is 0.0 throughout the paper's. Below it methods that it does not hold, whose times include the writing of a history. \
     A run ends with the round in which its products are spent, or at rounding."
        .clone_into(&mut table.note);
    table
}

fn figure_4(ways: &[Trial], optimum: f64) -> Figure {
    let ways = &counted(ways)[..];
    let over = |label: &str, y: Scale, above: f64| {
        panel(ways, Along::Products, label, [Scale::Log, y], |row| {
            row.objective - above
        })
    };
    Figure {
        title: "Objective of various methods".to_owned(),
        columns: 2,
        panels: vec![
            over("objective f (J)", Scale::Linear, 0.0),
            over("f − f* (J)", Scale::Log, optimum),
        ],
        legend: legend(ways),
    }
}

fn figure_5(runs: &[Run]) -> Figure {
    let mut panel = Panel::new(
        "impulses, the largest first",
        "γ (N s)",
        [Scale::Linear, Scale::Linear],
    );
    let mut legend = Vec::new();
    for (k, run) in runs.iter().enumerate() {
        let look = Look::nth(k);
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

fn claims(runs: &[Run], ways: &[Trial], (optimum, scale): (f64, f64), findings: &mut Findings) {
    let find = |method, iterations| runs.iter().find(|run| run.is(method, iterations));
    let mut words = Vec::new();
    if let (Some(short), Some(jacobi)) = (find(Method::Gpminres, 1000), of(ways, Method::Jacobi)) {
        words.push(lead(short, jacobi, scale, findings));
    }
    let jacobi: Vec<f64> = runs
        .iter()
        .filter(|run| run.trial.name == Method::Jacobi.name())
        .map(Run::largest)
        .collect();
    if let [first, .., last] = jacobi[..] {
        findings.claim(
            Claim::new(
                "the impulses sharpen on the way: Jacobi's largest one grows with the iterations (the last over the first)",
                last > first,
            )
            .published(8.0619 / 4.4961)
            .ours(last / first),
        );
    }
    if let (Some(plain), Some(with)) = (
        find(Method::Gpminres, 1000),
        find(Method::GpminresPreconditioned, 100),
    ) {
        findings.claim(
            Claim::new(
                "1000 iterations of GPMINRES come lower than 100 of GPMINRES-P (its objective over that of GPMINRES-P)",
                plain.objective < with.objective,
            )
            .published(2.9035 / 2.8854)
            .ours(plain.objective / with.objective),
        );
    }
    if let (Some(plain), Some(with)) = (
        of(ways, Method::Gpminres),
        of(ways, Method::GpminresPreconditioned),
    ) {
        words.push(preconditioning(plain, with, optimum, findings));
    }
    if let (Some(jacobi), Some(gs)) = (of(ways, Method::Jacobi), of(ways, Method::GaussSeidel)) {
        let products = gs.last().products;
        let gap = |trial: &Trial| within(trial, products, |row| row.objective) - optimum;
        findings.claim(
            Claim::new(
                "Gauss–Seidel is ahead of Jacobi after as many iterations (Jacobi's distance to the optimum over its)",
                gap(gs) < gap(jacobi),
            )
            .published("marginally")
            .ours(gap(jacobi) / gap(gs)),
        );
    }
    findings.verdict = format!(
        "{} The impulses sharpen as in Fig. 5. Objectives are not the paper's: they scale with time step and packing, and it gives neither.",
        words.join(" ")
    );
}

/// GPMINRES's lead over Jacobi: the claim, and the words for the verdict.
fn lead(short: &Run, jacobi: &Trial, scale: f64, findings: &mut Findings) -> String {
    let reached = jacobi.first(|row| row.objective <= short.objective);
    let (products, all) = (short.trial.last().products as f64, jacobi.last());
    let ratio = reached.map(|row| row.products as f64 / products);
    let at_least = all.products as f64 / products;
    let ours = |ratio: Option<f64>, least: f64| match ratio {
        Some(ratio) => Cell::Number(ratio),
        None => Cell::Text(format!("> {}", short_number(least))),
    };
    // The fewer the spheres, the sooner Jacobi is there.
    let least = if scale >= LARGE { 10.0 } else { 2.0 };
    let iterations = ours(ratio, at_least);
    findings.claim(
        Claim::new(
            format!("Jacobi needs at least {least} times as many iterations as GPMINRES for the same objective (Jacobi's over GPMINRES's)"),
            ratio.unwrap_or(at_least) >= least,
        )
        .published(43.0)
        .ours(iterations.clone()),
    );
    let seconds = reached.map(|row| row.seconds / short.trial.seconds);
    let least = all.seconds / short.trial.seconds;
    findings.claim(
        Claim::new(
            "and it takes longer (Jacobi's time over GPMINRES's)",
            seconds.unwrap_or(least) > 1.0,
        )
        .published(95.41 / 6.70)
        .ours(ours(seconds, least))
        .timed(),
    );
    format!(
        "What GPMINRES has after {products} products costs Jacobi {} times as many (published 43).",
        iterations.short().replace("> ", "more than ")
    )
}

/// Whether the factor pays: time and products to the same distance from the optimum.
fn preconditioning(plain: &Trial, with: &Trial, optimum: f64, findings: &mut Findings) -> String {
    let start = -optimum;
    let near = |row: &drystone_ccp::HistoryRow| row.objective - optimum <= 1e-6 * start;
    let (Some(a), Some(b)) = (plain.first(near), with.first(near)) else {
        return "Not both forms of GPMINRES came within a millionth of the optimum.".to_owned();
    };
    findings.claim(
        Claim::new(
            "other than in the paper the factor costs no multiple of the time (GPMINRES-P's over GPMINRES's to the same point)",
            b.seconds < 10.0 * a.seconds,
        )
        .published(1675.0 / 6.70)
        .ours(b.seconds / a.seconds)
        .timed(),
    );
    format!(
        "Preconditioning is another matter than in the paper, where it took 250 times as long for less: to within a millionth of the optimum GPMINRES-P takes {} of the \
         products and {} of the time of GPMINRES. The paper took MATLAB's ilu, forced to a whole factor, at every active set; ours is a sparse Cholesky factor, made anew where the free set changes. How much of the difference is due to that we cannot tell.",
        short_number(b.products as f64 / a.products as f64),
        short_number(b.seconds / a.seconds)
    )
}
