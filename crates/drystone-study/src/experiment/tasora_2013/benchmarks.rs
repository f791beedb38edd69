//! P3-B1 to P3-B3: the first three benchmarks of P-SPG-FB (Tasora 2013, §2). The fourth is in
//! `masonry.rs`.
//!
//! The paper shows curves and gives no numbers. Its methods besides SPG are projected Jacobi and
//! Gauss–Seidel, and CG and MINRES on the linear problem of B1. On free rows alone our `kucera` is
//! CG, except for a fresh gradient every hundred iterations; `gpminres` is MINRES that restarts in
//! each round. CG and MINRES as in a textbook are run besides, for an honest comparison.

use drystone_ccp::{Ccp, Method, TwoBody};

use super::krylov::{conjugate_gradients, minres};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::contest::{
    PATIENCE, ROUNDING, SmoothBed, add_picture, best_within, contest, end_table, products_ratio,
    products_until, residual_figure,
};
use crate::experiment::findings::Findings;
use crate::experiment::rows::{joint_rows, next_problem};
use crate::experiment::runs::Budget;
use crate::experiment::trial::{Trial, trial_of};
use crate::table::short_number;
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

/// Iterations of each method; the paper does not say how many it took.
pub const ITERATIONS: usize = 1000;

/// What every report says about its measures.
pub const MEASURES: &str = "‖ε‖₂ is the paper's residual with τ_g = 1e-6; ours is relative, the \
     natural map's of γ over that of zero. Iterations are products with N: one for each iteration \
     of a method, a few more for APGD's backtracking; auto, which also factorises, is over time \
     only. The paper's figures have no numbers: the claims are about their shape, with limits of \
     our own.";

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
    findings.text(format!(
        "{} parts and {} bilateral rows (paper: 1000 and 3500), one step from γ = 0 until our \
         residual is {LINEAR:e}. CG and MINRES are a textbook's, without preconditioner. \
         {MEASURES}",
        simulation.group("rods").len(),
        problem.dim()
    ));
    let caption = "Fig. 3 of the paper with a logarithmic axis of iterations, since Jacobi's are a \
                   hundred times as many; and our residual over time.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-3", caption, AxisScale::Log),
    );
    linear_claims(&trials, &mut findings);
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

fn linear_claims(trials: &[Trial], findings: &mut Findings) {
    let products = |name: &str| {
        let trial = trials.iter().find(|t| t.name == name)?;
        (trial.termination == "converged").then(|| trial.last().products as f64)
    };
    let (Some(cg), Some(minres)) = (products("CG"), products("MINRES")) else {
        return;
    };
    let best = cg.min(minres);
    let Some(spg) = products(Method::Spg.name()) else {
        return;
    };
    findings.claim(
        Claim::new(
            "SPG takes at most three times the products of CG or MINRES on the linear problem (its \
             over the fewer of theirs)",
            spg <= 3.0 * best,
        )
        .published("about 1")
        .ours(spg / best),
    );
    let mut behind = Vec::new();
    for method in [Method::Jacobi, Method::GaussSeidel] {
        let Some(other) = products(method.name()) else {
            continue;
        };
        let name = method.name();
        findings.claim(
            Claim::new(
                format!("{name} takes five times SPG's iterations and more (its over SPG's)"),
                other >= 5.0 * spg,
            )
            .ours(other / spg),
        );
        behind.push(format!(
            "{name} takes {} times SPG's",
            short_number(other / spg)
        ));
    }
    findings.verdict = format!(
        "SPG is of the same kind as the Krylov methods, but not as fast: {spg} products to \
         {LINEAR:e} where CG takes {cg} and MINRES {minres}, {} times as many. The paper's \"as \
         fast as\" is true of the order of magnitude: {}. Neither paper nor scene says how well \
         conditioned N is, and the ratio will depend on it.",
        short_number(spg / best),
        behind.join(", ")
    );
}

