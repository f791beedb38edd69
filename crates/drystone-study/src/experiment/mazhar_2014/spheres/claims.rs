//! What Mazhar 2014 says of the settled spheres (P1-S1, P1-S2).

use drystone_ccp::{HistoryRow, Method};

use super::{BedRuns, Settling, SphereRuns};
use crate::experiment::claim::{Claim, Limit, NoFigure, found};
use crate::experiment::trial::{Trial, kept_by_fall_back};

type Runs = SphereRuns;

/// What depends on a mass that the paper does not give.
fn by_mass(what: &str) -> NoFigure {
    NoFigure::NotJudged(format!(
        "{what} is proportional to the spheres' mass, which the paper does not give"
    ))
}

/// A change of the objective that rounding may make, J.
fn rounding(runs: &Runs) -> f64 {
    1e-9 * runs.own.target.abs()
}

/// P1-S1.
pub fn thorough_claims() -> Vec<Claim<Runs>> {
    bed_claims(Settling::Thorough)
}

/// P1-S2.
pub fn poor_claims() -> Vec<Claim<Runs>> {
    let mut claims = bed_claims(Settling::Poor);
    claims.extend(comparing_claims());
    claims
}

/// What the paper says of either bed.
fn bed_claims(settling: Settling) -> Vec<Claim<Runs>> {
    let published = settling.published();
    let [mosek, apgd] = published.iterations;
    let (place, figure, words) = match settling {
        Settling::Thorough => (
            "§5.1.1",
            "Fig. 2",
            "the target objective was -0.0232 reached after 23 Mosek iterations, after 561 \
             iterations the APGD solver reached a value of -0.023199",
        ),
        Settling::Poor => (
            "§5.1.2",
            "Fig. 4",
            "the Mosek solver performed 21 iterations to get to an objective function value of \
             -0.5312, in comparison APGD took 825 to get to an objective function value of -0.53119",
        ),
    };
    let [contacts, kinetic, condition] = match settling {
        Settling::Thorough => [
            "Letting the spheres settle thoroughly resulted in 1049 contacts",
            "Kinetic Energy, Thoroughly Settled: 0.0215",
            "cond(DᵀM⁻¹D), Thoroughly Settled: 8.33E+22",
        ],
        Settling::Poor => [
            "Letting the spheres settle poorly resulted in 1050 contacts",
            "Kinetic Energy, Poorly Settled: 1.5637",
            "cond(DᵀM⁻¹D), Poorly Settled: 4.67E+23",
        ],
    };
    let mut claims = vec![
        Claim::<Runs>::published("contacts", place, contacts)
            .contacts(published.contacts as f64)
            .measure("contacts of 320 spheres", |runs| {
                let bed = &runs.own.bed;
                match bed.simulation.group("spheres").len() {
                    320 => found(bed.problem.cones().contacts() as f64),
                    n => Err(NoFigure::NotJudged(format!("the bed has {n} spheres"))),
                }
            }),
        Claim::<Runs>::published("mosek-iterations", place, words)
            .size(mosek as f64)
            .cause("Mosek is another interior point method, and starts elsewhere.")
            .measure(
                "iterations of the interior point, in Mosek's place, to its objective",
                |runs| found(runs.own.iterations(Method::InteriorPoint)? as f64),
            ),
        Claim::<Runs>::published("apgd-iterations", place, words)
            .size(apgd as f64)
            .measure("APGD's iterations to the interior point's objective", |runs| {
                found(runs.own.iterations(Method::Apgd)? as f64)
            }),
        Claim::<Runs>::published("objective", place, words)
            .size(published.objective)
            .measure("objective of the solution (J)", |_| Err(by_mass("the objective"))),
        Claim::<Runs>::published("kinetic-energy", "Table 1", kinetic)
            .size(published.kinetic)
            .measure("kinetic energy of the settled spheres (J)", |_| {
                Err(by_mass("the kinetic energy"))
            }),
        Claim::<Runs>::published("condition", "Table 1", condition)
            .size(published.condition)
            .measure("condition number of N", |_| {
                Err(NoFigure::NotJudged(
                    "N has more rows than degrees of freedom and is singular: a number far above \
                     1e16 is one of rounding errors"
                        .to_owned(),
                ))
            }),
        Claim::<Runs>::published(
            "closer",
            figure,
            "Increasing the number of iterations for the APGD solver brings the solution closer to \
             that of Mosek",
        )
        .limit(Limit::AtMost(0.0), "closer each time")
        .measure(
            "how often more iterations of those shown bring APGD's velocities further away",
            |runs| {
                runs.own.iterations(Method::Apgd)?;
                let rises = runs.own.distances.windows(2).filter(|w| w[1] >= w[0]);
                found(rises.count() as f64)
            },
        ),
        Claim::<Runs>::published(
            "apgd-monotone",
            "§6.1",
            "APGD can be terminated at any time and the method guarantees that the solution is \
             better or equal to that computed using the previous iteration",
        )
        .limit(Limit::AtMost(0.0), "better or equal: it never rises")
        .cause(
            "Eq. 25 picks the iterate that APGD returns: its residual cannot rise, the objective \
             that belongs to it can.",
        )
        .measure(
            "checks at which the objective of what APGD would return rises by more than rounding",
            |runs| {
                let kept = kept_by_fall_back(runs.own.of(Method::Apgd)?, |row| {
                    row.measures.apgd_residual
                });
                let rises = |w: &&[HistoryRow]| w[1].objective - w[0].objective > rounding(runs);
                found(kept.windows(2).filter(rises).count() as f64)
            },
        ),
        Claim::<Runs>::own("clarabel")
            .limit(Limit::AtMost(1e-6), "both solve to far more digits")
            .measure(
                "relative difference of the interior point's objective and that of an outside conic \
                 solver, Clarabel",
                |runs| {
                    let outside: &Trial = runs.own.clarabel()?;
                    found((outside.last().objective / runs.own.target - 1.0).abs())
                },
            ),
    ];
    if settling == Settling::Thorough {
        claims.extend([
            Claim::<Runs>::published(
                "on-top",
                "Fig. 2",
                "The APGD 561 case is exactly on top of the Mosek solution, making it difficult to \
                 see the line",
            )
            .limit(
                Limit::AtMost(0.01),
                "a hundredth of a figure's height is the width of its lines",
            )
            .cause(
                "Near the optimum the objective rises with the square of the distance: points whose \
                 objectives agree to four digits may be a hundredth apart.",
            )
            .measure(
                "relative distance of APGD's velocities from the interior point's at the target",
                |runs| {
                    runs.own.iterations(Method::Apgd)?;
                    found(runs.own.distances.last().copied().unwrap_or(f64::NAN))
                },
            ),
            Claim::<Runs>::published(
                "strange",
                "Fig. 1, §6.1",
                "Mosek has strange convergence behavior in terms of it's objective function; it \
                 does not guarantee a better solution with increasing iterations",
            )
            .limit(
                Limit::AtLeast(1.0),
                "not better each time: worse at least once",
            )
            .measure(
                "iterations in which the interior point's objective moves away from its last value",
                |runs| {
                    let interior = runs.own.of(Method::InteriorPoint)?;
                    let last = interior.last().objective;
                    let off: Vec<f64> = interior
                        .history
                        .iter()
                        .map(|row| (row.objective - last).abs())
                        .collect();
                    found(off.windows(2).filter(|w| w[1] > w[0]).count() as f64)
                },
            ),
        ]);
    }
    // Not newton: its iterations factorise a matrix, so their number says something else.
    for method in [Method::NesterovGs, Method::Auto] {
        claims.push(
            Claim::<Runs>::own(method.name())
                .limit(Limit::AtMost(1.0), "fewer than APGD")
                .measure(
                    format!(
                        "iterations of {} to the objective over APGD's",
                        method.name()
                    ),
                    move |runs| {
                        let to = |m| runs.own.iterations(m).map(|n| n as f64);
                        found(to(method)? / to(Method::Apgd)?)
                    },
                ),
        );
    }
    claims
}

