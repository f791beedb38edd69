//! The report on the mixer: the paper's Table III with ours beside it, and time over contacts.

use drystone_ccp::{Method, Termination};

use super::claims::TABLE_3;
use super::{HELD, MixerRun, MixerRuns, STATES};
use crate::experiment::findings::Findings;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel};

/// Writes everything down.
pub fn write(runs: &MixerRuns, findings: &mut Findings) {
    findings.text(format!(
        "At {STATES} states the problem of one step is solved from γ = 0 to r = {HELD:e}, the same \
         problems by all methods; whole steps between them, by nesterov-gs to the same tolerance, \
         start from the impulses of the one before. A solve stops by our \
         relative residual; the one that belongs to this r is taken from a first answer at each \
         size."
    ));
    findings.table("table-3", table(&runs.runs));
    findings.figure(
        "scaling",
        figure(&runs.runs),
        "Time of one solve from γ = 0 over contacts and over objects, every state a mark, and its \
         iterations. Grey: the paper's, on eight cores of 2009, and a line of slope one.",
    );
    findings.figure(
        "torque",
        torque_figure(&runs.runs),
        "Torque of the grains on the rotor over the measured steps, over its mean.",
    );
}

fn table(runs: &[MixerRun]) -> Table {
    let mut table = Table::new(vec![
        Column::number("objects"),
        Column::word("method"),
        Column::number("contacts"),
        Column::number("r (eq. 25)"),
        Column::number("iterations, median"),
        Column::number("least"),
        Column::number("most"),
        Column::number("solver (s)"),
        Column::number("solves per step"),
        Column::number("step (s)"),
        Column::number("steps not solved"),
        Column::number("rotor turned (rad)"),
        Column::number("torque drifts by (%)"),
    ]);
    for (objects, contacts, r, seconds) in TABLE_3 {
        let mut row: Vec<Entry> = vec![
            objects.into(),
            "apgd, published".into(),
            contacts.into(),
            r.into(),
        ];
        row.resize_with(7, || Cell::Empty.into());
        row.push(seconds.into());
        row.resize_with(table.columns.len(), || Cell::Empty.into());
        table.rows.push(row);
    }
    for run in runs {
        let counts = run.cold.iter().map(|(_, trial)| trial.iterations);
        let [least, most] = [counts.clone().min(), counts.max()].map(|n| n.unwrap_or(0));
        let solves = run.steps.iter().map(|r| r.solves as f64).sum::<f64>();
        let unsolved = run
            .steps
            .iter()
            .filter(|r| r.termination != Termination::Converged);
        let unsolved = unsolved.count();
        table.rows.push(vec![
            run.objects.into(),
            Entry::from(run.method.name()).swatch(CurveLook::method(run.method)),
            Cell::Count(run.contacts() as usize).into(),
            run.of_solves(|t| t.last().measures.apgd_residual).into(),
            Cell::Count(run.of_solves(|t| t.iterations as f64) as usize).into(),
            least.into(),
            most.into(),
            run.of_solves(|t| t.seconds).into(),
            (solves / run.steps.len() as f64).into(),
            run.of_steps(|r| r.times.total).into(),
            unsolved.into(),
            run.turned.into(),
            (100.0 * run.torque_drift()).into(),
        ]);
    }
    table.note = format!(
        "Table III of the paper, then ours: {STATES} solves from γ = 0 and the whole steps of \
         nesterov-gs between them; medians. A step is solved again where its own collisions open contacts; the number \
         of solves is a mean."
    );
    table
}

/// The methods that were run, in their order.
fn methods(runs: &[MixerRun]) -> Vec<Method> {
    let mut methods: Vec<Method> = Vec::new();
    for run in runs {
        if !methods.contains(&run.method) {
            methods.push(run.method);
        }
    }
    methods
}

