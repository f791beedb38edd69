//! The figures of a comparison.

use drystone_ccp::HistoryRow;
use drystone_ccp::Law;

use super::profile::{Profile, profiles, ratios};
use super::record::{Comparison, MethodRun, ProblemRuns};
use crate::history_curves::{RunCurve, Shown, draw_runs, legend};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel, Reference};

/// Residual and, where there is an optimum to measure from, objective gap, each against iterations
/// and against time.
pub fn convergence(comparison: &Comparison, problem: &ProblemRuns) -> Figure {
    let tolerance = comparison.limits.tolerance;
    // Two decades below the tolerance show how far a run went on, and no more.
    let lowest = 1e-2 * tolerance;
    let scales = [AxisScale::Log, AxisScale::LogDecades];
    let residual = |x_label: &str, x: fn(&HistoryRow) -> f64| {
        let mut panel = Panel {
            y_limits: Some([lowest, 1e2]),
            references: vec![Reference::new(tolerance, "tolerance")],
            ..Panel::new(x_label, "relative residual", scales)
        };
        // An exact solution has residual 0: its curve leaves through the bottom.
        let point = |row: &HistoryRow| [x(row), at_least(1e-3 * lowest, row.residual)];
        draw_runs(&mut panel, curves(problem, point), Shown::BestSoFar);
        panel
    };
    let iteration = |row: &HistoryRow| row.iteration as f64;
    let seconds = |row: &HistoryRow| row.seconds;
    let mut panels = vec![
        residual("iteration", iteration),
        residual("time (s)", seconds),
    ];
    if let Some(best) = gap_origin(comparison, problem) {
        // Differences of two nearly equal numbers carry no more digits than this.
        let floor = 1e-14 * best.abs().max(f64::MIN_POSITIVE);
        let gap = |x_label: &str, x: fn(&HistoryRow) -> f64| {
            let mut panel = Panel {
                y_limits: Some([floor, f64::MAX]),
                ..Panel::new(x_label, "objective gap |f − f*| (J)", scales)
            };
            let point = |row: &HistoryRow| {
                let gap = (row.objective - best).abs();
                [x(row), at_least(1e-3 * floor, gap)]
            };
            draw_runs(&mut panel, curves(problem, point), Shown::BestSoFar);
            panel
        };
        panels.extend([gap("iteration", iteration), gap("time (s)", seconds)]);
        panels.retain(Panel::has_data);
    }
    Figure {
        title: problem.name.clone(),
        columns: 2,
        panels,
        legend: legend(
            problem
                .runs
                .iter()
                .filter(|r| !r.history().is_empty())
                .map(|r| (r.method.name(), CurveLook::method(r.method))),
        ),
    }
}

/// The larger of the two. Not-a-number stays: `f64::max` would turn a broken run into a perfect
/// one.
fn at_least(floor: f64, value: f64) -> f64 {
    if value < floor { floor } else { value }
}

/// The objective that gaps are measured from: only a minimisation has one.
pub fn gap_origin(comparison: &Comparison, problem: &ProblemRuns) -> Option<f64> {
    match comparison.law {
        Law::Relaxed if problem.known()?.symmetric => problem.best_objective(),
        Law::Relaxed | Law::Exact => None,
    }
}

/// The runs that have a history, in the order of the legend.
fn curves(problem: &ProblemRuns, point: impl Fn(&HistoryRow) -> [f64; 2]) -> Vec<RunCurve> {
    let of_run = |run: &MethodRun| RunCurve {
        look: CurveLook::method(run.method),
        points: run.history().iter().map(&point).collect(),
    };
    let runs = problem.runs.iter().filter(|r| !r.history().is_empty());
    runs.map(of_run).collect()
}

/// How the cost of a run is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCost {
    /// Wall-clock time, s.
    Time,
    /// Products with N.
    Products,
}

/// `cost / best cost` per problem and method.
pub fn cost_ratios(comparison: &Comparison, cost: RunCost) -> Vec<Vec<f64>> {
    let of_run = |run: &MethodRun| {
        let info = run.converged()?;
        Some(match cost {
            RunCost::Time => info.seconds,
            RunCost::Products => info.products as f64,
        })
    };
    let costs: Vec<Vec<Option<f64>>> = comparison
        .complete_problems()
        .iter()
        .map(|problem| problem.runs.iter().map(of_run).collect())
        .collect();
    ratios(&costs)
}

/// Performance profiles in time and in products.
pub fn performance(comparison: &Comparison) -> Figure {
    let panel = |cost: RunCost, x_label: &str| {
        let profiles = profiles(&cost_ratios(comparison, cost));
        let curve = |(&method, profile): (_, &Profile)| Curve {
            look: CurveLook::method(method),
            points: profile.corners.clone(),
        };
        Panel {
            curves: comparison
                .methods
                .iter()
                .zip(&profiles)
                .map(curve)
                .collect(),
            ..Panel::new(
                x_label,
                "problems solved",
                [AxisScale::Log, AxisScale::Share],
            )
        }
    };
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![
            panel(RunCost::Time, "time / shortest time"),
            panel(RunCost::Products, "products / fewest products"),
        ],
        legend: comparison
            .methods
            .iter()
            .map(|&m| LegendEntry::method(m))
            .collect(),
    }
}
