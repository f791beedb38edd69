//! A ray tracer that draws shapes without graphics card or browser.
//!
//! A [`Picture`] is plain data: shapes with poses and colours, a camera, and what is written over
//! it. [`render()`] turns it into an [`Image`]. The same picture gives the same bytes on any number
//! of threads: every pixel has its own fixed sequence of samples and is drawn on its own.
//!
//! A ray's way through the files:
//!
//! | file | what it does |
//! |---|---|
//! | `eye.rs` | sends the ray out |
//! | `prepared.rs` | says what it meets first, with the tree of `bvh.rs` |
//! | `primitives.rs` | meets what is in the tree, by the formulas of `ray.rs` and `convex.rs` |
//! | `shade.rs` | says how light that is, with the directions of `sampling.rs` |
//! | `filter.rs` | takes the grain out of soft shadows |
//! | `overlay.rs` | writes on the finished picture |
//!
//! Before that, `builder.rs` puts the shapes into the trees. `topology.rs` finds out which of their
//! edges are sharp.

mod builder;
mod bvh;
pub mod camera;
pub mod color;
mod convex;
mod edges;
mod eye;
mod filter;
pub mod legend;
mod overlay;
mod prepared;
mod primitives;
mod ray;
mod sampling;
mod shade;
#[cfg(test)]
mod tests;
mod topology;
mod view;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use drystone::{Aabb, Pose, Shape};
use drystone_scene::view::CameraView;
use glam::DVec3;
use rayon::prelude::*;
use tiny_skia::{IntSize, Pixmap};

pub use camera::{Camera, Margin};
pub use color::Color;
pub use drystone_run::recording::Opacity;
pub use legend::{ColorScale, Legend};

use filter::Pixel;
use prepared::PreparedPicture;

/// Most pixels of a picture, enough for 7680 × 4320. At work each takes 60 bytes of memory, which
/// makes 2 GiB.
const MOST_PIXELS: u64 = 1 << 25;
/// Most triangles of a picture: about 2 GiB of memory.
const MOST_TRIANGLES: usize = 10_000_000;
/// Rows that a thread draws at a time, px: few, so that threads end together.
const BAND: u32 = 4;

/// What to draw. All places are in metres, in one frame.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Width, px.
    pub width: u32,
    /// Height, px.
    pub height: u32,
    /// Where from.
    pub camera: Camera,
    /// Which way is up: where the light comes from and what counts as ground. Any length but 0.
    pub up: DVec3,
    /// What there is to see.
    pub shapes: Vec<DrawnShape>,
    /// What the colours mean.
    pub legend: Option<Legend>,
    /// Whether to draw a bar of round length, true at the depth of the camera's target.
    pub scale_bar: bool,
    /// Written at the top left, such as the scene's name.
    pub title: Option<String>,
    /// Written below the title, such as the time.
    pub caption: Option<String>,
    /// What is cut away, to look into a pile: everything beyond any of these planes. Ground and
    /// walls that are [`Shape::Plane`] stay whole.
    pub clip: Vec<ClipPlane>,
    /// What is behind everything.
    pub background: Background,
    /// How much work goes into it.
    pub quality: Quality,
    /// What the picture is about, m: the ground fades away from it. The framed shapes unless given;
    /// a film gives the same for all its pictures.
    pub about: Option<Aabb>,
}

impl Picture {
    /// Shapes under the default camera, light and background, with nothing written over them. The
    /// camera frames the shapes marked [`DrawnShape::framed`], or all where none is.
    pub fn new(width: u32, height: u32, shapes: Vec<DrawnShape>) -> Self {
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let view = CameraView::default();
        let bounds = framed_bounds(&shapes);
        Self {
            width,
            height,
            camera: Camera::of_view(&view, bounds, aspect, Margin::default()),
            up: DVec3::Z,
            shapes,
            legend: None,
            scale_bar: false,
            title: None,
            caption: None,
            clip: Vec::new(),
            background: Background::default(),
            quality: Quality::default(),
            about: None,
        }
    }
}

