//! What can be said of experiments.

use std::path::PathBuf;

use clap::Args;

use super::{MethodChoice, choice_parser, positive, threads};

const EXPERIMENT_HELP: &str = "\
Examples:
  drystone experiment
  drystone experiment P0-T1 P0-T2
  drystone experiment --all --scale 0.02 -o quick
  drystone experiment --all --resume -o out/papers
  drystone experiment P2-T1 --methods gpminres,jacobi --json

In the folder:
  report.html    which published claims are reproduced and which are not
  results.json   every claim: the paper's words, the limit and its reason, the published figure, ours, the outcome
  P0-T1/ ...     a folder an experiment: report.html with tables and figures as in the paper, ours beside the published ones;
                 result.json, tables as CSV, histories of the runs, figures as SVG and PNG. Pages need no network

A claim is reproduced, not-reproduced, or not-judged, with why: another scale, a method that was left out, a busy machine.

Settled scenes are kept (see --cache) and found again by what they depend on: scene, overrides, program. Ctrl-C stops;
what has been settled is kept, and the report holds the experiments that had ended. --resume goes on from there.

Exit status:
  0  all ran to the end
  1  with --strict: all ran to the end, and a published claim is not reproduced
  2  the input was not usable
  3  cancelled; the report holds the experiments that had ended
  4  a result could not be written";

/// Arguments of `experiment`.
#[derive(Debug, Args)]
#[command(after_help = EXPERIMENT_HELP)]
pub struct ExperimentArgs {
    /// Experiments to run, or `all`; lists them if none is named
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Run all experiments
    #[arg(long)]
    pub all: bool,
    /// Size against the paper's: 0.01 for a look in seconds
    #[arg(long, value_name = "F", default_value = "1", value_parser = positive, allow_hyphen_values = true)]
    pub scale: f64,
    /// Methods to run, with commas between, or all; those of the experiment unless given
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = choice_parser())]
    pub methods: Vec<MethodChoice>,
    /// Threads to use; all cores unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Folder for the report; made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = "out/experiments")]
    pub output: PathBuf,
    /// Where settled scenes are kept [default: $XDG_CACHE_HOME/drystone or ~/.cache/drystone]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Settle anew, and insist on the same bits as those that were kept
    #[arg(long)]
    pub rebuild: bool,
    /// Keep the experiments that an earlier call of this program with the same scale and methods
    /// left whole in the folder
    #[arg(long)]
    pub resume: bool,
    /// End with status 1 where a published claim is not reproduced
    #[arg(long)]
    pub strict: bool,
    /// Print results.json instead of a summary
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}
