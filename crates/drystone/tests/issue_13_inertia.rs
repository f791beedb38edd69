//! Inertia that no solid has is refused by the world, whoever made it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use drystone::{Body, MassProperties, Settings, Shape, World, WorldError};
use glam::{DMat3, DQuat, DVec3};

/// Adds a ball of these principal moments, kg m², turned anyhow.
fn add(moments: [f64; 3]) -> Result<(), WorldError> {
    let mut world = World::new(Settings::default()).unwrap();
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7));
    let properties = MassProperties {
        mass: 2.0,
        center: DVec3::ZERO,
        inertia: turn * DMat3::from_diagonal(moments.into()) * turn.transpose(),
    };
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).named("ball");
    world.add(ball.mass_properties(properties)).map(|_| ())
}

#[test]
fn a_moment_greater_than_the_two_others_together_is_refused_in_code() {
    for moments in [[1.0, 1.0, 2.1], [1.0, 2.1, 1.0], [1e-3, 1.0, 1.1]] {
        let error = add(moments).unwrap_err();
        let mut sorted = moments;
        sorted.sort_by(f64::total_cmp);
        let WorldError::Inertia { body, moments } = &error else {
            panic!("{error}");
        };
        assert_eq!(body, "ball");
        let close = |(a, b): (&f64, f64)| (a - b).abs() < 1e-9;
        assert!(moments.iter().zip(sorted).all(close), "{error}");
        let words = "none greater than the sum of the other two";
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn solids_of_all_proportions_are_taken() {
    // A ball, a rod, and a sheet, whose largest moment is the sum of the others.
    for moments in [[1.0, 1.0, 1.0], [1e-3, 1.0, 1.0], [1.0, 2.0, 3.0]] {
        add(moments).unwrap();
    }
}
