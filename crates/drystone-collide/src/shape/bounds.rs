//! Boxes and balls around shapes.

use glam::DVec3;

use super::Shape;
use crate::aabb::Aabb;
use crate::pose::Pose;

impl Shape {
    /// The smallest box along the world's axes that contains the shape at `pose`; everything for a
    /// plane.
    ///
    /// The box of a height field reaches [`super::HeightField::depth`] below its lowest point, so
    /// that what has sunk in is still found. When the field is turned, it is the box around its
    /// own turned box.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere { radius } => Aabb::around(pose.position, DVec3::splat(*radius)),
            Self::Box { half } => Aabb::around(pose.position, turned_half(pose, *half)),
            Self::Ellipsoid { semi_axes } => {
                let [x, y, z] = axes(pose, *semi_axes);
                let half = (x * x + y * y + z * z).map(f64::sqrt);
                Aabb::around(pose.position, half)
            }
            Self::Cylinder {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                let half = axis.abs() * *half_height + disc(axis, *radius);
                Aabb::around(pose.position, half)
            }
            Self::Capsule {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                Aabb::around(pose.position, axis.abs() * *half_height + *radius)
            }
            Self::Cone {
                radius,
                half_height,
            } => {
                let axis = pose.direction(DVec3::Z);
                let base = Aabb::around(pose.position - axis * *half_height, disc(axis, *radius));
                let apex = pose.position + axis * *half_height;
                base.union(&Aabb::around(apex, DVec3::ZERO))
            }
            Self::Plane => Aabb::EVERYTHING,
            Self::Hull(hull) => Aabb::of_points(hull.vertices().iter().map(|&p| pose.point(p))),
            Self::Mesh(mesh) => mesh.aabb(pose),
            Self::HeightField(field) => {
                let b = field.bounds();
                let half = turned_half(pose, 0.5 * b.extent());
                Aabb::around(pose.point(b.center()), half)
            }
            Self::Compound(compound) => compound
                .parts()
                .iter()
                .map(|(local, shape)| shape.aabb(&pose.compose(local)))
                .fold(Aabb::EMPTY, |all, b| all.union(&b)),
        }
    }

    /// Radius of the smallest ball around the shape frame's origin that contains the shape, m;
    /// infinite for a plane.
    ///
    /// For a compound it is an upper bound: the greatest over the parts of distance plus radius.
    /// For a height field it is that of its surface. Cheap for every shape: those with many
    /// vertices know it from the start.
    pub fn radius_about_origin(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
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
            Self::Plane => f64::INFINITY,
            Self::Hull(hull) => hull.radius(),
            Self::Mesh(mesh) => mesh.radius(),
            Self::HeightField(field) => field.radius(),
            Self::Compound(compound) => compound.radius(),
        }
    }
}

/// The local axes in the world, each times its length.
fn axes(pose: &Pose, lengths: DVec3) -> [DVec3; 3] {
    [
        pose.direction(DVec3::X * lengths.x),
        pose.direction(DVec3::Y * lengths.y),
        pose.direction(DVec3::Z * lengths.z),
    ]
}

/// Half the world extents of a box with half lengths `half`.
pub(super) fn turned_half(pose: &Pose, half: DVec3) -> DVec3 {
    let [x, y, z] = axes(pose, half);
    x.abs() + y.abs() + z.abs()
}

/// Half the world extents of a disc of `radius` perpendicular to the unit vector `axis`.
fn disc(axis: DVec3, radius: f64) -> DVec3 {
    // The square of a component may exceed 1 by rounding.
    (DVec3::ONE - axis * axis).map(|s| radius * s.max(0.0).sqrt())
}

/// The greatest distance from the origin.
pub(super) fn farthest(points: impl Iterator<Item = DVec3>) -> f64 {
    points
        .map(|p| p.length_squared())
        .fold(0.0, f64::max)
        .sqrt()
}
