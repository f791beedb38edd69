//! Dense algebra on one block of at most six rows. All sums are over one block: they never leave a
//! process.

use crate::cone::MAX_ROWS;
use crate::norm::length;

/// A dense matrix of one block, row-major, `rows × rows` of it in use.
pub(crate) type Dense = [f64; MAX_ROWS * MAX_ROWS];

/// Products of a power iteration. With eigenvalues at a ratio of 0.9 the second is then down to a
/// hundredth in the square of the vector; closer ones hardly change the result.
const POWER_ITERATIONS: usize = 24;

/// A pivot below this share of the largest entry is rounding of up to six rows, not a figure.
const ZERO_PIVOT: f64 = 1e-14;

/// Largest eigenvalue of a symmetric positive semidefinite block (of the symmetric part, if it is
/// not), by power iteration; a few per cent low at worst.
pub(crate) fn largest_eigenvalue(n: &[f64], d: usize) -> f64 {
    let mut x = [0.0; MAX_ROWS];
    // A start that no symmetry of a contact makes orthogonal to the eigenvector: all entries
    // differ.
    (0..d).for_each(|i| x[i] = 1.0 + 0.37 * i as f64 - 0.11 * (i * i) as f64);
    let mut value = 0.0;
    for _ in 0..POWER_ITERATIONS {
        let size = length(&x[..d]);
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
        value = length(&y[..d]);
        x = y;
    }
    value
}

/// `b ← A⁻¹ b` by elimination with partial pivoting; false where a pivot vanishes against the
/// largest entry.
pub(crate) fn solve_dense(a: &mut [f64], d: usize, b: &mut [f64]) -> bool {
    let largest = a[..d * d].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for k in 0..d {
        let mut pivot = k;
        for i in k + 1..d {
            if a[i * d + k].abs() > a[pivot * d + k].abs() {
                pivot = i;
            }
        }
        if a[pivot * d + k].abs() <= ZERO_PIVOT * largest {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_eigenvalue_of_a_diagonal() {
        let n = [1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 2.0];
        assert!((largest_eigenvalue(&n, 3) - 3.5).abs() < 1e-3);
        assert_eq!(largest_eigenvalue(&[0.0; 9], 3), 0.0);
    }

    #[test]
    fn a_system_that_needs_a_pivot() {
        // x + y = 3 and y = 2, the zero first.
        let mut b = [2.0, 3.0];
        assert!(solve_dense(&mut [0.0, 1.0, 1.0, 1.0], 2, &mut b));
        assert_eq!(b, [1.0, 2.0]);
        assert!(!solve_dense(&mut [1.0, 1.0, 1.0, 1.0], 2, &mut b));
    }
}
