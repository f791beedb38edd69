//! Points, for hulls.

use std::path::Path;

use glam::DVec3;

use super::error::{MeshFault, MeshFileError};
use super::words::{cells, lines, point, text_of};
use super::{EXTENSIONS, extension_of, obj, read_bytes};

/// Reads points, in the file's lengths: rows of three coordinates, or the vertices of a mesh.
pub fn read_points(path: impl AsRef<Path>) -> Result<Vec<DVec3>, MeshFileError> {
    let path = path.as_ref();
    read(path).map_err(|fault| fault.of(path))
}

fn read(path: &Path) -> Result<Vec<DVec3>, MeshFault> {
    let extension = extension_of(path);
    let points = match extension.as_str() {
        "obj" => obj::vertices(&read_bytes(path)?)?,
        mesh if EXTENSIONS.contains(&mesh) => super::read(path, None)?.data.vertices,
        "xyz" | "csv" | "txt" => return parse_points(&read_bytes(path)?),
        _ => {
            return Err(MeshFault::UnknownFormat {
                extension,
                expected: ".xyz, .csv, .txt, .stl, .obj, .glb, .gltf or .dae",
            });
        }
    };
    not_empty(points)
}

/// The points of a text: three coordinates a row, between commas, semicolons or blanks; `#` begins
/// a comment. The first row may be a heading.
pub fn parse_points(bytes: &[u8]) -> Result<Vec<DVec3>, MeshFault> {
    let text = text_of(bytes);
    let mut points = Vec::new();
    let rows = lines(&text).map(|(line, content)| (line, cells(content)));
    for (k, (line, row)) in rows.filter(|(_, row)| !row.is_empty()).enumerate() {
        if k == 0 && is_heading(&row) {
            continue;
        }
        let [x, y, z] = row[..] else {
            let what = format!("{} numbers, expected 3 coordinates", row.len());
            return Err(MeshFault::malformed(format!("line {line}"), what));
        };
        points.push(point(line, [x, y, z])?);
    }
    not_empty(points)
}

/// Whether a row holds no number at all.
pub(super) fn is_heading(row: &[&str]) -> bool {
    row.iter().all(|cell| cell.parse::<f64>().is_err())
}

fn not_empty(points: Vec<DVec3>) -> Result<Vec<DVec3>, MeshFault> {
    if points.is_empty() {
        return Err(MeshFault::Empty {
            what: "points",
            least: 1,
        });
    }
    Ok(points)
}
