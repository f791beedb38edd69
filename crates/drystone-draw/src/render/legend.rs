//! What the colours of a picture mean.

mod scale;

use drystone_scene::view::ColorBy;

use super::color::Color;
pub use scale::ColorScale;
pub(crate) use scale::{length_label, round_below};

/// What the colours mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// A quantity.
    Scale(ColorScale),
    /// Kinds, such as materials, with their colours.
    Names {
        /// Of what.
        heading: String,
        /// Name and colour of each.
        entries: Vec<(String, Color)>,
    },
}

/// A scale for the values of all bodies; none for materials, which have names. Speeds and forces
/// start at 0 and end where one body in two hundred has more, so that one grain gone astray does
/// not darken all others. `range` goes before that, end by end.
pub(crate) fn scale_of(
    by: ColorBy,
    values: &[f64],
    range: [Option<f64>; 2],
    log: bool,
) -> Option<ColorScale> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let low = sorted.first().copied().unwrap_or(0.0);
    let high = sorted.last().copied().unwrap_or(0.0);
    let most = sorted.len().saturating_sub(1 + sorted.len() / 200);
    let usual = sorted.get(most).copied().unwrap_or(0.0);
    // Where all rests, the scale still needs an end.
    let upper = |v: f64| if v > 0.0 { v } else { 1.0 };
    let (quantity, unit, found) = match by {
        ColorBy::Speed => ("speed", "m/s", [0.0, upper(usual)]),
        ColorBy::Force => ("force", "N", [0.0, upper(usual)]),
        ColorBy::Size => ("size", "m", [low, high]),
        ColorBy::Material => return None,
    };
    let end = range[1].unwrap_or(found[1]);
    let begin = range[0].unwrap_or_else(|| match log {
        true => {
            let least = sorted.iter().copied().find(|v| *v > 0.0).unwrap_or(0.0);
            least.max(upper(end) / MOST_RATIO).min(end)
        }
        false => found[0],
    });
    Some(ColorScale {
        log,
        ..ColorScale::new(quantity, unit, [begin, end])
    })
}

/// Ratio of the ends of a scale by powers of ten, unless told: bodies at rest have speeds far below
/// anything that matters.
const MOST_RATIO: f64 = 1e4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_start_at_zero_and_leave_out_what_is_astray() {
        // One of a thousand is astray.
        let mut speeds: Vec<f64> = (0..1000).map(|k| f64::from(k) / 1000.0).collect();
        speeds.extend([1e6, f64::NAN]);
        let range = scale_of(ColorBy::Speed, &speeds, [None; 2], false)
            .unwrap()
            .range;
        assert!(
            range[0] == 0.0 && (0.99..1.0).contains(&range[1]),
            "{range:?}"
        );
        assert_eq!(
            scale_of(ColorBy::Speed, &[0.0, 0.0], [None; 2], false)
                .unwrap()
                .range,
            [0.0, 1.0]
        );
        assert_eq!(
            scale_of(ColorBy::Size, &[3.0, 2.0], [None; 2], false)
                .unwrap()
                .range,
            [2.0, 3.0]
        );
        assert_eq!(
            scale_of(ColorBy::Size, &[], [None; 2], false)
                .unwrap()
                .range,
            [0.0, 0.0]
        );
        assert_eq!(scale_of(ColorBy::Material, &[1.0], [None; 2], false), None);
    }

    #[test]
    fn a_range_that_is_given_goes_before_the_values() {
        let range = |given, log| {
            let scale = scale_of(ColorBy::Speed, &[0.0, 1e-9, 0.5, 2.0], given, log);
            scale.unwrap().range
        };
        assert_eq!(range([Some(0.1), Some(3.0)], false), [0.1, 3.0]);
        assert_eq!(range([None, Some(3.0)], false), [0.0, 3.0]);
        assert_eq!(range([Some(0.1), None], true), [0.1, 2.0]);
        // Four powers of ten below the largest value, not the nine of the least.
        assert_eq!(range([None; 2], true), [2e-4, 2.0]);
    }
}
