//! The report of a comparison: one HTML page that needs nothing else.

mod setup;

use std::fmt::Write;

use drystone_ccp::{Law, Method};

use crate::figures::{self, Cost};
use crate::plot::svg::{dark, escape, light, variable};
use crate::plot::{Colours, Figure, Ink, legend_swatch, to_svg};
use crate::profile::median;
use crate::record::{ProblemRuns, Run, Study};
use crate::table::{Cell, Row, cell, short_number};

const CSS: &str = include_str!("report/page.css");
const SCRIPT: &str = include_str!("report/page.js");

/// Problems that are shown unfolded where there are no more than this.
const UNFOLDED: usize = 2;

/// How a method did on the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSummary {
    /// The method.
    pub method: Method,
    /// Problems that it solved.
    pub solved: usize,
    /// Problems that it does not take.
    pub refused: usize,
    /// Problems that it solved in the shortest time of all.
    pub fastest: usize,
    /// Problems that all methods had their turn on.
    pub problems: usize,
    /// Of its time over the best, where it solved.
    pub time_ratio: Option<Median>,
    /// Of its products over the fewest, where it solved.
    pub product_ratio: Option<Median>,
}

/// A median, and how much it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// How many problems it is over.
    pub over: usize,
}

impl Median {
    /// Of method `m` over the problems where its ratio is finite; `None` of none.
    fn of(ratios: &[Vec<f64>], m: usize) -> Option<Self> {
        let own = ratios.iter().map(|r| r[m]).filter(|r| r.is_finite());
        Some(Self {
            over: own.clone().count(),
            value: median(own)?,
        })
    }
}

/// How each method did on the problems that all had their turn on.
pub fn method_summaries(study: &Study) -> Vec<MethodSummary> {
    let problems = study.complete_problems();
    let times = figures::cost_ratios(study, Cost::Time);
    let products = figures::cost_ratios(study, Cost::Products);
    let summary = |(m, &method): (usize, &Method)| {
        let count = |of: fn(&Run) -> bool| problems.iter().filter(|p| of(&p.runs[m])).count();
        MethodSummary {
            method,
            solved: count(|run| run.converged().is_some()),
            refused: count(|run| run.outcome.is_err()),
            fastest: times.iter().filter(|r| r[m] == 1.0).count(),
            problems: problems.len(),
            time_ratio: Median::of(&times, m),
            product_ratio: Median::of(&products, m),
        }
    };
    study.methods.iter().enumerate().map(summary).collect()
}

/// The page.
pub fn page(study: &Study) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_page(&mut out, study);
    out
}

fn write_page(out: &mut String, study: &Study) -> std::fmt::Result {
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Drystone: comparison of methods</title>\n<style>\n{}{CSS}</style>\n</head>\n<body>",
        inks()
    )?;
    write_head(out, study)?;
    write_methods(out, study)?;
    write_profiles(out, study)?;
    write_runs(out, study)?;
    write_problems(out, study)?;
    setup::write_definitions(out, study)?;
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

/// So many of something.
pub fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The colours of all inks, light and dark.
fn inks() -> String {
    let methods = Method::ALL.into_iter().map(Ink::Method);
    let inks: Vec<Ink> = [Ink::Text, Ink::Muted, Ink::Grid]
        .into_iter()
        .chain(methods)
        .collect();
    let rules = |colour: fn(Ink) -> &'static str| -> String {
        let rule = |ink: &Ink| format!("--{}: {}; ", variable(*ink), colour(*ink));
        inks.iter().map(rule).collect()
    };
    format!(
        ":root {{ {}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {}}} }}\n",
        rules(light),
        rules(dark)
    )
}

fn write_head(out: &mut String, study: &Study) -> std::fmt::Result {
    writeln!(
        out,
        "<h1>Comparison of contact solvers</h1>\n<p class=\"lead\">{} on {}, {} friction law, to a relative residual of {:e}.</p>",
        plural(study.methods.len(), "method"),
        plural(study.problems.len(), "problem"),
        study.common.law.name(),
        study.common.tolerance
    )?;
    if study.cancelled {
        writeln!(
            out,
            "<p class=\"banner\"><strong>Cancelled before all runs had ended.</strong> The table of runs holds those that had; \
             the summary and the profiles count only problems that every method had its turn on ({} of {}).</p>",
            study.complete_problems().len(),
            study.problems.len()
        )?;
    }
    for problem in &study.problems {
        if let Some(Err(reason)) = &problem.facts {
            writeln!(
                out,
                "<p class=\"banner\"><strong>{}</strong> could not be read: {}</p>",
                escape(&problem.name),
                escape(reason)
            )?;
        }
    }
    setup::write_facts(out, study)
}

