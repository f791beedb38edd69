//! What can be wrong with a scene.

use std::fmt;
use std::path::PathBuf;

use crate::input::InputError;
use crate::quote::{self, cut, harmless, word};
use crate::view::ViewError;

/// Faults after which reading stops: whoever has made so many mends some and reads again, and each
/// costs time, for instance to find a similar name.
pub(crate) const MOST_FAULTS: usize = 100;
/// Faults that are shown; the rest is counted.
const SHOWN: usize = 20;
/// Longest message of a fault, in characters: some rows of a terminal.
const LONGEST: usize = 1000;
/// Longest part of a line that is shown, in characters: a row or two.
const LINE: usize = 160;

/// A scene that cannot be read, understood or built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The scene's file cannot be read.
    #[error("{}: {source}", quote::path(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: InputError,
    },
    /// There is no built-in scene of this name.
    #[error(
        "no built-in scene is called `{}`{}; there are: {known}",
        word(name),
        did_you_mean(suggestion)
    )]
    UnknownScene {
        /// The name asked for.
        name: String,
        /// A built-in scene with a similar name.
        suggestion: Option<String>,
        /// All of them.
        known: String,
    },
    /// An override that fits no parameter and no key.
    #[error(
        "the override {}={}: {}{}",
        word(name),
        word(value),
        harmless(reason),
        did_you_mean(suggestion)
    )]
    Override {
        /// What was to be set.
        name: String,
        /// To what.
        value: String,
        /// Why it cannot.
        reason: String,
        /// A similar name that could be set.
        suggestion: Option<String>,
    },
    /// The text of the scene is wrong, at one place or several.
    #[error("{}", listed(faults, *more, Fault::to_string))]
    Invalid {
        /// The scene's text, in which the faults' places are counted: with the overrides applied.
        text: String,
        /// The faults, in the order of the text; at least one, and no more than a hundred.
        faults: Vec<Fault>,
        /// How many more there are at least: where there are many, reading stops.
        more: usize,
    },
    /// A saved state does not fit the scene.
    #[error("the state does not fit the scene: {0}")]
    State(String),
}

/// One thing that is wrong in the text of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The file or the name of the scene.
    pub origin: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Bytes of the text that it is about.
    pub span: std::ops::Range<usize>,
    /// The key, as a path: `body[2].shape.radius`, or `body.slab.mass` where the body has a name.
    pub key: String,
    /// What is wrong.
    pub kind: FaultKind,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

/// What can be wrong at one place of a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text is not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// There is no such key.
    #[error("unknown key `{key}` in {table}")]
    UnknownKey {
        /// The key.
        key: String,
        /// Where it stands, in words.
        table: String,
    },
    /// A key that must be there is not.
    #[error("`{key}` is missing: {expected}")]
    Missing {
        /// The key.
        key: String,
        /// What it should be.
        expected: String,
    },
    /// A value of another type.
    #[error("found {found}, expected {expected}")]
    Type {
        /// The value.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A value with a unit of another kind.
    #[error("found {found}, which is {kind}; expected {expected}")]
    Unit {
        /// The value.
        found: String,
        /// Of what kind it is.
        kind: String,
        /// Of what kind it should be.
        expected: String,
    },
    /// A number or length outside its range.
    #[error("{value} is not {expected}")]
    Range {
        /// The value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// A name of nothing.
    #[error("no {what} is called `{name}`")]
    UnknownName {
        /// Of what there is none.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that is taken.
    #[error("{what} `{name}` is there twice")]
    Duplicate {
        /// Of what.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Keys that exclude each other.
    #[error("{0}")]
    Conflict(String),
    /// An expression that cannot be read or evaluated.
    #[error("in the expression `{expression}`, column {column}: {reason}")]
    Expression {
        /// The expression.
        expression: String,
        /// Column in it, from 1.
        column: usize,
        /// Why.
        reason: String,
    },
    /// A path that leads out of the scene's folder.
    #[error("the path {path} leads out of the scene's folder; the option allow_outside permits it")]
    Outside {
        /// The path as written.
        path: String,
    },
    /// A file that cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A camera, colouring or cut that cannot be understood.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A shape, body or setting that the engine refuses.
    #[error("{0}")]
    Refused(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = harmless(&self.origin);
        write!(f, "{origin}:{}:{}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", word_of_path(&self.key))?;
        }
        let kind = self.kind.to_string();
        let kind = harmless(cut(&kind, LONGEST).as_ref()).into_owned();
        write!(f, "{kind}{}", did_you_mean(&self.suggestion))
    }
}

/// A path of keys, cut where it is long.
fn word_of_path(key: &str) -> String {
    harmless(&cut(key, 2 * quote::LONGEST)).into_owned()
}

impl SceneError {
    /// The faults in the text; none where something else is wrong.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Invalid { faults, .. } => faults,
            Self::Read { .. }
            | Self::UnknownScene { .. }
            | Self::Override { .. }
            | Self::State(_) => &[],
        }
    }

    /// What is wrong, with the lines of the text that it is about and marks below the places.
    pub fn explained(&self) -> String {
        match self {
            Self::Invalid { text, faults, more } => {
                let lines: Vec<&str> = text.lines().collect();
                listed(faults, *more, |fault| fault.shown_in(text, &lines))
            }
            Self::Read { .. }
            | Self::UnknownScene { .. }
            | Self::Override { .. }
            | Self::State(_) => self.to_string(),
        }
    }
}

