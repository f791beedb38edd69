//! What can be said of the viewer in the browser.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::simulation::ReadingArgs;
use super::threads;

const VIEW_HELP: &str = "\
Examples:
  drystone view out/pile
  drystone view pile --set count=2000
  drystone view out/pile --export pile.html
  drystone view out/pile --export small.html --every 4 --max-size 5MB
  drystone view out/pile --listen 192.168.0.7 --port 8017

A folder is shown as it is, and followed while another process runs in it. A scene is run while you watch, into a folder of
its own; the page stays open after its end. Ctrl-C ends the server.

Only this machine can open the page. With --listen others can too: those who have the link, which then carries a token.
The link is the only line on standard output.

An exported replay is one file that opens from the disk and fetches nothing. Its numbers are rounded; the largest errors are
told here and in the page. Unless --every says which frames to take, as few are left out as --max-size allows.

Exit status:
  0  the server was ended, or the replay was written
  2  the input was not usable: flags, the run or the scene, an address that is taken, a replay that would be too large
  3  a run was stopped or broke off, or an export was cancelled
  4  a file could not be written";

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = VIEW_HELP)]
pub struct ViewArgs {
    /// Folder of a run, its frames.dry, or a scene to run: a file or the name of a built-in one
    #[arg(value_name = "DIR|SCENE")]
    pub what: String,
    /// Where the page is served
    #[command(flatten)]
    pub serving: ServingArgs,
    /// Write the run as one HTML file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "no_open", "listen"])]
    pub export: Option<PathBuf>,
    /// Of an exported replay: one frame in so many, and the last [default: as --max-size allows]
    #[arg(long, value_name = "N", requires = "export", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: Option<u32>,
    /// Of an exported replay: how large it may be, in bytes or with kB, MB or GB
    #[arg(long, value_name = "SIZE", requires = "export", default_value = "20MB", value_parser = bytes)]
    pub max_size: u64,
    /// Of a scene: folder for the results [default: out/ and the scene's name]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Of a scene: how it is read
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Of a scene: threads to use; all cores unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where the page is served.
#[derive(Clone, Debug, Default, Args)]
pub struct ServingArgs {
    /// Port of the page [default: any free one]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Address that other machines can reach; the link then carries a token
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
}

impl ServingArgs {
    /// The first flag that was given, by its name.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--port", self.port.is_some()),
            ("--no-open", self.no_open),
            ("--listen", self.listen.is_some()),
        ];
        flags.into_iter().find(|(_, is)| *is).map(|(name, _)| name)
    }
}

/// A number of bytes: `500000`, `500kB`, `1.5 MB`.
fn bytes(text: &str) -> Result<u64, String> {
    let expected = || "expected bytes above 0, such as 500kB or 20MB".to_owned();
    let text = text.trim();
    let end = text
        .find(|c: char| c.is_ascii_alphabetic() && c != 'e')
        .unwrap_or(text.len());
    let factor = match text[end..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        _ => return Err(expected()),
    };
    let number: f64 = text[..end].trim().parse().map_err(|_| expected())?;
    match number * factor {
        value if value.is_finite() && value >= 1.0 => Ok(value as u64),
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_a_thousand() {
        let good = [
            ("20MB", 20_000_000),
            ("1.5 MB", 1_500_000),
            ("500k", 500_000),
            ("123", 123),
            ("2e6", 2_000_000),
            ("1 gb", 1_000_000_000),
        ];
        for (text, expected) in good {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for bad in ["", "MB", "-1MB", "0", "1 TB?", "20MiB", "nan", "inf"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
