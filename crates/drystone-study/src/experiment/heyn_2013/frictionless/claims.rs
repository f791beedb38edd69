//! What Heyn 2013 says of test problem 1 (P2-T1).

use drystone_ccp::Method;

use super::{FrictionlessRuns, PublishedRow, TABLE_1, TableRun};
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::contest::products_near;
use crate::experiment::trial::{reached, trial_of};
use crate::table::short_number;

type Runs = FrictionlessRuns;

/// Lowest objective of Table I, J.
const LOWEST: f64 = -2.9045;

/// Share of the optimum below which there is no difference but rounding.
const AT_ROUNDING: f64 = 1e-12;

impl FrictionlessRuns {
    /// The row of Table I as run here.
    fn row(&self, method: Method, iterations: usize) -> Result<&TableRun, NoFigure> {
        let found = self.table.iter().find(|run| run.is(method, iterations));
        let left_out = || NoFigure::NotJudged(format!("{} was left out", method.name()));
        let run = found.ok_or_else(left_out)?;
        run.trial.result()?;
        Ok(run)
    }

    /// Distance of a row's objective from the optimum, over the optimum, and at least
    /// [`AT_ROUNDING`].
    fn gap(&self, method: Method, iterations: usize) -> Result<f64, NoFigure> {
        Ok(self.gap_of(self.row(method, iterations)?))
    }

    fn gap_of(&self, run: &TableRun) -> f64 {
        ((run.objective - self.optimum) / self.optimum.abs()).max(AT_ROUNDING)
    }

    /// Products that a method takes to the accuracy of the paper's GPMINRES after 1000 iterations.
    fn to_same(&self, method: Method) -> Result<Measured, NoFigure> {
        let trial = trial_of(&self.recorded, method)?;
        Ok(products_near(trial, self.optimum, paper_accuracy()))
    }

    /// Jacobi's time to that accuracy over GPMINRES's.
    fn same_seconds_ratio(&self) -> Result<f64, NoFigure> {
        let [gpminres, jacobi] = self.same_seconds.clone();
        Ok(jacobi? / gpminres?)
    }

    /// Time of an iteration in a row of Table I, s.
    fn iteration_seconds(&self, method: Method, iterations: usize) -> Result<f64, NoFigure> {
        let trial = &self.row(method, iterations)?.trial;
        Ok(trial.seconds / trial.last().products as f64)
    }

    /// Products that a method takes to an objective.
    fn to_objective(&self, method: Method, objective: f64) -> Result<Measured, NoFigure> {
        let trial = trial_of(&self.recorded, method)?;
        Ok(trial.products_until(|row| row.objective <= objective))
    }
}

/// A row of Table I.
fn published(method: Method, iterations: usize) -> &'static PublishedRow {
    let is = |row: &&PublishedRow| row.method == method && row.iterations == iterations;
    TABLE_1.iter().find(is).unwrap_or(&TABLE_1[0])
}

/// Its distance from the lowest objective of the table, over that.
fn published_gap(method: Method, iterations: usize) -> f64 {
    (published(method, iterations).objective - LOWEST) / LOWEST.abs()
}

/// Share of the optimum that the paper's GPMINRES misses after 1000 iterations: the accuracy to which
/// its sentences compare the methods.
pub fn paper_accuracy() -> f64 {
    published_gap(Method::Gpminres, 1000)
}

/// Time of an iteration in a row of Table I, s.
fn published_seconds(method: Method, iterations: usize) -> f64 {
    published(method, iterations).seconds / iterations as f64
}

