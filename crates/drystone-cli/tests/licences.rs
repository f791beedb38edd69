//! Every crate that we build with has a licence of the list in `deny.toml`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The licences of `deny.toml`.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let (_, list) = text.split_once("\nallow = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether we may use what stands under such an expression: one choice of each `OR`, all of an
/// `AND`. An exception only adds rights, so `WITH` counts as its licence.
fn accepts(allowed: &[String], expression: &str) -> bool {
    // Old crates write a slash for OR.
    let spaced = expression.replace('/', " OR ");
    let spaced = spaced.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let accepted = any_of(allowed, &mut rest);
    accepted && rest.is_empty()
}

fn any_of(allowed: &[String], words: &mut &[&str]) -> bool {
    let mut accepted = all_of(allowed, words);
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        accepted |= all_of(allowed, words);
    }
    accepted
}

fn all_of(allowed: &[String], words: &mut &[&str]) -> bool {
    let mut accepted = one(allowed, words);
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        accepted &= one(allowed, words);
    }
    accepted
}

fn one(allowed: &[String], words: &mut &[&str]) -> bool {
    let [first, rest @ ..] = *words else {
        return false;
    };
    *words = rest;
    if *first == "(" {
        let accepted = any_of(allowed, words);
        let [closing, rest @ ..] = *words else {
            return false;
        };
        *words = rest;
        return accepted && *closing == ")";
    }
    if let ["WITH", _, rest @ ..] = *words {
        *words = rest;
    }
    allowed.iter().any(|licence| licence == first)
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
    for good in [
        "MIT",
        "MIT OR GPL-3.0",
        "GPL-3.0/MIT",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
    ] {
        assert!(accepts(&allowed, good), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "",
        "MIT AND GPL-3.0",
        "(MIT OR Zlib) AND GPL-3.0",
        "(MIT",
    ] {
        assert!(!accepts(&allowed, bad), "{bad}");
    }
}

/// What is built here: with all features, for this machine. So no crate is needed that a build of
/// the workspace has not fetched.
fn metadata() -> Value {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version
        .lines()
        .find_map(|l| l.strip_prefix("host: "))
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .args(["--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_crate_has_a_licence_of_the_list() {
    let allowed = allowed();
    assert!(allowed.len() >= 3, "{allowed:?}");
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "only {} crates found", packages.len());
    let mut refused = Vec::new();
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("no licence");
        if !accepts(&allowed, licence) {
            refused.push(format!(
                "{} {}: {licence}",
                package["name"], package["version"]
            ));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
