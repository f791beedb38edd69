//! P3-B1 to P3-B3: the first three benchmarks of P-SPG-FB (Tasora 2013, §2). The fourth is in
//! `masonry.rs`.
//!
//! The paper shows curves and gives no numbers. Its methods besides SPG are projected Jacobi, and CG
//! and MINRES on the linear problem of B1; Gauss–Seidel is added here. On free rows alone our `kucera`
//! is CG, except for a fresh gradient every hundred iterations; `gpminres` is MINRES that restarts in
//! each round. CG and MINRES as in a textbook are run besides, for an honest comparison.

use drystone_ccp::{Ccp, Method, TwoBody};

use super::krylov::{conjugate_gradients, minres};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::{Claim, Limit, Measured, NoFigure, found};
use crate::experiment::contest::{
    FIRST_BED, PATIENCE, add_picture, contest, describe, end_table, lead, products_to,
    residual_figure,
};
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::rows::{joint_rows, next_problem};
use crate::experiment::runs::Budget;
use crate::experiment::set_up;
use crate::experiment::trial::{Trial, reached, trial_named, trial_of};
use drystone_draw::plot::AxisScale;

/// The paper's methods, then others.
pub const METHODS: [Method; 6] = [
    Method::Spg,
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
];

/// Most iterations of each method on the bed and on the wall: enough for SPG to converge on the bed,
/// and for others to show that they do not in many times as many.
pub const ITERATIONS: usize = 30_000;

/// Most iterations of each method on the stack: it is small, and they run until they have converged
/// or for the time of [`PATIENCE`].
const STACK_ITERATIONS: usize = 1_000_000;

/// What every report says about its measures.
pub const MEASURES: &str = "‖ε‖₂ is the paper's residual with τ_g = 1e-6; ours is relative, the \
     natural map's of γ over that of zero. Iterations are products with N: one for each iteration \
     of a method, a few more for APGD's backtracking; auto, which also factorises, is over time \
     only. The paper's figures have no numbers: the claims are about its words.";

/// Relative residual that the linear problem is solved to.
const LINEAR: f64 = 1e-8;

/// Most products on the linear problem: Jacobi takes ten thousands, the others far fewer.
const LINEAR_ITERATIONS: usize = 50_000;

/// P3-B1: joints only.
pub fn joints(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let size = ((10.0 * bench.scale.cbrt()).round() as usize).max(3);
    let values = [
        ("size", size.to_string()),
        ("settings.duration", "0.1".to_owned()),
    ];
    let scene = bench.scene("network", &values)?;
    let mut simulation = bench.settle(&scene, 1)?;
    let problem = joint_rows(&next_problem(&mut simulation)?)?;
    let pictured = (&scene, &simulation);
    add_picture(
        bench,
        &mut findings,
        "network",
        pictured,
        "The network, a tenth of a second after it was let go.",
    );
    let methods = bench.methods(&[
        Method::Spg,
        Method::Kucera,
        Method::Gpminres,
        Method::Jacobi,
        Method::GaussSeidel,
        Method::NesterovGs,
        Method::Auto,
    ]);
    let mut trials = vec![
        conjugate_gradients(&problem, LINEAR_ITERATIONS, LINEAR),
        minres(&problem, LINEAR_ITERATIONS, LINEAR),
    ];
    let budget = Budget {
        tolerance: LINEAR,
        products: LINEAR_ITERATIONS,
        seconds: PATIENCE,
        history: true,
    };
    for &method in &methods {
        trials.push(bench.run_budget(&problem, "the network", method, &budget)?);
    }
    findings.setup("parts", "1000", simulation.group("rods").len().to_string());
    findings.setup("bilateral rows", "3500", problem.dim().to_string());
    findings.setup(
        "network",
        NOT_GIVEN,
        "sheets of rods on ball joints, see the scene network",
    );
    set_up::settled(
        &mut findings,
        &simulation,
        NOT_GIVEN,
        "the engine's own choice (auto)",
    );
    findings.setup(
        "CG and MINRES",
        NOT_GIVEN,
        "a textbook's, without preconditioner",
    );
    findings.text(format!(
        "One step from γ = 0 until our residual is {LINEAR:e}. {MEASURES} nesterov-gs factorises \
         too where there are joints: it solves all of them by one factor of their rows, so that its \
         products say nothing of its cost."
    ));
    let caption = "Fig. 3 of the paper with a logarithmic axis of iterations, since Jacobi's are a \
                   hundred times as many; and our residual over time.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-3", caption, AxisScale::Log),
    );
    bench.judge(&joint_claims(), &trials, &mut findings);
    Ok(findings)
}

/// Adds table, figure and histories of the runs.
pub fn add_runs(
    findings: &mut Findings,
    problem: &Ccp<TwoBody>,
    trials: &[Trial],
    (name, caption, along): (&str, &str, AxisScale),
) {
    findings.table("ends", end_table(problem, trials));
    findings.figure(name, residual_figure("Convergence", trials, along), caption);
    for trial in trials {
        let name = format!("history-{}.csv", trial.name.to_lowercase());
        findings.file(name, trial.csv());
    }
}

