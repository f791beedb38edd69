//! A contact at a point, in a third of the memory of its three Jacobian rows.

use super::vector::{cross, dot};
use super::{BodyInertia, DOF, NO_BODY};

/// A contact between two bodies at a point. Its three rows are the velocity of the second body's
/// point relative to the first's, along the normal and the two tangents of [`PointContact::frame`].
/// Everything is in the axes of the bodies' inertias.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// The two bodies; [`NO_BODY`] for the world.
    pub bodies: [usize; 2],
    /// Unit normal, from the first body to the second.
    pub normal: [f64; 3],
    /// The point seen from each body's centre of mass, m.
    pub arms: [[f64; 3]; 2],
    /// What E adds to the diagonal of N in the normal row and in each of the tangents, 1/kg, >= 0.
    pub compliance: [f64; 2],
}

impl PointContact {
    /// Rows of a contact.
    pub const ROWS: usize = 3;

    /// The normal and two tangents that make a right-handed frame with it. They change smoothly
    /// with the normal but for a jump where it passes `z = 0` (Duff et al., Building an Orthonormal
    /// Basis, Revisited, 2017).
    pub fn frame(&self) -> [[f64; 3]; 3] {
        let [x, y, z] = self.normal;
        let sign = 1.0_f64.copysign(z);
        let a = -1.0 / (sign + z);
        let b = x * y * a;
        [
            [x, y, z],
            [1.0 + sign * x * x * a, sign * b, -sign * x],
            [b, sign + y * y * a, -y],
        ]
    }

    /// The first number that is not finite, if any.
    pub(super) fn not_finite(&self) -> Option<f64> {
        let arms = self.arms.as_flattened();
        let mut numbers = self.normal.iter().chain(arms).chain(&self.compliance);
        numbers.find(|v| !v.is_finite()).copied()
    }

    /// Compliance of row `k`.
    #[inline]
    pub(super) fn row_compliance(&self, k: usize) -> f64 {
        self.compliance[k.min(1)]
    }

    /// The Jacobian rows written out: derivatives by the six velocities of the first body, then of
    /// the second.
    pub fn rows(&self) -> [[f64; 2 * DOF]; 3] {
        self.frame().map(|d| {
            let [a, b] = self.arms.map(|arm| cross(arm, d));
            [
                -d[0], -d[1], -d[2], -a[0], -a[1], -a[2], d[0], d[1], d[2], b[0], b[1], b[2],
            ]
        })
    }

    /// Relative velocity at the point along the frame's axes, from the six velocities of each body.
    #[inline]
    pub(super) fn velocity(&self, state: &[f64]) -> [f64; 3] {
        let mut w = [0.0; 3];
        let (bodies, _) = state.as_chunks::<DOF>();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.bodies[side] != NO_BODY {
                let v = &bodies[self.bodies[side]];
                let turn = cross([v[3], v[4], v[5]], self.arms[side]);
                (0..3).for_each(|k| w[k] += sign * (v[k] + turn[k]));
            }
        }
        self.frame().map(|d| dot(d, w))
    }

    /// The generalised impulse on the body at `side` from an impulse along the frame's axes.
    #[inline]
    pub(super) fn impulse(&self, side: usize, gamma: &[f64]) -> [f64; DOF] {
        let p = self.world_impulse(gamma);
        let p = if side == 0 { p.map(|x| -x) } else { p };
        let [x, y, z] = cross(self.arms[side], p);
        [p[0], p[1], p[2], x, y, z]
    }

    /// Adds what an impulse along the frame's axes changes the velocities of the two bodies by.
    #[inline]
    pub(super) fn push(&self, inertias: &[BodyInertia], gamma: &[f64], state: &mut [f64]) {
        let p = self.world_impulse(gamma);
        let (bodies, _) = state.as_chunks_mut::<DOF>();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = self.bodies[side];
            if body != NO_BODY {
                let [x, y, z] = cross(self.arms[side], p).map(|x| sign * x);
                let p = p.map(|x| sign * x);
                let change = inertias[body].times(&[p[0], p[1], p[2], x, y, z]);
                (0..DOF).for_each(|k| bodies[body][k] += change[k]);
            }
        }
    }

    /// An impulse along the frame's axes as a vector: what the second body receives.
    #[inline]
    pub fn world_impulse(&self, gamma: &[f64]) -> [f64; 3] {
        let [n, u, v] = self.frame();
        std::array::from_fn(|k| gamma[0] * n[k] + gamma[1] * u[k] + gamma[2] * v[k])
    }

    /// A vector along the frame's axes.
    pub fn local(&self, vector: [f64; 3]) -> [f64; 3] {
        self.frame().map(|d| dot(d, vector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(normal: [f64; 3]) -> PointContact {
        let length = dot(normal, normal).sqrt();
        PointContact {
            bodies: [0, 1],
            normal: normal.map(|x| x / length),
            arms: [[0.3, -0.2, 0.9], [-0.4, 0.1, -0.7]],
            compliance: [0.0; 2],
        }
    }

    #[test]
    fn frames_are_right_handed_and_orthonormal() {
        for normal in [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
            [0.3, -0.8, -0.1],
            [0.5, 0.5, 1e-17],
            [-0.2, 0.9, -1e-300],
        ] {
            let [n, u, v] = contact(normal).frame();
            for (a, b, expected) in [(n, u, 0.0), (n, v, 0.0), (u, v, 0.0), (u, u, 1.0)] {
                assert!((dot(a, b) - expected).abs() < 1e-14, "{normal:?}");
            }
            let w = cross(n, u);
            (0..3).for_each(|k| assert!((w[k] - v[k]).abs() < 1e-14, "{normal:?}"));
        }
    }

    #[test]
    fn world_and_local_impulses_are_inverse() {
        let contact = contact([0.3, -0.8, -0.1]);
        let local = contact.local(contact.world_impulse(&[2.0, -0.5, 0.7]));
        for (found, expected) in local.iter().zip([2.0, -0.5, 0.7]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}
