//! The maps of `newton`, sharp and smoothed, with their derivatives.
//!
//! *Projection, relaxed law.* `Π_ε(y) = argmin ½ ‖p − y‖² + ε² φ(p)` with the barrier
//! `φ = −Σ log((mu_k a)² − ‖x_k‖²)`, `a = n + cohesion` (`−log a` without friction, one logarithm
//! for each finite end of an interval). It lies inside the cone, is smooth, and tends to the
//! projection as `ε → 0`. Its derivative is `(I + ε² ∇²φ(p))⁻¹`.
//!
//! For a bound, `p = ½ (y + √(y² + 4ε²))` is the smoothing of Chen and Harker 1993, Kanzow 1996 and
//! Smale 1986. For one part with `mu = 1` the minimiser obeys `p − y = 2ε² p⁻¹` in the Jordan
//! algebra of the cone: the same smoothing there, with parameter `√2 ε`, as M. Fukushima, Z.-Q. Luo
//! and P. Tseng (2002, Smoothing functions for second-order-cone complementarity problems) have it.
//! Other coefficients and several parts are ours, and so is the computation: with the directions
//! fixed by `y` there is one radius for each part and one height, found by safeguarded Newton
//! iterations.
//!
//! *Alart and Curnier's map, exact law* (P. Alart and A. Curnier 1991): the normal row cut at the
//! tip, then each part cut at the disc that the new normal allows. Both cuts are smoothed as above.
//!
//! Letters: `y` the point, `p` its image, `e2 = ε²`, `a` the height over the tip, `m = mu a` the
//! radius of the cone there, `t = ‖x_k‖` the length of a part.

use crate::cone::{Cone, MAX_ROWS, Part};
use crate::norm::length;

/// Steps of the safeguarded Newton iterations in one variable: more than double precision can use,
/// so that only the tests below end them.
const STEPS: usize = 100;

/// A relative change of this size is rounding: the iteration has converged.
const CONVERGED: f64 = 1e-15;

/// The same for a point of an interval, relative to its length; below it no double is left.
const CONVERGED_IN_INTERVAL: f64 = 1e-16;

/// The most that a step may shrink the distance from the surface by: a longer step would leave the
/// cone, where the barrier is not defined.
const LARGEST_CUT: f64 = 0.1;

/// What a height without a bound above is multiplied by, and one without a bound below: the root
/// may lie orders of magnitude away, so the search goes by digits.
const GROW: f64 = 10.0;
const SHRINK: f64 = 0.1;

/// `Π_ε(y)` in place; its derivative, row-major, into `jacobian`.
pub(super) fn smoothed_projection(cone: &Cone, epsilon: f64, y: &mut [f64], jacobian: &mut [f64]) {
    let d = cone.rows();
    jacobian[..d * d].fill(0.0);
    let e2 = epsilon * epsilon;
    match *cone {
        Cone::Free { .. } => (0..d).for_each(|i| jacobian[i * d + i] = 1.0),
        Cone::NonNegative => {
            y[0] = positive_root(y[0], e2);
            jacobian[0] = 1.0 / (1.0 + e2 / (y[0] * y[0]));
        }
        Cone::Interval { lower, upper } => {
            let (p, slope) = interval(y[0], lower, upper, e2);
            y[0] = p;
            jacobian[0] = slope;
        }
        Cone::Friction { cohesion, .. }
        | Cone::Rolling { cohesion, .. }
        | Cone::RollingSpinning { cohesion, .. } => {
            friction_cone(
                cone.parts().as_slice(),
                cohesion,
                e2,
                y,
                &mut jacobian[..d * d],
            );
        }
    }
}

