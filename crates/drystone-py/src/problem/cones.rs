//! Cones as Python writes them: a word and figures.

use drystone_ccp::Cone;
use pyo3::prelude::*;

use crate::error::value_error;

/// The cone of a word and its figures.
pub fn cone_of(block: usize, (kind, figures): &(String, Vec<f64>)) -> PyResult<Cone> {
    let wrong = || value_error(format!("cone {block}: {kind:?} with {figures:?} is none"));
    let cone = match (kind.as_str(), figures.as_slice()) {
        ("free", &[rows]) if rows >= 1.0 && rows.fract() == 0.0 => Cone::Free {
            rows: rows as usize,
        },
        ("non-negative", []) => Cone::NonNegative,
        ("interval", &[lower, upper]) => Cone::Interval { lower, upper },
        ("friction", &[friction, cohesion]) => Cone::Friction { friction, cohesion },
        ("rolling", &[friction, rolling, cohesion]) => Cone::Rolling {
            friction,
            rolling,
            cohesion,
        },
        ("rolling-spinning", &[friction, rolling, spinning, cohesion]) => Cone::RollingSpinning {
            friction,
            rolling,
            spinning,
            cohesion,
        },
        _ => return Err(wrong()),
    };
    Ok(cone)
}

/// The word and the figures of a cone.
pub fn words_of(cone: &Cone) -> (&'static str, Vec<f64>) {
    match *cone {
        Cone::Free { rows } => ("free", vec![rows as f64]),
        Cone::NonNegative => ("non-negative", Vec::new()),
        Cone::Interval { lower, upper } => ("interval", vec![lower, upper]),
        Cone::Friction { friction, cohesion } => ("friction", vec![friction, cohesion]),
        Cone::Rolling {
            friction,
            rolling,
            cohesion,
        } => ("rolling", vec![friction, rolling, cohesion]),
        Cone::RollingSpinning {
            friction,
            rolling,
            spinning,
            cohesion,
        } => (
            "rolling-spinning",
            vec![friction, rolling, spinning, cohesion],
        ),
    }
}
