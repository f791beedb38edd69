//! Pictures of runs: `drystone render`, and the one that every run ends with.

mod colors;
mod solids;

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use drystone_scene::recording::{Frame, Recording, RunHeader};
use drystone_scene::run_folder::{FRAMES, SCENE};
use drystone_scene::scene::ViewSettings;
use glam::DVec3;

use crate::args::simulation::{QualityName, RenderArgs};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{check_writable, to_stderr, to_stdout, write_bytes};
use crate::render::camera::Margin;
use crate::render::{self, ClipPlane, ColorBy, Picture, Quality, RenderError, View, render};
use crate::run::{cancelled, thread_pool};
use crate::simulate::folder::scene_of;
use crate::table::short_number;

/// What a picture should show of a frame.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Width and height, px.
    pub size: [u32; 2],
    /// From where.
    pub view: View,
    /// What colours stand for; the bodies' own if nothing.
    pub color_by: Option<ColorBy>,
    /// What is cut away.
    pub cuts: Vec<Cut>,
    /// How much work goes into it.
    pub quality: Quality,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            size: [1280, 800],
            view: View::default(),
            color_by: None,
            cuts: Vec::new(),
            quality: Quality::Normal,
        }
    }
}

impl Wishes {
    /// What a scene asks for; says what cannot be understood.
    pub fn of_scene(settings: &ViewSettings) -> Result<Self, String> {
        let mut wishes = Self::default();
        if let Some(camera) = &settings.camera {
            wishes.view = camera.parse().map_err(|e| format!("view: {e}"))?;
        }
        if let Some(quantity) = &settings.color_by {
            let by = quantity.parse().map_err(|e| format!("view: {e}"))?;
            wishes.color_by = Some(by);
        }
        if let Some(cuts) = &settings.clip {
            let cuts = cuts.split(',').map(|cut| cut.trim().parse());
            wishes.cuts = cuts
                .collect::<Result<_, CutError>>()
                .map_err(|e| format!("view.clip: {e}"))?;
        }
        Ok(wishes)
    }
}

/// A plane across an axis, beyond which all is cut away: `y>0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    axis: usize,
    /// Whether the larger coordinates go.
    above: bool,
    /// m.
    at: f64,
}

/// What is wrong with the words of a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutError(String);

impl fmt::Display for CutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is not an axis, < or >, and a length in m, such as y>0 or x<-0.1",
            self.0
        )
    }
}

impl std::error::Error for CutError {}

impl FromStr for Cut {
    type Err = CutError;

    fn from_str(text: &str) -> Result<Self, CutError> {
        let wrong = || CutError(text.to_owned());
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let axis = match text[..at].trim() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return Err(wrong()),
        };
        let length: f64 = text[at + 1..].trim().parse().map_err(|_| wrong())?;
        if !length.is_finite() {
            return Err(wrong());
        }
        Ok(Self {
            axis,
            above: text.as_bytes()[at] == b'>',
            at: length,
        })
    }
}

impl Cut {
    fn plane(self) -> ClipPlane {
        let axis = DVec3::AXES[self.axis];
        ClipPlane {
            point: self.at * axis,
            normal: if self.above { axis } else { -axis },
        }
    }
}

/// Draws a frame as a PNG file.
pub fn draw(header: &RunHeader, frame: &Frame, wishes: &Wishes) -> Result<Vec<u8>, Drawing> {
    let (legend, colors) = colors::colors(header, frame, wishes.color_by)?;
    let solids = solids::solids(header, frame, &colors);
    let [width, height] = wishes.size;
    let mut view = wishes.view;
    if legend.is_some() {
        view.margin = Margin::beside_legend();
    }
    let aspect = f64::from(width) / f64::from(height);
    let picture = Picture {
        camera: view.camera(render::framed(&solids), aspect),
        legend,
        scale_bar: true,
        title: Some(header.title.clone()).filter(|t| !t.is_empty()),
        caption: Some(format!("t = {:.3} s", frame.time)),
        clip: wishes.cuts.iter().map(|cut| cut.plane()).collect(),
        quality: wishes.quality,
        ..Picture::new(width, height, solids)
    };
    let observe = |_: f64| match cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    Ok(render(&picture, &observe)?.to_png()?)
}