/// Alart and Curnier's map in place, its derivative into `jacobian`: the normal row is cut at the
/// tip, then each part at the disc of radius `mu_k (n + cohesion)`. Its fixed points
/// `gamma = P(gamma − u)` are the solutions of the exact law, without De Saxcé's `‖u_k‖` and its
/// kink at sticking contacts. Smoothed like the projection for `epsilon > 0`.
pub(super) fn alart_curnier(cone: &Cone, epsilon: f64, y: &mut [f64], jacobian: &mut [f64]) {
    let parts = cone.parts();
    if parts.as_slice().is_empty() {
        return smoothed_projection(cone, epsilon, y, jacobian);
    }
    let d = cone.rows();
    let e2 = epsilon * epsilon;
    jacobian[..d * d].fill(0.0);
    // The normal row: its height over the tip, cut at zero, and the derivative of the cut.
    let top = y[0] + cone.cohesion();
    let (a, slope) = if e2 > 0.0 {
        let a = positive_root(top, e2);
        (a, 1.0 / (1.0 + e2 / (a * a)))
    } else {
        (top.max(0.0), f64::from(top > 0.0))
    };
    y[0] = a - cone.cohesion();
    jacobian[0] = slope;
    for p in parts.as_slice() {
        let rows = p.start..p.start + p.len;
        let length = length(&y[rows.clone()]);
        let m = p.mu * a;
        // The part's new length, and its derivatives by the old length and by the height.
        let (radius, along, lean) = if m <= 0.0 {
            (0.0, 0.0, 0.0)
        } else if e2 > 0.0 {
            let r = Radius::at(m, length, e2);
            let own = 1.0 + e2 * r.own();
            (
                0.5 * (r.far - r.near),
                1.0 / own,
                -p.mu * e2 * r.mixed() / own,
            )
        } else if length <= m {
            (length, 1.0, 0.0)
        } else {
            (m, 0.0, p.mu)
        };
        // Across its direction a part shrinks by the quotient of the lengths.
        let across = if length > 0.0 { radius / length } else { along };
        let mut direction = [0.0; 2];
        for (e, i) in direction.iter_mut().zip(rows.clone()) {
            *e = if length > 0.0 { y[i] / length } else { 0.0 };
        }
        for (i, e_i) in rows.clone().zip(direction) {
            y[i] = radius * e_i;
            jacobian[i * d] = lean * slope * e_i;
            jacobian[i * d + i] += across;
            for (j, e_j) in rows.clone().zip(direction) {
                jacobian[i * d + j] += (along - across) * e_i * e_j;
            }
        }
    }
}

/// Root of `p − y − e2/p = 0`, without cancellation.
fn positive_root(y: f64, e2: f64) -> f64 {
    let root = (y * y + 4.0 * e2).sqrt();
    if y >= 0.0 {
        0.5 * (y + root)
    } else {
        2.0 * e2 / (root - y)
    }
}

/// Root of `p − y − e2/(p − lower) + e2/(upper − p) = 0` and its derivative by `y`.
fn interval(y: f64, lower: f64, upper: f64, e2: f64) -> (f64, f64) {
    let slope = |p: f64| 1.0 / (1.0 + e2 / (p - lower).powi(2) + e2 / (upper - p).powi(2));
    match (lower.is_finite(), upper.is_finite()) {
        (false, false) => return (y, 1.0),
        (true, false) => {
            let p = lower + positive_root(y - lower, e2);
            return (p, slope(p));
        }
        (false, true) => {
            let p = upper - positive_root(upper - y, e2);
            return (p, slope(p));
        }
        (true, true) => {}
    }
    if upper <= lower {
        return (lower, 0.0);
    }
    let (mut low, mut high) = (lower, upper);
    let mut p = 0.5 * (lower + upper);
    for _ in 0..STEPS {
        let value = p - y - e2 / (p - lower) + e2 / (upper - p);
        if value > 0.0 {
            high = p
        } else {
            low = p
        }
        let newton = p - value * slope(p);
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        if (next - p).abs() <= CONVERGED_IN_INTERVAL * (upper - lower) {
            break;
        }
        p = next;
    }
    (p, slope(p))
}

/// One part at height `a`: the distances of `‖x‖` from the cone's two sides, and what the barrier's
/// Hessian is made of.
#[derive(Clone, Copy, Default)]
struct Radius {
    /// `mu a − ‖x‖ > 0`.
    near: f64,
    /// `mu a + ‖x‖`.
    far: f64,
}

impl Radius {
    /// Root of `(m − t) − near + e2 (1/near − 1/far) = 0`, `far = 2 m − near`: the condition on the
    /// radius. Convex and falling, so Newton's steps rise to the root from the left.
    fn at(m: f64, t: f64, e2: f64) -> Self {
        let mut near = positive_root(m - t, e2).min(m);
        for _ in 0..STEPS {
            let far = 2.0 * m - near;
            let value = (m - t) - near + e2 * (1.0 / near - 1.0 / far);
            let slope = 1.0 + e2 / (near * near) + e2 / (far * far);
            // Not `clamp`, which panics where a bound is NaN.
            let next = (near + value / slope).max(LARGEST_CUT * near).min(m);
            let done = (next - near).abs() <= CONVERGED * near;
            near = next;
            if done {
                break;
            }
        }
        Self {
            near,
            far: 2.0 * m - near,
        }
    }

