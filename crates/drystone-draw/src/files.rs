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

/// As [`write_figure`], and where panels stand side by side also `STEM-column` with one below the
/// other: as wide as a paper's column its letters are still large enough to read.
pub fn write_figure_for_papers(stem: &Path, figure: &Figure) -> Result<(), FigureError> {
    write_figure(stem, figure)?;
    if figure.columns.min(figure.panels.len()) < 2 {
        return Ok(());
    }
    let mut column = stem.as_os_str().to_owned();
    column.push("-column");
    let narrow = Figure {
        columns: 1,
        ..figure.clone()
    };
    write_figure(Path::new(&column), &narrow)
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
        // One panel is as narrow as a column already.
        write_figure_for_papers(&stem, &figure).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let wide = Figure {
            columns: 2,
            panels: [&figure.panels[..], &figure.panels[..]].concat(),
            ..figure.clone()
        };
        write_figure_for_papers(&stem, &wide).unwrap();
        let width = |name: &str| read(name)[16..20].to_vec();
        assert!(width("law_0.5-column.png") < width("law_0.5.png"));
        assert!(read("law_0.5-column.svg").starts_with(b"<svg "));
        let nowhere = folder.path().join("no/folder");
        let message = write_figure(&nowhere, &figure).unwrap_err().to_string();
        assert!(
            message.contains("no/folder.svg: could not be written"),
            "{message}"
        );
    }
}
