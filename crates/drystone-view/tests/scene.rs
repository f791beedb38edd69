//! What the page is told of a scene: joints, springs, phases, periodic boxes, camera and colours.
#![allow(clippy::unwrap_used, reason = "test code")]

use drystone_draw::picture::{self, PictureSettings};
use drystone_run::recording::Recording;
use drystone_run::run_folder::{Existing, FRAMES, RunFolder};
use drystone_run::source::SceneSource;
use drystone_run::{Control, Run, StopAt};
use drystone_scene::{Scene, SceneOptions, Simulation};
use drystone_view::{Resource, RunView};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Runs a scene and leaves its folder.
fn run(text: &str) -> TempDir {
    let options = SceneOptions::default();
    let scene = Scene::parse(text, "scene.toml", None, &options).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run_folder = RunFolder::create(folder.path(), Existing::Keep).unwrap();
    SceneSource::of(&scene, false).write(&run_folder).unwrap();
    let mut run = Run::begin(scene, simulation, run_folder).unwrap();
    let ended = run.advance(&StopAt::default(), Control::none()).unwrap();
    let summary = run.summary(&run.steps().unwrap().rows, &ended, 1);
    run.write_summary(&summary).unwrap();
    folder
}

fn described(folder: &TempDir) -> Value {
    let view = RunView::open(folder.path()).unwrap();
    serde_json::from_slice(&view.resource(Resource::Run).unwrap().unwrap()).unwrap()
}

const MECHANISM: &str = r#"
title = "A pendulum and a spring"

[settings]
time_step = 0.01
periodic = { x = [-2, 3] }

[view]
camera = "front"
color_by = "speed"
clip = "y>0.5"

[[body]]
name = "arm"
shape = { type = "box", size = [0.4, 0.1, 0.1] }
position = [0.5, 0, 2]

[[body]]
name = "weight"
shape = { type = "sphere", radius = 0.1 }
position = [0.5, 0, 1]

[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "arm"]
at = [0.3, 0, 2]
axis = [0, 1, 0]

[[joint]]
name = "line"
type = "distance"
bodies = ["arm", "weight"]
from = [0.5, 0, 2]
to = [0.5, 0, 1]

[[joint]]
name = "rope"
type = "link"
bodies = ["arm", "weight"]
from = [0.5, 0, 2]
to = [0.5, 0, 1]
limits = [0, 5]

[[joint]]
name = "coil"
type = "link"
bodies = ["arm", "weight"]
from = [0.5, 0, 2]
to = [0.5, 0, 1]
spring = { stiffness = 1 }

[[phase]]
name = "held"
until = { time = 0.1 }

[[phase]]
name = "let go"
until = { time = 0.1 }
at_start = [{ release = "line" }]
"#;

#[test]
fn joints_springs_phases_and_periodic_boxes_come_from_the_scene() {
    let folder = run(MECHANISM);
    let run = described(&folder);
    assert_eq!(run["state"], "finished");
    let hinge = &run["joints"][0];
    assert_eq!(
        (&hinge["name"], &hinge["kind"]),
        (&json!("hinge"), &json!("revolute"))
    );
    assert_eq!(hinge["bodies"], json!([null, 0]));
    // In the axes of each: the world's, and the arm's, whose middle is at x = 0.5.
    let near = |value: &Value, expected: [f64; 3]| {
        let found: Vec<f64> = value
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect();
        found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    };
    assert!(near(&hinge["points"][0], [0.3, 0.0, 2.0]), "{hinge}");
    assert!(near(&hinge["points"][1], [-0.2, 0.0, 0.0]), "{hinge}");
    assert!(near(&hinge["axes"][0], [0.0, 1.0, 0.0]), "{hinge}");
    assert_eq!(hinge["off"], json!([]));
    let line = &run["springs"][0];
    assert_eq!(
        (&line["name"], &line["bodies"]),
        (&json!("line"), &json!([0, 1]))
    );
    let coils = run["springs"].as_array().unwrap().iter();
    let coils: Vec<_> = coils.map(|s| (&s["name"], &s["coil"])).collect();
    let [no, yes] = [json!(false), json!(true)];
    let names = ["line", "rope", "coil"].map(|name| json!(name));
    assert_eq!(
        coils,
        [(&names[0], &no), (&names[1], &no), (&names[2], &yes)]
    );
    let phases = &run["phases"];
    assert_eq!(
        (&phases[0]["name"], &phases[0]["time"]),
        (&json!("held"), &json!(0.0))
    );
    assert_eq!(phases[1]["name"], "let go");
    let released = phases[1]["time"].as_f64().unwrap();
    assert!((released - 0.1).abs() < 1e-9);
    assert_eq!(line["off"], json!([[released, null]]));
    let expected =
        json!({ "low": [-2.0, 0.0, 0.0], "high": [3.0, 0.0, 0.0], "axes": [true, false, false] });
    assert_eq!(run["periodic"], expected);
}

#[test]
fn camera_and_colours_are_those_of_a_picture() {
    let folder = run(MECHANISM);
    let run = described(&folder);
    let recording = Recording::open(folder.path().join(FRAMES)).unwrap();
    let last = recording.frame(recording.len() - 1).unwrap();
    let scene = drystone_run::source::scene_of(folder.path()).unwrap();
    let settings = PictureSettings::from(scene.view());
    let about = picture::bounds(recording.header(), &last);
    let camera = picture::camera(&settings, about, true);
    // Reading a number as text may cost its last bit.
    let same = |value: &Value, expected: [f64; 3]| {
        let found = value
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap());
        found
            .zip(expected)
            .all(|(a, b)| (a - b).abs() <= 1e-15 * b.abs())
    };
    assert!(same(&run["camera"]["eye"], camera.position.to_array()));
    assert!(same(&run["camera"]["target"], camera.target.to_array()));
    assert!(same(&run["bounds"]["low"], about.min.to_array()));
    assert_eq!(run["camera"]["aspect"], 1.6);
    assert_eq!(run["color_by"]["what"], "speed");
    assert!(run["color_by"]["high"].as_f64().unwrap() > 0.0);
    let clip = json!([{ "point": [0.0, 0.5, 0.0], "normal": [0.0, 1.0, 0.0] }]);
    assert_eq!(run["look"]["clip"], clip);
    assert_eq!(run["look"]["sky"][0], "#e3e8ed");
}
