//! Joints, motors and springs against answers that are known.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use drystone::{
    Body, BodyId, Drive, Joint, JointId, JointKind, Motor, Pose, Settings, Shape, Spring, Touch,
    World,
};
use glam::{DQuat, DVec3};

const G: f64 = 9.81;

fn world(time_step: f64, tolerance: f64) -> World {
    World::new(Settings {
        time_step,
        tolerance,
        ..Settings::default()
    })
    .unwrap()
}

/// A bar of length `length` from `start` along `direction`, 1 kg and thin.
fn bar(world: &mut World, start: DVec3, direction: DVec3, length: f64) -> BodyId {
    let direction = direction.normalize();
    let shape = Shape::box_of([0.5 * length, 0.02, 0.02]).unwrap();
    let rotation = DQuat::from_rotation_arc(DVec3::X, direction);
    let body = Body::dynamic(shape)
        .mass(1.0)
        .at(start + 0.5 * length * direction)
        .rotated(rotation);
    world.add(body).unwrap()
}

/// Inertia of a bar across its length, kg m².
fn bar_inertia(length: f64) -> f64 {
    (length * length + 0.04 * 0.04) / 12.0
}

fn total(world: &World) -> f64 {
    let [kinetic, potential] = world.energy();
    kinetic + potential
}

/// Complete elliptic integral of the first kind by the arithmetic-geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

#[test]
fn a_pendulum_has_the_period_of_the_elliptic_integral() {
    let length = 0.5;
    let amplitude: f64 = 2.0; // rad from the lowest point
    let mut world = world(1e-3, 1e-8);
    let direction = DVec3::new(amplitude.sin(), 0.0, -amplitude.cos());
    let rod = bar(&mut world, DVec3::ZERO, direction, length);
    let pivot = world
        .add_joint(
            Joint::revolute(None, rod)
                .at([0.0; 3])
                .axis([0.0, 1.0, 0.0]),
        )
        .unwrap();
    let about_end = bar_inertia(length) + 0.25 * length * length;
    let small = (G * 0.5 * length / about_end).sqrt();
    let period = 4.0 / small * elliptic((0.5 * amplitude).sin());

    let energy = total(&world);
    let mut crossings = Vec::new();
    let mut last = world.body_state(rod).position.x;
    for _ in 0..10_000 {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
        let x = world.body_state(rod).position.x;
        if last < 0.0 && x >= 0.0 {
            let share = -last / (x - last);
            crossings.push(world.time() - (1.0 - share) * 1e-3);
        }
        last = x;
        assert!(world.joint_error(pivot) < 1e-6);
        let drift = (total(&world) - energy).abs();
        assert!(drift < 0.01 * G * length, "{drift} at {}", world.time());
    }
    let turns = crossings.len() - 1;
    let found = (crossings[turns] - crossings[0]) / turns as f64;
    assert!((found / period - 1.0).abs() < 1e-3, "{found} {period}");
}

/// A heavy body swinging and spinning on each kind of joint for ten seconds.
fn swing(kind: JointKind) -> (World, JointId) {
    let mut world = world(1e-3, 1e-7);
    let base = world
        .add(Body::fixed(Shape::sphere(0.05).unwrap()).at([0.0, 0.0, 2.0]))
        .unwrap();
    let brick = Body::dynamic(Shape::box_of([0.3, 0.1, 0.05]).unwrap())
        .mass(3.0)
        .at([0.3, 0.1, 2.0])
        .velocity([0.1, 0.2, -0.3])
        .angular_velocity([1.0, -0.5, 2.0]);
    let brick = world.add(brick).unwrap();
    let joint = Joint::new(kind, base, brick)
        .axis([0.0, 0.6, 0.8])
        .second_axis([1.0, 0.0, 0.0]);
    let joint = match kind {
        JointKind::Distance(_) | JointKind::Link => {
            joint.between([0.0, 0.0, 2.0], [0.3, 0.1, 2.05])
        }
        _ => joint.at([0.0, 0.0, 2.0]),
    };
    let joint = match kind {
        // So that nothing slides away for ever.
        JointKind::Prismatic | JointKind::Cylindrical => joint.limits(-0.5, 0.5),
        _ => joint,
    };
    let joint = world.add_joint(joint).unwrap();
    (world, joint)
}

