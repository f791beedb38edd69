//! Rank and extreme eigenvalues of N = DᵀM⁻¹D.
//!
//! N has the nonzero eigenvalues of `M⁻½ D Dᵀ M⁻½`, which is smaller: six rows per body. That
//! matrix is brought to tridiagonal form T by Householder reflections. The signs of the pivots of
//! `T − x I` then count the eigenvalues below x (Sturm), and bisection finds the ones that are
//! wanted.

use drystone::worse;
use drystone_ccp::{NO_BODY, TwoBody};
use rayon::prelude::*;

/// Eigenvalues below this share of the largest count as zero: rounding makes them, not mechanics.
/// Rounding leaves some 1e-16 per operation, and thousands of operations add up.
const ZERO: f64 = 1e-11;

/// The eigenvalues that make a condition number.
pub struct Spectrum {
    /// How many eigenvalues are not zero.
    pub rank: usize,
    /// The largest.
    pub largest: f64,
    /// The smallest that is not zero.
    pub smallest: f64,
}

impl Spectrum {
    /// The spectrum of N without compliance.
    pub fn of(operator: &TwoBody) -> Self {
        let size = 6 * operator.bodies().len();
        let (diagonal, beside) = tridiagonal(gram(operator), size);
        let below = |x: f64| sturm(&diagonal, &beside, x);
        // Gershgorin: no eigenvalue lies above.
        let radius = |k: usize| {
            let left = k.checked_sub(1).map_or(0.0, |k| beside[k].abs());
            left + beside.get(k).map_or(0.0, |b| b.abs())
        };
        let bound = (0..size)
            .map(|k| diagonal[k].abs() + radius(k))
            .fold(0.0, worse);
        if bound == 0.0 {
            return Self {
                rank: 0,
                largest: 0.0,
                smallest: 0.0,
            };
        }
        let nth = |n: usize| bisect([0.0, 2.0 * bound], |x| below(x) > n);
        let largest = nth(size - 1);
        let zeros = below(ZERO * largest);
        Self {
            rank: size - zeros,
            largest,
            smallest: nth(zeros),
        }
    }

    /// The largest eigenvalue over the smallest that is not zero.
    pub fn ratio(&self) -> f64 {
        self.largest / self.smallest
    }
}

/// `Lᵀ D Dᵀ L` with `L Lᵀ = M⁻¹`, row-major, six rows per body.
fn gram(operator: &TwoBody) -> Vec<f64> {
    let bodies = operator.bodies();
    let size = 6 * bodies.len();
    let roots: Vec<[[f64; 3]; 3]> = bodies
        .iter()
        .map(|b| cholesky(&b.inverse_inertia))
        .collect();
    let jacobian = operator.jacobian();
    let mut out = vec![0.0; size * size];
    for (block, range) in operator.offsets().windows(2).enumerate() {
        let pair = operator.pair(block);
        for row in &jacobian[range[0]..range[1]] {
            let mut entries = Vec::with_capacity(12);
            for (side, &body) in pair.iter().enumerate() {
                if body == NO_BODY {
                    continue;
                }
                let (linear, angular) = row[6 * side..6 * side + 6].split_at(3);
                let mass = bodies[body].inverse_mass.sqrt();
                entries.extend((0..3).map(|k| (6 * body + k, mass * linear[k])));
                let turn = |k: usize| (0..3).map(|i| roots[body][i][k] * angular[i]).sum::<f64>();
                entries.extend((0..3).map(|k| (6 * body + 3 + k, turn(k))));
            }
            for &(i, a) in &entries {
                entries
                    .iter()
                    .for_each(|&(j, b)| out[i * size + j] += a * b);
            }
        }
    }
    out
}

/// The lower triangle L with `L Lᵀ = a`; zero columns where a is singular.
fn cholesky(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut l = [[0.0; 3]; 3];
    for k in 0..3 {
        let pivot = a[k][k] - (0..k).map(|j| l[k][j] * l[k][j]).sum::<f64>();
        if pivot <= 0.0 {
            continue;
        }
        for i in k..3 {
            let sum: f64 = (0..k).map(|j| l[i][j] * l[k][j]).sum();
            l[i][k] = (a[i][k] - sum) / pivot.sqrt();
        }
    }
    l
}

