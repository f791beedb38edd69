//! An experiment that has ended: what `result.json` in its folder holds. A report is made from these
//! files alone, so that one that was kept from an earlier call reads like one of this call.

use std::path::Path;

use serde_json::{Value, json};

use super::ExperimentSettings;
use super::catalogue::Experiment;
use super::findings::Findings;
use crate::setup::{date, machine};
use crate::table::{published_number, short_number};

/// Its file in the folder of the experiment.
pub const RESULT: &str = "result.json";

/// An experiment that has ended.
pub struct EndedExperiment {
    /// Which one.
    pub experiment: &'static Experiment,
    /// All that is known of it, as in its `result.json`.
    pub result: Value,
}

impl EndedExperiment {
    /// One of this call.
    pub fn new(
        experiment: &'static Experiment,
        findings: &Findings,
        settings: &ExperimentSettings,
        (seconds, busy): (f64, Option<String>),
        settled: &[Value],
    ) -> Self {
        let claims: Vec<Value> = findings.claims.iter().map(|claim| claim.json()).collect();
        let result = json!({
            "experiment": experiment.id,
            "title": experiment.title,
            "source": experiment.source,
            "published_claims": findings.published().json(),
            "claims": claims,
            "verdict": findings.verdict(),
            "setup": findings.setup_json(),
            "settled": settled,
            "seconds": seconds,
            "busy": busy,
            "date": date(),
            "machine": machine(),
            "settings": settings.json(),
        });
        Self { experiment, result }
    }

    /// One that an earlier call left in the folder `root`; none if it is of another program or of
    /// other settings.
    pub fn kept(
        experiment: &'static Experiment,
        settings: &ExperimentSettings,
        root: &Path,
    ) -> Option<Self> {
        let file = root.join(experiment.id).join(RESULT);
        let text = std::fs::read_to_string(file).ok()?;
        let result: Value = serde_json::from_str(&text).ok()?;
        let same = result["settings"] == settings.json() && result["experiment"] == experiment.id;
        same.then_some(Self { experiment, result })
    }

    /// Its claims, as in `results.json`.
    pub fn claims(&self) -> &[Value] {
        self.result["claims"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Its claims of a source that came out like this.
    pub fn with<'a>(
        &'a self,
        source: &'a str,
        outcome: &'a str,
    ) -> impl Iterator<Item = &'a Value> {
        let wanted = move |c: &&Value| c["source"] == source && c["outcome"] == outcome;
        self.claims().iter().filter(wanted)
    }

    /// Whether every published claim that was judged is reproduced.
    pub fn reproduces(&self) -> bool {
        self.with("published", "not-reproduced").next().is_none()
    }

    /// How many published claims came out how, in words.
    pub fn counts(&self) -> String {
        let count = |outcome| self.with("published", outcome).count();
        super::verdict::Counts {
            reproduced: count("reproduced"),
            not_reproduced: count("not-reproduced"),
            not_judged: count("not-judged"),
        }
        .line()
    }

    /// How it went, in one line.
    pub fn line(&self) -> String {
        format!(
            "{}: {}, {} s",
            self.experiment.id,
            self.counts(),
            short_number(self.result["seconds"].as_f64().unwrap_or(f64::NAN))
        )
    }

    /// One line per claim.
    pub fn summary(&self) -> String {
        let mut text = format!("{} {}\n", self.experiment.id, self.experiment.title);
        for claim in self.claims() {
            let word = |key: &str| claim[key].as_str().unwrap_or_default();
            let own = match word("source") {
                "own" => "own: ",
                _ => "",
            };
            let ours = figure(&claim["ours"]);
            let why = match word("why") {
                "" => String::new(),
                why => format!("; {why}"),
            };
            let published = match &claim["published"] {
                Value::Null => String::new(),
                cell => format!("published {}, ", published(cell)),
            };
            let bed = match word("bed") {
                "" => String::new(),
                bed => format!("{bed}: "),
            };
            text += &format!(
                "  {:<14} {own}{bed}{}: {ours}{why} ({published}limit {})\n",
                word("outcome"),
                word("measure"),
                word("limit"),
            );
        }
        text
    }
}

/// The outcomes of an experiment of `results.json`, as the lists of expected ones have them: a line
/// for each claim with its name, its limit and what came out, with tabs between.
pub fn outcome_lines(result: &Value) -> String {
    let word = |claim: &Value, key: &str| claim[key].as_str().unwrap_or_default().to_owned();
    let line = |claim: &Value| {
        let [key, limit, outcome] = ["key", "limit", "outcome"].map(|field| word(claim, field));
        format!("{key}\t{limit}\t{outcome}\n")
    };
    let claims = result["claims"].as_array().map_or(&[][..], Vec::as_slice);
    // Clarabel is built in only where it is asked for; a test with it judges it.
    let others = claims.iter().filter(|claim| claim["key"] != "clarabel");
    others.map(line).collect()
}

/// The claims in rows: those of one measure and limit that differ in their bed alone share one.
pub fn rows_of_beds<'a>(claims: impl Iterator<Item = &'a Value>) -> Vec<Vec<&'a Value>> {
    let mut rows: Vec<Vec<&Value>> = Vec::new();
    let has_bed = |claim: &Value| claim["bed"].as_str().is_some_and(|bed| !bed.is_empty());
    let same = |a: &Value, b: &Value| {
        let fields = ["source", "place", "words", "measure", "limit"];
        has_bed(a) && has_bed(b) && fields.iter().all(|field| a[*field] == b[*field])
    };
    for claim in claims {
        match rows.iter_mut().find(|row| same(row[0], claim)) {
            Some(row) => row.push(claim),
            None => rows.push(vec![claim]),
        }
    }
    rows
}

/// A published figure of `results.json` for people.
pub fn published(value: &Value) -> String {
    match value {
        Value::Number(number) => published_number(number.as_f64().unwrap_or(f64::NAN)),
        _ => figure(value),
    }
}

/// A figure of `results.json` for people.
pub fn figure(value: &Value) -> String {
    match value {
        Value::Number(number) => short_number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => text.clone(),
        _ => "–".to_owned(),
    }
}
