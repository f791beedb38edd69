//! Motions with a known answer.

#![allow(clippy::unwrap_used)]

use drystone::{Body, BodyId, Law, Material, Method, MethodSettings, Pose, Settings, Shape, World};
use glam::{DQuat, DVec3};

const G: f64 = 9.81;

fn world(settings: Settings) -> World {
    World::new(settings).unwrap()
}

fn with_step(time_step: f64) -> Settings {
    Settings {
        time_step,
        tolerance: 1e-8,
        ..Settings::default()
    }
}

/// Steps until `time`; every step must have been solved.
fn run(world: &mut World, time: f64) {
    let steps = (time / world.settings().time_step).round() as usize;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
    }
}

/// Gravity as seen from a plane that is tilted by `angle` about y, downhill along +x.
fn tilted(angle: f64) -> DVec3 {
    G * DVec3::new(angle.sin(), 0.0, -angle.cos())
}

fn plane_with_friction(world: &mut World, friction: f64) -> drystone::MaterialId {
    let material = world
        .add_material(Material::new("surface").friction(friction))
        .unwrap();
    world
        .add(
            Body::fixed(Shape::plane())
                .named("plane")
                .material(material),
        )
        .unwrap();
    material
}

#[test]
fn free_fall() {
    let h = 1e-3;
    let mut world = world(with_step(h));
    let shape = Shape::box_of([0.1, 0.2, 0.3]).unwrap();
    let body = world
        .add(
            Body::dynamic(shape)
                .at([0.0, 0.0, 10.0])
                .velocity([1.0, 0.0, 2.0]),
        )
        .unwrap();
    run(&mut world, 1.0);
    let state = world.body_state(body);
    let exact = DVec3::new(1.0, 0.0, 10.0 + 2.0 - 0.5 * G);
    // The scheme is of first order: off by half a step of fall.
    assert!(
        (state.position - exact).length() < 0.51 * G * h,
        "{state:?}"
    );
    assert!((state.velocity - DVec3::new(1.0, 0.0, 2.0 - G)).length() < 1e-12);
}

#[test]
fn a_spinning_top_keeps_its_angular_momentum() {
    let mut world = world(Settings {
        gravity: DVec3::ZERO,
        ..with_step(1e-3)
    });
    let top = Shape::cone(0.05, 0.06).unwrap();
    let body = world
        .add(
            Body::dynamic(top)
                .rotated(DQuat::from_rotation_y(0.4))
                .angular_velocity([3.0, -2.0, 60.0]),
        )
        .unwrap();
    let momentum = |world: &World| {
        // A cone of mass m, radius r, height H: 3/10 m r² along its axis, 3/20 m (r² + H²/4)
        // across, about its centre of mass.
        let state = world.body_state(body);
        let (r2, h2) = (0.05 * 0.05, 0.12 * 0.12);
        let m = world.mass(body);
        let axis = state.rotation * DVec3::Z;
        let across = 0.15 * m * (r2 + 0.25 * h2);
        let along = 0.3 * m * r2;
        let spin = axis.dot(state.angular_velocity);
        across * (state.angular_velocity - spin * axis) + along * spin * axis
    };
    let before = momentum(&world);
    let energy = world.energy()[0];
    run(&mut world, 5.0);
    assert!((momentum(&world) - before).length() < 1e-9 * before.length());
    assert!((world.energy()[0] - energy).abs() < 1e-3 * energy);
}

/// A block on a tilted plane, from rest for a second: how far it slid, and its speed.
fn slide(angle: f64, friction: f64, law: Law) -> (f64, f64) {
    let h = 1e-3;
    let mut world = world(Settings {
        gravity: tilted(angle),
        law,
        ..with_step(h)
    });
    let material = plane_with_friction(&mut world, friction);
    let shape = Shape::box_of([0.5, 0.5, 0.25]).unwrap();
    let block = world
        .add(Body::dynamic(shape).at([0.0, 0.0, 0.25]).material(material))
        .unwrap();
    run(&mut world, 1.0);
    let state = world.body_state(block);
    assert!(state.position.y.abs() < 1e-6 && state.angular_velocity.length() < 1e-3);
    (state.position.x, state.velocity.x)
}

#[test]
fn a_block_below_the_friction_angle_stays() {
    let friction: f64 = 0.5;
    for law in [Law::Relaxed, Law::Exact] {
        let (distance, speed) = slide(0.9 * friction.atan(), friction, law);
        assert!(
            distance.abs() < 1e-6 && speed.abs() < 1e-6,
            "{distance} {speed}"
        );
    }
}