impl Fault {
    /// The fault, its line, and marks below the place.
    fn shown_in(&self, text: &str, lines: &[&str]) -> String {
        let Some(line) = lines.get(self.line.saturating_sub(1)) else {
            return self.to_string();
        };
        let before = self.column.saturating_sub(1);
        // Of a long line only what is around the place.
        let (line, before) = window(line, before);
        let place = text.get(self.span.clone());
        let place = place.and_then(|place| place.lines().next());
        let rest = line.chars().count().saturating_sub(before).max(1);
        let length = place.map_or(1, |place| place.chars().take(rest).count().max(1));
        // Tabs stay tabs, so that the marks stand below the place however wide these are.
        let tab_or_blank = |c| if c == '\t' { '\t' } else { ' ' };
        let indent: String = line.chars().take(before).map(tab_or_blank).collect();
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let marks = "^".repeat(length);
        format!("{self}\n  {number} | {line}\n  {margin} | {indent}{marks}")
    }
}

/// The part of a line around a column from 0, with `…` where something is left out, and the column
/// in it. One character stands for each hidden one, so that marks stay below their place.
fn window(line: &str, column: usize) -> (String, usize) {
    let shown = |c: char| {
        if quote::is_hidden(c) && c != '\t' {
            '\u{fffd}'
        } else {
            c
        }
    };
    let first = column.saturating_sub(LINE / 2);
    let mut out: String = if first > 0 {
        "…".into()
    } else {
        String::new()
    };
    let mut rest = line.chars().skip(first);
    out.extend(rest.by_ref().take(LINE).map(shown));
    if rest.next().is_some() {
        out.push('…');
    }
    (out, column - first + usize::from(first > 0))
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| {
        format!("; did you mean `{}`?", word(name))
    })
}

/// The first faults, and how many there are besides.
fn listed(faults: &[Fault], more: usize, show: impl Fn(&Fault) -> String) -> String {
    let mut lines: Vec<_> = faults.iter().take(SHOWN).map(show).collect();
    let more = more + faults.len().saturating_sub(SHOWN);
    if faults.len() >= MOST_FAULTS {
        lines.push(format!(
            "and {more} or more other faults: reading stopped there"
        ));
    } else if more > 0 {
        lines.push(format!("and {more} other faults"));
    }
    lines.join("\n")
}

/// A fault before its line is known: what the readers return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FaultAt {
    pub span: std::ops::Range<usize>,
    pub key: String,
    /// Boxed: results of readers stay small.
    pub kind: Box<FaultKind>,
    pub suggestion: Option<String>,
}

impl FaultAt {
    pub fn new(span: std::ops::Range<usize>, key: String, kind: FaultKind) -> Self {
        Self {
            span,
            key,
            kind: Box::new(kind),
            suggestion: None,
        }
    }

    pub fn suggesting(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }

    /// `line_starts` are the bytes at which the lines of the text begin.
    fn in_text(self, origin: &str, text: &str, line_starts: &[usize]) -> Fault {
        let start = self.span.start.min(text.len());
        let line = line_starts.partition_point(|at| *at <= start);
        let before = line_starts.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let before = text.get(before..start).unwrap_or_default();
        Fault {
            origin: origin.to_owned(),
            line,
            column: 1 + before.chars().count(),
            span: self.span,
            key: self.key,
            kind: *self.kind,
            suggestion: self.suggestion,
        }
    }
}

/// Gathers faults in the order of the text.
pub(crate) fn invalid(origin: &str, text: &str, mut faults: Vec<FaultAt>) -> SceneError {
    faults.sort_by_key(|fault| fault.span.start);
    let more = faults.len().saturating_sub(MOST_FAULTS);
    faults.truncate(MOST_FAULTS);
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let starts: Vec<usize> = [0]
        .into_iter()
        .chain(breaks.map(|(at, _)| at + 1))
        .collect();
    let in_text = |fault: FaultAt| fault.in_text(origin, text, &starts);
    let mut faults: Vec<_> = faults.into_iter().map(in_text).collect();
    faults.dedup();
    SceneError::Invalid {
        text: text.to_owned(),
        faults,
        more,
    }
}
