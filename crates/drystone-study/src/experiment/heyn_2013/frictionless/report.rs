//! Table and figures of P2-T1.

use drystone_ccp::{Ccp, TwoBody};

use super::TableRun;
use crate::experiment::contest::{precise, without_factorising};
use crate::experiment::curves::{XAxis, legend, panel, plain_panel};
use crate::experiment::trial::Trial;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel};

/// Table I with ours beside it.
pub fn table_1(problem: &Ccp<TwoBody>, runs: &[TableRun], recorded: &[Trial]) -> Table {
    let mut table = Table::new(vec![
        Column::word("method"),
        Column::number("iterations published"),
        Column::number("products ours"),
        Column::number("active sets published"),
        Column::number("rounds ours"),
        Column::number("f published (J)"),
        Column::number("f ours (J)"),
        Column::number("γ min ours"),
        Column::number("γ max published"),
        Column::number("γ max ours (N s)"),
        Column::number("time published (s)"),
        Column::number("time ours (s)"),
    ]);
    let count = |count: Option<usize>| Entry::from(count.map_or(Cell::Empty, Cell::Count));
    let mut line = |run: &TableRun| {
        let p = run.published;
        let rounds = matches!(run.trial.name.as_str(), "gpminres" | "gpminres-p");
        table.rows.push(vec![
            Entry::from(run.trial.name.as_str()).swatch(run.trial.look),
            count(p.map(|p| p.iterations)),
            Cell::Count(run.trial.last().products).into(),
            count(p.and_then(|p| p.sets)),
            count(rounds.then_some(run.trial.iterations)),
            printed(p.map(|p| p.objective)),
            precise(run.objective),
            run.smallest().into(),
            printed(p.map(|p| p.largest)),
            run.largest().into(),
            p.map(|p| p.seconds).into(),
            run.trial.seconds.into(),
        ]);
    };
    runs.iter().for_each(&mut line);
    let tabled = |name: &str| runs.iter().any(|run| run.trial.name == name);
    for trial in recorded.iter().filter(|trial| !tabled(&trial.name)) {
        let products = trial.last().products;
        line(&TableRun::new(problem, (None, products), trial.clone()));
    }
    table.note = "Table I of the paper with ours beside it; γ min is 0.0 throughout the paper's. \
                  Below it methods that it does not hold, whose times include the writing of a \
                  history. A run ends with the round in which its products are spent, or at \
                  rounding."
        .to_owned();
    table
}

/// A figure of Table I with the four digits after the point that the paper prints: they tell its rows
/// apart.
fn printed(figure: Option<f64>) -> Entry {
    match figure {
        Some(figure) => Entry::from(Cell::Number(figure)).shown_as(format!("{figure:.4}")),
        None => Cell::Empty.into(),
    }
}

/// Objectives over the iterations.
pub fn figure_4(recorded: &[Trial], optimum: f64) -> Figure {
    let trials = &without_factorising(recorded)[..];
    let over = |label: &str| {
        plain_panel(
            trials,
            XAxis::Products,
            label,
            [AxisScale::Log, AxisScale::Linear],
            |row| row.objective,
        )
    };
    let above = panel(
        trials,
        XAxis::Products,
        "f − f* (J)",
        [AxisScale::Log, AxisScale::Log],
        |row| row.objective - optimum,
    );
    Figure {
        title: "Objective of various methods".to_owned(),
        columns: 2,
        panels: vec![over("objective f (J)"), above],
        legend: legend(trials),
    }
}

/// Impulses in order of size.
pub fn figure_5(runs: &[TableRun]) -> Figure {
    let mut panel = Panel::new(
        "impulses, the largest first",
        "γ (N s)",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let mut legend = Vec::new();
    for (k, run) in runs.iter().enumerate() {
        let look = CurveLook::nth(k);
        panel.curves.push(Curve {
            look,
            points: sorted(&run.trial.gamma),
        });
        legend.push(LegendEntry::new(&run.label(), look));
    }
    let head = Panel {
        title: "the largest tenth".to_owned(),
        x_limits: runs
            .first()
            .map(|r| [0.0, 0.1 * r.trial.gamma.len() as f64]),
        ..panel.clone()
    };
    Figure {
        title: "Impulses in order of size".to_owned(),
        columns: 2,
        panels: vec![panel, head],
        legend,
    }
}

/// The values in falling order, over their rank.
fn sorted(values: &[f64]) -> Vec<[f64; 2]> {
    let mut values = values.to_vec();
    values.sort_by(|a, b| b.total_cmp(a));
    let ranked = values.iter().enumerate().map(|(k, v)| [(k + 1) as f64, *v]);
    ranked.collect()
}
