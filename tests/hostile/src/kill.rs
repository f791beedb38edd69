//! Signals at random moments of runs that are resumed until they are done.
//!
//! However often and wherever a run is killed, stopped or paused, its folder ends as that of a run
//! that was left alone.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::args::Args;
use crate::bench::Bench;
use crate::child::{PATIENCE, Prints, wait};
use crate::dice::Dice;
use crate::jobs;
use crate::small_scenes::Reference;
use crate::tally::{Failure, Tally};

/// What is done to a run.
#[derive(Clone, Copy, Debug)]
enum Blow {
    Kill,
    Term,
    Interrupt,
    /// Stopped for a moment, then let go on; killed a little later.
    Pause,
    /// Asked to stop, and killed while it does.
    TermThenKill,
}

const BLOWS: [Blow; 5] = [
    Blow::Kill,
    Blow::Term,
    Blow::Interrupt,
    Blow::Pause,
    Blow::TermThenKill,
];

/// Most signals to one run before it may end in peace.
const MOST_BLOWS: u64 = 12;

/// Sends so many signals.
pub fn run(args: &Args, bench: &Bench) -> Result<Tally, String> {
    let signals = args.count(12, 200);
    let mut references = vec![
        Reference::balls(bench, "kill-short", 0.06)?,
        Reference::balls(bench, "kill-long", 0.4)?,
    ];
    if !args.quick {
        for (name, steps) in [("stack", 40), ("network", 20), ("tracked-vehicle", 15)] {
            references.push(Reference::builtin(bench, name, steps)?);
        }
    }
    let tally = Tally::new("kill");
    let sent = AtomicU64::new(0);
    // Each sequence sends at least one signal, so this many are enough.
    jobs::each(bench.jobs, signals as usize, |trial| {
        if sent.load(Ordering::Relaxed) >= signals {
            return Ok(());
        }
        let mut dice = Dice::new(args.seed, "kill", trial as u64);
        let reference = dice.pick(&references);
        let folder = bench.folder(&format!("kill-{trial}"))?;
        let (blows, verdict) = sequence(bench, reference, &folder, &mut dice)?;
        sent.fetch_add(blows.len() as u64, Ordering::Relaxed);
        tally.tried(blows.len() as u64);
        tally.count("runs", 1);
        if let Err(what) = verdict {
            let (seed, name) = (args.seed, reference.name());
            tally.fail(
                bench,
                &Failure {
                    name: format!("{seed}-{trial}"),
                    what: format!("{name}: {what}; after {}", blows.join(", ")),
                    again: format!("drystone-hostile kill --seed {seed} (chance has its part)"),
                    input: vec![],
                },
            );
            keep_folder(bench, &folder, &format!("kill-{seed}-{trial}"));
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    })?;
    Ok(tally)
}

/// A failed run's folder is worth more than words.
fn keep_folder(bench: &Bench, folder: &Path, name: &str) {
    let target = bench.found.join(name).join("run");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([folder, &target])
        .status();
    if !copied.is_ok_and(|s| s.success()) {
        eprintln!("warning: {}: not kept", target.display());
    }
}

/// One run with all its signals. The words say what was done; an error in the second part is the
/// program's fault, one outside of it ours.
fn sequence(
    bench: &Bench,
    reference: &Reference,
    folder: &Path,
    dice: &mut Dice,
) -> Result<(Vec<String>, Result<(), String>), String> {
    let run = folder.join("r");
    let mut blows = Vec::new();
    let most = 1 + dice.bits() % MOST_BLOWS;
    for round in 0..most {
        let threads = ["1", "2", "3"][dice.below(3)];
        // Killed before its scene was written there is nothing to resume.
        let more: &[&str] = match round > 0 && run.join("scene.toml").exists() {
            false => &["--threads", threads],
            true => &["--threads", threads, "--resume"],
        };
        let blow = *dice.pick(&BLOWS);
        let moment = Duration::from_secs_f64(dice.share() * 1.2 * reference.seconds);
        blows.push(format!("{blow:?} at {} ms", moment.as_millis()));
        let verdict = strike(reference.command(bench, &run, more), folder, blow, moment)?;
        let verdict = verdict.and_then(|()| match run.exists() {
            true => crate::run_folder::whole(&run),
            false => Ok(()),
        });
        if verdict.is_err() {
            return Ok((blows, verdict));
        }
    }
    let verdict = reference.resume_and_compare(bench, &run);
    Ok((blows, verdict))
}

/// Starts a run, waits for the moment and strikes. It must end as the documentation has it.
fn strike(
    mut command: std::process::Command,
    folder: &Path,
    blow: Blow,
    moment: Duration,
) -> Result<Result<(), String>, String> {
    let prints = Prints::of(folder, &mut command)?;
    let mut child = command.spawn().map_err(|e| format!("{command:?}: {e}"))?;
    let pid = Pid::from_raw(child.id() as i32);
    std::thread::sleep(moment);
    // It may have ended: then there is nobody to hear the signal, and its number is still ours.
    let send = |signal| kill(pid, signal).map_err(|e| format!("no signal could be sent: {e}"));
    let pause = Duration::from_millis(5);
    match blow {
        Blow::Kill => send(Signal::SIGKILL)?,
        Blow::Term => send(Signal::SIGTERM)?,
        Blow::Interrupt => send(Signal::SIGINT)?,
        Blow::Pause => {
            send(Signal::SIGSTOP)?;
            std::thread::sleep(pause);
            send(Signal::SIGCONT)?;
            std::thread::sleep(pause);
            send(Signal::SIGKILL)?;
        }
        Blow::TermThenKill => {
            send(Signal::SIGTERM)?;
            std::thread::sleep(pause / 2);
            send(Signal::SIGKILL)?;
        }
    }
    let (status, too_long) = wait(&mut child, PATIENCE)?;
    let ended = prints.ended(status, too_long);
    if let Some(outrage) = ended.outrage() {
        return Ok(Err(outrage));
    }
    // 3: it was stopped. 130: before its first step, so that there was nothing to keep. A signal
    // before the program listens ends it as it ends any.
    let right = match blow {
        Blow::Kill | Blow::Pause | Blow::TermThenKill => {
            status.signal().is_some() || matches!(status.code(), Some(0 | 3 | 130))
        }
        Blow::Term | Blow::Interrupt => match (status.code(), status.signal()) {
            (Some(code), _) => matches!(code, 0 | 3 | 130),
            (None, signal) => matches!(signal, Some(libc::SIGTERM | libc::SIGINT)),
        },
    };
    Ok(match right {
        true => Ok(()),
        false => Err(format!("ended by {status}: {}", ended.said())),
    })
}
