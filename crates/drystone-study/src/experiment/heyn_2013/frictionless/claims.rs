//! What Heyn 2013 says of test problem 1 (P2-T1).

use drystone_ccp::Method;

use super::{FrictionlessRuns, PublishedRow, TABLE_1, TableRun};
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::trial::{reached, trial_of};

type Runs = FrictionlessRuns;

/// Lowest objective of Table I, J.
const LOWEST: f64 = -2.9045;

impl FrictionlessRuns {
    /// The row of Table I as run here.
    fn row(&self, method: Method, iterations: usize) -> Result<&TableRun, NoFigure> {
        let found = self.table.iter().find(|run| run.is(method, iterations));
        let left_out = || NoFigure::NotJudged(format!("{} was left out", method.name()));
        let run = found.ok_or_else(left_out)?;
        run.trial.result()?;
        Ok(run)
    }

    /// Distance of a row's objective from the optimum, over the optimum. Below rounding there is no
    /// difference.
    fn gap(&self, method: Method, iterations: usize) -> Result<f64, NoFigure> {
        let run = self.row(method, iterations)?;
        Ok(((run.objective - self.optimum) / self.optimum.abs()).max(1e-12))
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

/// What the paper says of test problem 1.
pub fn claims() -> Vec<Claim<Runs>> {
    use Method::{GaussSeidel, Gpminres, GpminresPreconditioned, Jacobi};
    const SAME: &str = "GPMINRES achieved the same objective function value after 1,000 iterations \
        as Jacobi did after 43,000 iterations, and did so over 14 times faster in terms of \
        computation speed";
    const PLAIN: &str = "the solution achieved without preconditioning after 1,000 total MINRES \
        iterations was both more accurate and faster than that achieved with preconditioning after \
        100 total MINRES iterations";
    const HARD: &str = "Our bed is not the paper's, of which only the number of contacts is known; \
        its cylinder was chosen so that Jacobi is about as slow as there.";
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
                "Jacobi's iterations to the objective of GPMINRES after 1000, over those",
                |runs| {
                    let short = runs.row(Gpminres, 1000)?;
                    let products = short.trial.last().products as f64;
                    Ok(runs.to_objective(Jacobi, short.objective)?.over(products))
                },
            ),
        Claim::<Runs>::published("same-objective-time", "§5, Table I", SAME)
            .factor(95.41 / 6.70)
            .timed()
            .cause(HARD)
            .measure("Jacobi's time to the objective of GPMINRES after 1000 iterations over GPMINRES's, both \
                 without a history", |runs| {
                let short = runs.row(Gpminres, 1000)?;
                let jacobi = runs.jacobi_seconds.clone()?;
                found(jacobi / short.trial.seconds)
            }),
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
