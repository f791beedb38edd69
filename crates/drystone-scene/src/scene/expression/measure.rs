//! What is known of the dimension of a value, and of sums, products and powers of values.

use crate::scene::units::Dimension;

/// What is known of a value's dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    /// Made of plain numbers only.
    Plain,
    /// Made with parameters or variables that have no unit: it may be anything.
    Free,
    /// Made of units.
    Known(Dimension),
}

/// Of two values that are added or compared.
pub(super) fn same(a: Measure, b: Measure) -> Result<Measure, String> {
    match (a, b) {
        (Measure::Known(a), Measure::Known(b)) if a != b => {
            Err(format!("{a} and {b} cannot be added or compared"))
        }
        (Measure::Known(known), _) | (_, Measure::Known(known)) => Ok(Measure::Known(known)),
        (Measure::Free, _) | (_, Measure::Free) => Ok(Measure::Free),
        (Measure::Plain, Measure::Plain) => Ok(Measure::Plain),
    }
}

/// Of a product, or of a quotient with `sign` -1.
pub(super) fn product(a: Measure, b: Measure, sign: i8) -> Result<Measure, String> {
    Ok(match (a, b) {
        (Measure::Free, _) | (_, Measure::Free) => Measure::Free,
        (Measure::Known(a), Measure::Known(b)) => known(a.times(b, sign)),
        (Measure::Plain, Measure::Known(b)) => known(Dimension::NONE.times(b, sign)),
        (Measure::Known(_), Measure::Plain) => a,
        (Measure::Plain, Measure::Plain) => Measure::Plain,
    })
}

/// Of a power. The exponent has a number unless it varies.
pub(super) fn power(
    base: Measure,
    exponent: Measure,
    number: Option<f64>,
) -> Result<Measure, String> {
    if let Measure::Known(dimension) = exponent {
        return Err(format!("the exponent is {dimension}"));
    }
    let Measure::Known(dimension) = base else {
        return Ok(if exponent == Measure::Free {
            Measure::Free
        } else {
            base
        });
    };
    // Dimensions have whole exponents; beyond 12 there is no use for one.
    let whole = number.filter(|n| n.fract() == 0.0 && n.abs() <= 12.0);
    Ok(match whole {
        Some(exponent) => known(dimension.power(exponent as i8)),
        None => Measure::Free,
    })
}

/// Units that cancel leave a plain number; exponents beyond any use leave anything.
fn known(dimension: Option<Dimension>) -> Measure {
    match dimension {
        Some(Dimension::NONE) => Measure::Plain,
        Some(dimension) => Measure::Known(dimension),
        None => Measure::Free,
    }
}
