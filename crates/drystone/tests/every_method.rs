//! Every method steps small worlds, and the physics is right: weights are carried, what should rest
//! rests, a pendulum swings and is stopped.

#![allow(clippy::unwrap_used)]

use drystone::{
    Body, BodyId, Joint, Law, Method, MethodSettings, Settings, Shape, StepReport, World,
};

const G: f64 = 9.81;

/// Both laws. Every method solves both, some by a fixed point around them.
const LAWS: [Law; 2] = [Law::Relaxed, Law::Exact];

fn world(method: Method, law: Law) -> World {
    let mut world = World::new(Settings {
        method: MethodSettings::new(method),
        law,
        tolerance: 1e-5,
        // Jacobi needs tens of thousands for a joint against a wall.
        max_iterations: 200_000,
        max_work: Some(f64::MAX),
        // With the default, `gpminres` and `gpminres-p` stall near the tolerance in four steps of
        // the pendulum: where nothing pushes, their fixed point has too little to go by.
        rest_depth: Some(0.0),
        // Likewise: a pin that is off by nanometres gives them more to do than they can.
        joint_error: Some(1e-6),
        ..Settings::default()
    })
    .unwrap();
    world
        .add(Body::fixed(Shape::plane()).named("ground"))
        .unwrap();
    world
}

fn ground() -> BodyId {
    BodyId::new(0)
}

/// Steps, each solved to the tolerance and by the method that was asked for.
fn run(world: &mut World, method: Method, steps: usize) -> StepReport {
    let mut last = None;
    let mut solved = 0;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged(), "{}: {report:?}", method.name());
        if report.solves > 0 && method != Method::Auto {
            assert_eq!(report.method, method.name());
        }
        solved += report.solves;
        last = Some(report);
    }
    assert!(solved > 0, "nothing was solved");
    last.unwrap()
}

fn for_each(check: impl Fn(Method, Law)) {
    for method in Method::ALL {
        for law in LAWS {
            check(method, law);
        }
    }
}

#[test]
fn a_ball_falls_and_rests_on_the_ground() {
    for_each(|method, law| {
        let mut world = world(method, law);
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(2.0);
        let ball = world.add(ball.at([0.0, 0.0, 0.55])).unwrap();
        let _ = run(&mut world, method, 40);
        let name = method.name();
        let state = *world.body_state(ball);
        assert!(state.velocity.length() < 1e-5, "{name} {law:?}: {state:?}");
        assert!(
            (state.position.z - 0.5).abs() < 1e-5,
            "{name} {law:?}: {state:?}"
        );
        let force = world.force_between(ball, ground());
        assert!(
            (force.z + 2.0 * G).abs() < 1e-3 * G,
            "{name} {law:?}: {force}"
        );
    });
}

#[test]
fn a_stack_of_cubes_carries_its_weight_from_cube_to_cube() {
    for_each(|method, law| {
        let mut world = world(method, law);
        let cube = |k: f64| {
            let shape = Shape::box_of([0.5; 3]).unwrap();
            Body::dynamic(shape).mass(1.0).at([0.0, 0.0, 0.5 + k])
        };
        let cubes = [0.0, 1.0, 2.0].map(|k| world.add(cube(k)).unwrap());
        let report = run(&mut world, method, 10);
        let name = method.name();
        // Flat on each other: four corners or more each.
        assert!(report.contacts >= 12, "{name}: {}", report.contacts);
        for (k, cube) in cubes.iter().enumerate() {
            let below = if k == 0 { ground() } else { cubes[k - 1] };
            let force = world.force_between(*cube, below);
            let weight = (3 - k) as f64 * G;
            assert!(
                (force.z + weight).abs() < 2e-3 * weight,
                "{name} {law:?}, cube {k}: {force}"
            );
            assert!(
                force.truncate().length() < 2e-3 * weight,
                "{name} {law:?}: {force}"
            );
            let state = world.body_state(*cube);
            assert!(
                state.velocity.length() < 1e-4,
                "{name} {law:?}, cube {k}: {state:?}"
            );
        }
    });
}

