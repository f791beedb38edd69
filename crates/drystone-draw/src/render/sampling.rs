//! Fixed sequences of points in the unit square for each pixel.
//!
//! Two Sobol' dimensions, shuffled and scrambled by hashes (Burley, "Practical hash-based Owen
//! scrambling", 2020). The pixels take their points along a Z curve through the picture. So
//! neighbours share out the square between them, and what noise there is has no coarse patches
//! (Ahmed and Wonka, "Screen-space blue-noise diffusion of Monte Carlo sampling error via
//! hierarchical ordering of pixels", 2020).

use std::f64::consts::TAU;

use glam::DVec3;

/// What a point is for: purposes must not be correlated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Place in the pixel.
    Pixel,
    /// Direction to the lamp.
    Lamp,
    /// Direction into the surroundings.
    Sky,
}

impl Purpose {
    /// Any fixed number without pattern.
    fn seed(self) -> u32 {
        match self {
            Self::Pixel => 0x68bc_21eb,
            Self::Lamp => 0x02e5_be93,
            Self::Sky => 0x967a_889b,
        }
    }
}

/// The sample `index` of `count` of the pixel at `x`, `y`; `count` is a power of 2.
pub fn sample_point(x: u32, y: u32, index: u32, count: u32, purpose: Purpose) -> [f64; 2] {
    // Squares of 1024 pixels repeat: no eye sees that, and the index stays below 2³².
    let pixel = spread(x & 1023) | (spread(y & 1023) << 1);
    let seed = purpose.seed();
    let index = shuffle(pixel.wrapping_mul(count).wrapping_add(index), seed);
    let first = scramble(index.reverse_bits(), hash(seed ^ 0x5bd1_e995));
    let second = scramble(sobol_second(index), hash(seed ^ 0x1b87_3593));
    [first, second].map(|v| (f64::from(v) + 0.5) / 4_294_967_296.0)
}

/// A direction around the unit vector `axis`, more often near it: by the cosine of the angle
/// between.
pub fn around_cosine(axis: DVec3, [u, v]: [f64; 2]) -> DVec3 {
    let (a, b) = axis.any_orthonormal_pair();
    let radius = u.sqrt();
    let (sin, cos) = (TAU * v).sin_cos();
    radius * cos * a + radius * sin * b + (1.0 - u).max(0.0).sqrt() * axis
}

/// A unit vector around the unit vector `axis`, evenly over a round lamp of the given tangent of
/// its angular radius.
pub fn around_lamp(axis: DVec3, tangent: f64, [u, v]: [f64; 2]) -> DVec3 {
    let (a, b) = axis.any_orthonormal_pair();
    let radius = tangent * u.sqrt();
    let (sin, cos) = (TAU * v).sin_cos();
    (axis + radius * cos * a + radius * sin * b).normalize()
}

/// The ten low bits with a zero between each two.
fn spread(v: u32) -> u32 {
    let v = (v | (v << 8)) & 0x00ff_00ff;
    let v = (v | (v << 4)) & 0x0f0f_0f0f;
    let v = (v | (v << 2)) & 0x3333_3333;
    (v | (v << 1)) & 0x5555_5555
}

/// Second Sobol' dimension as a fraction of 2³². Its direction numbers are the rows of Pascal's
/// triangle modulo 2.
fn sobol_second(mut index: u32) -> u32 {
    let (mut direction, mut value) = (1u32 << 31, 0);
    while index != 0 {
        if index & 1 == 1 {
            value ^= direction;
        }
        direction ^= direction >> 1;
        index >>= 1;
    }
    value
}

/// Random swaps of the halves, quarters, ... of the unit interval.
fn scramble(v: u32, seed: u32) -> u32 {
    permute(v.reverse_bits(), seed).reverse_bits()
}

/// The same for the order of a sequence: aligned blocks of 2ᵏ indices stay together.
fn shuffle(index: u32, seed: u32) -> u32 {
    scramble(index, seed)
}

/// A bijection in which each bit depends on the lower bits only (after Laine and Karras, 2011).
fn permute(v: u32, seed: u32) -> u32 {
    let v = v.wrapping_add(seed);
    let v = v ^ v.wrapping_mul(0x6c50_b47c);
    let v = v ^ v.wrapping_mul(0xb82f_1e52);
    let v = v ^ v.wrapping_mul(0xc7af_e638);
    v ^ v.wrapping_mul(0x8d22_f6e6)
}

/// Mixes all bits.
fn hash(v: u32) -> u32 {
    let v = (v ^ (v >> 16)).wrapping_mul(0x7feb_352d);
    let v = (v ^ (v >> 15)).wrapping_mul(0x846c_a68b);
    v ^ (v >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pixel_fills_the_square_evenly() {
        for (x, y) in [(0, 0), (17, 900), (5000, 3)] {
            for purpose in [Purpose::Pixel, Purpose::Lamp, Purpose::Sky] {
                // One point in each of 4 × 4 cells, in each of 16 columns and in each of 16 rows.
                let mut seen = [[false; 16]; 3];
                for k in 0..16 {
                    let [u, v] = sample_point(x, y, k, 16, purpose);
                    let cell = (4.0 * u) as usize + 4 * (4.0 * v) as usize;
                    for (which, at) in [cell, (16.0 * u) as usize, (16.0 * v) as usize]
                        .into_iter()
                        .enumerate()
                    {
                        assert!(!seen[which][at], "{x} {y} {purpose:?} {k}");
                        seen[which][at] = true;
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_share_out_the_square() {
        let mut cells = [false; 16];
        for (x, y) in [(4, 6), (5, 6), (4, 7), (5, 7)] {
            for k in 0..4 {
                let [u, v] = sample_point(x, y, k, 4, Purpose::Sky);
                let cell = (4.0 * u) as usize + 4 * (4.0 * v) as usize;
                assert!(!std::mem::replace(&mut cells[cell], true));
            }
        }
    }

    #[test]
    fn directions_lie_where_they_should() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let mut mean = 0.0;
        for k in 0..1024 {
            let at = sample_point(0, 0, k, 1024, Purpose::Lamp);
            let toward = around_cosine(axis, at);
            assert!((toward.length() - 1.0).abs() < 1e-12 && toward.dot(axis) > 0.0);
            mean += toward.dot(axis) / 1024.0;
            assert!(around_lamp(axis, 0.1, at).angle_between(axis) <= 0.1);
        }
        // The mean cosine of a cosine-weighted hemisphere is 2/3.
        assert!((mean - 2.0 / 3.0).abs() < 1e-3, "{mean}");
    }
}
