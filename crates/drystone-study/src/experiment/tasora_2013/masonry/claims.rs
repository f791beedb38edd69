//! What Tasora 2013 says of the wall and of SPG's way (P3-B4), and Heyn 2013 of its steps.

use drystone::worse;
use drystone_ccp::{HistoryRow, Method};

use super::{CUT, MasonryRuns, SHOWN, first, rises, roughness};
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::tasora_2013::benchmarks::{FAR, POOR, REMARKABLE, VERY_POOR};
use crate::experiment::trial::{Trial, kept_by_fall_back, reached, trial_named, trial_of};

fn spectral(row: &HistoryRow) -> f64 {
    row.measures.spectral_residual
}

/// What the paper says of the wall and of SPG's way, and Heyn 2013 of its steps.
pub fn claims() -> Vec<Claim<MasonryRuns>> {
    type Runs = MasonryRuns;
    const SMOOTH: &str = "alternating two different formulas for the computation of the spectral step \
        size has the beneficial effect of partially smoothing the non-monotone descent as shown in \
        Fig. 1";
    const IN_TURN: &str = "alternating BB1 and BB2 gives about the same rate of convergence of BB1 \
        alone, or even less; however, the alternating scheme usually produces a smoother \
        nonmonotone descent, thus allowing a more frequent update of the fallback vector";
    const HARD: &str = "The paper's wall, ball and step are in pictures only.";
    let smooths = |key: &'static str, [alone, in_turn]: [&'static str; 2]| {
        Claim::<Runs>::published(key, "§1, Fig. 1", SMOOTH)
            .limit(
                Limit::AtLeast(1.1),
                "smoothing: a tenth less is the least that would be seen",
            )
            .measure(
                format!("rises of ‖ε‖₂ of {alone} over those of {in_turn}, in powers of ten"),
                move |runs: &Runs| {
                    let of = |name| Ok::<f64, NoFigure>(roughness(trial_named(&runs.forms, name)?));
                    found(of(alone)? / of(in_turn)?)
                },
            )
    };
    vec![
        smooths("smooths-bb1", ["P-SPG, BB1", "P-SPG, in turn"]),
        smooths("smooths-bb1-plain", ["SPG, BB1", "SPG, in turn"]),
        Claim::<Runs>::published("same-rate", "Heyn 2013, §4", IN_TURN)
            .limit(
                Limit::AtLeast(1.0 / 1.5),
                "about the same or less: a half faster would not be called so",
            )
            .cause("The paper says so of its experience in general, not of this wall.")
            .measure(
                "iterations of P-SPG in turn over those with BB1 alone, to the best ‖ε‖₂ of the \
                 worse of them",
                |runs| {
                    let forms = ["P-SPG, in turn", "P-SPG, BB1"];
                    let [in_turn, alone] = forms.map(|name| trial_named(&runs.forms, name));
                    let (in_turn, alone) = (in_turn?, alone?);
                    let best = in_turn.best(spectral).max(alone.best(spectral));
                    let to = |t: &Trial| t.products_until(|row| spectral(row) <= best).value();
                    found(to(in_turn) / to(alone))
                },
            ),
        Claim::<Runs>::published("more-updates", "Heyn 2013, §4", IN_TURN)
            .limit(
                Limit::AtLeast(1.1),
                "more frequent: a tenth more is the least that would be seen",
            )
            .measure(
                "updates of the fall-back of P-SPG in turn over those with BB1 alone",
                |runs| {
                    let updates = |name| {
                        let trial = first(trial_named(&runs.forms, name)?);
                        let kept = kept_by_fall_back(&trial, spectral);
                        let changes = kept.windows(2).filter(|w| w[0].iteration < w[1].iteration);
                        Ok::<f64, NoFigure>(changes.count() as f64)
                    };
                    found(updates("P-SPG, in turn")? / updates("P-SPG, BB1")?)
                },
            ),
        Claim::<Runs>::published(
            "oscillates",
            "§1",
            "the method, being non monotone, might experience wild oscillations before settling to \
             a stationary point",
        )
        .limit(
            Limit::AtLeast(10.0),
            "wild: on the logarithmic axis of such a figure, a rise by a factor of ten at the least",
        )
        .measure(
            "largest rise of P-SPG's ‖ε‖₂ from one iterate to the next",
            |runs| {
                let trial = trial_named(&runs.forms, "P-SPG, in turn")?;
                found(rises(trial).fold(0.0, f64::max))
            },
        ),
        Claim::<Runs>::published(
            "cured",
            "§3",
            "The fallback strategy cured the problem of the non-monotone nature of the classical SPG \
             method",
        )
        .limit(
            Limit::AtMost(1.0),
            "cured: it never rises, so that to go on for longer never gives a worse answer",
        )
        .cause(
            "Ours falls back to the iterate with the smallest residual of ours, the paper's to that \
             with the smallest ‖ε‖₂.",
        )
        .measure(
            format!(
                "largest factor by which ‖ε‖₂ rises from an answer of P-SPG-FB to the next, cut \
                 short after {CUT}, {} … {SHOWN} iterations",
                2 * CUT
            ),
            |runs| {
                let mut ends = Vec::new();
                for trial in &runs.answers {
                    ends.push(spectral(trial.result()?.last()));
                }
                let rises = ends.windows(2).map(|w| w[1] / w[0]);
                rises
                    .reduce(worse)
                    .map(Measured::Exactly)
                    .ok_or_else(|| NoFigure::Failed("there are no answers".to_owned()))
            },
        ),
        Claim::<Runs>::published(
            "robust",
            "§3",
            "preconditioning made it more robust in case of bad conditioning",
        )
        .limit(
            Limit::AtLeast(2.0),
            "more robust: better by a factor of two at the least after as many iterations",
        )
        .cause(HARD)
        .measure(
            "best ‖ε‖₂ of SPG without the preconditioner over that with it",
            |runs| {
                let best = |name| {
                    let trial = trial_named(&runs.forms, name)?;
                    Ok::<f64, NoFigure>(trial.best(|row| row.measures.spectral_residual))
                };
                found(best("SPG, in turn")? / best("P-SPG, in turn")?)
            },
        ),
        Claim::<Runs>::published("jacobi-poor", "§1, Fig. 6", POOR)
            .limit(Limit::AtLeast(10.0), VERY_POOR)
            .cause(HARD)
            .measure(
                "Jacobi's iterations over SPG's to the best ‖ε‖₂ that Jacobi has at its end",
                |runs| {
                    let [spg, jacobi] =
                        [Method::Spg, Method::Jacobi].map(|m| trial_of(&runs.methods, m));
                    let (spg, jacobi) = (spg?, jacobi?);
                    let best = jacobi.best(|row| row.measures.spectral_residual);
                    let to =
                        |t: &Trial| t.products_until(|row| row.measures.spectral_residual <= best);
                    Ok(to(jacobi).over(reached("spg", to(spg))?))
                },
            ),
        Claim::<Runs>::published("converges", "§2, Fig. 6", REMARKABLE)
            .limit(
                Limit::AtMost(FAR),
                "convergence: to where such figures end, as for the other benchmarks",
            )
            .cause(HARD)
            .measure("SPG's best ‖ε‖₂ over its first", |runs| {
                let spg = trial_of(&runs.methods, Method::Spg)?;
                let start = spg.history[0].measures.spectral_residual;
                found(spg.best(|row| row.measures.spectral_residual) / start)
            }),
        Claim::<Runs>::own("auto")
            .limit(
                Limit::AtMost(1e-8),
                "it goes over to a method that factorises",
            )
            .measure("auto's residual at its end", |runs| {
                found(trial_of(&runs.methods, Method::Auto)?.best(|row| row.residual))
            }),
    ]
}
