//! Several methods on several problems, each run for the same tolerance within the same limits.
//!
//! [`compare()`] leaves a folder:
//!
//! | file | holds |
//! |---|---|
//! | `report.html` | one page with all tables and figures |
//! | `results.csv` | one row per run, written as soon as the run has ended |
//! | `history/PROBLEM--METHOD.csv` | one row per check of the residual |
//! | `figures/` | convergence on each problem, performance profiles over all; SVG and PNG |

// `record.rs` holds what a comparison collects, `profile.rs` the statistics over problems,
// `figures.rs` and `report.rs` what is made of both.
pub(crate) mod figures;
pub(crate) mod profile;
pub(crate) mod record;
mod report;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drystone_ccp::{Limits, Method, MethodSettings, SolveInfo, Termination};
use drystone_draw::files::write_figure_for_papers;
use drystone_draw::plot::Figure;
use drystone_problems::{Problem, read_problem};
use drystone_run::atomic::write_atomically;
use drystone_run::regular::open_own;
use drystone_run::{Control, Event};

use crate::error::StudyError;
use crate::job::{Job, ProblemFacts};
use crate::output::{check_writable, make_folder, write_bytes};
use crate::table::{Row, csv_heading, csv_line, history_csv, short_number};
use record::{HISTORY_ROWS, thinned};

pub use record::{Comparison, ComparisonSettings, MethodRun, ProblemRuns};
pub use report::{Median, MethodSummary};

/// Name of the page in the folder of a comparison.
pub const REPORT: &str = "report.html";

/// Runs every method on every problem and writes tables, figures and the page into `folder`.
///
/// Where none of the files exists, that is an error before any work. A problem that cannot be read,
/// or that a method does not accept, is recorded with the reason, and the others go on. Once the
/// caller
/// cancels, the current run stops; the report then holds the runs that have ended, and
/// [`Comparison::cancelled`] is set.
pub fn compare(
    files: &[PathBuf],
    settings: &ComparisonSettings,
    folder: &Path,
    control: Control<'_>,
) -> Result<Comparison, StudyError> {
    if let Some(file) = files.first().filter(|_| !files.iter().any(|f| f.is_file())) {
        return Err(StudyError::place(file, "there is no such file"));
    }
    let mut comparison = Comparison::new(files, settings);
    let mut folder = ComparisonFolder::open(folder, &comparison.no_row())?;
    run_all(&mut comparison, &mut folder, control)?;
    comparison.cancelled = control.is_cancelled();
    control.tell(Event::Saving);
    folder.finish(&comparison)?;
    Ok(comparison)
}

fn run_all(
    comparison: &mut Comparison,
    folder: &mut ComparisonFolder,
    control: Control<'_>,
) -> Result<(), StudyError> {
    for index in 0..comparison.problems.len() {
        if control.is_cancelled() {
            break;
        }
        let file = match read_problem(&comparison.problems[index].file) {
            Ok(file) => file,
            Err(error) => {
                control.tell(Event::Warning(&error.to_string()));
                comparison.problems[index].facts = Some(Err(error.fault.to_string()));
                folder.append(&comparison.row(&comparison.problems[index], None))?;
                continue;
            }
        };
        comparison.problems[index].facts = Some(Ok(ProblemFacts::of(&file.problem)));
        for k in 0..comparison.methods.len() {
            if control.is_cancelled() {
                break;
            }
            let method = comparison.methods[k];
            let run = run_one(comparison, index, method, &file.problem, folder, control)?;
            comparison.problems[index].runs.push(run);
            let problem = &comparison.problems[index];
            folder.append(&comparison.row(problem, problem.runs.last()))?;
        }
        if control.is_cancelled() {
            control.tell(Event::Saving);
        }
        let figure = figures::convergence(comparison, &comparison.problems[index]);
        let name = format!("convergence-{}", comparison.problems[index].name);
        folder.write_figure(&name, &figure)?;
    }
    Ok(())
}

/// Time that a run with history gets, as a multiple of the limit. Recording was measured to cost
/// 11 to 18 %; a quarter more time leaves some margin.
const RECORDING_ALLOWANCE: f64 = 1.25;

/// Runs a method with history and writes the history. Where the method converged, it is run again
/// without history, within the time limit as it was asked for, and that run counts.
fn run_one(
    comparison: &Comparison,
    index: usize,
    method: Method,
    problem: &Problem,
    folder: &ComparisonFolder,
    control: Control<'_>,
) -> Result<MethodRun, StudyError> {
    let name = &comparison.problems[index].name;
    let all = comparison.problems.len() * comparison.methods.len();
    let before = index * comparison.methods.len() + comparison.problems[index].runs.len();
    let label = format!("[{}/{all}] {name}, {}", before + 1, method.name());
    control.tell(Event::Begin(&label));
    let limits = comparison.limits;
    let solve = |history: bool| {
        let job = Job {
            method: MethodSettings::new(method),
            law: comparison.law,
            limits: if history { recorded(limits) } else { limits },
            history: history.then_some(HISTORY_ROWS),
        };
        let mut gamma = vec![0.0; problem.dim()];
        job.run(problem, &mut gamma, control)
    };
    let outcome = solve(true).map(|mut first| {
        let history = std::mem::take(&mut first.history);
        let info = match first.converged().then(|| solve(false)) {
            Some(Ok(again)) => counted(first, again, &limits),
            // It did not converge. The error cannot come: the first run accepted the problem.
            None | Some(Err(_)) => first,
        };
        (info, history)
    });
    let outcome = match outcome {
        Ok((info, history)) => {
            folder.write_history(name, method, &history_csv(&history))?;
            let history = thinned(&history);
            Ok(SolveInfo { history, ..info })
        }
        Err(error) => Err(error.to_string()),
    };
    let verdict = format!("{label}: {}", verdict(&outcome));
    control.tell(Event::End(Some(&verdict)));
    Ok(MethodRun { method, outcome })
}

