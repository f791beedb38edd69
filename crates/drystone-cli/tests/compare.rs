//! `drystone compare` from outside: the folder that it leaves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Bench, csv, status, stderr, stdout};

/// Index of a column.
fn column(table: &[Vec<String>], name: &str) -> usize {
    table[0].iter().position(|c| c == name).unwrap()
}

#[test]
fn a_comparison_leaves_table_histories_figures_and_report() {
    let bench = Bench::new();
    bench.problem("one.ccp", 4, 0.0);
    bench.problem("a<b>&c.ccp", 6, 0.0);
    let args =
        "compare one.ccp a<b>&c.ccp one.ccp --methods apgd,apgd --tolerance 1e-6 -o out/deep";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("solved 2 of 2"));

    let table = csv(&bench.path("out/deep/results.csv"));
    // Given twice, run once.
    assert_eq!(table.len(), 3);
    let (ended, residual) = (column(&table, "termination"), column(&table, "residual"));
    for row in &table[1..] {
        assert_eq!(row[ended], "converged");
        assert!(row[residual].parse::<f64>().unwrap() <= 1e-6);
    }
    let deep = |folder: &str| bench.files(&format!("out/deep/{folder}"));
    assert_eq!(
        deep(""),
        ["figures", "history", "report.html", "results.csv"]
    );
    assert_eq!(deep("history"), ["a<b>&c--apgd.csv", "one--apgd.csv"]);
    assert_eq!(
        deep("figures"),
        [
            "convergence-a<b>&c-column.png",
            "convergence-a<b>&c-column.svg",
            "convergence-a<b>&c.png",
            "convergence-a<b>&c.svg",
            "convergence-one-column.png",
            "convergence-one-column.svg",
            "convergence-one.png",
            "convergence-one.svg",
            "performance-profiles-column.png",
            "performance-profiles-column.svg",
            "performance-profiles.png",
            "performance-profiles.svg"
        ]
    );
    let png = std::fs::read(bench.path("out/deep/figures/convergence-one.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n"));

    let page = std::fs::read_to_string(bench.path("out/deep/report.html")).unwrap();
    assert!(page.contains("a&lt;b&gt;&amp;c") && !page.contains("a<b>"));
    // Nothing is fetched: the only address is the name of the SVG name space.
    let addresses = page.matches("http").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(!page.contains("src=") && !page.contains("@import") && !page.contains("url("));
}

#[test]
fn refused_and_unreadable_problems_are_recorded_with_the_reason() {
    let bench = Bench::new();
    bench.problem("skew.ccp", 3, 0.1);
    std::fs::write(bench.path("junk.hdf5"), b"no such format").unwrap();
    bench.problem("good.ccp", 3, 0.0);
    let args = "compare skew.ccp junk.hdf5 good.ccp --methods apgd -o out";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    // One file could not be used; the rest was done.
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    let table = csv(&bench.path("out/results.csv"));
    let (ended, reason) = (column(&table, "termination"), column(&table, "reason"));
    let endings: Vec<&str> = table[1..].iter().map(|row| row[ended].as_str()).collect();
    assert_eq!(endings, ["refused", "unreadable", "converged"]);
    assert!(table[1][reason].contains("needs a symmetric matrix"));
    assert!(!table[2][reason].is_empty());
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("could not be read"));
    assert!(page.contains("needs a symmetric matrix"));
}

#[test]
fn a_missing_problem_does_not_keep_the_others_from_all_methods() {
    let bench = Bench::new();
    bench.problem("good.ccp", 3, 0.0);
    let args = "compare none.ccp good.ccp --methods all --tolerance 1e-4 -o out -q";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    let words = stdout(&output);
    assert!(
        words.contains("1 of 2 problems could not be read"),
        "{words}"
    );
    assert!(words.contains("none.ccp: "), "{words}");
    assert!(stderr(&output).contains("none.ccp"), "{}", stderr(&output));
    let table = csv(&bench.path("out/results.csv"));
    let ended = column(&table, "termination");
    assert_eq!(table[1][ended], "unreadable");
    // One row for the missing file, one for each method on the other.
    assert_eq!(table.len(), 2 + drystone_ccp::Method::ALL.len());
    assert!(table[2..].iter().all(|row| row[ended] == "converged"));
}

