//! Heights over a grid: rows of numbers, or an ESRI ASCII grid.

use std::path::Path;

use drystone::ShapeError;
use drystone::shape::HeightField;
use glam::DVec2;

use super::error::{MeshFault, MeshFileError, coordinate};
use super::points::is_heading;
use super::words::{cells, lines, number, text_of};
use super::{extension_of, read_bytes};

/// Heights over a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightGrid {
    /// Points along x.
    pub columns: usize,
    /// Points along y.
    pub rows: usize,
    /// Distances of neighbouring points along x and y, m.
    pub spacing: [f64; 2],
    /// The point of lowest x and y, m; the origin if the file does not say.
    pub corner: DVec2,
    /// Heights, m: row after row towards greater y, each towards greater x.
    pub heights: Vec<f64>,
}

impl HeightGrid {
    /// The middle of the grid, m: where the frame of its [`HeightGrid::field`] lies.
    pub fn center(&self) -> DVec2 {
        let steps = DVec2::new((self.columns - 1) as f64, (self.rows - 1) as f64);
        self.corner + 0.5 * steps * DVec2::from(self.spacing)
    }

    /// The shape, centred about its own z axis.
    pub fn field(&self) -> Result<HeightField, ShapeError> {
        HeightField::new(self.columns, self.rows, self.spacing, self.heights.clone())
    }
}

/// Reads heights. A file of rows needs the `spacing` of its points along x and y, m; an ESRI grid
/// has its own.
pub fn read_heights(
    path: impl AsRef<Path>,
    spacing: Option<[f64; 2]>,
) -> Result<HeightGrid, MeshFileError> {
    let path = path.as_ref();
    read(path, spacing).map_err(|fault| fault.of(path))
}

fn read(path: &Path, spacing: Option<[f64; 2]>) -> Result<HeightGrid, MeshFault> {
    let extension = extension_of(path);
    match extension.as_str() {
        "asc" => parse_asc(&read_bytes(path)?),
        "csv" | "txt" => {
            let spacing = spacing.ok_or(MeshFault::NoSpacing)?;
            parse_height_rows(&read_bytes(path)?, spacing)
        }
        _ => Err(MeshFault::UnknownFormat {
            extension,
            expected: ".asc, .csv or .txt",
        }),
    }
}

/// Heights from rows of numbers, between commas, semicolons or blanks: the first row has the lowest
/// y, as arrays are written. `#` begins a comment; the first row may be a heading.
pub fn parse_height_rows(bytes: &[u8], spacing: [f64; 2]) -> Result<HeightGrid, MeshFault> {
    let text = text_of(bytes);
    let mut heights = Vec::new();
    let (mut columns, mut rows) = (0, 0);
    let content = lines(&text).map(|(line, content)| (line, cells(content)));
    for (k, (line, row)) in content.filter(|(_, row)| !row.is_empty()).enumerate() {
        if k == 0 && is_heading(&row) {
            continue;
        }
        if rows > 0 && row.len() != columns {
            let what = format!(
                "{} heights, expected {columns} as in the rows before",
                row.len()
            );
            return Err(MeshFault::malformed(format!("line {line}"), what));
        }
        columns = row.len();
        rows += 1;
        for word in row {
            heights.push(height(line, word)?);
        }
    }
    check_size(columns, rows)?;
    check_spacing(spacing)?;
    Ok(HeightGrid {
        columns,
        rows,
        spacing,
        corner: DVec2::ZERO,
        heights,
    })
}

fn height(line: u32, word: &str) -> Result<f64, MeshFault> {
    let value = number(line, word)?;
    coordinate(value).map_err(|what| MeshFault::malformed(format!("line {line}"), what))
}

fn check_size(columns: usize, rows: usize) -> Result<(), MeshFault> {
    if columns >= 2 && rows >= 2 {
        return Ok(());
    }
    let what = format!("{columns} columns and {rows} rows, expected at least 2 of each");
    Err(MeshFault::malformed("grid", what))
}

