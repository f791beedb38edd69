//! Lengths of vectors whose squares may leave the range of a double.
//!
//! Squares overflow from 1e154 on and vanish below 1e-154. Lengths are taken by plain squares
//! wherever these fit, so that ordinary numbers keep their bits, and scaled by the largest entry
//! where they do not.

/// `‖x‖₂`.
#[inline]
pub(crate) fn length(x: &[f64]) -> f64 {
    let squares = match *x {
        [a, b] => a * a + b * b, // hypot is several times dearer and this is a hot loop
        _ => x.iter().map(|v| v * v).sum::<f64>(),
    };
    if is_sound(squares) {
        squares.sqrt()
    } else {
        scaled_length(x)
    }
}

/// Whether a sum of squares has all its digits: neither infinite, nor NaN, nor so small that terms
/// may have vanished.
#[inline]
pub(crate) fn is_sound(squares: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&squares)
}

/// The largest absolute value, or NaN if any entry is.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| nan_max(m, v.abs()))
}

/// The larger of two, or not-a-number if either is: `f64::max` would hide it.
pub(crate) fn nan_max(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// `Σ (x_i / unit)²` with `unit` the [`largest`]: between one and the number of entries.
pub(crate) fn squares_in(unit: f64, x: &[f64]) -> f64 {
    x.iter().map(|v| (v / unit) * (v / unit)).sum()
}

#[cold]
fn scaled_length(x: &[f64]) -> f64 {
    let unit = largest(x);
    if unit > 0.0 && unit.is_finite() {
        unit * squares_in(unit, x).sqrt()
    } else {
        unit // zero, infinite or NaN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_any_size_by_hand() {
        // A triangle of sides 3, 4 and 5 in units from the smallest to the largest.
        for unit in [5e-324, 1e-310, 1e-200, 1.0, 1e200, 3e307] {
            let found = length(&[3.0 * unit, 4.0 * unit]);
            assert!((found / unit - 5.0).abs() < 1e-14, "{unit:e}: {found:e}");
        }
        assert_eq!(length(&[0.0; 3]), 0.0);
        assert_eq!(length(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(length(&[f64::NAN, 1.0]).is_nan() && length(&[1.0, 2.0, f64::NAN]).is_nan());
        // Ordinary numbers keep the bits of the plain formula.
        let (a, b) = (0.1_f64, 0.7_f64);
        assert_eq!(length(&[a, b]).to_bits(), (a * a + b * b).sqrt().to_bits());
    }
}
