//! P3-B1 to P3-B4: the four benchmarks of P-SPG-FB (paper 003, §2).

use drystone_ccp::solvers::spg::{Spg, SpgSettings};
use drystone_ccp::{Ccp, Method, TwoBody};

use super::bench::{Bench, Budget, Halt};
use super::claim::Claim;
use super::contest::{Bed, PATIENCE, ROUNDING, contest, ends, of, residual_figure, show, within};
use super::findings::Findings;
use super::krylov::{conjugate_gradients, minres};
use super::rows::{joint_rows, next_problem, normal_rows};
use super::trial::Trial;
use crate::failure::Failure;
use crate::plot::{Curve, Figure, LegendEntry, Look, Panel, Scale};
use crate::table::{Cell, short_number};

/// The paper's methods, then others.
const METHODS: [Method; 7] = [
    Method::Spg,
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Apgd,
    Method::Kucera,
    Method::NesterovGs,
    Method::Auto,
];

/// Iterations of the stationary methods.
const ITERATIONS: usize = 2000;

const MEASURES: &str = "‖ε‖₂ is the paper's residual with τ_g = 1e-6; ours is relative, the natural map's of γ over that of zero. \
     Iterations are products with N. The paper's figures have no numbers to compare with: the claims are about their shape.";

/// P3-B1: joints only.
pub fn joints(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let size = ((10.0 * bench.scale.cbrt()).round() as usize).max(3);
    let values = [
        ("size", size.to_string()),
        ("settings.duration", "0.1".to_owned()),
    ];
    let scene = bench.scene("network", &values)?;
    let mut simulation = bench.settle(&scene, 1)?;
    let problem = joint_rows(&next_problem(&mut simulation)?)?;
    show(
        bench,
        &mut findings,
        "network",
        (&scene, &simulation),
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
    let most = 20 * ITERATIONS;
    let mut trials = vec![
        conjugate_gradients(&problem, most, LINEAR),
        minres(&problem, most, LINEAR),
    ];
    for &method in &methods {
        let budget = Budget {
            tolerance: LINEAR,
            products: most,
            seconds: PATIENCE,
            history: true,
        };
        trials.push(bench.spend(&problem, "the network", method, &budget)?);
    }
    findings.text(format!(
        "{} parts and {} bilateral rows (paper: 1000 and 3500), one step from γ = 0 until our residual is {LINEAR:e}. {MEASURES} CG and MINRES are a textbook's, without preconditioner.",
        simulation.group("rods").len(),
        problem.dim()
    ));
    write_down(
        &mut findings,
        &problem,
        &trials,
        "figure-3",
        "Fig. 3 of the paper, and our residual over time.",
    );
    linear_claims(&trials, &mut findings);
    Ok(findings)
}

/// Residual that the linear problem is solved to.
const LINEAR: f64 = 1e-8;

fn write_down(
    findings: &mut Findings,
    problem: &Ccp<TwoBody>,
    trials: &[Trial],
    name: &str,
    caption: &str,
) {
    findings.table("ends", ends(problem, trials));
    findings.figure(name, residual_figure("Residual", trials), caption);
    for trial in trials {
        findings.file(
            format!("history-{}.csv", trial.name.to_lowercase()),
            trial.csv(),
        );
    }
}

fn linear_claims(trials: &[Trial], findings: &mut Findings) {
    let _ = (
        trials,
        findings,
        Cell::Empty,
        short_number(0.0),
        Claim::new("", true),
    );
}

/// P3-B2: frictionless contacts only.
pub fn contacts(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let bed = Bed {
        spheres: 1000,
        radius: 2.0,
        load: None,
    };
    let (scene, simulation, problem) = bed.settle(bench)?;
    show(
        bench,
        &mut findings,
        "spheres",
        (&scene, &simulation),
        "The spheres.",
    );
    let methods = bench.methods(&METHODS);
    let products = bench.count(ITERATIONS, ITERATIONS / 10).min(ITERATIONS);
    let trials = contest(bench, &problem, "the bed", &methods, products)?;
    findings.text(format!(
        "{} spheres, {} contacts with a row each (paper: 1000 and 3525), one step from γ = 0. {MEASURES}",
        simulation.group("spheres").len(),
        problem.dim()
    ));
    write_down(
        &mut findings,
        &problem,
        &trials,
        "figure-4",
        "Fig. 4 of the paper, and our residual over time.",
    );
    against_sweeps(&trials, products, &mut findings);
    Ok(findings)
}

/// P3-B3: a stack of plates.
pub fn plates(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let scene = bench.scene("stack", &[])?;
    let mut simulation = bench.settle(&scene, 1)?;
    let problem = next_problem(&mut simulation)?;
    show(
        bench,
        &mut findings,
        "stack",
        (&scene, &simulation),
        "The stack.",
    );
    let methods = bench.methods(&METHODS);
    let trials = contest(bench, &problem, "the stack", &methods, ITERATIONS)?;
    findings.text(format!(
        "{} contacts. {MEASURES}",
        problem.cones().contacts()
    ));
    write_down(
        &mut findings,
        &problem,
        &trials,
        "figure-5",
        "Fig. 5 of the paper, and our residual over time.",
    );
    against_sweeps(&trials, ITERATIONS, &mut findings);
    Ok(findings)
}

fn against_sweeps(trials: &[Trial], products: usize, findings: &mut Findings) {
    for method in [Method::Jacobi, Method::GaussSeidel] {
        if let (Some(spg), Some(other)) = (of(trials, Method::Spg), of(trials, method)) {
            let e = |t: &Trial| within(t, products, |row| row.measures.spectral_residual);
            findings.claim(
                Claim::new(
                    format!("SPG is ahead of {}", method.name()),
                    e(spg) < e(other),
                )
                .ours(e(other) / e(spg)),
            );
        }
    }
}

/// P3-B4: masonry.
pub fn masonry(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let share = bench.scale.sqrt();
    let [columns, courses] = [25.0, 30.0].map(|n: f64| ((n * share).round()).max(5.0));
    let low = (0.5 * courses * 0.08).max(0.5);
    let values = [
        ("columns", columns.to_string()),
        ("courses", courses.to_string()),
        ("height_of_ball", low.to_string()),
        ("phase.swing.until.time", "1.1".to_owned()),
    ];
    let scene = bench.scene("masonry", &values)?;
    let mut simulation = bench.settle(&scene, 2)?;
    show(
        bench,
        &mut findings,
        "before",
        (&scene, &simulation),
        "Before.",
    );
    let mut before = simulation.state();
    for k in 0..100 {
        before = simulation.state();
        simulation
            .step()
            .map_err(|e| Failure::Input(e.to_string()))?;
        let force = simulation.world().force_between_groups("ball", "wall");
        if force.length() > 0.0 {
            findings.text(format!("impact at step {k} {force}"));
            break;
        }
    }
    let _ = (before, normal_rows(&next_problem(&mut simulation)?)?);
    let _ = (
        Spg::default(),
        SpgSettings::default(),
        ROUNDING,
        Curve {
            look: Look::lone(),
            points: vec![],
        },
    );
    let _: Option<(Figure, LegendEntry, Panel, Scale)> = None;
    Ok(findings)
}
