//! Tables, profiles and sentences of [`super::solvers`].

use drystone_ccp::Method;

use super::{Measurement, RESIDUALS};
use crate::bench::BenchReport;
use crate::compare::profile::{profiles, ratios};
use crate::table::{Row, plural, short_number};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Panel};

/// The residuals that profiles are made for: indices into [`RESIDUALS`].
const PROFILED: [usize; 4] = [0, 2, 4, 6];

/// Factors of the best time that the table of profiles has columns for.
const FACTORS: [(f64, &str); 5] = [
    (1.0, "best"),
    (1.2, "within_1.2"),
    (2.0, "within_2"),
    (10.0, "within_10"),
    (f64::MAX, "reached"),
];

/// Puts what was measured into the report.
pub(super) fn add(
    report: &mut BenchReport,
    done: &[Measurement],
    skipped: Vec<Row>,
    methods: &[Method],
) {
    let rows = done.iter().map(Measurement::row).collect();
    report.table("solvers", "Time to a residual", ABOUT, rows);
    report.table(
        "profile",
        "Performance profiles",
        ABOUT_PROFILE,
        profile_rows(done, methods),
    );
    report.table(
        "auto",
        "auto beside the best single method",
        ABOUT_AUTO,
        auto_rows(done),
    );
    report.table("skipped", "Not run", "", skipped);
    report.figure("profiles", profile_figure(done, methods), CAPTION);
    for sentence in auto_sentences(done) {
        report.finding(sentence);
    }
    for sentence in unsolved_sentences(done) {
        report.finding(sentence);
    }
}

const ABOUT: &str = "Seconds of wall time from zero impulses to the first check of the residual that \
     is below each bound; nothing where it was not reached within the time limit. Answered by: the \
     method that auto handed the problem to.";

const ABOUT_PROFILE: &str = "Share of the problems, in per cent, that a method brings to the residual \
     within a factor of the shortest time of all methods on each (Dolan and Moré, 2002). A problem \
     that a method refuses counts as not reached. Only problems that some method brings there count.";

/// Problems that the best method solves in less time do not count in the sentences on `auto`, s:
/// there its choice alone takes longer.
const NOTABLE: f64 = 1e-3;

const ABOUT_AUTO: &str = "The best of all other methods in this run. No factor where auto did not get \
     there.";

const CAPTION: &str = "Share of the problems that a method brings to the residual within a factor of \
     the shortest time of all. Higher and further left is better.";

impl Measurement {
    fn row(&self) -> Row {
        let mut row: Row = vec![
            ("problem", self.problem.as_str().into()),
            ("contacts", self.facts.contacts.into()),
            ("rows", self.facts.rows.into()),
            ("method", self.method.name().into()),
            ("answered_by", self.answered_by.into()),
            ("threads", self.threads.into()),
            ("ended", self.ended.into()),
            ("iterations", self.iterations.into()),
            ("residual", self.residual.into()),
            ("seconds", self.seconds.into()),
        ];
        let columns = RESIDUALS.iter().zip(self.times);
        row.extend(columns.map(|((_, name), time)| (*name, time.into())));
        row
    }
}

/// Problems on a number of threads, each once, in the order of their runs.
fn problems(done: &[Measurement]) -> Vec<(&str, usize)> {
    let mut all: Vec<(&str, usize)> = Vec::new();
    for m in done {
        let key = (m.problem.as_str(), m.threads);
        if !all.contains(&key) {
            all.push(key);
        }
    }
    all
}

fn run_of<'a>(
    done: &'a [Measurement],
    (problem, threads): (&str, usize),
    method: Method,
) -> Option<&'a Measurement> {
    let own =
        |m: &&Measurement| (m.problem.as_str(), m.threads, m.method) == (problem, threads, method);
    done.iter().find(own)
}

/// `time / best time` to a residual: a row a problem that some method brings there, a column a
/// method.
fn time_ratios(done: &[Measurement], methods: &[Method], residual: usize) -> Vec<Vec<f64>> {
    let costs = problems(done).into_iter().map(|key| {
        let time = |&method: &Method| run_of(done, key, method)?.times[residual];
        methods.iter().map(time).collect::<Vec<Option<f64>>>()
    });
    let reached = |costs: &Vec<Option<f64>>| costs.iter().any(Option::is_some);
    ratios(&costs.filter(reached).collect::<Vec<_>>())
}

fn profile_rows(done: &[Measurement], methods: &[Method]) -> Vec<Row> {
    let mut rows = Vec::new();
    for k in PROFILED {
        let ratios = time_ratios(done, methods, k);
        if ratios.is_empty() {
            continue;
        }
        for (m, method) in methods.iter().enumerate() {
            let mut row: Row = vec![
                ("residual", RESIDUALS[k].0.into()),
                ("method", method.name().into()),
                ("problems", ratios.len().into()),
            ];
            for (factor, name) in FACTORS {
                let within = ratios.iter().filter(|r| r[m] <= factor).count();
                row.push((name, (100.0 * within as f64 / ratios.len() as f64).into()));
            }
            rows.push(row);
        }
    }
    rows
}

fn profile_figure(done: &[Measurement], methods: &[Method]) -> Figure {
    let panel = |k: usize| {
        let ratios = time_ratios(done, methods, k);
        let curve = |(&method, profile): (&Method, crate::compare::profile::Profile)| Curve {
            look: CurveLook::method(method),
            points: profile.corners,
        };
        let scales = [AxisScale::Log, AxisScale::Share];
        Panel {
            title: format!("to {:e}", RESIDUALS[k].0),
            curves: methods.iter().zip(profiles(&ratios)).map(curve).collect(),
            ..Panel::new("time / shortest time", "problems solved", scales)
        }
    };
    Figure {
        title: "Performance profiles".to_owned(),
        columns: 2,
        panels: PROFILED.map(panel).to_vec(),
        legend: methods.iter().map(|&m| LegendEntry::method(m)).collect(),
    }
}

