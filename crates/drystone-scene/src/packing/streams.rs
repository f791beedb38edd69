//! Random numbers: a stream for each purpose.

use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What random numbers are drawn for. The values are part of every packing: changing one changes
/// the packings.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Template = 1,
    Size = 2,
    Place = 3,
    Orientation = 4,
}

/// The stream for a purpose. PCG's own streams are correlated, so each purpose starts from a seed
/// of its own.
pub(super) fn stream(seed: u64, purpose: Purpose) -> Pcg64 {
    let mut mixed = Pcg64::seed_from_u64(seed);
    let mut own: u64 = 0;
    for _ in 0..purpose as usize {
        own = mixed.random();
    }
    Pcg64::seed_from_u64(own)
}

/// Uniform in `[0, 1)`.
pub(super) fn unit(rng: &mut Pcg64) -> f64 {
    rng.random()
}

/// Uniform in the ball of radius 1.
pub(super) fn in_unit_ball(rng: &mut Pcg64) -> DVec3 {
    loop {
        let p = DVec3::new(unit(rng), unit(rng), unit(rng)) * 2.0 - 1.0;
        if p.length_squared() <= 1.0 {
            return p;
        }
    }
}

/// Uniform among all rotations: a point of the unit sphere in four dimensions.
pub(super) fn rotation(rng: &mut Pcg64) -> DQuat {
    loop {
        let mut next = || 2.0 * unit(rng) - 1.0;
        let q = DQuat::from_xyzw(next(), next(), next(), next());
        let norm = q.length_squared();
        // Not too near zero, where the direction would be that of rounding.
        if norm <= 1.0 && norm > 1e-4 {
            return q.normalize();
        }
    }
}

/// From the standard normal distribution (Box and Muller 1958, one of the pair).
pub(super) fn normal(rng: &mut Pcg64) -> f64 {
    // The logarithm's argument is in (0, 1].
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(rng)).cos()
}
