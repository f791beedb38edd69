//! P0-T3: the mixer (Mazhar 2015, §4.1.2). Does the time of a step grow linearly with its bodies and
//! contacts?
//!
//! The grains settle around the rotor. The rotor then turns by more than half the distance from
//! blade to blade, so that the grains have begun to flow. From there its torque is watched, and
//! at several states on the way the step's problem is solved from zero impulses: iterations vary
//! from state to state, and a fit through one of each size would mean little. Our largest at scale 1
//! is half of the paper's smallest: by an estimate from smaller ones all four take an hour on one
//! core.
//!
//! All sizes are solved to the same residual r of the paper, which its Table III shows to be much
//! the same for all: it divides a norm by the number of rows. The same relative residual would ask
//! more of a larger mixer.

mod claims;
mod report;

use std::collections::BTreeSet;
use std::time::Duration;

use drystone::{BodyId, StepReport};
use drystone_ccp::{Ccp, Limits, Method, TwoBody};
use drystone_run::StopAt;
use drystone_scene::{Scene, Simulation};

use crate::compare::profile::median;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::rows::next_problem;
use crate::experiment::set_up;
use crate::experiment::trial::Trial;

pub use claims::{MixerRuns, claims};

/// The paper's method, then ours.
const METHODS: [Method; 2] = [Method::Apgd, Method::NesterovGs];

/// Numbers of grains, doubled from one to the next: what an hour should allow.
const SIZES: [usize; 4] = [6_250, 12_500, 25_000, 50_000];

/// Fewer grains than this do not cover the blades.
const LEAST: usize = 100;

/// States at which the problem is solved from zero.
const STATES: usize = 5;

/// Steps from one of these to the next: 4 ms, in which the tips of the largest rotor go on by a fifth
/// of a grain.
const STEPS_BETWEEN: u64 = 8;

/// Angle from blade to blade, rad.
const BLADE_SPACING: f64 = 0.5 * std::f64::consts::PI;

/// Time for which the rotor turns before anything is measured, s: at π/2 rad/s and with a ramp of 5
/// ms a little more than half the distance from blade to blade.
const MIX_TIME: f64 = 0.52;

/// Time step on that way, s: the tips of the largest rotor go on by a fifth of a grain in it. The
/// paper's, 0.5 ms, is that of the measured steps.
const MIX_STEP: f64 = 4e-3;

/// Most iterations of a step on that way. It only has to bring the grains there: the steps that are
/// measured have as many as they need.
const MIX_ITERATIONS: usize = 100;

/// The paper's residual r (eq. 25) that the steps are solved to. The paper's own steps ended thirty
/// to forty times higher. With 100 000 grains it is a relative residual of 1e-2.
const HELD: f64 = 1.5e-6;

/// Relative residual of a first, rough answer, which tells how the two measures compare.
const ROUGH: f64 = 1e-2;

/// Longest time of one solve. None needs it at scale 1; it bounds larger ones.
const PATIENCE: Duration = Duration::from_secs(120);

/// One method on one mixer.
pub struct MixerRun {
    objects: usize,
    method: Method,
    /// One per state: contacts, and the solve from zero impulses.
    cold: Vec<(usize, Trial)>,
    /// The whole steps between the states, by nesterov-gs for all methods.
    steps: Vec<StepReport>,
    /// Torque of the grains on the rotor about its axis in each of these steps, N m.
    torques: Vec<f64>,
    /// Angle that the rotor had turned by before, rad.
    turned: f64,
}

impl MixerRun {
    /// Median over the whole steps.
    fn of_steps(&self, of: impl Fn(&StepReport) -> f64) -> f64 {
        median(self.steps.iter().map(of)).unwrap_or(f64::NAN)
    }

    /// Median over the solves from zero.
    fn of_solves(&self, of: impl Fn(&Trial) -> f64) -> f64 {
        median(self.cold.iter().map(|(_, trial)| of(trial))).unwrap_or(f64::NAN)
    }

