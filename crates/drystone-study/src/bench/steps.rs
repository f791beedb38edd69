//! Whole steps of scenes: time by stage, what was reached for it, memory, how the time grows with
//! the number of bodies, and what more threads bring.
//!
//! A case is brought to its state once and kept. From there every method and every number of
//! threads makes the same steps, so that the bits of the states at their ends can be compared.

mod tables;

use std::time::Instant;

use drystone::{ContactForce, StepReport, World};
use drystone_ccp::Method;
use drystone_run::inspect::thickness;
use drystone_run::settled::digest;
use drystone_run::{Control, Ended, Event, StopAt, drive};
use drystone_scene::Simulation;

use super::cases::{Measured, Motion, SceneKind, Stage, cases, told};
use super::process::{peak_memory, reset_peak_memory};
use super::{BenchContext, BenchReport, pools};
use crate::error::StudyError;
use crate::table::{Cell, Row, plural, short_number};
use tables::TOTAL;

/// What to measure.
#[derive(Clone, Debug)]
pub struct StepBenchSettings {
    /// Scenes.
    pub scenes: Vec<SceneKind>,
    /// Numbers of spheres of the piles.
    pub sizes: Vec<usize>,
    /// Size of the other scenes, 1 for 10 000 grains, 750 bricks, 1000 rods and 4000 balls below
    /// the slab. > 0.
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
    /// Longest time of the warm-up and of the measured steps of a case at the first number of
    /// threads, s each: then fewer steps are made, at least one.
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
    let mut done = Vec::new();
    let ended = measure_all(settings, context, &mut done);
    report(settings, &done).ended_by(ended)
}

fn report(settings: &StepBenchSettings, done: &[Measurement]) -> BenchReport {
    let mut report = BenchReport::new("steps", "Steps of scenes", described(settings));
    tables::add(&mut report, done);
    report
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

fn measure_all(
    settings: &StepBenchSettings,
    context: BenchContext<'_>,
    done: &mut Vec<Measurement>,
) -> Result<(), StudyError> {
    let mut stage = Stage::new("steps", context);
    let pools = pools(&settings.threads)?;
    let StepBenchSettings {
        scenes, motions, ..
    } = settings;
    for case in cases(scenes, motions, &settings.sizes, settings.scale) {
        for &method in &settings.methods {
            let measured = Measured {
                method,
                tolerance: settings.tolerance,
                iterations: settings.iterations,
            };
            let mut made = None;
            for (threads, pool) in &pools {
                reset_peak_memory();
                let mut simulation = stage.simulation(&case, &measured, &[])?;
                let threads_used = plural(*threads, "thread");
                let label = format!("{}, {}, {threads_used}", case.label(), method.name());
                context.control.tell(Event::Begin(&label));
                let [warm_up, reports] = pool.install(|| {
                    let most = [settings.warm_up, settings.steps];
                    time_steps(
                        &mut simulation,
                        most,
                        settings.seconds,
                        made,
                        context.control,
                    )
                })?;
                // The others make as many, so that their states can be compared.
                made = Some([warm_up.len(), reports.len()]);
                let found = Measurement {
                    kind: case.kind,
                    motion: case.motion,
                    method,
                    threads: *threads,
                    bodies: simulation.world().len(),
                    penetration: deepest_overlap(simulation.world(), simulation.world().contacts()),
                    memory: peak_memory(),
                    digest: digest(&simulation.state()).to_string(),
                    reports,
                };
                let words = format!("{label}: {} ms a step", short_number(found.time(TOTAL)));
                context.control.tell(Event::End(Some(&words)));
                done.push(found);
                (context.keep)(&report(settings, done))?;
            }
        }
    }
    Ok(())
}

/// Makes the steps of a warm-up, then those that are measured: exactly as many as were `made`
/// before, or as `most` and the time for each of the two allow. Returns the reports of both.
pub fn time_steps(
    simulation: &mut Simulation,
    most: [usize; 2],
    seconds: f64,
    made: Option<[usize; 2]>,
    control: Control<'_>,
) -> Result<[Vec<StepReport>; 2], StudyError> {
    let mut parts = [Vec::new(), Vec::new()];
    for (k, reports) in parts.iter_mut().enumerate() {
        let start = Instant::now();
        let count = made.map_or(most[k], |made| made[k]);
        while reports.len() < count {
            reports.push(one_step(simulation, control)?);
            if made.is_none() && start.elapsed().as_secs_f64() >= seconds {
                break;
            }
        }
    }
    Ok(parts)
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
/// overlaps: one judge for the states of all engines.
pub fn deepest_overlap(world: &World, contacts: impl Iterator<Item = ContactForce>) -> f64 {
    let half = |body| thickness(world, body).map_or(f64::INFINITY, |t| 0.5 * t);
    let share = contacts.filter(|contact| contact.gap < 0.0).map(|contact| {
        let [a, b] = contact.bodies.map(half);
        -contact.gap / a.min(b)
    });
    share.fold(0.0, drystone::worse)
}
