//! Where two shapes touch.
//!
//! One entry, [`contacts`], picks the way by the two kinds of shape: own fast paths where grains spend their time and where the
//! library is weak, the `parry3d-f64` library (in one module) for the rest.
//!
//! A pair of convex shapes has one normal: the direction of greatest separation, which is that of the shortest connection when
//! they are apart and of the shallowest overlap when not. Its points come from clipping the flat features that face each other.

mod clip;
mod convex;
mod facet;
mod general;
mod normal;
mod plane;
mod sphere;

use glam::DVec3;

use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use convex::Convex;

/// One contact point of a pair, before it gets its objects' indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Which point of the pair: see [`crate::ContactId::feature`].
    pub feature: u64,
    /// Unit normal in the world, from the first shape to the second.
    pub normal: DVec3,
    /// World point midway between the surfaces, m.
    pub point: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
}

/// Work memory of the narrow phase, one a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    general: general::Solver,
    clip: clip::Clipper,
}

/// Appends the contact points of `a` and `b` whose gap is at most `margin`, in ascending order of their features, which are
/// different from each other. `scratch` is memory to be used again. A pose that is not finite touches nothing.
pub fn contacts(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    if !a.1.is_finite() || !b.1.is_finite() || margin.is_nan() {
        return;
    }
    let first = out.len();
    pair(a, b, margin, scratch, out);
    let new = &mut out[first..];
    if new.len() > 1 {
        new.sort_unstable_by_key(|p| p.feature);
        // Counters wider than their field could coincide: rather a shifted identity than two the same.
        for k in 1..new.len() {
            if new[k].feature <= new[k - 1].feature {
                new[k].feature = new[k - 1].feature + 1;
            }
        }
    }
}

/// What the ways differ by.
enum Kind<'a> {
    Convex(Convex<'a>),
    Plane,
    Compound(&'a Compound),
}

impl<'a> Kind<'a> {
    fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Sphere { .. }
            | Shape::Box { .. }
            | Shape::Ellipsoid { .. }
            | Shape::Cylinder { .. }
            | Shape::Capsule { .. }
            | Shape::Cone { .. }
            | Shape::Hull(_) => Convex::of(shape).map(Self::Convex),
            Shape::Plane => Some(Self::Plane),
            Shape::Mesh(_) | Shape::HeightField(_) => None,
            Shape::Compound(compound) => Some(Self::Compound(compound)),
        }
    }
}

/// Dispatch by the kinds.
fn pair(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    let (Some(kind_a), Some(kind_b)) = (Kind::of(a.0), Kind::of(b.0)) else {
        return;
    };
    match (&kind_a, &kind_b) {
        (Kind::Compound(compound), Kind::Convex(_) | Kind::Plane | Kind::Compound(_)) => {
            for (k, (local, shape)) in compound.parts().iter().enumerate() {
                let first = out.len();
                pair((shape, &a.1.compose(local)), b, margin, scratch, out);
                mark_part(&mut out[first..], k);
            }
        }
        (Kind::Plane, Kind::Convex(convex)) => plane::plane_convex(a.1, (convex, b.1), margin, out),
        (Kind::Convex(first), Kind::Convex(second)) => {
            convex_pair((first, a.1), (second, b.1), margin, scratch, out);
        }
        (Kind::Convex(_), Kind::Plane | Kind::Compound(_)) | (Kind::Plane, Kind::Compound(_)) => {
            swapped(out, |out| pair(b, a, margin, scratch, out));
        }
        // Both are infinite and fixed.
        (Kind::Plane, Kind::Plane) => {}
    }
}

/// Two convex shapes: closed forms first.
fn convex_pair(
    a: (&Convex, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    match (a.0, b.0) {
        (Convex::Ball { radius: ra }, Convex::Ball { radius: rb }) => {
            sphere::sphere_sphere((*ra, a.1.position), (*rb, b.1.position), margin, out);
        }
        (other, Convex::Ball { radius }) => {
            let ball = (*radius, b.1.position);
            if !ball_pair((other, a.1), ball, margin, out) {
                general::contacts(a, b, margin, scratch, out);
            }
        }
        (Convex::Ball { .. }, _) => {
            swapped(out, |out| convex_pair(b, a, margin, scratch, out));
        }
        (first, second) => {
            general::contacts((first, a.1), (second, b.1), margin, scratch, out);
        }
    }
}

/// A convex shape and a ball in closed form; false for those without one.
fn ball_pair(
    (shape, pose): (&Convex, &Pose),
    ball: (f64, DVec3),
    margin: f64,
    out: &mut Vec<Point>,
) -> bool {
    match *shape {
        Convex::Ball { radius } => {
            sphere::sphere_sphere((radius, pose.position), ball, margin, out);
        }
        Convex::Box { half } => sphere::box_sphere((half, pose), ball, margin, out),
        Convex::Capsule {
            radius,
            half_height,
        } => sphere::capsule_sphere((radius, half_height, pose), ball, margin, out),
        Convex::Cylinder {
            radius,
            half_height,
        } => {
            let profile = sphere::cylinder_profile(radius, half_height);
            sphere::revolved_sphere((&profile, pose), ball, margin, out);
        }
        Convex::Cone {
            radius,
            half_height,
        } => {
            let profile = sphere::cone_profile(radius, half_height);
            sphere::revolved_sphere((&profile, pose), ball, margin, out);
        }
        Convex::Ellipsoid { .. } | Convex::Hull(_) | Convex::Triangle(_) => return false,
    }
    true
}

/// Runs `f`, whose normals point from the second shape to the first, and turns them round.
fn swapped(out: &mut Vec<Point>, f: impl FnOnce(&mut Vec<Point>)) {
    let first = out.len();
    f(out);
    for p in &mut out[first..] {
        p.normal = -p.normal;
    }
}

/// Marks features as those of part `part` of a compound. The upper half of a feature counts parts, eight bits for the first
/// compound, the rest for the second or for the faces of a mesh.
fn mark_part(points: &mut [Point], part: usize) {
    for p in points {
        let (high, low) = (p.feature >> 32, p.feature & u64::from(u32::MAX));
        p.feature = ((high << 8) ^ part as u64) << 32 | low;
    }
}
