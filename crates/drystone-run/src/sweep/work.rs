//! Doing the runs of a sweep, several at a time, each in a process of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::table::{Progress, SweepTable, progress};
use super::{SweepError, SweepPlan, SweepRun, io_error};
use crate::regular;
use crate::run_folder::{CHECKPOINT, FRAMES, PREVIOUS_CHECKPOINT};

/// Time between two looks at the processes: short beside any run.
const LOOK: Duration = Duration::from_millis(20);

/// A run that is to be started.
#[derive(Clone, Debug)]
pub struct SweepTask<'a> {
    /// The run.
    pub run: &'a SweepRun,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether the folder holds a part of it to go on with.
    pub resume: bool,
}

impl SweepTask<'_> {
    /// What the run of a plan says after the scene on the command line, by whatever program.
    pub fn add_arguments(&self, plan: &SweepPlan, command: &mut Command) {
        let source = plan.source();
        for (key, value) in source.set.iter().chain(&self.run.set) {
            command.arg("--set").arg(format!("{key}={value}"));
        }
        if source.allow_outside {
            command.arg("--allow-outside");
        }
        if let Some(until) = plan.until() {
            command.arg("--until").arg(until.to_string());
        }
        if self.resume {
            command.arg("--resume");
        } else if self.folder.exists() {
            // Killed before it wrote anything that it could go on from.
            command.arg("--overwrite");
        }
        command.arg("-o").arg(&self.folder);
    }
}

/// What whoever waits for a sweep is told.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum SweepEvent<'a> {
    /// Runs that were there already, and of how many.
    Found(usize, usize),
    /// A run has begun.
    Begun(&'a SweepRun),
    /// A run has ended; with its last words where it failed.
    Ended(&'a SweepRun, Option<&'a str>),
}

/// What came of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOutcome {
    /// The table of all runs.
    pub table: SweepTable,
    /// Runs that are done.
    pub done: usize,
    /// Runs that failed, and their last words.
    pub failed: Vec<(usize, String)>,
    /// Whether the caller cancelled.
    pub cancelled: bool,
}

/// A process at work on a run.
struct Worker<'a> {
    run: &'a SweepRun,
    process: Child,
    /// What it says.
    words: PathBuf,
}

/// Does what is left of a sweep with at most `workers` processes at a time. `command` makes the
/// process of a run; it must leave a run folder. When `cancel` is set, the processes are ended; what
/// they did up to their last checkpoint counts the next time.
pub fn run_sweep(
    plan: &SweepPlan,
    out: &Path,
    workers: usize,
    command: &dyn Fn(&SweepTask<'_>) -> Command,
    cancel: &AtomicBool,
    tell: &mut dyn FnMut(SweepEvent<'_>),
) -> Result<SweepOutcome, SweepError> {
    plan.take_folder(out)?;
    let mut left = Vec::new();
    for run in plan.runs() {
        match progress(plan, out, run)? {
            Progress::Done => {}
            Progress::None => left.push((run, false)),
            Progress::Begun => left.push((run, can_resume(&plan.folder(out, run)))),
        }
    }
    let found = plan.runs().len() - left.len();
    tell(SweepEvent::Found(found, plan.runs().len()));
    let mut left = left.into_iter();
    let mut at_work: Vec<Worker<'_>> = Vec::new();
    let mut failed = Vec::new();
    loop {
        while at_work.len() < workers.max(1) && !cancel.load(Ordering::Relaxed) {
            let Some((run, resume)) = left.next() else {
                break;
            };
            tell(SweepEvent::Begun(run));
            let folder = plan.folder(out, run);
            let task = SweepTask {
                run,
                folder,
                resume,
            };
            match start(command(&task), out, run) {
                Ok(worker) => at_work.push(worker),
                Err(error) => {
                    stop(&mut at_work);
                    return Err(error);
                }
            }
        }
        if at_work.is_empty() {
            break;
        }
        if cancel.load(Ordering::Relaxed) {
            stop(&mut at_work);
            break;
        }
        let ended = end_some(&mut at_work);
        for (run, words) in &ended {
            tell(SweepEvent::Ended(run, words.as_deref()));
            if let Some(words) = words {
                failed.push((run.index, words.clone()));
            }
        }
        match ended.is_empty() {
            true => std::thread::sleep(LOOK),
            false => SweepTable::read(plan, out).write(out)?,
        }
    }
    failed.sort();
    let table = SweepTable::read(plan, out);
    table.write(out)?;
    let mut done = 0;
    for run in plan.runs() {
        done += usize::from(progress(plan, out, run)? == Progress::Done);
    }
    Ok(SweepOutcome {
        table,
        done,
        failed,
        cancelled: cancel.load(Ordering::Relaxed),
    })
}

/// Whether a run has written anything that it can go on from.
fn can_resume(folder: &Path) -> bool {
    let files = [CHECKPOINT, PREVIOUS_CHECKPOINT, FRAMES];
    files.iter().any(|file| folder.join(file).exists())
}

fn start<'a>(
    mut command: Command,
    out: &Path,
    run: &'a SweepRun,
) -> Result<Worker<'a>, SweepError> {
    // A file, not a pipe: nobody reads while the process works.
    let words = out.join(format!("{}.log", run.folder));
    let file = File::create(&words).map_err(|e| io_error(&words, e))?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file);
    let program = PathBuf::from(command.get_program());
    let process = command.spawn().map_err(|e| io_error(program, e))?;
    Ok(Worker {
        run,
        process,
        words,
    })
}

/// Takes out the workers that have ended, with their last words where they failed.
fn end_some<'a>(at_work: &mut Vec<Worker<'a>>) -> Vec<(&'a SweepRun, Option<String>)> {
    let mut ended = Vec::new();
    at_work.retain_mut(|worker| {
        let failure = match worker.process.try_wait() {
            Ok(None) => return true,
            Ok(Some(status)) if status.success() => None,
            Ok(Some(status)) => Some(last_words(&worker.words, &status.to_string())),
            Err(error) => Some(error.to_string()),
        };
        if failure.is_none() {
            // Nothing went wrong, so nobody wants to read it.
            let _ = std::fs::remove_file(&worker.words);
        }
        ended.push((worker.run, failure));
        false
    });
    ended
}

/// The last lines that a process wrote, or how it ended.
fn last_words(file: &Path, status: &str) -> String {
    let text = regular::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    match lines.as_slice() {
        [] => status.to_owned(),
        lines => lines[lines.len().saturating_sub(5)..].join("\n"),
    }
}

/// Ends all processes and waits for them.
fn stop(at_work: &mut Vec<Worker<'_>>) {
    for worker in at_work.iter_mut() {
        // One that has ended by itself needs no more.
        let _ = worker.process.kill();
        let _ = worker.process.wait();
    }
    at_work.clear();
}
