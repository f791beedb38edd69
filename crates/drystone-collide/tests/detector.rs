//! The detector against all pairs one by one, and on one, two and three threads.
#![allow(clippy::unwrap_used)]

use crate::common::{self, convex, direction, points, rotation};
use drystone_collide::shape::HeightField;
use drystone_collide::{Contact, ContactId, Detector, Object, Pose, Shape};
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One object of a scene.
#[derive(Clone)]
struct Thing {
    shape: Shape,
    pose: Pose,
    reach: f64,
    active: bool,
}

fn detect(
    things: &[Thing],
    wanted: impl Fn(u32, u32) -> bool + Sync + Send,
    keep: impl Fn(&Contact) -> bool + Sync + Send,
    threads: usize,
) -> (Vec<Contact>, Vec<[u32; 2]>) {
    let object = |i: usize| Object {
        shape: &things[i].shape,
        pose: things[i].pose,
        reach: things[i].reach,
        shift: DVec3::ZERO,
        active: things[i].active,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let (mut detector, mut out) = (Detector::default(), vec![]);
    pool.build().unwrap().install(|| {
        detector.detect(things.len(), object, wanted, keep, &mut out);
    });
    (out, detector.pairs().to_vec())
}

/// Every kind of shape, thrown together; every seventh takes no part.
fn heap(count: usize) -> Vec<Thing> {
    let mut rng = Pcg64::seed_from_u64(12);
    let hills = (0..25).map(|k| 0.1 * f64::from(k).sin()).collect();
    let ground = Shape::height_field(HeightField::new(5, 5, [1.0, 1.0], hills).unwrap());
    let pair = vec![
        (Pose::at([-0.3, 0.0, 0.0]), convex(0, 0.4)),
        (Pose::at([0.3, 0.0, 0.0]), convex(1, 0.4)),
    ];
    let mut shapes: Vec<Shape> = (0..common::KINDS).map(|kind| convex(kind, 0.5)).collect();
    shapes.push(Shape::compound(pair).unwrap());
    let mut things: Vec<Thing> = (0..count)
        .map(|k| Thing {
            shape: shapes[k % shapes.len()].clone(),
            pose: Pose::new(
                DVec3::from_array(std::array::from_fn(|_| rng.random_range(-0.8..0.8))),
                rotation(&mut rng),
            ),
            reach: rng.random_range(0.0..0.05),
            active: k % 7 != 3,
        })
        .collect();
    for (shape, z) in [(ground, -1.0), (Shape::plane(), -1.5)] {
        things.push(Thing {
            shape,
            pose: Pose::at([0.0, 0.0, z]),
            reach: 0.01,
            active: true,
        });
    }
    things
}

#[test]
fn the_contacts_are_those_of_all_pairs_one_by_one() {
    let things = heap(100);
    let wanted = |a: u32, b: u32| !(a + b).is_multiple_of(5);
    let keep = |c: &Contact| c.normal.z < 0.9;
    let mut expected = Vec::new();
    for (i, a) in things.iter().enumerate() {
        for (j, b) in things.iter().enumerate().skip(i + 1) {
            if !(a.active && b.active && wanted(i as u32, j as u32)) {
                continue;
            }
            let found = points((&a.shape, &a.pose), (&b.shape, &b.pose), a.reach + b.reach);
            expected.extend(found.iter().map(|p| Contact {
                id: ContactId {
                    objects: [i as u32, j as u32],
                    feature: p.feature,
                },
                normal: p.normal,
                point: p.point,
                gap: p.gap,
            }));
        }
    }
    let all = expected.len();
    expected.retain(keep);
    assert!(expected.len() > 500, "{}", expected.len());
    assert!(expected.len() < all, "nothing is refused");
    let (found, _) = detect(&things, wanted, keep, 2);
    assert_eq!(found, expected);
    assert!(found.is_sorted_by(|a, b| a.id < b.id));
}

/// A height field is solid far below its surface, so also outside the ball around its points.
#[test]
fn what_sank_deep_into_a_field_near_its_corner_is_found() {
    let flat = HeightField::new(11, 11, [1.0, 1.0], vec![0.0; 121]).unwrap();
    let thing = |shape, pose| Thing {
        shape,
        pose,
        reach: 0.01,
        active: true,
    };
    let things = [
        thing(Shape::height_field(flat), Pose::IDENTITY),
        thing(Shape::sphere(0.1).unwrap(), Pose::at([4.9, 4.9, -2.0])),
    ];
    let (found, _) = detect(&things, |_, _| true, |_| true, 1);
    let gaps: Vec<f64> = found.iter().map(|c| c.gap).collect();
    assert!(gaps.len() == 1 && (gaps[0] + 2.1).abs() < 1e-12, "{gaps:?}");
}

/// Balls on a lattice, each within reach of its 26 neighbours.
fn lattice(side: usize) -> Vec<Thing> {
    let mut rng = Pcg64::seed_from_u64(13);
    let ball = Shape::sphere(0.5).unwrap();
    (0..side * side * side)
        .map(|k| {
            let cell = [k % side, k / side % side, k / side / side].map(|c| c as f64);
            Thing {
                shape: ball.clone(),
                pose: Pose::at(DVec3::from_array(cell) + 0.01 * direction(&mut rng)),
                reach: 0.4,
                active: true,
            }
        })
        .collect()
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    // Chunks have 128 pairs, and a round 256 chunks: the lattice takes several rounds, and the heap
    // several chunks with pairs of very different cost.
    for (things, least) in [(lattice(20), 2 * 128 * 256), (heap(120), 10 * 128)] {
        let (first, pairs) = detect(&things, |_, _| true, |_| true, 1);
        assert!(pairs.len() > least, "only {} pairs", pairs.len());
        assert!(first.is_sorted_by(|a, b| a.id < b.id));
        for threads in [2, 3] {
            let (again, same_pairs) = detect(&things, |_, _| true, |_| true, threads);
            assert_eq!(same_pairs, pairs);
            // Compared as bits: equality of numbers would take -0 for 0.
            let bits = |contacts: &[Contact]| -> Vec<(ContactId, [u64; 7])> {
                let numbers = |c: &Contact| {
                    let ([nx, ny, nz], [x, y, z]) = (c.normal.to_array(), c.point.to_array());
                    [nx, ny, nz, x, y, z, c.gap].map(f64::to_bits)
                };
                contacts.iter().map(|c| (c.id, numbers(c))).collect()
            };
            assert!(bits(&again) == bits(&first), "{threads} threads");
        }
    }
}

#[test]
fn a_used_detector_answers_as_a_new_one() {
    let (large, small) = (heap(120), heap(30));
    let mut detector = Detector::default();
    let mut out = Vec::new();
    for things in [&large, &small, &large] {
        let object = |i: usize| Object {
            shape: &things[i].shape,
            pose: things[i].pose,
            reach: things[i].reach,
            shift: DVec3::ZERO,
            active: things[i].active,
        };
        detector.detect(things.len(), object, |_, _| true, |_| true, &mut out);
        assert_eq!(out, detect(things, |_, _| true, |_| true, 1).0);
    }
    let nothing = |_: usize| -> Object<'static> { panic!("there is no object") };
    detector.detect(0, nothing, |_, _| true, |_| true, &mut out);
    assert!(out.is_empty() && detector.pairs().is_empty());
}

#[test]
fn a_pair_looks_as_far_as_it_moves_against_each_other() {
    // Balls of 10 cm whose surfaces are 30 cm apart.
    let ball = Shape::sphere(0.1).unwrap();
    let found = |shifts: [f64; 2]| {
        let object = |i: usize| Object {
            shape: &ball,
            pose: Pose::at([0.5 * i as f64, 0.0, 0.0]),
            reach: 0.01,
            shift: DVec3::X * shifts[i],
            active: true,
        };
        let mut out = Vec::new();
        Detector::default().detect(2, object, |_, _| true, |_| true, &mut out);
        out.len()
    };
    // 20 cm and 15 cm towards each other; too little; together, however fast.
    assert_eq!(found([0.2, -0.15]), 1);
    assert_eq!(found([0.1, -0.15]), 0);
    assert_eq!(found([2.0, 2.0]), 0);
    assert_eq!(found([0.0, 0.0]), 0);
}
