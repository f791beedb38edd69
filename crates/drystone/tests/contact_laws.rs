//! Cohesion, rolling resistance, compliance, restitution and boundaries against answers that are
//! known.

#![allow(clippy::unwrap_used)]

use drystone::{
    Body, BodyId, Joint, Law, Material, Motor, Periodic, Settings, Shape, StepReport, World,
};
use glam::DVec3;

const G: f64 = 9.81;

fn settings(time_step: f64, law: Law) -> Settings {
    Settings {
        time_step,
        law,
        tolerance: 1e-8,
        ..Settings::default()
    }
}

/// Gravity as seen from a plane that is tilted by `angle` about y, downhill along +x.
fn tilted(angle: f64) -> DVec3 {
    G * DVec3::new(angle.sin(), 0.0, -angle.cos())
}

/// A plane and a body on it, both of one material.
fn on_plane(settings: Settings, material: Material, body: Body) -> (World, BodyId) {
    let mut world = World::new(settings).unwrap();
    let material = world.add_material(material).unwrap();
    let plane = Body::fixed(Shape::plane()).material(material);
    world.add(plane.named("plane")).unwrap();
    let body = world.add(body.material(material).named("body")).unwrap();
    (world, body)
}

fn step(world: &mut World) -> StepReport {
    let report = world.step().unwrap();
    assert!(report.converged(), "{report:?}");
    report
}

fn ball(radius: f64) -> Body {
    Body::dynamic(Shape::sphere(radius).unwrap()).at([0.0, 0.0, radius])
}

const LAWS: [Law; 2] = [Law::Exact, Law::Relaxed];

/// A ball hangs under a ceiling by cohesion.
fn hanging(mass: f64, law: Law) -> f64 {
    let mut world = World::new(settings(1e-3, law)).unwrap();
    let sticky = Material::new("sticky").friction(0.5).cohesion(20.0);
    let sticky = world.add_material(sticky).unwrap();
    let ceiling = Shape::box_of([1.0, 1.0, 0.1]).unwrap();
    let ceiling = Body::fixed(ceiling).at([0.0, 0.0, 0.1]).material(sticky);
    world.add(ceiling).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap())
        .mass(mass)
        .at([0.0, 0.0, -0.1])
        .material(sticky);
    let ball = world.add(ball).unwrap();
    for _ in 0..500 {
        let _ = step(&mut world);
    }
    world.body_state(ball).position.z + 0.1
}

#[test]
fn cohesion_holds_below_its_strength_and_lets_go_above() {
    for law in LAWS {
        let (light, heavy) = (19.9 / G, 20.2 / G);
        assert!(hanging(light, law).abs() < 1e-6);
        assert!(hanging(heavy, law) < -1e-3);
    }
}

#[test]
fn friction_holds_under_tension() {
    // Pulled off with 10 N of 20 N and pushed sideways: slides beyond mu (20 − 10) N.
    for (push, slides) in [(4.9, false), (5.2, true)] {
        let sticky = Material::new("sticky").friction(0.5).cohesion(20.0);
        let weightless = Settings {
            gravity: DVec3::ZERO,
            ..settings(1e-3, Law::Exact)
        };
        let (mut world, body) = on_plane(weightless, sticky, ball(0.1).mass(1.0));
        // Through the point of contact, so that nothing turns.
        let torque = DVec3::new(0.0, -0.1 * push, 0.0);
        world.set_load(body, [push, 0.0, 10.0], torque);
        for _ in 0..200 {
            let _ = step(&mut world);
        }
        let moved = world.body_state(body).position.x;
        assert_eq!(moved > 1e-4, slides, "{push} N: {moved} m");
        let contact = world.contacts().next().unwrap();
        assert!((contact.normal_force() + 10.0).abs() < 1e-3, "{contact:?}");
    }
}

