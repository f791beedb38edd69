//! Scenes of users' trades whose answers are known on paper: bricks that overhang, a can that two
//! pads hold by friction, and those of `examples/scenes`.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use drystone_scene::{Scene, SceneOptions, Simulation};

/// Four bricks, each as far out as it may be: half a length over 4, 3, 2 and 1, times a share.
const BRICKS: &str = r#"
title = "Bricks that overhang"
[parameters]
share = 0.98
[settings]
duration = 2
time_step = "5 ms"
[[material]]
name = "stone"
friction = 0.6
density = "2400 kg/m^3"
[[body]]
name = "ground"
kind = "fixed"
shape = { type = "box", size = ["60 cm", "40 cm", "10 cm"] }
position = ["-30 cm", 0, "-5 cm"]
material = "stone"
[[body]]
name = "a"
shape = { type = "box", size = ["20 cm", "10 cm", "5 cm"] }
position = ["-10 cm + share*20 cm/8", 0, "2.5 cm"]
material = "stone"
[[body]]
name = "b"
shape = { type = "box", size = ["20 cm", "10 cm", "5 cm"] }
position = ["-10 cm + share*20 cm*(1/8+1/6)", 0, "7.5 cm"]
material = "stone"
[[body]]
name = "c"
shape = { type = "box", size = ["20 cm", "10 cm", "5 cm"] }
position = ["-10 cm + share*20 cm*(1/8+1/6+1/4)", 0, "12.5 cm"]
material = "stone"
[[body]]
name = "d"
shape = { type = "box", size = ["20 cm", "10 cm", "5 cm"] }
position = ["-10 cm + share*20 cm*(1/8+1/6+1/4+1/2)", 0, "17.5 cm"]
material = "stone"
"#;

/// Two pads on slides squeeze a can and lift it by 10 cm.
const CAN: &str = r#"
title = "A cylinder lifted by two pads"
[parameters]
squeeze = "6 N"
[settings]
time_step = "2 ms"
[[material]]
name = "pad"
friction = 0.6
[[body]]
name = "table"
shape = { type = "plane" }
[[body]]
name = "can"
shape = { type = "cylinder", radius = "3 cm", height = "10 cm" }
mass = "0.35 kg"
position = [0, 0, "5 cm"]
material = "pad"
[[body]]
name = "hand"
shape = { type = "box", size = ["16 cm", "2 cm", "2 cm"] }
mass = "0.5 kg"
position = [0, 0, "20 cm"]
[[body]]
name = "left"
shape = { type = "box", size = ["1 cm", "4 cm", "6 cm"] }
mass = "0.1 kg"
position = ["-5 cm", 0, "5 cm"]
material = "pad"
[[body]]
name = "right"
shape = { type = "box", size = ["1 cm", "4 cm", "6 cm"] }
mass = "0.1 kg"
position = ["5 cm", 0, "5 cm"]
material = "pad"
[[joint]]
name = "lift"
type = "prismatic"
bodies = ["world", "hand"]
at = [0, 0, "20 cm"]
axis = [0, 0, 1]
motor = { type = "position", value = 0 }
[[joint]]
name = "slide-left"
type = "prismatic"
bodies = ["hand", "left"]
at = ["-5 cm", 0, "5 cm"]
axis = [1, 0, 0]
motor = { type = "force", value = "squeeze" }
[[joint]]
name = "slide-right"
type = "prismatic"
bodies = ["hand", "right"]
at = ["5 cm", 0, "5 cm"]
axis = [-1, 0, 0]
motor = { type = "force", value = "squeeze" }
[[phase]]
name = "close"
until = { time = "0.4 s" }
[[phase]]
name = "lift"
at_start = [{ motor = { joint = "lift", motor = { type = "position", value = "0.1*min(t, 1)^2*(3 - 2*min(t, 1))" } } }]
until = { time = "1.2 s" }
"#;

fn set(key: &str, value: &str) -> SceneOptions {
    SceneOptions {
        set: vec![(key.to_owned(), value.to_owned())],
        ..SceneOptions::default()
    }
}

/// Runs a scene with a parameter set to its end.
fn run(text: &str, key: &str, value: &str) -> Simulation {
    to_the_end(&Scene::parse(text, "scene", None, &set(key, value)).unwrap())
}

