//! Mazhar 2014, Figs. 1 to 4: objectives over the iterations, and APGD's solutions on the way
//! against the reference.

use drystone_ccp::{Limits, Method, Operator};

use super::{BedRuns, Settling};
use crate::error::StudyError;
use crate::experiment::bench::Bench;
use crate::experiment::curves::{XAxis, legend, panel, returned_panel};
use crate::experiment::findings::Findings;
use drystone_draw::plot::{
    AxisScale, Curve, CurveLook, Figure, LegendEntry, Marks, Panel, Reference,
};

/// Shares of the iterations to the target after which Figs. 2 and 4 show APGD's solution.
const SHARES: [f64; 4] = [0.02, 0.1, 0.4, 1.0];

/// Adds the two figures of a data set, and takes the distances that the second shows.
pub fn write(
    bench: &Bench<'_>,
    findings: &mut Findings,
    runs: &mut BedRuns,
) -> Result<(), StudyError> {
    let [first, second] = match runs.bed.settling {
        Settling::Thorough => [1, 2],
        Settling::Poor => [3, 4],
    };
    findings.figure(
        format!("figure-{first}"),
        objectives(runs),
        format!(
            "Fig. {first} of the paper, upper left: the size of the objective. The others say \
             more: how far the objective is from the target, and both residuals. Clarabel, where \
             it was run, tells its objective on the way, but residuals at its end only."
        ),
    );
    solutions(bench, findings, runs, second)
}

fn objectives(runs: &BedRuns) -> Figure {
    let trials = &runs.trials;
    let scales = [AxisScale::Log, AxisScale::LogDecades];
    let target = runs.target;
    let lowest = trials.iter().map(|t| t.last().objective);
    let lowest = lowest.fold(target, f64::min);
    let mut size = returned_panel(
        trials,
        XAxis::Iterations,
        "|objective| (J)",
        [AxisScale::Log, AxisScale::Log],
        |row| row.objective.abs(),
    );
    size.references
        .push(Reference::new(target.abs(), "interior point's"));
    // The first steps are wild; only what comes near the target is of interest.
    size.y_limits = Some([1e-3 * target.abs(), 1e3 * target.abs()]);
    let mut error = panel(
        trials,
        XAxis::Iterations,
        "|objective − lowest| / |lowest|",
        scales,
        |row| (row.objective / lowest - 1.0).abs(),
    );
    error.y_limits = Some([1e-10, 1e3]);
    error
        .references
        .push(Reference::new(super::SAME, "published digits"));
    Figure {
        title: String::new(),
        columns: 2,
        panels: vec![
            size,
            error,
            panel(
                trials,
                XAxis::Iterations,
                "residual r (eq. 25)",
                scales,
                |row| row.measures.apgd_residual,
            ),
            panel(trials, XAxis::Iterations, "our residual", scales, |row| {
                row.residual
            }),
        ],
        legend: legend(trials),
    }
}

fn solutions(
    bench: &Bench<'_>,
    findings: &mut Findings,
    runs: &mut BedRuns,
    number: usize,
) -> Result<(), StudyError> {
    let reference = &runs.trials[0];
    let Ok(there) = runs.iterations(Method::Apgd) else {
        return Ok(()); // the claims say so
    };
    let problem = &runs.bed.problem;
    // Without r: the part of the gaps within the envelope is far larger and always the same.
    let velocity = |gamma: &[f64]| {
        let mut velocity = vec![0.0; gamma.len()];
        problem.operator().apply(gamma, &mut velocity);
        velocity
    };
    let wanted = velocity(&reference.gamma);
    let mut impulses = Panel::new(
        "contact, by impulse",
        "normal impulse (N s)",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let mut speeds = Panel::new(
        "contact, by change",
        "change of the normal velocity (m/s)",
        [AxisScale::Linear, AxisScale::Linear],
    );
    let mut entries = Vec::new();
    let mut add = |label: &str, look: CurveLook, gamma: &[f64], velocity: &[f64]| {
        let curve = |values: &[f64]| Curve {
            look,
            points: sorted_normals(runs, values),
        };
        impulses.curves.push(curve(gamma));
        speeds.curves.push(curve(velocity));
        entries.push(LegendEntry::new(label, look));
    };
    let broad = CurveLook {
        width: 4.0,
        marks: Marks::Nowhere,
        ..CurveLook::method(Method::InteriorPoint)
    };
    add("interior point", broad, &reference.gamma, &wanted);
    let mut offs = Vec::new();
    for (k, share) in SHARES.into_iter().enumerate() {
        let iterations = ((share * there as f64).round() as usize).max(1);
        let limits = Limits {
            tolerance: 1e-300,
            max_iterations: iterations,
            time_limit: None,
            ..Limits::default()
        };
        let trial = bench.run(problem, runs.bed.settling.name(), Method::Apgd, limits)?;
        let found = velocity(&trial.gamma);
        offs.push(distance(&found, &wanted));
        let look = CurveLook::nth([5, 2, 3, 0][k]);
        add(&format!("APGD {iterations}"), look, &trial.gamma, &found);
    }
    for panel in [&mut impulses, &mut speeds] {
        panel
            .curves
            .iter_mut()
            .for_each(|curve| thin(&mut curve.points));
    }
    findings.figure(
        format!("figure-{number}"),
        Figure {
            title: String::new(),
            columns: 2,
            panels: vec![impulses, speeds],
            legend: entries,
        },
        format!(
            "Fig. {number} of the paper: APGD's solution after some iterations, and the \
             reference's. The paper does not say of what its lines are; here they are the normal \
             impulses of all contacts and what these change of the normal velocities, sorted. \
             Velocities are unique; impulses need not be, where contacts are redundant."
        ),
    );
    runs.distances = offs;
    Ok(())
}

/// `‖a − b‖ / ‖b‖`.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let apart = square(&mut a.iter().zip(b).map(|(a, b)| a - b));
    (apart / square(&mut b.iter().copied())).sqrt()
}

/// The first row of every contact, the largest first.
fn sorted_normals(runs: &BedRuns, values: &[f64]) -> Vec<[f64; 2]> {
    let blocks = runs.bed.problem.cones().iter();
    let mut normals: Vec<f64> = blocks.map(|(block, _)| values[block.start]).collect();
    normals.sort_by(|a, b| b.total_cmp(a));
    let numbered = normals.iter().enumerate();
    numbered.map(|(k, value)| [k as f64, *value]).collect()
}

/// Leaves some 200 points of a smooth curve, closer together at its steep ends.
fn thin(points: &mut Vec<[f64; 2]>) {
    let stride = points.len().div_ceil(200).max(1);
    let last = points.len().saturating_sub(1);
    let mut index = 0..;
    points.retain(|_| {
        let k = index.next().unwrap_or(0);
        k % stride == 0 || k < 20 || k + 20 > last
    });
}