#[test]
fn cohesion_reaches_as_far_as_its_range() {
    for (gap, caught) in [(0.004, true), (0.006, false)] {
        let sticky = Material::new("sticky").cohesion(20.0).cohesion_range(0.005);
        let start = ball(0.1).mass(1.0).at([0.0, 0.0, 0.1 + gap]);
        let mut weightless = settings(1e-3, Law::Relaxed);
        weightless.gravity = DVec3::ZERO;
        let (mut world, body) = on_plane(weightless, sticky, start);
        for _ in 0..200 {
            let _ = step(&mut world);
        }
        let left = world.body_state(body).position.z - 0.1;
        assert_eq!(left < 1e-6, caught, "{gap} m: {left} m left");
    }
}

#[test]
fn rolling_friction_holds_a_ball_on_a_slope() {
    // It stays where tan(angle) <= rolling friction / radius.
    let (radius, rolling) = (0.1, 0.01);
    for (angle, rolls) in [(0.095_f64, false), (0.105, true)] {
        for law in LAWS {
            let settings = Settings {
                gravity: tilted(angle.atan()),
                ..settings(1e-3, law)
            };
            let material = Material::new("m").friction(0.5).rolling_friction(rolling);
            let (mut world, ball) = on_plane(settings, material, ball(radius));
            for _ in 0..500 {
                let _ = step(&mut world);
            }
            let moved = world.body_state(ball).position.x;
            assert_eq!(moved > 1e-4, rolls, "{law:?} {angle}: {moved}");
        }
    }
}

