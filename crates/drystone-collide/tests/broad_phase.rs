//! The broad phase against brute force: all sizes, places and borders, on one, two and three
//! threads.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use drystone_collide::Aabb;
use drystone_collide::broad::BroadPhase;
use glam::DVec3;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::{ThreadPool, ThreadPoolBuilder};

static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    (1..=3)
        .map(|n| ThreadPoolBuilder::new().num_threads(n).build().unwrap())
        .collect()
});

fn wanted(i: u32, j: u32) -> bool {
    assert!(i < j, "asked about [{i}, {j}]");
    !(i + j).is_multiple_of(11)
}

fn brute_force(boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            let (a, b) = (&boxes[i], &boxes[j]);
            let meet = (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k]);
            if meet && !a.is_empty() && !b.is_empty() && wanted(i as u32, j as u32) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Compares with brute force on each number of threads; `broad` and `out` come used.
fn check(
    broad: &mut BroadPhase,
    boxes: &[Aabb],
    out: &mut Vec<[u32; 2]>,
) -> Result<usize, TestCaseError> {
    let expected = brute_force(boxes);
    for pool in &*POOLS {
        pool.install(|| broad.pairs(boxes, wanted, out));
        if *out != expected {
            let extra: Vec<_> = out
                .iter()
                .filter(|p| !expected.contains(p))
                .take(3)
                .collect();
            let missing: Vec<_> = expected
                .iter()
                .filter(|p| !out.contains(p))
                .take(3)
                .collect();
            return Err(TestCaseError::fail(format!(
                "{} pairs instead of {}; too many: {extra:?}, missing: {missing:?}",
                out.len(),
                expected.len()
            )));
        }
    }
    Ok(expected.len())
}

fn check_once(boxes: &[Aabb]) -> usize {
    let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
    check(&mut broad, boxes, &mut out).unwrap()
}

fn uniform(rng: &mut Pcg64Mcg, half: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| rng.random_range(-half..=half)))
}

/// Boxes in a cube, their sizes over `decades`, equally long along the axes or not.
fn scattered(
    rng: &mut Pcg64Mcg,
    count: usize,
    width: f64,
    decades: f64,
    offset: DVec3,
) -> Vec<Aabb> {
    (0..count)
        .map(|_| {
            let size = width * 10_f64.powf(-decades * rng.random::<f64>());
            let half = if rng.random() {
                DVec3::splat(0.3 * size)
            } else {
                0.3 * size * DVec3::from_array(rng.random())
            };
            Aabb::around(offset + uniform(rng, 0.5 * width), half)
        })
        .collect()
}

