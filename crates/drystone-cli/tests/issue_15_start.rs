//! Scenes that start from the state of another run.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{ok, write, write_with_joint};
use crate::common::{self, Bench, csv, status, stderr, stdout};
use drystone_run::recording::{Frame, Recording};
use serde_json::Value;

/// Balls that have settled for 1.2 s, in `settled`.
fn settled() -> Bench {
    let bench = Bench::new();
    write(&bench, "balls.toml", 1.2);
    ok(&bench, "run balls.toml -o settled --picture none");
    bench
}

/// The scene of the balls with its text changed, in a file of its own.
fn write_changed(bench: &Bench, name: &str, change: impl Fn(String) -> String) {
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    std::fs::write(bench.path(name), change(text)).unwrap();
}

fn frame(bench: &Bench, run: &str, from_end: bool) -> Frame {
    let recording = Recording::open(bench.path(run).join("frames.dry")).unwrap();
    let index = if from_end { recording.len() - 1 } else { 0 };
    recording.frame(index).unwrap()
}

/// The largest figure of a column of the log.
fn most(bench: &Bench, run: &str, column: &str) -> f64 {
    let log = csv(&bench.path(run).join("log.csv"));
    let at = log[0].iter().position(|name| name == column).unwrap();
    let figures = log[1..].iter().map(|row| row[at].parse::<f64>().unwrap());
    figures.fold(0.0, f64::max)
}

/// A message without the way it is broken into lines.
fn refused(bench: &Bench, line: &str) -> String {
    let output = bench.run(&line.split(' ').collect::<Vec<_>>());
    let message = stderr(&output);
    assert_eq!(status(&output), 2, "{line}: {message}");
    message
}

#[test]
fn a_settled_pile_starts_settled() {
    // Without rolling friction a ball may roll on for ever, here at 4.4 mm/s: no rest to start from.
    let bench = Bench::new();
    write(&bench, "balls.toml", 1.2);
    write_changed(&bench, "rough.toml", |text| {
        let rough = "material = \"rough\"";
        let material = "[[material]]\nname = \"rough\"\nrolling_friction = \"1 mm\"\n";
        text.replace("name = \"box\"", &format!("name = \"box\"\n{rough}"))
            .replace("name = \"balls\"", &format!("name = \"balls\"\n{rough}"))
            .replace("[[container]]", &format!("{material}\n[[container]]"))
    });
    ok(&bench, "run rough.toml -o settled --picture none");
    let resting = {
        let log = csv(&bench.path("settled/log.csv"));
        let at = log[0].iter().position(|name| name == "fastest").unwrap();
        log[log.len() - 1][at].parse::<f64>().unwrap()
    };
    // Gravity adds 0.02 m/s in a step.
    assert!(resting < 2e-3, "{resting}");
    let output = ok(
        &bench,
        "run rough.toml --from settled -o again --picture none --until 0.1",
    );
    let words = stderr(&output);
    assert!(
        words.contains("starts from") && words.contains("t = 1.2 s (checkpoint of step 600)"),
        "{words}"
    );
    assert!(
        words.contains("17 bodies matched (5 box, 12 balls); no bodies added; no bodies dropped"),
        "{words}"
    );
    assert_eq!(
        frame(&bench, "again", false).bodies,
        frame(&bench, "settled", true).bodies
    );
    assert_eq!(frame(&bench, "again", false).time, 0.0);
    let fastest = most(&bench, "again", "fastest");
    assert!(fastest < resting + 2e-3, "{fastest} after {resting}");
    // With the impulses of the run, the first step is hardly a solve.
    let iterations = |run: &str, row: usize| csv(&bench.path(run).join("log.csv"))[row][9].clone();
    let first: f64 = iterations("again", 1).parse().unwrap();
    let last: f64 = iterations("settled", 600).parse().unwrap();
    assert!(first <= 2.0 * last + 10.0, "{first} after {last}");
}