/// Products of a run until it had converged.
fn to_the_end(trials: &[Trial], name: &str) -> Result<Measured, NoFigure> {
    let trial = trial_named(trials, name)?;
    let products = trial.last().products as f64;
    Ok(match trial.termination {
        "converged" => Measured::Exactly(products),
        _ => Measured::AtLeast(products),
    })
}

/// What the paper says of the linear problem.
pub fn joint_claims() -> Vec<Claim<Vec<Trial>>> {
    type Runs = Vec<Trial>;
    vec![
        Claim::<Runs>::published(
            "as-fast",
            "§3, Fig. 3",
            "in case of simple linear problems SPG converges as fast as state-of-the-art CG or \
             MINRES methods",
        )
        .figure("as fast")
        .limit(
            Limit::AtMost(1.5),
            "as fast: a half more would be called slower",
        )
        .cause("The network is ours; how well conditioned the paper's was, it does not say.")
        .measure(
            "SPG's products over the fewer of CG's and MINRES's",
            |trials| {
                let of = |name: &str| reached(name, to_the_end(trials, name)?);
                let best = of("CG")?.min(of("MINRES")?);
                Ok(to_the_end(trials, Method::Spg.name())?.over(best))
            },
        ),
        Claim::<Runs>::published("jacobi-poor", "§1", POOR)
            .limit(Limit::AtLeast(10.0), VERY_POOR)
            .measure("Jacobi's products over SPG's", |trials| {
                let spg = reached("spg", to_the_end(trials, Method::Spg.name())?)?;
                Ok(to_the_end(trials, Method::Jacobi.name())?.over(spg))
            }),
        Claim::<Runs>::own("gauss-seidel")
            .limit(
                Limit::AtLeast(5.0),
                "as far behind as Jacobi, or half of it",
            )
            .measure("Gauss–Seidel's products over SPG's", |trials| {
                let spg = reached("spg", to_the_end(trials, Method::Spg.name())?)?;
                Ok(to_the_end(trials, Method::GaussSeidel.name())?.over(spg))
            }),
    ]
}

/// What the paper says of projected Jacobi.
pub const POOR: &str = "projected-Jacobi fixed point iterations are very robust, but their convergence \
    is very poor, especially when one has to simulate articulated shapes and odd mass ratios";
/// Why the limit that belongs to it has its number.
pub const VERY_POOR: &str = "very poor: ten times the iterations of SPG, or more";

/// The spheres and the runs of all methods on them.
pub struct SphereRuns {
    spheres: usize,
    contacts: usize,
    trials: Vec<Trial>,
}

/// P3-B2: frictionless contacts only.
pub fn contacts(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let (scene, simulation, problem) = FIRST_BED.settle(bench)?;
    let pictured = (&scene, &simulation);
    add_picture(bench, &mut findings, "spheres", pictured, "The spheres.");
    let methods = bench.methods(&METHODS);
    let trials = contest(bench, &problem, "the bed", &methods, ITERATIONS)?;
    let paper = ["1000", "3525", NOT_GIVEN];
    describe(
        &mut findings,
        (&FIRST_BED, paper),
        &simulation,
        (&problem, &trials),
    );
    findings.setup("iterations", NOT_GIVEN, format!("at most {ITERATIONS}"));
    findings.text(format!(
        "One row per contact, one step from γ = 0. {MEASURES}"
    ));
    let caption = "Fig. 4 of the paper, and our residual over time.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-4", caption, AxisScale::Linear),
    );
    let runs = SphereRuns {
        spheres: simulation.group("spheres").len(),
        contacts: problem.dim(),
        trials,
    };
    bench.judge(&contact_claims(), &runs, &mut findings);
    Ok(findings)
}

/// Share of the first ‖ε‖₂ at which runs are compared: beyond it the figures of a paper in double
/// precision end.
pub const FAR: f64 = 1e-8;

/// Products to [`FAR`] of a method over SPG's.
fn behind_spg(trials: &[Trial], method: Method) -> Result<Measured, NoFigure> {
    let to = |m| Ok::<_, NoFigure>(products_to(trial_of(trials, m)?, FAR));
    lead(to(method)?, ("spg", to(Method::Spg)?))
}

/// What the paper says of all benchmarks.
pub const REMARKABLE: &str = "We tested it in various benchmarks and we obtained remarkable convergence \
    properties, as shown in Figs. 3, 4, 5, 6";