/// P3-B2: frictionless contacts only.
pub fn contacts(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let bed = SmoothBed {
        spheres: 1000,
        radius: 2.0,
        load: None,
    };
    let (scene, simulation, problem) = bed.settle(bench)?;
    let pictured = (&scene, &simulation);
    add_picture(bench, &mut findings, "spheres", pictured, "The spheres.");
    let methods = bench.methods(&METHODS);
    let trials = contest(bench, &problem, "the bed", &methods, 3 * ITERATIONS)?;
    findings.text(format!(
        "{} spheres, {} contacts with one row each (paper: 1000 and 3525), one step from γ = 0. \
         {MEASURES}",
        simulation.group("spheres").len(),
        problem.dim()
    ));
    let caption = "Fig. 4 of the paper, and our residual over time.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-4", caption, AxisScale::Linear),
    );
    let mut words = Vec::new();
    if let Some(spg) = trial_of(&trials, Method::Spg) {
        let start = spg.history[0].measures.spectral_residual;
        let needs =
            |t: &Trial| products_until(t, |row| row.measures.spectral_residual <= FAR * start);
        for other in [Method::Jacobi, Method::GaussSeidel] {
            let Some(other) = trial_of(&trials, other) else {
                continue;
            };
            let (others, own) = (needs(other), needs(spg));
            let (name, figure) = (&other.name, products_ratio(others, own));
            words.push(format!(
                "{name} takes {} times its iterations",
                figure.short().replace("> ", "more than ")
            ));
            findings.claim(
                Claim::new(
                    format!(
                        "SPG is ahead of {name} (its iterations to {FAR:e} of the first ‖ε‖₂ over \
                         SPG's)"
                    ),
                    own.1 && others.0 > own.0,
                )
                .published(">> 1")
                .ours(figure),
            );
        }
    }
    findings.verdict = format!(
        "As in the paper SPG leaves the sweeps behind, to {FAR:e} of the first residual: {}. Early \
         the difference to Gauss–Seidel is small: it is the rate in the end that tells. \
         nesterov-gs, which accelerates Gauss–Seidel and is not in the paper, is ahead of SPG.",
        words.join(", ")
    );
    Ok(findings)
}

/// Share of the first ‖ε‖₂ at which B2 is judged: late enough that the rates of the methods count
/// and not their first steps.
const FAR: f64 = 1e-8;

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
    let trials = contest(bench, &problem, "the stack", &methods, ITERATIONS)?;
    findings.text(format!(
        "20 plates, {} contacts with friction 0.5 and three rows each; each plate is 1.44 times as \
         heavy as the one below (the paper says \"odd mass ratio\" only). One step from γ = 0. \
         {MEASURES}",
        problem.cones().contacts()
    ));
    let caption = "Fig. 5 of the paper, and our residual over time.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-5", caption, AxisScale::Linear),
    );
    let leads = ahead_of_sweeps(&trials, ITERATIONS, &mut findings);
    findings.verdict = format!(
        "As in the paper SPG is ahead of the sweeps where masses differ: {leads}. None of the \
         iterative methods comes far in {ITERATIONS} iterations: an impulse must travel through \
         twenty plates, and the heaviest rests on the lightest. auto, which goes over to an \
         interior point, solves the step."
    );
    Ok(findings)
}

/// Claims on SPG against Jacobi and Gauss–Seidel after the same number of products; returns its
/// leads in words.
pub fn ahead_of_sweeps(trials: &[Trial], products: usize, findings: &mut Findings) -> String {
    let Some(spg) = trial_of(trials, Method::Spg) else {
        return "SPG was left out".to_owned();
    };
    let mut words = Vec::new();
    for method in [Method::Jacobi, Method::GaussSeidel] {
        let Some(other) = trial_of(trials, method) else {
            continue;
        };
        // Below rounding no difference counts.
        let floor = ROUNDING * spg.history[0].measures.spectral_residual;
        let epsilon =
            |t: &Trial| best_within(t, products, |row| row.measures.spectral_residual).max(floor);
        let lead = epsilon(other) / epsilon(spg);
        let name = method.name();
        findings.claim(
            Claim::new(
                format!(
                    "SPG is ahead of {name} after {products} iterations ({name}'s ‖ε‖₂ over its)"
                ),
                lead > 1.0,
            )
            .published("> 1")
            .ours(lead),
        );
        words.push(format!(
            "‖ε‖₂ of {name} is {} times its own",
            short_number(lead)
        ));
    }
    words.join(", ")
}
