//! What can be said of simulations.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::number::{count, positive_time, seconds};
use super::render::{QualityName, size};
use super::view::ServingArgs;
use super::{key_value, threads};

const RUN_HELP: &str = "\
Examples:
  drystone run pile
  drystone run pile --set count=5000 --set settings.tolerance=1e-3 -o out/large
  drystone run my-scene.toml --until '500 ms' --json
  drystone run --resume -o out/pile
  drystone run --resume -o out/pile --until 2.8
  drystone run shear.toml --from out/pile
  drystone run pile --watch

In the folder:
  scene.toml      the scene as it is run, with the overrides
  log.csv         one row per step: contacts, iterations, residual, energy, times
  frames.dry      where all bodies were, for 'drystone render' and 'drystone export'
  forces.csv      one row per step and recorded pair, where the scene asks for forces
  checkpoint.dry  what --resume goes on from, and other scenes start from
  phase-1.dry ... the same at the end of each phase, where there are several
  summary.json    what it came to
  plots.png, .svg energy, contacts, iterations, residual and penetration over time
  picture.png     the last moment

Ctrl-C finishes the step at hand, saves the run and says how to go on; a second one quits at once. A run that was stopped or
killed and then resumed gives the same frames, bit for bit, as one that was not.

Exit status:
  0  the run came to its end; steps that did not converge are counted and warned of
  2  the input was not usable: flags, the scene, a folder that holds another run, or too little memory
  3  it ended early: stopped, or a step could not be made; all up to there is saved
  4  a result could not be written, for instance on a full disk";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub struct RunArgs {
    /// Scene file, or name of a built-in scene ('drystone scenes' lists them); with --resume that
    /// of the folder unless given
    #[arg(required_unless_present = "resume")]
    pub scene: Option<String>,
    /// Folder for the results [default: out/ and the scene's name, with a number where that is
    /// taken]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How the scene is read
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Run for so many steps, counted from the start of the run, even where the scene ends before
    #[arg(long, value_name = "N", conflicts_with = "until", value_parser = count, allow_hyphen_values = true)]
    pub steps: Option<u64>,
    /// Run until this simulated time, in s or with a unit, such as '300 ms', even where the scene
    /// ends before
    #[arg(long, value_name = "T", value_parser = positive_time, allow_hyphen_values = true)]
    pub until: Option<f64>,
    /// Go on with the run in the folder
    #[arg(long, conflicts_with = "from")]
    pub resume: bool,
    /// Replace the run that is in the folder
    #[arg(long, conflicts_with = "resume", requires = "output")]
    pub overwrite: bool,
    /// Seconds of work between checkpoints [default: 5, or more where writing one takes long]
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub checkpoint_every: Option<Duration>,
    /// Size of the picture of the last moment, px, or none
    #[arg(long, value_name = "WxH|none", default_value = "1280x800", value_parser = picture_size)]
    pub picture: PictureSize,
    /// How much work goes into that picture [default: draft, or sketch where a draft would take
    /// longer than the run and than 2 s]
    #[arg(long, value_enum)]
    pub quality: Option<QualityName>,
    /// Threads to use; all cores unless given. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Run even where the memory will hardly do
    #[arg(long)]
    pub force: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the content of summary.json instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show the run in the browser while it goes on, and after until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// With --watch: where the page is served
    #[command(flatten)]
    pub serving: ServingArgs,
}

/// Width and height of a picture, px; none for no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize(pub Option<[u32; 2]>);

/// How a scene is read.
#[derive(Clone, Debug, Args)]
pub struct ReadingArgs {
    /// Set a parameter of the scene, or any key by its path, such as settings.tolerance or
    /// body.slab.mass; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Let the scene read files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Start from the state of another run: its folder, or its frames.dry. In place of the scene's
    /// own start.from
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
}

const CHECK_HELP: &str = "\
Examples:
  drystone check my-scene.toml
  drystone check pile --set count=2000000

Reads and builds the scene, makes one step to find overlaps, and estimates contacts and memory. Warns of what is hardly meant:
overlaps and narrow gaps, a forgotten scale, a time step that is too long, no bodies, unused parameters. With --json, all mistakes
are in the list 'mistakes'.

Exit status:
  0  the scene can be run; overlaps are warned of
  2  it cannot: a mistake in the file (with line and key), or too little memory (unless --force)
  3  the first step could not be made";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// Scene file, or name of a built-in scene
    pub scene: String,
    /// How the scene is read
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Build it even where the memory will hardly do
    #[arg(long)]
    pub force: bool,
    /// Threads to use; all cores unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

const EXPORT_HELP: &str = "\
Examples:
  drystone export out/pile --format vtk
  drystone export out/pile --format csv --every 10 -o tables

Formats:
  vtk  for ParaView: open spheres.pvd, surfaces.pvd or contacts.pvd
  csv  tables: bodies.csv, frames.csv, and one a frame
  npz  one NumPy archive, recording.npz
  obj  triangles, one file per frame

Exit status:
  0  all frames were written
  2  the input was not usable
  3  cancelled; the files of the frames so far are whole
  4  a file could not be written";

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub struct ExportArgs {
    /// Folder of a run, or its frames.dry
    pub run: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    pub format: FormatName,
    /// One frame in so many, from the first on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Folder to write to [default: that of the run, then the format's name]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Formats of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// For ParaView
    Vtk,
    /// Tables as text
    Csv,
    /// One NumPy archive
    Npz,
    /// Triangles, one file per frame
    Obj,
}

/// Arguments of `scenes`.
#[derive(Debug, Args)]
pub struct ScenesArgs {
    /// Print the text of one, to start from: drystone scenes --show pile > my.toml
    #[arg(long, value_name = "NAME")]
    pub show: Option<String>,
}

/// Arguments of `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Name of the scene: NAME.toml is written, and never over a file that is there
    pub name: PathBuf,
}

fn picture_size(text: &str) -> Result<PictureSize, String> {
    match text {
        "none" => Ok(PictureSize(None)),
        text => Ok(PictureSize(Some(size(text)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_split_at_the_first_equals_sign() {
        let split = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(key_value("a = b=c"), split("a", "b=c"));
        assert_eq!(key_value("count=5"), split("count", "5"));
        assert!(key_value("count").is_err());
        assert!(key_value("=5").is_err());
    }
}