/// A method that solved one problem of two is the best on that one. The summary says over how many
/// problems its median is taken.
#[test]
fn medians_say_how_many_problems_they_are_over() {
    let bench = Bench::new();
    bench.problem("skew.ccp", 3, 0.1);
    bench.problem("good.ccp", 3, 0.0);
    let args = "compare skew.ccp good.ccp --methods apgd -o out -q";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    let expected = "solved 1 of 2, median time 1.000 × the best (over 1 problem)";
    assert!(stdout(&output).contains(expected), "{}", stdout(&output));
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains(">1.000 (over 1)</td>"));
}

#[test]
fn long_histories_are_thinned_unless_asked_for() {
    let bench = Bench::new();
    bench.problem("p.ccp", 10, 0.0);
    let flags = "--tolerance 1e-300 --max-iterations 30000 -q";
    let compare = format!("compare p.ccp --methods apgd {flags} -o out");
    let solve = format!("solve p.ccp --method apgd {flags} --history h.csv");
    for args in [compare, solve] {
        let output = bench.run(&args.split(' ').collect::<Vec<_>>());
        assert!(matches!(status(&output), 0 | 3), "{}", stderr(&output));
    }
    let [thin, whole] = ["out/history/p--apgd.csv", "h.csv"].map(|name| csv(&bench.path(name)));
    // One row per iteration, the start, and the heading.
    assert_eq!(whole.len(), 30_002);
    // By hand: of the 20 000 rows when full, the first 5000 stay and 7500 of the others; then every
    // second of the iterations 20 000 to 30 000, 5001 rows; and the heading.
    assert_eq!(thin.len(), 5000 + 7500 + 5001 + 1);
    assert_eq!((thin[2][0].as_str(), thin[5000][0].as_str()), ("1", "4999"));
    assert_eq!(
        (thin[5001][0].as_str(), thin[5002][0].as_str()),
        ("5000", "5002")
    );
    assert_eq!(thin[17_501][0], "30000");
}

#[test]
fn nothing_solved_still_gives_a_report() {
    let bench = Bench::new();
    bench.problem("p.ccp", 10, 0.0);
    let args = "compare p.ccp --methods apgd --max-iterations 0 --law exact -o out -q";
    let output = bench.run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    assert!(stdout(&output).contains("solved 0 of 1"));
}

#[test]
fn bad_input_is_status_2_before_any_work() {
    let bench = Bench::new();
    bench.problem("p.ccp", 3, 0.0);
    std::fs::write(bench.path("file"), b"").unwrap();
    for (args, expected) in [
        (
            "compare none.ccp nor.ccp --methods apgd -o out",
            "none.ccp: ",
        ),
        ("compare p.ccp --methods apgd,nope -o out", "'nope'"),
        (
            "compare p.ccp --methods apgd -o file",
            "file: is no usable folder",
        ),
        ("compare p.ccp --methods apgd", "--output"),
        ("compare p.ccp -o out", "--methods"),
        ("compare --methods apgd -o out", "FILES"),
    ] {
        let output = bench.run(&args.split(' ').collect::<Vec<_>>());
        assert_eq!(status(&output), 2, "{args}");
        assert!(
            stderr(&output).contains(expected),
            "{args}: {}",
            stderr(&output)
        );
    }
    assert_eq!(bench.files("."), ["file", "p.ccp"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_with_what_is_there() {
    use std::process::Stdio;
    use std::time::Duration;

    let bench = Bench::new();
    bench.problem("easy.ccp", 3, 0.0);
    bench.problem("hard.ccp", 60, 0.0);
    // Neither reaches the tolerance: without the interrupt both would run to their time limit.
    let args = "compare easy.ccp hard.ccp --methods apgd --tolerance 1e-300 \
                --max-iterations 1000000000 -o out";
    let mut command = bench.command(&args.split(' ').collect::<Vec<_>>());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(stdout(&output).contains("cancelled"));
    let table = csv(&bench.path("out/results.csv"));
    let last = table.last().unwrap();
    assert_eq!(last[column(&table, "termination")], "cancelled");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("Cancelled before all runs had ended"));
}
