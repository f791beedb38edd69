//! The contacts of a world, by body.

#![allow(clippy::unwrap_used)]

use drystone::{Body, Settings, Shape, World};
use glam::DVec3;

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        assert!(world.step().unwrap().converged());
    }
}

#[test]
fn the_contacts_of_a_body_are_those_that_name_it() {
    let mut world = World::new(Settings {
        tolerance: 1e-8,
        ..Settings::default()
    })
    .unwrap();
    let ground = world.add(Body::fixed(Shape::plane())).unwrap();
    let cube = |x: f64, z: f64| {
        let cube = Body::dynamic(Shape::box_of([0.5; 3]).unwrap());
        cube.at([x, 0.0, z])
    };
    // A wall of two and one: the upper cube stands on both lower ones.
    let lower = [-0.6, 0.6].map(|x| world.add(cube(x, 0.5)).unwrap());
    let upper = world.add(cube(0.0, 1.5)).unwrap();
    steps(&mut world, 100);
    for body in world.ids() {
        let all = world.contacts().filter(|c| c.bodies.contains(&body));
        let all: Vec<_> = all.collect();
        assert!(!all.is_empty());
        assert!(world.contacts_of(body).eq(all.iter().copied()));
        // The load is their sum, with the sign of the side.
        let mut force = DVec3::ZERO;
        for contact in all {
            let second = contact.bodies[1] == body;
            force += if second { 1.0 } else { -1.0 } * contact.force;
        }
        assert_eq!(world.contact_load(body).force, force);
    }
    let weight = 9.81 * world.mass(upper);
    let both = lower.map(|l| world.force_between(upper, l).z);
    assert!(
        (both[0] + both[1] + weight).abs() < 1e-6 * weight,
        "{both:?}"
    );
    assert_eq!(world.force_between(upper, ground), DVec3::ZERO);
    // A body that came after the step has none, and a state of another time has its own.
    let late = world.add(cube(5.0, 0.5)).unwrap();
    assert_eq!(world.contacts_of(late).len(), 0);
    assert_eq!(world.force_between_groups("body", "nobody"), DVec3::ZERO);
    let saved = world.state();
    steps(&mut world, 1);
    assert!(world.contacts_of(late).len() >= 4);
    world.restore(&saved).unwrap();
    assert_eq!(world.contacts_of(late).len(), 0);
}
