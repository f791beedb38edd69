//! What can be wrong with a scene.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::view::ViewError;

/// A scene that cannot be read, understood or built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The scene's file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no built-in scene of this name.
    #[error(
        "no built-in scene is called `{name}`{}; there are: {known}",
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
    #[error("the override {name}={value}: {reason}{}", did_you_mean(suggestion))]
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
    #[error("{}", lines(faults))]
    Invalid {
        /// The scene's text, in which the faults' places are counted: with the overrides applied.
        text: String,
        /// The faults, in the order of the text; at least one.
        faults: Vec<Fault>,
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
        write!(f, "{}:{}:{}: ", self.origin, self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}{}", self.kind, did_you_mean(&self.suggestion))
    }
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
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion
        .as_ref()
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn lines(faults: &[Fault]) -> String {
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
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

    pub fn in_text(self, origin: &str, text: &str) -> Fault {
        let start = self.span.start.min(text.len());
        let before = text.get(..start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Fault {
            origin: origin.to_owned(),
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            span: self.span,
            key: self.key,
            kind: *self.kind,
            suggestion: self.suggestion,
        }
    }
}

/// Gathers faults in the order of the text.
pub(crate) fn invalid(origin: &str, text: &str, faults: Vec<FaultAt>) -> SceneError {
    let mut faults: Vec<_> = faults
        .into_iter()
        .map(|f| f.in_text(origin, text))
        .collect();
    faults.sort_by_key(|fault| fault.span.start);
    faults.dedup();
    SceneError::Invalid {
        text: text.to_owned(),
        faults,
    }
}