/// The same with a scene of the examples.
fn run_example(name: &str, key: &str, value: &str) -> Simulation {
    to_the_end(&Scene::load(example(name), &set(key, value)).unwrap())
}

fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    folder.join(name)
}

fn to_the_end(scene: &Scene) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap();
    while !simulation.is_finished() {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{report:?}");
    }
    simulation
}

fn height(simulation: &Simulation, body: &str) -> f64 {
    let world = simulation.world();
    world.body_state(world.group(body)[0]).position.z
}

#[test]
fn bricks_overhang_to_the_harmonic_sum_and_no_further() {
    // Their height is 5 cm each. At the limit they balance, so a thousandth decides.
    let stays = height(&run(BRICKS, "share", "0.999"), "d");
    assert!((stays - 0.175).abs() < 1e-4, "{stays}");
    let falls = height(&run(BRICKS, "share", "1.001"), "d");
    assert!(falls < 0.0, "{falls}");
}

#[test]
fn pads_hold_a_can_by_friction_alone() {
    // Two pads carry 0.35 kg: each must press with m g / (2 mu) = 2.86 N.
    let held = height(&run(CAN, "squeeze", "\"3.1 N\""), "can");
    assert!((held - 0.15).abs() < 2e-3, "{held}");
    let dropped = height(&run(CAN, "squeeze", "\"2.6 N\""), "can");
    assert!(dropped < 0.08, "{dropped}");
}

/// What one pad does sideways, the other takes up, and how they share the weight is left open too:
/// while nothing changes, neither does.
#[test]
fn pads_that_hold_a_can_keep_their_shares() {
    let scene = Scene::parse(CAN, "scene", None, &set("squeeze", "\"6 N\"")).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut first = None;
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
        let world = simulation.world();
        // It is up at 1.4 s.
        if world.time() > 1.45 {
            let force = world.force_between_groups("left", "can");
            let wander = force.distance(*first.get_or_insert(force));
            assert!(wander < 0.05, "{force} N at {} s", world.time());
        }
    }
    assert!(first.is_some());
}

#[test]
fn a_wheel_climbs_a_step_from_the_pull_that_statics_gives() {
    // 110.4 N; the step is 6 cm high, and the axle 30 cm above the ground.
    let below = height(&run_example("step.toml", "pull", "\"108 N\""), "wheel");
    assert!((below - 0.3).abs() < 1e-4, "{below}");
    let above = height(&run_example("step.toml", "pull", "\"113 N\""), "wheel");
    assert!(above > 0.33, "{above}");
}

#[test]
fn a_wall_turns_over_at_the_push_that_statics_gives() {
    let stands = height(&run_example("wall.toml", "share", "0.98"), "top");
    assert!((stands - 1.0).abs() < 1e-4, "{stands}");
    // It rises as it turns about its toe.
    let falls = height(&run_example("wall.toml", "share", "1.02"), "top");
    assert!((falls - 1.0).abs() > 0.01, "{falls}");
}

#[test]
fn an_arm_pushes_a_box_with_the_force_of_friction() {
    let simulation = run_example("arm.toml", "settings.tolerance", "1e-6");
    let force = simulation.world().force_between_groups("arm/fore", "box");
    let friction = 0.4 * 2.0 * 9.81;
    // A little less, since the box also turns.
    let share = force.length() / friction;
    assert!((0.97..1.001).contains(&share), "{force} N");
}

#[test]
fn grains_make_a_heap_when_their_tube_is_lifted() {
    let scene = Scene::load(example("heap.toml"), &set("count", "60")).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut deepest = 0.0_f64;
    while !simulation.is_finished() {
        // Some steps may miss the tolerance by a little, as long as nothing sinks in.
        deepest = deepest.max(simulation.step().unwrap().penetration);
    }
    assert!(deepest < 0.01 * 0.0144, "{deepest}");
    let world = simulation.world();
    let grains = world.group("grains");
    let places = || grains.iter().map(|g| world.body_state(*g).position);
    let top = places().map(|p| p.z).fold(0.0, f64::max);
    let mean = places().map(|p| p.truncate().length()).sum::<f64>() / 60.0;
    // More than a layer, less than they were in the tube, and wider than it.
    assert!((0.014..0.08).contains(&top) && mean > 0.035, "{top} {mean}");
}
