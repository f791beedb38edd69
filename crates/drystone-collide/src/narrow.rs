//! Where two shapes touch.
//!
//! One entry, [`contacts`], picks the way by the two kinds of shape: own fast paths where grains spend their time and where the
//! library is weak, the `parry3d-f64` library (in one module) for the rest.

use glam::DVec3;

use crate::pose::Pose;
use crate::shape::Shape;

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

/// Appends the contact points of `a` and `b` whose gap is at most `margin`, in ascending order of their features, which are
/// different from each other. `scratch` is memory to be used again.
pub fn contacts(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Point>,
) {
    let _ = (a, b, margin, scratch, out);
    unimplemented!("helper: narrow phase")
}

/// Work memory of the narrow phase, one a thread.
#[derive(Debug, Default)]
pub struct Scratch {}
