//! `drystone run` from outside: what is in the folder, limits, overrides, folders, mistakes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{assert_same, ok, start, steps, write};
use crate::common::{Bench, csv, status, stderr, stdout};
use drystone_run::recording::{Recording, Tail};
use serde_json::Value;

fn summary(bench: &Bench, run: &str) -> Value {
    let text = std::fs::read_to_string(bench.path(run).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_run_leaves_a_complete_folder() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let output = ok(&bench, "run balls.toml --threads 1 --picture 160x100");
    assert_eq!(
        bench.files("out/balls"),
        [
            "checkpoint.dry",
            "checkpoint.prev.dry",
            "forces.csv",
            "frames.dry",
            "log.csv",
            "picture.png",
            "plots.png",
            "plots.svg",
            "run.lock",
            "scene.toml",
            "source.json",
            "summary.json",
        ]
    );
    let table = stdout(&output);
    for word in [
        "A dozen balls",
        "50 steps",
        "unconverged  0 of 50",
        "exact law in",
        "out/balls",
    ] {
        assert!(table.contains(word), "{word} in {table}");
    }
    let log = csv(&bench.path("out/balls/log.csv"));
    assert_eq!(log.len(), 51);
    assert_eq!((log[1][0].as_str(), log[50][0].as_str()), ("1", "50"));
    // The forces add up to the weight once the balls lie: here only that there is one row per step.
    assert_eq!(csv(&bench.path("out/balls/forces.csv")).len(), 51);
    let recording = Recording::open(bench.path("out/balls/frames.dry")).unwrap();
    assert_eq!((recording.len(), recording.tail()), (11, &Tail::Whole));
    assert_eq!(recording.header().title, "A dozen balls");
    assert_eq!(recording.header().bodies.len(), 17);
    let times: Vec<f64> = (0..11).map(|k| recording.time(k)).collect();
    for (k, time) in times.iter().enumerate() {
        assert!((time - 0.01 * k as f64).abs() < 1e-9, "{times:?}");
    }
    let summary = summary(&bench, "out/balls");
    assert_eq!(summary["ended"], "finished");
    assert_eq!(summary["steps"], 50);
    assert_eq!(summary["frames"], 11);
    assert_eq!(summary["dynamic_bodies"], 12);
    assert_eq!(summary["unconverged_steps"], 0);
    for name in [
        "worst_residual",
        "mean_contacts",
        "deepest_penetration",
        "penetration_share",
        "kinetic_energy",
        "seconds",
    ] {
        assert!(summary[name].is_number(), "{name}");
    }
    let picture = std::fs::read(bench.path("out/balls/picture.png")).unwrap();
    let picture = tiny_skia::Pixmap::decode_png(&picture).unwrap();
    assert_eq!((picture.width(), picture.height()), (160, 100));
}

#[test]
fn overrides_are_in_the_scene_as_run_and_json_is_the_summary() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let line =
        "run balls.toml --set count=5 --set settings.duration=0.02 -o r --json --picture none";
    let output = ok(&bench, line);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json, summary(&bench, "r"));
    assert_eq!(
        (&json["dynamic_bodies"], &json["steps"]),
        (&5.into(), &10.into())
    );
    let scene = std::fs::read_to_string(bench.path("r/scene.toml")).unwrap();
    assert!(scene.contains("count = 5\n"), "{scene}");
    // Run as it stands there, the scene gives the same.
    ok(&bench, "run r/scene.toml -o again --picture none");
    assert_same(&bench, "r", "again");
}

#[test]
fn limits_end_a_run_where_they_say_and_more_steps_follow_on() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.06);
    ok(&bench, "run balls.toml -o whole --picture none");
    ok(&bench, "run balls.toml -o r --steps 7 --picture none");
    assert_eq!(summary(&bench, "r")["steps"], 7);
    assert_eq!(summary(&bench, "r")["ended"], "limit");
    // The last moment has a frame although none was due.
    let last = |run: &str| {
        let recording = Recording::open(bench.path(run).join("frames.dry")).unwrap();
        recording.step(recording.len() - 1)
    };
    assert_eq!(last("r"), 7);
    ok(&bench, "run --resume -o r --until 0.03 --picture none");
    assert_eq!(summary(&bench, "r")["steps"], 15);
    ok(&bench, "run --resume -o r --picture none");
    assert_eq!(summary(&bench, "r")["ended"], "finished");
    assert_same(&bench, "whole", "r");
    // There is nothing left to do, and nothing changes.
    ok(&bench, "run --resume -o r --picture none");
    assert_same(&bench, "whole", "r");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    ok(
        &bench,
        "run balls.toml --set count=60 -o one --threads 1 --picture none",
    );
    ok(
        &bench,
        "run balls.toml --set count=60 -o two --threads 2 --picture none",
    );
    assert_same(&bench, "one", "two");
    assert!(steps(&bench.path("one/log.csv")).len() == 51);
}

