//! Robots in scenes: names, warnings, collisions, the example.

use std::fs;

use drystone_scene::{Scene, SceneError, SceneOptions, Simulation};

use super::ARM;
use super::files::MASS;

/// A scene beside these files.
fn load(files: &[(&str, &str)], text: &str) -> Result<Scene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let text = format!("[settings]\nduration = 1\n{text}");
    Scene::parse(
        &text,
        "test.toml",
        Some(folder.path()),
        &SceneOptions::default(),
    )
}

#[test]
fn scenes_refer_to_links_and_joints_by_name() {
    let rest = r#"
[[robot]]
file = "arm.urdf"
name = "left"
[[robot]]
file = "arm.urdf"
position = [0, 2, 0]
[[body]]
name = "load"
shape = { type = "sphere", radius = "5 cm" }
position = [1, 0, 0.5]
[[joint]]
type = "distance"
bodies = ["left/rod", "load"]
from = [0.7, 0, 0.5]
to = [1, 0, 0.5]
[[phase]]
at_start = [{ motor = { joint = "arm/turn", motor = { type = "speed", value = 1 } } }, { release = "left/ram" }]
[recording]
joints = ["left/turn", "arm/ram"]
forces = [{ by = "arm/rod", on = "load" }]
"#;
    let scene = load(&[("arm.urdf", ARM)], rest).unwrap_or_else(|e| panic!("{e}"));
    let warnings = scene.warnings().join("\n");
    for expected in [
        "robot left: <limit velocity> is ignored: turn, shoulder, ram",
        "robot arm: links without mass become part of the link that they are fixed to: tip",
    ] {
        assert!(warnings.contains(expected), "{warnings}");
    }
    let mut simulation = Simulation::new(&scene).unwrap();
    assert_eq!(simulation.world().len(), 9);
    let _ = simulation.step().unwrap();

    let cases = [
        (
            "name = \"a\"\n[[robot]]\nfile = \"arm.urdf\"\nname = \"a\"",
            "robot `a` is there twice",
        ),
        (
            "joints = { shoulde = 1 }",
            "no joint of the robot is called `shoulde`; did you mean `shoulder`?",
        ),
        (
            "joints = { shoulder = \"1 m\" }",
            "expected an angle in deg",
        ),
        (
            "joints = { tip_mount = 1 }",
            "a fixed joint has no position",
        ),
        ("joints = 5", "expected names with numbers or expressions"),
        (
            "joints = { shoulder = 170 }",
            "robot[0].joints.shoulder: 2.9670597283903604 rad is not within the file's limits -0.6 and 1.4 rad",
        ),
        ("base = \"loose\"", "expected one of fixed, free"),
        ("material = \"wood\"", "no material is called `wood`"),
        (
            "[recording]\njoints = [\"arm/shouldr\"]",
            "no joint is called `arm/shouldr`; did you mean `arm/shoulder`?",
        ),
        (
            "base = \"free\"\n[recording]\njoints = [\"arm/x\"]",
            "link base: no mass",
        ),
    ];
    for (words, expected) in cases {
        let text = format!("[[robot]]\nfile = \"arm.urdf\"\n{words}\n");
        let error = load(&[("arm.urdf", ARM)], &text).err().unwrap();
        assert!(
            error.to_string().contains(expected),
            "{error}\nexpected: {expected}"
        );
        assert_eq!(error.faults().len(), 1, "{error}");
    }
}

#[test]
fn links_of_a_robot_touch_each_other_only_if_told() {
    let ball =
        format!("{MASS}<collision><geometry><sphere radius=\"0.2\"/></geometry></collision>");
    let link = |name: &str| format!("<link name=\"{name}\">{ball}</link>");
    let joint = |name: &str, child: &str, x: f64| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"a\"/><child link=\"{child}\"/><origin xyz=\"{x} 0 0\"/></joint>"
        )
    };
    // b and c overlap; both hang on a.
    let urdf = [
        "<robot name=\"r\">".to_owned(),
        link("a"),
        link("b"),
        link("c"),
        joint("j", "b", 1.0),
        joint("k", "c", 1.1),
        "</robot>".to_owned(),
    ];
    for (told, contacts) in [("false", 0), ("true", 1)] {
        let text = format!("[[robot]]\nfile = \"r.urdf\"\nself_collisions = {told}\n");
        let scene = load(&[("r.urdf", &urdf.concat())], &text).unwrap();
        let mut simulation = Simulation::new(&scene).unwrap();
        assert_eq!(simulation.step().unwrap().contacts, contacts, "{told}");
    }
}

#[test]
fn the_example_knocks_the_tower_over() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/robots/arm.toml");
    let scene = Scene::load(path, &SceneOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(&scene).unwrap();
    let top = *simulation.world().group("tower").last().unwrap();
    let start = simulation.world().pose(top).position;
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
    }
    let world = simulation.world();
    assert!(
        world.pose(top).position.z < start.z - 0.2,
        "{}",
        world.pose(top).position
    );
    for joint in world.joints() {
        assert!(
            world.joint_error(joint) < 1e-5,
            "{}",
            world.joint_name(joint)
        );
    }
}

#[test]
fn the_example_of_the_book_is_right() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/robots.md");
    let text = fs::read_to_string(page).unwrap();
    let example = text.split("```toml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("arm.urdf"), ARM).unwrap();
    let options = SceneOptions::default();
    let scene = Scene::parse(example, "book.toml", Some(folder.path()), &options);
    let scene = scene.unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(&scene).unwrap();
    let _ = simulation.step().unwrap();
}
