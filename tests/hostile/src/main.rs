//! What a hostile tester does to Drystone, with a seed: for seconds in `./test`, for hours by hand.
//!
//! ```sh
//! cargo build --release --workspace
//! target/release/drystone-hostile mutate --count 100000     # forged files, each format so often
//! target/release/drystone-hostile kill --count 1000         # signals to runs that are resumed
//! target/release/drystone-hostile inject --count 5000       # faults in single calls of the system
//! target/release/drystone-hostile parity                    # the same bits on 1, 2, 3, 8 threads
//! target/release/drystone-hostile extremes                  # physics at its edges
//! target/release/drystone-hostile limits                    # too little of everything
//! target/release/drystone-hostile all --quick               # a little of each; what ./test runs
//! ```
//!
//! Every trial follows from `--seed`, the kind and its number. What fails is kept in the folder
//! `--found`, with the command that repeats it. Each kind closes with a line of counts on standard
//! output; progress is on standard error. The exit status is 1 if anything failed. Ctrl-C stops.
//!
//! | file | kind |
//! |---|---|
//! | `mutate.rs` | files of all formats, forged where it hurts, read in process |
//! | `kill.rs` | runs that are killed, stopped and paused at random moments, then resumed |
//! | `inject.rs` | one write, sync, rename, truncation or removal that fails or is the last |
//! | `parity.rs` | scenes and solves on several numbers of threads |
//! | `extremes.rs` | scenes with very large, very small and impossible figures |
//! | `limits.rs` | limits of memory, files, descriptors, disk; outputs that cannot be written |
//!
//! The page `docs/hostile.md` says what was tried, how often, and what it found.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

mod args;
mod bench;
mod child;
mod dice;
mod extremes;
mod inject;
mod jobs;
mod kill;
mod limits;
mod mutate;
mod parity;
mod run_folder;
mod small_scenes;
mod tally;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Kind};
use bench::Bench;

fn main() -> ExitCode {
    let args = Args::parse();
    let failed = match Bench::new(&args).and_then(|bench| run(&args, &bench)) {
        Ok(failed) => failed,
        Err(what) => {
            eprintln!("error: {what}");
            return ExitCode::from(2);
        }
    };
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs the kinds asked for; the result is how many trials failed.
fn run(args: &Args, bench: &Bench) -> Result<u64, String> {
    let kinds = match args.kind {
        Kind::Worker => return mutate::worker::work(args, bench).map(|()| 0),
        Kind::All => vec![
            Kind::Mutate,
            Kind::Kill,
            Kind::Inject,
            Kind::Parity,
            Kind::Extremes,
            Kind::Limits,
        ],
        kind => vec![kind],
    };
    let mut failed = 0;
    for kind in kinds {
        let tally = match kind {
            Kind::Mutate => mutate::run(args, bench),
            Kind::Kill => kill::run(args, bench),
            Kind::Inject => inject::run(args, bench),
            Kind::Parity => parity::run(args, bench),
            Kind::Extremes => extremes::run(args, bench),
            Kind::Limits => limits::run(args, bench),
            Kind::All | Kind::Worker => continue,
        }?;
        println!("{}", tally.line());
        failed += tally.failed();
    }
    Ok(failed)
}