#[test]
fn folders_that_are_taken_are_left_alone() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.004);
    ok(&bench, "run balls.toml --picture none");
    let second = ok(&bench, "run balls.toml --picture none");
    assert!(
        stderr(&second).contains("out/balls-2"),
        "{}",
        stderr(&second)
    );
    // Without its summary a run counts as unfinished.
    std::fs::remove_file(bench.path("out/balls-2/summary.json")).unwrap();
    let third = ok(&bench, "run balls.toml --picture none");
    let note = stderr(&third);
    assert!(note.contains("--resume -o out/balls-2"), "{note}");
    assert!(bench.path("out/balls-3/summary.json").is_file());

    let given = bench.run(&["run", "balls.toml", "-o", "out/balls"]);
    assert_eq!(status(&given), 2);
    assert!(stderr(&given).contains("--overwrite"), "{}", stderr(&given));
    ok(
        &bench,
        "run balls.toml -o out/balls --overwrite --steps 1 --picture none",
    );
    assert_eq!(summary(&bench, "out/balls")["steps"], 1);
    // Nor is a run resumed with another scene.
    let other = bench.run(&[
        "run",
        "balls.toml",
        "--set",
        "count=3",
        "--resume",
        "-o",
        "out/balls",
    ]);
    assert_eq!(status(&other), 2);
    assert!(
        stderr(&other).contains("another scene"),
        "{}",
        stderr(&other)
    );
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 1e4);
    let mut child = start(&bench, "run balls.toml -o r --picture none");
    while !bench.path("r/checkpoint.dry").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = bench.run(&["run", "--resume", "-o", "r"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status(&second), 2);
    assert!(
        stderr(&second).contains("another run writes here"),
        "{}",
        stderr(&second)
    );
}

#[test]
fn a_mistake_in_a_scene_is_shown_in_its_line() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    std::fs::write(
        bench.path("bad.toml"),
        text.replace("time_step", "timestep"),
    )
    .unwrap();
    for command in ["run", "check"] {
        let output = bench.run(&[command, "bad.toml"]);
        assert_eq!(status(&output), 2);
        let message = stderr(&output);
        for word in [
            "bad.toml:10:1",
            "timestep",
            "time_step",
            "10 | ",
            "^^^^^^^^",
        ] {
            assert!(message.contains(word), "{word} in {message}");
        }
    }
    assert!(!bench.path("out").exists());
    for (scene, word) in [("pilr", "pile"), ("none.toml", "none.toml")] {
        let output = bench.run(&["run", scene]);
        assert_eq!(status(&output), 2);
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}

#[test]
fn a_step_that_cannot_be_made_ends_the_run_and_keeps_the_state_before() {
    let bench = Bench::new();
    // 1e308 N on a gram: the velocity is more than any number.
    let text = r#"
[settings]
duration = 1
time_step = "2 ms"
gravity = [0, 0, 0]

[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
mass = "1 g"
load = { force = [1e308, 0, 0] }
position = [0, 0, 1]
"#;
    std::fs::write(bench.path("far.toml"), text).unwrap();
    let output = bench.run(&["run", "far.toml", "-o", "r", "--picture", "64x48"]);
    let message = stderr(&output);
    assert_eq!(status(&output), 3, "{message}");
    assert!(
        message.contains("body ball: velocity inf is not a number up to 1e38"),
        "{message}"
    );
    let summary = summary(&bench, "r");
    assert_eq!(summary["ended"], "broke");
    assert!(summary["error"].as_str().unwrap().contains("ball"));
    // What there was before is there.
    assert!(
        !Recording::open(bench.path("r/frames.dry"))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_folder_that_takes_no_files_is_told() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    std::fs::write(bench.path("file"), "in the way").unwrap();
    let output = bench.run(&["run", "balls.toml", "-o", "file/r"]);
    assert_eq!(status(&output), 4);
    assert!(stderr(&output).contains("file/r"), "{}", stderr(&output));
}

#[test]
fn steps_that_do_not_converge_are_counted_and_warned_of() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.2);
    let line = "run balls.toml --set settings.max_iterations=1 --set settings.tolerance=1e-12 -o r --picture none";
    let output = ok(&bench, line);
    let count = summary(&bench, "r")["unconverged_steps"].as_u64().unwrap();
    assert!(count > 0);
    let message = stderr(&output);
    assert!(
        message.contains(&format!("warning: {count} of 100 steps")),
        "{message}"
    );
    assert!(stdout(&output).contains(&format!("unconverged  {count} of 100")));
}
