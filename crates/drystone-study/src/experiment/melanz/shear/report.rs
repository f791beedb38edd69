//! The report on the shear test: the paper's Table 1 with ours beside it, the force over the
//! tolerance, and the claims.

use drystone_ccp::Method;

use super::claims::{claims, verdict};
use super::{
    COMPLIANCE, ForceAnswer, LONG_PATIENCE, PATIENCE, RIGHT, ShearBed, TIGHTEST, TOLERANCES,
};
use crate::experiment::findings::Findings;
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};
use drystone_draw::plot::{
    AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel, Reference,
};

/// Table 1, APGD: iterations and force, N, one row per tolerance.
pub const APGD: [(usize, f64); 6] = [
    (261, -16_108.1),
    (2308, -67_744.6),
    (8561, -201_568.0),
    (57_882, -170_950.0),
    (70_562, -169_141.0),
    (3_000_000, -168_956.0),
];
/// Table 1, PDIP: iterations and force, N, one row per tolerance.
pub const PDIP: [(usize, f64); 6] = [
    (28, -63_536.7),
    (62, -123_132.0),
    (101, -166_467.0),
    (108, -168_788.0),
    (115, -168_986.0),
    (120, -169_005.0),
];

/// Iterations and force, N, that the paper gives for a method at its tolerances.
fn published(method: Method) -> Option<[(usize, f64); 6]> {
    match method {
        Method::Apgd => Some(APGD),
        Method::InteriorPoint => Some(PDIP),
        _ => None,
    }
}

/// The paper's force at its tightest tolerance, N.
pub const PUBLISHED_FORCE: f64 = PDIP[5].1;

/// Writes everything down.
pub fn write(beds: &[ShearBed], findings: &mut Findings) {
    findings.text(format!(
        "The grains have settled, been pressed at 20 kPa and sheared by 4 mm. Then every method \
         solves the same step of 1 ms from γ = 0; its first points below each tolerance are taken \
         on the way, and the force along x of the upper half on the grains is summed over their \
         contacts. Our tolerance is the relative natural-map residual; r is Mazhar 2015, eq. 25. \
         Melanz does not say what its own residual is. Contacts have a compliance of \
         {COMPLIANCE:e} of their own inverse mass, so that there is one force to find. A method \
         gets {} s, interior point {} s; where that is not enough, its last row says how far it \
         came. What counts as right, and how many times are many, are limits of our own.",
        PATIENCE.as_secs(),
        LONG_PATIENCE.as_secs()
    ));
    for bed in beds {
        let n = bed.spheres;
        findings.heading(format!("{n} spheres, {} contacts", bed.contacts));
        findings.table(format!("table-1-{n}"), table(bed));
        findings.figure(
            format!("force-{n}"),
            figure(bed),
            "Force and its error are relative to the best answer of all, the published ones to the \
             paper's tightest. Thin: published, for a million spheres.",
        );
    }
    for bed in beds {
        claims(bed, findings);
    }
    findings.verdict = verdict(beds);
}

fn table(bed: &ShearBed) -> Table {
    let mut table = Table::new(vec![
        Column::number("tolerance"),
        Column::word("method"),
        Column::number("iterations published"),
        Column::number("iterations"),
        Column::number("residual"),
        Column::number("r (eq. 25)"),
        Column::number("force published (N)"),
        Column::number("force (N)"),
        Column::number("off published (%)"),
        Column::number("off (%)"),
        Column::number("time (s)"),
    ]);
    for (k, tolerance) in TOLERANCES.into_iter().chain([TIGHTEST]).enumerate() {
        for series in &bed.methods {
            let Some(answer) = series.answers.get(k) else {
                continue;
            };
            let paper = published(series.method).and_then(|rows| rows.get(k).copied());
            let off = paper.map(|p| 100.0 * (p.1 / PUBLISHED_FORCE - 1.0).abs());
            let last = answer.trial.last();
            let residual = Entry::from(last.residual);
            table.rows.push(vec![
                Entry::from(tolerance).shown_as(format!("{tolerance:.0e}")),
                Entry::from(answer.trial.name.as_str()).swatch(answer.trial.look),
                paper.map_or(Cell::Empty, |p| Cell::Count(p.0)).into(),
                Cell::Count(answer.trial.iterations).into(),
                if answer.is_reached() {
                    residual
                } else {
                    residual.bad()
                },
                last.measures.apgd_residual.into(),
                paper.map(|p| p.1).into(),
                answer.force.into(),
                off.into(),
                (100.0 * bed.error(answer)).into(),
                answer.trial.seconds.into(),
            ]);
        }
    }
    table.note = format!(
        "Table 1 of the paper, for a million spheres, with ours beside it. {}",
        not_reached(bed)
    );
    table
}