    /// Second derivative of the barrier by the height's bound, and by the radius.
    fn own(self) -> f64 {
        1.0 / (self.near * self.near) + 1.0 / (self.far * self.far)
    }

    /// Mixed second derivative.
    fn mixed(self) -> f64 {
        1.0 / (self.far * self.far) - 1.0 / (self.near * self.near)
    }
}

/// `Π_ε` of a friction cone in height and radii, the directions of the parts being those of `y`.
struct ConeMinimiser {
    /// Height over the tip.
    a: f64,
    /// Second derivative of what is minimised, by the height, the radii eliminated.
    slope: f64,
    /// One for each part with `mu > 0`.
    radii: [Radius; 3],
}

impl ConeMinimiser {
    /// A safeguarded Newton iteration for the height over the tip. `top` is the height of `y`
    /// there, `lengths` are those of its parts.
    fn find(parts: &[Part], top: f64, lengths: &[f64; 3], e2: f64) -> Self {
        let frictionless = parts.iter().all(|p| p.mu == 0.0);
        // The first derivative by the height and the second, the radii eliminated.
        let at = |a: f64, radii: &mut [Radius; 3]| {
            let (mut value, mut slope) = (a - top, 1.0);
            if frictionless {
                value -= e2 / a;
                slope += e2 / (a * a);
            }
            for (k, p) in parts.iter().enumerate().filter(|(_, p)| p.mu > 0.0) {
                let r = Radius::at(p.mu * a, lengths[k], e2);
                radii[k] = r;
                value -= e2 * p.mu * (1.0 / r.near + 1.0 / r.far);
                let coupling = e2 * r.mixed();
                slope += p.mu * p.mu * (e2 * r.own() - coupling * coupling / (1.0 + e2 * r.own()));
            }
            (value, slope)
        };
        let mut radii = [Radius::default(); 3];
        let mut a = positive_root(top, e2).max(e2.sqrt());
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut slope = 1.0;
        for _ in 0..STEPS {
            let value;
            (value, slope) = at(a, &mut radii);
            if value > 0.0 {
                high = a
            } else {
                low = a
            }
            let newton = a - value / slope;
            let next = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                if low > 0.0 {
                    (low * high).sqrt()
                } else {
                    SHRINK * high
                }
            } else {
                GROW * a
            };
            if (next - a).abs() <= CONVERGED * a {
                break;
            }
            a = next;
        }
        Self { a, slope, radii }
    }
}

