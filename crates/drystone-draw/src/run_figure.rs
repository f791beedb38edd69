//! Curves of a run over time.

use drystone_run::step_table::StepRow;

use crate::plot::{AxisScale, Curve, CurveLook, Figure, Panel, Reference};

/// Most pieces of time that a curve is drawn from, each by its lowest and its highest value. They
/// are finer than the page: a panel is 460 px wide.
const PIECES: usize = 600;

/// Relative residuals above this are cut off: such an answer is worth nothing, however much.
const HIGHEST_RESIDUAL: f64 = 1e2;

/// Energy, contacts, iterations, residual and penetration over time.
pub fn run_figure(title: &str, log: &[StepRow], tolerance: f64) -> Figure {
    let end = largest(log, |step| step.time);
    let (per_time, time) = unit(end, "s");
    let panel = |quantity: &str, base: &str, value: fn(&StepRow) -> f64| {
        let (per_value, unit) = unit(largest(log, |step| value(step).abs()), base);
        let points = log
            .iter()
            .map(|s| [per_time * s.time, per_value * value(s)]);
        let y_label = match unit.is_empty() {
            true => quantity.to_owned(),
            false => format!("{quantity} ({unit})"),
        };
        Panel {
            curves: vec![Curve {
                look: CurveLook::lone(),
                points: thinned(points.collect()),
            }],
            ..Panel::new(
                &format!("time ({time})"),
                &y_label,
                [AxisScale::Linear, AxisScale::Linear],
            )
        }
    };
    // Four decades below the tolerance: what is less says nothing more.
    let lowest = 1e-4 * tolerance;
    // A step without contacts has residual 0: its place on a logarithmic axis is the bottom. One
    // that is not a number is the worst of all, and belongs above the top.
    let shown = |residual: f64| match residual.is_finite() {
        true => residual.max(lowest),
        false => 10.0 * HIGHEST_RESIDUAL,
    };
    let residual = |s: &StepRow| [per_time * s.time, shown(s.residual)];
    let residual = Panel {
        scales: [AxisScale::Linear, AxisScale::LogDecades],
        y_limits: Some([lowest, HIGHEST_RESIDUAL]),
        curves: vec![Curve {
            look: CurveLook::lone(),
            points: thinned(log.iter().map(residual).collect()),
        }],
        references: vec![Reference::new(tolerance, "tolerance")],
        ..panel("relative residual", "", |s| s.residual)
    };
    Figure {
        title: title.to_owned(),
        columns: 2,
        panels: vec![
            panel("kinetic energy", "J", |s| s.kinetic),
            panel("potential energy", "J", |s| s.potential),
            panel("contacts", "", |s| s.contacts),
            panel("iterations", "", |s| s.iterations),
            residual,
            panel("deepest penetration", "m", |s| s.penetration),
        ],
        legend: Vec::new(),
    }
}

fn largest(log: &[StepRow], value: impl Fn(&StepRow) -> f64) -> f64 {
    log.iter().map(value).fold(0.0, f64::max)
}

/// What to multiply values up to `largest` with so that they are easy to read, and the unit for
/// that. Plain numbers stay as they are.
fn unit(largest: f64, base: &str) -> (f64, String) {
    const PREFIXES: [(f64, &str); 8] = [
        (1e-9, "n"),
        (1e-6, "µ"),
        (1e-3, "m"),
        (1.0, ""),
        (1e3, "k"),
        (1e6, "M"),
        (1e9, "G"),
        (1e12, "T"),
    ];
    // Thousands of seconds or metres are usual words, their prefixes are not.
    let most = if base == "J" { f64::INFINITY } else { 1.0 };
    let fitting = PREFIXES
        .iter()
        .rev()
        .find(|(size, _)| *size <= most && *size <= largest);
    match fitting {
        Some((size, prefix)) if !base.is_empty() => (1.0 / size, format!("{prefix}{base}")),
        _ => (1.0, base.to_owned()),
    }
}

/// The same curve in few points: of each piece the lowest and the highest, in their order.
fn thinned(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= 2 * PIECES {
        return points;
    }
    let mut kept = Vec::with_capacity(2 * PIECES + 2);
    for piece in points.chunks(points.len().div_ceil(PIECES)) {
        let by_value = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
        let ends = [piece.iter().min_by(by_value), piece.iter().max_by(by_value)];
        let mut ends: Vec<[f64; 2]> = ends.into_iter().flatten().copied().collect();
        ends.sort_by(|a, b| a[0].total_cmp(&b[0]));
        ends.dedup();
        kept.extend(ends);
    }
    kept.extend(points.last());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Item;

    #[test]
    fn units_make_numbers_easy_to_read() {
        assert_eq!(unit(2.5e-4, "m"), (1.0 / 1e-6, "µm".to_owned()));
        assert_eq!(unit(4200.0, "J"), (1.0 / 1e3, "kJ".to_owned()));
        assert_eq!(unit(4200.0, "s"), (1.0, "s".to_owned()));
        assert_eq!(unit(0.0, "m"), (1.0, "m".to_owned()));
        assert_eq!(unit(4200.0, ""), (1.0, String::new()));
    }

    #[test]
    fn a_spike_outlives_thinning() {
        let mut points: Vec<[f64; 2]> = (0..100_000).map(|k| [f64::from(k), 1.0]).collect();
        points[54_321][1] = 9.0;
        let thin = thinned(points);
        assert!(thin.len() <= 2 * PIECES + 2, "{}", thin.len());
        assert!(thin.contains(&[54_321.0, 9.0]));
        assert!(thin.windows(2).all(|w| w[0][0] <= w[1][0]));
        assert_eq!(thin.last(), Some(&[99_999.0, 1.0]));
    }

    #[test]
    fn an_empty_log_gives_empty_panels() {
        let drawing = run_figure("nothing", &[], 1e-4).drawing();
        let says = |item: &&Item| matches!(item, Item::Text(text) if text.text == "no data");
        assert_eq!(drawing.items.iter().filter(says).count(), 6);
        crate::plot::to_png(&drawing).unwrap();
    }
}
