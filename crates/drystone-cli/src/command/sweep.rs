//! `drystone sweep`: one scene with many values of its parameters.

use std::path::Path;
use std::process::Command;

use drystone_run::sweep::{
    RESULTS, SweepError, SweepEvent, SweepPlan, SweepSource, SweepTask, run_sweep, split_values,
};

use crate::args::sweep::SweepArgs;
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout};

/// Runs every combination of the values.
pub fn sweep(args: &SweepArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let source = SweepSource {
        scene: args.scene.clone(),
        set: args.fix.clone(),
        allow_outside: args.allow_outside,
    };
    let parameters = args.set.iter();
    let parameters = parameters.map(|(key, values)| (key.clone(), split_values(values)));
    let plan = SweepPlan::new(
        source,
        parameters.collect(),
        args.repeats as usize,
        args.until,
    );
    let plan = plan.map_err(failure)?;
    let program = std::env::current_exe()
        .map_err(|e| Failure::Input(format!("the program does not find itself: {e}")))?;
    let command = |task: &SweepTask<'_>| run_command(&program, args, &plan, task);
    let workers = args
        .workers
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1);
    interrupt.enter(Stage::Cancel {
        now: "stopping: the same command goes on with the sweep",
        late: "gave up waiting for the runs; the same command goes on with the sweep".to_owned(),
    });
    let mut done = 0;
    let mut tell = |event: SweepEvent<'_>| {
        let words = match event {
            SweepEvent::Found(found, all) => {
                done = found;
                format!("{all} runs, {found} of them done before")
            }
            SweepEvent::Ended(run, failed) => {
                done += 1;
                let how = if failed.is_some() { "failed" } else { "done" };
                let of = plan.runs().len();
                format!("{done}/{of} {}: {how} ({})", run.folder, plan.words(run))
            }
            _ => return,
        };
        if !args.quiet {
            to_stderr(&words);
        }
    };
    let flag = interrupt.flag();
    let outcome = run_sweep(&plan, &args.output, workers, &command, flag, &mut tell);
    let outcome = outcome.map_err(failure)?;
    for (run, words) in &outcome.failed {
        to_stderr(&format!("warning: run {} failed: {words}", run + 1));
    }
    to_stdout(&format!(
        "{}: {} of {} runs done\n",
        args.output.join(RESULTS).display(),
        outcome.done,
        plan.runs().len()
    ))?;
    Ok(match outcome.done == plan.runs().len() {
        true => SUCCESS,
        false => NOT_CONVERGED,
    })
}

/// The process of one run: this program again.
fn run_command(
    program: &Path,
    args: &SweepArgs,
    plan: &SweepPlan,
    task: &SweepTask<'_>,
) -> Command {
    let mut command = Command::new(program);
    command.args(["run", args.scene.as_str(), "--quiet", "--picture", "none"]);
    command.args(["--threads", &args.threads.to_string()]);
    task.add_arguments(plan, &mut command);
    command
}

fn failure(error: SweepError) -> Failure {
    match error {
        SweepError::Io { path, source } => Failure::writing(&path, source),
        error => Failure::Input(error.to_string()),
    }
}
