//! Lines about the set-up that most reports share.

use drystone_ccp::{Ccp, Operator};
use drystone_scene::Simulation;

use super::findings::{Findings, NOT_GIVEN};
use crate::table::short_number;

/// Share of the largest normal impulse below which a contact carries nothing.
const NOTHING: f64 = 1e-9;

/// How a state was settled: what the paper says of it, and by which method here.
pub fn settled(findings: &mut Findings, simulation: &Simulation, paper: &str, method: &str) {
    let world = simulation.world();
    let settings = world.settings();
    findings.setup(
        "settled",
        paper,
        format!(
            "{} s in {} steps by {method}, at last to a residual of {:e} or for {} iterations per \
             step, in steps of {} ms; {} of the steps did not reach their tolerance",
            short_number(world.time()),
            world.steps(),
            settings.tolerance,
            settings.max_iterations,
            short_number(1e3 * settings.time_step),
            world.unconverged_steps()
        ),
    );
    findings.setup(
        "collision envelope",
        NOT_GIVEN,
        format!(
            "{} mm: pairs up to this far apart are in the problem",
            short_number(1e3 * world.envelope())
        ),
    );
}

/// Contacts of the paper and ours, and how many of ours carry nothing at a solution.
pub fn contacts<N: Operator>(
    findings: &mut Findings,
    (what, paper): (&str, &str),
    problem: &Ccp<N>,
    solution: &[f64],
) {
    findings.setup(
        what,
        paper,
        format!(
            "{}, of which {} carry nothing at the solution",
            problem.cones().contacts(),
            idle(problem, solution)
        ),
    );
}

/// Contacts that carry nothing.
pub fn idle<N: Operator>(problem: &Ccp<N>, gamma: &[f64]) -> usize {
    let contacts = problem.cones().iter().filter(|(_, cone)| cone.is_contact());
    let normals: Vec<f64> = contacts.map(|(block, _)| gamma[block.start]).collect();
    let largest = normals.iter().copied().fold(0.0, f64::max);
    normals.iter().filter(|&&n| n <= NOTHING * largest).count()
}

/// The trial's point with the smallest residual of several: where contacts are looked at.
pub fn best_point(trials: &[super::trial::Trial]) -> &[f64] {
    let residual = |t: &&super::trial::Trial| t.best(|row| row.residual);
    let best = trials
        .iter()
        .filter(|t| t.failed.is_none())
        .min_by(|a, b| residual(a).total_cmp(&residual(b)));
    best.map_or(&[], |trial| &trial.gamma)
}
