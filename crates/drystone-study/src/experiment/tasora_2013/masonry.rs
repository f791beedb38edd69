//! P3-B4: a wrecking ball hits masonry (Tasora 2013, §2, Figs. 1, 6 and 7).
//!
//! The methods are compared on the step in which the ball first presses on the wall: its impulse
//! must go through the bricks at once. Fig. 1 of the paper is about SPG's own way: six forms of it
//! are run, with BB1, BB2 or both in turn, with and without the preconditioner.

mod claims;

use std::time::Duration;

use drystone_ccp::solvers::spg::{SpectralStep, Spg, SpgSettings};
use drystone_ccp::{Ccp, HistoryRow, Limits, Method, TwoBody};
use drystone_run::StopAt;
use drystone_scene::{Scene, Simulation};

use super::benchmarks::{ITERATIONS, MEASURES, METHODS, add_runs};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::contest::{PATIENCE, ROUNDING, add_picture, contest};
use crate::experiment::curves::{XAxis, legend, plain_panel};
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::experiment::rows::next_problem;
use crate::experiment::runs::Budget;
use crate::experiment::set_up;
use crate::experiment::trial::Trial;
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel};

pub use claims::claims;

/// Time of the swing after which the ball is about to hit, s: the same for walls of all sizes.
const SWING: f64 = 1.15;

/// Longest time from there to the impact, s: far more than it takes.
const WAIT: f64 = 0.5;

/// When pictures are taken after the impact, s.
const AFTER: [f64; 2] = [0.1, 0.3];

/// Iterations of each form of SPG; the paper does not say how many it took.
const FORM_ITERATIONS: usize = 1000;

/// Iterates that are shown as in Fig. 1: more would hide their jumps.
const SHOWN: usize = 200;

/// P3-B4.
pub fn masonry(bench: &mut Bench<'_>) -> Result<Findings, StudyError> {
    let mut findings = Findings::default();
    let share = bench.scale.sqrt();
    let [columns, courses] = [25.0, 30.0].map(|n: f64| (n * share).round().max(5.0));
    // At half the wall's height, but above the ground.
    let height = (0.5 * 0.08 * courses).max(0.5);
    let values = [
        ("columns", columns.to_string()),
        ("courses", courses.to_string()),
        ("height_of_ball", height.to_string()),
        ("phase.swing.until.time", SWING.to_string()),
    ];
    let scene = bench.scene("masonry", &values)?;
    let mut simulation = bench.settle(&scene, 2)?;
    let pictured = (&scene, &simulation);
    add_picture(
        bench,
        &mut findings,
        "figure-7-before",
        pictured,
        "Fig. 7 of the paper: just before the impact.",
    );
    let problem = impact(bench, &mut simulation)?;
    let impact_time = simulation.world().time();
    for (k, time) in AFTER.into_iter().enumerate() {
        let stop = StopAt {
            time: Some(impact_time + time),
            beyond_scene: true,
            ..StopAt::default()
        };
        bench.advance(&mut simulation, &stop)?;
        let caption = format!("{time} s after the impact.");
        add_picture(
            bench,
            &mut findings,
            &format!("figure-7-{}", k + 1),
            (&scene, &simulation),
            &caption,
        );
    }
    let methods = bench.methods(&METHODS);
    // A smaller wall converges sooner.
    let most = bench.count(ITERATIONS, ITERATIONS / 10).min(ITERATIONS);
    let trials = contest(bench, &problem, "the wall", &methods, most)?;
    findings.setup("bricks", "750", (columns * courses).to_string());
    let gamma = set_up::best_point(&trials);
    set_up::contacts(
        &mut findings,
        ("contacts, with friction", NOT_GIVEN),
        &problem,
        gamma,
    );
    findings.setup(
        "ball and wall",
        "in pictures only",
        "a ball of 45 cm radius, as heavy as 660 bricks, on a chain; see the scene masonry",
    );
    findings.setup(
        "step",
        NOT_GIVEN,
        format!(
            "the one of {} ms in which the ball first presses on the wall",
            short_number(1e3 * time_step(&scene)?)
        ),
    );
    findings.setup(
        "iterations",
        NOT_GIVEN,
        format!("at most {most} or {PATIENCE} s; the forms of SPG {FORM_ITERATIONS}"),
    );
    set_up::settled(
        &mut findings,
        &simulation,
        NOT_GIVEN,
        "the engine's own choice (auto)",
    );
    findings.text(format!(
        "{} rows, one step from γ = 0. {MEASURES}",
        problem.dim()
    ));
    let caption = "Fig. 6 of the paper with a logarithmic axis of iterations, and our residual over \
                   time. Thin: each iterate; thick: the best so far.";
    add_runs(
        &mut findings,
        &problem,
        &trials,
        ("figure-6", caption, AxisScale::Log),
    );
    let forms = spg_trials(bench, &problem)?;
    findings.figure(
        "figure-1",
        figure_1(&forms),
        "Fig. 1 of the paper: every iterate of SPG with BB1 alone, with BB2 alone and with both in \
         turn, without its preconditioner and with it; last, what the fall-back keeps.",
    );
    findings.table("forms", form_table(&forms));
    let answers = answers(bench, &problem)?;
    findings.table("stopped", stopped_table(&answers));
    let runs = MasonryRuns {
        methods: trials,
        forms,
        answers,
    };
    bench.judge(&claims(), &runs, &mut findings);
    Ok(findings)
}

