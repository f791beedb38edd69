//! The four dynamic tests of Mazhar 2014 (§5.3.1 to §5.5), as the built-in scenes have them: the
//! exact law gives the analytic answers, the relaxed one shows the paper's artefacts.

#![allow(clippy::unwrap_used)]

use drystone::{Law, StepReport, World};
use drystone_scene::{Scene, SceneOptions, Simulation};
use glam::DVec3;

const G: f64 = 9.81;
const LAWS: [Law; 2] = [Law::Exact, Law::Relaxed];

/// Runs a scene under a law; `watch` sees the world after every step.
fn run(name: &str, law: Law, mut watch: impl FnMut(&World, &StepReport)) -> Simulation {
    let options = SceneOptions {
        set: vec![("settings.law".to_owned(), format!("\"{}\"", law.name()))],
        ..SceneOptions::default()
    };
    let scene = Scene::builtin(name, &options).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let settings = simulation.world().settings();
    assert!(settings.law == law && settings.time_step == 0.0025);
    while !simulation.is_finished() {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{name}, {law:?}: {report:?}");
        watch(simulation.world(), &report);
    }
    simulation
}

/// Rolls from `t = 2 v / (7 mu g)` on.
#[test]
fn a_sliding_ball_begins_to_roll() {
    for law in LAWS {
        let mut rolls_from = None;
        let [mut highest, mut rises, mut lift_off] = [0.0_f64; 3];
        let end = run("slide-to-roll", law, |world, report| {
            let state = world.body_state(world.group("ball")[0]);
            let slip = state.velocity.x - state.angular_velocity.y;
            if slip.abs() < 1e-3 {
                rolls_from.get_or_insert(world.time());
            }
            highest = highest.max(state.position.z - 1.0);
            rises = rises.max(state.velocity.z);
            lift_off = lift_off.max(report.relaxed.lift_off);
        });
        // Under both laws the report tells what the relaxed one does: mu times the slip, here after
        // the first impulse.
        assert!((0.3..0.4).contains(&lift_off), "{lift_off}");
        match law {
            Law::Exact => {
                let (found, expected) = (rolls_from.unwrap(), 4.0 / (7.0 * 0.2 * G));
                assert!((found - expected).abs() <= 0.0025, "{found} {expected}");
                assert!(highest < 1e-9 && rises < 1e-6, "{highest} {rises}");
                let world = end.world();
                let speed = world.body_state(world.group("ball")[0]).velocity.x;
                assert!((speed + 2.0 * 5.0 / 7.0).abs() < 1e-3, "{speed}");
            }
            // It jumps up at mu times the slip, and so comes down again and again.
            Law::Relaxed => assert!(rises > 0.3 && highest > 5e-4, "{highest} {rises}"),
        }
    }
}

/// What a box did: way along a direction, speed along it at the end, and how far it rose off the
/// plane with the given normal.
struct Slid {
    way: f64,
    speed: f64,
    rest: f64,
    highest: f64,
    difference: f64,
    time: f64,
}

fn slide(name: &str, law: Law, along: DVec3, normal: DVec3) -> Slid {
    let mut start = None;
    let [mut highest, mut difference] = [0.0_f64; 2];
    let end = run(name, law, |world, report| {
        let state = world.body_state(world.group("box")[0]);
        let first = *start.get_or_insert(state.position - 0.0025 * state.velocity);
        highest = highest.max((state.position - first).dot(normal));
        difference = difference.max(report.relaxed.difference);
    });
    let world = end.world();
    let state = world.body_state(world.group("box")[0]);
    Slid {
        way: (state.position - start.unwrap()).dot(along),
        speed: state.velocity.dot(along),
        rest: state.velocity.length(),
        highest,
        difference,
        time: world.time(),
    }
}

/// Stops after `v² / (2 mu g)`.
#[test]
fn a_sliding_box_stops() {
    for law in LAWS {
        let slid = slide("slide-to-rest", law, DVec3::NEG_X, DVec3::Z);
        assert!(slid.rest < 1e-6, "{law:?}: {}", slid.rest);
        match law {
            Law::Exact => {
                let expected = 4.0 / (2.0 * 0.3 * G);
                assert!(
                    (slid.way / expected - 1.0).abs() < 5e-3,
                    "{} {expected}",
                    slid.way
                );
                assert!(slid.highest < 1e-9, "{}", slid.highest);
                // The report told that the relaxed law would have lifted it at mu v.
                assert!((slid.difference - 0.6).abs() < 0.1, "{}", slid.difference);
            }
            Law::Relaxed => assert!(slid.highest > 5e-4 && slid.difference == 0.0),
        }
    }
}

/// Directions down a slope and away from it.
fn slope(degrees: f64) -> (f64, DVec3, DVec3) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let [down, away] = [DVec3::new(cos, 0.0, -sin), DVec3::new(sin, 0.0, cos)];
    (degrees.to_radians(), down, away)
}

/// Speeds up at `g (sin a − mu cos a)`.
#[test]
fn a_box_speeds_up_on_a_slope() {
    let (angle, down, away) = slope(65.0);
    for law in LAWS {
        let slid = slide("slope-from-rest", law, down, away);
        match law {
            Law::Exact => {
                let expected = G * (angle.sin() - 0.2 * angle.cos());
                let found = slid.speed / slid.time;
                assert!((found / expected - 1.0).abs() < 5e-3, "{found} {expected}");
                assert!(slid.highest < 1e-9, "{}", slid.highest);
            }
            Law::Relaxed => assert!(slid.highest > 1e-3, "{}", slid.highest),
        }
    }
}

/// Stops after `v² / (2 g (mu cos a − sin a))`.
#[test]
fn a_box_stops_on_a_slope() {
    let (angle, down, away) = slope(25.0);
    for law in LAWS {
        let slid = slide("slope-to-rest", law, down, away);
        assert!(slid.rest < 1e-6, "{law:?}: {}", slid.rest);
        match law {
            Law::Exact => {
                let expected = 2.0 / (G * (0.6 * angle.cos() - angle.sin()));
                assert!(
                    (slid.way / expected - 1.0).abs() < 5e-3,
                    "{} {expected}",
                    slid.way
                );
                assert!(slid.highest < 1e-9, "{}", slid.highest);
            }
            Law::Relaxed => assert!(slid.highest > 1e-3, "{}", slid.highest),
        }
    }
}