/// Nothing in the scene depends on the time, so the run goes on as if it had not been left.
#[test]
fn the_state_of_a_checkpoint_is_taken_to_the_bit() {
    let bench = settled();
    ok(
        &bench,
        "run balls.toml --from settled -o b --picture none --steps 40",
    );
    ok(&bench, "run --resume -o settled --picture none --steps 640");
    let [a, b] = ["settled", "b"].map(|run| frame(&bench, run, true));
    assert_eq!((a.step, b.step), (640, 40));
    assert_eq!(a.bodies, b.bodies);
    assert_eq!(a.contacts, b.contacts);
}

#[test]
fn a_lid_is_added_and_other_friction_acts() {
    let bench = settled();
    let lid = r#"
[start]
from = "settled"

[[body]]
name = "lid"
shape = { type = "box", size = ["15 cm", "15 cm", "1 cm"] }
mass = "2 kg"
position = [0, 0, "15 cm"]
"#;
    write_changed(&bench, "lid.toml", |text| text + lid);
    let output = ok(&bench, "run lid.toml -o lid --picture none --until 0.6");
    let words = stderr(&output);
    assert!(words.contains("1 body added (lid)"), "{words}");
    let last = frame(&bench, "lid", true);
    // The lid fell onto the balls, which lie in one layer or two.
    let height = last.bodies[5].position.z;
    assert!(height > 0.04 && height < 0.12, "{height}");
    // The scene is kept as it was run, and its start too.
    let files = bench.files("lid");
    assert!(files.contains(&"start.dry".to_owned()), "{files:?}");

    // Without friction a heap that friction held spreads; here the balls at rest stay settled.
    write_changed(&bench, "slippery.toml", |text| {
        text + "\n[start]\nfrom = \"settled\"\n\n[[material]]\nname = \"default\"\nfriction = 0.01\n"
    });
    ok(
        &bench,
        "run slippery.toml -o slippery --picture none --until 0.4",
    );
    let recording = Recording::open(bench.path("slippery/frames.dry")).unwrap();
    let header = recording.header();
    let material = usize::from(header.bodies[6].material);
    assert_eq!(header.materials[material].friction, 0.01);
    assert_eq!(
        frame(&bench, "slippery", false).bodies,
        frame(&bench, "settled", true).bodies
    );
    assert!(most(&bench, "slippery", "fastest") < 1.0);
}

/// A lid that stands where grains were poured: they are taken from the run, not placed anew.
#[test]
fn grains_come_from_the_run_whatever_stands_in_the_way_of_their_fill() {
    let bench = settled();
    write_changed(&bench, "press.toml", |text| {
        text.replace("count = \"count\"", "count = 12\nseed = 99")
            + "\n[start]\nfrom = \"settled\"\n[[body]]\nname = \"lid\"\nkind = \"fixed\"\n\
               shape = { type = \"box\", size = [\"15 cm\", \"15 cm\", \"5 cm\"] }\n\
               position = [0, 0, \"14 cm\"]\n"
    });
    ok(
        &bench,
        "run press.toml -o press --picture none --until 0.02",
    );
    let [a, b] = [("press", false), ("settled", true)].map(|(run, end)| frame(&bench, run, end));
    assert_eq!(a.bodies[6..], b.bodies[5..]);
}

#[test]
fn groups_are_dropped_and_others_added() {
    let bench = settled();
    write_changed(&bench, "other.toml", |text| {
        text.replace("name = \"balls\"", "name = \"marbles\"")
            .replace("by = \"balls\"", "by = \"marbles\"")
            + "\n[start]\nfrom = \"settled\"\n"
    });
    let words = stderr(&ok(
        &bench,
        "run other.toml -o other --picture none --until 0.02",
    ));
    assert!(
        words.contains("5 bodies matched (5 box)")
            && words.contains("12 bodies added (12 marbles)")
            && words.contains("12 bodies dropped (12 balls)"),
        "{words}"
    );
    // By name, although the scene has bodies of that name: they begin as the scene says.
    write_changed(&bench, "anew.toml", |text| {
        text + "\n[start]\nfrom = \"settled\"\ndrop = [\"balls\"]\n"
    });
    let words = stderr(&ok(
        &bench,
        "run anew.toml -o anew --picture none --until 0.02",
    ));
    assert!(words.contains("12 bodies dropped (12 balls)"), "{words}");
    let highest = |run: &str, end| {
        let frame = frame(&bench, run, end);
        let heights = frame.bodies[5..].iter().map(|b| b.position.z);
        heights.fold(0.0, f64::max)
    };
    assert!(highest("anew", false) > highest("settled", true));
}

