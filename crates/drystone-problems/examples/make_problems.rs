//! Makes the problems of the folder `problems`, each one time step:
//!
//! - `pile.ccp`: a pyramid of equal balls at rest on the ground, every ball in the hollow between
//!   four below it.
//! - `block.hdf5`: a cube that slides over the ground on its four lower corners. Its impulses are
//!   not unique.
//!
//! `cargo run --example make_problems` writes them anew.
#![allow(
    clippy::print_stdout,
    reason = "an example may tell what it has written"
)]

use std::error::Error;
use std::path::Path;

use drystone_ccp::{BodyInertia, Ccp, Cones, NO_BODY, TwoBody, TwoBodyBlock};
use drystone_problems::{Problem, ProblemFile, write_problem};

type Made = Result<ProblemFile, Box<dyn Error>>;

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;

/// Time step, s.
const STEP: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    for (name, file) in [("pile.ccp", pile(5)?), ("block.hdf5", block()?)] {
        write_problem(folder.join(name), &file)?;
        println!("{name}: {} rows", file.problem.dim());
    }
    Ok(())
}

/// Balls of 1 kg and radius 0.1 m in square layers of `side²`, `(side − 1)²`, … balls; friction
/// 0.5.
fn pile(side: usize) -> Made {
    let radius = 0.1;
    let mut balls: Vec<[f64; 3]> = Vec::new();
    for layer in 0..side {
        let height = radius * (1.0 + layer as f64 * 2f64.sqrt());
        let at = |k: usize| radius * (layer + 2 * k) as f64;
        for i in 0..side - layer {
            for j in 0..side - layer {
                balls.push([at(i), at(j), height]);
            }
        }
    }
    let mut blocks = Vec::new();
    for (b, ball) in balls.iter().enumerate() {
        if ball[2] < 1.5 * radius {
            let up = [0.0, 0.0, 1.0];
            let foot = [0.0, 0.0, -radius];
            blocks.push(contact(up, [(NO_BODY, [0.0; 3]), (b, foot)]));
        }
        for (a, other) in balls.iter().enumerate().take(b) {
            let apart = [0, 1, 2].map(|k| ball[k] - other[k]);
            let distance = dot(apart, apart).sqrt();
            if distance < 2.001 * radius {
                let normal = apart.map(|x| x / distance);
                let arms = [normal.map(|x| radius * x), normal.map(|x| -radius * x)];
                blocks.push(contact(normal, [(a, arms[0]), (b, arms[1])]));
            }
        }
    }
    let bodies = vec![BodyInertia::isotropic(1.0, 0.4 * radius * radius); balls.len()];
    let velocity = [0.0, 0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0];
    step("Pyramid of balls at rest", bodies, &blocks, velocity, 0.5)
}

/// A cube of 1 m and 1 kg at 2 m/s along x; friction 0.3.
fn block() -> Made {
    let up = [0.0, 0.0, 1.0];
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let blocks = corners.map(|[x, y]| contact(up, [(NO_BODY, [0.0; 3]), (0, [x, y, -0.5])]));
    let velocity = [2.0, 0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0];
    let bodies = vec![BodyInertia::isotropic(1.0, 1.0 / 6.0)];
    step("Sliding block", bodies, &blocks, velocity, 0.3)
}

/// The cone problem of one step, all bodies with the same `velocity` before the contacts act.
fn step(
    title: &str,
    bodies: Vec<BodyInertia>,
    blocks: &[TwoBodyBlock],
    velocity: [f64; 6],
    friction: f64,
) -> Made {
    let state = velocity.repeat(bodies.len());
    let operator = TwoBody::new(bodies, blocks)?;
    let cones = Cones::friction(&vec![friction; blocks.len()])?;
    let mut r = vec![0.0; cones.dim()];
    operator.row_velocities(&vec![0.0; cones.dim()], &state, &mut r);
    Ok(ProblemFile {
        title: title.to_owned(),
        problem: Problem::TwoBody(Ccp::new(operator, r, cones)?),
        guess: None,
        solution: None,
    })
}

/// The rows of a contact whose `normal` points from the first body to the second; each with the arm
/// from its centre to the contact, m.
fn contact(normal: [f64; 3], sides: [(usize, [f64; 3]); 2]) -> TwoBodyBlock {
    // Any tangent will do; the axis least along the normal is never parallel to it.
    let axis = (0..3).fold(0, |best, k| {
        if normal[k].abs() < normal[best].abs() {
            k
        } else {
            best
        }
    });
    let mut along = [0.0; 3];
    along[axis] = 1.0;
    let cross_axis = cross(normal, along);
    let length = dot(cross_axis, cross_axis).sqrt();
    let first = cross_axis.map(|x| x / length);
    let second = cross(normal, first);
    let row = |direction: [f64; 3]| {
        let mut row = [0.0; 12];
        for (side, (sign, (_, arm))) in [-1.0, 1.0].into_iter().zip(sides).enumerate() {
            // d · (v + ω × a) = d · v + (a × d) · ω
            let angular = cross(arm, direction);
            for k in 0..3 {
                row[6 * side + k] = sign * direction[k];
                row[6 * side + 3 + k] = sign * angular[k];
            }
        }
        row
    };
    TwoBodyBlock {
        bodies: sides.map(|(body, _)| body),
        rows: [normal, first, second].map(row).to_vec(),
        compliance: Vec::new(),
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[cfg(test)]
mod tests {
    use drystone_ccp::Operator;
    use drystone_problems::read_problem;

    use super::*;

    #[test]
    fn the_problems_that_ship_are_those_made_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
        for (name, made) in [("pile.ccp", pile(5)), ("block.hdf5", block())] {
            let made = made.unwrap();
            let shipped = read_problem(folder.join(name)).unwrap();
            assert_eq!(shipped.title, made.title);
            assert_eq!(numbers(&shipped.problem), numbers(&made.problem), "{name}");
        }
    }

    type Numbers = (Vec<(usize, usize, f64)>, Vec<f64>, String);

    fn numbers(problem: &Problem) -> Numbers {
        fn of<N: Operator>(p: &Ccp<N>) -> Numbers {
            let matrix = p.operator().to_csr();
            let entries = matrix.entries().filter(|e| e.2 != 0.0);
            let cones = format!("{:?}", p.cones().as_slice());
            (entries.collect(), p.r().to_vec(), cones)
        }
        match problem {
            Problem::Sparse(p) => of(p),
            Problem::TwoBody(p) => of(p),
        }
    }
}
