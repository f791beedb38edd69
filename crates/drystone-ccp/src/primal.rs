//! The primal model of paper 001: velocities as unknowns.
//!
//! `min ½ (v − v_free)ᵀ M (v − v_free)` subject to `Dᵀ v + b ∈ K*` (eq. 23 with 22), whose multipliers are the impulses of the
//! dual model `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ K`, `N = Dᵀ M⁻¹ D`, `r = b + Dᵀ v_free`. The paper's objective
//! `½ vᵀ M v − kᵀ v` with `k = M v_free` (its `f` is `−k`) is ours less the constant `½ v_freeᵀ M v_free`; ours is the kinetic
//! energy of the change that contacts and joints make, and at the solution it is minus the dual's optimum.
//! (The paper's sign of `K°` in eq. 23 is a slip: eq. 22 has the minus.)
//!
//! With compliance E the constraint reads `Dᵀ v + b + E gamma ∈ K*` and the optimum gains `½ gammaᵀ E gamma`.

use crate::ProblemError;
use crate::cone::Cones;
use crate::monitor::Monitor;
use crate::operator::{BodyInertia, Operator, TwoBody};
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::solvers::SolverError;
use crate::solvers::de_saxce::{self, DeSaxceSettings};
use crate::solvers::interior_point::{self, Formulation, InteriorPoint, InteriorPointSettings};

const DOF: usize = 6;

/// Bodies, their free velocities, and the contacts and joints that bind them.
#[derive(Clone, Debug)]
pub struct PrimalProblem {
    operator: TwoBody,
    v_free: Vec<f64>,
    b: Vec<f64>,
    cones: Cones,
}

/// What [`solve_primal`] finds.
#[must_use]
#[derive(Clone, Debug)]
pub struct PrimalSolution {
    /// Three linear (m/s) and three angular (rad/s) velocities a body.
    pub velocities: Vec<f64>,
    /// The impulses, N s, which are the constraints' multipliers.
    pub multipliers: Vec<f64>,
    /// How it went; the certificate is of the multipliers in the dual model.
    pub info: SolveInfo,
}

impl PrimalProblem {
    /// `v_free = M⁻¹ k`: the velocities without any impulse, six a body. `b`: what stabilisation adds to each row, m/s.
    pub fn new(
        operator: TwoBody,
        v_free: Vec<f64>,
        b: Vec<f64>,
        cones: Cones,
    ) -> Result<Self, ProblemError> {
        let figures = DOF * operator.bodies().len();
        if v_free.len() != figures {
            return Err(ProblemError::Length {
                what: "vector v_free",
                found: v_free.len(),
                expected: figures,
            });
        }
        if let Some((index, &value)) = v_free.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(ProblemError::NotFinite {
                what: "vector v_free, entry",
                index,
                value,
            });
        }
        // The dual's constructor checks everything else.
        let dual = Ccp::new(operator, b, cones)?;
        Ok(Self {
            v_free,
            b: dual.r().to_vec(),
            cones: dual.cones().clone(),
            operator: dual.operator().clone(),
        })
    }

    /// The free velocities, six a body.
    pub fn v_free(&self) -> &[f64] {
        &self.v_free
    }

    /// The dual model: `r = b + Dᵀ v_free`.
    pub fn to_dual(&self) -> Ccp<TwoBody> {
        let r = self.row_velocities(&self.v_free);
        Ccp::new(self.operator.clone(), r, self.cones.clone())
            .expect("the constructor checked the same parts")
    }

    /// `v = v_free + M⁻¹ D gamma`.
    pub fn velocities(&self, gamma: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; self.v_free.len()];
        self.operator.state(gamma, &mut v);
        v.iter_mut().zip(&self.v_free).for_each(|(v, f)| *v += f);
        v
    }

    /// `½ (v − v_free)ᵀ M (v − v_free)`, J. Infinite if a body is to change its velocity that cannot.
    pub fn objective(&self, v: &[f64]) -> f64 {
        let (v, _) = v.as_chunks::<DOF>();
        let (free, _) = self.v_free.as_chunks::<DOF>();
        let bodies = self.operator.bodies();
        (0..bodies.len())
            .map(|i| kinetic_energy(&bodies[i], &std::array::from_fn(|k| v[i][k] - free[i][k])))
            .sum()
    }

    /// Largest distance of a block's `Dᵀ v + b` from the dual cone, m/s.
    pub fn violation(&self, v: &[f64]) -> f64 {
        let u = self.row_velocities(v);
        let zero = [0.0; crate::cone::MAX_ROWS];
        let outside = self.cones.iter().map(|(block, cone)| {
            let (_, outside) = cone.gap(&zero[..block.len()], &u[block.rows()]);
            outside
        });
        outside.fold(0.0, f64::max)
    }

    /// `Dᵀ v + b`.
    fn row_velocities(&self, v: &[f64]) -> Vec<f64> {
        let rows = self.operator.dim();
        let mut u = vec![0.0; rows];
        self.operator.row_velocities(&vec![0.0; rows], v, &mut u);
        u.iter_mut().zip(&self.b).for_each(|(u, b)| *u += b);
        u
    }
}

