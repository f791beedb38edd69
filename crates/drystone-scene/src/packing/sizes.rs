//! How large grains are.
//!
//! A grain's size is its diameter; for shapes other than spheres that of the sphere of the same
//! volume. So the mass of a grain goes with the cube of its size, whatever its shape, and curves by
//! mass become curves by number without knowing more.

use rand_pcg::Pcg64;

use super::error::{FillError, positive};
use super::streams::{normal, unit};

/// Distribution of sizes. By number unless said otherwise: the probability of the next grain's
/// size.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// The shape as it is: its lengths are not scaled.
    AsShaped,
    /// All the same.
    Fixed {
        /// Diameter, m.
        size: f64,
    },
    /// Every size of a range alike.
    Uniform {
        /// Least diameter, m.
        min: f64,
        /// Greatest diameter, m.
        max: f64,
    },
    /// Gaussian, cut on both sides.
    Normal {
        /// Mean diameter, m.
        mean: f64,
        /// Standard deviation before the cut, m.
        deviation: f64,
        /// Sizes further than this many deviations from the mean are drawn again; `mean - cut *
        /// deviation` must be > 0.
        cut: f64,
    },
    /// The logarithm is Gaussian, cut on both sides.
    LogNormal {
        /// Median diameter, m.
        median: f64,
        /// Standard deviation of the natural logarithm before the cut.
        deviation: f64,
        /// Sizes whose logarithm is further than this many deviations from the median's are drawn
        /// again.
        cut: f64,
    },
    /// Fractal: the number of grains larger than `d` goes with `d^-dimension`, as in crushed rock
    /// (about 2.5).
    PowerLaw {
        /// Least diameter, m.
        min: f64,
        /// Greatest diameter, m.
        max: f64,
        /// Fractal dimension; at 0 every factor is alike, at -1 every size.
        dimension: f64,
    },
    /// Weibull: a share of `1 - exp(-(d/scale)^shape)` of the grains, by number, is smaller than
    /// `d`; cut to a range.
    Weibull {
        /// Diameter below which 63.2 % of the grains lie before the cut, m.
        scale: f64,
        /// The greater, the narrower; greater than 0.
        shape: f64,
        /// Least diameter, m.
        min: f64,
        /// Greatest diameter, m.
        max: f64,
    },
    /// Rosin–Rammler: a share of `1 - exp(-(d/scale)^shape)` of the mass passes a sieve of `d`; cut
    /// to a range.
    RosinRammler {
        /// Diameter that 63.2 % of the mass pass before the cut, m.
        scale: f64,
        /// The greater, the narrower; greater than 0.
        shape: f64,
        /// Least diameter, m.
        min: f64,
        /// Greatest diameter, m.
        max: f64,
    },
    /// A grading curve of soil mechanics: mass passing each sieve, straight between rows over the
    /// logarithm of the size. The first row passes 0 %, the last 100 %.
    Sieve(Vec<SieveRow>),
}

/// A row of a grading curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SieveRow {
    /// Opening of the sieve, m.
    pub size: f64,
    /// Share of the mass that passes it, %.
    pub passing: f64,
}

/// Steps into which the curve by mass of Rosin and Rammler is cut: the error is far below that of
/// any sample.
const CURVE_STEPS: usize = 512;

/// Exponents of exponentials and powers beyond which figures overflow.
const LARGEST_EXPONENT: f64 = 100.0;

/// Draws sizes.
pub(super) enum Sampler {
    Fixed(f64),
    Uniform(f64, f64),
    Normal(f64, f64, f64),
    LogNormal(f64, f64, f64),
    Power(Power),
    /// Scale, 1 / shape, and the range in `exp(-(d/scale)^shape)`.
    Weibull(f64, f64, [f64; 2]),
    Sieve(Sieve),
}

