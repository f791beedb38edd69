//! Eight numbers side by side, and vectors of them.
//!
//! The packs keep [`Lanes`]. What is done with them is written once, for any [`Register`]: eight
//! numbers as the machine calculates with them. Each operation is rounded as IEEE 754 says and none
//! is contracted, so all registers get the same bits.

use std::ops::{Add, Mul, Sub};

/// Contacts in a pack: a cache line of numbers, and a register of machines with AVX-512. Most
/// instructions of a pack wait for the one before. With two registers for each number, as AVX2 needs,
/// a machine always has two that do not wait for each other.
pub(super) const LANES: usize = 8;

/// One number for each contact of a pack, in memory. Also the register of any machine: eight
/// numbers one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub [f64; LANES]);

/// One number for each contact of a pack, to calculate with. All methods are `inline(always)`: see
/// [`super::simd::Instructions::run`].
pub(super) trait Register:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// Proof that the machine has the instructions.
    type Token: Copy;
    /// A yes or no for each contact of a pack.
    type Mask: Copy;

    fn load(token: Self::Token, lanes: &Lanes) -> Self;

    fn store(self) -> Lanes;

    fn splat(token: Self::Token, x: f64) -> Self;

    fn token(self) -> Self::Token;

    fn over(self, other: Self) -> Self;

    fn sqrt(self) -> Self;

    /// False where a number is NaN.
    fn at_most(self, other: Self) -> Self::Mask;

    /// False where a number is NaN.
    fn below(self, other: Self) -> Self::Mask;

    fn both(token: Self::Token, one: Self::Mask, other: Self::Mask) -> Self::Mask;

    fn choose(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Rows become columns.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// The same number in all lanes.
    #[inline(always)]
    fn all(self, x: f64) -> Self {
        Self::splat(self.token(), x)
    }

    /// Zero where negative. A NaN stays one.
    #[inline(always)]
    fn not_negative(self) -> Self {
        let zero = self.all(0.0);
        Self::choose(self.below(zero), zero, self)
    }
}

impl Lanes {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(&f64, &f64) -> bool) -> [bool; LANES] {
        std::array::from_fn(|k| f(&self.0[k], &other.0[k]))
    }

    /// The sum of all, always in this order.
    pub fn sum(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

impl Register for Lanes {
    type Token = ();
    type Mask = [bool; LANES];

    #[inline(always)]
    fn load((): (), lanes: &Lanes) -> Self {
        *lanes
    }

    #[inline(always)]
    fn store(self) -> Lanes {
        self
    }

    #[inline(always)]
    fn splat((): (), x: f64) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    fn token(self) {}

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> [bool; LANES] {
        self.compare(other, f64::le)
    }

    #[inline(always)]
    fn below(self, other: Self) -> [bool; LANES] {
        self.compare(other, f64::lt)
    }

    #[inline(always)]
    fn both((): (), one: [bool; LANES], other: [bool; LANES]) -> [bool; LANES] {
        std::array::from_fn(|k| one[k] & other[k])
    }

    #[inline(always)]
    fn choose(mask: [bool; LANES], yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|k| {
            if mask[k] { yes.0[k] } else { no.0[k] }
        }))
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        std::array::from_fn(|column| Self(std::array::from_fn(|row| rows[row].0[column])))
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

/// A vector for each contact of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Vec3<F = Lanes>(pub [F; 3]);

impl Vec3 {
    #[inline(always)]
    pub fn load<F: Register>(&self, token: F::Token) -> Vec3<F> {
        let [a, b, c] = &self.0;
        Vec3([F::load(token, a), F::load(token, b), F::load(token, c)])
    }

    /// Takes one contact's vector from among others.
    pub fn copy_lane(&mut self, lane: usize, from: &Self, at: usize) {
        for (to, from) in self.0.iter_mut().zip(&from.0) {
            to.0[lane] = from.0[at];
        }
    }
}

impl<F: Register> Vec3<F> {
    #[inline(always)]
    pub fn store(self) -> Vec3 {
        let [a, b, c] = self.0;
        Vec3([a.store(), b.store(), c.store()])
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(F, F) -> F) -> Self {
        let ([a, b, c], [d, e, g]) = (self.0, other.0);
        Self([f(a, d), f(b, e), f(c, g)])
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> F {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    #[inline(always)]
    pub fn times(self, scale: F) -> Self {
        let [a, b, c] = self.0;
        Self([a * scale, b * scale, c * scale])
    }
}

impl<F: Register> Add for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl<F: Register> Sub for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}
