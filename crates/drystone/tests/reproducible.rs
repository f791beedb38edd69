//! The same bits on any number of threads and after a restart; sleeping and failing steps.

#![allow(clippy::unwrap_used)]

use drystone::{
    Body, BodyId, Joint, Law, Material, Method, MethodSettings, Motor, Periodic, Pose, Settings,
    Shape, Sleeping, Spring, State, StepError, World,
};
use glam::{DQuat, DVec3};

/// Spheres, boxes and capsules that fall into a box with a turning paddle.
fn heap(settings: Settings) -> World {
    heap_of(90, 5, settings)
}

/// The same with so many bodies, in layers of `side × side`.
fn heap_of(count: usize, side: usize, settings: Settings) -> World {
    let mut world = World::new(settings).unwrap();
    world
        .add(Body::fixed(Shape::plane()).named("ground"))
        .unwrap();
    let width = 0.2 * side as f64;
    for (x, y, half) in [
        (width, 0.0, [0.1, width, 1.0]),
        (-width, 0.0, [0.1, width, 1.0]),
        (0.0, width, [width, 0.1, 1.0]),
        (0.0, -width, [width, 0.1, 1.0]),
    ] {
        let wall = Shape::box_of(half).unwrap();
        world
            .add(Body::fixed(wall).at([x, y, 1.0]).named("walls"))
            .unwrap();
    }
    let paddle = Shape::box_of([0.5, 0.05, 0.2]).unwrap();
    world
        .add(
            Body::prescribed(paddle, |t| Pose {
                position: DVec3::new(0.0, 0.0, 0.2),
                rotation: DQuat::from_rotation_z(1.5 * t),
            })
            .named("paddle"),
        )
        .unwrap();
    let middle = 0.3 * (side / 2) as f64;
    for k in 0..count {
        let shape = match k % 3 {
            0 => Shape::sphere(0.1 + 0.002 * (k % 7) as f64),
            1 => Shape::box_of([0.09, 0.1, 0.11]),
            _ => Shape::capsule(0.07, 0.08),
        };
        let [i, j, l] = [k % side, k / side % side, k / (side * side)];
        let at = [i, j, l].map(|c| 0.3 * c as f64);
        let at = [
            at[0] - middle,
            at[1] - middle,
            at[2] + 0.6 + 0.013 * (k % 4) as f64,
        ];
        world
            .add(
                Body::dynamic(shape.unwrap())
                    .at(at)
                    .rotated(DQuat::from_rotation_y(0.1 * k as f64)),
            )
            .unwrap();
    }
    world
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        let _ = world.step().unwrap();
    }
}

fn on_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(f)
}

fn assert_same_bits(a: &State, b: &State) {
    let bits = |s: &State| -> Vec<u64> {
        let bodies = s.bodies.iter().flat_map(|b| {
            let vectors = [b.position, b.velocity, b.angular_velocity];
            let numbers = vectors.into_iter().flat_map(|v| v.to_array());
            numbers.chain(b.rotation.to_array()).collect::<Vec<f64>>()
        });
        let impulses = s.warm_start.iter().flat_map(|w| w.impulse.to_array());
        bodies.chain(impulses).map(f64::to_bits).collect()
    };
    assert_eq!(a.step, b.step);
    assert!(a == b && bits(a) == bits(b));
}

/// Loops over bodies and contacts are split from twice this size on: in the engine's own code and
/// in the detector's.
const SPLIT: usize = 2 * 256;
/// The same for the pairs of the narrow phase.
const SPLIT_PAIRS: usize = 2 * 128;
/// The same for the bodies of the broad phase.
const SPLIT_BROAD: usize = 2 * 4096;
/// Dot products of the solvers are split from so many rows on.
const SPLIT_ROWS: usize = 65_536;

#[test]
fn threads_change_nothing_in_a_heap_of_many_shapes() {
    let run = |threads| {
        on_threads(threads, || {
            let mut world = heap_of(800, 14, Settings::default());
            steps(&mut world, 79);
            let report = world.step().unwrap();
            (world.state(), report)
        })
    };
    let (one, report) = run(1);
    assert!(one.bodies.len() > SPLIT, "{}", one.bodies.len());
    assert!(report.contacts > SPLIT, "{}", report.contacts);
    assert!(report.pairs > SPLIT_PAIRS, "{}", report.pairs);
    for threads in [2, 3] {
        assert_same_bits(&one, &run(threads).0);
    }
}

