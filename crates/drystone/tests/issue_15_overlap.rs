//! Nothing sinks into anything: overlap stays below 1 % of the thinnest body at the default
//! tolerance and steps of 2.5 ms, on turning drums and under rollers, for all pairs of shapes.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, TAU};

use drystone::{Body, Material, MaterialId, Pose, Settings, Shape, StepReport, World};
use glam::{DQuat, DVec3};

/// Most that anything may overlap, as a share of the thinnest body.
const MOST: f64 = 0.01;
/// Kinds that [`shape`] knows.
const KINDS: usize = 8;

/// A shape of each kind, about `s` m in radius; its axis of turning is z.
fn shape(kind: usize, s: f64) -> Shape {
    let prism = |sides: usize, radius: f64, half: f64| -> Vec<DVec3> {
        let corner = |k: usize, z: f64| {
            let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
            DVec3::new(radius * cos, radius * sin, z)
        };
        (0..2 * sides)
            .map(|k| corner(k / 2, if k % 2 == 0 { -half } else { half }))
            .collect()
    };
    match kind {
        0 => Shape::sphere(s),
        1 => Shape::box_of(DVec3::new(1.0, 0.8, 0.7) * s),
        2 => Shape::ellipsoid(DVec3::new(1.0, 1.0, 0.7) * s),
        3 => Shape::cylinder(s, 0.8 * s),
        4 => Shape::capsule(0.7 * s, 0.6 * s),
        5 => Shape::cone(s, 0.8 * s),
        6 => Shape::hull(&prism(6, s, 0.7 * s)),
        7 => Shape::hull(&prism(16, s, 0.8 * s)),
        other => panic!("no kind {other}"),
    }
    .unwrap()
}

/// Shortest side of a shape's box, m.
fn thickness(shape: &Shape) -> f64 {
    shape.aabb(&Pose::IDENTITY).extent().min_element()
}

fn world(friction: f64) -> (World, MaterialId) {
    let settings = Settings {
        time_step: 2.5e-3,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let rock = Material::new("rock").friction(friction);
    let rock = world.add_material(rock).unwrap();
    (world, rock)
}

/// Makes `steps` steps; the deepest overlap, m, and the step that it was in.
fn deepest(world: &mut World, steps: usize) -> (f64, u64) {
    let mut worst = (0.0, 0);
    for _ in 0..steps {
        let StepReport {
            penetration, step, ..
        } = world.step().unwrap();
        if penetration > worst.0 {
            worst = (penetration, step);
        }
    }
    worst
}

/// How a body is turned in try `k`: on an edge, on a corner, lying, standing, and between.
fn turned(k: usize) -> DQuat {
    let quarter = FRAC_PI_2;
    match k {
        0 => DQuat::from_rotation_x(0.5 * quarter),
        1 => DQuat::from_rotation_y(0.5 * quarter) * DQuat::from_rotation_z(0.3),
        2 => DQuat::from_rotation_x(quarter),
        3 => DQuat::IDENTITY,
        4 => DQuat::from_rotation_z(0.2) * DQuat::from_rotation_x(0.5 * quarter),
        _ => {
            DQuat::from_rotation_x(0.6) * DQuat::from_rotation_y(0.6) * DQuat::from_rotation_z(0.2)
        }
    }
}

/// A body that comes down on a drum that turns about a level axis.
#[test]
fn on_a_turning_drum_nothing_sinks_in() {
    let mut bad = Vec::new();
    for drum in [0, 2, 3, 4, 5, 7] {
        for kind in 0..KINDS {
            for k in 0..6 {
                let (mut world, rock) = world(0.6);
                let (round, body) = (shape(drum, 0.2), shape(kind, 0.025));
                let level = DQuat::from_rotation_x(FRAC_PI_2);
                let path = move |t: f64| Pose {
                    position: DVec3::ZERO,
                    rotation: level * DQuat::from_rotation_z(2.5 * t),
                };
                world
                    .add(Body::prescribed(round, path).material(rock))
                    .unwrap();
                let thin = thickness(&body);
                let place = [0.02, 0.0, 0.24];
                let spin = DVec3::new(1.0, 2.0, 3.0);
                let body = Body::dynamic(body)
                    .at(place)
                    .rotated(turned(k))
                    .density(2600.0);
                world
                    .add(body.angular_velocity(spin).material(rock))
                    .unwrap();
                let (depth, step) = deepest(&mut world, 200);
                if depth > MOST * thin {
                    bad.push((drum, kind, k, step, 100.0 * depth / thin));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{} of 288: {bad:#?}", bad.len());
}

/// A heavy roller over loose bodies on the ground.
#[test]
fn under_a_roller_nothing_sinks_in() {
    let mut bad = Vec::new();
    for roller in 0..KINDS {
        for kind in 0..KINDS {
            let (mut world, rock) = world(0.6);
            world
                .add(Body::fixed(Shape::plane()).material(rock))
                .unwrap();
            let level = DQuat::from_rotation_x(FRAC_PI_2);
            let wheel = Body::dynamic(shape(roller, 0.2)).at([-0.35, 0.0, 0.21]);
            let wheel = wheel.rotated(level).mass(30.0).velocity([0.8, 0.0, 0.0]);
            let wheel = wheel.angular_velocity([0.0, 4.0, 0.0]).material(rock);
            world.add(wheel).unwrap();
            let body = shape(kind, 0.025);
            let thin = thickness(&body);
            for k in 0..6 {
                let place = [0.07 * (k / 2) as f64, 0.08 * (k % 2) as f64 - 0.04, 0.035];
                let body = Body::dynamic(body.clone()).at(place).rotated(turned(k));
                world.add(body.density(2600.0).material(rock)).unwrap();
            }
            let (depth, step) = deepest(&mut world, 300);
            if depth > MOST * thin {
                bad.push((roller, kind, step, 100.0 * depth / thin));
            }
        }
    }
    assert!(bad.is_empty(), "{} of 64: {bad:#?}", bad.len());
}
