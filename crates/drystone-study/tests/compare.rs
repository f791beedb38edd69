//! A comparison through the library: the folder that it leaves, what it returns, and what becomes
//! of a cancelled one and of problems that cannot be used.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use drystone_ccp::{Law, Limits, Method};
use drystone_run::{Control, Event};
use drystone_study::StudyError;
use drystone_study::compare::{Comparison, ComparisonSettings, REPORT, compare};

fn problem(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    folder.join(name)
}

fn settings(methods: &[Method]) -> ComparisonSettings {
    ComparisonSettings {
        methods: methods.to_vec(),
        law: Law::Relaxed,
        limits: Limits {
            tolerance: 1e-6,
            ..Limits::default()
        },
    }
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// The lines of `results.csv` as problem, method and termination.
fn results(folder: &Path) -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    let column = |name: &str| heading.iter().position(|h| *h == name).unwrap();
    let columns = ["problem", "method", "termination"].map(column);
    lines
        .map(|line| columns.map(|k| line[k].to_owned()))
        .collect()
}

fn page(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(REPORT)).unwrap()
}

#[test]
fn a_folder_holds_the_table_histories_figures_and_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out");
    let files = [problem("pile.ccp"), problem("block.hdf5")];
    let settings = settings(&[Method::Apgd, Method::GaussSeidel]);
    let comparison = compare(&files, &settings, &out, Control::none()).unwrap();

    assert!(!comparison.cancelled);
    assert_eq!(comparison.methods, settings.methods);
    for problem in &comparison.problems {
        assert!(problem.known().unwrap().contacts > 0);
        assert_eq!(problem.runs.len(), 2);
        for run in &problem.runs {
            let info = run.converged().unwrap();
            assert!(info.certificate.residual <= 1e-6);
            // The curves of the page: from the start to the end.
            assert_eq!(info.history[0].iteration, 0);
        }
    }
    let solved = comparison.method_summaries().into_iter();
    let solved: Vec<_> = solved.map(|s| (s.method, s.solved, s.problems)).collect();
    let expected = [(Method::Apgd, 2, 2), (Method::GaussSeidel, 2, 2)];
    assert_eq!(solved, expected);

    assert_eq!(
        names(&out),
        ["figures", "history", "report.html", "results.csv"]
    );
    assert_eq!(
        names(&out.join("history")),
        [
            "block--apgd.csv",
            "block--gauss-seidel.csv",
            "pile--apgd.csv",
            "pile--gauss-seidel.csv"
        ]
    );
    assert_eq!(
        names(&out.join("figures")),
        [
            "convergence-block-column.png",
            "convergence-block-column.svg",
            "convergence-block.png",
            "convergence-block.svg",
            "convergence-pile-column.png",
            "convergence-pile-column.svg",
            "convergence-pile.png",
            "convergence-pile.svg",
            "performance-profiles-column.png",
            "performance-profiles-column.svg",
            "performance-profiles.png",
            "performance-profiles.svg"
        ]
    );
    let rows = [
        ["pile", "apgd", "converged"],
        ["pile", "gauss-seidel", "converged"],
        ["block", "apgd", "converged"],
        ["block", "gauss-seidel", "converged"],
    ];
    assert_eq!(results(&out), rows);
    let page = page(&out);
    assert!(page.contains("2 methods on 2 problems"));
    assert!(!page.contains("Cancelled"));
}

/// Compares two methods on one problem; the caller cancels once `stop` says so of an event.
fn cancelled(out: &Path, stop: impl Fn(Event<'_>) -> bool + Sync) -> Comparison {
    let cancel = AtomicBool::new(false);
    let report = |event: Event<'_>| {
        if stop(event) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let settings = settings(&[Method::Apgd, Method::GaussSeidel]);
    let control = Control::new(&cancel, &report);
    compare(&[problem("pile.ccp")], &settings, out, control).unwrap()
}

#[test]
fn a_cancelled_comparison_holds_what_had_ended() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let comparison = cancelled(out, |event| matches!(event, Event::End(_)));
    assert!(comparison.cancelled);
    assert_eq!(comparison.problems[0].runs.len(), 1);
    assert!(comparison.problems[0].runs[0].converged().is_some());
    // Not all methods had their turn, so nothing is compared.
    assert!(comparison.complete_problems().is_empty());
    assert!(
        comparison
            .method_summaries()
            .iter()
            .all(|s| s.problems == 0)
    );
    assert_eq!(results(out), [["pile", "apgd", "converged"]]);
    assert!(page(out).contains("Cancelled before all runs had ended"));
}

#[test]
fn a_control_that_was_cancelled_before_lets_nothing_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    // What an earlier comparison left is not taken for a result of this one.
    std::fs::write(out.join("results.csv"), "an earlier table\n").unwrap();
    let cancel = AtomicBool::new(true);
    let told = AtomicBool::new(false);
    // That the empty results are being written is all there is to tell.
    let report = |event: Event<'_>| {
        told.fetch_or(!matches!(event, Event::Saving), Ordering::Relaxed);
    };
    let files = [problem("pile.ccp")];
    let control = Control::new(&cancel, &report);
    let comparison = compare(&files, &settings(&[Method::Apgd]), out, control).unwrap();
    assert!(comparison.cancelled);
    assert!(comparison.problems[0].runs.is_empty());
    assert!(comparison.problems[0].facts.is_none());
    assert!(!told.load(Ordering::Relaxed), "no work, no event");
    assert!(results(out).is_empty());
    assert!(page(out).contains("Cancelled before all runs had ended"));
}

#[test]
fn a_problem_that_cannot_be_read_is_recorded_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let junk = folder.path().join("junk.hdf5");
    std::fs::write(&junk, b"not an HDF5 file").unwrap();
    let warnings = Mutex::new(Vec::new());
    let report = |event: Event<'_>| {
        if let Event::Warning(text) = event {
            warnings.lock().unwrap().push(text.to_owned());
        }
    };
    let cancel = AtomicBool::new(false);
    let control = Control::new(&cancel, &report);
    let files = [junk, problem("pile.ccp")];
    let comparison = compare(&files, &settings(&[Method::Apgd]), &out, control).unwrap();

    let [junk, pile] = &comparison.problems[..] else {
        panic!("two problems were given")
    };
    let reason = junk.facts.as_ref().unwrap().as_ref().unwrap_err();
    assert!(!reason.is_empty());
    assert!(junk.known().is_none() && junk.runs.is_empty());
    assert!(pile.runs[0].converged().is_some());
    let rows = [["junk", "", "unreadable"], ["pile", "apgd", "converged"]];
    assert_eq!(results(&out), rows);
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("junk.hdf5"), "{}", warnings[0]);
    assert!(page(&out).contains("could not be read"));
}

#[test]
fn files_of_which_none_is_there_are_an_error_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let missing = folder.path().join("missing.ccp");
    let files = [missing.clone(), folder.path().join("also.ccp")];
    let outcome = compare(&files, &settings(&[Method::Apgd]), &out, Control::none());
    let Err(StudyError::Place { file, .. }) = outcome else {
        panic!("missing files were accepted")
    };
    assert_eq!(file, missing);
    assert!(!out.exists());
}
