//! Sweeps: the plan and the table are the engine's, the processes are Python's.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;

use drystone_run::sweep::{SweepEvent, SweepPlan, SweepSource, SweepTask};
use pyo3::prelude::*;

use crate::error::{scene_error, value_error};
use crate::pool::work;

type Pairs = Vec<(String, String)>;

fn sweep_error(py: Python<'_>, error: &drystone_run::sweep::SweepError) -> PyErr {
    use drystone_run::sweep::SweepError as Error;
    match error {
        Error::Scene { source, .. } => scene_error(py, source),
        Error::Io { .. } => crate::error::file_error(error),
        error => value_error(error),
    }
}

fn plan(
    py: Python<'_>,
    source: (String, Pairs, bool),
    parameters: Vec<(String, Vec<String>)>,
    repeats: usize,
    until: Option<f64>,
) -> PyResult<SweepPlan> {
    let (scene, set, allow_outside) = source;
    let source = SweepSource {
        scene,
        set,
        allow_outside,
    };
    let made = py.detach(|| SweepPlan::new(source, parameters, repeats, until));
    made.map_err(|error| sweep_error(py, &error))
}

/// The runs of a sweep: folder, values, repetition, seed, and what is set.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
pub fn sweep_plan(
    py: Python<'_>,
    source: (String, Pairs, bool),
    parameters: Vec<(String, Vec<String>)>,
    repeats: usize,
    until: Option<f64>,
) -> PyResult<Vec<(String, Vec<String>, usize, Option<u64>, Pairs)>> {
    let plan = plan(py, source, parameters, repeats, until)?;
    let run = |run: &drystone_run::sweep::SweepRun| {
        let (folder, values) = (run.folder.clone(), run.values.clone());
        (folder, values, run.repeat, run.seed, run.set.clone())
    };
    Ok(plan.runs().iter().map(run).collect())
}

/// Does what is left of a sweep. `command` is a program and its first arguments, to which those of
/// each run are added. `tell` is told how many runs are done, and of how many. Returns headings,
/// rows, and the runs that failed with their last words.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from one place, by name")]
#[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
pub fn run_sweep(
    py: Python<'_>,
    source: (String, Pairs, bool),
    parameters: Vec<(String, Vec<String>)>,
    repeats: usize,
    until: Option<f64>,
    out: PathBuf,
    workers: usize,
    command: Vec<String>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<(Vec<String>, Vec<Vec<String>>, Vec<(usize, String)>)> {
    let plan = plan(py, source, parameters, repeats, until)?;
    let Some((program, first)) = command.split_first() else {
        return Err(value_error("command: expected a program"));
    };
    let make = |task: &SweepTask<'_>| {
        let mut command = Command::new(program);
        command.args(first).arg(&plan.source().scene);
        task.add_arguments(&plan, &mut command);
        command
    };
    let state = Mutex::new((0, plan.runs().len()));
    let mut told = |event: SweepEvent<'_>| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            SweepEvent::Found(done, all) => *state = (done, all),
            SweepEvent::Ended(..) => state.0 += 1,
            _ => {}
        }
    };
    let tell = tell.map(Bound::unbind);
    let mut look = |py: Python<'_>| {
        let now = *state.lock().unwrap_or_else(PoisonError::into_inner);
        tell.as_ref()
            .map_or(Ok(()), |tell| tell.call1(py, now).map(|_| ()))
    };
    let outcome = work(
        py,
        |cancel| drystone_run::sweep::run_sweep(&plan, &out, workers, &make, cancel, &mut told),
        &mut look,
    )?;
    let outcome = outcome.map_err(|error| sweep_error(py, &error))?;
    let table = outcome.table;
    Ok((table.columns, table.rows, outcome.failed))
}
