//! The direction of greatest separation of two convex shapes.
//!
//! For a unit vector `n`, from A to B, the separation of the cores is `s(n) = −h_A(n) − h_B(−n)`
//! with the support functions `h`. The contact normal maximises it: for shapes that are apart `s`
//! is then their distance, for overlapping ones minus the depth.
//!
//! A general algorithm supplies a first guess ([`super::general`]). From there each candidate below
//! is tried, and the one with the greatest `s` is kept, so that no candidate can do harm:
//! - the normals of flat faces near the guess: exact for faces;
//! - the common perpendiculars of two edges, or of side lines of cylinders and cones: exact for
//!   crossing edges;
//! - Newton's method with one edge held perpendicular to `n`: for an edge against something round,
//!   or against a corner;
//! - Newton's method on the sphere of directions: for round against round, round against a corner,
//!   corner against corner.
//!
//! Newton's method works at zero distance as well as far away. The general algorithms lose half of
//! the digits there, or all.

use glam::{DMat3, DVec3};

use super::convex::Convex;
use crate::pose::Pose;

/// Two convex shapes in the frame of the first.
#[derive(Clone, Copy)]
pub(super) struct ConvexPair<'a> {
    pub a: &'a Convex<'a>,
    pub b: &'a Convex<'a>,
    /// Turns components in B's frame into A's.
    pub turn: DMat3,
    /// Origin of B's frame in A's.
    pub shift: DVec3,
    /// Size of the smaller shape, m.
    pub size: f64,
    /// Differences of separations smaller than this are rounding, m.
    pub rounding: f64,
}

/// Supports of both shapes for one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supports {
    pub a: DVec3,
    pub b: DVec3,
}

/// Unit vectors with a fixed component along an axis. On such a circle of directions the support
/// jumps from one end of an edge, or of a side line, to the other: the whole line is the support.
#[derive(Clone, Copy, Debug)]
pub(super) struct NormalCircle {
    pub axis: DVec3,
    pub sine: f64,
}

/// How much the best face may lie below the best other candidate and still win, in shares of the
/// smaller size. It keeps stacks on their faces against rounding. Choosing the face for a slight
/// tilt does no harm: features are clipped up to an angle of some degrees.
const FACE_PREFERENCE: f64 = 1e-10;
/// An angle that leaves no direction out, rad.
const ALL: f64 = std::f64::consts::TAU;
/// How far a search without a good guess looks at once, rad: about 30°. What is farther off comes
/// into view from a better direction.
const WIDE: f64 = 0.5;
/// How often it looks again from a better direction: six times 30° is half a turn.
const ROUNDS: usize = 6;
/// Roundings in a separation, in units of the last place of the lengths in it.
const ROUNDINGS: f64 = 4.0;
/// Step uphill where the curvature does not say how far, rad: short enough to stay on the hill.
const UPHILL: f64 = 0.1;
/// Factor by which a step is shortened that does not raise the separation.
const SHORTER: f64 = 0.3;
/// Square of the step, in rad², below which Newton's method has arrived: 1e-13 rad.
const ARRIVED_SQUARED: f64 = 1e-26;
/// Square of the sine of the angle up to which two edges count as parallel, 1e-4 rad: their common
/// perpendicular has lost too many digits, and other candidates are at hand.
const PARALLEL_SQUARED: f64 = 1e-8;

impl<'a> ConvexPair<'a> {
    pub(super) fn new(a: (&'a Convex<'a>, &Pose), b: (&'a Convex<'a>, &Pose)) -> Self {
        let inverse = a.1.rotation.inverse();
        let shift = inverse * (b.1.position - a.1.position);
        let size = a.0.size().min(b.0.size());
        Self {
            a: a.0,
            b: b.0,
            turn: DMat3::from_quat(inverse * b.1.rotation),
            shift,
            size,
            rounding: ROUNDINGS * f64::EPSILON * (shift.length() + size),
        }
    }

    /// The core's points farthest along `n` in A and against `n` in B.
    pub(super) fn supports(&self, n: DVec3) -> Supports {
        Supports {
            a: self.a.support(n),
            b: self.shift + self.turn * self.b.support(self.turn.transpose() * -n),
        }
    }

    /// Separation of the cores along `n`.
    pub(super) fn separation(&self, n: DVec3) -> f64 {
        let s = self.supports(n);
        n.dot(s.b - s.a)
    }

