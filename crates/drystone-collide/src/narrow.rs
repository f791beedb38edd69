//! Where two shapes touch.
//!
//! There is one entry, [`contacts`]. It picks the way by the two kinds of shape: closed forms and
//! own algorithms for the pairs that grains, bricks and walls make, and where the `parry3d-f64`
//! library is weak; that library, behind one module, for the rest.
//!
//! A pair of convex shapes has one normal: the direction of greatest separation. For shapes that
//! are apart it is the direction of the shortest connection, for overlapping ones that of the
//! shallowest overlap. The contact points, at most eight, come from clipping the flat features that
//! face each other, and from the corners of each shape that are within the margin of the other's
//! surface, flat or round: the margin says how far things may move before the next search.
//!
//! # The files
//!
//! | pair | file, in `src/narrow/` |
//! |---|---|
//! | a sphere and a sphere, box, capsule, cylinder or cone | `sphere.rs`, closed forms |
//! | ellipsoids, or one and a sphere | `ellipsoid.rs`, Newton's method |
//! | two boxes | `box_box.rs`, the fifteen separating axes |
//! | any other two convex shapes | `general.rs`, with a first guess by the library |
//! | a plane and anything | `plane.rs` |
//! | a mesh or height field and a sphere | `mesh.rs` |
//! | a mesh or height field and another convex shape | `mesh_convex.rs` |
//! | two meshes, or one and a height field or plane | `mesh_mesh.rs` |
//!
//! What they share: `convex.rs` and `facet.rs` say what is asked of a convex shape, `normal.rs`
//! finds the normal of a pair, `clip.rs` its points (with `segments.rs` for straight features),
//! `corners.rs` adds corners that may come to touch (by `chord.rs`: how far a corner is from a
//! surface along a line), `spread.rs` thins them out, and `surface.rs` makes meshes and height
//! fields look the same.
//!
//! # Accuracy and limits
//!
//! - Normals of ellipsoids against any convex shape are right to 1e-9
//!   (`tests/narrow_ellipsoid.rs`). Where two features face each other, those of all other pairs
//!   are right to 1e-7, at any gap down to rounding (`tests/narrow_convex.rs`). When shapes are up
//!   to a hundred times longer than wide, the two orders of a pair agree to 1e-5
//!   (`tests/narrow_random.rs`).
//! - In deep overlap, a tenth of the size and more, the normal is the best that the library's
//!   search leads to.
//! - The polygon that stands for the end of a cylinder or cone has 16 corners. When the end is
//!   tilted, its lowest point is added.
//! - Inside a closed mesh, a sphere is found up to a depth of its radius, another mesh up to 2 % of
//!   the smaller size, and a convex shape as long as it cuts the surface. What has sunk below a
//!   height field is found as far down as [`crate::shape::HeightField::depth`] says.
//! - Meshes and convex shapes meet triangle by triangle: on rough ground a body has a few points
//!   for each direction.

mod box_box;
mod chord;
mod clip;
mod convex;
mod corners;
mod ellipsoid;
mod facet;
mod general;
mod mesh;
mod mesh_convex;
mod mesh_mesh;
mod normal;
mod plane;
mod segments;
mod sphere;
mod spread;
mod surface;

use glam::DVec3;

use crate::pose::Pose;
use crate::shape::{Compound, Shape};
use convex::Convex;
pub(crate) use general::convex_pieces;
use surface::TriangleSurface;

/// One contact point of a pair, before it gets its objects' indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Which point of the pair: see [`crate::ContactId::feature`].
    pub feature: u64,
    /// Unit normal in the world, from the first shape to the second.
    pub normal: DVec3,
    /// World point midway between the surfaces, m.
    pub point: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
}

/// Work memory of the narrow phase. Each thread needs its own.
#[derive(Debug, Default)]
pub struct Scratch {
    general: general::GjkEpa,
    clip: clip::Clipper,
    near: Vec<mesh::NearTriangle>,
    faces: Vec<u32>,
    found: Vec<ContactPoint>,
}

