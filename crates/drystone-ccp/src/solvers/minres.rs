//! MINRES, preconditioned: the `x` that minimises `‖A x − b‖` for symmetric A, singular ones
//! included.
//!
//! C. Paige and M. Saunders (1975, Solution of sparse indefinite systems of linear equations), in
//! the order and with the names of Saunders's own code: Lanczos vectors `v` with `alfa` and `beta`,
//! rotations `cs` and `sn`, directions `w`, and `gamma`, `delta`, `epsilon`, `phi` the entries that
//! the rotations leave. Each iteration: a Lanczos step, the next rotation, the next direction and a
//! step along it.
//!
//! Where we depart: beside these recurrences the products `A w` are carried along, so that the
//! quadratic `q(x) = ½ xᵀAx − bᵀx` is known at each step. Heyn 2013, eq. 20 stops by its decrease.

use crate::reduce::Reduce;

/// Work vectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Minres {
    r1: Vec<f64>,
    r2: Vec<f64>,
    y: Vec<f64>,
    v: Vec<f64>,
    a_v: Vec<f64>,
    w: [Vec<f64>; 3],
    a_w: [Vec<f64>; 3],
    /// `A x − b`.
    slope: Vec<f64>,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinresLimits {
    /// Most steps, each with one product.
    pub max_iterations: usize,
    /// Stop when a step lowers q by less than this share of the best step so far (Heyn 2013,
    /// eq. 20).
    pub progress: f64,
    /// Stop when the residual is below this share of `‖b‖`.
    pub tolerance: f64,
}

impl Minres {
    /// Puts an approximate solution into `x`, starting from zero; returns the products taken.
    /// `apply` is A, `precondition` the inverse of a positive definite M.
    pub fn solve(
        &mut self,
        reduce: &dyn Reduce,
        limits: &MinresLimits,
        b: &[f64],
        x: &mut [f64],
        mut apply: impl FnMut(&[f64], &mut [f64]),
        mut precondition: impl FnMut(&[f64], &mut [f64]),
    ) -> usize {
        let n = b.len();
        self.resize(n);
        x.fill(0.0);
        self.r1.copy_from_slice(b);
        self.r2.copy_from_slice(b);
        (0..n).for_each(|i| self.slope[i] = -b[i]);
        precondition(&self.r2, &mut self.y);
        let first = reduce.dot(&self.r2, &self.y);
        if first.is_nan() || first <= 0.0 {
            return 0;
        }
        let beta1 = first.sqrt();
        let (mut beta, mut old_beta) = (beta1, 0.0);
        let (mut dbar, mut epsilon, mut phibar) = (0.0, 0.0, beta1);
        let (mut cs, mut sn) = (-1.0, 0.0);
        let (mut best_gain, mut largest) = (0.0_f64, 0.0_f64);
        for iteration in 1..=limits.max_iterations {
            // The Lanczos step.
            (0..n).for_each(|i| self.v[i] = self.y[i] / beta);
            apply(&self.v, &mut self.a_v);
            self.y.copy_from_slice(&self.a_v);
            if iteration > 1 {
                (0..n).for_each(|i| self.y[i] -= beta / old_beta * self.r1[i]);
            }
            let alfa = reduce.dot(&self.v, &self.y);
            (0..n).for_each(|i| self.y[i] -= alfa / beta * self.r2[i]);
            std::mem::swap(&mut self.r1, &mut self.r2);
            self.r2.copy_from_slice(&self.y);
            precondition(&self.r2, &mut self.y);
            old_beta = beta;
            beta = reduce.dot(&self.r2, &self.y).max(0.0).sqrt();
            // The next rotation.
            let old_epsilon = epsilon;
            let delta = cs * dbar + sn * alfa;
            let gbar = sn * dbar - cs * alfa;
            epsilon = sn * beta;
            dbar = -cs * beta;
            let gamma = gbar.hypot(beta);
            largest = largest.max(alfa.abs()).max(beta);
            if gamma <= SINGULAR * largest {
                return iteration; // what is left of b lies in the kernel
            }
            cs = gbar / gamma;
            sn = beta / gamma;
            // The next direction, and a step along it.
            let phi = cs * phibar;
            phibar *= sn;
            let gain = self.advance(reduce, phi, gamma, delta, old_epsilon, x);
            best_gain = best_gain.max(gain);
            if gain <= limits.progress * best_gain
                || phibar <= limits.tolerance * beta1
                || beta <= SINGULAR * largest
            {
                return iteration;
            }
        }
        limits.max_iterations
    }

