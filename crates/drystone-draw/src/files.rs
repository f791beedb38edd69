//! Figures written to the disk.

use std::io;
use std::path::{Path, PathBuf};

use drystone_run::atomic::write_atomically;

use crate::plot::{Figure, SvgColors, to_png, to_svg};

/// A figure that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: could not be written: {source}", file.display())]
pub struct FigureError {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Writes a figure as SVG and as PNG, each whole or not at all. `stem` is the path without
/// extension.
pub fn write_figure(stem: &Path, figure: &Figure) -> Result<(), FigureError> {
    let drawing = figure.drawing();
    let file = |extension: &str| {
        let mut path = stem.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let svg = to_svg(&drawing, SvgColors::Fixed);
    write(file(".svg"), svg.as_bytes())?;
    let png = to_png(&drawing).map_err(|error| FigureError {
        file: file(".png"),
        source: io::Error::other(error),
    })?;
    write(file(".png"), &png)
}

fn write(file: PathBuf, bytes: &[u8]) -> Result<(), FigureError> {
    write_atomically(&file, bytes).map_err(|source| FigureError { file, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{AxisScale, Panel};

    #[test]
    fn a_figure_becomes_two_files_and_an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let figure = Figure::of_panel(Panel::new("x", "y", [AxisScale::Linear; 2]));
        // The dot belongs to the name.
        let stem = folder.path().join("law_0.5");
        write_figure(&stem, &figure).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert!(read("law_0.5.svg").starts_with(b"<svg "));
        assert!(read("law_0.5.png").starts_with(b"\x89PNG"));
        let nowhere = folder.path().join("no/folder");
        let message = write_figure(&nowhere, &figure).unwrap_err().to_string();
        assert!(
            message.contains("no/folder.svg: could not be written"),
            "{message}"
        );
    }
}
