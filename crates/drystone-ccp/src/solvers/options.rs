//! The options of every method, by name: one table for scenes, command lines and other languages.
//!
//! Each method has a settings struct whose fields are its options. The table gives each of them a
//! name in kebab-case, the values that it takes, and one sentence of documentation.
//! [`MethodSettings`] holds a method with its settings and sets them by name.
//!
//! ```
//! use drystone_ccp::{Method, MethodSettings};
//!
//! let mut settings = MethodSettings::new(Method::Jacobi);
//! settings.set("omega", "0.8")?; // text, as from a command line
//! settings.set("safeguard", false)?; // or a value, as from a file
//! assert_eq!(settings.jacobi.omega, 0.8);
//!
//! let error = settings.set("omga", 0.8).unwrap_err();
//! assert!(error.to_string().contains("did you mean omega?"));
//!
//! for option in Method::Jacobi.options() {
//!     println!("{option}"); // omega = 0.3: a number in (0, 2). Step length ...
//! }
//! # Ok::<(), drystone_ccp::OptionError>(())
//! ```

mod settings;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use settings::{ExactSweeps, MethodSettings};
pub use value::{OptionKind, OptionValue};

use std::fmt;

use super::Method;

/// One option of a method.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: OptionKind,
    /// What it means, in one sentence.
    pub documentation: &'static str,
    get: fn(&MethodSettings) -> OptionValue,
    /// `false` if the value is of another kind.
    set: fn(&mut MethodSettings, &OptionValue) -> bool,
}

impl OptionInfo {
    /// Its value unless set.
    pub fn default_value(&self) -> OptionValue {
        // Settings of any method hold the defaults of all.
        (self.get)(&MethodSettings::new(Method::Auto))
    }
}

impl fmt::Display for OptionInfo {
    /// One line: name, default, kind and documentation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} = {}: {}. {}",
            self.name,
            self.default_value(),
            self.kind,
            self.documentation
        )
    }
}

impl Method {
    /// Its options, in the order of the documentation.
    pub fn options(self) -> &'static [OptionInfo] {
        table::of(self)
    }

    /// The option of that name.
    pub fn option(self, name: &str) -> Result<&'static OptionInfo, OptionError> {
        let options = self.options();
        options.iter().find(|o| o.name == name).ok_or_else(|| {
            let names = options.iter().map(|o| o.name);
            OptionError::Unknown {
                method: self.name(),
                name: name.to_owned(),
                nearest: nearest(name, names.clone()),
                known: names.collect::<Vec<_>>().join(", "),
            }
        })
    }
}

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The method has no option of that name.
    #[error(
        "method {method} has no option {name:?}{}; it has {known}",
        nearest.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default()
    )]
    Unknown {
        /// The method.
        method: &'static str,
        /// What was asked for.
        name: String,
        /// The option whose name is nearest, if any is near.
        nearest: Option<&'static str>,
        /// The names there are.
        known: String,
    },
    /// The value is not one that the option takes.
    #[error(
        "option {name} of method {method}: {value} is not {expected}{}",
        nearest.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default()
    )]
    Value {
        /// The method.
        method: &'static str,
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// What is expected.
        expected: String,
        /// The word that is nearest, where words are expected.
        nearest: Option<&'static str>,
    },
    /// Two options contradict each other.
    #[error(
        "option {low} of method {method} is {low_value}, expected at most {high_value}, \
         which is {high}"
    )]
    Order {
        /// The method.
        method: &'static str,
        /// The option that must not be the larger.
        low: &'static str,
        /// Its value.
        low_value: f64,
        /// The option that must not be the smaller.
        high: &'static str,
        /// Its value.
        high_value: f64,
    },
}

/// The known name that is nearest to a misspelt one, if at most a third of it is wrong.
fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    known
        .map(|k| (edits(&name, k), k))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, k)| distance <= k.len().max(3) / 3)
        .map(|(_, k)| k)
}

/// Letters to insert, delete or change to turn `a` into `b`: Levenshtein's distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
