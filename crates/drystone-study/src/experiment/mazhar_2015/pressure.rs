//! P0-T1 and P0-T2: a heavy slab on light balls (Mazhar 2015, §4.1.1).
//!
//! The bed settles under the slab until little moves; then every method takes the same step from
//! zero impulses. The paper settled by Gauss–Seidel and does not give its time step; ours is the
//! scene's. Settled with 50 Gauss–Seidel iterations per step, the bed keeps overlaps of
//! centimetres, and removing these would hide everything else. So it settles by a better method
//! here. Heavier slabs lie where the slab of 1 t came to rest: the balls are rigid, so only the
//! mass differs.

mod masses;
mod race;

use drystone_ccp::{Ccp, Method, TwoBody};
use drystone_scene::Simulation;

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::curves::{XAxis, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::rows::next_problem;
use crate::experiment::trial::Trial;
use drystone_draw::plot::{AxisScale, Figure};

pub use masses::convergence;
pub use race::time_to_residual;

/// The paper's methods, then ours.
const METHODS: [Method; 5] = [
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
];

/// Balls in the paper.
const BALLS: usize = 4000;

/// Table II: iterations and seconds of each method to the residual; Jacobi did not get there.
const TABLE_2: [(Method, usize, f64); 3] = [
    (Method::Jacobi, 500_000, 24_300.0),
    (Method::GaussSeidel, 11_485, 494.8),
    (Method::Apgd, 202, 10.6),
];

/// The step under a slab of a mass, in kg, from the state that settled under 1 t.
fn problem(
    bench: &mut Bench<'_>,
    mass: f64,
    findings: &mut Findings,
) -> Result<Ccp<TwoBody>, StudyError> {
    let count = bench.count(BALLS, 60);
    // A smaller bed keeps its shape, and the slab its weight against the bed's.
    let share = count as f64 / BALLS as f64;
    let width = 3.0 * share.cbrt();
    let values = |mass: f64| {
        [
            ("count", count.to_string()),
            ("width", format!("{width}")),
            ("slab_mass", format!("{}", share * mass)),
            (
                "settings.method",
                format!("{:?}", Method::NesterovGs.name()),
            ),
            ("settings.max_iterations", "300".to_owned()),
            ("load_tolerance", "1e-2".to_owned()),
            ("load_time", "0.6".to_owned()),
        ]
    };
    let scene = bench.scene("pressure", &values(1e3))?;
    let settled = bench.settle(&scene, 2)?;
    // One picture per experiment is enough.
    let picture = findings
        .parts
        .is_empty()
        .then(|| bench.picture(&scene, &settled));
    if let Some(png) = picture.flatten() {
        findings.picture(
            "figure-4",
            png,
            "The reference configuration, as in Fig. 4 of the paper.",
        );
    }
    let scene = bench.scene("pressure", &values(mass))?;
    let mut simulation = Simulation::new(&scene)?;
    simulation.restore(&settled.state())?;
    next_problem(&mut simulation)
}

/// The tolerance of a method: out of reach, so that it makes all its iterations. `auto` changes to
/// stronger methods until it is there, so it gets one that it can reach.
fn tolerance(method: Method) -> f64 {
    match method {
        Method::Auto => 1e-8,
        _ => 1e-300,
    }
}

/// Residual and objective over iterations, as in Fig. 5 of the paper, and over time.
fn figure_5(trials: &[Trial]) -> Figure {
    let scales = [AxisScale::Linear, AxisScale::LogDecades];
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![
            panel(
                trials,
                XAxis::Iterations,
                "residual r (eq. 25)",
                scales,
                |row| row.measures.apgd_residual,
            ),
            panel(
                trials,
                XAxis::Iterations,
                "objective f(γ) (J)",
                [AxisScale::Linear, AxisScale::Linear],
                |row| row.objective,
            ),
            panel(trials, XAxis::Iterations, "our residual", scales, |row| {
                row.residual
            }),
            panel(
                trials,
                XAxis::Seconds,
                "residual r (eq. 25)",
                scales,
                |row| row.measures.apgd_residual,
            ),
        ],
        legend: legend(trials),
    }
}

/// Where a method of the paper stands in its tables.
fn column(name: &str) -> Option<usize> {
    TABLE_2
        .iter()
        .position(|(method, ..)| method.name() == name)
}
