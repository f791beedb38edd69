//! Solving the cone problem of a step under either law of friction.
//!
//! The relaxed law (Mazhar 2015, eq. 9) gives a convex problem, but lets surfaces that slide part
//! at `friction · slip speed`. The exact law of Coulomb (eqs. 6 and 7) keeps them together, but its
//! problem is not convex and harder to solve. So a step under the exact law first solves the
//! relaxed problem, for two reasons: its answer is a good start, and the report can say what the
//! relaxation would have changed. [`Settings::compare_laws`] switches that off.

use std::time::Instant;

use drystone_ccp::cone::MAX_ROWS;
use drystone_ccp::solvers::{gauss_seidel, nesterov_gs};
use drystone_ccp::{
    Ccp, Law, Limits, Method, Operator, SolveInfo, SolverError, Termination, TwoBody, Watch,
};

use crate::nearest::{self, Judge};
use crate::report::{RelaxedLaw, SolveSummary, worse};
use crate::settings::Settings;
use crate::solver::StepSolver;

/// Answers of sweeps are brought near the last impulses in problems of no more rows, of all
/// processes together. On a large pile it would not pay, and there they stay near by themselves.
const FEW_ROWS: usize = 1000;

/// Solves problems under the law of the settings.
pub(crate) struct LawSolver<'s, 'w> {
    pub solver: &'s mut StepSolver,
    pub settings: &'s Settings,
    /// What is left of the step's work, in sweeps.
    pub work: f64,
    pub watch: &'s mut Watch<'w>,
}

impl LawSolver<'_, '_> {
    /// Solves the problem once, or twice where the laws are compared. `gamma` begins as a copy of
    /// the impulses to start from, `last`, and becomes the answer.
    pub fn solve(
        &mut self,
        problem: &Ccp<TwoBody>,
        last: &[f64],
        gamma: &mut [f64],
    ) -> Result<(SolveSummary, Vec<SolveInfo>), SolverError> {
        let law = self.settings.law;
        match law {
            Law::Exact if self.settings.compare_laws => self.compared(problem, last, gamma),
            Law::Exact | Law::Relaxed => {
                let mut info = self.run(problem, gamma, law)?;
                self.keep_near(problem, gamma, last, &mut info);
                Ok((SolveSummary::from(&info), vec![info]))
            }
        }
    }

    /// The relaxed answer first, for comparison and as a start, then the exact one.
    fn compared(
        &mut self,
        problem: &Ccp<TwoBody>,
        last: &[f64],
        gamma: &mut [f64],
    ) -> Result<(SolveSummary, Vec<SolveInfo>), SolverError> {
        let began = Instant::now();
        let first = self.run(problem, gamma, Law::Relaxed)?;
        let mut relaxed = RelaxedLaw {
            iterations: first.iterations,
            seconds: began.elapsed().as_secs_f64(),
            ..RelaxedLaw::default()
        };
        let by_relaxed = state(problem, gamma);
        relaxed.lift_off = lift_off(problem, gamma, &by_relaxed);
        // Where something slides on, the last step's exact answer is often the better start.
        if self.exact_residual(problem, last) < self.exact_residual(problem, gamma) {
            gamma.copy_from_slice(last);
        }
        self.work -= first.work;
        let mut second = self.run(problem, gamma, Law::Exact)?;
        self.keep_near(problem, gamma, last, &mut second);
        let by_exact = state(problem, gamma);
        let bodies = by_exact.as_chunks::<6>().0.iter();
        let bodies = bodies.zip(by_relaxed.as_chunks::<6>().0);
        relaxed.difference = bodies.fold(0.0, |largest: f64, (exact, relaxed)| {
            let off: f64 = (0..3).map(|k| (exact[k] - relaxed[k]).powi(2)).sum();
            worse(largest, off.sqrt())
        });
        let mut summary = SolveSummary::from(&second);
        summary.iterations += relaxed.iterations;
        summary.work += first.work;
        summary.timed_out |= first.termination == Termination::TimeLimit;
        summary.relaxed = relaxed;
        Ok((summary, vec![first, second]))
    }

    fn run(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut [f64],
        law: Law,
    ) -> Result<SolveInfo, SolverError> {
        let limits = Limits {
            tolerance: self.settings.tolerance,
            velocity_tolerance: self.settings.velocity_tolerance,
            max_iterations: self.settings.max_iterations,
            max_work: self.work,
            // Results depend on the clock only where the watch has a deadline.
            time_limit: None,
        };
        let mut monitor = self.watch.monitor(limits, law);
        let method = &self.settings.method;
        self.solver.solve(problem, method, gamma, &mut monitor)
    }

