//! Expressions against arithmetic done by Rust.

use proptest::prelude::*;

use super::*;
use crate::scene::units::Dimension;

fn scope() -> Scope {
    let value = |number, measure| Measured { number, measure };
    let length = Measure::Known(Dimension([0, 1, 0, 0]));
    Scope {
        parameters: BTreeMap::from([
            ("radius".to_owned(), value(0.05, Measure::Free)),
            ("width".to_owned(), value(3.0, length)),
        ]),
        variables: vec!["t"],
        ..Scope::default()
    }
}

fn value(text: &str) -> f64 {
    parse(text).evaluate(&[2.0])
}

fn parse(text: &str) -> Expression {
    Expression::parse(text, &scope()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn error(text: &str) -> ExpressionError {
    match Expression::parse(text, &scope()) {
        Ok(expression) => panic!("{text}: {expression:?}"),
        Err(error) => error,
    }
}

#[test]
fn precedence_and_grouping() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24/4/2", 3.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("3 - -2", 5.0),
        ("2*-3", -6.0),
        ("1.5e3 + .5 + 1_000", 2500.5),
        ("2*t^2", 8.0),
        ("4*radius", 0.2),
        ("2*pi", std::f64::consts::TAU),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions() {
    for (text, expected) in [
        ("sqrt(16)", 4.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("abs(-2) + floor(1.7) + ceil(1.2) + round(2.5)", 8.0),
        ("sign(-3) + sign(0) + step(0) + step(-1)", 0.0),
        ("mod(-1, 4)", 3.0),
        ("clamp(5, 0, 3) + clamp(0, 3, 1)", 4.0),
        ("exp(0) + log(1)", 1.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert!((value("sin(30 deg) + cos(60 deg) + tan(45 deg)") - 2.0).abs() < 1e-15);
    assert!((value("asin(1) + acos(0) + 2*atan(1)") - 1.5 * std::f64::consts::PI).abs() < 1e-15);
}

#[test]
fn units_multiply_what_they_follow() {
    for (text, expected, dimension) in [
        ("2 mm", 2.0e-3, [0, 1, 0, 0]),
        ("2mm", 2.0e-3, [0, 1, 0, 0]),
        ("9.81 m/s^2", 9.81, [0, 1, -2, 0]),
        ("9.81 m/s²", 9.81, [0, 1, -2, 0]),
        ("3 N m", 3.0, [1, 2, -2, 0]),
        ("2 cm^2", 2.0e-4, [0, 2, 0, 0]),
        ("1/2 m", 0.5, [0, -1, 0, 0]),
        ("1 t", 1000.0, [1, 0, 0, 0]),
        ("5 µm", 5.0e-6, [0, 1, 0, 0]),
        ("width*1 m", 3.0, [0, 2, 0, 0]),
        ("sqrt(width^2)", 3.0, [0, 1, 0, 0]),
        ("(1 + 1) kg", 2.0, [1, 0, 0, 0]),
        // Plain numbers and parameters take on the unit of what they are added to.
        ("2*radius + 1 cm", 0.11, [0, 1, 0, 0]),
        ("width - 1", 2.0, [0, 1, 0, 0]),
    ] {
        let expression = parse(text);
        assert!(
            (expression.evaluate(&[0.0]) - expected).abs() <= 1e-15 * expected,
            "{text}"
        );
        assert_eq!(
            expression.measure,
            Measure::Known(Dimension(dimension)),
            "{text}"
        );
    }
    assert_eq!(parse("width/1 m").measure, Measure::Plain);
    assert_eq!(parse("radius*1 m").measure, Measure::Free);
}

#[test]
fn faults_say_where() {
    for (text, at, words) in [
        ("", 0, "found the end"),
        ("1 +", 3, "found the end"),
        ("1 2", 2, "found the number 2"),
        ("(1", 2, "found the end"),
        ("1)", 1, "found `)`"),
        ("min(1 2)", 6, "expected `,` or `)`"),
        ("foo(1)", 0, "no function"),
        ("2*foo", 2, "no parameter"),
        ("3 foo", 2, "not a unit"),
        ("1..2", 2, "found the number 0.2"),
        (".", 0, "not a number"),
        ("mod(1)", 0, "takes 2 arguments"),
        ("1 m + 1 kg", 4, "a length and a mass"),
        ("sin(1 m)", 0, "`sin` of a length"),
        ("2^(1 s)", 1, "the exponent is a time"),
        ("#", 0, "no meaning"),
    ] {
        let error = error(text);
        assert!(error.reason.contains(words), "{text}: {error:?}");
        assert_eq!(error.at, at, "{text}: {error:?}");
    }
    assert!(error(&"(".repeat(1000)).reason.contains("nested"));
    assert!(error(&"1+".repeat(2000)).reason.contains("longer"));
}

/// An expression as text, and what it comes to in Rust.
fn arithmetic() -> impl Strategy<Value = (String, f64)> {
    let leaf = (-1000_i32..1000).prop_map(|n| {
        let number = f64::from(n) / 8.0;
        (format!("({number})"), number)
    });
    leaf.prop_recursive(6, 64, 2, |inner| {
        (inner.clone(), inner, 0..6).prop_map(|((a, x), (b, y), operator)| match operator {
            0 => (format!("({a} + {b})"), x + y),
            1 => (format!("({a}-{b})"), x - y),
            2 => (format!("({a}*{b})"), x * y),
            3 => (format!("({a} / {b})"), x / y),
            4 => (format!("max({a}, {b})"), x.max(y)),
            _ => (format!("(abs({a}) + -{b})"), x.abs() + -y),
        })
    })
}

proptest! {
    #[test]
    fn the_same_as_in_rust((text, expected) in arithmetic()) {
        let found = value(&text);
        prop_assert!(found == expected || found.is_nan() && expected.is_nan(), "{text}: {found} {expected}");
    }

    /// Chains of operators without parentheses, against the usual rules.
    #[test]
    fn chains(first in 1_i32..50, rest in prop::collection::vec((0..4_usize, 1_i32..50), 0..12)) {
        let mut text = first.to_string();
        let mut terms = vec![f64::from(first)];
        for (operator, number) in rest {
            text += &format!(" {} {number}", ["+", "-", "*", "/"][operator]);
            let number = f64::from(number);
            match (operator, terms.last_mut()) {
                (0, _) => terms.push(number),
                (1, _) => terms.push(-number),
                (2, Some(last)) => *last *= number,
                (_, Some(last)) => *last /= number,
                (_, None) => {}
            }
        }
        let expected = terms.iter().skip(1).fold(terms[0], |sum, term| sum + term);
        prop_assert_eq!(value(&text), expected, "{}", text);
    }

    #[test]
    fn no_text_panics(text in "[-+*/^()., a-z0-9µ²\"]{0,40}") {
        let _ = Expression::parse(&text, &scope());
    }
}
