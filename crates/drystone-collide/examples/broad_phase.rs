//! How long the broad phase takes a body, and how that grows with their number.
//!
//! `cargo run --release -p drystone-collide --example broad_phase`
#![allow(clippy::print_stdout)]

use std::time::Instant;

use drystone_collide::Aabb;
use drystone_collide::broad::BroadPhase;
use glam::DVec3;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COUNTS: [usize; 7] = [1_000, 4_000, 16_000, 64_000, 125_000, 500_000, 1_000_000];

fn main() {
    println!("{} threads", rayon::current_num_threads());
    table("equal spheres, dense", pile);
    table("equal spheres, dense, in random order", |count| {
        let mut boxes = pile(count);
        boxes.shuffle(&mut Pcg64Mcg::seed_from_u64(2));
        boxes
    });
    table("radii 1 : 2, dense", |count| mixed(count, 2.0));
    table("radii 1 : 1000, as much volume of each", |count| {
        mixed(count, 1000.0)
    });
    table("equal spheres, 1 part in 1000 of space", gas);
    table("dense pile, four walls, a floor, ten large bodies", yard);
}

fn table(title: &str, scene: impl Fn(usize) -> Vec<Aabb>) {
    println!("\n{title}");
    println!(
        "{:>9} {:>11} {:>11} {:>9}",
        "bodies", "pairs/body", "ns/body", "exponent"
    );
    let mut last: Option<(f64, f64)> = None;
    for count in COUNTS {
        let boxes = scene(count);
        let n = boxes.len() as f64;
        let (seconds, pairs) = median_time(&boxes);
        let exponent = last.map_or(String::new(), |(n0, s0)| {
            format!("{:.2}", (seconds / s0).ln() / (n / n0).ln())
        });
        println!(
            "{:>9} {:>11.2} {:>11.1} {exponent:>9}",
            boxes.len(),
            pairs as f64 / n,
            1e9 * seconds / n
        );
        last = Some((n, seconds));
    }
}

/// Median over some calls after two to warm up, and the number of pairs.
fn median_time(boxes: &[Aabb]) -> (f64, usize) {
    let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
    let calls = (2_000_000 / boxes.len()).clamp(9, 301);
    let mut times: Vec<f64> = (0..calls + 2)
        .map(|_| {
            let start = Instant::now();
            broad.pairs(boxes, |_, _| true, &mut out);
            start.elapsed().as_secs_f64()
        })
        .skip(2)
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], out.len())
}

/// A cubic lattice of unit spheres (diameter 1), shaken, as dense as a random packing: 1.15 spheres
/// in a unit of volume.
fn pile(count: usize) -> Vec<Aabb> {
    lattice(count, 1.15_f64.cbrt().recip(), 0.3)
}

/// As [`pile`], but thin.
fn gas(count: usize) -> Vec<Aabb> {
    lattice(count, 0.002_f64.cbrt().recip(), 4.0)
}

fn lattice(count: usize, spacing: f64, shake: f64) -> Vec<Aabb> {
    let rng = &mut Pcg64Mcg::seed_from_u64(1);
    let n = (count as f64).cbrt().ceil() as usize;
    (0..count)
        .map(|k| {
            let cell = DVec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
            let shift = DVec3::from_array(std::array::from_fn(|_| rng.random_range(-shake..shake)));
            Aabb::around(spacing * cell + shift, DVec3::splat(0.5))
        })
        .collect()
}

/// Radii from 1 to `ratio`, the same volume in each octave, 0.6 of space in all; at random places.
fn mixed(count: usize, ratio: f64) -> Vec<Aabb> {
    let rng = &mut Pcg64Mcg::seed_from_u64(1);
    // Density of the radius r: proportional to r⁻⁴ between 1 and the ratio.
    let radii: Vec<f64> = (0..count)
        .map(|_| {
            (1.0 - rng.random::<f64>() * (1.0 - ratio.powi(-3)))
                .cbrt()
                .recip()
        })
        .collect();
    let volume: f64 = radii.iter().map(|r| 4.19 * r.powi(3)).sum();
    let half = 0.5 * (volume / 0.6).cbrt();
    radii
        .iter()
        .map(|&r| {
            let at = DVec3::from_array(std::array::from_fn(|_| rng.random_range(-half..half)));
            Aabb::around(at, DVec3::splat(r))
        })
        .collect()
}

/// A pile in a container, with ten large bodies around it.
fn yard(count: usize) -> Vec<Aabb> {
    let mut boxes = pile(count);
    let side = (count as f64).cbrt() / 1.15_f64.cbrt();
    let middle = DVec3::splat(0.5 * side);
    boxes.push(Aabb {
        min: DVec3::NEG_INFINITY,
        max: DVec3::new(f64::INFINITY, f64::INFINITY, 0.0),
    });
    for axis in [DVec3::X, DVec3::Y] {
        for sign in [-1.0, 1.0] {
            let half = DVec3::splat(0.5 * side) - axis * (0.5 * side - 0.5);
            boxes.push(Aabb::around(
                middle + sign * axis * (0.5 * side + 0.3),
                half,
            ));
        }
    }
    for k in 0..10 {
        let size = 0.01 * side * f64::from(k + 1);
        let at = middle + DVec3::new(0.0, (f64::from(k) - 5.0) * 0.08 * side, 0.52 * side);
        boxes.push(Aabb::around(at, DVec3::splat(size)));
    }
    boxes
}