    /// Brings an answer near the last impulses: see [`crate::nearest`].
    fn keep_near(
        &mut self,
        problem: &Ccp<TwoBody>,
        gamma: &mut [f64],
        last: &[f64],
        info: &mut SolveInfo,
    ) {
        // Who names a method gets its answer, as if it had been called from outside.
        let named = self.settings.method.method() != Method::Auto;
        if named || info.termination != Termination::Converged || !self.settings.warm_start {
            return;
        }
        let monitor = self.watch.monitor(Limits::default(), info.law);
        // Of all processes together: what follows takes sums over all of them.
        let many = problem.total_rows(monitor.reduce()) > FEW_ROWS;
        let swept = [nesterov_gs::NAME, gauss_seidel::NAME].contains(&info.method);
        if swept && many {
            return;
        }
        let judge = Judge {
            problem,
            law: info.law,
            tolerance: self.settings.tolerance,
            products: (self.work - info.work).max(0.0) as usize,
            reduce: monitor.reduce(),
        };
        let (moved, products) = nearest::approach(&judge, gamma, last);
        info.products += products;
        info.work += products as f64;
        if moved {
            let mut velocity = vec![0.0; gamma.len()];
            problem.velocity(gamma, &mut velocity);
            info.certificate = problem.certificate(info.law, gamma, &velocity, judge.reduce);
        }
    }

    /// Relative residual of impulses by the exact law.
    fn exact_residual(&mut self, problem: &Ccp<TwoBody>, gamma: &[f64]) -> f64 {
        let mut monitor = self.watch.monitor(Limits::default(), Law::Exact);
        let mut velocity = vec![0.0; gamma.len()];
        problem.velocity(gamma, &mut velocity);
        monitor.residual(problem, gamma, &velocity)
    }
}

/// What impulses change the velocities of the unknown bodies by.
fn state(problem: &Ccp<TwoBody>, gamma: &[f64]) -> Vec<f64> {
    let mut state = vec![0.0; problem.operator().state_len()];
    problem.operator().state(gamma, &mut state);
    state
}

/// Largest speed at which the relaxed law parts surfaces that press, m/s. `state` is that of
/// `gamma`.
pub(crate) fn lift_off(problem: &Ccp<TwoBody>, gamma: &[f64], state: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    let mut velocity = [0.0; MAX_ROWS];
    for (block, cone) in problem.cones().iter() {
        let presses = cone.is_contact() && gamma[block.start] + cone.cohesion() > 0.0;
        // One row is a normal alone: without friction the two laws agree.
        if !presses || cone.rows() == 1 {
            continue;
        }
        let velocity = &mut velocity[..block.len()];
        problem.operator().read_block(block, gamma, state, velocity);
        let r = &problem.r()[block.rows()];
        velocity.iter_mut().zip(r).for_each(|(u, r)| *u += r);
        largest = worse(largest, cone.de_saxce_shift(velocity));
    }
    largest
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use drystone_ccp::MethodSettings;
    use drystone_ccp::reduce::{Local, Reduce};

    use super::*;
    use crate::{Body, Shape, World};

    /// So many processes, each with the same rows.
    struct Alike(f64);

    impl Reduce for Alike {
        fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
            self.0 * Local.dot(a, b)
        }
        fn sum(&self, share: f64) -> f64 {
            self.0 * share
        }
        fn max(&self, share: f64) -> f64 {
            share
        }
    }

    /// All processes must decide alike, so it is their rows together that count.
    #[test]
    fn sweeps_of_a_large_pile_are_left_where_they_end_however_it_is_shared_out() {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::plane())).unwrap();
        let block = Body::dynamic(Shape::box_of([0.5; 3]).unwrap()).mass(1.0);
        world.add(block.at([0.0, 0.0, 0.5])).unwrap();
        let open = world.begin().unwrap();
        let problem = open.problem();
        // Two corners opposite each other press harder, the other two less: nothing moves.
        let normals: Vec<usize> = problem.cones().iter().map(|(b, _)| b.start).collect();
        assert_eq!(normals.len(), 4);
        let twists = [[1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]].map(|[a, b, c]| {
            let mut twist = vec![0.0; problem.dim()];
            let shares = [a, b, c, -a - b - c];
            normals
                .iter()
                .zip(shares)
                .for_each(|(&row, share)| twist[row] = 1e-3 * share);
            twist
        });
        let moves_nothing = |twist: &&Vec<f64>| {
            let mut moved = vec![0.0; problem.dim()];
            problem.operator().apply(twist, &mut moved);
            moved.iter().all(|v| v.abs() < 1e-9) // compliance
        };
        let twist = twists.iter().find(moves_nothing).unwrap();
        for (processes, moves) in [(1.0, true), (1e3, false)] {
            let reduce = Alike(processes);
            let mut solver = StepSolver::default();
            let mut watch = Watch {
                reduce: &reduce,
                ..Watch::default()
            };
            let mut settings = Settings {
                method: MethodSettings::new(Method::NesterovGs),
                ..Settings::default()
            };
            let mut gamma = vec![0.0; problem.dim()];
            let mut law = LawSolver {
                solver: &mut solver,
                settings: &settings,
                work: 1e6,
                watch: &mut watch,
            };
            let mut info = law.run(problem, &mut gamma, Law::Relaxed).unwrap();
            assert_eq!(info.termination, Termination::Converged);
            let answer = gamma.clone();
            let last: Vec<f64> = answer.iter().zip(twist).map(|(g, t)| g + t).collect();
            settings.method = MethodSettings::new(Method::Auto);
            let mut law = LawSolver {
                solver: &mut solver,
                settings: &settings,
                work: 1e6,
                watch: &mut watch,
            };
            law.keep_near(problem, &mut gamma, &last, &mut info);
            assert_eq!(gamma != answer, moves, "{processes} processes");
        }
    }
}
