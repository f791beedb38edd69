//! `drystone compare`.

use std::path::Path;
use std::time::Duration;

use drystone_ccp::Limits;
use drystone_run::{Control, Event};
use drystone_study::compare::{self, Comparison, ComparisonSettings, Median, ProblemRuns, REPORT};
use drystone_study::table::{plural, short_number};

use crate::args::{CompareArgs, MethodChoice};
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{BAD_INPUT, Failure, NOT_CONVERGED, SUCCESS};
use crate::output::to_stdout;
use crate::progress::Screen;
use crate::threads::thread_pool;

/// Longest time of a run unless the user says otherwise: a slow method must not hold a whole
/// comparison up.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Runs every method on every problem and writes the report; the exit status says how it went.
pub fn compare(args: &CompareArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let limits = args.common.limits();
    let settings = ComparisonSettings {
        methods: MethodChoice::methods(&args.methods),
        law: args.common.law.law(),
        limits: Limits {
            time_limit: limits.time_limit.or(Some(DEFAULT_TIME_LIMIT)),
            ..limits
        },
    };
    let screen = Screen::new(args.common.quiet);
    let report = |event: Event<'_>| {
        if let Event::Saving = event {
            interrupt.enter(Stage::Save);
        }
        screen.show(event);
    };
    let control = Control::new(interrupt.flag(), &report);
    interrupt.enter(Stage::Cancel {
        now: "cancelling: the report will hold the runs that have ended",
        late: format!(
            "gave up waiting for the method at hand; results.csv in {} holds the runs that had ended, \
             but no report was written",
            args.output.display()
        ),
    });
    let pool = thread_pool(args.common.threads)?;
    let run = || compare::compare(&args.files, &settings, &args.output, control);
    let comparison = pool.install(run)?;
    to_stdout(&summary(&comparison, &args.output))?;

    Ok(if comparison.cancelled {
        NOT_CONVERGED
    } else if comparison.problems.iter().any(|p| unreadable(p).is_some()) {
        BAD_INPUT
    } else {
        SUCCESS
    })
}

fn summary(comparison: &Comparison, folder: &Path) -> String {
    let mut text = String::new();
    for method in comparison.method_summaries() {
        text += &format!(
            "{:<16} solved {} of {}{}\n",
            method.method.name(),
            method.solved,
            method.problems,
            match method.time_ratio {
                Some(Median { value, over }) => format!(
                    ", median time {} × the best (over {})",
                    short_number(value),
                    plural(over, "problem")
                ),
                None => String::new(),
            }
        );
    }
    let bad: Vec<String> = comparison.problems.iter().filter_map(unreadable).collect();
    if !bad.is_empty() {
        let (bad_count, all) = (bad.len(), comparison.problems.len());
        text +=
            &format!("{bad_count} of {all} problems could not be read, and the rest was run:\n");
        text.extend(bad);
    }
    if comparison.cancelled {
        text += "cancelled: only the runs that had ended are in the report\n";
    }
    text + &format!("report       {}\n", folder.join(REPORT).display())
}

/// The line of a problem that could not be read.
fn unreadable(problem: &ProblemRuns) -> Option<String> {
    match &problem.facts {
        Some(Err(reason)) => Some(format!("  {}: {reason}\n", problem.file.display())),
        Some(Ok(_)) | None => None,
    }
}
