//! What Mazhar 2014 says of the sliding bodies (P1-D1 to P1-D4), and Mazhar 2015 of the ball.

use drystone::worse;
use drystone_ccp::Law;

use super::{BALL, BOX_ON_PLANE, INCLINE_FROM_REST, LawRuns, MotionMeasure, SlidingCase};
use crate::experiment::claim::{Claim, Limit, NoFigure, found};

type Runs = LawRuns;

/// Time step of the scenes, s.
const STEP: f64 = 2.5e-3;

/// A hundredth of a plot's height: about the width of a line in it.
const LINE: f64 = 0.01;

/// What the papers say of a case, and what follows from mechanics.
pub fn claims(case: &'static SlidingCase) -> Vec<Claim<Runs>> {
    let mut claims = match case.measure {
        MotionMeasure::RollsFrom => ball_claims(),
        MotionMeasure::Distance => stopping_claims(case),
        MotionMeasure::Acceleration => sliding_claims(case),
    };
    claims.extend([
        Claim::<Runs>::published(
            "same-exact",
            "§6.2",
            "Both the primal and dual methods, without relaxation along with the EOM without \
             relaxation will result in the same solution",
        )
        .limit(
            Limit::AtMost(1e-3),
            "the same: a millimetre cannot be seen in the figures",
        )
        .measure(
            "exact law: largest distance between the paths of two methods (m)",
            |runs| found(runs.apart(Law::Exact)),
        ),
        Claim::<Runs>::published(
            "same-relaxed",
            "Mazhar 2015, §4.1.3",
            "benchmark tests indicate that the results obtained with Mosek, PATH and APGD are the \
             same – both in the relaxed as well as the unrelaxed dual approaches",
        )
        .limit(
            Limit::AtMost(1e-3),
            "the same: a millimetre cannot be seen in the figures",
        )
        .measure(
            "relaxed law: largest distance between the paths of two methods (m)",
            |runs| found(runs.apart(Law::Relaxed)),
        ),
        Claim::<Runs>::own("no-lift")
            .limit(
                Limit::AtMost(1e-5),
                "Coulomb's law does not lift what slides",
            )
            .measure(
                "exact law: largest velocity away from the plane (m/s)",
                |runs| found(runs.largest(Law::Exact, |s| s.rise)),
            ),
    ]);
    claims
}

