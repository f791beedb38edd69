//! More scenes of users' trades, written from the book alone: grains in a tube, a car on a slope,
//! a robot from a URDF file, a stone that rocks. What theory says of them is in `examples/scenes`;
//! the fifth, a solver's own file, is in `drystone-problems`.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use drystone_scene::{Scene, SceneOptions, Simulation};

fn example(name: &str, set: &[(&str, &str)]) -> Simulation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    let set = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let options = SceneOptions {
        set: set.collect(),
        ..SceneOptions::default()
    };
    Simulation::new(&Scene::load(folder.join(name), &options).unwrap()).unwrap()
}

#[test]
fn the_walls_of_a_tube_carry_a_part_of_its_grains() {
    // What the floor carries of the weight after it went down, and what all carries together:
    // means of the last 100 steps.
    let run = |mu: &str| {
        let set = [("mu", mu), ("count", "250"), ("tube", "\"15 mm\"")];
        let mut simulation = example("janssen.toml", &set);
        let mut loads = Vec::new();
        while !simulation.is_finished() {
            let _ = simulation.step().unwrap();
            let world = simulation.world();
            let load = |on: &str| -world.force_between_groups("grains", on).z;
            loads.push([load("floor"), load("tube")]);
        }
        let world = simulation.world();
        let mass: f64 = world.group("grains").iter().map(|g| world.mass(*g)).sum();
        let last = &loads[loads.len() - 100..];
        let mean = |k: usize| last.iter().map(|l| l[k]).sum::<f64>() / (100.0 * 9.81 * mass);
        let all = mean(0) + mean(1);
        assert!((all - 1.0).abs() < 0.01, "{all} of the weight is carried");
        mean(0)
    };
    let smooth = run("0");
    assert!((smooth - 1.0).abs() < 0.02, "{smooth}");
    // Janssen's formula for 250 grains in 3 cm, with walls that push with 0.3 to 0.6 of the weight
    // above: 0.35 to 0.55.
    let rough = run("0.5");
    assert!((0.25..0.65).contains(&rough), "{rough}");
}

#[test]
fn a_car_climbs_up_to_the_slope_that_statics_gives() {
    let gain = |share: &str| {
        let mut simulation = example("climb.toml", &[("share", share)]);
        let mut speeds = Vec::new();
        while !simulation.is_finished() {
            let _ = simulation.step().unwrap();
            let world = simulation.world();
            speeds.push(world.body_state(world.group("chassis")[0]).velocity.x);
        }
        // In the first step its wheels begin to turn, which pushes it a little.
        speeds[speeds.len() - 1] - speeds[speeds.len() - 401]
    };
    // Its tyres slip all the time: what they give beyond the slope speeds it up, and the wheels in
    // front, which roll, count one and a half times.
    let limit: f64 = 0.7 * 1.3 / (2.6 - 0.7 * (1200.0 * 0.6 + 80.0 * 0.3) / 1280.0);
    for share in [0.97, 1.02] {
        let slope = (share * limit).atan();
        let expected = 9.81 * slope.cos() * (1.0 - share) * limit * 2.0 * 1280.0 / 1300.0;
        let found = gain(&share.to_string());
        assert!(
            (found - expected).abs() < 0.01 * expected.abs(),
            "{found} m/s, expected {expected}"
        );
    }
}

#[test]
fn a_robot_goes_round_as_its_wheels_say() {
    let mut simulation = example("bot.toml", &[]);
    let place = |simulation: &Simulation| {
        let world = simulation.world();
        *world.body_state(world.group("bot/base_link")[0])
    };
    let mut first = None;
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
        // The wheels begin to turn at once and slip at first.
        if first.is_none() && simulation.world().time() > 0.5 {
            first = Some(place(&simulation));
        }
    }
    let (first, last) = (first.unwrap(), place(&simulation));
    let turned = (last.rotation * first.rotation.inverse())
        .to_scaled_axis()
        .z;
    let chord = last.position.distance(first.position);
    let expected = (4.0 - 0.5) / 3.0;
    assert!((turned - expected).abs() < 0.01, "{turned} rad");
    // The centre of mass is 2 cm before the axle. The wheels are 2 cm wide, and statics leaves open
    // which of their edges roll and which are dragged along: that is a centimetre either way.
    let radius = 0.5 * chord / (0.5 * turned).sin();
    let axle = (radius * radius - 0.02 * 0.02).sqrt();
    assert!((axle - 0.75).abs() < 0.01 + 1e-3, "{axle} m");
}

#[test]
fn a_stone_rocks_as_housner_says() {
    let set = [
        ("settings.time_step", "\"0.1 ms\""),
        ("settings.duration", "\"0.7 s\""),
    ];
    let mut simulation = example("rock.toml", &set);
    let (mut down, mut least) = (None, 0.0_f64);
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
        let world = simulation.world();
        let state = world.body_state(world.group("block")[0]);
        let angle = state.rotation.to_scaled_axis().y;
        if angle <= 0.0 {
            down.get_or_insert(world.time());
        }
        least = least.min(angle);
    }
    // By integration of its pendulum equation.
    let down = down.unwrap();
    assert!((down - 0.3123).abs() < 5e-4, "{down} s");
    // What is left of the turning speed, from how far it swings. Small angles are meant: up to 1/4.
    let alpha = 0.25_f64.atan();
    let swing = least.abs() / alpha;
    let left = ((1.0 - (1.0 - swing).powi(2)) / 0.75).sqrt();
    let expected = 1.0 - 1.5 * alpha.sin().powi(2);
    assert!(
        (left - expected).abs() < 3e-3,
        "{left}, expected {expected}"
    );
}

#[test]
fn links_of_a_robot_have_materials_of_their_own() {
    let simulation = example("bot.toml", &[]);
    let world = simulation.world();
    let name = |body: &str| {
        world.materials()[world.material(world.group(body)[0]).index()]
            .name
            .clone()
    };
    assert_eq!(name("bot/caster"), "teflon");
    assert_eq!(name("bot/left_wheel"), "rubber");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    let text = std::fs::read_to_string(folder.join("bot.toml")).unwrap();
    let fault = |from: &str, to: &str| {
        let text = text.replace(from, to);
        let scene = Scene::parse(
            &text,
            "bot.toml",
            Some(folder.as_path()),
            &SceneOptions::default(),
        );
        scene.err().unwrap().to_string()
    };
    let words = fault("{ caster =", "{ castor =");
    assert!(
        words.contains("no link of the robot with a body of its own is called `castor`"),
        "{words}"
    );
    assert!(words.contains("did you mean `caster`?"), "{words}");
    let words = fault("caster = \"teflon\"", "caster = \"teflan\"");
    assert!(
        words.contains("no material is called `teflan`; did you mean `teflon`?"),
        "{words}"
    );
}
