//! `drystone check`: what a scene is, what it needs, what is wrong with it.

mod facts;
mod warnings;

use drystone::{OpenStep, SolveSummary, StepError};
use drystone_run::RunError;
use drystone_run::inspect::{extents, overlaps};
use drystone_run::memory::{contacts, least_contacts};
use drystone_run::start::{self, Built};
use drystone_scene::scene::Fault;
use drystone_scene::{Scene, SceneError};
use serde_json::{Value, json};

use crate::args::simulation::CheckArgs;
use crate::failure::{BAD_INPUT, Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::output::{to_stderr, to_stdout};
use crate::scene_source::read;
use crate::threads::thread_pool;
use facts::SceneFacts;

/// Checks a scene; the exit status says whether it can be run.
pub fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let scene = match read(&args.scene, &args.reading)? {
        Ok(scene) => scene,
        Err(error) => return refuse(args, error),
    };
    let pool = thread_pool(args.threads)?;
    pool.install(|| check_scene(args, &scene))
}

/// Tells the mistakes of a scene that cannot be run.
fn refuse(args: &CheckArgs, error: SceneError) -> Result<u8, Failure> {
    if !args.json {
        return Err(error.into());
    }
    to_stdout(&format!("{:#}\n", mistakes(&args.scene, &error)))?;
    Ok(BAD_INPUT)
}

/// All mistakes of a scene as one JSON object.
fn mistakes(scene: &str, error: &SceneError) -> Value {
    let fault = |fault: &Fault| {
        json!({
            "file": fault.origin,
            "line": fault.line,
            "column": fault.column,
            "key": fault.key,
            "message": fault.kind.to_string(),
            "suggestion": fault.suggestion,
        })
    };
    let (mistakes, more) = match error {
        SceneError::Invalid { faults, more, .. } => (faults.iter().map(fault).collect(), *more),
        error => (vec![json!({ "message": error.to_string() })], 0),
    };
    json!({ "scene": scene, "mistakes": mistakes, "more_mistakes": more })
}

fn check_scene(args: &CheckArgs, scene: &Scene) -> Result<u8, Failure> {
    memory::check(scene.least_bodies(), least_contacts(scene), args.force)?;
    let built = match start::build(scene, None) {
        Err(RunError::Scene(error)) => return refuse(args, error),
        built => built?,
    };
    let Built {
        mut simulation,
        start,
    } = built;
    let end_time = simulation.end_time();
    let time_step = simulation.world().settings().time_step;
    let contacts = contacts(simulation.world());
    memory::check(simulation.world().len() as u64, contacts, args.force)?;
    let start = start.map(|(start, report)| (start.words, report));
    // Before the step, which moves what is not held.
    let mut warnings = warnings::of(scene, simulation.world(), end_time);
    let notes = start.iter().flat_map(|(_, report)| report.notes.clone());
    warnings.extend(notes);
    let first = simulation.step_by(untouched);
    let overlaps = overlaps(simulation.world());
    warnings.extend(warnings::of_overlaps(&overlaps));
    let facts = SceneFacts {
        scene,
        world: simulation.world(),
        phases: simulation.phase_names().map(str::to_owned).collect(),
        end_time,
        time_step,
        contacts,
        overlaps,
        extents: extents(simulation.world()),
        warnings,
        start,
    };
    to_stdout(&if args.json {
        format!("{:#}\n", facts.json())
    } else {
        facts.table()
    })?;
    for warning in &facts.warnings {
        to_stderr(&format!("warning: {warning}"));
    }
    match first {
        Ok(_) => Ok(SUCCESS),
        Err(error) => {
            to_stderr(&format!("error: the first step cannot be made: {error}"));
            Ok(NOT_CONVERGED)
        }
    }
}

/// Answers the first step without a solve: it finds the contacts of the start and how deep they
/// are, and no more is asked. Hundreds of bodies in one place would take minutes to be pushed
/// apart.
fn untouched(open: &mut OpenStep<'_>) -> Result<(Vec<f64>, SolveSummary), StepError> {
    let gamma = vec![0.0; open.problem().dim()];
    let summary = open.judge("none", 0, &gamma);
    Ok((gamma, summary))
}
