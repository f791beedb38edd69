//! Lists the files of the page, so that the program carries them: `page_files.rs` is an array of
//! names and contents.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a page is made of, by the ends of the names. Tests of the modules stay outside.
const KINDS: [&str; 5] = ["html", "js", "css", "svg", "png"];

/// The folder of the page, from that of this crate: cargo runs this program there. No path is
/// absolute, so that a build folder that is moved with its clone stays right.
const PAGE: &str = "page";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PAGE}");
    let mut files = Vec::new();
    collect(Path::new(PAGE), &mut files);
    // By their names as texts, which is not how paths are sorted.
    files.sort_by_key(|file| file.to_string_lossy().replace('\\', "/"));
    let mut list = String::from("[\n");
    for file in &files {
        let path = file.to_string_lossy().replace('\\', "/");
        let name = path.strip_prefix(PAGE).unwrap_or(&path);
        let name = name.trim_start_matches('/');
        println!("cargo::rerun-if-changed={path}");
        let content = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{path}\")");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({content})),");
    }
    list.push(']');
    if !files.iter().any(|file| file.ends_with("index.html")) {
        println!("cargo::error={PAGE}/index.html is missing");
    }
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let out = out.unwrap_or_default().join("page_files.rs");
    if let Err(error) = std::fs::write(&out, list) {
        println!("cargo::error={}: {error}", out.display());
    }
}

/// The files of the page below a folder; none where there is no page.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_test = name.contains(".test.") || name == "node_modules" || name.starts_with('.');
        if is_test {
            continue;
        }
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, found);
        } else if KINDS.iter().any(|kind| name.ends_with(&format!(".{kind}"))) {
            found.push(path);
        }
    }
}
