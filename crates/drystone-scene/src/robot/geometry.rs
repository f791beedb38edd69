//! What a link touches others with: simple shapes, and meshes from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drystone::shape::Decomposition;
use drystone::{Pose, Shape, ShapeError};
use glam::DVec3;

use super::error::Fault;
use super::xml::Element;
use crate::mesh_file::{EXTENSIONS, LARGEST_COORDINATE, MeshData, read_mesh};
use crate::quote::quoted;

/// A piece of a link's geometry, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box, a cylinder along z or a ball, around the origin.
    Simple(Shape),
    /// A mesh with its scale applied.
    Mesh(Arc<MeshData>),
}

/// The geometry of a `collision` or `visual`.
pub(super) fn read(parent: &Element<'_>, files: &Files<'_>) -> Result<Geometry, Fault> {
    let expected = "<box>, <cylinder>, <sphere> or <mesh>";
    let geometry = parent.need_child("geometry", expected)?;
    let mut children = geometry.children();
    let (Some(element), None) = (children.next(), children.next()) else {
        return Err(geometry.fault(format!("<geometry> holds not one of {expected}")));
    };
    let shape = match element.tag() {
        "box" => {
            element.need_text("size")?;
            Shape::box_of(0.5 * element.vector("size")?.unwrap_or_default())
        }
        "cylinder" => {
            let length = element.need_number("length")?;
            Shape::cylinder(element.need_number("radius")?, 0.5 * length)
        }
        "sphere" => Shape::sphere(element.need_number("radius")?),
        "mesh" => return mesh(&element, files),
        other => {
            return Err(element.fault(format!(
                "found <{other}> in <geometry>, expected {expected}"
            )));
        }
    };
    let shape = shape.map_err(|error| element.fault(error.to_string()))?;
    if shape.radius_about_origin() > LARGEST_COORDINATE {
        let tag = element.tag();
        return Err(element.fault(format!("<{tag}> is larger than {LARGEST_COORDINATE:e} m")));
    }
    Ok(Geometry::Simple(shape))
}

/// Whether it is a mesh that cannot be read for its format.
pub(super) fn is_unreadable_mesh(parent: &Element<'_>) -> Result<bool, Fault> {
    let extension = mesh_extension(parent)?;
    Ok(extension.is_some_and(|extension| !EXTENSIONS.contains(&extension.as_str())))
}

/// Whether it is a mesh in a format for pictures, with more in it than triangles.
pub(super) fn is_picture(parent: &Element<'_>) -> Result<bool, Fault> {
    let extension = mesh_extension(parent)?;
    Ok(extension.is_some_and(|extension| ["dae", "glb", "gltf"].contains(&extension.as_str())))
}

/// The extension of a mesh's file, in lower case; none for other geometry.
fn mesh_extension(parent: &Element<'_>) -> Result<Option<String>, Fault> {
    let Some(geometry) = parent.child("geometry")? else {
        return Ok(None);
    };
    let Some(mesh) = geometry.child("mesh")? else {
        return Ok(None);
    };
    let extension = Path::new(mesh.need_text("filename")?).extension();
    let extension = extension.unwrap_or_default().to_string_lossy();
    Ok(Some(extension.to_lowercase()))
}

fn mesh(element: &Element<'_>, files: &Files<'_>) -> Result<Geometry, Fault> {
    let written = element.need_text("filename")?;
    let scale = element.vector("scale")?.unwrap_or(DVec3::ONE);
    if scale.to_array().contains(&0.0) {
        return Err(element.fault(format!("<mesh> scale {scale} has a 0")));
    }
    let path = files.find(written).map_err(|words| element.fault(words))?;
    let mut data = read_mesh(path).map_err(|error| element.fault(error.to_string()))?;
    for vertex in &mut data.vertices {
        *vertex *= scale;
        if vertex.abs().max_element() > LARGEST_COORDINATE {
            let words = format!("mesh {written} has a vertex beyond {LARGEST_COORDINATE:e} m");
            return Err(element.fault(words));
        }
    }
    // A mirror turns surfaces inside out.
    if scale.x * scale.y * scale.z < 0.0 {
        data = data.flipped();
    }
    Ok(Geometry::Mesh(Arc::new(data)))
}