/// The box that a picture should frame: that of the shapes marked [`DrawnShape::framed`], or of all
/// bounded ones where none is.
pub fn framed_bounds(shapes: &[DrawnShape]) -> Aabb {
    let over = |all: bool| {
        let seen = shapes.iter().filter(|s| s.opacity != Opacity::Hidden);
        seen.filter(|s| (all || s.framed) && s.is_sound())
            .fold(Aabb::EMPTY, |bounds, s| bounds.union(&s.bounds()))
    };
    let framed = over(false);
    if framed.is_empty() {
        over(true)
    } else {
        framed
    }
}

/// A shape in its place, with its colour.
#[derive(Clone, Debug)]
pub struct DrawnShape {
    /// The shape in its own frame. A plane is seen from its front only and fades away far from the
    /// framed shapes. Hulls have flat faces; meshes and height fields are shaded round where their
    /// triangles meet at less than 35°.
    pub shape: Shape,
    /// Where that frame lies. The quaternion may have any length but 0.
    pub pose: Pose,
    /// Its colour.
    pub color: Color,
    /// How much of it is seen. Glass is faint and has its edges drawn, as for walls of a container.
    pub opacity: Opacity,
    /// Whether a camera without orders frames it: true for bodies that move, false for ground and
    /// containers.
    pub framed: bool,
}

impl DrawnShape {
    /// An opaque shape. The camera frames it unless it is a plane.
    pub fn new(shape: Shape, pose: Pose, color: Color) -> Self {
        Self {
            framed: shape != Shape::Plane,
            shape,
            pose,
            color,
            opacity: Opacity::Solid,
        }
    }

    /// The same as a wall to look through, which the camera need not frame.
    #[must_use]
    pub fn glass(self) -> Self {
        Self {
            opacity: Opacity::Glass,
            framed: false,
            ..self
        }
    }

    /// The smallest box around what is drawn of it; empty for a plane, which no picture can frame.
    pub fn bounds(&self) -> Aabb {
        let pose = Pose::new(self.pose.position, self.pose.rotation.normalize());
        match &self.shape {
            Shape::Plane => Aabb::EMPTY,
            // Its surface alone is drawn, not the depth in which contacts are looked for.
            Shape::HeightField(field) => Aabb::of_points(field.points().map(|p| pose.point(p))),
            Shape::Sphere { .. }
            | Shape::Box { .. }
            | Shape::Ellipsoid { .. }
            | Shape::Cylinder { .. }
            | Shape::Capsule { .. }
            | Shape::Cone { .. }
            | Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::Compound(_) => self.shape.aabb(&pose),
        }
    }

    /// Whether it can be drawn: all numbers of its pose are finite and all lengths are those of a
    /// shape. Scaled by 1 a shape is itself, or an error says what is wrong with it.
    fn is_sound(&self) -> bool {
        self.pose.is_finite()
            && self.pose.rotation.length_squared() > 0.0
            && self.shape.parts().all(|(_, part)| part.scaled(1.0).is_ok())
    }
}

/// Cuts away all points with `normal · (x - point) > 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipPlane {
    /// A point on the plane, m.
    pub point: DVec3,
    /// Towards what is cut away; any length but 0.
    pub normal: DVec3,
}

/// What is behind everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Colour at the upper edge.
    pub top: Color,
    /// Colour at the lower edge.
    pub bottom: Color,
}

impl Default for Background {
    /// Nearly white, a little grey and blue above.
    fn default() -> Self {
        Self {
            top: Color::rgb8(0xe3, 0xe8, 0xed),
            bottom: Color::rgb8(0xf8, 0xf8, 0xf6),
        }
    }
}

/// How much work goes into a picture. Time grows with the number of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// 1 sample for each pixel: rough edges.
    Sketch,
    /// 4 samples for each pixel: grainy shadows.
    Draft,
    /// 16 samples for each pixel.
    #[default]
    Normal,
    /// 64 samples for each pixel: for print.
    Fine,
}

