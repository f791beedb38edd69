//! The command line of Drystone.

mod args;
mod compare;
mod failure;
mod figures;
mod output;
mod plot;
mod profile;
mod progress;
mod record;
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
