//! Cone problems out of a run, ready for the other commands.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{ok, write};
use crate::common::{Bench, csv, status, stderr, stdout};
use drystone_problems::read_problem;
use serde_json::Value;

/// The scene of the balls that keeps problems, with other keys of the settings.
fn write_keeping(bench: &Bench, problems: &str, settings: &str) {
    write(bench, "balls.toml", 0.4);
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    let text = text
        .replace(
            "[recording]\n",
            &format!("[recording]\nproblems = {problems}\n"),
        )
        .replace("[settings]\n", &format!("[settings]\n{settings}\n"));
    std::fs::write(bench.path("balls.toml"), text).unwrap();
}

fn bytes(bench: &Bench, run: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{run}/problems");
    let read = |name: String| {
        let bytes = std::fs::read(bench.path(&folder).join(&name)).unwrap();
        (name, bytes)
    };
    bench.files(&folder).into_iter().map(read).collect()
}

fn summary(bench: &Bench, run: &str) -> Value {
    let text = std::fs::read_to_string(bench.path(run).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_so_many_steps_and_again_after_a_resume() {
    let bench = Bench::new();
    write_keeping(&bench, "{ every = 40 }", "");
    let output = ok(&bench, "run balls.toml -o whole --picture none");
    assert!(
        stdout(&output).contains("files in problems"),
        "{}",
        stdout(&output)
    );
    let files = bytes(&bench, "whole");
    // Before the balls touch anything there is no problem to keep.
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.contains(&"step-000000200.ccp") && names.len() >= 3,
        "{names:?}"
    );
    assert_eq!(summary(&bench, "whole")["problems"], names.len());
    // The problem is that of its step: as many contacts, and it is solved by the commands.
    let log = csv(&bench.path("whole/log.csv"));
    let file = read_problem(bench.path("whole/problems/step-000000200.ccp")).unwrap();
    assert_eq!(file.problem.contacts().to_string(), log[200][3]);
    assert!(
        file.title.contains("A dozen balls, step 200"),
        "{}",
        file.title
    );
    assert_eq!(file.guess.unwrap().len(), file.problem.dim());
    ok(&bench, "solve whole/problems/step-000000200.ccp --quiet");
    ok(
        &bench,
        "compare whole/problems/step-000000160.ccp whole/problems/step-000000200.ccp \
         --methods apgd,nesterov-gs --quiet -o report",
    );
    // Stopped between two, once just after one was written.
    ok(&bench, "run balls.toml -o r --picture none --steps 90");
    ok(&bench, "run --resume -o r --picture none --steps 160");
    // What a killed run wrote after its checkpoint goes.
    let later = bench.path("r/problems/step-000000999.ccp");
    std::fs::copy(bench.path("r/problems/step-000000160.ccp"), &later).unwrap();
    ok(&bench, "run --resume -o r --picture none");
    assert!(bytes(&bench, "r") == files);
    // Another run in the folder takes none of them over.
    write(&bench, "plain.toml", 0.02);
    ok(&bench, "run plain.toml -o r --overwrite --picture none");
    assert!(!bench.path("r/problems").exists());
}

#[test]
fn those_that_do_not_converge_up_to_a_bound() {
    let bench = Bench::new();
    // No step gets there in one iteration.
    let settings = "max_iterations = 1\nmethod = \"jacobi\"\ntolerance = 1e-10";
    write_keeping(&bench, "{ when = \"unconverged\", most = 3 }", settings);
    let message = stderr(&ok(
        &bench,
        "run balls.toml -o r --picture none --steps 150",
    ));
    assert!(
        message.contains("3 problems are written, the most"),
        "{message}"
    );
    let summary = summary(&bench, "r");
    let missed = summary["unconverged_steps"].as_u64().unwrap();
    assert_eq!(bench.files("r/problems").len(), 3);
    assert_eq!(summary["problems"], 3);
    assert_eq!(summary["problems_left_out"], missed - 3);
    // The first three that missed.
    let log = csv(&bench.path("r/log.csv"));
    let steps: Vec<String> = log[1..]
        .iter()
        .filter(|row| row[7] != "converged")
        .map(|row| format!("step-{:09}.ccp", row[0].parse::<u64>().unwrap()))
        .take(3)
        .collect();
    assert_eq!(bench.files("r/problems"), steps);
    // A run that is resumed in between stops at the same bound.
    let line = "run balls.toml -o s --picture none --steps";
    let second: u64 = log[1..]
        .iter()
        .position(|row| row[7] != "converged")
        .unwrap() as u64
        + 2;
    ok(&bench, &format!("{line} {second}"));
    ok(&bench, "run --resume -o s --picture none --steps 150");
    assert!(bytes(&bench, "r") == bytes(&bench, "s"));
}

#[test]
fn fclib_files_and_what_has_no_place_in_them() {
    let bench = Bench::new();
    write_keeping(&bench, "{ every = 100, format = \"fclib\" }", "");
    ok(&bench, "run balls.toml -o r --picture none");
    assert_eq!(
        bench.files("r/problems"),
        ["step-000000100.hdf5", "step-000000200.hdf5"]
    );
    ok(&bench, "solve r/problems/step-000000200.hdf5 --quiet");
    // Cohesion moves the cone, which FCLIB cannot say.
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    let glue = "\n[[material]]\nname = \"default\"\ncohesion = \"0.1 N\"\n";
    std::fs::write(bench.path("glue.toml"), text + glue).unwrap();
    let message = stderr(&ok(
        &bench,
        "run glue.toml -o glue --picture none --until 0.25",
    ));
    assert!(
        message.contains("the problem of step 100 is left out"),
        "{message}"
    );
    assert_eq!(summary(&bench, "glue")["problems_left_out"], 1);
}

#[test]
fn mistakes_are_told_at_their_key() {
    let bench = Bench::new();
    for (keys, words) in [
        ("{ }", "`every` is missing"),
        ("{ every = 0 }", "0 is not at least 1"),
        ("{ when = \"slow\" }", "unconverged"),
        ("{ every = 5, format = \"hdf5\" }", "ccp, fclib"),
        ("{ evry = 5 }", "did you mean `every`?"),
    ] {
        write_keeping(&bench, keys, "");
        let output = bench.run(&["check", "balls.toml"]);
        let message = stderr(&output);
        assert_eq!(status(&output), 2, "{keys}: {message}");
        assert!(
            message.contains(words) && message.contains("recording.problems"),
            "{message}"
        );
    }
}
