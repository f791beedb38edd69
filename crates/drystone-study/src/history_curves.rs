//! How histories of runs are drawn: the best so far, and behind it, thin, the way itself, so that a
//! step back or a change of method is not taken for the state of the answer. Each run has a mark of
//! its own, at places where no other has one: curves that lie over each other are told apart by it.

use drystone_draw::plot::{AxisScale, Curve, CurveLook, LegendEntry, Mark, Marks, Panel};

/// Marks of the runs of a figure, in turn.
const MARKS: [Mark; 7] = [
    Mark::Circle,
    Mark::Square,
    Mark::Triangle,
    Mark::Diamond,
    Mark::Cross,
    Mark::OpenCircle,
    Mark::OpenSquare,
];

/// Marks on one curve: enough to find it, few enough not to hide others.
const MARKS_PER_CURVE: usize = 4;

/// Width of the way itself, px.
const THIN: f64 = 0.6;

/// A run: its look, and its points in the order of the run.
pub struct RunCurve {
    /// How it is drawn.
    pub look: CurveLook,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// What of a run is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The smallest value so far, and the way itself thin behind it: for residuals.
    BestSoFar,
    /// The way itself: for values that have no better or worse.
    AsItIs,
}

/// The look of the k-th run in the legend: with its mark.
pub fn marked(look: CurveLook, k: usize) -> CurveLook {
    look.with_marks(MARKS[k % MARKS.len()])
}

/// Legend of runs, in the order in which they are drawn.
pub fn legend<'a>(runs: impl Iterator<Item = (&'a str, CurveLook)>) -> Vec<LegendEntry> {
    runs.enumerate()
        .map(|(k, (name, look))| LegendEntry::new(name, marked(look, k)))
        .collect()
}

/// Draws runs into a panel.
pub fn draw_runs(panel: &mut Panel, runs: Vec<RunCurve>, shown: Shown) {
    let count = runs.len();
    let range = x_range(panel, &runs);
    let (mut behind, mut front, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for (k, RunCurve { look, points }) in runs.into_iter().enumerate() {
        let best = match shown {
            Shown::BestSoFar => best_so_far(&points),
            Shown::AsItIs => points.clone(),
        };
        marks.push(Curve {
            look: CurveLook {
                line: false,
                ..marked(look, k)
            },
            points: spread_marks(&best, (k, count), (panel.scales[0], range)),
        });
        if best != points {
            behind.push(thin_behind(look, points));
        }
        front.push(Curve { look, points: best });
    }
    panel.curves.extend(behind);
    panel.curves.extend(front);
    panel.curves.extend(marks);
}

/// The way of a run itself, thin, to be drawn before its curve.
pub fn thin_behind(look: CurveLook, points: Vec<[f64; 2]>) -> Curve {
    let look = CurveLook {
        width: THIN,
        marks: Marks::Nowhere,
        ..look.solid()
    };
    Curve { look, points }
}

/// The smallest value so far.
fn best_so_far(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut best = f64::INFINITY;
    points
        .iter()
        .map(|&[x, y]| {
            // Not-a-number neither improves nor hides what was there.
            best = best.min(y);
            [x, if best.is_finite() { best } else { y }]
        })
        .collect()
}

/// The part of the x axis that the runs cover and the panel shows.
fn x_range(panel: &Panel, runs: &[RunCurve]) -> [f64; 2] {
    let shown = |x: &f64| x.is_finite() && (panel.scales[0] == AxisScale::Linear || *x > 0.0);
    let all = runs.iter().flat_map(|run| run.points.iter().map(|p| p[0]));
    let [low, high] = all
        .filter(shown)
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        });
    match panel.x_limits {
        Some([left, right]) => [low.max(left), high.min(right)],
        None => [low, high],
    }
}

/// Places of the marks of the k-th of `count` runs, as the eye measures along the axis: those of
/// all runs follow each other at equal distances.
fn spread_marks(
    points: &[[f64; 2]],
    (k, count): (usize, usize),
    (scale, [low, high]): (AxisScale, [f64; 2]),
) -> Vec<[f64; 2]> {
    let places = (0..MARKS_PER_CURVE).map(|j| {
        let share = (j as f64 + (k as f64 + 0.5) / count as f64) / MARKS_PER_CURVE as f64;
        match scale {
            AxisScale::Linear => low + share * (high - low),
            _ => (low.ln() + share * (high.ln() - low.ln())).exp(),
        }
    });
    // A mark lies on a point of the curve: on the first beyond the place.
    let on_curve = |x: f64| points.iter().find(|p| p[0] >= x).copied();
    let mut marks: Vec<[f64; 2]> = places.filter_map(on_curve).collect();
    marks.dedup();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(points: &[[f64; 2]]) -> RunCurve {
        RunCurve {
            look: CurveLook::nth(0),
            points: points.to_vec(),
        }
    }

    #[test]
    fn a_step_back_is_thin_and_the_best_so_far_is_not() {
        let mut panel = Panel::new("x", "y", [AxisScale::Linear, AxisScale::Log]);
        let way = [
            [0.0, 8.0],
            [1.0, 2.0],
            [2.0, 5.0],
            [3.0, f64::NAN],
            [4.0, 1.0],
        ];
        draw_runs(&mut panel, vec![run(&way)], Shown::BestSoFar);
        let [behind, front, marks] = &panel.curves[..] else {
            panic!("the way, the best so far, and marks")
        };
        assert!(behind.look.width < front.look.width && !marks.look.line);
        assert_eq!(behind.points[2], [2.0, 5.0]);
        let best: Vec<f64> = front.points.iter().map(|p| p[1]).collect();
        assert_eq!(best, [8.0, 2.0, 2.0, 2.0, 1.0]);
        // What falls all the time needs no second curve.
        let mut panel = Panel::new("x", "y", [AxisScale::Linear, AxisScale::Log]);
        draw_runs(&mut panel, vec![run(&way[..2])], Shown::BestSoFar);
        assert_eq!(panel.curves.len(), 2);
    }

    #[test]
    fn the_marks_of_curves_that_coincide_are_apart() {
        let points: Vec<[f64; 2]> = (1..=1000).map(|k| [f64::from(k), 1.0]).collect();
        for scale in [AxisScale::Linear, AxisScale::Log] {
            let marks = |k| spread_marks(&points, (k, 2), (scale, [1.0, 1000.0]));
            let (a, b) = (marks(0), marks(1));
            assert_eq!((a.len(), b.len()), (MARKS_PER_CURVE, MARKS_PER_CURVE));
            assert!(a.iter().all(|mark| !b.contains(mark)));
        }
    }
}