/// A block of balls on the ground, pressed into each other and shaken by a load.
fn block_of_balls(side: usize, settings: Settings) -> World {
    let mut world = World::new(settings).unwrap();
    world.add(Body::fixed(Shape::plane())).unwrap();
    for k in 0..side.pow(3) {
        let cell = [k % side, k / side % side, k / (side * side)].map(|c| c as f64);
        let wobble = 1e-4 * ((k * 7919) % 13) as f64;
        let at = DVec3::from(cell) * 0.1995 + DVec3::new(wobble, -wobble, 0.0995);
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at(at);
        let ball = ball.velocity([0.3 * (k % 3) as f64, 0.2 * (k % 2) as f64, -0.1]);
        world.add(ball).unwrap();
    }
    world
}

#[test]
fn threads_change_nothing_where_all_loops_are_split() {
    // Few iterations: it is the bits that count, not the answer. APGD lives on products and dot
    // products, `auto` goes to the sweeps.
    for (method, law) in [
        (Method::Auto, Law::Relaxed),
        (Method::Apgd, Law::Relaxed),
        (Method::Auto, Law::Exact),
    ] {
        let settings = Settings {
            method: MethodSettings::new(method),
            law,
            max_iterations: 4,
            ..Settings::default()
        };
        let run = |threads| {
            on_threads(threads, || {
                let mut world = block_of_balls(21, settings.clone());
                let rows = world.next_problem().unwrap().problem().dim();
                let report = world.step().unwrap();
                assert!(report.iterations > 0);
                steps(&mut world, 1);
                (world.state(), rows, report.pairs)
            })
        };
        let (one, rows, pairs) = run(1);
        assert!(rows >= SPLIT_ROWS, "{rows}");
        assert!(one.bodies.len() > SPLIT_BROAD, "{}", one.bodies.len());
        assert!(one.warm_start.len() > SPLIT && pairs > SPLIT_PAIRS);
        for threads in [2, 3] {
            assert_same_bits(&one, &run(threads).0);
        }
    }
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    for sleeping in [
        None,
        Some(Sleeping {
            speed: 0.02,
            after: 0.05,
        }),
    ] {
        let settings = Settings {
            sleeping,
            ..Settings::default()
        };
        let mut whole = heap(settings.clone());
        steps(&mut whole, 60);
        let saved = whole.state();
        steps(&mut whole, 60);

        let mut resumed = heap(settings);
        steps(&mut resumed, 3); // whatever happened before is forgotten
        resumed.restore(&saved).unwrap();
        assert_same_bits(&resumed.state(), &saved);
        steps(&mut resumed, 60);
        assert_same_bits(&resumed.state(), &whole.state());
    }
}

/// A driven chain and sticky, rolling balls in a periodic domain.
fn machine(balls: u32, spacing: f64) -> World {
    let mut world = World::new(Settings {
        law: Law::Exact,
        periodic: Periodic {
            axes: [Some([-1.0, 1.0]), None, None],
        },
        ..Settings::default()
    })
    .unwrap();
    let sticky = Material::new("sticky")
        .rolling_friction(0.01)
        .cohesion(0.5)
        .restitution(0.3);
    let sticky = world.add_material(sticky).unwrap();
    let ground = Body::fixed(Shape::plane()).material(sticky);
    world.add(ground).unwrap();
    let mut above: Option<BodyId> = None;
    for k in 0..6 {
        let at = DVec3::new(0.0, 0.3 * f64::from(k), 2.0);
        let link = Body::dynamic(Shape::capsule(0.05, 0.08).unwrap())
            .at(at + DVec3::Y * 0.15)
            .rotated(DQuat::from_rotation_x(1.57));
        let link = world.add(link).unwrap();
        let pin = Joint::revolute(above, link).at(at).axis(DVec3::X);
        let pin = match k {
            0 => pin.motor(Motor::speed(2.0).max_force(30.0)),
            _ => pin.spring(Spring::new(2.0).damping(0.1)),
        };
        world.add_joint(pin).unwrap();
        above = Some(link);
    }
    for k in 0..balls {
        let at =
            [k % 4, k / 4 % 4, k / 16].map(|c| spacing * f64::from(c) + 0.01 * f64::from(k % 3));
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap())
            .at([at[0] + 0.5, at[1] - 0.4, at[2] + 0.15])
            .velocity([1.0, 0.0, 0.0])
            .material(sticky);
        world.add(ball).unwrap();
    }
    world
}

#[test]
fn joints_laws_and_boundaries_resume_to_the_bit() {
    let mut whole = machine(40, 0.25);
    steps(&mut whole, 60);
    let whole = whole.state();
    assert!(whole.warm_start.iter().any(|w| w.turn != DVec3::ZERO));
    let mut first = machine(40, 0.25);
    steps(&mut first, 25);
    let mut resumed = machine(40, 0.25);
    resumed.restore(&first.state()).unwrap();
    steps(&mut resumed, 35);
    assert_same_bits(&whole, &resumed.state());
}

