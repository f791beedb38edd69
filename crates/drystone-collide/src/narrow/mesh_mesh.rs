//! Two surfaces of triangles: the vertices of each against the faces of the other, and edges that
//! cross.

use glam::{DMat3, DVec3};

use super::mesh::{NearTriangle, Probe};
use super::plane::plane_points;
use super::spread::reduce;
use super::surface::{SurfaceTriangle, TriangleSurface, neighbour};
use super::{ContactPoint, Scratch, swapped};
use crate::aabb::Aabb;
use crate::pose::Pose;

/// How deep a vertex or an edge may lie in the other solid and still be found, in shares of the
/// smaller surface's diagonal. Bodies overlap by far less than that; searching deeper would look at
/// more triangles, and find the far walls of thin solids.
const DEPTH: f64 = 0.02;
/// The upper two bits of a feature say the kind of contact: 0 a vertex of the second surface, 1 a
/// vertex of the first, 2 two edges.
const KIND_SHIFT: u32 = 62;
/// Sine of the angle up to which an edge counts as flat: ten times the error of a normal.
const UPRIGHT: f64 = 1e-6;
/// Lengths that do not matter, in shares of the smaller surface's diagonal: as in [`super::clip`].
const SLACK: f64 = 1e-6;
/// The same for the vertices of a mesh on a plane, which need no search: rounding alone.
const PLANE_SLACK: f64 = 1e-9;
/// Square of the sine of the angle up to which two edges count as parallel: their common
/// perpendicular is uncertain, and vertices against faces find the contact.
const PARALLEL_SQUARED: f64 = 1e-6;