#[test]
fn every_joint_holds_for_ten_seconds() {
    let kinds = [
        JointKind::Spherical,
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Fixed,
        JointKind::Distance(None),
        JointKind::PointOnLine,
        JointKind::PointOnPlane,
    ];
    for kind in kinds {
        let (mut world, joint) = swing(kind);
        let start = total(&world);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            let report = world.step().unwrap();
            assert!(report.converged(), "{kind:?}: {report:?}");
            worst = worst.max(world.joint_error(joint));
        }
        assert!(worst < 1e-6, "{kind:?}: {worst}");
        // Limits and unbounded falls apart, nothing gains energy.
        let gained = total(&world) - start;
        assert!(
            gained < 0.02 * (1.0 + start.abs()),
            "{kind:?}: {gained} of {start}"
        );
    }
}

#[test]
fn gears_turn_and_racks_move_together() {
    let mut world = world(1e-3, 1e-8);
    let wheel = |x: f64, radius: f64| {
        Body::dynamic(Shape::cylinder(radius, 0.02).unwrap()).at([x, 0.0, 0.0])
    };
    let large = world.add(wheel(0.0, 0.2)).unwrap();
    let small = world.add(wheel(0.3, 0.1)).unwrap();
    let rack = Body::dynamic(Shape::box_of([0.5, 0.02, 0.02]).unwrap()).at([0.3, 0.4, 0.0]);
    let rack = world.add(rack).unwrap();
    for (body, x) in [(large, 0.0), (small, 0.3)] {
        let bearing = Joint::revolute(None, body).at([x, 0.0, 0.0]);
        world.add_joint(bearing).unwrap();
    }
    let slide = Joint::prismatic(None, rack)
        .at([0.3, 0.4, 0.0])
        .axis([1.0, 0.0, 0.0]);
    let slide = world.add_joint(slide).unwrap();
    let mesh = Joint::new(JointKind::Gear { ratio: -2.0 }, large, small).collide(false);
    let mesh = world.add_joint(mesh).unwrap();
    let teeth = Joint::new(JointKind::Rack { radius: 0.1 }, small, rack)
        .second_axis([1.0, 0.0, 0.0])
        .at([0.3, 0.4, 0.0]);
    let teeth = world.add_joint(teeth).unwrap();
    world.set_velocity(large, DVec3::ZERO, [0.0, 0.0, 3.0]);
    for _ in 0..10_000 {
        assert!(world.step().unwrap().converged());
        assert!(world.joint_error(mesh) < 1e-6 && world.joint_error(teeth) < 1e-6);
    }
    // More than a whole turn, so that angles must count on.
    let speed = |b: BodyId| world.body_state(b).angular_velocity.z;
    assert!((speed(small) + 2.0 * speed(large)).abs() < 1e-6);
    let [moved, rate] = world.joint_coordinate(slide).unwrap();
    assert!((rate - 0.1 * speed(small)).abs() < 1e-6, "{rate}");
    assert!(moved.abs() > 0.2 * PI, "{moved}");
}

#[test]
fn motors_keep_speed_and_position_up_to_their_force() {
    let mut world = world(1e-3, 1e-9);
    let rod = bar(&mut world, DVec3::ZERO, DVec3::X, 1.0);
    let joint = Joint::revolute(None, rod)
        .at([0.0; 3])
        .axis([0.0, -1.0, 0.0])
        .motor(Motor::speed(0.5));
    let joint = world.add_joint(joint).unwrap();
    for _ in 0..1000 {
        let _ = world.step().unwrap();
    }
    let [angle, speed] = world.joint_coordinate(joint).unwrap();
    assert!(
        (speed - 0.5).abs() < 1e-6 && (angle - 0.5).abs() < 1e-3,
        "{angle} {speed}"
    );

    // Up to an angle, held there: the torque is the weight's.
    let target = |t: f64| 0.5 + 0.3 * (t - 1.0).clamp(0.0, 1.0);
    world.set_motor(joint, Some(Motor::new(Drive::Position(Arc::new(target)))));
    for _ in 0..2000 {
        let _ = world.step().unwrap();
    }
    let [angle, speed] = world.joint_coordinate(joint).unwrap();
    assert!(
        (angle - 0.8).abs() < 1e-6 && speed.abs() < 1e-6,
        "{angle} {speed}"
    );
    let torque = G * 0.5 * 0.8_f64.cos();
    let force = world.joint_force(joint);
    assert!((force.motor - torque).abs() < 1e-4 * torque, "{force:?}");
    assert!(
        (force.force - DVec3::new(0.0, 0.0, G)).length() < 1e-3,
        "{force:?}"
    );

    // Too weak to hold it: the rod falls.
    world.set_motor(joint, Some(Motor::speed(0.0).max_force(0.5 * torque)));
    for _ in 0..500 {
        let _ = world.step().unwrap();
        assert!(world.joint_force(joint).motor <= 0.5 * torque * (1.0 + 1e-6));
    }
    assert!(world.joint_coordinate(joint).unwrap()[0] < 0.5);

    // A given torque: alpha = tau / I about the pivot, without gravity.
    let mut settings = world.settings().clone();
    settings.gravity = DVec3::ZERO;
    world.set_settings(settings).unwrap();
    world.set_motor(joint, Some(Motor::force(0.2)));
    world.set_velocity(rod, DVec3::ZERO, DVec3::ZERO);
    for _ in 0..100 {
        let _ = world.step().unwrap();
    }
    let alpha = 0.2 / (bar_inertia(1.0) + 0.25);
    let [_, speed] = world.joint_coordinate(joint).unwrap();
    assert!(
        (speed - 0.1 * alpha).abs() < 1e-4 * alpha,
        "{speed} {alpha}"
    );
}