/// Appends the contact points of `a` and `b` whose gap is at most `margin` m.
///
/// They come in ascending order of their features, which are all different. `scratch` is memory
/// that is used again from call to call; it does not change the result. A pose that is not finite
/// touches nothing.
///
/// ```
/// use drystone_collide::narrow::{Scratch, contacts};
/// use drystone_collide::{Pose, Shape};
///
/// let (ground, brick) = (Shape::plane(), Shape::box_of([0.2, 0.1, 0.05])?);
/// let place = Pose::at([0.0, 0.0, 0.05]);
/// let (mut scratch, mut points) = (Scratch::default(), Vec::new());
/// contacts((&ground, &Pose::IDENTITY), (&brick, &place), 1e-3, &mut scratch, &mut points);
/// // The four lower corners; the normal points from the ground to the brick.
/// assert_eq!(points.len(), 4);
/// assert!(points.iter().all(|p| p.normal == glam::DVec3::Z && p.gap.abs() < 1e-15));
/// # Ok::<(), drystone_collide::ShapeError>(())
/// ```
pub fn contacts(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    if !a.1.is_finite() || !b.1.is_finite() || margin.is_nan() {
        return;
    }
    let first = out.len();
    pair(a, b, margin, scratch, out);
    let new = &mut out[first..];
    if new.len() > 1 {
        new.sort_unstable_by_key(|p| p.feature);
        // A counter that outgrows its bits could give two points one feature. Better a feature that
        // is shifted than two that are the same.
        for k in 1..new.len() {
            if new[k].feature <= new[k - 1].feature {
                new[k].feature = new[k - 1].feature + 1;
            }
        }
    }
}

/// The kinds of shape that have algorithms of their own.
#[derive(Clone, Copy)]
enum ShapeClass<'a> {
    Convex(Convex<'a>),
    Plane,
    Surface(TriangleSurface<'a>),
    Compound(&'a Compound),
}

impl<'a> ShapeClass<'a> {
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
            Shape::Mesh(mesh) => Self::Surface(TriangleSurface::Mesh(mesh)),
            Shape::HeightField(field) => Self::Surface(TriangleSurface::Field(field)),
            Shape::Compound(compound) => Self::Compound(compound),
        }
    }
}

/// Appends the points of a pair, in any order: dispatch by the two classes.
fn pair(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    use ShapeClass::{Compound, Convex, Plane, Surface};
    match (ShapeClass::of(a.0), ShapeClass::of(b.0)) {
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
        // Planes are for fixed and prescribed bodies only, which do not touch each other.
        (Plane, Plane) => {}
    }
}

/// A surface and a convex shape: balls have an algorithm of their own.
fn surface_convex(
    a: (&TriangleSurface, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
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

/// Two convex shapes: closed forms where there are some.
fn convex_pair(
    a: (&Convex, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    match (a.0, b.0) {
        (Convex::Ball { radius: ra }, Convex::Ball { radius: rb }) => {
            sphere::sphere_sphere((*ra, a.1.position), (*rb, b.1.position), margin, out);
        }
        (other, Convex::Ball { radius }) => {
            let ball = (*radius, b.1.position);
            let first = out.len();
            if !ball_pair((other, a.1), ball, margin, out) {
                general::contacts(a, b, margin, scratch, out);
            } else if out.len() > first {
                let facet = &mut scratch.clip.a;
                corners::add_on_ball((other, a.1), ball, margin, facet, out);
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

/// A convex shape and a ball, without a search; false for shapes that need one.
fn ball_pair(
    (shape, pose): (&Convex, &Pose),
    ball: (f64, DVec3),
    margin: f64,
    out: &mut Vec<ContactPoint>,
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
fn swapped(out: &mut Vec<ContactPoint>, f: impl FnOnce(&mut Vec<ContactPoint>)) {
    let first = out.len();
    f(out);
    for p in &mut out[first..] {
        p.normal = -p.normal;
    }
}

/// Marks features as those of part `part` of a compound. The upper 32 bits of a feature tell parts
/// and faces apart: the first compound's part in the lowest eight of them, above it the second
/// compound's part or the face of a mesh. The lower 32 bits tell the points of such a pair apart.
fn mark_part(points: &mut [ContactPoint], part: usize) {
    for p in points {
        let (high, low) = (p.feature >> 32, p.feature & u64::from(u32::MAX));
        p.feature = ((high << 8) ^ part as u64) << 32 | low;
    }
}
