//! What Heyn 2013 says of test problem 3 (P2-T3).

use drystone::worse;
use drystone_ccp::{HistoryRow, Method};

use super::{LoadedBed, LoadedBeds, MASSES};
use crate::experiment::claim::{Claim, Limit, NoFigure, found};
use crate::experiment::contest::{best_within, products_near};
use crate::experiment::trial::{reached, trial_of};

type Beds = LoadedBeds;

/// Iterations after which objectives are compared, as many as in the paper's Table I: Fig. 12 gives
/// no number.
const AFTER: usize = 1000;

/// Share of the optimum to which the growth with the mass is measured: it shows in a figure of the
/// normalised objective.
const NEAR: f64 = 0.01;

impl LoadedBed {
    /// How far a method's objective is above the optimum after [`AFTER`] iterations, over it. Below
    /// rounding there is no difference.
    fn gap(&self, method: Method) -> Result<f64, NoFigure> {
        let trial = trial_of(&self.trials, method)?;
        let f = best_within(trial, AFTER, |row: &HistoryRow| row.objective);
        Ok(((f - self.optimum) / self.optimum.abs()).max(1e-12))
    }
}

impl LoadedBeds {
    /// How many times as many iterations a method takes under the heaviest weight as under the
    /// lightest.
    fn growth(&self, method: Method) -> Result<f64, NoFigure> {
        let to = |k: usize| {
            let bed = &self.beds[k];
            let trial = trial_of(&bed.trials, method)?;
            let products = products_near(trial, bed.optimum, NEAR);
            reached(
                &format!("{} under {} kg", method.name(), bed.mass),
                products,
            )
        };
        Ok(to(MASSES.len() - 1)? / to(0)?)
    }
}

/// What the paper says of the weights.
pub fn claims() -> Vec<Claim<Beds>> {
    const BEST: &str = "Once again, GPMINRES performs best for all three scenarios. Further, the \
        performance degradation with increasing mass is less significant for GPMINRES than for \
        other algorithms";
    let mut claims = vec![
        Claim::<Beds>::published("contacts", "§5.2", "This scenario had 4,295 contacts")
            .contacts(4295.0)
            .measure(
                "contacts of 1000 spheres and the weight",
                |beds| match beds.spheres {
                    1000 => found(beds.beds[0].problem.dim() as f64),
                    n => Err(NoFigure::NotJudged(format!("the bed has {n} spheres"))),
                },
            ),
    ];
    for (k, mass) in MASSES.into_iter().enumerate() {
        claims.push(
            Claim::<Beds>::published(format!("best-{mass}"), "§5.2, Fig. 12", BEST)
                .limit(
                    Limit::AtLeast(1.01),
                    "best: nearer to the optimum than any other, by a hundredth at the least; a tie \
                     is not best",
                )
                .cause(
                    "Where 1000 iterations are enough for all but Jacobi to come to the optimum to \
                     rounding, none is best; the paper's figure gives no number of iterations.",
                )
                .measure(
                    format!(
                        "{mass} kg: distance from the optimum of the next best of the paper's \
                         methods after {AFTER} iterations over that of GPMINRES"
                    ),
                    move |beds| {
                        let bed = &beds.beds[k];
                        let others = [Method::Jacobi, Method::Spg, Method::Kucera];
                        let mut next = f64::INFINITY;
                        for method in others {
                            next = next.min(bed.gap(method)?);
                        }
                        found(next / bed.gap(Method::Gpminres)?)
                    },
                ),
        );
    }
    for method in [Method::Jacobi, Method::Spg, Method::Kucera] {
        claims.push(
            Claim::<Beds>::published(format!("degrades-{}", method.name()), "§5.2, Fig. 12", BEST)
                .limit(Limit::AtLeast(1.0), "less significant: it grows by less")
                .cause(
                    "A method that runs out of iterations has no figure, and then nothing can be \
                     said of its growth.",
                )
                .measure(
                    format!(
                        "growth from 1 t to 16 t of the iterations of {} to a hundredth above the \
                         optimum, over that of GPMINRES",
                        method.name()
                    ),
                    move |beds| found(beds.growth(method)? / beds.growth(Method::Gpminres)?),
                ),
        );
    }
    claims.push(
        Claim::<Beds>::own("carried")
            .limit(
                Limit::AtMost(0.1),
                "the spheres are to carry the weight, to a tenth",
            )
            .measure(
                "largest difference of the spheres' impulse on the weight from the weight's own in \
                 a step, over that",
                |beds| {
                    let off = beds.beds.iter().map(|bed| (bed.carried - 1.0).abs());
                    found(off.fold(0.0, worse))
                },
            ),
    );
    claims
}
