//! P0-T3: the mixer (Mazhar 2015, §4.1.2). Does the time of a step grow linearly with its contacts?
//!
//! The grains settle around the rotor. The rotor then turns until it has reached its speed and has
//! pushed the grains in its way. From there each method makes the same few steps, and the median of
//! their times is taken, because the machine does other things too. The paper's smallest mixer is
//! our largest at scale 1.
//!
//! All sizes are solved to the same residual r of the paper, which its Table III shows to be much
//! the same for all: it divides a norm by the number of rows. The same relative residual would ask
//! more of a larger mixer.

mod report;

use std::time::Duration;

use drystone::StepReport;
use drystone_ccp::{Ccp, Limits, Method, TwoBody};
use drystone_run::StopAt;
use drystone_scene::{Scene, Simulation};

use crate::compare::profile::median;
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::Findings;
use crate::experiment::rows::next_problem;
use crate::experiment::trial::Trial;

/// The paper's method, then ours.
const METHODS: [Method; 2] = [Method::Apgd, Method::NesterovGs];

/// Numbers of grains, doubled from one to the next. The largest is the smallest of Table III.
const SIZES: [usize; 4] = [12_500, 25_000, 50_000, 100_000];

/// Fewer grains than this do not cover the blades.
const LEAST: usize = 100;

/// Steps that are timed: an odd number, so that the median is one of them.
const STEPS: usize = 9;

/// The paper's residual r (eq. 25) that they are solved to. The paper's own steps ended thirty to
/// forty times higher. With 100 000 grains it is a relative residual of 1e-2.
const HELD: f64 = 1.5e-6;

/// Relative residual of a first, rough answer, which tells how the two measures compare.
const ROUGH: f64 = 1e-2;

/// How often a problem is solved from zero impulses; the median time counts.
const COLD: usize = 3;

/// Longest time of one solve. None needs it at scale 1; it bounds larger ones.
const PATIENCE: Duration = Duration::from_secs(300);

/// One method on one mixer.
struct MixerRun {
    objects: usize,
    method: Method,
    contacts: f64,
    /// Median over the steps of the wall time of the whole step, s.
    step: f64,
    /// Median over the steps of the wall time of the solver, s.
    solve: f64,
    iterations: f64,
    /// Mean number of solves per step: a step is solved again where its own collisions open
    /// contacts.
    solves: f64,
    /// The largest relative residual of the steps.
    residual: f64,
    /// Iterations of one problem from zero impulses.
    cold_iterations: usize,
    /// Median time of that solve, s.
    cold_seconds: f64,
    /// The paper's residual r (eq. 25) at its end.
    r: f64,
}

/// P0-T3: time of a step over its contacts.
pub fn scaling(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let mut sizes = SIZES.map(|n| bench.count(n, LEAST)).to_vec();
    sizes.dedup();
    // The largest first: what cannot fit is refused before any work.
    let _ = scene(bench, sizes[sizes.len() - 1], Method::NesterovGs, ROUGH)?;
    let mut runs = Vec::new();
    for &objects in &sizes {
        let (settled, tolerance) = {
            let scene = scene(bench, objects, Method::NesterovGs, ROUGH)?;
            let mut settled = bench.settle(&scene, 2)?;
            if objects == sizes[sizes.len() - 1]
                && let Some(png) = bench.picture(&scene, &settled)
            {
                let caption = format!(
                    "The mixer with {objects} grains, cut open, as in Fig. 6 of the paper. Colours \
                     tell what lay below and above."
                );
                findings.picture("figure-6", png, caption);
            }
            let problem = next_problem(&mut settled)?;
            (settled.state(), tolerance(bench, &problem, objects)?)
        };
        for method in bench.methods(&METHODS) {
            let scene = scene(bench, objects, method, tolerance)?;
            let mut simulation = Simulation::new(&scene)?;
            simulation.restore(&settled)?;
            runs.push(measure(bench, simulation, (objects, method, tolerance))?);
        }
    }
    report::write(&runs, bench.threads, &mut findings);
    Ok(findings)
}

/// The mixer with so many grains, stepped by a method to a relative residual.
fn scene(
    bench: &Bench<'_>,
    objects: usize,
    method: Method,
    tolerance: f64,
) -> Result<Scene, StudyError> {
    let values = [
        ("count", objects.to_string()),
        ("settings.method", format!("{:?}", method.name())),
        // Coarse while the grains fall: where exactly they come to rest does not matter.
        ("settle_step", "0.008".to_owned()),
        ("settings.tolerance", "0.1".to_owned()),
        ("settings.max_iterations", "20".to_owned()),
        ("ramp", "0.005".to_owned()),
        ("mix_time", "0.02".to_owned()),
        ("tolerance", format!("{tolerance:e}")),
    ];
    bench.scene("mixer", &values)
}

/// The relative residual at which r is [`HELD`]: both are norms of nearly the same map, so their
/// ratio at one point serves for another.
fn tolerance(bench: &Bench<'_>, problem: &Ccp<TwoBody>, objects: usize) -> Result<f64, StudyError> {
    let rough = cold(bench, problem, (objects, Method::NesterovGs, ROUGH))?;
    let end = rough.last();
    Ok(end.residual * HELD / end.measures.apgd_residual)
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

/// One problem from zero impulses, as the paper's table has it, then whole steps as they come.
fn measure(
    bench: &Bench<'_>,
    mut simulation: Simulation,
    (objects, method, tolerance): (usize, Method, f64),
) -> Result<MixerRun, StudyError> {
    let (cold, cold_seconds) = {
        let problem = next_problem(&mut simulation)?;
        let once = || cold(bench, &problem, (objects, method, tolerance));
        let first = once()?;
        let mut seconds = vec![first.seconds];
        for _ in 1..COLD {
            seconds.push(once()?.seconds); // the same answer to the bit
        }
        (first, median(seconds.into_iter()).unwrap_or(f64::NAN))
    };
    // The first step allocates its memory and does not count.
    let first = simulation.world().steps() + 1;
    let stop = StopAt {
        steps: Some(first + STEPS as u64),
        beyond_scene: true,
        ..StopAt::default()
    };
    let mut reports = Vec::new();
    bench.advance_with(&mut simulation, &stop, |_, report| {
        if report.step > first {
            reports.push(*report);
        }
    })?;
    let median = |of: fn(&StepReport) -> f64| median(reports.iter().map(of)).unwrap_or(f64::NAN);
    Ok(MixerRun {
        objects,
        method,
        contacts: median(|r| r.contacts as f64),
        step: median(|r| r.times.total),
        solve: median(|r| r.times.solve),
        iterations: median(|r| r.iterations as f64),
        solves: reports.iter().map(|r| r.solves as f64).sum::<f64>() / reports.len() as f64,
        residual: reports
            .iter()
            .fold(0.0, |worst: f64, r| worst.max(r.residual)),
        cold_iterations: cold.iterations,
        cold_seconds,
        r: cold.last().measures.apgd_residual,
    })
}
