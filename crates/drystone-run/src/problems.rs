//! Cone problems that a run keeps as files, for solvers and comparisons.
//!
//! A run knows which problems are wanted and when; how a problem becomes a file is known to whoever
//! drives the run ([`Run::write_problems_by`](crate::Run::write_problems_by)). A file is there whole
//! or not at all, and a resumed run writes the same ones.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drystone::{StepError, StepReport, Termination, Watch};
use drystone_ccp::{Ccp, Progress, TwoBody};
use drystone_scene::Simulation;
use drystone_scene::scene::{ProblemFormat, ProblemRecording};
use serde::{Deserialize, Serialize};

use crate::control::{Control, Event};
use crate::error::RunError;
use crate::run_folder::{PROBLEMS, RunFolderError};

/// A problem on its way to a file.
#[derive(Clone, Copy, Debug)]
pub struct ProblemOutput<'a> {
    /// The file: its extension says the format.
    pub file: &'a Path,
    /// A title: the scene and the step.
    pub title: &'a str,
    /// The problem.
    pub problem: &'a Ccp<TwoBody>,
    /// The impulses that the step started from, N s or N m s.
    pub guess: &'a [f64],
}

/// Why a problem was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemRefusal {
    /// The format has no place for it. The run goes on.
    NoPlace(String),
    /// The file could not be written. The run ends.
    Write(String),
}

/// Writes one problem, whole or not at all.
pub type ProblemWriter = Box<dyn Fn(ProblemOutput<'_>) -> Result<(), ProblemRefusal> + Send>;

/// How many problems a run has kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemCount {
    /// Files.
    pub written: u64,
    /// Problems that were wanted, but beyond the most, or without a place in the format.
    pub left_out: u64,
}

/// A problem that may be wanted once its step is done.
pub(crate) struct Caught {
    problem: Ccp<TwoBody>,
    guess: Vec<f64>,
}

/// Makes a step and keeps its problem where it may be wanted. Of a step that is solved several
/// times it is the last problem, or the last that was not solved to the tolerance.
pub(crate) fn step(
    simulation: &mut Simulation,
    control: Control<'_>,
    wanted: Option<&ProblemRecording>,
) -> Result<(StepReport, Option<Caught>), StepError> {
    let mut observer = |progress: &Progress| control.tell(Event::Solve(progress));
    let mut watch = Watch {
        cancel: Some(control.flag()),
        observer: Some(&mut observer),
        ..Watch::default()
    };
    let Some(wanted) = wanted else {
        return Ok((simulation.step_watched(&mut watch)?.report, None));
    };
    let by_number = is_due(wanted, simulation.world().steps() + 1);
    let mut caught = None;
    let report = simulation.step_by(|open| {
        let answer = open.solve(&mut watch)?;
        let reached = answer.summary.termination == Termination::Converged;
        let missed = wanted.unconverged && !reached;
        if open.problem().dim() > 0 && (by_number || missed) {
            caught = Some(Caught {
                problem: open.problem().clone(),
                guess: open.warm_start().to_vec(),
            });
        }
        Ok((answer.gamma, answer.summary))
    })?;
    let is_wanted = by_number || (wanted.unconverged && !report.converged());
    Ok((report, caught.filter(|_| is_wanted)))
}

fn is_due(wanted: &ProblemRecording, step: u64) -> bool {
    wanted.every.is_some_and(|every| step.is_multiple_of(every))
}

/// The folder of a run's problems.
pub(crate) struct ProblemFiles {
    folder: PathBuf,
    pub count: ProblemCount,
    writer: Option<ProblemWriter>,
}

impl ProblemFiles {
    /// Those in the folder of a run, of which `count` are there.
    pub fn new(run: &Path, count: ProblemCount) -> Self {
        Self {
            folder: run.join(PROBLEMS),
            count,
            writer: None,
        }
    }

    pub fn set_writer(&mut self, writer: ProblemWriter) {
        self.writer = Some(writer);
    }

    /// Writes the problem of a step; the result says why it was left out, if it was and that is
    /// news.
    pub fn write(
        &mut self,
        wanted: &ProblemRecording,
        title: &str,
        report: &StepReport,
        caught: &Caught,
    ) -> Result<Option<String>, RunError> {
        let file = self.folder.join(file_name(report.step, wanted.format));
        let Some(writer) = &self.writer else {
            let words = "nobody was given to write problems, which the scene asks for";
            return Err(RunError::writing(&file, words));
        };
        if self.count.written >= wanted.most {
            self.count.left_out += 1;
            let first = self.count.left_out == 1;
            return Ok(first.then(|| {
                format!(
                    "{} problems are written, the most that the scene allows; more are counted",
                    wanted.most
                )
            }));
        }
        let made = std::fs::create_dir_all(&self.folder);
        made.map_err(|e| RunError::writing(&self.folder, e))?;
        let title = format!("{title}, step {}, t = {} s", report.step, report.time);
        let output = ProblemOutput {
            file: &file,
            title: &title,
            problem: &caught.problem,
            guess: &caught.guess,
        };
        match writer(output) {
            Ok(()) => {
                self.count.written += 1;
                Ok(None)
            }
            Err(ProblemRefusal::NoPlace(why)) => {
                self.count.left_out += 1;
                let words = format!("the problem of step {} is left out: {why}", report.step);
                Ok((self.count.left_out == 1).then_some(words))
            }
            Err(ProblemRefusal::Write(why)) => Err(RunError::writing(&file, why)),
        }
    }

    /// Removes those of steps after a checkpoint's: the run makes them anew.
    pub fn cut(&self, step: u64) -> Result<(), RunError> {
        Ok(remove_after(&self.folder, Some(step))?)
    }
}

/// `step-000000100.ccp`.
fn file_name(step: u64, format: ProblemFormat) -> String {
    let extension = match format {
        ProblemFormat::Ccp => "ccp",
        ProblemFormat::Fclib => "hdf5",
    };
    format!("step-{step:09}.{extension}")
}

/// The step of a file that a run has written.
fn step_of(name: &str) -> Option<u64> {
    let (stem, extension) = name.strip_prefix("step-")?.split_once('.')?;
    let known = matches!(extension, "ccp" | "hdf5");
    known.then(|| stem.parse().ok()).flatten()
}

/// Removes the problem files in a folder that a run has written, those after a step only where one
/// is given. Other files stay.
pub(crate) fn remove_after(folder: &Path, step: Option<u64>) -> Result<(), RunFolderError> {
    let failed = |path: &Path, source| RunFolderError::Io {
        path: path.to_owned(),
        source,
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| failed(folder, e))?,
    };
    for entry in entries {
        let entry = entry.map_err(|e| failed(folder, e))?;
        let found = step_of(&entry.file_name().to_string_lossy());
        if found.is_some_and(|found| step.is_none_or(|step| found > step)) {
            std::fs::remove_file(entry.path()).map_err(|e| failed(&entry.path(), e))?;
        }
    }
    if step.is_none() {
        // Where something else is in it, it stays.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_step() {
        for format in [ProblemFormat::Ccp, ProblemFormat::Fclib] {
            for step in [1, 100, 12_345_678_901] {
                assert_eq!(step_of(&file_name(step, format)), Some(step));
            }
        }
        for other in ["step-1.txt", "notes.ccp", "step-.ccp", "step-x.ccp"] {
            assert_eq!(step_of(other), None, "{other}");
        }
    }
}
