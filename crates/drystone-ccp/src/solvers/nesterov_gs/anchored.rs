//! Sweeps with anchors, where bodies carry far more than their own weight.
//!
//! In place of the problem a nearer one is swept, which the sweeps make of it (file
//! `sweep/packs/anchor.rs`): bodies are heavier by what they carry, and held back by anchors, which
//! move to where the bodies are after every 32 sweeps. The momentum is kept from one anchor to the
//! next. What that leaves is mended within some dozen sweeps of the problem itself. Two digits at a
//! time are gained like that.

use super::{Momentum, NesterovGsSettings, Solve};
use crate::monitor::Monitor;
use crate::operator::{Operator, TwoBody};
use crate::problem::Ccp;
use crate::reduce::Reduce;

/// Sweeps after which bodies are anchored where some are so many times as heavy as others, and
/// elsewhere: a pile of equal grains gains only if it is hard to solve.
const AFTER: usize = 48;
const HEAVY: f64 = 300.0;
const AFTER_ELSEWHERE: usize = 400;

/// Sweeps after which anchors move. With fewer the momentum overshoots.
const EVERY: usize = 32;

/// Anchors stay as long as the residual of the nearer problem is above so many times the tolerance:
/// sweeps of the problem itself soon make that gain. They are not used where it is there already.
const GAIN: f64 = 12.0;

/// By moving, anchors make the residual of the nearer problem larger. It should be about this share
/// before of what it is after: then neither the sweeps between two moves nor the moves gain more
/// than the other. Found on piles and under slabs of up to a million times a grain's mass. The
/// share falls as the bodies are made heavier.
const SHARE: f64 = 0.2;

/// How much heavier or lighter bodies are made at a time, at most; and from where on they are made
/// so at once.
const HEAVIER: f64 = 4.0;
const FAR_OFF: f64 = 3.0;

/// Anchors that may move without halving that residual before they are given up.
const PATIENCE: usize = 48;

/// Sweeps of the problem itself after anchors. As long as so many bring [`POLISH_GAIN`], more
/// follow; so many must be left at the end too.
pub(super) const POLISH: usize = 64;

/// What is left of the squared residual after sweeps that are worth going on with.
pub(super) const POLISH_GAIN: f64 = 0.25;

/// Anchors are let go after at most this gain, so that the best point follows and somebody who
/// watches sees it.
const ROUND: f64 = 0.01;

/// Sweeps of this problem after which its bodies are anchored.
pub(super) fn after<N: Operator>(problem: &Ccp<N>, reduce: &dyn Reduce) -> usize {
    match mass_ratio(problem, reduce) > HEAVY {
        true => AFTER,
        false => AFTER_ELSEWHERE,
    }
}

/// Largest mass over smallest of all bodies that move; 1 where N does not tell.
pub fn mass_ratio<N: Operator>(problem: &Ccp<N>, reduce: &dyn Reduce) -> f64 {
    let bodies = problem
        .operator()
        .as_two_body()
        .map_or(&[][..], TwoBody::bodies);
    let moving = bodies.iter().map(|b| b.inverse_mass).filter(|m| *m > 0.0);
    let (least, most) = moving.fold((f64::INFINITY, 0.0_f64), |(least, most), m| {
        (least.min(m), most.max(m))
    });
    let (least, most) = (-reduce.max(-least), reduce.max(most));
    if most > 0.0 { most / least } else { 1.0 }
}

impl<N: Operator> Solve<'_, N> {
    /// Sweeps with anchors until the problem itself is near its solution; says how many sweeps
    /// there were then.
    pub(super) fn anchored(
        &mut self,
        mut iteration: usize,
        momentum: &mut Momentum,
        settings: &NesterovGsSettings,
        monitor: &mut Monitor<'_>,
    ) -> usize {
        let (problem, scale, reduce) = (self.problem, *self.checks.scale(), monitor.reduce());
        let goal = GAIN * monitor.tolerance().max(ROUND * monitor.best());
        // What bodies carry is known to one process alone. All must decide alike, also where one of
        // them has all rows.
        let shared_out = problem.total_rows(reduce) != problem.dim();
        if reduce.max(f64::from(shared_out)) > 0.0 || monitor.best() <= goal {
            return iteration;
        }
        let begun = iteration;
        let mut shares = Shares::default();
        let (mut least, mut most, mut gained) = (f64::INFINITY, 0.0, 0);
        for anchor in 1_usize.. {
            let before = self.sweeps.residual_squares(problem, &scale).sum;
            let heavier = shares.heavier(anchor);
            if !self.sweeps.anchor(problem, &scale, heavier) {
                break;
            }
            let after = self.sweeps.residual_squares(problem, &scale).sum;
            if heavier.is_none() {
                shares.note(before / after);
            }
            let near = scale.relative(after);
            let left = monitor.iterations_left().saturating_sub(iteration - begun);
            if near < 0.5 * least || near > most {
                (least, most, gained) = (near, near.max(most), anchor);
            }
            let last = left < EVERY + POLISH || anchor > gained + PATIENCE;
            let near_enough = near <= goal || near.is_nan();
            if near_enough || last || monitor.interrupted().is_some() {
                break;
            }
            monitor.tell_nested(iteration, near);
            momentum.objective = f64::INFINITY;
            for _ in 0..EVERY {
                let (_, swept) = momentum.sweep(problem, self.sweeps, settings, reduce);
                monitor.count_products(swept);
            }
            iteration += EVERY;
        }
        self.sweeps.release(problem);
        *momentum = Momentum::default();
        iteration
    }
}

/// What moves of the anchors did to the squared residual, since bodies were last weighed.
#[derive(Default)]
struct Shares {
    logarithms: f64,
    count: f64,
}

impl Shares {
    /// Takes what the residual was before a move as a share of what it was after it, both squared.
    /// Only of moves at which no body was weighed anew: that changes the residual too.
    fn note(&mut self, share: f64) {
        if share > 0.0 && share.is_finite() {
            self.logarithms += 0.5 * share.ln();
            self.count += 1.0;
        }
    }

    /// How much heavier bodies are to be made, if it is time to weigh them: ever more seldom.
    fn heavier(&mut self, anchor: usize) -> Option<f64> {
        let factor = if self.count > 0.0 {
            let share = (self.logarithms / self.count).exp();
            share / SHARE
        } else {
            1.0
        };
        let far_off = !(1.0 / FAR_OFF..FAR_OFF).contains(&factor);
        if !far_off && !anchor.is_power_of_two() && !anchor.is_multiple_of(16) {
            return None;
        }
        *self = Self::default();
        Some(factor.clamp(1.0 / HEAVIER, HEAVIER))
    }
}
