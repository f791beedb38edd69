//! How drawing gets on: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{harmless, to_stderr};

/// Time before the first plain line: what is done sooner needs none.
const FIRST: Duration = Duration::from_secs(1);
/// Time between plain lines: fewer would leave doubts, more would fill a log.
const IN_LOG: Duration = Duration::from_secs(10);
/// Parts of the bar that a picture has.
const PARTS: f64 = 1000.0;

/// Shows how pictures are drawn, one after the other.
pub struct Drawing<'a> {
    display: Display,
    label: String,
    pictures: usize,
    cancel: &'a AtomicBool,
}

enum Display {
    Quiet,
    Terminal(ProgressBar),
    /// When the next line is due.
    Log(Mutex<Instant>),
}

impl<'a> Drawing<'a> {
    /// Starts showing. `label` says what is drawn, such as "drawing a.png". The work stops once
    /// `cancel` is set.
    pub fn start(quiet: bool, label: &str, pictures: usize, cancel: &'a AtomicBool) -> Self {
        let display = if quiet {
            Display::Quiet
        } else if std::io::stderr().is_terminal() {
            Display::Terminal(bar(label, pictures))
        } else {
            Display::Log(Mutex::new(Instant::now() + FIRST))
        };
        Self {
            display,
            label: harmless(label).into_owned(),
            pictures,
            cancel,
        }
    }

    /// Takes notice of the picture at work, from 0, and of the share of it that is drawn. Says
    /// whether to go on.
    pub fn observe(&self, picture: usize, share: f64) -> ControlFlow<()> {
        match &self.display {
            Display::Quiet => {}
            Display::Terminal(bar) => bar.set_position(((picture as f64 + share) * PARTS) as u64),
            Display::Log(due) => {
                let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
                if Instant::now() >= *due {
                    *due = Instant::now() + IN_LOG;
                    to_stderr(&self.words(picture, share));
                }
            }
        }
        match self.cancel.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn words(&self, picture: usize, share: f64) -> String {
        match self.pictures {
            1 => format!("{}: {:.0} %", self.label, 100.0 * share),
            all => format!("{}: picture {} of {all}", self.label, picture + 1),
        }
    }

    /// Clears the bar.
    pub fn finish(self) {
        if let Display::Terminal(bar) = self.display {
            bar.finish_and_clear();
        }
    }
}

fn bar(label: &str, pictures: usize) -> ProgressBar {
    let bar = ProgressBar::new((pictures as f64 * PARTS) as u64);
    let template = match pictures {
        1 => "{spinner} {bar:20} {wide_msg}",
        _ => "{spinner} {bar:20} {wide_msg} {eta} to go",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(harmless(label).into_owned());
    // Large scenes are made ready for a while before the first row: the spinner shows life.
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