fn figure(runs: &[MixerRun]) -> Figure {
    let published = CurveLook::reference().solid().with_marks(Mark::Cross);
    let log = [AxisScale::Log, AxisScale::Log];
    let mut contacts = Panel::new("contacts", "time of a solve (s)", log);
    let mut objects = Panel::new("objects", "time of a solve (s)", log);
    contacts.curves.push(Curve {
        look: published,
        points: TABLE_3.map(|(_, n, _, t)| [n as f64, t]).to_vec(),
    });
    objects.curves.push(Curve {
        look: published,
        points: TABLE_3.map(|(n, _, _, t)| [n as f64, t]).to_vec(),
    });
    let mut iterations = Panel::new(
        "contacts",
        "iterations from γ = 0",
        [AxisScale::Log, AxisScale::LogDecades],
    );
    let mut legend = vec![LegendEntry::new("apgd, published", published)];
    let marks = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond];
    for (k, method) in methods(runs).into_iter().enumerate() {
        let look = CurveLook::method(method).with_marks(marks[k % marks.len()]);
        let own = || runs.iter().filter(move |run| run.method == method);
        let states = |x: fn(&MixerRun, usize) -> f64, y: fn(&MixerRun, usize) -> f64| Curve {
            look: CurveLook {
                line: false,
                ..look
            },
            points: own()
                .flat_map(|run| (0..run.cold.len()).map(move |s| [x(run, s), y(run, s)]))
                .collect(),
        };
        let through = |x: fn(&MixerRun) -> f64, y: fn(&MixerRun) -> f64| Curve {
            look: CurveLook::method(method),
            points: own().map(|run| [x(run), y(run)]).collect(),
        };
        let seconds = |run: &MixerRun, s: usize| run.cold[s].1.seconds;
        let count = |run: &MixerRun, s: usize| run.cold[s].1.iterations as f64;
        let in_contacts = |run: &MixerRun, s: usize| run.cold[s].0 as f64;
        contacts.curves.push(states(in_contacts, seconds));
        contacts
            .curves
            .push(through(MixerRun::contacts, |r| r.of_solves(|t| t.seconds)));
        objects
            .curves
            .push(states(|run, _| run.objects as f64, seconds));
        objects.curves.push(through(
            |r| r.objects as f64,
            |r| r.of_solves(|t| t.seconds),
        ));
        iterations.curves.push(states(in_contacts, count));
        iterations.curves.push(through(MixerRun::contacts, |r| {
            r.of_solves(|t| t.iterations as f64)
        }));
        legend.push(LegendEntry::new(method.name(), look));
    }
    slope_one(runs, &mut contacts);
    legend.push(LegendEntry::new("slope one", CurveLook::reference()));
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![contacts, objects, iterations],
        legend,
    }
}

/// A line of slope one below the points, for the eye.
fn slope_one(runs: &[MixerRun], panel: &mut Panel) {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return;
    };
    let ends = [first.contacts(), last.contacts()];
    let height = 0.4 * first.of_solves(|t| t.seconds) / ends[0];
    panel.curves.push(Curve {
        look: CurveLook::reference(),
        points: ends.map(|x| [x, height * x]).to_vec(),
    });
}

fn torque_figure(runs: &[MixerRun]) -> Figure {
    let mut panel = Panel::new(
        "step",
        "torque / mean torque",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let mut legend = Vec::new();
    let Some(method) = methods(runs).first().copied() else {
        return Figure::of_panel(panel);
    };
    for (k, run) in runs.iter().filter(|run| run.method == method).enumerate() {
        let mean = run.torques.iter().sum::<f64>() / run.torques.len() as f64;
        let look = CurveLook::nth(k);
        let points = run.torques.iter().enumerate();
        panel.curves.push(Curve {
            look,
            points: points.map(|(s, t)| [s as f64, t / mean]).collect(),
        });
        legend.push(LegendEntry::new(&format!("{} objects", run.objects), look));
    }
    Figure {
        legend,
        ..Figure::of_panel(panel)
    }
}
