//! Several methods on several problems: tables, histories, figures and one page.
//!
//! `record.rs` holds what a comparison collects, `profile.rs` the statistics over problems,
//! `figures.rs` and `report.rs` what is made of it.

pub mod figures;
pub mod profile;
pub mod record;
pub mod report;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drystone_ccp::{Limits, Method, MethodSettings, SolveInfo, Termination};
use drystone_draw::files::write_figure;
use drystone_draw::plot::Figure;
use drystone_problems::{Problem, read_problem};
use drystone_run::{Control, Event};

use crate::error::StudyError;
use crate::job::{Job, ProblemFacts};
use crate::output::{check_writable, make_folder, write_bytes};
use crate::table::{Row, csv_heading, csv_line, history_csv, short_number};
use record::{Comparison, ComparisonSettings, HISTORY_ROWS, MethodRun, thinned};

/// Name of the page in the folder of a comparison.
pub const REPORT: &str = "report.html";

/// Runs every method on every problem and writes tables, figures and the page into `folder`.
///
/// A problem that cannot be read is recorded with the reason, and the others go on. Once the caller
/// cancels, the run at hand stops and the report holds what had ended.
pub fn compare(
    files: &[PathBuf],
    settings: &ComparisonSettings,
    folder: &Path,
    control: Control<'_>,
) -> Result<Comparison, StudyError> {
    for file in files {
        if !file.is_file() {
            return Err(StudyError::place(file, "there is no such file"));
        }
    }
    let mut comparison = Comparison::new(files, settings);
    let mut folder = Folder::open(folder)?;
    run_all(&mut comparison, &mut folder, control)?;
    comparison.cancelled = control.is_cancelled();
    folder.finish(&comparison)?;
    Ok(comparison)
}

fn run_all(
    comparison: &mut Comparison,
    folder: &mut Folder,
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
        let figure = figures::convergence(comparison, &comparison.problems[index]);
        let name = format!("convergence-{}", comparison.problems[index].name);
        folder.write_figure(&name, &figure)?;
    }
    Ok(())
}

/// Time that a run with history gets, as a multiple of the limit: recording costs 11 to 18 %.
const RECORDING: f64 = 1.25;

/// Runs a method with history and writes that. Where it converged, the method is run again without
/// history, within the time limit as it was asked for, and that run counts.
fn run_one(
    comparison: &Comparison,
    index: usize,
    method: Method,
    problem: &Problem,
    folder: &Folder,
    control: Control<'_>,
) -> Result<MethodRun, StudyError> {
    let name = &comparison.problems[index].name;
    let all = comparison.problems.len() * comparison.methods.len();
    let before = index * comparison.methods.len() + comparison.problems[index].runs.len();
    let label = format!("[{}/{all}] {name}, {}", before + 1, method.name());
    control.tell(Event::Begin(&label));
    let limits = comparison.limits;
    let go = |history: bool| {
        let job = Job {
            method: MethodSettings::new(method),
            law: comparison.law,
            limits: if history { recorded(limits) } else { limits },
            history: history.then_some(HISTORY_ROWS),
        };
        let mut gamma = vec![0.0; problem.dim()];
        job.run(problem, &mut gamma, control)
    };
    let outcome = go(true).map(|mut first| {
        let history = std::mem::take(&mut first.history);
        let info = match first.converged().then(|| go(false)) {
            Some(Ok(again)) => counted(first, again, &limits),
            // Did not converge. Nor is a problem refused that was not at first.
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
        time_limit: limits.time_limit.map(|limit| limit.mul_f64(RECORDING)),
        ..limits
    }
}

/// Which of two runs counts, where the first, with history, converged: the second, unless the user stopped it and the
/// first had kept to the time limit.
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
struct Folder {
    root: PathBuf,
    results: PathBuf,
    table: Option<File>,
}

impl Folder {
    /// Makes the folder where needed and begins anew.
    fn open(root: &Path) -> Result<Self, StudyError> {
        for folder in [root.to_owned(), root.join("history"), root.join("figures")] {
            make_folder(&folder)?;
        }
        let results = root.join("results.csv");
        check_writable(&results)?;
        check_writable(&root.join(REPORT))?;
        Ok(Self {
            root: root.to_owned(),
            results,
            table: None,
        })
    }

    /// Adds a row to the table of results; it is on disk before the next run begins.
    fn append(&mut self, row: &Row) -> Result<(), StudyError> {
        let results = &self.results;
        let failed = |e: std::io::Error| StudyError::writing(results, e);
        let mut table = match self.table.take() {
            Some(table) => table,
            None => {
                let mut table = File::create(results).map_err(failed)?;
                let heading = csv_heading(row);
                table.write_all(heading.as_bytes()).map_err(failed)?;
                table
            }
        };
        // One call a row, so that a full disk is unlikely to leave half of one.
        table.write_all(csv_line(row).as_bytes()).map_err(failed)?;
        table.sync_data().map_err(failed)?;
        self.table = Some(table);
        Ok(())
    }

    fn write_history(&self, problem: &str, method: Method, csv: &str) -> Result<(), StudyError> {
        let name = format!("{problem}--{}.csv", method.name());
        write_bytes(&self.root.join("history").join(name), csv.as_bytes())
    }

    fn write_figure(&self, name: &str, figure: &Figure) -> Result<(), StudyError> {
        Ok(write_figure(&self.root.join("figures").join(name), figure)?)
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
        // Seconds of the first run, the second run, and what counts of a limit of 4 s.
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
