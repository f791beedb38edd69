//! glTF 2.0, binary (`.glb`) or as text (`.gltf`): the triangles of a file's default scene.
//!
//! Read are nodes, meshes and the buffers behind them: in the file, in `data:` addresses, or in
//! files beside it. Materials, pictures, bones and motions are passed over. Compressed and sparse
//! data are refused by name.
//!
//! glTF is in m and calls y up. Here z is up: what stands in the file stands here, `(x, −z, y)`.

mod buffers;

use std::path::Path;

use glam::{DMat4, DQuat, DVec3};
use serde::Deserialize;

use self::buffers::{Accessor, Buffer, BufferView, Buffers, Element};
use super::error::MeshFault;
use super::soup::{Placed, Soup, of_fan, of_strip};
use super::{MeshData, Parsed};

/// Extensions that a file may insist on and that leave its triangles as they are.
const HARMLESS: [&str; 5] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "EXT_texture_",
    "KHR_xmp",
];

/// y up to z up.
const UPRIGHT: [f64; 16] = [
    1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
];

/// The triangles of a glTF file's bytes, binary or text, whose buffers are all inside it; of the
/// node or mesh of a name, or of all.
pub fn parse_gltf(bytes: &[u8], object: Option<&str>) -> Result<MeshData, MeshFault> {
    Ok(parse(bytes, object, None)?.data)
}

/// The same; buffers may be files in `folder` and below.
pub(super) fn parse(
    bytes: &[u8],
    object: Option<&str>,
    folder: Option<&Path>,
) -> Result<Parsed, MeshFault> {
    let (json, binary) = chunks(bytes)?;
    let document: Document = serde_json::from_slice(json)
        .map_err(|error| MeshFault::malformed("its JSON", error.to_string()))?;
    document.check()?;
    let buffers = Buffers::load(&document.buffers, binary, folder)?;
    let mut soup = Soup::default();
    let reader = Reader {
        document: &document,
        buffers: &buffers,
        object,
    };
    reader.read(&mut soup)?;
    soup.finish(object)
}

/// The JSON text, and the binary buffer of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshFault> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let what = format!("version {version} of binary glTF, expected 2");
        return Err(MeshFault::malformed("byte 4", what));
    }
    let (kind, json, next) = chunk(bytes, 12)?;
    if kind != *b"JSON" {
        let what = format!("a chunk {}, expected JSON first", kind.escape_ascii());
        return Err(MeshFault::malformed("byte 16", what));
    }
    let binary = match next < bytes.len() {
        true => Some(chunk(bytes, next)?).filter(|(kind, _, _)| kind == b"BIN\0"),
        false => None,
    };
    Ok((json, binary.map(|(_, binary, _)| binary)))
}

