//! Gives the engine a fingerprint: what a settled state depends on beside its scene.
//!
//! `DRYSTONE_ENGINE` is the version and, where the sources of the engine's crates lie beside this one, 64 bits of their text.

use std::path::{Path, PathBuf};

/// The crates whose code decides over the bits of a state.
const CRATES: [&str; 4] = [
    "drystone-ccp",
    "drystone-collide",
    "drystone",
    "drystone-scene",
];

fn main() {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for name in CRATES {
        let source = Path::new("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        for file in files_below(&source) {
            for byte in std::fs::read(&file).unwrap_or_default() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    println!("cargo::rustc-env=DRYSTONE_ENGINE={version}-{hash:016x}");
}

/// All files below a folder, by name; none where there is no such folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files.extend(files_below(&entry));
        } else {
            files.push(entry);
        }
    }
    files
}
