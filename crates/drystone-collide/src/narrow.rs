//! Where two shapes touch.
//!
//! One entry, [`contacts`], picks the way by the two kinds of shape: own fast paths where grains spend their time and where the
//! library is weak, the `parry3d-f64` library (in one module) for the rest.
//!
//! A pair of convex shapes has one normal: the direction of greatest separation, which is that of the shortest connection when
//! they are apart and of the shallowest overlap when not. Its points come from clipping the flat features that face each other,
//! at most eight.
//!
//! # Accuracy and limits
//!
//! - Normals of ellipsoids against any convex shape are right to 1e-9, those of other pairs to 1e-7 (1e-5 when shapes are a hundred
//!   times longer than wide), at any gap down to rounding; so say the tests. In deep overlap, a tenth of the size and more, the
//!   direction is the best that the library's search leads to.
//! - The polygon that stands for the end of a cylinder or cone has 16 corners; its lowest point is added when it is tilted.
//! - A sphere is found inside a closed mesh up to its radius, another mesh up to 2 % of the smaller size, a convex shape while it
//!   cuts the surface. What has sunk below a height field is found at any depth that [`crate::shape::HeightField::depth`] spans.
//! - Meshes and convex shapes meet triangle by triangle: on rough ground a body has a few points for each direction.

mod box_box;
mod clip;
mod convex;
mod ellipsoid;
mod facet;
mod general;
mod mesh;
mod mesh_convex;
mod mesh_mesh;
mod normal;
mod plane;
mod sphere;
mod spread;
mod surface;

use glam::DVec3;

use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use convex::Convex;
use surface::Surface;

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
    near: Vec<mesh::Near>,
    faces: Vec<u32>,
    found: Vec<Point>,
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
#[derive(Clone, Copy)]
enum Kind<'a> {
    Convex(Convex<'a>),
    Plane,
    Surface(Surface<'a>),
    Compound(&'a Compound),
}

impl<'a> Kind<'a> {
    fn of(shape: &'a Shape) -> Self {
        match shape {
            Shape::Sphere { radius } => Self::Convex(Convex::Ball { radius: *radius }),
            Shape::Box { half } => Self::Convex(Convex::Box { half: *half }),
            Shape::Ellipsoid { semi_axes } => Self::Convex(Convex::Ellipsoid {
                semi_axes: *semi_axes,
            }),
            Shape::Cylinder {
                radius,
                half_height,
            } => Self::Convex(Convex::Cylinder {
                radius: *radius,
                half_height: *half_height,
            }),
            Shape::Capsule {
                radius,
                half_height,
            } => Self::Convex(Convex::Capsule {
                radius: *radius,
                half_height: *half_height,
            }),
            Shape::Cone {
                radius,
                half_height,
            } => Self::Convex(Convex::Cone {
                radius: *radius,
                half_height: *half_height,
            }),
            Shape::Hull(hull) => Self::Convex(Convex::Hull(hull)),
            Shape::Plane => Self::Plane,
            Shape::Mesh(mesh) => Self::Surface(Surface::Mesh(mesh)),
            Shape::HeightField(field) => Self::Surface(Surface::Field(field)),
            Shape::Compound(compound) => Self::Compound(compound),
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
    use Kind::{Compound, Convex, Plane, Surface};
    match (Kind::of(a.0), Kind::of(b.0)) {
        (Convex(first), Convex(second)) => {
            convex_pair((&first, a.1), (&second, b.1), margin, scratch, out);
        }
        (Plane, Convex(shape)) => plane::plane_convex(a.1, (&shape, b.1), margin, out),
        (Compound(compound), Convex(_) | Plane | Surface(_) | Compound(_)) => {
            for (k, (local, shape)) in compound.parts().iter().enumerate() {
                let first = out.len();
                pair((shape, &a.1.compose(local)), b, margin, scratch, out);
                mark_part(&mut out[first..], k);
            }
        }
        (Surface(surface), Convex(shape)) => {
            surface_convex((&surface, a.1), (&shape, b.1), margin, scratch, out);
        }
        (Surface(first), Surface(second)) => {
            mesh_mesh::contacts((&first, a.1), (&second, b.1), margin, scratch, out);
        }
        (Plane, Surface(surface)) => {
            mesh_mesh::plane_surface(a.1, (&surface, b.1), margin, out);
        }
        (Convex(_), Plane | Surface(_) | Compound(_))
        | (Plane, Compound(_))
        | (Surface(_), Plane | Compound(_)) => {
            swapped(out, |out| pair(b, a, margin, scratch, out));
        }
        // Both are infinite and fixed.
        (Plane, Plane) => {}
    }
}

/// A surface and a convex shape: balls have their own way.
fn surface_convex(
    a: (&Surface, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    match b.0 {
        Convex::Ball { radius } => {
            let ball = (*radius, b.1.position);
            mesh::surface_sphere(a, ball, margin, &mut scratch.near, out);
        }
        Convex::Box { .. }
        | Convex::Ellipsoid { .. }
        | Convex::Cylinder { .. }
        | Convex::Capsule { .. }
        | Convex::Cone { .. }
        | Convex::Hull(_)
        | Convex::Triangle(_) => mesh_convex::surface_convex(a, b, margin, scratch, out),
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
        (Convex::Ellipsoid { .. }, Convex::Ellipsoid { .. }) => {
            ellipsoid::contacts(a, b, margin, out);
        }
        (Convex::Box { half: half_a }, Convex::Box { half: half_b }) => {
            box_box::contacts((*half_a, a.1), (*half_b, b.1), margin, scratch, out);
        }
        (_, _) => general::contacts(a, b, margin, scratch, out),
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
        Convex::Ellipsoid { .. } => {
            let pose_b = Pose::at(ball.1);
            let other = Convex::Ball { radius: ball.0 };
            ellipsoid::contacts((shape, pose), (&other, &pose_b), margin, out);
        }
        Convex::Hull(_) | Convex::Triangle(_) => return false,
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
