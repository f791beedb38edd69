//! What a paper says, how it is measured here, and what comes out.
//!
//! A claim is stated from the paper's text before any run: its sentence or table, a limit with the
//! reason for its number, and a measure of the runs. A run gives the figure, and the figure the
//! [`Outcome`]. Nothing drops a claim: a method that fails, runs out of time or gives no number
//! makes it `not-reproduced`.

mod limit;

use std::marker::PhantomData;

use serde_json::{Value, json};

use crate::table::{Cell, published_number, short_number};

pub use limit::Limit;

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSource {
    /// The paper: where in it, and its words or the figures of its table.
    Published {
        /// Section, table or figure.
        place: &'static str,
        /// Its words, or what its table or figure shows.
        words: &'static str,
    },
    /// Ours: what follows from mechanics, or what we say of our own methods.
    Own,
}

impl ClaimSource {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published { .. } => "published",
            Self::Own => "own",
        }
    }
}

/// A claim as it stands before any run.
#[derive(Clone, Debug)]
pub struct ClaimText {
    /// Its name in the experiment, for the lists of expected outcomes.
    pub key: String,
    /// Where it comes from.
    pub source: ClaimSource,
    /// Which of several beds it is about, where the same is claimed of each; empty otherwise.
    pub bed: String,
    /// What our figure is.
    pub measure: String,
    /// The paper's figure, where it gives one.
    pub published: Cell,
    /// Within which our figure counts as the paper's.
    pub limit: Limit,
    /// Why the limit has this number.
    pub reason: &'static str,
    /// Whether it rests on times, which depend on the machine and its load.
    pub timed: bool,
    /// What is known of the cause where it is not reproduced.
    pub cause: Option<&'static str>,
}

/// A claim about the runs of an experiment, of type `R`.
pub struct Claim<R> {
    /// What stands before the run.
    pub text: ClaimText,
    measure: Box<dyn Fn(&R) -> Measure>,
}

/// A claim that still needs its limit and its measure.
pub struct ClaimDraft<R> {
    text: ClaimText,
    about: PhantomData<fn(&R)>,
}

/// A figure of a run, or why there is none.
pub type Measure = Result<Measured, NoFigure>;

/// A figure of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// This.
    Exactly(f64),
    /// At least this: what was counted had not ended when the run did.
    AtLeast(f64),
}

impl Measured {
    /// The same over a number > 0.
    pub fn over(self, number: f64) -> Self {
        match self {
            Self::Exactly(value) => Self::Exactly(value / number),
            Self::AtLeast(value) => Self::AtLeast(value / number),
        }
    }

    /// The number, or the bound.
    pub fn value(self) -> f64 {
        match self {
            Self::Exactly(value) | Self::AtLeast(value) => value,
        }
    }

    fn cell(self) -> Cell {
        match self {
            Self::Exactly(value) => Cell::Number(value),
            Self::AtLeast(value) => Cell::Text(format!("> {}", short_number(value))),
        }
    }
}

/// A figure that was found.
pub fn found(value: f64) -> Measure {
    Ok(Measured::Exactly(value))
}

/// Why a run gives no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    /// A method failed, ran out of time or gave no number: this counts against the claim.
    Failed(String),
    /// This run cannot tell: another scale, a method that the caller left out, a part that was not
    /// built in, a figure of the paper that depends on what it does not give.
    NotJudged(String),
}

/// What came out for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Our figure lies within the limit.
    Reproduced,
    /// It does not, or there is none.
    NotReproduced,
    /// This run cannot tell.
    NotJudged,
}

impl Outcome {
    /// In one word, as in `results.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not-reproduced",
            Self::NotJudged => "not-judged",
        }
    }
}

/// A claim after the run.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What stood before the run.
    pub text: ClaimText,
    /// Our figure, where there is one.
    pub ours: Cell,
    /// What came out.
    pub outcome: Outcome,
    /// Why it could not be judged or has no figure; empty otherwise.
    pub why: String,
}

impl<R> Claim<R> {
    /// A claim of the paper: its name, where it stands, and its words. It needs a measure and a
    /// limit.
    pub fn published(
        key: impl Into<String>,
        place: &'static str,
        words: &'static str,
    ) -> ClaimDraft<R> {
        ClaimDraft::new(key.into(), ClaimSource::Published { place, words })
    }

    /// A claim of our own.
    pub fn own(key: impl Into<String>) -> ClaimDraft<R> {
        ClaimDraft::new(key.into(), ClaimSource::Own)
    }

    /// What comes out. `busy` says in words how the machine was kept busy, if it was: then what rests
    /// on times is not judged.
    pub fn judge(&self, runs: &R, busy: Option<&str>) -> Judged {
        self.judge_by(self.text.limit, runs, busy)
    }