fn check_spacing(spacing: [f64; 2]) -> Result<(), MeshFault> {
    match spacing.into_iter().find(|s| !(s.is_finite() && *s > 0.0)) {
        None => Ok(()),
        Some(bad) => {
            let what = format!("spacing {bad} m, expected a finite number > 0");
            Err(MeshFault::malformed("grid", what))
        }
    }
}

/// The heading of an ESRI grid.
#[derive(Default)]
struct Heading {
    columns: Option<usize>,
    rows: Option<usize>,
    x: Option<f64>,
    y: Option<f64>,
    /// Whether x and y are the middle of a cell, not its corner.
    x_center: bool,
    y_center: bool,
    dx: Option<f64>,
    dy: Option<f64>,
    no_data: Option<f64>,
}

impl Heading {
    /// Takes in a line `key value`; says whether it is one.
    fn take(&mut self, line: u32, key: &str, words: &[&str]) -> Result<bool, MeshFault> {
        let key = key.to_ascii_lowercase();
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Ok(false);
        }
        let &[word] = words else {
            return Err(MeshFault::unexpected(
                line,
                &words.join(" "),
                "one number after the key",
            ));
        };
        let value = number(line, word)?;
        let count = || {
            word.parse::<usize>()
                .map_err(|_| MeshFault::unexpected(line, word, "a count"))
        };
        match key.as_str() {
            "ncols" => self.columns = Some(count()?),
            "nrows" => self.rows = Some(count()?),
            "xllcorner" => self.x = Some(value),
            "yllcorner" => self.y = Some(value),
            "xllcenter" => (self.x, self.x_center) = (Some(value), true),
            "yllcenter" => (self.y, self.y_center) = (Some(value), true),
            "cellsize" => (self.dx, self.dy) = (Some(value), Some(value)),
            "dx" => self.dx = Some(value),
            "dy" => self.dy = Some(value),
            "nodata_value" => self.no_data = Some(value),
            _ => {
                return Err(MeshFault::unexpected(
                    line,
                    &key,
                    "a key of an ESRI grid such as ncols",
                ));
            }
        }
        Ok(true)
    }
}

/// Heights from an ESRI ASCII grid: a heading, then rows from the greatest y to the lowest. Heights
/// are those of the cells' middles.
pub fn parse_asc(bytes: &[u8]) -> Result<HeightGrid, MeshFault> {
    let text = text_of(bytes);
    let mut heading = Heading::default();
    let mut numbers = Vec::new();
    for (line, content) in lines(&text) {
        let mut words = content.split_whitespace();
        let key = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        if numbers.is_empty() && heading.take(line, key, &rest)? {
            continue;
        }
        for (column, word) in std::iter::once(key).chain(rest).enumerate() {
            let value = height(line, word)?;
            if heading.no_data == Some(value) {
                let what = format!("no data ({value}): fill the holes of the grid first");
                return Err(MeshFault::malformed(
                    format!("line {line}, number {}", column + 1),
                    what,
                ));
            }
            numbers.push(value);
        }
    }
    let missing =
        |key: &str| MeshFault::malformed("heading", format!("no {key}, expected a number"));
    let columns = heading.columns.ok_or_else(|| missing("ncols"))?;
    let rows = heading.rows.ok_or_else(|| missing("nrows"))?;
    let spacing = [
        heading.dx.ok_or_else(|| missing("cellsize"))?,
        heading.dy.ok_or_else(|| missing("cellsize"))?,
    ];
    check_size(columns, rows)?;
    check_spacing(spacing)?;
    if columns.checked_mul(rows) != Some(numbers.len()) {
        let found = numbers.len();
        let what = format!("{found} heights, expected {columns} columns times {rows} rows");
        return Err(MeshFault::malformed("grid", what));
    }
    let first = |value: Option<f64>, center: bool, step: f64| {
        value.map_or(0.0, |v| if center { v } else { v + 0.5 * step })
    };
    let corner = DVec2::new(
        first(heading.x, heading.x_center, spacing[0]),
        first(heading.y, heading.y_center, spacing[1]),
    );
    let heights = numbers.chunks_exact(columns).rev().flatten().copied();
    Ok(HeightGrid {
        columns,
        rows,
        spacing,
        corner,
        heights: heights.collect(),
    })
}
