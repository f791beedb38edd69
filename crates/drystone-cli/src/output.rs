//! Where results go: files, standard output and standard error.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use drystone_scene::atomic::{check_folder, write_atomically};

use crate::failure::Failure;
use crate::plot::{Colours, Figure, to_png, to_svg};

/// Checks, before any work is done, that a file can be written there later.
pub fn check_writable(file: &Path) -> Result<(), Failure> {
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Err(Failure::in_file(
            file,
            format_args!("there is no folder {}", folder.display()),
        ));
    }
    if file.file_name().is_none() {
        return Err(Failure::in_file(file, "names no file"));
    }
    if file.exists() && !file.is_file() {
        return Err(Failure::in_file(
            file,
            "exists and is not a file, expected a file or nothing",
        ));
    }
    check_folder(file)
        .map_err(|e| Failure::in_file(file, format_args!("the folder does not take files: {e}")))
}

/// Whether two paths name the same existing file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let resolved = |p: &Path| {
        let folder = folder_of(p).canonicalize().ok()?;
        Some(p.canonicalize().unwrap_or(folder.join(p.file_name()?)))
    };
    resolved(a).is_some_and(|a| Some(a) == resolved(b))
}

/// Writes `bytes` as a whole or not at all.
pub fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_atomically(file, bytes).map_err(|e| Failure::writing(file, e))
}

/// Writes a figure as SVG and PNG; `stem` is the path without extension.
pub fn write_figure(stem: &Path, figure: &Figure) -> Result<(), Failure> {
    let scene = figure.scene();
    let path = |extension: &str| {
        let mut path = stem.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    write_bytes(&path(".svg"), to_svg(&scene, Colours::Fixed).as_bytes())?;
    let png = path(".png");
    let bytes = to_png(&scene).ok_or_else(|| Failure::writing(&png, "too large to draw"))?;
    write_bytes(&png, &bytes)
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes to standard output; a reader that left early is no error.
pub fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::writing(Path::new("standard output"), e))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anybody listens.
pub fn to_stderr(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder cannot be replaced by a file.
        let file = folder.path().join("x.csv");
        std::fs::create_dir(&file).unwrap();
        let message = write_bytes(&file, b"new").unwrap_err().to_string();
        assert!(message.contains("x.csv: could not be written"), "{message}");
        assert!(file.is_dir());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_same_file_is_known_under_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let other = folder.path().join(".").join("a");
        // Known even before it exists.
        assert!(same_file(&file, &other));
        assert!(!same_file(&file, &folder.path().join("b")));
    }
}
