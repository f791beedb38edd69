//! Any two bounded convex shapes.
//!
//! This is the only module that knows the `parry3d-f64` library. It supplies the first guess of the
//! normal: by GJK (Gilbert, Johnson and Keerthi, 1988) when the cores are apart, by EPA (van den
//! Bergen, 2001) when they overlap. [`super::normal`] makes it exact. In `decompose.rs` it cuts
//! solids into convex pieces.

mod decompose;

use glam::DVec3;
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use super::clip::{ContactAxis, WhenMissed};
use super::convex::Convex;
use super::normal::ConvexPair;
use super::{ContactPoint, Scratch};
use crate::pose::Pose;
pub(crate) use decompose::convex_pieces;

/// Work memory of the library's two algorithms.
#[derive(Default)]
pub(super) struct GjkEpa {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl std::fmt::Debug for GjkEpa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GjkEpa").finish_non_exhaustive()
    }
}

/// The core of a shape for the library, in units in which the pair is about 1 large: the library's
/// tolerances are absolute.
struct ScaledCore<'a> {
    shape: &'a Convex<'a>,
    scale: f64,
}

impl SupportMap for ScaledCore<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.shape.support(direction) * self.scale
    }
}

/// Where the cores are nearest, or deepest in each other.
#[derive(Clone, Copy, Debug)]
struct NormalGuess {
    /// From A to B, in A's frame.
    normal: DVec3,
    /// The points of the two cores that are nearest or deepest, in A's frame, when the algorithm
    /// came that far.
    witness: Option<[DVec3; 2]>,
}

impl GjkEpa {
    /// A guess of the normal; nothing when the cores are more than `reach` apart for certain.
    fn guess(&mut self, pair: &ConvexPair, turn: glam::DQuat, reach: f64) -> Option<NormalGuess> {
        let size = pair.a.radius_about_origin() + pair.b.radius_about_origin();
        let scale = 1.0 / size;
        let (a, b) = (
            ScaledCore {
                shape: pair.a,
                scale,
            },
            ScaledCore {
                shape: pair.b,
                scale,
            },
        );
        let pose = ParryPose::from_parts(pair.shift * scale, turn);
        let start = pair.shift.try_normalize().unwrap_or(DVec3::Z);
        self.simplex
            .reset(CsoPoint::from_shapes(&pose, &a, &b, start));
        let found = |p: DVec3, q: DVec3, normal: DVec3| NormalGuess {
            // Degenerate cases come back with a zero normal.
            normal: normal.try_normalize().unwrap_or(start),
            witness: Some([p * size, q * size]),
        };
        let unknown = NormalGuess {
            normal: start,
            witness: None,
        };
        match gjk::closest_points(&pose, &a, &b, reach * scale, true, &mut self.simplex) {
            GJKResult::ClosestPoints(p, q, n) => Some(found(p, q, n)),
            // The library also says so when it gave up. It is believed only where the separation
            // proves it.
            GJKResult::NoIntersection(n) => (pair.separation(n) <= reach).then_some(unknown),
            GJKResult::Proximity(normal) => Some(NormalGuess {
                normal,
                witness: None,
            }),
            GJKResult::Intersection => Some(
                match self.epa.closest_points(&pose, &a, &b, &self.simplex) {
                    Some((p, q, n)) => found(p, q, n),
                    None => unknown,
                },
            ),
        }
    }
}

/// How far off a sound guess may be, rad. The faces and edges within this angle, or twice it, are
/// tried, and it is far more than the library's tolerances leave.
const GOOD: f64 = 0.05;
/// The nearest points of the cores must be this far apart for their connection to give the normal,
/// in shares of the smaller shape's size. Nearer than this the difference has lost digits.
const APART: f64 = 1e-4;
/// By how much the guess's own points may disagree with the separation along its normal, in shares
/// of the smaller shape's size: a wrong direction is off by far more.
const SOUND: f64 = 1e-3;

/// The axis along which two convex shapes touch; nothing when their cores are more than `reach`
/// apart.
pub(super) fn axis(
    pair: &ConvexPair,
    (a, b): (&Pose, &Pose),
    reach: f64,
    solver: &mut GjkEpa,
) -> Option<ContactAxis> {
    let guess = solver.guess(pair, a.rotation.inverse() * b.rotation, reach)?;
    let (normal, separation) = nearest(pair, &guess).unwrap_or_else(|| {
        if guess.is_sound(pair) {
            pair.best_normal(guess.normal, GOOD)
        } else {
            pair.search(guess.normal)
        }
    });
    (separation <= reach).then_some(ContactAxis {
        normal,
        separation,
        missed: WhenMissed::Add(guess.witness),
    })
}

/// The connection of the guess's points, when it is certain that nothing is nearer: then their
/// distance is the separation along it.
fn nearest(pair: &ConvexPair, guess: &NormalGuess) -> Option<(DVec3, f64)> {
    let [p, q] = guess.witness?;
    let distance = p.distance(q);
    // On round surfaces the direction of the connection is not as exact as its length.
    if distance < APART * pair.size || !pair.a.is_flat() || !pair.b.is_flat() {
        return None;
    }
    let normal = (q - p) / distance;
    let separation = pair.separation(normal);
    (distance - separation <= pair.rounding).then_some((normal, separation))
}

impl NormalGuess {
    /// Whether the algorithm's own points agree with the separation: when shapes just touch, it may
    /// return any direction.
    fn is_sound(&self, pair: &ConvexPair) -> bool {
        let separation = pair.separation(self.normal);
        self.witness
            .is_some_and(|[p, q]| (self.normal.dot(q - p) - separation).abs() < SOUND * pair.size)
    }
}

/// Contacts of two convex shapes.
pub(super) fn contacts(
    a: (&Convex, &Pose),
    b: (&Convex, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let pair = ConvexPair::new(a, b);
    let far = pair.a.radius_about_origin() + pair.b.radius_about_origin() + margin;
    if pair.shift.length_squared() > far * far {
        return;
    }
    let reach = margin + a.0.rounding() + b.0.rounding();
    if let Some(axis) = axis(&pair, (a.1, b.1), reach, &mut scratch.general) {
        scratch.clip.manifold(&pair, &axis, margin, a.1, out);
    }
}
