//! What the narrow phase asks of a convex shape.

use glam::DVec3;

use super::normal::NormalCircle;
use crate::shape::Hull;

/// A bounded convex shape in its own frame: the convex ones among [`crate::Shape`], borrowed, and
/// the triangles of meshes, which are no shapes of their own. Every question below is answered for
/// each of them and for nothing else, without a case that cannot happen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Convex<'a> {
    Ball { radius: f64 },
    Box { half: DVec3 },
    Ellipsoid { semi_axes: DVec3 },
    Cylinder { radius: f64, half_height: f64 },
    Capsule { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    Hull(&'a Hull),
    Triangle([DVec3; 3]),
}

impl Convex<'_> {
    /// How far the shape extends beyond its core, m: the radius of balls and capsules, whose cores
    /// are points and segments. All other shapes are their own cores.
    pub(super) fn rounding(&self) -> f64 {
        match self {
            Self::Ball { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Box { .. }
            | Self::Ellipsoid { .. }
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Hull(_)
            | Self::Triangle(_) => 0.0,
        }
    }

    /// The point of the core that lies farthest along `direction`, which need not be a unit vector.
    pub(super) fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Self::Ball { .. } => DVec3::ZERO,
            Self::Box { half } => half.copysign(direction),
            Self::Ellipsoid { semi_axes } => {
                let scaled = *semi_axes * direction;
                let length = scaled.length();
                if length > 0.0 {
                    *semi_axes * scaled / length
                } else {
                    DVec3::Z * semi_axes.z
                }
            }
            Self::Cylinder {
                radius,
                half_height,
            } => disc_support(*radius, direction).with_z(half_height.copysign(direction.z)),
            Self::Capsule { half_height, .. } => DVec3::Z * half_height.copysign(direction.z),
            Self::Cone {
                radius,
                half_height,
            } => {
                let rim = disc_support(*radius, direction).with_z(-half_height);
                let apex = DVec3::Z * *half_height;
                if apex.dot(direction) >= rim.dot(direction) {
                    apex
                } else {
                    rim
                }
            }
            Self::Hull(hull) => farthest(hull.vertices(), direction),
            Self::Triangle(corners) => farthest(corners, direction),
        }
    }

    /// The second derivative of the core's support function at the unit vector `n`, applied to `t`:
    /// zero at corners, the radii of curvature where the surface is round.
    pub(super) fn curvature(&self, n: DVec3, t: DVec3) -> DVec3 {
        match self {
            Self::Ellipsoid { semi_axes } => {
                let q = *semi_axes * *semi_axes;
                let height = (*semi_axes * n).length();
                let qn = q * n / height;
                (q * t - qn * qn.dot(t)) / height
            }
            Self::Cylinder { radius, .. } => rim_curvature(*radius, n, t),
            Self::Cone { radius, .. } => {
                if self.support(n).z > 0.0 {
                    DVec3::ZERO
                } else {
                    rim_curvature(*radius, n, t)
                }
            }
            Self::Ball { .. }
            | Self::Box { .. }
            | Self::Capsule { .. }
            | Self::Hull(_)
            | Self::Triangle(_) => DVec3::ZERO,
        }
    }

    /// The circles of directions for which a straight edge or side line of the core is the support,
    /// if `n` is nearer to them than `angle` rad.
    pub(super) fn circles(&self, n: DVec3, angle: f64, mut f: impl FnMut(NormalCircle)) {
        let mut f = |c: NormalCircle| {
            if (c.axis.dot(n) - c.sine).abs() < angle {
                f(c);
            }
        };
        let mut edge = |axis: DVec3| f(NormalCircle { axis, sine: 0.0 });
        match self {
            Self::Ball { .. } | Self::Ellipsoid { .. } => {}
            Self::Box { .. } => [DVec3::X, DVec3::Y, DVec3::Z].into_iter().for_each(edge),
            Self::Cylinder { .. } | Self::Capsule { .. } => edge(DVec3::Z),
            Self::Cone {
                radius,
                half_height,
            } => f(NormalCircle {
                axis: DVec3::Z,
                sine: cone_sine(*radius, *half_height),
            }),
            Self::Hull(hull) => {
                let top = self.support(n);
                let vertices = hull.vertices();
                for e in hull.edges() {
                    let [p, q] = e.vertices.map(|k| vertices[k as usize]);
                    if (p == top || q == top)
                        && let Some(along) = (q - p).try_normalize()
                    {
                        edge(along);
                    }
                }
            }
            Self::Triangle([a, b, c]) => {
                for side in [*b - *a, *c - *b, *a - *c] {
                    if let Some(along) = side.try_normalize() {
                        edge(along);
                    }
                }
            }
        }
    }

    /// The outward normals of the flat faces within `angle` rad of `n`; of all faces when that is
    /// more than half a turn.
    pub(super) fn face_normals(&self, n: DVec3, angle: f64, mut f: impl FnMut(DVec3)) {
        let all = angle > std::f64::consts::PI;
        let least = angle.cos();
        let mut f = |normal: DVec3| {
            if all || normal.dot(n) > least {
                f(normal);
            }
        };
        match self {
            Self::Ball { .. } | Self::Ellipsoid { .. } | Self::Capsule { .. } => {}
            Self::Box { .. } => {
                for axis in DVec3::AXES {
                    f(axis);
                    f(-axis);
                }
            }
            Self::Cylinder { .. } => {
                f(DVec3::Z);
                f(-DVec3::Z);
            }
            Self::Cone { .. } => f(-DVec3::Z),
            Self::Hull(hull) => (0..hull.face_count()).for_each(|k| f(hull.face(k).0)),
            Self::Triangle([a, b, c]) => {
                if let Some(normal) = (*b - *a).cross(*c - *a).try_normalize() {
                    f(normal);
                    f(-normal);
                }
            }
        }
    }

    /// Radius of a sphere around the frame's origin that contains the shape, m.
    pub(super) fn radius_about_origin(&self) -> f64 {
        match self {
            Self::Ball { radius } => *radius,
            Self::Box { half } => half.length(),
            Self::Ellipsoid { semi_axes } => semi_axes.max_element(),
            Self::Cylinder {
                radius,
                half_height,
            }
            | Self::Cone {
                radius,
                half_height,
            } => radius.hypot(*half_height),
            Self::Capsule {
                radius,
                half_height,
            } => radius + half_height,
            Self::Hull(hull) => hull.radius(),
            Self::Triangle(corners) => greatest_length(corners),
        }
    }

    /// The length in which tolerances are measured, m: about half the shape's extent, wherever the
    /// origin of its frame lies.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Ball { .. }
            | Self::Box { .. }
            | Self::Ellipsoid { .. }
            | Self::Cylinder { .. }
            | Self::Capsule { .. }
            | Self::Cone { .. } => self.radius_about_origin(),
            Self::Hull(hull) => 0.5 * hull.extent(),
            Self::Triangle([a, b, c]) => {
                0.5 * a.distance(*b).max(b.distance(*c)).max(c.distance(*a))
            }
        }
    }

    /// Whether the core has corners, edges and flat faces only.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Self::Ball { .. }
            | Self::Box { .. }
            | Self::Capsule { .. }
            | Self::Hull(_)
            | Self::Triangle(_) => true,
            Self::Ellipsoid { .. } | Self::Cylinder { .. } | Self::Cone { .. } => false,
        }
    }
}

