//! OBJ: vertices and polygons over them, in objects and groups. Textures, normals and materials are
//! passed over.

use std::collections::BTreeSet;

use glam::DVec3;

use super::error::MeshFault;
use super::polygon::triangulate;
use super::soup::no_object;
use super::words::{lines, number, point, text_of};
use super::{Merge, MeshData, Parsed};

/// Keys that say nothing about the surface. Any other is an error: a misspelt `f` would be a hole.
const PASSED_OVER: [&str; 15] = [
    "vt", "vn", "vp", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "l", "p", "bevel",
    "c_interp", "d_interp", "lod",
];

/// The mesh of an OBJ file's bytes: polygons cut into triangles, vertices merged, of one object or
/// group or of all.
pub fn parse_obj(bytes: &[u8], object: Option<&str>) -> Result<MeshData, MeshFault> {
    Ok(parse(bytes, object)?.data)
}

pub(super) fn parse(bytes: &[u8], object: Option<&str>) -> Result<Parsed, MeshFault> {
    let text = text_of(bytes);
    let content = Content::read(&text, object)?;
    if let Some(name) = object
        && !content.names.contains(name)
    {
        return Err(no_object(name, &content.names));
    }
    if content.polygons.is_empty() {
        return Err(MeshFault::Empty {
            what: "faces",
            least: 1,
        });
    }
    let mut merge = Merge::default();
    let (mut faces, mut face_lines) = (Vec::new(), Vec::new());
    for (line, corners) in &content.polygons {
        let corners: Vec<DVec3> = corners.iter().map(|&k| content.vertices[k]).collect();
        let triangles = triangulate(&corners)
            .map_err(|what| MeshFault::malformed(format!("line {line}"), what))?;
        for triangle in triangles {
            faces.push(triangle.map(|k| merge.index(corners[k])));
            face_lines.push(*line);
        }
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

/// All vertices of an OBJ file, whether faces use them or not.
pub(super) fn vertices(bytes: &[u8]) -> Result<Vec<DVec3>, MeshFault> {
    Ok(Content::read(&text_of(bytes), None)?.vertices)
}

#[derive(Default)]
struct Content {
    vertices: Vec<DVec3>,
    /// Lines and corners of the polygons wanted.
    polygons: Vec<(u32, Vec<usize>)>,
    /// Objects and groups.
    names: BTreeSet<String>,
}

impl Content {
    fn read(text: &str, object: Option<&str>) -> Result<Self, MeshFault> {
        let mut content = Self::default();
        // Whether the object and the groups that hold are the wanted one.
        let (mut in_object, mut in_group) = (false, false);
        let mut joined = String::new();
        for (line, part) in lines(text) {
            let part = part.split('#').next().unwrap_or_default().trim_end();
            // A backslash continues on the next line.
            if let Some(part) = part.strip_suffix('\\') {
                joined.push_str(part);
                joined.push(' ');
                continue;
            }
            joined.push_str(part);
            let statement = std::mem::take(&mut joined);
            let mut words = statement.split_whitespace();
            match words.next() {
                None => {}
                Some("v") => {
                    let words: Vec<&str> = words.collect();
                    content.vertices.push(vertex(line, &words)?);
                }
                Some("f") => {
                    let corners = words.map(|word| corner(line, word, content.vertices.len()));
                    let corners = corners.collect::<Result<Vec<_>, _>>()?;
                    if corners.len() < 3 {
                        let what =
                            format!("a face of {} corners, expected at least 3", corners.len());
                        return Err(MeshFault::malformed(format!("line {line}"), what));
                    }
                    if object.is_none() || in_object || in_group {
                        content.polygons.push((line, corners));
                    }
                }
                Some("o") => {
                    // A name may hold blanks.
                    let name = statement.trim_start()[1..].trim();
                    content.names.insert(name.to_owned());
                    in_object = object == Some(name);
                }
                Some("g") => {
                    let groups: Vec<&str> = words.collect();
                    content
                        .names
                        .extend(groups.iter().map(|&name| name.to_owned()));
                    in_group = object.is_some_and(|name| groups.contains(&name));
                }
                Some(key) if PASSED_OVER.contains(&key) => {}
                Some(key) => {
                    return Err(MeshFault::unexpected(
                        line,
                        key,
                        "v, f, o, g or another key of OBJ meshes",
                    ));
                }
            }
        }
        Ok(content)
    }
}

/// Three coordinates; then nothing, a weight, a colour, or both.
fn vertex(line: u32, words: &[&str]) -> Result<DVec3, MeshFault> {
    let &[x, y, z, ref rest @ ..] = words else {
        return Err(MeshFault::unexpected(
            line,
            &words.join(" "),
            "3 coordinates after v",
        ));
    };
    match *rest {
        [] | [_, _, _] | [_, _, _, _] => {}
        [weight] if number(line, weight)? == 1.0 => {}
        _ => {
            let what = "nothing, the weight 1 or a colour after the coordinates";
            return Err(MeshFault::unexpected(line, &rest.join(" "), what));
        }
    }
    point(line, [x, y, z])
}

/// A corner `v`, `v/vt`, `v//vn` or `v/vt/vn`: its vertex, from 0. Numbers below 0 count back from
/// the last vertex so far.
fn corner(line: u32, word: &str, count: usize) -> Result<usize, MeshFault> {
    let number = word.split('/').next().unwrap_or_default();
    let index = match number.parse::<i64>() {
        Ok(index @ 1..) => usize::try_from(index - 1).ok(),
        Ok(0) | Err(_) => {
            return Err(MeshFault::unexpected(
                line,
                word,
                "a vertex number from 1 or back from -1",
            ));
        }
        Ok(back) => usize::try_from(back.unsigned_abs())
            .ok()
            .and_then(|back| count.checked_sub(back)),
    };
    index.filter(|&index| index < count).ok_or_else(|| {
        MeshFault::unexpected(line, word, &format!("one of the {count} vertices so far"))
    })
}
