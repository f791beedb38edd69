//! One block by itself: `gamma ∈ K, −û ∈ N_K(gamma)` with `u = N gamma + q` for a dense `N` of at most six rows.
//!
//! `û = u` under [`Law::Relaxed`], De Saxcé's `û = u + Σ mu_k ‖u_k‖ n` under [`Law::Exact`]. Letters: `n` the block
//! `N_ii`, `q` the velocity that the block would have without its own impulse, `w` the mean diagonal of `n`.
//!
//! 1. One row: closed form. 2. Separation: the tip solves. 3. Sticking: `gamma = −N⁻¹ q` lies in K. 4. Otherwise a
//! semismooth Newton method on the natural map `F(gamma) = gamma − Π(gamma − û/w)`, damped by a backtracking search on
//! `‖F‖`; where that finds no decrease (singular Jacobian, a kink) a projected fixed-point step with the
//! largest safe length takes its place. The best point seen is returned.

use crate::cone::{Cone, MAX_ROWS};
use crate::problem::Law;
use crate::residual::law_velocity;

/// A dense matrix of one block, row-major, `rows × rows` of it in use.
type Dense = [f64; MAX_ROWS * MAX_ROWS];

/// Settings of [`solve_block`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalSettings {
    /// Relative natural-map residual of the block to reach, > 0. No unit.
    pub tolerance: f64,
    /// Most Newton or fixed-point iterations, >= 1.
    pub max_iterations: usize,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-13,
            max_iterations: 60,
        }
    }
}

/// Solves one block accurately. `n` is row-major, `gamma` the warm start and the result. Returns what is left of the
/// natural map, m/s.
pub fn solve_block(
    cone: &Cone,
    law: Law,
    n: &[f64],
    q: &[f64],
    settings: &LocalSettings,
    gamma: &mut [f64],
) -> f64 {
    let d = cone.rows();
    let w = (0..d).map(|i| n[i * d + i]).sum::<f64>() / d as f64;
    if w <= 0.0 {
        // Nothing here can move: any feasible impulse does.
        cone.project(gamma);
        return 0.0;
    }
    if d == 1 {
        gamma[0] = -q[0] / n[0];
        cone.project(gamma);
        return 0.0;
    }
    let block = Local {
        cone,
        law,
        n,
        q,
        w,
        d,
    };
    block.start(gamma);
    block.iterate(settings, gamma)
}

/// Largest eigenvalue of a symmetric positive semidefinite block (of the symmetric part, if it is not), by power
/// iteration; a few per cent low at worst.
pub fn largest_eigenvalue(n: &[f64], d: usize) -> f64 {
    let mut x = [0.0; MAX_ROWS];
    // A start that no symmetry of a contact makes orthogonal to the eigenvector.
    (0..d).for_each(|i| x[i] = 1.0 + 0.37 * i as f64 - 0.11 * (i * i) as f64);
    let mut value = 0.0;
    for _ in 0..24 {
        let size = norm(&x[..d]);
        if size == 0.0 {
            return 0.0;
        }
        x[..d].iter_mut().for_each(|v| *v /= size);
        let mut y = [0.0; MAX_ROWS];
        for i in 0..d {
            y[i] = (0..d)
                .map(|j| 0.5 * (n[i * d + j] + n[j * d + i]) * x[j])
                .sum();
        }
        value = norm(&y[..d]);
        x = y;
    }
    value
}

struct Local<'a> {
    cone: &'a Cone,
    law: Law,
    n: &'a [f64],
    q: &'a [f64],
    w: f64,
    d: usize,
}

