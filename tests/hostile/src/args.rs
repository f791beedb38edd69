//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Throws faults, forged files and extremes at Drystone
#[derive(Debug, Parser)]
#[command(name = "drystone-hostile")]
pub struct Args {
    /// What to do
    pub kind: Kind,
    /// How many trials: of each format, of signals, of faults, of solves, of scenes. Without it a
    /// number that takes some minutes; every case where there is a list of them
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// What all chance follows from
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of the first trial of `mutate` and `extremes`: repeats one that failed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub from: u64,
    /// The program [default: drystone beside this one]
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
    /// Where what fails is kept
    #[arg(long, value_name = "DIR", default_value = "out/hostile")]
    pub found: PathBuf,
    /// Trials at the same time [default: one a core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Formats for `mutate`, with commas between; all of them unless given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub formats: Vec<String>,
    /// A little of each kind, within two minutes
    #[arg(long)]
    pub quick: bool,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Forged files of every format
    Mutate,
    /// Signals at random moments, and resume
    Kill,
    /// One call of the system that fails, and resume
    Inject,
    /// The same bits on any number of threads
    Parity,
    /// Physics at its edges
    Extremes,
    /// Too little memory, disk, descriptors
    Limits,
    /// All of these
    All,
    /// Reads forged files for `mutate`, in a process of its own
    #[value(hide = true)]
    Worker,
}

impl Args {
    /// How many trials: as asked for, else `quick` or `usual`.
    pub fn count(&self, quick: u64, usual: u64) -> u64 {
        self.count.unwrap_or(if self.quick { quick } else { usual })
    }
}
