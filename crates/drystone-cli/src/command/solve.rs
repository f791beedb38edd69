//! `drystone solve`.

mod rescue;

use std::path::Path;
use std::sync::{Arc, Mutex};

use drystone_ccp::{Attempt, MethodSettings, OptionError, SolveInfo};
use drystone_problems::{Problem, VectorFormat, read_problem, read_vector, write_solution};
use drystone_run::{Control, Event};
use drystone_study::job::{Job, ProblemFacts, problem_name};
use drystone_study::output::{check_writable, same_file};
use drystone_study::table::{Cell, Row, cell, history_csv, json_object, problem_cells, run_cells};

use crate::args::SolveArgs;
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stdout, write_bytes};
use crate::progress::Screen;
use crate::threads::thread_pool;

/// Solves one problem; the exit status says how it went.
pub fn solve(args: &SolveArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    check_outputs(args)?;
    let method = method_settings(args)?;
    let pool = thread_pool(args.common.threads)?;
    let name = problem_name(&args.file);
    let problem = Arc::new(read_problem(&args.file)?.problem);
    let facts = ProblemFacts::of(&problem);
    let mut gamma = start(args.warm_start.as_deref(), facts.rows)?;

    let job = Job {
        method,
        law: args.common.law.law(),
        limits: args.common.limits(),
        history: args.history.is_some().then_some(usize::MAX),
    };
    let screen = Screen::new(args.common.quiet);
    let report = |event: Event<'_>| screen.show(event);
    let control = Control::new(interrupt.flag(), &report);
    let shelf = Arc::new(Mutex::new(Vec::new()));
    interrupt.enter(match &args.output {
        Some(output) => Stage::Rescue {
            now: "cancelling: the best point so far will be written",
            late: rescue::of(&problem, &shelf, output),
        },
        None => Stage::Cancel {
            now: "cancelling: the best point so far will be judged",
            late: "gave up waiting for the method; nothing was written".to_owned(),
        },
    });
    control.tell(Event::Begin(&format!("{name}, {}", args.method.name())));
    let outcome = pool.install(|| job.run_shelving(&problem, &mut gamma, control, Some(&shelf)));
    control.tell(Event::End(None));
    interrupt.enter(Stage::Save);
    let info = outcome.map_err(|e| {
        let guilty = args.warm_start.as_deref().filter(|_| is_about_start(&e));
        Failure::in_file(guilty.unwrap_or(&args.file), e)
    })?;

    // What it came to is told even where a file could not be written.
    let written = write_files(args, &problem, &gamma, &info);
    let row = result_row(args, &name, &facts, &info, pool.current_num_threads());
    to_stdout(&if args.json {
        format!("{}\n", json_object(&row))
    } else {
        human_table(&row, &info.attempts, args)
    })?;
    written?;
    Ok(if info.converged() {
        SUCCESS
    } else {
        NOT_CONVERGED
    })
}

fn write_files(
    args: &SolveArgs,
    problem: &Problem,
    gamma: &[f64],
    info: &SolveInfo,
) -> Result<(), Failure> {
    let solution = args.output.as_ref().map_or(Ok(()), |file| {
        let velocity = problem.velocity(gamma);
        write_solution(file, gamma, &velocity, problem.contact_rows())
            .map_err(|e| Failure::writing(file, e.fault))
    });
    let history = args.history.as_ref().map_or(Ok(()), |file| {
        write_bytes(file, history_csv(&info.history).as_bytes())
    });
    solution.and(history)
}

/// The method with the options that were given.
fn method_settings(args: &SolveArgs) -> Result<MethodSettings, Failure> {
    let mut settings = MethodSettings::new(args.method);
    let refused = |error: OptionError| Failure::Input(format!("--option: {error}"));
    for (name, value) in &args.options {
        settings.set(name, value.as_str()).map_err(refused)?;
    }
    settings.check().map_err(refused)?;
    Ok(settings)
}