/// What the paper says of the spheres.
pub fn contact_claims() -> Vec<Claim<SphereRuns>> {
    type Runs = SphereRuns;
    vec![
        Claim::<Runs>::published(
            "contacts",
            "Fig. 4",
            "network of 3525 unilateral constraints between 1000 smooth spheres of equal mass",
        )
        .contacts(3525.0)
        .cause("The paper does not say in what its spheres lie.")
        .measure("contacts of 1000 spheres", |runs| match runs.spheres {
            1000 => found(runs.contacts as f64),
            n => Err(NoFigure::NotJudged(format!("the bed has {n} spheres"))),
        }),
        Claim::<Runs>::published("converges", "§2, Fig. 4", REMARKABLE)
            .limit(Limit::AtMost(FAR), "convergence: to where such figures end")
            .measure("SPG's last ‖ε‖₂ over its first", |runs| {
                let spg = trial_of(&runs.trials, Method::Spg)?;
                let start = spg.history[0].measures.spectral_residual;
                found(spg.best(|row| row.measures.spectral_residual) / start)
            }),
        Claim::<Runs>::published("jacobi-poor", "§1, Fig. 4", POOR)
            .limit(Limit::AtLeast(10.0), VERY_POOR)
            .measure(
                "Jacobi's iterations to 1e-8 of the first ‖ε‖₂ over SPG's",
                |runs| behind_spg(&runs.trials, Method::Jacobi),
            ),
        Claim::<Runs>::own("gauss-seidel")
            .limit(Limit::AtLeast(2.0), "clearly behind")
            .measure(
                "Gauss–Seidel's iterations to 1e-8 of the first ‖ε‖₂ over SPG's",
                |runs| behind_spg(&runs.trials, Method::GaussSeidel),
            ),
        Claim::<Runs>::own("nesterov-gs")
            .limit(Limit::AtMost(1.0), "ahead of SPG")
            .measure(
                "iterations of nesterov-gs to 1e-8 of the first ‖ε‖₂ over SPG's",
                |runs| behind_spg(&runs.trials, Method::NesterovGs),
            ),
    ]
}

/// P3-B3: a stack of plates.
pub fn plates(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let scene = bench.scene("stack", &[("settings.duration", "0.1".to_owned())])?;
    let mut simulation = bench.settle(&scene, 1)?;
    let problem = next_problem(&mut simulation)?;
    let pictured = (&scene, &simulation);
    let caption = "The stack: 1 kg at the bottom, 1000 kg at the top.";
    add_picture(bench, &mut findings, "stack", pictured, caption);
    let methods = bench.methods(&METHODS);
    // The stack is the same at every scale; a smaller one gets fewer iterations.
    let most = bench.count(STACK_ITERATIONS, STACK_ITERATIONS / 10);
    let trials = contest(bench, &problem, "the stack", &methods, most)?;
    findings.setup("plates", "20", "20");
    findings.setup(
        "masses",
        "\"odd mass ratio\"",
        "each plate is 1.44 times as heavy as the one below, from 1 kg to 1000 kg",
    );
    let gamma = set_up::best_point(&trials);
    set_up::contacts(
        &mut findings,
        ("contacts, with friction 0.5", NOT_GIVEN),
        &problem,
        gamma,
    );
    set_up::settled(
        &mut findings,
        &simulation,
        NOT_GIVEN,
        "the engine's own choice (auto)",
    );
    findings.setup(
        "iterations",
        NOT_GIVEN,
        format!("until converged, at most {most} or {PATIENCE} s"),
    );
    findings.text(format!("One step from γ = 0. {MEASURES}"));
    let caption = "Fig. 5 of the paper, with a logarithmic axis of iterations, and our residual \
                   over time. Thin: each iterate; thick: the best so far.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-5", caption, AxisScale::Log),
    );
    bench.judge(&plate_claims(), &trials, &mut findings);
    Ok(findings)
}

/// What the paper says of the stack.
pub fn plate_claims() -> Vec<Claim<Vec<Trial>>> {
    type Runs = Vec<Trial>;
    const CAUSE: &str = "The paper's masses are not given. Here an impulse must travel through \
        twenty plates, and the heaviest rests on the lightest.";
    vec![
        Claim::<Runs>::published("converges", "§2, Fig. 5", REMARKABLE)
            .limit(Limit::AtMost(FAR), "convergence: to where such figures end")
            .cause(CAUSE)
            .measure("SPG's best ‖ε‖₂ over its first", |trials| {
                let spg = trial_of(trials, Method::Spg)?;
                let start = spg.history[0].measures.spectral_residual;
                found(spg.best(|row| row.measures.spectral_residual) / start)
            }),
        Claim::<Runs>::published("jacobi-poor", "§1, Fig. 5", POOR)
            .limit(Limit::AtLeast(10.0), VERY_POOR)
            .cause(CAUSE)
            .measure(
                "Jacobi's iterations to 1e-8 of the first ‖ε‖₂ over SPG's",
                |trials| behind_spg(trials, Method::Jacobi),
            ),
        Claim::<Runs>::own("gauss-seidel")
            .limit(Limit::AtLeast(2.0), "clearly behind")
            .measure(
                "Gauss–Seidel's iterations to 1e-8 of the first ‖ε‖₂ over SPG's",
                |trials| behind_spg(trials, Method::GaussSeidel),
            ),
        Claim::<Runs>::own("auto")
            .limit(
                Limit::AtMost(1e-8),
                "it goes over to a method that factorises",
            )
            .measure("auto's residual at its end", |trials| {
                found(trial_of(trials, Method::Auto)?.best(|row| row.residual))
            }),
    ]
}
