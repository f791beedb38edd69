//! Corners that are about to touch are among the contacts, whatever they will touch, and keep their
//! identities while a body rocks and turns.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use crate::common::{KINDS, convex, deepest, placed, points, prism};
use drystone_collide::{Pose, Shape};
use glam::{DQuat, DVec3};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// How far `p` is from `shape` along `n`, up to `most`, by trial: a tiny ball is moved along.
fn distance(p: DVec3, n: DVec3, (shape, pose): (&Shape, &Pose), most: f64) -> Option<f64> {
    let dot = Shape::sphere(1e-9).unwrap();
    let inside = |t: f64| {
        let found = points((shape, pose), (&dot, &Pose::at(p + n * t)), 0.0);
        found.iter().any(|c| c.gap <= 0.0)
    };
    let steps = 400;
    let first = (0..=steps)
        .map(|k| most * (2.0 * f64::from(k) / f64::from(steps) - 1.0))
        .find(|&t| inside(t))?;
    let (mut out, mut within) = (first - 2.0 * most / f64::from(steps), first);
    for _ in 0..40 {
        let t = 0.5 * (out + within);
        *(if inside(t) { &mut within } else { &mut out }) = t;
    }
    Some(within)
}

/// Every corner of a box or a hull that is within the margin of the other shape is a contact, at
/// its place and with its gap.
#[test]
fn every_corner_within_the_margin_is_found() {
    let mut rng = Pcg64::seed_from_u64(21);
    let half = DVec3::new(0.5, 0.8, 0.3);
    let corners: Vec<DVec3> = (0..8)
        .map(|k| {
            let sign = |bit: i32| if k & bit == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    let blocks = [
        (Shape::box_of(half).unwrap(), corners),
        (
            Shape::hull(&prism(6, 0.7, 0.4)).unwrap(),
            prism(6, 0.7, 0.4),
        ),
    ];
    let margin = 0.1;
    let mut checked = 0;
    for (block, corners) in &blocks {
        for kind in 0..KINDS {
            // Large, so that corners come near its round sides; a ball only then has more points
            // than one.
            let other = convex(kind, 3.0);
            for _ in 0..12 {
                let (pa, pb) = placed(block, &other, 0.01, &mut rng);
                let found = points((block, &pa), (&other, &pb), margin);
                let n = deepest(&found).unwrap().normal;
                if found.len() >= 8 || other.kind() == "sphere" {
                    continue;
                }
                for corner in corners.iter().map(|c| pa.point(*c)) {
                    let Some(gap) = distance(corner, n, (&other, &pb), 0.9 * margin) else {
                        continue;
                    };
                    checked += 1;
                    let middle = corner + n * (0.5 * gap);
                    let there = found.iter().any(|p| p.point.distance(middle) < 1e-4);
                    let case = format!("{} {} {corner} {gap}", block.kind(), other.kind());
                    assert!(there, "{case}: {found:?}");
                }
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

/// A box's edge on a drum: at any angle it has a point at each end that is near enough, and the two
/// keep their identities.
#[test]
fn an_edge_on_a_drum_has_its_two_ends() {
    let drum = Shape::cylinder(0.2, 0.15).unwrap();
    let level = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_x(FRAC_PI_2),
    };
    let block = Shape::box_of([0.025, 0.02, 0.02]).unwrap();
    let mut known: Option<Vec<u64>> = None;
    for k in 0..60 {
        let angle = 0.5 * f64::from(k).to_radians();
        // On its edge along x, which is turned from the drum's axis, y, by the angle.
        let edge = DQuat::from_rotation_z(FRAC_PI_2 + angle) * DQuat::from_rotation_x(FRAC_PI_4);
        let pose = Pose {
            position: DVec3::new(0.0, 0.0, 0.2 + 0.02 * 2f64.sqrt()),
            rotation: edge,
        };
        let found = points((&drum, &level), (&block, &pose), 1e-3);
        let ends: Vec<_> = [-1.0, 1.0]
            .iter()
            .filter_map(|sign| {
                let end = pose.point(DVec3::new(0.025 * sign, -0.02, -0.02));
                let near = |p: &&drystone_collide::narrow::ContactPoint| {
                    p.point.distance(end) < 5e-4
                        && p.point.truncate().distance(end.truncate()) < 1e-6
                };
                found.iter().find(near).map(|p| (p.feature, p.gap))
            })
            .collect();
        assert_eq!(ends.len(), 2, "{angle}: {found:?}");
        // The surface falls away by r - sqrt(r² - x²) at the distance x from the ridge.
        let x = 0.025 * angle.sin();
        let exact = 0.2 - (0.04f64 - x * x).sqrt();
        for (_, gap) in &ends {
            assert!((gap - exact).abs() < 1e-9, "{angle}: {gap} {exact}");
        }
        let ids: Vec<u64> = ends.iter().map(|e| e.0).collect();
        assert_eq!(*known.get_or_insert(ids.clone()), ids, "{angle}: {found:?}");
    }
}

/// A plank longer than the drum has its points where it leaves the drum.
#[test]
fn a_long_edge_ends_where_the_drum_does() {
    let drum = Shape::cylinder(0.2, 0.15).unwrap();
    let level = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_x(FRAC_PI_2),
    };
    let plank = Shape::box_of([0.5, 0.02, 0.02]).unwrap();
    for angle in [0.0, 0.01, 0.05, 0.1] {
        let edge = DQuat::from_rotation_z(FRAC_PI_2 + angle) * DQuat::from_rotation_x(FRAC_PI_4);
        let pose = Pose {
            position: DVec3::new(0.0, 0.0, 0.2 + 0.02 * 2f64.sqrt()),
            rotation: edge,
        };
        let found = points((&drum, &level), (&plank, &pose), 1e-3);
        let reach = |sign: f64| found.iter().any(|p| (p.point.y * sign - 0.15).abs() < 1e-4);
        assert!(reach(1.0) && reach(-1.0), "{angle}: {found:?}");
    }
}

/// A small box that rocks on a large ball has its corners before they touch.
#[test]
fn a_small_box_on_a_large_ball_has_its_corners() {
    let ball = Shape::sphere(5.0).unwrap();
    let block = Shape::box_of([0.02, 0.02, 0.02]).unwrap();
    let pose = Pose::at([0.0, 0.0, 5.02]);
    let found = points((&ball, &Pose::IDENTITY), (&block, &pose), 1e-3);
    let corners = found.iter().filter(|p| p.point.x.abs() > 0.019).count();
    assert_eq!((corners, found.len()), (4, 5), "{found:?}");
    // Far away from a small ball, the nearest point alone.
    let small = Shape::sphere(0.02).unwrap();
    let pose = Pose::at([0.0, 0.0, 0.04]);
    let found = points((&small, &Pose::IDENTITY), (&block, &pose), 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
}