/// Why there is no picture.
#[derive(Debug)]
pub enum Drawing {
    /// The frame holds no contacts to take forces from.
    NoContacts,
    /// The picture cannot be drawn.
    Render(RenderError),
}

impl From<RenderError> for Drawing {
    fn from(error: RenderError) -> Self {
        Self::Render(error)
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoContacts => f.write_str(
                "the frame holds no contacts to take forces from; run the scene with --set recording.contacts=true",
            ),
            Self::Render(error) => error.fmt(f),
        }
    }
}

/// Makes a picture of a run.
pub fn render_run(args: &RenderArgs) -> Result<u8, Failure> {
    check_writable(&args.output)?;
    let pool = thread_pool(args.threads)?;
    let recording = open(&args.run)?;
    let index = which(&recording, args)?;
    let frame = recording.frame(index).map_err(unreadable)?;
    let wishes = wishes(args);
    match pool.install(|| draw(recording.header(), &frame, &wishes)) {
        Ok(png) => {
            write_bytes(&args.output, &png)?;
            to_stdout(&format!(
                "{}: frame {index} of {}, t = {} s\n",
                args.output.display(),
                recording.len(),
                short_number(frame.time)
            ))?;
            Ok(SUCCESS)
        }
        Err(Drawing::Render(RenderError::Cancelled)) => {
            to_stderr("cancelled: no picture was written");
            Ok(NOT_CONVERGED)
        }
        Err(error) => Err(Failure::in_file(&args.run, error)),
    }
}

/// Opens the recording of a run's folder.
pub fn open(run: &Path) -> Result<Recording, Failure> {
    let file = match run.is_dir() {
        true => run.join(FRAMES),
        false => run.to_owned(),
    };
    Recording::open(file).map_err(unreadable)
}

/// A recording that cannot be read is bad input, whatever the reason.
pub fn unreadable(error: drystone_scene::recording::RecordingError) -> Failure {
    Failure::in_file(&error.file, &error.fault)
}

/// The frame that was asked for.
fn which(recording: &Recording, args: &RenderArgs) -> Result<usize, Failure> {
    let count = recording.len();
    let missing = |words: String| Failure::in_file(recording.path(), words);
    if count == 0 {
        return Err(missing("holds no frame yet".to_owned()));
    }
    if let Some(time) = args.time {
        return Ok(recording.nearest(time).unwrap_or(count - 1));
    }
    let wanted = args.frame.unwrap_or(-1);
    let index = if wanted < 0 {
        wanted + count as i64
    } else {
        wanted
    };
    usize::try_from(index)
        .ok()
        .filter(|k| *k < count)
        .ok_or_else(|| {
            missing(format!(
                "there is no frame {wanted}, only 0 to {}",
                count - 1
            ))
        })
}

/// What the scene of the run asks for, and over that what the command line does.
fn wishes(args: &RenderArgs) -> Wishes {
    let folder: PathBuf = match args.run.is_dir() {
        true => args.run.clone(),
        false => args.run.parent().map(Path::to_owned).unwrap_or_default(),
    };
    let of_scene = match folder.join(SCENE).is_file() {
        // A recording can be drawn without its scene.
        true => scene_of(&folder)
            .ok()
            .and_then(|scene| Wishes::of_scene(scene.view()).ok()),
        false => None,
    };
    let of_scene = of_scene.unwrap_or_default();
    Wishes {
        size: args.size,
        view: args.camera.unwrap_or(of_scene.view),
        color_by: args.color_by.or(of_scene.color_by),
        cuts: match args.clip.is_empty() {
            true => of_scene.cuts,
            false => args.clip.clone(),
        },
        quality: match args.quality {
            QualityName::Draft => Quality::Draft,
            QualityName::Normal => Quality::Normal,
            QualityName::Fine => Quality::Fine,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_an_axis_a_side_and_a_length() {
        let cut: Cut = "y > 0.25".parse().unwrap();
        let plane = cut.plane();
        assert_eq!(
            (plane.point, plane.normal),
            (DVec3::new(0.0, 0.25, 0.0), DVec3::Y)
        );
        let below: Cut = "x<-1".parse().unwrap();
        assert_eq!(below.plane().normal, DVec3::NEG_X);
        for bad in ["", "y", "w>1", "y>", "y>nan", "y=1", ">1"] {
            assert!(bad.parse::<Cut>().is_err(), "{bad}");
        }
    }
}
