//! STL: triangles one by one, binary or as text.
//!
//! Binary: 80 bytes of anything, the number of triangles, then 50 bytes each: normal, three
//! corners, two bytes. The normals are not used: writers leave them zero or wrong, and the order of
//! the corners says the same.

use glam::DVec3;

use super::error::{MeshFault, coordinate};
use super::words::{lines, number, point, text_of};
use super::{Merge, MeshData, Parsed};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// The triangles of an STL file's bytes, with vertices merged.
pub fn parse_stl(bytes: &[u8]) -> Result<MeshData, MeshFault> {
    Ok(parse(bytes)?.data)
}

pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, MeshFault> {
    let parsed = if is_ascii(bytes) {
        parse_ascii(&text_of(bytes))?
    } else {
        parse_binary(bytes)?
    };
    if parsed.data.faces.is_empty() {
        return Err(MeshFault::Empty {
            what: "triangles",
            least: 1,
        });
    }
    Ok(parsed)
}

/// Binary files may begin with "solid" too: their size tells.
fn is_ascii(bytes: &[u8]) -> bool {
    let word = bytes.trim_ascii_start().get(..5).unwrap_or_default();
    let beginning = &bytes[..bytes.len().min(1024)];
    word.eq_ignore_ascii_case(b"solid")
        && declared(bytes).is_none_or(|count| length_of(count) != bytes.len() as u64)
        && !beginning.contains(&0)
}

/// The number of triangles that a binary file declares.
fn declared(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// The size of a binary file.
fn length_of(count: u32) -> u64 {
    HEADER as u64 + RECORD as u64 * u64::from(count)
}

fn parse_binary(bytes: &[u8]) -> Result<Parsed, MeshFault> {
    let found = bytes.len() as u64;
    let Some(count) = declared(bytes) else {
        return Err(MeshFault::Truncated {
            place: format!("after {found} bytes"),
            what: "expected \"solid\", or a binary STL file of at least 84".to_owned(),
        });
    };
    let expected = length_of(count);
    if found < expected {
        let whole = (found - HEADER as u64) / RECORD as u64;
        return Err(MeshFault::Truncated {
            place: format!("after face {whole} of {count}"),
            what: format!("{found} bytes, expected {expected} in a binary STL file"),
        });
    }
    if found > expected {
        return Err(MeshFault::malformed(
            format!("byte {expected}"),
            format!(
                "{} bytes follow the last of {count} faces, expected none",
                found - expected
            ),
        ));
    }
    let mut merge = Merge::default();
    let mut faces = Vec::with_capacity(count as usize);
    for (face, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
        let corner = |k: usize| {
            let value = |axis: usize| {
                let at = 12 * (k + 1) + 4 * axis;
                let bits = [record[at], record[at + 1], record[at + 2], record[at + 3]];
                coordinate(f64::from(f32::from_le_bytes(bits)))
                    .map_err(|what| MeshFault::malformed(format!("face {face}, corner {k}"), what))
            };
            Ok::<_, MeshFault>(DVec3::new(value(0)?, value(1)?, value(2)?))
        };
        let corners = [corner(0)?, corner(1)?, corner(2)?];
        faces.push(corners.map(|p| merge.index(p)));
    }
    let data = MeshData {
        vertices: merge.vertices,
        faces,
    };
    Ok(Parsed {
        data,
        lines: Vec::new(),
    })
}

/// What a line of a text file says, in the order in which they come.
const FACET: [&str; 7] = [
    "facet", "outer", "vertex", "vertex", "vertex", "endloop", "endfacet",
];

fn parse_ascii(text: &str) -> Result<Parsed, MeshFault> {
    let mut merge = Merge::default();
    let (mut faces, mut face_lines) = (Vec::new(), Vec::new());
    let mut corners = [0; 3];
    let mut inside = false;
    // Which line of a facet comes next.
    let mut next = 0;
    let mut last = 0;
    for (line, content) in lines(text) {
        last = line;
        let mut words = content.split_whitespace();
        let key = words.next().unwrap_or_default().to_ascii_lowercase();
        let rest: Vec<&str> = words.collect();
        match (inside, next, key.as_str()) {
            // A file may hold several solids; whatever follows is the name.
            (false, _, "solid") => inside = true,
            (true, 0, "endsolid") => inside = false,
            (true, _, key) if key == FACET[next] => {
                check_rest(line, next, &rest)?;
                if let Some(corner @ 0..3) = next.checked_sub(2) {
                    corners[corner] = merge.index(point(line, [rest[0], rest[1], rest[2]])?);
                }
                if next == 0 {
                    face_lines.push(line);
                }
                next = (next + 1) % FACET.len();
                if next == 0 {
                    faces.push(corners);
                }
            }
            (true, 0, _) => return Err(MeshFault::unexpected(line, content, "facet or endsolid")),
            (true, _, _) => return Err(MeshFault::unexpected(line, content, FACET[next])),
            (false, _, _) => return Err(MeshFault::unexpected(line, content, "solid")),
        }
    }
    if inside {
        let what = if next == 0 {
            "facet or endsolid"
        } else {
            FACET[next]
        };
        return Err(MeshFault::Truncated {
            place: format!("after line {last}, face {}", faces.len()),
            what: format!("expected {what}"),
        });
    }
    let data = MeshData {
        vertices: merge.vertices,
        faces,
    };
    Ok(Parsed {
        data,
        lines: face_lines,
    })
}

/// Checks what follows the key of a facet's line.
fn check_rest(line: u32, which: usize, rest: &[&str]) -> Result<(), MeshFault> {
    let said = || rest.join(" ");
    match which {
        // Some writers put "nan" where a normal has no direction; it is not used.
        0 if rest.len() == 4 && rest[0].eq_ignore_ascii_case("normal") => rest[1..]
            .iter()
            .filter(|word| word.parse::<f64>().is_err())
            .try_for_each(|word| number(line, word).map(|_| ())),
        0 => Err(MeshFault::unexpected(
            line,
            &said(),
            "normal and 3 numbers after facet",
        )),
        1 if rest.len() == 1 && rest[0].eq_ignore_ascii_case("loop") => Ok(()),
        1 => Err(MeshFault::unexpected(line, &said(), "loop after outer")),
        2..=4 if rest.len() == 3 => Ok(()),
        2..=4 => Err(MeshFault::unexpected(
            line,
            &said(),
            "3 coordinates after vertex",
        )),
        _ if rest.is_empty() => Ok(()),
        _ => Err(MeshFault::unexpected(
            line,
            &said(),
            "nothing more on this line",
        )),
    }
}
