//! What a comparison collects.

use std::path::{Path, PathBuf};

use drystone_ccp::{HistoryRow, Law, Limits, Method, SolveInfo, Termination};

use crate::job::{ProblemFacts, problem_name};
use crate::output::same_file;
use crate::table::{Row, problem_cells, run_cells};

/// Most points of a curve: enough for a smooth line, few enough for a page with hundreds of curves.
const CURVE_POINTS: usize = 200;

/// Most rows of a history file of a comparison: some 4 MB of text.
pub(crate) const HISTORY_ROWS: usize = 20_000;

/// What a comparison is asked to do.
#[derive(Clone, Debug)]
pub struct ComparisonSettings {
    /// The methods; one that is named twice runs once.
    pub methods: Vec<Method>,
    /// The friction law of all runs.
    pub law: Law,
    /// When each run has to stop.
    pub limits: Limits,
}

/// What a comparison found: every method on every problem.
#[derive(Debug)]
pub struct Comparison {
    /// The friction law of all runs.
    pub law: Law,
    /// The limits of all runs.
    pub limits: Limits,
    /// The methods, in the order asked for.
    pub methods: Vec<Method>,
    /// The problems, in the order asked for.
    pub problems: Vec<ProblemRuns>,
    /// Threads used.
    pub threads: usize,
    /// Whether the caller cancelled it, so that runs are missing.
    pub cancelled: bool,
}

/// The runs on one problem.
#[derive(Debug)]
pub struct ProblemRuns {
    /// Its name, unique in the comparison.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Its sizes, or why it could not be read; `None` if the comparison was cancelled before it.
    pub facts: Option<Result<ProblemFacts, String>>,
    /// One run per method, in the comparison's order; fewer if it was cancelled.
    pub runs: Vec<MethodRun>,
}

/// One method on one problem.
#[derive(Debug)]
pub struct MethodRun {
    /// The method.
    pub method: Method,
    /// How it went, with a thinned history, or why the method does not accept the problem.
    pub outcome: Result<SolveInfo, String>,
}

impl MethodRun {
    /// How it ended, as in `results.csv`.
    pub fn termination(&self) -> &'static str {
        match &self.outcome {
            Ok(info) => info.termination.name(),
            Err(_) => "refused",
        }
    }

    /// The run's information, if it reached the tolerance.
    pub fn converged(&self) -> Option<&SolveInfo> {
        self.outcome.as_ref().ok().filter(|info| info.converged())
    }

    /// The points of its curves.
    pub(crate) fn history(&self) -> &[HistoryRow] {
        self.outcome.as_ref().map_or(&[], |info| &info.history)
    }
}

impl ProblemRuns {
    /// Problems of these files, under names that tell them apart. A file given twice counts once.
    pub(crate) fn of_files(files: &[PathBuf]) -> Vec<Self> {
        let mut problems: Vec<Self> = Vec::new();
        for file in files {
            if problems.iter().any(|p| same_file(&p.file, file)) {
                continue;
            }
            let name = unique_name(file, |name| problems.iter().any(|p| p.name == name));
            problems.push(Self {
                name,
                file: file.clone(),
                facts: None,
                runs: Vec::new(),
            });
        }
        problems
    }

    /// The problem's sizes, if it could be read.
    pub fn known(&self) -> Option<&ProblemFacts> {
        self.facts.as_ref()?.as_ref().ok()
    }

    /// Whether all `methods` methods ran to an end of their own, so that they can be compared.
    pub(crate) fn complete(&self, methods: usize) -> bool {
        let cancelled = |run: &MethodRun| {
            let info = run.outcome.as_ref().ok();
            info.is_some_and(|i| i.termination == Termination::Cancelled)
        };
        self.runs.len() == methods && !self.runs.iter().any(cancelled)
    }

    /// Objective of the converged run with the smallest residual, J: what gaps are measured from.
    /// The lowest objective would not do: a point a little outside the cones lies below the
    /// optimum.
    pub(crate) fn best_objective(&self) -> Option<f64> {
        let certificates = self.runs.iter().filter_map(MethodRun::converged);
        certificates
            .map(|info| info.certificate)
            .min_by(|a, b| a.residual.total_cmp(&b.residual))
            .map(|certificate| certificate.objective)
    }
}

