//! Tables, figures and sentences of [`super::steps`].

use drystone::StepReport;

use super::Measurement;
use crate::bench::BenchReport;
use crate::bench::cases::SceneKind;
use crate::compare::profile::median;
use crate::experiment::curves::exponent;
use crate::table::{Row, plural};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel};

/// Puts what was measured into the report.
pub(super) fn add(report: &mut BenchReport, done: &[Measurement]) {
    report.table("steps", "Time of a step by stage", ABOUT_STEPS, rows(done));
    report.table("threads", "Threads", ABOUT_THREADS, thread_rows(done));
    let growth = "Growth with the number of spheres";
    report.table("growth", growth, ABOUT_GROWTH, growth_rows(done));
    report.figure(
        "growth",
        growth_figure(done),
        "Settled and moving piles, log-log.",
    );
    let caption = "The first series of piles: stages of its steps, log-log.";
    report.figure("stages", stage_figure(done), caption);
    same_bits(done, report);
}

const ABOUT_STEPS: &str = "Medians over the measured steps, in ms of wall time. Contacts are those \
     of the problem, near ones included. Penetration is the deepest overlap at the last step as a \
     share of the half thickness of the thinner body: of the radius, for spheres. Memory is the \
     largest of the process since the case began, with the scene and its kept state. The residual is \
     the worst of the measured steps; short counts those above the tolerance.";

const ABOUT_THREADS: &str = "The same steps from the same state. Digests are of all of the state \
     after them: equal ones mean equal bits.";

const ABOUT_GROWTH: &str = "Exponent p of the power law time ~ bodies^p that fits the medians best, \
     of whole steps and of a single iteration: a step may take more iterations where there are more \
     bodies.";

/// A time of a step, s.
type StepTime = fn(&StepReport) -> f64;

/// Stages of a step by name; what is left of the whole comes last.
const STAGES: [(&str, StepTime); 5] = [
    ("broad_ms", |r| r.times.broad),
    ("narrow_ms", |r| r.times.narrow),
    ("assembly_ms", |r| r.times.assembly),
    ("solve_ms", |r| r.times.solve),
    ("other_ms", other),
];

/// The whole step.
pub(super) const TOTAL: StepTime = |r| r.times.total;

fn other(report: &StepReport) -> f64 {
    let times = &report.times;
    let known = times.broad + times.narrow + times.assembly + times.solve;
    (times.total - known).max(0.0)
}

impl Measurement {
    /// Median of a time over the measured steps, ms.
    pub(super) fn time(&self, of: fn(&StepReport) -> f64) -> f64 {
        1e3 * self.median(of)
    }

    fn median(&self, of: fn(&StepReport) -> f64) -> f64 {
        median(self.reports.iter().map(of)).unwrap_or(f64::NAN)
    }

    /// Whether two measure the same thing but for the number of threads.
    fn same_case(&self, other: &Self) -> bool {
        let key = |m: &Self| (m.kind, m.motion, m.method, m.bodies);
        key(self) == key(other)
    }

    fn row(&self) -> Row {
        let short = self.reports.iter().filter(|r| !r.converged()).count();
        let residual = self.reports.iter().map(|r| r.residual);
        let mut row: Row = vec![
            ("scene", self.kind.name().into()),
            ("state", self.motion.name().into()),
            ("method", self.method.name().into()),
            ("bodies", self.bodies.into()),
            (
                "contacts",
                (self.median(|r| r.contacts as f64) as usize).into(),
            ),
            (
                "joint_rows",
                (self.median(|r| r.joint_rows as f64) as usize).into(),
            ),
            ("threads", self.threads.into()),
            ("steps", self.reports.len().into()),
            ("step_ms", self.time(TOTAL).into()),
        ];
        row.extend(STAGES.map(|(name, of)| (name, self.time(of).into())));
        row.extend([
            ("iterations", self.median(|r| r.iterations as f64).into()),
            ("residual", residual.fold(0.0, drystone::worse).into()),
            ("short", short.into()),
            ("penetration_percent", (100.0 * self.penetration).into()),
            (
                "memory_mb",
                self.memory.map(|bytes| (bytes as f64 / 1e6).round()).into(),
            ),
        ]);
        row
    }
}

fn rows(done: &[Measurement]) -> Vec<Row> {
    done.iter().map(Measurement::row).collect()
}