/// The shape of all pieces in one frame, and whether a mesh had to become its convex hull: only
/// convex pieces move as one. Meshes that are to be decomposed become several.
pub(super) fn shape(
    parts: &[(Pose, Geometry)],
    decompose: bool,
) -> Result<(Shape, bool), ShapeError> {
    let in_place = |data: &MeshData, pose: &Pose| MeshData {
        vertices: data.vertices.iter().map(|v| pose.point(*v)).collect(),
        faces: data.faces.clone(),
    };
    match parts {
        [(pose, Geometry::Simple(shape))] if *pose == Pose::IDENTITY => {
            return Ok((shape.clone(), false));
        }
        [(pose, Geometry::Mesh(data))] if !decompose => {
            return Ok((Shape::mesh(in_place(data, pose).surface()?), false));
        }
        _ => {}
    }
    let mut hulls = false;
    let mut pieces = Vec::with_capacity(parts.len());
    for (pose, part) in parts {
        match part {
            Geometry::Simple(shape) => pieces.push((*pose, shape.clone())),
            Geometry::Mesh(data) if decompose => {
                let mesh = in_place(data, pose).solid()?;
                let shape = Shape::decomposed(&mesh, &Decomposition::default())?;
                pieces.extend(shape.parts().map(|(pose, part)| (pose, part.clone())));
            }
            Geometry::Mesh(data) => {
                hulls = true;
                let hull = Shape::hull(&in_place(data, pose).vertices)?;
                pieces.push((Pose::IDENTITY, hull));
            }
        }
    }
    match &pieces[..] {
        [(pose, piece)] if *pose == Pose::IDENTITY => Ok((piece.clone(), hulls)),
        _ => Ok((Shape::compound(pieces)?, hulls)),
    }
}

/// Where the meshes of a robot are.
pub(super) struct Files<'f> {
    /// That of the robot's file.
    folder: PathBuf,
    /// Meshes must lie in here.
    within: Option<&'f Path>,
}

impl<'f> Files<'f> {
    pub fn new(file: &Path, within: Option<&'f Path>) -> Self {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Self {
            folder: folder.to_owned(),
            within,
        }
    }

    /// The file of a mesh: `package://name/path`, `file://path`, or a path from the folder of the
    /// robot's file.
    fn find(&self, written: &str) -> Result<PathBuf, String> {
        let path = match written.split_once("://") {
            None => self.folder.join(written),
            Some(("file", path)) => PathBuf::from(path),
            Some(("package" | "model", path)) => self.in_package(written, path)?,
            Some(_) => {
                let written = quoted(written);
                return Err(format!(
                    "mesh {written}, expected a path, package://NAME/PATH or file://PATH"
                ));
            }
        };
        let path = path
            .canonicalize()
            .map_err(|error| format!("mesh {}: {error}", quoted(written)))?;
        let Some(within) = self.within else {
            return Ok(path);
        };
        match within.canonicalize() {
            Ok(folder) if path.starts_with(&folder) => Ok(path),
            _ => Err(format!(
                "mesh {} leads out of the scene's folder; the option allow_outside permits it",
                quoted(written)
            )),
        }
    }

    /// A package is a folder of its name: one that the robot's file lies in, or one beside such a
    /// folder.
    fn in_package(&self, written: &str, path: &str) -> Result<PathBuf, String> {
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let rest = rest.trim_start_matches('/');
        let folder = self.folder.canonicalize();
        let folder = folder.map_err(|error| format!("mesh {}: {error}", quoted(written)))?;
        let packages = folder.ancestors().flat_map(|folder| {
            let own = folder.file_name().is_some_and(|own| own == name);
            let inside = own.then(|| folder.to_owned());
            inside.into_iter().chain([folder.join(name)])
        });
        let packages: Vec<PathBuf> = packages.filter(|package| package.is_dir()).collect();
        let files = packages.iter().map(|package| package.join(rest));
        if let Some(file) = files.into_iter().find(|file| file.is_file()) {
            return Ok(file);
        }
        let mesh = quoted(written);
        Err(match packages.first() {
            Some(package) => format!(
                "mesh {mesh} is not there: the package {name} is {}, and has no file {rest}",
                crate::quote::path(package)
            ),
            None => format!(
                "mesh {mesh}: there is no package {name}: looked for a folder {name} around that \
                 of the robot's file"
            ),
        })
    }
}
