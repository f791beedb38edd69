//! What resists a body's motion.

use super::DOF;
use crate::ProblemError;

/// Entries of an inverse inertia that differ by less than this share of it differ by rounding: it
/// has been turned with its body.
const ISOTROPY: f64 = 1e-13;

/// What resists a body's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyInertia {
    /// 1 / mass, 1/kg.
    pub inverse_mass: f64,
    /// Inverse inertia in the frame of the Jacobians' angular columns, row-major, 1/(kg m²).
    /// Symmetric.
    pub inverse_inertia: [[f64; 3]; 3],
}

impl BodyInertia {
    /// A body whose inertia is the same about all axes.
    pub fn isotropic(mass: f64, inertia: f64) -> Self {
        Self::diagonal(1.0 / mass, [1.0 / inertia; 3])
    }

    /// From the inverse mass and the inverse principal inertias.
    pub fn diagonal(inverse_mass: f64, [x, y, z]: [f64; 3]) -> Self {
        Self {
            inverse_mass,
            inverse_inertia: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        }
    }

    /// The same with all inverses so many times as large.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self {
            inverse_mass: factor * self.inverse_mass,
            inverse_inertia: self.inverse_inertia.map(|row| row.map(|x| factor * x)),
        }
    }

    /// Mass and inertia. `None` for a body that can turn about some axes only: its inertia has no
    /// inverse.
    pub(crate) fn inverse(&self) -> Option<Inertia> {
        let mass = if self.inverse_mass > 0.0 {
            1.0 / self.inverse_mass
        } else {
            0.0 // does not move, so has no energy
        };
        let [[a, b, c], [d, e, f], [g, h, i]] = self.inverse_inertia;
        let size = (a + e + i) / 3.0;
        if size == 0.0 {
            let inertia = [[0.0; 3]; 3];
            return Some(Inertia { mass, inertia });
        }
        let minors = [e * i - f * h, c * h - b * i, b * f - c * e];
        let determinant = a * minors[0] + d * minors[1] + g * minors[2];
        let least = 1e-9 * size * size * size;
        // Neither NaN nor infinite figures have an inverse.
        if !(determinant > least && determinant.is_finite()) {
            return None;
        }
        let rows = [
            minors,
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ];
        let inertia = rows.map(|row| row.map(|x| x / determinant));
        Some(Inertia { mass, inertia })
    }

    /// 1 / inertia where it is the same about all axes but for rounding, 1/(kg m²).
    pub(crate) fn isotropic_inverse(&self) -> Option<f64> {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.inverse_inertia;
        let mean = (a + e + i) / 3.0;
        let off = [a - mean, e - mean, i - mean, b, c, d, f, g, h];
        let rounding = off.iter().all(|x| x.abs() <= ISOTROPY * mean);
        rounding.then_some(mean)
    }

    /// Says what is wrong with the numbers, if anything.
    pub(super) fn check(&self, body: usize) -> Result<(), ProblemError> {
        let numbers = std::iter::once(self.inverse_mass)
            .chain(self.inverse_inertia.iter().flatten().copied());
        if let Some(value) = numbers.into_iter().find(|v| !v.is_finite()) {
            let what = "inverse inertia of body";
            return Err(ProblemError::NotFinite {
                what,
                index: body,
                value,
            });
        }
        let n = &self.inverse_inertia;
        let diagonal = [self.inverse_mass, n[0][0], n[1][1], n[2][2]];
        if let Some(&value) = diagonal.iter().find(|v| **v < 0.0) {
            return Err(ProblemError::Inertia { body, value });
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            // Symmetric to rounding, and no entry off the diagonal beyond what a semidefinite
            // matrix can have.
            let bound = n[i][i].sqrt() * n[j][j].sqrt(); // their product may overflow
            let skew = (n[i][j] - n[j][i]).abs() > 1e-9 * (n[i][i] + n[j][j]);
            if skew || n[i][j].abs() > bound * (1.0 + 1e-9) {
                return Err(ProblemError::InertiaForm {
                    body,
                    row: i,
                    column: j,
                    value: n[i][j],
                });
            }
        }
        Ok(())
    }

    /// `M⁻¹ p` of a linear and an angular part.
    pub(super) fn times(&self, p: &[f64; DOF]) -> [f64; DOF] {
        let [x, y, z] = self.inverse_inertia;
        let row = |r: [f64; 3]| r[0] * p[3] + r[1] * p[4] + r[2] * p[5];
        let m = self.inverse_mass;
        [m * p[0], m * p[1], m * p[2], row(x), row(y), row(z)]
    }
}

/// The inverse of a [`BodyInertia`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia {
    /// kg; zero for a body that does not move.
    pub mass: f64,
    /// kg m²; zero for a body that does not turn.
    pub inertia: [[f64; 3]; 3],
}

impl Inertia {
    /// `vᵀ M v`.
    pub(super) fn energy(&self, v: &[f64; DOF]) -> f64 {
        let row = |r: [f64; 3]| r[0] * v[3] + r[1] * v[4] + r[2] * v[5];
        let [x, y, z] = self.inertia;
        self.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            + (v[3] * row(x) + v[4] * row(y) + v[5] * row(z))
    }
}
