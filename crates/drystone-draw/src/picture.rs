//! Pictures of runs: a frame of a recording becomes a PNG file.

mod colors;
mod shapes;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use drystone_run::recording::{Frame, RunHeader};
use drystone_scene::view::{CameraView, ColorBy, Cut, ViewSettings};
use glam::DVec3;

use crate::render::{
    Camera, ClipPlane, Margin, Picture, Quality, RenderError, framed_bounds, render,
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
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: [1280, 800],
            camera: CameraView::default(),
            color_by: None,
            cuts: Vec::new(),
            quality: Quality::Normal,
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
    let (legend, colors) = colors::colors(header, frame, settings.color_by)?;
    let shapes = shapes::drawn_shapes(header, frame, &colors);
    let [width, height] = settings.size;
    let margin = match legend {
        Some(_) => Margin::beside_legend(),
        None => Margin::default(),
    };
    let aspect = f64::from(width) / f64::from(height);
    let picture = Picture {
        camera: Camera::of_view(&settings.camera, framed_bounds(&shapes), aspect, margin),
        legend,
        scale_bar: true,
        title: Some(header.title.clone()).filter(|t| !t.is_empty()),
        caption: Some(format!("t = {:.3} s", frame.time)),
        clip: settings.cuts.iter().copied().map(plane).collect(),
        quality: settings.quality,
        ..Picture::new(width, height, shapes)
    };
    let observe = |_: f64| match cancel.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    Ok(render(&picture, &observe)?.to_png()?)
}

fn plane(cut: Cut) -> ClipPlane {
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
    fn a_cut_takes_away_what_its_plane_faces() {
        let above = plane("y > 0.25".parse().unwrap());
        assert_eq!(above.point, DVec3::new(0.0, 0.25, 0.0));
        assert_eq!(above.normal, DVec3::Y);
        assert_eq!(plane("x<-1".parse().unwrap()).normal, DVec3::NEG_X);
    }
}
