//! What single joints exert and let through, against answers by hand.

#![allow(clippy::unwrap_used)]

use drystone::{Body, BodyId, Joint, JointKind, Motor, Settings, Shape, World};
use glam::{DQuat, DVec3};

const G: f64 = 9.81;
const H: f64 = 1e-3;

fn world() -> World {
    World::new(Settings {
        time_step: H,
        tolerance: 1e-9,
        ..Settings::default()
    })
    .unwrap()
}

fn brick(world: &mut World, mass: f64, at: DVec3) -> BodyId {
    let shape = Shape::box_of([0.1, 0.06, 0.04]).unwrap();
    world.add(Body::dynamic(shape).mass(mass).at(at)).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        let report = world.step().unwrap();
        assert!(
            report.converged() && report.joint_error < 1e-6,
            "{report:?}"
        );
    }
}

/// What slides along a line or a plane of angle α speeds up at g sin α, and the joint carries m g
/// cos α across it.
#[test]
fn guides_carry_across_and_let_slide_along() {
    let slope = 0.6_f64;
    let [along, normal] = [
        DVec3::new(slope.cos(), 0.0, -slope.sin()),
        DVec3::new(slope.sin(), 0.0, slope.cos()),
    ];
    let kinds = [
        (JointKind::Prismatic, along),
        (JointKind::Cylindrical, along),
        (JointKind::PointOnLine, along),
        (JointKind::PointOnPlane, normal),
    ];
    for (kind, axis) in kinds {
        let mut world = world();
        let body = brick(&mut world, 2.0, DVec3::ZERO);
        let joint = Joint::new(kind, None, body).axis(axis);
        let joint = world.add_joint(joint).unwrap();
        run(&mut world, 0.5);
        let state = *world.body_state(body);
        let expected = 0.5 * G * slope.sin() * along;
        let off = (state.velocity - expected).length();
        assert!(off < 1e-6, "{kind:?}: {}", state.velocity);
        let force = world.joint_force(joint).force;
        let expected = 2.0 * G * slope.cos() * normal;
        assert!((force - expected).length() < 1e-4, "{kind:?}: {force}");
    }
}

/// A collar that turns goes on turning while it slides.
#[test]
fn a_cylindrical_joint_lets_turn_and_slide() {
    let mut world = world();
    let axis = DVec3::new(0.48, 0.6, 0.64);
    let shape = Shape::cylinder(0.1, 0.05).unwrap();
    let collar = Body::dynamic(shape)
        .mass(2.0)
        .rotated(DQuat::from_rotation_arc(DVec3::Z, axis))
        .angular_velocity(7.0 * axis);
    let collar = world.add(collar).unwrap();
    let joint = Joint::new(JointKind::Cylindrical, None, collar).axis(axis);
    let joint = world.add_joint(joint).unwrap();
    run(&mut world, 1.0);
    let spin = world.body_state(collar).angular_velocity;
    assert!((spin - 7.0 * axis).length() < 1e-6, "{spin}");
    let [way, speed] = world.joint_coordinate(joint).unwrap();
    let slide = -G * axis.z;
    assert!((speed - slide).abs() < 1e-6, "{speed}");
    // Half-implicit Euler is half a step ahead.
    assert!((way - 0.5 * slide * (1.0 + H)).abs() < 1e-6, "{way}");
}

/// A row of bricks held out from a wall: each joint carries weight and moment of all beyond it.
#[test]
fn fixed_joints_carry_a_cantilever() {
    let mut world = world();
    let mut joints = Vec::new();
    let mut last = None;
    for k in 0..4 {
        let x = 0.2 * f64::from(k);
        let body = brick(&mut world, 1.5, DVec3::new(x + 0.1, 0.0, 0.0));
        let joint = Joint::fixed(last, body).at([x, 0.0, 0.0]);
        joints.push(world.add_joint(joint).unwrap());
        last = Some(body);
    }
    run(&mut world, 0.05);
    for (k, joint) in joints.iter().enumerate() {
        let beyond = (4 - k) as f64;
        let weight = 1.5 * G * beyond;
        let found = world.joint_force(*joint);
        let force = DVec3::new(0.0, 0.0, weight);
        // Their centre is half their length away; the joint turns them up, about −y.
        let torque = DVec3::new(0.0, -weight * 0.1 * beyond, 0.0);
        assert!((found.force - force).length() < 1e-4, "{k}: {found:?}");
        assert!((found.torque - torque).length() < 1e-4, "{k}: {found:?}");
    }
}

/// A ball that circles on a rod at ω² = g / (l cos α) stays at its height, and the rod pulls with m
/// g / cos α.
#[test]
fn a_distance_joint_carries_a_conical_pendulum() {
    let (length, angle) = (0.8, 0.7_f64);
    let mut world = world();
    let radius = length * angle.sin();
    let rate = (G / (length * angle.cos())).sqrt();
    let ball = Body::dynamic(Shape::sphere(0.05).unwrap())
        .mass(2.0)
        .at([radius, 0.0, -length * angle.cos()])
        .velocity([0.0, rate * radius, 0.0]);
    let ball = world.add(ball).unwrap();
    let start = world.body_state(ball).position;
    let rod = Joint::distance(None, ball).between(DVec3::ZERO, start);
    let rod = world.add_joint(rod).unwrap();
    // Velocities are those between positions: the first step bends the path by half a step only.
    run(&mut world, H);
    for _ in 0..3000 {
        run(&mut world, H);
        let height = world.body_state(ball).position.z;
        assert!((height - start.z).abs() < 2e-3, "{height} {start}");
        let pull = world.joint_force(rod).force.length();
        let expected = 2.0 * G / angle.cos();
        assert!((pull / expected - 1.0).abs() < 5e-3, "{pull} {expected}");
    }
}

/// Two shafts at an angle β: `ω_b / ω_a = cos β / (1 − sin²β sin²φ)`.
#[test]
fn a_universal_joint_turns_unevenly_as_it_must() {
    let bend = 0.7_f64;
    let mut world = world();
    let second_shaft = DVec3::new(bend.cos(), 0.0, bend.sin());
    let first = brick(&mut world, 1.0, DVec3::new(-0.3, 0.0, 0.0));
    let second = brick(&mut world, 1.0, 0.3 * second_shaft);
    let drive = Joint::revolute(None, first)
        .axis([1.0, 0.0, 0.0])
        .motor(Motor::speed(3.0));
    let drive = world.add_joint(drive).unwrap();
    let cross = Joint::new(JointKind::Universal, first, second)
        .axis([0.0, 1.0, 0.0])
        .second_axis([-bend.sin(), 0.0, bend.cos()]);
    world.add_joint(cross).unwrap();
    let output = Joint::revolute(None, second).axis(second_shaft);
    let output = world.add_joint(output).unwrap();
    // A little more than a turn.
    for _ in 0..2200 {
        run(&mut world, H);
        let [angle, speed] = world.joint_coordinate(drive).unwrap();
        let [_, found] = world.joint_coordinate(output).unwrap();
        // Speeds are means over the step, angles those at its end.
        let phase = angle - 0.5 * H * speed;
        let expected = speed * bend.cos() / (1.0 - (bend.sin() * phase.sin()).powi(2));
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}
