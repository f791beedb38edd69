//! Clarabel, an outside interior-point solver for conic programs, beside our methods. It is built
//! in only with the feature `clarabel`: it and what it depends on take long to build.

#[cfg(feature = "clarabel")]
mod solver;

use std::time::Duration;

use drystone_ccp::{Ccp, TwoBody};
use drystone_run::Control;

use crate::error::StudyError;
use crate::experiment::trial::Trial;

/// Its name in tables and legends.
pub const NAME: &str = "clarabel";

/// What a report says where it could not be run.
pub const NOT_BUILT_IN: &str = "Clarabel was not built in, so it was not run: it is an optional \
     part of the program, named clarabel, which has to be chosen when the program is built";

/// How a run of it ended.
pub enum Outcome {
    /// It found a solution.
    #[cfg_attr(not(feature = "clarabel"), allow(dead_code))]
    Solved(Trial),
    /// It found none; how it ended, in one word.
    #[cfg_attr(not(feature = "clarabel"), allow(dead_code))]
    Failed(&'static str),
    /// It was not built in.
    #[cfg_attr(feature = "clarabel", allow(dead_code))]
    NotBuiltIn,
}

/// Runs it for at most the time of `patience`, where it is built in.
pub fn run(
    problem: &Ccp<TwoBody>,
    patience: Duration,
    control: Control<'_>,
) -> Result<Outcome, StudyError> {
    #[cfg(feature = "clarabel")]
    return solver::run(problem, patience, control);
    #[cfg(not(feature = "clarabel"))]
    {
        let _ = (problem, patience, control);
        Ok(Outcome::NotBuiltIn)
    }
}
