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
/// reproduced with its figures, or of which beds it is not, and what is known of the causes.
pub fn verdict(claims: &[Judged]) -> String {
    let mut words = format!("{}.", Counts::published(claims).line());
    let not_reproduced: Vec<&Judged> = claims
        .iter()
        .filter(|c| c.text.is_published() && c.outcome == Outcome::NotReproduced)
        .collect();
    if !not_reproduced.is_empty() {
        words += &format!(" Not reproduced: {}.", named(&not_reproduced).join("; "));
    }
    let known: Vec<Option<&str>> = not_reproduced.iter().map(|c| c.text.cause).collect();
    for (cause, count) in causes(&known) {
        words += &format!(" {}{cause}", of_how_many(count, known.len()));
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

/// Claims with their figures; what is claimed of several beds once, with the beds of which it is.
fn named(claims: &[&Judged]) -> Vec<String> {
    let mut named: Vec<(&str, String)> = Vec::new();
    for claim in claims {
        let (measure, bed) = (claim.text.measure.as_str(), &claim.text.bed);
        match named.iter_mut().find(|(other, _)| *other == measure) {
            Some((_, words)) if !bed.is_empty() => *words += &format!(", {bed}"),
            _ if bed.is_empty() => named.push((measure, claim.figures())),
            _ => named.push((measure, bed.clone())),
        }
    }
    let both = named.iter();
    both.map(|(measure, words)| format!("{measure}: {words}"))
        .collect()
}

/// The causes that are known, each once, and of how many claims.
pub fn causes<'a>(known: &[Option<&'a str>]) -> Vec<(&'a str, usize)> {
    let mut causes: Vec<(&str, usize)> = Vec::new();
    for cause in known.iter().flatten() {
        match causes.iter_mut().find(|(other, _)| other == cause) {
            Some((_, count)) => *count += 1,
            None => causes.push((cause, 1)),
        }
    }
    causes
}

/// Before a cause: of how many of the claims that are not reproduced it is; nothing if of all.
pub fn of_how_many(count: usize, all: usize) -> String {
    match count == all {
        true => String::new(),
        false => format!("For {count} of these {all}: "),
    }
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
    fn a_cause_stands_once_and_says_of_how_many() {
        let known = [Some("a"), Some("b"), None, Some("a")];
        assert_eq!(causes(&known), [("a", 2), ("b", 1)]);
        assert_eq!(of_how_many(2, 4), "For 2 of these 4: ");
        assert_eq!(of_how_many(4, 4), "");
    }

    #[test]
    fn what_is_claimed_of_several_beds_stands_once() {
        let of = |bed: &str, ours: f64| {
            let claim = Claim::<Measure>::published(bed, "Table I", "A leads B")
                .limit(Limit::AtLeast(2.0), "a test")
                .of(bed)
                .measure("the lead", |run: &Measure| run.clone());
            claim.judge(&found(ours), None)
        };
        let claims = [
            of("10 balls", 1.0),
            of("20 balls", 3.0),
            of("30 balls", 1.0),
        ];
        assert_eq!(
            verdict(&claims),
            "1 of 3 published claims reproduced. Not reproduced: the lead: 10 balls, 30 balls."
        );
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
