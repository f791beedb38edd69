//! Running scenes: phases, actions, motions, and going on from a saved state.
#![allow(clippy::unwrap_used)]

use drystone::BodyKind;
use drystone_scene::{Scene, SceneOptions, Simulation, SimulationState};
use glam::DVec3;

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, "test.toml", None, &SceneOptions::default());
    Simulation::new(&scene.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"))
}

fn position(simulation: &Simulation, name: &str) -> DVec3 {
    let body = simulation.group(name)[0];
    simulation.world().pose(body).position
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        assert!(simulation.step().unwrap().converged());
    }
}

/// A ball lies on a gate, falls when it is taken away, is stopped by the ground; then a lid comes
/// down on it.
const PHASES: &str = r#"
[settings]
time_step = 0.01
[[body]]
name = "ground"
shape = { type = "plane" }
[[body]]
name = "gate"
kind = "fixed"
shape = { type = "box", size = [1, 1, 0.1] }
position = [0, 0, 0.95]
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
mass = 1
position = [0, 0, 1.1]
[[body]]
name = "lid"
shape = { type = "box", size = [0.1, 0.1, 0.2] }
mass = 3
position = [0, 0, 20]
[[body]]
name = "arm"
kind = "prescribed"
shape = { type = "sphere", radius = 0.1 }
position = [5, 0, 5]
[[phase]]
name = "hold"
until = { steps = 5 }
[[phase]]
name = "fall"
at_start = [
    { remove = "gate" },
    { motion = { body = "arm", motion = { type = "velocity", velocity = [0, 0, 1] } } },
]
until = { rest = { speed = 0.001, for = 0.05 }, time = 3 }
[[phase]]
name = "load"
at_start = [
    { add = { body = "lid", above = "ball", gap = 0.001 } },
    { stop = "arm" },
    { load = { body = "ball", force = [0, 0, -2] } },
    { settings = { tolerance = 1e-8 } },
]
until = { time = 0.2 }
[recording]
forces = [{ name = "down", by = "ball", on = "ground" }]
"#;

#[test]
fn phases_follow_each_other() {
    let mut simulation = simulation(PHASES);
    assert_eq!(
        simulation.phase_names().collect::<Vec<_>>(),
        ["hold", "fall", "load"]
    );
    assert!((simulation.end_time().unwrap() - 3.25).abs() < 1e-12);
    let enabled = |s: &Simulation, name: &str| s.world().is_enabled(s.group(name)[0]);
    assert!(enabled(&simulation, "gate") && !enabled(&simulation, "lid"));
    run(&mut simulation, 4);
    assert_eq!(simulation.phase(), (0, "hold"));
    run(&mut simulation, 1);
    assert_eq!(simulation.phase(), (1, "fall"));
    assert!(!enabled(&simulation, "gate"));
    assert!((position(&simulation, "ball").z - 1.1).abs() < 1e-3, "held");
    while simulation.phase().0 == 1 {
        run(&mut simulation, 1);
    }
    let landed = simulation.world().time();
    assert!(landed > 0.4 && landed < 1.5, "{landed}");
    assert!(
        (position(&simulation, "ball").z - 0.1).abs() < 1e-3,
        "landed"
    );
    // The lid was put 1 mm above the top of the ball; the arm has gone at 1 m/s since step 5.
    assert!(enabled(&simulation, "lid"));
    let top = position(&simulation, "ball").z + 0.1;
    assert!((position(&simulation, "lid").z - 0.1 - top - 0.001).abs() < 1e-12);
    let arm = position(&simulation, "arm").z;
    assert!((arm - 5.0 - (landed - 0.05)).abs() < 1e-9, "{arm}");
    assert_eq!(simulation.world().settings().tolerance, 1e-8);
    while !simulation.is_finished() {
        run(&mut simulation, 1);
    }
    assert!((simulation.world().time() - landed - 0.2).abs() < 1e-9);
    assert_eq!(position(&simulation, "arm").z, arm, "stopped");
    // Ball, lid and the force of 2 N.
    let down = simulation.forces()[0].z;
    assert!((down + 4.0 * 9.81 + 2.0).abs() < 0.05, "{down}");
}

