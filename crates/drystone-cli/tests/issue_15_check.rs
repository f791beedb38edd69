//! `drystone check` on scenes that can be run but are hardly meant, and on those that cannot.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{ok, write};
use crate::common::{Bench, status, stderr, stdout};
use drystone_scene::builtin_scenes;
use serde_json::Value;

/// A tetrahedron of the given size, as a file knows it: without a unit.
fn write_mesh(bench: &Bench, size: f64) {
    let text = format!(
        "v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    );
    std::fs::write(bench.path("bin.obj"), text).unwrap();
}

fn write_scene(bench: &Bench, text: &str) {
    std::fs::write(bench.path("scene.toml"), text).unwrap();
}

/// Standard output and standard error of a check that succeeds.
fn checked(bench: &Bench, line: &str) -> [String; 2] {
    let output = ok(bench, line);
    [stdout(&output), stderr(&output)]
}

const BIN: &str = r#"
[settings]
duration = 1
time_step = "1 ms"
[[body]]
name = "bin"
kind = "fixed"
shape = { type = "mesh", file = "bin.obj" }
[[body]]
name = "gate"
kind = "prescribed"
shape = { type = "box", size = ["2 cm", "1 cm", "5 mm"] }
position = [0, 0, -1]
[[body]]
name = "grain"
shape = { type = "sphere", radius = "3 mm" }
position = [0, 0, "-4 mm"]
"#;

#[test]
fn the_extents_of_what_stands_are_told_and_a_forgotten_scale_is_warned_of() {
    let bench = Bench::new();
    write_mesh(&bench, 120.0);
    write_scene(&bench, BIN);
    let [table, warnings] = checked(&bench, "check scene.toml");
    assert!(
        table
            .contains("standing   bin 120.0 x 120.0 x 120.0 m, gate 0.02000 x 0.01000 x 5.00e-3 m"),
        "{table}"
    );
    // A prescribed body is one, whether it has a motion or not.
    assert!(
        table.contains("1 dynamic, 1 fixed, 1 prescribed"),
        "{table}"
    );
    assert!(
        warnings.contains("`bin` is 120.0 m large") && warnings.contains("is a `scale` missing?"),
        "{warnings}"
    );
    // In its right size nothing is remarked on.
    write_mesh(&bench, 0.12);
    let [table, warnings] = checked(&bench, "check scene.toml");
    assert!(table.contains("bin 0.1200 x 0.1200 x 0.1200 m"), "{table}");
    assert!(!warnings.contains("scale"), "{warnings}");
    write_mesh(&bench, 1e-6);
    let [_, warnings] = checked(&bench, "check scene.toml");
    assert!(
        warnings.contains("`bin` is only 1.00e-6 m large"),
        "{warnings}"
    );
}

#[test]
fn a_time_step_that_no_grain_survives_is_warned_of() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 1.0);
    let [_, warnings] = checked(&bench, "check balls.toml");
    assert!(!warnings.contains("time step"), "{warnings}");
    let [_, warnings] = checked(&bench, "check balls.toml --set settings.time_step=0.1");
    assert!(
        warnings.contains("the time step of 0.1000 s is too long")
            && warnings.contains("after a fall of")
            && warnings.contains("Expected at most"),
        "{warnings}"
    );
    // A bullet is too fast by itself.
    let [_, warnings] = checked(
        &bench,
        "check balls.toml --set fill.balls.velocity=[100,0,0]",
    );
    assert!(warnings.contains("at 100.0 m/s `balls"), "{warnings}");
}

