//! Forged files of every format: read in process, and what is still read is put to use.
//!
//! A worker process reads them, one after the other, and says which trial it is at. A panic is
//! caught there. A crash, an abort or a hang ends the worker; the trial is then the culprit, its
//! input is made again from the seed, and another worker goes on after it.

mod forge;
mod format;
mod geometry;
mod problems;
mod runs;
mod scenes;
pub mod seal;
mod words;
pub mod worker;

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::bench::Bench;
use crate::jobs;
use crate::tally::{Failure, Tally};
use format::{Format, Sources};

/// Longest that one input may take, by its own clock and by that on the wall: on a busy machine a
/// worker gets a share of a core only. Inputs are small: what takes seconds here takes for ever
/// when somebody means it.
const PATIENCE: Patience = Patience {
    computing: Duration::from_secs(10),
    waiting: Duration::from_secs(60),
};

/// How long a worker may stay at one input.
#[derive(Clone, Copy)]
struct Patience {
    /// Time of its process on a core.
    computing: Duration,
    /// Time on the wall: long, since it only tells what sleeps for ever from what is held up.
    waiting: Duration,
}

/// How many crashes and hangs of one format are borne before the rest of it is left.
const MOST_CRASHES: u32 = 50;

/// Makes so many forged files of each format.
pub fn run(args: &Args, bench: &Bench) -> Result<Tally, String> {
    let count = args.count(400, 5000);
    let formats = Format::chosen(&args.formats)?;
    let sources = Sources::new(&bench.folder("sources")?)?;
    let tally = Tally::new("mutate");
    jobs::each(bench.jobs, formats.len(), |k| {
        let supervisor = Supervisor {
            args,
            bench,
            tally: &tally,
            sources: &sources,
            format: formats[k],
        };
        supervisor.all(count)
    })?;
    Ok(tally)
}

/// Sees to the workers of one format.
struct Supervisor<'a> {
    args: &'a Args,
    bench: &'a Bench,
    tally: &'a Tally,
    sources: &'a Sources,
    format: Format,
}

impl Supervisor<'_> {
    fn all(&self, count: u64) -> Result<(), String> {
        let folder = self
            .bench
            .folder(&format!("mutate-{}", self.format.name()))?;
        let progress = folder.join("progress");
        let (mut next, end) = (self.args.from, self.args.from + count);
        for _ in 0..MOST_CRASHES {
            std::fs::write(&progress, next.to_le_bytes()).map_err(|e| e.to_string())?;
            let mut child = self.start(&folder, next, end - next)?;
            let hung = watch(&mut child, &progress)?;
            if self.take_in(&folder)? {
                self.tally.tried(end - next);
                return Ok(());
            }
            let at = read_progress(&progress)?;
            self.tally.tried(at + 1 - next);
            let said = std::fs::read_to_string(folder.join("stderr")).unwrap_or_default();
            let last = said.lines().next_back().unwrap_or_default();
            self.fail(
                at,
                &match hung {
                    true => format!("no end within {} s", PATIENCE.computing.as_secs()),
                    false => format!("crash: {last}"),
                },
            );
            next = at + 1;
            if next >= end {
                return Ok(());
            }
        }
        let name = self.format.name();
        eprintln!("warning: {name}: left at trial {next} after {MOST_CRASHES} crashes");
        Ok(())
    }

    fn start(&self, folder: &Path, from: u64, count: u64) -> Result<Child, String> {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let file = |name: &str| std::fs::File::create(folder.join(name)).map_err(|e| e.to_string());
        let (output, errors) = (file("stdout")?, file("stderr")?);
        Command::new(own)
            .arg("worker")
            .args(["--formats", self.format.name()])
            .args(["--seed", &self.args.seed.to_string()])
            .args(["--from", &from.to_string(), "--count", &count.to_string()])
            .arg("--found")
            .arg(folder)
            .arg("--binary")
            .arg(&self.bench.binary)
            // The formats are spread over the cores already.
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("a worker cannot be started: {e}"))
    }

    /// Takes in what a worker said; the result is whether it came to its end.
    fn take_in(&self, folder: &Path) -> Result<bool, String> {
        let said = std::fs::read_to_string(folder.join("stdout")).map_err(|e| e.to_string())?;
        let mut done = false;
        for line in said.lines() {
            let mut words = line.splitn(3, ' ');
            match (words.next(), words.next(), words.next()) {
                (Some("fail"), Some(trial), Some(what)) => {
                    let trial = trial.parse().map_err(|_| format!("worker said {line:?}"))?;
                    self.fail(trial, what);
                }
                (Some("read"), Some(count), _) => {
                    self.tally.count("still read", count.parse().unwrap_or(0));
                    done = true;
                }
                _ => {}
            }
        }
        Ok(done)
    }

    fn fail(&self, trial: u64, what: &str) {
        let (seed, name) = (self.args.seed, self.format.name());
        let (file, bytes) = match worker::input(self.sources, self.format, seed, trial) {
            Ok((file, bytes)) => (file, bytes),
            Err(error) => {
                eprintln!("warning: the input cannot be made again: {error}");
                (String::new(), Vec::new())
            }
        };
        let input = match file.is_empty() {
            true => vec![],
            false => vec![(file.as_str(), bytes)],
        };
        let again = format!(
            "drystone-hostile mutate --formats {name} --seed {seed} --from {trial} --count 1"
        );
        let (name, what) = (format!("{name}-{seed}-{trial}"), what.to_owned());
        self.tally.fail(
            self.bench,
            &Failure {
                name,
                what,
                again,
                input,
            },
        );
    }
}

/// Waits for the end of a worker; kills one that stays at a trial for too long, and says whether it
/// did.
fn watch(child: &mut Child, progress: &Path) -> Result<bool, String> {
    let failed = |e: std::io::Error| format!("a worker cannot be waited for: {e}");
    let (mut at, mut since, mut spent) = (u64::MAX, Instant::now(), Duration::ZERO);
    loop {
        if child.try_wait().map_err(failed)?.is_some() {
            return Ok(false);
        }
        let (now, computed) = (read_progress(progress)?, time_on_core(child.id()));
        if now != at {
            (at, since, spent) = (now, Instant::now(), computed);
        } else if computed.saturating_sub(spent) > PATIENCE.computing
            || since.elapsed() > PATIENCE.waiting
        {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Time that a process has computed; zero where it is gone. The kernel counts in hundredths of a
/// second for programs, whatever it does inside.
fn time_on_core(process: u32) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything; user and system time are 12 and 13 words on.
    let words = text.rsplit(')').next().unwrap_or_default();
    let ticks = words.split_whitespace().skip(11).take(2);
    Duration::from_millis(10 * ticks.filter_map(|t| t.parse::<u64>().ok()).sum::<u64>())
}

/// The trial that a worker is at.
fn read_progress(file: &Path) -> Result<u64, String> {
    let mut bytes = [0; 8];
    let mut read = || std::fs::File::open(file)?.read_exact_at(&mut bytes, 0);
    read().map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_computes_gets_older_on_its_core() {
        let before = time_on_core(std::process::id());
        let start = Instant::now();
        // Another process may have the core for a while.
        while time_on_core(std::process::id()) < before + Duration::from_millis(50) {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        assert_eq!(time_on_core(u32::MAX), Duration::ZERO);
    }
}
