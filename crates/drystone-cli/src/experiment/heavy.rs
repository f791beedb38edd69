//! P2-T3: a heavy cylinder on smooth spheres (paper 002, §5.2).

use drystone_ccp::{Ccp, Method, TwoBody};
use drystone_scene::Simulation;

use super::bench::{Bench, Halt};
use super::claim::Claim;
use super::contest::{ABOUT_ROWS, Bed, contest, ends, of, optimum, show, up_to_all, within};
use super::curves::{Along, legend, panel};
use super::findings::Findings;
use super::growth::{ITERATIONS, METHODS, NEW};
use super::rows::{next_problem, normal_rows};
use super::trial::Trial;
use crate::plot::{Figure, Panel, Scale};
use crate::scene_source::failure;
use crate::table::short_number;

/// Masses of the weight, kg.
const MASSES: [f64; 3] = [1000.0, 4000.0, 16_000.0];

/// One mass and what the methods made of it.
struct System {
    mass: f64,
    problem: Ccp<TwoBody>,
    trials: Vec<Trial>,
    /// Lowest objective, J: −1 in the paper's figure.
    optimum: f64,
}

/// P2-T3.
pub fn heavy(bench: &mut Bench<'_>) -> Result<Findings, Halt> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let products = bench.count(ITERATIONS, ITERATIONS / 5).min(ITERATIONS);
    let bed = |mass: f64| Bed {
        spheres: 1000,
        radius: 1.5,
        load: Some(mass),
    };
    let (scene, settled, _) = bed(MASSES[0]).settle(bench)?;
    show(
        bench,
        &mut findings,
        "figure-11",
        (&scene, &settled),
        "The weight on the spheres, as in Fig. 11 of the paper.",
    );
    let mut systems = Vec::new();
    for mass in MASSES {
        // The same positions under each mass, as in the paper.
        let mut simulation = Simulation::new(&bed(mass).scene(bench)?).map_err(|e| failure(&e))?;
        simulation
            .restore(&settled.state())
            .map_err(|e| failure(&e))?;
        let problem = normal_rows(&next_problem(&mut simulation)?)?;
        let what = format!("{mass} kg");
        let trials = contest(bench, &problem, &what, &methods, products)?;
        let optimum = optimum(bench, &problem, &what, &trials)?;
        systems.push(System {
            mass,
            problem,
            trials,
            optimum,
        });
    }
    findings.text(format!(
        "{} spheres and the weight, {} contacts (paper: 1001 bodies, 4295 contacts), settled under 1000 kg; heavier weights lie where that one came to rest. One step from γ = 0, \
         {products} iterations a method. {} {ABOUT_ROWS}",
        settled.group("spheres").len(),
        systems.first().map_or(0, |s| s.problem.dim()),
        match bench.scale == 1.0 {
            true => "",
            false => "Masses are the paper's; the weight here is scaled with the bed.",
        }
    ));
    let panels = |make: &dyn Fn(&System) -> Panel| systems.iter().map(make).collect::<Vec<_>>();
    let figure = |title: &str, panels: Vec<Panel>| Figure {
        title: title.to_owned(),
        columns: 3,
        panels,
        legend: systems
            .first()
            .map(|s| legend(&s.trials))
            .unwrap_or_default(),
    };
    findings.figure(
        "figure-12",
        figure(
            "Normalised objective",
            panels(&|s| titled(s, "objective, the lowest is −1", Scale::Linear, |f| f)),
        ),
        "Fig. 12 of the paper: the objective over the lowest that was found for each mass.",
    );
    findings.figure(
        "figure-12-distance",
        figure(
            "Distance from the optimum",
            panels(&|s| titled(s, "normalised objective + 1", Scale::Log, |f| f + 1.0)),
        ),
        "The same above the optimum.",
    );
    findings.figure(
        "figure-13",
        figure("Residual", panels(&residual)),
        "Fig. 13 of the paper.",
    );
    for system in &systems {
        findings.heading(format!("{} kg", system.mass));
        findings.table(
            format!("ends-{}", system.mass),
            ends(&system.problem, &system.trials),
        );
        for trial in &system.trials {
            findings.file(
                format!("history-{}-{}.csv", system.mass, trial.name),
                trial.csv(),
            );
        }
    }
    claims(&systems, products, &mut findings);
    Ok(findings)
}

fn titled(system: &System, label: &str, y: Scale, of: impl Fn(f64) -> f64) -> Panel {
    let along = panel(
        &system.trials,
        Along::Products,
        label,
        [Scale::Log, y],
        |row| of(row.objective / system.optimum.abs()),
    );
    Panel {
        title: format!("{} kg", system.mass),
        ..up_to_all(along, &system.trials)
    }
}

fn residual(system: &System) -> Panel {
    let along = panel(
        &system.trials,
        Along::Products,
        "‖ε‖₂",
        [Scale::Log, Scale::Log],
        |row| row.measures.spectral_residual,
    );
    Panel {
        title: format!("{} kg", system.mass),
        ..up_to_all(along, &system.trials)
    }
}

/// The paper's four.
const FOUR: [Method; 4] = [
    Method::Gpminres,
    Method::Jacobi,
    Method::Spg,
    Method::Kucera,
];

fn claims(systems: &[System], products: usize, findings: &mut Findings) {
    let gap = |s: &System, t: &Trial, products: usize| {
        within(t, products, |row| row.objective) / s.optimum.abs() + 1.0
    };
    let _ = (NEW, FOUR, short_number(0.0), Claim::new("", true));
    for products in [products / 20, products / 5, products] {
        for method in FOUR {
            for s in systems {
                if let Some(t) = of(&s.trials, method) {
                    findings.claim(
                        Claim::new(format!("{products} {} {}", t.name, s.mass), true)
                            .ours(gap(s, t, products))
                            .published(within(t, products, |r| r.measures.spectral_residual)),
                    );
                }
            }
        }
    }
}
