//! `drystone experiment`: the papers' experiments, one command each.
//!
//! `catalogue.rs` lists them; a folder a paper runs them, with what `bench.rs` gives: settled scenes, methods, sizes.
//! Each returns `Findings`: tables, figures and claims, which `folder.rs` writes down.

mod bench;
mod catalogue;
mod claim;
mod contest;
mod curves;
mod findings;
mod folder;
mod paper_000;
mod paper_001;
mod paper_002;
mod paper_003;
mod paper_004;
mod rows;
mod runs;
mod trial;

use std::path::PathBuf;
use std::time::Instant;

use drystone_scene::SettledStates;
use serde_json::json;

use crate::args::experiment::ExperimentArgs;
use crate::failure::{CLAIM_FAILED, Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout};
use crate::run::thread_pool;

use bench::{Bench, Halt};
use catalogue::{EXPERIMENTS, Experiment, TO_COME};
use folder::{Ended, Folder};

/// Runs the experiments that are asked for, or lists them; the exit status says whether their claims hold.
pub fn experiment(args: &ExperimentArgs) -> Result<u8, Failure> {
    if args.names.is_empty() {
        to_stdout(&list())?;
        return Ok(SUCCESS);
    }
    let experiments = chosen(&args.names)?;
    let cache = cache_folder(args);
    folder::make(&cache)?;
    let store = SettledStates::new(cache);
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::open(&args.output, args.scale, pool.current_num_threads())?;
    let mut cancelled = false;
    for experiment in experiments {
        let mut bench = Bench::new(
            experiment.id,
            args.scale,
            &args.methods,
            pool.current_num_threads(),
            &store,
        );
        bench.rebuild = args.rebuild;
        bench.quiet = args.quiet;
        let start = Instant::now();
        match pool.install(|| (experiment.run)(&mut bench)) {
            Ok(findings) => {
                let ended = Ended {
                    experiment,
                    findings,
                    seconds: start.elapsed().as_secs_f64(),
                    states: bench.into_states(),
                };
                if !args.quiet {
                    to_stderr(&ended.line());
                }
                folder.add(ended)?;
            }
            Err(Halt::Cancelled) => {
                cancelled = true;
                break;
            }
            Err(Halt::Failed(failure)) => return Err(failure),
        }
    }
    folder.finish(cancelled)?;
    to_stdout(&match args.json {
        true => format!("{:#}\n", folder.json()),
        false => folder.summary(),
    })?;
    Ok(match (cancelled, folder.hold()) {
        (true, _) => NOT_CONVERGED,
        (false, true) => SUCCESS,
        (false, false) => CLAIM_FAILED,
    })
}

/// The experiments of these names, in the catalogue's order; each once.
fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    let is = |name: &str, id: &str| name.eq_ignore_ascii_case(id);
    for name in names {
        if is(name, "all") || EXPERIMENTS.iter().any(|e| is(name, e.id)) {
            continue;
        }
        let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
        let later = TO_COME.iter().find(|(id, _)| is(name, id));
        return Err(Failure::Input(match later {
            Some((id, what)) => format!("experiment {id} ({what}) is not built yet"),
            None => format!(
                "there is no experiment {name:?}; there are {}",
                known.join(", ")
            ),
        }));
    }
    let all = names.iter().any(|name| is(name, "all"));
    let wanted = |e: &&Experiment| all || names.iter().any(|name| is(name, e.id));
    Ok(EXPERIMENTS.iter().filter(wanted).collect())
}

fn list() -> String {
    let mut text = format!("{:<7} {:>9} {:>8}  what\n", "name", "time", "memory");
    for e in EXPERIMENTS {
        let time = match e.cost.minutes {
            minutes if minutes < 1.0 => format!("{:.0} s", 60.0 * minutes),
            minutes => format!("{minutes:.0} min"),
        };
        let memory = format!("{} GB", e.cost.gigabytes);
        text += &format!(
            "{:<7} {time:>9} {memory:>8}  {} ({})\n",
            e.id, e.title, e.source
        );
    }
    text += "\nTimes are for two cores, --scale 1 and nothing settled yet. To come:";
    for (id, what) in TO_COME {
        text += &format!(" {id} ({what}),");
    }
    text.pop();
    text + ".\nRun some: drystone experiment NAME... [--scale F]\n"
}

/// Where settled states are kept.
fn cache_folder(args: &ExperimentArgs) -> PathBuf {
    let from = |variable: &str| std::env::var_os(variable).filter(|v| !v.is_empty());
    let cache = || {
        from("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(from("HOME")?).join(".cache")))
    };
    let default = || cache().map(|folder| folder.join("drystone"));
    let folder = args.cache.clone().or_else(default);
    // Nowhere to call home: beside the results.
    folder
        .unwrap_or_else(|| args.output.join("cache"))
        .join("settled")
}

/// What a number of the command is in `results.json`.
fn settings(scale: f64, threads: usize) -> serde_json::Value {
    json!({ "scale": scale, "threads": threads, "version": env!("CARGO_PKG_VERSION") })
}