#[test]
fn rolling_and_spin_decay_linearly() {
    // Spin about the normal: I dω/dt = −spinning friction · m g.
    let (radius, spinning) = (0.1, 0.005);
    let material = Material::new("m").friction(0.5).spinning_friction(spinning);
    let start = ball(radius).mass(2.0).angular_velocity([0.0, 0.0, 10.0]);
    let (mut world, spinner) = on_plane(settings(1e-3, Law::Exact), material, start);
    let inertia = 0.4 * 2.0 * radius * radius;
    let rate = spinning * 2.0 * G / inertia;
    for _ in 0..800 {
        let _ = step(&mut world);
        let expected = 10.0 - rate * world.time();
        let found = world.body_state(spinner).angular_velocity.z;
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
    for _ in 0..100 {
        let _ = step(&mut world);
    }
    assert!(world.body_state(spinner).angular_velocity.length() < 1e-9);

    // Rolling: (7/5) m a = −m g rolling friction / radius.
    let material = Material::new("m").friction(0.5).rolling_friction(0.002);
    let start = ball(radius)
        .velocity([1.0, 0.0, 0.0])
        .angular_velocity([0.0, 10.0, 0.0]);
    let (mut world, roller) = on_plane(settings(1e-3, Law::Exact), material, start);
    let slow = 5.0 / 7.0 * G * 0.002 / radius;
    for _ in 0..500 {
        let _ = step(&mut world);
        let expected = 1.0 - slow * world.time();
        let found = world.body_state(roller).velocity.x;
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
    // The torque on the floor is an output.
    let contact = world.contacts().next().unwrap();
    let expected = 0.002 * contact.normal_force();
    assert!((contact.torque.length() - expected).abs() < 1e-6 * expected);
}

#[test]
fn a_compliant_contact_gives_way_by_its_load() {
    let compliance = 1e-5;
    let material = Material::new("soft").compliance(0.5 * compliance);
    let (mut world, ball) = on_plane(settings(1e-3, Law::Relaxed), material, ball(0.1).mass(5.0));
    // It swings about its depth, damped by the implicit step.
    for _ in 0..2000 {
        let _ = step(&mut world);
    }
    let sunk = 0.1 - world.body_state(ball).position.z;
    let expected = compliance * 5.0 * G;
    assert!((sunk / expected - 1.0).abs() < 1e-6, "{sunk} {expected}");
}

#[test]
fn a_hundred_bounces_gain_no_energy() {
    for (restitution, kept) in [(1.0, 1.0), (0.9, 0.81)] {
        let material = Material::new("m").friction(0.3).restitution(restitution);
        let start = ball(0.1).mass(1.0).at([0.0, 0.0, 1.1]);
        let (mut world, ball) = on_plane(settings(1e-3, Law::Relaxed), material, start);
        let mut tops = vec![1.0];
        let mut last = 0.0;
        while tops.len() <= 100 && world.time() < 120.0 {
            let _ = step(&mut world);
            let state = world.body_state(ball);
            if last > 0.0 && state.velocity.z <= 0.0 {
                tops.push(state.position.z - 0.1);
            }
            last = state.velocity.z;
            assert!(state.position.z > 0.1 - 1e-9);
        }
        for (bounce, pair) in tops.windows(2).enumerate() {
            // Half a step of fall is what the time step cannot tell.
            assert!(pair[1] <= pair[0] * kept + 2e-3, "{bounce}: {pair:?}");
        }
        if restitution == 1.0 {
            assert_eq!(tops.len(), 101);
            assert!(
                tops.iter().all(|t| *t < 1.0 + 1e-9 && *t > 0.98),
                "{tops:?}"
            );
        } else {
            assert!((tops[5] / kept.powi(5) - 1.0).abs() < 0.02, "{tops:?}");
            let state = world.body_state(ball);
            assert!(state.velocity.length() < 1e-6, "{}", state.velocity);
        }
    }
}

#[test]
fn bodies_meet_across_a_periodic_boundary() {
    let periodic = Periodic {
        axes: [Some([0.0, 1.0]), None, None],
    };
    let weightless = Settings {
        gravity: DVec3::ZERO,
        periodic,
        ..settings(1e-3, Law::Relaxed)
    };
    let mut world = World::new(weightless).unwrap();
    let ball = |x: f64, v: f64| {
        Body::dynamic(Shape::sphere(0.1).unwrap())
            .mass(1.0)
            .at([x, 0.0, 0.0])
            .velocity([v, 0.0, 0.0])
    };
    // One leaves on the right and meets the other from the left.
    let a = world.add(ball(0.8, 1.0)).unwrap();
    let b = world.add(ball(0.2, 0.0)).unwrap();
    for _ in 0..500 {
        let _ = step(&mut world);
    }
    for body in [a, b] {
        let speed = world.body_state(body).velocity.x;
        assert!((speed - 0.5).abs() < 1e-6, "{speed}");
    }
    let apart = world.pose(b).position - world.pose(a).position;
    assert!((periodic.shortest(apart).x - 0.2).abs() < 1e-6, "{apart}");
    let home = world.pose_in_domain(a).position.x;
    assert!((0.0..1.0).contains(&home) && world.pose(a).position.x > 1.0);
}

#[test]
fn bodies_meet_across_a_corner_of_a_periodic_domain() {
    let periodic = Periodic {
        axes: [Some([-1.0, 1.0]), Some([-1.0, 1.0]), None],
    };
    let mut world = World::new(Settings {
        gravity: DVec3::ZERO,
        periodic,
        ..settings(1e-3, Law::Relaxed)
    })
    .unwrap();
    // One sticks out along x alone, the other along y alone, and they fly towards each other.
    let ball = |[x, y]: [f64; 2], v: f64| {
        let ball = Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0);
        ball.at([x, y, 0.0]).velocity([v, v, 0.0])
    };
    let a = world.add(ball([-0.95, -0.7], -1.0)).unwrap();
    let b = world.add(ball([0.7, 0.95], 1.0)).unwrap();
    for _ in 0..200 {
        let _ = step(&mut world);
        let apart = world.pose(b).position - world.pose(a).position;
        let distance = periodic.shortest(apart).length();
        assert!(distance > 0.4 - 1e-6, "{distance}");
    }
    // Equal masses that meet head on, without restitution.
    for body in [a, b] {
        let speed = world.body_state(body).velocity.length();
        assert!(speed < 1e-6, "{speed}");
    }
}

#[test]
fn fast_bodies_meet_across_a_periodic_boundary() {
    let periodic = Periodic {
        axes: [Some([-1.0, 1.0]), None, None],
    };
    let mut world = World::new(Settings {
        gravity: DVec3::ZERO,
        periodic,
        ..settings(5e-3, Law::Relaxed)
    })
    .unwrap();
    // Neither sticks out of the domain yet. In the step each moves by 0.25 m, and the gap across
    // the boundary is 0.4 m.
    for (x, v) in [(-0.7, -50.0), (0.7, 50.0)] {
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0);
        world
            .add(ball.at([x, 0.0, 0.0]).velocity([v, 0.0, 0.0]))
            .unwrap();
    }
    let _ = step(&mut world);
    assert_eq!(world.contacts().count(), 1);
}

