//! A mason's arch: stones without mortar on a table that tilts. It falls where limit analysis says,
//! and no stone sinks into another meanwhile.
//!
//! Limit analysis (Heyman 1966): the arch stands as long as some line of thrust stays within the
//! stones, presses every joint and leaves none at more than the angle of friction. The line is that
//! of three unknowns, the force and the moment at the left springing; every joint gives four linear
//! conditions on them. They can all be met if they are met at a corner where three of them are tight.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use drystone::{Body, BodyId, Law, Material, Pose, Settings, Shape, World};
use glam::{DMat3, DQuat, DVec2, DVec3};

const STONES: usize = 11;
/// Radii of the intrados and the extrados, m.
const INNER: f64 = 0.9;
const OUTER: f64 = 1.1;
const DEPTH: f64 = 0.3;
const FRICTION: f64 = 0.7;
/// Thickness of a stone, m: what overlap is a share of.
const THIN: f64 = OUTER - INNER;

/// The direction of joint `k` from the centre, from the left springing to the right one.
fn ray(k: usize) -> DVec2 {
    let angle = PI * (1.0 - k as f64 / STONES as f64);
    DVec2::new(angle.cos(), angle.sin())
}

/// Corners of stone `k` in the plane of the arch.
fn corners(k: usize) -> [DVec2; 4] {
    let [a, b] = [ray(k), ray(k + 1)];
    [INNER * a, OUTER * a, OUTER * b, INNER * b]
}

/// Area times density 1, and the centre of a stone.
fn weight(k: usize) -> (f64, DVec2) {
    let c = corners(k);
    let (mut area, mut first) = (0.0, DVec2::ZERO);
    for (p, q) in c.iter().zip(c.iter().cycle().skip(1)) {
        let cross = p.perp_dot(*q);
        area += 0.5 * cross;
        first += cross * (*p + *q) / 6.0;
    }
    (area.abs(), first / area)
}

/// Conditions `a · (X, Z, M) + b >= 0` on force and moment at the left springing.
fn conditions(tilt: f64) -> Vec<(DVec3, f64)> {
    let pull = DVec2::new(tilt.sin(), -tilt.cos());
    let (mut force, mut moment) = (DVec2::ZERO, 0.0);
    let mut conditions = Vec::new();
    for joint in 0..=STONES {
        let out = ray(joint);
        let along = DVec2::new(out.y, -out.x); // from stone to stone, left to right
        // Moment about a point p, and components of the force, as linear in the unknowns.
        let about = |p: DVec2| {
            let row = DVec3::new(p.y, -p.x, 1.0);
            (row, moment - p.perp_dot(force))
        };
        let part = |d: DVec2| (DVec3::new(d.x, d.y, 0.0), d.dot(force));
        let minus = |(row, b): (DVec3, f64)| (-row, -b);
        let plus = |(r, b): (DVec3, f64), (s, c): (DVec3, f64)| (r + s, b + c);
        let pressed = part(FRICTION * along);
        conditions.push(minus(about(INNER * out)));
        conditions.push(about(OUTER * out));
        conditions.push(plus(pressed, part(out)));
        conditions.push(plus(pressed, minus(part(out))));
        if joint < STONES {
            let (mass, center) = weight(joint);
            force += mass * pull;
            moment += mass * center.perp_dot(pull);
        }
    }
    conditions
}

