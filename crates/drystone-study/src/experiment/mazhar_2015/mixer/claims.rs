//! What the paper says of the mixer.

use drystone_ccp::Method;

use super::{BLADE_SPACING, METHODS, MixerRun};
use crate::experiment::claim::{Claim, Limit, NoFigure, found};
use crate::experiment::curves::exponent;

/// Table III: objects, contacts, residual r (eq. 25), and seconds of the solver in one step on
/// eight cores.
pub const TABLE_3: [(usize, usize, f64, f64); 4] = [
    (101_506, 355_551, 6.08e-5, 3.97),
    (200_270, 804_768, 6.42e-5, 8.13),
    (301_790, 1_330_000, 5.36e-5, 12.53),
    (400_555, 1_890_000, 4.58e-5, 17.23),
];

/// Objects in the smallest of them, but for one in a hundred.
const PAPERS_SMALLEST: usize = 100_000;

/// All methods on all mixers.
pub struct MixerRuns {
    /// By size, then by method.
    pub runs: Vec<MixerRun>,
    /// Size against ours at full scale.
    pub scale: f64,
}

impl MixerRuns {
    /// The runs of a method, the smallest mixer first.
    pub fn of(&self, method: Method) -> Result<Vec<&MixerRun>, NoFigure> {
        let own: Vec<&MixerRun> = self.runs.iter().filter(|r| r.method == method).collect();
        if own.is_empty() {
            return Err(NoFigure::NotJudged(format!(
                "{} was left out",
                method.name()
            )));
        }
        for (_, trial) in own.iter().flat_map(|run| &run.cold) {
            trial.result()?;
            if trial.termination != "converged" {
                let why = format!("{} ended by {}", trial.name, trial.termination);
                return Err(NoFigure::Failed(why));
            }
        }
        Ok(own)
    }

    /// Exponent of a measure of all solves from zero over contacts or objects.
    fn growth(
        &self,
        method: Method,
        over: fn(&MixerRun, usize) -> f64,
        of: fn(&MixerRun, usize) -> f64,
    ) -> Result<f64, NoFigure> {
        let mut points = Vec::new();
        for run in self.of(method)? {
            points.extend((0..run.cold.len()).map(|k| [over(run, k), of(run, k)]));
        }
        Ok(exponent(&points))
    }

    /// Refuses to judge the paper's sizes by smaller ones.
    fn at_full_scale(&self) -> Result<(), NoFigure> {
        match self.scale >= 1.0 {
            true => Ok(()),
            false => Err(NoFigure::NotJudged(
                "so small a mixer fits into the processor's caches, and the paper's do not"
                    .to_owned(),
            )),
        }
    }
}

fn contacts(run: &MixerRun, state: usize) -> f64 {
    run.cold[state].0 as f64
}

fn objects(run: &MixerRun, _: usize) -> f64 {
    run.objects as f64
}

fn seconds(run: &MixerRun, state: usize) -> f64 {
    run.cold[state].1.seconds
}

fn iterations(run: &MixerRun, state: usize) -> f64 {
    run.cold[state].1.iterations as f64
}

/// What counts as linear: as near to one as the paper's own figures, and a little more.
const LINEAR: Limit = Limit::Between(0.85, 1.15);
const LINEAR_WORDS: &str = "linear: exponents as near to one as those of the paper's own table, \
    0.88 over contacts and 1.07 over bodies, count as it";

/// What the paper says of the mixer, and what its growth rests on.
pub fn claims() -> Vec<Claim<MixerRuns>> {
    type Runs = MixerRuns;
    const WORDS: &str = "The results indicate that the simulation time scales linearly with the \
        number of bodies, and therefore contact events, in the model";
    let published =
        |x: fn(&(usize, usize, f64, f64)) -> f64| exponent(&TABLE_3.map(|row| [x(&row), row.3]));
    let mut claims = vec![
        Claim::<Runs>::published("linear-bodies", "§4.1.2, Table III", WORDS)
            .figure(published(|row| row.0 as f64))
            .limit(LINEAR, LINEAR_WORDS)
            .timed()
            .measure(
                "exponent of the time of APGD's solve over the objects",
                |runs| {
                    runs.at_full_scale()?;
                    found(runs.growth(Method::Apgd, objects, seconds)?)
                },
            ),
        Claim::<Runs>::published("linear-contacts", "§4.1.2, Table III", WORDS)
            .figure(published(|row| row.1 as f64))
            .limit(LINEAR, LINEAR_WORDS)
            .timed()
            .measure(
                "exponent of the time of APGD's solve over the contacts",
                |runs| {
                    runs.at_full_scale()?;
                    found(runs.growth(Method::Apgd, contacts, seconds)?)
                },
            ),
        Claim::<Runs>::published("contacts", "Table III", "101 506 objects, 355 551 contacts")
            .contacts(355_551.0 / 101_506.0)
            .cause(
                "The paper does not say what it counts; a collision envelope, which we do not have \
                 here, would add pairs that do not touch.",
            )
            .measure("contacts per object in the mixer of 100 000", |runs| {
                let run = runs.of(METHODS[0]).or_else(|_| runs.of(METHODS[1]))?;
                match run.last() {
                    Some(run) if run.objects >= PAPERS_SMALLEST => {
                        found(run.contacts() / run.objects as f64)
                    }
                    _ => Err(NoFigure::NotJudged("no mixer was as large".to_owned())),
                }
            }),
        Claim::<Runs>::published(
            "contacts-growth",
            "Table III",
            "from 101 506 to 400 555 objects the contacts per object grow from 3.50 to 4.72",
        )
        .factor((1.89e6 / 400_555.0) / (355_551.0 / 101_506.0))
        .measure(
            "contacts per object with 400 000 objects over those with 100 000",
            |runs| {
                let each = |objects: usize| {
                    let run = runs.runs.iter().find(|run| run.objects == objects);
                    let none = || NoFigure::NotJudged(format!("no mixer has {objects} objects"));
                    let run = run.ok_or_else(none)?;
                    Ok::<f64, NoFigure>(run.contacts() / run.objects as f64)
                };
                found(each(4 * PAPERS_SMALLEST)? / each(PAPERS_SMALLEST)?)
            },
        ),
        Claim::<Runs>::own("half-a-blade")
            .limit(Limit::AtLeast(0.5), "half the distance from blade to blade")
            .measure(
                "turn of the rotor before the measured steps, over that from blade to blade",
                |runs| {
                    let turned = runs.runs.iter().map(|run| run.turned / BLADE_SPACING);
                    found(turned.fold(f64::INFINITY, f64::min))
                },
            ),
        Claim::<Runs>::own("steady-torque")
            .limit(
                Limit::AtMost(0.2),
                "steady: grains come and go at the blades, and single ones show in the torque",
            )
            .measure(
                "largest change of the mean torque from the first half of the steps to the second",
                |runs| {
                    let drifts = runs.runs.iter().map(MixerRun::torque_drift);
                    found(drifts.fold(0.0, drystone::worse))
                },
            ),
    ];
    for method in METHODS {
        claims.push(
            Claim::<Runs>::own(format!("iterations-{}", method.name()))
                .limit(
                    Limit::Between(-0.15, 0.15),
                    "no growth to speak of: a time that is linear to within 0.15 needs it",
                )
                .measure(
                    format!(
                        "exponent of the iterations of {} over the contacts",
                        method.name()
                    ),
                    move |runs| found(runs.growth(method, contacts, iterations)?),
                ),
        );
    }
    claims
}
