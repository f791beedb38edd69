//! `drystone sweep` from outside: runs, seeds, going on, mistakes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{ok, run, write};
use crate::common::{Bench, csv, status, stderr};

const SWEEP: &str = "sweep balls.toml --set radius=0.01,0.015 --repeats 2 -q -o out";

#[test]
fn a_sweep_runs_every_combination_with_a_seed_of_its_own() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    ok(&bench, SWEEP);
    let table = csv(&bench.path("out/results.csv"));
    assert_eq!(table.len(), 5);
    assert_eq!(
        table[0][..6],
        ["run", "radius", "repeat", "seed", "folder", "ended"]
    );
    assert_eq!(
        table[3][..6],
        ["3", "0.015", "1", "3", "run-0003", "finished"]
    );
    let scene = std::fs::read_to_string(bench.path("out/run-0003/scene.toml")).unwrap();
    assert!(
        scene.contains("radius = 0.015") && scene.contains("seed = 3"),
        "{scene}"
    );
    // The same run by hand has the same bits.
    let by_hand = "run balls.toml --set radius=0.015 --set fill[0].seed=3 -o hand --picture none";
    ok(&bench, by_hand);
    let frames = |run: &str| std::fs::read(bench.path(run).join("frames.dry")).unwrap();
    assert_eq!(frames("out/run-0003"), frames("hand"));
    assert_ne!(frames("out/run-0003"), frames("out/run-0004"));
}

#[test]
fn a_sweep_goes_on_where_it_was() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    ok(&bench, &format!("{SWEEP} --workers 1"));
    let frames = |run: &str| std::fs::read(bench.path(run).join("frames.dry")).unwrap();
    let (first, last) = (frames("out/run-0001"), frames("out/run-0004"));
    let changed = |run: &str| {
        bench
            .path(run)
            .join("frames.dry")
            .metadata()
            .unwrap()
            .modified()
    };
    let before = changed("out/run-0001").unwrap();
    std::fs::remove_dir_all(bench.path("out/run-0004")).unwrap();
    std::fs::remove_file(bench.path("out/run-0002/summary.json")).unwrap();
    ok(&bench, &format!("{SWEEP} --workers 2"));
    assert_eq!(changed("out/run-0001").unwrap(), before);
    assert_eq!(
        (frames("out/run-0001"), frames("out/run-0004")),
        (first, last)
    );
    assert!(bench.path("out/run-0002/summary.json").exists());
}

#[test]
fn mistakes_are_told_before_any_run() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    let refused = |command: &str, words: &str| {
        let output = run(&bench, command);
        assert_eq!(status(&output), 2, "{output:?}");
        let told = stderr(&output);
        assert!(told.contains(words), "{words} in {told}");
    };
    refused(
        "sweep balls.toml --set radius=0.01,-1 -o bad",
        "run 2 (radius=-1)",
    );
    refused(
        "sweep balls.toml --set radios=0.01 -o bad",
        "did you mean `radius`?",
    );
    refused(
        "sweep balls.toml --set radius= -o bad",
        "none of them empty",
    );
    refused(
        "sweep stack --set ratio=10 --repeats 3 -o bad",
        "nothing random",
    );
    assert!(!bench.path("bad").exists());
    ok(&bench, SWEEP);
    refused(
        "sweep balls.toml --set radius=0.01 -q -o out",
        "holds another sweep",
    );
}
