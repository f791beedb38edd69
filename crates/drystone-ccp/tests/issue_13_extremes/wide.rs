//! Numbers with the digits of a double and an exponent that never ends: what a judge needs that
//! must not overflow where the judged one may.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `m · 2^e` with `1 <= |m| < 2`, or zero.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    m: f64,
    e: i64,
}

pub const ZERO: Wide = Wide { m: 0.0, e: 0 };

impl Wide {
    pub fn new(x: f64) -> Self {
        assert!(x.is_finite(), "{x} has no place here");
        Self { m: x, e: 0 }.normal()
    }

    fn normal(self) -> Self {
        if self.m == 0.0 {
            return ZERO;
        }
        // A subnormal has no exponent of its own: lift it first.
        let (m, e) = match self.m.abs() < f64::MIN_POSITIVE {
            true => (self.m * 2f64.powi(100), self.e - 100),
            false => (self.m, self.e),
        };
        let exponent = (m.to_bits() >> 52 & 0x7ff) as i64 - 1023;
        let bits = m.to_bits() & !(0x7ff << 52) | 1023 << 52;
        Self {
            m: f64::from_bits(bits),
            e: e + exponent,
        }
    }

    pub fn abs(self) -> Self {
        Self {
            m: self.m.abs(),
            ..self
        }
    }

    pub fn sqrt(self) -> Self {
        let odd = self.e.rem_euclid(2);
        Self {
            m: (self.m * 2f64.powi(odd as i32)).sqrt(),
            e: (self.e - odd) / 2,
        }
        .normal()
    }

    pub fn is_positive(self) -> bool {
        self.m > 0.0
    }

    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The power of ten nearest to it, for messages.
    pub fn digits(self) -> f64 {
        self.m.abs().log10() + self.e as f64 * 2f64.log10()
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (a, b) = match self.m == 0.0 || (other.m != 0.0 && other.e > self.e) {
            true => (other, self),
            false => (self, other),
        };
        let apart = (b.e - a.e).max(-200) as i32; // below, nothing of it is left
        Self {
            m: a.m + b.m * 2f64.powi(if b.m == 0.0 { 0 } else { apart }),
            e: a.e,
        }
        .normal()
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        Self { m: -self.m, ..self }
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            m: self.m * other.m,
            e: self.e + other.e,
        }
        .normal()
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        assert!(other.m != 0.0, "division by zero");
        Self {
            m: self.m / other.m,
            e: self.e - other.e,
        }
        .normal()
    }
}

impl std::iter::Sum for Wide {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(ZERO, Add::add)
    }
}

impl PartialEq for Wide {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (*self - *other).m.partial_cmp(&0.0)
    }
}

#[test]
fn sums_products_and_roots_by_hand() {
    let big = Wide::new(1e300);
    let huge = big * big * big; // 1e900
    let close = |a: Wide, b: Wide| (a - b).abs() <= b.abs() * Wide::new(1e-14);
    assert!(close(huge / (big * big), big));
    assert!(close((huge * huge).sqrt(), huge));
    assert!(huge > big && -huge < big && huge - huge == ZERO);
    let tiny = Wide::new(5e-324);
    assert!(close(tiny * tiny / tiny, tiny) && (tiny * tiny).is_positive());
    assert!(close(Wide::new(0.5) + Wide::new(0.25), Wide::new(0.75)));
    assert!(close(Wide::new(3.0) - Wide::new(4.0), Wide::new(-1.0)));
    assert_eq!(huge + tiny, huge);
}
