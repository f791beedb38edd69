//! Runs that are stopped or killed, and go on: the same bits as those that were not.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::scenes::{assert_same, ok, signal, start, write_with_joint};
use crate::common::{self, Bench};

/// Longest that anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rows of a growing log.
fn rows(log: &Path) -> usize {
    std::fs::read_to_string(log).map_or(0, |text| text.lines().count())
}

fn wait_until(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_was_interrupted_goes_on_with_the_same_bits() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 4.0);
    ok(&bench, "run balls.toml -o whole --picture none --threads 1");
    let mut child = start(&bench, "run balls.toml -o r --picture none --threads 2");
    wait_until(|| rows(&bench.path("r/log.csv")) > 100);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let summary = std::fs::read_to_string(bench.path("r/summary.json")).unwrap();
    assert!(summary.contains("\"ended\": \"interrupted\""), "{summary}");
    assert!(rows(&bench.path("r/log.csv")) < 2001);
    ok(
        &bench,
        "run balls.toml --resume -o r --picture none --threads 1",
    );
    assert_same(&bench, "whole", "r");
}

#[test]
fn a_run_that_was_killed_at_random_moments_goes_on_with_the_same_bits() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 2.0);
    ok(&bench, "run balls.toml -o whole --picture none");
    // Every failure can be run again with the moments that it prints.
    let mut seed = std::process::id() as u64;
    let mut moments = Vec::new();
    let mut line = "run balls.toml -o r --picture none --checkpoint-every 0.01";
    let begun = Instant::now();
    for kills in 0.. {
        assert!(begun.elapsed() < PATIENCE, "no end after {kills} kills");
        let mut child = start(&bench, line);
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // At first before or soon after the start, then later, so that the run comes to its end.
        let most = 20 + 15 * kills;
        let moment = Duration::from_millis((seed >> 33) % most);
        std::thread::sleep(moment);
        moments.push(moment);
        signal_kill(&mut child);
        if bench.path("r/summary.json").exists() {
            break;
        }
        // Killed before its scene was written: there is nothing to resume.
        if bench.path("r/scene.toml").exists() {
            line = "run balls.toml --resume -o r --picture none --checkpoint-every 0.01";
        }
    }
    // Killed after its end: what is left to do is done again.
    ok(&bench, line);
    eprintln!("killed after {moments:?}");
    assert_same(&bench, "whole", "r");
}

/// SIGKILL, whether it still runs or not.
fn signal_kill(child: &mut std::process::Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_damaged_checkpoint_costs_a_little_work_only() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 0.1);
    ok(&bench, "run balls.toml -o whole --picture none");
    ok(
        &bench,
        "run balls.toml -o r --steps 20 --picture none --checkpoint-every 1e-6",
    );
    let newest = bench.path("r/checkpoint.dry");
    let mut bytes = std::fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&newest, bytes).unwrap();
    // Half a row and half a frame at the ends are cut away.
    for file in ["log.csv", "frames.dry"] {
        let path = bench.path("r").join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    }
    let output = ok(&bench, "run --resume -o r --picture none");
    let message = common::stderr(&output);
    assert!(message.contains("checkpoint.dry: damaged"), "{message}");
    assert_same(&bench, "whole", "r");
}

#[test]
fn a_finished_run_is_extended_to_the_same_bits() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 0.105);
    ok(&bench, "run balls.toml -o whole --picture none --until 0.3");
    let summary = std::fs::read_to_string(bench.path("whole/summary.json")).unwrap();
    assert!(summary.contains("\"steps\": 150"), "{summary}");
    ok(&bench, "run balls.toml -o r --picture none");
    let summary = std::fs::read_to_string(bench.path("r/summary.json")).unwrap();
    assert!(summary.contains("\"ended\": \"finished\""), "{summary}");
    ok(&bench, "run --resume -o r --picture none --until 0.2");
    ok(&bench, "run --resume -o r --picture none --steps 150");
    assert_same(&bench, "whole", "r");
}

#[test]
fn a_run_with_nothing_left_to_do_says_so_and_changes_nothing() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 0.1);
    ok(&bench, "run balls.toml -o r --picture none");
    let bytes = |file: &str| std::fs::read(bench.path("r").join(file)).unwrap();
    let files = ["frames.dry", "log.csv", "summary.json", "checkpoint.dry"];
    let before = files.map(bytes);
    for line in [
        "run --resume -o r --picture none",
        "run balls.toml --resume -o r --picture none",
        "run --resume -o r --picture none --until 0.05",
        "run --resume -o r --picture none --steps 50",
    ] {
        let message = common::stderr(&ok(&bench, line));
        assert!(
            message.contains("nothing to do: the run in r has come to t = 0.1000 s in 50 steps"),
            "{line}: {message}"
        );
        assert!(files.map(bytes) == before, "{line}");
    }
    let json = common::stdout(&ok(&bench, "run --resume -o r --json"));
    assert_eq!(json.as_bytes(), bytes("summary.json"));
    // Results that are gone are made again.
    std::fs::remove_file(bench.path("r/summary.json")).unwrap();
    ok(&bench, "run --resume -o r --picture none");
    assert!(bench.path("r/summary.json").exists());
    assert!(bytes("frames.dry") == before[0]);
}

#[test]
fn a_folder_without_a_run_is_not_resumed() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 0.1);
    std::fs::create_dir(bench.path("empty")).unwrap();
    for (line, words) in [
        ("run --resume -o empty", "empty: holds no run"),
        ("run balls.toml --resume -o empty", "empty: holds no run"),
        ("run --resume -o gone", "gone: there is no such folder"),
        (
            "run balls.toml --resume -o gone",
            "gone: there is no such folder",
        ),
        ("run balls.toml --resume", "there is no run of balls in out"),
    ] {
        let output = bench.run(&line.split(' ').collect::<Vec<_>>());
        let message = common::stderr(&output);
        assert_eq!(common::status(&output), 2, "{line}: {message}");
        assert!(message.contains(words), "{line}: {message}");
    }
    assert!(bench.files("empty").is_empty());
    assert!(!bench.path("gone").exists());
}
