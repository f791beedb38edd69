//! The report of a comparison: one HTML page that needs nothing else.

use drystone_ccp::{Law, Method};

use super::figures::{self, RunCost};
use super::profile::median;
use super::record::{Comparison, MethodRun, ProblemRuns};
use crate::page::table::Tone;
use crate::page::{Column, Entry, Page, Table, escape};
use crate::table::{Cell, cell, plural, short_number};
use drystone_draw::plot::CurveLook;

/// With no more problems than this, each is shown unfolded: the page is short enough.
const UNFOLDED: usize = 2;

/// How a method did over all problems of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSummary {
    /// The method.
    pub method: Method,
    /// Problems that it solved.
    pub solved: usize,
    /// Problems that it does not accept.
    pub refused: usize,
    /// Problems that it solved in the shortest time of all.
    pub fastest: usize,
    /// Problems that are counted: those on which every method ran to an end of its own.
    pub problems: usize,
    /// Median of its time over the shortest, over the problems that it solved.
    pub time_ratio: Option<Median>,
    /// Median of its products over the fewest, over the problems that it solved.
    pub product_ratio: Option<Median>,
}

/// A median, and how much it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// How many problems it is taken over.
    pub over: usize,
}

impl Median {
    /// Median of the ratios of method `m`, over the problems where they are finite; `None` if none.
    fn of(ratios: &[Vec<f64>], m: usize) -> Option<Self> {
        let own = ratios.iter().map(|r| r[m]).filter(|r| r.is_finite());
        Some(Self {
            over: own.clone().count(),
            value: median(own)?,
        })
    }
}

