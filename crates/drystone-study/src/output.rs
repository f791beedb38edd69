//! Results on the disk: what is checked before the work, and how files are written after it.

use std::path::{Path, PathBuf};

use drystone_run::atomic::{check_folder, write_atomically};

use crate::error::StudyError;

/// Checks, before any work is done, that a file can be written there later.
pub fn check_writable(file: &Path) -> Result<(), StudyError> {
    let folder = folder_of(file);
    if !folder.is_dir() {
        let reason = format!("there is no folder {}", folder.display());
        return Err(StudyError::place(file, reason));
    }
    if file.file_name().is_none() {
        return Err(StudyError::place(file, "names no file"));
    }
    if file.exists() && !file.is_file() {
        let reason = "exists and is not a file, expected a file or nothing";
        return Err(StudyError::place(file, reason));
    }
    check_folder(file)
        .map_err(|e| StudyError::place(file, format_args!("the folder does not take files: {e}")))
}

/// Makes a folder where there is none.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StudyError> {
    std::fs::create_dir_all(folder)
        .map_err(|e| StudyError::place(folder, format_args!("is no usable folder: {e}")))
}

/// Writes `bytes` as a whole or not at all.
pub(crate) fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), StudyError> {
    write_atomically(file, bytes).map_err(|e| StudyError::writing(file, e))
}

/// Whether two paths name the same file. The file need not exist yet; its folder must.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let resolved = |p: &Path| {
        let folder = folder_of(p).canonicalize().ok()?;
        Some(p.canonicalize().unwrap_or(folder.join(p.file_name()?)))
    };
    resolved(a).is_some_and(|a| Some(a) == resolved(b))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
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
