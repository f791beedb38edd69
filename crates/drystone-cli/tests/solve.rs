//! `drystone solve` from outside: exit statuses, JSON, files.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Bench, csv, status, stderr, stdout};
use drystone_problems::{read_vector, write_vector};
use serde_json::Value;

#[test]
fn a_solved_problem_gives_json_a_solution_and_a_history() {
    let bench = Bench::new();
    bench.problem("p.ccp", 5, 0.0);
    let args = "solve p.ccp --method apgd --json --output x.npy --history h.csv --threads 1";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    for (name, value) in [
        ("problem", Value::from("p")),
        ("contacts", 5.into()),
        ("rows", 15.into()),
        ("method", "apgd".into()),
        ("answered_by", "apgd".into()),
        ("law", "relaxed".into()),
        ("termination", "converged".into()),
        ("tolerance", 1e-8.into()),
        ("threads", 1.into()),
    ] {
        assert_eq!(json[name], value, "{name}");
    }
    for name in [
        "iterations",
        "products",
        "seconds",
        "residual",
        "residual_velocity",
        "objective",
        "cone_violation",
        "dual_violation",
        "duality_gap",
        "mean_diagonal",
    ] {
        assert!(json[name].is_number(), "{name}");
    }
    assert!(json["residual"].as_f64().unwrap() <= 1e-8);
    assert_eq!(read_vector(bench.path("x.npy")).unwrap().len(), 15);
    let history = csv(&bench.path("h.csv"));
    assert_eq!(history[0][0], "iteration");
    assert_eq!(history[1][0], "0");
    let last: f64 = history.last().unwrap()[3].parse().unwrap();
    assert!(last <= 1e-8);
    // Nothing but what was asked for.
    assert_eq!(bench.files("."), ["h.csv", "p.ccp", "x.npy"]);
}

