//! The flat or straight feature of a convex shape that faces a direction, and the corners near it.
//!
//! Corners have numbers that are fixed to the shape, so that a contact at a corner stays the same
//! contact when the feature around it changes: a box that rocks from its face to an edge keeps the
//! two corners of that edge.

use glam::DVec3;

use super::convex::{Convex, cone_sine, disc_support};
use super::plane::{box_corner, rim_point};
use crate::shape::Hull;

/// Sine of the angle, about 6°, up to which a face or an edge still faces the other shape.
/// Generous, so that a body that rocks keeps its contact points: those whose gap is larger than the
/// margin are dropped later.
const FACING: f64 = 0.1;
/// Cosine of the same angle.
const FACING_COS: f64 = 0.995;
/// Corners of the polygon that stands for a round end. Twice as many as are kept in the end, so
/// that a rim that is half covered still has enough.
pub(super) const ROUND: u32 = 16;

/// Cosine of the steepest angle, about 45°, at which a face counts as facing because its corners
/// are near.
const STEEPEST_COS: f64 = 0.7;
/// Numbers of the lowest points of rims, above those of the corners of [`ROUND`] of two ends. They
/// roll on with the contact. The upper one is also that of a cone's apex.
const LOWEST: [u16; 2] = [2 * ROUND as u16, 2 * ROUND as u16 + 1];

/// A feature of a shape. Its one point, the two ends of a segment or the corners of a polygon stand
/// in the list that it was written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    /// Which feature of the shape.
    pub id: u32,
    /// Outward normal of a polygon; zero for points and segments.
    pub normal: DVec3,
}

/// The corners of a feature, and their numbers.
#[derive(Debug, Default)]
pub(super) struct FacetCorners {
    pub points: Vec<DVec3>,
    pub ids: Vec<u16>,
}

impl FacetCorners {
    fn push(&mut self, (id, point): (u16, DVec3)) {
        self.points.push(point);
        self.ids.push(id);
    }

    fn extend(&mut self, corners: impl IntoIterator<Item = (u16, DVec3)>) {
        corners.into_iter().for_each(|c| self.push(c));
    }

    fn clear(&mut self) {
        self.points.clear();
        self.ids.clear();
    }
}

impl Convex<'_> {
    /// Writes the feature of the shape (rounding included) that faces the unit vector `n` to
    /// `out`, counter-clockwise seen against `n`.
    ///
    /// A face or an edge faces `n` when it is nearly perpendicular to it, or when all of it lies
    /// less than `depth` m below the outermost point: then it may touch.
    pub(super) fn facet(&self, n: DVec3, depth: f64, out: &mut FacetCorners) -> Facet {
        out.clear();
        match self {
            Self::Ball { radius } => {
                out.push((0, n * *radius));
                corner(0)
            }
            Self::Ellipsoid { .. } => {
                out.push((0, self.support(n)));
                corner(0)
            }
            Self::Box { half } => box_facet(*half, n, depth, out),
            Self::Cylinder {
                radius,
                half_height,
            } => {
                let up = usize::from(n.z > 0.0);
                if end_faces(n, *radius, depth) {
                    round_end(*radius, half_height.copysign(n.z), out)
                } else if line_faces(n.z, 2.0 * half_height, depth) {
                    out.extend(rims(*radius, *half_height, n));
                    corner(2)
                } else {
                    out.push(rims(*radius, *half_height, n)[up]);
                    corner(3 + up as u32)
                }
            }
            Self::Capsule {
                radius,
                half_height,
            } => {
                let ends = capsule_ends(*radius, *half_height, n);
                let up = usize::from(n.z > 0.0);
                if line_faces(n.z, 2.0 * half_height, depth) {
                    out.extend(ends);
                    corner(2)
                } else {
                    out.push(ends[up]);
                    corner(up as u32)
                }
            }
            Self::Cone {
                radius,
                half_height,
            } => {
                if n.z < 0.0 && end_faces(n, *radius, depth) {
                    return round_end(*radius, -half_height, out);
                }
                let ends = cone_ends(*radius, *half_height, n);
                let slope = n.z - cone_sine(*radius, *half_height);
                let side = radius.hypot(2.0 * half_height);
                let top = usize::from(ends[1].1.dot(n) >= ends[0].1.dot(n));
                if line_faces(slope, side, depth) {
                    out.extend(ends);
                    corner(2)
                } else {
                    out.push(ends[top]);
                    corner(3 + top as u32)
                }
            }
            Self::Hull(hull) => hull_facet(hull, n, depth, out),
            Self::Triangle(corners) => triangle_facet(corners, n, depth, out),
        }
    }

    /// Calls `f` with every corner (rounding included) that may be outermost along directions near
    /// `n`, and its number. Round ends that face `n` have none: their rims come as polygons, by
    /// [`Convex::facet`]. Nor have triangles: those around a corner of a mesh share it.
    pub(super) fn corners(&self, n: DVec3, mut f: impl FnMut(u16, DVec3)) {
        match self {
            Self::Ball { .. } | Self::Ellipsoid { .. } | Self::Triangle(_) => {}
            Self::Box { half } => (0..8).for_each(|k| f(k as u16, box_corner(*half, k))),
            Self::Cylinder {
                radius,
                half_height,
            } => {
                if n.z.abs() < FACING_COS {
                    let ends = rims(*radius, *half_height, n);
                    ends.into_iter().for_each(|(id, p)| f(id, p));
                }
            }
            Self::Capsule {
                radius,
                half_height,
            } => {
                let ends = capsule_ends(*radius, *half_height, n);
                ends.into_iter().for_each(|(id, p)| f(id, p));
            }
            Self::Cone {
                radius,
                half_height,
            } => {
                if n.z.abs() < FACING_COS {
                    let ends = cone_ends(*radius, *half_height, n);
                    ends.into_iter().for_each(|(id, p)| f(id, p));
                }
            }
            Self::Hull(hull) => {
                for (k, &p) in hull.vertices().iter().enumerate() {
                    f(k as u16, p);
                }
            }
        }
    }
}

