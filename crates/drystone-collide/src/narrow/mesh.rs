//! A sphere, or a single point, against a surface of triangles.
//!
//! Each near triangle has a nearest feature: its face, an edge or a vertex. A feature counts only
//! if all triangles that share it agree that it is the nearest. So edges and vertices inside a flat
//! or hollow part give no contact, and a sphere on a floor of triangles meets the plane. A sphere
//! is pushed to the side of a sheet on which its centre lies, and out of a solid.

use glam::DVec3;

use super::ContactPoint;
use super::surface::{SurfaceTriangle, TriangleFeature, TriangleSurface, local_code};
use crate::aabb::Aabb;
use crate::pose::Pose;

/// How near two nearest points must be to be one, in shares of the sphere's radius: more than
/// rounding, less than any distance that matters.
const SAME_PLACE: f64 = 1e-7;
/// How far the centre must be from an edge or vertex for their connection to have a direction, in
/// shares of the sphere's radius.
const APART: f64 = 1e-9;

/// A triangle near the ball, and its point that is nearest to the ball's centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearTriangle {
    face: u32,
    triangle: SurfaceTriangle,
    nearest: DVec3,
    feature: TriangleFeature,
    distance: f64,
}

/// A ball, or a point, that looks for contacts with a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// Centre in the surface's frame.
    pub center: DVec3,
    /// Radius, m; zero for a point.
    pub radius: f64,
    /// Largest gap of interest, m.
    pub margin: f64,
    /// How deep inside a solid the centre may be and still be found, m.
    pub depth: f64,
    /// A point on the outer side: a sheet has none of its own.
    pub side: DVec3,
}

/// A contact in the surface's frame, the normal away from the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceContact {
    pub code: u64,
    pub normal: DVec3,
    pub middle: DVec3,
    pub gap: f64,
}

/// Contacts of a surface with a sphere.
pub(super) fn surface_sphere(
    (surface, pose): (&TriangleSurface, &Pose),
    (radius, center): (f64, DVec3),
    margin: f64,
    near: &mut Vec<NearTriangle>,
    out: &mut Vec<ContactPoint>,
) {
    let center = pose.local_point(center);
    let probe = Probe {
        center,
        radius,
        margin,
        depth: radius,
        side: center,
    };
    probe.touches(surface, near, |t| {
        out.push(ContactPoint {
            feature: t.code,
            normal: pose.direction(t.normal),
            point: pose.point(t.middle),
            gap: t.gap,
        });
    });
}

impl Probe {
    /// Calls `f` with every contact.
    pub(super) fn touches(
        &self,
        surface: &TriangleSurface,
        near: &mut Vec<NearTriangle>,
        mut f: impl FnMut(SurfaceContact),
    ) {
        self.collect(surface, near);
        let solid = surface.solid();
        if solid && let Some(first) = near.first() {
            let (normal, distance) = self.place(near, first, true);
            if distance < 0.0 {
                // The centre is inside: one contact, along the shortest way out.
                f(self.touch(first, normal, distance));
                return;
            }
        }
        for k in 0..near.len() {
            let n = &near[k];
            if n.distance - self.radius > self.margin.max(self.depth) {
                break;
            }
            if hidden(near, k) || self.is_reported(&near[..k], n) {
                continue;
            }
            let (normal, distance) = self.place(near, n, solid);
            // Behind a wall of a solid, or too deep behind a sheet.
            let behind = distance < if solid { 0.0 } else { -self.depth };
            if !behind && distance - self.radius <= self.margin {
                f(self.touch(n, normal, distance));
            }
        }
    }

    /// The near triangles, the nearest first.
    fn collect(&self, surface: &TriangleSurface, near: &mut Vec<NearTriangle>) {
        near.clear();
        let reach = (self.radius + self.margin).max(self.depth);
        let region = Aabb::around(self.center, DVec3::splat(reach));
        let field = matches!(surface, TriangleSurface::Field(_));
        surface.near(&region, |face| {
            let triangle = surface.triangle(face);
            let (nearest, feature) = triangle.nearest(self.center);
            let distance = self.center.distance(nearest);
            // Under a height field the centre may be at any depth.
            if distance <= reach || (field && triangle.height(self.center) < 0.0) {
                near.push(NearTriangle {
                    face,
                    triangle,
                    nearest,
                    feature,
                    distance,
                });
            }
        });
        near.sort_unstable_by(|m, n| m.distance.total_cmp(&n.distance).then(m.face.cmp(&n.face)));
    }

    /// Whether a nearer triangle has reported the same place: rounding may put a point of a common
    /// edge on both faces.
    fn is_reported(&self, before: &[NearTriangle], n: &NearTriangle) -> bool {
        let slack = SAME_PLACE * self.radius;
        before
            .iter()
            .any(|m| (m.nearest - n.nearest).length_squared() < slack * slack)
    }

    /// The unit normal at a near feature, out of the solid or to the outer side of the sheet, and
    /// the centre's distance along it.
    fn place(&self, near: &[NearTriangle], n: &NearTriangle, solid: bool) -> (DVec3, f64) {
        let mut out = pseudo_normal(near, n);
        if !solid && out.dot(self.side - n.nearest) < 0.0 {
            out = -out;
        }
        let apart = self.center - n.nearest;
        let distance = n.distance.copysign(out.dot(apart));
        // A face has a normal. At an edge or vertex it is the connection, where that has a
        // direction.
        if n.feature != TriangleFeature::Face && n.distance > APART * self.radius {
            (apart / distance, distance)
        } else {
            (out, distance)
        }
    }

    fn touch(&self, n: &NearTriangle, normal: DVec3, distance: f64) -> SurfaceContact {
        let gap = distance - self.radius;
        SurfaceContact {
            code: u64::from(n.face) << 32 | local_code(&n.triangle, n.feature),
            normal,
            middle: n.nearest + normal * (distance - self.radius - 0.5 * gap),
            gap,
        }
    }
}

/// Whether a nearer triangle shares the edge or vertex that is nearest on triangle `k`: it has
/// reported it already, or has a nearer point. Ties go to the one that comes first, so that
/// rounding cannot make two triangles hide each other.
fn hidden(near: &[NearTriangle], k: usize) -> bool {
    let n = &near[k];
    n.feature != TriangleFeature::Face && near[..k].iter().any(|m| m.triangle.has(n.feature))
}

/// A unit normal of a feature that tells inside from outside: the sum of the normals of the faces
/// that share it, weighted by their angles (Bærentzen and Aanæs, "Signed distance computation using
/// the angle weighted pseudonormal", 2005).
fn pseudo_normal(near: &[NearTriangle], at: &NearTriangle) -> DVec3 {
    let sum: DVec3 = match at.feature {
        TriangleFeature::Face => return at.triangle.normal,
        TriangleFeature::Edge(_) => near
            .iter()
            .filter(|m| m.triangle.has(at.feature))
            .map(|m| m.triangle.normal)
            .sum(),
        TriangleFeature::Vertex(v) => near
            .iter()
            .map(|m| m.triangle.normal * m.triangle.angle_at(v))
            .sum(),
    };
    sum.normalize_or(at.triangle.normal)
}
