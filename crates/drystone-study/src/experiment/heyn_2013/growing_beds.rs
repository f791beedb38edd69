//! P2-T2: beds of 1000, 2000 and 4000 smooth spheres (Heyn 2013, §5.1).

mod claims;

use drystone_ccp::{Ccp, Method, TwoBody};

use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::contest::{
    ABOUT_ROWS, NEARLY_SETTLED, SmoothBed, add_picture, contest, describe, end_table, longer_words,
    optimum, run_on, without_factorising,
};
use crate::experiment::curves::{XAxis, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::trial::{Trial, trial_of};
use crate::page::{Column, Entry, Table};
use drystone_draw::plot::{AxisScale, Curve, Figure, LegendEntry, Panel};

/// The paper's methods, then ours.
pub const METHODS: [Method; 7] = [
    Method::Jacobi,
    Method::Gpminres,
    Method::Spg,
    Method::Kucera,
    Method::Apgd,
    Method::NesterovGs,
    Method::Auto,
];

/// Those that the paper compares with Jacobi.
pub const COMPARED: [Method; 3] = [Method::Gpminres, Method::Spg, Method::Kucera];

/// Spheres and contacts of the paper's three systems.
const SYSTEMS: [(usize, usize); 3] = [(1000, 3634), (2000, 8507), (4000, 17_161)];

/// Iterations of each method. The paper says that they were the same for all, but not how many.
pub const ITERATIONS: usize = 4000;

/// One bed and the runs of all methods on it.
struct GrowingBed {
    spheres: usize,
    problem: Ccp<TwoBody>,
    trials: Vec<Trial>,
    /// Jacobi's longer run on the first and on the last bed, which its growth is measured by.
    longer: Vec<Trial>,
    /// Lowest objective, J.
    optimum: f64,
    /// Feasibility of each trial at its end.
    feasibility: Vec<Feasibility>,
}

/// All beds, the smallest first.
pub struct GrowingBeds(Vec<GrowingBed>);

pub use claims::claims;

/// P2-T2.
pub fn growth(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let methods = bench.methods(&METHODS);
    let mut systems = Vec::new();
    for (spheres, _) in SYSTEMS {
        let bed = SmoothBed {
            spheres,
            radius: 2.0,
            paper_radius: Some(2.0),
            load: None,
        };
        let (scene, simulation, problem) = bed.settle(bench)?;
        let spheres = simulation.group("spheres").len();
        let what = format!("{spheres} spheres");
        if spheres == bench.count(4000, 60) {
            add_picture(
                bench,
                &mut findings,
                "bed",
                (&scene, &simulation),
                "The largest of the beds.",
            );
        }
        let trials = contest(bench, &problem, &what, &methods, ITERATIONS)?;
        let longer = match systems.len() {
            1 => Vec::new(),
            _ => run_on(bench, &problem, &what, &methods)?,
        };
        let optimum = optimum(bench, &problem, &what, &trials)?;
        let feasibility = trials.iter().map(|t| Feasibility::new(&problem, t));
        let feasibility = feasibility.collect();
        if systems.len() + 1 == SYSTEMS.len() {
            let paper = ["1000, 2000, 4000", "3634, 8507, 17 161", NEARLY_SETTLED];
            describe(
                &mut findings,
                (&bed, paper),
                &simulation,
                (&problem, &trials),
            );
        }
        systems.push(GrowingBed {
            spheres,
            problem,
            trials,
            longer,
            optimum,
            feasibility,
        });
    }
    let beds = GrowingBeds(systems);
    write(&beds.0, &mut findings);
    bench.judge(&claims(), &beds, &mut findings);
    Ok(findings)
}

/// Writes texts, tables, figures and histories.
fn write(systems: &[GrowingBed], findings: &mut Findings) {
    let contacts: Vec<String> = systems
        .iter()
        .map(|s| s.problem.dim().to_string())
        .collect();
    let spheres: Vec<String> = systems.iter().map(|s| s.spheres.to_string()).collect();
    findings.setup(
        "spheres of all beds",
        "1000, 2000, 4000",
        spheres.join(", "),
    );
    findings.setup(
        "contacts of all beds",
        "3634, 8507, 17 161",
        contacts.join(", "),
    );
    findings.setup(
        "iterations",
        "the same for all, not said how many",
        ITERATIONS.to_string(),
    );
    findings.setup(
        "iterations of Jacobi, for how it scales",
        "the same for all, not said how many",
        format!("systems 1 and 3: {}", longer_words()),
    );
    findings.text(format!(
        "One step from γ = 0, {ITERATIONS} iterations per method. {ABOUT_ROWS}"
    ));
    for (k, system) in systems.iter().enumerate() {
        findings.heading(format!("System {}: {} spheres", k + 1, system.spheres));
        for trial in &system.trials {
            findings.file(
                format!("history-{}-{}.csv", system.spheres, trial.name),
                trial.csv(),
            );
        }
        for trial in &system.longer {
            findings.file(
                format!("history-{}-{}-longer.csv", system.spheres, trial.name),
                trial.csv(),
            );
        }
        findings.table(
            format!("ends-{}", k + 1),
            end_table(&system.problem, &system.trials),
        );
        let name = format!("figure-{}", 6 + k);
        let caption = format!(
            "Fig. {} of the paper: objective above the optimum, and residual.",
            6 + k
        );
        findings.figure(name, figure_6(system), caption);
    }
    findings.heading("Feasibility and active sets");
    if let Some(first) = systems.first() {
        let figures = &first.feasibility;
        findings.table("figure-9", table_9(&first.trials, figures));
        findings.figure(
            "figure-9-sorted",
            figure_9(&first.trials, figures),
            "|fᵢ| of all contacts in order of size; Fig. 9 of the paper shows mean, deviation and \
             maximum, which are in the table.",
        );
    }
    findings.figure(
        "figure-10",
        figure_10(systems),
        "Fig. 10 of the paper: contacts without an impulse, over the iterations of the two \
         active-set methods.",
    );
}

fn figure_6(system: &GrowingBed) -> Figure {
    let (trials, optimum) = (&without_factorising(&system.trials)[..], system.optimum);
    let scales = [AxisScale::Log, AxisScale::Log];
    Figure {
        title: format!(
            "{} spheres, {} contacts",
            system.spheres,
            system.problem.dim()
        ),
        columns: 2,
        panels: vec![
            panel(trials, XAxis::Products, "f − f* (J)", scales, |row| {
                row.objective - optimum
            }),
            panel(trials, XAxis::Products, "‖ε‖₂", scales, |row| {
                row.measures.spectral_residual
            }),
        ],
        legend: legend(trials),
    }
}

/// `f_i = γ_i (Nγ + r)_i` at the end of a run, J: zero where complementarity holds.
struct Feasibility {
    /// |f_i|, the largest first.
    sorted: Vec<f64>,
    mean: f64,
    deviation: f64,
}

impl Feasibility {
    fn new(problem: &Ccp<TwoBody>, trial: &Trial) -> Self {
        let mut velocity = vec![0.0; trial.gamma.len()];
        problem.velocity(&trial.gamma, &mut velocity);
        let f: Vec<f64> = trial
            .gamma
            .iter()
            .zip(&velocity)
            .map(|(g, u)| g * u)
            .collect();
        let n = f.len() as f64;
        let mean = f.iter().sum::<f64>() / n;
        let variance = f.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / n;
        let mut sorted: Vec<f64> = f.iter().map(|f| f.abs()).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        Self {
            sorted,
            mean,
            deviation: variance.sqrt(),
        }
    }

    fn largest(&self) -> f64 {
        self.sorted.first().copied().unwrap_or(0.0)
    }
}

fn table_9(trials: &[Trial], figures: &[Feasibility]) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("mean f (J)"),
        Column::number("deviation (J)"),
        Column::number("largest |f| (J)"),
    ]);
    for (trial, feasibility) in trials.iter().zip(figures) {
        table.rows.push(vec![
            Entry::from(trial.name.as_str()).swatch(trial.look),
            feasibility.mean.into(),
            feasibility.deviation.into(),
            feasibility.largest().into(),
        ]);
    }
    table.note =
        "Fig. 9 of the paper: feasibility fᵢ = γᵢ (Nγ + r)ᵢ at the end of the runs on system \
                  1, zero where complementarity holds. The paper gives no numbers."
            .to_owned();
    table
}