#[test]
fn empty_scenes_unused_parameters_and_gaps_are_warned_of() {
    let bench = Bench::new();
    write_scene(
        &bench,
        "[settings]\nduration = 1\n[parameters]\nwidth = 3\n",
    );
    let [_, warnings] = checked(&bench, "check scene.toml");
    assert!(warnings.contains("the scene has no bodies"), "{warnings}");
    assert!(
        warnings.contains("line 4: the parameter `width` is used nowhere"),
        "{warnings}"
    );
    write_scene(
        &bench,
        "[settings]\nduration = 1\n[[body]]\nname = \"ground\"\nshape = { type = \"plane\" }\n",
    );
    let [_, warnings] = checked(&bench, "check scene.toml");
    assert!(
        warnings.contains("no body is moved by forces"),
        "{warnings}"
    );
    let wall = r#"
[settings]
duration = 1
[[body]]
name = "ground"
shape = { type = "plane" }
[[body]]
name = "brick"
shape = { type = "box", size = [0.2, 0.1, 0.1] }
position = [0, 0, 0.05]
repeat = { count = [1, 1, 4], spacing = [0, 0, 0.101] }
"#;
    // A name with a stroke is a name like any other.
    for wall in [wall.to_owned(), wall.replace("\"brick\"", "\"wall/brick\"")] {
        write_scene(&bench, &wall);
        let [_, warnings] = checked(&bench, "check scene.toml");
        let words = "are 1.00e-3 m apart, 1.0 % of the thinner one, and so are 2 other pairs";
        assert!(warnings.contains(words), "{warnings}");
    }
    write_scene(&bench, &wall.replace("0.101", "0.1"));
    let [_, warnings] = checked(&bench, "check scene.toml");
    assert_eq!(warnings, "");
}

#[test]
fn mistakes_come_as_json() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 1.0);
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    let text = text
        .replace(
            "time_step = \"2 ms\"",
            "time_step = \"2 kg\"\ntolerence = 3",
        )
        .replace("arrangement = \"rain\"", "arrangement = \"rian\"");
    write_scene(&bench, &text);
    let output = bench.run(&["check", "scene.toml", "--json"]);
    assert_eq!(status(&output), 2);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let mistakes = json["mistakes"].as_array().unwrap();
    let keys: Vec<&str> = mistakes
        .iter()
        .map(|m| m["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "settings.time_step",
            "settings.tolerence",
            "fill.balls.arrangement"
        ]
    );
    assert_eq!(mistakes[1]["line"], 11);
    assert_eq!(mistakes[1]["suggestion"], "tolerance");
    assert_eq!(mistakes[2]["suggestion"], "rain");
    assert!(
        mistakes[0]["message"].as_str().unwrap().contains("2 kg"),
        "{json}"
    );
    // What is found only when the world is built, and a file that is not there.
    write_scene(
        &bench,
        &text
            .replace("\"2 kg\"\ntolerence = 3", "0.002")
            .replace("rian", "rain")
            .replace("\"16 cm\", \"16 cm\"", "\"1 cm\", \"1 cm\""),
    );
    let output = bench.run(&["check", "scene.toml", "--json"]);
    assert_eq!(status(&output), 2, "{}", stdout(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["mistakes"][0]["key"], "fill.balls", "{json}");
    let output = bench.run(&["check", "nowhere.toml", "--json"]);
    assert_eq!(status(&output), 2);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(
        json["mistakes"][0]["message"]
            .as_str()
            .unwrap()
            .contains("nowhere.toml"),
        "{json}"
    );
    // One without mistakes has an empty list.
    let output = ok(&bench, "check balls.toml --json");
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["mistakes"], serde_json::json!([]));
}

/// What ships is as it is meant.
#[test]
fn built_in_scenes_are_not_warned_of() {
    let bench = Bench::new();
    for (name, _) in builtin_scenes() {
        let [_, warnings] = checked(&bench, &format!("check {name}"));
        assert_eq!(warnings, "", "{name}");
    }
}

/// The silo whose walls are in millimetres, from the trials.
#[test]
fn the_silo_of_the_trials_is_remarked_on() {
    let silo = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/trials/silo/silo_mm.toml");
    if !silo.exists() {
        let required = std::env::var_os("DRYSTONE_REQUIRE_SHARED").is_some();
        assert!(!required, "{} is missing", silo.display());
        return;
    }
    let bench = Bench::new();
    let output = bench.run(&["check", silo.to_str().unwrap()]);
    let warnings = stderr(&output);
    assert!(
        warnings.contains("is a `scale` missing?"),
        "{}{warnings}",
        stdout(&output)
    );
}
