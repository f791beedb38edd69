//! Conjugate gradients and MINRES as in a textbook, to compare with on linear problems (Saad,
//! *Iterative methods for sparse linear systems*, §6.7; Paige and Saunders 1975). No
//! preconditioner, no restart. Letters: `N gamma = −r`, `g = N gamma + r`.

use std::time::Instant;

use drystone_ccp::{Ccp, HistoryRow, Operator, TwoBody};

use crate::experiment::trial::{Trial, row_at};
use drystone_draw::plot::CurveLook;

/// A method for linear problems.
trait LinearMethod {
    /// One iteration: changes `gamma` and returns `true`, or returns `false` if it cannot go on.
    fn step(&mut self, problem: &Ccp<TwoBody>, gamma: &mut [f64]) -> bool;
}

/// Conjugate gradients.
pub fn conjugate_gradients(problem: &Ccp<TwoBody>, iterations: usize, tolerance: f64) -> Trial {
    let g = problem.r().to_vec();
    let p: Vec<f64> = g.iter().map(|g| -g).collect();
    let method = ConjugateGradients { g, p };
    run(
        problem,
        ("CG", CurveLook::nth(0)),
        (iterations, tolerance),
        method,
    )
}

/// The minimal residual method.
pub fn minres(problem: &Ccp<TwoBody>, iterations: usize, tolerance: f64) -> Trial {
    let n = problem.dim();
    let r = problem.r();
    let beta = norm(r);
    let method = Minres {
        v: [vec![0.0; n], r.iter().map(|r| -r / beta).collect()],
        w: [vec![0.0; n], vec![0.0; n]],
        beta: 0.0,
        eta: beta,
        c: [1.0; 2],
        s: [0.0; 2],
    };
    run(
        problem,
        ("MINRES", CurveLook::nth(1)),
        (iterations, tolerance),
        method,
    )
}

/// Runs a method from zero impulses. The time that judging each iterate takes is not counted.
fn run(
    problem: &Ccp<TwoBody>,
    (name, look): (&str, CurveLook),
    (iterations, tolerance): (usize, f64),
    mut method: impl LinearMethod,
) -> Trial {
    let mut gamma = vec![0.0; problem.dim()];
    let start = Instant::now();
    let mut judging = 0.0;
    let mut history: Vec<HistoryRow> = Vec::new();
    let mut termination = "iteration-limit";
    for iteration in 0..=iterations {
        if iteration > 0 && !method.step(problem, &mut gamma) {
            termination = "stalled";
            break;
        }
        let stepped = start.elapsed().as_secs_f64();
        let row = row_at(problem, &gamma, iteration, stepped - judging);
        judging += start.elapsed().as_secs_f64() - stepped;
        history.push(HistoryRow {
            products: iteration,
            ..row
        });
        if row.residual <= tolerance {
            termination = "converged";
            break;
        }
    }
    Trial {
        name: name.to_owned(),
        look,
        termination,
        iterations: history.len() - 1,
        seconds: start.elapsed().as_secs_f64() - judging,
        history,
        gamma,
        failed: None,
    }
}

struct ConjugateGradients {
    g: Vec<f64>,
    p: Vec<f64>,
}

impl LinearMethod for ConjugateGradients {
    fn step(&mut self, problem: &Ccp<TwoBody>, gamma: &mut [f64]) -> bool {
        let n_p = product(problem, &self.p);
        let (square, curvature) = (dot(&self.g, &self.g), dot(&self.p, &n_p));
        if curvature <= 0.0 {
            return false;
        }
        let alpha = square / curvature;
        for i in 0..gamma.len() {
            gamma[i] += alpha * self.p[i];
            self.g[i] += alpha * n_p[i];
        }
        let beta = dot(&self.g, &self.g) / square;
        for (p, g) in self.p.iter_mut().zip(&self.g) {
            *p = beta * *p - g;
        }
        true
    }
}

/// Lanczos vectors `v`, directions `w` and rotations `c`, `s`: the last two of each.
struct Minres {
    v: [Vec<f64>; 2],
    w: [Vec<f64>; 2],
    beta: f64,
    eta: f64,
    c: [f64; 2],
    s: [f64; 2],
}

impl LinearMethod for Minres {
    fn step(&mut self, problem: &Ccp<TwoBody>, gamma: &mut [f64]) -> bool {
        let n = gamma.len();
        let mut next = product(problem, &self.v[1]);
        let alpha = dot(&next, &self.v[1]);
        for i in 0..n {
            next[i] -= alpha * self.v[1][i] + self.beta * self.v[0][i];
        }
        let beta = norm(&next);
        // Two old rotations, then a new one that removes beta.
        let delta = self.c[1] * alpha - self.c[0] * self.s[1] * self.beta;
        let rho = [
            delta.hypot(beta),
            self.s[1] * alpha + self.c[0] * self.c[1] * self.beta,
            self.s[0] * self.beta,
        ];
        if rho[0] == 0.0 {
            return false;
        }
        self.c = [self.c[1], delta / rho[0]];
        self.s = [self.s[1], beta / rho[0]];
        let w: Vec<f64> = (0..n)
            .map(|i| (self.v[1][i] - rho[2] * self.w[0][i] - rho[1] * self.w[1][i]) / rho[0])
            .collect();
        for i in 0..n {
            gamma[i] += self.c[1] * self.eta * w[i];
        }
        self.eta *= -self.s[1];
        // With beta = 0 nothing is left of it: this step has solved the problem.
        if beta > 0.0 {
            next.iter_mut().for_each(|v| *v /= beta);
        }
        self.v.rotate_left(1);
        self.v[1] = next;
        self.w.rotate_left(1);
        self.w[1] = w;
        self.beta = beta;
        true
    }
}

fn product(problem: &Ccp<TwoBody>, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    problem.operator().apply(x, &mut out);
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_ccp::{BodyInertia, Cone, Cones, NO_BODY, TwoBodyBlock};

    #[test]
    fn a_chain_is_solved_in_as_many_steps_as_it_has_joints() {
        // Five bodies of 1 kg on a line, each held to the one above along z by one row, the first
        // to the world.
        let joint = |k: usize| {
            let mut row = [0.0; 12];
            (row[2], row[8]) = (1.0, -1.0);
            let above = k.checked_sub(1).unwrap_or(NO_BODY);
            TwoBodyBlock {
                bodies: [k, above],
                rows: vec![row],
                compliance: vec![],
            }
        };
        let blocks: Vec<TwoBodyBlock> = (0..5).map(joint).collect();
        let bodies = vec![BodyInertia::isotropic(1.0, 1.0); 5];
        let cones = Cones::new(vec![Cone::Free { rows: 1 }; 5]).unwrap();
        let mut r = vec![0.0; 5];
        r[0] = -1.0; // only the first falls against what holds it
        let problem = Ccp::new(TwoBody::new(bodies, &blocks).unwrap(), r, cones).unwrap();
        for trial in [
            conjugate_gradients(&problem, 20, 1e-12),
            minres(&problem, 20, 1e-12),
        ] {
            assert_eq!(trial.termination, "converged", "{}", trial.name);
            assert!(trial.iterations <= 5, "{}", trial.name);
            // The topmost joint carries all five bodies, the lowest one.
            for (k, gamma) in trial.gamma.iter().enumerate() {
                assert!(
                    (gamma - (5 - k) as f64).abs() < 1e-9,
                    "{} {k}: {gamma}",
                    trial.name
                );
            }
        }
    }
}
