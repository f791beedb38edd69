//! Gives the engine a fingerprint: what a settled state depends on beside its scene.
//!
//! `DRYSTONE_ENGINE` is the version and 64 bits of what decides over the bits of a state: the code
//! of the crates that compute it, and the versions of the libraries that do arithmetic for them.
//! Comments, documentation, layout and tests do not count. Nor do recordings and exports, which
//! only read a state.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The crates whose code decides over the bits of a state.
const CRATES: [&str; 4] = [
    "drystone-ccp",
    "drystone-collide",
    "drystone",
    "drystone-scene",
];

/// Outside libraries whose arithmetic or random numbers end up in a state.
const LIBRARIES: [&str; 5] = ["faer", "glam", "parry3d-f64", "rand", "rand_pcg"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for name in CRATES {
        let source = Path::new("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        for file in files_below(&source) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            match text.parse::<TokenStream>() {
                Ok(tokens) => hash_code(tokens, &mut hash),
                // Not Rust, such as an embedded text: every byte counts.
                Err(_) => hash.add(&text),
            }
        }
    }
    let lock = Path::new("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    hash_versions(
        &std::fs::read_to_string(lock).unwrap_or_default(),
        &mut hash,
    );
    let (version, hash) = (env!("CARGO_PKG_VERSION"), hash.0);
    println!("cargo::rustc-env=DRYSTONE_ENGINE={version}-{hash:016x}");
}

/// FNV-1a: short, and good enough to tell versions of our own code apart.
struct Fnv(u64);

impl Fnv {
    /// Adds a piece of text and a mark for its end.
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The hash of one piece of code, for tests.
#[allow(dead_code, reason = "only tests call it")]
pub fn hash_of_code(code: &str) -> u64 {
    let mut hash = Fnv(0);
    hash_code(code.parse().unwrap_or_default(), &mut hash);
    hash.0
}

/// Adds the tokens of a file without documentation and without what only tests compile. Comments
/// are no tokens.
fn hash_code(tokens: TokenStream, hash: &mut Fnv) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_punct(&token, '#') {
            // `#![...]` or `#[...]`.
            tokens.next_if(|t| is_punct(t, '!'));
            let attribute = match tokens.next() {
                Some(TokenTree::Group(group)) => group.stream().to_string(),
                _ => continue,
            };
            if attribute.starts_with("doc") {
                continue;
            }
            if attribute == "cfg (test)" || attribute == "cfg(test)" {
                skip_item(&mut tokens);
                continue;
            }
            hash.add(&attribute);
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                hash.add(match group.delimiter() {
                    Delimiter::Parenthesis => "(",
                    Delimiter::Brace => "{",
                    Delimiter::Bracket => "[",
                    Delimiter::None => "",
                });
                hash_code(group.stream(), hash);
                hash.add("end");
            }
            token => hash.add(&token.to_string()),
        }
    }
}

/// Passes over an item: up to its semicolon or its body.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            token => is_punct(token, ';'),
        };
        if ends {
            return;
        }
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == character)
}

/// Adds the versions of the libraries, as the lock file has them.
fn hash_versions(lock: &str, hash: &mut Fnv) {
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("name = ").map(|n| n.trim_matches('"'));
        if name.is_some_and(|name| LIBRARIES.contains(&name)) {
            hash.add(line);
            hash.add(lines.next().unwrap_or_default());
        }
    }
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
