//! Four numbers side by side, and vectors of them.
//!
//! Plain arrays: one source for every machine. Compiled for AVX2 the four become one register; for
//! any other machine they are done one by one or two by two. Each operation is rounded as IEEE 754
//! says and none is contracted, so all machines get the same bits.

use std::ops::{Add, Mul, Neg, Sub};

/// Contacts in a pack.
pub(super) const LANES: usize = 4;

/// One number for each contact of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub [f64; LANES]);

/// A yes or no for each contact of a pack.
#[derive(Clone, Copy)]
pub(super) struct Mask([bool; LANES]);

impl Lanes {
    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Self([f(a, e), f(b, g), f(c, h), f(d, i)])
    }

    #[inline(always)]
    pub fn over(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt()])
    }

    /// False where a number is NaN.
    #[inline(always)]
    pub fn at_most(self, other: Self) -> Mask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Mask([a <= e, b <= f, c <= g, d <= h])
    }

    /// False where a number is NaN.
    #[inline(always)]
    pub fn below(self, other: Self) -> Mask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Mask([a < e, b < f, c < g, d < h])
    }

    /// Zero where negative. A NaN stays one.
    #[inline(always)]
    pub fn not_negative(self) -> Self {
        self.below(Self::default()).choose(Self::default(), self)
    }

    /// The sum of the four, always in this order.
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + b) + (c + d)
    }
}

impl Mask {
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }

    #[inline(always)]
    pub fn choose(self, yes: Lanes, no: Lanes) -> Lanes {
        let pick = |k: usize| if self.0[k] { yes.0[k] } else { no.0[k] };
        Lanes([pick(0), pick(1), pick(2), pick(3)])
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::default() - self
    }
}

/// A vector for each contact of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Vec3(pub [Lanes; 3]);

impl Vec3 {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(Lanes, Lanes) -> Lanes) -> Self {
        let ([a, b, c], [d, e, g]) = (self.0, other.0);
        Self([f(a, d), f(b, e), f(c, g)])
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    #[inline(always)]
    pub fn times(self, scale: Lanes) -> Self {
        let [a, b, c] = self.0;
        Self([a * scale, b * scale, c * scale])
    }
}

impl Add for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}
