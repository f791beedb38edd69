//! A plane against everything: the points of the other shape that are lowest, or may be.
//!
//! Corners are taken as they are. A round rim gives [`RIM`] points that are fixed to the body, so
//! that they do not jump from step to step, and, when the body is tilted, its lowest point.

use std::f64::consts::TAU;

use glam::DVec3;

use super::ContactPoint;
use super::convex::Convex;
use crate::pose::Pose;

/// Fixed points on a rim: as many as two convex shapes have at most.
pub(super) const RIM: u32 = 8;
/// Features of the lowest points of rims: above those of the fixed ones of two rims.
const LOWEST: u64 = 2 * RIM as u64;
/// Sine of the tilt below which a rim lies flat. Its lowest point would wander about, and be lower
/// than the lowest fixed one by at most 8 % of this times the radius.
const FLAT: f64 = 1e-5;
/// Sine of the tilt above which only the lowest point of a rim counts: about 6°. The body rolls.
const ROLLING: f64 = 0.1;
/// How near to the lowest point a fixed one is left out, in distances of the fixed ones: the two
/// would say the same.
const BESIDE: f64 = 0.25;

/// A plane, as seen from the frame of the other body, that collects contacts.
struct PlaneBelow<'a> {
    pose: &'a Pose,
    /// Away from the plane, in the world.
    normal: DVec3,
    /// The same in the body's frame.
    up: DVec3,
    /// Height of the body frame's origin above the plane.
    height: f64,
    margin: f64,
    out: &'a mut Vec<ContactPoint>,
}

impl PlaneBelow<'_> {
    /// Adds the point `local` of the body, if it is near enough.
    fn push(&mut self, feature: u64, local: DVec3) {
        let gap = self.height + self.up.dot(local);
        if gap <= self.margin {
            self.out.push(ContactPoint {
                feature,
                normal: self.normal,
                point: self.pose.point(local) - self.normal * (0.5 * gap),
                gap,
            });
        }
    }

    /// The rim of `radius` at height `z` of the body's axis; `which` tells the rims of a body
    /// apart.
    fn rim(&mut self, which: u64, radius: f64, z: f64) {
        let across = DVec3::new(self.up.x, self.up.y, 0.0);
        let tilt = across.length();
        let lowest = (tilt > FLAT).then(|| DVec3::Z * z - across * (radius / tilt));
        if let Some(p) = lowest {
            self.push(LOWEST + which, p);
        }
        if tilt > ROLLING {
            return;
        }
        let near = radius * BESIDE * TAU / f64::from(RIM);
        for k in 0..RIM {
            let p = rim_point(k, RIM, radius, z);
            if lowest.is_none_or(|l| (l - p).length() > near) {
                self.push(which * u64::from(RIM) + u64::from(k), p);
            }
        }
    }
}

/// Point `k` of `count` on a rim.
pub(super) fn rim_point(k: u32, count: u32, radius: f64, z: f64) -> DVec3 {
    let (sin, cos) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
    DVec3::new(radius * cos, radius * sin, z)
}

/// Contacts of a plane with a convex shape.
pub(super) fn plane_convex(
    plane: &Pose,
    (shape, pose): (&Convex, &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = plane.direction(DVec3::Z);
    let mut below = PlaneBelow {
        pose,
        normal,
        up: pose.local_direction(normal),
        height: normal.dot(pose.position - plane.position),
        margin,
        out,
    };
    match shape {
        Convex::Ball { radius } => below.push(0, below.up * -radius),
        Convex::Box { half } => {
            for k in 0..8 {
                below.push(k, box_corner(*half, k as usize));
            }
        }
        Convex::Ellipsoid { semi_axes } => {
            let scaled = *semi_axes * below.up;
            below.push(0, *semi_axes * scaled / -scaled.length());
        }
        Convex::Cylinder {
            radius,
            half_height,
        } => {
            below.rim(0, *radius, -half_height);
            below.rim(1, *radius, *half_height);
        }
        Convex::Cone {
            radius,
            half_height,
        } => {
            below.rim(0, *radius, -half_height);
            below.push(LOWEST + 2, DVec3::Z * *half_height);
        }
        Convex::Capsule {
            radius,
            half_height,
        } => {
            for (feature, z) in [(0, -half_height), (1, *half_height)] {
                below.push(feature, DVec3::Z * z - below.up * *radius);
            }
        }
        Convex::Hull(hull) => vertices(&mut below, hull.vertices()),
        Convex::Triangle(corners) => vertices(&mut below, corners),
    }
}

/// Contacts of a plane with a cloud of points: the vertices of a mesh.
pub(super) fn plane_points(
    plane: &Pose,
    (points, pose): (&[DVec3], &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = plane.direction(DVec3::Z);
    let mut below = PlaneBelow {
        pose,
        normal,
        up: pose.local_direction(normal),
        height: normal.dot(pose.position - plane.position),
        margin,
        out,
    };
    vertices(&mut below, points);
}

fn vertices(below: &mut PlaneBelow, points: &[DVec3]) {
    for (k, &p) in points.iter().enumerate() {
        below.push(k as u64, p);
    }
}

/// Corner `k` of a box: bit 0, 1, 2 set where x, y, z are positive.
pub(super) fn box_corner(half: DVec3, k: usize) -> DVec3 {
    let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
    half * DVec3::new(sign(1), sign(2), sign(4))
}
