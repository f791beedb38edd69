//! The claims of P1-S3.

use drystone_ccp::{Law, Method};

use super::{BedSize, BedSolver, LARGEST, PUBLISHED_CONTACTS, SolverGrowth};
use crate::compare::profile::median;
use crate::experiment::claim::Claim;
use crate::experiment::findings::Findings;
use crate::table::{Cell, short_number};

/// One of our methods under a law on all beds, if it was run.
fn growth_of(growths: &[SolverGrowth], method: Method, law: Law) -> Option<&SolverGrowth> {
    let wanted = BedSolver::Ours(method, law);
    growths.iter().find(|growth| growth.solver == wanted)
}

/// Median of the ratios of two solvers' times on the problems that both solved.
fn median_ratio(a: &SolverGrowth, b: &SolverGrowth) -> f64 {
    let pairs = a.points.iter().zip(&b.points);
    let ratios = pairs
        .filter(|(a, b)| a.solved && b.solved)
        .map(|(a, b)| a.seconds / b.seconds);
    median(ratios).unwrap_or(f64::NAN)
}

/// Largest relative difference between the objectives of the solvers of the relaxed problem.
fn disagreement(growths: &[SolverGrowth]) -> f64 {
    let relaxed: Vec<&SolverGrowth> = growths
        .iter()
        .filter(|g| !matches!(g.solver, BedSolver::Ours(_, Law::Exact)))
        .collect();
    let longest = relaxed.iter().map(|g| g.points.len()).max().unwrap_or(0);
    let spread = |k: usize| {
        let points = relaxed.iter().filter_map(|g| g.points.get(k));
        let values = points.filter(|p| p.solved).map(|p| p.objective);
        let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        (high - low) / low.abs()
    };
    (0..longest).map(spread).fold(0.0, f64::max)
}

/// What the paper says of its beds, and what we find.
pub fn claims(sizes: &[BedSize], growths: &[SolverGrowth], findings: &mut Findings) {
    let spread = disagreement(growths);
    findings.claim(
        Claim::new(
            "all methods of the relaxed problem agree on the objective (largest relative \
             difference)",
            spread < 1e-3,
        )
        .ours(spread),
    );
    if let Some(last) = sizes.last() {
        let ours = last.contacts as f64 / last.spheres as f64;
        let theirs = PUBLISHED_CONTACTS[1] as f64 / LARGEST as f64;
        findings.claim(
            Claim::new(
                format!(
                    "the beds are as dense as the paper's: contacts per sphere among {} \
                     (published: among {LARGEST}), within a third",
                    last.spheres
                ),
                (ours / theirs - 1.0).abs() < 1.0 / 3.0,
            )
            .published(theirs)
            .ours(ours),
        );
    }
    timed_claims(growths, findings);
}

/// The claims that rest on times.
fn timed_claims(growths: &[SolverGrowth], findings: &mut Findings) {
    let [apgd, interior] =
        [Method::Apgd, Method::InteriorPoint].map(|m| growth_of(growths, m, Law::Relaxed));
    let (Some(apgd), Some(interior)) = (apgd, interior) else {
        return; // the caller left one out
    };
    let ratio = median_ratio(apgd, interior);
    findings.claim(
        Claim::new(
            "APGD and the interior point are comparable, within a factor of ten (median of APGD's \
             time over the interior point's)",
            (0.1..10.0).contains(&ratio),
        )
        .published("comparable")
        .ours(ratio)
        .timed(),
    );
    if let Some(exact) = growth_of(growths, Method::Newton, Law::Exact) {
        let ratio = median_ratio(exact, interior);
        findings.claim(
            Claim::new(
                "the complementarity problem without the relaxation costs newton more, if it gets \
                 there at all (median of its time under the exact law over the interior point's)",
                ratio.is_nan() || ratio > 1.0,
            )
            .published("orders of magnitude (PATH)")
            .ours(match ratio.is_nan() {
                true => "never there".into(),
                false => Cell::Number(ratio),
            })
            .timed(),
        );
        let solved = exact.solved().count();
        findings.claim(
            Claim::new(
                "and it solves fewer of the problems than the interior point (problems solved; \
                 PATH: six, in 3600 s each)",
                solved <= interior.solved().count(),
            )
            .published(6)
            .ours(solved)
            .timed(),
        );
    }
    let exponents = [apgd, interior].map(|growth| growth.exponent(|p| p.seconds));
    findings.claim(
        Claim::new(
            "their times grow alike with the contacts (APGD's exponent less the interior point's, \
             within one)",
            (exponents[0] - exponents[1]).abs() < 1.0,
        )
        .published("similar")
        .ours(exponents[0] - exponents[1])
        .timed(),
    );
    for method in [Method::NesterovGs, Method::Auto] {
        let Some(own) = growth_of(growths, method, Law::Relaxed) else {
            continue;
        };
        let ratio = median_ratio(apgd, own);
        findings.claim(
            Claim::new(
                format!(
                    "{}, not in the paper, is ahead of APGD (median of APGD's time over its)",
                    method.name()
                ),
                ratio > 1.0,
            )
            .ours(ratio)
            .timed(),
        );
    }
}

/// What agrees with the paper and what does not.
pub fn verdict(sizes: &[BedSize], growths: &[SolverGrowth]) -> String {
    let contacts = |size: Option<&BedSize>| size.map_or(0, |size| size.contacts);
    let exponents: Vec<String> = growths
        .iter()
        .map(|g| {
            format!(
                "{} {}",
                g.solver.name(),
                short_number(g.exponent(|p| p.seconds))
            )
        })
        .collect();
    let first = contacts(sizes.first());
    let softer = sizes.iter().filter(|s| s.primal[1] > s.primal[0]).count();
    let find = |method, law| growth_of(growths, method, law);
    let mut compared = String::new();
    if let (Some(apgd), Some(interior)) = (
        find(Method::Apgd, Law::Relaxed),
        find(Method::InteriorPoint, Law::Relaxed),
    ) {
        compared += &format!(
            " APGD takes {} times the interior point's time in the median (published: comparable).",
            short_number(median_ratio(apgd, interior))
        );
    }
    if let Some(exact) = find(Method::Newton, Law::Exact) {
        compared += &format!(
            " newton under the exact law solved {} of {} beds in time; PATH solved six of 40.",
            exact.solved().count(),
            sizes.len()
        );
    }
    format!(
        "{first} to {} contacts (published {} to {} at 64 to 2560 spheres): with 77 contacts most \
         of the paper's 64 spheres lie on the floor, so its box seems not to have grown with their \
         number; ours does, and small beds have more contacts.{compared} Exponents of the time \
         over contacts: {}. In {softer} of {} beds the solution's primal objective lies above the \
         input's, by which the paper tells a bed that settled with too few iterations (Fig. 6).",
        contacts(sizes.last()),
        PUBLISHED_CONTACTS[0],
        PUBLISHED_CONTACTS[1],
        exponents.join(", "),
        sizes.len(),
    )
}
