//! Pictures of runs: a frame of a recording becomes a PNG file.

mod colors;
mod shapes;

pub use colors::{own as own_color, sizes};

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use drystone::Aabb;
use drystone_run::recording::{Frame, RunHeader};
use drystone_scene::view::{CameraView, ColorBy, Cut, ViewSettings};
use glam::DVec3;

use crate::render::{
    Camera, ClipPlane, Color, Image, Legend, Margin, Picture, Quality, RenderError, framed_bounds,
    render,
};

/// What a picture shows of a frame, and how.
#[derive(Clone, Debug)]
pub struct PictureSettings {
    /// Width and height, px.
    pub size: [u32; 2],
    /// From where.
    pub camera: CameraView,
    /// What colours stand for; the bodies' own if nothing.
    pub color_by: Option<ColorBy>,
    /// What is cut away.
    pub cuts: Vec<Cut>,
    /// How much work goes into it.
    pub quality: Quality,
    /// Values of the first and the last colour; those of the frame where not given.
    pub color_range: [Option<f64>; 2],
    /// Whether colours go by powers of ten.
    pub color_log: bool,
    /// What the camera frames, m; the moving bodies of the frame if not given.
    pub about: Option<Aabb>,
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: [1280, 800],
            camera: CameraView::default(),
            color_by: None,
            cuts: Vec::new(),
            quality: Quality::Normal,
            color_range: [None; 2],
            color_log: false,
            about: None,
        }
    }
}

