//! Puts the commit into the version: `DRYSTONE_VERSION` is `0.1.0 (1a2b3c4d5e)`, or `0.1.0` where
//! the sources do not come from a clone, as in an archive.
//!
//! Whoever packages an archive can name the commit in the environment: `DRYSTONE_COMMIT`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DRYSTONE_COMMIT");
    let version = env!("CARGO_PKG_VERSION");
    let given = std::env::var("DRYSTONE_COMMIT").ok();
    let given = given.filter(|commit| !commit.trim().is_empty());
    let version = match given.or_else(commit) {
        Some(commit) => format!("{version} ({})", commit.trim()),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=DRYSTONE_VERSION={version}");
}

/// The commit of the clone that this crate lies in, and when to look again.
fn commit() -> Option<String> {
    // An archive may be unpacked within a clone of something else.
    let root = Path::new("../..").canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root {
        return None;
    }
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD"]
        .map(str::to_owned)
        .into_iter()
        .chain(branch)
    {
        // A file that is missing would count as changed at every build.
        if let Some(file) = git(&["rev-parse", "--git-path", &name])
            && Path::new(&file).exists()
        {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

/// What git says, where it is there and has something to say.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
