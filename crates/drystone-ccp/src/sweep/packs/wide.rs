//! AVX2: eight numbers in two registers.

use std::ops::{Add, Mul, Sub};

use pulp::x86::V3;
use pulp::{cast, f64x4, m64x4};

use super::lanes::{LANES, Lanes, Register};

/// Eight numbers in two registers. The token takes no room.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    simd: V3,
    value: [f64x4; 2],
}

impl Wide {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(V3, f64x4, f64x4) -> f64x4) -> Self {
        let ([a, b], [c, d]) = (self.value, other.value);
        let value = [f(self.simd, a, c), f(self.simd, b, d)];
        Self { value, ..self }
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(V3, f64x4, f64x4) -> m64x4) -> [m64x4; 2] {
        let ([a, b], [c, d]) = (self.value, other.value);
        [f(self.simd, a, c), f(self.simd, b, d)]
    }
}

impl Register for Wide {
    type Token = V3;
    type Mask = [m64x4; 2];

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
        let value = [simd.splat_f64x4(x); 2];
        Self { simd, value }
    }

    #[inline(always)]
    fn token(self) -> V3 {
        self.simd
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.with(other, |simd, a, b| simd.div_f64x4(a, b))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.with(self, |simd, a, _| simd.sqrt_f64x4(a))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> [m64x4; 2] {
        self.compare(other, |simd, a, b| simd.cmp_le_f64x4(a, b))
    }

    #[inline(always)]
    fn below(self, other: Self) -> [m64x4; 2] {
        self.compare(other, |simd, a, b| simd.cmp_lt_f64x4(a, b))
    }

    #[inline(always)]
    fn both(simd: V3, [a, b]: [m64x4; 2], [c, d]: [m64x4; 2]) -> [m64x4; 2] {
        [simd.and_m64x4(a, c), simd.and_m64x4(b, d)]
    }

    #[inline(always)]
    fn choose([low, high]: [m64x4; 2], yes: Self, no: Self) -> Self {
        let simd = yes.simd;
        let value = [
            simd.select_f64x4(low, yes.value[0], no.value[0]),
            simd.select_f64x4(high, yes.value[1], no.value[1]),
        ];
        Self { simd, value }
    }

    /// Quarter by quarter.
    #[inline(always)]
    fn transpose([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
        let simd = a.simd;
        let quarter = |rows: [Self; 4], half: usize| {
            let [p, q, r, s] = rows;
            transpose(
                simd,
                [p.value[half], q.value[half], r.value[half], s.value[half]],
            )
        };
        let ([i, j, k, l], [m, n, o, p]) = (quarter([a, b, c, d], 0), quarter([e, f, g, h], 0));
        let ([q, r, s, t], [u, v, w, x]) = (quarter([a, b, c, d], 1), quarter([e, f, g, h], 1));
        let row = |low, high| Self {
            simd,
            value: [low, high],
        };
        [
            row(i, m),
            row(j, n),
            row(k, o),
            row(l, p),
            row(q, u),
            row(r, v),
            row(s, w),
            row(t, x),
        ]
    }
}

/// Rows of four become columns.
#[inline(always)]
fn transpose(simd: V3, [a, b, c, d]: [f64x4; 4]) -> [f64x4; 4] {
    let avx = simd.avx;
    let [p, q, r, s] = [cast(a), cast(b), cast(c), cast(d)];
    let (even_low, odd_low) = (avx._mm256_unpacklo_pd(p, q), avx._mm256_unpackhi_pd(p, q));
    let (even_high, odd_high) = (avx._mm256_unpacklo_pd(r, s), avx._mm256_unpackhi_pd(r, s));
    [
        cast(avx._mm256_permute2f128_pd::<0x20>(even_low, even_high)),
        cast(avx._mm256_permute2f128_pd::<0x20>(odd_low, odd_high)),
        cast(avx._mm256_permute2f128_pd::<0x31>(even_low, even_high)),
        cast(avx._mm256_permute2f128_pd::<0x31>(odd_low, odd_high)),
    ]
}

impl Add for Wide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |simd, a, b| simd.add_f64x4(a, b))
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |simd, a, b| simd.sub_f64x4(a, b))
    }
}

impl Mul for Wide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |simd, a, b| simd.mul_f64x4(a, b))
    }
}