/// A figure of the poor bed over that of the thorough one.
fn over(runs: &Runs, of: impl Fn(&BedRuns) -> Result<f64, NoFigure>) -> Result<f64, NoFigure> {
    let none = || NoFigure::Failed("there is no thoroughly settled bed".to_owned());
    let thorough = runs.thorough.as_ref().ok_or_else(none)?;
    Ok(of(&runs.own)? / of(thorough)?)
}

/// What the paper says of the poor bed against the thorough one.
fn comparing_claims() -> Vec<Claim<Runs>> {
    const CAUSE: &str = "How much motion and overlap ten iterations per step leave depends on all \
        details of the settling solver, which the paper does not give. Our two beds also settled by \
        different methods, see the set-up.";
    let [a, b] = [Settling::Thorough, Settling::Poor].map(Settling::published);
    vec![
        Claim::<Runs>::published(
            "kinetic-ratio",
            "Table 1",
            "kinetic energy 1.5637 and 0.0215",
        )
        .factor(b.kinetic / a.kinetic)
        .cause(CAUSE)
        .measure(
            "kinetic energy, poorly settled over thoroughly settled",
            |runs| found(over(runs, |r| Ok(r.bed.kinetic))?),
        ),
        Claim::<Runs>::published("objective-ratio", "§5.1.1, §5.1.2", "-0.5312 and -0.0232")
            .factor(b.objective / a.objective)
            .cause(CAUSE)
            .measure(
                "objective, poorly settled over thoroughly settled",
                |runs| found(over(runs, |r| Ok(r.target))?),
            ),
        Claim::<Runs>::published(
            "iterations-ratio",
            "§5.1.1, §5.1.2",
            "825 and 561 iterations",
        )
        .factor(b.iterations[1] as f64 / a.iterations[1] as f64)
        .cause(CAUSE)
        .measure(
            "APGD's iterations, poorly settled over thoroughly settled",
            |runs| found(over(runs, |r| Ok(r.iterations(Method::Apgd)? as f64))?),
        ),
        Claim::<Runs>::published(
            "overlaps",
            "§5.1",
            "the thoroughly settled data set has smaller inter-penetrations between spheres",
        )
        .limit(Limit::AtLeast(1.0), "smaller")
        .measure(
            "deepest overlap, poorly settled over thoroughly settled",
            |runs| found(over(runs, |r| Ok(r.bed.overlap))?),
        ),
        Claim::<Runs>::published(
            "stiffer",
            "§5.2",
            "When enough iterations are used and the problem is properly converged, the simulation \
             becomes stiffer leading to a larger primal objective value after solving than the \
             initial input",
        )
        .limit(Limit::AtLeast(0.0), "larger than the input's")
        .measure(
            "primal objective of the solution less that of the input (J)",
            |runs| {
                let [input, solution] = runs.own.primal();
                found(solution - input)
            },
        ),
    ]
}
