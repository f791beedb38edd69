//! What Heyn 2013 says of test problem 2 (P2-T2).

use drystone_ccp::{HistoryRow, Method};

use super::{COMPARED, GrowingBed, GrowingBeds, SYSTEMS};
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::contest::{best_within, lead, products_near, products_to, seconds_to};
use crate::experiment::trial::{Trial, kept_by_fall_back, reached, trial_of};

type Beds = GrowingBeds;

/// Products that are the beginning of the iterative process: a tenth of the 1000 iterations of the
/// paper's Table I.
const BEGINNING: usize = 100;

/// Share of the first ‖ε‖₂ that is late: beyond it the figures of a paper in double precision end.
const LATE: f64 = 1e-8;

/// Share of the first ‖ε‖₂, and of the optimum, to which methods are compared with Jacobi.
const COMMON: f64 = 1e-3;

/// What the paper says of its three systems.
pub fn claims() -> Vec<Claim<Beds>> {
    let mut claims = Vec::new();
    for k in 0..SYSTEMS.len() {
        system_claims(k, &mut claims);
    }
    claims.extend(first_system_claims());
    for method in COMPARED {
        let name = method.name();
        claims.push(
            Claim::<Beds>::published(
                format!("scales-{name}"),
                "§6",
                "the scalability of Jacobi when applied to larger problems appears to be much worse \
                 than that of GPMINRES, SPG-FB, and Kučera",
            )
            .limit(Limit::AtLeast(2.0), "much worse: it grows by twice as much at the least")
            .measure(
                format!(
                    "growth from 1000 to 4000 spheres of Jacobi's iterations to a thousandth above \
                     the optimum, over that of {name}"
                ),
                move |beds| {
                    let to = |k: usize, m| {
                        let bed = &beds.0[k];
                        let trials = match m {
                            Method::Jacobi => &bed.longer,
                            _ => &bed.trials,
                        };
                        Ok::<_, NoFigure>(products_near(trial_of(trials, m)?, bed.optimum, COMMON))
                    };
                    let first = |m| reached("with 1000 spheres", to(0, m)?);
                    let own = reached(name, to(2, method)?)? / first(method)?;
                    Ok(to(2, Method::Jacobi)?.over(first(Method::Jacobi)? * own))
                },
            ),
        );
    }
    claims.push(
        Claim::<Beds>::published(
            "apgd-time",
            "Mazhar 2015, §4.1.3",
            "For large stacking and/or granular dynamics problems with hundreds of thousands of \
             contacts, run times of the APGD method are one to two orders of magnitude shorter than \
             those associated with existing Chrono solvers built around the projected Gauss-Seidel \
             or Krylov-subspace approaches [Heyn et al. 2013]",
        )
        .limit(Limit::AtLeast(10.0), "one to two orders: ten times at the least")
        .timed()
        .cause(
            "That sentence is of hundreds of thousands of contacts, with friction; this bed is \
             smaller and has none.",
        )
        .measure(
            format!(
                "system 3: time of GPMINRES to {LATE:e} of the first ‖ε‖₂ over that of APGD, both \
                 with a history"
            ),
            |beds| {
                let seconds = |m| {
                    let trial = trial_of(&beds.0[2].trials, m)?;
                    Ok::<_, NoFigure>(seconds_to(trial, LATE))
                };
                lead(seconds(Method::Gpminres)?, ("apgd", seconds(Method::Apgd)?))
            },
        ),
    );
    claims.push(
        Claim::<Beds>::published(
            "unsettled",
            "Fig. 10",
            "the size of the active set can be unsettled even as the objective function approaches \
             the minimum; this is best observed in the results from the larger systems",
        )
        .limit(Limit::AtLeast(1.0), "it changes at all")
        .measure(
            "system 3: most contacts by which an active set still changes once the objective is \
             within a thousandth of the optimum",
            |beds| {
                let bed = &beds.0[2];
                let change = |m| {
                    let trial = trial_of(&bed.trials, m)?;
                    let near = |row: &&HistoryRow| {
                        row.objective - bed.optimum <= COMMON * bed.optimum.abs()
                    };
                    let late: Vec<HistoryRow> =
                        trial.history.iter().filter(near).copied().collect();
                    Ok::<f64, NoFigure>(largest_change(&late))
                };
                found(change(Method::Gpminres)?.max(change(Method::Kucera)?))
            },
        ),
    );
    claims
}