#[test]
fn threads_change_nothing_among_joints_laws_and_boundaries() {
    let run = |threads| {
        on_threads(threads, || {
            let mut world = machine(800, 0.2);
            steps(&mut world, 4);
            world.state()
        })
    };
    let one = run(1);
    let sizes = [one.bodies.len(), one.warm_start.len()];
    assert!(sizes.iter().all(|size| *size > SPLIT), "{sizes:?}");
    assert!(one.warm_start.iter().any(|w| w.turn != DVec3::ZERO));
    assert_same_bits(&one, &run(2));
}

#[test]
fn a_state_of_another_world_is_refused() {
    let mut world = heap(Settings::default());
    let mut state = world.state();
    state.bodies.pop();
    let error = world.restore(&state).unwrap_err().to_string();
    assert!(
        error.contains("95 bodies") && error.contains("96"),
        "{error}"
    );
}

/// Two cubes on each other, and a ball that hits the upper one after a while.
fn cubes_and_ball(sleeping: Option<Sleeping>) -> (World, [BodyId; 3]) {
    let settings = Settings {
        sleeping,
        tolerance: 1e-8,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    world.add(Body::fixed(Shape::plane())).unwrap();
    let cube = Shape::box_of([0.5; 3]).unwrap();
    let mut add = |body: Body| world.add(body).unwrap();
    let lower = add(Body::dynamic(cube.clone()).at([0.0, 0.0, 0.5]));
    let upper = add(Body::dynamic(cube).at([0.0, 0.0, 1.5]));
    let ball = Body::dynamic(Shape::sphere(0.3).unwrap()).at([-6.0, 0.0, 2.0]);
    let ball = add(ball.velocity([6.0, 0.0, 4.5]));
    (world, [lower, upper, ball])
}

#[test]
fn sleeping_changes_nothing_within_tolerance() {
    let sleep = Sleeping {
        speed: 1e-3,
        after: 0.2,
    };
    let (mut awake, bodies) = cubes_and_ball(None);
    let (mut sleepy, _) = cubes_and_ball(Some(sleep));
    let mut slept = 0;
    let weight = -9.81 * awake.mass(bodies[0]);
    for step in 0..400 {
        let _ = awake.step().unwrap();
        let report = sleepy.step().unwrap();
        slept = slept.max(report.asleep);
        if report.asleep > 0 {
            // Forces stay readable while bodies sleep.
            let force = sleepy.force_between(bodies[1], bodies[0]);
            assert!(
                (force.z - weight).abs() < 1e-3 * weight.abs(),
                "step {step}: {force}"
            );
        }
        for body in bodies {
            let (a, b) = (awake.body_state(body), sleepy.body_state(body));
            assert!(
                (a.position - b.position).length() < 1e-4,
                "step {step}: {a:?} {b:?}"
            );
        }
    }
    assert_eq!(slept, 2);
    // The ball woke them and moved the upper cube.
    assert!(sleepy.pose(bodies[1]).position.x > 0.01);
}

#[test]
fn a_state_that_is_not_finite_stops_the_step() {
    let mut world = heap(Settings::default());
    steps(&mut world, 3);
    let before = world.state();
    let victim = world.group("body")[40];
    world.set_load(victim, [f64::NAN, 0.0, 0.0], DVec3::ZERO);
    let error = world.step().unwrap_err();
    assert!(
        matches!(&error, StepError::NotFinite { body, .. } if body == "body[40]"),
        "{error}"
    );
    // The world is as it was.
    world.set_load(victim, DVec3::ZERO, DVec3::ZERO);
    assert_same_bits(&world.state(), &before);
    steps(&mut world, 1);
}

#[test]
fn a_path_that_is_not_finite_stops_the_step() {
    let mut world = World::new(Settings::default()).unwrap();
    let shape = Shape::sphere(1.0).unwrap();
    let path = |t: f64| Pose::at([(0.012 - t).sqrt(), 0.0, 0.0]);
    world
        .add(Body::prescribed(shape, path).named("piston"))
        .unwrap();
    steps(&mut world, 2);
    let error = world.step().unwrap_err().to_string();
    assert!(
        error.contains("piston") && error.contains("step 3"),
        "{error}"
    );
}

#[test]
fn a_material_of_another_world_is_refused() {
    let mut other = World::new(Settings::default()).unwrap();
    let foreign = other.add_material(Material::new("ice")).unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let ball = Body::dynamic(Shape::sphere(1.0).unwrap()).material(foreign);
    let error = world.add(ball).unwrap_err().to_string();
    assert!(error.contains("no material 1, only 1"), "{error}");
    assert!(world.is_empty());
}
