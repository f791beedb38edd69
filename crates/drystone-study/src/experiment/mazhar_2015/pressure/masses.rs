//! P0-T1: how far a thousand iterations of each method get under slabs of four masses.

use drystone::worse;
use drystone_ccp::{HistoryRow, Limits, Method};

use super::{
    METHODS, NOT_SAID, PUBLISHED, SlabStep, column, describe, figure_5, slab_step, tolerance,
};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::{Claim, Limit, NoFigure, found};
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_of};
use crate::page::{Column, Entry, Table};
use crate::table::short_number;
use drystone_draw::plot::{Curve, CurveLook, Figure, LegendEntry, Mark};

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

/// The runs under one slab.
struct SlabRuns {
    step: SlabStep,
    trials: Vec<Trial>,
}

/// The runs under all slabs, in the order of Table I.
pub struct PressureRuns(Vec<SlabRuns>);

impl PressureRuns {
    /// The iterate that a method returns: the one with the smallest residual r.
    fn end(&self, slab: usize, method: Method) -> Result<&HistoryRow, NoFigure> {
        Ok(best_iterate(trial_of(&self.0[slab].trials, method)?))
    }

    /// A method's residual over another's.
    fn r(&self, slab: usize, [a, b]: [Method; 2]) -> Result<f64, NoFigure> {
        let r = |m| Ok::<f64, NoFigure>(self.end(slab, m)?.measures.apgd_residual);
        Ok(r(a)? / r(b)?)
    }

    /// A method's objective over another's.
    fn f(&self, slab: usize, [a, b]: [Method; 2]) -> Result<f64, NoFigure> {
        Ok(self.end(slab, a)?.objective / self.end(slab, b)?.objective)
    }

    /// Under how many slabs something is true.
    fn slabs(&self, is: impl Fn(usize) -> Result<bool, NoFigure>) -> Result<f64, NoFigure> {
        let mut count = 0.0;
        for slab in 0..self.0.len() {
            count += f64::from(u8::from(is(slab)?));
        }
        Ok(count)
    }
}

/// The iterate with the smallest residual r: its residual and its objective belong together.
fn best_iterate(trial: &Trial) -> &HistoryRow {
    let r = |row: &HistoryRow| row.measures.apgd_residual;
    let rows = trial.history.iter();
    rows.min_by(|a, b| r(a).total_cmp(&r(b)))
        .unwrap_or(trial.last())
}

