//! The command line of Drystone.
//!
//! - `drystone run SCENE` runs a scene and leaves a folder of results; `check` says what a scene is and needs, `render` makes
//!   pictures of a run, `export` writes it for other programs, `scenes`, `new` and `schema` help to write scenes.
//! - `drystone solve FILE` solves one contact problem and says what the answer is worth.
//! - `drystone compare FILES --methods NAMES -o DIR` runs several methods on several problems and writes a report.
//! - `drystone experiment` lists the papers' experiments, `drystone experiment NAMES` reproduces them and writes a report.
//!
//! Exit statuses: 0 as asked for, 1 a claim of an experiment does not hold, 2 unusable input, 3 not converged, cancelled or broken off, 4 a result could not be written.
//! `--help` of each command has its own list and examples.
//!
//! A command is one file: `solve.rs`, `compare.rs`, `experiment.rs`, `simulate.rs` for `run`, `check.rs`, `picture.rs` for `render`,
//! `export.rs`, and `scenes.rs` for the three that help to write scenes. `args.rs` is all that can be said on the command line, `run.rs` one run of one method on one problem, and
//! `failure.rs` what ends the program early. The rest writes tables, figures and the report.

mod args;
mod check;
mod compare;
mod experiment;
mod export;
mod failure;
mod figures;
mod memory;
mod output;
mod page;
mod picture;
mod plot;
mod profile;
mod progress;
mod record;
mod render;
mod report;
mod run;
mod scene_source;
mod scenes;
mod simulate;
mod solve;
mod table;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    run::listen_for_cancellation(match &cli.command {
        Command::Run(_) => "stopping: the step at hand is finished and the run saved",
        _ => "cancelling: the best so far will be written",
    });
    let outcome = match &cli.command {
        Command::Run(args) => simulate::simulate(args),
        Command::Check(args) => check::check(args),
        Command::Render(args) => picture::render_run(args),
        Command::Export(args) => export::export_run(args),
        Command::Scenes(args) => scenes::scenes(args),
        Command::New(args) => scenes::new(args),
        Command::Schema => scenes::schema(),
        Command::Solve(args) => solve::solve(args),
        Command::Compare(args) => compare::compare(args),
        Command::Experiment(args) => experiment::experiment(args),
    };
    ExitCode::from(outcome.unwrap_or_else(|failure| {
        output::to_stderr(&format!("error: {failure}"));
        failure.status()
    }))
}
