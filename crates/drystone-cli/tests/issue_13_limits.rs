//! Numbers and resources at their limits: runs end with a status and a word, never by a signal.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::common::scenes::{ok, run, write};
use crate::common::{Bench, status, stderr, stdout};
use serde_json::Value;

/// Runs the program under a limit of the shell.
fn limited(bench: &Bench, limit: &str, line: &str) -> Output {
    let script = format!(
        "ulimit {limit}; exec {} {line}",
        env!("CARGO_BIN_EXE_drystone")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(bench.path("."));
    command.output().unwrap()
}

fn summary(bench: &Bench) -> Value {
    let text = std::fs::read_to_string(bench.path("r/summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_limit_of_address_space_is_seen_before_it_is_hit() {
    let bench = Bench::new();
    let line = "run pile --set count=200000 -o r --threads 2 --picture none";
    let output = limited(&bench, "-v 600000", line);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("of memory are available"), "{message}");
}

#[test]
fn memory_that_runs_out_ends_with_a_status() {
    let bench = Bench::new();
    // Forced past the estimate, so that the end is certain.
    let line = "run pile --set count=200000 --force -o r --threads 1 --picture none";
    let output = limited(&bench, "-v 150000", line);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("error: memory ran out"), "{message}");
}

#[test]
fn ten_million_grains_are_refused_before_any_is_placed() {
    let bench = Bench::new();
    let start = Instant::now();
    // Placing them would take minutes, and gigabytes that the limit does not give. It also makes
    // the refusal certain on machines of any size.
    let output = limited(&bench, "-v 500000", "check pile --set count=10000000");
    let (time, message) = (start.elapsed(), stderr(&output));
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("10000006 bodies"), "{message}");
    assert!(message.contains("of memory are available"), "{message}");
    assert!(time < Duration::from_secs(10), "{time:?}");
}

#[test]
fn a_limit_of_file_size_is_an_error_of_writing() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 2.0);
    // In blocks of 512 bytes: some hundred rows.
    let output = limited(&bench, "-f 60", "run balls.toml -o r --picture none");
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("could not be written"), "{message}");
    // What is there is whole, and the run goes on without the limit.
    ok(&bench, "run --resume -o r --steps 300 --picture none");
}

#[test]
fn sinking_is_warned_of_with_its_pair_and_its_cause() {
    let bench = Bench::new();
    let scene = |mass: f64, compliance: &str| {
        format!(
            r#"
[settings]
duration = 1
{compliance}
[[body]]
name = "ground"
shape = {{ type = "plane" }}
[[body]]
name = "light"
shape = {{ type = "box", size = [0.2, 0.2, 0.2] }}
position = [0, 0, 0.1]
mass = 1
[[body]]
name = "heavy"
shape = {{ type = "box", size = [0.2, 0.2, 0.2] }}
position = [0, 0, 0.3]
mass = {mass}
"#
        )
    };
    // The second is solved in every step; in the first a double does not always hold what it takes.
    for mass in [1e12, 3e10] {
        std::fs::write(bench.path("a.toml"), scene(mass, "")).unwrap();
        let message = stderr(&ok(&bench, "run a.toml -o r --overwrite --picture none"));
        assert!(message.contains("% of the thinner one"), "{message}");
        assert!(message.contains("compliance is the cause"), "{message}");
        let overlap = &summary(&bench)["largest_overlap"];
        assert_eq!(overlap["notable"], true, "{overlap}");
        assert_eq!(overlap["by_compliance"], true, "{overlap}");
        assert!(overlap["share"].as_f64().unwrap() > 0.01, "{overlap}");
        let names = overlap["bodies"].to_string();
        assert!(names.contains("light"), "{names}");
    }
    let overlap = &summary(&bench)["largest_overlap"];
    // It outlives a resume.
    ok(&bench, "run --resume -o r --picture none");
    assert_eq!(*overlap, summary(&bench)["largest_overlap"]);
    // As much as a person weighs: nothing to warn of.
    std::fs::write(bench.path("b.toml"), scene(70.0, "")).unwrap();
    let output = ok(&bench, "run b.toml -o r --overwrite --picture none");
    assert_eq!(summary(&bench)["largest_overlap"]["notable"], false);
    assert!(
        !stderr(&output).contains("overlapped"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_share_of_an_overlap_is_that_of_its_own_pair() {
    let bench = Bench::new();
    let text = r#"
[settings]
duration = 0.01
time_step = 0.005
[[body]]
name = "a"
shape = { type = "box", size = [0.2, 0.2, 0.2] }
[[body]]
name = "b"
shape = { type = "box", size = [0.2, 0.2, 0.2] }
position = [0.1, 0, 0]
[[body]]
name = "sheet"
shape = { type = "box", size = [0.2, 0.2, 0.001] }
position = [0, 0, 5]
"#;
    std::fs::write(bench.path("a.toml"), text).unwrap();
    let output = ok(&bench, "run a.toml -o r --picture none");
    let found = summary(&bench);
    // Half of a box, and a hundred times the sheet, which touches nothing.
    let share = found["penetration_share"].as_f64().unwrap();
    assert!((share - 0.5).abs() < 1e-6, "{found}");
    assert_eq!(
        found["penetration_share"],
        found["largest_overlap"]["share"]
    );
    let words = "0.1000 m at most; 50.00 % of the thinner of two bodies at most";
    assert!(stdout(&output).contains(words), "{}", stdout(&output));
}

#[test]
fn a_number_of_steps_beyond_counting_is_short() {
    let bench = Bench::new();
    let text = "[settings]\nduration = 1e300\ntime_step = 0.005\n\
                [[body]]\nshape = { type = \"sphere\", radius = 1 }\n";
    std::fs::write(bench.path("a.toml"), text).unwrap();
    let said = stdout(&ok(&bench, "check a.toml"));
    assert!(said.contains("2e302 steps"), "{said}");
}

#[test]
fn gravity_beyond_all_bounds_is_not_called_perfect() {
    let bench = Bench::new();
    let text = r#"
[settings]
duration = 0.2
gravity = [0, 0, -1e300]
[[body]]
name = "ground"
shape = { type = "plane" }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
[[body]]
name = "second"
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.31]
"#;
    std::fs::write(bench.path("a.toml"), text).unwrap();
    let output = run(&bench, "run a.toml -o r --picture none");
    let (found, message) = (summary(&bench), stderr(&output));
    assert_eq!((status(&output), &found["ended"]), (3, &"broke".into()));
    let words = "is not a number up to 1e38 in size";
    assert!(message.contains(words), "{message}");
}

#[test]
fn a_run_of_subnormal_steps_has_its_plots() {
    let bench = Bench::new();
    let text = r#"
[settings]
duration = 1e-320
time_step = 5e-324
[[body]]
name = "ground"
shape = { type = "plane" }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
"#;
    std::fs::write(bench.path("a.toml"), text).unwrap();
    let output = run(&bench, "run a.toml -o r --picture none");
    // Such a step may be refused, but nothing panics.
    assert!(
        [0, 2, 3].contains(&status(&output)),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    if status(&output) == 0 {
        assert!(bench.path("r/plots.png").exists());
    }
}
