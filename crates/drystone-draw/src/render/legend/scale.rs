//! Quantities as colours, and the round numbers that say which.

use crate::render::color::{Color, viridis};

/// Ranges up to this width have one tick: steps within them would be too small to divide by.
const NARROWEST: f64 = 1e-290;
/// Numbers from here on are written with a power of ten.
const LONGEST: f64 = 1e9;

/// How a quantity becomes a colour.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorScale {
    /// Its name, such as `speed`.
    pub quantity: String,
    /// Its unit without prefix, such as `m/s`; empty for a number.
    pub unit: String,
    /// Values of the first and the last colour.
    pub range: [f64; 2],
    /// Whether equal ratios, not equal differences, are equally far apart. Both ends must be > 0
    /// then.
    pub log: bool,
}

impl ColorScale {
    /// A scale of values in proportion.
    pub fn new(quantity: &str, unit: &str, range: [f64; 2]) -> Self {
        Self {
            quantity: quantity.to_owned(),
            unit: unit.to_owned(),
            range,
            log: false,
        }
    }

    /// The colour of a value; grey if it is no number.
    pub fn color(&self, value: f64) -> Color {
        viridis(self.position(value))
    }

    /// Share of the way from the first to the last colour; the middle of a range without width.
    pub fn position(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let share = match self.log {
            // What is not positive lies below any scale.
            true if value <= 0.0 => return 0.0,
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        if value.is_finite() && !share.is_finite() {
            return 0.5;
        }
        share
    }

    /// What stands beside the values of [`ColorScale::ticks`].
    pub fn labels(&self) -> Vec<String> {
        let (ticks, factor) = (self.ticks(), self.heading().1);
        match self.log {
            true => ticks.iter().map(|v| log_label(v / factor)).collect(),
            false => labels(&ticks, factor),
        }
    }

    /// Values to label: round ones.
    pub fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        let width = high - low;
        if !width.is_finite() || width <= NARROWEST {
            return if low.is_finite() {
                vec![low]
            } else {
                Vec::new()
            };
        }
        if self.log {
            return log_ticks(low, high);
        }
        // The largest round step that gives at least three or four of them.
        let step = round_below(width / 3.6);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    /// The heading, and what values are divided by before they are written.
    pub fn heading(&self) -> (String, f64) {
        let [low, high] = self.range.map(f64::abs);
        let size = low.max(high);
        let (prefix, factor) = prefix(size);
        let Self { quantity, unit, .. } = self;
        if unit.is_empty() || unit.starts_with("kg") {
            // No prefix fits: the power of ten itself.
            let power = factor.log10().round() as i32;
            return match (power, unit.is_empty()) {
                (0, true) => (quantity.clone(), factor),
                (0, false) => (format!("{quantity} ({unit})"), factor),
                _ => {
                    let unit = format!("10{} {unit}", superscript(power));
                    (format!("{quantity} ({})", unit.trim_end()), factor)
                }
            };
        }
        (format!("{quantity} ({prefix}{unit})"), factor)
    }
}

/// Most ticks of a scale by powers of ten.
const MOST_LOG_TICKS: usize = 9;

/// Powers of ten, with twice and five times them between where these are few; every second, third
/// power and so on where they are many. The ends where a range holds none.
fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    if low.is_nan() || low <= 0.0 {
        return Vec::new();
    }
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let inside = |v: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(v);
    let of_digits = |digits: &[f64]| -> Vec<f64> {
        let all = powers
            .clone()
            .flat_map(|k| digits.iter().map(move |d| d * 10f64.powi(k)));
        all.filter(inside).collect()
    };
    let decades = of_digits(&[1.0]);
    if decades.len() > MOST_LOG_TICKS {
        let every = decades.len().div_ceil(MOST_LOG_TICKS);
        return decades.into_iter().step_by(every).collect();
    }
    for digits in [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]] {
        let ticks = of_digits(digits);
        if ticks.len() >= 3 {
            return ticks;
        }
    }
    vec![low, high]
}