#[test]
fn a_block_at_the_friction_angle_is_in_balance() {
    let friction: f64 = 0.5;
    let (distance, speed) = slide(friction.atan(), friction, Law::Relaxed);
    assert!(
        distance.abs() < 1e-4 && speed.abs() < 1e-4,
        "{distance} {speed}"
    );
}

#[test]
fn a_block_above_the_friction_angle_slides() {
    let friction: f64 = 0.5;
    let angle = 1.3 * friction.atan();
    let acceleration = G * (angle.sin() - friction * angle.cos());
    for law in [Law::Relaxed, Law::Exact] {
        let (distance, speed) = slide(angle, friction, law);
        assert!(
            (speed - acceleration).abs() < 5e-3 * acceleration,
            "{speed} {acceleration}"
        );
        assert!((distance - 0.5 * acceleration).abs() < 1e-2 * acceleration);
    }
}

#[test]
fn a_sphere_rolls_down_at_five_sevenths() {
    let angle = 0.3_f64;
    let mut world = world(Settings {
        gravity: tilted(angle),
        ..with_step(1e-3)
    });
    let material = plane_with_friction(&mut world, 0.6);
    let ball = world
        .add(
            Body::dynamic(Shape::sphere(0.2).unwrap())
                .at([0.0, 0.0, 0.2])
                .material(material),
        )
        .unwrap();
    run(&mut world, 1.0);
    let state = world.body_state(ball);
    let speed = 5.0 / 7.0 * G * angle.sin();
    assert!((state.velocity.x - speed).abs() < 1e-4 * speed, "{state:?}");
    // It rolls: the point of contact rests.
    assert!((state.angular_velocity.y * 0.2 - state.velocity.x).abs() < 1e-4 * speed);
}

#[test]
fn a_collision_keeps_momentum() {
    let mut world = world(Settings {
        gravity: DVec3::ZERO,
        law: Law::Exact,
        ..with_step(1e-3)
    });
    let ball = |world: &mut World, mass: f64, x: f64, y: f64, speed: f64| -> BodyId {
        let body = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(mass);
        world
            .add(body.at([x, y, 0.0]).velocity([speed, 0.0, 0.0]))
            .unwrap()
    };
    // Off centre, so that friction makes both spin.
    let a = ball(&mut world, 1.0, -1.0, 0.0, 3.0);
    let b = ball(&mut world, 4.0, 1.0, 0.3, -2.0);
    let momenta = |world: &World| {
        let mut p = DVec3::ZERO;
        let mut l = DVec3::ZERO;
        for body in [a, b] {
            let (m, s) = (world.mass(body), world.body_state(body));
            p += m * s.velocity;
            l += m * s.position.cross(s.velocity) + 0.4 * m * 0.25 * s.angular_velocity;
        }
        (p, l)
    };
    let (p, l) = momenta(&world);
    let mut forces = Vec::new();
    let mut after_impact = f64::NAN;
    for _ in 0..1000 {
        let _ = world.step().unwrap();
        forces.push(world.force_between(a, b).length());
        let [.., before, _] = forces[..] else {
            continue;
        };
        if before > 0.0 && after_impact.is_nan() {
            let normal = (world.pose(b).position - world.pose(a).position).normalize();
            let relative = world.body_state(b).velocity - world.body_state(a).velocity;
            after_impact = relative.dot(normal);
        }
    }
    // They do not bounce: nothing is left of the 5 m/s along the normal.
    assert!(after_impact.abs() < 0.02, "{after_impact}");
    let (p_after, l_after) = momenta(&world);
    assert!((p_after - p).length() < 1e-12 * p.length());
    assert!(
        (l_after - l).length() < 1e-9 * l.length().max(1.0),
        "{l} {l_after}"
    );
    assert!(world.body_state(a).angular_velocity.length() > 0.1);
}

