//! Triangles from files that place meshes by nodes: glTF and Collada.
//!
//! Such a file may place one mesh any number of times, so that a few lines could ask for more
//! triangles than a machine holds. There is a limit.

use std::collections::BTreeSet;

use glam::{DMat4, DVec3};

use super::error::{MeshFault, coordinate};
use super::{Merge, MeshData, Parsed};

/// The most triangles and nodes together: more than the largest STL file that is read holds.
const MOST_STEPS: usize = 22_000_000;

/// At most this many names in an error.
const NAMES_SHOWN: usize = 8;

/// Triangles as they are found.
#[derive(Default)]
pub(super) struct Soup {
    merge: Merge,
    faces: Vec<[u32; 3]>,
    steps: usize,
    /// Names of objects that were met.
    names: BTreeSet<String>,
    /// Whether one of them was the object that is wanted.
    found: bool,
}

impl Soup {
    /// Counts a node, a primitive or a triangle; `place` says where it is.
    pub fn step(&mut self, place: impl Fn() -> String) -> Result<(), MeshFault> {
        self.steps += 1;
        if self.steps <= MOST_STEPS {
            return Ok(());
        }
        let what = format!("more than {MOST_STEPS} triangles and nodes with all that is placed");
        Err(MeshFault::malformed(place(), what))
    }

    /// Adds a triangle where it is placed.
    pub fn push(
        &mut self,
        mut corners: [DVec3; 3],
        placed: &Placed,
        place: impl Fn() -> String,
    ) -> Result<(), MeshFault> {
        self.step(&place)?;
        if placed.mirrors {
            corners.swap(1, 2);
        }
        let mut face = [0; 3];
        for (index, corner) in face.iter_mut().zip(corners) {
            let point = placed.matrix.transform_point3(corner);
            for value in point.to_array() {
                coordinate(value).map_err(|what| MeshFault::malformed(place(), what))?;
            }
            *index = self.merge.index(point);
        }
        self.faces.push(face);
        Ok(())
    }

    /// Takes note of an object's name. Whether it is the one that is wanted.
    pub fn name(&mut self, name: Option<&str>, wanted: Option<&str>) -> bool {
        let Some(name) = name else { return false };
        if wanted.is_some() {
            self.names.insert(name.to_owned());
        }
        let is = wanted == Some(name);
        self.found |= is;
        is
    }

    /// The mesh, if there is any.
    pub fn finish(self, wanted: Option<&str>) -> Result<Parsed, MeshFault> {
        if let Some(name) = wanted.filter(|_| !self.found) {
            return Err(no_object(name, &self.names));
        }
        if self.faces.is_empty() {
            return Err(MeshFault::Empty {
                what: "triangles",
                least: 1,
            });
        }
        Ok(Parsed {
            data: MeshData {
                vertices: self.merge.vertices,
                faces: self.faces,
            },
            lines: Vec::new(),
        })
    }
}

/// The fault of an object that is not there, with the names that are.
pub(super) fn no_object(name: &str, names: &BTreeSet<String>) -> MeshFault {
    let shown = names.iter().take(NAMES_SHOWN);
    let mut known: Vec<String> = shown.map(|name| format!("{name:?}")).collect();
    if names.len() > NAMES_SHOWN {
        known.push(format!("{} more", names.len() - NAMES_SHOWN));
    }
    if known.is_empty() {
        known.push("none".to_owned());
    }
    MeshFault::NoObject {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

/// Where a mesh is placed.
pub(super) struct Placed {
    matrix: DMat4,
    /// Whether it turns surfaces inside out.
    mirrors: bool,
}

impl Placed {
    pub fn new(matrix: DMat4) -> Self {
        Self {
            matrix,
            mirrors: matrix.determinant() < 0.0,
        }
    }
}

/// The corners of triangle `k` of a strip: every other one runs backwards.
pub(super) fn of_strip(k: usize) -> [usize; 3] {
    [k, k + 1 + k % 2, k + 2 - k % 2]
}

/// The corners of triangle `k` of a fan.
pub(super) fn of_fan(k: usize) -> [usize; 3] {
    [0, k + 1, k + 2]
}
