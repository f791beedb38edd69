//! Steps, runs, and steps that Python solves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drystone::{StepError, StepReport};
use drystone_draw::files::write_figure;
use drystone_draw::run_figure;
use drystone_problems::{Fault, Problem as AnyProblem, ProblemFile};
use drystone_run::problems::{ProblemOutput, ProblemRefusal};
use drystone_run::run_folder::{Existing, RunFolder};
use drystone_run::source::SceneSource;
use drystone_run::{Control, Ended, Run, StopAt};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Simulation;
use super::engine::Inner;
use crate::arrays;
use crate::error::{file_error, run_error, step_error, value_error};
use crate::pool::quietly;
use crate::problem::Problem;

/// Stem of the plots in the run's folder.
const PLOTS: &str = "plots";

/// The name of answers that come from Python.
const METHOD: &str = "python";

/// A report as a tuple, in the order of the columns of `log.csv`; two flags come first.
pub fn report_tuple<'py>(py: Python<'py>, report: &StepReport) -> PyResult<Bound<'py, PyTuple>> {
    let times = &report.times;
    let head = (
        report.converged(),
        report.timed_out,
        report.step,
        report.time,
        report.pairs,
        report.contacts,
        report.joint_rows,
        report.asleep,
    );
    let solve = (
        report.method,
        report.termination.name(),
        report.solves,
        report.iterations,
        report.residual,
        report.residual_velocity,
        report.penetration,
        report.joint_error,
    );
    let rest = (
        report.relaxed.lift_off,
        report.relaxed.difference,
        report.relaxed.iterations,
        report.kinetic_energy,
        report.potential_energy,
        report.fastest,
    );
    let seconds = (
        times.broad,
        times.narrow,
        times.assembly,
        times.solve,
        report.relaxed.seconds,
        times.total,
    );
    let parts = [
        head.into_pyobject(py)?,
        solve.into_pyobject(py)?,
        rest.into_pyobject(py)?,
        seconds.into_pyobject(py)?,
    ];
    let items = parts.iter().flat_map(|part| part.iter());
    PyTuple::new(py, items.collect::<Vec<_>>())
}

/// What Python may say about where to stop.
fn stop_at(until: Option<f64>, steps: Option<u64>, beyond: bool) -> PyResult<StopAt> {
    if let Some(time) = until.filter(|time| time.is_nan()) {
        return Err(value_error(format!("until: {time} is not a time in s")));
    }
    Ok(StopAt {
        steps,
        time: until,
        phases: None,
        beyond_scene: beyond,
    })
}

#[pymethods]
impl Simulation {
    /// Makes one step, also after the end of the scene.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut inner = self.lock()?;
        let next = inner.world()?.steps() + 1;
        let stop = stop_at(None, Some(next), true)?;
        let advanced = inner.advance(py, &stop, None)?;
        match advanced.last {
            Some(report) => report_tuple(py, &report),
            None => Err(value_error("no step was made")),
        }
    }

    /// Steps until a time, a number of steps or the scene's end. Returns how that ended and the
    /// last report, none where nothing was left to do.
    #[pyo3(signature = (until=None, steps=None, beyond=false, look=None))]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        until: Option<f64>,
        steps: Option<u64>,
        beyond: bool,
        look: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(&'static str, Option<Bound<'py, PyTuple>>)> {
        let stop = stop_at(until, steps, beyond)?;
        let advanced = self.lock()?.advance(py, &stop, look.as_ref())?;
        let last = advanced.last.map(|report| report_tuple(py, &report));
        Ok((advanced.ended.name(), last.transpose()?))
    }

    /// Whether nothing is left to do.
    #[pyo3(signature = (until=None, steps=None, beyond=false))]
    fn is_over(&self, until: Option<f64>, steps: Option<u64>, beyond: bool) -> PyResult<bool> {
        let stop = stop_at(until, steps, beyond)?;
        Ok(stop.is_over(self.lock()?.simulation()?))
    }

    /// Begins to record into a folder.
    #[pyo3(signature = (out, overwrite=false, resume=false, checkpoint_every=None))]
    fn record(
        &self,
        py: Python<'_>,
        out: PathBuf,
        overwrite: bool,
        resume: bool,
        checkpoint_every: Option<f64>,
    ) -> PyResult<Option<u64>> {
        let every = checkpoint_every.map(Duration::try_from_secs_f64);
        let every = every
            .transpose()
            .map_err(|e| value_error(format!("checkpoint_every: {e}")))?;
        let mut inner = self.lock()?;
        let folder = take_folder(&out, overwrite, resume).map_err(file_error)?;
        let source = SceneSource::of(&inner.scene, inner.allow_outside);
        if overwrite {
            folder.clear().map_err(file_error)?;
        }
        source.write(&folder).map_err(|e| run_error(py, &e))?;
        inner.record(py, |scene, simulation| match resume {
            true => Run::resume(scene, simulation, folder),
            false => Run::begin(scene, simulation, folder),
        })?;
        let run = inner.run()?;
        run.checkpoint_every(every);
        run.write_problems_by(Box::new(write_problem));
        Ok(run.resumed_from())
    }

    /// Ends the recording: all that was made is on the disk, with tables, plots and a summary,
    /// which is returned as JSON. `ended` says how the run came to its end.
    fn end_recording(&self, py: Python<'_>, ended: &str) -> PyResult<String> {
        let mut inner = self.lock()?;
        let ended = match ended {
            "finished" => Ended::Finished,
            "limit" => Ended::Limit,
            _ => Ended::Cancelled,
        };
        let run = inner.run()?;
        let saved = quietly(py, |_| finish(run, &ended));
        inner.release();
        inner.refresh(py)?;
        saved?.map_err(file_error)
    }

    /// Opens the next step: its cone problem.
    fn begin(&self, py: Python<'_>) -> PyResult<Problem> {
        let mut inner = self.lock()?;
        let simulation = inner.simulation_mut()?;
        let problem = quietly(py, |_| simulation.next_problem())?;
        if let Some(raised) = inner.raised.take() {
            return Err(raised);
        }
        let problem = problem.map_err(|error| step_error(py, &error))?;
        inner.open = Some(Vec::new());
        let start = problem.warm_start().to_vec();
        Ok(Problem::of_step(problem.into_problem(), start))
    }

    /// Takes the answer to the step that is open. Returns the report, or the problem that is to be
    /// solved next.
    #[pyo3(signature = (gamma, iterations=0))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        gamma: &Bound<'py, PyAny>,
        iterations: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let gamma = arrays::list("gamma", gamma)?;
        let mut inner = self.lock()?;
        let Some(mut answers) = inner.open.take() else {
            return Err(value_error(
                "no step is open: call begin() first; a step or a change in between closes it",
            ));
        };
        answers.push(gamma);
        match answer(&mut inner, py, &answers, iterations)? {
            Answered::Done(report) => Ok(report_tuple(py, &report)?.into_any()),
            Answered::Again(problem) => {
                inner.open = Some(answers);
                Ok(Bound::new(py, *problem)?.into_any())
            }
        }
    }
}