/// Solves in velocity unknowns: six a body, factored on the graph of bodies. The relaxed law is eq. 23; the exact one is the
/// fixed point of eq. 26, which adds `mu ‖u_t‖` of the last solution to `b` until it no longer changes.
pub fn solve_primal(
    problem: &PrimalProblem,
    settings: &InteriorPointSettings,
    monitor: &mut Monitor<'_>,
) -> Result<PrimalSolution, SolverError> {
    let settings = InteriorPointSettings {
        formulation: Formulation::Velocities,
        ..*settings
    };
    let dual = problem.to_dual();
    let mut gamma = vec![0.0; dual.dim()];
    let info = match monitor.law() {
        Law::Relaxed => InteriorPoint::default().solve(&dual, &settings, &mut gamma, monitor)?,
        Law::Exact => {
            let mut solver = InteriorPoint::default();
            let inner = |p: &Ccp<&TwoBody>, gamma: &mut [f64], monitor: &mut Monitor<'_>| {
                solver.solve(p, &settings, gamma, monitor)
            };
            let fixed_point = DeSaxceSettings::default();
            de_saxce::solve(
                &dual,
                interior_point::NAME,
                &fixed_point,
                &mut gamma,
                monitor,
                inner,
            )?
        }
    };
    Ok(PrimalSolution {
        velocities: problem.velocities(&gamma),
        multipliers: gamma,
        info,
    })
}

/// `½ dᵀ M d` of one body, with M from its inverse.
fn kinetic_energy(body: &BodyInertia, d: &[f64; DOF]) -> f64 {
    let linear = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let momentum = solve_symmetric(&body.inverse_inertia, [d[3], d[4], d[5]]);
    let angular = d[3] * momentum[0] + d[4] * momentum[1] + d[5] * momentum[2];
    let translation = if linear == 0.0 {
        0.0
    } else {
        linear / body.inverse_mass
    };
    0.5 * (translation + angular)
}

