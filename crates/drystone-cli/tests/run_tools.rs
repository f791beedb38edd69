//! `check`, `render`, `export`, `scenes`, `new` and `schema` from outside.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::{ok, write};
use crate::common::{Bench, csv, status, stderr, stdout};
use serde_json::Value;

#[test]
fn check_tells_what_a_scene_is_and_needs() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let table = stdout(&ok(&bench, "check balls.toml"));
    for word in [
        "A dozen balls",
        "12 dynamic, 5 fixed",
        "50 steps",
        "none at the start",
    ] {
        assert!(table.contains(word), "{word} in {table}");
    }
    let json: Value =
        serde_json::from_str(&stdout(&ok(&bench, "check balls.toml --json"))).unwrap();
    assert_eq!(json["contacts_estimate"], 36);
    assert_eq!(json["overlapping_pairs"], 0);
    assert!(!bench.path("out").exists());
}

#[test]
fn check_names_bodies_that_overlap() {
    let bench = Bench::new();
    let text = r#"
[settings]
duration = 1
gravity = [0, 0, 0]
[[body]]
name = "left"
shape = { type = "sphere", radius = 0.5 }
[[body]]
name = "right"
shape = { type = "sphere", radius = 0.5 }
position = [0.9, 0, 0]
"#;
    std::fs::write(bench.path("two.toml"), text).unwrap();
    let output = ok(&bench, "check two.toml --json");
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    // Their middles are 0.9 m apart, their radii add up to 1 m: a tenth of a diameter.
    let worst = &json["worst_overlaps"][0];
    assert_eq!(worst["bodies"], serde_json::json!(["left", "right"]));
    assert!((worst["depth"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert!((worst["share"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert!(
        stderr(&output).contains("1 pair overlaps"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn check_lists_what_a_robots_file_holds_in_vain() {
    let bench = Bench::new();
    let urdf = r#"<robot name="r"><link name="a"/><gazebo reference="a"/></robot>"#;
    std::fs::write(bench.path("r.urdf"), urdf).unwrap();
    let text = "[settings]\nduration = 1\n[[robot]]\nfile = \"r.urdf\"\n";
    std::fs::write(bench.path("robot.toml"), text).unwrap();
    let output = ok(&bench, "check robot.toml --json");
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let warning = "robot r: <gazebo> is ignored: a";
    // Nothing in it moves, which is told too.
    let still = "no body is moved by forces: nothing will fall or touch";
    assert_eq!(json["warnings"], serde_json::json!([warning, still]));
    let words = stderr(&output);
    assert!(words.contains(&format!("warning: {warning}")), "{words}");
}

#[test]
fn what_cannot_fit_into_memory_is_refused_before_it_is_built() {
    if !std::path::Path::new("/proc/meminfo").exists() {
        return;
    }
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let text = std::fs::read_to_string(bench.path("balls.toml")).unwrap();
    // Thousands of millions of balls, more than any memory holds.
    let fills: String = (0..200)
        .map(|k| {
            let shape = "{ type = \"sphere\", radius = 1e-6 }";
            format!("\n[[fill]]\nname = \"f{k}\"\nshape = {shape}\ncount = 20000000\ncontainer = \"box\"\n")
        })
        .collect();
    std::fs::write(bench.path("huge.toml"), text + &fills).unwrap();
    for command in ["check", "run"] {
        let output = bench.run(&[command, "huge.toml"]);
        let message = stderr(&output);
        assert_eq!(status(&output), 2, "{message}");
        assert!(message.contains("4000000017 bodies"), "{message}");
        assert!(message.contains("--force"), "{message}");
    }
    ok(&bench, "check balls.toml --force");
}

#[test]
fn a_run_is_exported_in_all_formats() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.05);
    ok(&bench, "run balls.toml -o r --picture none");
    for format in ["vtk", "csv", "npz", "obj"] {
        ok(&bench, &format!("export r --format {format}"));
    }
    let text = |name: &str| std::fs::read_to_string(bench.path("r").join(name)).unwrap();
    assert!(text("vtk/spheres.pvd").contains("<VTKFile"));
    let bodies = csv(&bench.path("r/csv/bodies.csv"));
    assert_eq!(bodies.len(), 1 + 17);
    let bytes = std::fs::read(bench.path("r/npz/recording.npz")).unwrap();
    assert!(bytes.starts_with(b"PK"));
    let object = text("obj/frame_000000.obj");
    assert!(object.lines().any(|line| line.starts_with("f ")));
    let counted = ok(&bench, "export r --format obj --every 5 -o few");
    assert!(
        stdout(&counted).contains("2 frames"),
        "{}",
        stdout(&counted)
    );
    let missing = bench.run(&["export", "nowhere", "--format", "vtk"]);
    assert_eq!(status(&missing), 2);
}

#[test]
fn a_run_is_rendered_at_the_size_asked_for() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    ok(&bench, "run balls.toml -o r --picture none");
    let size = |name: &str| {
        let bytes = std::fs::read(bench.path(name)).unwrap();
        let picture = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
        [picture.width(), picture.height()]
    };
    ok(&bench, "render r -o last.png --size 120x80 --quality draft");
    assert_eq!(size("last.png"), [120, 80]);
    for by in ["speed", "force", "size", "material"] {
        let line = format!(
            "render r/frames.dry -o {by}.png --color-by {by} --frame 3 --clip y>0 --size 64x48 --quality draft"
        );
        ok(&bench, &line);
        assert_eq!(size(&format!("{by}.png")), [64, 48]);
    }
    ok(
        &bench,
        "render r -o a.png --time 0.05 --camera top,zoom=2 --size 64x48 --quality draft",
    );
    ok(
        &bench,
        "render r -o b.png --frame 5 --camera top,zoom=2 --size 64x48 --quality draft",
    );
    let bytes = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert_eq!(bytes("a.png"), bytes("b.png"));
    for wrong in [
        "--frame 11",
        "--camera sideways",
        "--clip w>1",
        "--size 3",
        "--color-by mood",
    ] {
        let line = format!("render r -o no.png {wrong}");
        let output = bench.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(status(&output), 2, "{wrong}: {}", stderr(&output));
        assert!(!bench.path("no.png").exists());
    }
}

#[test]
fn built_in_scenes_are_listed_and_shown() {
    let bench = Bench::new();
    let list = stdout(&ok(&bench, "scenes"));
    assert!(list.lines().count() >= 1 && list.contains("pile"), "{list}");
    let text = ok(&bench, "scenes --show pile").stdout;
    std::fs::write(bench.path("mine.toml"), text).unwrap();
    ok(&bench, "check mine.toml --set count=20");
    assert_eq!(status(&bench.run(&["scenes", "--show", "pilr"])), 2);
}

#[test]
fn a_new_scene_runs_and_is_never_written_over() {
    let bench = Bench::new();
    ok(&bench, "new mine");
    ok(&bench, "run mine.toml --steps 2 --picture none --quiet");
    std::fs::write(bench.path("mine.toml"), "changed").unwrap();
    let again = bench.run(&["new", "mine.toml"]);
    assert_eq!(status(&again), 2);
    assert_eq!(
        std::fs::read_to_string(bench.path("mine.toml")).unwrap(),
        "changed"
    );
}

#[test]
fn the_schema_is_json() {
    let bench = Bench::new();
    let schema: Value = serde_json::from_str(&stdout(&ok(&bench, "schema"))).unwrap();
    assert!(schema["properties"].is_object());
}
