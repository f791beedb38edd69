//! Whole steps of scenes: time by stage, what was reached for it, memory, how the time grows with
//! the number of bodies, and what more threads bring.
//!
//! A case is brought to its state once and kept. From there every method and every number of
//! threads makes the same steps, so that the bits of the states at their ends can be compared.

mod tables;

use std::time::Instant;

use drystone::StepReport;
use drystone_ccp::Method;
use drystone_run::inspect::thickness;
use drystone_run::settled::digest;
use drystone_run::{Control, Ended, Event, StopAt, drive};
use drystone_scene::Simulation;

use super::cases::{Case, Measured, Motion, SceneKind, Stage, told};
use super::process::{peak_memory, reset_peak_memory};
use super::{BenchContext, BenchReport, pools};
use crate::error::StudyError;
use crate::table::{Cell, Row, short_number};
use tables::TOTAL;

/// What to measure.
#[derive(Clone, Debug)]
pub struct StepBenchSettings {
    /// Scenes.
    pub scenes: Vec<SceneKind>,
    /// Numbers of spheres of the piles.
    pub sizes: Vec<usize>,
    /// Size of the other scenes, 1 for that of the issue: 10 000 grains, 750 bricks, 1000 rods,
    /// 4000 balls below the slab. > 0.
    pub scale: f64,
    /// Whether settled piles, moving ones or both; the other scenes have the states they have.
    pub motions: Vec<Motion>,
    /// Methods.
    pub methods: Vec<Method>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Relative residual of a step, > 0.
    pub tolerance: f64,
    /// A fixed number of iterations in place of the tolerance.
    pub iterations: Option<usize>,
    /// Steps that are measured, at most.
    pub steps: usize,
    /// Steps before them.
    pub warm_up: usize,
    /// Longest time of a case at the first number of threads, s: then fewer steps are measured, at
    /// least one.
    pub seconds: f64,
}

/// One case by one method on one number of threads.
struct Measurement {
    kind: SceneKind,
    motion: Motion,
    method: Method,
    threads: usize,
    bodies: usize,
    /// The measured steps.
    reports: Vec<StepReport>,
    /// Deepest overlap at the end, as a share of the thinner body's half thickness.
    penetration: f64,
    /// bytes.
    memory: Option<u64>,
    digest: String,
}

/// Measures steps. Once the caller cancels, the report holds the cases that had ended.
pub fn steps(
    settings: &StepBenchSettings,
    context: BenchContext<'_>,
) -> Result<BenchReport, StudyError> {
    let mut report = BenchReport::new("steps", "Steps of scenes", described(settings));
    let mut done = Vec::new();
    match measure_all(settings, context, &mut done) {
        Ok(()) => {}
        Err(StudyError::Cancelled) => report.set_cancelled(),
        Err(error) => return Err(error),
    }
    tables::add(&mut report, &done);
    Ok(report)
}

fn described(settings: &StepBenchSettings) -> Row {
    let measured = Measured {
        method: Method::Auto,
        tolerance: settings.tolerance,
        iterations: settings.iterations,
    };
    let list = |numbers: &[usize]| {
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        Cell::from(words.join(" ").as_str())
    };
    vec![
        ("sizes", list(&settings.sizes)),
        ("scale", settings.scale.into()),
        ("threads", list(&settings.threads)),
        ("steps_to", told(&measured).as_str().into()),
        ("warm_up_steps", settings.warm_up.into()),
        ("most_steps", settings.steps.into()),
    ]
}

fn cases(settings: &StepBenchSettings) -> Vec<Case> {
    let scaled = |full: f64| (full * settings.scale).round().max(1.0) as usize;
    let wants = |motion: Motion| settings.motions.contains(&motion);
    let mut cases = Vec::new();
    for kind in &settings.scenes {
        match kind {
            SceneKind::Pile => {
                for &count in &settings.sizes {
                    let motions = settings.motions.iter();
                    cases.extend(motions.map(|&motion| Case::pile(count, motion)));
                }
            }
            SceneKind::Grains => cases.push(Case::grains(scaled(10_000.0))),
            SceneKind::Wall => {
                for motion in [Motion::Settled, Motion::Moving] {
                    if wants(motion) {
                        cases.push(Case::wall(scaled(750.0), motion));
                    }
                }
            }
            SceneKind::Mechanism => cases.push(Case::mechanism(scaled(1000.0))),
            SceneKind::Vehicle => cases.push(Case::vehicle()),
            SceneKind::Slab => cases.push(Case::slab(scaled(4000.0))),
        }
    }
    cases
}

