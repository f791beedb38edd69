//! Which grains: templates and sizes, before anything has a place.

use std::f64::consts::PI;

use super::error::{FillError, positive};
use super::streams::{Purpose, stream, unit};
use super::template::Bounds;
use super::{Amount, Arrangement, FillSpec, MOST_GRAINS};

/// A grain without a place.
pub(super) struct Drawn {
    pub template: usize,
    /// Diameter of the sphere of the same volume, m.
    pub size: f64,
    /// Its lengths over the template's.
    pub scale: f64,
    /// Bounding radius, m.
    pub radius: f64,
}

/// Grains from which the mean volume is told.
const SAMPLE: usize = 1000;

/// How many grains an amount by volume comes to at least: half of what a sample says, since a few
/// large grains may be missing in it.
pub(super) fn least_count(spec: &FillSpec, bounds: &[Bounds]) -> u64 {
    let volume = match spec.amount {
        Amount::Count(count) => return count as u64,
        Amount::SolidFraction { fraction } => fraction * spec.region.volume(),
        Amount::Mass { mass, density } => mass / density,
    };
    let sample = FillSpec {
        amount: Amount::Count(SAMPLE),
        ..spec.clone()
    };
    let Ok(grains) = draw(&sample, bounds) else {
        return 0;
    };
    let mean = grains.iter().map(own_volume).sum::<f64>() / SAMPLE as f64;
    let count = 0.5 * volume / mean;
    // No more than would be made before it is refused.
    if count > 0.0 {
        count.min(MOST_GRAINS as f64) as u64
    } else {
        0
    }
}

/// Volume, m³.
fn own_volume(grain: &Drawn) -> f64 {
    PI / 6.0 * grain.size.powi(3)
}

pub(super) fn draw(spec: &FillSpec, bounds: &[Bounds]) -> Result<Vec<Drawn>, FillError> {
    let mut kinds = stream(spec.seed, Purpose::Template);
    let mut sizes = stream(spec.seed, Purpose::Size);
    let weights: f64 = spec.templates.iter().map(|t| t.weight).sum();
    let mut next = || {
        let mut left = weights * unit(&mut kinds);
        // Rounding may leave a crumb after the last: it is the last's.
        let found = spec.templates.iter().position(|t| {
            left -= t.weight;
            left < 0.0
        });
        let template = found.unwrap_or(spec.templates.len() - 1);
        let shape = &bounds[template];
        let size = shape.sampler.draw(&mut sizes);
        let scale = size / shape.diameter;
        Drawn {
            template,
            size,
            scale,
            radius: scale * shape.radius,
        }
    };
    let volume = match spec.amount {
        Amount::Count(count) if count > MOST_GRAINS => {
            return Err(FillError::TooMany { most: MOST_GRAINS });
        }
        Amount::Count(count) => return Ok((0..count).map(|_| next()).collect()),
        Amount::SolidFraction { fraction } => {
            positive("solid fraction", fraction)?;
            let heaps = matches!(spec.arrangement, Arrangement::Rain);
            if fraction >= 1.0 && !heaps {
                let (what, expected) = ("solid fraction", "less than 1");
                return Err(FillError::Value {
                    what,
                    value: fraction,
                    expected,
                });
            }
            fraction * spec.region.volume()
        }
        Amount::Mass { mass, density } => positive("mass", mass)? / positive("density", density)?,
    };
    up_to(volume, next)
}

/// Grains of a volume together, to the nearest grain.
fn up_to(volume: f64, mut next: impl FnMut() -> Drawn) -> Result<Vec<Drawn>, FillError> {
    let mut grains = Vec::new();
    let mut left = volume;
    loop {
        let grain = next();
        let own = own_volume(&grain);
        if left < 0.5 * own {
            if grains.is_empty() {
                let (amount, grain) = (volume, own);
                return Err(FillError::LessThanAGrain { amount, grain });
            }
            return Ok(grains);
        }
        left -= own;
        grains.push(grain);
        if grains.len() > MOST_GRAINS {
            return Err(FillError::TooMany { most: MOST_GRAINS });
        }
    }
}
