//! The tracked vehicle drives over slabs: joints and contacts in one problem.

#![allow(clippy::unwrap_used)]

use drystone::{BodyId, World};
use drystone_scene::{Scene, SceneOptions, Simulation};
use glam::DVec3;

/// Shoes of a track whose middle lies on the wrapped part of the sprocket, and how far the nearest
/// of them is off its pitch circle.
fn wrapped(world: &World, track: &str) -> (usize, f64) {
    let sprocket = world.group(&format!("{track}/sprocket"))[0];
    let pose = world.pose(sprocket);
    let forward = world.pose(world.group("chassis")[0]).direction(DVec3::X);
    let shoes = world.group(&format!("{track}/shoe"));
    let distance = |shoe: &BodyId| {
        let apart = world.pose(*shoe).position - pose.position;
        (apart - apart.dot(pose.direction(DVec3::Y)) * pose.direction(DVec3::Y)).length()
    };
    let ahead = shoes.iter().filter(|shoe| {
        let apart = world.pose(**shoe).position - pose.position;
        apart.dot(forward) > 0.1
    });
    let distances: Vec<f64> = ahead.map(distance).collect();
    let furthest = distances.iter().copied().fold(0.0, f64::max);
    (distances.len(), furthest)
}

#[test]
fn it_drives_two_metres_over_slabs_and_keeps_its_tracks() {
    let options = SceneOptions {
        set: [("gravel", "0"), ("speed", "4"), ("drive_time", "2.3")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .to_vec(),
        ..SceneOptions::default()
    };
    let scene = Scene::builtin("tracked-vehicle", &options).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let chassis = simulation.world().group("chassis")[0];
    let start = simulation.world().pose(chassis).position.x;
    let at_rest = ["left", "right"].map(|track| wrapped(simulation.world(), track));
    let [mut highest, mut settled, mut worst_pin] = [0.0_f64; 3];
    while !simulation.is_finished() {
        let report = simulation.step().unwrap();
        assert!(report.converged() && report.residual <= 1e-4, "{report:?}");
        worst_pin = worst_pin.max(report.joint_error);
        let world = simulation.world();
        let height = world.pose(chassis).position.z;
        match simulation.phase().0 {
            0 => settled = height,
            _ => highest = highest.max(height),
        }
        if report.step.is_multiple_of(20) {
            for (track, (shoes, distance)) in ["left", "right"].iter().zip(at_rest) {
                let (now, furthest) = wrapped(world, track);
                // As many shoes as at the start, give or take one at either end, and none lifted
                // off by half a tooth.
                assert!(now.abs_diff(shoes) <= 2, "{track}: {now} of {shoes} shoes");
                assert!(
                    furthest < distance + 0.02,
                    "{track}: {furthest} m from the axle"
                );
            }
        }
    }
    let world = simulation.world();
    let driven = world.pose(chassis).position.x - start;
    assert!(driven > 2.0, "{driven} m");
    assert!(worst_pin < 1e-3, "{worst_pin} m");
    // It climbed the slabs, and is still upright.
    assert!(highest > settled + 0.05, "{highest} m from {settled} m");
    assert!(world.pose(chassis).direction(DVec3::Z).z > 0.95);
}
