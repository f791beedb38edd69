//! P0-T1 and P0-T2: a heavy slab on light balls (Mazhar 2015, §4.1.1).
//!
//! The bed settles under the slab until little moves; then every method takes the same step from
//! zero impulses. The paper settled by Gauss–Seidel and does not give its time step; ours is the
//! scene's. Settled with 50 Gauss–Seidel iterations per step, the bed keeps overlaps of
//! centimetres, and removing these would hide everything else. So it settles by a better method
//! here. Each slab has settled on a bed of its own, and is narrower than the box, so that the balls
//! alone carry it: one that leans against a wall would push on it in proportion to its mass.

mod masses;
mod race;

use std::collections::BTreeSet;

use drystone::{BodyId, ContactForce, StepProblem};
use drystone_ccp::{Ccp, Method, TwoBody};
use drystone_scene::Simulation;

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::curves::{XAxis, legend, panel, returned_panel};
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::set_up;
use crate::experiment::trial::{Trial, kept_by_fall_back};
use drystone_draw::plot::{AxisScale, Figure};

pub use masses::{claims as mass_claims, convergence};
pub use race::{claims as race_claims, time_to_residual};

/// The paper's methods, then ours.
const METHODS: [Method; 5] = [
    Method::Jacobi,
    Method::GaussSeidel,
    Method::Apgd,
    // Often the same as the next, so it is drawn before it and lies below.
    Method::Auto,
    Method::NesterovGs,
];

/// The paper's methods in the order of its tables.
const PUBLISHED: [Method; 3] = [Method::Jacobi, Method::GaussSeidel, Method::Apgd];

/// Balls in the paper.
const BALLS: usize = 4000;

/// Why our figures may be others than the paper's.
const NOT_SAID: &str = "The paper gives neither its time step nor the over-relaxation of its sweeps, \
    and its state was settled by the very Gauss–Seidel that is judged, ours by another method.";

/// Mass of the reference slab, kg.
const ONE_TONNE: f64 = 1e3;

/// The step under a slab.
struct SlabStep {
    step: StepProblem,
    slab: BTreeSet<BodyId>,
    walls: BTreeSet<BodyId>,
    simulation: Simulation,
}

impl SlabStep {
    fn problem(&self) -> &Ccp<TwoBody> {
        self.step.problem()
    }

    /// Contacts between slab and box that carry something at the best point of some trials.
    fn leaning(&self, trials: &[Trial]) -> usize {
        let joins = |[a, b]: [BodyId; 2]| {
            let (slab, walls) = (&self.slab, &self.walls);
            (slab.contains(&a) && walls.contains(&b)) || (slab.contains(&b) && walls.contains(&a))
        };
        let forces = self.forces(trials);
        let carries = |c: &&ContactForce| joins(c.bodies) && c.force.dot(c.normal) > 0.0;
        forces.iter().filter(carries).count()
    }

    /// Upward force on the slab at the best point of some trials, over its weight.
    fn carried(&self, trials: &[Trial]) -> f64 {
        let up = |c: &ContactForce| match c.bodies.map(|body| self.slab.contains(&body)) {
            [false, true] => c.force.z,
            [true, false] => -c.force.z,
            [true, true] | [false, false] => 0.0,
        };
        let world = self.simulation.world();
        let mass: f64 = self.slab.iter().map(|body| world.mass(*body)).sum();
        let weight = mass * world.settings().gravity.length();
        self.forces(trials).iter().map(up).sum::<f64>() / weight
    }

    /// None where all methods failed.
    fn forces(&self, trials: &[Trial]) -> Vec<ContactForce> {
        match set_up::best_point(trials) {
            [] => Vec::new(),
            gamma => self.step.contact_forces(gamma),
        }
    }
}

