//! Physics at its edges: small scenes made by rule, each with a figure that is very large, very
//! small, zero or impossible.
//!
//! Each must end in time, by a status of the documentation, without a panic. Its recording holds
//! finite numbers. What its summary claims is true: no step that converged to a residual that is
//! not finite, no worst residual below those of its steps, no deep overlap without a warning.

mod rules;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use drystone_run::recording::Recording;
use drystone_run::step_table::read_steps;
use serde_json::Value;

use crate::args::Args;
use crate::bench::Bench;
use crate::child;
use crate::jobs;
use crate::tally::{Failure, Tally};
use rules::Extreme;

/// Longest that one scene may take: each has a handful of bodies.
const PATIENCE: Duration = Duration::from_secs(30);

/// Steps of each.
const STEPS: &str = "20";

/// Share of the thinnest body from which an overlap is worth a word.
const WORTH_A_WORD: f64 = 0.01;

/// Runs the scenes; with a count so many of them.
pub fn run(args: &Args, bench: &Bench) -> Result<Tally, String> {
    let all = rules::scenes();
    let count = args.count(60, all.len() as u64).min(all.len() as u64) as usize;
    // Spread over the list, so that a few are of all kinds.
    let from = args.from as usize;
    let chosen: Vec<&Extreme> = match from {
        0 => (0..count).map(|k| &all[k * all.len() / count]).collect(),
        from => all.iter().skip(from).take(count).collect(),
    };
    let tally = Tally::new("extremes");
    jobs::each(bench.jobs, chosen.len(), |k| {
        let extreme = chosen[k];
        let folder = bench.folder(&format!("extreme-{k}"))?;
        let verdict = attempt(bench, extreme, &folder)?;
        tally.tried(1);
        if let Err(what) = verdict {
            let scene = vec![("scene.toml", extreme.scene.clone().into_bytes())];
            let failure = Failure {
                name: extreme.name.clone(),
                what,
                again: format!("drystone run scene.toml --steps {STEPS} --picture 32x20"),
                input: scene,
            };
            tally.fail(bench, &failure);
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    })?;
    Ok(tally)
}

fn attempt(bench: &Bench, extreme: &Extreme, folder: &Path) -> Result<Result<(), String>, String> {
    let file = folder.join("scene.toml");
    std::fs::write(&file, &extreme.scene).map_err(|e| e.to_string())?;
    let run = folder.join("r");
    let start = |command: &str, more: &[&str]| {
        let mut child = Command::new(&bench.binary);
        child
            .arg(command)
            .arg(&file)
            .args(["--threads", "1"])
            .args(more);
        child
    };
    let check = child::run(start("check", &[]), folder, PATIENCE)?;
    if let Err(what) = check.expect(&[0, 2, 3]) {
        return Ok(Err(format!("check: {what}")));
    }
    let out = run.display().to_string();
    let more = [
        "--steps",
        STEPS,
        "--picture",
        "32x20",
        "--quiet",
        "-o",
        &out,
    ];
    let ended = child::run(start("run", &more), folder, PATIENCE)?;
    Ok(judge(&ended, &run))
}

fn judge(ended: &child::Ended, run: &Path) -> Result<(), String> {
    ended.expect(&[0, 2, 3])?;
    if ended.status != Some(0) && !ended.stderr.contains("error: ") {
        return Err(format!("status {:?} without a word", ended.status));
    }
    if !run.join("summary.json").exists() {
        return match ended.status {
            Some(2) => Ok(()),
            _ => Err("no summary.json".to_owned()),
        };
    }
    finite(run)?;
    honest(ended, run)
}

/// A recording holds finite numbers.
fn finite(run: &Path) -> Result<(), String> {
    let recording = Recording::open(run.join("frames.dry")).map_err(|e| e.to_string())?;
    for k in 0..recording.len() {
        let frame = recording.frame(k).map_err(|e| e.to_string())?;
        for (body, b) in frame.bodies.iter().enumerate() {
            let finite = b.position.is_finite()
                && b.rotation.is_finite()
                && b.velocity.is_finite()
                && b.angular_velocity.is_finite();
            if !finite {
                let name = recording.header().body_name(body);
                return Err(format!("frame {k}: {name} is nowhere: {b:?}"));
            }
        }
    }
    Ok(())
}

/// What the summary claims is what the steps were.
fn honest(ended: &child::Ended, run: &Path) -> Result<(), String> {
    let text = std::fs::read(run.join("summary.json")).map_err(|e| e.to_string())?;
    let summary: Value = serde_json::from_slice(&text).map_err(|e| e.to_string())?;
    let steps = read_steps(&run.join("log.csv"))
        .map_err(|e| e.to_string())?
        .rows;
    if let Some(step) = steps
        .iter()
        .position(|s| s.converged && !s.residual.is_finite())
    {
        return Err(format!(
            "step {}: converged to {}",
            step + 1,
            steps[step].residual
        ));
    }
    // NaN counts as the worst there is.
    let worse = |a: f64, b: f64| if b.is_nan() || b > a { b } else { a };
    let worst = steps.iter().map(|s| s.residual).fold(0.0, worse);
    let claimed = &summary["worst_residual"];
    let same = match claimed.as_f64() {
        Some(claimed) => claimed >= worst * (1.0 - 1e-9),
        None => !worst.is_finite(),
    };
    if !same {
        return Err(format!(
            "worst residual {claimed}, but a step has {worst:e}"
        ));
    }
    let share = summary["largest_overlap"]["share"].as_f64().unwrap_or(0.0);
    if share > WORTH_A_WORD && !ended.stderr.contains("warning") && ended.status == Some(0) {
        return Err(format!(
            "bodies overlap by {} % without a word",
            100.0 * share
        ));
    }
    Ok(())
}
