//! Within which a figure of ours counts as the paper's. The rules are the same for all experiments
//! and were written down before any figure was looked at.

use super::Measured;
use crate::table::short_number;

/// Within which a figure counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// From the first to the second.
    Between(f64, f64),
}

impl Limit {
    /// Why [`Self::factor`] is what it is.
    pub const FACTOR: &'static str = "a published factor: what it exceeds one by counts as the same \
        if ours is within a factor of two of it; packings and programs differ, and a reader would \
        not call more than that the same size";

    /// Why [`Self::size`] is what it is.
    pub const SIZE: &'static str = "a published size: within a factor of two; packings and programs \
        differ, and a reader would not call more than that the same size";

    /// Why [`Self::tenth`] is what it is.
    pub const TENTH: &'static str = "a number of contacts: within a tenth; beds of the same balls \
        differ by less from packing to packing";

    /// For a published factor `p`: ours exceeds one by half to twice as much. Below one, the same of
    /// its inverse.
    pub fn factor(p: f64) -> Self {
        match p >= 1.0 {
            true => Self::Between(1.0 + 0.5 * (p - 1.0), 1.0 + 2.0 * (p - 1.0)),
            false => {
                let excess = 1.0 / p - 1.0;
                Self::Between(1.0 / (1.0 + 2.0 * excess), 1.0 / (1.0 + 0.5 * excess))
            }
        }
    }

    /// For a published size: half of it to twice.
    pub fn size(p: f64) -> Self {
        let [half, twice] = [0.5 * p, 2.0 * p];
        Self::Between(half.min(twice), half.max(twice))
    }

    /// For a published number of contacts: a tenth less to a tenth more.
    pub fn tenth(p: f64) -> Self {
        Self::Between(0.9 * p, 1.1 * p)
    }

    /// Whether a figure counts. A lower bound counts only where whatever lies above it would.
    pub fn holds(self, measured: Measured) -> bool {
        match (self, measured) {
            (Self::AtLeast(low), Measured::Exactly(x) | Measured::AtLeast(x)) => x >= low,
            (Self::AtMost(high), Measured::Exactly(x)) => x <= high,
            (Self::Between(low, high), Measured::Exactly(x)) => (low..=high).contains(&x),
            (Self::AtMost(_) | Self::Between(..), Measured::AtLeast(_)) => false,
        }
    }

    /// The largest figure that counts.
    pub fn highest(self) -> f64 {
        match self {
            Self::AtLeast(_) => f64::INFINITY,
            Self::AtMost(high) | Self::Between(_, high) => high,
        }
    }

    /// In words.
    pub fn words(self) -> String {
        match self {
            Self::AtLeast(low) => format!("at least {}", digits(low)),
            Self::AtMost(high) => format!("at most {}", digits(high)),
            Self::Between(low, high) => format!("{} to {}", digits(low), digits(high)),
        }
    }
}

/// A number as a person would write a limit: without zeros at its end.
fn digits(number: f64) -> String {
    let short = short_number(number);
    match short.contains('.') && !short.contains('e') {
        true => short.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => short,
    }
}
