//! Angular rows of joints are judged at a length that fits their bodies: the same machine, large or
//! small, takes the same iterations to the same residual.

#![allow(clippy::unwrap_used)]

use drystone::{Body, BodyId, Joint, Law, Motor, Settings, Shape, Spring, World};
use glam::DVec3;

/// An arm of four bars that swings from a pin, with all lengths times `size`. Under the same
/// gravity times go with the root of lengths, torques with lengths.
fn arm(size: f64) -> World {
    let time = size.sqrt();
    let settings = Settings {
        time_step: time / 256.0,
        law: Law::Relaxed,
        max_work: Some(1e6),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let bar = Shape::box_of(DVec3::new(0.25, 0.0625, 0.0625) * size).unwrap();
    let mut last: Option<BodyId> = None;
    for k in 0..4 {
        let place = DVec3::new(0.25 + 0.5 * f64::from(k), 0.0, 1.0) * size;
        let body = Body::dynamic(bar.clone()).at(place).mass(1.0);
        let body = world.add(body).unwrap();
        let hinge = DVec3::new(0.5 * f64::from(k), 0.0, 1.0) * size;
        let joint = Joint::revolute(last, body).at(hinge).axis([0.0, 1.0, 0.0]);
        let joint = match k {
            0 => joint.motor(Motor::speed(1.0 / time).max_force(8.0 * size)),
            1 => joint.limits(-0.5, 0.5),
            2 => joint.spring(Spring::new(2.0 * size).damping(0.25 * size * time)),
            _ => joint,
        };
        world.add_joint(joint).unwrap();
        last = Some(body);
    }
    world
}

#[test]
fn a_machine_takes_the_same_iterations_in_every_size() {
    // Powers of four: then all figures differ by powers of two, and rounding is the same.
    let mut worlds = [1.0, 1.0 / 256.0, 16.0].map(arm);
    let mut solved = 0;
    for step in 0..100 {
        let reports = worlds.each_mut().map(|world| world.step().unwrap());
        solved += reports[0].iterations;
        for report in &reports[1..] {
            assert_eq!(report.iterations, reports[0].iterations, "step {step}");
            let (one, other) = (reports[0].residual, report.residual);
            assert!(
                (one - other).abs() <= 1e-6 * one + 1e-12,
                "step {step}: {one} and {other}"
            );
        }
    }
    assert!(solved > 0, "nothing was solved");
}