    /// The best normal to be found from `guess`, which is right to within `angle` rad, and the
    /// separation of the cores along it.
    pub(super) fn best_normal(&self, guess: DVec3, angle: f64) -> (DVec3, f64) {
        let mut best = BestNormal {
            normal: guess,
            separation: self.separation(guess),
        };
        let flat = self.a.is_flat() && self.b.is_flat();
        // Two overlapping corners have no best direction of their own: a face or an edge has.
        if !flat || best.separation > 0.0 {
            self.free_newton(&mut best, &NEAR);
        }
        let start = best.normal;

        let (mut circles_a, mut circles_b) = (NormalCircles::default(), NormalCircles::default());
        self.a.circles(start, angle, |c| circles_a.push(c));
        let local = self.turn.transpose() * -start;
        self.b.circles(local, angle, |c| {
            circles_b.push(NormalCircle {
                axis: -(self.turn * c.axis),
                sine: c.sine,
            });
        });
        for c in circles_a.iter().chain(circles_b.iter()) {
            self.circle_newton(*c, start, flat, &mut best);
        }
        for ca in circles_a.iter() {
            for cb in circles_b.iter() {
                for n in ca.meet(cb).filter(|n| n.dot(start) > 0.0) {
                    self.try_normal(n, &mut best);
                }
            }
        }

        let mut face = BestNormal {
            normal: start,
            separation: f64::NEG_INFINITY,
        };
        self.a
            .face_normals(start, 2.0 * angle, |n| self.try_normal(n, &mut face));
        self.b.face_normals(local, 2.0 * angle, |n| {
            self.try_normal(-(self.turn * n), &mut face);
        });
        if face.separation >= best.separation - FACE_PREFERENCE * self.size {
            best = face;
        }
        (best.normal, best.separation)
    }

    /// As [`ConvexPair::best_normal`] when the guess is worth little. Where shapes just touch there
    /// may be a hill at a face that is not the highest one, so it starts from three directions: the
    /// best among the normals of all faces, the line of centres and the guess.
    pub(super) fn search(&self, guess: DVec3) -> (DVec3, f64) {
        let centres = self.shift.try_normalize().unwrap_or(guess);
        let mut face = BestNormal {
            normal: guess,
            separation: self.separation(guess),
        };
        self.a
            .face_normals(guess, ALL, |n| self.try_normal(n, &mut face));
        self.b
            .face_normals(guess, ALL, |n| self.try_normal(-(self.turn * n), &mut face));
        let mut best = self.search_from(face.normal);
        for start in [guess, centres] {
            let next = self.search_from(start);
            if next.1 > best.1 + FACE_PREFERENCE * self.size {
                best = next;
            }
        }
        best
    }

    /// The best normal from here, looking again from each better one.
    fn search_from(&self, start: DVec3) -> (DVec3, f64) {
        let mut best = self.best_normal(start, WIDE);
        // Each round may bring another feature into view.
        for _ in 0..ROUNDS {
            let next = self.best_normal(best.0, WIDE);
            if next.1 <= best.1 + self.rounding {
                break;
            }
            best = next;
        }
        best
    }

    /// Newton's method alone, for shapes without edges and faces.
    pub(super) fn climb(&self, start: DVec3) -> (DVec3, f64) {
        let mut best = BestNormal {
            normal: start,
            separation: self.separation(start),
        };
        self.free_newton(&mut best, &FAR);
        (best.normal, best.separation)
    }

    /// Makes `n` the best if its separation is greater.
    fn try_normal(&self, n: DVec3, best: &mut BestNormal) {
        let separation = self.separation(n);
        if separation > best.separation {
            *best = BestNormal {
                normal: n,
                separation,
            };
        }
    }

    /// The curvature (second derivative) of both shapes' support functions at `n`, applied to `t`.
    fn curvature(&self, n: DVec3, t: DVec3) -> DVec3 {
        let back = self.turn.transpose();
        self.a.curvature(n, t) + self.turn * self.b.curvature(back * -n, back * t)
    }

    /// Newton's method on the sphere, from the best so far.
    fn free_newton(&self, best: &mut BestNormal, effort: &NewtonEffort) {
        for _ in 0..effort.steps {
            let n = best.normal;
            let s = self.supports(n);
            let d = s.b - s.a;
            let along = d.dot(n);
            let gradient = d - along * n;
            let (u, v) = n.any_orthonormal_pair();
            let (hu, hv) = (self.curvature(n, u), self.curvature(n, v));
            // Minus the Hessian of s in the tangent plane.
            let (uu, uv, vv) = (u.dot(hu) + along, u.dot(hv), v.dot(hv) + along);
            let (gu, gv) = (u.dot(gradient), v.dot(gradient));
            let determinant = uu * vv - uv * uv;
            let step = if uu + vv > 0.0 && determinant > 0.0 {
                (u * (vv * gu - uv * gv) + v * (uu * gv - uv * gu)) / determinant
            } else {
                // Not near a maximum.
                gradient.normalize_or_zero() * UPHILL
            };
            if !self.line_search(best, effort, |t| (n + step * t).normalize_or_zero()) {
                return;
            }
        }
    }

