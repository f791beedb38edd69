//! P0-T1: how far a thousand iterations of each method get under slabs of four masses.

use drystone_ccp::{Limits, Method};

use super::{BALLS, METHODS, TABLE_2, column, figure_5, problem, tolerance};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_of};
use crate::page::{Column, Entry, Table};
use crate::table::short_number;
use drystone_draw::plot::{Curve, CurveLook, Figure, Mark};

/// Iterations of each method in Table I.
const ITERATIONS: usize = 1000;

/// Table I: mass in kg, then residual and objective of Jacobi, Gauss–Seidel and APGD.
const TABLE_1: [(f64, [f64; 3], [f64; 3]); 4] = [
    (1e3, [1.27e-5, 9.43e-6, 1.10e-6], [-28.29, -117.70, -220.14]),
    (1e4, [1.48e-5, 1.27e-5, 3.18e-6], [-35.63, -162.99, -883.54]),
    (
        1e5,
        [1.52e-5, 1.36e-5, 9.09e-6],
        [-37.02, -176.94, -3199.27],
    ),
    (
        1e6,
        [1.53e-5, 1.37e-5, 1.18e-5],
        [-37.15, -210.23, -4696.48],
    ),
];

/// P0-T1: residual and objective after 1000 iterations.
pub fn convergence(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let limits = |method: Method| Limits {
        tolerance: tolerance(method),
        max_iterations: ITERATIONS,
        time_limit: None,
        ..Limits::default()
    };
    let mut by_mass: Vec<Vec<Trial>> = Vec::new();
    let mut contacts = 0;
    for (mass, ..) in TABLE_1 {
        let problem = problem(bench, mass, &mut findings)?;
        contacts = problem.cones().contacts();
        let mut trials = Vec::new();
        for &method in &methods {
            let what = format!("slab of {mass:e} kg");
            let trial = bench.run(&problem, &what, method, limits(method))?;
            findings.file(format!("history-{mass:e}-{}.csv", trial.name), trial.csv());
            trials.push(trial);
        }
        by_mass.push(trials);
    }
    findings.text(format!(
        "{} balls, {contacts} contacts, one step of 5 ms from γ = 0, {ITERATIONS} iterations per \
         method. The paper's residual r is its eq. 25, ‖γ − Π(γ − g_d ∇f)‖ / (g_d · rows) with \
         g_d = 1e-6; ours is relative, the natural map's of γ over that of zero.",
        bench.count(BALLS, 60)
    ));
    findings.table("table-1", table_1(&by_mass));
    findings.figure(
        "figure-5",
        with_published(figure_5(&by_mass[0]), TABLE_1[0].1),
        "Fig. 5 of the paper: the slab of 1 t. Circles: where the paper's methods ended.",
    );
    for (trials, (mass, published, _)) in by_mass.iter().zip(TABLE_1).skip(1) {
        findings.figure(
            format!("figure-5-{mass:e}"),
            with_published(figure_5(trials), published),
            format!("The same under {mass:e} kg, which the paper gives in Table I only."),
        );
    }
    claims_1(&by_mass, &mut findings);
    Ok(findings)
}

/// Adds the residuals that the paper's methods ended with.
fn with_published(mut figure: Figure, residuals: [f64; 3]) -> Figure {
    for ((method, ..), residual) in TABLE_2.iter().zip(residuals) {
        figure.panels[0].curves.push(Curve {
            look: CurveLook::method(*method).marks_only(Mark::OpenCircle),
            points: vec![[ITERATIONS as f64, residual]],
        });
    }
    figure
}