impl Quality {
    /// Samples for each pixel, a power of 4.
    fn samples(self) -> u32 {
        match self {
            Self::Sketch => 1,
            Self::Draft => 4,
            Self::Normal => 16,
            Self::Fine => 64,
        }
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// No pixels, or too many.
    #[error(
        "a picture of {width} × {height} pixels: expected at least 1 × 1 and at most \
         {MOST_PIXELS} pixels in all"
    )]
    Size {
        /// Width asked for, px.
        width: u32,
        /// Height asked for, px.
        height: u32,
    },
    /// The camera cannot see.
    #[error("camera: {0}")]
    Camera(String),
    /// A clip plane has no direction or no place.
    #[error("clip plane {index}: its point must be finite and its normal finite and not 0")]
    Clip {
        /// Which one, counted from 0.
        index: usize,
    },
    /// Upwards is no direction.
    #[error("the upward direction must be finite and not 0")]
    Up,
    /// More triangles than memory is set aside for.
    #[error("{count} triangles to draw: expected at most {MOST_TRIANGLES}")]
    Triangles {
        /// How many.
        count: usize,
    },
    /// The observer stopped the work.
    #[error("cancelled before the picture was finished")]
    Cancelled,
    /// The file could not be encoded.
    #[error("the picture could not be encoded as PNG: {0}")]
    Encoding(String),
}

/// A finished picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    pixels: Pixmap,
    /// Shapes that were left out because a number of their pose or shape is not finite or not
    /// positive: their indices in [`Picture::shapes`].
    pub skipped: Vec<usize>,
}

impl Image {
    /// Width, px.
    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// Height, px.
    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// Red, green, blue and 255 of each pixel, row by row from the top.
    pub fn rgba(&self) -> &[u8] {
        self.pixels.data()
    }

    /// As a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, RenderError> {
        let png = self.pixels.encode_png();
        png.map_err(|e| RenderError::Encoding(e.to_string()))
    }
}

/// Draws a picture on the threads of the current rayon pool. `observe` is told the share of rows
/// done, from any thread, and may stop the work.
pub fn render(
    picture: &Picture,
    observe: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Image, RenderError> {
    let (width, height) = (picture.width, picture.height);
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MOST_PIXELS {
        return Err(RenderError::Size { width, height });
    }
    let prepared = PreparedPicture::new(picture)?;
    let mut drawn = vec![Pixel::default(); pixels as usize];
    draw_bands(&prepared, picture, &mut drawn, observe)?;
    let mut pixels = filter::smooth(&drawn, width as usize, picture.quality.samples())
        .and_then(|data| Pixmap::from_vec(data, IntSize::from_wh(width, height)?))
        .ok_or(RenderError::Size { width, height })?;
    overlay::draw(&mut pixels, picture);
    Ok(Image {
        pixels,
        skipped: prepared.skipped,
    })
}

/// Draws all pixels, a few rows at a time.
fn draw_bands(
    prepared: &PreparedPicture,
    picture: &Picture,
    drawn: &mut [Pixel],
    observe: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<(), RenderError> {
    let (width, samples) = (picture.width as usize, picture.quality.samples());
    let bands = picture.height.div_ceil(BAND);
    let (done, stopped) = (AtomicU32::new(0), AtomicBool::new(false));
    drawn
        .par_chunks_mut(width * BAND as usize)
        .with_max_len(1)
        .enumerate()
        .for_each(|(band, pixels)| {
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            for (k, pixel) in pixels.iter_mut().enumerate() {
                let [x, y] = [k % width, band * BAND as usize + k / width];
                *pixel = shade::pixel(prepared, x as u32, y as u32, samples);
            }
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            if observe(f64::from(count) / f64::from(bands)).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
        });
    if done.into_inner() < bands {
        return Err(RenderError::Cancelled);
    }
    Ok(())
}
