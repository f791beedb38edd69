//! Experiments through the library: their names, and what a call leaves. The experiments themselves
//! run at a small scale in the tests of the command line.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use drystone_ccp::Method;
use drystone_run::Control;
use drystone_study::StudyError;
use drystone_study::experiment::{
    ClaimSource, EXPERIMENTS, ExperimentSettings, Limit, TO_COME, find_experiments, outcome_lines,
    run_experiments,
};
use serde_json::Value;

fn find(names: &[&str]) -> Result<Vec<&'static str>, String> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    match find_experiments(&names) {
        Ok(found) => Ok(found.iter().map(|e| e.id).collect()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn experiments_are_found_by_name_each_once_in_their_order() {
    let all: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
    assert_eq!(
        find(&["P2-T1", "p0-t1", "P2-T1"]).unwrap(),
        ["P0-T1", "P2-T1"]
    );
    assert_eq!(find(&["P4-T1", "all"]).unwrap(), all);
    let unknown = find(&["P0-T1", "P9-T1"]).unwrap_err();
    assert!(unknown.contains("\"P9-T1\"") && unknown.contains("P4-T1"));
    for (id, what) in TO_COME {
        assert!(!all.contains(id));
        let later = find(&[id]).unwrap_err();
        assert!(later.contains("not built yet") && later.contains(what));
    }
}

#[test]
fn every_experiment_names_its_paper() {
    // The number in an id is the place of its paper in this list.
    let papers = [
        "Mazhar 2015",
        "Mazhar 2014",
        "Heyn 2013",
        "Tasora 2013",
        "Melanz",
    ];
    for experiment in EXPERIMENTS {
        let place: usize = experiment.id[1..2].parse().unwrap();
        let (id, source) = (experiment.id, experiment.source);
        assert!(
            source.starts_with(&format!("{}, ", papers[place])),
            "{id}: {source}"
        );
        assert!(!experiment.title.is_empty() && experiment.cost.minutes > 0.0);
    }
    let mut ids: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), EXPERIMENTS.len());
}

fn settings() -> ExperimentSettings {
    ExperimentSettings {
        methods: vec![Method::Auto],
        ..ExperimentSettings::default()
    }
}

#[test]
fn an_experiment_leaves_its_claims_and_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let [out, cache] = ["out", "cache"].map(|name| folder.path().join(name));
    let experiments = find_experiments(&["P1-D2".to_owned()]).unwrap();
    let report = run_experiments(&experiments, &settings(), &out, &cache, Control::none()).unwrap();
    assert!(report.reproduces() && !report.is_cancelled());
    let json = report.json();
    let written = std::fs::read_to_string(out.join("results.json")).unwrap();
    assert_eq!(written, format!("{json:#}\n"));
    let ended = &json["experiments"][0];
    assert_eq!(ended["experiment"], "P1-D2");
    assert_eq!(ended["source"], "Mazhar 2014, §5.3.2, Figs. 13 and 14");
    let claims = ended["claims"].as_array().unwrap();
    assert!(
        claims
            .iter()
            .all(|claim| claim["outcome"] != "not-reproduced")
    );
    // One line per claim, between the title and the place of the report.
    assert_eq!(report.summary().lines().count(), 2 + claims.len());
    for name in [
        "table.csv",
        "figure.svg",
        "figure.png",
        "report.html",
        "result.json",
    ] {
        assert!(out.join("P1-D2").join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("P1-D2: a box slides to rest on a plane"));
}

/// The claims of a run stand in the catalogue before it, no more and no fewer, whatever happens.
#[test]
fn the_claims_of_a_run_are_those_of_the_catalogue() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = find_experiments(&["P1-D1".to_owned(), "P1-D3".to_owned()]).unwrap();
    let path = folder.path();
    let report = run_experiments(&experiments, &settings(), path, path, Control::none()).unwrap();
    for (experiment, ended) in experiments
        .iter()
        .zip(report.json()["experiments"].as_array().unwrap())
    {
        let stated: Vec<String> = (experiment.claims)().into_iter().map(|c| c.key).collect();
        let judged = ended["claims"].as_array().unwrap();
        let judged: Vec<&str> = judged.iter().map(|c| c["key"].as_str().unwrap()).collect();
        assert_eq!(stated, judged);
    }
}

#[test]
fn every_claim_has_its_source_its_limit_and_a_name_of_its_own() {
    for experiment in EXPERIMENTS {
        let claims = (experiment.claims)();
        let id = experiment.id;
        assert!(claims.iter().any(|c| c.is_published()), "{id}");
        for (k, claim) in claims.iter().enumerate() {
            let key = &claim.key;
            assert!(
                !claims[..k].iter().any(|c| c.key == *key),
                "{id}: {key} twice"
            );
            assert!(
                !claim.measure.is_empty() && !claim.reason.is_empty(),
                "{id}: {key}"
            );
            let limit = claim.limit.words();
            assert!(!limit.contains('–'), "{id}: {key} has no limit: {limit}");
            if let ClaimSource::Published { place, words } = claim.source {
                assert!(!place.is_empty() && words.len() > 8, "{id}: {key}");
            }
        }
    }
}

