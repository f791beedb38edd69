//! The range of colours: `0:2`, `1 mm:5 mm`, `:10 N`.

use drystone_scene::scene::quantity;
use drystone_scene::view::ColorBy;

use crate::failure::Failure;

/// Values of the first and the last colour, in SI units, where they are given.
pub fn color_range(
    range: Option<&str>,
    log: bool,
    by: Option<ColorBy>,
) -> Result<[Option<f64>; 2], Failure> {
    let unit = match by {
        Some(ColorBy::Speed) => "m/s",
        Some(ColorBy::Force) => "N",
        Some(ColorBy::Size) => "m",
        Some(ColorBy::Material) | None if range.is_some() || log => {
            let flag = if range.is_some() { "--range" } else { "--log" };
            return Err(Failure::Input(format!(
                "{flag} needs colours that stand for a quantity: --color-by speed, force or size"
            )));
        }
        Some(ColorBy::Material) | None => return Ok([None; 2]),
    };
    let Some(text) = range else {
        return Ok([None; 2]);
    };
    parse(text, unit, log).map_err(|reason| Failure::Input(format!("--range '{text}': {reason}")))
}

fn parse(text: &str, unit: &str, log: bool) -> Result<[Option<f64>; 2], String> {
    let expected = || {
        format!(
            "expected two values of {unit} with a colon between, such as 0:2; units may be given"
        )
    };
    let (low, high) = text.split_once(':').ok_or_else(expected)?;
    if high.contains(':') {
        return Err(expected());
    }
    let end = |text: &str| match text.trim() {
        "" => Ok(None),
        text => quantity(text, unit).map(Some),
    };
    let range = [end(low)?, end(high)?];
    if let [Some(low), Some(high)] = range
        && low >= high
    {
        return Err(format!("{low} {unit} is not below {high} {unit}"));
    }
    if let Some(value) = range
        .into_iter()
        .flatten()
        .find(|value| log && *value <= 0.0)
    {
        return Err(format!("{value} {unit} is not above 0, as --log needs"));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_units_and_open_ends() {
        assert_eq!(parse("0:2", "m/s", false), Ok([Some(0.0), Some(2.0)]));
        assert_eq!(
            parse("1 mm : 5 mm", "m", true),
            Ok([Some(1e-3), Some(5e-3)])
        );
        assert_eq!(parse(":1.5 kN", "N", false), Ok([None, Some(1500.0)]));
        assert_eq!(parse("-1:", "m", false), Ok([Some(-1.0), None]));
        for (text, log, expected) in [
            ("2:1", false, "2 m/s is not below 1 m/s"),
            ("0:1", true, "not above 0"),
            ("1", false, "a colon between"),
            ("1:2:3", false, "a colon between"),
            ("1 kg:2", false, "is a mass, not a speed"),
        ] {
            let message = parse(text, "m/s", log).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
