//! The claims of P2-T1.

use drystone_ccp::{HistoryRow, Method};

use super::TableRun;
use crate::experiment::claim::Claim;
use crate::experiment::contest::{LARGE, best_within};
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_of};
use crate::table::{Cell, short_number};

/// What the paper says of the bed, and what we find.
pub fn claims(
    runs: &[TableRun],
    recorded: &[Trial],
    (optimum, scale): (f64, f64),
    findings: &mut Findings,
) {
    let find = |method, iterations| runs.iter().find(|run| run.is(method, iterations));
    let mut words = Vec::new();
    if let (Some(short), Some(jacobi)) = (
        find(Method::Gpminres, 1000),
        trial_of(recorded, Method::Jacobi),
    ) {
        words.push(lead(short, jacobi, scale, findings));
    }
    let jacobi: Vec<f64> = runs
        .iter()
        .filter(|run| run.trial.name == Method::Jacobi.name())
        .map(TableRun::largest)
        .collect();
    if let [first, .., last] = jacobi[..] {
        findings.claim(
            Claim::new(
                "the impulses sharpen on the way: Jacobi's largest one grows with the iterations \
                 (the last over the first)",
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
                "1000 iterations of GPMINRES come lower than 100 of GPMINRES-P (its objective over \
                 that of GPMINRES-P)",
                plain.objective < with.objective,
            )
            .published(2.9035 / 2.8854)
            .ours(plain.objective / with.objective),
        );
    }
    if let (Some(plain), Some(with)) = (
        trial_of(recorded, Method::Gpminres),
        trial_of(recorded, Method::GpminresPreconditioned),
    ) {
        words.push(preconditioning(plain, with, optimum, findings));
    }
    gauss_seidel_claim(recorded, optimum, findings);
    findings.verdict = format!(
        "{} The impulses sharpen as in Fig. 5. Objectives are not the paper's: they scale with \
         time step and packing, and it gives neither.",
        words.join(" ")
    );
}

fn gauss_seidel_claim(recorded: &[Trial], optimum: f64, findings: &mut Findings) {
    if let (Some(jacobi), Some(gs)) = (
        trial_of(recorded, Method::Jacobi),
        trial_of(recorded, Method::GaussSeidel),
    ) {
        let products = gs.last().products;
        let gap = |trial: &Trial| best_within(trial, products, |row| row.objective) - optimum;
        findings.claim(
            Claim::new(
                "Gauss–Seidel is ahead of Jacobi after as many iterations (Jacobi's distance to \
                 the optimum over its)",
                gap(gs) < gap(jacobi),
            )
            .published("marginally")
            .ours(gap(jacobi) / gap(gs)),
        );
    }
}

/// GPMINRES's lead over Jacobi: the claim, and the words for the verdict.
fn lead(short: &TableRun, jacobi: &Trial, scale: f64, findings: &mut Findings) -> String {
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
            format!(
                "Jacobi needs at least {least} times as many iterations as GPMINRES for the same \
                 objective (Jacobi's over GPMINRES's)"
            ),
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

/// Whether the preconditioner pays: time and products to the same distance from the optimum.
fn preconditioning(plain: &Trial, with: &Trial, optimum: f64, findings: &mut Findings) -> String {
    let start = -optimum;
    let near = |row: &HistoryRow| row.objective - optimum <= 1e-6 * start;
    let (Some(a), Some(b)) = (plain.first(near), with.first(near)) else {
        return "Not both forms of GPMINRES came within a millionth of the optimum.".to_owned();
    };
    findings.claim(
        Claim::new(
            "other than in the paper, the factor costs less than ten times the time (GPMINRES-P's \
             over GPMINRES's to the same point)",
            b.seconds < 10.0 * a.seconds,
        )
        .published(1675.0 / 6.70)
        .ours(b.seconds / a.seconds)
        .timed(),
    );
    format!(
        "Preconditioning is another matter than in the paper, where it took 250 times as long for \
         less: to within a millionth of the optimum GPMINRES-P takes {} of the products and {} of \
         the time of GPMINRES. The paper took MATLAB's ilu, forced to a whole factor, at every \
         active set; ours is a sparse Cholesky factor, made anew where the free set changes. How \
         much of the difference is due to that we cannot tell.",
        short_number(b.products as f64 / a.products as f64),
        short_number(b.seconds / a.seconds)
    )
}