/// The methods on the wall, and the forms of SPG.
pub struct MasonryRuns {
    methods: Vec<Trial>,
    forms: Vec<Trial>,
    /// Runs of P-SPG-FB that are cut short, the shortest first.
    answers: Vec<Trial>,
}

/// Iterations between two places at which P-SPG-FB is cut short, up to [`SHOWN`].
const CUT: usize = 10;

/// P-SPG-FB cut short after more and more iterations: each keeps one row, for what it returns.
fn answers(bench: &Bench<'_>, problem: &Ccp<TwoBody>) -> Result<Vec<Trial>, StudyError> {
    let cut = |iterations| {
        let limits = Limits {
            tolerance: ROUNDING,
            max_iterations: iterations,
            time_limit: Some(Duration::from_secs_f64(PATIENCE)),
            ..Limits::default()
        };
        bench.run_timed(problem, "the wall", Method::Spg, limits)
    };
    (CUT..=SHOWN).step_by(CUT).map(cut).collect()
}

/// What P-SPG-FB returns where it is cut short.
fn stopped_table(answers: &[Trial]) -> Table {
    let mut table = Table::new(vec![
        Column::number("iterations of P-SPG-FB"),
        Column::number("‖ε‖₂ of what it returns"),
        Column::number("our residual"),
    ]);
    for trial in answers {
        let end = trial.last();
        table.rows.push(vec![
            Cell::Count(trial.iterations).into(),
            end.measures.spectral_residual.into(),
            end.residual.into(),
        ]);
    }
    table.note = "Runs that are cut short after so many iterations. Of all its iterates a run returns \
                  the one with the smallest residual of ours; the paper's the one with the smallest \
                  ‖ε‖₂."
        .to_owned();
    table
}

fn time_step(scene: &Scene) -> Result<f64, StudyError> {
    let simulation = Simulation::new(scene)?;
    Ok(simulation.world().settings().time_step)
}

/// Advances through the step in which the ball first presses on the wall; returns that step's
/// problem.
fn impact(bench: &Bench<'_>, simulation: &mut Simulation) -> Result<Ccp<TwoBody>, StudyError> {
    let end = simulation.world().time() + WAIT;
    while simulation.world().time() < end {
        let before = simulation.state();
        let next = simulation.world().steps() + 1;
        let stop = StopAt {
            steps: Some(next),
            beyond_scene: true,
            ..StopAt::default()
        };
        bench.advance(simulation, &stop)?;
        let force = simulation.world().force_between_groups("ball", "wall");
        if force.length() > 0.0 {
            let after = simulation.state();
            simulation.restore(&before)?;
            let problem = next_problem(simulation)?;
            simulation.restore(&after)?;
            return Ok(problem);
        }
    }
    let words = format!("{}: the ball did not hit the wall", bench.id);
    Err(StudyError::Refused(words))
}

/// A form of SPG: name, step, whether it is preconditioned.
const FORMS: [(&str, SpectralStep, bool); 6] = [
    ("SPG, BB1", SpectralStep::Bb1, false),
    ("SPG, BB2", SpectralStep::Bb2, false),
    ("SPG, in turn", SpectralStep::Alternating, false),
    ("P-SPG, BB1", SpectralStep::Bb1, true),
    ("P-SPG, BB2", SpectralStep::Bb2, true),
    ("P-SPG, in turn", SpectralStep::Alternating, true),
];

