//! Completions, manual pages and the version, as packagers use them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::scenes::ok;
use crate::common::{Bench, status, stderr, stdout};

#[test]
fn every_shell_has_completions_of_all_commands() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&ok(&bench, &format!("completions {shell}")));
        for word in ["render", "sequence", "nesterov-gs"] {
            assert!(script.contains(word), "{shell} has no {word}");
        }
    }
    let wrong = bench.run(&["completions", "tcsh"]);
    assert_eq!(status(&wrong), 2);
    assert!(stderr(&wrong).contains("bash"), "{}", stderr(&wrong));
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_and_flags() {
    let bench = Bench::new();
    let script = stdout(&ok(&bench, "completions bash"));
    std::fs::write(bench.path("drystone.bash"), script).unwrap();
    let ask = "source ./drystone.bash; COMP_WORDS=(drystone render --qua); COMP_CWORD=2; \
               _drystone drystone --qua render; echo \"${COMPREPLY[@]}\"";
    let shell = std::process::Command::new("bash");
    let Ok(output) = { shell }
        .args(["-c", ask])
        .current_dir(bench.path("."))
        .output()
    else {
        // A machine without bash has nothing to complete.
        return;
    };
    assert_eq!(stdout(&output).trim(), "--quality", "{}", stderr(&output));
}

#[test]
fn every_command_has_a_manual_page() {
    let bench = Bench::new();
    ok(&bench, "man man1");
    let pages = bench.files("man1");
    for name in [
        "drystone.1",
        "drystone-run.1",
        "drystone-render.1",
        "drystone-bench-steps.1",
    ] {
        assert!(pages.iter().any(|page| page == name), "{name} in {pages:?}");
    }
    let page = std::fs::read_to_string(bench.path("man1/drystone-render.1")).unwrap();
    for word in [
        ".SH NAME",
        "drystone\\-render",
        "\\-\\-sequence",
        "Exit status",
    ] {
        assert!(page.contains(word), "{word} in {page}");
    }
    std::fs::write(bench.path("file"), "").unwrap();
    let wrong = bench.run(&["man", "file"]);
    assert_eq!(status(&wrong), 2, "{}", stderr(&wrong));
}

#[test]
fn the_version_names_the_commit_where_the_sources_are_a_clone() {
    let bench = Bench::new();
    let version = stdout(&ok(&bench, "--version"));
    let rest = version.trim().strip_prefix("drystone ").unwrap();
    assert!(rest.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    if !std::path::Path::new(root).join(".git").exists() {
        return;
    }
    let git = std::process::Command::new("git");
    let Ok(output) = { git }
        .args(["-C", root, "rev-parse", "--short=10", "HEAD"])
        .output()
    else {
        return;
    };
    if !output.status.success() {
        return; // git does not trust the folder: the build could not ask it either
    }
    let commit = String::from_utf8(output.stdout).unwrap();
    let given = option_env!("DRYSTONE_COMMIT").unwrap_or(commit.trim());
    assert!(
        rest.ends_with(&format!("({given})")),
        "{version}, not {given}"
    );
}
