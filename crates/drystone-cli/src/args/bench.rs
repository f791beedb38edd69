//! What can be said of benches.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use drystone_study::bench::{Motion, SceneKind};

use super::{MethodChoice, choice_parser, positive, threads};

const BENCH_HELP: &str = "\
Examples:
  drystone bench steps --sizes 1000,4000,16000 --threads 1,2 -o out/steps
  drystone bench kernels --json
  drystone bench solvers --methods auto,nesterov-gs,apgd
  drystone bench peers --sizes 4000

Figures of a machine that does something else at the same time are worth little. Settled scenes are kept (see --cache), so
that a second run begins at once. Ctrl-C stops; what has been settled is kept, and the report holds what had ended.

Exit status:
  0  everything that was asked for was measured; no time is judged
  2  the input was not usable
  3  cancelled; the report holds what had ended
  4  a result could not be written";

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = BENCH_HELP)]
pub struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub bench: BenchCommand,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Time one iteration of the first-order methods, by kind of row and threads
    Kernels(KernelsArgs),
    /// Time solves of stored and generated problems to residuals from 1e-2 to 1e-8
    Solvers(SolversArgs),
    /// Time whole steps of scenes, by stage, size and threads
    Steps(StepsArgs),
    /// Run the same scenes in other engines, side by side with ours
    Peers(PeersArgs),
}

/// Arguments of every bench.
#[derive(Debug, Args)]
pub struct BenchCommonArgs {
    /// Numbers of threads to measure with, with commas between
    #[arg(long, value_name = "N,...", default_value = "1", value_delimiter = ',', value_parser = threads, allow_hyphen_values = true)]
    pub threads: Vec<usize>,
    /// Folder for a page with figures, tables as CSV and the JSON object; none unless given
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Where settled scenes are kept [default: $XDG_CACHE_HOME/drystone or ~/.cache/drystone]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Measure tiny cases: shows in seconds that everything works, and says nothing of speed
    #[arg(long)]
    pub quick: bool,
    /// Print one JSON object instead of tables; numbers that are not finite are null
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `bench kernels`.
#[derive(Debug, Args)]
pub struct KernelsArgs {
    /// Numbers of spheres of the piles, with commas between [default: 4000,16000]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count, allow_hyphen_values = true)]
    pub sizes: Vec<usize>,
    /// Size of the other problems: 1 for 10000 grains and 1000 rods [default: 0.2]
    #[arg(long, value_name = "F", value_parser = positive, allow_hyphen_values = true)]
    pub scale: Option<f64>,
    /// Methods to measure, with commas between, or all [default: all first-order ones]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = choice_parser())]
    pub methods: Vec<MethodChoice>,
    /// Further problems to measure, with commas between: files, or folders of them
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub problems: Vec<PathBuf>,
    /// Time that the iterations of one measurement take, about, s
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    pub seconds: Option<f64>,
    /// What every bench takes
    #[command(flatten)]
    pub common: BenchCommonArgs,
}

/// Arguments of `bench solvers`.
#[derive(Debug, Args)]
pub struct SolversArgs {
    /// Stored problems, with commas between: files, or folders of them [default: those of the
    /// folders problems, ../shared/problems and ../shared/problems/large that are there]
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub problems: Vec<PathBuf>,
    /// Scenes whose next step is a problem, with commas between; `none` for none
    /// [default: pile,wall,mechanism,slab]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = scene_or_none_parser())]
    pub scenes: Vec<Option<SceneKind>>,
    /// Numbers of spheres of the piles, with commas between [default: 1000,4000,16000]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count, allow_hyphen_values = true)]
    pub sizes: Vec<usize>,
    /// Size of the scenes other than piles: 1 for 10000 grains, 750 bricks, 1000 rods, 4000 balls
    /// below the slab
    #[arg(long, value_name = "F", value_parser = positive, allow_hyphen_values = true)]
    pub scale: Option<f64>,
    /// Methods to measure, with commas between, or all [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = choice_parser())]
    pub methods: Vec<MethodChoice>,
    /// Longest time of a run, s [default: 5]
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    pub seconds: Option<f64>,
    /// What every bench takes
    #[command(flatten)]
    pub common: BenchCommonArgs,
}

/// Arguments of `bench steps`.
#[derive(Debug, Args)]
#[command(after_help = STEPS_HELP)]
pub struct StepsArgs {
    /// Numbers of spheres of the piles, with commas between [default: 1000,4000,16000]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count, allow_hyphen_values = true)]
    pub sizes: Vec<usize>,
    /// Scenes to measure, with commas between [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = scene_parser())]
    pub scenes: Vec<SceneKind>,
    /// Size of the scenes other than piles: 1 for 10000 grains, 750 bricks, 1000 rods, 4000 balls
    /// below the slab
    #[arg(long, value_name = "F", value_parser = positive, allow_hyphen_values = true)]
    pub scale: Option<f64>,
    /// States of piles and walls to measure, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "settled,moving", value_parser = motion_parser())]
    pub states: Vec<Motion>,
    /// Methods to measure, with commas between, or all [default: auto, or nesterov-gs with --iterations]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = choice_parser())]
    pub methods: Vec<MethodChoice>,
    /// Relative residual of a step, > 0
    #[arg(long, value_name = "T", default_value = "1e-4", value_parser = positive, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Make exactly so many iterations a step instead of reaching the tolerance
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true, conflicts_with = "tolerance")]
    pub iterations: Option<usize>,
    /// Most steps to measure of a case [default: 10]
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub steps: Option<usize>,
    /// Steps before them [default: 5]
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub warm_up: Option<usize>,
    /// Make fewer steps of a case, but one at least, once they take longer, s: warm-up and measured
    /// ones each
    #[arg(long, value_name = "S", default_value = "20", value_parser = positive, allow_hyphen_values = true)]
    pub seconds: f64,
    /// What every bench takes
    #[command(flatten)]
    pub common: BenchCommonArgs,
}