#[test]
fn a_time_and_a_phase_of_a_run() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 1.0);
    write_changed(&bench, "phased.toml", |text| {
        text + "\n[[phase]]\nname = \"fall\"\nuntil = { time = 0.103 }\n\
                [[phase]]\nname = \"rest\"\n"
    });
    ok(&bench, "run phased.toml -o run --picture none --until 0.3");
    assert!(bench.files("run").contains(&"phase-1.dry".to_owned()));
    let start = |name: &str, keys: &str| {
        write_changed(&bench, name, |text| {
            format!("{text}\n[start]\nfrom = \"run\"\n{keys}\n")
        });
    };
    start("time.toml", "time = \"152 ms\"");
    let words = stderr(&ok(
        &bench,
        "run time.toml -o time --picture none --steps 1",
    ));
    assert!(words.contains("t = 0.15 s (frame 15 of"), "{words}");
    let recording = Recording::open(bench.path("run/frames.dry")).unwrap();
    let [a, b] = [recording.frame(15).unwrap(), frame(&bench, "time", false)];
    assert_eq!(a.bodies, b.bodies);

    // The end of the phase lies between two frames.
    start("phase.toml", "phase = \"fall\"");
    let words = stderr(&ok(
        &bench,
        "run phase.toml -o phase --picture none --steps 1",
    ));
    assert!(
        words.contains("t = 0.102 s (checkpoint of step 51), the end of phase `fall`"),
        "{words}"
    );

    start("none.toml", "phase = \"settle\"");
    let message = refused(&bench, "run none.toml -o none");
    assert!(
        message.contains("none.toml:") && message.contains("start.from"),
        "{message}"
    );
    assert!(
        message.contains("no phase `settle`; its phases are: fall, rest"),
        "{message}"
    );
    start("open.toml", "phase = \"rest\"");
    let message = refused(&bench, "run open.toml -o open");
    assert!(
        message.contains("phase `rest` of the run has not ended"),
        "{message}"
    );
    start("late.toml", "time = 5");
    let message = refused(&bench, "run late.toml -o late");
    assert!(
        message.contains("no state at t = 5 s: its frames go from 0 to 0.3 s"),
        "{message}"
    );
    start("both.toml", "time = 0.1\nphase = \"fall\"");
    let message = refused(&bench, "check both.toml");
    assert!(message.contains("both `time` and `phase`"), "{message}");
}

#[test]
fn a_run_that_started_from_another_goes_on_without_it() {
    let bench = settled();
    let line = "run balls.toml --from settled --picture none --until 0.1";
    ok(&bench, &format!("{line} -o whole"));
    ok(
        &bench,
        "run balls.toml --from settled -o part --picture none --steps 20",
    );
    std::fs::remove_dir_all(bench.path("settled")).unwrap();
    ok(&bench, "run --resume -o part --picture none --until 0.1");
    common::scenes::assert_same(&bench, "whole", "part");
}

#[test]
fn what_does_not_go_together_is_refused_with_its_line() {
    let bench = settled();
    let with = |name: &str, change: &dyn Fn(String) -> String| {
        write_changed(&bench, name, |text| {
            change(text) + "\n[start]\nfrom = \"settled\"\n"
        });
        refused(&bench, &format!("run {name} -o refused"))
    };
    let message = with("radius.toml", &|text| {
        text.replace("radius = \"2 cm\"", "radius = \"1 cm\"")
    });
    assert!(
        message.contains("radius.toml:")
            && message.contains("fill.balls")
            && message.contains("a sphere of radius 0.02 m in the run")
            && message.contains("a sphere of radius 0.01 m"),
        "{message}"
    );
    let message = with("count.toml", &|text| {
        text.replace("count = 12", "count = 20")
    });
    assert!(
        message.contains("the run has 12 bodies `balls`, the fill a count of 20"),
        "{message}"
    );
    let message = with("size.toml", &|text| {
        text.replace("\"20 cm\"]", "\"30 cm\"]")
    });
    assert!(
        message.contains("cannot start from the run: it is a box of")
            && message.contains("in the scene"),
        "{message}"
    );
    let message = with("inside.toml", &|text| {
        text + "\n[[body]]\nname = \"lid\"\nshape = { type = \"box\", size = [0.1, 0.1, 0.1] }\n\
                position = [0, 0, \"6 cm\"]\n"
    });
    assert!(
        message.contains("body.lid")
            && message.contains("`lid` is added where `balls[")
            && message.contains("of the run is: they overlap by"),
        "{message}"
    );
    // Nothing of a run that cannot begin is left but the folder and its lock.
    assert_eq!(bench.files("refused"), ["run.lock"]);
}

