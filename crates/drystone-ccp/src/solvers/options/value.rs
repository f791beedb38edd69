//! The values of options: what kinds there are, and how text becomes a value.

use std::fmt;
use std::ops::Bound;

/// The values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A finite number between two bounds.
    Number {
        /// Lower bound.
        low: Bound<f64>,
        /// Upper bound.
        high: Bound<f64>,
    },
    /// A whole number. Where `most` is [`usize::MAX`], the word `unlimited` stands for it.
    Whole {
        /// The least.
        least: usize,
        /// The most.
        most: usize,
    },
    /// Yes or no.
    YesNo,
    /// One of some words, each with its meaning in one sentence.
    Words(&'static [(&'static str, &'static str)]),
}

/// A value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// Yes or no.
    YesNo(bool),
    /// A word; or any value as text, as a command line has it.
    Text(String),
}

/// The text for a whole number without a limit.
const UNLIMITED: &str = "unlimited";

impl OptionKind {
    /// The value as one of this kind; `None` if it is not.
    pub(super) fn read(&self, value: &OptionValue) -> Option<OptionValue> {
        match *self {
            Self::Number { low, high } => {
                let number = match value {
                    OptionValue::Number(x) => *x,
                    OptionValue::Whole(k) => *k as f64,
                    OptionValue::Text(text) => text.parse().ok()?,
                    OptionValue::YesNo(_) => return None,
                };
                let inside = number.is_finite() && is_above(low, number) && is_below(high, number);
                inside.then_some(OptionValue::Number(number))
            }
            Self::Whole { least, most } => {
                let whole = match value {
                    // Exactly representable, so the conversion loses nothing.
                    OptionValue::Number(x) if x.fract() == 0.0 && (0.0..1e15).contains(x) => {
                        *x as u64
                    }
                    OptionValue::Whole(k) => *k,
                    OptionValue::Text(text) if text == UNLIMITED && most == usize::MAX => {
                        most as u64
                    }
                    OptionValue::Text(text) => text.parse().ok()?,
                    OptionValue::Number(_) | OptionValue::YesNo(_) => return None,
                };
                let inside = (least as u64..=most as u64).contains(&whole);
                inside.then_some(OptionValue::Whole(whole))
            }
            Self::YesNo => match value {
                OptionValue::YesNo(_) => Some(value.clone()),
                OptionValue::Text(text) => match text.as_str() {
                    "yes" | "true" => Some(OptionValue::YesNo(true)),
                    "no" | "false" => Some(OptionValue::YesNo(false)),
                    _ => None,
                },
                OptionValue::Number(_) | OptionValue::Whole(_) => None,
            },
            Self::Words(words) => match value {
                OptionValue::Text(text) if words.iter().any(|(word, _)| word == text) => {
                    Some(value.clone())
                }
                _ => None,
            },
        }
    }
}

fn is_above(low: Bound<f64>, x: f64) -> bool {
    match low {
        Bound::Included(low) => x >= low,
        Bound::Excluded(low) => x > low,
        Bound::Unbounded => true,
    }
}

fn is_below(high: Bound<f64>, x: f64) -> bool {
    match high {
        Bound::Included(high) => x <= high,
        Bound::Excluded(high) => x < high,
        Bound::Unbounded => true,
    }
}

impl fmt::Display for OptionKind {
    /// What is expected, as in "a number in (0, 2)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Bound::{Excluded, Included, Unbounded};
        match *self {
            Self::Number { low, high } => match (low, high) {
                (Unbounded, Unbounded) => write!(f, "a number"),
                (Included(a), Unbounded) => write!(f, "a number >= {a}"),
                (Excluded(a), Unbounded) => write!(f, "a number > {a}"),
                (Unbounded, Included(b)) => write!(f, "a number <= {b}"),
                (Unbounded, Excluded(b)) => write!(f, "a number < {b}"),
                (Included(a), Included(b)) => write!(f, "a number in [{a}, {b}]"),
                (Included(a), Excluded(b)) => write!(f, "a number in [{a}, {b})"),
                (Excluded(a), Included(b)) => write!(f, "a number in ({a}, {b}]"),
                (Excluded(a), Excluded(b)) => write!(f, "a number in ({a}, {b})"),
            },
            Self::Whole { least, most } if most == usize::MAX => {
                write!(f, "a whole number >= {least} or {UNLIMITED}")
            }
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::YesNo => write!(f, "yes or no"),
            Self::Words(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                write!(f, "one of {}", words.join(", "))
            }
        }
    }
}

impl fmt::Display for OptionValue {
    /// As it is written on a command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The shortest text that reads back as the same number.
            Self::Number(x) => write!(f, "{x:?}"),
            Self::Whole(k) if *k == usize::MAX as u64 => f.write_str(UNLIMITED),
            Self::Whole(k) => write!(f, "{k}"),
            Self::YesNo(true) => f.write_str("yes"),
            Self::YesNo(false) => f.write_str("no"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<f64> for OptionValue {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<usize> for OptionValue {
    fn from(k: usize) -> Self {
        Self::Whole(k as u64)
    }
}

impl From<i64> for OptionValue {
    /// A negative one is a number: no option takes it as a whole one.
    fn from(k: i64) -> Self {
        u64::try_from(k).map_or(Self::Number(k as f64), Self::Whole)
    }
}

impl From<bool> for OptionValue {
    fn from(yes: bool) -> Self {
        Self::YesNo(yes)
    }
}

impl From<&str> for OptionValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for OptionValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A type of a settings field.
pub(super) trait Field: Sized {
    /// The field's value.
    fn to_value(&self) -> OptionValue;
    /// The value as this type; `None` if it is of another kind.
    fn from_value(value: &OptionValue) -> Option<Self>;
}

impl Field for f64 {
    fn to_value(&self) -> OptionValue {
        OptionValue::Number(*self)
    }

    fn from_value(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Number(x) => Some(*x),
            _ => None,
        }
    }
}

impl Field for usize {
    fn to_value(&self) -> OptionValue {
        OptionValue::Whole(*self as u64)
    }

    fn from_value(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Whole(k) => Self::try_from(*k).ok(),
            _ => None,
        }
    }
}

impl Field for bool {
    fn to_value(&self) -> OptionValue {
        OptionValue::YesNo(*self)
    }

    fn from_value(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::YesNo(yes) => Some(*yes),
            _ => None,
        }
    }
}

/// Makes an enum a field whose values are words. The match has no `_`: a new variant needs a word.
macro_rules! words {
    ($type:ty, $kind:ident { $($variant:ident = $word:literal: $meaning:literal,)+ }) => {
        /// The words of the enum.
        pub(super) const $kind: OptionKind = OptionKind::Words(&[$(($word, $meaning)),+]);

        impl Field for $type {
            fn to_value(&self) -> OptionValue {
                match self {
                    $(Self::$variant => OptionValue::Text($word.to_owned()),)+
                }
            }

            fn from_value(value: &OptionValue) -> Option<Self> {
                match value {
                    $(OptionValue::Text(text) if text == $word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
pub(super) use words;