fn write_methods(out: &mut String, study: &Study) -> std::fmt::Result {
    writeln!(
        out,
        "<h2>Methods</h2>\n<div class=\"scroll\"><table><thead><tr>"
    )?;
    let headings = [
        ("method", true),
        ("solved", false),
        ("refused", false),
        ("fastest on", false),
        ("median time / best, where solved", false),
        ("median products / fewest, where solved", false),
    ];
    write_headings(out, &headings)?;
    for summary in method_summaries(study) {
        let number = |median: Option<Median>| match median {
            Some(Median { value, over }) => format!(
                "<td data-v=\"{value}\">{} (over {over})</td>",
                short_number(value)
            ),
            None => "<td>–</td>".to_owned(),
        };
        writeln!(
            out,
            "<tr><td class=\"w\">{}{}</td><td data-v=\"{s}\">{s} of {}</td><td data-v=\"{r}\">{r}</td><td data-v=\"{f}\">{f}</td>{}{}</tr>",
            legend_swatch(summary.method),
            summary.method.name(),
            summary.problems,
            number(summary.time_ratio),
            number(summary.product_ratio),
            s = summary.solved,
            r = summary.refused,
            f = summary.fastest,
        )?;
    }
    writeln!(
        out,
        "</tbody></table></div>\n<p class=\"note\">Medians are taken over the problems that the method solved, \
         as many as stand beside them: of two methods that solved different problems they compare nothing, the profiles \
         below do. The best is the best of all methods on each problem.</p>"
    )
}

fn write_headings(out: &mut String, headings: &[(&str, bool)]) -> std::fmt::Result {
    for (heading, word) in headings {
        let class = if *word { " class=\"w\"" } else { "" };
        write!(
            out,
            "<th{class}><button type=\"button\">{heading}</button></th>"
        )?;
    }
    writeln!(out, "</tr></thead><tbody>")
}

fn write_profiles(out: &mut String, study: &Study) -> std::fmt::Result {
    let problems = study.complete_problems().len();
    if problems == 0 {
        return Ok(());
    }
    writeln!(out, "<h2>Performance profiles</h2>")?;
    write_figure(out, figures::performance(study))?;
    writeln!(
        out,
        "<p class=\"note\">Share of {} that a method solves to the tolerance within a factor of the best method \
         on each (Dolan and Moré, 2002). Higher and further left is better; the left end shows how often \
         a method is best, the right end how many problems it solves at all.</p>",
        plural(problems, "problem")
    )
}

/// The panels side by side, or below each other on a phone, with the legend above.
fn write_figure(out: &mut String, figure: Figure) -> std::fmt::Result {
    write!(out, "<div class=\"legend\">")?;
    for &method in &figure.legend {
        write!(
            out,
            "<span>{}{}</span>",
            legend_swatch(method),
            method.name()
        )?;
    }
    writeln!(out, "</div>\n<div class=\"figures\">")?;
    for panel in figure.panels {
        let alone = Figure {
            title: String::new(),
            columns: 1,
            panels: vec![panel],
            legend: Vec::new(),
        };
        write!(
            out,
            "<figure>{}</figure>",
            to_svg(&alone.scene(), Colours::Page)
        )?;
    }
    writeln!(out, "</div>")
}

const RUN_COLUMNS: [(&str, &str, bool); 11] = [
    ("problem", "problem", true),
    ("contacts", "contacts", false),
    ("rows", "rows", false),
    ("method", "method", true),
    ("termination", "ended", true),
    ("iterations", "iterations", false),
    ("products", "products", false),
    ("seconds", "time (s)", false),
    ("residual", "residual", false),
    ("objective", "objective (J)", false),
    ("cone_violation", "outside cone (N s)", false),
];

/// Columns of the table of runs that a table under a problem's heading needs.
const OWN_COLUMNS: std::ops::Range<usize> = 3..11;

fn write_runs(out: &mut String, study: &Study) -> std::fmt::Result {
    writeln!(out, "<h2>Runs</h2>\n<div class=\"scroll tall\">")?;
    let mut rows = Vec::new();
    for problem in &study.problems {
        rows.extend(problem.runs.iter().map(|run| study.row(problem, Some(run))));
    }
    write_run_table(out, &RUN_COLUMNS, &rows)?;
    writeln!(
        out,
        "</div>\n<p class=\"note\">Press a heading to sort. The same rows with all digits are in <code>results.csv</code>.</p>"
    )
}