/// `Π_ε` of a friction cone in place, its derivative into `jacobian`.
fn friction_cone(parts: &[Part], cohesion: f64, e2: f64, y: &mut [f64], jacobian: &mut [f64]) {
    let d = y.len();
    let mut lengths = [0.0; 3];
    for (size, p) in lengths.iter_mut().zip(parts) {
        *size = length(&y[p.start..p.start + p.len]);
    }
    let ConeMinimiser { a, slope, radii } =
        ConeMinimiser::find(parts, y[0] + cohesion, &lengths, e2);
    // The derivative: an arrow matrix in the height and the radii, plus the directions across.
    y[0] = a - cohesion;
    let mut dh = [0.0; MAX_ROWS]; // derivative of the height by y
    dh[0] = 1.0 / slope;
    for (k, p) in parts.iter().enumerate() {
        let rows = p.start..p.start + p.len;
        if p.mu == 0.0 {
            y[rows].fill(0.0);
            continue;
        }
        let r = radii[k];
        let own = 1.0 + e2 * r.own();
        let lean = -p.mu * e2 * r.mixed() / own; // d radius / d height
        let across = 1.0 / (1.0 + 2.0 * e2 / (r.near * r.far));
        let mut direction = [0.0; 2];
        for (e, i) in direction.iter_mut().zip(rows.clone()) {
            *e = if lengths[k] > 0.0 {
                y[i] / lengths[k]
            } else {
                0.0
            };
        }
        for (i, e) in rows.clone().zip(direction) {
            dh[i] = lean * e / slope;
            y[i] = 0.5 * (r.far - r.near) * e;
        }
        for (i, e_i) in rows.clone().zip(direction) {
            jacobian[i * d + i] += across;
            for (j, e_j) in rows.clone().zip(direction) {
                jacobian[i * d + j] += (1.0 / own - across) * e_i * e_j;
            }
        }
    }
    // What the height's own change adds: rows of the parts follow it by `lean`.
    for k in 0..d {
        for l in 0..d {
            jacobian[k * d + l] += slope * dh[k] * dh[l];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alart_curnier_matches_differences() {
        for cone in cones() {
            let d = cone.rows();
            for (seed, epsilon) in (0..100).flat_map(|s| [(s, 0.3), (s, 0.01), (s, 0.0)]) {
                if epsilon == 0.0 && cone.parts().as_slice().is_empty() {
                    continue;
                }
                let y = point(seed, d);
                let (mut p, mut jacobian) = (y.clone(), [0.0; 36]);
                alart_curnier(&cone, epsilon, &mut p, &mut jacobian);
                let step = 1e-7;
                for j in 0..d {
                    let at = |sign: f64| {
                        let mut z = y.clone();
                        z[j] += sign * step;
                        alart_curnier(&cone, epsilon, &mut z, &mut [0.0; 36]);
                        z
                    };
                    let (plus, minus) = (at(1.0), at(-1.0));
                    for i in 0..d {
                        let difference = (plus[i] - minus[i]) / (2.0 * step);
                        let error = (difference - jacobian[i * d + j]).abs();
                        assert!(
                            error < 1e-4,
                            "{cone:?} ({i}, {j}): {difference} {}",
                            jacobian[i * d + j]
                        );
                    }
                }
            }
        }
    }

    fn cones() -> Vec<Cone> {
        vec![
            Cone::NonNegative,
            Cone::Interval {
                lower: -0.3,
                upper: 1.2,
            },
            Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: 0.4,
            },
            Cone::Friction {
                friction: 0.7,
                cohesion: 0.2,
            },
            Cone::Friction {
                friction: 0.0,
                cohesion: 0.0,
            },
            Cone::Rolling {
                friction: 0.6,
                rolling: 0.05,
                cohesion: 0.0,
            },
            Cone::RollingSpinning {
                friction: 0.6,
                rolling: 0.3,
                spinning: 0.2,
                cohesion: 0.1,
            },
        ]
    }

    fn point(seed: usize, d: usize) -> Vec<f64> {
        (0..d)
            .map(|i| ((seed * 7919 + i * 104_729 + 13) % 2003) as f64 / 1001.0 - 1.0)
            .collect()
    }

    #[test]
    fn tends_to_the_projection() {
        for cone in cones() {
            let d = cone.rows();
            for seed in 0..200 {
                let mut p = point(seed, d);
                let mut exact = p.clone();
                cone.project(&mut exact);
                smoothed_projection(&cone, 1e-7, &mut p, &mut [0.0; 36]);
                for (a, b) in p.iter().zip(&exact) {
                    assert!((a - b).abs() < 5e-7, "{cone:?} {p:?} {exact:?}");
                }
            }
        }
    }

    #[test]
    fn derivative_matches_differences() {
        for cone in cones() {
            let d = cone.rows();
            for (seed, epsilon) in (0..100).flat_map(|s| [(s, 0.3), (s, 0.01)]) {
                let y = point(seed, d);
                let (mut p, mut jacobian) = (y.clone(), [0.0; 36]);
                smoothed_projection(&cone, epsilon, &mut p, &mut jacobian);
                let step = 1e-6;
                for j in 0..d {
                    let at = |sign: f64| {
                        let mut z = y.clone();
                        z[j] += sign * step;
                        smoothed_projection(&cone, epsilon, &mut z, &mut [0.0; 36]);
                        z
                    };
                    let (plus, minus) = (at(1.0), at(-1.0));
                    for i in 0..d {
                        let difference = (plus[i] - minus[i]) / (2.0 * step);
                        let error = (difference - jacobian[i * d + j]).abs();
                        assert!(
                            error < 2e-4,
                            "{cone:?} ({i}, {j}): {difference} {}",
                            jacobian[i * d + j]
                        );
                    }
                }
            }
        }
    }
}
