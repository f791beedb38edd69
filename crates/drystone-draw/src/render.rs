//! Pictures of a simulation without graphics card or browser: a ray tracer that draws solids to a PNG.
//!
//! A [`Picture`] is plain data: solids with places and colours, a camera, and what is written over it. [`render()`]
//! turns it into an [`Image`]. The same picture gives the same bytes on any number of threads: every pixel has its own
//! fixed sequence of samples and is drawn on its own.
//!
//! A ray's way through the files: `camera.rs` sends it out, `stage.rs` says what it meets first, with the tree of `bvh.rs`,
//! the things in it of `things.rs` and their surfaces of `shape.rs`; `shade.rs` how light that is; `filter.rs` takes the grain
//! out of soft shadows. `overlay.rs` writes on the finished picture.

mod builder;
mod bvh;
pub mod camera;
pub mod color;
mod edges;
mod filter;
#[cfg(test)]
mod gallery;
pub mod legend;
mod overlay;
mod sampling;
mod shade;
mod shape;
mod stage;
#[cfg(test)]
mod tests;
mod things;
mod view;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use drystone_scene::view::CameraView;
use glam::{DQuat, DVec3};
use rayon::prelude::*;
use tiny_skia::{IntSize, Pixmap};

use camera::Margin;
pub use camera::{Bounds, Camera};
pub use color::Color;
use filter::Pixel;
pub use legend::Legend;
#[cfg(test)]
use legend::Scale;
use stage::Stage;

/// Most pixels of a picture, enough for 7680 × 4320: at work each takes 60 bytes of memory.
const MOST_PIXELS: u64 = 1 << 25;
/// Most triangles of a picture: about 2 GiB of memory.
const MOST_TRIANGLES: usize = 10_000_000;
/// Rows that a thread draws at a time, px.
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
    pub solids: Vec<Solid>,
    /// What the colours mean.
    pub legend: Option<Legend>,
    /// Whether to draw a bar of round length, true at the depth of the camera's target.
    pub scale_bar: bool,
    /// Written at the top left, such as the scene's name.
    pub title: Option<String>,
    /// Written below the title, such as the time.
    pub caption: Option<String>,
    /// What is cut away, to look into a pile: everything beyond any of these planes. Ground and walls that are
    /// [`Geometry::Plane`] stay whole.
    pub clip: Vec<ClipPlane>,
    /// What is behind everything.
    pub background: Background,
    /// How much work goes into it.
    pub quality: Quality,
}

impl Picture {
    /// Solids under the default camera, light and background, with nothing written over them. The camera frames the
    /// solids that are not fixed, or all if all are.
    pub fn new(width: u32, height: u32, solids: Vec<Solid>) -> Self {
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let view = CameraView::default();
        let camera = Camera::of_view(&view, framed(&solids), aspect, Margin::default());
        Self {
            width,
            height,
            camera,
            up: DVec3::Z,
            solids,
            legend: None,
            scale_bar: false,
            title: None,
            caption: None,
            clip: Vec::new(),
            background: Background::default(),
            quality: Quality::default(),
        }
    }
}

/// The bounds that a picture should frame: of the solids marked [`Solid::framed`], or of all bounded ones where none is.
pub fn framed(solids: &[Solid]) -> Bounds {
    let over = |all: bool| {
        let mut bounds = Bounds::EMPTY;
        for solid in solids {
            if (all || solid.framed) && solid.surface != Surface::Hidden && solid.is_sound() {
                bounds = bounds.union(&solid.bounds());
            }
        }
        bounds
    };
    let moving = over(false);
    if moving.is_empty() {
        over(true)
    } else {
        moving
    }
}

/// One solid.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its shape in its own frame.
    pub geometry: Geometry,
    /// Where that frame is.
    pub placement: Placement,
    /// Its colour.
    pub color: Color,
    /// What it is made of, to the eye.
    pub surface: Surface,
    /// Whether a camera without orders frames it: true for bodies that move, false for ground and containers.
    pub framed: bool,
}

impl Solid {
    /// An opaque solid that the camera frames.
    #[cfg(test)]
    pub fn new(geometry: Geometry, placement: Placement, color: Color) -> Self {
        let framed = !matches!(geometry, Geometry::Plane);
        Self {
            geometry,
            placement,
            color,
            surface: Surface::Opaque,
            framed,
        }
    }

