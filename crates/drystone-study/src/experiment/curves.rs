//! Panels that several experiments draw: measures of the runs of methods over iterations, products
//! or time.

use drystone_ccp::HistoryRow;

use super::trial::{Trial, kept_by_fall_back};
use crate::history_curves::{RunCurve, Shown, draw_runs, thin_behind};
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

/// A measure that has no better or worse of what each run would return if it were stopped, which is
/// the iterate with the smallest residual r; thin behind it the way itself.
pub fn returned_panel(
    trials: &[Trial],
    x_axis: XAxis,
    label: &str,
    scales: [AxisScale; 2],
    measure: impl Fn(&HistoryRow) -> f64,
) -> Panel {
    let mut panel = Panel::new(x_axis.label(), label, scales);
    let mut runs = Vec::new();
    for trial in trials {
        let kept = kept_by_fall_back(trial, |row| row.measures.apgd_residual);
        let along = |rows: &[HistoryRow]| {
            let rows = trial.history.iter().zip(rows);
            in_few(
                rows.map(|(at, row)| [x_axis.value(at), measure(row)])
                    .collect(),
            )
        };
        let way = along(&trial.history);
        panel.curves.push(thin_behind(trial.look, way));
        runs.push(RunCurve {
            look: trial.look,
            points: along(&kept),
        });
    }
    draw_runs(&mut panel, runs, Shown::AsItIs);
    panel
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
        points: in_few(
            trial
                .history
                .iter()
                .map(|row| [x_axis.value(row), measure(row)])
                .collect(),
        ),
    });
    draw_runs(&mut panel, runs.collect(), shown);
    panel
}

/// Up to so many points a curve is drawn as it is.
const WHOLE: usize = 256;

/// Pieces of a longer one.
const PIECES: usize = 100;

/// The same curve in few points: of each piece the lowest and the highest, in their order, so that
/// neither a jump nor the best so far is lost. The pieces are even on a logarithmic axis.
fn in_few(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= WHOLE {
        return points;
    }
    let ratio = (points.len() as f64).ln() / PIECES as f64;
    let end = |k: usize| ((k as f64 * ratio).exp().round() as usize).min(points.len());
    let mut kept = Vec::with_capacity(2 * PIECES + 2);
    kept.extend(points.first());
    for k in 0..PIECES {
        let piece = &points[end(k)..end(k + 1)];
        let by_value = |a: &usize, b: &usize| piece[*a][1].total_cmp(&piece[*b][1]);
        let extremes = [
            (0..piece.len()).min_by(by_value),
            (0..piece.len()).max_by(by_value),
        ];
        if let [Some(low), Some(high)] = extremes {
            kept.push(piece[low.min(high)]);
            if low != high {
                kept.push(piece[low.max(high)]);
            }
        }
    }
    if kept.last() != points.last() {
        kept.extend(points.last());
    }
    kept
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
    fn a_long_curve_keeps_its_ends_its_jumps_and_its_lowest_points() {
        let point = |k: u32| match k {
            1234 => [f64::from(k), 1e6],
            4321 => [f64::from(k), -1e6],
            _ => [f64::from(k), 1.0 / f64::from(k + 1)],
        };
        let points: Vec<[f64; 2]> = (0..20_000).map(point).collect();
        let few = in_few(points.clone());
        assert!(few.len() <= 2 * PIECES + 2);
        assert!(few.contains(&point(1234)) && few.contains(&point(4321)));
        assert_eq!([few[0], few[few.len() - 1]], [point(0), point(19_999)]);
        assert!(few.windows(2).all(|w| w[0][0] < w[1][0]));
        assert_eq!(in_few(points[..WHOLE].to_vec()), points[..WHOLE]);
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = [1.0, 2.0, 5.0, 10.0].map(|x: f64| [x, 3.0 * x.powf(1.5)]);
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
        assert!(exponent(&points[..1]).is_nan());
    }
}