/// One step in which a fast ball sweeps up a row of resting ones that it did not reach at first.
#[test]
fn a_step_is_solved_again_with_the_contacts_that_its_own_collisions_open() {
    let mut world = world(Settings {
        gravity: DVec3::ZERO,
        ..with_step(1e-2)
    });
    let ball = || Body::dynamic(Shape::sphere(0.1).unwrap()).density(1000.0);
    let row: Vec<BodyId> = (0..4)
        .map(|i| {
            let speed = if i == 0 { 20.0 } else { 0.0 };
            let body = ball().at([0.21 * f64::from(i), 0.0, 0.0]);
            world.add(body.velocity([speed, 0.0, 0.0])).unwrap()
        })
        .collect();
    world.add(ball().at([0.0, 0.0, 0.25])).unwrap(); // stands by
    let report = world.step().unwrap();
    assert!(report.converged(), "{report:?}");
    assert_eq!(report.solves, 3, "one more for each ball that is met");
    assert_eq!(report.contacts, 3);
    let x = |i: usize| world.pose(row[i]).position.x;
    for i in 1..row.len() {
        assert!(
            x(i) - x(i - 1) > 0.2 - 1e-4,
            "balls {i} and the one before overlap"
        );
    }
    let momentum: f64 = row.iter().map(|&b| world.body_state(b).velocity.x).sum();
    assert!((momentum - 20.0).abs() < 1e-6, "{momentum}");
    let report = world.step().unwrap();
    assert_eq!(report.solves, 1, "nothing new to meet");
}

#[test]
fn twenty_plates_with_heavy_ones_on_top_stand() {
    let half = 0.05;
    let mut world = world(Settings {
        time_step: 5e-3,
        ..Settings::default()
    });
    plane_with_friction(&mut world, 0.5);
    let shape = Shape::box_of([0.5, 0.5, half]).unwrap();
    let plates: Vec<BodyId> = (0..20)
        .map(|k| {
            // Odd mass ratios, up to 1000 times heavier at the top.
            let mass = if k % 2 == 0 { 1.0 } else { 10.0 } * 10f64.powf(k as f64 / 19.0 * 2.0);
            let z = half + 2.0 * half * k as f64;
            world
                .add(
                    Body::dynamic(shape.clone())
                        .mass(mass)
                        .at([0.0, 0.0, z])
                        .named("plates"),
                )
                .unwrap()
        })
        .collect();
    let mut deepest: f64 = 0.0;
    for _ in 0..2000 {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
        deepest = deepest.max(report.penetration);
    }
    assert!(deepest < 1e-4 * 2.0 * half, "{deepest}");
    for (k, plate) in plates.iter().enumerate() {
        let expected = DVec3::new(0.0, 0.0, half + 2.0 * half * k as f64);
        let pose = world.pose(*plate);
        assert!((pose.position - expected).length() < 1e-4, "{k}: {pose:?}");
        assert!(pose.rotation.angle_between(DQuat::IDENTITY) < 1e-4);
    }
}

#[test]
fn a_resting_pile_presses_the_floor_with_its_weight() {
    let mut world = world(Settings {
        tolerance: 1e-10,
        time_step: 2e-3,
        ..Settings::default()
    });
    plane_with_friction(&mut world, 0.6);
    for (x, y, z) in [
        (-1.0, -1.0, 0.0),
        (1.0, -1.0, 0.0),
        (1.0, 1.0, 0.0),
        (-1.0, 1.0, 0.0),
    ] {
        let cube = Shape::box_of([0.5, 0.5, 0.5]).unwrap();
        world
            .add(
                Body::dynamic(cube)
                    .at([0.6 * x, 0.6 * y, 0.5 + z])
                    .named("cubes"),
            )
            .unwrap();
    }
    let ball = Shape::sphere(0.4).unwrap();
    let top = world
        .add(Body::dynamic(ball).at([0.0, 0.0, 1.3]).named("ball"))
        .unwrap();
    let slab = Shape::box_of([1.0, 0.9, 0.1]).unwrap();
    world
        .add(Body::dynamic(slab).at([0.0, 0.0, 1.9]).named("slab"))
        .unwrap();
    run(&mut world, 3.0);
    let weight: f64 = world.ids().map(|b| G * world.mass(b)).sum();
    let on_floor = world.force_between_groups("cubes", "plane");
    assert!(
        (on_floor + weight * DVec3::Z).length() < 1e-6 * weight,
        "{on_floor} {weight}"
    );
    // Action and reaction.
    assert_eq!(world.force_between_groups("plane", "cubes"), -on_floor);
    // What rests is in balance: the contacts carry its weight and turn it nowhere.
    let load = world.contact_load(top);
    let own = G * world.mass(top);
    assert!(
        (load.force - own * DVec3::Z).length() < 1e-6 * weight,
        "{load:?}"
    );
    assert!(load.torque.length() < 1e-6 * weight);
    // A pressing contact pushes its second body along the normal, within the friction cone.
    for contact in world.contacts() {
        assert!(contact.normal_force() >= 0.0);
        assert!(contact.friction().length() <= 0.6 * contact.normal_force() + 1e-9 * weight);
    }
}