fn table_1(by_mass: &[Vec<Trial>]) -> Table {
    let mut table = Table::new(vec![
        Column::number("slab (kg)"),
        Column::word("method"),
        Column::number("r published"),
        Column::number("r ours"),
        Column::number("f published (J)"),
        Column::number("f ours (J)"),
        Column::number("our residual"),
        Column::number("time (s)"),
    ]);
    for (trials, (mass, residuals, objectives)) in by_mass.iter().zip(TABLE_1) {
        for trial in trials {
            let published = |of: [f64; 3]| column(&trial.name).map(|k| of[k]);
            let last = trial.last();
            table.rows.push(vec![
                mass.into(),
                Entry::from(trial.name.as_str()).swatch(trial.look),
                published(residuals).into(),
                trial.best(|row| row.measures.apgd_residual).into(),
                published(objectives).into(),
                last.objective.into(),
                trial.best(|row| row.residual).into(),
                trial.seconds.into(),
            ]);
        }
    }
    table.note = "Table I of the paper with ours beside it. Residuals are the best of a run; auto \
                  ends early where it has solved the problem."
        .to_owned();
    table
}

fn claims_1(by_mass: &[Vec<Trial>], findings: &mut Findings) {
    let r = |trial: &Trial| trial.best(|row| row.measures.apgd_residual);
    let ahead = |method: Method| {
        let is = |trials: &&Vec<Trial>| {
            let pair = trial_of(trials, method).zip(trial_of(trials, Method::Apgd));
            pair.is_some_and(|(ours, apgd)| r(ours) < r(apgd))
        };
        by_mass.iter().filter(is).count()
    };
    let mut lead = Vec::new();
    for (trials, (mass, published, objectives)) in by_mass.iter().zip(TABLE_1) {
        let [jacobi, gs, apgd] =
            [Method::Jacobi, Method::GaussSeidel, Method::Apgd].map(|m| trial_of(trials, m));
        let (Some(jacobi), Some(gs), Some(apgd)) = (jacobi, gs, apgd) else {
            continue; // the caller left one out
        };
        let [a, b, c] = [r(jacobi), r(gs), r(apgd)];
        findings.claim(
            Claim::new(
                format!(
                    "{mass:e} kg: in the residual Gauss–Seidel is ahead of Jacobi, APGD of both \
                     (Jacobi's over APGD's)"
                ),
                a > b && b > c,
            )
            .published(published[0] / published[2])
            .ours(a / c),
        );
        let f = [jacobi, gs, apgd].map(|t| t.last().objective);
        findings.claim(
            Claim::new(
                format!("{mass:e} kg: the same in the objective (APGD's over Gauss–Seidel's)"),
                f[0] > f[1] && f[1] > f[2],
            )
            .published(objectives[2] / objectives[1])
            .ours(f[2] / f[1]),
        );
        lead.push((b / c, c, published[1] / published[2]));
    }
    if let [first, .., last] = lead[..] {
        findings.claim(
            Claim::new(
                "a heavier slab is harder: APGD's residual grows from 1e3 to 1e6 kg by a factor",
                last.1 > first.1,
            )
            .published(TABLE_1[3].1[2] / TABLE_1[0].1[2])
            .ours(last.1 / first.1),
        );
        findings.claim(
            Claim::new(
                "and APGD's lead over Gauss–Seidel in 1000 iterations shrinks: the lead at 1e6 kg \
                 over that at 1e3 kg",
                last.0 < first.0,
            )
            .published(last.2 / first.2)
            .ours(last.0 / first.0),
        );
        findings.verdict = format!(
            "The order of the methods is the paper's under every slab, and so is the pattern of \
             Table I: the heavier the slab, the less a thousand iterations do. APGD leads \
             Gauss–Seidel by a factor of {} in the residual under 1 t and of {} under 1000 t \
             (published {} and {}). Absolute residuals and objectives differ: both depend on the \
             packing, on the overlaps that settling left and on the time step, which the paper \
             does not give. nesterov-gs, not in the paper, ends below APGD's residual under {} of \
             the {} slabs, auto under {}.",
            short_number(first.0),
            short_number(last.0),
            short_number(first.2),
            short_number(last.2),
            ahead(Method::NesterovGs),
            by_mass.len(),
            ahead(Method::Auto)
        );
    }
}
