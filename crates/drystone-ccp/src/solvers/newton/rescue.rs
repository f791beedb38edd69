//! Stage 3 of `newton`: what to do where the exact law's path ends in a fold. Our own.
//!
//! Each round starts from the best point so far: blocks that hold the residual are shaken
//! (`let_go`), nonsmooth Gauss–Seidel sweeps settle the rest, and stage 1 is tried. Every third
//! round first follows another smoothed path.

use super::scaled::ContactMap;
use super::{DescentEnd, Newton, NewtonRun};
use crate::monitor::Limits;
use crate::operator::Operator;
use crate::outcome::Termination;
use crate::problem::Law;
use crate::solvers::SolverError;
use crate::solvers::gauss_seidel::{GaussSeidel, GaussSeidelSettings};

impl Newton {
    /// Stage 3: lets go of what holds the residual and tries again, from the best point so far.
    pub(super) fn rescue<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
        law: Law,
    ) -> Result<Termination, SolverError> {
        let sharp = ContactMap { law, epsilon: 0.0 };
        let mut sweeps = GaussSeidel::default();
        let mut random = SplitMix(RESCUE_SEED);
        for round in 0..run.settings.rescues {
            // Now and then another path, from zero.
            if round % OTHER_PATH_EVERY == 0 {
                run.scaled
                    .set_weights(|| PATH_SPREAD.powf(2.0 * random.unit() - 1.0));
                self.here.x.fill(0.0);
                if let Some(stop) = self.follow_path(run, law) {
                    return Ok(stop);
                }
            }
            // Shake what holds the residual …
            self.gamma.copy_from_slice(run.monitor.best_point());
            self.let_go(run, law, &mut random);
            // … let sweeps settle it …
            let limits = Limits {
                max_iterations: RESCUE_SWEEPS[round % RESCUE_SWEEPS.len()]
                    .min(run.monitor.iterations_left()),
                tolerance: run.monitor.tolerance(),
                time_limit: None,
                ..Limits::default()
            };
            let mut inner = run.monitor.nested(limits, law).without_fall_back();
            let info = sweeps.solve(
                run.problem,
                &GaussSeidelSettings::default(),
                &mut self.gamma,
                &mut inner,
            )?;
            let overflowed = inner.overflowed();
            run.monitor.absorb(&info);
            run.monitor.note_overflow(overflowed);
            // … and try stage 1 from there.
            run.scaled.to_scaled(&self.gamma, &mut self.here.x);
            if let DescentEnd::Stop(stop) = self.descend(run, sharp, 0.0, RESCUE_ITERATIONS) {
                return Ok(stop);
            }
        }
        Ok(Termination::Stalled)
    }

    /// Of the blocks with most of the residual a third stays, a third is set to zero and a third to
    /// a random load, all by chance.
    fn let_go<N: Operator>(
        &mut self,
        run: &mut NewtonRun<'_, '_, N>,
        law: Law,
        random: &mut SplitMix,
    ) {
        run.problem.velocity(&self.gamma, &mut self.velocity);
        run.monitor.count_products(1);
        let reduce = run.monitor.reduce();
        let units = run.problem.units(reduce);
        let share = |i| {
            run.problem
                .block_residual(law, units, i, &self.gamma, &self.velocity)
        };
        let blocks = run.problem.cones().len();
        let largest = reduce.max((0..blocks).map(share).fold(0.0, f64::max));
        let held: Vec<usize> = (0..blocks)
            .filter(|&i| share(i) >= HOLDS_RESIDUAL * largest)
            .collect();
        let squares: f64 = self.gamma.iter().map(|g| g * g).sum();
        let rows = reduce.sum(self.gamma.len() as f64);
        let typical = reduce.sum(squares).sqrt() / rows.sqrt();
        for block in held.into_iter().map(|i| run.problem.cones().block(i)) {
            let gamma = &mut self.gamma[block.rows()];
            match random.next() % 3 {
                0 => {}
                1 => gamma.fill(0.0),
                _ => {
                    gamma
                        .iter_mut()
                        .for_each(|g| *g = typical * (2.0 * random.unit() - 1.0));
                    gamma[0] = NEW_LOAD * typical * random.unit();
                    run.problem.cones().as_slice()[block.index].project(gamma);
                }
            }
        }
    }
}

/// Rescue rounds for each other path: a path costs as much as several rounds.
const OTHER_PATH_EVERY: usize = 3;

/// Factor either way by which the weights of another path differ. By trial on the outside problems.
const PATH_SPREAD: f64 = 20.0;

/// Blocks with this share of the largest block residual hold it. By trial on the outside problems.
const HOLDS_RESIDUAL: f64 = 1e-3;

/// Largest random normal impulse of a block that is loaded anew, in units of the root mean square
/// of all: single contacts carry some times the mean.
const NEW_LOAD: f64 = 3.0;

/// Gauss–Seidel sweeps of a rescue, round by round: few keep the shaken point, many smooth it out,
/// and which of them helps differs from problem to problem. By trial on the outside problems.
const RESCUE_SWEEPS: [usize; 4] = [100, 0, 30, 300];

/// Newton iterations after these sweeps. By trial on the outside problems.
const RESCUE_ITERATIONS: usize = 60;

/// Where the random numbers of a rescue start. Any number will do, as long as it is always the
/// same.
const RESCUE_SEED: u64 = 0x2545_f491_4f6c_dd1d;

/// The generator of Steele, Lea and Flood 2014 with their constants: a few bits for a rescue, the
/// same in every run.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