    /// The same as a wall to look through, which the camera need not frame.
    #[cfg(test)]
    pub fn glass(self) -> Self {
        Self {
            surface: Surface::Glass,
            framed: false,
            ..self
        }
    }

    /// The smallest box around it, or nearly; empty for a plane.
    pub fn bounds(&self) -> Bounds {
        shape::bounds(&self.geometry, &self.placement)
    }

    /// Whether every figure of its place and shape is finite, so that it can be drawn.
    fn is_sound(&self) -> bool {
        let placement = &self.placement;
        placement.position.is_finite()
            && placement.rotation.is_finite()
            && placement.rotation.length_squared() > 0.0
            && shape::is_sound(&self.geometry)
    }
}

/// What a solid looks like apart from its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Nothing to see through.
    Opaque,
    /// Faint glass with its edges drawn, as for the walls of a container.
    Glass,
    /// Not drawn.
    Hidden,
}

/// A shape in its own frame.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// A ball around the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half the edge lengths, m.
        half: DVec3,
    },
    /// An ellipsoid around the origin.
    Ellipsoid {
        /// Semi-axes, m.
        semi_axes: DVec3,
    },
    /// A cylinder along z around the origin.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// All points within `radius` of a segment along z around the origin.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the segment's length, m.
        half_height: f64,
    },
    /// A cone along z, its base at `-half_height`, its apex at `+half_height`.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// The half-space `z <= 0`: ground or wall, seen from its front only, fading away far from the framed solids.
    Plane,
    /// Triangles: hulls, meshes and height fields.
    Triangles(Arc<Mesh>),
}

/// Triangles in a frame of their own, shared by all solids of that shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<DVec3>,
    /// Three corners each, counter-clockwise seen from outside. Faces that name a corner that is not there are not drawn.
    pub faces: Vec<[u32; 3]>,
    /// Whether faces that meet at less than 35° are shaded as one round surface: right for finely meshed curved parts,
    /// wrong for stones with flat faces.
    pub smooth: bool,
}

/// Where a solid is: `world_from_local`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the local frame, m.
    pub position: DVec3,
    /// Quaternion that turns local directions into world ones; of any length but 0.
    pub rotation: DQuat,
}

impl Placement {
    /// Moved, not turned.
    #[cfg(test)]
    pub fn at(position: impl Into<DVec3>) -> Self {
        Self {
            position: position.into(),
            rotation: DQuat::IDENTITY,
        }
    }

    /// Moved and turned.
    pub fn new(position: impl Into<DVec3>, rotation: DQuat) -> Self {
        Self {
            position: position.into(),
            rotation,
        }
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
    /// More triangles than memory is given to.
    #[error("{count} triangles to draw: expected at most {MOST_TRIANGLES}")]
    Triangles {
        /// How many.
        count: usize,
    },
    /// Told to stop by the observer.
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
    /// Solids that were left out because a figure of their place or shape is not finite or not positive, by their
    /// place in [`Picture::solids`].
    pub skipped: Vec<usize>,
}

impl Image {
    /// Width, px.
    #[cfg(test)]
    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// Red, green, blue and 255 of each pixel, row by row from the top.
    #[cfg(test)]
    pub fn rgba(&self) -> &[u8] {
        self.pixels.data()
    }

    /// As a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, RenderError> {
        let png = self.pixels.encode_png();
        png.map_err(|e| RenderError::Encoding(e.to_string()))
    }
}

/// Draws a picture on the threads of the current rayon pool. `observe` hears the share of rows done, from any
/// thread, and may stop the work.
pub fn render(
    picture: &Picture,
    observe: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Image, RenderError> {
    let (width, height) = (picture.width, picture.height);
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MOST_PIXELS {
        return Err(RenderError::Size { width, height });
    }
    let stage = Stage::new(picture)?;
    let mut drawn = vec![Pixel::default(); pixels as usize];
    draw_bands(&stage, picture, &mut drawn, observe)?;
    let mut pixels = filter::smooth(&drawn, width as usize, picture.quality.samples())
        .and_then(|data| Pixmap::from_vec(data, IntSize::from_wh(width, height)?))
        .ok_or(RenderError::Size { width, height })?;
    overlay::draw(&mut pixels, picture);
    Ok(Image {
        pixels,
        skipped: stage.skipped,
    })
}

/// Draws all pixels, a few rows at a time.
fn draw_bands(
    stage: &Stage,
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
                *pixel = shade::pixel(stage, x as u32, y as u32, samples);
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
