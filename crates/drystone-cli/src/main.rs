//! The command line of Drystone.
//!
//! - `drystone solve FILE` solves one contact problem and says what the answer is worth.
//! - `drystone compare FILES --methods NAMES -o DIR` runs several methods on several problems and writes a report.
//!
//! Exit statuses: 0 as asked for, 2 unusable input, 3 not converged or cancelled, 4 a result could not be written.
//! `--help` of each command has its own list and examples.
//!
//! A command is one file (`solve.rs`, `compare.rs`); `args.rs` is all that can be said on the command line, `run.rs` one
//! run of one method, and `failure.rs` what ends the program early. The rest writes tables, figures and the report.

mod args;
mod compare;
mod failure;
mod figures;
mod output;
mod plot;
mod profile;
mod progress;
mod record;
mod render;
mod report;
mod run;
mod solve;
mod table;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    run::listen_for_cancellation();
    let outcome = match &cli.command {
        Command::Solve(args) => solve::solve(args),
        Command::Compare(args) => compare::compare(args),
    };
    ExitCode::from(outcome.unwrap_or_else(|failure| {
        output::to_stderr(&format!("error: {failure}"));
        failure.status()
    }))
}