/// Whether some line of thrust is admissible.
fn stands(tilt: f64) -> bool {
    let all = conditions(tilt);
    let met = |x: DVec3| all.iter().all(|(a, b)| a.dot(x) + b >= -1e-9);
    for i in 0..all.len() {
        for j in 0..i {
            for k in 0..j {
                let rows = DMat3::from_cols(all[i].0, all[j].0, all[k].0).transpose();
                if rows.determinant().abs() > 1e-9 {
                    let b = DVec3::new(all[i].1, all[j].1, all[k].1);
                    if met(-(rows.inverse() * b)) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// The tilt at which the arch falls, rad.
fn limit() -> f64 {
    let (mut low, mut high) = (0.0, 0.8);
    assert!(stands(low) && !stands(high));
    for _ in 0..14 {
        let middle = 0.5 * (low + high);
        match stands(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// The arch on a table whose tilt at a time is given.
fn arch(tilt: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static) -> (World, BodyId) {
    let settings = Settings {
        time_step: 2.5e-3,
        law: Law::Exact,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let stone = Material::new("stone").friction(FRICTION);
    let stone = world.add_material(stone).unwrap();
    let table = Shape::box_of([2.0, 1.0, 0.1]).unwrap();
    let path = move |t: f64| {
        let rotation = DQuat::from_rotation_y(tilt(t));
        Pose {
            position: rotation * DVec3::new(0.0, 0.0, -0.1),
            rotation,
        }
    };
    world
        .add(
            Body::prescribed(table, path)
                .posed(path(0.0))
                .material(stone),
        )
        .unwrap();
    let mut key = None;
    for k in 0..STONES {
        let sides = [-0.5 * DEPTH, 0.5 * DEPTH];
        let points: Vec<DVec3> = sides
            .iter()
            .flat_map(|y| corners(k).map(|c| DVec3::new(c.x, *y, c.y)))
            .collect();
        let body = Body::dynamic(Shape::hull(&points).unwrap()).density(2400.0);
        let turned = DQuat::from_rotation_y(tilt(0.0));
        let body = world.add(body.rotated(turned).material(stone)).unwrap();
        if k == STONES / 2 {
            key = Some(body);
        }
    }
    (world, key.unwrap())
}

/// How far a body has moved on the table, m, and the deepest overlap until now, m.
fn follow(
    (world, key): (&mut World, BodyId),
    tilt: impl Fn(f64) -> f64,
    until: impl Fn(f64, f64) -> bool,
) -> (f64, f64) {
    let center = |world: &World| {
        let turned = DQuat::from_rotation_y(tilt(world.time()));
        turned.inverse() * world.body_state(key).position
    };
    let start = center(world);
    let mut deepest = 0.0_f64;
    loop {
        let report = world.step().unwrap();
        deepest = deepest.max(report.penetration);
        let moved = center(world).distance(start);
        if until(world.time(), moved) {
            return (moved, deepest);
        }
    }
}

#[test]
fn the_limit_of_an_upright_arch_is_that_of_the_books() {
    // Half circles of one piece stand from t/R = 0.1075 on (Milankovitch 1907); of few stones from
    // a little less. Ours is at 0.2 and stands, well within it.
    assert!(stands(0.0));
    let degrees = limit().to_degrees();
    assert!((10.0..30.0).contains(&degrees), "{degrees}");
}

#[test]
fn an_arch_stands_below_the_limit_and_falls_above() {
    let limit = limit();
    for (share, falls) in [(0.97, false), (1.03, true)] {
        let tilt = move |_: f64| share * limit;
        let (mut world, key) = arch(tilt);
        let until = |time: f64, moved: f64| time >= 1.5 || moved > 0.1;
        let (moved, deepest) = follow((&mut world, key), tilt, until);
        assert_eq!(moved > 0.1, falls, "{share}: moved by {moved} m");
        assert!(falls || moved < 2e-3, "{share}: moved by {moved} m");
        assert!(deepest < 0.01 * THIN, "{share}: overlap {deepest} m");
    }
}

#[test]
fn on_a_tilting_table_it_falls_near_the_limit() {
    let limit = limit();
    // Two degrees a second, from two thirds of the limit.
    let tilt = move |t: f64| 0.67 * limit + 2.0_f64.to_radians() * t;
    let (mut world, key) = arch(tilt);
    let until = |time: f64, moved: f64| time >= 8.0 || moved > 0.02;
    let (moved, deepest) = follow((&mut world, key), tilt, until);
    let fell = tilt(world.time()).to_degrees();
    assert!(moved > 0.02, "still stands at {fell}°");
    // It takes its time to fall by 2 cm; the table goes on meanwhile.
    let above = fell - limit.to_degrees();
    assert!(
        (-0.2..1.5).contains(&above),
        "fell at {fell}°, {above}° above"
    );
    assert!(deepest < 0.01 * THIN, "overlap {deepest} m");
}
