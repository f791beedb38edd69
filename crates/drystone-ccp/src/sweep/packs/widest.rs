//! AVX-512: eight numbers in one register.
//!
//! By the intrinsics of the standard library: `pulp` has them too, but only for all of a program,
//! and then dense products elsewhere would round otherwise on machines that have them.
#![expect(unsafe_code, reason = "instructions that not every machine has")]

use std::arch::x86_64::{
    __m512d, __mmask8, _CMP_LE_OQ, _CMP_LT_OQ, _mm512_add_pd, _mm512_cmp_pd_mask, _mm512_div_pd,
    _mm512_load_pd, _mm512_mask_blend_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_shuffle_f64x2,
    _mm512_sqrt_pd, _mm512_store_pd, _mm512_sub_pd, _mm512_unpackhi_pd, _mm512_unpacklo_pd,
};
use std::ops::{Add, Mul, Sub};

use super::lanes::{LANES, Lanes, Register};
use super::simd::Work;

/// Proof that the machine has AVX-512.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    pub fn try_new() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl"))
        .then_some(Self(()))
    }

    /// Runs `work` compiled for these instructions.
    pub fn run<W: Work>(self, work: W) -> W::Output {
        // SAFETY: there is a token, so the machine has them.
        unsafe { vectorized(self, work) }
    }
}

/// # Safety
///
/// The machine has the instructions.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn vectorized<W: Work>(token: Avx512, work: W) -> W::Output {
    work.run::<Widest>(token)
}

/// Eight numbers in one register. Only made with a token, so the machine has the instructions.
#[derive(Clone, Copy)]
pub(super) struct Widest(__m512d);

impl Register for Widest {
    type Token = Avx512;
    type Mask = __mmask8;

    #[inline(always)]
    fn load(_: Avx512, lanes: &Lanes) -> Self {
        // SAFETY: there is a token; lanes lie at multiples of 64 bytes.
        Self(unsafe { _mm512_load_pd(lanes.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> Lanes {
        let mut lanes = Lanes::default();
        // SAFETY: as `load`.
        unsafe { _mm512_store_pd(lanes.0.as_mut_ptr(), self.0) };
        lanes
    }

    #[inline(always)]
    fn splat(_: Avx512, x: f64) -> Self {
        // SAFETY: there is a token.
        Self(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    fn token(self) -> Avx512 {
        Avx512(())
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_div_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> __mmask8 {
        // SAFETY: there was a token.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn below(self, other: Self) -> __mmask8 {
        // SAFETY: there was a token.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn both(_: Avx512, one: __mmask8, other: __mmask8) -> __mmask8 {
        one & other
    }

    #[inline(always)]
    fn choose(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_mask_blend_pd(mask, no.0, yes.0) })
    }

    #[inline(always)]
    fn transpose([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let evens = spread(
            evens_of([a, b]),
            evens_of([c, d]),
            evens_of([e, f]),
            evens_of([g, h]),
        );
        let odds = spread(
            odds_of([a, b]),
            odds_of([c, d]),
            odds_of([e, f]),
            odds_of([g, h]),
        );
        let ([i, j, k, l], [m, n, o, p]) = (evens, odds);
        [i, m, j, n, k, o, l, p]
    }
}

/// Numbers 0, 2, 4 and 6 of two rows, in pairs.
#[inline(always)]
fn evens_of([a, b]: [Widest; 2]) -> __m512d {
    // SAFETY: there was a token.
    unsafe { _mm512_unpacklo_pd(a.0, b.0) }
}

/// Numbers 1, 3, 5 and 7 of two rows, in pairs.
#[inline(always)]
fn odds_of([a, b]: [Widest; 2]) -> __m512d {
    // SAFETY: there was a token.
    unsafe { _mm512_unpackhi_pd(a.0, b.0) }
}

/// Four columns of pairs from four rows of them.
#[inline(always)]
fn spread(a: __m512d, b: __m512d, c: __m512d, d: __m512d) -> [Widest; 4] {
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    // SAFETY: there was a token.
    unsafe {
        let (even_low, odd_low) = (
            _mm512_shuffle_f64x2::<EVEN>(a, b),
            _mm512_shuffle_f64x2::<ODD>(a, b),
        );
        let (even_high, odd_high) = (
            _mm512_shuffle_f64x2::<EVEN>(c, d),
            _mm512_shuffle_f64x2::<ODD>(c, d),
        );
        [
            Widest(_mm512_shuffle_f64x2::<EVEN>(even_low, even_high)),
            Widest(_mm512_shuffle_f64x2::<EVEN>(odd_low, odd_high)),
            Widest(_mm512_shuffle_f64x2::<ODD>(even_low, even_high)),
            Widest(_mm512_shuffle_f64x2::<ODD>(odd_low, odd_high)),
        ]
    }
}

impl Add for Widest {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }
}

impl Sub for Widest {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }
}

impl Mul for Widest {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: there was a token.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }
}
