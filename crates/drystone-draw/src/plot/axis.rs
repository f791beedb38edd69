//! Axes: which range, which ticks, which labels.

/// How values are laid along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Logarithmic, the range that the data need.
    Log,
    /// Logarithmic, widened to whole decades.
    LogDecades,
    /// Linear from 0 to a little above 1, so that a line at 1 does not hide in the frame; labelled
    /// in per cent.
    Share,
    /// Linear, with a little room; from 0 where the data come near it.
    Linear,
}

/// A labelled tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// The label.
    pub label: String,
    /// Raised behind the label.
    pub exponent: Option<String>,
}

/// An axis, ready to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: AxisScale,
    /// Ends of the axis.
    pub range: [f64; 2],
    /// Labelled ticks, with grid lines.
    pub ticks: Vec<Tick>,
    /// Ticks without label.
    pub minor: Vec<f64>,
    /// Power of ten that all labels are to be multiplied with.
    pub power: Option<i32>,
}

/// Most labelled decades: more would crowd.
const MOST_DECADES: i32 = 7;

/// Values beyond this size lie outside every linear axis: so its length cannot overflow.
const LARGEST: f64 = 1e300;
/// A linear axis is longer than this. Shorter, its ticks would be too small to have reciprocals.
const SHORTEST: f64 = 1e-290;
/// Values beyond lie outside every logarithmic axis: so the ratio of its ends cannot overflow.
const LOG_RANGE: [f64; 2] = [1e-150, 1e150];
/// Farthest that a value may lie from its axis, in lengths of the axis. Beyond it is as good as
/// infinitely far, but can be computed with.
const FARTHEST: f64 = 1e12;

impl Axis {
    /// An axis for values in `range`, whatever they are; ends that this kind of axis cannot have
    /// are moved to the nearest that it can. A linear one has no room beyond an end where values
    /// were cut off: there it would show them.
    pub fn new(scale: AxisScale, range: [f64; 2], cut: [bool; 2]) -> Self {
        let [least, most] = match scale {
            AxisScale::Share | AxisScale::Linear => [-LARGEST, LARGEST],
            AxisScale::Log | AxisScale::LogDecades => LOG_RANGE,
        };
        let end = |value: f64, else_at: f64| match value.is_nan() {
            true => else_at,
            false => value.clamp(least, most),
        };
        let range = [end(range[0], least), end(range[1], most)];
        match scale {
            AxisScale::Share => Self {
                scale,
                range: [0.0, 1.04],
                ticks: (0..=5).map(percent).collect(),
                minor: Vec::new(),
                power: None,
            },
            AxisScale::Log | AxisScale::LogDecades => Self::log(scale, range),
            AxisScale::Linear => Self::linear(range, cut),
        }
    }

    fn linear([mut low, mut high]: [f64; 2], cut: [bool; 2]) -> Self {
        // One value alone still needs an axis around it.
        let length = high - low;
        if length <= SHORTEST || length <= 1e-9 * high.abs().max(low.abs()) {
            let room = match low.abs() <= SHORTEST {
                true => 1.0,
                false => 0.5 * low.abs(),
            };
            (low, high) = (low - room, high + room);
            if low < 0.0 && high > 0.0 {
                low = 0.0;
            }
        }
        let room = 0.04 * (high - low);
        low = match low {
            low if cut[0] => low,
            low if low >= 0.0 && low <= 0.5 * high => 0.0,
            low => low - room,
        };
        if !cut[1] {
            high += room;
        }
        let values = round_values(low, high, round_step((high - low) / 5.5));
        let (ticks, power) = linear_labels(values);
        Self {
            scale: AxisScale::Linear,
            range: [low, high],
            ticks,
            minor: Vec::new(),
            power,
        }
    }

    fn log(scale: AxisScale, [mut low, mut high]: [f64; 2]) -> Self {
        // One value alone still needs an axis around it.
        if high / low < 1.5 {
            (low, high) = (low / 2.0, high * 2.0);
        }
        if scale == AxisScale::LogDecades {
            low = power(decade_below(low));
            high = power(decade_above(high));
        }
        let (first, last) = (decade_above(low), decade_below(high));
        let (mut values, mut minor) = if last - first >= 1 {
            decades(first, last, low, high)
        } else {
            (digits(&[1.0, 2.0, 5.0], low, high), Vec::new())
        };
        // So narrow that it is nearly linear.
        if values.len() < 2 {
            values = round_values(low, high, round_step((high - low) / 4.5));
            minor = Vec::new();
        }
        Self {
            scale,
            range: [low, high],
            ticks: label(values),
            minor,
            power: None,
        }
    }

