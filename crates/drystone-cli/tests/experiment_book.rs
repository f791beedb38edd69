//! The book's page on the experiments is made from the stored results: counts, the claims that are
//! not reproduced, and verdicts. With DRYSTONE_UPDATE the page is written anew instead of compared.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::PathBuf;

use drystone_study::experiment::{EXPERIMENTS, causes, of_how_many, rows_of_beds};
use drystone_study::table::{published_number, short_number};
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The stored result of an experiment; none where it has not been run since its claims are those of
/// the catalogue and its set-up is that of the code.
fn stored(id: &str) -> Option<Value> {
    let file = root().join(format!("docs/experiments/{id}.json"));
    let text = std::fs::read_to_string(file).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value) -> String {
    match value {
        Value::Number(n) => short_number(n.as_f64().unwrap()),
        Value::String(text) => text.clone(),
        _ => "–".to_owned(),
    }
}

/// A published figure, as the paper prints it.
fn published(value: &Value) -> String {
    match value {
        Value::Number(n) => published_number(n.as_f64().unwrap()),
        _ => number(value),
    }
}

/// Our figure, or why there is none.
fn ours(claim: &Value) -> String {
    match claim["ours"].is_null() {
        true => word(claim, "why").to_owned(),
        false => number(&claim["ours"]),
    }
}

/// The beds that the claims of a row are about.
fn beds_of<'a>(row: &[&'a Value]) -> Vec<&'a str> {
    row.iter().map(|claim| word(claim, "bed")).collect()
}

/// The claims of which one is not reproduced at least, a row each. What is claimed of several beds
/// has a column for each of them, in a table of its own.
fn tables_of_claims(result: &Value) -> String {
    let all = result["claims"].as_array().unwrap().iter();
    let rows = rows_of_beds(all.filter(|claim| claim["source"] == "published"));
    let missed = |row: &&Vec<&Value>| row.iter().any(|c| c["outcome"] == "not-reproduced");
    let rows: Vec<_> = rows.into_iter().filter(|row| missed(&row)).collect();
    let mut kinds: Vec<Vec<&str>> = rows.iter().map(|row| beds_of(row)).collect();
    kinds.sort_by_key(Vec::len);
    kinds.dedup();
    let mut text = String::new();
    for beds in kinds {
        let columns: Vec<String> = beds
            .iter()
            .map(|bed| match *bed {
                "" => " ours |".to_owned(),
                bed => format!(" ours, {bed} |"),
            })
            .collect();
        text += &format!(
            "\n| not reproduced | published | limit |{}\n|---|---|---|{}\n",
            columns.concat(),
            "---|".repeat(beds.len())
        );
        for row in rows.iter().filter(|row| beds_of(row) == beds) {
            let cell = |claim: &&Value| match (beds.len(), word(claim, "outcome")) {
                (1, _) | (_, "not-reproduced") => format!(" {} |", ours(claim)),
                (_, outcome) => format!(" {} ({outcome}) |", ours(claim)),
            };
            text += &format!(
                "| {} ({}) | {} | {} |{}\n",
                word(row[0], "measure"),
                word(row[0], "place"),
                published(&row[0]["published"]),
                word(row[0], "limit"),
                row.iter().map(cell).collect::<String>(),
            );
        }
    }
    text
}

fn claims<'a>(result: &'a Value, outcome: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = result["claims"].as_array().unwrap().iter();
    all.filter(move |c| c["source"] == "published" && c["outcome"] == outcome)
}

/// "3 of 5", and how many were not judged.
fn counts(result: &Value) -> String {
    let [yes, no, open] = ["reproduced", "not-reproduced", "not-judged"]
        .map(|outcome| claims(result, outcome).count());
    let open_words = match open {
        0 => String::new(),
        n => format!(" ({n} not judged)"),
    };
    format!("{yes} of {}{open_words}", yes + no + open)
}

/// The sizes of a stored run in words: what was run at another scale says so.
fn scale(result: &Value) -> String {
    match result["settings"]["scale"].as_f64().unwrap() {
        1.0 => "full".to_owned(),
        scale => format!("{scale} of ours"),
    }
}