/// Puts what does not fit a grid among the boxes.
fn add_oddities(rng: &mut Pcg64Mcg, boxes: &mut [Aabb]) {
    for b in boxes.iter_mut() {
        match rng.random_range(0..60) {
            0 => *b = Aabb::EMPTY,
            1 => *b = Aabb::EVERYTHING,
            2 => b.min.z = f64::NEG_INFINITY,
            3 => b.max.x = f64::NAN,
            4 => *b = Aabb::around(b.center(), DVec3::ZERO),
            5 => (b.min.y, b.max.y) = (b.max.y + 1e-3, b.min.y - 1e-3),
            6 => *b = Aabb::around(b.center() + uniform(rng, 1e15), b.extent()),
            7 => *b = Aabb::around(b.center(), DVec3::splat(1e300)),
            8 => *b = Aabb::around(b.center(), DVec3::new(f64::MAX, 1.0, f64::MAX)),
            9 => *b = Aabb::around(DVec3::splat(f64::INFINITY), DVec3::ONE),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn same_as_brute_force(
        seed: u64,
        count in 0_usize..400,
        width in prop::sample::select(vec![1e-4, 1.0, 100.0]),
        decades in prop::sample::select(vec![0.0, 0.3, 1.0, 6.0]),
        offset in prop::sample::select(vec![0.0, 1e3, -1e3]),
        fill in 0.05_f64..2.0,
        odd: bool,
    ) {
        let rng = &mut Pcg64Mcg::seed_from_u64(seed);
        let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
        // Twice, the second time another scene: what is kept from the first must not matter.
        for count in [count, count / 2] {
            let mut boxes = scattered(rng, count, width, decades, DVec3::splat(offset));
            // Sizes such that a body has a few neighbours.
            let shrink = fill * (count.max(1) as f64).cbrt().recip();
            for b in &mut boxes {
                *b = Aabb::around(b.center(), shrink * b.extent());
            }
            if odd {
                add_oddities(rng, &mut boxes);
            }
            check(&mut broad, &boxes, &mut out)?;
        }
    }

    /// Corners on a lattice: borders coincide with borders and with those of cells, and many boxes
    /// are the same.
    #[test]
    fn borders_that_touch(
        seed: u64,
        count in 0_usize..300,
        unit in prop::sample::select(vec![1.0, 0.1, 1e-4, 1.0 / 3.0, 0.125]),
        sides in 1_u32..4,
        places in 2_i32..12,
        offset in prop::sample::select(vec![0, 1_000, 10_000_000, -1_000_000_007]),
    ) {
        let rng = &mut Pcg64Mcg::seed_from_u64(seed);
        let boxes: Vec<Aabb> = (0..count)
            .map(|_| {
                let low: [i32; 3] = std::array::from_fn(|_| offset + rng.random_range(-places..=places));
                let high = low.map(|c| c + rng.random_range(0..=sides) as i32);
                Aabb {
                    min: unit * DVec3::from_array(low.map(f64::from)),
                    max: unit * DVec3::from_array(high.map(f64::from)),
                }
            })
            .collect();
        check_once(&boxes);
    }

    /// Clusters so far apart that cell numbers wrap around, some by a power of two of the cells.
    #[test]
    fn clusters_far_apart(seed: u64, clusters in 1_usize..5, power in 10_i32..40) {
        let rng = &mut Pcg64Mcg::seed_from_u64(seed);
        let mut boxes = Vec::new();
        for _ in 0..clusters {
            let place = uniform(rng, 3.0).round() * 2_f64.powi(power);
            boxes.extend(scattered(rng, 60, 5.0, 0.5, place));
        }
        check_once(&boxes);
    }
}

#[test]
fn a_dense_pile_of_more_than_one_round() {
    let rng = &mut Pcg64Mcg::seed_from_u64(7);
    let n = 34; // 39 304 boxes: more than one round of shares and several buckets
    let mut boxes = Vec::new();
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                let at = DVec3::new(x.into(), y.into(), z.into()) + uniform(rng, 0.05);
                boxes.push(Aabb::around(at, DVec3::splat(0.42)));
            }
        }
    }
    // One large box touches a slab of them, in the middle of the list; a plane touches the lowest
    // layer.
    boxes[20_000] = Aabb::around(DVec3::new(16.5, 16.5, 40.0), DVec3::new(30.0, 30.0, 10.0));
    boxes[20_001] = Aabb {
        min: DVec3::NEG_INFINITY,
        max: DVec3::new(f64::INFINITY, f64::INFINITY, -0.2),
    };
    let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
    let mut first = None;
    for pool in &*POOLS {
        pool.install(|| broad.pairs(&boxes, |_, _| true, &mut out));
        assert!(out.is_sorted_by(|a, b| a < b));
        assert_eq!(first.get_or_insert_with(|| out.clone()), &out);
    }
    // The edge is 0.84, neighbours are at least 0.9 apart: only the two odd boxes have pairs, and
    // not with each other. The large one begins at z = 30: the layers 31 to 33 surely, layer 30
    // wholly too (30.05 - 0.42 < 30 < 29.95 + 0.42); layer 29 ends below 29.47. The plane ends at
    // -0.2: layer 0 begins below -0.37 and layer 1 above 0.53.
    let layer = n * n;
    assert_eq!(out.len() as u32, 4 * layer + layer);
    assert_eq!(
        out.iter().filter(|p| p.contains(&20_000)).count() as u32,
        4 * layer
    );
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!(check_once(&[]), 0);
    assert_eq!(check_once(&[Aabb::EVERYTHING]), 0);
    assert_eq!(check_once(&[Aabb::EMPTY; 50]), 0);
    assert_eq!(
        check_once(
            &[Aabb {
                min: DVec3::NAN,
                max: DVec3::NAN
            }; 50]
        ),
        0
    );
}

#[test]
fn everything_overlaps_everything() {
    // All but the tenth or so that `wanted` refuses.
    for b in [
        Aabb::EVERYTHING,
        Aabb::around(DVec3::splat(0.1), DVec3::ONE),
    ] {
        assert!(check_once(&[b; 60]) > 60 * 59 / 2 * 8 / 10);
    }
}

/// Grains of 0.1 mm on the floor of a scene 100 m wide, walls as long as it, a bulldozer and one
/// grain that has left.
#[test]
fn grains_between_walls() {
    let rng = &mut Pcg64Mcg::seed_from_u64(3);
    let mut boxes: Vec<Aabb> = (0..500)
        .map(|_| {
            let heap = 50.0 * f64::from(rng.random_range(-1..=1));
            let at = DVec3::new(heap, -heap, 0.0) + uniform(rng, 5e-4);
            Aabb::around(at, DVec3::splat(5e-5))
        })
        .collect();
    for side in [-1.0, 1.0] {
        boxes.push(Aabb::around(
            DVec3::new(50.0005 * side, 0.0, 5.0),
            DVec3::new(5e-4, 50.0, 5.0),
        ));
        boxes.push(Aabb::around(
            DVec3::new(0.0, 50.0005 * side, 5.0),
            DVec3::new(50.0, 5e-4, 5.0),
        ));
    }
    boxes.push(Aabb::around(DVec3::new(0.0, 0.0, 5.0), DVec3::splat(5.0)));
    boxes.push(Aabb::around(DVec3::new(0.0, 0.0, -3e7), DVec3::splat(5e-5)));
    assert!(check_once(&boxes) > 200);
}