impl Local<'_> {
    /// Puts the separating or the sticking point into `gamma` where it is the better start.
    fn start(&self, gamma: &mut [f64]) {
        let d = self.d;
        let mut best = [0.0; MAX_ROWS];
        self.cone.project(gamma);
        best[..d].copy_from_slice(gamma);
        let mut best_size = self.size(gamma);
        let mut tip = [0.0; MAX_ROWS];
        tip[0] = -self.cone.cohesion();
        let mut stick = [0.0; MAX_ROWS];
        (0..d).for_each(|i| stick[i] = -self.q[i]);
        let mut matrix: Dense = [0.0; MAX_ROWS * MAX_ROWS];
        matrix[..d * d].copy_from_slice(&self.n[..d * d]);
        let sticks = solve_dense(&mut matrix, d, &mut stick);
        self.cone.project(&mut stick[..d]);
        for (candidate, offered) in [(tip, true), (stick, sticks)] {
            let size = self.size(&candidate[..d]);
            if offered && size < best_size {
                best_size = size;
                best = candidate;
            }
        }
        gamma.copy_from_slice(&best[..d]);
    }

    fn iterate(&self, settings: &LocalSettings, gamma: &mut [f64]) -> f64 {
        let d = self.d;
        let scale = (norm(&self.q[..d]) / self.w)
            .max(norm(gamma))
            .max(f64::MIN_POSITIVE);
        let mut best = [0.0; MAX_ROWS];
        best[..d].copy_from_slice(gamma);
        let mut best_size = f64::INFINITY;
        for iteration in 0.. {
            let (y, f) = self.natural_map(gamma);
            let size = norm(&f[..d]);
            if size < best_size {
                best_size = size;
                best[..d].copy_from_slice(gamma);
            }
            if size <= settings.tolerance * scale || iteration >= settings.max_iterations {
                break;
            }
            if !self.newton_step(gamma, &y, &f) {
                self.fixed_point_step(gamma);
            }
        }
        gamma.copy_from_slice(&best[..d]);
        self.cone.project(gamma);
        self.w * best_size
    }

    /// `‖F(gamma)‖`.
    fn size(&self, gamma: &[f64]) -> f64 {
        let (_, f) = self.natural_map(gamma);
        norm(&f[..self.d])
    }

    /// `y = gamma − û/w` and `F(gamma) = gamma − Π(y)`.
    fn natural_map(&self, gamma: &[f64]) -> ([f64; MAX_ROWS], [f64; MAX_ROWS]) {
        let d = self.d;
        let u = self.velocity(gamma);
        let mut u_hat = [0.0; MAX_ROWS];
        law_velocity(self.cone, self.law, &u[..d], &mut u_hat[..d]);
        let mut y = [0.0; MAX_ROWS];
        (0..d).for_each(|i| y[i] = gamma[i] - u_hat[i] / self.w);
        let mut f = y;
        self.cone.project(&mut f[..d]);
        (0..d).for_each(|i| f[i] = gamma[i] - f[i]);
        (y, f)
    }

    /// `u = N gamma + q`.
    fn velocity(&self, gamma: &[f64]) -> [f64; MAX_ROWS] {
        let mut u = [0.0; MAX_ROWS];
        for (i, row) in self.n[..self.d * self.d].chunks_exact(self.d).enumerate() {
            u[i] = self.q[i] + row.iter().zip(gamma).map(|(n, g)| n * g).sum::<f64>();
        }
        u
    }

    /// An element of the generalised Jacobian of F, `I − DΠ(y) (I − dû/w)`.
    fn jacobian(&self, gamma: &[f64], y: &[f64]) -> Dense {
        let d = self.d;
        let slope = self.slope(gamma);
        let mut projection: Dense = [0.0; MAX_ROWS * MAX_ROWS];
        self.cone.projection_jacobian(&y[..d], &mut projection);
        let mut jacobian: Dense = [0.0; MAX_ROWS * MAX_ROWS];
        for i in 0..d {
            for j in 0..d {
                let through: f64 = (0..d)
                    .map(|k| projection[i * d + k] * slope[k * d + j])
                    .sum();
                jacobian[i * d + j] = through / self.w - projection[i * d + j];
            }
            jacobian[i * d + i] += 1.0;
        }
        jacobian
    }

    /// The derivative of `û` by gamma.
    fn slope(&self, gamma: &[f64]) -> Dense {
        let d = self.d;
        let mut slope: Dense = [0.0; MAX_ROWS * MAX_ROWS];
        slope[..d * d].copy_from_slice(&self.n[..d * d]);
        if self.law == Law::Exact {
            let u = self.velocity(gamma);
            for part in self.cone.parts().as_slice() {
                let rows = part.start..part.start + part.len;
                let slip = norm(&u[rows.clone()]);
                for i in rows.filter(|_| slip > 0.0) {
                    for j in 0..d {
                        slope[j] += part.mu * u[i] / slip * self.n[i * d + j];
                    }
                }
            }
        }
        slope
    }

    /// A damped Newton step; where its direction does not serve, Levenberg–Marquardt's. False, and nothing done, where neither
    /// lowers `‖F‖` enough.
    fn newton_step(&self, gamma: &mut [f64], y: &[f64; MAX_ROWS], f: &[f64; MAX_ROWS]) -> bool {
        let d = self.d;
        let jacobian = self.jacobian(gamma, y);
        let mut step = *f;
        if solve_dense(&mut jacobian.clone(), d, &mut step) && self.search(gamma, f, &step) {
            return true;
        }
        // JᵀJ + δ I with JᵀF.
        let mut normal: Dense = [0.0; MAX_ROWS * MAX_ROWS];
        let mut right = [0.0; MAX_ROWS];
        for i in 0..d {
            right[i] = (0..d).map(|k| jacobian[k * d + i] * f[k]).sum();
            for j in 0..d {
                normal[i * d + j] = (0..d)
                    .map(|k| jacobian[k * d + i] * jacobian[k * d + j])
                    .sum();
            }
        }
        let trace: f64 = (0..d).map(|i| normal[i * d + i]).sum();
        [1e-6, 1e-3, 1e-1].into_iter().any(|share| {
            let mut matrix = normal;
            (0..d).for_each(|i| matrix[i * d + i] += share * trace);
            let mut step = right;
            solve_dense(&mut matrix, d, &mut step) && self.search(gamma, f, &step)
        })
    }

    /// `gamma −= t step` with t halved until `‖F‖` falls enough; false if it never does.
    fn search(&self, gamma: &mut [f64], f: &[f64; MAX_ROWS], step: &[f64; MAX_ROWS]) -> bool {
        let d = self.d;
        let size = norm(&f[..d]);
        let mut t = 1.0;
        while t > 1e-2 {
            let mut trial = [0.0; MAX_ROWS];
            (0..d).for_each(|i| trial[i] = gamma[i] - t * step[i]);
            if self.size(&trial[..d]) <= (1.0 - 0.1 * t) * size {
                gamma.copy_from_slice(&trial[..d]);
                return true;
            }
            t *= 0.5;
        }
        false
    }

    fn fixed_point_step(&self, gamma: &mut [f64]) {
        let length = 1.0 / largest_eigenvalue(self.n, self.d).max(self.w);
        for _ in 0..4 {
            let u = self.velocity(gamma);
            let mut u_hat = [0.0; MAX_ROWS];
            law_velocity(self.cone, self.law, &u[..self.d], &mut u_hat[..self.d]);
            for (g, u) in gamma.iter_mut().zip(&u_hat) {
                *g -= length * u;
            }
            self.cone.project(gamma);
        }
    }
}