    fn contacts(&self) -> f64 {
        median(self.cold.iter().map(|(n, _)| *n as f64)).unwrap_or(f64::NAN)
    }

    /// How far the mean torque of the second half of the steps is from that of the first, over it.
    fn torque_drift(&self) -> f64 {
        let (first, second) = self.torques.split_at(self.torques.len() / 2);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        (mean(second) / mean(first) - 1.0).abs()
    }
}

/// P0-T3: time of a step over its contacts.
pub fn scaling(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let mut sizes = SIZES.map(|n| bench.count(n, LEAST)).to_vec();
    sizes.dedup();
    // The largest first: what cannot fit is refused before any work.
    let largest = sizes[sizes.len() - 1];
    let _ = scene(bench, largest, &Mixing::COARSE)?;
    let mut runs = Vec::new();
    for &objects in &sizes {
        let scene = scene(bench, objects, &Mixing::COARSE)?;
        let mut settled = bench.settle(&scene, 2)?;
        let problem = next_problem(&mut settled)?;
        let rough = cold(bench, &problem, (objects, Method::NesterovGs, ROUGH))?;
        // Both are norms of nearly the same map, so their ratio at one point serves for another.
        let end = rough.last();
        let tolerance = end.residual * HELD / end.measures.apgd_residual;
        if objects == largest {
            describe(&settled, (&problem, &rough.gamma), bench, &mut findings);
            if let Some(png) = bench.picture(&scene, &settled) {
                let caption = format!(
                    "The mixer with {objects} grains, cut open, as in Fig. 6 of the paper. Colours \
                     tell what lay below and above."
                );
                findings.picture("figure-6", png, caption);
            }
        }
        let state = settled.state();
        drop((settled, problem, rough));
        let fine = self::scene(bench, objects, &Mixing::fine(tolerance))?;
        let mut simulation = Simulation::new(&fine)?;
        simulation.restore(&state)?;
        runs.append(&mut measure(bench, simulation, (objects, tolerance))?);
    }
    let runs = MixerRuns {
        runs,
        scale: bench.scale,
    };
    report::write(&runs, &mut findings);
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

/// How the mixer is stepped while its rotor turns.
struct Mixing {
    /// Time step, s.
    step: f64,
    /// Relative residual.
    tolerance: f64,
    /// Most iterations of a solve.
    iterations: usize,
}

impl Mixing {
    /// On the way to where it is measured.
    const COARSE: Self = Self {
        step: MIX_STEP,
        tolerance: ROUGH,
        iterations: MIX_ITERATIONS,
    };

    /// Where it is measured: the paper's time step.
    fn fine(tolerance: f64) -> Self {
        Self {
            step: 5e-4,
            tolerance,
            iterations: 10_000,
        }
    }
}

/// The mixer with so many grains.
fn scene(bench: &Bench<'_>, objects: usize, mixing: &Mixing) -> Result<Scene, StudyError> {
    let values = [
        ("count", objects.to_string()),
        (
            "settings.method",
            format!("{:?}", Method::NesterovGs.name()),
        ),
        // Coarse while the grains fall: where exactly they come to rest does not matter.
        ("settle_step", "0.008".to_owned()),
        ("settings.tolerance", "0.1".to_owned()),
        ("settings.max_iterations", "20".to_owned()),
        ("ramp", "0.005".to_owned()),
        ("mix_time", MIX_TIME.to_string()),
        ("mix_step", mixing.step.to_string()),
        ("mix_iterations", mixing.iterations.to_string()),
        ("tolerance", format!("{:e}", mixing.tolerance)),
    ];
    bench.scene("mixer", &values)
}

fn describe(
    settled: &Simulation,
    (problem, gamma): (&Ccp<TwoBody>, &[f64]),
    bench: &Bench<'_>,
    findings: &mut Findings,
) {
    let mut sizes = SIZES.map(|n| bench.count(n, LEAST).to_string()).to_vec();
    sizes.dedup();
    findings.setup(
        "objects",
        "101 506, 200 270, 301 790, 400 555",
        sizes.join(", "),
    );
    let largest = "contacts of the largest";
    set_up::contacts(findings, (largest, "355 551 to 1.89e6"), problem, gamma);
    findings.setup(
        "grains",
        "spheres, ellipsoids, cylinders, cubes of half-width 0.05 m, 1000 kg/m³, friction 0.5, \
         cohesion 200 N",
        "the same; their shares are not given and are equal here",
    );
    findings.setup(
        "mixer",
        "a cylinder and four blades at π/2 rad/s, in a picture only",
        "sizes of our own, see the scene mixer; the blades turn at π/2 rad/s",
    );
    findings.setup(
        "state",
        "\"when the mixer has reached steady state\"",
        format!(
            "after the rotor has turned for {MIX_TIME} s in steps of {} ms of at most \
             {MIX_ITERATIONS} iterations; the report tells its torque",
            1e3 * MIX_STEP
        ),
    );
    findings.setup(
        "measured steps",
        "0.5 ms; from which impulses and to which tolerance is not given, r is 4.6e-5 to 6.4e-5",
        format!("0.5 ms, from γ = 0 to r = {HELD:e}"),
    );
    findings.setup(
        "threads",
        "eight cores of a Xeon E5520",
        bench.threads.to_string(),
    );
    set_up::settled(findings, settled, NOT_GIVEN, "nesterov-gs");
}

/// A method's answer from zero impulses.
fn cold(
    bench: &Bench<'_>,
    problem: &Ccp<TwoBody>,
    (objects, method, tolerance): (usize, Method, f64),
) -> Result<Trial, StudyError> {
    let limits = Limits {
        tolerance,
        max_iterations: usize::MAX,
        time_limit: Some(PATIENCE),
        ..Limits::default()
    };
    bench.run_timed(problem, &format!("{objects} grains"), method, limits)
}

/// Problems from zero impulses at several states by all methods, and the whole steps between them as
/// they come. These are made by one method, so that all solve the same problems.
fn measure(
    bench: &Bench<'_>,
    mut simulation: Simulation,
    (objects, tolerance): (usize, f64),
) -> Result<Vec<MixerRun>, StudyError> {
    let rotor: BTreeSet<BodyId> = simulation.group("rotor").iter().copied().collect();
    let run = |method| MixerRun {
        objects,
        method,
        cold: Vec::new(),
        steps: Vec::new(),
        torques: Vec::new(),
        turned: 0.5 * std::f64::consts::PI * (MIX_TIME - 0.0025),
    };
    let mut runs: Vec<MixerRun> = bench.methods(&METHODS).into_iter().map(run).collect();
    for _ in 0..STATES {
        let problem = next_problem(&mut simulation)?;
        let contacts = problem.cones().contacts();
        for run in &mut runs {
            let trial = cold(bench, &problem, (objects, run.method, tolerance))?;
            run.cold.push((
                contacts,
                Trial {
                    gamma: Vec::new(),
                    ..trial
                },
            ));
        }
        drop(problem);
        let stop = StopAt {
            steps: Some(simulation.world().steps() + STEPS_BETWEEN),
            beyond_scene: true,
            ..StopAt::default()
        };
        let (mut reports, mut torques) = (Vec::new(), Vec::new());
        bench.advance_with(&mut simulation, &stop, |simulation, report| {
            reports.push(*report);
            torques.push(torque(simulation, &rotor));
        })?;
        for run in &mut runs {
            // The first step allocates its memory and does not count.
            run.steps.extend(reports.iter().skip(1));
            run.torques.extend(&torques);
        }
    }
    Ok(runs)
}

/// Torque of the grains on the rotor about the z axis, N m.
fn torque(simulation: &Simulation, rotor: &BTreeSet<BodyId>) -> f64 {
    let of = simulation.world().contacts().map(|contact| {
        let about = contact.point.cross(contact.force).z + contact.torque.z;
        match contact.bodies.map(|body| rotor.contains(&body)) {
            [false, true] => about,
            [true, false] => -about,
            [true, true] | [false, false] => 0.0,
        }
    });
    of.sum()
}
