//! P2-T3: a heavy cylinder on smooth spheres (Heyn 2013, §5.2).

use drystone_ccp::{Ccp, Method, TwoBody};
use drystone_scene::Simulation;

use super::growing_beds::{EARLY, ITERATIONS, LATE, METHODS, judged};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::claim::Claim;
use crate::experiment::contest::{
    ABOUT_ROWS, LARGE, SmoothBed, add_picture, contest, end_table, optimum, products_ratio,
    products_to, products_until, without_factorising,
};
use crate::experiment::curves::{XAxis, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::rows::{next_problem, normal_rows};
use crate::experiment::trial::{Trial, trial_of};
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};
use drystone_draw::plot::{AxisScale, Figure, Panel};

/// Masses of the weight, kg, as in the paper.
const MASSES: [f64; 3] = [1000.0, 4000.0, 16_000.0];

/// The bed under one mass and the runs of all methods on it.
struct LoadedBed {
    mass: f64,
    problem: Ccp<TwoBody>,
    trials: Vec<Trial>,
    /// Lowest objective, J: −1 in the paper's figure.
    optimum: f64,
}

/// P2-T3.
pub fn heavy(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let bed = |mass: f64| SmoothBed {
        spheres: 1000,
        radius: 1.5,
        load: Some(mass),
    };
    let (scene, settled, _) = bed(MASSES[0]).settle(bench)?;
    add_picture(
        bench,
        &mut findings,
        "figure-11",
        (&scene, &settled),
        "The weight on the spheres, as in Fig. 11 of the paper.",
    );
    let mut systems = Vec::new();
    for mass in MASSES {
        // The same positions under each mass, as in the paper.
        let mut simulation = Simulation::new(&bed(mass).scene(bench)?)?;
        simulation.restore(&settled.state())?;
        let problem = normal_rows(&next_problem(&mut simulation)?)?;
        let what = format!("{mass} kg");
        let trials = contest(bench, &problem, &what, &methods, ITERATIONS)?;
        let optimum = optimum(bench, &problem, &what, &trials)?;
        systems.push(LoadedBed {
            mass,
            problem,
            trials,
            optimum,
        });
    }
    findings.text(format!(
        "{} spheres and the weight, {} contacts (paper: 1001 bodies, 4295 contacts), settled under \
         1000 kg; heavier weights lie where that one came to rest. One step from γ = 0, {ITERATIONS} \
         iterations per method. {} {ABOUT_ROWS}",
        settled.group("spheres").len(),
        systems.first().map_or(0, |s| s.problem.dim()),
        match bench.scale == 1.0 {
            true => "",
            false => "Masses are the paper's; the weight here is scaled with the bed.",
        }
    ));
    add_figures(&systems, &mut findings);
    for system in &systems {
        findings.heading(format!("{} kg", system.mass));
        findings.table(
            format!("ends-{}", system.mass),
            end_table(&system.problem, &system.trials),
        );
        for trial in &system.trials {
            findings.file(
                format!("history-{}-{}.csv", system.mass, trial.name),
                trial.csv(),
            );
        }
    }
    findings.table("products", table(&systems));
    claims(&systems, bench.scale, &mut findings);
    Ok(findings)
}

fn add_figures(systems: &[LoadedBed], findings: &mut Findings) {
    let panels = |make: &dyn Fn(&LoadedBed) -> Panel| systems.iter().map(make).collect::<Vec<_>>();
    let figure = |title: &str, panels: Vec<Panel>| Figure {
        title: title.to_owned(),
        columns: 3,
        panels,
        legend: systems
            .first()
            .map(|s| legend(&without_factorising(&s.trials)))
            .unwrap_or_default(),
    };
    findings.figure(
        "figure-12",
        figure(
            "Normalised objective",
            panels(&|s| {
                objective_panel(s, "objective, the lowest is −1", AxisScale::Linear, |f| f)
            }),
        ),
        "Fig. 12 of the paper: the objective over the lowest that was found for each mass.",
    );
    findings.figure(
        "figure-12-distance",
        figure(
            "Distance from the optimum",
            panels(&|s| {
                objective_panel(s, "normalised objective + 1", AxisScale::Log, |f| f + 1.0)
            }),
        ),
        "The same above the optimum.",
    );
    findings.figure(
        "figure-13",
        figure("Residual", panels(&residual_panel)),
        "Fig. 13 of the paper.",
    );
}

/// A panel of `of` the objective over the lowest one that was found.
fn objective_panel(
    system: &LoadedBed,
    label: &str,
    y: AxisScale,
    of: impl Fn(f64) -> f64,
) -> Panel {
    let trials = without_factorising(&system.trials);
    Panel {
        title: format!("{} kg", system.mass),
        ..panel(
            &trials,
            XAxis::Products,
            label,
            [AxisScale::Log, y],
            |row| of(row.objective / system.optimum.abs()),
        )
    }
}

fn residual_panel(system: &LoadedBed) -> Panel {
    let trials = without_factorising(&system.trials);
    Panel {
        title: format!("{} kg", system.mass),
        ..panel(
            &trials,
            XAxis::Products,
            "‖ε‖₂",
            [AxisScale::Log, AxisScale::Log],
            |row| row.measures.spectral_residual,
        )
    }
}

