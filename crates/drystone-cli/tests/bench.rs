//! Benches at tiny sizes: what they print parses, what they measure is finite, what cannot be meant
//! is refused. No time is judged here.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::{Bench, status, stderr, stdout};
use serde_json::Value;

/// Runs a bench; its JSON object.
fn quick(bench: &Bench, args: &[&str]) -> Value {
    let mut all = vec!["bench"];
    all.extend(args);
    all.extend(["--quick", "--json", "-q", "--cache", "cache"]);
    let output = bench.run(&all);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn rows<'a>(report: &'a Value, table: &str) -> &'a [Value] {
    let rows = report["tables"][table].as_array();
    rows.unwrap_or_else(|| panic!("no table {table} in {report}"))
}

/// Every cell is there. JSON has no infinite numbers: they would be null.
fn assert_finite(report: &Value, table: &str) {
    for row in rows(report, table) {
        for (key, value) in row.as_object().unwrap() {
            assert!(!value.is_null(), "{table}, {key}: {row}");
        }
    }
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"))
}

#[test]
fn steps_are_measured_and_have_the_same_bits_on_two_threads() {
    let bench = Bench::new();
    let report = quick(&bench, &["steps", "--threads", "1,2", "-o", "out"]);
    for table in ["steps", "threads", "growth"] {
        assert_finite(&report, table);
    }
    let steps = rows(&report, "steps");
    for scene in ["pile", "grains", "wall", "mechanism", "slab"] {
        assert!(steps.iter().any(|row| row["scene"] == scene), "{scene}");
    }
    for row in steps {
        let stages = ["broad", "narrow", "assembly", "solve", "other"];
        let sum: f64 = stages.iter().map(|s| number(row, &format!("{s}_ms"))).sum();
        // Medians of few steps: their sum is near the median of the whole.
        assert!(sum > 0.0 && number(row, "step_ms") > 0.0, "{row}");
        assert!(number(row, "residual") <= 1e-4, "{row}");
    }
    // The same case on one and on two threads, one after the other.
    for pair in rows(&report, "threads").chunks(2) {
        assert_ne!(pair[0]["threads"], pair[1]["threads"]);
        assert_eq!(pair[0]["digest"], pair[1]["digest"], "{pair:?}");
    }
    let files = bench.files("out");
    for file in [
        "report.html",
        "results.json",
        "steps.csv",
        "growth.svg",
        "stages.png",
    ] {
        assert!(files.iter().any(|f| f == file), "no {file}: {files:?}");
    }
    // The kept states are found again, and steps of a fixed length end where they did.
    let args = [
        "steps",
        "--scenes",
        "pile",
        "--sizes",
        "40",
        "--iterations",
        "7",
    ];
    let again = quick(&bench, &args);
    for row in rows(&again, "steps") {
        let solves = number(row, "iterations") / 7.0;
        assert!(solves >= 1.0 && solves.fract() == 0.0, "{row}");
    }
}

#[test]
fn iterations_are_measured_for_every_kind_of_row() {
    let bench = Bench::new();
    bench.problem("p.hdf5", 4, 0.0);
    let args = ["kernels", "--threads", "1,2", "--problems", "p.hdf5"];
    let report = quick(&bench, &args);
    for table in ["triad", "kernels"] {
        assert_finite(&report, table);
    }
    assert_eq!(rows(&report, "triad").len(), 2);
    // What is lost in the noise of a busy machine is listed as not measured.
    let skipped = report["tables"]["skipped"].as_array();
    let skipped: &[Value] = skipped.map_or(&[], Vec::as_slice);
    let measured = rows(&report, "kernels");
    for kind in ["spheres", "rolling", "convex", "joints", "matrix", "file"] {
        let all = measured.iter().chain(skipped);
        let own = all.filter(|row| row["kind"] == kind).count();
        assert_eq!(own, 2 * 6, "{kind}: six methods on two numbers of threads");
    }
    for row in measured {
        assert!(number(row, "bytes_per_contact") > 100.0, "{row}");
        assert!(number(row, "ns_per_contact") > 0.0, "{row}");
    }
    // Rolling contacts have five rows, spheres three, of the same contacts.
    let of = |kind: &str| measured.iter().find(|row| row["kind"] == kind);
    if let (Some(three), Some(five)) = (of("spheres"), of("rolling")) {
        assert_eq!(number(three, "rows") / 3.0, number(five, "rows") / 5.0);
    }
}

#[test]
fn solves_are_timed_to_every_residual() {
    let bench = Bench::new();
    bench.problem("p.hdf5", 4, 0.0);
    bench.problem("skew.hdf5", 4, 0.5);
    let args = [
        "solvers",
        "--problems",
        "p.hdf5,skew.hdf5",
        "--seconds",
        "20",
        "--scenes",
        "pile,mechanism",
        "--methods",
        "auto,nesterov-gs,interior-point",
        "-o",
        "out",
    ];
    let report = quick(&bench, &args);
    for table in ["profile", "auto"] {
        assert_finite(&report, table);
    }
    let runs = rows(&report, "solvers");
    let own: Vec<&Value> = runs.iter().filter(|row| row["problem"] == "p").collect();
    assert_eq!(own.len(), 3);
    for row in own {
        assert_eq!(row["ended"], "converged", "{row}");
        let times: Vec<f64> = (2..=8)
            .map(|k| number(row, &format!("s_to_1e-{k}")))
            .collect();
        assert!(times.is_sorted() && times[0] > 0.0, "{row}");
    }
    // Methods that need a symmetric matrix refuse the other problem, and are listed.
    let skipped = rows(&report, "skipped");
    let refused = |row: &&Value| row["problem"] == "skew" && row["method"] == "nesterov-gs";
    assert!(skipped.iter().any(|row| refused(&row)), "{skipped:?}");
    assert!(bench.files("out").iter().any(|f| f == "profiles.svg"));
}

#[test]
fn without_the_other_engines_it_says_how_to_build_them() {
    let bench = Bench::new();
    // A copy of the program in a folder of its own: nothing is beside it.
    let program = bench.path("drystone");
    std::fs::copy(env!("CARGO_BIN_EXE_drystone"), &program).unwrap();
    let output = std::process::Command::new(&program)
        .args(["bench", "peers", "--quick", "--sizes", "40"])
        .output()
        .unwrap();
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    let words = stderr(&output);
    assert!(words.contains("tests/peers/Cargo.toml"), "{words}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let bench = Bench::new();
    for args in [
        &["steps", "--sizes", "0"][..],
        &["steps", "--sizes", "1e3"],
        &["steps", "--scenes", "castle"],
        &["steps", "--states", "asleep"],
        &["steps", "--threads", "0"],
        &["steps", "--methods", "magic"],
        &["steps", "--tolerance", "-1"],
        &["steps", "--tolerance", "1e-3", "--iterations", "5"],
        &["steps", "--scale", "nan"],
        &["steps", "--seconds", "0"],
        &["kernels", "--methods", "interior-point"],
        &["kernels", "--problems", "missing.hdf5"],
        &["solvers", "--problems", "missing"],
        &["solvers", "--scenes", "castle"],
        &["solvers", "--seconds", "-1"],
        &["marathon"],
        &[],
    ] {
        let mut all = vec!["bench"];
        all.extend(args);
        let output = bench.run(&all);
        assert_eq!(status(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{args:?}");
    }
    // A file where the folder for the report should be, before any work.
    std::fs::write(bench.path("taken"), "x").unwrap();
    let output = bench.run(&["bench", "steps", "--quick", "-o", "taken"]);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("taken"), "{}", stderr(&output));
}