/// What the paper says of every system, of the k-th.
fn system_claims(k: usize, claims: &mut Vec<Claim<Beds>>) {
    const BETTER: &str = "the SPG-FB, GPMINRES, and Kučera algorithms all perform significantly \
        better than Jacobi for all systems in Test Problem 2 in terms of both objective function \
        and residual value";
    const EARLY: &str = "SPG-FB performs best at the beginning of the iterative process, but its \
        performance degrades more quickly than that of GPMINRES. This result can be observed in the \
        residual plots for all systems";
    const SETS: &str = "Kučera experiences larger changes in the active set than does GPMINRES \
        during the solution process. Additionally, GPMINRES seems to settle on an active set more \
        quickly than Kučera";
    const BEDS: &str = "Our beds are not the paper's: how these were poured, settled and made ready \
        for one step is not given.";
    let n = k + 1;
    let (spheres, contacts) = SYSTEMS[k];
    claims.push(
        Claim::<Beds>::published(
            format!("contacts-{n}"),
            "§5.1",
            "1,000, 2,000, and 4,000 bodies, with 3,634, 8,507, and 17,161 contacts",
        )
        .contacts(contacts as f64)
        .cause(BEDS)
        .measure(
            format!("system {n}: contacts of {spheres} spheres"),
            move |beds| match beds.0[k].spheres == spheres {
                true => found(beds.0[k].problem.dim() as f64),
                false => Err(NoFigure::NotJudged(format!(
                    "it has {} spheres",
                    beds.0[k].spheres
                ))),
            },
        ),
    );
    for method in COMPARED {
        let name = method.name();
        let significantly = "significantly: a factor of two at the least";
        claims.extend([
            Claim::<Beds>::published(format!("objective-{name}-{n}"), "§5.1", BETTER)
                .limit(Limit::AtLeast(2.0), significantly)
                .measure(
                    format!("system {n}: Jacobi's iterations over those of {name} to a thousandth above the optimum"),
                    move |beds| {
                        let bed = &beds.0[k];
                        let to = |m| Ok::<_, NoFigure>(products_near(trial_of(&bed.trials, m)?, bed.optimum, COMMON));
                        lead(to(Method::Jacobi)?, (name, to(method)?))
                    },
                ),
            Claim::<Beds>::published(format!("residual-{name}-{n}"), "§5.1", BETTER)
                .limit(Limit::AtLeast(2.0), significantly)
                .measure(
                    format!("system {n}: Jacobi's iterations over those of {name} to a thousandth of the first ‖ε‖₂"),
                    move |beds| {
                        let to = |m| Ok::<_, NoFigure>(products_to(trial_of(&beds.0[k].trials, m)?, COMMON));
                        lead(to(Method::Jacobi)?, (name, to(method)?))
                    },
                ),
        ]);
    }
    claims.extend([
        Claim::<Beds>::published(format!("spg-early-{n}"), "§5.1", EARLY)
            .limit(Limit::AtLeast(1.0), "best: no other is lower")
            .cause(BEDS)
            .measure(
                format!("system {n}: the lower ‖ε‖₂ of GPMINRES and Kučera within {BEGINNING} iterations over SPG's"),
                move |beds| {
                    let early = |m| {
                        let trial = trial_of(&beds.0[k].trials, m)?;
                        Ok::<f64, NoFigure>(best_within(trial, BEGINNING, spectral))
                    };
                    let others = early(Method::Gpminres)?.min(early(Method::Kucera)?);
                    found(others / early(Method::Spg)?)
                },
            ),
        Claim::<Beds>::published(format!("spg-degrades-{n}"), "§5.1", EARLY)
            .limit(Limit::AtLeast(1.0), "more quickly: its iterations grow by more")
            .cause(BEDS)
            .measure(
                format!("system {n}: growth of SPG's iterations from {COMMON:e} to {LATE:e} of the first ‖ε‖₂, over that of GPMINRES's"),
                move |beds| {
                    let to = |m, share| Ok::<_, NoFigure>(products_to(trial_of(&beds.0[k].trials, m)?, share));
                    let [spg, gpminres] = [Method::Spg, Method::Gpminres];
                    let early = reached("gpminres", to(gpminres, COMMON)?)?;
                    let own = reached("gpminres", to(gpminres, LATE)?)? / early;
                    let early = reached("spg", to(spg, COMMON)?)?;
                    Ok(to(spg, LATE)?.over(early * own))
                },
            ),
        Claim::<Beds>::own(format!("gpminres-late-{n}"))
            .limit(Limit::AtLeast(1.0), "GPMINRES is ahead of SPG where it is late")
            .measure(
                format!("system {n}: SPG's iterations over GPMINRES's to {LATE:e} of the first ‖ε‖₂"),
                move |beds| {
                    let to = |m| Ok::<_, NoFigure>(products_to(trial_of(&beds.0[k].trials, m)?, LATE));
                    lead(to(Method::Spg)?, ("gpminres", to(Method::Gpminres)?))
                },
            ),
        Claim::<Beds>::published(format!("set-changes-{n}"), "Fig. 10", SETS)
            .limit(Limit::AtLeast(1.0), "larger")
            .cause(BEDS)
            .measure(
                format!("system {n}: largest change of the active set of Kučera's method over GPMINRES's"),
                move |beds| {
                    let change = |m| {
                        let trial = trial_of(&beds.0[k].trials, m)?;
                        // Without the start, where all contacts are active.
                        Ok::<f64, NoFigure>(largest_change(&trial.history[1..]))
                    };
                    found(change(Method::Kucera)? / change(Method::Gpminres)?)
                },
            ),
        Claim::<Beds>::published(format!("set-settles-{n}"), "Fig. 10", SETS)
            .limit(Limit::AtLeast(1.0), "more quickly")
            .cause(BEDS)
            .measure(
                format!("system {n}: iterations until the active set of Kučera's method keeps its size to a hundredth, over GPMINRES's"),
                move |beds| {
                    let bed = &beds.0[k];
                    let settles = |m| Ok::<f64, NoFigure>(settled_after(bed, trial_of(&bed.trials, m)?));
                    found(settles(Method::Kucera)? / settles(Method::Gpminres)?)
                },
            ),
    ]);
}