fn figure_9(trials: &[Trial], figures: &[Feasibility]) -> Figure {
    let mut panel = Panel::new(
        "contacts, the largest first",
        "|fᵢ| (J)",
        [AxisScale::Linear, AxisScale::Log],
    );
    for (trial, feasibility) in trials.iter().zip(figures) {
        let ranked = feasibility.sorted.iter().enumerate();
        panel.curves.push(Curve {
            look: trial.look,
            points: ranked.map(|(k, f)| [(k + 1) as f64, *f]).collect(),
        });
    }
    Figure {
        title: "Feasibility at the end".to_owned(),
        columns: 1,
        panels: vec![panel],
        legend: legend(trials),
    }
}

fn figure_10(systems: &[GrowingBed]) -> Figure {
    let methods = [Method::Gpminres, Method::Kucera];
    let panels = systems.iter().map(|system| {
        let mut panel = Panel::new(
            "products with N",
            "size of the active set",
            [AxisScale::Linear, AxisScale::Linear],
        );
        panel.title = format!("{} contacts", system.problem.dim());
        for trial in methods
            .iter()
            .filter_map(|m| trial_of(&system.trials, *m).ok())
        {
            // Without the start, where all contacts are active: it would flatten the rest.
            let rows = trial.history.iter().skip(1);
            panel.curves.push(Curve {
                look: trial.look,
                points: rows
                    .map(|row| [row.products as f64, row.measures.active_set as f64])
                    .collect(),
            });
        }
        panel
    });
    Figure {
        title: "Size of the active set".to_owned(),
        columns: 3,
        panels: panels.collect(),
        legend: methods
            .iter()
            .filter(|m| systems.iter().all(|s| trial_of(&s.trials, **m).is_ok()))
            .map(|m| LegendEntry::method(*m))
            .collect(),
    }
}
