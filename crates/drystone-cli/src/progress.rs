//! Signs of life on standard error: a line that renews itself on a terminal, a plain line now and
//! then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use drystone::StepReport;
use drystone_ccp::Progress;
use drystone_run::Event;
use drystone_scene::Simulation;
use drystone_study::table::short_number;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{harmless, to_stderr};

/// Seconds between updates on a terminal: more often is unreadable.
const ON_TERMINAL: f64 = 0.1;
/// Seconds between plain lines: fewer would leave doubts, more would fill a log.
const IN_LOG: f64 = 10.0;

/// Shows how long work gets on: hand [`Screen::show`] to its control.
pub struct Screen {
    quiet: bool,
    /// The piece of work at hand.
    task: Mutex<Option<Reporter>>,
}

impl Screen {
    /// Shows nothing but warnings where `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            task: Mutex::new(None),
        }
    }

    /// Takes notice of an event.
    pub fn show(&self, event: Event<'_>) {
        match event {
            Event::Begin(label) => {
                self.end(None);
                *self.task() = Some(Reporter::start(self.quiet, label));
            }
            Event::Step(simulation, report) => {
                if let Some(task) = &mut *self.task() {
                    task.show(|| step_words(simulation, report));
                }
            }
            Event::Solve(progress) => {
                if let Some(task) = &mut *self.task() {
                    task.update(progress);
                }
            }
            Event::End(line) => self.end(line),
            Event::Warning(words) => to_stderr(&format!("warning: {words}")),
            _ => {}
        }
    }

    /// A thread that panicked while it showed something has left nothing half done.
    fn task(&self) -> MutexGuard<'_, Option<Reporter>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, line: Option<&str>) {
        match (self.task().take(), line) {
            (Some(task), line) => task.finish(line),
            (None, Some(line)) if !self.quiet => to_stderr(line),
            (None, _) => {}
        }
    }
}

fn step_words(simulation: &Simulation, report: &StepReport) -> String {
    let end = simulation.end_time().map_or(String::new(), |end| {
        format!(" of at most {}", short_number(end))
    });
    format!(
        "{} s{end}, {} contacts, residual {:.1e}",
        short_number(report.time),
        report.contacts,
        report.residual
    )
}

/// Shows how one piece of work gets on.
struct Reporter {
    display: Display,
    label: String,
    shown: Instant,
    every: f64,
}

enum Display {
    Quiet,
    Terminal(ProgressBar),
    Log,
}

impl Reporter {
    /// Starts showing the progress of what `label` names.
    fn start(quiet: bool, label: &str) -> Self {
        let (display, every) = if quiet {
            (Display::Quiet, f64::INFINITY)
        } else if std::io::stderr().is_terminal() {
            (Display::Terminal(spinner(label)), ON_TERMINAL)
        } else {
            (Display::Log, IN_LOG)
        };
        Self {
            display,
            label: harmless(label).into_owned(),
            shown: Instant::now(),
            every,
        }
    }

    /// Takes notice of an iteration; cheap unless it is time to show it.
    fn update(&mut self, progress: &Progress) {
        if self.shown.elapsed().as_secs_f64() < self.every {
            return;
        }
        let Progress {
            method,
            iteration,
            seconds,
            residual,
            best,
            nested,
        } = progress;
        // A composed method says which of its stages is at work.
        let stage = match method.is_empty() || self.label.ends_with(method) {
            true => String::new(),
            false => format!("{method}, "),
        };
        let of = if *nested { "subproblem's " } else { "" };
        self.show(|| {
            format!(
                "{stage}iteration {iteration}, {of}residual {residual:.2e}, best {best:.2e}, {seconds:.1} s"
            )
        });
    }

    /// Shows how things stand, if it is time to.
    fn show(&mut self, state: impl FnOnce() -> String) {
        if self.shown.elapsed().as_secs_f64() < self.every {
            return;
        }
        self.shown = Instant::now();
        let state = state();
        match &self.display {
            Display::Quiet => {}
            Display::Terminal(bar) => bar.set_message(format!("{} · {state}", self.label)),
            Display::Log => to_stderr(&format!("{}: {state}", self.label)),
        }
    }

    /// Clears the line and, if there is something to say, leaves a line behind.
    fn finish(self, line: Option<&str>) {
        match (self.display, line) {
            (Display::Quiet, _) | (Display::Log, None) => {}
            (Display::Terminal(bar), line) => {
                bar.finish_and_clear();
                if let Some(line) = line {
                    to_stderr(line);
                }
            }
            (Display::Log, Some(line)) => to_stderr(line),
        }
    }
}

fn spinner(label: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message(harmless(label).into_owned());
    // Long factorisations report nothing: the spinner still shows that the program lives.
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
