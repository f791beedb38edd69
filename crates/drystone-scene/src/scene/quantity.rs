//! Single quantities outside scene files, such as those of a command line.

use super::expression::{Expression, Measure, Scope};
use crate::quote::word;

/// A number, a number with a unit or an expression, such as `0.3`, `300 ms` or `1/4 s`, in SI
/// units. `unit` says what it measures, and what a number without a unit is in: `s`, `m/s`.
///
/// ```
/// use drystone_scene::scene::quantity;
///
/// assert_eq!(quantity("300 ms", "s"), Ok(0.3));
/// assert_eq!(quantity("2", "m/s"), Ok(2.0));
/// assert!(quantity("2 kg", "s").unwrap_err().contains("a mass"));
/// ```
pub fn quantity(text: &str, unit: &str) -> Result<f64, String> {
    let parse = |text: &str| {
        Expression::parse(text, &Scope::default()).map_err(|error| match error.suggestion {
            Some(near) => format!("{}; did you mean '{near}'?", error.reason),
            None => error.reason,
        })
    };
    let wanted = parse(&format!("1 {unit}"))?.measure;
    let found = parse(text)?;
    let value = found.evaluate(&[]);
    match (found.measure, wanted) {
        _ if !value.is_finite() => Err(format!("'{}' is not a finite number", word(text))),
        (Measure::Known(dimension), Measure::Known(expected)) if dimension != expected => {
            Err(format!("'{}' is {dimension}, not {expected}", word(text)))
        }
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_units_and_expressions_are_understood() {
        for (text, unit, expected) in [
            ("0.25", "s", 0.25),
            ("1e-3", "s", 1e-3),
            ("300ms", "s", 0.3),
            ("2 min", "s", 120.0),
            ("-5 mm", "m", -5e-3),
            ("3 km/h", "m/s", 3e3 / 3600.0),
            ("1.5 kN", "N", 1.5e3),
        ] {
            let value = quantity(text, unit).unwrap();
            assert!(
                (value - expected).abs() < 1e-15 * expected.abs().max(1.0),
                "{text}: {value}"
            );
        }
    }

    #[test]
    fn mistakes_say_what_was_expected() {
        for (text, expected) in [
            ("3 kg", "'3 kg' is a mass, not a time"),
            ("300 sm", "did you mean"),
            ("1/0", "not a finite number"),
            ("nan", "nan"),
        ] {
            let message = quantity(text, "s").unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
        assert!(quantity("", "s").is_err());
    }
}
