//! Figures in print quality, small enough to read: a chart is laid out once into a [`scene::Scene`] of lines,
//! marks and text, which is then written as SVG or drawn as PNG. The same picture comes out on every machine, because text is
//! measured and drawn with a font that is part of the program.
//!
//! Written here because the plotting crates at hand lose the dashes of densely sampled curves in PNG, fix their
//! colours (so no dark page), or double the build time.

pub mod axis;
pub mod chart;
pub mod clip;
pub mod font;
mod frame;
pub mod look;
mod panel;
pub mod raster;
pub mod scene;
pub mod svg;
#[cfg(test)]
mod tests;

pub use axis::Scale;
pub use chart::{Curve, Figure, LegendEntry, Panel, Reference};
pub use look::{Look, Marks};
pub use raster::to_png;
pub use scene::{Ink, Mark};
pub use svg::{Colours, legend_swatch, to_svg};