/// What the paper says of system 1, or of methods as such.
fn first_system_claims() -> Vec<Claim<Beds>> {
    const MONOTONE: &str = "Jacobi and SPG-FB are monotone in terms of both the objective function \
        and the residual";
    let mut claims = vec![
        Claim::<Beds>::published("jacobi-monotone", "§5.1", MONOTONE)
            .limit(Limit::AtMost(0.0), "monotone: it never rises")
            .measure(
                "all systems: checks at which Jacobi's objective or ‖ε‖₂ rises by more than rounding",
                |beds| {
                    let mut rises = 0;
                    for bed in &beds.0 {
                        let rows = &trial_of(&bed.trials, Method::Jacobi)?.history;
                        rises += rising(rows, bed.optimum);
                    }
                    found(rises as f64)
                },
            ),
        Claim::<Beds>::published("spg-monotone", "§5.1", MONOTONE)
            .limit(Limit::AtMost(0.0), "monotone: it never rises")
            .cause(
                "The line search looks back on ten iterates, and the fall-back keeps the iterate \
                 with the smallest residual, whose objective may lie above an earlier one's.",
            )
            .measure(
                "all systems: checks at which objective or ‖ε‖₂ of what SPG's fall-back keeps rises \
                 by more than rounding",
                |beds| {
                    let mut rises = 0;
                    for bed in &beds.0 {
                        let kept = kept_by_fall_back(trial_of(&bed.trials, Method::Spg)?, spectral);
                        rises += rising(&kept, bed.optimum);
                    }
                    found(rises as f64)
                },
            ),
    ];
    for method in COMPARED {
        let name = method.name();
        claims.push(
            Claim::<Beds>::own(format!("feasibility-{name}"))
            .limit(
                Limit::AtLeast(2.0),
                "nearer to zero than Jacobi's by a factor of two at the least; Fig. 9 of the paper \
                 shows these figures, its text says nothing of them",
            )
            .measure(
                format!("system 1: the least of Jacobi's mean, deviation and maximum of f over those of {name}"),
                move |beds| {
                    let bed = &beds.0[0];
                    let of = |m: Method| {
                        trial_of(&bed.trials, m)?;
                        let k = bed.trials.iter().position(|t| t.name == m.name()).unwrap_or(0);
                        let f = &bed.feasibility[k];
                        Ok::<_, NoFigure>([f.mean.abs(), f.deviation, f.largest()])
                    };
                    let (jacobi, own) = (of(Method::Jacobi)?, of(method)?);
                    let ratios = jacobi.iter().zip(own).map(|(a, b)| a / b);
                    found(ratios.fold(f64::INFINITY, f64::min))
                },
            ),
        );
    }
    for method in [Method::NesterovGs, Method::Apgd] {
        let name = method.name();
        claims.push(
            Claim::<Beds>::own(name)
                .limit(Limit::AtLeast(1.0), "ahead of the best of the paper's methods")
                .measure(
                    format!("system 3: fewest iterations of the paper's methods to {LATE:e} of the first ‖ε‖₂ over those of {name}"),
                    move |beds| {
                        let to = |m| Ok::<_, NoFigure>(products_to(trial_of(&beds.0[2].trials, m)?, LATE));
                        let mut best = f64::INFINITY;
                        for other in COMPARED {
                            best = best.min(to(other)?.value());
                        }
                        found(best / reached(name, to(method)?)?)
                    },
                ),
        );
    }
    claims
}

