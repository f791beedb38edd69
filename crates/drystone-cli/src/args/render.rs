//! What can be said of pictures and films.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use drystone_draw::film::Pattern;
use drystone_draw::render::Quality;
use drystone_scene::view::{CameraView, ColorBy, Cut};

use super::number::{positive, time};
use super::threads;

const RENDER_HELP: &str = "\
Examples:
  drystone render out/pile -o pile.png
  drystone render out/pile --time '400 ms' --color-by speed --camera azimuth=30,elevation=20,zoom=1.3 -o fall.png
  drystone render out/pile --clip 'y>0' --size 1920x1080 -o cut.png
  drystone render out/pile --video fall.gif --speed 0.25
  drystone render out/pile --video fall.webm --color-by speed --range '1 mm/s:2 m/s' --log
  drystone render out/pile --sequence out/frames/%04d.png --every 2

A camera is a view (front, side, back, top, iso), or key=value with commas between: azimuth and elevation in degrees, distance in
m, zoom, target=x:y:z, fov in degrees, and the word orthographic. A clip 'y>0' cuts away what lies beyond, in m.
What is not said here is taken from the scene's [view].

Films and sequences keep camera and colour range steady over all their frames, unless --follow lets the camera go with the bodies.
GIF needs no other program; WebM and MP4 are encoded by ffmpeg, which must be installed.

Exit status:
  0  all was written
  2  the input was not usable, or ffmpeg is missing
  3  cancelled; pictures of a sequence that are there are whole, a film is not written
  4  a file could not be written";

/// Arguments of `render`.
#[derive(Debug, Args)]
#[command(after_help = RENDER_HELP, group = ArgGroup::new("target").required(true))]
pub struct RenderArgs {
    /// Folder of a run, or its frames.dry
    pub run: PathBuf,
    /// Picture to write (.png)
    #[arg(long, short, value_name = "FILE", group = "target")]
    pub output: Option<PathBuf>,
    /// Film to write (.gif, .webm, .mp4)
    #[arg(long, value_name = "FILE", group = "target")]
    pub video: Option<PathBuf>,
    /// Numbered pictures to write, such as out/frame-%04d.png
    #[arg(long, value_name = "PATTERN", group = "target", value_parser = |text: &str| text.parse::<Pattern>())]
    pub sequence: Option<Pattern>,
    /// Which frame, from 0; negative ones count from the end [default: -1]
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["time", "video", "sequence"],
        allow_hyphen_values = true
    )]
    pub frame: Option<i64>,
    /// The frame nearest to this simulated time, in s or with a unit
    #[arg(long, value_name = "T", value_parser = time, allow_hyphen_values = true, conflicts_with_all = ["video", "sequence"])]
    pub time: Option<f64>,
    /// Films and sequences: from this simulated time on
    #[arg(long, value_name = "T", value_parser = time, allow_hyphen_values = true, conflicts_with = "output")]
    pub from: Option<f64>,
    /// Films and sequences: up to this simulated time
    #[arg(long, value_name = "T", value_parser = time, allow_hyphen_values = true, conflicts_with = "output")]
    pub to: Option<f64>,
    /// Films: simulated seconds in a second [default: 1]
    #[arg(long, value_name = "F", value_parser = positive, allow_hyphen_values = true, conflicts_with_all = ["output", "sequence"])]
    pub speed: Option<f64>,
    /// Films: pictures a second [default: 25]
    #[arg(long, value_name = "N", value_parser = positive, allow_hyphen_values = true, conflicts_with_all = ["output", "sequence"])]
    pub fps: Option<f64>,
    /// Sequences: one frame in so many [default: 1]
    #[arg(long, value_name = "N", value_parser = super::number::count, allow_hyphen_values = true, conflicts_with_all = ["output", "video"])]
    pub every: Option<u64>,
    /// Films and sequences: the camera goes with the bodies
    #[arg(long, conflicts_with = "output")]
    pub follow: bool,
    /// From where
    #[arg(long, value_name = "VIEW", value_parser = |text: &str| text.parse::<CameraView>(), allow_hyphen_values = true)]
    pub camera: Option<CameraView>,
    /// What colours stand for: force is the sum of a body's contact forces and needs frames with
    /// contacts
    #[arg(long, value_name = "WHAT", value_parser = color_by_parser())]
    pub color_by: Option<ColorBy>,
    /// Values of the first and the last colour, such as 0:2 or '1 mm:5 mm'; either may be left out
    #[arg(long, value_name = "A:B", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// Let colours go by powers of ten
    #[arg(long)]
    pub log: bool,
    /// Cut away what lies beyond a plane, such as 'y>0' or 'x<-0.1', or none; may be repeated
    #[arg(long, value_name = "CUT", value_parser = clip, allow_hyphen_values = true)]
    pub clip: Vec<Clip>,
    /// Width and height, px [default: 1280x800, films 960x600]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// How much work goes into a picture [default: normal, films and sequences draft]
    #[arg(long, value_enum)]
    pub quality: Option<QualityName>,
    /// Threads to use; all cores unless given
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// A cut; none for the word `none`, which takes back those of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip(pub Option<Cut>);

/// How much work goes into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QualityName {
    /// Quickest, with rough edges
    Sketch,
    /// Quick, grainy
    Draft,
    /// For the screen
    Normal,
    /// For print
    Fine,
}

impl QualityName {
    /// The quality of that name.
    pub fn quality(self) -> Quality {
        match self {
            Self::Sketch => Quality::Sketch,
            Self::Draft => Quality::Draft,
            Self::Normal => Quality::Normal,
            Self::Fine => Quality::Fine,
        }
    }
}

fn color_by_parser() -> impl TypedValueParser<Value = ColorBy> {
    let words = ColorBy::ALL.map(ColorBy::name);
    PossibleValuesParser::new(words).try_map(|word| word.parse::<ColorBy>())
}

fn clip(text: &str) -> Result<Clip, String> {
    match text.trim() {
        "none" => Ok(Clip(None)),
        text => match text.parse() {
            Ok(cut) => Ok(Clip(Some(cut))),
            Err(error) => Err(format!("{error}; or none")),
        },
    }
}

/// `WIDTHxHEIGHT`.
pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let expected =
        || "expected WIDTHxHEIGHT from 16x16 to 16384x16384, such as 1280x800".to_owned();
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(expected)?;
    let side = |text: &str| match text.trim().parse() {
        Ok(side @ 16..=16384) => Ok(side),
        _ => Err(expected()),
    };
    Ok([side(width)?, side(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_out_of_range_are_refused() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        for bad in ["640", "0x480", "640x", "-1x5", "99999x480", "axb"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_clip_may_be_none() {
        assert_eq!(clip("none"), Ok(Clip(None)));
        assert_eq!(clip("y>0").unwrap().0, "y>0".parse().ok());
        assert!(clip("nothing").unwrap_err().ends_with("or none"));
    }
}
