//! What a run says in words of steps that were cut short and of what the relaxed law does.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::ok;
use crate::common::{Bench, stderr, stdout};
use drystone_scene::builtin_scenes;
use serde_json::Value;

/// Steps of a log that ended so.
fn steps_that_ended(log: &str, how: &str) -> usize {
    let mut lines = log.lines();
    let names = lines.next().unwrap();
    let column = names.split(',').position(|name| name == "termination");
    let column = column.unwrap();
    lines
        .filter(|line| line.split(',').nth(column) == Some(how))
        .count()
}

#[test]
fn no_built_in_scene_ends_steps_at_their_limit_of_work_without_a_word() {
    let bench = Bench::new();
    let mut short = 0;
    for (name, _) in builtin_scenes() {
        let line = format!(
            "run {name} -o {name} --steps 12 --picture none --set settings.max_work=1 \
             --set settings.tolerance=1e-12"
        );
        let words = stderr(&ok(&bench, &line));
        let log = std::fs::read_to_string(bench.path(&format!("{name}/log.csv"))).unwrap();
        let summary = std::fs::read_to_string(bench.path(&format!("{name}/summary.json"))).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let ended = steps_that_ended(&log, "work-limit");
        assert_eq!(summary["steps_out_of_work"], ended, "{name}");
        let told = format!("{ended} of them ended at their limit of work");
        assert_eq!(words.contains(&told), ended > 0, "{name}: {words}");
        short += usize::from(ended > 0);
    }
    // Where nothing touches yet there is no work to be done.
    assert!(short >= 10, "only {short} scenes");
}

/// A box that slides with 2 m/s.
const SLIDE: &str = r#"
title = "A box slides"

[settings]
time_step = "2 ms"
duration = "0.1 s"

[[material]]
name = "default"
friction = 0.5

[[body]]
name = "floor"
shape = { type = "plane" }

[[body]]
name = "box"
shape = { type = "box", size = ["20 cm", "20 cm", "10 cm"] }
position = [0, 0, "5 cm"]
velocity = ["2 m/s", 0, 0]
"#;

fn friction_line(bench: &Bench, set: &str) -> String {
    let output = ok(
        bench,
        &format!("run slide.toml -o out --overwrite --picture none {set}"),
    );
    let text = stdout(&output);
    let line = text.lines().find(|line| line.starts_with("friction"));
    line.unwrap().to_owned()
}

#[test]
fn the_relaxed_law_says_how_high_it_throws_what_slides() {
    let bench = Bench::new();
    std::fs::write(bench.path("slide.toml"), SLIDE).unwrap();
    // It parts at mu times the slip u that is left, and the push that does so slows it:
    // u = 2 m/s − mu (mu u + g h), v = mu u = 0.796 m/s, which is good for v²/2g = 32.3 mm.
    let thrown = friction_line(&bench, "--set settings.law=relaxed");
    assert!(
        thrown.contains("relaxed law: lifts what slides"),
        "{thrown}"
    );
    assert!(thrown.contains("% of the thinnest"), "{thrown}");
    assert!(thrown.contains("--set settings.law=exact"), "{thrown}");
    let height = thrown.split("throw a body ").nth(1).unwrap();
    let height: f64 = height.split(' ').next().unwrap().parse().unwrap();
    assert!((height - 32.3).abs() < 0.1, "{thrown}");
    let stands = friction_line(
        &bench,
        "--set settings.law=relaxed --set body.box.velocity=[0,0,0]",
    );
    assert!(stands.contains("too little to be seen"), "{stands}");
    let exact = friction_line(&bench, "--set settings.law=exact");
    assert!(exact.contains("exact law in"), "{exact}");
}
