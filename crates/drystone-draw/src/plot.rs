//! Figures with axes and curves, in print quality.
//!
//! A [`Figure`] is laid out once into a [`Drawing`] of lines, marks and text. That is then written
//! as SVG ([`to_svg`]) or drawn as PNG ([`to_png`]). The same picture comes out on every machine,
//! because text is measured and drawn with a font that is part of the program.
//!
//! Written here because the plotting crates at hand lose the dashes of densely sampled curves in
//! PNG, fix their colours (so no dark page), or double the build time.

mod axis;
mod chart;
mod clip;
mod color_role;
mod drawing;
pub(crate) mod font;
mod look;
mod panel;
mod panel_frame;
pub(crate) mod raster;
mod svg;
#[cfg(test)]
mod tests;

pub use axis::AxisScale;
pub use chart::{Curve, Figure, LegendEntry, Panel, Reference};
pub use color_role::ColorRole;
pub use drawing::{Anchor, Drawing, Item, Line, Mark, Text};
pub use look::{CurveLook, Marks};
pub use raster::{PlotError, to_png};
pub use svg::{SvgColors, escape, legend_swatch, to_svg};
