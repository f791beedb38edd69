//! The command line of Drystone.
//!
//! - `drystone run SCENE` runs a scene and leaves a folder of results; `check` says what a scene is
//!   and needs, `sweep` runs it with many values of its parameters, `view` shows a run in the
//!   browser, `render` makes pictures of it, `export` writes it for other programs, `scenes`, `new`
//!   and `schema` help to write scenes.
//! - `drystone solve FILE` solves one contact problem and says what the answer is worth.
//! - `drystone compare FILES --methods NAMES -o DIR` runs several methods on several problems and
//!   writes a report.
//! - `drystone experiment` lists the papers' experiments, `drystone experiment NAMES` reproduces
//!   them and writes a report.
//! - `drystone bench` measures iterations, solves and steps.
//! - `drystone completions SHELL` and `drystone man DIR` help the shell and the manual.
//!
//! Exit statuses: 0 as asked for, 1 a claim of an experiment does not hold, 2 unusable input, 3 not
//! converged, cancelled or broken off, 4 a result could not be written, or memory ran out. `--help`
//! of each command has its own list and examples.
//!
//! `args.rs` is all that can be said on the command line, `command` holds one file per command, and
//! `failure.rs` says what ends the program early. The work itself is done by the libraries.

mod args;
mod cache;
mod cancellation;
mod command;
mod drawing;
mod failure;
mod memory;
mod meter;
#[cfg(unix)]
mod out_of_memory;
mod output;
mod place;
mod progress;
mod run_recording;
mod run_summary;
mod scene_source;
mod signals;
mod start_report;
mod threads;
mod watching;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use cancellation::{Interrupt, Stage};
use failure::{BAD_INPUT, SUCCESS};

fn main() -> ExitCode {
    // Before any thread is started: threads take over what is blocked.
    signals::block_file_size_signal();
    #[cfg(unix)]
    out_of_memory::end_with_a_status();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(explain(&error)),
    };
    // Until a command has something to keep.
    let interrupt = Interrupt::listen(Stage::Quit("interrupted; nothing was written"));
    let outcome = match &cli.command {
        Command::Run(args) => command::run::run(args, &interrupt),
        Command::Sweep(args) => command::sweep::sweep(args, &interrupt),
        Command::Check(args) => command::check::check(args),
        Command::View(args) => command::view::view(args, &interrupt),
        Command::Render(args) => command::render::render(args, &interrupt),
        Command::Export(args) => command::export::export(args, &interrupt),
        Command::Scenes(args) => command::scenes::scenes(args),
        Command::New(args) => command::scenes::new(args),
        Command::Schema => command::scenes::schema(),
        Command::Solve(args) => command::solve::solve(args, &interrupt),
        Command::Methods(args) => command::methods::methods(args),
        Command::Compare(args) => command::compare::compare(args, &interrupt),
        Command::Experiment(args) => command::experiment::experiment(args, &interrupt),
        Command::Bench(args) => command::bench::bench(args, &interrupt),
        Command::Completions(args) => command::help_files::completions(args),
        Command::Man(args) => command::help_files::man(args),
    };
    ExitCode::from(outcome.unwrap_or_else(|failure| {
        output::to_stderr(&format!("error: {failure}"));
        failure.status()
    }))
}

/// Shows the help that was asked for, or what is wrong with the command line; the exit status says
/// which.
fn explain(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::to_stderr(text.trim_end());
        return BAD_INPUT;
    }
    match output::to_stdout(&text) {
        Ok(()) => SUCCESS,
        Err(failure) => failure.status(),
    }
}
