//! Recorded bodies as solids of a picture.

use std::sync::Arc;

use drystone::{BodyKind, Pose};
use drystone_run::recording::{
    ConvexRecord, Frame, HeightRecord, Look, RunHeader, ShapeRecord, Surface as Triangles,
};
use glam::DVec3;

use crate::render::{self, Color, Geometry, Mesh, Placement, Solid, Surface};

/// A piece of a shape, in the shape's frame.
type Piece = (Pose, Geometry);

/// The solids of a frame. Bodies that take no part are left out.
pub fn solids(header: &RunHeader, frame: &Frame, colors: &[Color]) -> Vec<Solid> {
    let pieces: Vec<Vec<Piece>> = header.shapes.iter().map(pieces).collect();
    let crowd = Crowd::of(header, frame);
    let mut solids = Vec::with_capacity(frame.bodies.len());
    let bodies = header.bodies.iter().zip(&frame.bodies).zip(colors);
    for ((record, body), color) in bodies.filter(|((_, body), _)| body.enabled) {
        let surface = match record.appearance.look {
            Look::Solid => Surface::Opaque,
            Look::Glass => Surface::Glass,
            Look::Hidden => Surface::Hidden,
        };
        for (at, geometry) in &pieces[record.shape as usize] {
            let pose = body.pose().compose(at);
            solids.push(Solid {
                geometry: geometry.clone(),
                placement: Placement::new(pose.position, pose.rotation),
                color: *color,
                surface,
                framed: record.kind == BodyKind::Dynamic && crowd.holds(body.position),
            });
        }
    }
    frame_vessels(&mut solids);
    solids
}

/// Frames glass around the moving bodies too, unless it is so large that they would be lost in it.
fn frame_vessels(solids: &mut [Solid]) {
    const LARGEST: f64 = 3.0;
    let crowd = render::framed(solids).radius();
    for solid in solids {
        if solid.surface == Surface::Glass {
            solid.framed |= solid.bounds().radius() <= LARGEST * crowd;
        }
    }
}

/// Where most moving bodies are: a few that fell off an edge must not make the rest a dot in the picture.
struct Crowd {
    min: DVec3,
    max: DVec3,
}

impl Crowd {
    /// Fewer bodies than this are all shown.
    const SMALLEST: usize = 40;

    fn of(header: &RunHeader, frame: &Frame) -> Self {
        let moving = header.bodies.iter().zip(&frame.bodies);
        let moving = moving.filter(|(r, b)| r.kind == BodyKind::Dynamic && b.enabled);
        let places: Vec<DVec3> = moving.map(|(_, b)| b.position).collect();
        let (mut min, mut max) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        if places.len() >= Self::SMALLEST {
            for axis in 0..3 {
                let mut along: Vec<f64> = places.iter().map(|p| p[axis]).collect();
                along.sort_unstable_by(f64::total_cmp);
                let last = along.len() - 1;
                let (low, high) = (along[last / 20], along[last - last / 20]);
                (min[axis], max[axis]) = (2.0 * low - high, 2.0 * high - low);
            }
            // A crowd may be flat.
            let margin = 0.25 * (max - min).max_element();
            (min, max) = (min - margin, max + margin);
        }
        Self { min, max }
    }

    fn holds(&self, place: DVec3) -> bool {
        self.min.cmple(place).all() && place.cmple(self.max).all()
    }
}

fn pieces(shape: &ShapeRecord) -> Vec<Piece> {
    let whole = |geometry| vec![(Pose::IDENTITY, geometry)];
    match shape {
        ShapeRecord::Convex(convex) => whole(solid(convex)),
        ShapeRecord::Plane => whole(Geometry::Plane),
        ShapeRecord::Mesh(surface) => whole(triangles(surface, true)),
        ShapeRecord::HeightField(field) => whole(terrain(field)),
        ShapeRecord::Compound(parts) => parts
            .iter()
            .map(|part| {
                let pose = Pose {
                    position: part.position,
                    rotation: part.rotation,
                };
                (pose, solid(&part.shape))
            })
            .collect(),
    }
}

fn solid(shape: &ConvexRecord) -> Geometry {
    match shape {
        &ConvexRecord::Sphere { radius } => Geometry::Sphere { radius },
        &ConvexRecord::Box { half } => Geometry::Box { half },
        &ConvexRecord::Ellipsoid { semi_axes } => Geometry::Ellipsoid { semi_axes },
        &ConvexRecord::Cylinder {
            radius,
            half_height,
        } => Geometry::Cylinder {
            radius,
            half_height,
        },
        &ConvexRecord::Capsule {
            radius,
            half_height,
        } => Geometry::Capsule {
            radius,
            half_height,
        },
        &ConvexRecord::Cone {
            radius,
            half_height,
        } => Geometry::Cone {
            radius,
            half_height,
        },
        ConvexRecord::Hull(surface) => triangles(surface, false),
    }
}

fn triangles(surface: &Triangles, smooth: bool) -> Geometry {
    Geometry::Triangles(Arc::new(Mesh {
        vertices: surface.vertices.clone(),
        faces: surface.triangles.clone(),
        smooth,
    }))
}

/// Two triangles for each cell of the grid, seen from above.
fn terrain(field: &HeightRecord) -> Geometry {
    let (columns, rows) = (field.columns as usize, field.rows());
    let [dx, dy] = field.spacing;
    let middle = |count: usize| 0.5 * (count.max(1) - 1) as f64;
    let point = |(k, height): (usize, &f64)| {
        let (x, y) = ((k % columns) as f64, (k / columns) as f64);
        DVec3::new(dx * (x - middle(columns)), dy * (y - middle(rows)), *height)
    };
    let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| [column, row]));
    let faces = cells.flat_map(|[column, row]| {
        let corner = |c: usize, r: usize| (r * columns + c) as u32;
        let [a, b] = [corner(column - 1, row - 1), corner(column, row - 1)];
        let [c, d] = [corner(column, row), corner(column - 1, row)];
        [[a, b, c], [a, c, d]]
    });
    Geometry::Triangles(Arc::new(Mesh {
        vertices: field.heights.iter().enumerate().map(point).collect(),
        faces: faces.collect(),
        smooth: true,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terrain_lies_around_the_middle_and_faces_up() {
        let field = HeightRecord {
            columns: 3,
            spacing: [1.0, 2.0],
            heights: vec![0.0; 6],
        };
        let Geometry::Triangles(mesh) = terrain(&field) else {
            panic!("terrain is made of triangles");
        };
        assert_eq!(mesh.vertices[0], DVec3::new(-1.0, -1.0, 0.0));
        assert_eq!(mesh.vertices[5], DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(mesh.faces.len(), 4);
        for face in &mesh.faces {
            let [a, b, c] = face.map(|k| mesh.vertices[k as usize]);
            assert!((b - a).cross(c - a).z > 0.0);
        }
    }
}