/// Diagonal and off-diagonal of a symmetric matrix brought to tridiagonal form (Golub and Van Loan,
/// *Matrix Computations*, Alg. 8.3.1).
fn tridiagonal(mut a: Vec<f64>, size: usize) -> (Vec<f64>, Vec<f64>) {
    let mut beside = vec![0.0; size.saturating_sub(1)];
    for k in 0..size.saturating_sub(1) {
        let mut v: Vec<f64> = (k + 1..size).map(|i| a[i * size + k]).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let alpha = if v[0] > 0.0 { -norm } else { norm };
        beside[k] = alpha;
        v[0] -= alpha;
        let square: f64 = v.iter().map(|x| x * x).sum();
        if square == 0.0 {
            continue;
        }
        let beta = 2.0 / square;
        // The part that is left: A ← A − v wᵀ − w vᵀ.
        let rest = &mut a[(k + 1) * size..];
        let mut w: Vec<f64> = rest
            .par_chunks(size)
            .map(|row| beta * dot(&row[k + 1..], &v))
            .collect();
        let half = 0.5 * beta * dot(&w, &v);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w -= half * v);
        rest.par_chunks_mut(size).enumerate().for_each(|(i, row)| {
            let (vi, wi) = (v[i], w[i]);
            for (x, (v, w)) in row[k + 1..].iter_mut().zip(v.iter().zip(&w)) {
                *x -= vi * w + wi * v;
            }
        });
    }
    let diagonal = (0..size).map(|k| a[k * size + k]).collect();
    (diagonal, beside)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums side by side, which the processor adds at once. The compiler may not split one.
    let mut sums = [0.0; 4];
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    for (x, y) in a4.iter().zip(b4) {
        (0..4).for_each(|k| sums[k] += x[k] * y[k]);
    }
    let rest = a_rest.iter().zip(b_rest).map(|(x, y)| x * y);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// How many eigenvalues of a tridiagonal matrix lie below x.
fn sturm(diagonal: &[f64], beside: &[f64], x: f64) -> usize {
    let mut count = 0;
    let mut pivot = 1.0;
    for (k, d) in diagonal.iter().enumerate() {
        let before = k.checked_sub(1).map_or(0.0, |k| beside[k] * beside[k]);
        pivot = d - x - before / pivot;
        if pivot == 0.0 {
            pivot = f64::MIN_POSITIVE;
        }
        count += usize::from(pivot < 0.0);
    }
    count
}

/// Where a condition begins to hold within a range, by bisection.
fn bisect([mut low, mut high]: [f64; 2], holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        // The geometric mean where it exists, so that small eigenvalues keep their digits.
        let middle = match low > 0.0 {
            true => (low * high).sqrt(),
            false => 0.1 * high,
        };
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_ccp::{BodyInertia, TwoBodyBlock};

    /// The second difference of n points has the eigenvalues 2 − 2 cos(k π / (n + 1)).
    #[test]
    fn eigenvalues_of_the_second_difference() {
        let n = 20;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i + 1 < n {
                a[i * n + i + 1] = -1.0;
                a[(i + 1) * n + i] = -1.0;
            }
        }
        let (diagonal, beside) = tridiagonal(a, n);
        for k in 1..=n {
            let angle = k as f64 * std::f64::consts::PI / (n + 1) as f64;
            let value = 2.0 - 2.0 * angle.cos();
            assert_eq!(sturm(&diagonal, &beside, value - 1e-9), k - 1);
            assert_eq!(sturm(&diagonal, &beside, value + 1e-9), k);
        }
    }

    /// Two rows on one body of 2 kg, along x twice: N = [[½, ½], [½, ½]] has the eigenvalues 0 and
    /// 1.
    #[test]
    fn a_redundant_row_costs_rank() {
        let mut row = [0.0; 12];
        row[0] = 1.0;
        let block = TwoBodyBlock {
            bodies: [0, NO_BODY],
            rows: vec![row, row],
            compliance: vec![],
        };
        let body = BodyInertia::isotropic(2.0, 0.7);
        let operator = TwoBody::new(vec![body], &[block]).unwrap();
        let spectrum = Spectrum::of(&operator);
        assert_eq!(spectrum.rank, 1);
        assert!((spectrum.largest - 1.0).abs() < 1e-12 && (spectrum.ratio() - 1.0).abs() < 1e-12);
    }
}
