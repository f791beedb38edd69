//! Table and figures of P1-D1 to P1-D4: motion over time, circles for the exact law and squares for
//! the relaxed one, as in the paper.

use super::{LawRun, LawRuns, MotionMeasure, MotionSample};
use crate::page::{Column, Entry, Table};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Marks, Panel};

/// Marks on one curve: few enough that those of eight curves can be told apart.
const MARKS: usize = 12;

/// What a panel shows: its label, and its value for a sample.
type PlottedQuantity = (&'static str, fn(&MotionSample) -> f64);

/// All that the paper plots of a case.
pub fn figure(runs: &LawRuns) -> (Figure, String) {
    let LawRuns { case, runs } = runs;
    let mut quantities: Vec<PlottedQuantity> = vec![
        ("position along the plane (m)", |s| s.way),
        ("velocity along the plane (m/s)", |s| s.speed),
        ("height off the plane (mm)", |s| 1e3 * s.height),
        ("velocity off the plane (m/s)", |s| s.rise),
    ];
    if case.measure == MotionMeasure::RollsFrom {
        quantities.push(("angular velocity (rad/s)", |s| s.spin));
        quantities.push(("size of the velocity (m/s)", |s| s.total));
    }
    let panels = quantities.iter().map(|quantity| panel(runs, *quantity));
    let entry = |run: &LawRun| {
        let label = format!("{}, {}", run.method.name(), run.law.name());
        LegendEntry::new(&label, run.look())
    };
    let figure = Figure {
        title: String::new(),
        columns: 2,
        panels: panels.collect(),
        legend: runs.iter().map(entry).collect(),
    };
    let caption = format!(
        "{} of the paper: circles for the exact law (its fixed point), squares for the relaxed \
         one. Methods that agree lie over each other; their marks stand beside each other.",
        case.figures
    );
    (figure, caption)
}

fn panel(runs: &[LawRun], (label, of): PlottedQuantity) -> Panel {
    let mut panel = Panel::new("time (s)", label, [AxisScale::Linear, AxisScale::Linear]);
    let point = |sample: &MotionSample| [sample.time, of(sample)];
    for run in runs {
        let look = CurveLook {
            marks: Marks::Nowhere,
            ..run.look()
        };
        let points = run.samples.iter().map(point).collect();
        panel.curves.push(Curve { look, points });
    }
    for (k, run) in runs.iter().enumerate() {
        let look = CurveLook {
            line: false,
            ..run.look()
        };
        let stride = (run.samples.len() / MARKS).max(1);
        // The marks of every run begin a little later, so that none hides another.
        let first = k * stride / runs.len().max(1);
        let marked = run.samples.iter().skip(first).step_by(stride);
        let points = marked.map(point).collect();
        panel.curves.push(Curve { look, points });
    }
    panel
}

/// One row per run.
pub fn table(runs: &LawRuns) -> Table {
    let LawRuns { case, runs } = runs;
    let expected = case.expected();
    let mut table = Table::new(vec![
        Column::word("law"),
        Column::word("method"),
        Column::number(&format!("{}, analytic", case.measure.name())),
        Column::number("ours"),
        Column::number("off (%)"),
        Column::number("lifts off to (mm)"),
        Column::number("rises at most at (m/s)"),
        Column::number("speed at the end (m/s)"),
        Column::number("steps not solved"),
    ]);
    for run in runs {
        let found = run.measure(case.measure);
        table.rows.push(vec![
            run.law.name().into(),
            Entry::from(run.method.name()).swatch(run.look()),
            expected.into(),
            found.into(),
            (100.0 * (found / expected - 1.0)).into(),
            (1e3 * run.largest(|s| s.height)).into(),
            run.largest(|s| s.rise).into(),
            run.last().total.into(),
            (run.unconverged as usize).into(),
        ]);
    }
    table.note = format!(
        "The analytic value is that of Coulomb's law, which is the exact law here.{}",
        fell_short(runs)
    );
    table
}

/// Which runs have steps that fell short of their tolerance, in a sentence.
fn fell_short(runs: &[LawRun]) -> String {
    let short = runs.iter().filter(|run| run.unconverged > 0);
    let words: Vec<String> = short
        .map(|run| {
            let (method, law) = (run.method.name(), run.law.name());
            format!("{} of {method} under the {law} law", run.unconverged)
        })
        .collect();
    match words.is_empty() {
        true => " Every step reached its tolerance.".to_owned(),
        false => format!(
            " Steps that fell short of their tolerance: {}.",
            words.join(", ")
        ),
    }
}