    /// `b − A x` of the last solve. What MINRES cannot remove of it lies in A's kernel: a way down
    /// without end.
    pub fn residual(&self, out: &mut [f64]) {
        out.iter_mut().zip(&self.slope).for_each(|(o, s)| *o = -s);
    }

    /// The new direction and the step along it; returns by how much q fell.
    fn advance(
        &mut self,
        reduce: &dyn Reduce,
        phi: f64,
        gamma: f64,
        delta: f64,
        old_epsilon: f64,
        x: &mut [f64],
    ) -> f64 {
        self.w.rotate_left(1);
        self.a_w.rotate_left(1);
        combine(&mut self.w, &self.v, gamma, delta, old_epsilon);
        combine(&mut self.a_w, &self.a_v, gamma, delta, old_epsilon);
        let (w, a_w) = (&self.w[2], &self.a_w[2]);
        let gain = -phi * (reduce.dot(w, &self.slope) + 0.5 * phi * reduce.dot(w, a_w));
        for i in 0..x.len() {
            x[i] += phi * w[i];
            self.slope[i] += phi * a_w[i];
        }
        gain
    }

    fn resize(&mut self, n: usize) {
        let vectors = [
            &mut self.r1,
            &mut self.r2,
            &mut self.y,
            &mut self.v,
            &mut self.a_v,
            &mut self.slope,
        ];
        for work in vectors.into_iter().chain(&mut self.w).chain(&mut self.a_w) {
            work.clear();
            work.resize(n, 0.0);
        }
    }
}

/// A pivot below this share of the largest Lanczos figure is rounding: A is singular there. Lanczos
/// vectors lose their orthogonality, so this is well above the rounding of one operation.
const SINGULAR: f64 = 1e-11;

/// `w[2] = (v − old_epsilon w[0] − delta w[1]) / gamma`, after the rotation of `w`.
fn combine(w: &mut [Vec<f64>; 3], v: &[f64], gamma: f64, delta: f64, old_epsilon: f64) {
    let [w0, w1, w2] = w;
    for i in 0..v.len() {
        w2[i] = (v[i] - old_epsilon * w0[i] - delta * w1[i]) / gamma;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::Local;
    use crate::testing::close;

    #[test]
    fn a_tridiagonal_system_is_solved_in_as_many_steps_as_rows() {
        // A = tridiag(−1, 2, −1), 5 rows; b = A (1, …, 5) = (0, 0, 0, 0, 6).
        let apply = |x: &[f64], out: &mut [f64]| {
            for i in 0..5 {
                let left = if i > 0 { x[i - 1] } else { 0.0 };
                let right = if i < 4 { x[i + 1] } else { 0.0 };
                out[i] = 2.0 * x[i] - left - right;
            }
        };
        let limits = MinresLimits {
            max_iterations: 10,
            progress: 0.0,
            tolerance: 1e-14,
        };
        let mut x = [0.0; 5];
        let copy = |a: &[f64], out: &mut [f64]| out.copy_from_slice(a);
        let products = Minres::default().solve(
            &Local,
            &limits,
            &[0.0, 0.0, 0.0, 0.0, 6.0],
            &mut x,
            apply,
            copy,
        );
        assert!(products <= 6);
        for (i, x) in x.iter().enumerate() {
            assert!((x - (i + 1) as f64).abs() <= close(1e-10), "{x}");
        }
    }
}