#[test]
fn limits_stop_a_joint() {
    let mut world = world(1e-3, 1e-8);
    let rod = bar(&mut world, DVec3::ZERO, DVec3::X, 1.0);
    let joint = Joint::revolute(None, rod)
        .at([0.0; 3])
        .axis([0.0, 1.0, 0.0])
        .limits(-0.1, 0.7);
    let joint = world.add_joint(joint).unwrap();
    let mut furthest = 0.0_f64;
    for _ in 0..2000 {
        let _ = world.step().unwrap();
        furthest = furthest.max(world.joint_coordinate(joint).unwrap()[0]);
    }
    let [angle, speed] = world.joint_coordinate(joint).unwrap();
    assert!(
        (angle - 0.7).abs() < 1e-6 && speed.abs() < 1e-6,
        "{angle} {speed}"
    );
    assert!(furthest < 0.7 + 1e-6, "{furthest}");
    // The stop carries the weight's torque about the pivot.
    let torque = world.joint_force(joint).torque;
    let expected = -G * 0.5 * 0.7_f64.cos();
    assert!(
        (torque.y - expected).abs() < 1e-3 * expected.abs(),
        "{torque}"
    );

    // A joint that begins outside is refused.
    let outside = Joint::revolute(None, rod).at([0.0; 3]).limits(1.0, 2.0);
    let error = world
        .add_joint(outside.named("stop"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("stop") && error.contains("outside its limits"),
        "{error}"
    );
}

#[test]
fn springs_swing_and_dampers_creep() {
    // A mass on a spring: 2 kg on 200 N/m, 1.59 Hz about its sag.
    let mut world = world(1e-4, 1e-10);
    let ball = world
        .add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(2.0))
        .unwrap();
    let spring = Joint::link(None, ball)
        .between([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
        .spring(Spring::new(200.0));
    world.add_joint(spring).unwrap();
    let sag = 2.0 * G / 200.0;
    let frequency = (200.0_f64 / 2.0).sqrt();
    let mut largest = 0.0_f64;
    for step in 1..=6000 {
        let _ = world.step().unwrap();
        let time = 1e-4 * f64::from(step);
        let expected = -sag * (1.0 - (frequency * time).cos());
        let z = world.body_state(ball).position.z;
        largest = largest.max((z - expected).abs());
    }
    assert!(largest < 0.01 * sag, "{largest} of {sag}");

    // As stiff as steel at a large step: it must not explode, and hang at its sag.
    let mut world = self::world(0.01, 1e-10);
    let ball = world
        .add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(2.0))
        .unwrap();
    let stiff = Joint::link(None, ball)
        .between([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
        .spring(Spring::new(1e8).damping(1e3));
    world.add_joint(stiff).unwrap();
    for _ in 0..200 {
        let _ = world.step().unwrap();
        assert!(world.body_state(ball).position.length() < 1e-3);
    }
    let z = world.body_state(ball).position.z;
    assert!((z + 2.0 * G / 1e8).abs() < 1e-8, "{z}");

    // A damper alone: sinks at m g / c.
    let mut world = self::world(1e-3, 1e-10);
    let ball = world
        .add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(2.0))
        .unwrap();
    let damper = Joint::prismatic(None, ball).spring(Spring::new(0.0).damping(40.0));
    world.add_joint(damper).unwrap();
    for _ in 0..1000 {
        let _ = world.step().unwrap();
    }
    let speed = world.body_state(ball).velocity.z;
    assert!((speed + 2.0 * G / 40.0).abs() < 1e-6, "{speed}");
}

#[test]
fn a_rope_hangs_and_a_chain_carries_its_weight() {
    let mut world = world(2e-3, 1e-8);
    let mut joints = Vec::new();
    let mut above = None;
    for k in 0..10 {
        let start = DVec3::new(0.2 * f64::from(k), 0.0, 0.0);
        let link = bar(&mut world, start, DVec3::X, 0.2);
        let pin = Joint::spherical(above, link).at(start);
        joints.push(world.add_joint(pin).unwrap());
        above = Some(link);
    }
    for _ in 0..2000 {
        let report = world.step().unwrap();
        assert!(
            report.converged() && report.joint_error < 1e-5,
            "{report:?}"
        );
    }
    // Brought to rest, it hangs down and the first pin carries all of it.
    for body in world.ids().collect::<Vec<_>>() {
        let down = Pose {
            position: DVec3::new(0.0, 0.0, -0.2 * body.index() as f64 - 0.1),
            rotation: DQuat::from_rotation_arc(DVec3::X, DVec3::NEG_Z),
        };
        world.set_pose(body, down);
        world.set_velocity(body, DVec3::ZERO, DVec3::ZERO);
    }
    for _ in 0..10 {
        let _ = world.step().unwrap();
    }
    for (k, joint) in joints.iter().enumerate() {
        let force = world.joint_force(*joint).force;
        let weight = G * (10 - k) as f64;
        assert!((force.z - weight).abs() < 1e-4 * weight, "{k}: {force}");
    }

    // A rope: nothing until it is taut.
    let mut world = self::world(1e-3, 1e-8);
    let ball = world
        .add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(2.0))
        .unwrap();
    let rope = Joint::link(None, ball)
        .between([0.0, 0.0, 0.5], [0.0, 0.0, 0.0])
        .limits(0.0, 1.0);
    let rope = world.add_joint(rope).unwrap();
    for step in 0..1000 {
        let _ = world.step().unwrap();
        let [length, _] = world.joint_coordinate(rope).unwrap();
        assert!(length < 1.0 + 1e-6, "{length}");
        if step < 300 {
            assert!(world.joint_force(rope).force.length() < 1e-9);
        }
    }
    assert!((world.joint_force(rope).force.z - 2.0 * G).abs() < 1e-3);
}

#[test]
fn bodies_of_a_family_and_bodies_that_touch_nothing_pass_through() {
    let ball = |touch: Touch, x: f64| {
        let shape = Shape::sphere(0.1).unwrap();
        Body::dynamic(shape)
            .mass(1.0)
            .touching(touch)
            .at([x, 0.0, 0.0])
    };
    // Who overlaps whom, and whether they are pushed apart.
    let cases = [
        (Touch::All, Touch::All, true),
        (Touch::All, Touch::OutsideFamily(1), true),
        (Touch::OutsideFamily(1), Touch::OutsideFamily(2), true),
        (Touch::OutsideFamily(1), Touch::OutsideFamily(1), false),
        (Touch::Nothing, Touch::All, false),
        (Touch::OutsideFamily(1), Touch::Nothing, false),
    ];
    for (a, b, touch) in cases {
        let mut world = world(1e-3, 1e-8);
        let first = world.add(ball(a, 0.0)).unwrap();
        world.add(ball(b, 0.15)).unwrap();
        assert_eq!(world.touch(first), a);
        let report = world.step().unwrap();
        assert_eq!(report.contacts > 0, touch, "{a:?} {b:?}");
    }
    // What touches nothing is no measure of the envelope either.
    let mut world = world(1e-3, 1e-8);
    world.add(ball(Touch::All, 0.0)).unwrap();
    let envelope = world.envelope();
    let dot = Body::dynamic(Shape::sphere(1e-6).unwrap()).touching(Touch::Nothing);
    world.add(dot).unwrap();
    assert_eq!(world.envelope(), envelope);
}

#[test]
fn a_joint_that_is_turned_by_more_than_half_a_turn_says_so() {
    let angle = 5.0;
    let joint = |body| {
        let frame = Pose::IDENTITY;
        Joint::revolute(None, body)
            .frames(frame, frame)
            .limits(0.0, 6.0)
    };
    let mut world = world(1e-3, 1e-8);
    let body = Body::dynamic(Shape::sphere(0.1).unwrap()).rotated(DQuat::from_rotation_z(angle));
    let body = world.add(body).unwrap();
    let error = world.add_joint(joint(body)).unwrap_err().to_string();
    assert!(error.contains("outside its limits"), "{error}");
    let joint = world.add_joint(joint(body).turned(angle)).unwrap();
    world.set_velocity(body, DVec3::ZERO, DVec3::Z * 10.0);
    for _ in 0..200 {
        let [turned, _] = world.joint_coordinate(joint).unwrap();
        assert!((angle - 1e-9..6.0 + 1e-6).contains(&turned), "{turned}");
        let _ = world.step().unwrap();
    }
    let [turned, _] = world.joint_coordinate(joint).unwrap();
    assert!((turned - 6.0).abs() < 1e-6, "{turned}");
}

#[test]
fn a_joint_between_bodies_that_cannot_move_is_let_be() {
    let mut world = world(1e-3, 1e-8);
    let sphere = || Shape::sphere(0.1).unwrap();
    let arm = world.add(Body::prescribed(sphere(), |t| Pose::at([t, 0.0, 0.0])));
    let wall = world.add(Body::fixed(sphere()).at([0.0, 1.0, 0.0]));
    let (arm, wall) = (arm.unwrap(), wall.unwrap());
    world.add_joint(Joint::fixed(wall, arm)).unwrap();
    world.add_joint(Joint::fixed(None, arm)).unwrap();
    for _ in 0..10 {
        let report = world.step().unwrap();
        assert!(report.converged() && report.joint_rows == 0, "{report:?}");
    }
}

#[test]
fn many_joints_are_added_in_a_moment_and_let_their_bodies_overlap() {
    let mut world = world(1e-3, 1e-6);
    let mut last: Option<BodyId> = None;
    for k in 0..20_000 {
        let at = [0.15 * f64::from(k), 0.0, 0.0];
        let bead = world
            .add(Body::dynamic(Shape::sphere(0.1).unwrap()).at(at))
            .unwrap();
        if let Some(last) = last {
            world.add_joint(Joint::fixed(last, bead).at(at)).unwrap();
        }
        last = Some(bead);
    }
    // They fall as one: nothing pushes overlapping neighbours apart.
    let report = world.step().unwrap();
    assert_eq!(report.contacts, 0);
}

#[test]
fn light_links_of_a_chain_with_a_heavy_ball_do_not_zigzag() {
    // The tension T is 1000 times what a link weighs, so that a link swings about its neighbours at
    // ω = √(12 T / (m l)) = 540 rad/s. The step resolves that: ω h = 1.1.
    let mut world = world(2e-3, 1e-6);
    let mut above = None;
    for k in 0..8 {
        let start = DVec3::new(0.0, 0.0, -0.4 * f64::from(k));
        let link = bar(&mut world, start, DVec3::NEG_Z, 0.4);
        let pin = Joint::spherical(above, link).at(start);
        world.add_joint(pin).unwrap();
        above = Some(link);
    }
    let ball = Body::dynamic(Shape::sphere(0.3).unwrap())
        .mass(1000.0)
        .at([0.0, 0.0, -3.5]);
    let ball = world.add(ball).unwrap();
    world
        .add_joint(Joint::spherical(above, ball).at([0.0, 0.0, -3.2]))
        .unwrap();
    world.set_velocity(ball, [0.5, 0.0, 0.0], DVec3::ZERO);
    let links: Vec<_> = world.ids().take(8).collect();
    let (mut fastest, mut widest) = (0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        let report = world.step().unwrap();
        assert!(
            report.converged() && report.iterations <= 8 && report.joint_error < 4e-4,
            "{report:?}"
        );
        for link in &links {
            fastest = fastest.max(world.body_state(*link).angular_velocity.length());
        }
        widest = widest.max(world.body_state(ball).position.x);
    }
    // The ball swings as a pendulum 3.5 m long: 0.5 m/s take it v/ω = 0.5 √(3.5/g) = 0.30 m far. The
    // links turn with it at 0.14 rad/s, and a little more in the first jerk.
    assert!(fastest < 2.0, "{fastest}");
    assert!((widest - 0.30).abs() < 0.02, "{widest}");
}
