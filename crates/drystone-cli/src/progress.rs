//! Signs of life on standard error: a line that renews itself on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use drystone_ccp::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::to_stderr;

/// Seconds between updates on a terminal: more often is unreadable.
const ON_TERMINAL: f64 = 0.1;
/// Seconds between plain lines: fewer would leave doubts, more would fill a log.
const IN_LOG: f64 = 10.0;

/// Shows how a solve gets on.
pub struct Reporter {
    kind: Kind,
    label: String,
    method: &'static str,
    shown: Instant,
    every: f64,
}

enum Kind {
    Quiet,
    Terminal(ProgressBar),
    Log,
}

impl Reporter {
    /// Starts showing the progress of `method`, if it has a name, on what `label` names.
    pub fn start(quiet: bool, label: &str, method: &'static str) -> Self {
        let label = match method {
            "" => label.to_owned(),
            method => format!("{label}, {method}"),
        };
        let (kind, every) = if quiet {
            (Kind::Quiet, f64::INFINITY)
        } else if std::io::stderr().is_terminal() {
            (Kind::Terminal(spinner(&label)), ON_TERMINAL)
        } else {
            (Kind::Log, IN_LOG)
        };
        Self {
            kind,
            label,
            method,
            shown: Instant::now(),
            every,
        }
    }

    /// Takes notice of an iteration; cheap unless it is time to show it.
    pub fn update(&mut self, progress: &Progress) {
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
        let stage = if method.is_empty() || *method == self.method {
            String::new()
        } else {
            format!("{method}, ")
        };
        let of = if *nested { "subproblem's " } else { "" };
        self.show(|| {
            format!(
                "{stage}iteration {iteration}, {of}residual {residual:.2e}, best {best:.2e}, {seconds:.1} s"
            )
        });
    }

    /// Shows how things stand, if it is time to.
    pub fn show(&mut self, state: impl FnOnce() -> String) {
        if self.shown.elapsed().as_secs_f64() < self.every {
            return;
        }
        self.shown = Instant::now();
        let state = state();
        match &self.kind {
            Kind::Quiet => {}
            Kind::Terminal(bar) => bar.set_message(format!("{} · {state}", self.label)),
            Kind::Log => to_stderr(&format!("{}: {state}", self.label)),
        }
    }

    /// Clears the line and, if there is something to say, leaves a line behind.
    pub fn finish(self, line: Option<&str>) {
        match (self.kind, line) {
            (Kind::Quiet, _) | (Kind::Log, None) => {}
            (Kind::Terminal(bar), line) => {
                bar.finish_and_clear();
                if let Some(line) = line {
                    to_stderr(line);
                }
            }
            (Kind::Log, Some(line)) => to_stderr(line),
        }
    }
}

fn spinner(label: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message(label.to_owned());
    // Long factorisations report nothing: the spinner still shows that the program lives.
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