/// `auto` against the best other method on one problem to one residual.
struct Behind<'a> {
    problem: (&'a str, usize),
    residual: usize,
    best: (Method, f64),
    /// None where `auto` did not get there.
    auto: Option<f64>,
}

fn behind(done: &[Measurement]) -> Vec<Behind<'_>> {
    let mut all = Vec::new();
    for residual in PROFILED {
        for problem in problems(done) {
            let Some(auto) = run_of(done, problem, Method::Auto) else {
                continue;
            };
            let others = done
                .iter()
                .filter(|m| (m.problem.as_str(), m.threads) == problem && m.method != Method::Auto);
            let times = others.filter_map(|m| Some((m.method, m.times[residual]?)));
            if let Some(best) = times.min_by(|a, b| a.1.total_cmp(&b.1)) {
                all.push(Behind {
                    problem,
                    residual,
                    best,
                    auto: auto.times[residual],
                });
            }
        }
    }
    all
}

fn auto_rows(done: &[Measurement]) -> Vec<Row> {
    let row = |b: Behind<'_>| -> Row {
        vec![
            ("residual", RESIDUALS[b.residual].0.into()),
            ("problem", b.problem.0.into()),
            ("threads", b.problem.1.into()),
            ("best_method", b.best.0.name().into()),
            ("best_s", b.best.1.into()),
            ("auto_s", b.auto.into()),
            ("factor", b.auto.map(|auto| auto / b.best.1).into()),
        ]
    };
    behind(done).into_iter().map(row).collect()
}

fn auto_sentences(done: &[Measurement]) -> Vec<String> {
    let all = behind(done);
    let mut sentences = Vec::new();
    for residual in PROFILED {
        let counts = |b: &&Behind<'_>| b.residual == residual && b.best.1 >= NOTABLE;
        let own: Vec<&Behind<'_>> = all.iter().filter(counts).collect();
        let factors = own.iter().map(|b| (b.auto.map(|auto| auto / b.best.1), b));
        let worst = factors.filter_map(|(factor, b)| Some((factor?, b)));
        let bound = format!("{:e}", RESIDUALS[residual].0);
        if let Some((factor, b)) = worst.max_by(|a, b| a.0.total_cmp(&b.0)) {
            sentences.push(format!(
                "To {bound}, auto is at most {} times the best single method on the {} that take a \
                 millisecond and more: {} against {}.",
                short_number(factor),
                plural(own.len(), "problem"),
                b.problem.0,
                b.best.0.name()
            ));
        }
        let missed: Vec<&str> = own
            .iter()
            .filter(|b| b.auto.is_none())
            .map(|b| b.problem.0)
            .collect();
        if !missed.is_empty() {
            sentences.push(format!(
                "To {bound}, auto does not get there in time, and another method does, on {}.",
                missed.join(", ")
            ));
        }
    }
    sentences
}

/// Which problems nothing brings to a residual: profiles leave them out.
fn unsolved_sentences(done: &[Measurement]) -> Vec<String> {
    let mut sentences = Vec::new();
    for residual in PROFILED {
        let reached = |key: &(&str, usize)| {
            let own = |m: &&Measurement| (m.problem.as_str(), m.threads) == *key;
            done.iter().filter(own).any(|m| m.times[residual].is_some())
        };
        let all = problems(done).into_iter();
        let mut names: Vec<&str> = all.filter(|key| !reached(key)).map(|key| key.0).collect();
        names.dedup(); // on several numbers of threads
        if !names.is_empty() {
            sentences.push(format!(
                "To {:e}, no method gets there in time on {}.",
                RESIDUALS[residual].0,
                names.join(", ")
            ));
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::ProblemFacts;

    fn run(problem: &str, method: Method, seconds: Option<f64>) -> Measurement {
        Measurement {
            problem: problem.to_owned(),
            facts: ProblemFacts {
                contacts: 1,
                rows: 3,
                mean_diagonal: 1.0,
                symmetric: true,
            },
            method,
            threads: 1,
            answered_by: method.name(),
            ended: "converged",
            iterations: 1,
            residual: 1e-9,
            seconds: 1.0,
            times: [seconds; RESIDUALS.len()],
        }
    }

    #[test]
    fn the_sentences_on_auto_come_from_the_figures() {
        let runs = [
            run("a", Method::Auto, Some(3.0)),
            run("a", Method::Apgd, Some(2.0)),
            run("a", Method::Spg, Some(4.0)),
            run("b", Method::Auto, None),
            run("b", Method::Spg, Some(1.0)),
        ];
        let sentences = auto_sentences(&runs);
        let worst = "at most 1.500 times the best single method on the 2 problems that take a \
                     millisecond and more: a against apgd.";
        assert!(sentences[0].ends_with(worst), "{}", sentences[0]);
        assert!(
            sentences[1].ends_with("another method does, on b."),
            "{}",
            sentences[1]
        );
        assert!(unsolved_sentences(&runs).is_empty());
        let none = [run("c", Method::Auto, None), run("c", Method::Spg, None)];
        let words = "To 1e-2, no method gets there in time on c.";
        assert_eq!(unsolved_sentences(&none)[0], words);
        let rows = profile_rows(&runs, &[Method::Auto, Method::Spg]);
        // Of the two, auto is the faster on a and does not solve b.
        let share = |row: &Row, name| crate::table::cell(row, name).clone();
        assert_eq!(share(&rows[0], "best"), 50.0.into());
        assert_eq!(share(&rows[1], "reached"), 100.0.into());
    }
}
