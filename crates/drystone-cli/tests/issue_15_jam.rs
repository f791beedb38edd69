//! A body that is driven into others that cannot give way: the run goes on and says so.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::{Duration, Instant};

use crate::common::scenes::{ok, signal, start_heard};
use crate::common::{self, Bench, stderr};
use serde_json::Value;

/// A lid that is driven through a full box, into which its balls cannot vanish.
const LID: &str = r#"
title = "A lid"

[settings]
time_step = "2 ms"
duration = "0.3 s"

[[material]]
name = "default"
friction = 0.5

[[container]]
name = "box"
shape = { type = "box", size = ["20 cm", "20 cm", "30 cm"] }

[[fill]]
name = "balls"
shape = { type = "sphere", radius = "2 cm" }
count = 60
container = "box"

[[body]]
name = "lid"
kind = "prescribed"
shape = { type = "box", size = ["19 cm", "19 cm", "2 cm"] }
position = [0, 0, "20 cm"]
motion = { type = "velocity", velocity = [0, 0, "-1 m/s"] }
"#;

#[test]
fn what_others_are_jammed_against_is_named() {
    let bench = Bench::new();
    std::fs::write(bench.path("lid.toml"), LID).unwrap();
    let output = ok(
        &bench,
        "run lid.toml -o lid --picture none --set settings.max_work=300",
    );
    let words = stderr(&output);
    assert!(
        words.contains("jammed against the prescribed body `lid`"),
        "{words}"
    );
    assert!(words.contains("limit of work"), "{words}");
    let summary = std::fs::read_to_string(bench.path("lid/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["jam"]["body"], "lid");
    assert!(summary["jam"]["force"].as_f64().unwrap() > 100.0);
    assert!(summary["steps_out_of_work"].as_u64().unwrap() > 0);
}

/// With a limit that is never reached a step would take minutes: it is left all the same.
#[test]
fn a_hopeless_step_is_left_at_once() {
    let bench = Bench::new();
    std::fs::write(bench.path("lid.toml"), LID).unwrap();
    let hopeless = "--set settings.max_work=1e12 --set settings.max_iterations=1000000000 \
                    --set settings.tolerance=1e-14";
    let child = start_heard(
        &bench,
        &format!("run lid.toml -o lid --picture none {hopeless}"),
    );
    std::thread::sleep(Duration::from_secs(2));
    let asked = Instant::now();
    signal(&child, "-INT");
    let output = common::scenes::ended(child);
    // Half a second, and time for a busy machine to end a process.
    assert!(
        asked.elapsed() < Duration::from_secs(3),
        "{:?}",
        asked.elapsed()
    );
    assert!(!output.status.success());
}
