//! Tables and figures of P1-S3.

use drystone_ccp::Termination;

use super::{BedSize, GrowthPoint, SolverGrowth};
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel};

/// One row per solver.
pub fn method_table(growths: &[SolverGrowth]) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("problems solved"),
        Column::number("out of time"),
        Column::number("stopped short or failed"),
        Column::number("residual on the last one"),
        Column::number("largest (contacts)"),
        Column::number("time there (s)"),
        Column::number("iterations there"),
        Column::number("exponent of the time over contacts"),
        Column::number("exponent of the iterations"),
    ]);
    for growth in growths {
        let largest = growth.solved().last();
        let count =
            |of: fn(&GrowthPoint) -> usize| largest.map_or(Cell::Empty, |p| Cell::Count(of(p)));
        let solved = growth.solved().count();
        let tried = growth.points.len();
        let late = |p: &&GrowthPoint| p.ended == Termination::TimeLimit.name();
        let out_of_time = growth.points.iter().filter(late).count();
        table.rows.push(vec![
            Entry::from(growth.solver.name().as_str()).swatch(growth.solver.look()),
            Entry::from(solved).shown_as(format!("{solved} of {tried}")),
            out_of_time.into(),
            (tried - solved - out_of_time).into(),
            growth.points.last().map(|p| p.residual).into(),
            count(|p| p.contacts).into(),
            largest.map(|p| p.seconds).into(),
            count(|p| p.iterations).into(),
            growth.exponent(|p| p.seconds).into(),
            growth.exponent(|p| p.iterations as f64).into(),
        ]);
    }
    table.note = "Under the relaxed law a problem is solved, and times and iterations end, at the \
                  interior point's objective. Exponents are of the power laws that fit best in the \
                  logarithms, over the problems that were solved."
        .to_owned();
    table
}

/// One row per bed.
pub fn size_table(sizes: &[BedSize], growths: &[SolverGrowth]) -> Table {
    let mut columns = vec![Column::number("spheres"), Column::number("contacts")];
    for growth in growths {
        columns.push(Column::number(&format!("{} (s)", growth.solver.name())));
    }
    columns.push(Column::number("dual objective (J)"));
    columns.push(Column::number("primal, input (J)"));
    columns.push(Column::number("primal, solution (J)"));
    let mut table = Table {
        tall: true,
        ..Table::new(columns)
    };
    for (k, size) in sizes.iter().enumerate() {
        let mut row: Vec<Entry> = vec![size.spheres.into(), size.contacts.into()];
        for growth in growths {
            let point = growth.points.get(k);
            row.push(match point {
                Some(point) if point.solved => point.seconds.into(),
                Some(point) => Entry::from(Cell::Empty).shown_as(point.ended),
                None => Cell::Empty.into(),
            });
        }
        let objective = growths.first().and_then(|g| g.points.get(k));
        row.push(objective.map(|point| point.objective).into());
        row.extend(size.primal.map(Entry::from));
        table.rows.push(row);
    }
    table
}

/// Time and iterations over contacts.
pub fn figure_5(growths: &[SolverGrowth]) -> Figure {
    let panel = |label: &str, of: fn(&GrowthPoint) -> f64| {
        let mut panel = Panel::new("contacts", label, [AxisScale::Log, AxisScale::LogDecades]);
        for growth in growths {
            // A line joins neighbours only: it breaks at what was not solved.
            for piece in growth.points.split(|p| !p.solved).filter(|p| !p.is_empty()) {
                panel.curves.push(Curve {
                    look: growth.solver.look(),
                    points: piece.iter().map(|p| [p.contacts as f64, of(p)]).collect(),
                });
            }
        }
        panel
    };
    let entry =
        |growth: &SolverGrowth| LegendEntry::new(&growth.solver.name(), growth.solver.look());
    // No entry without a curve: what solved nothing is in the table only.
    let drawn = growths.iter().filter(|g| g.solved().next().is_some());
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![
            panel("wall time (s)", |p| p.seconds),
            panel("iterations", |p| p.iterations as f64),
        ],
        legend: drawn.map(entry).collect(),
    }
}

/// Primal objectives of input and solution.
pub fn figure_6(sizes: &[BedSize]) -> Figure {
    let looks = [
        CurveLook::nth(0).with_marks(Mark::Circle),
        CurveLook::nth(1).with_marks(Mark::Square),
    ];
    let mut values = Panel::new(
        "spheres",
        "primal objective (J)",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let curve = |k: usize| Curve {
        look: looks[k],
        points: sizes
            .iter()
            .map(|size| [size.spheres as f64, size.primal[k]])
            .collect(),
    };
    values.curves = vec![curve(0), curve(1)];
    let mut difference = Panel::new(
        "spheres",
        "solution less input, over |input|",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let relative = |size: &BedSize| (size.primal[1] - size.primal[0]) / size.primal[0].abs();
    difference.curves = vec![Curve {
        look: CurveLook::lone(),
        points: sizes
            .iter()
            .map(|size| [size.spheres as f64, relative(size)])
            .collect(),
    }];
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![values, difference],
        legend: vec![
            LegendEntry::new("input", looks[0]),
            LegendEntry::new("solution", looks[1]),
        ],
    }
}
