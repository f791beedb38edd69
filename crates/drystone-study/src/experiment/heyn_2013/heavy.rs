//! P2-T3: a heavy cylinder on smooth spheres (Heyn 2013, §5.2).
//!
//! "Each system represents the same scenario, with the mass of the cylinder body increasing". Smooth
//! spheres give way like a fluid: 1 t floats on them, 4 t and 16 t sink in until few layers are left
//! below. In the positions under the lightest weight the heavier ones would fall. So each settles on
//! a bed of its own, and a claim of our own looks at what the spheres carry of it at the solution.

mod claims;
mod report;

use std::collections::BTreeSet;

use drystone::BodyId;
use drystone_ccp::{Ccp, TwoBody};
use drystone_scene::Simulation;

use super::growing_beds::{ITERATIONS, METHODS};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::contest::{
    ABOUT_ROWS, NEARLY_SETTLED, SmoothBed, add_picture, contest, describe, end_table, longer_words,
    optimum, run_on,
};
use crate::experiment::findings::Findings;
use crate::experiment::rows::normal_rows;
use crate::experiment::set_up::best_point;
use crate::experiment::trial::Trial;

pub use claims::claims;

/// Masses of the weight, kg, as in the paper.
const MASSES: [f64; 3] = [1000.0, 4000.0, 16_000.0];

/// The bed under one mass and the runs of all methods on it.
struct LoadedBed {
    mass: f64,
    problem: Ccp<TwoBody>,
    trials: Vec<Trial>,
    /// Jacobi's longer run under the lightest and under the heaviest weight, which its growth is
    /// measured by.
    longer: Vec<Trial>,
    /// Lowest objective, J: −1 in the paper's figure.
    optimum: f64,
    /// Upward impulse of the spheres on the weight at the best point, over its weight in a step.
    carried: f64,
}

/// The beds under all masses.
pub struct LoadedBeds {
    beds: Vec<LoadedBed>,
    spheres: usize,
}

/// P2-T3.
pub fn heavy(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let bed = |mass: f64| SmoothBed {
        spheres: 1000,
        radius: 1.5,
        paper_radius: Some(1.5),
        load: Some(mass),
    };
    let mut beds = Vec::new();
    let mut settled = None;
    for mass in MASSES {
        let (scene, mut simulation, _) = bed(mass).settle(bench)?;
        if settled.is_none() {
            add_picture(
                bench,
                &mut findings,
                "figure-11",
                (&scene, &simulation),
                "The lightest weight on the spheres, as in Fig. 11 of the paper.",
            );
        }
        let (weight, problem) = UpwardRows::of(&mut simulation)?;
        let problem = normal_rows(&problem)?;
        let what = format!("{mass} kg");
        let trials = contest(bench, &problem, &what, &methods, ITERATIONS)?;
        let longer = match beds.len() {
            1 => Vec::new(),
            _ => run_on(bench, &problem, &what, &methods)?,
        };
        let optimum = optimum(bench, &problem, &what, &trials)?;
        beds.push(LoadedBed {
            mass,
            carried: weight.carried(best_point(&trials)),
            problem,
            trials,
            longer,
            optimum,
        });
        settled.get_or_insert(simulation);
    }
    let mut spheres = 0;
    if let (Some(settled), Some(first)) = (settled, beds.first()) {
        spheres = settled.group("spheres").len();
        let paper = ["1000 and the weight", "4295", NEARLY_SETTLED];
        describe(
            &mut findings,
            (&bed(MASSES[0]), paper),
            &settled,
            (&first.problem, &first.trials),
        );
    }
    findings.setup(
        "weight",
        "a cylinder of radius 1.125 m and 1000, 4000, 16 000 kg, \"dropped on top\"",
        "the same, laid down 1 mm above the spheres; at a smaller scale it shrinks with the bed",
    );
    findings.setup(
        "positions under heavier weights",
        "\"the same scenario\", 4295 contacts",
        "each settles on a bed of its own; smooth spheres let the heavier ones sink in",
    );
    findings.setup("iterations", "not given", ITERATIONS.to_string());
    findings.setup(
        "iterations of Jacobi, for its growth",
        "not given",
        format!("under 1 t and 16 t: {}", longer_words()),
    );
    findings.text(format!(
        "One step from γ = 0, {ITERATIONS} iterations per method. {ABOUT_ROWS}"
    ));
    let runs = LoadedBeds { spheres, beds };
    report::add_figures(&runs.beds, &mut findings);
    for system in &runs.beds {
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
        for trial in &system.longer {
            findings.file(
                format!("history-{}-{}-longer.csv", system.mass, trial.name),
                trial.csv(),
            );
        }
    }
    findings.table("products", report::table(&runs.beds));
    for sentence in claims::remarks(&runs) {
        findings.remark(sentence);
    }
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

/// Which rows press on the weight, and how steeply.
struct UpwardRows {
    /// Index of a normal row among the contacts, and the upward share of its impulse on the weight.
    rows: Vec<(usize, f64)>,
    /// Mass times gravity times time step, N s.
    weight: f64,
}

impl UpwardRows {
    /// Those of the next step, and its problem.
    fn of(simulation: &mut Simulation) -> Result<(Self, Ccp<TwoBody>), StudyError> {
        let own: BTreeSet<BodyId> = simulation.group("weight").iter().copied().collect();
        let world = simulation.world();
        let settings = world.settings();
        let mass: f64 = own.iter().map(|body| world.mass(*body)).sum();
        let weight = mass * settings.gravity.length() * settings.time_step;
        let step = simulation.next_problem()?;
        let forces = step.contact_forces(&vec![0.0; step.problem().dim()]);
        // The normal points from the first body to the second, and so does the impulse on it.
        let share = |(k, contact): (usize, &drystone::ContactForce)| match contact
            .bodies
            .map(|body| own.contains(&body))
        {
            [false, true] => Some((k, contact.normal.z)),
            [true, false] => Some((k, -contact.normal.z)),
            [true, true] | [false, false] => None,
        };
        let rows = forces.iter().enumerate().filter_map(share).collect();
        Ok((Self { rows, weight }, step.into_problem()))
    }

    /// Upward impulse on the weight at a point with one row per contact, over the weight's own.
    fn carried(&self, gamma: &[f64]) -> f64 {
        let up = self
            .rows
            .iter()
            .map(|(k, share)| share * gamma.get(*k).unwrap_or(&0.0));
        up.sum::<f64>() / self.weight
    }
}