impl Comparison {
    /// A comparison before its first run.
    pub(crate) fn new(files: &[PathBuf], settings: &ComparisonSettings) -> Self {
        let mut methods: Vec<Method> = Vec::new();
        for &method in &settings.methods {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        Self {
            law: settings.law,
            limits: settings.limits,
            methods,
            problems: ProblemRuns::of_files(files),
            threads: rayon::current_num_threads(),
            cancelled: false,
        }
    }

    /// The problems on which every method ran to an end of its own.
    pub fn complete_problems(&self) -> Vec<&ProblemRuns> {
        let complete = |p: &&ProblemRuns| p.complete(self.methods.len());
        self.problems.iter().filter(complete).collect()
    }

    /// A row with the columns of `results.csv` and nothing to say.
    pub(crate) fn no_row(&self) -> Row {
        let nothing = ProblemRuns {
            name: String::new(),
            file: PathBuf::new(),
            facts: None,
            runs: Vec::new(),
        };
        self.row(&nothing, None)
    }

    /// A row of `results.csv`; without a run for a problem that could not be read.
    pub(crate) fn row(&self, problem: &ProblemRuns, run: Option<&MethodRun>) -> Row {
        let info = run.and_then(|r| r.outcome.as_ref().ok());
        let unreadable = problem.facts.as_ref().and_then(|f| f.as_ref().err());
        let reason = unreadable.or(run.and_then(|r| r.outcome.as_ref().err()));
        let termination = run.map_or("unreadable", MethodRun::termination);
        let mut row = problem_cells(&problem.name, problem.known());
        row.extend([
            ("method", run.map_or("", |r| r.method.name()).into()),
            ("answered_by", info.map_or("", |i| i.method).into()),
            ("law", self.law.name().into()),
            ("tolerance", self.limits.tolerance.into()),
            ("threads", self.threads.into()),
            ("termination", termination.into()),
        ]);
        row.extend(run_cells(info));
        row.push(("reason", reason.map_or("", String::as_str).into()));
        row
    }
}

/// The file's own name; with its folder's name, then with a number, where that is taken.
fn unique_name(file: &Path, taken: impl Fn(&str) -> bool) -> String {
    let name = problem_name(file);
    if !taken(&name) {
        return name;
    }
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    let longer = format!("{}-{name}", folder.to_string_lossy());
    if !folder.is_empty() && !taken(&longer) {
        return longer;
    }
    let mut k = 2;
    while taken(&format!("{name}-{k}")) {
        k += 1;
    }
    format!("{name}-{k}")
}

/// At most [`CURVE_POINTS`] rows: the first, the last, and between them rows that are spread evenly
/// on a logarithmic axis.
pub(crate) fn thinned(history: &[HistoryRow]) -> Vec<HistoryRow> {
    if history.len() <= CURVE_POINTS {
        return history.to_vec();
    }
    let last = history.len() - 1;
    let ratio = (last as f64).ln() / (CURVE_POINTS - 2) as f64;
    let mut kept = vec![0];
    for k in 0..CURVE_POINTS - 1 {
        let index = ((k as f64 * ratio).exp().round() as usize).min(last);
        if kept.last() != Some(&index) {
            kept.push(index);
        }
    }
    kept.into_iter().map(|index| history[index]).collect()
}

#[cfg(test)]
mod tests {
    use drystone_ccp::PaperMeasures;

    use super::*;

    fn history(rows: usize) -> Vec<HistoryRow> {
        let row = |iteration| HistoryRow {
            iteration,
            products: iteration,
            seconds: 0.0,
            residual: 1.0,
            residual_velocity: 1.0,
            objective: 0.0,
            measures: PaperMeasures {
                apgd_residual: 0.0,
                spectral_residual: 0.0,
                projected_gradient: 0.0,
                complementarity: 0.0,
                active_set: 0,
            },
        };
        (0..rows).map(row).collect()
    }

    #[test]
    fn thinning_keeps_the_ends_and_the_order() {
        let history = history(100_000);
        let thin = thinned(&history);
        assert!(thin.len() <= CURVE_POINTS && thin.len() > CURVE_POINTS / 2);
        assert_eq!(thin[0].iteration, 0);
        assert_eq!(thin[thin.len() - 1].iteration, 99_999);
        assert!(thin.windows(2).all(|w| w[0].iteration < w[1].iteration));
        assert_eq!(thinned(&history[..150]).len(), 150);
    }

    #[test]
    fn problems_are_told_apart() {
        let files = ["a/x.hdf5", "b/x.hdf5", "b/x.h5", "c/x.hdf5"].map(PathBuf::from);
        let names: Vec<String> = ProblemRuns::of_files(&files)
            .into_iter()
            .map(|p| p.name)
            .collect();
        assert_eq!(names, ["x", "b-x", "x-2", "c-x"]);
    }
}
