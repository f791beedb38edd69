//! Counts of outcomes, and the sentences about them. They are made from the claims of the very run,
//! so that no sentence can contradict its table.

use serde_json::{Value, json};

use super::claim::{Judged, Outcome};
use crate::table::plural;

/// How many of some claims came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Within their limit.
    pub reproduced: usize,
    /// Not, or without a figure.
    pub not_reproduced: usize,
    /// What this run cannot tell.
    pub not_judged: usize,
}

impl Counts {
    /// Of the published claims.
    pub fn published<'a>(claims: impl IntoIterator<Item = &'a Judged>) -> Self {
        Self::of(claims.into_iter().filter(|c| c.text.is_published()))
    }

    /// Of our own claims.
    pub fn own<'a>(claims: impl IntoIterator<Item = &'a Judged>) -> Self {
        Self::of(claims.into_iter().filter(|c| !c.text.is_published()))
    }

    fn of<'a>(claims: impl Iterator<Item = &'a Judged>) -> Self {
        let mut counts = Self::default();
        for claim in claims {
            *match claim.outcome {
                Outcome::Reproduced => &mut counts.reproduced,
                Outcome::NotReproduced => &mut counts.not_reproduced,
                Outcome::NotJudged => &mut counts.not_judged,
            } += 1;
        }
        counts
    }

    /// All of them.
    pub fn all(self) -> usize {
        self.reproduced + self.not_reproduced + self.not_judged
    }

    /// For `results.json`.
    pub fn json(self) -> Value {
        json!({
            "reproduced": self.reproduced,
            "not_reproduced": self.not_reproduced,
            "not_judged": self.not_judged,
        })
    }

    /// In a few words: "3 of 5 published claims reproduced, 1 not judged".
    pub fn line(self) -> String {
        let not_judged = match self.not_judged {
            0 => String::new(),
            n => format!(", {n} not judged"),
        };
        format!(
            "{} of {} reproduced{not_judged}",
            self.reproduced,
            plural(self.all(), "published claim")
        )
    }
}

/// What agrees with the paper and what does not: counts, then each published claim that is not
/// reproduced with its figures and what is known of the cause.
pub fn verdict(claims: &[Judged]) -> String {
    let mut words = format!("{}.", Counts::published(claims).line());
    let not_reproduced: Vec<&Judged> = claims
        .iter()
        .filter(|c| c.text.is_published() && c.outcome == Outcome::NotReproduced)
        .collect();
    let mut causes: Vec<&str> = Vec::new();
    for (k, claim) in not_reproduced.iter().enumerate() {
        let before = if k == 0 { " Not reproduced: " } else { "; " };
        words += &format!("{before}{}: {}", claim.text.measure, claim.figures());
        if let Some(cause) = claim.text.cause
            && !causes.contains(&cause)
        {
            causes.push(cause);
        }
    }
    if !not_reproduced.is_empty() {
        words += ".";
    }
    for cause in causes {
        words += &format!(" {cause}");
    }
    let own = Counts::own(claims);
    if own.all() > 0 {
        words += &format!(
            " Of {} of our own {} true here.",
            plural(own.all(), "statement"),
            match own.reproduced {
                1 => "1 is".to_owned(),
                n => format!("{n} are"),
            }
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::claim::{Claim, Limit, Measure, found};

    fn judged(key: &str, limit: Limit, ours: f64) -> Judged {
        let claim = Claim::<Measure>::published(key, "Table I", "A leads B")
            .limit(limit, "a test")
            .cause("Why is not known.")
            .measure(format!("the lead of {key}"), |run: &Measure| run.clone());
        claim.judge(&found(ours), None)
    }

    #[test]
    fn a_changed_limit_changes_the_counts_and_the_verdict() {
        let lenient = [
            judged("x", Limit::AtLeast(2.0), 3.0),
            judged("y", Limit::AtMost(1.0), 0.5),
        ];
        assert_eq!(verdict(&lenient), "2 of 2 published claims reproduced.");
        let strict = [
            judged("x", Limit::AtLeast(4.0), 3.0),
            judged("y", Limit::AtMost(1.0), 0.5),
        ];
        assert_eq!(
            verdict(&strict),
            "1 of 2 published claims reproduced. Not reproduced: the lead of x: 3.000 (limit at \
             least 4). Why is not known."
        );
        let counts = Counts::published(&strict);
        assert_eq!(
            (counts.reproduced, counts.not_reproduced, counts.all()),
            (1, 1, 2)
        );
    }
}