/// The point of a disc in the x-y plane farthest along `direction`.
pub(super) fn disc_support(radius: f64, direction: DVec3) -> DVec3 {
    // Not `hypot`, which guards against overflow and is much slower: directions are near unit
    // length.
    let length = (direction.x * direction.x + direction.y * direction.y).sqrt();
    if length > 0.0 {
        DVec3::new(direction.x, direction.y, 0.0) * (radius / length)
    } else {
        DVec3::new(radius, 0.0, 0.0)
    }
}

/// Curvature of the support function of a rim about z.
fn rim_curvature(radius: f64, n: DVec3, t: DVec3) -> DVec3 {
    let flat = |v: DVec3| v.with_z(0.0);
    // Along the axis the rim is seen flat and its curvature is infinite: this keeps it a number.
    let across = flat(n).length().max(1e-12);
    let radial = flat(n) / across;
    (flat(t) - radial * radial.dot(t)) * (radius / across)
}

/// The component along the axis of the normals of a cone's side.
pub(super) fn cone_sine(radius: f64, half_height: f64) -> f64 {
    radius / radius.hypot(2.0 * half_height)
}

/// The first of the points that lie farthest along `direction`.
fn farthest(points: &[DVec3], direction: DVec3) -> DVec3 {
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
    for &p in points {
        let along = p.dot(direction);
        if along > best.0 {
            best = (along, p);
        }
    }
    best.1
}

fn greatest_length(points: &[DVec3]) -> f64 {
    points
        .iter()
        .map(|p| p.length_squared())
        .fold(0.0, f64::max)
        .sqrt()
}