/// Whether a segment of this length faces, whose slope against the normal's plane has this sine.
fn line_faces(sine: f64, length: f64, depth: f64) -> bool {
    sine.abs() < FACING || (sine.abs() < STEEPEST_COS && length * sine.abs() <= depth)
}

/// Whether the round end towards `n` faces it: up to its middle it is less than `depth` below its
/// outermost point.
fn end_faces(n: DVec3, radius: f64, depth: f64) -> bool {
    let cosine = n.z.abs();
    cosine > FACING_COS
        || (cosine > STEEPEST_COS && radius * (1.0 - cosine * cosine).max(0.0).sqrt() <= depth)
}

/// The outermost points along `n` of a cylinder's lower and upper rim.
fn rims(radius: f64, half_height: f64, n: DVec3) -> [(u16, DVec3); 2] {
    let p = disc_support(radius, n);
    [
        (LOWEST[0], p.with_z(-half_height)),
        (LOWEST[1], p.with_z(half_height)),
    ]
}

fn capsule_ends(radius: f64, half_height: f64, n: DVec3) -> [(u16, DVec3); 2] {
    let end = |z: f64| DVec3::Z * z + n * radius;
    [(0, end(-half_height)), (1, end(half_height))]
}

/// The outermost point along `n` of a cone's rim, and its apex.
fn cone_ends(radius: f64, half_height: f64, n: DVec3) -> [(u16, DVec3); 2] {
    let p = disc_support(radius, n);
    [
        (LOWEST[0], p.with_z(-half_height)),
        (LOWEST[1], DVec3::Z * half_height),
    ]
}

fn hull_facet(hull: &Hull, n: DVec3, depth: f64, out: &mut FacetCorners) -> Facet {
    let best = (0..hull.face_count())
        .max_by(|&i, &j| hull.face(i).0.dot(n).total_cmp(&hull.face(j).0.dot(n)));
    if let Some(face) = best {
        let (normal, corners) = hull.face(face);
        let vertex = |&k: &u32| (k as u16, hull.vertices()[k as usize]);
        let level = hull.vertices().iter().map(|p| p.dot(n));
        let near = |cosine: f64| {
            let level = level.fold(f64::NEG_INFINITY, f64::max) - depth;
            let near = corners.iter().filter(|k| vertex(k).1.dot(n) >= level);
            cosine > STEEPEST_COS && near.count() >= 3
        };
        let cosine = normal.dot(n);
        if cosine > FACING_COS || near(cosine) {
            out.extend(corners.iter().map(vertex));
            return Facet {
                id: face as u32,
                normal,
            };
        }
    }
    let edges = hull.edges().iter().map(|e| e.vertices);
    edge_or_corner(hull.vertices(), edges, (n, depth), out)
}

