//! The experiments of the published papers, made again: what each paper measured, what we find, and
//! which of the paper's claims are reproduced here.
//!
//! The papers, as the reports name them:
//!
//! - Mazhar 2015: H. Mazhar, T. Heyn, D. Negrut, A. Tasora, *Using Nesterov's method to accelerate
//!   multibody dynamics with friction and contact*, ACM Trans. Graph. 34 (2015)
//! - Mazhar 2014: H. Mazhar, D. Melanz, M. Ferris, D. Negrut, *An analysis of several methods for
//!   handling hard-sphere frictional contact in rigid multibody dynamics*, TR-2014-11
//! - Heyn 2013: T. Heyn, M. Anitescu, A. Tasora, D. Negrut, *Using Krylov subspace and spectral
//!   methods for solving complementarity problems in many-body contact dynamics simulation*
//! - Tasora 2013: A. Tasora, *Efficient simulation of contacts, friction and constraints using a
//!   modified spectral projected gradient method*
//! - Melanz: D. Melanz, L. Fang, H. Mazhar, D. Negrut, *Computing frictional contact forces in
//!   rigid multibody dynamics using a primal-dual interior point method*; our copy bears no year
//!
//! [`run_experiments`] leaves a folder with `report.html`, `results.json` (every claim with the
//! published figure, ours and the outcome) and one folder per experiment with its page, tables,
//! figures and histories.

// `catalogue.rs` lists the experiments with their claims. One folder per paper holds them; they work
// with what `bench.rs` and `runs.rs` give: settled scenes, sizes, runs of methods. Each returns
// `Findings`: tables, figures and its claims, judged by `claim.rs`; `verdict.rs` makes sentences of
// these, and `report.rs` writes all down.
pub(crate) mod bench;
mod busy;
mod catalogue;
mod claim;
mod contest;
pub(crate) mod curves;
mod ended;
mod findings;
mod heyn_2013;
pub(crate) mod mazhar_2014;
mod mazhar_2015;
mod melanz;
mod report;
mod rows;
mod runs;
mod set_up;
mod tasora_2013;
mod trial;
mod verdict;

use std::path::Path;
use std::time::Instant;

use drystone_ccp::Method;
use drystone_run::{Control, Event, SettledStates};

use crate::error::StudyError;
use crate::output::make_folder;

use bench::Bench;
use ended::EndedExperiment;
use serde_json::{Value, json};

pub use catalogue::{EXPERIMENTS, Experiment, ExperimentCost, TO_COME};
pub use claim::{ClaimSource, ClaimText, Limit};
pub use ended::{outcome_lines, rows_of_beds};
pub use report::ExperimentReport;
pub use verdict::{causes, of_how_many};

/// How experiments are run.
#[derive(Clone, Debug)]
pub struct ExperimentSettings {
    /// Size relative to the paper's, > 0. What it scales is said in each report.
    pub scale: f64,
    /// Methods to run; empty for those of each experiment.
    pub methods: Vec<Method>,
    /// Whether settled states are made again even if they are kept from before, and their bits
    /// compared with the kept ones. Other bits are an error.
    pub rebuild: bool,
    /// Whether experiments that an earlier call with the same program and settings left whole in the
    /// folder are kept.
    pub resume: bool,
    /// The program: its version and commit. Reports say it.
    pub program: String,
    /// Of the program's bytes: results are kept only by the very same.
    pub program_digest: String,
    /// Methods that give up at once. For tests: a report must notice.
    pub failing: Vec<Method>,
    /// Claims, by their keys, that are judged by these limits instead of their own. For tests: a
    /// report must notice.
    pub changed_limits: Vec<(String, Limit)>,
}

impl Default for ExperimentSettings {
    /// The paper's sizes and each experiment's own methods.
    fn default() -> Self {
        Self {
            scale: 1.0,
            methods: Vec::new(),
            rebuild: false,
            resume: false,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            program_digest: String::new(),
            failing: Vec::new(),
            changed_limits: Vec::new(),
        }
    }
}

impl ExperimentSettings {
    /// What a result depends on, for `results.json`.
    fn json(&self) -> Value {
        let names =
            |methods: &[Method]| -> Vec<&str> { methods.iter().map(|m| m.name()).collect() };
        let mut value = json!({
            "scale": self.scale,
            "methods": names(&self.methods),
            "program": self.program,
            "program_digest": self.program_digest,
        });
        if !self.failing.is_empty() {
            value["failing"] = names(&self.failing).into();
        }
        for (key, limit) in &self.changed_limits {
            value["changed_limits"][key] = limit.words().into();
        }
        value
    }
}

/// Runs experiments and writes their report into the folder `output`, after each of them.
///
/// Scenes that have settled are kept in the folder `cache` and used again by later calls. Once the
/// caller cancels, the report holds the experiments that have ended.
pub fn run_experiments(
    experiments: &[&'static Experiment],
    settings: &ExperimentSettings,
    output: &Path,
    cache: &Path,
    control: Control<'_>,
) -> Result<ExperimentReport, StudyError> {
    make_folder(cache)?;
    let store = SettledStates::new(cache);
    let mut report = ExperimentReport::open(output, settings)?;
    let mut cancelled = false;
    for experiment in experiments {
        if settings.resume
            && let Some(kept) = EndedExperiment::kept(experiment, settings, output)
        {
            control.tell(Event::End(Some(&format!("{} (kept)", kept.line()))));
            report.keep(kept)?;
            continue;
        }
        let mut bench = Bench::new(experiment.id, settings, &store, control);
        let start = Instant::now();
        match (experiment.run)(&mut bench) {
            Ok(findings) => {
                let how = (start.elapsed().as_secs_f64(), bench.busy());
                let states = bench.into_states();
                let ended = EndedExperiment::new(experiment, &findings, settings, how, &states);
                control.tell(Event::End(Some(&ended.line())));
                report.add(ended, &findings)?;
            }
            Err(StudyError::Cancelled) => {
                cancelled = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    control.tell(Event::Saving);
    report.finish(cancelled)?;
    Ok(report)
}

/// The experiments of these names, each once, in the order of [`EXPERIMENTS`]. The name `all`
/// stands for all of them; upper and lower case are the same.
pub fn find_experiments(names: &[String]) -> Result<Vec<&'static Experiment>, StudyError> {
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