/// The kind and content of the chunk at a byte, and where the next begins.
fn chunk(bytes: &[u8], at: usize) -> Result<([u8; 4], &[u8], usize), MeshFault> {
    let length = word(bytes, at)? as usize;
    let kind = word(bytes, at + 4)?.to_le_bytes();
    let start = at + 8;
    match bytes[start..].get(..length) {
        Some(content) => Ok((kind, content, start + length)),
        None => Err(MeshFault::Truncated {
            place: format!("after {} bytes", bytes.len()),
            what: format!("expected a chunk of {length} from byte {start}"),
        }),
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u32, MeshFault> {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map(u32::from_le_bytes)
        .ok_or_else(|| MeshFault::Truncated {
            place: format!("after {} bytes", bytes.len()),
            what: format!("expected a number at byte {at}"),
        })
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Document {
    asset: Asset,
    scene: Option<usize>,
    scenes: Vec<SceneRoots>,
    nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<BufferView>,
    buffers: Vec<Buffer>,
    extensions_required: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asset {
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SceneRoots {
    nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Node {
    name: Option<String>,
    children: Vec<usize>,
    mesh: Option<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

impl Node {
    fn matrix(&self) -> DMat4 {
        match self.matrix {
            Some(columns) => DMat4::from_cols_array(&columns),
            None => DMat4::from_scale_rotation_translation(
                DVec3::from(self.scale.unwrap_or([1.0; 3])),
                DQuat::from_array(self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0])).normalize(),
                DVec3::from(self.translation.unwrap_or_default()),
            ),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Mesh {
    name: Option<String>,
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    #[serde(default)]
    attributes: Attributes,
    indices: Option<usize>,
    #[serde(default = "triangles")]
    mode: u32,
}

#[derive(Default, Deserialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    position: Option<usize>,
}

fn triangles() -> u32 {
    4
}

impl Document {
    fn check(&self) -> Result<(), MeshFault> {
        let version = &self.asset.version;
        if !version.starts_with("2.") {
            let what = format!("version {version:?}, expected 2.0");
            return Err(MeshFault::malformed("asset", what));
        }
        let harmful = |name: &&String| !HARMLESS.iter().any(|start| name.starts_with(start));
        match self.extensions_required.iter().find(harmful) {
            None => Ok(()),
            Some(name) => Err(MeshFault::malformed(
                "extensionsRequired",
                format!("{name:?} is not read: export the mesh without it, uncompressed"),
            )),
        }
    }
}

/// An entry of one of the document's lists.
fn entry<'d, T>(
    list: &'d [T],
    index: usize,
    what: &str,
    place: impl Fn() -> String,
) -> Result<&'d T, MeshFault> {
    list.get(index).ok_or_else(|| {
        let what = format!("{what} {index}, expected one of {}", list.len());
        MeshFault::malformed(place(), what)
    })
}

struct Reader<'d> {
    document: &'d Document,
    buffers: &'d Buffers<'d>,
    object: Option<&'d str>,
}

impl Reader<'_> {
    fn read(&self, soup: &mut Soup) -> Result<(), MeshFault> {
        let Document {
            scene,
            scenes,
            nodes,
            meshes,
            ..
        } = self.document;
        let upright = DMat4::from_cols_array(&UPRIGHT);
        if nodes.is_empty() {
            // Nothing is placed: a library of meshes.
            let placed = Placed::new(upright);
            return (0..meshes.len()).try_for_each(|mesh| self.mesh(mesh, false, &placed, soup));
        }
        let roots = match (scene, scenes.is_empty()) {
            (None, true) => self.parentless(),
            (index, _) => {
                let place = || "scene".to_owned();
                let index = index.unwrap_or_default();
                entry(scenes, index, "scene", place)?.nodes.clone()
            }
        };
        let mut met = vec![false; nodes.len()];
        let mut open: Vec<(usize, DMat4, bool)> =
            roots.iter().rev().map(|k| (*k, upright, false)).collect();
        while let Some((index, above, inside)) = open.pop() {
            let place = || format!("node {index}");
            let node = entry(nodes, index, "node", place)?;
            if std::mem::replace(&mut met[index], true) {
                let what = "it has two parents, or is below itself, expected a tree";
                return Err(MeshFault::malformed(place(), what));
            }
            soup.step(place)?;
            let matrix = above * node.matrix();
            let inside = soup.name(node.name.as_deref(), self.object) || inside;
            if let Some(mesh) = node.mesh {
                self.mesh(mesh, inside, &Placed::new(matrix), soup)?;
            }
            open.extend(node.children.iter().rev().map(|k| (*k, matrix, inside)));
        }
        Ok(())
    }

    /// Nodes that are no other node's child.
    fn parentless(&self) -> Vec<usize> {
        let nodes = &self.document.nodes;
        let mut is_root = vec![true; nodes.len()];
        for child in nodes.iter().flat_map(|node| &node.children) {
            if let Some(root) = is_root.get_mut(*child) {
                *root = false;
            }
        }
        (0..nodes.len()).filter(|k| is_root[*k]).collect()
    }

    /// Adds the triangles of a mesh, if it or what it is in is wanted.
    fn mesh(
        &self,
        index: usize,
        inside: bool,
        placed: &Placed,
        soup: &mut Soup,
    ) -> Result<(), MeshFault> {
        let place = || format!("mesh {index}");
        let mesh = entry(&self.document.meshes, index, "mesh", place)?;
        let named = soup.name(mesh.name.as_deref(), self.object);
        if !(self.object.is_none() || inside || named) {
            return Ok(());
        }
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let place = || format!("mesh {index}, primitive {k}");
            soup.step(place)?;
            self.primitive(primitive, placed, soup, place)?;
        }
        Ok(())
    }

    fn primitive(
        &self,
        primitive: &Primitive,
        placed: &Placed,
        soup: &mut Soup,
        place: impl Fn() -> String,
    ) -> Result<(), MeshFault> {
        let Some(positions) = primitive.attributes.position else {
            return Ok(()); // nothing to see
        };
        let positions = self.element(positions, Element::Position, &place)?;
        let indices = match primitive.indices {
            None => None,
            Some(index) => Some(self.element(index, Element::Index, &place)?),
        };
        let count = indices.as_ref().map_or(positions.count, |list| list.count);
        type Corners = fn(usize) -> [usize; 3];
        let (faces, corners): (usize, Corners) = match primitive.mode {
            0..=3 => return Ok(()), // points and lines
            4 if count % 3 != 0 => {
                let what = format!("{count} corners of triangles, expected a multiple of 3");
                return Err(MeshFault::malformed(place(), what));
            }
            4 => (count / 3, |k| [3 * k, 3 * k + 1, 3 * k + 2]),
            5 => (count.saturating_sub(2), of_strip),
            6 => (count.saturating_sub(2), of_fan),
            mode => {
                let what = format!("mode {mode}, expected 0 to 6");
                return Err(MeshFault::malformed(place(), what));
            }
        };
        for face in 0..faces {
            let at = || format!("{}, face {face}", place());
            let mut points = [DVec3::ZERO; 3];
            for (point, corner) in points.iter_mut().zip(corners(face)) {
                let vertex = match &indices {
                    None => corner,
                    Some(list) => list.index(corner),
                };
                if vertex >= positions.count {
                    let what = format!("vertex {vertex}, expected one of {}", positions.count);
                    return Err(MeshFault::malformed(at(), what));
                }
                *point = positions.position(vertex);
            }
            soup.push(points, placed, at)?;
        }
        Ok(())
    }

    fn element(
        &self,
        index: usize,
        element: Element,
        place: &impl Fn() -> String,
    ) -> Result<buffers::List<'_>, MeshFault> {
        let accessor = entry(&self.document.accessors, index, "accessor", place)?;
        let place = || format!("{}: accessor {index}", place());
        let views = &self.document.buffer_views;
        self.buffers.list(accessor, views, element, place)
    }
}