/// Three digits at most, or a power of ten.
fn log_label(value: f64) -> String {
    if !(1e-3..1e4).contains(&value) {
        let power = value.log10().floor();
        let digit = value / 10f64.powf(power);
        let digit = (digit * 100.0).round() / 100.0;
        let power = superscript(power as i32);
        return match digit == 1.0 {
            true => format!("10{power}"),
            false => format!("{digit}·10{power}"),
        };
    }
    let decimals = (2.0 - value.log10().floor()).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above a positive value; 1 for what is
/// not positive.
pub(crate) fn round_below(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    let digit = value / power * (1.0 + 1e-12);
    let round = [5.0, 2.0, 1.0].into_iter().find(|d| *d <= digit);
    round.unwrap_or(0.5) * power
}

/// Prefix and factor of a unit in which a value has few digits before the point.
fn prefix(size: f64) -> (&'static str, f64) {
    const PREFIXES: [(&str, f64); 8] = [
        ("G", 1e9),
        ("M", 1e6),
        ("k", 1e3),
        ("", 1.0),
        ("m", 1e-3),
        ("µ", 1e-6),
        ("n", 1e-9),
        ("p", 1e-12),
    ];
    if size == 0.0 || !size.is_finite() {
        return ("", 1.0);
    }
    // Plain up to 5000, and down to 0.2: shorter than with a prefix.
    let bound = |factor: f64| match factor {
        1.0 => 0.2,
        1e3 => 5000.0,
        _ => factor,
    };
    let found = PREFIXES
        .into_iter()
        .find(|(_, f)| size >= bound(*f) * (1.0 - 1e-9));
    found.unwrap_or(("p", 1e-12))
}

/// Numbers of ticks with as many decimals as the closest two need.
fn labels(ticks: &[f64], factor: f64) -> Vec<String> {
    let step = ticks
        .windows(2)
        .map(|w| ((w[1] - w[0]) / factor).abs())
        .fold(f64::INFINITY, f64::min);
    let decimals = if step.is_finite() && step > 0.0 {
        (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
    } else {
        3
    };
    let write = |value: &f64| {
        // No zero with a sign.
        let value = value / factor + 0.0;
        let text = match value.abs() < LONGEST {
            true => format!("{value:.decimals$}"),
            false => format!("{value:.2e}"),
        };
        text.replace('-', "−")
    };
    ticks.iter().map(write).collect()
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    };
    power.to_string().chars().map(raise).collect()
}

/// A length with its unit.
pub(crate) fn length_label(length: f64) -> String {
    let (unit, factor) = match length {
        v if v >= 1e3 => ("km", 1e3),
        v if v >= 1.0 => ("m", 1.0),
        v if v >= 0.999e-3 => ("mm", 1e-3),
        v if v >= 0.999e-6 => ("µm", 1e-6),
        _ => ("nm", 1e-9),
    };
    let number = length / factor;
    match number < LONGEST {
        true => format!("{} {unit}", (number * 1e6).round() / 1e6),
        false => format!("{number:.0e} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(scale: &ColorScale) -> (String, Vec<String>) {
        (scale.heading().0, scale.labels())
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = ColorScale::new("speed", "m/s", [0.0, 1.37]);
        let (heading, labels) = written(&scale);
        assert_eq!(heading, "speed (m/s)");
        assert_eq!(labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        let (heading, labels) = written(&ColorScale::new("size", "m", [1.2e-4, 9.1e-4]));
        assert_eq!(heading, "size (µm)");
        assert_eq!(labels, ["200", "400", "600", "800"]);
        let (heading, labels) = written(&ColorScale::new("force", "N", [0.0, 52_000.0]));
        assert_eq!(heading, "force (kN)");
        assert_eq!(labels, ["0", "10", "20", "30", "40", "50"]);
        let (heading, labels) = written(&ColorScale::new("mass", "kg", [0.0, 0.004]));
        assert_eq!(heading, "mass (10⁻³ kg)");
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
        let (_, labels) = written(&ColorScale::new("height", "m", [-1.0, 1.0]));
        assert_eq!(labels, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
    }

    #[test]
    fn scales_by_powers_of_ten_have_round_ticks_and_even_ratios() {
        let scale = |range: [f64; 2]| ColorScale {
            log: true,
            ..ColorScale::new("speed", "m/s", range)
        };
        let (heading, labels) = written(&scale([1e-3, 2.0]));
        assert_eq!(heading, "speed (m/s)");
        assert_eq!(labels, ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(written(&scale([2.0, 60.0])).1, ["3", "10", "30"]);
        assert_eq!(written(&scale([1.0, 6.0])).1, ["1", "2", "5"]);
        assert_eq!(written(&scale([2.2, 2.4])).1, ["2.2", "2.4"]);
        assert_eq!(written(&scale([1e-5, 1e2])).1[0], "10⁻⁵");
        assert!((scale([1e-3, 1.0]).position(1e-2) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(scale([1e-3, 1.0]).position(0.0), 0.0);
        assert!(scale([1e-3, 1.0]).position(f64::NAN).is_nan());
        for (low, high) in [(1e-300, 1e300), (1e-9, 1e9), (1.0, 1.0 + 1e-12), (0.0, 1.0)] {
            let labels = written(&scale([low, high])).1;
            assert!(labels.len() <= 9, "{labels:?}");
            assert!(labels.iter().all(|label| label.chars().count() < 25));
        }
    }

    #[test]
    fn any_range_has_few_ticks() {
        for high in [1e-12, 3.3e-7, 0.019, 1.0, 7.77, 123.4, 9e5, 4e13] {
            for share in [0.0, 0.5, 0.9, -2.0] {
                let scale = ColorScale::new("x", "m", [share * high, high]);
                let count = scale.ticks().len();
                assert!((3..=9).contains(&count), "{:?}: {count}", scale.range);
            }
        }
    }

    #[test]
    fn degenerate_ranges_have_colours_and_ticks() {
        for range in [[1.0, 1.0], [0.0, 0.0], [2.0, 1.0]] {
            let scale = ColorScale::new("speed", "m/s", range);
            assert_eq!(scale.ticks(), [range[0]]);
            assert!(scale.color(range[0]).linear.iter().all(|v| v.is_finite()));
        }
        let scale = ColorScale::new("speed", "m/s", [f64::NAN, 1.0]);
        assert!(scale.ticks().is_empty());
        assert!(scale.color(0.5).linear.iter().all(|v| v.is_finite()));
        assert_eq!(scale.color(f64::NAN), Color::grey(0.6));
    }

    #[test]
    fn lengths_are_round_and_named() {
        for (value, expected) in [
            (0.00234, "2 mm"),
            (7.3, "5 m"),
            (1e-4, "100 µm"),
            (1500.0, "1 km"),
            (0.99, "500 mm"),
        ] {
            assert_eq!(length_label(round_below(value)), expected);
        }
        assert_eq!(round_below(f64::NAN), 1.0);
        assert_eq!(round_below(-1.0), 1.0);
    }

    #[test]
    fn ranges_of_any_size_have_short_labels() {
        let tiny = f64::from_bits(1);
        let ends = [
            0.0,
            tiny,
            1e-320,
            1e-308,
            1e-200,
            1.0,
            1e200,
            1e308,
            f64::MAX,
        ];
        for low in ends {
            for high in ends.into_iter().flat_map(|v| [v, -v]) {
                let scale = ColorScale::new("speed", "m/s", [low, high]);
                let (heading, labels) = written(&scale);
                assert!(labels.len() <= 9, "{low} {high}: {labels:?}");
                assert!(labels.iter().all(|label| label.chars().count() < 25));
                assert!(heading.len() < 40, "{heading}");
                assert!(length_label(round_below(high)).len() < 25);
            }
        }
    }
}