impl Sampler {
    /// `own` is the diameter of the shape itself, m.
    pub(super) fn new(sizes: &Sizes, own: f64) -> Result<Self, FillError> {
        Ok(match *sizes {
            Sizes::AsShaped => Self::Fixed(own),
            Sizes::Fixed { size } => Self::Fixed(positive("size", size)?),
            Sizes::Uniform { min, max } => {
                range("uniform", min, max)?;
                Self::Uniform(min, max)
            }
            Sizes::Normal {
                mean,
                deviation,
                cut,
            } => {
                positive("normal: mean", mean)?;
                positive("normal: deviation", deviation)?;
                positive("normal: cut", cut)?;
                positive("normal: mean - cut * deviation", mean - cut * deviation)?;
                Self::Normal(mean, deviation, cut)
            }
            Sizes::LogNormal {
                median,
                deviation,
                cut,
            } => {
                positive("log-normal: median", median)?;
                positive("log-normal: deviation", deviation)?;
                positive("log-normal: cut", cut)?;
                if cut * deviation > LARGEST_EXPONENT {
                    let (what, expected) = ("log-normal: cut * deviation", "at most 100");
                    let value = cut * deviation;
                    return Err(FillError::Value {
                        what,
                        value,
                        expected,
                    });
                }
                Self::LogNormal(median, deviation, cut)
            }
            Sizes::PowerLaw {
                min,
                max,
                dimension,
            } => {
                range("power law", min, max)?;
                if dimension.is_nan() || dimension.abs() > LARGEST_EXPONENT {
                    let (what, expected) = ("power law: dimension", "a number from -100 to 100");
                    let value = dimension;
                    return Err(FillError::Value {
                        what,
                        value,
                        expected,
                    });
                }
                Self::Power(Power::new(min, max, dimension))
            }
            Sizes::Weibull {
                scale,
                shape,
                min,
                max,
            } => {
                let tails = tails("Weibull", scale, shape, min, max)?;
                Self::Weibull(scale, 1.0 / shape, tails)
            }
            Sizes::RosinRammler {
                scale,
                shape,
                min,
                max,
            } => Self::Sieve(rosin_rammler(scale, shape, min, max)?),
            Sizes::Sieve(ref rows) => Self::Sieve(Sieve::new(rows)?),
        })
    }

    /// The next size, m.
    pub(super) fn draw(&self, rng: &mut Pcg64) -> f64 {
        match self {
            Self::Fixed(size) => *size,
            Self::Uniform(min, max) => min + (max - min) * unit(rng),
            Self::Normal(mean, deviation, cut) => mean + deviation * cut_normal(rng, *cut),
            Self::LogNormal(median, deviation, cut) => {
                median * (deviation * cut_normal(rng, *cut)).exp()
            }
            Self::Power(power) => power.at(unit(rng)),
            Self::Weibull(scale, exponent, [low, high]) => {
                let tail = low + (high - low) * unit(rng);
                scale * (-tail.ln()).powf(*exponent)
            }
            Self::Sieve(sieve) => sieve.draw(rng),
        }
    }
}

fn range(what: &'static str, min: f64, max: f64) -> Result<(), FillError> {
    if min > 0.0 && max > min && max.is_finite() {
        Ok(())
    } else {
        Err(FillError::Range { what, min, max })
    }
}

/// Standard normal, no further from 0 than `cut`.
fn cut_normal(rng: &mut Pcg64, cut: f64) -> f64 {
    // A narrow cut would draw for ever: there the density is nearly flat and rejecting from the
    // uniform is quick.
    if cut < 1.0 {
        loop {
            let x = cut * (2.0 * unit(rng) - 1.0);
            if unit(rng) < (-0.5 * x * x).exp() {
                return x;
            }
        }
    }
    loop {
        let x = normal(rng);
        if x.abs() <= cut {
            return x;
        }
    }
}

/// `exp(-(d/scale)^shape)` at both ends of a range: the shares larger than them.
fn tails(
    what: &'static str,
    scale: f64,
    shape: f64,
    min: f64,
    max: f64,
) -> Result<[f64; 2], FillError> {
    range(what, min, max)?;
    positive("Weibull: scale", scale)?;
    positive("Weibull: shape", shape)?;
    let tail = |d: f64| (-(d / scale).powf(shape)).exp();
    let (low, high) = (tail(min), tail(max));
    if low - high > 1e-9 {
        Ok([low, high])
    } else {
        let expected = "more than 1e-9 of the distribution between the least and the greatest size";
        Err(FillError::Value {
            what: "Weibull: share of the cut range",
            value: low - high,
            expected,
        })
    }
}

/// Sizes with a density that goes with `d^-(dimension + 1)`.
pub(super) struct Power {
    min: f64,
    /// Greatest over least.
    ratio: f64,
    dimension: f64,
}