fn spectral(row: &HistoryRow) -> f64 {
    row.measures.spectral_residual
}

/// Largest change of the active set from one check to the next, contacts.
fn largest_change(rows: &[HistoryRow]) -> f64 {
    let sizes = rows.windows(2).map(|w| {
        let [a, b] = [w[0], w[1]].map(|row| row.measures.active_set as f64);
        (a - b).abs()
    });
    sizes.fold(0.0, f64::max)
}

/// Products after which the active set is within a hundredth of the contacts of its last size.
fn settled_after(bed: &GrowingBed, trial: &Trial) -> f64 {
    let last = trial.last().measures.active_set as f64;
    let off = |row: &HistoryRow| {
        (row.measures.active_set as f64 - last).abs() > 0.01 * bed.problem.dim() as f64
    };
    let away = trial.history.iter().rposition(off);
    let first = away.map_or(0, |k| (k + 1).min(trial.history.len() - 1));
    Measured::Exactly(trial.history[first].products.max(1) as f64).value()
}

/// Checks at which objective or ‖ε‖₂ rises by more than rounding. Below what rounding leaves of the
/// first values, nothing is counted.
fn rising(rows: &[HistoryRow], optimum: f64) -> usize {
    let floor = 1e-9 * rows.first().map_or(0.0, spectral);
    let rises = |w: &&[HistoryRow]| {
        let residual = spectral(&w[1]) > 1.0001 * spectral(&w[0]) && spectral(&w[1]) > floor;
        let objective = w[1].objective - w[0].objective > 1e-9 * optimum.abs();
        residual || objective
    };
    rows.windows(2).filter(rises).count()
}
