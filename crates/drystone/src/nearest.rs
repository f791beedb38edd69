//! Of all impulses that lead to the same motion, those nearest to the last step's.
//!
//! Where bodies are held at more points than it takes, the motion does not say how the points share
//! the load: `gamma` and `gamma + z` with `N z = 0` move everything alike. Methods that factor end
//! anywhere among the solutions, sweeps with momentum not far from where they started but not where
//! they did, and the forces would wander from step to step though nothing moves.
//!
//! With `d` from the answer to the last impulses, within the faces `P` of the cones that the answer
//! lies on, wanted is the answer `gamma + z` with `z` nearest to `d`: `z = d − y` with
//! `P N P y = P (û + N d)`. Conjugate gradients from `y = 0` leave alone what moves nothing, the
//! null space of `P N P`. They stop as soon as `gamma + z` is as good an answer as `gamma`.

use drystone_ccp::cone::MAX_ROWS;
use drystone_ccp::reduce::Reduce;
use drystone_ccp::{Ccp, Cone, Law, Operator, ResidualScale, TwoBody};

/// Most steps of conjugate gradients. On a small problem they cost next to nothing, and joints
/// among light contacts need hundreds; on a large one they would take longer than the solve.
const SMALL_STEPS: usize = 300;
const LARGE_STEPS: usize = 60;
/// Rows, of all processes together, up to which a problem is small.
const SMALL: usize = 300;

/// Products that it takes to begin: the answer, the way to the last impulses, and their residual.
const FEWEST_PRODUCTS: usize = 3;

/// Contacts slower than this many tolerances stand, as far as anybody can tell.
const STANDS: f64 = 4.0;

/// Last impulses whose residual is more than this many tolerances belong to another state: then
/// the forces change anyway.
const ANOTHER_STATE: f64 = 100.0;

/// The answer may become worse up to this share of the tolerance.
const SPENT: f64 = 0.1;

/// What impulses are judged by.
pub(crate) struct Judge<'j> {
    pub problem: &'j Ccp<TwoBody>,
    pub law: Law,
    /// Of the solve.
    pub tolerance: f64,
    /// Most products with N.
    pub products: usize,
    pub reduce: &'j dyn Reduce,
}

/// Moves the answer `gamma` as near to `last` as it can be moved without changing what it does.
/// Returns whether it has moved, and the products with N that were made.
pub(crate) fn approach(judge: &Judge<'_>, gamma: &mut [f64], last: &[f64]) -> (bool, usize) {
    let Judge {
        problem,
        law,
        tolerance,
        products,
        reduce,
    } = *judge;
    // A start that was the answer: most steps of what stands still.
    let apart: f64 = gamma.iter().zip(last).map(|(g, l)| (g - l).abs()).sum();
    if reduce.sum(apart) == 0.0 || products < FEWEST_PRODUCTS {
        return (false, 0);
    }
    let scale = problem.residual_scale(law, reduce);
    let mut trial = Trial {
        judge,
        scale,
        point: gamma.to_vec(),
        velocity: vec![0.0; gamma.len()],
        products: 0,
    };
    let goal = trial.residual().max(SPENT * tolerance);
    let faces = faces(
        problem,
        gamma,
        &trial.velocity,
        STANDS * tolerance * scale.at_zero,
    );
    let mut z: Vec<f64> = last.iter().zip(&*gamma).map(|(l, g)| l - g).collect();
    onto(&faces, problem, &mut z);
    if reduce.dot(&z, &z) == 0.0 {
        return (false, trial.products);
    }
    let rest = trial.rest(&faces, &z);
    let moved = trial.descend(gamma, &faces, goal, (z, rest));
    if moved {
        gamma.copy_from_slice(&trial.point);
    }
    (moved, trial.products)
}

/// Looks at points on the way.
struct Trial<'j> {
    judge: &'j Judge<'j>,
    scale: ResidualScale,
    /// The point that was looked at last, and its velocity.
    point: Vec<f64>,
    velocity: Vec<f64>,
    products: usize,
}