/// What became of an answer.
enum Answered {
    Done(Box<StepReport>),
    Again(Box<Problem>),
}

/// Makes the step with all answers so far. The step is opened anew: that is exact, and no borrow of
/// the world is kept while Python works.
fn answer(
    inner: &mut Inner,
    py: Python<'_>,
    answers: &[Vec<f64>],
    iterations: usize,
) -> PyResult<Answered> {
    let simulation = inner.simulation_mut()?;
    let mut again = None;
    let step = quietly(py, |_| {
        let mut given = answers.iter();
        simulation.step_by(|open| match given.next() {
            Some(gamma) if gamma.len() == open.problem().dim() => {
                Ok((gamma.clone(), open.judge(METHOD, iterations, gamma)))
            }
            // Of another length: it is refused by the step itself.
            Some(gamma) => Ok((gamma.clone(), open.judge(METHOD, 0, open.warm_start()))),
            None => {
                let start = open.warm_start().to_vec();
                again = Some(Problem::of_step(open.problem().clone(), start));
                let step = open.world().steps() + 1;
                Err(StepError::Cancelled { step })
            }
        })
    })?;
    inner.refresh(py)?;
    match (step, again) {
        (Ok(report), _) => Ok(Answered::Done(Box::new(report))),
        (Err(_), Some(problem)) => Ok(Answered::Again(Box::new(problem))),
        (Err(error), None) => Err(step_error(py, &error)),
    }
}

fn take_folder(
    out: &Path,
    overwrite: bool,
    resume: bool,
) -> Result<RunFolder, drystone_run::run_folder::RunFolderError> {
    match (resume, overwrite) {
        (true, _) => RunFolder::resume(out),
        (false, true) => RunFolder::take(out),
        (false, false) => RunFolder::create(out, Existing::Keep),
    }
}

/// Makes the results of a run from what was written.
fn finish(run: &mut Run, ended: &Ended) -> Result<String, String> {
    let failed = |e: drystone_run::RunError| e.to_string();
    run.save(Control::none()).map_err(failed)?;
    let steps = run.steps().map_err(failed)?.rows;
    let tolerance = run.simulation().world().settings().tolerance;
    let figure = run_figure(run.scene().title(), &steps, tolerance);
    write_figure(&run.folder().file(PLOTS), &figure).map_err(|e| e.to_string())?;
    let summary = run.summary(&steps, ended, rayon::current_num_threads());
    run.write_summary(&summary).map_err(failed)?;
    Ok(summary.json(run.folder().path()).to_string())
}

/// Writes a problem of a step in the format that its file's extension says.
fn write_problem(output: ProblemOutput<'_>) -> Result<(), ProblemRefusal> {
    let file = ProblemFile {
        title: output.title.to_owned(),
        problem: AnyProblem::TwoBody(output.problem.clone()),
        guess: Some(output.guess.to_vec()),
        solution: None,
    };
    drystone_problems::write_problem(output.file, &file).map_err(|error| match error.fault {
        Fault::Io(reason) => ProblemRefusal::Write(reason.to_string()),
        fault => ProblemRefusal::NoPlace(fault.to_string()),
    })
}