impl Comparison {
    /// How each method did, in the comparison's order. Only problems on which every method ran to
    /// an end of its own are counted.
    pub fn method_summaries(&self) -> Vec<MethodSummary> {
        let problems = self.complete_problems();
        let times = figures::cost_ratios(self, RunCost::Time);
        let products = figures::cost_ratios(self, RunCost::Products);
        let summary = |(m, &method): (usize, &Method)| {
            let count =
                |of: fn(&MethodRun) -> bool| problems.iter().filter(|p| of(&p.runs[m])).count();
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
        self.methods.iter().enumerate().map(summary).collect()
    }
}

/// The report as one HTML page.
pub(super) fn page(comparison: &Comparison) -> String {
    let mut page = Page::new("Comparison of contact solvers");
    add_head(&mut page, comparison);
    add_methods(&mut page, comparison);
    add_profiles(&mut page, comparison);
    add_runs(&mut page, comparison);
    page.heading("Problems");
    for problem in comparison.problems.iter().filter(|p| !p.runs.is_empty()) {
        add_problem(&mut page, comparison, problem);
    }
    page.heading("Definitions")
        .html(&crate::setup::definitions(comparison));
    page.finish()
}

fn add_head(page: &mut Page, comparison: &Comparison) {
    page.lead(&format!(
        "{} on {}, {} friction law, to a relative residual of {:e}.",
        plural(comparison.methods.len(), "method"),
        plural(comparison.problems.len(), "problem"),
        comparison.law.name(),
        comparison.limits.tolerance
    ));
    let mut banner = |what: &str, more: &str| {
        let (what, more) = (escape(what), escape(more));
        page.html(&format!(
            "<p class=\"banner\"><strong>{what}</strong> {more}</p>"
        ));
    };
    if comparison.cancelled {
        let more = format!(
            "The table of runs holds those that had; the summary and the profiles count only \
             problems that every method had its turn on ({} of {}).",
            comparison.complete_problems().len(),
            comparison.problems.len()
        );
        banner("Cancelled before all runs had ended.", &more);
    }
    for problem in &comparison.problems {
        if let Some(Err(reason)) = &problem.facts {
            banner(&problem.name, &format!("could not be read: {reason}"));
        }
    }
    page.facts(&crate::setup::facts(comparison));
}

fn add_methods(page: &mut Page, comparison: &Comparison) {
    let columns = vec![
        Column::word("method"),
        Column::number("solved"),
        Column::number("refused"),
        Column::number("fastest on"),
        Column::number("median time / best, where solved"),
        Column::number("median products / fewest, where solved"),
    ];
    let ratio = |median: Option<Median>| match median {
        Some(Median { value, over }) => {
            Entry::from(value).shown_as(format!("{} (over {over})", short_number(value)))
        }
        None => Cell::Empty.into(),
    };
    let row = |summary: MethodSummary| {
        let (method, solved) = (summary.method, summary.solved);
        vec![
            Entry::from(method.name()).swatch(CurveLook::method(method)),
            Entry::from(solved).shown_as(format!("{solved} of {}", summary.problems)),
            summary.refused.into(),
            summary.fastest.into(),
            ratio(summary.time_ratio),
            ratio(summary.product_ratio),
        ]
    };
    let table = Table {
        rows: comparison.method_summaries().into_iter().map(row).collect(),
        note: "Medians are taken over the problems that the method solved; their number stands \
               beside each. Medians of two methods that solved different problems cannot be \
               compared; the profiles below can. The best is the best of all methods on each \
               problem."
            .to_owned(),
        ..Table::new(columns)
    };
    page.heading("Methods").table(&table);
}

fn add_profiles(page: &mut Page, comparison: &Comparison) {
    let problems = comparison.complete_problems().len();
    if problems == 0 {
        return;
    }
    let caption = format!(
        "Share of {} that a method solves to the tolerance within a factor of the best method on \
         each (Dolan and Moré, 2002). Higher and further left is better; the left end shows how \
         often a method is best, the right end how many problems it solves at all.",
        plural(problems, "problem")
    );
    page.heading("Performance profiles")
        .figure(&figures::performance(comparison), &caption);
}

/// Columns of the table of runs: name in `results.csv`, heading on the page, whether it holds
/// words.
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

fn add_runs(page: &mut Page, comparison: &Comparison) {
    let table = Table {
        tall: true,
        ..run_table(comparison, &comparison.problems, &RUN_COLUMNS)
    };
    page.heading("Runs").table(&table).html(
        "<p class=\"note\">Press a heading to sort. The same rows with all digits are in \
         <code>results.csv</code>.</p>",
    );
}

fn run_table(
    comparison: &Comparison,
    problems: &[ProblemRuns],
    columns: &[(&str, &str, bool)],
) -> Table {
    let column = |&(_, heading, is_word): &(&str, &str, bool)| Column {
        heading: heading.to_owned(),
        is_word,
    };
    let mut table = Table::new(columns.iter().map(column).collect());
    for problem in problems {
        for run in &problem.runs {
            let row = comparison.row(problem, Some(run));
            let mut entries = Vec::new();
            for (name, ..) in columns {
                entries.push(entry(name, cell(&row, name)));
                // There are no numbers; the rest of the row says why.
                if *name == "termination" && cell(&row, name).short() == "refused" {
                    let reason = Entry::from(cell(&row, "reason").clone());
                    entries.push(reason.tone(Tone::Reason));
                    break;
                }
            }
            table.rows.push(entries);
        }
    }
    table
}

fn entry(name: &str, cell: &Cell) -> Entry {
    let entry = Entry::from(cell.clone());
    match cell {
        Cell::Text(word) if name == "termination" => match word.as_str() {
            "converged" => entry.good(),
            _ => entry.bad(),
        },
        Cell::Text(_) if name == "problem" => entry.tone(Tone::Name),
        Cell::Text(_) | Cell::Count(_) | Cell::Number(_) | Cell::Empty => entry,
    }
}

fn add_problem(page: &mut Page, comparison: &Comparison, problem: &ProblemRuns) {
    let Some(facts) = problem.known() else {
        return;
    };
    let open = if comparison.problems.len() <= UNFOLDED {
        " open"
    } else {
        ""
    };
    let symmetry = if facts.symmetric {
        ""
    } else {
        ", not symmetric"
    };
    let solved = problem.runs.iter().filter_map(MethodRun::converged).count();
    page.html(&format!(
        "<details{open}><summary><strong>{}</strong> <span>{} contacts, {} rows{symmetry}; \
         {solved} of {} methods converged</span></summary>",
        escape(&problem.name),
        facts.contacts,
        facts.rows,
        problem.runs.len()
    ));
    let own = std::slice::from_ref(problem);
    page.figure(
        &figures::convergence(comparison, problem),
        &gap_note(comparison, problem),
    )
    .table(&run_table(comparison, own, &RUN_COLUMNS[OWN_COLUMNS]))
    .html("</details>");
}

/// What the objective gap is measured from, or why there is none.
fn gap_note(comparison: &Comparison, problem: &ProblemRuns) -> String {
    match (figures::gap_origin(comparison, problem), comparison.law) {
        (Some(best), _) => format!(
            "Squares mark where a run ended. f* = {best:e} J is the objective of the converged run \
             with the smallest residual, whose own gap therefore ends at zero. Points outside the \
             cones may lie below f*, so the gap is drawn without its sign."
        ),
        (None, Law::Exact) => {
            "Squares mark where a run ended. No objective gap: the exact law minimises nothing."
                .to_owned()
        }
        (None, Law::Relaxed) if problem.known().is_some_and(|f| !f.symmetric) => {
            "Squares mark where a run ended. No objective gap: the matrix is not symmetric, so \
             nothing is minimised."
                .to_owned()
        }
        (None, Law::Relaxed) => {
            "Squares mark where a run ended. No objective gap: no run converged.".to_owned()
        }
    }
}