fn thread_rows(done: &[Measurement]) -> Vec<Row> {
    let row = |m: &Measurement| -> Option<Row> {
        let first = done.iter().find(|other| other.same_case(m))?;
        Some(vec![
            ("scene", m.kind.name().into()),
            ("state", m.motion.name().into()),
            ("method", m.method.name().into()),
            ("bodies", m.bodies.into()),
            ("threads", m.threads.into()),
            ("step_ms", m.time(TOTAL).into()),
            ("speed_up", (first.time(TOTAL) / m.time(TOTAL)).into()),
            ("digest", m.digest.as_str().into()),
        ])
    };
    done.iter().filter_map(row).collect()
}

/// Whether the bits are the same on every number of threads, as a sentence.
fn same_bits(done: &[Measurement], report: &mut BenchReport) {
    if done.iter().all(|m| m.threads == done[0].threads) {
        return;
    }
    let differ = |m: &&Measurement| {
        let first = done.iter().find(|other| other.same_case(m));
        first.is_some_and(|first| first.digest != m.digest)
    };
    let other: Vec<String> = done.iter().filter(differ).map(Measurement::name).collect();
    report.finding(match other.is_empty() {
        true => "The states after the steps have the same bits on every number of threads.".into(),
        false => format!(
            "Other bits than on the first number of threads: {}.",
            other.join(", ")
        ),
    });
}

impl Measurement {
    fn name(&self) -> String {
        let (kind, motion) = (self.kind.name(), self.motion.name());
        format!(
            "{kind} of {} bodies, {motion}, {}",
            self.bodies,
            plural(self.threads, "thread")
        )
    }
}

/// Piles that differ in their size only.
fn series(done: &[Measurement]) -> Vec<Vec<&Measurement>> {
    let key = |m: &Measurement| (m.motion, m.method, m.threads);
    let mut series: Vec<Vec<&Measurement>> = Vec::new();
    for m in done.iter().filter(|m| m.kind == SceneKind::Pile) {
        match series.iter_mut().find(|s| key(s[0]) == key(m)) {
            Some(same) => same.push(m),
            None => series.push(vec![m]),
        }
    }
    series
}

fn growth_rows(done: &[Measurement]) -> Vec<Row> {
    let row = |piles: Vec<&Measurement>| -> Option<Row> {
        let (first, last) = (piles.first()?, piles.last()?);
        let points = |of: fn(&Measurement) -> f64| -> Vec<[f64; 2]> {
            piles.iter().map(|m| [m.bodies as f64, of(m)]).collect()
        };
        let step = exponent(&points(|m| m.time(TOTAL)));
        let single = |m: &Measurement| m.time(|r| r.times.solve / r.iterations.max(1) as f64);
        let iteration = exponent(&points(single));
        step.is_finite().then(|| {
            vec![
                ("state", first.motion.name().into()),
                ("method", first.method.name().into()),
                ("threads", first.threads.into()),
                ("from_bodies", first.bodies.into()),
                ("to_bodies", last.bodies.into()),
                ("exponent_of_a_step", step.into()),
                ("exponent_of_an_iteration", iteration.into()),
            ]
        })
    };
    series(done).into_iter().filter_map(row).collect()
}

fn growth_figure(done: &[Measurement]) -> Figure {
    let scales = [AxisScale::Log, AxisScale::Log];
    let mut panel = Panel::new("bodies", "time of a step (ms)", scales);
    let mut legend = Vec::new();
    for (k, piles) in series(done).iter().enumerate() {
        let look = CurveLook::nth(k).with_marks(Mark::Circle);
        let (motion, method) = (piles[0].motion.name(), piles[0].method.name());
        let threads = plural(piles[0].threads, "thread");
        legend.push(LegendEntry::new(
            &format!("{motion}, {method}, {threads}"),
            look,
        ));
        panel.curves.push(Curve {
            look,
            points: piles
                .iter()
                .map(|m| [m.bodies as f64, m.time(TOTAL)])
                .collect(),
        });
    }
    Figure {
        title: "Time of a step".to_owned(),
        columns: 1,
        panels: vec![panel],
        legend,
    }
}

fn stage_figure(done: &[Measurement]) -> Figure {
    let scales = [AxisScale::Log, AxisScale::Log];
    let mut panel = Panel::new("bodies", "time of a stage (ms)", scales);
    let mut legend = Vec::new();
    if let Some(piles) = series(done).first() {
        for (k, (name, of)) in STAGES.into_iter().enumerate() {
            let look = CurveLook::nth(k).with_marks(Mark::Circle);
            legend.push(LegendEntry::new(name.trim_end_matches("_ms"), look));
            panel.curves.push(Curve {
                look,
                points: piles
                    .iter()
                    .map(|m| [m.bodies as f64, m.time(of)])
                    .collect(),
            });
        }
    }
    Figure {
        title: "Where the time goes".to_owned(),
        columns: 1,
        panels: vec![panel],
        legend,
    }
}
