//! The report on the shear test: the paper's Table 1 with ours beside it, and the force over the
//! tolerance.

use drystone_ccp::Method;

use super::{ForceAnswer, RIGHT, ShearBed, TIGHTEST, TOLERANCES};
use crate::experiment::findings::{Findings, NOT_GIVEN};
use crate::page::{Column, Entry, Table};
use crate::table::{Cell, short_number};
use drystone_draw::plot::{
    AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel, Reference,
};

/// A row of Table 1: iterations, residual and force, N, one per tolerance.
pub type PublishedRow = (usize, f64, f64);

/// Table 1, APGD.
pub const APGD: [PublishedRow; 6] = [
    (261, 0.098779, -16_108.1),
    (2308, 0.009998, -67_744.6),
    (8561, 0.001, -201_568.0),
    (57_882, 1.00e-4, -170_950.0),
    (70_562, 9.99e-6, -169_141.0),
    (3_000_000, 3.46e-6, -168_956.0),
];
/// Table 1, PDIP.
pub const PDIP: [PublishedRow; 6] = [
    (28, 0.067072, -63_536.7),
    (62, 0.00959, -123_132.0),
    (101, 0.00088, -166_467.0),
    (108, 9.04e-5, -168_788.0),
    (115, 9.44e-6, -168_986.0),
    (120, 2.40e-7, -169_005.0),
];

/// What the paper gives for a method at its tolerances.
fn published(method: Method) -> Option<[PublishedRow; 6]> {
    match method {
        Method::Apgd => Some(APGD),
        Method::InteriorPoint => Some(PDIP),
        _ => None,
    }
}

/// The paper's force at its tightest tolerance, N.
pub const PUBLISHED_FORCE: f64 = PDIP[5].2;

/// Writes everything down.
pub fn write(beds: &[ShearBed], findings: &mut Findings) {
    findings.text(
        "Every method solves the same step from γ = 0; its first points below each tolerance are \
         taken on the way, and the force along x of the upper half on the grains is summed over \
         their contacts.",
    );
    for bed in beds {
        let n = bed.spheres;
        findings.setup(
            format!("contacts of {n} spheres"),
            NOT_GIVEN,
            format!("{}, of which {} carry nothing", bed.contacts, bed.idle),
        );
        findings.heading(format!("{n} spheres, {} contacts", bed.contacts));
        findings.table(format!("table-1-{n}"), table(bed));
        findings.figure(
            format!("force-{n}"),
            figure(bed),
            "Force and its error are relative to the best answer of all, the published ones to the \
             paper's tightest. Thin: published, for a million spheres.",
        );
    }
    for sentence in below_tolerances(beds).into_iter().chain(loose_errors(beds)) {
        findings.remark(sentence);
    }
}

/// How far below the tolerances the first answers lie: whether they are better than asked for.
fn below_tolerances(beds: &[ShearBed]) -> Vec<String> {
    let shares = |method: Method| {
        let mut range = [f64::INFINITY, 0.0];
        for bed in beds {
            let Ok(series) = bed.of(method) else { continue };
            for answer in TOLERANCES[..4].iter().filter_map(|&t| series.at(t)) {
                let share = answer.trial.last().residual / answer.tolerance;
                range = [f64::min(range[0], share), f64::max(range[1], share)];
            }
        }
        range
    };
    let table = |rows: [PublishedRow; 6]| {
        let shares = rows.iter().zip(TOLERANCES).map(|(row, t)| row.1 / t);
        shares.take(4).fold([f64::INFINITY, 0.0], |[low, high], s| {
            [f64::min(low, s), f64::max(high, s)]
        })
    };
    let methods = [(Method::Apgd, APGD), (Method::InteriorPoint, PDIP)];
    let sentence = |(method, rows): (Method, [PublishedRow; 6])| {
        let ([low, high], [from, to]) = (shares(method), table(rows));
        (low <= high).then(|| {
            format!(
                "From 0.1 to 1e-4 the residuals of the first answers of {} are {low:.2} to \
                 {high:.2} of the tolerance, in the paper {from:.2} to {to:.2}.",
                method.name(),
            )
        })
    };
    methods.into_iter().filter_map(sentence).collect()
}

/// By how much APGD's force is off at a loose tolerance on each bed.
fn loose_errors(beds: &[ShearBed]) -> Option<String> {
    let error = |bed: &ShearBed| {
        let answer = bed.at(Method::Apgd, TOLERANCES[1]).ok()?;
        let percent = short_number(100.0 * bed.error(answer));
        Some(format!("{percent} % with {} spheres", bed.spheres))
    };
    let errors: Vec<String> = beds.iter().filter_map(error).collect();
    (!errors.is_empty()).then(|| {
        format!(
            "At {:e} the force of apgd is off by {}; by {} % in the paper, with a million.",
            TOLERANCES[1],
            errors.join(", "),
            short_number(100.0 * (APGD[1].2 / PUBLISHED_FORCE - 1.0).abs()),
        )
    })
}

fn table(bed: &ShearBed) -> Table {
    let mut table = Table::new(vec![
        Column::number("tolerance"),
        Column::word("method"),
        Column::number("iterations published"),
        Column::number("iterations"),
        Column::number("residual published"),
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
            let off = paper.map(|p| 100.0 * (p.2 / PUBLISHED_FORCE - 1.0).abs());
            let last = answer.trial.last();
            let residual = Entry::from(last.residual);
            table.rows.push(vec![
                Entry::from(tolerance).shown_as(format!("{tolerance:.0e}")),
                Entry::from(answer.trial.name.as_str()).swatch(answer.trial.look),
                paper.map_or(Cell::Empty, |p| Cell::Count(p.0)).into(),
                Cell::Count(answer.trial.iterations).into(),
                paper.map_or(Cell::Empty.into(), |p| {
                    Entry::from(p.1).shown_as(as_printed(p.1))
                }),
                if answer.is_reached() {
                    residual
                } else {
                    residual.bad()
                },
                last.measures.apgd_residual.into(),
                paper.map_or(Cell::Empty.into(), |p| {
                    Entry::from(p.2).shown_as(as_printed(p.2))
                }),
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

/// A figure of Table 1 with the digits that it has there.
fn as_printed(number: f64) -> String {
    match number.abs() > 1e-4 {
        true => format!("{number}"),
        false => format!("{number:.2e}"),
    }
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
        Some(|p| p.2 / PUBLISHED_FORCE),
    );
    relative.references.push(Reference::new(1.0, ""));
    let mut error = panel(
        "error of the force",
        log,
        &|a| bed.error(a),
        Some(|p| (p.2 / PUBLISHED_FORCE - 1.0).abs()),
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
        title: format!("{} spheres", bed.spheres),
        columns: 2,
        panels: vec![relative, error, iterations, time],
        legend,
    }
}

/// A measure of a published row.
type Theirs = fn(&PublishedRow) -> f64;

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
