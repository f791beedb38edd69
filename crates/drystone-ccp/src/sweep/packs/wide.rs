//! AVX2: four numbers in one register.

use std::ops::{Add, Mul, Sub};

use pulp::x86::V3;
use pulp::{cast, f64x4, m64x4};

use super::lanes::{LANES, Lanes, Register};

/// Four numbers in one register. The token takes no room.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    simd: V3,
    value: f64x4,
}

impl Wide {
    #[inline(always)]
    fn of(self, value: f64x4) -> Self {
        Self { value, ..self }
    }
}

impl Register for Wide {
    type Token = V3;
    type Mask = m64x4;

    #[inline(always)]
    fn load(simd: V3, lanes: &Lanes) -> Self {
        let value = cast(lanes.0);
        Self { simd, value }
    }

    #[inline(always)]
    fn store(self) -> Lanes {
        Lanes(cast(self.value))
    }

    #[inline(always)]
    fn splat(simd: V3, x: f64) -> Self {
        let value = simd.splat_f64x4(x);
        Self { simd, value }
    }

    #[inline(always)]
    fn token(self) -> V3 {
        self.simd
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.of(self.simd.div_f64x4(self.value, other.value))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.of(self.simd.sqrt_f64x4(self.value))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> m64x4 {
        self.simd.cmp_le_f64x4(self.value, other.value)
    }

    #[inline(always)]
    fn below(self, other: Self) -> m64x4 {
        self.simd.cmp_lt_f64x4(self.value, other.value)
    }

    #[inline(always)]
    fn both(simd: V3, one: m64x4, other: m64x4) -> m64x4 {
        simd.and_m64x4(one, other)
    }

    #[inline(always)]
    fn choose(mask: m64x4, yes: Self, no: Self) -> Self {
        yes.of(yes.simd.select_f64x4(mask, yes.value, no.value))
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; LANES]) -> [Self; LANES] {
        let avx = a.simd.avx;
        let [p, q, r, s] = [cast(a.value), cast(b.value), cast(c.value), cast(d.value)];
        let (even_low, odd_low) = (avx._mm256_unpacklo_pd(p, q), avx._mm256_unpackhi_pd(p, q));
        let (even_high, odd_high) = (avx._mm256_unpacklo_pd(r, s), avx._mm256_unpackhi_pd(r, s));
        [
            a.of(cast(
                avx._mm256_permute2f128_pd::<0x20>(even_low, even_high),
            )),
            a.of(cast(avx._mm256_permute2f128_pd::<0x20>(odd_low, odd_high))),
            a.of(cast(
                avx._mm256_permute2f128_pd::<0x31>(even_low, even_high),
            )),
            a.of(cast(avx._mm256_permute2f128_pd::<0x31>(odd_low, odd_high))),
        ]
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.of(self.simd.add_f64x4(self.value, other.value))
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.of(self.simd.sub_f64x4(self.value, other.value))
    }
}

impl Mul for Wide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.of(self.simd.mul_f64x4(self.value, other.value))
    }
}
