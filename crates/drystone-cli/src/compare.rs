//! `drystone compare`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drystone_ccp::{Limits, Method, SolveInfo, Termination};
use drystone_scene::{Problem, read_problem};

use crate::args::{CommonArgs, CompareArgs};
use crate::failure::{BAD_INPUT, Failure, NOT_CONVERGED, SUCCESS};
use crate::figures;
use crate::output::{check_writable, to_stderr, to_stdout, write_bytes, write_figure};
use crate::plot::Figure;
use crate::progress::Reporter;
use crate::record::{HISTORY_ROWS, ProblemRuns, Run, Study, thinned};
use crate::report::{self, Median};
use crate::run::{Job, cancelled, facts, run, thread_pool};
use crate::table::{Row, csv_heading, csv_line, history_csv, short_number};

/// Runs every method on every problem and writes the report; the exit status says how it went.
pub fn compare(args: &CompareArgs) -> Result<u8, Failure> {
    for file in &args.files {
        if !file.is_file() {
            return Err(Failure::in_file(file, "there is no such file"));
        }
    }
    let mut methods: Vec<Method> = Vec::new();
    for &method in &args.methods {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let pool = thread_pool(args.common.threads)?;
    let mut study = Study {
        common: CommonArgs {
            time_limit: args.common.time_limit.or(Some(DEFAULT_TIME_LIMIT)),
            ..args.common.clone()
        },
        methods,
        problems: ProblemRuns::of_files(&args.files),
        threads: pool.current_num_threads(),
        cancelled: false,
    };
    let mut folder = Folder::open(&args.output)?;
    pool.install(|| run_all(&mut study, &mut folder))?;
    study.cancelled = cancelled();
    folder.finish(&study)?;
    to_stdout(&summary(&study, &args.output))?;

    let unreadable = |p: &ProblemRuns| matches!(p.facts, Some(Err(_)));
    Ok(if study.cancelled {
        NOT_CONVERGED
    } else if study.problems.iter().any(unreadable) {
        BAD_INPUT
    } else {
        SUCCESS
    })
}

fn run_all(study: &mut Study, folder: &mut Folder) -> Result<(), Failure> {
    for index in 0..study.problems.len() {
        if cancelled() {
            break;
        }
        let file = match read_problem(&study.problems[index].file) {
            Ok(file) => file,
            Err(error) => {
                to_stderr(&format!("error: {error}"));
                study.problems[index].facts = Some(Err(error.fault.to_string()));
                folder.append(&study.row(&study.problems[index], None))?;
                continue;
            }
        };
        study.problems[index].facts = Some(Ok(facts(&file.problem)));
        for k in 0..study.methods.len() {
            if cancelled() {
                break;
            }
            let run = run_one(study, index, study.methods[k], &file.problem, folder)?;
            study.problems[index].runs.push(run);
            let problem = &study.problems[index];
            folder.append(&study.row(problem, problem.runs.last()))?;
        }
        let figure = figures::convergence(study, &study.problems[index]);
        let name = format!("convergence-{}", study.problems[index].name);
        folder.write_figure(&name, &figure)?;
    }
    Ok(())
}

/// Longest time of a run unless the user says otherwise: a slow method must not hold a whole comparison up.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Time that a run with history gets, as a multiple of the limit: recording costs 11 to 18 %.
const RECORDING: f64 = 1.25;

/// Runs a method with history and writes that. Where it converged, the method is run again without history, within the
/// time limit as it was asked for, and that run counts.
fn run_one(
    study: &Study,
    index: usize,
    method: Method,
    problem: &Problem,
    folder: &Folder,
) -> Result<Run, Failure> {
    let name = &study.problems[index].name;
    let all = study.problems.len() * study.methods.len();
    let before = index * study.methods.len() + study.problems[index].runs.len();
    let label = format!("[{}/{all}] {name}", before + 1);
    let mut reporter = Reporter::start(study.common.quiet, &label, method.name());
    let limits = study.common.limits();
    let mut go = |history: bool| {
        let job = Job {
            method,
            law: study.common.law.law(),
            limits: if history { recorded(limits) } else { limits },
            history: history.then_some(HISTORY_ROWS),
        };
        let mut gamma = vec![0.0; facts(problem).rows];
        run(problem, job, &mut gamma, &mut |p| reporter.update(p))
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
    let verdict = verdict(&outcome);
    reporter.finish(Some(&format!("{label}, {}: {verdict}", method.name())));
    Ok(Run { method, outcome })
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

fn summary(study: &Study, folder: &Path) -> String {
    let mut text = String::new();
    for method in report::method_summaries(study) {
        text += &format!(
            "{:<16} solved {} of {}{}\n",
            method.method.name(),
            method.solved,
            method.problems,
            match method.time_ratio {
                Some(Median { value, over }) => format!(
                    ", median time {} × the best (over {})",
                    short_number(value),
                    report::plural(over, "problem")
                ),
                None => String::new(),
            }
        );
    }
    if study.cancelled {
        text += "cancelled: only the runs that had ended are in the report\n";
    }
    text + &format!("report       {}\n", folder.join("report.html").display())
}

/// The folder that a comparison writes to.
struct Folder {
    root: PathBuf,
    results: PathBuf,
    table: Option<File>,
}

impl Folder {
    /// Makes the folder where needed and begins anew.
    fn open(root: &Path) -> Result<Self, Failure> {
        for folder in [root.to_owned(), root.join("history"), root.join("figures")] {
            fs::create_dir_all(&folder)
                .map_err(|e| Failure::in_file(&folder, format_args!("is no usable folder: {e}")))?;
        }
        let results = root.join("results.csv");
        check_writable(&results)?;
        check_writable(&root.join("report.html"))?;
        Ok(Self {
            root: root.to_owned(),
            results,
            table: None,
        })
    }

    /// Adds a row to the table of results; it is on disk before the next run begins.
    fn append(&mut self, row: &Row) -> Result<(), Failure> {
        let results = &self.results;
        let failed = |e: std::io::Error| Failure::writing(results, e);
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

    fn write_history(&self, problem: &str, method: Method, csv: &str) -> Result<(), Failure> {
        let name = format!("{problem}--{}.csv", method.name());
        write_bytes(&self.root.join("history").join(name), csv.as_bytes())
    }

    fn write_figure(&self, name: &str, figure: &Figure) -> Result<(), Failure> {
        write_figure(&self.root.join("figures").join(name), figure)
    }

    fn finish(&self, study: &Study) -> Result<(), Failure> {
        if !study.complete_problems().is_empty() {
            self.write_figure("performance-profiles", &figures::performance(study))?;
        }
        let page = report::page(study);
        write_bytes(&self.root.join("report.html"), page.as_bytes())
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