/// All forms of SPG.
fn spg_trials(bench: &Bench<'_>, problem: &Ccp<TwoBody>) -> Result<Vec<Trial>, StudyError> {
    let budget = Budget {
        tolerance: ROUNDING,
        products: FORM_ITERATIONS,
        seconds: PATIENCE,
        history: true,
    };
    let mut trials = Vec::new();
    for (k, (name, step, precondition)) in FORMS.into_iter().enumerate() {
        let settings = SpgSettings {
            step,
            precondition,
            ..SpgSettings::default()
        };
        let run = bench.run_solver_budget(
            problem,
            "the wall",
            (name, CurveLook::nth(k % 3)),
            &budget,
            |gamma, monitor| Spg::default().solve(problem, &settings, gamma, monitor),
        );
        trials.push(run?);
    }
    Ok(trials)
}

/// The first iterates of a run: more would hide their jumps.
fn first(trial: &Trial) -> Trial {
    Trial {
        history: trial.history[..trial.history.len().min(SHOWN + 1)].to_vec(),
        ..trial.clone()
    }
}

fn figure_1(forms: &[Trial]) -> Figure {
    let scales = [AxisScale::Linear, AxisScale::Log];
    let shown: Vec<Trial> = forms.iter().map(first).collect();
    let (plain, preconditioned) = shown.split_at(3);
    let iterates = |trials: &[Trial], title: &str| Panel {
        title: title.to_owned(),
        ..plain_panel(
            trials,
            XAxis::Iterations,
            "‖ε‖₂ of each iterate",
            scales,
            |row| row.measures.spectral_residual,
        )
    };
    let mut kept = Panel::new("iteration", "‖ε‖₂", scales);
    kept.title = "P-SPG in turn, and P-SPG-FB".to_owned();
    let raw = &preconditioned[2];
    let point = |row: &HistoryRow| [row.iteration as f64, row.measures.spectral_residual];
    let mut best = f64::INFINITY;
    let fallen_back = raw.history.iter().map(|row| {
        best = best.min(row.measures.spectral_residual);
        [row.iteration as f64, best]
    });
    let look = CurveLook::nth(3).solid();
    kept.curves = vec![
        Curve {
            look: raw.look,
            points: raw.history.iter().map(point).collect(),
        },
        Curve {
            look,
            points: fallen_back.collect(),
        },
    ];
    let mut entries = legend(plain);
    for entry in &mut entries {
        entry.label = entry.label.replace("SPG, ", "");
    }
    entries.push(LegendEntry::new("P-SPG-FB: the best so far", look));
    Figure {
        title: String::new(),
        columns: 3,
        panels: vec![
            iterates(plain, "SPG"),
            iterates(preconditioned, "P-SPG"),
            kept,
        ],
        legend: entries,
    }
}

/// How much the residual of a run rises on its way: the mean over the iterations of `log10` of the
/// factor by which it rises, zero where it falls.
fn roughness(trial: &Trial) -> f64 {
    let rises = rises(trial).map(|rise| rise.log10().max(0.0));
    rises.sum::<f64>() / (first(trial).history.len() - 1) as f64
}

/// The factors from each of the first iterates' residuals to the next.
fn rises(trial: &Trial) -> impl Iterator<Item = f64> {
    let rows = first(trial).history;
    let residuals: Vec<f64> = rows.iter().map(|r| r.measures.spectral_residual).collect();
    (1..residuals.len()).map(move |k| residuals[k] / residuals[k - 1])
}

fn form_table(forms: &[Trial]) -> Table {
    let mut table = Table::new(vec![
        Column::word("form"),
        Column::number("rises, powers of ten per iteration"),
        Column::number("largest rise (factor)"),
        Column::number("share of iterations that rise"),
        Column::number("best ‖ε‖₂"),
    ]);
    for trial in forms {
        let count = rises(trial).filter(|rise| *rise > 1.0).count();
        table.rows.push(vec![
            Entry::from(trial.name.as_str()).swatch(trial.look),
            roughness(trial).into(),
            rises(trial).fold(0.0, f64::max).into(),
            (count as f64 / rises(trial).count() as f64).into(),
            trial.best(|row| row.measures.spectral_residual).into(),
        ]);
    }
    table.note =
        format!("Rises of ‖ε‖₂ are over the first {SHOWN} iterations, the best is of all.");
    table
}
