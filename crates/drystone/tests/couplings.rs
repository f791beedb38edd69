//! Couplings of joints against answers that are known.

#![allow(clippy::unwrap_used)]

use drystone::{Body, BodyId, Joint, JointId, JointKind, Settings, Shape, World};
use glam::DVec3;

fn weightless(time_step: f64) -> World {
    World::new(Settings {
        time_step,
        tolerance: 1e-8,
        gravity: DVec3::ZERO,
        ..Settings::default()
    })
    .unwrap()
}

fn brick(world: &mut World, mass: f64, at: [f64; 3]) -> BodyId {
    let shape = Shape::box_of([0.1, 0.05, 0.02]).unwrap();
    world.add(Body::dynamic(shape).mass(mass).at(at)).unwrap()
}

fn coordinate(world: &World, joint: JointId) -> f64 {
    world.joint_coordinate(joint).unwrap()[0]
}

/// Two slides on a cart on a rail, `q2 = 2 q1`, and a force on the first. The mass matrix of
/// `(V, q̇)` is `[[M + 2m, 3m], [3m, 5m]]`, the force `(F, F)`.
#[test]
fn slides_on_a_cart_move_as_lagrange_says() {
    let (cart_mass, mass, force, h) = (1.2, 0.3, 0.5, 1e-3);
    let mut world = weightless(h);
    let cart = brick(&mut world, cart_mass, [0.0; 3]);
    let first = brick(&mut world, mass, [0.0, 0.3, 0.0]);
    let second = brick(&mut world, mass, [0.0, -0.3, 0.0]);
    // On the line of the centres of mass, so that nothing turns.
    let mut slide = |body| {
        let joint = Joint::prismatic(cart, body).axis([1.0, 0.0, 0.0]);
        world.add_joint(joint).unwrap()
    };
    let slides = [slide(first), slide(second)];
    let joint = Joint::coupling(slides[0], slides[1], 2.0);
    let coupling = world.add_joint(joint).unwrap();
    // The rail takes what would turn the whole.
    let rail = Joint::prismatic(None, cart).axis([1.0, 0.0, 0.0]);
    world.add_joint(rail).unwrap();
    world.set_load(first, DVec3::new(force, 0.0, 0.0), DVec3::ZERO);
    let steps = 400;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
        assert!(world.joint_error(coupling) < 1e-9);
    }
    let (a, b, c) = (cart_mass + 2.0 * mass, 3.0 * mass, 5.0 * mass);
    let determinant = a * c - b * b;
    let cart_acceleration = force * (c - b) / determinant;
    let slide_acceleration = force * (a - b) / determinant;
    let time = h * f64::from(steps);
    let speed = world.body_state(cart).velocity.x;
    assert!(
        (speed / (cart_acceleration * time) - 1.0).abs() < 1e-4,
        "{speed}"
    );
    let [_, rate] = world.joint_coordinate(slides[0]).unwrap();
    assert!(
        (rate / (slide_acceleration * time) - 1.0).abs() < 1e-4,
        "{rate}"
    );
    // What the coupling exerts on the second slide, along it.
    let expected = mass * (cart_acceleration + 2.0 * slide_acceleration);
    let found = world.joint_force(coupling);
    assert!((found.force.x / expected - 1.0).abs() < 1e-4, "{found:?}");
    assert!((found.motor / expected - 1.0).abs() < 1e-4, "{found:?}");
}

/// Momentum of everything, N s, and angular momentum about the origin, N m s. Bodies are balls.
fn momentum(world: &World, bodies: &[BodyId], mass: f64, radius: f64) -> [DVec3; 2] {
    let mut sum = [DVec3::ZERO; 2];
    for body in bodies {
        let state = world.body_state(*body);
        sum[0] += mass * state.velocity;
        sum[1] += mass * state.position.cross(state.velocity)
            + 0.4 * mass * radius * radius * state.angular_velocity;
    }
    sum
}

/// Two pairs of balls on hinges, floating: four bodies in one row.
#[test]
fn two_floating_hinges_turn_together_and_keep_momentum_and_energy() {
    let (mass, radius) = (0.5, 0.1);
    let mut world = weightless(1e-3);
    let balls: Vec<BodyId> = (0..4)
        .map(|k| {
            let ball = Body::dynamic(Shape::sphere(radius).unwrap()).mass(mass);
            let x = f64::from(k);
            let spin = [0.3 * x, 1.0 - x, 0.7];
            world
                .add(ball.at([0.5 * x, 0.1 * x, 0.0]).angular_velocity(spin))
                .unwrap()
        })
        .collect();
    let mut hinge = |a: usize| {
        let at = [0.25 + 0.5 * a as f64, 0.0, 0.0];
        let joint = Joint::revolute(balls[a], balls[a + 1])
            .at(at)
            .axis([0.2, 0.3, 1.0]);
        world.add_joint(joint).unwrap()
    };
    let hinges = [hinge(0), hinge(2)];
    let coupling = world
        .add_joint(Joint::coupling(hinges[0], hinges[1], -1.5))
        .unwrap();
    // The first step brings the velocities together: what it takes away is not the coupling's.
    let _ = world.step().unwrap();
    let before = momentum(&world, &balls, mass, radius);
    let energy = world.energy()[0];
    for _ in 0..2000 {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
    }
    let [a, b] = hinges.map(|hinge| coordinate(&world, hinge));
    assert!(a.abs() > 0.05, "{a}");
    assert!((b + 1.5 * a).abs() < 1e-6, "{a} {b}");
    assert!(world.joint_error(coupling) < 1e-6);
    let after = momentum(&world, &balls, mass, radius);
    assert!(
        (after[0] - before[0]).length() < 1e-6 * mass,
        "{before:?} {after:?}"
    );
    assert!(
        (after[1] - before[1]).length() < 1e-3 * before[1].length(),
        "{before:?} {after:?}"
    );
    let drift = world.energy()[0] / energy - 1.0;
    assert!(drift.abs() < 0.01, "{drift}");
}

