//! Figures and tables of P2-T3.

use drystone_ccp::Method;

use super::LoadedBed;
use crate::experiment::claim::Measured;
use crate::experiment::contest::{products_to, without_factorising};
use crate::experiment::curves::{XAxis, legend, panel};
use crate::experiment::findings::Findings;
use crate::experiment::trial::trial_of;
use crate::page::{Column, Entry, Table};
use crate::table::Cell;
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel};

/// Shares of the first ‖ε‖₂ that the table tells of.
const SHARES: [f64; 2] = [1e-3, 1e-8];

/// The paper's methods, in the order of its legends.
const PUBLISHED: [Method; 4] = [
    Method::Jacobi,
    Method::Spg,
    Method::Kucera,
    Method::Gpminres,
];

/// Dashes of the three masses: the lightest solid.
const DASHES: [&[f32]; 3] = [&[], &[7.0, 3.0], &[2.0, 2.5]];

/// Adds all figures.
pub fn add_figures(beds: &[LoadedBed], findings: &mut Findings) {
    findings.figure(
        "figure-12",
        together(beds),
        "Fig. 12 of the paper: the objective over the lowest that was found for each mass, all \
         masses together. A colour is a method, a dash a mass; right, the same above the lowest.",
    );
    let panels = beds.iter().map(|bed| Panel {
        title: format!("{} kg", bed.mass),
        ..panel(
            &without_factorising(&bed.trials),
            XAxis::Products,
            "‖ε‖₂",
            [AxisScale::Log, AxisScale::Log],
            |row| row.measures.spectral_residual,
        )
    });
    let figure = Figure {
        title: String::new(),
        columns: 3,
        panels: panels.collect(),
        legend: beds
            .first()
            .map(|bed| legend(&without_factorising(&bed.trials)))
            .unwrap_or_default(),
    };
    findings.figure(
        "figure-13",
        figure,
        "Fig. 13 of the paper. Thin: each iterate; thick: the best so far.",
    );
}

/// The paper's methods under all masses in one panel, and above the optimum in a second.
fn together(beds: &[LoadedBed]) -> Figure {
    let label = "objective, the lowest is −1";
    let mut whole = Panel::new(
        "products with N",
        label,
        [AxisScale::Log, AxisScale::Linear],
    );
    whole.y_limits = Some([-1.02, 0.0]);
    let label = "normalised objective + 1";
    let mut above = Panel::new(
        "products with N",
        label,
        [AxisScale::Log, AxisScale::LogDecades],
    );
    above.y_limits = Some([1e-8, 1.0]);
    let mut entries = Vec::new();
    for method in PUBLISHED {
        let look = CurveLook::method(method).solid();
        let mut drawn = false;
        for (bed, dashes) in beds.iter().zip(DASHES) {
            let Ok(trial) = trial_of(&bed.trials, method) else {
                continue;
            };
            drawn = true;
            let look = CurveLook { dashes, ..look };
            let mut best = f64::INFINITY;
            let points: Vec<[f64; 2]> = trial
                .history
                .iter()
                .map(|row| {
                    best = best.min(row.objective / bed.optimum.abs());
                    [row.products as f64, best]
                })
                .collect();
            let raised = points.iter().map(|[x, y]| [*x, y + 1.0]).collect();
            whole.curves.push(Curve { look, points });
            above.curves.push(Curve {
                look,
                points: raised,
            });
        }
        if drawn {
            entries.push(LegendEntry::new(method.name(), look));
        }
    }
    for (bed, dashes) in beds.iter().zip(DASHES) {
        let look = CurveLook {
            dashes,
            ..CurveLook::reference()
        };
        entries.push(LegendEntry::new(&format!("{} kg", bed.mass), look));
    }
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![whole, above],
        legend: entries,
    }
}

/// Products to the shares of the first residual, by mass, and what the spheres carry.
pub fn table(beds: &[LoadedBed]) -> Table {
    let mut columns = vec![Column::word("method")];
    for share in SHARES {
        columns.extend(
            beds.iter()
                .map(|bed| Column::number(&format!("to {share:e}, {} kg", bed.mass))),
        );
    }
    let mut table = Table::new(columns);
    for (k, trial) in beds[0].trials.iter().enumerate() {
        let mut row = vec![Entry::from(trial.name.as_str()).swatch(trial.look)];
        for share in SHARES {
            row.extend(
                beds.iter()
                    .map(|bed| match products_to(&bed.trials[k], share) {
                        Measured::Exactly(products) => Entry::from(products as usize),
                        Measured::AtLeast(products) => {
                            Entry::from(Cell::Empty).shown_as(format!("> {products}"))
                        }
                    }),
            );
        }
        table.rows.push(row);
    }
    let carried: Vec<String> = beds
        .iter()
        .map(|bed| format!("{:.3} of {} kg", bed.carried, bed.mass))
        .collect();
    table.note = format!(
        "Products with N until ‖ε‖₂ is this share of what it was at γ = 0. The spheres carry {}.",
        carried.join(", ")
    );
    table
}
