//! Panels that several experiments draw: measures of the runs of methods over iterations, products
//! or time.

use drystone_ccp::HistoryRow;

use super::trial::Trial;
use crate::compare::record::thinned;
use crate::history_curves::{RunCurve, Shown, draw_runs};
use drystone_draw::plot::{AxisScale, LegendEntry, Panel};

/// What the x axis of a panel counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XAxis {
    /// Iterations.
    Iterations,
    /// Products with N: means the same for methods whose iterations cost differently.
    Products,
    /// Wall time.
    Seconds,
}

impl XAxis {
    fn label(self) -> &'static str {
        match self {
            Self::Iterations => "iteration",
            Self::Products => "products with N",
            Self::Seconds => "time (s)",
        }
    }

    fn value(self, row: &HistoryRow) -> f64 {
        match self {
            Self::Iterations => row.iteration as f64,
            Self::Products => row.products as f64,
            Self::Seconds => row.seconds,
        }
    }
}

/// A measure of several runs of which less is better, such as a residual: the best so far, and thin
/// behind it the way itself.
pub fn panel(
    trials: &[Trial],
    x_axis: XAxis,
    label: &str,
    scales: [AxisScale; 2],
    measure: impl Fn(&HistoryRow) -> f64,
) -> Panel {
    drawn(trials, (x_axis, Shown::BestSoFar), label, scales, measure)
}

/// A measure of several runs that has no better or worse.
pub fn plain_panel(
    trials: &[Trial],
    x_axis: XAxis,
    label: &str,
    scales: [AxisScale; 2],
    measure: impl Fn(&HistoryRow) -> f64,
) -> Panel {
    drawn(trials, (x_axis, Shown::AsItIs), label, scales, measure)
}

fn drawn(
    trials: &[Trial],
    (x_axis, shown): (XAxis, Shown),
    label: &str,
    scales: [AxisScale; 2],
    measure: impl Fn(&HistoryRow) -> f64,
) -> Panel {
    let mut panel = Panel::new(x_axis.label(), label, scales);
    let runs = trials.iter().map(|trial| RunCurve {
        look: trial.look,
        points: thinned(&trial.history)
            .iter()
            .map(|row| [x_axis.value(row), measure(row)])
            .collect(),
    });
    draw_runs(&mut panel, runs.collect(), shown);
    panel
}

/// What the runs are called in a legend.
pub fn legend(trials: &[Trial]) -> Vec<LegendEntry> {
    crate::history_curves::legend(trials.iter().map(|t| (t.name.as_str(), t.look)))
}

/// Exponent of the power law that fits points `[x, y]` best, by least squares of the logarithms;
/// not a number for fewer than two.
pub fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let n = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let covariance: f64 = logs.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let variance: f64 = logs.iter().map(|p| (p[0] - x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = [1.0, 2.0, 5.0, 10.0].map(|x: f64| [x, 3.0 * x.powf(1.5)]);
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
        assert!(exponent(&points[..1]).is_nan());
    }
}
