//! Second-order cones of up to three dimensions and their Nesterov–Todd scaling.
//!
//! `C = { v : ‖(v_1, v_2)‖ <= v_0 }`. A non-negative row is the same cone with `v_1 = v_2 = 0`, a
//! spinning row with `v_2 = 0`. Every formula holds for them unchanged, so there is one cone here.
//!
//! For `s, z` inside, `W` is the symmetric matrix with `W z = W⁻¹ s = lambda`. The formulas are
//! those of Vandenberghe 2010 (The CVXOPT linear and quadratic cone program solvers), §4.2: the
//! normalised points `s_bar` and `z_bar`, `c` (his gamma) from their product,
//! `w = (s_bar + J z_bar) / (2 c)`, and `lambda` from the three. `W = eta V(w)` is kept by `eta`
//! and `w` with `w_0² − ‖w_1‖² = 1`: close to the boundary, where the entries of `W` itself lose
//! their digits, these stay accurate.

/// A point of one cone; unused trailing entries are zero.
pub(super) type ConePoint = [f64; 3];

/// `v_0 − ‖v_1‖`: positive inside.
pub(super) fn margin(v: &ConePoint) -> f64 {
    v[0] - tail(v)
}

/// `aᵀ b`.
pub(super) fn dot(a: &ConePoint, b: &ConePoint) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `√(v_0² − ‖v_1‖²)` as a product, so that it cancels once and not twice.
fn root_det(v: &ConePoint) -> f64 {
    ((v[0] - tail(v)) * (v[0] + tail(v))).sqrt()
}

fn tail(v: &ConePoint) -> f64 {
    v[1].hypot(v[2])
}

/// Jordan product `a ∘ b = (aᵀb, a_0 b_1 + b_0 a_1)`.
pub(super) fn jordan(a: &ConePoint, b: &ConePoint) -> ConePoint {
    [
        dot(a, b),
        a[0] * b[1] + b[0] * a[1],
        a[0] * b[2] + b[0] * a[2],
    ]
}

/// The `x` with `a ∘ x = d`, for `a` inside.
pub(super) fn jordan_solve(a: &ConePoint, d: &ConePoint) -> ConePoint {
    let det = margin(a) * (a[0] + tail(a));
    let x = (a[0] * d[0] - a[1] * d[1] - a[2] * d[2]) / det;
    [x, (d[1] - x * a[1]) / a[0], (d[2] - x * a[2]) / a[0]]
}

/// The Nesterov–Todd scaling of one cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    /// `w`, of hyperbolic length one.
    w: ConePoint,
    eta: f64,
    /// `W z = W⁻¹ s`.
    pub lambda: ConePoint,
    /// Rows `f` with `W⁻² = Σ f fᵀ`: steep across the cone's surface, flat along its ray, and
    /// around it.
    pub root: [ConePoint; 3],
}

impl Default for Scaling {
    fn default() -> Self {
        Self::new(&[1.0, 0.0, 0.0], &[1.0, 0.0, 0.0])
    }
}

impl Scaling {
    /// From two points strictly inside.
    pub fn new(s: &ConePoint, z: &ConePoint) -> Self {
        let (det_s, det_z) = (root_det(s), root_det(z));
        let s_bar = s.map(|v| v / det_s);
        let z_bar = z.map(|v| v / det_z);
        let c = (0.5 * (1.0 + dot(&s_bar, &z_bar))).sqrt();
        let half = 0.5 / c;
        let w1 = (s_bar[1] - z_bar[1]) * half;
        let w2 = (s_bar[2] - z_bar[2]) * half;
        // w_0 from the tail keeps the hyperbolic length at one exactly.
        let radius = w1.hypot(w2);
        let w = [(1.0 + radius * radius).sqrt(), w1, w2];
        let eta = (det_s / det_z).sqrt();
        let share = 1.0 / (s_bar[0] + z_bar[0] + 2.0 * c);
        let size = (det_s * det_z).sqrt();
        let mixed =
            |k: usize| size * share * ((c + z_bar[0]) * s_bar[k] + (c + s_bar[0]) * z_bar[k]);
        Self {
            w,
            eta,
            lambda: [size * c, mixed(1), mixed(2)],
            root: inverse_square_root(&w, radius, eta),
        }
    }

    /// `W v`.
    pub fn times(&self, v: &ConePoint) -> ConePoint {
        let along = self.w[1] * v[1] + self.w[2] * v[2];
        let share = v[0] + along / (1.0 + self.w[0]);
        [
            self.eta * (self.w[0] * v[0] + along),
            self.eta * (v[1] + share * self.w[1]),
            self.eta * (v[2] + share * self.w[2]),
        ]
    }

    /// `W⁻¹ v`.
    pub fn inverse(&self, v: &ConePoint) -> ConePoint {
        let along = self.w[1] * v[1] + self.w[2] * v[2];
        let share = along / (1.0 + self.w[0]) - v[0];
        [
            (self.w[0] * v[0] - along) / self.eta,
            (v[1] + share * self.w[1]) / self.eta,
            (v[2] + share * self.w[2]) / self.eta,
        ]
    }

