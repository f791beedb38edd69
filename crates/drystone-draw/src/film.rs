//! Films of runs: many frames under one camera.
//!
//! [`shots`] says which frames of a recording are shown for how long, [`steady`] frames all of them
//! at once, and [`film`] draws and writes them: GIF by code of our own process, WebM and MP4 by the
//! program `ffmpeg`. [`sequence`] writes numbered pictures instead.

mod ffmpeg;
mod gif;
mod pattern;
mod shots;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use drystone_run::atomic::{write_atomically, write_atomically_by, write_atomically_with};
use drystone_run::recording::{Recording, RecordingError};

use crate::picture::{self, PictureError, PictureSettings};
use crate::render::{Image, RenderError};

pub use pattern::{Pattern, PatternError};
pub use shots::{Shot, ShotsError, Timing, shots};

/// A kind of film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmKind {
    /// 256 colours; every browser and every mail program shows it.
    Gif,
    /// VP9, by `ffmpeg`.
    WebM,
    /// H.264, by `ffmpeg`.
    Mp4,
}

impl FilmKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gif, Self::WebM, Self::Mp4];

    /// How the names of its files end, without the dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::WebM => "webm",
            Self::Mp4 => "mp4",
        }
    }

    /// The kind that the name of a file asks for.
    pub fn of(file: &Path) -> Option<Self> {
        let suffix = file.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|kind| kind.suffix() == suffix)
    }

    /// Most pictures a second.
    pub fn fastest(self) -> f64 {
        match self {
            // Time is counted in hundredths of a second, and players slow down what takes one.
            Self::Gif => 50.0,
            Self::WebM | Self::Mp4 => 240.0,
        }
    }
}

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// A frame cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A frame cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A file could not be written.
    #[error("{}: could not be written: {source}", file.display())]
    Write {
        /// Which one.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program that encodes is not there.
    #[error(
        "{}: such films are encoded by the program ffmpeg, which was not found: install it, or \
         write a .gif or numbered pictures, which need no other program", file.display()
    )]
    NoEncoder {
        /// The film.
        file: PathBuf,
    },
    /// The program that encodes failed.
    #[error("{}: ffmpeg failed: {words}", file.display())]
    Encoder {
        /// The film.
        file: PathBuf,
        /// What it said.
        words: String,
    },
}

impl FilmError {
    /// Whether the observer stopped the work.
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Picture(PictureError::Render(RenderError::Cancelled))
        )
    }

    fn cancelled() -> Self {
        Self::Picture(RenderError::Cancelled.into())
    }
}

/// Is told which picture is at work, from 0, and the share of it that is drawn, from any thread;
/// may stop the work.
pub type Observe<'a> = &'a (dyn Fn(usize, f64) -> ControlFlow<()> + Sync);

/// The settings with one camera and one range of colours for all of the frames, as far as they do
/// not say.
pub fn steady(
    recording: &Recording,
    frames: impl Iterator<Item = usize>,
    settings: &PictureSettings,
    observe: Observe<'_>,
) -> Result<PictureSettings, FilmError> {
    let mut steady = settings.clone();
    let mut about = None;
    let mut range: Option<[f64; 2]> = None;
    for index in frames {
        if observe(0, 0.0).is_break() {
            return Err(FilmError::cancelled());
        }
        let frame = recording.frame(index)?;
        let seen = picture::bounds(recording.header(), &frame);
        about = Some(about.map_or(seen, |all: drystone::Aabb| all.union(&seen)));
        if let Some([low, high]) = picture::color_range(recording.header(), &frame, settings)? {
            let [a, b] = range.unwrap_or([low, high]);
            range = Some([a.min(low), b.max(high)]);
        }
    }
    steady.about = settings.about.or(about);
    steady.color_range = match range {
        Some(range) => range.map(Some),
        None => settings.color_range,
    };
    Ok(steady)
}

/// What a film is made of.
pub struct Film<'a> {
    /// Where the frames are.
    pub recording: &'a Recording,
    /// Which of them, and for how long.
    pub shots: &'a [Shot],
    /// Ticks of the shots in a second.
    pub frames_per_second: f64,
    /// How they are drawn.
    pub settings: &'a PictureSettings,
}

/// Draws a film and writes it, whole or not at all.
pub fn film(
    film: &Film<'_>,
    kind: FilmKind,
    file: &Path,
    observe: Observe<'_>,
) -> Result<(), FilmError> {
    // What went wrong, where it was not the file.
    let mut failure = None;
    let mut keep = |error: FilmError| match error {
        FilmError::Write { source, .. } => source,
        error => {
            failure = Some(error);
            io::Error::other("the film was not finished")
        }
    };
    let written = match kind {
        FilmKind::Gif => write_atomically_with(file, |out| {
            gif::write(film, file, out, observe).map_err(&mut keep)
        }),
        FilmKind::WebM | FilmKind::Mp4 => write_atomically_by(file, |out| {
            ffmpeg::write(film, kind, file, out, observe).map_err(&mut keep)
        }),
    };
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, Err(source)) => Err(writing(file, source)),
        (None, Ok(())) => Ok(()),
    }
}

/// Draws frames as numbered pictures, each written whole or not at all. Says how many there are;
/// so many are there, too, where the observer stopped the work.
pub fn sequence(
    recording: &Recording,
    frames: &[usize],
    settings: &PictureSettings,
    pattern: &Pattern,
    observe: Observe<'_>,
) -> Result<usize, FilmError> {
    for (number, &index) in frames.iter().enumerate() {
        let image = match shot(recording, index, settings, number, observe) {
            Err(error) if error.is_cancelled() => return Ok(number),
            image => image?,
        };
        let png = image.to_png().map_err(PictureError::from)?;
        let file = pattern.file(number);
        write_atomically(&file, &png).map_err(|source| writing(&file, source))?;
    }
    Ok(frames.len())
}

/// Draws one frame; `number` is its place among those that are drawn.
fn shot(
    recording: &Recording,
    frame: usize,
    settings: &PictureSettings,
    number: usize,
    observe: Observe<'_>,
) -> Result<Image, FilmError> {
    let frame = recording.frame(frame)?;
    let observe = |share: f64| observe(number, share);
    Ok(picture::image(
        recording.header(),
        &frame,
        settings,
        &observe,
    )?)
}

fn writing(file: &Path, source: io::Error) -> FilmError {
    FilmError::Write {
        file: file.to_owned(),
        source,
    }
}
