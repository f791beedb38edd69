//! The papers' experiments.
//!
//! `catalogue.rs` lists them; a folder a paper runs them, with what `bench.rs` gives: settled scenes, methods, sizes.
//! Each returns `Findings`: tables, figures and claims, which `folder.rs` writes down.

mod bench;
pub mod catalogue;
pub mod claim;
mod contest;
mod curves;
pub mod findings;
pub mod folder;
mod paper_000;
mod paper_001;
mod paper_002;
mod paper_003;
mod paper_004;
mod rows;
mod runs;
mod trial;

use std::path::Path;
use std::time::Instant;

use drystone_ccp::Method;
use drystone_run::{Control, Event, SettledStates};
use serde_json::json;

use crate::error::StudyError;
use crate::output::make_folder;

use bench::Bench;
use catalogue::{EXPERIMENTS, Experiment, TO_COME};
use folder::{EndedExperiment, Folder};

/// What experiments are asked to do.
#[derive(Clone, Debug)]
pub struct ExperimentSettings {
    /// Size against the paper's, > 0.
    pub scale: f64,
    /// Methods to run; those of the experiment where none is named.
    pub methods: Vec<Method>,
    /// Whether settled states are made anew and their bits compared.
    pub rebuild: bool,
}

/// Runs experiments and writes their report into `output`, after each of them. Settled scenes are
/// kept in the folder `cache`. Once the caller cancels, the report holds those that had ended.
pub fn experiments(
    experiments: &[&'static Experiment],
    settings: &ExperimentSettings,
    output: &Path,
    cache: &Path,
    control: Control<'_>,
) -> Result<Folder, StudyError> {
    make_folder(cache)?;
    let store = SettledStates::new(cache);
    let mut folder = Folder::open(output, settings.scale)?;
    let mut cancelled = false;
    for experiment in experiments {
        let mut bench = Bench::new(experiment.id, settings, &store, control);
        let start = Instant::now();
        match (experiment.run)(&mut bench) {
            Ok(findings) => {
                let ended = EndedExperiment {
                    experiment,
                    findings,
                    seconds: start.elapsed().as_secs_f64(),
                    states: bench.into_states(),
                };
                control.tell(Event::End(Some(&ended.line())));
                folder.add(ended)?;
            }
            Err(StudyError::Cancelled) => {
                cancelled = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    folder.finish(cancelled)?;
    Ok(folder)
}

/// The experiments of these names, in the catalogue's order; each once.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, StudyError> {
    let is = |name: &str, id: &str| name.eq_ignore_ascii_case(id);
    for name in names {
        if is(name, "all") || EXPERIMENTS.iter().any(|e| is(name, e.id)) {
            continue;
        }
        let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
        let later = TO_COME.iter().find(|(id, _)| is(name, id));
        return Err(StudyError::Refused(match later {
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

/// The settings of a report, for `results.json`.
fn settings(scale: f64, threads: usize) -> serde_json::Value {
    json!({ "scale": scale, "threads": threads, "version": env!("CARGO_PKG_VERSION") })
}