impl Trial<'_> {
    /// `N x`.
    fn product(&mut self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        self.judge.problem.operator().apply(x, &mut out);
        self.products += 1;
        out
    }

    /// The relative residual of the point.
    fn residual(&mut self) -> f64 {
        let Judge {
            problem,
            law,
            reduce,
            ..
        } = *self.judge;
        problem.velocity(&self.point, &mut self.velocity);
        self.products += 1;
        let residual = problem.residual(law, &self.point, &self.velocity, self.scale, reduce);
        residual.relative
    }

    /// That of `gamma + z`, put back into its cones.
    fn residual_at(&mut self, gamma: &[f64], z: &[f64]) -> f64 {
        let moved = gamma.iter().zip(z).map(|(g, z)| g + z);
        self.point.iter_mut().zip(moved).for_each(|(p, m)| *p = m);
        self.judge.problem.cones().project(&mut self.point);
        self.residual()
    }

    /// `P (û + N z)`, where û is that of the answer: so De Saxcé's shift stays too.
    fn rest(&mut self, faces: &[Face], z: &[f64]) -> Vec<f64> {
        let Judge { problem, law, .. } = *self.judge;
        let mut rest = self.product(z);
        for (block, cone) in problem.cones().iter() {
            let (u, rest) = (&self.velocity[block.rows()], &mut rest[block.rows()]);
            rest.iter_mut().zip(u).for_each(|(rest, u)| *rest += u);
            match law {
                Law::Relaxed => {}
                Law::Exact => rest[0] += cone.de_saxce_shift(u),
            }
        }
        onto(faces, problem, &mut rest);
        rest
    }

    /// Conjugate gradients along the faces, from `z` with its rest, until `gamma + z` is as good as
    /// the goal: then it is the point that was looked at last. False: they do not get there.
    fn descend(
        &mut self,
        gamma: &[f64],
        faces: &[Face],
        goal: f64,
        (mut z, mut rest): (Vec<f64>, Vec<f64>),
    ) -> bool {
        let Judge {
            problem,
            tolerance,
            products,
            reduce,
            ..
        } = *self.judge;
        let mut p = rest.clone();
        let mut squares = reduce.dot(&rest, &rest);
        let first = squares;
        let steps = match problem.total_rows(reduce) <= SMALL {
            true => SMALL_STEPS,
            false => LARGE_STEPS,
        };
        for step in 0..steps {
            let residual = self.residual_at(gamma, &z);
            if residual <= goal {
                return true;
            }
            // What is left of the rest is rounding.
            let spent = squares <= f64::EPSILON * f64::EPSILON * first;
            let other = step == 0 && residual > ANOTHER_STATE * tolerance;
            // The next step takes two.
            let over = self.products + 2 > products;
            if spent || other || over || residual.is_nan() {
                break;
            }
            let mut np = self.product(&p);
            onto(faces, problem, &mut np);
            let along = reduce.dot(&p, &np);
            if along.is_nan() || along <= 0.0 {
                break;
            }
            let length = squares / along;
            z.iter_mut().zip(&p).for_each(|(z, p)| *z -= length * p);
            rest.iter_mut().zip(&np).for_each(|(r, q)| *r -= length * q);
            let next = reduce.dot(&rest, &rest);
            let turn = next / squares;
            p.iter_mut()
                .zip(&rest)
                .for_each(|(p, r)| *p = r + turn * *p);
            squares = next;
        }
        false
    }
}

/// Where a block's impulse may move without leaving what it is: sticking, sliding, apart.
enum Face {
    /// Anywhere.
    Whole,
    /// Along a unit vector.
    Ray([f64; MAX_ROWS]),
    /// Nowhere.
    Point,
}

/// The faces of an answer; speeds below `still` count as none.
fn faces(problem: &Ccp<TwoBody>, gamma: &[f64], velocity: &[f64], still: f64) -> Vec<Face> {
    let face = |(block, cone): (drystone_ccp::Block, &Cone)| {
        let (g, u) = (&gamma[block.rows()], &velocity[block.rows()]);
        let stands = u.iter().map(|v| v * v).sum::<f64>() <= still * still;
        match *cone {
            Cone::Free { .. } => Face::Whole,
            Cone::NonNegative if g[0] > 0.0 || stands => Face::Whole,
            Cone::Interval { lower, upper } if g[0] > lower && g[0] < upper => Face::Whole,
            Cone::NonNegative | Cone::Interval { .. } => Face::Point,
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
                if stands {
                    return Face::Whole;
                }
                // What slides presses harder or less hard, in the same direction.
                let mut ray = [0.0; MAX_ROWS];
                ray[..g.len()].copy_from_slice(g);
                ray[0] += cone.cohesion();
                let length = ray.iter().map(|v| v * v).sum::<f64>().sqrt();
                match length > 0.0 {
                    true => Face::Ray(ray.map(|v| v / length)),
                    false => Face::Point,
                }
            }
        }
    };
    problem.cones().iter().map(face).collect()
}

/// Keeps of `x` what lies along the faces.
fn onto(faces: &[Face], problem: &Ccp<TwoBody>, x: &mut [f64]) {
    for ((block, _), face) in problem.cones().iter().zip(faces) {
        let x = &mut x[block.rows()];
        match face {
            Face::Whole => {}
            Face::Ray(ray) => {
                let along: f64 = x.iter().zip(ray).map(|(x, r)| x * r).sum();
                x.iter_mut().zip(ray).for_each(|(x, r)| *x = along * r);
            }
            Face::Point => x.fill(0.0),
        }
    }
}