    /// Newton's method for the angle around a circle of directions, from its point nearest to
    /// `start`.
    fn circle_newton(&self, circle: NormalCircle, start: DVec3, flat: bool, best: &mut BestNormal) {
        let radial = start - start.dot(circle.axis) * circle.axis;
        let Some(u) = radial.try_normalize() else {
            return;
        };
        let v = circle.axis.cross(u);
        let cosine = (1.0 - circle.sine * circle.sine).max(0.0).sqrt();
        let at = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            (circle.axis * circle.sine + (u * cos + v * sin) * cosine).normalize()
        };
        let mut angle = 0.0;
        let mut own = BestNormal {
            normal: at(0.0),
            separation: self.separation(at(0.0)),
        };
        for _ in 0..NEAR.steps {
            let n = own.normal;
            let s = self.supports(n);
            let d = s.b - s.a;
            let (sin, cos) = f64::sin_cos(angle);
            let first = (v * cos - u * sin) * cosine;
            let second = (u * cos + v * sin) * -cosine;
            let slope = d.dot(first);
            let bend = d.dot(second) - first.dot(self.curvature(n, first));
            let step = if bend < 0.0 {
                -slope / bend
            } else if flat {
                break;
            } else {
                UPHILL.copysign(slope)
            };
            let from = angle;
            if !self.line_search(&mut own, &NEAR, |t| {
                angle = from + t * step;
                at(angle)
            }) {
                break;
            }
        }
        // When both are equal but for rounding, the direction that the edge fixes is the exact one.
        if own.separation > best.separation - self.rounding {
            *best = own;
        }
    }

    /// Shortens the step until `s` rises. False when it does not, or when the step was so short
    /// that there is nothing left to gain.
    fn line_search(
        &self,
        best: &mut BestNormal,
        effort: &NewtonEffort,
        mut at: impl FnMut(f64) -> DVec3,
    ) -> bool {
        let mut t = 1.0;
        for _ in 0..effort.cuts {
            let normal = at(t);
            let separation = self.separation(normal);
            // Near its maximum `s` does not change with `n` in any digit. A full step that does not
            // lower it then still gives a better normal.
            let least = best.separation - if t == 1.0 { self.rounding } else { 0.0 };
            if separation > least && normal != DVec3::ZERO {
                let moved = (normal - best.normal).length_squared();
                *best = BestNormal { normal, separation };
                return moved > ARRIVED_SQUARED;
            }
            t *= SHORTER;
        }
        false
    }
}

/// How long Newton's method goes on at most.
struct NewtonEffort {
    steps: usize,
    /// Trials of a shorter step.
    cuts: usize,
}

/// From a good guess, where it doubles the digits with each step.
const NEAR: NewtonEffort = NewtonEffort { steps: 8, cuts: 4 };
/// From anywhere: steps of [`UPHILL`] lead half a turn in 31 steps, and a good guess needs eight
/// more. Between two thin ellipsoids the way is narrow, and steps are cut short.
const FAR: NewtonEffort = NewtonEffort {
    steps: 120,
    cuts: 12,
};

/// The best direction so far.
#[derive(Clone, Copy, Debug)]
struct BestNormal {
    normal: DVec3,
    separation: f64,
}

impl NormalCircle {
    /// The directions on both circles, two or none.
    fn meet(&self, other: &Self) -> impl Iterator<Item = DVec3> + use<> {
        let cross = self.axis.cross(other.axis);
        let square = cross.length_squared();
        let along = self.axis.dot(other.axis);
        let base = (self.axis * (self.sine - other.sine * along)
            + other.axis * (other.sine - self.sine * along))
            / square;
        let rest = 1.0 - base.length_squared();
        let valid = square > PARALLEL_SQUARED && rest > 0.0;
        let up = cross * (rest.max(0.0) / square.max(1e-300)).sqrt();
        [base + up, base - up]
            .into_iter()
            .filter(move |_| valid)
            .filter_map(DVec3::try_normalize)
    }
}

/// The circles of one shape near a direction: the first eight. At a vertex of a hull with more
/// edges the others are not tried, but the faces between them are.
#[derive(Default)]
struct NormalCircles {
    items: [Option<NormalCircle>; 8],
    count: usize,
}

impl NormalCircles {
    fn push(&mut self, circle: NormalCircle) {
        if let Some(slot) = self.items.get_mut(self.count) {
            *slot = Some(circle);
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &NormalCircle> {
        self.items.iter().flatten()
    }
}
