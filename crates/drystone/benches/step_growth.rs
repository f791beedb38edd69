//! Time a step and memory against the number of bodies, at a fixed number of solver iterations.
//!
//! `cargo bench -p drystone --bench step_growth [-- --largest 64000 --settle 200]`
//!
//! Spheres of 5 mm, which vary by a tenth in size, settle from a lattice in a box; then the median
//! of the last steps is taken. Prints a table and the growth exponent: the slope of log time over
//! log bodies, by least squares.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use drystone::{Body, Method, MethodSettings, Settings, Shape, World};
use glam::DVec3;
use rand::{RngExt, SeedableRng};

/// Mean radius, m.
const RADIUS: f64 = 0.005;
/// Solver iterations a step.
const ITERATIONS: usize = 50;
/// Steps that are timed.
const TIMED: usize = 21;
/// Most steps to wait for them.
const LONGEST: usize = 2000;

struct Row {
    bodies: usize,
    contacts: usize,
    seconds: f64,
    shares: [f64; 4],
    megabytes: f64,
}

fn main() {
    let number = |name: &str, default: usize| {
        let mut arguments = std::env::args().skip_while(|a| a != name);
        arguments.nth(1).map_or(default, |v| v.parse().unwrap())
    };
    let largest = number("--largest", 64_000);
    let settle = number("--settle", 200);
    println!(
        "{:>8} {:>9} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "bodies", "contacts", "ms a step", "broad", "narrow", "assembly", "solve", "peak MB"
    );
    let mut rows = Vec::new();
    let mut bodies = 1000;
    while bodies <= largest {
        let row = measure(bodies, settle);
        let [broad, narrow, assembly, solve] = row.shares.map(|s| 1e3 * s);
        println!(
            "{:>8} {:>9} {:>11.2} {broad:>9.2} {narrow:>9.2} {assembly:>9.2} {solve:>9.2} {:>9.0}",
            row.bodies,
            row.contacts,
            1e3 * row.seconds,
            row.megabytes
        );
        rows.push(row);
        bodies *= 4;
    }
    println!(
        "growth exponent of the time a step: {:.3} by bodies, {:.3} by contacts",
        exponent(&rows, |r| r.bodies),
        exponent(&rows, |r| r.contacts)
    );
}

fn measure(bodies: usize, settle: usize) -> Row {
    let mut world = box_of_spheres(bodies);
    let began = Instant::now();
    for _ in 0..settle.saturating_sub(TIMED) {
        let _ = world.step().unwrap();
    }
    // A step that its own collisions made to be solved again took more iterations: those are not
    // counted.
    let steps = std::iter::repeat_with(|| world.step().unwrap()).take(LONGEST);
    let mut reports: Vec<_> = steps
        .filter(|report| report.iterations == ITERATIONS)
        .take(TIMED)
        .collect();
    say_progress(bodies, began.elapsed().as_secs_f64());
    reports.sort_by(|a, b| a.times.total.total_cmp(&b.times.total));
    let middle = &reports[reports.len() / 2];
    let t = middle.times;
    Row {
        bodies,
        contacts: middle.contacts,
        seconds: t.total,
        shares: [t.broad, t.narrow, t.assembly, t.solve],
        megabytes: peak_memory(),
    }
}

#[allow(clippy::print_stderr)]
fn say_progress(bodies: usize, seconds: f64) {
    eprintln!("{bodies} bodies settled and timed in {seconds:.1} s");
}

/// A box as wide as it will be filled high, and the spheres above its floor.
fn box_of_spheres(count: usize) -> World {
    let settings = Settings {
        method: MethodSettings::new(Method::NesterovGs),
        max_iterations: ITERATIONS,
        tolerance: 1e-300, // never reached: every step does all iterations
        time_step: 1e-3,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let spacing = 2.22 * RADIUS;
    let side = (count as f64).cbrt().ceil() as usize;
    let width = side as f64 * spacing;
    let half = 0.5 * width;
    let wall = 0.02;
    let floor = Shape::box_of([half + wall, half + wall, wall]).unwrap();
    world
        .add(Body::fixed(floor).at([half, half, -wall]))
        .unwrap();
    let height = 2.0 * width;
    for (axis, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
        let mut size = [half + wall; 3];
        (size[axis], size[2]) = (wall, 0.5 * height);
        let mut at = [half, half, 0.5 * height];
        at[axis] += sign * (half + wall);
        world
            .add(Body::fixed(Shape::box_of(size).unwrap()).at(at))
            .unwrap();
    }
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    for k in 0..count {
        let cell = [k % side, k / side % side, k / (side * side)];
        let radius = RADIUS * random.random_range(0.9..1.1);
        let mut at = DVec3::from(cell.map(|c| (c as f64 + 0.5) * spacing));
        at +=
            DVec3::from_array(std::array::from_fn(|_| random.random_range(-0.009..0.009))) * RADIUS;
        world
            .add(
                Body::dynamic(Shape::sphere(radius).unwrap())
                    .density(2500.0)
                    .at(at)
                    .named("grains"),
            )
            .unwrap();
    }
    world
}

/// Largest resident memory of the process so far, MB; 0 where the system does not tell.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// Slope of log time over log size, by least squares.
fn exponent(rows: &[Row], size: impl Fn(&Row) -> usize) -> f64 {
    let points: Vec<[f64; 2]> = rows
        .iter()
        .map(|r| [(size(r) as f64).ln(), r.seconds.ln()])
        .collect();
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let covariance: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let variance: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    covariance / variance
}