/// Finds fault with the output files before an hour of work is lost to them.
fn check_outputs(args: &SolveArgs) -> Result<(), Failure> {
    if let Some(output) = &args.output
        && VectorFormat::of(output) == VectorFormat::Text
    {
        let extension = output.extension().unwrap_or_default().to_string_lossy();
        let what = format!("extension {extension:?} is not supported, expected .npy or .hdf5");
        return Err(Failure::in_file(output, what));
    }
    let outputs = [("--output", &args.output), ("--history", &args.history)];
    for (flag, output) in outputs {
        let Some(output) = output else { continue };
        check_writable(output)?;
        // Continuing a solve in place (warm start = output) is fine: it is read before.
        if same_file(&args.file, output) {
            let what = format!("{flag} would overwrite the problem, expected another file");
            return Err(Failure::in_file(output, what));
        }
    }
    match (&args.output, &args.history) {
        (Some(a), Some(b)) if same_file(a, b) => Err(Failure::in_file(
            a,
            "is both --output and --history, expected two files",
        )),
        _ => Ok(()),
    }
}

/// The starting point: zero, or from a file.
fn start(file: Option<&Path>, rows: usize) -> Result<Vec<f64>, Failure> {
    match file {
        None => Ok(vec![0.0; rows]),
        Some(file) => Ok(read_vector(file)?),
    }
}

fn is_about_start(error: &drystone_ccp::SolverError) -> bool {
    use drystone_ccp::SolverError::{StartLength, StartNotFinite};
    matches!(error, StartLength { .. } | StartNotFinite { .. })
}

fn result_row(
    args: &SolveArgs,
    name: &str,
    facts: &ProblemFacts,
    info: &SolveInfo,
    threads: usize,
) -> Row {
    let mut row = problem_cells(name, Some(facts));
    row.extend([
        ("method", args.method.name().into()),
        ("answered_by", info.method.into()),
        ("law", args.common.law.name().into()),
        ("tolerance", args.common.tolerance.into()),
        ("threads", threads.into()),
        ("termination", info.termination.name().into()),
    ]);
    row.extend(run_cells(Some(info)));
    let attempts: Vec<String> = info.attempts.iter().map(Attempt::to_string).collect();
    row.push(("attempts", attempts.join("; ").as_str().into()));
    row
}

fn human_table(row: &Row, attempts: &[Attempt], args: &SolveArgs) -> String {
    let short = |name: &str| cell(row, name).short();
    let mut lines = vec![
        (
            "problem",
            format!(
                "{} ({} contacts, {} rows)",
                short("problem"),
                short("contacts"),
                short("rows")
            ),
        ),
        (
            "method",
            format!("{}, {} law", method_words(row), short("law")),
        ),
    ];
    let tried = attempts
        .iter()
        .map(|attempt| ("tried", attempt.to_string()));
    lines.extend(tried);
    lines.extend([
        ("termination", short("termination")),
        (
            "residual",
            format!(
                "{} (tolerance {:e}; largest of a contact {} m/s)",
                short("residual"),
                args.common.tolerance,
                short("residual_velocity")
            ),
        ),
        (
            "objective",
            format!("{} J", cell(row, "objective").precise()),
        ),
    ]);
    if !matches!(cell(row, "duality_gap"), Cell::Empty) {
        lines.push(("duality gap", format!("{} J", short("duality_gap"))));
    }
    lines.extend([
        (
            "violation",
            format!(
                "{} N s of the cones, {} m/s of their duals",
                short("cone_violation"),
                short("dual_violation")
            ),
        ),
        (
            "effort",
            format!(
                "{} iterations, {} products, {} s on {}",
                short("iterations"),
                short("products"),
                short("seconds"),
                threads_words(row)
            ),
        ),
    ]);
    let files = [("solution", &args.output), ("history", &args.history)];
    for (what, file) in files {
        if let Some(file) = file {
            lines.push((what, file.display().to_string()));
        }
    }
    let line = |(what, value): &(&str, String)| format!("{what:<12} {value}\n");
    lines.iter().map(line).collect()
}

/// The method asked for and, where another one gave the answer, that one.
fn method_words(row: &Row) -> String {
    let [asked, answered] = ["method", "answered_by"].map(|name| cell(row, name).short());
    if asked == answered {
        asked
    } else {
        format!("{asked} (answered by {answered})")
    }
}

fn threads_words(row: &Row) -> String {
    match cell(row, "threads") {
        Cell::Count(1) => "1 thread".to_owned(),
        threads => format!("{} threads", threads.short()),
    }
}
