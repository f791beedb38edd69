//! Geometry from files: meshes, points for hulls, heights.
//!
//! | file | holds | read by |
//! |---|---|---|
//! | `.stl`, binary or ASCII | triangles | [`read_mesh`] and all others but [`read_heights`] |
//! | `.obj` | polygons, in objects and groups | the same |
//! | `.glb`, `.gltf` | glTF 2.0: triangles, placed by nodes | the same |
//! | `.dae` | Collada: polygons, placed by nodes | the same |
//! | `.xyz`, `.csv`, `.txt` | rows of three coordinates | [`read_points`] |
//! | `.asc` | an ESRI ASCII grid of heights | [`read_heights`] |
//! | `.csv`, `.txt` | rows of heights | [`read_heights`] |
//!
//! Whatever the file holds, the answer is geometry or an error that names the file and the line or
//! face in it: never a panic. Memory stays within a small multiple of the file's size, whatever
//! sizes it declares.
//!
//! Vertices with the same bits become one (as STL needs, and OBJ files whose faces do not share
//! vertices): otherwise no mesh would be closed. Nothing is repaired: a face without area, a hole
//! in a solid or a surface inside out is an error.

mod collada;
mod error;
mod gltf;
mod heights;
mod obj;
mod points;
mod polygon;
mod soup;
mod stl;
mod words;

use std::collections::HashMap;
use std::path::Path;

use drystone::shape::TriangleMesh;
use drystone::{Aabb, Shape, ShapeError};
use glam::DVec3;

pub use collada::parse_collada;
pub use error::{MeshFault, MeshFileError};
pub use gltf::parse_gltf;
pub use heights::{HeightGrid, parse_asc, parse_height_rows, read_heights};
pub use obj::parse_obj;
pub use points::{parse_points, read_points};
pub use stl::parse_stl;

use crate::input;

/// The largest file that is read, bytes.
pub const MOST_BYTES: u64 = 1 << 30;

/// The greatest coordinate of a vertex, m. Beyond it areas and volumes overflow long before
/// anything is simulated.
pub const LARGEST_COORDINATE: f64 = 1e15;

/// Triangles that share vertices, unchecked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Vertices, m.
    pub vertices: Vec<DVec3>,
    /// Faces, each three indices into the vertices, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
}

impl MeshData {
    /// With all lengths multiplied by `factor`, such as 0.001 for a file in millimetres.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for vertex in &mut self.vertices {
            *vertex *= factor;
        }
        self
    }

    /// With all faces turned over.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for face in &mut self.faces {
            face.swap(1, 2);
        }
        self
    }

    /// Signed volume, m³: that of the solid if the mesh is closed, negative if it is inside out.
    pub fn volume(&self) -> f64 {
        // About a point of the mesh: far from the origin the terms would cancel.
        let origin = self.vertices.first().copied().unwrap_or_default();
        let six = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|k| self.vertices[k as usize] - origin);
            a.dot(b.cross(c))
        };
        self.faces.iter().map(six).sum::<f64>() / 6.0
    }

    /// Area of all faces, m².
    pub fn area(&self) -> f64 {
        let twice = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|k| self.vertices[k as usize]);
            (b - a).cross(c - a).length()
        };
        self.faces.iter().map(twice).sum::<f64>() / 2.0
    }

    /// The smallest box that contains the vertices, m.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().copied())
    }

    /// A checked mesh, open or closed.
    pub fn surface(&self) -> Result<TriangleMesh, ShapeError> {
        TriangleMesh::new(self.vertices.clone(), self.faces.clone())
    }

    /// A checked mesh that is closed and not inside out.
    pub fn solid(&self) -> Result<TriangleMesh, ShapeError> {
        let mesh = self.surface()?;
        // Mass properties check that there is a solid.
        Shape::mesh(mesh.clone()).mass_properties(1.0)?;
        Ok(mesh)
    }
}

/// What to take from a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// Factor from the file's lengths to m: neither STL nor OBJ say their unit. glTF is in m, and
    /// Collada in a unit that the file says. Greater than 0.
    pub scale: f64,
    /// The object or group of an OBJ file to take, or the node or mesh of a glTF or Collada file;
    /// everything without.
    pub object: Option<String>,
}

impl Default for Import {
    fn default() -> Self {
        Self {
            scale: 1.0,
            object: None,
        }
    }
}

/// Extensions of meshes that are read.
pub(crate) const EXTENSIONS: [&str; 5] = ["stl", "obj", "glb", "gltf", "dae"];

/// Reads a mesh as it is, in the file's lengths.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<MeshData, MeshFileError> {
    let path = path.as_ref();
    let parsed = read(path, None).map_err(|fault| fault.of(path))?;
    Ok(parsed.data)
}

/// Reads a checked mesh, open or closed, in m.
pub fn read_surface(
    path: impl AsRef<Path>,
    import: &Import,
) -> Result<TriangleMesh, MeshFileError> {
    checked(path.as_ref(), import, MeshData::surface)
}

/// Reads a checked mesh that bounds a solid, in m: closed, and its faces look outwards.
pub fn read_solid(path: impl AsRef<Path>, import: &Import) -> Result<TriangleMesh, MeshFileError> {
    checked(path.as_ref(), import, MeshData::solid)
}

fn checked(
    path: &Path,
    import: &Import,
    build: impl Fn(&MeshData) -> Result<TriangleMesh, ShapeError>,
) -> Result<TriangleMesh, MeshFileError> {
    if !(import.scale.is_finite() && import.scale > 0.0) {
        return Err(MeshFault::Scale(import.scale).of(path));
    }
    let parsed = read(path, import.object.as_deref()).map_err(|fault| fault.of(path))?;
    let Parsed { data, lines } = parsed;
    let built = build(&data.scaled(import.scale));
    built.map_err(|fault| MeshFault::of_shape(fault, &lines).of(path))
}

/// A mesh and the line of each face, where the file has lines.
pub(crate) struct Parsed {
    pub data: MeshData,
    pub lines: Vec<u32>,
}

fn read(path: &Path, object: Option<&str>) -> Result<Parsed, MeshFault> {
    let extension = extension_of(path);
    match (extension.as_str(), object) {
        ("stl", None) => stl::parse(&read_bytes(path)?),
        ("stl", Some(name)) => Err(MeshFault::NoObject {
            name: name.to_owned(),
            known: "none: STL files have no objects".to_owned(),
        }),
        ("obj", _) => obj::parse(&read_bytes(path)?, object),
        ("glb" | "gltf", _) => gltf::parse(&read_bytes(path)?, object, path.parent()),
        ("dae", _) => collada::parse(&read_bytes(path)?, object),
        _ => Err(MeshFault::UnknownFormat {
            extension,
            expected: ".stl, .obj, .glb, .gltf or .dae",
        }),
    }
}

/// The file's bytes, no more than are allowed.
fn read_bytes(path: &Path) -> Result<Vec<u8>, MeshFault> {
    Ok(input::read(path, MOST_BYTES)?)
}

/// A file's extension in lower case; empty without one.
fn extension_of(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Makes one vertex of all with the same bits.
#[derive(Default)]
struct Merge {
    vertices: Vec<DVec3>,
    known: HashMap<[u64; 3], u32>,
}

impl Merge {
    fn index(&mut self, point: DVec3) -> u32 {
        // Adding zero makes -0 and 0 the same.
        let key = (point + DVec3::ZERO).to_array().map(f64::to_bits);
        *self.known.entry(key).or_insert_with(|| {
            self.vertices.push(point);
            // A gigabyte holds fewer than 2^32 vertices.
            self.vertices.len() as u32 - 1
        })
    }
}