/// What the paper says of the slabs.
pub fn claims() -> Vec<Claim<PressureRuns>> {
    use Method::{Apgd, Auto, GaussSeidel, Jacobi, NesterovGs};
    type Runs = PressureRuns;
    let mut claims = Vec::new();
    for (k, (mass, r, f)) in TABLE_1.into_iter().enumerate() {
        let kg = format!("{mass:.0e} kg");
        claims.extend([
            Claim::<Runs>::published(
                format!("residual-gs-apgd-{mass:.0e}"),
                "Table I",
                "Residual r after 1000 iterations, column Gauss Seidel over column APGD",
            )
            .factor(r[1] / r[2])
            .cause(NOT_SAID)
            .measure(
                format!("{kg}: Gauss–Seidel's residual over APGD's"),
                move |runs| found(runs.r(k, [GaussSeidel, Apgd])?),
            ),
            Claim::<Runs>::published(
                format!("residual-jacobi-gs-{mass:.0e}"),
                "Table I",
                "Residual r after 1000 iterations, column Jacobi over column Gauss Seidel",
            )
            .factor(r[0] / r[1])
            .cause(NOT_SAID)
            .measure(
                format!("{kg}: Jacobi's residual over Gauss–Seidel's"),
                move |runs| found(runs.r(k, [Jacobi, GaussSeidel])?),
            ),
            Claim::<Runs>::published(
                format!("objective-apgd-gs-{mass:.0e}"),
                "Table I",
                "Objective function after 1000 iterations, column APGD over column Gauss Seidel",
            )
            .factor(f[2] / f[1])
            .cause(NOT_SAID)
            .measure(
                format!("{kg}: APGD's objective over Gauss–Seidel's"),
                move |runs| found(runs.f(k, [Apgd, GaussSeidel])?),
            ),
            Claim::<Runs>::published(
                format!("objective-gs-jacobi-{mass:.0e}"),
                "Table I",
                "Objective function after 1000 iterations, column Gauss Seidel over column Jacobi",
            )
            .factor(f[1] / f[0])
            .cause(NOT_SAID)
            .measure(
                format!("{kg}: Gauss–Seidel's objective over Jacobi's"),
                move |runs| found(runs.f(k, [GaussSeidel, Jacobi])?),
            ),
        ]);
    }
    claims.extend([
        Claim::<Runs>::published(
            "objective-apgd-jacobi",
            "§4.1.1",
            "APGD has an objective function value twice as small as GS and almost seven times \
             smaller than Jacobi",
        )
        .factor(7.0)
        .measure("1e3 kg: APGD's objective over Jacobi's", |runs| {
            found(runs.f(0, [Apgd, Jacobi])?)
        }),
        Claim::<Runs>::published(
            "objective-pattern",
            "Table I",
            "The objective of APGD over that of Gauss Seidel is 1.87, 5.42, 18.1, 22.3: it rises \
             with every mass",
        )
        .figure(3)
        .limit(Limit::AtLeast(3.0), "it rises from each mass to the next, three times")
        .cause(NOT_SAID)
        .measure("how often APGD's objective over Gauss–Seidel's rises with the mass", |runs| {
            let ratio = |slab| runs.f(slab, [Apgd, GaussSeidel]);
            let rises = runs.slabs(|k| Ok(k > 0 && ratio(k)? > ratio(k - 1)?))?;
            found(rises)
        }),
        Claim::<Runs>::published(
            "residual-growth",
            "Table I",
            "APGD's residual is 1.10e-6 under 1e3 kg and 1.18e-5 under 1e6 kg",
        )
        .factor(1.18e-5 / 1.10e-6)
        .cause(NOT_SAID)
        .measure("APGD's residual under 1e6 kg over that under 1e3 kg", |runs| {
            let r = |slab| Ok::<f64, NoFigure>(runs.end(slab, Apgd)?.measures.apgd_residual);
            found(r(3)? / r(0)?)
        }),
        Claim::<Runs>::published(
            "trend",
            "§4.1.1",
            "The table captures a similar trend; i.e., better convergence for APGD, for slab masses \
             up to 1 000 000 kg",
        )
        .figure(4)
        .limit(Limit::AtLeast(4.0), "better under each of the four slabs")
        .measure("slabs under which APGD's residual is the lowest of the paper's three", |runs| {
            let best = |k| {
                let [j, g] = [Jacobi, GaussSeidel].map(|m| runs.r(k, [m, Apgd]));
                Ok::<bool, NoFigure>(j?.min(g?) > 1.0)
            };
            found(runs.slabs(best)?)
        }),
        Claim::<Runs>::published(
            "absolute",
            "Table I",
            "1000 kg: residuals of 1.27e-5, 9.43e-6 and 1.10e-6, objectives of -28.29, -117.70 and \
             -220.14",
        )
        .size(-220.14)
        .measure("1e3 kg: APGD's objective (J)", |runs| {
            let f = runs.end(0, Apgd)?.objective;
            Err(NoFigure::NotJudged(format!(
                "r and f grow with the time step and with the overlaps that settling left, which \
                 the paper does not give; here it is {}",
                short_number(f)
            )))
        }),
        Claim::<Runs>::own("carried-by-balls")
            .limit(Limit::AtMost(0.0), "the balls alone are to carry the slab")
            .measure("contacts between slabs and walls that carry something", |runs| {
                let leaning = runs.0.iter().map(|slab| slab.step.leaning(&slab.trials));
                found(leaning.sum::<usize>() as f64)
            }),
        Claim::<Runs>::own("carried")
            .limit(Limit::AtMost(0.1), "the balls are to carry the slabs, to a tenth")
            .measure(
                "largest difference of the force on a slab from its weight, over that",
                |runs| {
                    let off = |slab: &SlabRuns| (slab.step.carried(&slab.trials) - 1.0).abs();
                    found(runs.0.iter().map(off).fold(0.0, worse))
                },
            ),
    ]);
    for method in [NesterovGs, Auto] {
        claims.push(
            Claim::<Runs>::own(method.name())
                .limit(Limit::AtLeast(4.0), "ahead under each of the four slabs")
                .measure(
                    format!(
                        "slabs under which {} ends below APGD's residual",
                        method.name()
                    ),
                    move |runs| found(runs.slabs(|k| Ok(runs.r(k, [method, Apgd])? < 1.0))?),
                ),
        );
    }
    claims
}

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
    let mut by_mass = Vec::new();
    for (mass, ..) in TABLE_1 {
        let step = slab_step(bench, mass, &mut findings)?;
        let mut trials = Vec::new();
        for &method in &methods {
            let what = format!("slab of {mass:e} kg");
            let trial = bench.run(step.problem(), &what, method, limits(method))?;
            findings.file(format!("history-{mass:e}-{}.csv", trial.name), trial.csv());
            trials.push(trial);
        }
        by_mass.push(SlabRuns { step, trials });
    }
    describe(bench, &by_mass[0].step, &by_mass[0].trials, &mut findings);
    findings.setup(
        "heavier slabs",
        "\"slab masses up to 1 000 000 kg\"; whether each settled anew is not said",
        "each settles on a bed of its own",
    );
    findings.text(format!(
        "One step from γ = 0, {ITERATIONS} iterations per method. The paper's residual r is its eq. \
         25, ‖γ − Π(γ − g_d ∇f)‖ / (g_d · rows) with g_d = 1e-6; ours is relative, the natural \
         map's of γ over that of zero. Residual and objective are of the same iterate, the one with \
         the smallest r, which the method returns."
    ));
    let runs = PressureRuns(by_mass);
    findings.table("table-1", table_1(&runs));
    for (k, (mass, residuals, _)) in TABLE_1.into_iter().enumerate() {
        let (name, caption) = match k {
            0 => (
                "figure-5".to_owned(),
                "Fig. 5 of the paper: the slab of 1 t. Circles: where the paper's methods ended. \
                 Thin: the residual of each iterate; thick: the best so far."
                    .to_owned(),
            ),
            _ => (
                format!("figure-5-{mass:e}"),
                format!("The same under {mass:e} kg, which the paper gives in Table I only."),
            ),
        };
        let mut figure = with_published(figure_5(&runs.0[k].trials), residuals);
        figure.title = format!("slab of {} t", mass / 1e3);
        findings.figure(name, figure, caption);
    }
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