#[test]
fn a_body_too_large_for_its_periodic_domain_is_refused() {
    let periodic = Periodic {
        axes: [None, Some([0.0, 1.0]), None],
    };
    let small = settings(1e-3, Law::Relaxed);
    let narrow = Settings {
        periodic,
        ..small.clone()
    };
    let large = || ball(0.3).named("boulder");
    let error = World::new(narrow.clone())
        .unwrap()
        .add(large())
        .unwrap_err();
    let words = "boulder: width 0.6 is not less than half the periodic domain";
    assert!(error.to_string().contains(words), "{error}");
    let mut world = World::new(small).unwrap();
    world.add(large()).unwrap();
    assert!(world.set_settings(narrow).is_err());
}

#[test]
fn a_periodic_floor_of_grains_weighs_what_it_should() {
    // Grains over the seams too; the floor is wider than the domain.
    let periodic = Periodic {
        axes: [Some([-0.5, 0.5]), Some([-0.5, 0.5]), None],
    };
    let mut world = World::new(Settings {
        periodic,
        tolerance: 1e-5,
        ..settings(2e-3, Law::Relaxed)
    })
    .unwrap();
    let floor = Shape::box_of([2.0, 2.0, 0.1]).unwrap();
    let floor = Body::fixed(floor).at([0.0, 0.0, -0.1]).named("floor");
    world.add(floor).unwrap();
    let mut mass = 0.0;
    for k in 0..200 {
        let radius = 0.05 + 0.01 * (f64::from(k) * 0.7).sin();
        let at = [k % 6, k / 6 % 6, k / 36].map(|i| 0.13 * f64::from(i));
        let shift = 0.02 * (f64::from(k) * 1.3).cos();
        let grain = Body::dynamic(Shape::sphere(radius).unwrap())
            .at([at[0] - 0.5 + shift, at[1] - 0.5 - shift, at[2] + 0.1])
            .named("grain");
        let grain = world.add(grain).unwrap();
        mass += world.mass(grain);
    }
    for _ in 0..700 {
        let _ = world.step().unwrap();
    }
    let force = world.force_between_groups("grain", "floor");
    assert!((force.z / (-mass * G) - 1.0).abs() < 1e-2, "{force} {mass}");
    for body in world.group("grain") {
        assert!(world.body_state(body).position.z > 0.03);
    }
    // No two grains overlap, seams included.
    let deepest = world.contacts().map(|c| -c.gap).fold(0.0, f64::max);
    assert!(deepest < 5e-4, "{deepest}");
}

