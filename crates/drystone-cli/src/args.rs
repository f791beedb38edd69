//! The command line: what can be said, and what is refused before any work is done.

pub mod bench;
pub mod experiment;
pub(crate) mod number;
pub mod render;
pub mod simulation;
pub mod sweep;
pub mod view;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use drystone_ccp::{Law, Limits, Method};

use bench::BenchArgs;
use experiment::ExperimentArgs;
use number::{positive, seconds, whole_size};
use render::RenderArgs;
use simulation::{CheckArgs, ExportArgs, NewArgs, RunArgs, ScenesArgs};
use sweep::SweepArgs;
use view::ViewArgs;

/// The version, and the commit where it is known.
pub const VERSION: &str = env!("DRYSTONE_VERSION");

/// Rigid bodies with contact and dry friction: runs scenes, shows and exports them, solves contact
/// problems.
#[derive(Debug, Parser)]
#[command(
    name = "drystone",
    version = VERSION,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(
    after_help = "Run 'drystone COMMAND --help' for examples and exit statuses. Ctrl-C and SIGTERM end every command within a second;\nexit status 130 says that it quit with nothing more written."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene and leave a folder of results
    Run(RunArgs),
    /// Run a scene with many values of its parameters and make a table
    Sweep(SweepArgs),
    /// Say what a scene is, what it needs and what is wrong with it
    Check(CheckArgs),
    /// Show a run in the browser, or write it as one HTML file
    View(ViewArgs),
    /// Make a picture of a run
    Render(RenderArgs),
    /// Write the frames of a run for other programs
    Export(ExportArgs),
    /// List the built-in scenes
    Scenes(ScenesArgs),
    /// Write a small commented scene to start from
    New(NewArgs),
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Solve one contact problem and say what the answer is worth
    Solve(SolveArgs),
    /// List the methods, or the options of one
    Methods(MethodsArgs),
    /// Run several methods on several problems and write a report
    Compare(CompareArgs),
    /// Reproduce experiments of the papers and say which of their claims hold
    Experiment(ExperimentArgs),
    /// Measure how fast iterations, solves and steps are, here and in other engines
    Bench(BenchArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

const COMPLETIONS_HELP: &str = "\
Examples:
  source <(drystone completions bash)
  drystone completions bash > ~/.local/share/bash-completion/completions/drystone
  drystone completions zsh > ~/.zfunc/_drystone
  drystone completions fish > ~/.config/fish/completions/drystone.fish";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

const MAN_HELP: &str = "\
Examples:
  drystone man ~/.local/share/man/man1
  man drystone-render

Exit status:
  0  the pages were written
  2  the folder is not usable
  4  a page could not be written";

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub struct ManArgs {
    /// Folder for the pages, one a command; made if it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

const SOLVE_HELP: &str = "\
Examples:
  drystone solve pile.hdf5
  drystone solve pile.hdf5 --method nesterov-gs --tolerance 1e-6 --output impulses.npy
  drystone solve pile.hdf5 --law exact --time-limit 60 --history run.csv --json
  drystone solve pile.hdf5 --method jacobi --option omega=0.8

Ctrl-C stops the solve and still writes the best point so far; a second one quits at once.

Exit status:
  0  the residual reached the tolerance
  2  the input was not usable: flags, files, or a method that does not take the problem
  3  not converged, or cancelled; the best point was written all the same
  4  a result could not be written, for instance on a full disk; nothing is left half-written";

/// Arguments of `solve`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE_HELP)]
pub struct SolveArgs {
    /// Contact problem to solve
    pub file: PathBuf,
    /// Method: picks one itself unless told
    #[arg(long, value_name = "NAME", default_value = Method::default().name(), value_parser = method_parser())]
    pub method: Method,
    /// Set an option of the method; may be repeated ('drystone methods NAME' lists them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = key_value)]
    pub options: Vec<(String, String)>,
    /// What to do with the problem
    #[command(flatten)]
    pub common: CommonArgs,
    /// Impulses to start from (.npy or .hdf5); zero unless given
    #[arg(long, value_name = "FILE")]
    pub warm_start: Option<PathBuf>,
    /// Write the impulses here (.npy or .hdf5)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a line for every check of the residual here (.csv); slows the solve a little
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Print one JSON object instead of a table; numbers that are not finite are null
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `methods`.
#[derive(Debug, Args)]
pub struct MethodsArgs {
    /// Method whose options to list, with their defaults and what they mean
    #[arg(value_name = "NAME", value_parser = method_parser())]
    pub name: Option<Method>,
}

const COMPARE_HELP: &str = "\
Examples:
  drystone compare pile.hdf5 wall.hdf5 --methods apgd,nesterov-gs -o report
  drystone compare problems/*.hdf5 --methods all --tolerance 1e-6 --time-limit 60 -o report

In the folder:
  report.html   everything on one page that needs no network
  results.csv   a row a run, written as the runs end
  history/      a CSV file a run: residual, objective and the papers' measures at every check, or at every
                second, fourth, ... where there were more than 20000
  figures/      convergence curves and performance profiles, PNG and SVG

Where a method converges it is run a second time without keeping the history, and that run counts: it has to reach
the tolerance within the time limit. The first run gets a quarter more time, since recording slows it.
Ctrl-C stops the run at hand and reports what there is; a second one quits at once.

Exit status:
  0  every problem was read and every run ended by itself; whether the methods converged is in the report
  2  the input was not usable; where only some of the problems are missing or broken, the rest is in the report
  3  cancelled; the report holds the runs that had ended
  4  a result could not be written";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub struct CompareArgs {
    /// Contact problems to run on
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// Methods to compare, with commas between, or all
    #[arg(long, value_name = "NAMES", required = true, value_delimiter = ',', value_parser = choice_parser())]
    pub methods: Vec<MethodChoice>,
    /// What to do with the problems
    #[command(flatten)]
    pub common: CommonArgs,
    /// Folder for the report; made if it is not there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}

/// Arguments of both.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Friction law
    #[arg(long, value_enum, default_value_t = LawName::Relaxed)]
    pub law: LawName,
    /// Relative residual to reach, > 0
    #[arg(long, value_name = "T", default_value = "1e-8", value_parser = positive, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Most iterations of a run
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_iterations, value_parser = whole_size, allow_hyphen_values = true)]
    pub max_iterations: usize,
    /// Longest time of a run, in s or with a unit [default: none for `solve`, 60 for `compare`]
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: Option<Duration>,
    /// Threads to use; all cores unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

impl CommonArgs {
    /// When a run has to stop.
    pub fn limits(&self) -> Limits {
        Limits {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            time_limit: self.time_limit,
            ..Limits::default()
        }
    }
}

/// The laws by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LawName {
    /// The convex cone problem: a sliding contact separates a little
    Relaxed,
    /// Coulomb's law as it stands
    Exact,
}

impl LawName {
    /// The law of that name.
    pub fn law(self) -> Law {
        match self {
            Self::Relaxed => Law::Relaxed,
            Self::Exact => Law::Exact,
        }
    }

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        self.law().name()
    }
}

/// Knows the names, lists them in the help, and suggests one for a typing error.
pub(crate) fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(|name| name.parse::<Method>())
}

/// A method, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodChoice(Option<Method>);

impl MethodChoice {
    /// The methods that were chosen, one after the other.
    pub fn methods(choices: &[Self]) -> Vec<Method> {
        let each = choices.iter().flat_map(|choice| match &choice.0 {
            Some(method) => std::slice::from_ref(method),
            None => &Method::ALL,
        });
        each.copied().collect()
    }
}

/// The word for all methods.
const ALL: &str = "all";

/// As [`method_parser`], with the word `all`.
pub(crate) fn choice_parser() -> impl TypedValueParser<Value = MethodChoice> {
    let names = Method::ALL.map(Method::name);
    PossibleValuesParser::new(names.into_iter().chain([ALL])).try_map(|name| match name.as_str() {
        ALL => Ok(MethodChoice(None)),
        name => name
            .parse::<Method>()
            .map(|method| MethodChoice(Some(method))),
    })
}

/// `KEY=VALUE`, split at the first equals sign.
pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("expected a whole number from 1 to 1024".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_of_threads_out_of_range_are_refused() {
        for bad in ["0", "-1", "1.5", "100000"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }
}
