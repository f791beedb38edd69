//! A process that reads forged files until it is done, or until one of them ends it.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nix::sys::resource::{Resource, setrlimit};

use super::format::{Format, Sources};
use crate::args::Args;
use crate::bench::Bench;
use crate::dice::Dice;

/// Most memory that a small file may take, bytes: readers promise a small multiple of the file's
/// size. Beyond it the worker aborts, and the trial has failed.
const MOST_MEMORY: u64 = 4 << 30;

/// What a panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// The forged file of a trial: its name and content.
pub fn input(
    sources: &Sources,
    format: Format,
    seed: u64,
    trial: u64,
) -> Result<(String, Vec<u8>), String> {
    let mut dice = Dice::new(seed, format.name(), trial);
    format.forge(sources, &mut dice)
}

/// Every file to begin from is read as it is: where one is refused, so is all that is made of it,
/// and the trials show nothing.
fn untouched(sources: &Sources, format: Format, seed: u64, scratch: &Path) -> Result<(), String> {
    for (number, source) in sources.of(format).iter().enumerate() {
        let name = source.0.clone();
        let mut dice = Dice::new(seed, "untouched", number as u64);
        if !format.put_to_use(sources, source.clone(), &mut dice, scratch)? {
            return Err(format!("{}: {name} is refused as it is", format.name()));
        }
    }
    Ok(())
}

/// Reads the trials from `--from` on, `--count` of them, of the one format named.
pub fn work(args: &Args, bench: &Bench) -> Result<(), String> {
    let &[format] = Format::chosen(&args.formats)?.as_slice() else {
        return Err("a worker reads one format".to_owned());
    };
    setrlimit(Resource::RLIMIT_AS, MOST_MEMORY, MOST_MEMORY).map_err(|e| e.to_string())?;
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let scratch = bench.folder("worker")?;
    let sources = Sources::new(&scratch.join("sources"))?;
    let progress = OpenOptions::new()
        .write(true)
        .open(args.found.join("progress"))
        .map_err(|e| format!("progress: {e}"))?;
    untouched(&sources, format, args.seed, &scratch)?;
    let mut read = 0_u64;
    let mut output = std::io::stdout().lock();
    for trial in args.from..args.from + args.count(0, 0) {
        progress
            .write_all_at(&trial.to_le_bytes(), 0)
            .map_err(|e| format!("progress: {e}"))?;
        let forged = input(&sources, format, args.seed, trial)?;
        let mut dice = Dice::new(args.seed ^ 1, format.name(), trial);
        let used = || format.put_to_use(&sources, forged, &mut dice, &scratch);
        let verdict = match catch_unwind(AssertUnwindSafe(used)) {
            Ok(verdict) => verdict,
            Err(_) => {
                let words = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
                Err(format!("panic: {}", words.replace('\n', " ")))
            }
        };
        match verdict {
            Ok(was_read) => read += u64::from(was_read),
            Err(what) => {
                let what: String = what.chars().take(500).collect();
                writeln!(output, "fail {trial} {what}").map_err(|e| e.to_string())?;
            }
        }
    }
    writeln!(output, "read {read}").map_err(|e| e.to_string())
}