/// What the paper says of test problem 1.
pub fn claims() -> Vec<Claim<Runs>> {
    use Method::{GaussSeidel, Gpminres, GpminresPreconditioned, Jacobi};
    const SAME: &str = "GPMINRES achieved the same objective function value after 1,000 iterations \
        as Jacobi did after 43,000 iterations, and did so over 14 times faster in terms of \
        computation speed";
    const PLAIN: &str = "the solution achieved without preconditioning after 1,000 total MINRES \
        iterations was both more accurate and faster than that achieved with preconditioning after \
        100 total MINRES iterations";
    const COSTLIER: &str = "one iteration of GPMINRES is more computationally expensive than one \
        Jacobi sweep, yet, as illustrated by results in Table I, the former still is faster for \
        large systems given the lower number of iterations required to achieve the same level of \
        accuracy";
    const HARD: &str = "Our bed is not the paper's, of which only the number of contacts is known; \
        its cylinder was chosen by what Jacobi misses after a thousand sweeps.";
    let accuracy = short_number(paper_accuracy());
    let mut claims = vec![
        Claim::<Runs>::published("contacts", "§5", "1,000 bodies and 3,525 contacts")
            .contacts(3525.0)
            .measure("contacts of 1000 spheres", |runs| match runs.spheres {
                1000 => found(runs.contacts as f64),
                n => Err(NoFigure::NotJudged(format!("the bed has {n} spheres"))),
            }),
    ];
    for (iterations, words) in [
        (
            1000,
            "Jacobi, 1000 iterations: -2.5077, where the lowest is -2.9045",
        ),
        (
            10_000,
            "Jacobi, 10000 iterations: -2.8983, where the lowest is -2.9045",
        ),
    ] {
        claims.push(
            Claim::<Runs>::published(format!("jacobi-{iterations}"), "Table I", words)
                .size(published_gap(Jacobi, iterations))
                .cause(HARD)
                .measure(
                    format!(
                        "share of the optimum that Jacobi misses after {iterations} iterations"
                    ),
                    move |runs| found(runs.gap(Jacobi, iterations)?),
                ),
        );
    }
    claims.extend([
        Claim::<Runs>::published("same-objective", "§5", SAME)
            .factor(43.0)
            .cause(HARD)
            .measure(
                format!(
                    "Jacobi's iterations over GPMINRES's to {accuracy} above the optimum, which the \
                     paper's GPMINRES misses after 1000"
                ),
                |runs| {
                    let own = reached("gpminres", runs.to_same(Gpminres)?)?;
                    Ok(runs.to_same(Jacobi)?.over(own))
                },
            ),
        Claim::<Runs>::own("same-objective-1000")
            .limit(
                Limit::AtLeast(1.0),
                "GPMINRES is ahead, also where it has come after 1000 iterations here",
            )
            .measure(
                "Jacobi's iterations to the objective of GPMINRES after 1000, over those",
                |runs| {
                    let short = runs.row(Gpminres, 1000)?;
                    let products = short.trial.last().products as f64;
                    Ok(runs.to_objective(Jacobi, short.objective)?.over(products))
                },
            ),
        Claim::<Runs>::published("same-objective-time", "§5, Table I", SAME)
            .figure(published(Jacobi, 43_000).seconds / published(Gpminres, 1000).seconds)
            .limit(Limit::AtLeast(14.0), "over 14 times, in the paper's words")
            .timed()
            .cause(HARD)
            .measure(
                format!(
                    "Jacobi's time over GPMINRES's to {accuracy} above the optimum, both without a \
                     history"
                ),
                |runs| found(runs.same_seconds_ratio()?),
            ),
        Claim::<Runs>::published("iteration-cost", "§6, Table I", COSTLIER)
            .figure(published_seconds(Gpminres, 1000) / published_seconds(Jacobi, 43_000))
            .limit(Limit::AtLeast(1.0), "more expensive: it takes longer at all")
            .timed()
            .cause(
                "The paper's programs are in MATLAB, and its iteration of GPMINRES is a MINRES step; \
                 here it is a product with N and what comes with it.",
            )
            .measure(
                "time of an iteration of GPMINRES in its row of 1000 over that of one of Jacobi in \
                 its row of 43 000",
                |runs| {
                    let own = runs.iteration_seconds(Gpminres, 1000)?;
                    found(own / runs.iteration_seconds(Jacobi, 43_000)?)
                },
            ),
        Claim::<Runs>::published("still-faster", "§6, Table I", COSTLIER)
            .limit(Limit::AtLeast(1.0), "faster: its time is the shorter one")
            .timed()
            .measure(
                format!(
                    "time of Jacobi over that of GPMINRES to the same accuracy, {accuracy} above \
                     the optimum"
                ),
                |runs| found(runs.same_seconds_ratio()?),
            ),
        Claim::<Runs>::published(
            "fewer-minres",
            "§6",
            "Using preconditioning in the solution of the subproblem allowed for fewer MINRES \
             iterations to be used",
        )
        .limit(Limit::AtLeast(1.0), "fewer: GPMINRES takes more")
        .measure(
            format!("iterations of GPMINRES over those of GPMINRES-P to {accuracy} above the optimum"),
            |runs| {
                let own = reached("gpminres-p", runs.to_same(GpminresPreconditioned)?)?;
                Ok(runs.to_same(Gpminres)?.over(own))
            },
        ),
        Claim::<Runs>::published("plain-accurate", "§5, Table I", PLAIN)
            .factor(published_gap(GpminresPreconditioned, 100) / published_gap(Gpminres, 1000))
            .cause(
                "With a whole factor MINRES needs a few iterations on each active set, so that a \
                 hundred may be enough for the optimum.",
            )
            .measure(
                "distance from the optimum of GPMINRES-P after 100 iterations over that of GPMINRES \
                 after 1000",
                |runs| found(runs.gap(GpminresPreconditioned, 100)? / runs.gap(Gpminres, 1000)?),
            ),
        Claim::<Runs>::published(
            "factor-cost",
            "§5, Table I",
            "preconditioning is expensive in this implementation; the computation of the \
             preconditioning factors was prohibitively expensive (1675 s and 6.70 s)",
        )
        .factor(1675.0 / 6.70)
        .timed()
        .cause(
            "The paper took MATLAB's ilu, forced to a whole factor, at every active set; ours is a \
             sparse Cholesky factor, made anew where the free set changes.",
        )
        .measure("time of 100 iterations of GPMINRES-P over that of 1000 of GPMINRES", |runs| {
            let seconds = |m, n| Ok::<f64, NoFigure>(runs.row(m, n)?.trial.seconds);
            found(seconds(GpminresPreconditioned, 100)? / seconds(Gpminres, 1000)?)
        }),
        Claim::<Runs>::published(
            "sharpens",
            "Fig. 5, Table I",
            "the solution vector becomes sharper as more iterations are performed, the maximum \
             magnitude of the normal contact impulses increases toward the correct value (4.4961 to \
             8.0619 for Jacobi)",
        )
        .factor(8.0619 / 4.4961)
        .cause(HARD)
        .measure("Jacobi's largest impulse after 100 000 iterations over that after 1000", |runs| {
            found(runs.row(Jacobi, 100_000)?.largest() / runs.row(Jacobi, 1000)?.largest())
        }),
        Claim::<Runs>::published(
            "lowest",
            "Table I",
            "GPMINRES, 10000 iterations: -2.9045; Jacobi, 100000 iterations: -2.9043",
        )
        .limit(Limit::AtLeast(1.01), "GPMINRES's is the lower; a tie at rounding is not")
        .cause(HARD)
        .measure(
            "distance from the optimum of Jacobi after 100 000 iterations over that of GPMINRES \
             after 10 000",
            |runs| found(runs.gap(Jacobi, 100_000)? / runs.gap(Gpminres, 10_000)?),
        ),
        Claim::<Runs>::published(
            "gauss-seidel",
            "§5",
            "the Jacobi solver, unlike the marginally more efficient Gauss-Seidel approach, is more \
             amenable to parallel computing",
        )
        .figure("marginally")
        .limit(Limit::Between(1.0, 2.0), "marginally: ahead, by less than a factor of two")
        .cause("The paper says so in passing; no Gauss–Seidel is run in it.")
        .measure(
            "Jacobi's iterations over Gauss–Seidel's to a thousandth above the optimum",
            |runs| {
                let to = runs.optimum + 1e-3 * runs.optimum.abs();
                let gs = reached("gauss-seidel", runs.to_objective(GaussSeidel, to)?)?;
                Ok(runs.to_objective(Jacobi, to)?.over(gs))
            },
        ),
    ]);
    claims
}

