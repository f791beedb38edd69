//! How a run gets on: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use drystone::{StepReport, World};
use drystone_ccp::Progress;
use drystone_run::jam::Jam;
use drystone_scene::Simulation;
use drystone_study::table::short_number;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::simulation::RunArgs;
use crate::output::{harmless, to_stderr};
use crate::run_summary::jam_words;

/// Time between updates on a terminal: more often is unreadable.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// Time between plain lines: fewer would leave doubts, more would fill a log.
const IN_LOG: Duration = Duration::from_secs(10);
/// A step that takes longer than this is shown from inside.
const LONG_STEP: Duration = Duration::from_secs(1);
/// Parts of the bar.
const PARTS: u64 = 1000;

/// Shows how a run gets on.
pub struct Meter {
    display: Display,
    every: Duration,
    steps: Option<u64>,
    until: Option<f64>,
    /// Where the run was when it was taken up.
    first: Moment,
    /// What was shown last.
    shown: Moment,
    /// Steps and simulated seconds per second of wall time, smoothed.
    rates: Option<[f64; 2]>,
    unconverged: u64,
}

enum Display {
    Quiet,
    Terminal(ProgressBar),
    Log,
}

/// A point of a run.
#[derive(Clone, Copy)]
struct Moment {
    wall: Instant,
    step: u64,
    /// s.
    time: f64,
}

impl Moment {
    fn of(simulation: &Simulation) -> Self {
        let world = simulation.world();
        Self {
            wall: Instant::now(),
            step: world.steps(),
            time: world.time(),
        }
    }
}

impl Meter {
    /// Starts showing a run.
    pub fn start(args: &RunArgs, simulation: &Simulation) -> Self {
        let (display, every) = if args.quiet {
            (Display::Quiet, Duration::MAX)
        } else if std::io::stderr().is_terminal() {
            (Display::Terminal(bar()), ON_TERMINAL)
        } else {
            (Display::Log, IN_LOG)
        };
        let now = Moment::of(simulation);
        Self {
            display,
            every,
            steps: args.steps,
            until: args.until,
            first: now,
            shown: now,
            rates: None,
            unconverged: simulation.world().unconverged_steps(),
        }
    }

    /// Takes notice of a step; cheap unless it is time to show it.
    pub fn update(&mut self, simulation: &Simulation, report: &StepReport) {
        let unconverged = simulation.world().unconverged_steps();
        let is_news = self.unconverged == 0 && unconverged > 0;
        self.unconverged = unconverged;
        if is_news {
            self.tell_of_unconverged(simulation.world(), report);
        }
        if self.shown.wall.elapsed() < self.every {
            return;
        }
        let now = Moment::of(simulation);
        self.measure(now);
        let line = self.line(simulation, report);
        match &self.display {
            Display::Quiet => {}
            Display::Terminal(bar) => {
                if let Some(share) = self.share(simulation) {
                    bar.set_position((share * PARTS as f64) as u64);
                }
                bar.set_message(harmless(&line).into_owned());
            }
            Display::Log => to_stderr(&line),
        }
    }

    /// Takes notice of a solve within a step; shows it if the step takes long.
    pub fn solving(&mut self, progress: &Progress) {
        if self.shown.wall.elapsed() < self.every.max(LONG_STEP) {
            return;
        }
        self.shown.wall = Instant::now();
        let line = format!(
            "a long step: {}, {} iterations, best residual {:.1e}",
            progress.method, progress.iteration, progress.best
        );
        match &self.display {
            Display::Quiet => {}
            Display::Terminal(bar) => bar.set_message(line),
            Display::Log => to_stderr(&line),
        }
    }

    /// Says so once, when it happens; from then on they are counted in every line.
    fn tell_of_unconverged(&self, world: &World, report: &StepReport) {
        let jam = Jam::of(world).map_or(String::new(), |jam| format!(", {}", jam_words(&jam)));
        let line = format!(
            "step {} did not reach the tolerance: {} at residual {:.1e} after {} iterations{jam}; more \
             are counted",
            report.step,
            report.termination.name(),
            report.residual,
            report.iterations
        );
        match &self.display {
            Display::Quiet => {}
            Display::Terminal(bar) => bar.suspend(|| to_stderr(&line)),
            Display::Log => to_stderr(&line),
        }
    }