    /// Position of a value along the axis: 0 at its low end, 1 at its high end.
    pub fn position(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let position = match self.scale {
            AxisScale::Share | AxisScale::Linear => (value - low) / (high - low),
            AxisScale::Log | AxisScale::LogDecades => (value / low).ln() / (high / low).ln(),
        };
        position.clamp(-FARTHEST, FARTHEST)
    }

    /// Whether a value has a place on this kind of axis.
    pub fn can_show(scale: AxisScale, value: f64) -> bool {
        match scale {
            AxisScale::Share | AxisScale::Linear => value.is_finite(),
            AxisScale::Log | AxisScale::LogDecades => value.is_finite() && value > 0.0,
        }
    }
}

/// Powers of ten as ticks; between them unlabelled ones.
fn decades(first: i32, last: i32, low: f64, high: f64) -> (Vec<f64>, Vec<f64>) {
    let step = 1 + (last - first) / MOST_DECADES;
    let labelled = |k: &i32| k.rem_euclid(step) == 0;
    let values = (first..=last).filter(labelled).map(power).collect();
    let minor = if step > 1 {
        let between = (first..=last).filter(|k| !labelled(k));
        between.map(power).collect()
    } else if last - first <= 4 {
        digits(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], low, high)
    } else {
        Vec::new()
    };
    (values, minor)
}

/// All `d · 10^k` within the range.
fn digits(digits: &[f64], low: f64, high: f64) -> Vec<f64> {
    let decades = decade_below(low)..=decade_above(high);
    decades
        .flat_map(|k| digits.iter().map(move |d| d * power(k)))
        .filter(|v| (low * (1.0 - 1e-12)..=high * (1.0 + 1e-12)).contains(v))
        .collect()
}

/// Plain numbers where all of them are short, powers of ten otherwise.
fn label(values: Vec<f64>) -> Vec<Tick> {
    let plain = values.iter().all(|v| (0.0099..10_001.0).contains(v));
    let tick = |value: f64| {
        if plain {
            let label = format!("{}", (value * 1e6).round() / 1e6);
            return Tick {
                value,
                label,
                exponent: None,
            };
        }
        let k = decade_below(value);
        let digit = (value / power(k) * 1e6).round() / 1e6;
        let label = if digit == 1.0 {
            "10".to_owned()
        } else {
            format!("{digit}·10")
        };
        // A true minus sign is as wide as the digits.
        let exponent = Some(k.to_string().replace('-', "−"));
        Tick {
            value,
            label,
            exponent,
        }
    };
    values.into_iter().map(tick).collect()
}