const STEPS_HELP: &str = "\
Examples:
  drystone bench steps --scenes pile --sizes 16000,64000 --threads 1,2
  drystone bench steps --scenes pile --sizes 256000,1000000 --states moving --tolerance 1e-2 --steps 3
  drystone bench steps --scenes pile --sizes 16000,64000,256000 --states moving --iterations 50 -o out/growth";

/// Arguments of `bench peers`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct PeersArgs {
    /// Handed on to drystone-peers, a program of its own that is looked for beside this one
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub arguments: Vec<OsString>,
}

/// Knows the names, and suggests one for a typing error.
fn scene_parser() -> impl TypedValueParser<Value = SceneKind> {
    named(SceneKind::ALL, SceneKind::name)
}

fn scene_or_none_parser() -> impl TypedValueParser<Value = Option<SceneKind>> {
    let kinds = SceneKind::ALL.map(SceneKind::name);
    let names: Vec<&'static str> = kinds.into_iter().chain(["none"]).collect();
    PossibleValuesParser::new(names)
        .map(|word| SceneKind::ALL.into_iter().find(|kind| kind.name() == word))
}

fn motion_parser() -> impl TypedValueParser<Value = Motion> {
    named([Motion::Settled, Motion::Moving], Motion::name)
}

fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).try_map(move |word| {
        let found = all.into_iter().find(|one| name(*one) == word);
        found.ok_or_else(|| format!("there is no {word}"))
    })
}

/// Bodies, steps, iterations: more than ten million are a typing error.
fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=10_000_000) => Ok(count),
        _ => Err("expected a whole number from 1 to 10000000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_out_of_range_are_refused() {
        for bad in ["0", "-1", "1.5", "1e3", "99999999", "x", ""] {
            assert!(count(bad).is_err(), "{bad}");
        }
        assert_eq!(count("64000"), Ok(64_000));
    }
}