impl Power {
    fn new(min: f64, max: f64, dimension: f64) -> Self {
        Self {
            min,
            ratio: max / min,
            dimension,
        }
    }

    /// The size that a share `u` of the grains stays below.
    fn at(&self, u: f64) -> f64 {
        let log = self.ratio.ln();
        // (d/min)^-D falls from 1 to ratio^-D; in terms of exp(x) - 1 also when D is next to 0.
        let fall = (-self.dimension * log).exp_m1();
        let factor = if fall == 0.0 {
            u * log
        } else {
            -(u * fall).ln_1p() / self.dimension
        };
        self.min * factor.clamp(0.0, log).exp()
    }
}

/// A grading curve, by number.
pub(super) struct Sieve {
    /// Share of the grains up to the end of each step, the last 1.
    cumulative: Vec<f64>,
    /// The sizes within each step: mass even over the logarithm, so the number goes with d^-4.
    steps: Vec<Power>,
}

impl Sieve {
    fn new(rows: &[SieveRow]) -> Result<Self, FillError> {
        check_rows(rows)?;
        let (mut cumulative, mut steps) = (Vec::new(), Vec::new());
        let largest = rows[rows.len() - 1].size;
        let mut number = 0.0;
        for pair in rows.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let mass = b.passing - a.passing;
            if mass > 0.0 {
                // Mean of d^-3 over the logarithm, in units of the largest size against overflow.
                let cubes = ((largest / a.size).powi(3) - (largest / b.size).powi(3)) / 3.0;
                number += mass * cubes / (b.size / a.size).ln();
                cumulative.push(number);
                steps.push(Power::new(a.size, b.size, 3.0));
            }
        }
        for share in &mut cumulative {
            *share /= number;
        }
        Ok(Self { cumulative, steps })
    }

    fn draw(&self, rng: &mut Pcg64) -> f64 {
        let u = unit(rng);
        let step = self.cumulative.partition_point(|&share| share <= u);
        self.steps[step.min(self.steps.len() - 1)].at(unit(rng))
    }
}

fn check_rows(rows: &[SieveRow]) -> Result<(), FillError> {
    if rows.len() < 2 {
        return Err(FillError::SieveRows { rows: rows.len() });
    }
    let fault = |row: usize, expected| {
        let SieveRow { size, passing } = rows[row];
        Err(FillError::Sieve {
            row,
            size,
            passing,
            expected,
        })
    };
    for (k, row) in rows.iter().enumerate() {
        if !(row.size > 0.0 && row.size.is_finite()) {
            return fault(k, "expected a finite size > 0");
        }
        if !(0.0..=100.0).contains(&row.passing) {
            return fault(k, "expected a passing mass from 0 to 100 %");
        }
        if k > 0 && row.size <= rows[k - 1].size {
            return fault(k, "expected a greater size than in the row before");
        }
        if k > 0 && row.passing < rows[k - 1].passing {
            return fault(k, "expected no less mass passing than in the row before");
        }
    }
    // A curve that does not begin at 0 % does not say how fine the rest is.
    if rows[0].passing != 0.0 {
        return fault(
            0,
            "expected 0 % in the first row: add one with the size of the finest grains",
        );
    }
    let last = rows.len() - 1;
    if rows[last].passing != 100.0 {
        return fault(
            last,
            "expected 100 % in the last row: add one with the size of the largest grains",
        );
    }
    Ok(())
}

fn rosin_rammler(scale: f64, shape: f64, min: f64, max: f64) -> Result<Sieve, FillError> {
    let [low, high] = tails("Rosin-Rammler", scale, shape, min, max)?;
    let row = |k: usize| {
        let part = k as f64 / CURVE_STEPS as f64;
        let size = min * (max / min).powf(part);
        let tail = (-(size / scale).powf(shape)).exp();
        // The ends exactly, in between within them: rounding is not to make a curve that falls.
        let passing = match k {
            0 => 0.0,
            CURVE_STEPS => 100.0,
            _ => (100.0 * (low - tail) / (low - high)).clamp(0.0, 100.0),
        };
        SieveRow { size, passing }
    };
    let rows: Vec<_> = (0..=CURVE_STEPS).map(row).collect();
    Sieve::new(&rows)
}
