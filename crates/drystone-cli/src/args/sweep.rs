//! What can be said of sweeps.

use std::path::PathBuf;

use clap::Args;

use super::number::positive_time;
use super::{key_value, threads};

const SWEEP_HELP: &str = "\
Examples:
  drystone sweep hopper.toml --set opening=0.02,0.03,0.04 --set friction=0.3,0.5 --repeats 5 -o out/sweep
  drystone sweep pile --set 'radius=2 cm,3 cm' --fix count=500 --until '300 ms' --workers 2 -o out/pile
  drystone sweep pile --set 'settings.gravity=[0,0,-9.81],[0,0,-1.62]' -o out/moon

Every combination of the values is run, each in a process and a folder of its own. With --repeats each is run several times with
different seeds: of the parameter 'seed' where the scene has one, else of its fills. A seed follows from the place of the run in
the sweep, so that neither the workers nor an interruption change any result.

In the folder:
  sweep.json         the plan
  results.csv        a row a run: parameters, seed, folder, how it ended, figures of its summary; written as the runs end
  run-0001, ...      what 'drystone run' leaves, without a picture
  run-0001.log       what a run said that failed

The same command once more goes on where the sweep was stopped; what is done is not run again.

Exit status:
  0  every run came to its end
  2  the input was not usable: flags, the scene with one of the values, or a folder that holds another sweep
  3  stopped, or a run failed; the table has the others
  4  a result could not be written";

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_HELP)]
pub struct SweepArgs {
    /// Scene file, or name of a built-in scene
    pub scene: String,
    /// Values of a parameter of the scene, or of any key by its path, with commas between; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUES", required = true, value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Set a parameter or key to one value for all runs, which may have commas; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub fix: Vec<(String, String)>,
    /// How often each combination is run, with different seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// Folder for the runs and the table
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Run until this simulated time, in s or with a unit; to the end of the scene unless given
    #[arg(long, value_name = "T", value_parser = positive_time, allow_hyphen_values = true)]
    pub until: Option<f64>,
    /// Runs at a time; one for each core unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub workers: Option<usize>,
    /// Threads of each run. Results do not depend on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads, allow_hyphen_values = true)]
    pub threads: usize,
    /// Let the scene read files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}