/// All multiples of a step within the range.
fn round_values(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Evenly spaced values with as many digits as tell them apart. Where the largest has many digits
/// before the point or zeros behind it, a power of ten is taken out of all.
fn linear_labels(values: Vec<f64>) -> (Vec<Tick>, Option<i32>) {
    let largest = values.iter().fold(0.0, |most, v| f64::max(most, v.abs()));
    let step = values.windows(2).map(|w| decade_below(w[1] - w[0])).next();
    let taken = match (step, decade_below(largest)) {
        _ if largest == 0.0 => None,
        (_, -3..=5) => None,
        // Large numbers close together need all their digits anyway.
        (Some(step), 6..) if step <= 1 => None,
        (_, decade) => Some(decade),
    };
    let digits = step.map_or(0, |step| taken.unwrap_or(0) - step);
    let digits = digits.clamp(0, 12) as usize;
    let tick = |value: f64| {
        let shown = value / power(taken.unwrap_or(0));
        Tick {
            value,
            // A true minus sign is as wide as the digits.
            label: format!("{shown:.digits$}").replace('-', "−"),
            exponent: None,
        }
    };
    (values.into_iter().map(tick).collect(), taken)
}

fn percent(k: u8) -> Tick {
    Tick {
        value: f64::from(k) / 5.0,
        label: format!("{} %", 20 * u32::from(k)),
        exponent: None,
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let decade = power(decade_below(least));
    let digit = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|d| d * decade >= least * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * decade
}

fn power(k: i32) -> f64 {
    10f64.powi(k)
}

/// Largest k with `10^k <= value`, forgiving rounding.
fn decade_below(value: f64) -> i32 {
    (value.log10() + 1e-9).floor() as i32
}

/// Smallest k with `10^k >= value`, forgiving rounding.
fn decade_above(value: f64) -> i32 {
    (value.log10() - 1e-9).ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uncut(scale: AxisScale, range: [f64; 2]) -> Axis {
        Axis::new(scale, range, [false; 2])
    }

    fn labels(axis: &Axis) -> Vec<String> {
        let whole = |t: &Tick| format!("{}^{}", t.label, t.exponent.as_deref().unwrap_or(""));
        axis.ticks.iter().map(whole).collect()
    }

    #[test]
    fn many_decades_are_labelled_as_powers_without_crowding() {
        let axis = uncut(AxisScale::LogDecades, [3e-13, 1.0]);
        assert_eq!(axis.range, [1e-13, 1.0]);
        assert!(axis.ticks.len() <= 8);
        assert!(labels(&axis).contains(&"10^−8".to_owned()));
    }

    #[test]
    fn few_decades_are_labelled_as_numbers() {
        let axis = uncut(AxisScale::Log, [1.0, 340.0]);
        assert_eq!(labels(&axis), ["1^", "10^", "100^"]);
        let narrow = uncut(AxisScale::Log, [0.03, 0.07]);
        assert_eq!(
            labels(&narrow),
            ["0.03^", "0.04^", "0.05^", "0.06^", "0.07^"]
        );
        let between = uncut(AxisScale::Log, [1.1e-7, 1.9e-7]);
        assert_eq!(
            labels(&between),
            ["1.2·10^−7", "1.4·10^−7", "1.6·10^−7", "1.8·10^−7"]
        );
    }

    #[test]
    fn linear_ticks_are_round_and_start_from_zero_where_that_is_near() {
        let axis = uncut(AxisScale::Linear, [0.1, 2.0]);
        assert_eq!(labels(&axis), ["0.0^", "0.5^", "1.0^", "1.5^", "2.0^"]);
        let far = uncut(AxisScale::Linear, [-103.0, -101.0]);
        assert!(labels(&far).contains(&"−102.5^".to_owned()), "{far:?}");
        assert!(far.range[0] < -103.0 && far.range[1] > -101.0);
        for lone in [0.0, 7.0, -7.0, 1e-300] {
            let axis = uncut(AxisScale::Linear, [lone, lone]);
            assert!(axis.range[0] < axis.range[1], "{axis:?}");
            assert!((0.0..=1.0).contains(&axis.position(lone)), "{axis:?}");
        }
    }

    #[test]
    fn a_linear_axis_ends_where_values_were_cut_off() {
        let limits = [15.0, 90.0];
        assert_eq!(
            Axis::new(AxisScale::Linear, limits, [true; 2]).range,
            limits
        );
        assert_eq!(uncut(AxisScale::Linear, limits).range, [0.0, 93.0]);
    }

    #[test]
    fn a_power_of_ten_is_taken_out_of_many_zeros() {
        let small = uncut(AxisScale::Linear, [1e-9, 9e-9]);
        assert_eq!(labels(&small), ["0^", "2^", "4^", "6^", "8^"]);
        assert_eq!(small.power, Some(-9));
        let offset = uncut(AxisScale::Linear, [-3.10e7, -3.02e7]);
        assert_eq!(labels(&offset)[0], "−3.10^");
        assert_eq!(offset.power, Some(7));
        let close = uncut(AxisScale::Linear, [1e7 + 2.0, 1e7 + 4.0]);
        assert_eq!((close.power, &*labels(&close)[0]), (None, "10000002.0^"));
        // Six digits before the point can be read.
        let plain = uncut(AxisScale::Linear, [-169_005.0, 120_000.0]);
        assert_eq!(plain.power, None);
        assert!(labels(&plain).contains(&"−100000^".to_owned()));
    }

    #[test]
    fn positions_run_from_zero_to_one() {
        let axis = uncut(AxisScale::Log, [1.0, 100.0]);
        assert!((axis.position(10.0) - 0.5).abs() < 1e-12);
        let lone = uncut(AxisScale::Log, [7.0, 7.0]);
        assert!((lone.position(7.0) - 0.5).abs() < 1e-12);
    }
}