/// The table over all experiments.
fn table() -> String {
    let mut text = String::from(
        "| experiment | what | published claims reproduced | scale | program | report |\n\
         |---|---|---|---|---|---|\n",
    );
    for experiment in EXPERIMENTS {
        let (id, title) = (experiment.id, experiment.title);
        let link = format!("[{id}](#{})", id.to_lowercase());
        text += &match stored(id) {
            Some(result) => format!(
                "| {link} | {title} | {} | {} | {} | [report](experiments/{id}.html) |\n",
                counts(&result),
                scale(&result),
                word(&result["settings"], "program"),
            ),
            None => format!(
                "| {link} | {title} | not run yet as it is set up and stated now | – | older | \
                 [older report](experiments/{id}.html) |\n"
            ),
        };
    }
    text
}

/// The section of an experiment below its heading and its picture.
fn section(id: &str) -> String {
    let Some(result) = stored(id) else {
        return "The report is an older one, of another set-up or of claims with other words and \
                limits, and is not counted here. It will be renewed by a run at full scale.\n"
            .to_owned();
    };
    let mut text = format!("Published claims reproduced: **{}**.", counts(&result));
    if let Some(busy) = result["busy"].as_str() {
        text +=
            &format!(" The machine was busy: {busy}; claims that rest on times are not judged.");
    }
    text += "\n";
    let rows: Vec<&Value> = claims(&result, "not-reproduced").collect();
    text += &tables_of_claims(&result);
    let known: Vec<Option<&str>> = rows.iter().map(|c| c["cause"].as_str()).collect();
    for (cause, count) in causes(&known) {
        text += &format!("\n{}{cause}\n", of_how_many(count, known.len()));
    }
    let open: Vec<String> = claims(&result, "not-judged")
        .map(|c| {
            let bed = match word(c, "bed") {
                "" => String::new(),
                bed => format!("{bed}: "),
            };
            format!("- {bed}{}: {}", word(c, "measure"), word(c, "why"))
        })
        .collect();
    if !open.is_empty() {
        text += &format!("\nNot judged:\n\n{}\n", open.join("\n"));
    }
    text
}

const BEGIN: &str = "<!-- from the stored results: begin -->\n";
const END: &str = "<!-- from the stored results: end -->\n";

/// The page with all that comes from the stored results made anew.
fn renewed(page: &str) -> String {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap().to_owned();
    let makers = std::iter::once(table()).chain(EXPERIMENTS.iter().map(|e| section(e.id)));
    let mut count = 0;
    for (part, made) in parts.zip(makers) {
        let rest = part.split_once(END).expect("what begins must end").1;
        text += &format!("{BEGIN}\n{made}\n{END}{rest}");
        count += 1;
    }
    assert_eq!(
        count,
        1 + EXPERIMENTS.len(),
        "a place for the table and for each experiment"
    );
    text
}

#[test]
fn the_book_says_what_the_stored_results_say() {
    let file = root().join("docs/experiments.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let wanted = renewed(&page);
    if std::env::var_os("DRYSTONE_UPDATE").is_some() {
        std::fs::write(&file, wanted).unwrap();
        return;
    }
    assert_eq!(
        page, wanted,
        "DRYSTONE_UPDATE=1 writes docs/experiments.md anew"
    );
}

/// The stored results are of the claims that the code states today, with the same limits.
#[test]
fn the_stored_results_are_of_the_claims_of_the_catalogue() {
    for experiment in EXPERIMENTS {
        let id = experiment.id;
        let Some(result) = stored(id) else {
            continue;
        };
        let stated: Vec<[String; 4]> = (experiment.claims)()
            .into_iter()
            .map(|c| {
                [
                    c.key,
                    c.measure,
                    c.limit.words(),
                    c.source.name().to_owned(),
                ]
            })
            .collect();
        let found: Vec<[String; 4]> = result["claims"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| ["key", "measure", "limit", "source"].map(|key| word(c, key).to_owned()))
            .collect();
        assert_eq!(
            stated, found,
            "docs/experiments/{id}.json is of other claims"
        );
        // The page beside it is of the same run.
        let page = std::fs::read_to_string(root().join(format!("docs/experiments/{id}.html")));
        let page = page.unwrap();
        assert!(
            page.contains(word(&result, "date")),
            "{id}.html is of another run"
        );
        let verdict = word(&result, "verdict");
        let begin = verdict.split('.').next().unwrap();
        assert!(page.contains(begin), "{id}.html has another verdict");
    }
}
