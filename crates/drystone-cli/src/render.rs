//! Pictures of a simulation without graphics card or browser: a ray tracer that draws solids to a PNG.
//!
//! A [`Picture`] is plain data: solids with places and colours, a camera, and what is written over it. [`render()`]
//! turns it into an [`Image`]. The same picture gives the same bytes on any number of threads: every pixel has its own
//! fixed sequence of samples and is drawn on its own.
//!
//! A ray's way through the files: `camera.rs` sends it out, `bvh.rs` finds what may be in its way, `shape.rs` where
//! it enters and leaves a solid, `stage.rs` what it meets first, `shade.rs` how light that is. `overlay.rs` writes on
//! the finished picture.
#![allow(dead_code, unused_imports, reason = "no command calls it yet")]

mod bvh;
pub mod camera;
pub mod color;
mod edges;
#[cfg(test)]
mod gallery;
mod overlay;
mod sampling;
mod shade;
mod shape;
mod stage;
pub mod view;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use tiny_skia::{IntSize, Pixmap};

pub use camera::{Bounds, Camera, Projection};
pub use color::{Color, Map};
pub use overlay::{Legend, Scale, Spacing};
use stage::Stage;
pub use view::View;

/// Most pixels of a picture: 8192 × 8192, which takes 256 MiB of memory.
const MOST_PIXELS: u64 = 1 << 26;
/// Most triangles of a picture: about 2 GiB of memory.
const MOST_TRIANGLES: usize = 10_000_000;
/// Edge length of the squares in which threads share out a picture, px.
const TILE: u32 = 32;

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
        let camera = View::default().camera(framed(&solids), aspect);
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
                bounds = bounds.union(&shape::bounds(&solid.geometry, &solid.placement));
            }
        }
        bounds
    };
    let moving = over(false);
    if moving.is_empty() { over(true) } else { moving }
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
    pub fn glass(self) -> Self {
        Self {
            surface: Surface::Glass,
            framed: false,
            ..self
        }
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
    /// White, a little grey above.
    fn default() -> Self {
        Self {
            top: Color::rgb8(0xe9, 0xed, 0xf1),
            bottom: Color::rgb8(0xfb, 0xfb, 0xfa),
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
#[derive(Clone, Debug, PartialEq)]
pub enum RenderError {
    /// No pixels, or too many.
    Size {
        /// Width asked for, px.
        width: u32,
        /// Height asked for, px.
        height: u32,
    },
    /// The camera cannot see.
    Camera(String),
    /// A clip plane has no direction or no place.
    Clip {
        /// Which one, counted from 0.
        index: usize,
    },
    /// Upwards is no direction.
    Up,
    /// More triangles than memory is given to.
    Triangles {
        /// How many.
        count: usize,
    },
    /// Told to stop by the observer.
    Cancelled,
    /// The file could not be encoded.
    Encoding(String),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { width, height } => write!(
                f,
                "a picture of {width} × {height} pixels: expected at least 1 × 1 and at most {MOST_PIXELS} pixels in all"
            ),
            Self::Camera(what) => write!(f, "camera: {what}"),
            Self::Clip { index } => write!(
                f,
                "clip plane {index}: its point must be finite and its normal finite and not 0"
            ),
            Self::Up => write!(f, "the upward direction must be finite and not 0"),
            Self::Triangles { count } => write!(
                f,
                "{count} triangles to draw: expected at most {MOST_TRIANGLES}"
            ),
            Self::Cancelled => write!(f, "cancelled before the picture was finished"),
            Self::Encoding(what) => write!(f, "the picture could not be encoded as PNG: {what}"),
        }
    }
}

impl std::error::Error for RenderError {}

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

/// Draws a picture on the threads of the current rayon pool. `observe` hears the share of tiles done, from any
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
    let tiles = tiles(width, height);
    let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let drawn: Vec<Vec<[u8; 3]>> = tiles
        .par_iter()
        .with_max_len(1)
        .map(|tile| {
            if stopped.load(Ordering::Relaxed) {
                return Vec::new();
            }
            let colors = draw_tile(&stage, tile, picture.quality.samples());
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            if observe(count as f64 / tiles.len() as f64).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
            colors
        })
        .collect();
    if done.into_inner() < tiles.len() {
        return Err(RenderError::Cancelled);
    }
    let mut pixels = assemble(width, height, &tiles, &drawn)?;
    overlay::draw(&mut pixels, picture);
    Ok(Image {
        pixels,
        skipped: stage.skipped,
    })
}

/// Left, top, right and lower end of a piece of the picture, px.
#[derive(Clone, Copy)]
struct Tile {
    x: [u32; 2],
    y: [u32; 2],
}

fn tiles(width: u32, height: u32) -> Vec<Tile> {
    let span = |k: u32, size: u32| [k * TILE, ((k + 1) * TILE).min(size)];
    let rows = 0..height.div_ceil(TILE);
    rows.flat_map(|row| {
        (0..width.div_ceil(TILE)).map(move |column| Tile {
            x: span(column, width),
            y: span(row, height),
        })
    })
    .collect()
}

fn draw_tile(stage: &Stage, tile: &Tile, samples: u32) -> Vec<[u8; 3]> {
    let mut colors = Vec::with_capacity((TILE * TILE) as usize);
    for y in tile.y[0]..tile.y[1] {
        for x in tile.x[0]..tile.x[1] {
            colors.push(shade::pixel(stage, x, y, samples).to_srgb8());
        }
    }
    colors
}

fn assemble(
    width: u32,
    height: u32,
    tiles: &[Tile],
    drawn: &[Vec<[u8; 3]>],
) -> Result<Pixmap, RenderError> {
    let mut data = vec![255u8; width as usize * height as usize * 4];
    for (tile, colors) in tiles.iter().zip(drawn) {
        let across = (tile.x[1] - tile.x[0]) as usize;
        for (row, y) in (tile.y[0]..tile.y[1]).enumerate() {
            for (column, x) in (tile.x[0]..tile.x[1]).enumerate() {
                let at = 4 * (y as usize * width as usize + x as usize);
                data[at..at + 3].copy_from_slice(&colors[row * across + column]);
            }
        }
    }
    IntSize::from_wh(width, height)
        .and_then(|size| Pixmap::from_vec(data, size))
        .ok_or(RenderError::Size { width, height })
}