/// A triangle faces both ways.
fn triangle_facet(corners: &[DVec3; 3], n: DVec3, depth: f64, out: &mut FacetCorners) -> Facet {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal.dot(n).abs() > FACING_COS {
        let front = normal.dot(n) > 0.0;
        let order = if front { [0, 1, 2] } else { [0, 2, 1] };
        out.extend(order.map(|k| (k as u16, corners[k])));
        return Facet {
            id: u32::from(front),
            normal: if front { normal } else { -normal },
        };
    }
    let edges = [[0, 1], [1, 2], [2, 0]].into_iter();
    edge_or_corner(corners, edges, (n, depth), out)
}

/// A point or a segment, which have no normal.
fn corner(id: u32) -> Facet {
    Facet {
        id,
        normal: DVec3::ZERO,
    }
}

/// The face of a box that faces `n`, or else an edge, or else a corner.
fn box_facet(half: DVec3, n: DVec3, depth: f64, out: &mut FacetCorners) -> Facet {
    let size = n.abs();
    let axis = size.max_position();
    let mut top = 0;
    for k in 0..3 {
        top |= usize::from(n[k] > 0.0) << k;
    }
    let numbered = |k: usize| (k as u16, box_corner(half, k));
    // How far the other end of each edge at the top corner lies below it.
    let drop = 2.0 * half * size;
    let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
    let near = size[axis] > STEEPEST_COS && drop[i].max(drop[j]) <= depth;
    if size[axis] > FACING_COS || near {
        let (u, v) = (1 << i, 1 << j);
        let base = top & (1 << axis);
        let mut ring = [base, base | u, base | u | v, base | v];
        if base == 0 {
            ring.reverse();
        }
        out.extend(ring.map(numbered));
        let mut normal = DVec3::ZERO;
        normal[axis] = 1f64.copysign(n[axis]);
        return Facet {
            id: (2 * axis + usize::from(base != 0)) as u32,
            normal,
        };
    }
    let thin = match size.min_position() {
        k if size[k] < FACING => k,
        _ => drop.min_position(),
    };
    if line_faces(size[thin], 2.0 * half[thin], depth) {
        let low = top & !(1 << thin);
        out.extend([low, low | 1 << thin].map(numbered));
        corner(8 + (8 * thin + low) as u32)
    } else {
        out.push(numbered(top));
        corner(top as u32)
    }
}

/// The end of a cylinder or cone at height `z`.
fn round_end(radius: f64, z: f64, out: &mut FacetCorners) -> Facet {
    let up = z > 0.0;
    let first = if up { ROUND } else { 0 };
    for k in 0..ROUND {
        let k = if up { k } else { ROUND - 1 - k };
        out.push(((first + k) as u16, rim_point(k, ROUND, radius, z)));
    }
    Facet {
        id: u32::from(up),
        normal: DVec3::Z * 1f64.copysign(z),
    }
}

/// The edge at the support vertex that is most nearly perpendicular to `n`, if it is enough or its
/// other end less than `depth` below; else the vertex.
fn edge_or_corner(
    vertices: &[DVec3],
    edges: impl Iterator<Item = [u32; 2]>,
    (n, depth): (DVec3, f64),
    out: &mut FacetCorners,
) -> Facet {
    let mut top = 0;
    for k in 1..vertices.len() {
        if vertices[k].dot(n) > vertices[top].dot(n) {
            top = k;
        }
    }
    let mut best = (f64::INFINITY, None);
    for (k, ends) in edges.enumerate() {
        if ends.contains(&(top as u32)) {
            let [p, q] = ends.map(|k| vertices[k as usize]);
            let length = p.distance(q);
            let slope = (q - p).normalize_or(n).dot(n).abs();
            if slope < best.0 && line_faces(slope, length, depth) {
                best = (slope, Some((k, ends)));
            }
        }
    }
    match best.1 {
        Some((k, ends)) => {
            out.extend(ends.map(|k| (k as u16, vertices[k as usize])));
            corner((vertices.len() + k) as u32)
        }
        None => {
            out.push((top as u16, vertices[top]));
            corner(top as u32)
        }
    }
}