/// What the papers say of the ball.
fn ball_claims() -> Vec<Claim<Runs>> {
    const ON_TOP: &str = "because the problem is very simple the solutions returned by the relaxed \
        and fixed point solutions are on top of each other";
    const JITTER: &str = "In regimes with large relative sliding velocities and friction values \
        this artifact results in jitter at the contact point";
    let on_top = |key: &'static str, figure: &'static str, what: &'static str, of| {
        Claim::<Runs>::published(key, figure, ON_TOP)
            .limit(
                Limit::AtMost(LINE),
                "on top: a hundredth of the range, the width of a line",
            )
            .cause(
                "The relaxed law lifts the ball off the plane while it slides, and in the air \
                 nothing slows it: the curves part until it rolls.",
            )
            .measure(
                format!("largest difference of the {what} between the laws, over its range"),
                move |runs: &Runs| found(runs.between_laws(of)),
            )
    };
    let first = BALL.speed;
    vec![
        Claim::<Runs>::published(
            "rolls-from",
            "§5.3.1",
            "the ball will be fully rolling at t_rolling = .291s",
        )
        .figure(0.291)
        .limit(
            Limit::Between(0.291 - STEP, 0.291 + STEP),
            "to one time step",
        )
        .measure(
            "exact law: time from which the ball rolls (s), the method furthest from it",
            |runs| found(runs.furthest(Law::Exact)),
        ),
        on_top("position-on-top", "Fig. 8", "position", |s| s.way),
        on_top(
            "velocity-on-top",
            "Fig. 9",
            "velocity along the plane",
            |s| s.speed,
        ),
        on_top("spin-on-top", "Fig. 10", "angular velocity", |s| s.spin),
        Claim::<Runs>::published(
            "vertical-velocity",
            "Fig. 11",
            "The relaxation causes an initial vertical velocity once sliding begins",
        )
        .limit(
            Limit::AtLeast(0.5 * BALL.friction * BALL.speed),
            "half of μ v₀, at which the relaxed law lets what slides part",
        )
        .measure(
            "relaxed law: largest vertical velocity (m/s), the method with the least",
            |runs| found(runs.least(Law::Relaxed, |s| s.rise)),
        ),
        Claim::<Runs>::published(
            "spike",
            "Fig. 11",
            "The relaxation causes an initial vertical velocity once sliding begins, this is what \
             causes the spike in velocity magnitude",
        )
        .limit(
            Limit::AtLeast(LINE),
            "a spike: it rises, by the width of a line at the least",
        )
        .measure(
            "relaxed law: largest rise of the size of the velocity over the first speed, the method \
             with the least",
            move |runs| found(runs.least_rise(Law::Relaxed) / first),
        ),
        Claim::<Runs>::own("spike-above-first")
            .limit(
                Limit::AtLeast(1.0 + LINE),
                "higher than the first speed by the width of a line",
            )
            .measure(
                "relaxed law: largest size of the velocity over the first speed, the method with \
                 the least",
                move |runs| found(runs.least(Law::Relaxed, |s| s.total) / first),
            ),
        Claim::<Runs>::published("jitter", "Mazhar 2015, Fig. 3 and §2.3", JITTER)
            .limit(Limit::AtLeast(4.0), "jitter: up and down at least twice")
            .cause(
                "The paper does not say what its jitter is made of, nor with which method the ball \
                 was stepped.",
            )
            .measure(
                "relaxed law: turns of the speed from falling to rising or back",
                |runs| found(runs.turns(Law::Relaxed)),
            ),
        Claim::<Runs>::published(
            "steady-exact",
            "Mazhar 2015, Fig. 2",
            "Translational velocity of 3D ball decreases steadily until the moment it starts \
             rotating with no slip",
        )
        .limit(Limit::AtMost(0.0), "steadily: it does not turn")
        .measure(
            "exact law: turns of the speed from falling to rising or back",
            |runs| found(runs.turns(Law::Exact)),
        ),
        Claim::<Runs>::published(
            "diverges-first",
            "§6.2",
            "as Fig. 8 shows for a simple test problem of a ball rolling on a plane, the solution \
             diverges from the expected solution; it will cause differences initially",
        )
        .limit(
            Limit::AtLeast(LINE),
            "differences: more than a hundredth of the range, the width of a line; the captions of \
             Figs. 8 to 10 say the opposite, and both are judged",
        )
        .measure(
            "how far the velocities along the plane of the two laws come apart, over their range",
            |runs| found(runs.between_laws(|s| s.speed)),
        ),
        Claim::<Runs>::published(
            "same-steady-state",
            "§6.2",
            "Overall it does not affect the steady state solution",
        )
        .limit(Limit::AtMost(LINE), "a hundredth: the width of a line")
        .measure(
            "relative difference of the speeds at the end between the laws",
            |runs| {
                let speed = |law| {
                    let ends = runs.of(law).map(|run| run.last().speed);
                    ends.fold(f64::NAN, f64::max)
                };
                found((speed(Law::Relaxed) / speed(Law::Exact) - 1.0).abs())
            },
        ),
        Claim::<Runs>::own("rolls-at")
            .limit(Limit::AtMost(1e-3), "mechanics: 5/7 of the first speed")
            .measure(
                "largest relative difference of the speed at the end from 5/7 of the first",
                move |runs| {
                    let off = runs
                        .runs
                        .iter()
                        .map(|run| (run.last().speed / (-5.0 / 7.0 * first) - 1.0).abs());
                    found(off.fold(0.0, worse))
                },
            ),
    ]
}