/// The limits of a run with history.
fn recorded(limits: Limits) -> Limits {
    Limits {
        time_limit: limits
            .time_limit
            .map(|limit| limit.mul_f64(RECORDING_ALLOWANCE)),
        ..limits
    }
}

/// Which of two runs counts, where the first, with history, converged: the second, unless the
/// caller cancelled it and the first had kept to the time limit.
fn counted(first: SolveInfo, again: SolveInfo, limits: &Limits) -> SolveInfo {
    let in_time = |limit: Duration| first.seconds <= limit.as_secs_f64();
    if again.termination == Termination::Cancelled && limits.time_limit.is_none_or(in_time) {
        first
    } else {
        again
    }
}

fn verdict(outcome: &Result<SolveInfo, String>) -> String {
    match outcome {
        Ok(info) => format!(
            "{}, residual {:.1e}, {} iterations, {} s",
            info.termination.name(),
            info.certificate.residual,
            info.iterations,
            short_number(info.seconds)
        ),
        Err(reason) => format!("refused: {reason}"),
    }
}

/// The folder that a comparison writes to.
struct ComparisonFolder {
    root: PathBuf,
    results: PathBuf,
    table: File,
}

impl ComparisonFolder {
    /// Makes the folder where needed and begins a new table of results. `columns` is any row of it.
    fn open(root: &Path, columns: &Row) -> Result<Self, StudyError> {
        for folder in [root.to_owned(), root.join("history"), root.join("figures")] {
            make_folder(&folder)?;
        }
        let results = root.join("results.csv");
        check_writable(&results)?;
        check_writable(&root.join(REPORT))?;
        let heading = csv_heading(columns);
        // From here on nothing of an earlier comparison is in the table, whatever happens next.
        let begin = || {
            write_atomically(&results, heading.as_bytes())?;
            open_own(&results, OpenOptions::new().append(true))
        };
        let table = begin().map_err(|e| StudyError::writing(&results, e))?;
        Ok(Self {
            root: root.to_owned(),
            results,
            table,
        })
    }

    /// Adds a row to the table of results; it is on disk before the next run begins.
    fn append(&mut self, row: &Row) -> Result<(), StudyError> {
        // One call for the whole row, so that a full disk is unlikely to leave half of one.
        let line = csv_line(row);
        let written = self.table.write_all(line.as_bytes());
        written
            .and_then(|()| self.table.sync_data())
            .map_err(|e| StudyError::writing(&self.results, e))
    }

    fn write_history(&self, problem: &str, method: Method, csv: &str) -> Result<(), StudyError> {
        let name = format!("{problem}--{}.csv", method.name());
        write_bytes(&self.root.join("history").join(name), csv.as_bytes())
    }

    fn write_figure(&self, name: &str, figure: &Figure) -> Result<(), StudyError> {
        let stem = self.root.join("figures").join(name);
        Ok(write_figure_for_papers(&stem, figure)?)
    }

    fn finish(&self, comparison: &Comparison) -> Result<(), StudyError> {
        if !comparison.complete_problems().is_empty() {
            self.write_figure("performance-profiles", &figures::performance(comparison))?;
        }
        let page = report::page(comparison);
        write_bytes(&self.root.join(REPORT), page.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use drystone_ccp::{Certificate, Law};

    use super::*;

    fn info(termination: Termination, seconds: f64) -> SolveInfo {
        SolveInfo {
            method: "apgd",
            law: Law::Relaxed,
            termination,
            iterations: 1,
            products: 1,
            work: 1.0,
            seconds,
            certificate: Certificate {
                residual: 0.0,
                residual_velocity: 0.0,
                objective: 0.0,
                cone_violation: 0.0,
                dual_violation: 0.0,
                duality_gap: None,
            },
            history: Vec::new(),
            attempts: Vec::new(),
        }
    }

    #[test]
    fn recording_does_not_cost_a_method_its_success() {
        let limit = |seconds| Limits {
            time_limit: Some(Duration::from_secs(seconds)),
            ..Limits::default()
        };
        assert_eq!(recorded(limit(4)), limit(5));
        assert_eq!(recorded(Limits::default()), Limits::default());

        use Termination::{Cancelled, Converged, TimeLimit};
        // Seconds of the first run, the second run, and which counts under a limit of 4 s.
        for (first, again, expected) in [
            (4.5, (Converged, 3.9), (Converged, 3.9)),
            (4.9, (TimeLimit, 4.0), (TimeLimit, 4.0)),
            (3.0, (Converged, 2.7), (Converged, 2.7)),
            (3.0, (Cancelled, 1.0), (Converged, 3.0)),
            (4.5, (Cancelled, 1.0), (Cancelled, 1.0)),
        ] {
            let info = counted(info(Converged, first), info(again.0, again.1), &limit(4));
            assert_eq!((info.termination, info.seconds), expected);
        }
    }
}