/// The step under a slab of a mass, in kg, that has settled on a bed of its own.
fn slab_step(
    bench: &mut Bench<'_>,
    mass: f64,
    findings: &mut Findings,
) -> Result<SlabStep, StudyError> {
    let count = bench.count(BALLS, 60);
    // A smaller bed keeps its shape, and the slab its weight against the bed's.
    let share = count as f64 / BALLS as f64;
    let width = 3.0 * share.cbrt();
    let values = [
        ("count", count.to_string()),
        ("width", format!("{width}")),
        // Two thirds of a radius from each wall: no ball fits in between.
        ("slab_gap", "0.1".to_owned()),
        ("slab_mass", format!("{}", share * mass)),
        (
            "settings.method",
            format!("{:?}", Method::NesterovGs.name()),
        ),
        // With 300, or to 1e-2, slabs of 100 t and more are thrown up and fall again.
        ("settings.max_iterations", "5000".to_owned()),
        ("load_tolerance", "1e-3".to_owned()),
        ("load_time", "0.6".to_owned()),
    ];
    let scene = bench.scene("pressure", &values)?;
    let mut simulation = bench.settle(&scene, 2)?;
    // One picture per experiment is enough.
    let picture = findings
        .parts
        .is_empty()
        .then(|| bench.picture(&scene, &simulation));
    if let Some(png) = picture.flatten() {
        findings.picture(
            "figure-4",
            png,
            "The reference configuration, as in Fig. 4 of the paper.",
        );
    }
    let group =
        |name: &str| -> BTreeSet<BodyId> { simulation.group(name).iter().copied().collect() };
    let [slab, walls] = [group("slab"), group("box")];
    Ok(SlabStep {
        step: simulation.next_problem()?,
        slab,
        walls,
        simulation,
    })
}

/// How the beds were set up.
fn describe(bench: &Bench<'_>, step: &SlabStep, trials: &[Trial], findings: &mut Findings) {
    findings.setup(
        "balls",
        "4000 of radius 0.15 m and 1 kg",
        format!("{} of radius 0.15 m and 1 kg", bench.count(BALLS, 60)),
    );
    findings.setup("box", "3 m × 3 m", {
        let share = bench.count(BALLS, 60) as f64 / BALLS as f64;
        format!("{0:.3} m × {0:.3} m", 3.0 * share.cbrt())
    });
    findings.setup("friction", "0.1", "0.1");
    findings.setup(
        "slab",
        "\"placed on top of the bed\"; its size is not given",
        "a box, 10 cm from each wall; at a smaller scale its mass shrinks with the bed",
    );
    let gamma = set_up::best_point(trials);
    set_up::contacts(
        findings,
        ("contacts under 1 t", NOT_GIVEN),
        step.problem(),
        gamma,
    );
    findings.setup(
        "slab against the walls",
        NOT_GIVEN,
        format!(
            "{} contacts between them carry something",
            step.leaning(trials)
        ),
    );
    set_up::settled(
        findings,
        &step.simulation,
        "\"allowed to settle using the GS solver\"; neither step, time nor tolerance are given",
        "nesterov-gs, not by Gauss–Seidel as in the paper, so that the steps come to a tolerance",
    );
    findings.setup(
        "Gauss–Seidel",
        "with over-relaxation ω and λ, which are not given",
        "ω = λ = 1",
    );
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
    let mut objective = returned_panel(
        trials,
        XAxis::Iterations,
        "objective f(γ) (J)",
        [AxisScale::Linear, AxisScale::Linear],
        |row| row.objective,
    );
    // A method that factorises passes through points far above: its way may leave the panel.
    let returned = |trial: &Trial| {
        let kept = kept_by_fall_back(trial, |row| row.measures.apgd_residual);
        kept.last().map_or(0.0, |row| row.objective)
    };
    let lowest = trials.iter().map(returned).fold(0.0, f64::min);
    if lowest < 0.0 {
        objective.y_limits = Some([1.05 * lowest, -0.05 * lowest]);
    }
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
            objective,
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
    PUBLISHED.iter().position(|method| method.name() == name)
}