/// The `x` with `A x = d` for a positive semidefinite A; zero in directions that neither moves, infinite where only `d` does.
fn solve_symmetric(a: &[[f64; 3]; 3], d: [f64; 3]) -> [f64; 3] {
    let (mut a, mut d) = (*a, d);
    for k in 0..3 {
        for i in k + 1..3 {
            if a[k][k] > 0.0 {
                let factor = a[i][k] / a[k][k];
                (k..3).for_each(|j| a[i][j] -= factor * a[k][j]);
                d[i] -= factor * d[k];
            }
        }
    }
    let mut x = [0.0; 3];
    for k in (0..3).rev() {
        let right = d[k] - (k + 1..3).map(|j| a[k][j] * x[j]).sum::<f64>();
        x[k] = if right == 0.0 { 0.0 } else { right / a[k][k] };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::monitor::Limits;
    use crate::operator::{NO_BODY, TwoBodyBlock};

    /// Rows along z, x, y at the given lever arm, of the first body alone.
    fn rows(arm: [f64; 3]) -> Vec<[f64; 12]> {
        let [x, y, z] = arm;
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
            .iter()
            .map(|&[a, b, c]| {
                let mut row = [0.0; 12];
                row[..6].copy_from_slice(&[a, b, c, y * c - z * b, z * a - x * c, x * b - y * a]);
                row
            })
            .collect()
    }

    /// A block of 2 kg that cannot turn, on a plane with mu = 0.5, moving at (2, 0, −1) m/s.
    fn sliding_block() -> PrimalProblem {
        let body = BodyInertia::diagonal(0.5, [0.0; 3]);
        let block = TwoBodyBlock {
            bodies: [0, NO_BODY],
            rows: rows([0.0; 3]),
            compliance: vec![],
        };
        PrimalProblem::new(
            TwoBody::new(vec![body], &[block]).unwrap(),
            vec![2.0, 0.0, -1.0, 0.0, 0.0, 0.0],
            vec![0.0; 3],
            Cones::friction(&[0.5]).unwrap(),
        )
        .unwrap()
    }

    fn solve(problem: &PrimalProblem, law: Law, tolerance: f64) -> PrimalSolution {
        let limits = Limits {
            tolerance,
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, law);
        solve_primal(problem, &InteriorPointSettings::default(), &mut monitor).unwrap()
    }

    fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() <= tolerance, "entry {i}: {a} and {b}");
        }
    }

    #[test]
    fn relaxed_block_lifts_by_hand() {
        // Sliding along x: u_n = −1 + g/m, u_t = 2 − mu g/m and u_n = mu u_t, so g/m = (1 + 0.5·2) / 1.25 = 1.6.
        let found = solve(&sliding_block(), Law::Relaxed, 1e-10);
        assert!(found.info.converged());
        assert_close(&[3.2, -1.6, 0.0], &found.multipliers, 1e-8);
        assert_close(&[1.2, 0.0, 0.6], &found.velocities[..3], 1e-8);
    }

    #[test]
    fn exact_block_stays_down_by_hand() {
        // u_n = 0: g/m = 1 and u_t = 2 − 0.5.
        let found = solve(&sliding_block(), Law::Exact, 1e-9);
        assert!(found.info.converged(), "{:?}", found.info);
        assert_close(&[2.0, -1.0, 0.0], &found.multipliers, 1e-7);
        assert_close(&[1.5, 0.0, 0.0], &found.velocities[..3], 1e-7);
    }

    /// A tumbling box on four contacts, hung on a ball joint at its top.
    fn hung_box() -> PrimalProblem {
        let body = BodyInertia {
            inverse_mass: 0.25,
            inverse_inertia: [[1.5, 0.2, 0.0], [0.2, 1.1, -0.1], [0.0, -0.1, 0.9]],
        };
        let contact = |x, y| TwoBodyBlock {
            bodies: [0, NO_BODY],
            rows: rows([x, y, -0.4]),
            compliance: vec![],
        };
        let mut blocks: Vec<TwoBodyBlock> = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
            .map(|(x, y)| contact(x, y))
            .to_vec();
        blocks.push(TwoBodyBlock {
            rows: rows([0.5, 0.5, 0.4])[1..].to_vec(),
            ..contact(0.0, 0.0)
        });
        let mut cones = vec![Cone::friction(0.3); 4];
        cones.push(Cone::Free { rows: 2 });
        let b = (0..14).map(|i| 0.01 * (i % 5) as f64).collect();
        PrimalProblem::new(
            TwoBody::new(vec![body], &blocks).unwrap(),
            vec![0.8, -0.3, -1.0, 0.2, 0.5, -0.4],
            b,
            Cones::new(cones).unwrap(),
        )
        .unwrap()
    }

    #[test]
    fn primal_and_dual_optima_are_opposite() {
        let problem = hung_box();
        let found = solve(&problem, Law::Relaxed, 1e-10);
        assert!(found.info.converged(), "{:?}", found.info);
        let primal = problem.objective(&found.velocities);
        let dual = found.info.certificate.objective;
        assert!(primal > 0.1 && (primal + dual).abs() < 1e-8 * primal);
        assert!(problem.violation(&found.velocities) < 1e-8);
        assert!(problem.violation(problem.v_free()) > 0.1);
        // The dual model on its own leads to the same velocities.
        let other = problem.to_dual();
        let mut gamma = vec![0.0; other.dim()];
        let limits = Limits {
            tolerance: 1e-9,
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, Law::Relaxed);
        let info = crate::solve(&other, crate::Method::Apgd, &mut gamma, &mut monitor).unwrap();
        assert!(info.converged());
        assert_close(&found.velocities, &problem.velocities(&gamma), 1e-6);
    }

    #[test]
    fn energy_needs_no_inverse_of_what_rests() {
        let body = BodyInertia::diagonal(0.0, [0.0, 4.0, 0.0]);
        // Only the turn about y is free: ½ · ¼ · 2² = 0.5 J.
        assert_eq!(kinetic_energy(&body, &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]), 0.5);
        assert_eq!(
            kinetic_energy(&body, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            f64::INFINITY
        );
    }

    #[test]
    fn lengths_are_checked() {
        let operator = sliding_block().operator;
        let cones = Cones::friction(&[0.5]).unwrap();
        let wrong = PrimalProblem::new(operator, vec![0.0; 5], vec![0.0; 3], cones);
        assert!(matches!(wrong, Err(ProblemError::Length { .. })));
    }
}
