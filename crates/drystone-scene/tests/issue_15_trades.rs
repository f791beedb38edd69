//! Scenes of users' trades whose answers are known on paper: bricks that overhang, and a can that two
//! pads hold by friction.

#![allow(clippy::unwrap_used)]

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

/// Runs a scene with a parameter set to its end.
fn run(text: &str, key: &str, value: &str) -> Simulation {
    let options = SceneOptions {
        set: vec![(key.to_owned(), value.to_owned())],
        ..SceneOptions::default()
    };
    let scene = Scene::parse(text, "scene", None, &options).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
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