#[test]
fn a_place_without_a_run_is_refused() {
    let bench = settled();
    std::fs::create_dir(bench.path("empty")).unwrap();
    let message = refused(&bench, "run balls.toml --from empty -o r");
    assert!(
        message.contains("empty: holds no run: neither checkpoint.dry nor frames.dry is there"),
        "{message}"
    );
    let message = refused(&bench, "run balls.toml --from nowhere -o r");
    assert!(message.contains("nowhere: no run is there"), "{message}");
    write_changed(&bench, "away.toml", |text| {
        text + "\n[start]\nfrom = \"../settled\"\n"
    });
    let message = refused(&bench, "check away.toml");
    assert!(
        message.contains("leads out of the scene's folder"),
        "{message}"
    );
    write_changed(&bench, "drop.toml", |text| {
        text + "\n[start]\nfrom = \"settled\"\ndrop = [\"lid\"]\n"
    });
    let message = refused(&bench, "check drop.toml");
    assert!(
        message.contains("no body `lid` to drop; it has: balls, box"),
        "{message}"
    );
}

#[test]
fn joints_keep_their_state_or_are_refused() {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 1.0);
    ok(
        &bench,
        "run balls.toml -o settled --picture none --until 0.25",
    );
    let start = "\n[start]\nfrom = \"settled\"\n";
    write_changed(&bench, "on.toml", |text| {
        text.replace("sin(5*t)", "sin(5*(t+0.25))") + start
    });
    let words = stderr(&ok(&bench, "run on.toml -o on --picture none --until 0.05"));
    assert!(words.contains("1 of 1 joints keep their state"), "{words}");
    // The pendulum swings on: the angles of both runs are one curve.
    ok(&bench, "run --resume -o settled --picture none --until 0.3");
    let angles = |run: &str| -> Vec<f64> {
        let rows = csv(&bench.path(run).join("joints.csv"));
        rows[1..]
            .iter()
            .map(|row| row[3].parse().unwrap())
            .collect()
    };
    let (a, b) = (angles("settled"), angles("on"));
    for (a, b) in a[125..].iter().zip(&b) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    // A line from the ball's first place does not fit where it is now.
    write_changed(&bench, "weld.toml", |text| {
        text.replace("type = \"revolute\"", "type = \"fixed\"")
            .replace("axis = [0, 1, 0]\n", "")
            .replace(
                "motor = { type = \"torque\", value = \"0.01 N*1 m*sin(5*t)\" }\n",
                "",
            )
            + start
    });
    let message = refused(&bench, "run weld.toml -o weld");
    assert!(
        message.contains("joint.pivot") && message.contains("does not fit the bodies"),
        "{message}"
    );
}

#[test]
fn check_tells_what_a_scene_takes_from_a_run() {
    let bench = settled();
    let output = ok(&bench, "check balls.toml --from settled");
    assert!(
        stdout(&output).contains("17 bodies matched"),
        "{}",
        stdout(&output)
    );
    let json = ok(&bench, "check balls.toml --from settled --json");
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(json["start"]["matched"]["balls"], 12);
    assert_eq!(
        json["overlapping_pairs"].as_u64().map(|n| n < 40),
        Some(true)
    );
    // A wall that the scene has elsewhere is told of.
    write_changed(&bench, "moved.toml", |text| {
        text.replace(
            "name = \"box\"",
            "name = \"box\"\nposition = [0, 0, \"1 cm\"]",
        ) + "\n[start]\nfrom = \"settled\"\n"
    });
    let words = stderr(&ok(&bench, "check moved.toml"));
    assert!(words.contains("stands elsewhere in the scene"), "{words}");
}
