//! What was tried and what failed.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use crate::bench::Bench;

/// Most failures of a kind that are shown and kept; the rest is counted.
const MOST_KEPT: u64 = 100;

/// Counts of one kind. Threads share one.
pub struct Tally {
    kind: &'static str,
    started: Instant,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    tried: u64,
    failed: u64,
    /// Further counts, in the order in which they came.
    others: Vec<(&'static str, u64)>,
    told: Option<Instant>,
}

/// What failed, and what is needed to see it again.
pub struct Failure<'a> {
    /// A name for its files.
    pub name: String,
    /// What went wrong.
    pub what: String,
    /// The command that repeats it.
    pub again: String,
    /// Its input: a name and bytes each.
    pub input: Vec<(&'a str, Vec<u8>)>,
}

impl Tally {
    /// Nothing yet.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            started: Instant::now(),
            counts: Mutex::default(),
        }
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Trials that were made; says so now and then.
    pub fn tried(&self, more: u64) {
        let mut counts = self.counts();
        counts.tried += more;
        let due = counts.told.is_none_or(|t| t.elapsed().as_secs() >= 10);
        if due && self.started.elapsed().as_secs() >= 10 {
            counts.told = Some(Instant::now());
            let (kind, tried, failed) = (self.kind, counts.tried, counts.failed);
            let seconds = self.started.elapsed().as_secs();
            eprintln!("{kind}: {tried} tried, {failed} failed, {seconds} s");
        }
    }

    /// Counts something besides.
    pub fn count(&self, what: &'static str, more: u64) {
        let mut counts = self.counts();
        match counts.others.iter_mut().find(|(name, _)| *name == what) {
            Some((_, count)) => *count += more,
            None => counts.others.push((what, more)),
        }
    }

    /// Counts a failure, tells it and keeps its input.
    pub fn fail(&self, bench: &Bench, failure: &Failure<'_>) {
        let number = {
            let mut counts = self.counts();
            counts.failed += 1;
            counts.failed
        };
        if number > MOST_KEPT {
            return;
        }
        let Failure {
            name, what, again, ..
        } = failure;
        eprintln!("FAILED {} {name}: {what}\n       again: {again}", self.kind);
        if let Err(error) = keep(&bench.found, self.kind, failure) {
            eprintln!("warning: {}: not kept: {error}", bench.found.display());
        }
    }

    /// How many failed.
    pub fn failed(&self) -> u64 {
        self.counts().failed
    }

    /// The closing line.
    pub fn line(&self) -> String {
        let counts = self.counts();
        let mut line = format!("{}: {} tried", self.kind, counts.tried);
        for (what, count) in &counts.others {
            let _ = write!(line, ", {count} {what}");
        }
        let seconds = self.started.elapsed().as_secs();
        let _ = write!(line, ", {} failed, {seconds} s", counts.failed);
        line
    }
}

fn keep(found: &Path, kind: &str, failure: &Failure<'_>) -> std::io::Result<()> {
    let folder = found.join(format!("{kind}-{}", failure.name.replace(['/', ' '], "_")));
    std::fs::create_dir_all(&folder)?;
    let words = format!("{}\nagain: {}\n", failure.what, failure.again);
    std::fs::write(folder.join("what.txt"), words)?;
    for (name, bytes) in &failure.input {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