#[test]
fn a_belt_carries_a_block_along() {
    let mut world = world(with_step(2e-3));
    let belt = Shape::box_of([10.0, 1.0, 0.1]).unwrap();
    world
        .add(Body::prescribed(belt, |t| Pose::at([0.5 * t, 0.0, -0.1])).named("belt"))
        .unwrap();
    let cube = Shape::box_of([0.2, 0.2, 0.2]).unwrap();
    let cube = world.add(Body::dynamic(cube).at([0.0, 0.0, 0.2])).unwrap();
    run(&mut world, 1.0);
    // Friction 0.5 takes it to 0.5 m/s within v/(mu g) = 0.102 s, over v²/(2 mu g) = 25 mm less
    // than the belt.
    let state = world.body_state(cube);
    assert!((state.velocity.x - 0.5).abs() < 1e-5, "{state:?}");
    assert!(
        (state.position.x - (0.5 - 0.25 / (2.0 * 0.5 * G))).abs() < 2e-3,
        "{state:?}"
    );
}

#[test]
fn a_load_acts_until_it_is_removed() {
    let mut world = world(Settings {
        gravity: DVec3::ZERO,
        ..with_step(1e-2)
    });
    let ball = world
        .add(Body::dynamic(Shape::sphere(0.5).unwrap()).mass(2.0))
        .unwrap();
    world.set_load(ball, [4.0, 0.0, 0.0], [0.0, 0.0, 0.4]);
    run(&mut world, 1.0);
    world.set_load(ball, DVec3::ZERO, DVec3::ZERO);
    run(&mut world, 1.0);
    let state = world.body_state(ball);
    // 2 m/s² and 0.4 / (0.4 · 2 · 0.25) = 2 rad/s² for a second.
    assert!(
        (state.velocity.x - 2.0).abs() < 1e-12 && (state.angular_velocity.z - 2.0).abs() < 1e-12
    );
}

#[test]
fn without_a_warm_start_a_resting_tower_is_solved_anew_at_every_step() {
    let iterations = [true, false].map(|warm_start| {
        let mut world = World::new(Settings {
            warm_start,
            method: MethodSettings::new(Method::NesterovGs),
            ..Settings::default()
        })
        .unwrap();
        world.add(Body::fixed(Shape::plane())).unwrap();
        for k in 0..5 {
            let brick = Shape::box_of([0.2, 0.2, 0.1]).unwrap();
            let height = 0.1 + 0.2 * f64::from(k);
            world
                .add(Body::dynamic(brick).at([0.0, 0.0, height]))
                .unwrap();
        }
        let mut last = 0;
        for _ in 0..20 {
            let report = world.step().unwrap();
            assert!(report.converged());
            last = report.iterations;
        }
        last
    });
    assert!(iterations[1] > 2 * iterations[0].max(1), "{iterations:?}");
}

#[test]
fn overlap_up_to_the_rest_depth_stays_and_more_does_not() {
    let rest = 1e-4;
    let settled = |depth: f64| {
        let mut world = world(Settings {
            rest_depth: Some(rest),
            ..with_step(0.005)
        });
        plane_with_friction(&mut world, 0.5);
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.0, 0.1 - depth]);
        let ball = world.add(ball).unwrap();
        run(&mut world, 0.1);
        0.1 - world.pose(ball).position.z
    };
    // What is pushed apart keeps its speed, hops, and comes down on the surface.
    for (depth, expected) in [(0.0, 0.0), (0.3 * rest, 0.3 * rest), (5.0 * rest, 0.0)] {
        let found = settled(depth);
        assert!((found - expected).abs() < 1e-8, "{depth} became {found}");
    }
}

#[test]
fn a_standing_wall_needs_little_work() {
    // What one solve leaves must not be pushed back by the next, for ever.
    let iterations = |rest_depth: Option<f64>| {
        let mut world = world(Settings {
            rest_depth,
            tolerance: 1e-3,
            ..Settings::default()
        });
        plane_with_friction(&mut world, 0.5);
        for course in 0..12 {
            for column in 0..6 - course % 2 {
                let x = 0.2 * f64::from(column) + 0.1 * f64::from(course % 2);
                let brick = Body::dynamic(Shape::box_of([0.099, 0.05, 0.05]).unwrap());
                let brick = brick.at([x, 0.0, 0.05 + 0.1 * f64::from(course)]);
                world.add(brick).unwrap();
            }
        }
        let steps = (0..100).map(|_| world.step().unwrap().iterations);
        steps.collect::<Vec<_>>()[40..].iter().sum::<usize>()
    };
    let (with, without) = (iterations(None), iterations(Some(0.0)));
    assert!(2 * with < without, "{with} and {without} iterations");
}