/// What the figures of the run say of the causes: how fast Jacobi converges late, what an iteration
/// costs, and which rows of Table I are at rounding.
pub fn remarks(runs: &Runs) -> Vec<String> {
    let sentences = [late(runs), iterations_and_cost(runs), at_rounding(runs)];
    sentences.into_iter().flatten().collect()
}

fn late(runs: &Runs) -> Option<String> {
    let [early, late] = [1000, 10_000].map(|n| runs.gap(Method::Jacobi, n));
    let ours = early.ok()? / late.ok()?;
    let published = published_gap(Method::Jacobi, 1000) / published_gap(Method::Jacobi, 10_000);
    Some(format!(
        "From its row of 1000 to that of 10 000 what Jacobi misses falls by a factor of {} here, of \
         {} in the paper.",
        short_number(ours),
        short_number(published)
    ))
}

fn iterations_and_cost(runs: &Runs) -> Option<String> {
    let rows = [(Method::Gpminres, 1000), (Method::Jacobi, 43_000)];
    let mut words = Vec::new();
    for (method, iterations) in rows {
        let products = match runs.to_same(method).ok()? {
            Measured::Exactly(n) => n.to_string(),
            Measured::AtLeast(n) => format!("more than {n}"),
        };
        words.push(format!(
            "{} takes {products} iterations of {} ms here, {iterations} of {} ms in the paper",
            method.name(),
            short_number(1e3 * runs.iteration_seconds(method, iterations).ok()?),
            short_number(1e3 * published_seconds(method, iterations)),
        ));
    }
    let accuracy = short_number(paper_accuracy());
    Some(format!(
        "To {accuracy} above the optimum {}.",
        words.join("; ")
    ))
}

fn at_rounding(runs: &Runs) -> Option<String> {
    let there = |run: &&TableRun| run.trial.failed.is_none() && runs.gap_of(run) <= AT_ROUNDING;
    let labels: Vec<String> = runs
        .table
        .iter()
        .filter(there)
        .map(TableRun::label)
        .collect();
    (labels.len() > 1).then(|| {
        format!(
            "At the optimum to rounding, where none is nearer than another, these rows of Table I \
             end: {}.",
            labels.join(", ")
        )
    })
}