/// What the paper says of boxes that come to rest.
fn stopping_claims(case: &'static SlidingCase) -> Vec<Claim<Runs>> {
    let [path_figure, lift_figure] = match *case == BOX_ON_PLANE {
        true => ["Fig. 13", "Fig. 14"],
        false => ["Fig. 19", "Fig. 20"],
    };
    let expected = case.expected();
    let lift = STEP * case.friction * case.speed;
    vec![
        Claim::<Runs>::published(
            "lifts-off",
            lift_figure,
            "because of the relaxation term the box initially lifts off of the surface before \
             falling and coming back into contact with the ground plane again",
        )
        .limit(
            Limit::AtLeast(0.5 * lift),
            "half of h μ v₀, what the relaxed law lifts it by in the first step",
        )
        .measure("relaxed law: largest height (m), the method with the least", |runs| {
            found(runs.least(Law::Relaxed, |s| s.height))
        }),
        Claim::<Runs>::published(
            "comes-back",
            lift_figure,
            "before falling and coming back into contact with the ground plane again",
        )
        .limit(Limit::AtMost(1e-6), "contact: a micrometre")
        .measure("relaxed law: height at the end (m)", |runs| {
            let heights = runs.of(Law::Relaxed).map(|run| run.last().height.abs());
            found(heights.fold(0.0, worse))
        }),
        Claim::<Runs>::published(
            "path-diverges",
            path_figure,
            "the solution returned by the PATH solver for the relaxed EOM model diverges from the \
             others",
        )
        .limit(Limit::AtLeast(LINE * expected), "diverges: visibly, by the width of a line")
        .measure("relaxed law: largest distance of PATH's path from the others' (m)", |runs| {
            Err(NoFigure::NotJudged(format!(
                "PATH is not run here, and why it diverged is not said; the methods here are {:.1e} \
                 m apart at most",
                runs.apart(Law::Relaxed)
            )))
        }),
        Claim::<Runs>::own("distance")
            .limit(
                Limit::Between(0.995 * expected, 1.005 * expected),
                "mechanics, v₀²/(2 a), to half a percent: a time step moves it by as much",
            )
            .measure("exact law: distance until it rests (m), the method furthest from it", |runs| {
                found(runs.furthest(Law::Exact))
            }),
        Claim::<Runs>::own("rests")
            .limit(Limit::AtMost(1e-6), "at rest")
            .measure("both laws: largest speed at the end (m/s)", |runs| {
                found(runs.runs.iter().map(|run| run.last().total).fold(0.0, worse))
            }),
    ]
}

/// What the paper says of the box that slides down an incline.
fn sliding_claims(case: &'static SlidingCase) -> Vec<Claim<Runs>> {
    let expected = case.expected();
    vec![
        Claim::<Runs>::published(
            "slightly-different",
            "Figs. 16 and 17",
            "For this test all of the solvers come up with slightly different solutions, this could \
             be due to a number of factors including small numerical errors that compound together",
        )
        .limit(
            Limit::AtLeast(1e-3),
            "different in a figure: a thousandth of a path of a few metres is the least that shows",
        )
        .cause(
            "Every step is solved to 1e-8 here, and the methods then agree; the paper does not give \
             its tolerances.",
        )
        .measure("both laws: largest distance between the paths of two methods (m)", |runs| {
            found(worse(runs.apart(Law::Exact), runs.apart(Law::Relaxed)))
        }),
        Claim::<Runs>::published(
            "initially-different",
            "§6.2",
            "For problems with more than one contact point, such as the box sliding on an inclined \
             plane, the same phenomena can be seen with the initial results differing when using a \
             relaxed model",
        )
        .limit(
            Limit::AtLeast(1e-3),
            "differing: by a millimetre, of the size of h μ v at a few metres per second",
        )
        .measure("relaxed law: largest height (m), the method with the least", |runs| {
            found(runs.least(Law::Relaxed, |s| s.height))
        }),
        Claim::<Runs>::own("acceleration")
            .limit(
                Limit::Between(0.995 * expected, 1.005 * expected),
                "mechanics, g (sin θ − μ cos θ), to half a percent",
            )
            .measure("exact law: mean acceleration (m/s²), the method furthest from it", |runs| {
                found(runs.furthest(Law::Exact))
            }),
    ]
}

const _: () = assert!(INCLINE_FROM_REST.speed == 0.0);
