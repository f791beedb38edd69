//! Ctrl-C and SIGTERM end every command soon, wherever it is, and say what is true.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::time::Duration;

use crate::common::scenes::{ended, ok, run, signal, start_heard, wait_until, write};
use crate::common::{Bench, status, stderr};

/// So many balls take minutes to be packed.
const ENDLESS: &str = "pile --set count=10000000 --force";

/// Long enough for a program to be on its way, far too short for `ENDLESS`.
const A_WHILE: Duration = Duration::from_millis(400);

fn temporary(bench: &Bench, folder: &str) -> Vec<String> {
    let names = bench.files(folder).into_iter();
    names.filter(|name| name.ends_with(".tmp")).collect()
}

#[test]
fn check_quits_at_once_and_does_not_promise_to_write() {
    for name in ["-TERM", "-INT"] {
        let bench = Bench::new();
        let child = start_heard(&bench, &format!("check {ENDLESS}"));
        std::thread::sleep(A_WHILE);
        signal(&child, name);
        let output = ended(child);
        assert_eq!(status(&output), 130, "{}", stderr(&output));
        assert_eq!(stderr(&output), "interrupted; nothing was written\n");
    }
}

#[test]
fn a_run_that_is_still_loading_quits_at_once() {
    let bench = Bench::new();
    let child = start_heard(&bench, &format!("run {ENDLESS} -o r"));
    std::thread::sleep(A_WHILE);
    signal(&child, "-TERM");
    let output = ended(child);
    assert_eq!(status(&output), 130, "{}", stderr(&output));
    assert!(stderr(&output).contains("stopped before the first step"));
}

/// Boxes that nearly all lie in each other, though few of them in one place: the first step has
/// tens of thousands of contacts.
fn write_heap(bench: &Bench, name: &str) {
    let text = r#"
[settings]
duration = "1 s"

[[body]]
name = "wall"
shape = { type = "box", size = [0.245, 0.12, 0.08] }
position = [0, 0, 0.04]
repeat = { count = [10, 1, 20], spacing = [0.016, 0, 0.003] }
"#;
    std::fs::write(bench.path(name), text).unwrap();
}

#[test]
fn a_step_that_takes_minutes_does_not_hold_up_the_end() {
    let bench = Bench::new();
    write_heap(&bench, "heap.toml");
    let child = start_heard(&bench, "run heap.toml -o r --picture none");
    wait_until(|| bench.path("r/checkpoint.dry").exists());
    std::thread::sleep(A_WHILE);
    signal(&child, "-TERM");
    let output = ended(child);
    let message = stderr(&output);
    // Cancelled within the step, or given up.
    assert!([3, 130].contains(&status(&output)), "{message}");
    assert!(message.contains("run --resume -o r"), "{message}");
    assert_eq!(temporary(&bench, "r"), [""; 0]);
}

#[test]
fn check_does_not_push_hundreds_of_bodies_apart() {
    let bench = Bench::new();
    write_heap(&bench, "heap.toml");
    let output = run(&bench, "check heap.toml --json");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Each of 200 with each other one.
    assert_eq!(json["overlapping_pairs"], 200 * 199 / 2);
    assert!(stderr(&output).contains("19900 pairs overlap by more than 1 %"));
}

#[test]
fn a_run_stopped_while_its_picture_is_drawn_says_so() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    let child = start_heard(
        &bench,
        "run balls.toml -o r --picture 5000x5000 --threads 1",
    );
    // Written before the picture.
    wait_until(|| bench.path("r/summary.json").exists());
    signal(&child, "-TERM");
    let output = ended(child);
    let message = stderr(&output);
    assert_eq!(status(&output), 3, "{message}");
    assert!(
        message.contains("stopped before the picture was drawn"),
        "{message}"
    );
    assert!(
        message.contains("drystone render r -o r/picture.png"),
        "{message}"
    );
    assert!(!bench.path("r/picture.png").exists());
    assert_eq!(temporary(&bench, "r"), [""; 0]);
}

#[test]
fn temporary_files_of_killed_runs_are_removed_and_others_stay() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let stale = format!(".drystone-{}-abcdef.tmp", dead.id());
    let alive = format!(".drystone-{}-abcdef.tmp", std::process::id());
    std::fs::create_dir(bench.path("r")).unwrap();
    for name in [stale.as_str(), alive.as_str(), "notes.tmp"] {
        std::fs::write(bench.path("r").join(name), "").unwrap();
    }
    ok(&bench, "run balls.toml -o r --steps 5 --picture none");
    assert_eq!(temporary(&bench, "r"), [alive.as_str(), "notes.tmp"]);
    std::fs::write(bench.path("r").join(&stale), "").unwrap();
    ok(&bench, "run balls.toml -o r --resume --picture none");
    assert_eq!(temporary(&bench, "r"), [alive.as_str(), "notes.tmp"]);
    std::fs::create_dir(bench.path("r/csv")).unwrap();
    std::fs::write(bench.path("r/csv").join(&stale), "").unwrap();
    ok(&bench, "export r --format csv");
    assert_eq!(temporary(&bench, "r/csv"), [""; 0]);
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    let bench = Bench::new();
    for line in [
        "check a\u{1b}[31m.toml",
        "solve \u{9b}2J.hdf5",
        "run pile --\u{1b}cbad",
    ] {
        let output = run(&bench, line);
        assert_eq!(status(&output), 2);
        let shown = stderr(&output);
        let obeyed = |c: char| c.is_control() && c != '\n';
        assert!(!shown.contains(obeyed), "{shown:?}");
        assert!(shown.contains("\\u00"), "{shown:?}");
    }
}