#[test]
fn a_pendulum_swings_against_a_wall_and_leans_there() {
    for_each(|method, law| {
        let mut world = world(method, law);
        // A bob on a rod of 1 m, pivot 3 m high. A wall stops it 0.5 m from the vertical.
        let wall = Shape::box_of([0.1, 1.0, 3.0]).unwrap();
        let wall = world.add(Body::fixed(wall).at([-0.7, 0.0, 2.0])).unwrap();
        let bob = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0);
        let bob = world
            .add(bob.at([-0.4, 0.0, 3.0 - 0.84_f64.sqrt()]))
            .unwrap();
        let rod = Joint::revolute(None, bob)
            .at([0.0, 0.0, 3.0])
            .axis([0.0, 1.0, 0.0]);
        let rod = world.add_joint(rod).unwrap();
        // A steady wind presses it to the wall.
        world.set_load(bob, [-12.0, 0.0, 0.0], [0.0; 3]);
        let report = run(&mut world, method, 80);
        let name = method.name();
        let state = *world.body_state(bob);
        // Leaning: 0.5 m aside, 1 m from the pivot, at rest.
        assert!(
            (state.position.x + 0.5).abs() < 1e-4,
            "{name} {law:?}: {state:?}"
        );
        let height = 3.0 - 0.75_f64.sqrt();
        assert!(
            (state.position.z - height).abs() < 1e-4,
            "{name} {law:?}: {state:?}"
        );
        assert!(state.velocity.length() < 1e-3, "{name} {law:?}: {state:?}");
        assert!(
            report.joint_rows == 5 && report.joint_error < 1e-5,
            "{report:?}"
        );
        // All that acts on the bob adds up to nothing: weight, wind, wall and rod.
        let wall = world.force_between(wall, bob);
        let sum = wall + world.joint_force(rod).force - glam::DVec3::new(12.0, 0.0, G);
        assert!(sum.length() < 1e-2, "{name} {law:?}: {sum}");
        // So do their moments about the pivot. The wall touches the bob's surface, 0.6 m aside.
        let down = 0.75_f64.sqrt();
        let moment = 12.0 * down - 0.5 * G - wall.x * down + 0.6 * wall.z;
        assert!(moment.abs() < 1e-2, "{name} {law:?}: {moment}");
        // Friction is at most half of what presses.
        let most = 0.5 * wall.x + 1e-4;
        assert!(wall.z.abs() <= most, "{name} {law:?}: {wall}");
    });
}

#[test]
fn options_of_the_method_reach_the_solver() {
    let iterations = |options: &[(&str, &str)], method: Method| {
        let mut method = MethodSettings::new(method);
        for (name, value) in options {
            method.set(name, *value).unwrap();
        }
        let mut world = World::new(Settings {
            method,
            ..Settings::default()
        })
        .unwrap();
        world.add(Body::fixed(Shape::plane())).unwrap();
        for k in 0..4 {
            let cube = Body::dynamic(Shape::box_of([0.5; 3]).unwrap());
            let cube = cube.at([0.0, 0.0, 0.5 + f64::from(k)]);
            world.add(cube).unwrap();
        }
        let report = world.step().unwrap();
        assert!(report.converged(), "{report:?}");
        (report.iterations, report.method)
    };
    let (plain, _) = iterations(&[], Method::GaussSeidel);
    let (slow, _) = iterations(&[("omega", "0.3")], Method::GaussSeidel);
    assert!(slow > 2 * plain, "{slow} {plain}");
    // `auto` sweeps small steps for long before it factors, unless an option says otherwise.
    assert_eq!(iterations(&[], Method::Auto).1, "nesterov-gs");
    let none = [("small-sweeps", "0")];
    assert_eq!(iterations(&none, Method::Auto).1, "interior-point");
    // Options that contradict each other are refused with the settings.
    let mut method = MethodSettings::new(Method::Spg);
    method.set("alpha-min", 1.0).unwrap();
    method.set("alpha-max", 0.5).unwrap();
    let error = World::new(Settings {
        method,
        ..Settings::default()
    });
    let error = error.err().unwrap().to_string();
    assert!(error.contains("alpha-min"), "{error}");
}
