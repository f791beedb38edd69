//! Forces that statics leave open stay as they are while nothing moves: how a load is shared among
//! more contacts than it takes does not wander from step to step.

#![allow(clippy::unwrap_used)]

use drystone::{Body, BodyId, Law, Material, Method, MethodSettings, Settings, Shape, World};
use glam::DVec3;

/// A box of 10 kg on a floor: four corners where three would do.
fn table(settings: Settings) -> World {
    let mut world = World::new(settings).unwrap();
    let rock = world
        .add_material(Material::new("rock").friction(0.5))
        .unwrap();
    world
        .add(Body::fixed(Shape::plane()).material(rock).named("floor"))
        .unwrap();
    let shape = Shape::box_of([0.3, 0.2, 0.1]).unwrap();
    world
        .add(
            Body::dynamic(shape)
                .mass(10.0)
                .at([0.0, 0.0, 0.1])
                .material(rock)
                .named("box"),
        )
        .unwrap();
    world
}

/// Forces of all contacts, sorted by place.
fn forces(world: &World) -> Vec<DVec3> {
    let mut contacts: Vec<(DVec3, DVec3)> = world
        .contacts()
        .map(|contact| (contact.point, contact.force))
        .collect();
    contacts.sort_by(|a, b| a.0.x.total_cmp(&b.0.x).then(a.0.y.total_cmp(&b.0.y)));
    contacts.into_iter().map(|(_, force)| force).collect()
}

/// Largest change of a force over steps, N.
fn wander(world: &mut World, steps: usize) -> f64 {
    let first = forces(world);
    let mut most = 0.0_f64;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
        let now = forces(world);
        assert_eq!(now.len(), first.len());
        for (a, b) in now.iter().zip(&first) {
            most = most.max(a.distance(*b));
        }
    }
    most
}

#[test]
fn a_box_on_four_corners_keeps_its_shares() {
    for (law, method) in [(Law::Exact, Method::Auto), (Law::Relaxed, Method::Auto)] {
        let mut world = table(Settings {
            law,
            method: MethodSettings::new(method),
            ..Settings::default()
        });
        // A push aside for a moment leaves shares that nothing asks for any more.
        for step in 0..40 {
            let push = if step < 20 { 20.0 } else { 0.0 };
            world.set_load(
                BodyId::new(1),
                DVec3::new(push, 0.5 * push, 0.0),
                DVec3::ZERO,
            );
            let _ = world.step().unwrap();
        }
        let corners = forces(&world);
        assert_eq!(corners.len(), 4);
        let weight: f64 = corners.iter().map(|f| f.z).sum();
        assert!((weight.abs() - 98.1).abs() < 0.01, "{weight}");
        let most = wander(&mut world, 200);
        assert!(most < 0.05, "{law:?} {method:?}: {most} N of 98.1");
    }
}