impl From<&ViewSettings> for PictureSettings {
    /// What a scene asks for.
    fn from(view: &ViewSettings) -> Self {
        Self {
            camera: view.camera.unwrap_or_default(),
            color_by: view.color_by,
            cuts: view.cuts.clone(),
            ..Self::default()
        }
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PictureError {
    /// The frame holds no contacts to take forces from.
    #[error(
        "the frame holds no contacts to take forces from: expected a run of a scene with \
         recording.contacts = true"
    )]
    NoContacts,
    /// The picture cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Draws a frame as a PNG file, on the threads of the current rayon pool. Stops with
/// [`RenderError::Cancelled`] once `cancel` is set.
pub fn draw(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, PictureError> {
    let observe = |_: f64| match cancel.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    Ok(image(header, frame, settings, &observe)?.to_png()?)
}

/// Draws a frame, on the threads of the current rayon pool. `observe` is told the share that is
/// done, from any thread, and may stop the work with [`RenderError::Cancelled`].
pub fn image(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
    observe: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Image, PictureError> {
    Ok(render(&picture(header, frame, settings)?, observe)?)
}

/// As [`image`], within about `limit` if that can be: a picture of which less than half is drawn
/// when half of the time is gone is drawn as a [`Quality::Sketch`] instead. Says which quality it
/// has.
pub fn image_within(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
    limit: Duration,
    observe: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<(Image, Quality), PictureError> {
    let mut picture = picture(header, frame, settings)?;
    let (begun, late) = (Instant::now(), AtomicBool::new(false));
    let watched = |share: f64| {
        if share < 0.5 && begun.elapsed() > limit / 2 {
            late.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        observe(share)
    };
    match render(&picture, &watched) {
        Err(RenderError::Cancelled) if late.load(Ordering::Relaxed) => {
            picture.quality = Quality::Sketch;
            Ok((render(&picture, observe)?, Quality::Sketch))
        }
        drawn => Ok((drawn?, settings.quality)),
    }
}

/// A frame as shapes under a camera.
fn picture(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
) -> Result<Picture, PictureError> {
    let (legend, colors) = colors::colors(header, frame, settings)?;
    let shapes = shapes::drawn_shapes(header, frame, &colors);
    let [width, height] = settings.size;
    let about = settings.about.unwrap_or_else(|| framed_bounds(&shapes));
    Ok(Picture {
        camera: camera(settings, about, legend.is_some()),
        about: settings.about,
        legend,
        scale_bar: true,
        title: Some(header.title.clone()).filter(|t| !t.is_empty()),
        caption: Some(format!("t = {:.3} s", frame.time)),
        clip: settings.cuts.iter().copied().map(clip_plane).collect(),
        quality: settings.quality,
        ..Picture::new(width, height, shapes)
    })
}

/// The camera of a picture that is about `about`, with room beside it where there is a legend.
pub fn camera(settings: &PictureSettings, about: Aabb, legend: bool) -> Camera {
    let [width, height] = settings.size;
    let margin = match legend {
        true => Margin::beside_legend(),
        false => Margin::default(),
    };
    let aspect = f64::from(width) / f64::from(height);
    let about = what_is_left(about, &settings.cuts);
    Camera::of_view(&settings.camera, about, aspect, margin)
}

/// What cuts leave of a box; all of it where they leave nothing.
fn what_is_left(about: Aabb, cuts: &[Cut]) -> Aabb {
    let mut left = about;
    for cut in cuts {
        if cut.above {
            left.max[cut.axis] = left.max[cut.axis].min(cut.at);
        } else {
            left.min[cut.axis] = left.min[cut.axis].max(cut.at);
        }
    }
    match left.min.cmple(left.max).all() {
        true => left,
        false => about,
    }
}

/// What a picture of the frame frames by itself, m.
pub fn bounds(header: &RunHeader, frame: &Frame) -> Aabb {
    let colors = vec![Color::WHITE; header.bodies.len()];
    framed_bounds(&shapes::drawn_shapes(header, frame, &colors))
}

/// The range of a frame's colours, where they stand for a quantity and the settings do not say.
pub fn color_range(
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
) -> Result<Option<[f64; 2]>, PictureError> {
    Ok(match colors::colors(header, frame, settings)?.0 {
        Some(Legend::Scale(scale)) => Some(scale.range),
        Some(Legend::Names { .. }) | None => None,
    })
}

/// The plane that a cut means.
pub fn clip_plane(cut: Cut) -> ClipPlane {
    let axis = DVec3::AXES[cut.axis];
    ClipPlane {
        point: cut.at * axis,
        normal: if cut.above { axis } else { -axis },
    }
}

#[cfg(test)]
mod tests {
    use drystone::Shape;
    use drystone_run::recording::{BodyFrame, BodyRecord};

    use super::*;

    fn ball() -> (RunHeader, Frame) {
        let mut header = RunHeader::new("a ball", 0.01);
        let shape = header.add_shape(Shape::sphere(0.5).unwrap());
        header.add_body("ball", BodyRecord::dynamic(shape, 1.0));
        let frame = Frame {
            bodies: vec![BodyFrame::default()],
            ..Frame::default()
        };
        (header, frame)
    }

    fn small() -> PictureSettings {
        PictureSettings {
            size: [64, 40],
            quality: Quality::Draft,
            ..PictureSettings::default()
        }
    }

    #[test]
    fn colours_by_force_need_contacts() {
        let (header, mut frame) = ball();
        let never = AtomicBool::new(false);
        let settings = PictureSettings {
            color_by: Some(ColorBy::Force),
            ..small()
        };
        let refused = draw(&header, &frame, &settings, &never);
        assert_eq!(refused, Err(PictureError::NoContacts));
        frame.contacts = Some(Vec::new());
        let drawn = draw(&header, &frame, &settings, &never).unwrap();
        assert!(drawn.starts_with(b"\x89PNG"));
        // The legend is there.
        assert_ne!(drawn, draw(&header, &frame, &small(), &never).unwrap());
    }

    #[test]
    fn a_picture_can_be_cancelled() {
        let (header, frame) = ball();
        let draw = || draw(&header, &frame, &small(), &AtomicBool::new(true));
        // Many threads would have begun with all rows before the first is asked to stop.
        let one = rayon::ThreadPoolBuilder::new().num_threads(1);
        let stopped = one.build().unwrap().install(draw);
        assert_eq!(stopped, Err(RenderError::Cancelled.into()));
    }

    #[test]
    fn a_picture_that_takes_too_long_becomes_a_sketch() {
        let (header, frame) = ball();
        let go_on = |_: f64| ControlFlow::Continue(());
        // Many threads would have begun with all rows before the first is asked to stop.
        let one = rayon::ThreadPoolBuilder::new().num_threads(1);
        let one = one.build().unwrap();
        let within = |limit: u64| {
            let limit = Duration::from_secs(limit);
            one.install(|| image_within(&header, &frame, &small(), limit, &go_on).unwrap())
        };
        let (image, quality) = within(1000);
        assert_eq!(quality, Quality::Draft);
        assert_eq!(
            image,
            super::image(&header, &frame, &small(), &go_on).unwrap()
        );
        let (hurried, quality) = within(0);
        assert_eq!(quality, Quality::Sketch);
        assert_ne!(hurried, image);
        // The user's word goes before the clock's.
        let stop = |_: f64| ControlFlow::Break(());
        let long = Duration::from_secs(1000);
        let stopped = one.install(|| image_within(&header, &frame, &small(), long, &stop));
        assert_eq!(stopped.unwrap_err(), RenderError::Cancelled.into());
    }

    #[test]
    fn a_picture_is_about_what_cuts_leave() {
        let about = Aabb::around(DVec3::ZERO, DVec3::ONE);
        let cuts = |text: &str| Cut::parse_list(text).unwrap();
        let left = what_is_left(about, &cuts("y<0,z>0.5"));
        assert_eq!(left.min, DVec3::new(-1.0, 0.0, -1.0));
        assert_eq!(left.max, DVec3::new(1.0, 1.0, 0.5));
        // One that leaves nothing must not leave the camera without anything to look at.
        assert_eq!(what_is_left(about, &cuts("x<3")), about);
    }

    #[test]
    fn a_cut_takes_away_what_its_plane_faces() {
        let above = clip_plane("y > 0.25".parse().unwrap());
        assert_eq!(above.point, DVec3::new(0.0, 0.25, 0.0));
        assert_eq!(above.normal, DVec3::Y);
        assert_eq!(clip_plane("x<-1".parse().unwrap()).normal, DVec3::NEG_X);
    }
}
