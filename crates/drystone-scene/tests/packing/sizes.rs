//! Sizes follow their distributions, by number and by mass.

use std::f64::consts::PI;

use drystone_scene::packing::{Arrangement, Region, SieveRow, Sizes, fill};

use super::spec;

/// Sizes of grains that lie wherever.
fn sample(sizes: Sizes, count: usize) -> Vec<f64> {
    let region = Region::box_between([0.0; 3], [1e3; 3]);
    let grains = fill(&spec(region, Arrangement::Random, count, sizes)).unwrap();
    grains.iter().map(|g| g.size).collect()
}

/// The greatest distance of the sample's cumulative distribution from the true one times the root
/// of the sample's size: 1.95 is exceeded once in a thousand times (Kolmogorov).
fn kolmogorov(mut sample: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = |(k, &d): (usize, &f64)| {
        let p = below(d);
        (p - k as f64 / n).abs().max((p - (k + 1) as f64 / n).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(distance).fold(0.0, f64::max)
}

#[test]
fn sizes_by_number() {
    let (min, max) = (0.5, 2.0);
    let n = 20_000;
    assert!(
        sample(Sizes::Fixed { size: 0.3 }, 10)
            .iter()
            .all(|&d| d == 0.3)
    );
    // A sphere of radius 1 as it is.
    assert!(
        sample(Sizes::AsShaped, 10)
            .iter()
            .all(|&d| (d - 2.0).abs() < 1e-12)
    );
    assert!(
        kolmogorov(sample(Sizes::Uniform { min, max }, n), |d| (d - min)
            / (max - min))
            < 1.95
    );
    for dimension in [-1.0, 0.0, 1e-9, 2.5, 3.0] {
        let below = |d: f64| match dimension {
            0.0 | 1e-9 => (d / min).ln() / (max / min).ln(),
            _ => (1.0 - (d / min).powf(-dimension)) / (1.0 - (max / min).powf(-dimension)),
        };
        let drawn = sample(
            Sizes::PowerLaw {
                min,
                max,
                dimension,
            },
            n,
        );
        assert!(kolmogorov(drawn, below) < 1.95, "{dimension}");
    }
    let (scale, shape): (f64, f64) = (1.2, 2.5);
    let weibull = |d: f64| 1.0 - (-(d / scale).powf(shape)).exp();
    let below = |d: f64| (weibull(d) - weibull(min)) / (weibull(max) - weibull(min));
    let drawn = sample(
        Sizes::Weibull {
            scale,
            shape,
            min,
            max,
        },
        n,
    );
    assert!(kolmogorov(drawn, below) < 1.95);
}

/// Moments of the normal distribution cut at c: variance 1 - 2 c p(c) / P(|x| < c).
#[test]
fn normal_sizes() {
    for (cut, within) in [(0.5_f64, 0.3829249225480262), (2.0, 0.9544997361036416)] {
        let density = (-0.5 * cut * cut).exp() / (2.0 * PI).sqrt();
        let deviation = (1.0 - 2.0 * cut * density / within).sqrt();
        let gaussian = sample(
            Sizes::Normal {
                mean: 1.0,
                deviation: 0.2,
                cut,
            },
            20_000,
        );
        let lognormal = sample(
            Sizes::LogNormal {
                median: 3.0,
                deviation: 0.2,
                cut,
            },
            20_000,
        );
        let a = gaussian.iter().map(|d| (d - 1.0) / 0.2).collect::<Vec<_>>();
        let b = lognormal
            .iter()
            .map(|d| (d / 3.0).ln() / 0.2)
            .collect::<Vec<_>>();
        for x in [a, b] {
            assert!(x.iter().all(|x| x.abs() <= cut * (1.0 + 1e-12)));
            let mean = x.iter().sum::<f64>() / 2e4;
            let square = x.iter().map(|x| x * x).sum::<f64>() / 2e4;
            assert!(mean.abs() < 4.0 * deviation / 2e4_f64.sqrt(), "{mean}");
            // The square's own deviation is below its greatest value.
            assert!(
                (square - deviation * deviation).abs() < 4.0 * deviation * cut / 2e4_f64.sqrt()
            );
        }
    }
}

/// Share of the mass that passes each size.
fn passing(sample: &[f64], size: f64) -> f64 {
    let mass = |d: &&f64| d.powi(3);
    let below = sample.iter().filter(|&&d| d <= size);
    100.0 * below.map(|d| mass(&d)).sum::<f64>() / sample.iter().map(|d| mass(&d)).sum::<f64>()
}

#[test]
fn a_sieve_curve_is_by_mass() {
    let rows = [
        (0.5, 0.0),
        (0.8, 10.0),
        (1.0, 45.0),
        (1.5, 45.0),
        (2.0, 100.0),
    ];
    let rows = rows.map(|(size, passing)| SieveRow { size, passing });
    let drawn = sample(Sizes::Sieve(rows.to_vec()), 60_000);
    for row in rows {
        assert!(
            (passing(&drawn, row.size) - row.passing).abs() < 1.0,
            "{row:?}"
        );
    }
    // Straight over the logarithm: half of a step's mass below the geometric mean of its ends.
    assert!((passing(&drawn, (1.5 * 2.0_f64).sqrt()) - 72.5).abs() < 1.0);
    assert!(
        drawn
            .iter()
            .all(|d| (0.5..=2.0 * (1.0 + 1e-12)).contains(d))
    );
    // A sieve of equal mass in both halves has more small grains than large ones.
    assert!(drawn.iter().filter(|&&d| d < 1.0).count() > 40_000);
}

#[test]
fn rosin_rammler_is_by_mass() {
    let (scale, shape, min, max) = (1.0, 3.0, 0.4, 1.6);
    let drawn = sample(
        Sizes::RosinRammler {
            scale,
            shape,
            min,
            max,
        },
        60_000,
    );
    let curve = |d: f64| 1.0 - (-(d / scale).powf(shape)).exp();
    for d in [0.5, 0.7, 0.9, 1.0, 1.2, 1.4] {
        let expected = 100.0 * (curve(d) - curve(min)) / (curve(max) - curve(min));
        assert!((passing(&drawn, d) - expected).abs() < 1.0, "{d}");
    }
}