fn measure_all(
    settings: &StepBenchSettings,
    context: BenchContext<'_>,
    done: &mut Vec<Measurement>,
) -> Result<(), StudyError> {
    let mut stage = Stage::new("steps", context);
    let pools = pools(&settings.threads)?;
    for case in cases(settings) {
        for &method in &settings.methods {
            let measured = Measured {
                method,
                tolerance: settings.tolerance,
                iterations: settings.iterations,
            };
            let mut steps = None;
            for (threads, pool) in &pools {
                reset_peak_memory();
                let mut simulation = stage.simulation(&case, &measured, &[])?;
                let label = format!("{}, {}, {threads} threads", case.label(), method.name());
                context.control.tell(Event::Begin(&label));
                let reports = pool.install(|| {
                    let budget = (settings.warm_up, settings.steps, settings.seconds);
                    step_on(&mut simulation, budget, steps, context.control)
                })?;
                // The others make as many, so that their states can be compared.
                steps = Some(reports.len());
                let found = Measurement {
                    kind: case.kind,
                    motion: case.motion,
                    method,
                    threads: *threads,
                    bodies: simulation.world().len(),
                    penetration: penetration(&simulation),
                    memory: peak_memory(),
                    digest: digest(&simulation.state()).to_string(),
                    reports,
                };
                let words = format!("{label}: {} ms a step", short_number(found.time(TOTAL)));
                context.control.tell(Event::End(Some(&words)));
                done.push(found);
            }
        }
    }
    Ok(())
}

/// Makes the steps of a warm-up, then those that are measured: `exactly` so many, or as the budget
/// of most steps and most seconds allows.
fn step_on(
    simulation: &mut Simulation,
    (warm_up, most, seconds): (usize, usize, f64),
    exactly: Option<usize>,
    control: Control<'_>,
) -> Result<Vec<StepReport>, StudyError> {
    for _ in 0..warm_up {
        let _ = one_step(simulation, control)?;
    }
    let mut reports = Vec::new();
    let start = Instant::now();
    loop {
        reports.push(one_step(simulation, control)?);
        let enough = match exactly {
            Some(count) => reports.len() >= count,
            None => reports.len() >= most || start.elapsed().as_secs_f64() >= seconds,
        };
        if enough {
            return Ok(reports);
        }
    }
}

fn one_step(simulation: &mut Simulation, control: Control<'_>) -> Result<StepReport, StudyError> {
    let stop = StopAt {
        steps: Some(simulation.world().steps() + 1),
        beyond_scene: true,
        ..StopAt::default()
    };
    let mut report = None;
    let ended = drive(simulation, &stop, control, |_, made| {
        report = Some(*made.report);
        Ok::<(), StudyError>(())
    })?;
    match (ended, report) {
        (Ended::Broke(error), _) => Err(error.into()),
        (Ended::Finished | Ended::Limit, Some(report)) => Ok(report),
        (Ended::Cancelled | Ended::Finished | Ended::Limit, _) => Err(StudyError::Cancelled),
    }
}

/// The deepest overlap as a share of the thinner body's half thickness, zero where nothing
/// overlaps.
fn penetration(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let half = |body| thickness(world, body).map_or(f64::INFINITY, |t| 0.5 * t);
    let overlapping = world.contacts().filter(|contact| contact.gap < 0.0);
    let share = overlapping.map(|contact| {
        let [a, b] = contact.bodies.map(half);
        -contact.gap / a.min(b)
    });
    share.fold(0.0, drystone::worse)
}