    /// `W⁻² v`, by the roots.
    pub fn inverse_square(&self, v: &ConePoint) -> ConePoint {
        let mut out = [0.0; 3];
        for f in &self.root {
            let share = dot(f, v);
            (0..3).for_each(|k| out[k] += share * f[k]);
        }
        out
    }

    /// The largest step, at most `limit`, that keeps `lambda + step · d` in the cone; `d` is a
    /// scaled direction.
    ///
    /// Seen from `lambda`, normalised and turned to `e`, the way out is `‖rho_1‖ − rho_0` per step,
    /// where `rho` is `d` in those coordinates: `along` its first entry, the rest its tail.
    pub fn step_to_boundary(&self, d: &ConePoint, limit: f64) -> f64 {
        let size = root_det(&self.lambda);
        let l = self.lambda.map(|v| v / size);
        let along = l[0] * d[0] - l[1] * d[1] - l[2] * d[2];
        let share = (along + d[0]) / (l[0] + 1.0);
        let outward = (d[1] - share * l[1]).hypot(d[2] - share * l[2]) - along;
        if outward * limit <= size {
            limit
        } else {
            size / outward
        }
    }
}

/// Eigenvectors of `W⁻²` times the roots of its eigenvalues `(w_0 ± ‖w_1‖)² / eta²` and `1 / eta²`.
/// The difference is taken as the reciprocal of the sum: near the boundary it is the cancellation
/// of two large numbers.
fn inverse_square_root(w: &ConePoint, radius: f64, eta: f64) -> [ConePoint; 3] {
    let (x, y) = if radius > 0.0 {
        (w[1] / radius, w[2] / radius)
    } else {
        (1.0, 0.0)
    };
    let sum = w[0] + radius;
    let steep = sum * std::f64::consts::FRAC_1_SQRT_2 / eta;
    let flat = std::f64::consts::FRAC_1_SQRT_2 / (sum * eta);
    [
        [steep, -steep * x, -steep * y],
        [flat, flat * x, flat * y],
        [0.0, -y / eta, x / eta],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points whose distance from the boundary is `10^-depth` of their size.
    fn inside(k: usize, depth: i32) -> ConePoint {
        let angle = 0.7 + 1.9 * k as f64;
        let size = 10.0_f64.powi((k % 7) as i32 - 3);
        let radius = size * (1.0 - 10.0_f64.powi(-depth));
        [size, radius * angle.cos(), radius * angle.sin()]
    }

    fn close(a: &ConePoint, b: &ConePoint, tolerance: f64) {
        let size = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for k in 0..3 {
            assert!((a[k] - b[k]).abs() <= tolerance * size, "{a:?} and {b:?}");
        }
    }

    #[test]
    fn scaling_maps_both_points_to_lambda() {
        for k in 0..200 {
            let depth = (k % 10) as i32;
            let (s, z) = (inside(k, depth), inside(3 * k + 1, (depth + k as i32) % 6));
            let scaling = Scaling::new(&s, &z);
            // Rounding of the points themselves moves their determinants by 1e-16 · 10^depth.
            let tolerance = 1e-13 * 10.0_f64.powi(depth.max(5));
            close(&scaling.lambda, &scaling.times(&z), tolerance);
            close(&scaling.lambda, &scaling.inverse(&s), tolerance);
            let gap = dot(&scaling.lambda, &scaling.lambda);
            assert!((gap - dot(&s, &z)).abs() <= 1e-9 * dot(&s, &z).max(gap));
        }
    }

    #[test]
    fn inverse_undoes_times_and_roots_give_its_square() {
        for k in 0..50 {
            let scaling = Scaling::new(&inside(k, 1), &inside(k + 3, 2));
            let v = [0.3, -1.2 + 0.01 * k as f64, 0.8];
            close(&v, &scaling.inverse(&scaling.times(&v)), 1e-11);
            let twice = scaling.inverse(&scaling.inverse(&v));
            close(&twice, &scaling.inverse_square(&v), 1e-11);
        }
    }

    #[test]
    fn jordan_solve_undoes_the_product() {
        let (a, x) = ([2.0, 0.5, -1.0], [0.3, 4.0, -0.2]);
        close(&x, &jordan_solve(&a, &jordan(&a, &x)), 1e-14);
    }

    #[test]
    fn steps_end_on_the_boundary() {
        // From e towards (-1, 0, 0) the tip is one away; towards (0, 2, 0) the surface is half
        // away.
        let at_e = Scaling::default();
        assert_eq!(at_e.step_to_boundary(&[-1.0, 0.0, 0.0], 1e9), 1.0);
        assert_eq!(at_e.step_to_boundary(&[0.0, 2.0, 0.0], 1e9), 0.5);
        assert_eq!(at_e.step_to_boundary(&[1.0, 0.5, 0.0], 7.0), 7.0);
        for k in 0..50 {
            let scaling = Scaling::new(&inside(k, 1), &inside(k + 3, 2));
            let d = [-0.3, 1.2 - 0.01 * k as f64, 0.8];
            let step = scaling.step_to_boundary(&d, 1e30);
            let l = scaling.lambda;
            let end = [l[0] + step * d[0], l[1] + step * d[1], l[2] + step * d[2]];
            assert!(margin(&end).abs() <= 1e-12 * end[0]);
        }
    }
}