/// A wheel and a rack on a carrier that a path moves and turns: only two bodies are unknown.
#[test]
fn a_rack_on_a_moving_carrier_follows_its_pinion() {
    let mut world = weightless(1e-3);
    let carrier = world
        .add(Body::prescribed(Shape::box_of([0.2; 3]).unwrap(), |t| {
            drystone::Pose {
                position: DVec3::new(0.3 * t, 0.0, 0.1 * (5.0 * t).sin()),
                rotation: glam::DQuat::from_rotation_y(t),
            }
        }))
        .unwrap();
    let pinion = brick(&mut world, 0.2, [0.0, 0.4, 0.0]);
    let rack = brick(&mut world, 0.4, [0.0, -0.4, 0.0]);
    let turn = Joint::revolute(carrier, pinion)
        .at([0.0, 0.4, 0.0])
        .axis([0.0, 0.0, 1.0]);
    let turn = turn.motor(drystone::Motor::speed(2.0));
    let turn = world.add_joint(turn).unwrap();
    let slide = Joint::prismatic(carrier, rack)
        .at([0.0, -0.4, 0.0])
        .axis([1.0, 0.0, 0.0]);
    let slide = world.add_joint(slide).unwrap();
    world.add_joint(Joint::coupling(turn, slide, 0.05)).unwrap();
    for _ in 0..500 {
        assert!(world.step().unwrap().converged());
    }
    assert!((coordinate(&world, turn) - 1.0).abs() < 1e-3);
    assert!((coordinate(&world, slide) - 0.05).abs() < 1e-4);
}

#[test]
fn a_coupling_that_is_let_go_no_longer_holds() {
    let mut world = weightless(1e-3);
    let cart = brick(&mut world, 1.0, [0.0; 3]);
    let [a, b] = [0.3, -0.3].map(|y| brick(&mut world, 0.1, [0.0, y, 0.0]));
    let mut slide = |body| {
        let joint = Joint::prismatic(cart, body).axis([1.0, 0.0, 0.0]);
        world.add_joint(joint).unwrap()
    };
    let slides = [slide(a), slide(b)];
    let coupling = world
        .add_joint(Joint::coupling(slides[0], slides[1], 1.0))
        .unwrap();
    world.set_joint_enabled(coupling, false);
    world.set_load(a, DVec3::new(0.1, 0.0, 0.0), DVec3::ZERO);
    for _ in 0..50 {
        let _ = world.step().unwrap();
    }
    assert!((coordinate(&world, slides[0]) - coordinate(&world, slides[1])).abs() > 1e-4);
}

#[test]
fn couplings_that_cannot_be_are_refused() {
    let mut world = weightless(1e-3);
    let cart = brick(&mut world, 1.0, [0.0; 3]);
    let a = brick(&mut world, 0.1, [0.0, 0.3, 0.0]);
    let slide = Joint::prismatic(cart, a).axis([1.0, 0.0, 0.0]);
    let slide = world.add_joint(slide).unwrap();
    let ball = world
        .add_joint(Joint::spherical(None, cart).named("ball"))
        .unwrap();
    let hinge = world.add_joint(Joint::revolute(None, cart)).unwrap();
    let kind = |joints, ratio, offset| JointKind::Coupling {
        joints,
        ratio,
        offset,
    };
    for (kind, words) in [
        (
            kind([slide, ball], 1.0, None),
            "joint ball is spherical, which has no coordinate",
        ),
        (kind([slide, slide], 1.0, None), "the same"),
        (
            kind([slide, JointId::new(9)], 1.0, None),
            "there is no joint 9, only 3",
        ),
        (kind([slide, hinge], 0.0, None), "ratio 0"),
        (kind([slide, hinge], f64::NAN, None), "ratio NaN"),
        (kind([slide, hinge], 1.0, Some(0.3)), "start at 0 and 0"),
        (kind([slide, hinge], 1.0, Some(f64::INFINITY)), "offset"),
    ] {
        let error = world.add_joint(Joint::new(kind, None, None)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}
