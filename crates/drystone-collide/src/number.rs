//! Numbers in messages.

use std::fmt;

/// A number as messages show it: in full where that is short, else with an exponent. Plain
/// formatting writes 1e300 as a 1 and 300 zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

/// Numbers from here on have an exponent: f64 tells all whole numbers below it apart.
const LARGE: f64 = 1e16;
/// Numbers below it have an exponent: more zeros behind the point are no longer counted at a
/// glance.
const SMALL: f64 = 1e-5;

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (SMALL..LARGE).contains(&size) || !size.is_finite() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// Several numbers as messages show them, as in `[1, 2e20, 3]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers<'a>(pub &'a [f64]);

/// Numbers of a list that are shown; of a longer one the rest is counted.
const SHOWN: usize = 8;

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, value) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{}", Number(*value))?;
        }
        if self.0.len() > SHOWN {
            write!(f, ", and {} more", self.0.len() - SHOWN)?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_longer_than_its_digits() {
        let shown = |value: f64| Number(value).to_string();
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(-2.5), "-2.5");
        assert_eq!(shown(9_007_199_254_740_993.0), "9007199254740992");
        assert_eq!(shown(1e300), "1e300");
        assert_eq!(shown(-1.25e-7), "-1.25e-7");
        assert_eq!(shown(5e-324), "5e-324");
        assert_eq!(shown(f64::INFINITY), "inf");
        assert_eq!(shown(f64::NAN), "NaN");
        for value in [f64::MAX, f64::MIN_POSITIVE, -1.0 / 3.0, 1e22 / 3.0] {
            assert!(shown(value).len() <= 24, "{}", shown(value));
        }
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(Numbers(&[]).to_string(), "[]");
        assert_eq!(Numbers(&[1.0, 2e20]).to_string(), "[1, 2e20]");
        let many = Numbers(&[0.0; 1000]).to_string();
        assert_eq!(many, "[0, 0, 0, 0, 0, 0, 0, 0, and 992 more]");
    }
}
