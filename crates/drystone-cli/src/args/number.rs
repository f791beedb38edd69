//! Numbers on the command line, with units where they measure something.

use std::time::Duration;

use drystone_scene::scene::quantity;

/// A finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let expected = "expected a finite number > 0";
    let value: f64 = text.parse().map_err(|_| expected.to_owned())?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(expected.to_owned())
    }
}

/// A simulated time that is not negative, s.
pub(crate) fn time(text: &str) -> Result<f64, String> {
    simulated(text).and_then(|value| match value >= 0.0 {
        true => Ok(value),
        false => Err(format!("{value} s is below 0; {TIME}")),
    })
}

/// A simulated time above 0, s.
pub(crate) fn positive_time(text: &str) -> Result<f64, String> {
    simulated(text).and_then(|value| match value > 0.0 {
        true => Ok(value),
        false => Err(format!("{value} s is not above 0; {TIME}")),
    })
}

const TIME: &str = "expected a time in s, or with a unit such as '300 ms'";

fn simulated(text: &str) -> Result<f64, String> {
    quantity(text, "s").map_err(|reason| format!("{reason}; {TIME}"))
}

/// A duration of work: seconds, or with a unit.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    // No clock reaches a century; longer times only overflow.
    Ok(Duration::from_secs_f64(positive_time(text)?.min(3.2e9)))
}

/// A whole number, which may be written as a power of ten: `1000`, `1e3`, `2.5e4`.
pub(crate) fn whole(text: &str) -> Result<u64, String> {
    let expected = || "expected a whole number >= 0, such as 1000 or 1e3".to_owned();
    if let Ok(value) = text.parse() {
        return Ok(value);
    }
    // Beyond 2^53 floats skip whole numbers.
    match text.parse::<f64>() {
        Ok(value) if (0.0..=9.0e15).contains(&value) && value.fract() == 0.0 => Ok(value as u64),
        _ => Err(expected()),
    }
}

/// A whole number above 0, likewise.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    match whole(text) {
        Ok(value @ 1..) => Ok(value),
        _ => Err("expected a whole number >= 1, such as 1000 or 1e3".to_owned()),
    }
}

/// A whole number for sizes, likewise.
pub(crate) fn whole_size(text: &str) -> Result<usize, String> {
    // No machine has a word shorter than what people write here.
    Ok(usize::try_from(whole(text)?).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        for bad in ["0", "-1", "nan", "inf", "1e999", "x", ""] {
            assert!(positive(bad).is_err(), "{bad}");
            assert!(positive_time(bad).is_err(), "{bad}");
        }
        assert_eq!(positive("1e-6"), Ok(1e-6));
        assert!(seconds("1e300").is_ok());
    }

    #[test]
    fn times_have_units_and_counts_have_powers() {
        assert_eq!(positive_time("300 ms"), Ok(0.3));
        assert_eq!(seconds("2 min"), Ok(Duration::from_secs(120)));
        assert_eq!(time("0"), Ok(0.0));
        let message = time("3 mm").unwrap_err();
        assert!(
            message.contains("'3 mm' is a length, not a time"),
            "{message}"
        );
        for (text, expected) in [("1000", 1000), ("1e3", 1000), ("2.5e4", 25_000), ("0", 0)] {
            assert_eq!(whole(text), Ok(expected), "{text}");
        }
        for bad in ["1.5", "-1", "1e-3", "1e30", "nan", "", "ten"] {
            assert!(whole(bad).is_err(), "{bad}");
        }
        assert!(count("0").is_err());
    }
}