#[test]
fn a_restored_run_has_the_same_bits() {
    let mut whole = simulation(PHASES);
    let mut saved: Vec<SimulationState> = Vec::new();
    while !whole.is_finished() {
        if matches!(whole.world().steps(), 3 | 40 | 60) || whole.phase().0 == 2 && saved.len() == 3
        {
            saved.push(whole.state());
        }
        run(&mut whole, 1);
    }
    assert_eq!(saved.len(), 4);
    // Into a new simulation, and back in one that has gone on.
    let mut again = simulation(PHASES);
    for state in saved.iter().rev() {
        again.restore(state).unwrap();
        assert_eq!(again.state(), *state);
        while !again.is_finished() {
            run(&mut again, 1);
        }
        assert_eq!(again.state(), whole.state());
    }
}

#[test]
fn states_of_other_scenes_are_refused() {
    let mut simulation = simulation(PHASES);
    let good = simulation.state();
    let mut other = good.clone();
    other.phase = 9;
    assert!(simulation.restore(&other).is_err());
    other = good.clone();
    other.world.bodies.pop();
    assert!(simulation.restore(&other).is_err());
    assert_eq!(simulation.state(), good, "a refused state changes nothing");
}

/// Where a prescribed body is after a time, by formulas.
#[test]
fn motions() {
    let cases: [(&str, f64, DVec3); 8] = [
        (
            "{ type = 'velocity', velocity = [1, 2, 0] }",
            0.5,
            DVec3::new(1.5, 1.0, 0.0),
        ),
        (
            "{ type = 'velocity', velocity = [2, 0, 0], distance = 0.5 }",
            0.5,
            DVec3::new(1.5, 0.0, 0.0),
        ),
        (
            "{ type = 'acceleration', acceleration = [0, 0, 2] }",
            0.5,
            DVec3::new(1.0, 0.0, 0.25),
        ),
        (
            "{ type = 'rotation', rate = '90 deg/s', point = [0, 0, 0] }",
            1.0,
            DVec3::new(0.0, 1.0, 0.0),
        ),
        (
            "{ type = 'rotation', rate = '180 deg/s', point = [0, 0, 0], ramp = 1 }",
            1.0,
            DVec3::new(0.0, 1.0, 0.0),
        ),
        (
            "{ type = 'oscillation', frequency = 1, amplitude = [0, 3, 0] }",
            0.25,
            DVec3::new(1.0, 3.0, 0.0),
        ),
        (
            "{ type = 'expression', x = '2*t', z = 't^2', angle = '90*t', point = [0, 0, 0] }",
            1.0,
            DVec3::new(2.0, 1.0, 1.0),
        ),
        (
            "{ type = 'table', times = [0.2, 0.4], positions = [[0, 0, 0], [0, 0, 1]] }",
            0.3,
            DVec3::new(1.0, 0.0, 0.5),
        ),
    ];
    for (motion, time, expected) in cases {
        let text = format!(
            "[settings]\ntime_step = 0.01\nduration = {time}\n[[body]]\nname = 'a'\nposition = [1, 0, 0]\nshape = {{ type = 'sphere', radius = 0.1 }}\nmotion = {motion}\n"
        );
        let mut simulation = simulation(&text);
        let body = simulation.group("a")[0];
        assert_ne!(simulation.world().kind(body), BodyKind::Dynamic);
        while !simulation.is_finished() {
            run(&mut simulation, 1);
        }
        let found = position(&simulation, "a");
        assert!(
            (found - expected).length() < 1e-9,
            "{motion}: {found} {expected}"
        );
    }
}