/// Products to the shares of the first residual, by mass.
fn table(systems: &[LoadedBed]) -> Table {
    let mut columns = vec![Column::word("method")];
    for share in [EARLY, LATE] {
        columns.extend(
            systems
                .iter()
                .map(|s| Column::number(&format!("to {share:e}, {} kg", s.mass))),
        );
    }
    columns.push(Column::number("16 t over 1 t"));
    let mut table = Table::new(columns);
    for (k, trial) in systems[0].trials.iter().enumerate() {
        let mut row = vec![Entry::from(trial.name.as_str()).swatch(trial.look)];
        for share in [EARLY, LATE] {
            row.extend(
                systems
                    .iter()
                    .map(|s| match products_to(&s.trials[k], share) {
                        Some(products) => Entry::from(products),
                        None => Entry::from(Cell::Empty)
                            .shown_as(format!("> {}", s.trials[k].last().products)),
                    }),
            );
        }
        row.push(growth_with_mass(systems, &trial.name).into());
        table.rows.push(row);
    }
    table.note = format!(
        "Products with N until ‖ε‖₂ is {EARLY:e} and {LATE:e} of what it was at γ = 0; last, how \
         many times as many it takes to {LATE:e} under 16 t."
    );
    table
}

/// How many times as many products a method takes under the heaviest weight as under the lightest.
fn growth_with_mass(systems: &[LoadedBed], name: &str) -> Option<f64> {
    let to = |s: &LoadedBed| {
        let trial = s.trials.iter().find(|t| t.name == name)?;
        products_to(trial, LATE).map(|p| p as f64)
    };
    let [first, .., last] = systems else {
        return None;
    };
    Some(to(last)? / to(first)?)
}

fn claims(systems: &[LoadedBed], scale: f64, findings: &mut Findings) {
    for system in systems {
        against_jacobi(system, scale, findings);
    }
    let mut words = String::from(
        "At this scale the claims about GPMINRES are not judged: on a small bed it may progress \
         very slowly.",
    );
    if scale >= LARGE {
        let leads: Vec<String> = systems
            .iter()
            .filter_map(|s| Some(format!("{} under {} kg", short_number(lead(s)?), s.mass)))
            .collect();
        best_in_the_end(systems, findings);
        let hurt = less_hurt(systems, findings);
        words = format!(
            "GPMINRES is the least hurt by the mass of the paper's methods, as published: from 1 t \
             to 16 t {hurt}. That it is the best for all masses we find under the heaviest weight \
             only. Products of the next best over its to {LATE:e} of the first ‖ε‖₂: {}; ratios \
             near 1 are a tie, which turns over with the share that is asked for.",
            leads.join(", ")
        );
        words += " All methods but Jacobi solve the step to rounding here, so that they differ in \
                  how soon and not, as in the paper's figures, in where they end.";
    }
    findings.verdict = format!(
        "{words} Early SPG is ahead of it, as in test problem 2. nesterov-gs, not in the paper, is \
         ahead of all four."
    );
}

fn against_jacobi(system: &LoadedBed, scale: f64, findings: &mut Findings) {
    let Some(jacobi) = trial_of(&system.trials, Method::Jacobi) else {
        return; // the caller left it out
    };
    let near =
        |t: &Trial| products_until(t, |row| row.objective / system.optimum.abs() + 1.0 <= 1e-3);
    for trial in judged(scale).filter_map(|m| trial_of(&system.trials, m)) {
        let (others, own) = (near(jacobi), near(trial));
        let words = format!(
            "{} kg: {} is far ahead of Jacobi (Jacobi's products to a normalised objective of \
             −0.999 over its)",
            system.mass, trial.name
        );
        let holds = own.1 && others.0 >= 2.0 * own.0;
        findings.claim(
            Claim::new(words, holds)
                .published(">> 1")
                .ours(products_ratio(others, own)),
        );
    }
}

/// Products to [`LATE`] of the next best of the paper's four methods over those of GPMINRES.
fn lead(system: &LoadedBed) -> Option<f64> {
    let to = |method: Method| Some(products_to(trial_of(&system.trials, method)?, LATE)? as f64);
    let others = [Method::Jacobi, Method::Spg, Method::Kucera];
    let next = others.iter().filter_map(|m| to(*m)).reduce(f64::min)?;
    Some(next / to(Method::Gpminres)?)
}

/// Claimed of the heaviest weight only: under the others the order depends on the share of the
/// residual.
fn best_in_the_end(systems: &[LoadedBed], findings: &mut Findings) {
    let Some((system, lead)) = systems.last().and_then(|s| Some((s, lead(s)?))) else {
        return;
    };
    let words = format!(
        "{} kg: GPMINRES is the best of the paper's four in the end (products to {LATE:e} of the \
         first ‖ε‖₂, of the next best over its)",
        system.mass
    );
    findings.claim(Claim::new(words, lead > 1.0).published("> 1").ours(lead));
}

/// The growth of products with the mass, against the paper's others; returns it in words.
fn less_hurt(systems: &[LoadedBed], findings: &mut Findings) -> String {
    let Some(own) = growth_with_mass(systems, Method::Gpminres.name()) else {
        return "GPMINRES does not get there".to_owned();
    };
    let mut words = format!("its own grow by a factor of {}", short_number(own));
    for method in [Method::Spg, Method::Kucera] {
        let name = method.name();
        if let Some(other) = growth_with_mass(systems, name) {
            let claim = Claim::new(
                format!(
                    "GPMINRES is less hurt by the mass than {name} (its growth of products from 1 \
                     t to 16 t over GPMINRES's)"
                ),
                other > own,
            );
            findings.claim(claim.published("> 1").ours(other / own));
            words += &format!(", {name}'s by {}", short_number(other));
        }
    }
    words
}
