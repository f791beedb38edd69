//! The experiments that run Clarabel beside our methods, with it built in. Without the feature this
//! file is not built, and the tests of the command line assert that the reports say so.
#![allow(clippy::unwrap_used, reason = "test code")]

use drystone_run::Control;
use drystone_study::experiment::{ExperimentSettings, find_experiments, run_experiments};
use serde_json::Value;

/// Runs an experiment at a tenth of the paper's size; what it found, and the page.
fn run(name: &str) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let [out, cache] = ["out", "cache"].map(|name| folder.path().join(name));
    let settings = ExperimentSettings {
        scale: 0.1,
        ..ExperimentSettings::default()
    };
    let experiments = find_experiments(&[name.to_owned()]).unwrap();
    let report = run_experiments(&experiments, &settings, &out, &cache, Control::none()).unwrap();
    let page = std::fs::read_to_string(out.join(name).join("report.html")).unwrap();
    (report.json()["experiments"][0].clone(), page)
}

#[test]
fn an_outside_solver_finds_the_interior_points_objective() {
    for name in ["P1-S1", "P1-S2"] {
        let (found, page) = run(name);
        let claims = found["claims"].as_array().unwrap();
        let claim = claims
            .iter()
            .find(|claim| claim["key"] == "clarabel")
            .unwrap();
        assert_eq!(claim["outcome"], "reproduced", "{claim}");
        assert!(claim["ours"].as_f64().unwrap() <= 1e-6);
        assert!(page.contains(">clarabel</td>"));
    }
}

#[test]
fn an_outside_solver_is_among_those_that_grow_with_the_bed() {
    let (found, page) = run("P1-S3");
    let claims = found["claims"].as_array().unwrap();
    let agree = claims
        .iter()
        .find(|claim| claim["key"] == "similar-objectives");
    assert_eq!(agree.unwrap()["outcome"], "reproduced");
    assert!(page.contains(">clarabel</td>"));
}