    /// As [`Self::judge`], by a limit that need not be its own.
    pub fn judge_by(&self, limit: Limit, runs: &R, busy: Option<&str>) -> Judged {
        let (outcome, ours, why) = match (self.measure)(runs) {
            Ok(measured) if measured.value().is_nan() => (
                Outcome::NotReproduced,
                Cell::Empty,
                "there is no number".to_owned(),
            ),
            Ok(measured) => match limit.holds(measured) {
                true => (Outcome::Reproduced, measured.cell(), String::new()),
                false => (Outcome::NotReproduced, measured.cell(), String::new()),
            },
            Err(NoFigure::Failed(why)) => (Outcome::NotReproduced, Cell::Empty, why),
            Err(NoFigure::NotJudged(why)) => (Outcome::NotJudged, Cell::Empty, why),
        };
        let mut judged = Judged {
            text: ClaimText {
                limit,
                ..self.text.clone()
            },
            ours,
            outcome,
            why,
        };
        if let Some(busy) = busy.filter(|_| self.text.timed)
            && judged.ours != Cell::Empty
        {
            judged.leave_open(format!("times were taken on a busy machine: {busy}"));
        }
        judged
    }
}

impl<R> ClaimDraft<R> {
    fn new(key: String, source: ClaimSource) -> Self {
        let text = ClaimText {
            key,
            source,
            bed: String::new(),
            measure: String::new(),
            published: Cell::Empty,
            limit: Limit::AtLeast(f64::NAN),
            reason: "",
            timed: false,
            cause: None,
        };
        Self {
            text,
            about: PhantomData,
        }
    }

    /// The same with the paper's figure.
    #[must_use]
    pub fn figure(mut self, published: impl Into<Cell>) -> Self {
        self.text.published = published.into();
        self
    }

    /// The same with its limit and the reason for the number.
    #[must_use]
    pub fn limit(mut self, limit: Limit, reason: &'static str) -> Self {
        self.text.limit = limit;
        self.text.reason = reason;
        self
    }

    /// The same for a published factor: its excess over one must be the paper's within a factor of
    /// two.
    #[must_use]
    pub fn factor(self, published: f64) -> Self {
        self.figure(published)
            .limit(Limit::factor(published), Limit::FACTOR)
    }

    /// The same for a published size: ours must be the paper's within a factor of two.
    #[must_use]
    pub fn size(self, published: f64) -> Self {
        self.figure(published)
            .limit(Limit::size(published), Limit::SIZE)
    }

    /// The same for a published number of contacts: ours must be the paper's within a tenth.
    #[must_use]
    pub fn contacts(self, published: f64) -> Self {
        self.figure(published)
            .limit(Limit::tenth(published), Limit::TENTH)
    }

    /// The same of one of several beds.
    #[must_use]
    pub fn of(mut self, bed: impl Into<String>) -> Self {
        self.text.bed = bed.into();
        self
    }

    /// The same, but resting on times.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.text.timed = true;
        self
    }

    /// The same with what is known of the cause where it is not reproduced.
    #[must_use]
    pub fn cause(mut self, cause: &'static str) -> Self {
        self.text.cause = Some(cause);
        self
    }

    /// The claim: what our figure is, and how it is found.
    pub fn measure(
        mut self,
        what: impl Into<String>,
        measure: impl Fn(&R) -> Measure + 'static,
    ) -> Claim<R> {
        self.text.measure = what.into();
        Claim {
            text: self.text,
            measure: Box::new(measure),
        }
    }
}

impl ClaimText {
    /// Whether it is the paper's.
    pub fn is_published(&self) -> bool {
        matches!(self.source, ClaimSource::Published { .. })
    }

    /// For `results.json`.
    pub fn json(&self) -> Value {
        let (place, words) = match self.source {
            ClaimSource::Published { place, words } => (Some(place), Some(words)),
            ClaimSource::Own => (None, None),
        };
        json!({
            "key": self.key,
            "source": self.source.name(),
            "place": place,
            "words": words,
            "bed": self.bed,
            "measure": self.measure,
            "published": self.published.json(),
            "limit": self.limit.words(),
            "reason": self.reason,
            "timed": self.timed,
        })
    }
}

impl Judged {
    /// Takes its outcome back: this run cannot tell, for this reason. Its figure stays.
    pub fn leave_open(&mut self, why: impl Into<String>) {
        self.outcome = Outcome::NotJudged;
        self.why = why.into();
    }

    /// For `results.json`.
    pub fn json(&self) -> Value {
        let mut value = self.text.json();
        value["ours"] = self.ours.json();
        value["outcome"] = self.outcome.name().into();
        value["why"] = match self.why.is_empty() {
            true => Value::Null,
            false => self.why.as_str().into(),
        };
        value["cause"] = match (self.outcome, self.text.cause) {
            (Outcome::NotReproduced, Some(cause)) => cause.into(),
            _ => Value::Null,
        };
        value
    }

    /// What was found against what was asked for, in words.
    pub fn figures(&self) -> String {
        let ours = match (&self.ours, self.why.is_empty()) {
            (Cell::Empty, _) => self.why.clone(),
            (cell, true) => cell.short(),
            (cell, false) => format!("{}; {}", cell.short(), self.why),
        };
        let published = match &self.text.published {
            Cell::Empty => String::new(),
            Cell::Number(number) => format!("published {}, ", published_number(*number)),
            cell => format!("published {}, ", cell.short()),
        };
        format!("{ours} ({published}limit {})", self.text.limit.words())
    }
}

#[cfg(test)]
mod tests;