/// The walls of containers enclose exactly the inside: balls that fit are free, those that touch a
/// wall are not.
#[test]
fn containers_keep_their_inside_free() {
    for (shape, open, rotation, center, radius) in [
        (
            "{ type = 'box', size = [2, 2, 2] }",
            "[]",
            "[0, 0, 0]",
            [0.0, 0.0, 1.0],
            1.0,
        ),
        (
            "{ type = 'cylinder', radius = 1, height = 2 }",
            "[]",
            "[0, 0, 0]",
            [0.0, 0.0, 1.0],
            1.0,
        ),
        (
            "{ type = 'cylinder', radius = 1, height = 2 }",
            "[]",
            "[90, 0, 0]",
            [0.0, -1.0, 0.0],
            1.0,
        ),
        // Upright at half height, 45 degrees below and above: the ball that touches both cones.
        (
            "{ type = 'revolved', profile = [[1, 0], [2, 1], [1, 2]] }",
            "['top', 'bottom']",
            "[0, 0, 0]",
            [0.0, 0.0, 1.0],
            2.0_f64.sqrt(),
        ),
    ] {
        for (share, touches) in [(0.999, false), (1.01, true)] {
            let text = format!(
                "[settings]\nduration = 1\ngravity = [0, 0, 0]\nenvelope = 1e-9\ntime_step = 1e-6\n[[container]]\nname = 'c'\nopen = {open}\nrotation = {rotation}\nshape = {shape}\n[[body]]\nname = 'ball'\nposition = {center:?}\nshape = {{ type = 'sphere', radius = {} }}\n",
                share * radius
            );
            let mut simulation = simulation(&text);
            let report = simulation.step().unwrap();
            assert_eq!(report.contacts > 0, touches, "{shape} {share}: {report:?}");
        }
    }
}

#[test]
fn arrays_of_bodies() {
    let simulation = simulation(
        r#"
[settings]
duration = 1
[[body]]
name = "wall"
shape = { type = "box", size = [0.2, "0.1 + 0.01*i", 0.1] }
mass = "1 + index"
position = [1, 0, 0.05]
repeat = { count = [3, 1, 2], spacing = [0.25, 0, 0.1], shift = [0.125, 0, 0], center = true }
"#,
    );
    let world = simulation.world();
    let places: Vec<_> = simulation
        .group("wall")
        .iter()
        .map(|b| world.pose(*b).position.to_array())
        .collect();
    let expected = [
        [0.75, 0.0, 0.05],
        [1.0, 0.0, 0.05],
        [1.25, 0.0, 0.05],
        [0.875, 0.0, 0.15],
        [1.125, 0.0, 0.15],
        [1.375, 0.0, 0.15],
    ];
    for (found, expected) in places.iter().zip(expected) {
        assert!((DVec3::from_array(*found) - DVec3::from_array(expected)).length() < 1e-12);
    }
    let masses: Vec<_> = simulation
        .group("wall")
        .iter()
        .map(|b| world.mass(*b))
        .collect();
    for (index, mass) in masses.iter().enumerate() {
        assert!((mass - (1 + index) as f64).abs() < 1e-12);
    }
    let drystone::Shape::Box { half } = world.shape(simulation.group("wall")[5]) else {
        panic!("not a box");
    };
    assert!((*half - DVec3::new(0.1, 0.06, 0.05)).length() < 1e-12);
}

#[test]
fn fills_keep_clear_of_bodies_and_of_each_other() {
    let mut simulation = simulation(
        r#"
[settings]
duration = 1
gravity = [0, 0, 0]
[[body]]
name = "post"
kind = "fixed"
shape = { type = "cylinder", radius = 0.2, height = 3 }
rotation = [30, 0, 0]
position = [0, 0, 0.5]
[[container]]
name = "tub"
shape = { type = "funnel", bottom = 0.5, top = 1, height = 1 }
[[fill]]
name = "large"
shape = { type = "sphere", radius = 0.08 }
count = 40
container = "tub"
arrangement = "random"
[[fill]]
name = "small"
mix = [
    { shape = { type = "sphere", radius = 0.03 }, share = 2 },
    { shape = { type = "box", size = [0.05, 0.04, 0.03] } },
]
count = 150
container = "tub"
arrangement = "random"
"#,
    );
    assert_eq!(
        (
            simulation.group("large").len(),
            simulation.group("small").len()
        ),
        (40, 150)
    );
    let report = simulation.step().unwrap();
    assert!(report.penetration < 1e-8, "{report:?}");
}