#[test]
fn auto_tells_what_it_tried_and_why() {
    let bench = Bench::new();
    bench.problem("p.ccp", 5, 0.0);
    let output = bench.run(&["solve", "p.ccp", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let tried = json["attempts"].as_str().unwrap();
    let expected = "nesterov-gs (a small problem: some sweeps before a factor): converged at ";
    assert!(tried.starts_with(expected), "{tried}");
    let table = stdout(&bench.run(&["solve", "p.ccp"]));
    assert!(
        table.contains(&format!("tried        {expected}")),
        "{table}"
    );
    // A method that was asked for by name chooses nothing.
    let table = stdout(&bench.run(&["solve", "p.ccp", "--method", "apgd"]));
    assert!(!table.contains("tried"), "{table}");
}

#[test]
fn the_table_for_people_names_the_essentials() {
    let bench = Bench::new();
    bench.problem("p.ccp", 3, 0.0);
    let output = bench.run(&["solve", "p.ccp", "--method", "apgd"]);
    assert_eq!(status(&output), 0);
    for word in [
        "p (3 contacts, 9 rows)",
        "apgd, relaxed law",
        "converged",
        "J\n",
    ] {
        assert!(
            stdout(&output).contains(word),
            "{word} in {}",
            stdout(&output)
        );
    }
}

#[test]
fn people_see_nine_digits_of_the_objective() {
    let bench = Bench::new();
    bench.problem("p.ccp", 5, 0.0);
    let args = ["solve", "p.ccp", "--method", "apgd"];
    let json: Value =
        serde_json::from_str(&stdout(&bench.run(&[&args[..], &["--json"]].concat()))).unwrap();
    let exact = json["objective"].as_f64().unwrap();
    let text = stdout(&bench.run(&args));
    let line = text.lines().find(|l| l.starts_with("objective")).unwrap();
    let shown: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((shown - exact).abs() <= 1e-8 * exact.abs(), "{line}");
}

/// A sum over nothing is −0.0, which no reader of JSON expects of a residual.
#[test]
fn an_empty_problem_has_no_negative_zero() {
    let bench = Bench::new();
    bench.problem("empty.ccp", 0, 0.0);
    let output = bench.run(&["solve", "empty.ccp", "--json", "--history", "h.csv"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(!stdout(&output).contains("-0"), "{}", stdout(&output));
    let history = std::fs::read_to_string(bench.path("h.csv")).unwrap();
    assert!(!history.contains("-0e0"), "{history}");
}

#[test]
fn the_case_of_an_extension_does_not_matter() {
    let bench = Bench::new();
    bench.problem("p.ccp", 3, 0.0);
    for (name, magic) in [("X.NPY", &b"\x93NUMPY"[..]), ("X.Hdf5", b"\x89HDF")] {
        let output = bench.run(&["solve", "p.ccp", "--method", "apgd", "-o", name]);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let bytes = std::fs::read(bench.path(name)).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        assert_eq!(read_vector(bench.path(name)).unwrap().len(), 9);
    }
}

#[test]
fn not_converging_is_status_3_and_still_writes_the_best_point() {
    let bench = Bench::new();
    bench.problem("p.ccp", 10, 0.0);
    let args = "solve p.ccp --method apgd --max-iterations 2 --tolerance 1e-12 --json -o x.h5";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["termination"], "iteration-limit");
    assert_eq!(read_vector(bench.path("x.h5")).unwrap().len(), 30);
}

#[test]
fn a_warm_start_at_the_solution_needs_no_iteration() {
    let bench = Bench::new();
    bench.problem("p.ccp", 5, 0.0);
    let first = bench.run(&["solve", "p.ccp", "--method", "apgd", "-o", "x.npy"]);
    assert_eq!(status(&first), 0);
    // In place: the start is read before the solution replaces it.
    let args = "solve p.ccp --method apgd --json --warm-start x.npy -o x.npy";
    let second = bench.run(&args.split(' ').collect::<Vec<_>>());
    let json: Value = serde_json::from_str(&stdout(&second)).unwrap();
    assert_eq!(json["iterations"], 0);
}

#[test]
fn bad_input_is_status_2_and_says_what_is_wrong() {
    let bench = Bench::new();
    bench.problem("p.ccp", 3, 0.0);
    bench.problem("skew.ccp", 3, 0.1);
    std::fs::write(bench.path("junk.hdf5"), b"no such format").unwrap();
    write_vector(bench.path("short.npy"), &[1.0; 4]).unwrap();
    std::fs::create_dir(bench.path("folder.npy")).unwrap();
    for (args, expected) in [
        ("solve none.ccp", "none.ccp: "),
        ("solve junk.hdf5", "junk.hdf5: "),
        ("solve .", ".: "),
        ("solve p.ccp --method apgdd", "'apgd'"),
        ("solve p.ccp --law coulomb", "relaxed"),
        (
            "solve p.ccp --tolerance 0",
            "'0' for '--tolerance <T>': expected a finite number > 0",
        ),
        (
            "solve p.ccp --tolerance -1e-8",
            "expected a finite number > 0",
        ),
        (
            "solve p.ccp --tolerance nan",
            "expected a finite number > 0",
        ),
        ("solve p.ccp --time-limit 0", "0 s is not above 0"),
        ("solve p.ccp --threads 0", "from 1 to 1024"),
        (
            "solve p.ccp --max-iterations -3",
            "expected a whole number >= 0",
        ),
        ("solve p.ccp --output none/x.npy", "there is no folder none"),
        ("solve p.ccp --output x.txt", "expected .npy or .hdf5"),
        ("solve p.ccp --output x", "expected .npy or .hdf5"),
        ("solve p.ccp --output folder.npy", "is not a file"),
        ("solve p.ccp --history p.ccp", "would overwrite the problem"),
        (
            "solve p.ccp --output x.npy --history x.npy",
            "expected two files",
        ),
        ("solve p.ccp --warm-start none.npy", "none.npy: "),
        (
            "solve p.ccp --method apgd --warm-start short.npy",
            "short.npy: the starting point has 4 entries, expected 9",
        ),
        (
            "solve skew.ccp --method apgd",
            "skew.ccp: method apgd needs a symmetric matrix",
        ),
        ("solve", "FILE"),
        ("", "Usage"),
        ("sovle p.ccp", "'solve'"),
    ] {
        let output = bench.run(&args.split_whitespace().collect::<Vec<_>>());
        assert_eq!(status(&output), 2, "{args}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(expected),
            "{args}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{args}");
        assert!(!stderr(&output).contains("panicked"), "{args}");
    }
    assert_eq!(
        bench.files("."),
        ["folder.npy", "junk.hdf5", "p.ccp", "short.npy", "skew.ccp"]
    );
}

#[test]
fn help_has_examples_and_exit_statuses() {
    let bench = Bench::new();
    let output = bench.run(&["solve", "--help"]);
    assert_eq!(status(&output), 0);
    for word in ["Examples:", "Exit status:", "nesterov-gs", "--warm-start"] {
        assert!(stdout(&output).contains(word), "{word}");
    }
    assert_eq!(status(&bench.run(&["--version"])), 0);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let bench = Bench::new();
    bench.problem("p.ccp", 40, 0.0);
    for threads in ["1", "3"] {
        let file = format!("{threads}.npy");
        let args = ["solve", "p.ccp", "--method", "apgd", "--threads", threads];
        let output = bench.run(&[&args[..], &["-o", &file]].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
    }
    let bytes = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert_eq!(bytes("1.npy"), bytes("3.npy"));
}

/// Waits for the program to be at work, then interrupts it as Ctrl-C does.
#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_best_point_and_ends_with_status_3() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let bench = Bench::new();
    bench.problem("p.ccp", 60, 0.0);
    let args = "solve p.ccp --method apgd --tolerance 1e-300 --max-iterations 1000000000000 --json -o x.npy";
    let mut command = bench.command(&args.split(' ').collect::<Vec<_>>());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let asked = Instant::now();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["termination"], "cancelled");
    assert_eq!(read_vector(bench.path("x.npy")).unwrap().len(), 180);
}

/// A reader that leaves early is no error; a full disk is.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_may_be_closed_but_not_full() {
    let bench = Bench::new();
    bench.problem("p.ccp", 3, 0.0);
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = bench.command(&["solve", "p.ccp", "--method", "apgd"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(status(&output), 4);
    assert!(stderr(&output).contains("standard output: could not be written"));

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = bench.command(&["solve", "p.ccp", "--method", "apgd"]);
    let output = command.stdout(writer).output().unwrap();
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
}
