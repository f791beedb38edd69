//! What Mazhar 2014 says of the settled spheres, and what we find (P1-S1, P1-S2).

use drystone_ccp::Method;

use super::{BedRuns, Settling, primal};
use crate::experiment::claim::Claim;
use crate::experiment::findings::Findings;
use crate::experiment::trial::Trial;
use crate::table::{Cell, short_number};

/// With at least so many spheres, ten iterations per step leave overlaps and motion that show in
/// the next step.
const DEEP: usize = 160;

/// What the paper says of either bed.
pub fn common_claims(findings: &mut Findings, runs: &BedRuns) {
    let published = runs.bed.settling.published();
    let [mosek, theirs] = published.iterations;
    let target = runs.target;
    let off = |trial: &Trial| (trial.last().objective / target - 1.0).abs();
    let as_outside = "the interior point's objective is that of an outside conic solver, Clarabel \
                      (relative difference)";
    if let Some(outside) = runs.clarabel() {
        let difference = off(outside);
        findings.claim(Claim::new(as_outside, difference <= 1e-6).ours(difference));
    }
    if let Some(why) = &runs.no_clarabel {
        findings.not_checked(as_outside, why.as_str());
    }
    let interior = &runs.trials[0];
    findings.claim(
        Claim::new(
            "the interior point takes tens of iterations",
            interior.iterations <= 100,
        )
        .published(mosek)
        .ours(interior.iterations),
    );
    let Some(apgd) = runs.of(Method::Apgd) else {
        return; // the caller left it out
    };
    let ours = runs.iterations(apgd);
    findings.claim(
        Claim::new(
            "APGD reaches the interior point's objective to the published digits (iterations)",
            ours.is_some(),
        )
        .published(theirs)
        .ours(ours.map_or(Cell::Empty, Cell::Count)),
    );
    let Some(ours) = ours else {
        return;
    };
    findings.claim(
        Claim::new(
            "and takes several times the interior point's iterations (APGD's over the interior \
             point's)",
            ours as f64 > 2.0 * interior.iterations as f64,
        )
        .published(theirs as f64 / mosek as f64)
        .ours(ours as f64 / interior.iterations as f64),
    );
    // Not newton: its iterations factorise a matrix, so their number says something else.
    for method in [Method::NesterovGs, Method::Auto] {
        let Some(trial) = runs.of(method) else {
            continue;
        };
        let own = runs.iterations(trial);
        findings.claim(
            Claim::new(
                format!(
                    "{}, not in the paper, reaches it in fewer iterations than APGD (its \
                     iterations)",
                    method.name()
                ),
                own.is_some_and(|own| own < ours),
            )
            .ours(own.map_or(Cell::Empty, Cell::Count)),
        );
    }
}

/// What the paper says of the poor bed against the thorough one.
pub fn comparing_claims(findings: &mut Findings, thorough: &BedRuns, poor: &BedRuns) {
    let [a, b] = [thorough, poor].map(|runs| runs.bed.settling.published());
    findings.claim(
        Claim::new(
            "poorly settled spheres have more kinetic energy (over the thoroughly settled ones')",
            poor.bed.kinetic > thorough.bed.kinetic,
        )
        .published(b.kinetic / a.kinetic)
        .ours(poor.bed.kinetic / thorough.bed.kinetic),
    );
    findings.claim(
        Claim::new(
            "and deeper overlaps (m)",
            poor.bed.overlap > thorough.bed.overlap,
        )
        .ours(poor.bed.overlap),
    );
    // In a shallow bed ten iterations are nearly enough: what is left to undo is less than what
    // gravity adds in a step.
    if poor.bed.simulation.group("spheres").len() >= DEEP {
        findings.claim(
            Claim::new(
                "so the step changes more: the objective is larger in size (over the thoroughly \
                 settled ones')",
                poor.target.abs() > thorough.target.abs(),
            )
            .published(b.objective / a.objective)
            .ours(poor.target / thorough.target),
        );
        let bed = &poor.bed;
        let [input, solution] = primal(&bed.simulation, &bed.problem, &poor.trials[0].gamma);
        findings.claim(
            Claim::new(
                "too few iterations soften the bed: the solution's primal objective lies above the \
                 input's (§5.2; solution less input, J)",
                solution > input,
            )
            .published("above")
            .ours(solution - input),
        );
    } else {
        findings.text(format!(
            "Two claims are left out below {DEEP} spheres, where ten iterations per step are \
             nearly enough and the paper's effect is too small to see: that the poor bed's \
             objective is larger in size (here {} times the thorough one's), and that its \
             solution's primal objective lies above the input's.",
            short_number(poor.target / thorough.target)
        ));
    }
    let iterations = [thorough, poor].map(|s| s.iterations(s.of(Method::Apgd)?));
    if let [Some(easy), Some(hard)] = iterations {
        findings.claim(
            Claim::new(
                "and APGD needs more iterations (over those on the thoroughly settled ones)",
                hard > easy,
            )
            .published(b.iterations[1] as f64 / a.iterations[1] as f64)
            .ours(hard as f64 / easy as f64),
        );
    }
}

