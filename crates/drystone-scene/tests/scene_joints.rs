//! Joints, motors, surfaces and boundaries in scenes: what is built, what is refused.
#![allow(clippy::unwrap_used)]

use drystone::JointKind;
use drystone_scene::scene::Fault;
use drystone_scene::{Scene, SceneError, SceneOptions, Simulation};

/// A scene to spoil; line numbers below count in it.
const GOOD: &str = r#"[settings]
duration = 2
time_step = 0.001
periodic = { x = [-5, 5] }
[[material]]
name = "rubber"
restitution = 0.5
[[body]]
name = "rod"
shape = { type = "box", size = [1, 0.1, 0.1] }
position = [0.5, 0, 0]
[[body]]
name = "link"
shape = { type = "sphere", radius = 0.1 }
position = ["3 + 0.3*i", 0, 0]
repeat = { count = [4, 1, 1] }
[[joint]]
name = "pivot"
type = "revolute"
bodies = ["world", "rod"]
axis = [0, 1, 0]
limits = [-90, 90]
motor = { type = "speed", value = "30 deg/1 s", max_force = "500 N*1 m" }
[[joint]]
name = "chain"
type = "spherical"
bodies = ["link[index]", "link[index + 1]"]
at = ["3.15 + 0.3*index", 0, 0]
repeat = 3
[[joint]]
name = "rope"
type = "link"
bodies = ["world", "link[0]"]
from = [3, 0, 1]
to = [3, 0, 0]
limits = [0, 1.2]
spring = { damping = "1 N s/m" }
[[phase]]
until = { time = 1 }
[[phase]]
at_start = [{ motor = { joint = "pivot", motor = { type = "position", times = [0, 0.5], values = [10, 20] } } }, { release = "rope" }]
[recording]
joints = ["pivot", "chain"]
"#;

fn build(text: &str) -> Result<Simulation, SceneError> {
    let scene = Scene::parse(text, "test.toml", None, &SceneOptions::default())?;
    Simulation::new(&scene)
}

#[test]
fn joints_are_built_driven_and_let_go() {
    let mut simulation = build(GOOD).unwrap();
    let world = simulation.world();
    let names: Vec<&str> = world.joints().map(|j| world.joint_name(j)).collect();
    assert_eq!(names, ["pivot", "chain", "chain", "chain", "rope"]);
    let [pivot, rope] = [0, 4].map(drystone::JointId::new);
    assert_eq!(world.joint_kind(rope), JointKind::Link);
    assert!(world.settings().periodic.axes[0].is_some());
    assert_eq!(world.materials()[1].surface.restitution, 0.5);
    while simulation.phase().0 == 0 {
        let _ = simulation.step().unwrap();
    }
    // 30 degrees a second, counted from where it began.
    let [angle, speed] = simulation.world().joint_coordinate(pivot).unwrap();
    let degree = std::f64::consts::PI / 180.0;
    assert!((speed - 30.0 * degree).abs() < 1e-3, "{speed}");
    assert!((angle - 30.0 * degree).abs() < 1e-3, "{angle}");
    assert!(!simulation.world().is_joint_enabled(rope));
    // The next motor's time begins with its phase: 20 degrees after half a second, held from there
    // on.
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
    }
    let [angle, _] = simulation.world().joint_coordinate(pivot).unwrap();
    assert!((angle - 20.0 * degree).abs() < 1e-4, "{angle}");
    let recorded = simulation.recorded_joints().count();
    assert_eq!(recorded, 4);
}

#[test]
fn a_restored_scene_goes_on_with_its_motors() {
    let mut whole = build(GOOD).unwrap();
    for _ in 0..1100 {
        let _ = whole.step().unwrap();
    }
    let saved = whole.state();
    assert_eq!(saved.motors.len(), 1);
    let mut resumed = build(GOOD).unwrap();
    resumed.restore(&saved).unwrap();
    for _ in 0..300 {
        let _ = whole.step().unwrap();
        let _ = resumed.step().unwrap();
    }
    assert!(whole.state() == resumed.state());
    // A motor that the scene does not have.
    let mut wrong = saved;
    wrong.motors[0].1.drive = 99;
    assert!(resumed.restore(&wrong).is_err());
}