fn write_run_table(
    out: &mut String,
    columns: &[(&str, &str, bool)],
    rows: &[Row],
) -> std::fmt::Result {
    writeln!(out, "<table><thead><tr>")?;
    let headings: Vec<(&str, bool)> = columns.iter().map(|(_, h, word)| (*h, *word)).collect();
    write_headings(out, &headings)?;
    for row in rows {
        write!(out, "<tr>")?;
        for (k, (name, ..)) in columns.iter().enumerate() {
            write_cell(out, name, cell(row, name))?;
            // Instead of numbers that there are none of: why.
            if *name == "termination" && cell(row, name).short() == "refused" {
                let (left, reason) = (columns.len() - k - 1, cell(row, "reason").short());
                let reason = escape(&reason);
                write!(
                    out,
                    "<td class=\"w reason\" colspan=\"{left}\"><span>{reason}</span></td>"
                )?;
                break;
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table>")
}

fn write_cell(out: &mut String, name: &str, cell: &Cell) -> std::fmt::Result {
    let text = escape(&cell.short());
    match cell {
        Cell::Text(word) if name == "termination" => {
            let class = if word == "converged" { "good" } else { "bad" };
            write!(out, "<td class=\"w {class}\">{text}</td>")
        }
        Cell::Text(_) if name == "problem" => {
            write!(out, "<td class=\"w name\" title=\"{text}\">{text}</td>")
        }
        Cell::Text(_) => write!(out, "<td class=\"w\">{text}</td>"),
        Cell::Count(count) => write!(out, "<td data-v=\"{count}\">{text}</td>"),
        Cell::Number(number) if number.is_finite() => {
            write!(out, "<td data-v=\"{number:e}\">{text}</td>")
        }
        Cell::Number(_) | Cell::Empty => write!(out, "<td>–</td>"),
    }
}

fn write_problems(out: &mut String, study: &Study) -> std::fmt::Result {
    writeln!(out, "<h2>Problems</h2>")?;
    let open = if study.problems.len() <= UNFOLDED {
        " open"
    } else {
        ""
    };
    for problem in study.problems.iter().filter(|p| !p.runs.is_empty()) {
        write_problem(out, study, problem, open)?;
    }
    Ok(())
}

fn write_problem(
    out: &mut String,
    study: &Study,
    problem: &ProblemRuns,
    open: &str,
) -> std::fmt::Result {
    let Some(facts) = problem.known() else {
        return Ok(());
    };
    let solved = problem.runs.iter().filter_map(Run::converged).count();
    writeln!(
        out,
        "<details{open}><summary><strong>{}</strong> <span>{} contacts, {} rows{}; {solved} of {} methods converged</span></summary>",
        escape(&problem.name),
        facts.contacts,
        facts.rows,
        if facts.symmetric {
            ""
        } else {
            ", not symmetric"
        },
        problem.runs.len()
    )?;
    write_figure(out, figures::convergence(study, problem))?;
    writeln!(out, "<p class=\"note\">{}</p>", gap_note(study, problem))?;
    let rows: Vec<Row> = problem
        .runs
        .iter()
        .map(|run| study.row(problem, Some(run)))
        .collect();
    writeln!(out, "<div class=\"scroll\">")?;
    write_run_table(out, &RUN_COLUMNS[OWN_COLUMNS], &rows)?;
    writeln!(out, "</div></details>")
}

/// What the objective gap is measured from, or why there is none.
fn gap_note(study: &Study, problem: &ProblemRuns) -> String {
    match (figures::gap_origin(study, problem), study.common.law.law()) {
        (Some(best), _) => format!(
            "Squares mark where a run ended. f* = {best:e} J is the objective of the converged run with the smallest \
             residual, whose own gap therefore ends at zero; points outside the cones may lie below f*, so the gap is \
             drawn without its sign."
        ),
        (None, Law::Exact) => {
            "Squares mark where a run ended. No objective gap: the exact law minimises nothing.".to_owned()
        }
        (None, Law::Relaxed) if problem.known().is_some_and(|f| !f.symmetric) => {
            "Squares mark where a run ended. No objective gap: the matrix is not symmetric, so nothing is minimised."
                .to_owned()
        }
        (None, Law::Relaxed) => {
            "Squares mark where a run ended. No objective gap: no run converged.".to_owned()
        }
    }
}