/// Adds the residuals that the paper's methods ended with.
fn with_published(mut figure: Figure, residuals: [f64; 3]) -> Figure {
    for (method, residual) in PUBLISHED.into_iter().zip(residuals) {
        figure.panels[0].curves.push(Curve {
            look: CurveLook::method(method).marks_only(Mark::OpenCircle),
            points: vec![[ITERATIONS as f64, residual]],
        });
    }
    let look = CurveLook::lone().marks_only(Mark::OpenCircle);
    figure.legend.push(LegendEntry::new(
        "published, in the colour of its method",
        look,
    ));
    figure
}

fn table_1(runs: &PressureRuns) -> Table {
    let mut table = Table::new(vec![
        Column::number("slab (kg)"),
        Column::word("method"),
        Column::number("r published"),
        Column::number("r ours"),
        Column::number("f published (J)"),
        Column::number("f ours (J)"),
        Column::number("contacts"),
        Column::number("our residual"),
        Column::number("time (s)"),
    ]);
    for (slab, (mass, residuals, objectives)) in runs.0.iter().zip(TABLE_1) {
        for trial in &slab.trials {
            let published = |of: [f64; 3]| column(&trial.name).map(|k| of[k]);
            let end = best_iterate(trial);
            table.rows.push(vec![
                mass.into(),
                Entry::from(trial.name.as_str()).swatch(trial.look),
                published(residuals).into(),
                end.measures.apgd_residual.into(),
                published(objectives).into(),
                end.objective.into(),
                slab.step.problem().cones().contacts().into(),
                end.residual.into(),
                trial.seconds.into(),
            ]);
        }
    }
    table.note = "Table I of the paper with ours beside it: the iterate with the smallest r. auto \
                  ends early where it has solved the problem. Times include the writing of the \
                  history."
        .to_owned();
    table
}
