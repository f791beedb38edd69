//! Shapes as recordings hold them: plain data, without what only finding contacts needs.

use drystone::{Pose, Shape};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A body's shape in its own frame. Parts of compounds are convex, so that no file can nest shapes without end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShapeRecord {
    /// A convex solid.
    Convex(ConvexRecord),
    /// The half-space `z <= 0`: its surface faces `+z`.
    Plane,
    /// Triangles: the surface of a solid when closed, a sheet when not.
    Mesh(Surface),
    /// Heights over a grid in the x-y plane, solid below.
    HeightField(HeightRecord),
    /// Several convex solids that move as one.
    Compound(Vec<PartRecord>),
}

/// A convex solid around the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ConvexRecord {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half the edge lengths, m.
        half: DVec3,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes, m.
        semi_axes: DVec3,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// All points within `radius` of a segment along z.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the segment's length, m.
        half_height: f64,
    },
    /// A cone along z, its base at `-half_height`, its apex at `+half_height`.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Half its height, m.
        half_height: f64,
    },
    /// A polyhedron by its surface.
    Hull(Surface),
}

/// Triangles that share vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Points, m.
    pub vertices: Vec<DVec3>,
    /// Indices into the vertices, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Heights over a regular grid in the x-y plane, centred about the z axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeightRecord {
    /// Points along x; those along y follow from the number of heights.
    pub columns: u32,
    /// Distances of neighbouring points along x and y, m.
    pub spacing: [f64; 2],
    /// Heights, m, row after row.
    pub heights: Vec<f64>,
}

/// One solid of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Origin of the part's frame in the compound's, m.
    pub position: DVec3,
    /// Unit quaternion that turns the part's axes into the compound's.
    pub rotation: DQuat,
    /// The solid.
    pub shape: ConvexRecord,
}

impl ShapeRecord {
    /// Kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Convex(convex) => convex.kind(),
            Self::Plane => "plane",
            Self::Mesh(_) => "mesh",
            Self::HeightField(_) => "height field",
            Self::Compound(_) => "compound",
        }
    }

    /// The radius of a ball, m.
    pub fn sphere_radius(&self) -> Option<f64> {
        match self {
            Self::Convex(ConvexRecord::Sphere { radius }) => Some(*radius),
            Self::Convex(_)
            | Self::Plane
            | Self::Mesh(_)
            | Self::HeightField(_)
            | Self::Compound(_) => None,
        }
    }

    /// Says what does not fit together, if anything: for shapes that come from a file.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Convex(convex) => convex.check(),
            Self::Plane => Ok(()),
            Self::Mesh(surface) => surface.check(),
            Self::HeightField(field) => field.check(),
            Self::Compound(parts) => parts.iter().try_for_each(|p| p.shape.check()),
        }
    }
}

impl From<&Shape> for ShapeRecord {
    fn from(shape: &Shape) -> Self {
        let convex = match shape {
            &Shape::Sphere { radius } => ConvexRecord::Sphere { radius },
            &Shape::Box { half } => ConvexRecord::Box { half },
            &Shape::Ellipsoid { semi_axes } => ConvexRecord::Ellipsoid { semi_axes },
            &Shape::Cylinder {
                radius,
                half_height,
            } => ConvexRecord::Cylinder {
                radius,
                half_height,
            },
            &Shape::Capsule {
                radius,
                half_height,
            } => ConvexRecord::Capsule {
                radius,
                half_height,
            },
            &Shape::Cone {
                radius,
                half_height,
            } => ConvexRecord::Cone {
                radius,
                half_height,
            },
            Shape::Hull(hull) => ConvexRecord::Hull(Surface {
                vertices: hull.vertices().to_vec(),
                triangles: hull.triangles().collect(),
            }),
            Shape::Plane => return Self::Plane,
            Shape::Mesh(mesh) => {
                return Self::Mesh(Surface {
                    vertices: mesh.vertices().to_vec(),
                    triangles: mesh.faces().to_vec(),
                });
            }
            Shape::HeightField(field) => {
                return Self::HeightField(HeightRecord {
                    columns: field.columns() as u32,
                    spacing: field.spacing(),
                    heights: field.heights().to_vec(),
                });
            }
            Shape::Compound(compound) => {
                return Self::Compound(compound.parts().iter().filter_map(part).collect());
            }
        };
        Self::Convex(convex)
    }
}

/// A part of a compound. All are convex: compounds are checked for that when they are made.
fn part((pose, shape): &(Pose, Shape)) -> Option<PartRecord> {
    match ShapeRecord::from(shape) {
        ShapeRecord::Convex(shape) => Some(PartRecord {
            position: pose.position,
            rotation: pose.rotation,
            shape,
        }),
        ShapeRecord::Plane
        | ShapeRecord::Mesh(_)
        | ShapeRecord::HeightField(_)
        | ShapeRecord::Compound(_) => None,
    }
}

impl ConvexRecord {
    /// Kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::Cone { .. } => "cone",
            Self::Hull(_) => "hull",
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Hull(surface) => surface.check(),
            Self::Sphere { .. }
            | Self::Box { .. }
            | Self::Ellipsoid { .. }
            | Self::Cylinder { .. }
            | Self::Capsule { .. }
            | Self::Cone { .. } => Ok(()),
        }
    }
}

impl Surface {
    /// Adds another surface, moved.
    pub fn append(&mut self, other: &Self, pose: &Pose) {
        let first = self.vertices.len() as u32;
        self.vertices
            .extend(other.vertices.iter().map(|&v| pose.point(v)));
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|k| first + k)));
    }

    fn check(&self) -> Result<(), String> {
        let count = self.vertices.len();
        let outside = |t: &&[u32; 3]| t.iter().any(|&k| k as usize >= count);
        match self.triangles.iter().find(outside) {
            None => Ok(()),
            Some(t) => Err(format!("a triangle names vertices {t:?} of {count}")),
        }
    }
}

impl HeightRecord {
    /// Points along y.
    pub fn rows(&self) -> usize {
        self.heights.len() / (self.columns as usize).max(1)
    }

    fn check(&self) -> Result<(), String> {
        let (columns, count) = (self.columns as usize, self.heights.len());
        if columns >= 2 && self.rows() >= 2 && columns * self.rows() == count {
            return Ok(());
        }
        Err(format!("{count} heights do not fill {columns} columns"))
    }
}