/// What agrees and what does not.
pub fn verdict(runs: &BedRuns) -> String {
    let published = runs.bed.settling.published();
    let apgd = runs.of(Method::Apgd).and_then(|t| runs.iterations(t));
    let world = runs.bed.simulation.world();
    let spheres = runs.bed.simulation.group("spheres");
    let mass: f64 = spheres.iter().map(|body| world.mass(*body)).sum();
    let kick = world.settings().time_step * world.settings().gravity.length();
    let settled = match runs.bed.settling {
        Settling::Thorough => format!(
            "A bed at perfect rest has an objective of −½ m (g h)², here {} J whatever its \
             packing: the paper's figure would be that of spheres of about 6 kg, and ours have {} \
             kg.",
            short_number(-0.5 * mass * kick * kick),
            short_number(mass / spheres.len() as f64),
        ),
        Settling::Poor => {
            "Ten iterations per step leave overlaps and motion, which the step must undo \
                           at once. How much, depends on the settling solver in all its details, \
                           which the paper does not give, so kinetic energy and objective need not \
                           be its."
                .to_owned()
        }
    };
    let outside = match (runs.clarabel(), &runs.no_clarabel) {
        (Some(trial), _) => {
            let off = (trial.last().objective / runs.target - 1.0).abs();
            format!(
                " Clarabel's objective differs by a relative {}.",
                short_number(off)
            )
        }
        (None, Some(_)) => " Clarabel's objective is not known.".to_owned(),
        (None, None) => String::new(), // the caller chose the methods
    };
    format!(
        "{} contacts (published {}), an objective of {} J (published {}); the interior point takes \
         {} iterations (Mosek {}) and APGD {} to the same objective (published {}).{outside} \
         {settled} As the paper says of Mosek, an interior point's objective is no guide on the \
         way: its early points lie far off.",
        runs.bed.problem.cones().contacts(),
        published.contacts,
        short_number(runs.target),
        published.objective,
        runs.trials[0].iterations,
        published.iterations[0],
        apgd.map_or("never gets".to_owned(), |k| k.to_string()),
        published.iterations[1],
    )
}

/// What the two beds say of each other.
pub fn comparison(thorough: &BedRuns, poor: &BedRuns) -> String {
    let iterations = [thorough, poor].map(|s| s.iterations(s.of(Method::Apgd)?));
    let [Some(easy), Some(hard)] = iterations else {
        return String::new();
    };
    let order = match hard > easy {
        true => "the paper's order",
        false => "the other way round than in the paper",
    };
    let to_residual = |runs: &BedRuns| {
        let first = runs
            .of(Method::Apgd)
            .and_then(|t| t.first(|row| row.residual <= 1e-6));
        first.map_or("more than it was given".to_owned(), |row| {
            row.iteration.to_string()
        })
    };
    let [a, b] = [thorough, poor].map(|runs| runs.bed.settling.published().iterations[1]);
    format!(
        " APGD takes {easy} iterations on the thoroughly and {hard} on the poorly settled bed \
         (published {a} and {b}), {order}. To a residual of 1e-6, ours, it takes {} and {}. Each \
         is one packing.",
        to_residual(thorough),
        to_residual(poor),
    )
}