/// `b ← A⁻¹ b` by elimination with partial pivoting; false where a pivot vanishes against the largest.
pub(crate) fn solve_dense(a: &mut [f64], d: usize, b: &mut [f64]) -> bool {
    let largest = a[..d * d].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for k in 0..d {
        let mut pivot = k;
        for i in k + 1..d {
            if a[i * d + k].abs() > a[pivot * d + k].abs() {
                pivot = i;
            }
        }
        if a[pivot * d + k].abs() <= 1e-14 * largest {
            return false;
        }
        if pivot != k {
            (0..d).for_each(|j| a.swap(k * d + j, pivot * d + j));
            b.swap(k, pivot);
        }
        for i in k + 1..d {
            let factor = a[i * d + k] / a[k * d + k];
            (k..d).for_each(|j| a[i * d + j] -= factor * a[k * d + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..d).rev() {
        let sum: f64 = (k + 1..d).map(|j| a[k * d + j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k * d + k];
    }
    true
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, close};

    /// `AᵀA + shift I` from random entries: a symmetric block of the kind contacts have.
    fn random_block(random: &mut Random, d: usize) -> Vec<f64> {
        let a: Vec<f64> = (0..d * d).map(|_| random.between(-1.0, 1.0)).collect();
        let mut n = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                n[i * d + j] = (0..d).map(|k| a[k * d + i] * a[k * d + j]).sum();
            }
            n[i * d + i] += 0.05;
        }
        n
    }

    fn cones(random: &mut Random) -> [Cone; 4] {
        let cohesion = if random.between(0.0, 1.0) < 0.5 {
            0.0
        } else {
            0.3
        };
        let (friction, rolling, spinning) = (random.between(0.0, 1.2), 0.2, 0.1);
        [
            Cone::Free { rows: 4 },
            Cone::Friction { friction, cohesion },
            Cone::Rolling {
                friction,
                rolling,
                cohesion,
            },
            Cone::RollingSpinning {
                friction,
                rolling,
                spinning,
                cohesion,
            },
        ]
    }

    #[test]
    fn a_sliding_block_by_hand() {
        // N = I, q = (−1, −1, 0), mu = 0.5. Exact law: u_n = 0 gives n = 1, friction 0.5 along +x, slip −0.5.
        let n = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut gamma = [0.0; 3];
        let left = solve_block(
            &Cone::friction(0.5),
            Law::Exact,
            &n,
            &[-1.0, -1.0, 0.0],
            &LocalSettings::default(),
            &mut gamma,
        );
        assert!(left <= close(1e-12));
        assert!((gamma[0] - 1.0).abs() <= close(1e-12) && (gamma[1] - 0.5).abs() <= close(1e-12));
        // Relaxed: the projection of −q = (1, 1, 0), height (1 + 0.5)/(1 + 0.25) = 1.2.
        let mut gamma = [0.0; 3];
        let _ = solve_block(
            &Cone::friction(0.5),
            Law::Relaxed,
            &n,
            &[-1.0, -1.0, 0.0],
            &LocalSettings::default(),
            &mut gamma,
        );
        assert!((gamma[0] - 1.2).abs() <= close(1e-12) && (gamma[1] - 0.6).abs() <= close(1e-12));
    }

    #[test]
    fn random_blocks_are_solved_to_rounding_under_both_laws() {
        let mut random = Random::new(11);
        let mut missed = 0;
        for _ in 0..400 {
            for cone in cones(&mut random) {
                let d = cone.rows();
                let n = random_block(&mut random, d);
                let q: Vec<f64> = (0..d).map(|_| random.between(-2.0, 1.0)).collect();
                for law in [Law::Relaxed, Law::Exact] {
                    let mut gamma = vec![0.0; d];
                    let settings = LocalSettings::default();
                    let left = solve_block(&cone, law, &n, &q, &settings, &mut gamma);
                    assert!(cone.distance(&gamma) <= close(1e-12));
                    missed += usize::from(left > close(1e-9));
                }
            }
        }
        // The exact law has no solution theory for large mu with strong coupling: a few may be left.
        assert!(missed <= 3, "{missed} of 3200 blocks not solved");
    }

    #[test]
    fn largest_eigenvalue_of_a_diagonal() {
        let n = [1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 2.0];
        assert!((largest_eigenvalue(&n, 3) - 3.5).abs() < 1e-3);
        assert_eq!(largest_eigenvalue(&[0.0; 9], 3), 0.0);
    }
}
