//! Pictures and plots of runs, drawn without a graphics card.
//!
//! | module | holds |
//! |---|---|
//! | [`picture`] | a frame of a recording as a PNG file |
//! | [`render`] | the ray tracer below it: solids, a camera, light |
//! | [`plot`] | figures with axes and curves, as SVG and PNG |
//! | [`run_figure`](mod@run_figure) | the curves of a run over time |
//! | [`files`] | figures written to the disk |

pub mod files;
pub mod picture;
pub mod plot;
pub mod render;
pub mod run_figure;

pub use picture::{PictureError, PictureSettings, draw};
pub use run_figure::run_figure;
