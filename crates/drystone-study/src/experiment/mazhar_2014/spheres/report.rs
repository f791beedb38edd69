//! Set-up and tables of P1-S1 and P1-S2.

use drystone_ccp::Method;

use super::{BedRuns, SAME, SphereBed, SphereRuns, figures};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::mazhar_2014::spectrum::Spectrum;
use crate::experiment::set_up;
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};

/// How the bed was set up.
pub fn describe(runs: &BedRuns, findings: &mut Findings) {
    let SphereBed {
        settling,
        simulation,
        problem,
        ..
    } = &runs.bed;
    let published = settling.published();
    let count = simulation.group("spheres").len().to_string();
    findings.setup("spheres", "320", count);
    let contacts = published.contacts.to_string();
    let gamma = set_up::best_point(&runs.trials);
    set_up::contacts(findings, ("contacts", &contacts), problem, gamma);
    let world = simulation.world();
    let mass = simulation
        .group("spheres")
        .first()
        .map_or(f64::NAN, |b| world.mass(*b));
    findings.setup(
        "radius, density, friction, box",
        NOT_GIVEN,
        format!(
            "0.1 m, 1000 kg/m³ ({} kg), 0.3, five layers deep",
            short_number(mass)
        ),
    );
    findings.setup(
        "overlaps and compliance",
        "Φ/h in the problem, rigid",
        "Φ/h without a cap on the speed of recovery, rigid",
    );
    let paper = format!(
        "4 s at h = 0.5 ms with up to {} iterations per step; warm start and tolerance are not given",
        published.max_iterations
    );
    set_up::settled(findings, simulation, &paper, settling.how());
}

/// Adds text, tables and figures.
pub fn write(
    bench: &Bench<'_>,
    findings: &mut Findings,
    runs: &mut SphereRuns,
) -> Result<(), StudyError> {
    findings.text(format!(
        "One step from γ = 0. The interior point, in Mosek's place, sets the target; a method is \
         there when its objective is and stays the target's to a relative {SAME:e}, the published \
         digits. The paper's residual r is Mazhar 2015, eq. 25, with g_d = 1e-6; ours is relative, \
         the natural map's of γ over that of zero."
    ));
    let beds: Vec<&BedRuns> = runs.thorough.iter().chain([&runs.own]).collect();
    findings.table("table-1", table_1(&beds));
    let runs = &mut runs.own;
    findings.table("methods", method_table(runs));
    figures::write(bench, findings, runs)?;
    for trial in &runs.trials {
        findings.file(format!("history-{}.csv", trial.name), trial.csv());
    }
    Ok(())
}

fn table_1(beds: &[&BedRuns]) -> Table {
    let mut table = Table::new(vec![
        Column::word("data"),
        Column::number("contacts published"),
        Column::number("contacts ours"),
        Column::number("rows of N"),
        Column::number("rank of N"),
        Column::number("cond(N) published"),
        Column::number("largest over smallest nonzero eigenvalue"),
        Column::number("kinetic energy published (J)"),
        Column::number("kinetic energy ours (J)"),
        Column::number("max iterations"),
        Column::number("deepest overlap (m)"),
        Column::number("primal objective of the input (J)"),
        Column::number("of the solution (J)"),
    ]);
    for runs in beds {
        let bed = &runs.bed;
        let published = bed.settling.published();
        let spectrum = Spectrum::of(bed.problem.operator());
        let [input, solution] = runs.primal();
        table.rows.push(vec![
            bed.settling.name().into(),
            published.contacts.into(),
            bed.problem.cones().contacts().into(),
            bed.problem.dim().into(),
            spectrum.rank.into(),
            published.condition.into(),
            spectrum.ratio().into(),
            published.kinetic.into(),
            bed.kinetic.into(),
            published.max_iterations.into(),
            bed.overlap.into(),
            input.into(),
            solution.into(),
        ]);
    }
    table.note = "Table 1 of the paper with ours beside it. N has at most six times as many \
                  nonzero eigenvalues as there are spheres, fewer than rows: it is singular, and \
                  the published condition numbers, far above 1e16, are those of rounding errors. \
                  So the ratio is over the nonzero ones."
        .to_owned();
    table
}

fn method_table(runs: &BedRuns) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("objective published (J)"),
        Column::number("objective ours (J)"),
        Column::number("iterations published"),
        Column::number("iterations to the target"),
        Column::number("iterations in all"),
        Column::number("best r (eq. 25)"),
        Column::number("our best residual"),
        Column::number("time in all (s)"),
    ]);
    let published = runs.bed.settling.published();
    for trial in &runs.trials {
        let place = [Method::InteriorPoint, Method::Apgd]
            .iter()
            .position(|m| m.name() == trial.name);
        let iterations = place.map_or(Cell::Empty, |k| Cell::Count(published.iterations[k]));
        let objective = place.map_or(Cell::Empty.into(), |k| {
            Entry::from(published.objective).shown_as(published.printed[k])
        });
        let objective_ours = Cell::from(trial.last().objective);
        let digits = objective_ours.precise();
        table.rows.push(vec![
            Entry::from(trial.name.as_str()).swatch(trial.look),
            objective,
            Entry::from(objective_ours).shown_as(digits),
            iterations.into(),
            runs.to_target(trial)
                .map_or(Cell::Empty, Cell::Count)
                .into(),
            trial.iterations.into(),
            trial.best(|row| row.measures.apgd_residual).into(),
            trial.best(|row| row.residual).into(),
            trial.seconds.into(),
        ]);
    }
    table.note =
        "Every method runs on to a residual of 1e-9, for 20 000 iterations or 30 s. Times \
                  include the writing of the history. Mosek's figures stand beside the interior \
                  point's."
            .to_owned();
    table
}
