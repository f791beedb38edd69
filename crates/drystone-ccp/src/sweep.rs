//! Sweeps: block after block takes its step, each against the newest velocities.
//!
//! What a method is and how a sweep runs are two things. A method ([`crate::solvers::nesterov_gs`])
//! says how far to extrapolate and when to go back; a [`Sweep`] keeps the iterate in the layout
//! that it sweeps best. Two-body problems run in packs of eight contacts on all cores ([`packs`]),
//! any other operator block by block ([`blocks`]).
//!
//! Letters: `x` the iterate, `x_old` the one before, `y = x + beta (x − x_old)`, `s = N y + r` as
//! the sweep has changed it so far, `P` the metric of file `metric`. A block's step is:
//!
//! - relaxed law: `x_i ← Π^P(y_i − P_i⁻¹ s_i)`. It never raises the objective.
//! - exact law: with `z = y_i − P_i⁻¹ s_i` first the normal, `x_n = max(z_n, −cohesion)`, then each
//!   part of friction cut to its disc, `‖x_k‖ ≤ mu_k (x_n + cohesion)`. That is the form of Alart
//!   and Curnier 1991: its fixed points are the solutions of Coulomb's law, without any shift.

mod blocks;
pub(crate) mod metric;
mod packs;
pub(crate) mod pass;

use blocks::BlockSweeps;
use packs::PackSweeps;
use pass::{Holds, Pass};

use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::problem::{Ccp, Law};
use crate::reduce::Reduce;
use crate::residual::{ResidualScale, Squares};
use crate::solvers::local::LocalSettings;
use crate::solvers::scaling::{Scale, block_scales};

/// What a sweep adds up over its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SweepSums {
    /// `½ xᵀ N x + rᵀ x` after the sweep, J.
    pub objective: f64,
    /// `Σ (y − x)ᵀ P (x − x_old)` over the contacts, J: positive where the momentum points uphill.
    pub uphill: f64,
    /// `Σ ‖P (x − y)‖²`, (m/s)²: about the square of the residual at `y`.
    pub moved: f64,
}

impl SweepSums {
    fn add(&mut self, other: &Self) {
        self.objective += other.objective;
        self.uphill += other.uphill;
        self.moved += other.moved;
    }

    /// Over all processes.
    pub fn reduced(self, reduce: &dyn Reduce) -> Self {
        Self {
            objective: reduce.sum(self.objective),
            uphill: reduce.sum(self.uphill),
            moved: reduce.sum(self.moved),
        }
    }
}

/// An iterate that is swept.
pub(crate) trait Sweep<N: Operator> {
    /// Extrapolates, then steps every block.
    fn run(&mut self, problem: &Ccp<N>, beta: f64) -> SweepSums;

    /// Goes back to `x_old` and sweeps from there without momentum.
    fn redo(&mut self, problem: &Ccp<N>) -> SweepSums;

    /// Makes what follows `x` and `x_old` by recurrence afresh: rounding adds up in it.
    fn refresh(&mut self, problem: &Ccp<N>);

    /// The square of this process's share in the residual, (m/s)².
    fn residual_squares(&mut self, problem: &Ccp<N>, scale: &ResidualScale) -> Squares;

    /// Where a few contacts hold most of the residual, `work` is to sweep these and what they touch
    /// apart, everything else as it is. It is told how large a share of all that is.
    fn sweep_patch(
        &mut self,
        _problem: &Ccp<N>,
        _scale: &ResidualScale,
        _work: &mut dyn FnMut(&mut dyn Sweep<N>, f64),
    ) {
    }

    /// From now on sweeps a nearer problem: that of bodies which are heavier by what they carry and
    /// held back by where they are now. Moves the anchors if that is so already. `heavier`: weighs
    /// them by what they carry now, so many times as much as so far. Residuals are those of the
    /// nearer problem until [`Sweep::release`]. False where these sweeps cannot.
    fn anchor(&mut self, _problem: &Ccp<N>, _scale: &ResidualScale, _heavier: Option<f64>) -> bool {
        false
    }

    /// Sweeps the problem itself again.
    fn release(&mut self, _problem: &Ccp<N>) {}

    /// Brings velocities that lag behind `x` up to date: those of passes do (file `pass`).
    fn settle(&mut self) {}

    /// Remembers `x`.
    fn keep(&mut self);

    /// Puts the remembered point into `gamma`.
    fn read_kept(&self, problem: &Ccp<N>, gamma: &mut [f64]);

    /// Puts `x` into `gamma` and its velocity `N x + r` into `velocity`.
    fn read(&mut self, problem: &Ccp<N>, gamma: &mut [f64], velocity: &mut [f64]);
}

/// How a block takes its step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Rule {
    /// By the law in the metric `P`, as above.
    #[default]
    Metric,
    /// `x_i ← λ Π(y_i − (ω/g_i) s_i) + (1 − λ) y_i` with the block's own scale `g_i`.
    Scaled {
        /// Step length ω.
        omega: f64,
        /// Share λ of the new point.
        lambda: f64,
    },
    /// The block's own problem, solved to rounding; the share λ of it.
    Accurate {
        /// Share λ of the new point.
        lambda: f64,
        /// How the block is solved.
        local: LocalSettings,
    },
}

/// How sweeps start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    pub law: Law,
    pub rule: Rule,
    pub scale: &'a ResidualScale,
}

/// Work memory of all sweeps; keep one to solve many problems of a size without allocating.
#[derive(Debug, Default)]
pub(crate) struct Sweeps {
    packs: PackSweeps,
    blocks: BlockSweeps,
    /// `g_i` of every block, for [`Rule::Scaled`].
    scales: Vec<f64>,
}

impl Sweeps {
    /// Lays a problem out, starting from `gamma` in the cones.
    pub fn start<'a, N: Operator>(
        &'a mut self,
        problem: &Ccp<N>,
        start: Start<'_>,
        gamma: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> &'a mut dyn Sweep<N> {
        monitor.count_products(1);
        self.scales.clear();
        if let Rule::Scaled { .. } = start.rule {
            block_scales(problem, Scale::Safe, monitor.reduce(), &mut self.scales);
        }
        if start.scale.is_plain() && self.packs.start(problem, &start, &self.scales, gamma) {
            return &mut self.packs;
        }
        self.blocks.start(problem, &start, &self.scales, gamma);
        &mut self.blocks
    }

    /// Lays a problem out for passes that hold so much, starting from `gamma` in the cones.
    /// `scales` takes the place of the metric: one figure for each block.
    pub fn start_passes<'a, N: Operator>(
        &'a mut self,
        problem: &Ccp<N>,
        (law, scale): (Law, &ResidualScale),
        (holds, scales): (Holds, Option<&[f64]>),
        gamma: &[f64],
        monitor: &mut Monitor<'_>,
    ) -> &'a mut dyn Pass<N> {
        monitor.count_products(1);
        let rule = match scales {
            None => Rule::Metric,
            Some(_) => Rule::Scaled {
                omega: 1.0,
                lambda: 1.0,
            },
        };
        let start = Start { law, rule, scale };
        let scales = scales.unwrap_or_default();
        if scale.is_plain() && self.packs.start(problem, &start, scales, gamma) {
            self.packs.start_passes(holds);
            return &mut self.packs;
        }
        self.blocks.start(problem, &start, scales, gamma);
        self.blocks.start_passes(holds);
        &mut self.blocks
    }
}
