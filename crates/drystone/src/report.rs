//! What a step tells.

use drystone_ccp::{SolveInfo, Termination};

/// The larger of two figures of which the larger is the worse. Not-a-number is the worst of all:
/// `f64::max` would drop it, and turn what is broken into what is perfect.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// How one step went.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Pairs of bodies close enough to be looked at.
    pub pairs: usize,
    /// Contact points in the problem.
    pub contacts: usize,
    /// Rows of joints, motors and springs in the problem.
    pub joint_rows: usize,
    /// Largest error of a joint at the end of the step, m or rad.
    pub joint_error: f64,
    /// Dynamic bodies that sleep.
    pub asleep: usize,
    /// The method that gave the answer; `none` where there was nothing to solve.
    pub method: &'static str,
    /// Why the solver stopped.
    pub termination: Termination,
    /// Whether a deadline cut a solve short. Such a step depends on the clock: another run may give
    /// another result.
    pub timed_out: bool,
    /// Times that the step was solved: more than once where its own collisions opened contacts, or
    /// joints were expanded anew.
    pub solves: usize,
    /// Iterations of all of them.
    pub iterations: usize,
    /// Work of all of them, in sweeps: see [`crate::Settings::max_work`].
    pub work: f64,
    /// Relative natural-map residual reached.
    pub residual: f64,
    /// Largest residual velocity of a contact, m/s.
    pub residual_velocity: f64,
    /// How the relaxed law's answer compares where something slides.
    pub relaxed: RelaxedLaw,
    /// Deepest overlap at the start of the step, m, >= 0.
    pub penetration: f64,
    /// Kinetic energy at the end of the step, J.
    pub kinetic_energy: f64,
    /// Potential energy at the end of the step, J: in gravity, zero at the origin, and in springs.
    pub potential_energy: f64,
    /// Speed of the fastest centre of mass, m/s.
    pub fastest: f64,
    /// Where the time went.
    pub times: StepTimes,
}

impl StepReport {
    /// Whether the step was solved to the tolerance.
    pub fn converged(&self) -> bool {
        self.termination == Termination::Converged
    }
}

/// What the report of a step tells of its solver.
///
/// Made from the info of a solver of `drystone-ccp`, by [`crate::OpenStep::judge`], or by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSummary {
    /// The method's name.
    pub method: &'static str,
    /// Why it stopped.
    pub termination: Termination,
    /// Iterations.
    pub iterations: usize,
    /// Work, in sweeps.
    pub work: f64,
    /// Relative natural-map residual reached.
    pub residual: f64,
    /// Largest residual velocity of a contact, m/s.
    pub residual_velocity: f64,
    /// Whether the clock ended it.
    pub timed_out: bool,
    /// How the relaxed law's answer compares, where the solver knows. Under the relaxed law
    /// [`crate::OpenStep::finish`] fills in the lift-off.
    pub relaxed: RelaxedLaw,
}

impl SolveSummary {
    /// Where there was nothing to solve.
    pub(crate) fn nothing() -> Self {
        Self {
            method: "none",
            termination: Termination::Converged,
            iterations: 0,
            work: 0.0,
            residual: 0.0,
            residual_velocity: 0.0,
            timed_out: false,
            relaxed: RelaxedLaw::default(),
        }
    }
}

impl From<&SolveInfo> for SolveSummary {
    fn from(info: &SolveInfo) -> Self {
        Self {
            method: info.method,
            termination: info.termination,
            iterations: info.iterations,
            work: info.work,
            residual: info.certificate.residual,
            residual_velocity: info.certificate.residual_velocity,
            timed_out: info.termination == Termination::TimeLimit,
            relaxed: RelaxedLaw::default(),
        }
    }
}

/// What the relaxed law makes of a step. Under it sliding surfaces part at `friction · slip speed`;
/// under the exact law they do not.
///
/// Under the exact law these figures cost a solve of their own. Where
/// [`crate::Settings::compare_laws`] is off they are all zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RelaxedLaw {
    /// Largest speed at which it parts surfaces that slide and press, m/s. Zero where nothing
    /// slides: there both laws agree.
    pub lift_off: f64,
    /// Under the exact law: the largest velocity of a body by which the relaxed answer was off,
    /// m/s.
    pub difference: f64,
    /// Under the exact law: iterations that the relaxed answer took, part of the step's.
    pub iterations: usize,
    /// Under the exact law: seconds that the relaxed answer took, part of the step's.
    pub seconds: f64,
}

/// Seconds of wall time spent in each part of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimes {
    /// Candidate pairs.
    pub broad: f64,
    /// Contact points.
    pub narrow: f64,
    /// Making the cone problem.
    pub assembly: f64,
    /// Solving it. Of an open step: from when its problem was handed out to when its answer was
    /// taken.
    pub solve: f64,
    /// The whole step.
    pub total: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_a_number_is_the_worst() {
        let worst = |values: &[f64]| values.iter().copied().fold(0.0, worse);
        assert_eq!(worst(&[]), 0.0);
        assert_eq!(worst(&[1.0, 3.0, 2.0]), 3.0);
        assert_eq!(worst(&[1.0, f64::INFINITY, 2.0]), f64::INFINITY);
        assert!(worst(&[f64::NAN, 1.0, 2.0]).is_nan());
        assert!(worst(&[1.0, f64::NAN, f64::INFINITY]).is_nan());
    }
}
