//! The cone problem of a step, taken out of a world.

#![allow(clippy::unwrap_used)]

use drystone::{Body, Joint, JointKind, Law, Material, Settings, Shape, World};
use drystone_ccp::{Limits, Method, Monitor, solve};

/// Balls that resist rolling on a slope, one of them held by a joint, and a box: contacts of both kinds and joint rows.
fn slope() -> World {
    let mut world = World::new(Settings {
        gravity: [2.0, 0.0, -9.5].into(),
        tolerance: 1e-12,
        max_iterations: 100_000,
        ..Settings::default()
    })
    .unwrap();
    let felt = Material::new("felt").friction(0.4).rolling_friction(0.02);
    let felt = world.add_material(felt).unwrap();
    world
        .add(Body::fixed(Shape::plane()).material(felt).named("ground"))
        .unwrap();
    for k in 0..4_usize {
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([1.2 * k as f64, 0.0, 0.5]);
        let ball = if k % 2 == 0 {
            ball.material(felt)
        } else {
            ball
        };
        world.add(ball).unwrap();
    }
    let held = world.ids().last().unwrap();
    world
        .add_joint(Joint::new(JointKind::Spherical, None, held).at([3.6, 0.0, 1.0]))
        .unwrap();
    let brick = Shape::box_of([0.4, 0.4, 0.2]).unwrap();
    world
        .add(Body::dynamic(brick).at([-2.0, 0.0, 0.2]))
        .unwrap();
    world
}

#[test]
fn its_solution_is_the_step() {
    let mut world = slope();
    for _ in 0..5 {
        let _ = world.step().unwrap();
    }
    let before = world.state();
    let next = world.next_problem().unwrap();
    assert_eq!(
        world.state(),
        before,
        "taking the problem out moves nothing"
    );

    let limits = Limits {
        tolerance: 1e-12,
        ..Limits::default()
    };
    let mut gamma = next.warm_start().to_vec();
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let info = solve(next.problem(), Method::Auto, &mut gamma, &mut monitor).unwrap();
    assert!(info.converged(), "{info:?}");
    let mine = next.contact_forces(&gamma);

    let _ = world.step().unwrap();
    let forces: Vec<_> = world.contacts().collect();
    assert_eq!(mine.len(), forces.len());
    assert!(mine.iter().any(|c| c.torque.length() > 0.0), "some roll");
    for (mine, theirs) in mine.iter().zip(&forces) {
        assert_eq!(mine.id, theirs.id);
        let off = (mine.force - theirs.force).length() + (mine.torque - theirs.torque).length();
        assert!(off < 1e-4, "{mine:?} {theirs:?}");
    }
}

#[test]
fn without_contacts_there_are_no_rows() {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add(Body::dynamic(Shape::sphere(0.5).unwrap()))
        .unwrap();
    let next = world.next_problem().unwrap();
    assert_eq!(next.problem().dim(), 0);
    assert!(next.contact_forces(&[]).is_empty());
}