/// A method that fails stays in the list: its claims are not reproduced, and counts and verdict say
/// so.
#[test]
fn a_method_that_fails_changes_outcomes_counts_and_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = find_experiments(&["P3-B1".to_owned()]).unwrap();
    let run = |failing: Vec<Method>| {
        let settings = ExperimentSettings {
            scale: 0.03,
            methods: vec![Method::Spg, Method::Jacobi, Method::GaussSeidel],
            failing,
            ..settings()
        };
        let [out, cache] = ["out", "cache"].map(|name| folder.path().join(name));
        let report = run_experiments(&experiments, &settings, &out, &cache, Control::none());
        report.unwrap().json()["experiments"][0].clone()
    };
    let (whole, broken) = (run(Vec::new()), run(vec![Method::Jacobi]));
    let claim = |result: &Value| result["claims"][1].clone();
    assert_eq!(claim(&whole)["key"], "jacobi-poor");
    assert_eq!(claim(&whole)["outcome"], "reproduced");
    assert_eq!(claim(&broken)["outcome"], "not-reproduced");
    assert!(
        claim(&broken)["why"]
            .as_str()
            .unwrap()
            .contains("jacobi failed")
    );
    let count = |result: &Value, key: &str| result["published_claims"][key].as_u64().unwrap();
    assert_eq!(
        count(&whole, "reproduced"),
        count(&broken, "reproduced") + 1
    );
    assert_eq!(
        count(&whole, "not_reproduced") + 1,
        count(&broken, "not_reproduced")
    );
    let verdict = |result: &Value| result["verdict"].as_str().unwrap().to_owned();
    assert!(verdict(&broken).contains("jacobi failed") && !verdict(&whole).contains("failed"));
    let claims = |result: &Value| result["claims"].as_array().unwrap().len();
    assert_eq!(claims(&whole), claims(&broken));
    // A list of expected outcomes would no longer fit.
    assert_ne!(outcome_lines(&whole), outcome_lines(&broken));
}

/// The outcomes that the command line's tests expect of an experiment.
fn expected_outcomes(id: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../drystone-cli/tests");
    std::fs::read_to_string(tests.join(format!("experiment/outcomes/{id}.tsv"))).unwrap()
}

/// One limit that is moved changes the outcome, the counts, the verdict, the page and what
/// `--strict` asks for, and the list of expected outcomes no longer fits.
#[test]
fn one_changed_limit_is_noticed_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let experiments = find_experiments(&["P1-D2".to_owned()]).unwrap();
    let run = |name: &str, changed_limits: Vec<(String, Limit)>| {
        let settings = ExperimentSettings {
            changed_limits,
            ..ExperimentSettings::default()
        };
        let [out, cache] = [name, "cache"].map(|name| folder.path().join(name));
        let report = run_experiments(&experiments, &settings, &out, &cache, Control::none());
        let report = report.unwrap();
        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        (
            report.json()["experiments"][0].clone(),
            report.reproduces(),
            page,
        )
    };
    let (whole, reproduces, page) = run("whole", Vec::new());
    assert_eq!(outcome_lines(&whole), expected_outcomes("P1-D2"));
    assert!(reproduces);
    let key = "lifts-off";
    let changed = vec![(key.to_owned(), Limit::AtLeast(1.0))];
    let (other, still_reproduces, other_page) = run("changed", changed);
    assert!(!still_reproduces);
    let claim = |result: &Value| {
        let claims = result["claims"].as_array().unwrap();
        claims.iter().find(|c| c["key"] == key).unwrap().clone()
    };
    assert_eq!(claim(&whole)["outcome"], "reproduced");
    assert_eq!(claim(&other)["outcome"], "not-reproduced");
    assert_eq!(claim(&other)["ours"], claim(&whole)["ours"]);
    let count = |result: &Value, key: &str| result["published_claims"][key].as_u64().unwrap();
    assert_eq!(count(&whole, "reproduced"), count(&other, "reproduced") + 1);
    assert_eq!(
        count(&whole, "not_reproduced") + 1,
        count(&other, "not_reproduced")
    );
    let measure = claim(&whole)["measure"].as_str().unwrap().to_owned();
    let names_it = |result: &Value| result["verdict"].as_str().unwrap().contains(&measure);
    assert!(names_it(&other) && !names_it(&whole));
    assert_ne!(page, other_page);
    // The list of expected outcomes differs in this one line, by its limit and by its outcome.
    let (expected, found) = (expected_outcomes("P1-D2"), outcome_lines(&other));
    let differ: Vec<_> = expected
        .lines()
        .zip(found.lines())
        .filter(|(a, b)| a != b)
        .collect();
    assert_eq!(differ.len(), 1, "{differ:?}");
    assert!(differ[0].1.starts_with(key) && differ[0].1.ends_with("not-reproduced"));
}

#[test]
fn a_cancelled_call_leaves_a_report_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let [out, cache] = ["out", "cache"].map(|name| folder.path().join(name));
    let cancel = AtomicBool::new(true);
    let control = Control::new(&cancel, &|_| {});
    let experiments = find_experiments(&["P1-D2".to_owned()]).unwrap();
    let report = run_experiments(&experiments, &settings(), &out, &cache, control).unwrap();
    assert!(report.is_cancelled());
    assert_eq!(report.json()["experiments"].as_array().unwrap().len(), 0);
    assert!(report.summary().contains("cancelled"));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Cancelled: only the experiments that had ended are here."));
}

#[test]
fn too_large_a_scene_is_refused_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ExperimentSettings {
        scale: 1e7,
        ..settings()
    };
    let experiments = find_experiments(&["P0-T3".to_owned()]).unwrap();
    let path = folder.path();
    let outcome = run_experiments(&experiments, &settings, path, path, Control::none());
    let Err(StudyError::Refused(reason)) = outcome else {
        panic!("10^12 grains were accepted")
    };
    assert!(reason.starts_with("P0-T3: "), "{reason}");
}