    /// Shows a line of its own.
    pub fn tell(&self, line: &str) {
        match &self.display {
            Display::Terminal(bar) => bar.suspend(|| to_stderr(line)),
            Display::Quiet | Display::Log => to_stderr(line),
        }
    }

    fn measure(&mut self, now: Moment) {
        let seconds = (now.wall - self.shown.wall).as_secs_f64().max(1e-9);
        let fresh = [
            (now.step - self.shown.step) as f64 / seconds,
            (now.time - self.shown.time) / seconds,
        ];
        // Steps grow dearer as contacts appear: the past counts for a few seconds only.
        let weight = 1.0 - (-seconds / 3.0).exp();
        let rates = self.rates.unwrap_or(fresh);
        self.rates = Some([0, 1].map(|k| rates[k] + weight * (fresh[k] - rates[k])));
        self.shown = now;
    }

    /// Simulated time at which the run ends, s, where that is known.
    fn end(&self, simulation: &Simulation) -> Option<f64> {
        match (self.until, self.steps) {
            (None, None) => simulation.end_time(),
            // Where the user says, even beyond the scene's end.
            (until, _) => until,
        }
    }

    /// How much of what this call has to do is done.
    fn share(&self, simulation: &Simulation) -> Option<f64> {
        let of = |done: f64, all: f64| (done / all).clamp(0.0, 1.0);
        let by_time = self.end(simulation).map(|end| {
            let begin = self.first.time;
            of(self.shown.time - begin, end - begin)
        });
        let by_steps = self.steps.map(|steps| {
            let begin = self.first.step;
            let done = self.shown.step - begin;
            of(done as f64, steps.saturating_sub(begin) as f64)
        });
        match (by_time, by_steps) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        }
    }

    /// Wall time to the end, s.
    fn eta(&self, simulation: &Simulation) -> Option<f64> {
        let [steps_rate, time_rate] = self.rates?;
        let by_time = self
            .end(simulation)
            .map(|end| (end - self.shown.time).max(0.0) / time_rate);
        let by_steps = self
            .steps
            .map(|steps| steps.saturating_sub(self.shown.step) as f64 / steps_rate);
        match (by_time, by_steps) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn line(&self, simulation: &Simulation, report: &StepReport) -> String {
        let mut pieces = Vec::new();
        let phases = simulation.phase_names().len();
        if phases > 1 {
            let (number, name) = simulation.phase();
            pieces.push(format!("{name} ({}/{phases})", number + 1));
        }
        pieces.push(match self.end(simulation) {
            Some(end) => format!("t = {:.3} of {} s", report.time, short_number(end)),
            None => format!("t = {:.3} s", report.time),
        });
        if let Some([rate, _]) = self.rates {
            pieces.push(format!("{} steps/s", short_number(rate)));
        }
        pieces.push(format!("{} contacts", report.contacts));
        pieces.push(format!("{} iterations", report.iterations));
        pieces.push(format!("residual {:.1e}", report.residual));
        if self.unconverged > 0 {
            pieces.push(format!("{} steps not converged", self.unconverged));
        }
        pieces.push(match self.eta(simulation) {
            Some(seconds) if seconds.is_finite() => format!("{} to go", duration(seconds)),
            Some(_) => "no end in sight yet".to_owned(),
            None => "until at rest".to_owned(),
        });
        pieces.join(", ")
    }

    /// Clears the bar.
    pub fn finish(self) {
        if let Display::Terminal(bar) = self.display {
            bar.finish_and_clear();
        }
    }
}

/// A duration in its two largest units.
pub fn duration(seconds: f64) -> String {
    // No clock reaches a century; longer times only overflow.
    let whole = Duration::from_secs(seconds.clamp(0.0, 3.2e9).round() as u64);
    let text = humantime::format_duration(whole).to_string();
    let units: Vec<&str> = text.split(' ').take(2).collect();
    units.join(" ")
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(PARTS);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:20} {wide_msg}") {
        bar.set_style(style);
    }
    // Long steps report nothing: the spinner still shows that the program lives.
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_two_units() {
        assert_eq!(duration(3725.4), "1h 2m");
        assert_eq!(duration(0.2), "0s");
        assert_eq!(duration(61.0), "1m 1s");
        assert!(!duration(1e300).is_empty());
    }
}
