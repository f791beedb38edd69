//! The flat or straight feature of a convex shape that faces a direction.

use glam::DVec3;

use super::convex::{Convex, cone_sine};
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

/// A feature of a shape: one point, the two ends of a segment, or the corners of a polygon. They
/// stand in the list that it was written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    /// Which feature of the shape.
    pub id: u32,
    /// Outward normal of a polygon; zero for points and segments.
    pub normal: DVec3,
}

impl Convex<'_> {
    /// Writes the feature of the shape (rounding included) that faces the unit vector `n` to
    /// `points`, counter-clockwise seen against `n`.
    pub(super) fn facet(&self, n: DVec3, points: &mut Vec<DVec3>) -> Facet {
        points.clear();
        match self {
            Self::Ball { radius } => {
                points.push(n * *radius);
                corner(0)
            }
            Self::Ellipsoid { .. } => {
                points.push(self.support(n));
                corner(0)
            }
            Self::Box { half } => box_facet(*half, n, points),
            Self::Cylinder {
                radius,
                half_height,
            } => {
                if n.z.abs() > FACING_COS {
                    round_end(*radius, half_height.copysign(n.z), points)
                } else if n.z.abs() < FACING {
                    let p = self.support(n);
                    points.extend([p.with_z(-half_height), p.with_z(*half_height)]);
                    corner(2)
                } else {
                    points.push(self.support(n));
                    corner(3 + u32::from(n.z > 0.0))
                }
            }
            Self::Capsule {
                radius,
                half_height,
            } => capsule_facet(*radius, *half_height, n, points),
            Self::Cone {
                radius,
                half_height,
            } => {
                if n.z < -FACING_COS {
                    return round_end(*radius, -half_height, points);
                }
                let apex = DVec3::Z * *half_height;
                if (n.z - cone_sine(*radius, *half_height)).abs() < FACING {
                    let across = n.with_z(0.0).normalize_or(DVec3::X);
                    points.extend([(across * *radius).with_z(-half_height), apex]);
                    corner(2)
                } else {
                    points.push(self.support(n));
                    corner(3 + u32::from(self.support(n) == apex))
                }
            }
            Self::Hull(hull) => hull_facet(hull, n, points),
            Self::Triangle(corners) => triangle_facet(corners, n, points),
        }
    }
}

fn capsule_facet(radius: f64, half_height: f64, n: DVec3, points: &mut Vec<DVec3>) -> Facet {
    let ends = [DVec3::Z * -half_height, DVec3::Z * half_height];
    if n.z.abs() < FACING {
        points.extend(ends.map(|p| p + n * radius));
        corner(2)
    } else {
        let up = n.z > 0.0;
        points.push(ends[usize::from(up)] + n * radius);
        corner(u32::from(up))
    }
}

fn hull_facet(hull: &Hull, n: DVec3, points: &mut Vec<DVec3>) -> Facet {
    let best = (0..hull.face_count())
        .max_by(|&i, &j| hull.face(i).0.dot(n).total_cmp(&hull.face(j).0.dot(n)));
    if let Some(face) = best
        && hull.face(face).0.dot(n) > FACING_COS
    {
        let (normal, corners) = hull.face(face);
        points.extend(corners.iter().map(|&k| hull.vertices()[k as usize]));
        return Facet {
            id: face as u32,
            normal,
        };
    }
    let edges = hull.edges().iter().map(|e| e.vertices);
    edge_or_corner(hull.vertices(), edges, n, points)
}

/// A triangle faces both ways.
fn triangle_facet(corners: &[DVec3; 3], n: DVec3, points: &mut Vec<DVec3>) -> Facet {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal.dot(n).abs() > FACING_COS {
        let front = normal.dot(n) > 0.0;
        points.extend(if front { [a, b, c] } else { [a, c, b] });
        return Facet {
            id: u32::from(front),
            normal: if front { normal } else { -normal },
        };
    }
    edge_or_corner(corners, [[0, 1], [1, 2], [2, 0]].into_iter(), n, points)
}

/// A point or a segment, which have no normal.
fn corner(id: u32) -> Facet {
    Facet {
        id,
        normal: DVec3::ZERO,
    }
}

/// The face of a box that faces `n`, or else an edge, or else a corner.
fn box_facet(half: DVec3, n: DVec3, points: &mut Vec<DVec3>) -> Facet {
    let size = n.abs();
    let axis = size.max_position();
    let mut top = 0;
    for k in 0..3 {
        top |= usize::from(n[k] > 0.0) << k;
    }
    if size[axis] > FACING_COS {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let base = top & (1 << axis);
        let mut ring = [base, base | u, base | u | v, base | v];
        if base == 0 {
            ring.reverse();
        }
        points.extend(ring.map(|k| box_corner(half, k)));
        let mut normal = DVec3::ZERO;
        normal[axis] = 1f64.copysign(n[axis]);
        return Facet {
            id: (2 * axis + usize::from(base != 0)) as u32,
            normal,
        };
    }
    let thin = size.min_position();
    if size[thin] < FACING {
        let low = top & !(1 << thin);
        points.extend([low, low | 1 << thin].map(|k| box_corner(half, k)));
        corner(8 + (8 * thin + low) as u32)
    } else {
        points.push(box_corner(half, top));
        corner(top as u32)
    }
}

/// The end of a cylinder or cone at height `z`.
fn round_end(radius: f64, z: f64, points: &mut Vec<DVec3>) -> Facet {
    points.extend((0..ROUND).map(|k| rim_point(k, ROUND, radius, z)));
    if z < 0.0 {
        points.reverse();
    }
    Facet {
        id: u32::from(z > 0.0),
        normal: DVec3::Z * 1f64.copysign(z),
    }
}

/// The edge at the support vertex that is most nearly perpendicular to `n`, if it is enough; else
/// the vertex.
fn edge_or_corner(
    vertices: &[DVec3],
    edges: impl Iterator<Item = [u32; 2]>,
    n: DVec3,
    points: &mut Vec<DVec3>,
) -> Facet {
    let mut top = 0;
    for k in 1..vertices.len() {
        if vertices[k].dot(n) > vertices[top].dot(n) {
            top = k;
        }
    }
    let mut best = (FACING, None);
    for (k, ends) in edges.enumerate() {
        if ends.contains(&(top as u32)) {
            let [p, q] = ends.map(|k| vertices[k as usize]);
            let slope = (q - p).normalize_or(n).dot(n).abs();
            if slope < best.0 {
                best = (slope, Some((k, p, q)));
            }
        }
    }
    match best.1 {
        Some((k, p, q)) => {
            points.extend([p, q]);
            corner((vertices.len() + k) as u32)
        }
        None => {
            points.push(vertices[top]);
            corner(top as u32)
        }
    }
}