/// What becomes what, the line of the fault, its key and a part of its words.
const WRONG: &[(&str, &str, usize, &str, &str)] = &[
    (
        r#"["world", "rod"]"#,
        r#"["world", "rood"]"#,
        20,
        "joint.pivot.bodies[1]",
        "rood",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["rod"]"#,
        20,
        "joint.pivot.bodies",
        "1 entries",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["world", "world"]"#,
        17,
        "joint.pivot",
        "same body",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["world", "link"]"#,
        17,
        "joint.pivot",
        "4 bodies called link",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["world", "link[7]"]"#,
        17,
        "joint.pivot",
        "no body link[7]",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["world", "link[1/2]"]"#,
        20,
        "joint.pivot.bodies[1]",
        "whole number",
    ),
    (
        r#"["world", "rod"]"#,
        r#"["world", "link[x]"]"#,
        20,
        "joint.pivot.bodies[1]",
        "x",
    ),
    (
        r#"type = "revolute""#,
        r#"type = "revolut""#,
        19,
        "joint.pivot.type",
        "revolut",
    ),
    (
        "axis = [0, 1, 0]",
        "axis = [0, 0, 0]",
        21,
        "joint.pivot.axis",
        "a vector with a length",
    ),
    (
        "limits = [-90, 90]",
        "limits = [90, -90]",
        22,
        "joint.pivot.limits",
        "smaller one first",
    ),
    (
        "limits = [-90, 90]",
        "limits = [45, 90]",
        17,
        "joint.pivot",
        "outside its limits",
    ),
    (
        r#"value = "30 deg/1 s""#,
        r#"value = "30 m/s""#,
        23,
        "joint.pivot.motor.value",
        "angular speed",
    ),
    (
        r#"value = "30 deg/1 s", "#,
        "",
        23,
        "joint.pivot.motor",
        "value",
    ),
    (
        r#"type = "speed", value"#,
        r#"type = "torque", value"#,
        23,
        "joint.pivot.motor",
        "max_force",
    ),
    (
        r#"damping = "1 N s/m""#,
        r#"damping = "-1 N s/m""#,
        37,
        "joint.rope.spring.damping",
        "number >= 0",
    ),
    (
        r#"joint = "pivot""#,
        r#"joint = "pivo""#,
        41,
        "phase[1].at_start[0].motor.joint",
        "pivo",
    ),
    (
        r#"joint = "pivot""#,
        r#"joint = "chain""#,
        41,
        "phase[1].at_start[0].motor",
        "no motor",
    ),
    (
        r#"release = "rope""#,
        r#"release = "rop""#,
        41,
        "phase[1].at_start[1].release",
        "rop",
    ),
    (
        "times = [0, 0.5]",
        "times = [0, 0]",
        41,
        "phase[1].at_start[0].motor.motor.times",
        "ascending",
    ),
    (
        "values = [10, 20]",
        "values = [10]",
        41,
        "phase[1].at_start[0].motor.motor.values",
        "each of the 2 times",
    ),
    (
        r#"["pivot", "chain"]"#,
        r#"["pivots"]"#,
        43,
        "recording.joints",
        "pivots",
    ),
    (
        "x = [-5, 5]",
        "x = [5, -5]",
        4,
        "settings.periodic.x",
        "lower end first",
    ),
    (
        "restitution = 0.5",
        "restitution = 1.5",
        7,
        "material.rubber.restitution",
        "between 0 and 1",
    ),
    (
        "restitution = 0.5",
        "cohesion = -1",
        7,
        "material.rubber.cohesion",
        "number >= 0",
    ),
];

#[test]
fn faults_tell_their_place_and_what_was_expected() {
    for (from, to, line, key, words) in WRONG {
        assert_eq!(GOOD.matches(from).count(), 1, "{from}");
        let error = match build(&GOOD.replace(from, to)) {
            Ok(_) => panic!("no fault with {to}"),
            Err(error) => error,
        };
        // A motor of another type has a value of another unit too.
        let words_of = |fault: &Fault| format!("{} {}", fault.kind, fault.key);
        let faults = error.faults();
        let meant = faults.iter().find(|fault| words_of(fault).contains(words));
        let fault = meant.unwrap_or(&faults[0]);
        let text = words_of(fault);
        assert_eq!(fault.line, *line, "{to}: {text}");
        assert!(fault.key.starts_with(key), "{to}: {text}");
        assert!(text.contains(words), "{to}: {text}");
    }
}
