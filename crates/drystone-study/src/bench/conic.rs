//! Clarabel, an outside conic solver, on the problem of a step. Built in with the feature
//! `clarabel`.

use std::time::Duration;

use drystone_ccp::{Ccp, TwoBody};
use drystone_run::Control;

use crate::error::StudyError;
use crate::experiment::mazhar_2014::clarabel::{self, Outcome};

/// How a run of Clarabel ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConicRun {
    /// In one word.
    pub ended: &'static str,
    /// Iterations; 0 where it found no solution.
    pub iterations: usize,
    /// With the assembly of its matrices, s; none where it found no solution.
    pub seconds: Option<f64>,
    /// Our relative residual at its answer, put back into the cones; none where it found none.
    pub residual: Option<f64>,
}

/// Runs Clarabel to its tolerance of 1e-10, for at most the time of `patience`. `None` where it is
/// not built in.
pub fn run_clarabel(
    problem: &Ccp<TwoBody>,
    patience: Duration,
    control: Control<'_>,
) -> Result<Option<ConicRun>, StudyError> {
    Ok(match clarabel::run(problem, patience, control)? {
        Outcome::Solved(trial) => Some(ConicRun {
            ended: trial.termination,
            iterations: trial.iterations,
            seconds: Some(trial.seconds),
            residual: Some(trial.last().residual),
        }),
        Outcome::Failed(ended) => Some(ConicRun {
            ended,
            iterations: 0,
            seconds: None,
            residual: None,
        }),
        Outcome::NotBuiltIn => None,
    })
}
