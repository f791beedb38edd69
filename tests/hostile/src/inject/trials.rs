//! Which calls are disturbed, and what must come of it.

use std::path::{Path, PathBuf};

use super::fault::{Call, Fault};
use super::tracer::{Traced, trace};
use crate::args::Args;
use crate::bench::Bench;
use crate::child::PATIENCE;
use crate::dice::Dice;
use crate::jobs;
use crate::run_folder;
use crate::small_scenes::Reference;
use crate::tally::{Failure, Tally};

/// A run whose calls are known.
struct Target {
    name: &'static str,
    reference: Reference,
    /// A run that stopped half-way, to be copied and gone on with.
    begun: Option<PathBuf>,
    calls: Vec<Call>,
}

/// A fault in one call of a target.
type Trial = (usize, usize, Fault);

/// Makes so many faults: all of them in order, again from the start if there are fewer, or a sample
/// if there are more.
pub fn run(args: &Args, bench: &Bench) -> Result<Tally, String> {
    let targets = targets(args, bench)?;
    let mut all = Vec::new();
    for (target, of) in targets.iter().enumerate() {
        for (at, call) in of.calls.iter().enumerate() {
            let faults = Fault::ALL.iter().filter(|f| f.befalls(call.action));
            all.extend(faults.map(|fault| (target, at, *fault)));
        }
        eprintln!("inject: {} makes {} calls", of.name, of.calls.len());
    }
    let count = args.count(60, all.len() as u64) as usize;
    let trials = match count < all.len() {
        true => sample(all, count, args.seed),
        false => all.into_iter().cycle().take(count).collect(),
    };
    let tally = Tally::new("inject");
    jobs::each(bench.jobs, trials.len(), |number| {
        let (target, at, fault) = trials[number];
        let target = &targets[target];
        let folder = bench.folder(&format!("inject-{number}"))?;
        let verdict = attempt(bench, target, &folder, at, fault)?;
        tally.tried(1);
        match verdict {
            Ok(true) => {}
            Ok(false) => tally.count("not reached", 1),
            Err(what) => {
                let Call { action, path } = &target.calls[at];
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let place = format!(
                    "{fault:?} in call {at} ({action:?} {file}) of {}",
                    target.name
                );
                let (seed, count) = (args.seed, trials.len());
                let again = format!("drystone-hostile inject --seed {seed} --count {count}");
                let name = format!("{}-{at}-{fault:?}", target.name);
                let what = format!("{place}: {what}");
                let input = vec![];
                tally.fail(
                    bench,
                    &Failure {
                        name,
                        what,
                        again,
                        input,
                    },
                );
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    })?;
    Ok(tally)
}

/// A run from its start, and one that goes on with another.
fn targets(args: &Args, bench: &Bench) -> Result<Vec<Target>, String> {
    // Steps of 2 ms: enough for checkpoints, frames and tables, few enough for all calls.
    let duration = if args.quick { 0.012 } else { 0.03 };
    let mut targets = Vec::new();
    for (name, half) in [("fresh", None), ("resumed", Some("3"))] {
        let reference = Reference::balls(bench, &format!("inject-{name}"), duration)?;
        let begun = match half {
            None => None,
            Some(steps) => {
                let place = bench.folder(&format!("inject-begun-{name}"))?;
                let run = place.join("r");
                let more = ["--threads", "1", "--steps", steps];
                let command = reference.command(bench, &run, &more);
                crate::child::run(command, &place, PATIENCE)?.expect(&[0])?;
                Some(run)
            }
        };
        let mut target = Target {
            name,
            reference,
            begun,
            calls: vec![],
        };
        let folder = bench.folder(&format!("inject-count-{name}"))?;
        let traced = start(bench, &target, &folder, None)?;
        traced.ended.expect(&[0])?;
        run_folder::same(&target.reference.folder, &folder.join("r"))
            .map_err(|what| format!("a run that was only watched: {what}"))?;
        target.calls = traced.calls;
        targets.push(target);
    }
    Ok(targets)
}

/// Some of them, in random order.
fn sample(mut all: Vec<Trial>, count: usize, seed: u64) -> Vec<Trial> {
    let mut dice = Dice::new(seed, "inject", 0);
    for k in 0..count {
        let other = k + dice.below(all.len() - k);
        all.swap(k, other);
    }
    all.truncate(count);
    all
}

fn start(
    bench: &Bench,
    target: &Target,
    folder: &Path,
    fault: Option<(usize, Fault)>,
) -> Result<Traced, String> {
    let run = folder.join("r");
    let mut more = vec!["--threads", "1"];
    if let Some(begun) = &target.begun {
        copy(begun, &run).map_err(|e| format!("{}: {e}", run.display()))?;
        more.push("--resume");
    }
    let command = target.reference.command(bench, &run, &more);
    trace(command, folder, &run, fault, PATIENCE)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// One run with its fault; whether the call was reached. An error in the inner part is the
/// program's fault.
fn attempt(
    bench: &Bench,
    target: &Target,
    folder: &Path,
    at: usize,
    fault: Fault,
) -> Result<Result<bool, String>, String> {
    let traced = start(bench, target, folder, Some((at, fault)))?;
    Ok(judge(bench, target, &folder.join("r"), &traced, fault))
}

fn judge(
    bench: &Bench,
    target: &Target,
    run: &Path,
    traced: &Traced,
    fault: Fault,
) -> Result<bool, String> {
    let Some(hit) = &traced.hit else {
        traced.ended.expect(&[0])?;
        return Ok(false);
    };
    if fault.kills() {
        if traced.ended.signal != Some(libc::SIGKILL) {
            return Err(format!("was not killed: {:?}", traced.ended));
        }
    } else {
        traced.ended.expect(fault.statuses(hit.action))?;
        if traced.ended.status == Some(0) {
            run_folder::same(&target.reference.folder, run)
                .map_err(|what| format!("status 0, but {what}"))?;
        } else if !traced.ended.stderr.contains("error: ") {
            return Err("fails without a word".to_owned());
        }
    }
    if run.exists() {
        run_folder::whole(run)?;
    }
    target.reference.resume_and_compare(bench, run)?;
    Ok(true)
}