/// Which methods did not reach which tolerance, in a sentence.
fn not_reached(bed: &ShearBed) -> String {
    let given_up = bed.methods.iter().filter_map(|series| {
        let last = series.answers.last().filter(|a| !a.is_reached())?;
        Some(format!(
            "{} did not reach {:.0e} ({}, {} s)",
            last.trial.name,
            last.tolerance,
            last.trial.termination,
            short_number(last.trial.seconds)
        ))
    });
    let given_up: Vec<String> = given_up.collect();
    match given_up.is_empty() {
        true => "Every method reached every tolerance.".to_owned(),
        false => format!("{}.", given_up.join(", ")),
    }
}

fn figure(bed: &ShearBed) -> Figure {
    let log = AxisScale::LogDecades;
    let panel =
        |label: &str,
         scale: AxisScale,
         ours: &dyn Fn(&ForceAnswer) -> f64,
         theirs: Option<Theirs>| { panel(bed, (label, scale), ours, theirs) };
    let force = bed.force();
    let mut relative = panel(
        "force / converged force",
        AxisScale::Linear,
        &|a| a.force / force,
        Some(|p| p.1 / PUBLISHED_FORCE),
    );
    relative.references.push(Reference::new(1.0, ""));
    let mut error = panel(
        "error of the force",
        log,
        &|a| bed.error(a),
        Some(|p| (p.1 / PUBLISHED_FORCE - 1.0).abs()),
    );
    error.y_limits = Some([1e-6, 1.0]);
    error.references.push(Reference::new(RIGHT, "1 %"));
    let iterations = panel(
        "iterations",
        log,
        &|a| a.trial.iterations as f64,
        Some(|p| p.0 as f64),
    );
    let time = panel("time (s)", log, &|a| a.trial.seconds, None);
    let mut legend: Vec<LegendEntry> = Vec::new();
    for series in &bed.methods {
        legend.push(LegendEntry::new(series.method.name(), ours(series.method)));
    }
    for series in &bed.methods {
        if published(series.method).is_some() {
            let label = format!("{}, published", series.method.name());
            legend.push(LegendEntry::new(&label, theirs(series.method)));
        }
    }
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![relative, error, iterations, time],
        legend,
    }
}

/// A measure of a published row.
type Theirs = fn(&(usize, f64)) -> f64;

fn panel(
    bed: &ShearBed,
    (label, scale): (&str, AxisScale),
    measure: &dyn Fn(&ForceAnswer) -> f64,
    published_measure: Option<Theirs>,
) -> Panel {
    let mut panel = Panel::new("tolerance", label, [AxisScale::LogDecades, scale]);
    for series in &bed.methods {
        let rows = published(series.method).zip(published_measure);
        if let Some((rows, measure)) = rows {
            let points = TOLERANCES.iter().zip(&rows);
            panel.curves.push(Curve {
                look: theirs(series.method),
                points: points.map(|(t, row)| [*t, measure(row)]).collect(),
            });
        }
    }
    for series in &bed.methods {
        let reached = series.answers.iter().filter(|a| a.is_reached());
        panel.curves.push(Curve {
            look: ours(series.method),
            points: reached.map(|a| [a.tolerance, measure(a)]).collect(),
        });
    }
    panel
}

fn ours(method: Method) -> CurveLook {
    CurveLook::method(method).with_marks(Mark::Circle)
}

fn theirs(method: Method) -> CurveLook {
    CurveLook {
        width: 0.9,
        ..CurveLook::method(method).dashed().with_marks(Mark::Cross)
    }
}
