//! Pictures.

use drystone_draw::render::Quality;
use drystone_draw::{PictureSettings, draw};
use drystone_run::recording::{Frame, RunHeader};
use drystone_scene::view::{CameraView, ColorBy, Cut, ViewSettings};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Simulation;
use crate::error::value_error;
use crate::pool::quietly;

/// What Python may say of a picture, in the words of the command line.
#[derive(FromPyObject)]
pub struct Look {
    #[pyo3(item)]
    size: [u32; 2],
    #[pyo3(item)]
    camera: Option<String>,
    #[pyo3(item)]
    color_by: Option<String>,
    #[pyo3(item)]
    cuts: Option<Vec<String>>,
    #[pyo3(item)]
    quality: String,
    #[pyo3(item)]
    color_range: [Option<f64>; 2],
    #[pyo3(item)]
    color_log: bool,
}

impl Look {
    /// With what the scene says where Python says nothing.
    pub fn settings(&self, view: Option<&ViewSettings>) -> PyResult<PictureSettings> {
        let mut settings = view.map_or_else(PictureSettings::default, PictureSettings::from);
        settings.size = self.size;
        if let Some(words) = &self.camera {
            settings.camera = words.parse::<CameraView>().map_err(value_error)?;
        }
        if let Some(word) = &self.color_by {
            settings.color_by = Some(word.parse::<ColorBy>().map_err(value_error)?);
        }
        if let Some(cuts) = &self.cuts {
            let cuts = cuts.iter().map(|c| c.parse::<Cut>().map_err(value_error));
            settings.cuts = cuts.collect::<PyResult<_>>()?;
        }
        settings.quality = match self.quality.as_str() {
            "sketch" => Quality::Sketch,
            "draft" => Quality::Draft,
            "normal" => Quality::Normal,
            "fine" => Quality::Fine,
            other => {
                return Err(value_error(format!(
                    "quality: {other:?} is not sketch, draft, normal or fine"
                )));
            }
        };
        settings.color_range = self.color_range;
        settings.color_log = self.color_log;
        Ok(settings)
    }
}

/// A frame as a PNG file.
pub fn picture<'py>(
    py: Python<'py>,
    header: &RunHeader,
    frame: &Frame,
    settings: &PictureSettings,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawn = quietly(py, |cancel| draw(header, frame, settings, cancel))?;
    Ok(PyBytes::new(py, &drawn.map_err(value_error)?))
}

#[pymethods]
impl Simulation {
    /// A picture as the bytes of a PNG file.
    fn picture<'py>(&self, py: Python<'py>, look: Look) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let simulation = inner.simulation()?;
        let settings = look.settings(Some(simulation.view()))?;
        let header = RunHeader::of_simulation(inner.scene.title(), simulation);
        let frame = Frame::of_world(simulation.world(), true);
        drop(inner);
        picture(py, &header, &frame, &settings)
    }
}