/// A lid that reaches beyond the cell on all sides: it is carried by every grain once, those on the
/// seams too, and pressed as hard as its motor says.
#[test]
fn a_dynamic_lid_across_a_periodic_cell_is_carried() {
    let periodic = Periodic {
        axes: [Some([0.0, 1.0]), Some([0.0, 1.0]), None],
    };
    let mut world = World::new(Settings {
        periodic,
        tolerance: 1e-6,
        ..settings(2e-3, Law::Relaxed)
    })
    .unwrap();
    let floor = Shape::box_of([1.0, 1.0, 0.1]).unwrap();
    world
        .add(Body::fixed(floor).at([0.5, 0.5, -0.1]).named("floor"))
        .unwrap();
    // A layer of sixteen balls with their middles on the seams: each sticks out of the cell.
    for k in 0..16 {
        let at = [k % 4, k / 4].map(|i| 0.25 * f64::from(i));
        world
            .add(ball(0.1).mass(1.0).at([at[0], at[1], 0.1]).named("ball"))
            .unwrap();
    }
    let lid = Body::dynamic(Shape::box_of([0.8, 0.8, 0.02]).unwrap())
        .mass(5.0)
        .at([0.5, 0.5, 0.23])
        .named("lid");
    let lid = world.add(lid).unwrap();
    let guide = Joint::prismatic(None, lid)
        .at([0.5, 0.5, 0.23])
        .axis([0.0, 0.0, -1.0])
        .motor(Motor::speed(0.1).max_force(80.0));
    world.add_joint(guide).unwrap();
    for _ in 0..300 {
        let report = step(&mut world);
        assert!(report.converged(), "{report:?}");
    }
    let carried = 5.0 * G + 80.0;
    let force = world.force_between_groups("ball", "lid");
    assert!((force.z / carried - 1.0).abs() < 1e-4, "{force} {carried}");
    let force = world.force_between_groups("ball", "floor");
    let weight = carried + 16.0 * G;
    assert!((force.z / -weight - 1.0).abs() < 1e-4, "{force} {weight}");
    // Each ball touches the lid once.
    let lids = world.contacts_of(lid).count();
    assert_eq!(lids, 16);
    let height = world.pose(lid).position.z;
    assert!((height - 0.22).abs() < 1e-3, "{height}");
}

#[test]
fn a_servo_wall_presses_with_its_force() {
    // A lid on a guide, driven down at 0.1 m/s with at most 50 N beside its weight.
    let mut world = World::new(settings(1e-3, Law::Relaxed)).unwrap();
    world
        .add(Body::fixed(Shape::plane()).named("floor"))
        .unwrap();
    let ball = world.add(ball(0.1).mass(1.0).named("ball")).unwrap();
    let lid = Body::dynamic(Shape::box_of([0.3, 0.3, 0.02]).unwrap())
        .mass(2.0)
        .at([0.0, 0.0, 0.25]);
    let lid = world.add(lid).unwrap();
    let guide = Joint::prismatic(None, lid)
        .at([0.0, 0.0, 0.25])
        .axis([0.0, 0.0, -1.0])
        .motor(Motor::speed(0.1).max_force(50.0));
    let guide = world.add_joint(guide).unwrap();
    let mut fastest = 0.0_f64;
    for _ in 0..1000 {
        let _ = step(&mut world);
        fastest = fastest.max(world.joint_coordinate(guide).unwrap()[1]);
    }
    assert!(fastest < 0.1 + 1e-6, "{fastest}");
    let force = world.force_between(lid, ball);
    assert!((force.z + 50.0 + 2.0 * G).abs() < 1e-3, "{force}");
}

#[test]
fn an_answer_whose_residual_is_no_number_is_refused() {
    for value in [f64::NAN, f64::INFINITY] {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::plane())).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.0, 0.5]);
        world.add(ball).unwrap();
        let mut open = world.begin().unwrap();
        let answer = open.solve(&mut drystone::Watch::default()).unwrap();
        let summary = drystone::SolveSummary {
            residual: value,
            ..answer.summary
        };
        let refused = open.finish(&answer.gamma, summary).err().unwrap();
        let words = refused.to_string();
        assert!(words.contains("not a finite number"), "{words}");
        assert_eq!(world.steps(), 0);
    }
}
