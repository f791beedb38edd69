//! What Heyn 2013 says of test problem 3 (P2-T3).

use drystone::worse;
use drystone_ccp::{HistoryRow, Method};

use super::{LoadedBed, LoadedBeds, MASSES};
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::contest::{best_within, products_near};
use crate::experiment::trial::{reached, trial_of};
use crate::table::short_number;

type Beds = LoadedBeds;

/// Iterations after which objectives are compared, as many as in the paper's Table I: Fig. 12 gives
/// no number.
const AFTER: usize = 1000;

/// Share of the optimum to which the growth with the mass is measured: it shows in a figure of the
/// normalised objective.
const NEAR: f64 = 0.01;

/// The paper's other methods.
const OTHERS: [Method; 3] = [Method::Jacobi, Method::Spg, Method::Kucera];

/// Share of the optimum below which there is no difference but rounding.
const ROUNDING: f64 = 1e-12;

impl LoadedBed {
    /// How far a method's objective is above the optimum after [`AFTER`] iterations, over it, and at
    /// least [`ROUNDING`].
    fn gap(&self, method: Method) -> Result<f64, NoFigure> {
        let trial = trial_of(&self.trials, method)?;
        let f = best_within(trial, AFTER, |row: &HistoryRow| row.objective);
        Ok(((f - self.optimum) / self.optimum.abs()).max(ROUNDING))
    }

    /// The nearest to the optimum of the paper's other methods, and its distance as in [`Self::gap`].
    fn next_best(&self) -> Result<(Method, f64), NoFigure> {
        let mut next = (Method::Jacobi, f64::INFINITY);
        for method in OTHERS {
            let gap = self.gap(method)?;
            if gap < next.1 {
                next = (method, gap);
            }
        }
        Ok(next)
    }

    /// Products of a method to [`NEAR`]; those of Jacobi by its longer run.
    fn products(&self, method: Method) -> Result<Measured, NoFigure> {
        let trials = match method {
            Method::Jacobi => &self.longer,
            _ => &self.trials,
        };
        Ok(products_near(trial_of(trials, method)?, self.optimum, NEAR))
    }
}

impl LoadedBeds {
    /// How many times as many iterations a method takes under the heaviest weight as under the
    /// lightest; a lower bound where it does not get there under the heaviest.
    fn growth(&self, method: Method) -> Result<Measured, NoFigure> {
        let [light, heavy] = [0, MASSES.len() - 1].map(|k| &self.beds[k]);
        let what = format!("{} under {} kg", method.name(), light.mass);
        let first = reached(&what, light.products(method)?)?;
        Ok(heavy.products(method)?.over(first))
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
            .cause("How the paper's bed was poured and settled is not given.")
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
                .cause("The paper's figure gives no number of iterations.")
                .measure(
                    format!(
                        "{mass} kg: distance from the optimum of the next best of the paper's \
                         methods after {AFTER} iterations over that of GPMINRES"
                    ),
                    move |beds| {
                        let bed = &beds.beds[k];
                        found(bed.next_best()?.1 / bed.gap(Method::Gpminres)?)
                    },
                ),
        );
    }
    for method in OTHERS {
        claims.push(
            Claim::<Beds>::published(format!("degrades-{}", method.name()), "§5.2, Fig. 12", BEST)
                .limit(Limit::AtLeast(1.0), "less significant: it grows by less")
                .measure(
                    format!(
                        "growth from 1 t to 16 t of the iterations of {} to a hundredth above the \
                         optimum, over that of GPMINRES",
                        method.name()
                    ),
                    move |beds| match beds.growth(Method::Gpminres)? {
                        Measured::Exactly(own) => Ok(beds.growth(method)?.over(own)),
                        Measured::AtLeast(_) => Err(NoFigure::Failed(
                            "gpminres does not get there under 16 t".to_owned(),
                        )),
                    },
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

/// Where GPMINRES is not the best of the paper's methods: what it and the next are above the optimum.
pub fn remarks(beds: &LoadedBeds) -> Vec<String> {
    let above = |gap: f64| match gap > ROUNDING {
        true => format!("misses {} of the optimum", short_number(gap)),
        false => "is at the optimum to rounding".to_owned(),
    };
    let sentence = |bed: &LoadedBed| {
        let (own, (other, next)) = (bed.gap(Method::Gpminres).ok()?, bed.next_best().ok()?);
        let words = format!(
            "After {AFTER} iterations under {} kg GPMINRES {}; of the others {} is nearest and {}.",
            bed.mass,
            above(own),
            other.name(),
            above(next),
        );
        (next <= own).then_some(words)
    };
    beds.beds.iter().filter_map(sentence).collect()
}