/// Contacts of a plane with a surface: its vertices, outermost and deepest.
pub(super) fn plane_surface(
    plane: &Pose,
    (surface, pose): (&TriangleSurface, &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    match surface {
        TriangleSurface::Mesh(mesh) => plane_points(plane, (mesh.vertices(), pose), margin, out),
        // Planes and height fields are for bodies that do not touch each other.
        TriangleSurface::Field(_) => {}
    }
    reduce(out, first, PLANE_SLACK * size(surface));
}

/// Contacts of two surfaces.
pub(super) fn contacts(
    a: (&TriangleSurface, &Pose),
    b: (&TriangleSurface, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    if matches!(
        (a.0, b.0),
        (TriangleSurface::Field(_), TriangleSurface::Field(_))
    ) {
        return;
    }
    let first = out.len();
    let size = size(a.0).min(size(b.0));
    let reach = (margin, DEPTH * size);
    vertices(a, b, reach, &mut scratch.near, out);
    let middle = out.len();
    swapped(out, |out| vertices(b, a, reach, &mut scratch.near, out));
    for p in &mut out[middle..] {
        p.feature |= 1 << KIND_SHIFT;
    }
    edges(a, b, reach, out);
    reduce(out, first, SLACK * size);
}

/// The diagonal of the box around a surface, m.
fn size(surface: &TriangleSurface) -> f64 {
    surface.bounds().extent().length()
}

/// The triangles of `surface` within `grow` of the other's box; `local` is the pose of the other in
/// the frame of `surface`.
fn near_box(
    surface: &TriangleSurface,
    other: &TriangleSurface,
    local: &Pose,
    grow: f64,
) -> Vec<u32> {
    let b = other.bounds();
    let turn = DMat3::from_quat(local.rotation);
    let half = 0.5 * b.extent();
    let extent =
        turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
    let region = Aabb::around(local.point(b.center()), extent).grown(grow);
    let mut faces = Vec::new();
    surface.near(&region, |t| {
        if surface.triangle(t).bounds().overlaps(&region) {
            faces.push(t);
        }
    });
    faces
}

/// The vertices of `b` against the faces of `a`. `margin` is the largest gap and `depth` the
/// largest depth of interest, m.
fn vertices(
    a: (&TriangleSurface, &Pose),
    b: (&TriangleSurface, &Pose),
    (margin, depth): (f64, f64),
    near: &mut Vec<NearTriangle>,
    out: &mut Vec<ContactPoint>,
) {
    let local = a.1.inverse().compose(b.1);
    let mut points: Vec<(u32, DVec3)> = Vec::new();
    for t in near_box(b.0, a.0, &local.inverse(), margin.max(depth)) {
        let triangle = b.0.triangle(t);
        points.extend((0..3).map(|k| (triangle.indices[k], triangle.corners[k])));
    }
    points.sort_unstable_by_key(|p| p.0);
    points.dedup_by_key(|p| p.0);
    let side = local.point(b.0.bounds().center());
    for (index, p) in points {
        let probe = Probe {
            center: local.point(p),
            radius: 0.0,
            margin,
            depth,
            side,
        };
        // One contact for each vertex: the first is the nearest.
        let mut done = false;
        probe.touches(a.0, near, |t| {
            if !done {
                done = true;
                out.push(ContactPoint {
                    feature: u64::from(index),
                    normal: a.1.direction(t.normal),
                    point: a.1.point(t.middle),
                    gap: t.gap,
                });
            }
        });
    }
}

/// An edge that sticks out, with its two faces, in the frame of the first surface.
#[derive(Clone, Copy)]
struct Ridge {
    ends: [DVec3; 2],
    /// Normals of the faces on both sides; the same twice at the border of a sheet.
    normals: [DVec3; 2],
    /// Indices of the ends among the surface's vertices.
    indices: [u32; 2],
}

/// The ridges among `faces`: edges that stick out.
fn ridges(surface: &TriangleSurface, faces: &[u32], place: &Pose) -> Vec<Ridge> {
    let mut list = Vec::new();
    for &t in faces {
        let triangle: SurfaceTriangle = surface.triangle(t);
        for k in 0..3 {
            let other = neighbour(surface, t, k);
            // Each inner edge is taken once, with the face of lower index.
            if other.is_some_and(|o| o < t && faces.binary_search(&o).is_ok()) {
                continue;
            }
            let (i, j) = (k, (k + 1) % 3);
            let (a, b) = (triangle.corners[i], triangle.corners[j]);
            let aside = (b - a).cross(triangle.normal).normalize_or_zero();
            let normal = other.map_or(triangle.normal, |o| surface.triangle(o).normal);
            if other.is_none() || normal.dot(aside) > UPRIGHT {
                list.push(Ridge {
                    ends: [place.point(a), place.point(b)],
                    normals: [triangle.normal, normal].map(|n| place.direction(n)),
                    indices: [triangle.indices[i], triangle.indices[j]],
                });
            }
        }
    }
    list
}

/// Edges of `a` that cross edges of `b`.
fn edges(
    a: (&TriangleSurface, &Pose),
    b: (&TriangleSurface, &Pose),
    (margin, depth): (f64, f64),
    out: &mut Vec<ContactPoint>,
) {
    let local = a.1.inverse().compose(b.1);
    let grow = margin.max(depth);
    let mut faces = near_box(a.0, b.0, &local, grow);
    faces.sort_unstable();
    let ridges_a = ridges(a.0, &faces, &Pose::IDENTITY);
    let mut faces = near_box(b.0, a.0, &local.inverse(), grow);
    faces.sort_unstable();
    let ridges_b = ridges(b.0, &faces, &local);
    let boxes: Vec<Aabb> = ridges_b
        .iter()
        .map(|r| Aabb::of_points(r.ends).grown(grow))
        .collect();
    for ra in &ridges_a {
        let around = Aabb::of_points(ra.ends);
        for (rb, bounds) in ridges_b.iter().zip(&boxes) {
            if !bounds.overlaps(&around) {
                continue;
            }
            let Some((normal, on_a, on_b)) = crossing(ra, rb) else {
                continue;
            };
            let gap = normal.dot(on_b - on_a);
            if gap <= margin && gap >= -depth {
                // 31 bits for each edge. Two of a pair rarely have the same: then one is shifted.
                let code = |r: &Ridge| {
                    u64::from(r.indices[0] ^ r.indices[1].rotate_left(13)) & 0x7FFF_FFFF
                };
                out.push(ContactPoint {
                    feature: 2 << KIND_SHIFT | code(ra) << 31 | code(rb),
                    normal: a.1.direction(normal),
                    point: a.1.point(0.5 * (on_a + on_b)),
                    gap,
                });
            }
        }
    }
}

/// The common perpendicular of two ridges, from the first to the second, and where it meets them.
/// Only if it meets both between their ends, points out of the first solid and into the second.
fn crossing(a: &Ridge, b: &Ridge) -> Option<(DVec3, DVec3, DVec3)> {
    let (u, v, w) = (
        a.ends[1] - a.ends[0],
        b.ends[1] - b.ends[0],
        b.ends[0] - a.ends[0],
    );
    let cross = u.cross(v);
    let square = cross.length_squared();
    if square <= PARALLEL_SQUARED * u.length_squared() * v.length_squared() {
        return None;
    }
    let (s, t) = (
        w.cross(v).dot(cross) / square,
        w.cross(u).dot(cross) / square,
    );
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return None;
    }
    let normal = cross / square.sqrt();
    let normal = normal * 1f64.copysign(normal.dot(a.normals[0] + a.normals[1]));
    // It must lie between the normals of the two faces. All three are perpendicular to the edge, so
    // the turns from one to the next have the same sense.
    let within = |r: &Ridge, n: DVec3| {
        let along = (r.ends[1] - r.ends[0]).normalize_or_zero();
        let [p, q] = r.normals;
        let turn = |x: DVec3, y: DVec3| along.dot(x.cross(y));
        // At the border of a sheet the two are the same, and the normal may lean in any way.
        p == q || (turn(p, n) * turn(n, q) >= -UPRIGHT && n.dot(p + q) > 0.0)
    };
    (within(a, normal) && within(b, -normal)).then_some((
        normal,
        a.ends[0] + u * s,
        b.ends[0] + v * t,
    ))
}
